/* Tests for the main cardioid and the period-2 disc.
 *
 *     cardioid: q (q + (x - 1/4)) < y^2 / 4,  q = (x - 1/4)^2 + y^2
 *     disc:     (x + 1)^2 + y^2 < 1/16
 *
 * The tests may not change a count, and within rounding of the boundary the computed orbit can
 * escape although c is inside. So c must be inside by a margin that no rounding error of the
 * iteration can bridge; what lies in the margin is iterated. */
#ifndef KERNELS_ESCAPE_INTERIOR_H
#define KERNELS_ESCAPE_INTERIOR_H

#include "kernels/escape/shared.h"

#define INTERIOR_MARGIN_FP64 0x1p-32 /* u = 2^-53; thousands of u, and far below a pixel */
#define INTERIOR_MARGIN_DS 0x1p-28   /* a step errs by 2^-41 at most */
#define INTERIOR_MARGIN_FP32 0x1p-14 /* u = 2^-24 */

ESCAPE_FN int interior_surely(double x, double y, double margin)
{
    double a = x - 0.25, b = x + 1.0, yy = y * y;
    double q = fma(a, a, yy);
    int cardioid = fma(q, q + a, margin) < 0.25 * yy;
    int disc = fma(b, b, yy) < 0.0625 - margin;
    return cardioid | disc;
}

#endif
