/* The map of a view from positions in the picture to points of the plane, at full precision; for
 * view_motion.c only. Centres are decimal, with all their digits; offsets of the size of a pixel or
 * a picture are binary, and short.
 *
 *     c = centre + ((x - W/2) right + (y - H/2) down) step,  step = 4 / (zoom H). */
#ifndef RENDER_VIEW_VIEW_MAP_H
#define RENDER_VIEW_VIEW_MAP_H

#include <mpfr.h>

#include "render/view/decimal.h"
#include "render/view/view_axes.h"
#include "render/view/view_motion.h"

enum { LENS_BITS = 192 /* precision of steps and angles: 1e9 px are exact to 1e-40 px */ };

struct plane_point { /* offset in the plane, with LENS_BITS */
    mpfr_t re, im;
};

void plane_point_init(struct plane_point *point);
void plane_point_clear(struct plane_point *point);

struct centre {
    struct decimal re, im;
};

/* Limit by which a centre has no more digits than a number may have. */
enum { CENTRE_PLACES_MOST = NUMBER_DIGITS_MAX - DECIMAL_WHOLE };

/* Places of a centre that hold it to VIEW_GUARD_DIGITS beyond a pixel, at any depth that can be
 * computed. */
long centre_places(double log2_step);

/* Reads the view's centre, rounded to `places`. STATUS_OUT_OF_MEMORY; centre_close may be called
 * then, too. */
enum status centre_open(struct centre *centre, const struct view *view, long places);
void centre_close(struct centre *centre);
void centre_add(struct centre *centre, const struct plane_point *offset);
void centre_get(const struct centre *centre, struct plane_point *point);

/* Text of a zoom with 17 digits, or with fewer if those are within 1e-10 of it, laid out by
 * decimal_layout. */
char *zoom_text(mpfr_srcptr zoom);

struct view_map {
    mpfr_t step;
    struct view_axes axes;
    double log2_step; /* log2 of `step`, rounded to a double */
    double half_width, half_height;
    double area; /* signed area that down and right span in this order: 1; -1: mirrored */
};

/* Makes the map of a view with another zoom and rotation. */
void view_map_open(struct view_map *map, const struct view *view, const char *zoom,
                   double rotation_deg);
void view_map_open_view(struct view_map *map, const struct view *view);
void view_map_close(struct view_map *map);

/* Offset in the plane from the centre to a position in the picture. `offset` is initialized. */
void view_map_offset(const struct view_map *map, double x, double y, struct plane_point *offset);

#endif
