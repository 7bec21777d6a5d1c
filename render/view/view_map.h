/* The map of a view from places to points, in numbers as long as it takes. What view_motion.c
 * computes with; nobody else needs it. Centres are decimal, to all their places; what is of the
 * size of a pixel or of a picture is binary, and short.
 *
 *     c = centre + ((x - W/2) right + (y - H/2) down) step,  step = 4 / (zoom H). */
#ifndef RENDER_VIEW_VIEW_MAP_H
#define RENDER_VIEW_VIEW_MAP_H

#include <mpfr.h>

#include "render/view/decimal.h"
#include "render/view/view_axes.h"
#include "render/view/view_motion.h"

enum { LENS_BITS = 192 /* of steps and turns: 1e9 px are exact to 1e-40 px */ };

struct point { /* of LENS_BITS */
    mpfr_t re, im;
};

void point_init(struct point *point);
void point_clear(struct point *point);

struct centre {
    struct decimal re, im;
};

/* So that a centre has no more digits than a number may have. */
enum { CENTRE_PLACES_MOST = NUMBER_DIGITS_MAX - DECIMAL_WHOLE };

/* Places of a centre that hold it to VIEW_GUARD_DIGITS beyond a pixel, at any depth that can be
 * computed. */
long centre_places(double log2_step);

/* The view's, to so many places. STATUS_OUT_OF_MEMORY; centre_close is right then, too. */
enum status centre_open(struct centre *centre, const struct view *view, long places);
void centre_close(struct centre *centre);
void centre_add(struct centre *centre, const struct point *offset);
void centre_get(const struct centre *centre, struct point *point);

/* A zoom to 17 digits, or to fewer if it is within 1e-10 of them; the same otherwise. */
char *zoom_text(mpfr_srcptr zoom);

struct view_map {
    mpfr_t step;
    struct view_axes axes;
    double log2_step; /* a little rounded */
    double half_width, half_height;
    double area; /* that down and right span in this order: 1; -1: mirrored */
};

/* Of a view with another zoom and rotation. */
void view_map_open(struct view_map *map, const struct view *view, const char *zoom,
                   double rotation_deg);
void view_map_open_view(struct view_map *map, const struct view *view);
void view_map_close(struct view_map *map);

/* From the centre to a place. `offset` is initialized. */
void view_map_offset(const struct view_map *map, double x, double y, struct point *offset);

#endif
