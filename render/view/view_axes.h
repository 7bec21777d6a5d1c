/* How the pixels of a view lie in the plane: the vectors from one to the next, in steps. */
#ifndef RENDER_VIEW_VIEW_AXES_H
#define RENDER_VIEW_VIEW_AXES_H

#include <mpfr.h>

#include "render/view/view_shape.h"

struct view_axes {
    mpfr_t right_re, right_im; /* to the right */
    mpfr_t down_re, down_im;   /* to the next row; both span an area of 1 */
};

/* Quarter turns are exact. To be cleared. */
void view_axes_init(struct view_axes *axes, const struct view_shape *shape, double rotation_deg,
                    mpfr_prec_t bits);
void view_axes_clear(struct view_axes *axes);

#endif
