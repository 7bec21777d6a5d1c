/* A view: a centre and a zoom as decimal text of any length, a rotation, a shape, a size.
 *
 * A mirrored view has its rows in the opposite order, so that the imaginary axis points down; other
 * programs show Burning Ships that way.
 *
 * The text is kept as it was given, so a view that is saved and loaded again is the same view to
 * the last digit. Arithmetic on it is done in MPFR at a precision that holds every digit given. */
#ifndef RENDER_VIEW_VIEW_H
#define RENDER_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/grid.h"
#include "kernels/status.h"
#include "render/view/view_shape.h"

enum {
    NUMBER_DIGITS_MAX = 160000, /* digits of one coordinate: more than the deepest pictures need */
    ZOOM_DIGITS_MAX = 1000,
    NUMBER_EXPONENT_MAX = 1000000, /* decimal exponent, either sign */
    IMAGE_SIDE_MAX = INT32_MAX     /* as PNG has it */
};

/* Every point of every image within these has a square that is finite in fp32, so no kernel meets
 * an infinite c. All sets lie inside: |c| <= 2. */
#define VIEW_CENTRE_MAX 1e6 /* largest |re| and |im| */
#define VIEW_ZOOM_MIN 1e-6

struct view {
    char *re, *im;       /* centre; owned */
    char *zoom;          /* >= VIEW_ZOOM_MIN; image height = 4 / zoom; owned */
    double rotation_deg; /* turn of the frame, counter-clockwise; -360 ... 360 */
    struct view_shape shape;
    int32_t width, height; /* pixels, 1 ... IMAGE_SIDE_MAX */
};

/* The view in doubles, for the decisions of the plan and for grids. */
struct view_numbers {
    double centre_re, centre_im;       /* rounded to double */
    double centre_re_lo, centre_im_lo; /* rest that the rounding left */
    double log2_step;        /* log2 of the exact step; valid beyond the range of double */
    double step;             /* c per pixel; 0 when it underflows */
    double log2_stretch;     /* neighbours are at least step / 2^this apart, in one
                                direction, and at most step * 2^this; 0: no stretch */
    double step_re, step_im; /* vector to the next pixel as in a grid, in units of 2^exponent,
                                without the stretch */
    double down_x, down_y;   /* step * e^(i rotation), 0, and 1, or -1 of a mirror */
    int32_t exponent;        /* 0 where doubles reach (GRID_PLAIN_LEAST) */
    int32_t image_width, image_height; /* size of the image */
    int32_t x, y, width, height;       /* pixels of it that are computed: all, unless narrowed */
};

/* Is `text` a decimal number: [+-] digits [. digits] [e [+-] digits], within the limits above?
 * STATUS_BAD_DATA with a sentence that names `what` and the position of the error otherwise. */
enum status number_check(const char *text, const char *what);

/* Check a coordinate of a centre, and a zoom, as numbers within their ranges. */
enum status view_centre_check(const char *text, const char *what);
enum status view_zoom_check(const char *text, const char *what);

/* Significant digits of a checked number: those before its exponent without leading zeros. */
size_t number_digits(const char *text);

/* Takes copies. Checks all of it; STATUS_BAD_DATA leaves *view as it was. On success what *view
 * held before is freed, so it must be zeroed or valid; the shape stays. */
enum status view_set(struct view *view, const char *re, const char *im, const char *zoom,
                     double rotation_deg, int32_t width, int32_t height);

/* Copies a view that was set, without checking it again; *to as for view_set. STATUS_OUT_OF_MEMORY
 * leaves it as it was. */
enum status view_copy(struct view *to, const struct view *from);

void view_destroy(struct view *view); /* accepts a zeroed view */

/* Are both set, and the same to the letter? */
bool view_same(const struct view *a, const struct view *b);

/* Frees the caches of MPFR of this thread; for threads that end before the program does. */
void view_thread_end(void);

/* Cost on one core of an AMD EPYC: 0.02 ms, and 0.05 ms more per 10,000 digits. */
enum status view_numbers(const struct view *view, struct view_numbers *numbers);

/* The same for a part of the image: its grids count pixels from (x, y) of what was computed before.
 */
struct view_numbers view_numbers_part(const struct view_numbers *numbers, int32_t x, int32_t y,
                                      int32_t width, int32_t height);

/* The same for all of the image, which decides how any part of it is computed. */
struct view_numbers view_numbers_image(const struct view_numbers *numbers);

/* log10 of the zoom. */
double view_log10_zoom(const struct view_numbers *numbers);

/* Difference of the centres, `view` less `other`, over 2^exponent, within a unit in the last place;
 * NAN without memory for its digits. Cost: that of copying them. */
void view_apart(const struct view *view, const struct view *other, int32_t exponent, double *re,
                double *im);

/* Grid of the rectangle at (x, y) of width x height pixels, in units of 1: its steps are 0 where
 * doubles underflow. Quarter turns are exact. */
struct grid view_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                      int32_t height);

#endif
