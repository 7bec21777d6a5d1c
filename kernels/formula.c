#include "kernels/formula.h"

#include <math.h>

const struct formula_name formula_names[FORMULA_PLANES] = {
    [PARAMETER_PLANE] = {"mandelbrot", "z^2 + c from z = 0; the pixel is c"},
    [DYNAMIC_PLANE] = {"julia", "z^2 + c from the pixel; c is the same for all pixels"},
};

bool formula_same(const struct formula *a, const struct formula *b)
{
    return a->plane == b->plane &&
           (a->plane == PARAMETER_PLANE || (a->c_re == b->c_re && a->c_im == b->c_im));
}

enum status formula_check(const struct formula *formula, double bailout)
{
    if (formula->plane == PARAMETER_PLANE)
        return STATUS_OK;
    double re = formula->c_re, im = formula->c_im, size = hypot(re, im);
    if (!(fabs(re) <= FORMULA_C_MAX && fabs(im) <= FORMULA_C_MAX))
        return status_fail(STATUS_CONFIG,
                           "c = %g %+g i of the Julia set lies beyond +-%g; connected ones "
                           "have c within 2",
                           re, im, FORMULA_C_MAX);
    if (size > bailout)
        return status_fail(STATUS_CONFIG,
                           "a bailout radius of %g is smaller than |c| = %g of the Julia set, so "
                           "orbits come back from beyond it; use --bailout %g",
                           bailout, size, ceil(size));
    return STATUS_OK;
}
