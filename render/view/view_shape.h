/* The shape of a view: a mirror and a stretch of the plane along one direction. Zoom, centre and
 * rotation move over the plane so shaped, and leave the shape as it is.
 *
 * A stretch of F along the angle a makes the picture longer by F in that direction of the plane
 * than across it, and leaves areas as they are: c = centre + S(offset), where S divides by sqrt(F)
 * along a and multiplies by sqrt(F) across. Formulas that fold stretch the small copies of their
 * sets; explorers stretch them back. */
#ifndef RENDER_VIEW_VIEW_SHAPE_H
#define RENDER_VIEW_VIEW_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

/* Limit of the factor, either way. An error of rounding across counts F times as much as along. */
#define VIEW_STRETCH_MAX 1e6
#define VIEW_ROTATION_MAX_DEG 360.0

struct view_shape {     /* zeroed: no mirror, no stretch */
    double stretch;     /* F; 0 is 1 */
    double stretch_deg; /* a, counter-clockwise from the real axis; -360 ... 360 */
    int64_t mirrored;   /* top to bottom: with rotation 0 the imaginary axis points down; 0 or 1 */
};

/* Factor of the stretch; 1 where there is none. */
double view_stretch(const struct view_shape *shape);

bool view_shape_same(const struct view_shape *a, const struct view_shape *b);

/* Checks the limits; STATUS_BAD_DATA beyond them. */
enum status view_shape_check(const struct view_shape *shape);

/* Reads FACTOR or FACTOR@ANGLE; an empty text is no stretch. STATUS_BAD_DATA leaves *shape. */
enum status view_stretch_read(const char *text, struct view_shape *shape);

/* Writes the text that view_stretch_read reads, with all digits; empty for no stretch. */
enum { VIEW_STRETCH_BYTES = 64 };
void view_stretch_text(const struct view_shape *shape, char text[VIEW_STRETCH_BYTES]);

/* Shape at `part` of the way from one stretch to another, 0 ... 1: the logarithms of the matrices S
 * are interpolated, so along one angle those of the factors are. Both shapes have the same
 * mirror. */
struct view_shape view_shape_between(const struct view_shape *from, const struct view_shape *to,
                                     double part);

/* Shape and rotation of an image with these pixel steps: right is the offset of c to the next
 * pixel, down to the next row, in any unit; *scale is the root of the area that they span.
 * STATUS_BAD_DATA for axes that span none, and beyond VIEW_STRETCH_MAX. */
enum status view_shape_of_axes(const double right[2], const double down[2],
                               struct view_shape *shape, double *rotation_deg, double *scale);

/* Changes shape and rotation so that the picture is `factor` times as wide, over its height, as it
 * was. There and back leaves no stretch. STATUS_BAD_DATA beyond VIEW_STRETCH_MAX leaves both. */
enum status view_shape_widen(struct view_shape *shape, double *rotation_deg, double factor);

#endif
