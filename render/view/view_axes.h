/* Vectors in the plane from a pixel of a view to the next, in steps. */
#ifndef RENDER_VIEW_VIEW_AXES_H
#define RENDER_VIEW_VIEW_AXES_H

#include <mpfr.h>

#include "render/view/view_shape.h"

struct view_axes {
    mpfr_t right_re, right_im; /* step to the next pixel to the right */
    mpfr_t down_re, down_im;   /* step to the next row; both span an area of 1 */
};

/* Initializes the axes, which view_axes_clear frees. Quarter turns are exact. */
void view_axes_init(struct view_axes *axes, const struct view_shape *shape, double rotation_deg,
                    mpfr_prec_t bits);
void view_axes_clear(struct view_axes *axes);

#endif
