/* A pixel of any formula and plane by perturbation, from its beginning to its count.
 *
 * In the parameter plane z_n = Z_m + delta along the critical orbit of the view's centre: z_0 = Z_0
 * = 0, and delta' has the pixel's c. In the dynamic plane delta_0 is the pixel and c is the same;
 * the first reference is the orbit of the view's centre. Where |z| < |delta|, and at the end of an
 * orbit, the pixel rebases: delta = z_n, m = 0, on a critical orbit, which begins at 0 with the
 * phase that the next step has. All else is as in pixel_state.h and pixel_wide.h. Nothing here is
 * about z^2 + c alone, but the step from Z_0 is taken alone: blocks begin at Z_1. */
#ifndef KERNELS_DEEP_FORMULA_PIXEL_H
#define KERNELS_DEEP_FORMULA_PIXEL_H

#include "kernels/deep/formula_block.h"
#include "kernels/deep/formula_direct.h"
#include "kernels/deep/pixel_wide.h"

enum { FORMULA_REFERENCES = 1 + PROGRAM_PHASES };

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_pixel_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_pixel_body.h"
#include "kernels/deep/number/real_end.h"

/* re, im: of the grid, relative to its reference's centre. */
DEEP_FN struct formula_pixel formula_begin(const struct formula_common *common, double re,
                                           double im)
{
    struct complex_f64 point = {re, im};
    return formula_begin_at(common, point);
}

/* The same in fp32; shared: in doubles. */
DEEP_FN struct formula_pixel_f32 formula_begin_f32(const struct formula_common_f32 *common,
                                                   const struct pixel_common *shared, double re,
                                                   double im)
{
    struct complex_f64 point = {re, im};
    return formula_begin_at_f32(common, complex_narrow(complex_scale(shared->per_unit, point)));
}

DEEP_FN struct distance formula_distance(const struct formula_pixel *pixel,
                                         const struct formula_common *common)
{
    struct distance none = {0.0f, 0.0f};
    if (!pixel->at.count)
        return none;
    struct complex_f64 z = formula_end(pixel, common), right = pixel->at.dz;
    struct complex_f64 up = complex_scale(wide_power(pixel->up_e - pixel->at.dz_e), pixel->up);
    if (!common->program.holomorphic)
        distance_slope(z.x, z.y, up.x, up.y, &right.x, &right.y);
    struct distance d = distance_of(z.x, z.y, right.x, right.y, pixel->at.dz_e);
    d.x += 0.0f; /* 0 where dz is no number, which has a sign that hangs on the instructions */
    d.y += 0.0f;
    return d;
}

DEEP_FN float formula_phase_of_end(const struct formula_pixel *pixel,
                                   const struct formula_common *common)
{
    if (!pixel->at.count)
        return 0.0f;
    struct complex_f64 z = formula_end(pixel, common);
    return phase_of(z.x, z.y);
}

#endif
