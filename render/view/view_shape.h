/* What is done to the plane before it is looked at: a mirror, and a stretch along one direction.
 * Zoom, centre and rotation move over the plane; this stays as it is while they do.
 *
 * A stretch of F along the angle a makes what is seen longer by F in that direction of the plane
 * than across it, and leaves areas as they are: c = centre + S(offset), where S divides by sqrt(F)
 * along a and multiplies by sqrt(F) across. Formulas that fold stretch the small copies of their
 * sets; explorers stretch them back. */
#ifndef RENDER_VIEW_VIEW_SHAPE_H
#define RENDER_VIEW_VIEW_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

/* Of the factor, either way. An error of rounding across counts so many times as along. */
#define VIEW_STRETCH_MAX 1e6
#define VIEW_ROTATION_MAX_DEG 360.0

struct view_shape {     /* zeroed: neither */
    double stretch;     /* F; 0 is 1 */
    double stretch_deg; /* a, counter-clockwise from the real axis; -360 ... 360 */
    int64_t mirrored;   /* top to bottom: with rotation 0 the imaginary axis points down; 0 or 1 */
};

/* 1 where there is none. */
double view_stretch(const struct view_shape *shape);

bool view_shape_same(const struct view_shape *a, const struct view_shape *b);

/* STATUS_BAD_DATA for what no view has. */
enum status view_shape_check(const struct view_shape *shape);

/* FACTOR or FACTOR@ANGLE; an empty text is none. STATUS_BAD_DATA leaves *shape. */
enum status view_stretch_read(const char *text, struct view_shape *shape);

/* The same back, to all digits; empty for none. */
enum { VIEW_STRETCH_BYTES = 64 };
void view_stretch_text(const struct view_shape *shape, char text[VIEW_STRETCH_BYTES]);

/* Part of the way from one stretch to another, 0 ... 1: the logarithms of the matrices S go evenly,
 * so along one angle those of the factors do. Both have one mirror. */
struct view_shape view_shape_between(const struct view_shape *from, const struct view_shape *to,
                                     double part);

/* The shape and rotation of an image whose pixels lie so: (right[0], right[1]) is the offset of c
 * to the right, down to the next row, in any unit; *scale is the root of the area that they span.
 * STATUS_BAD_DATA for axes that span none, and beyond VIEW_STRETCH_MAX. */
enum status view_shape_of_axes(const double right[2], const double down[2],
                               struct view_shape *shape, double *rotation_deg, double *scale);

/* The shape and rotation of the view in which what is seen is `factor` times as wide, over its
 * height, as it was. There and back leaves no stretch. STATUS_BAD_DATA beyond VIEW_STRETCH_MAX
 * leaves both. */
enum status view_shape_widen(struct view_shape *shape, double *rotation_deg, double factor);

#endif
