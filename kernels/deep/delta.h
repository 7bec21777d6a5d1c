/* A step of the difference between a pixel and the reference.
 *
 * z_n = Z_m + delta, where Z is the reference orbit of C and the pixel is C + c:
 *     delta' = (2 Z + delta) delta + c.
 * Z_0 = 0, so z_n = 0 + z_n too: "rebasing" puts delta = z_n, m = 0, and is exact but for one
 * rounding. Done wherever |z| < |delta|, it keeps every step's error as small as a move of the
 * pixel by a few 2^-53 of its distance to the reference (Zhuoran, fractalforums 2021, gave the
 * idea): no pixel needs a reference of its own.
 *
 * Everything in kernels/deep/ that computes a pixel is written with fma() and in the common subset
 * of C17 and CUDA C++17, for the same bits everywhere. */
#ifndef KERNELS_DEEP_DELTA_H
#define KERNELS_DEEP_DELTA_H

#include "kernels/always_inline.h"
#include "kernels/escape/shared.h"

/* Inlined always: gcc stops at some size of a kernel; complex numbers then go through memory. */
#ifdef __CUDACC__
#define DEEP_FN ESCAPE_FN
#else
#define DEEP_FN static ALWAYS_INLINE
#endif

struct complex_f64 {
    double x, y;
};

/* a b + c */
DEEP_FN struct complex_f64 complex_fma(struct complex_f64 a, struct complex_f64 b,
                                       struct complex_f64 c)
{
    struct complex_f64 sum;
    sum.x = fma(a.x, b.x, fma(-a.y, b.y, c.x));
    sum.y = fma(a.x, b.y, fma(a.y, b.x, c.y));
    return sum;
}

DEEP_FN struct complex_f64 complex_mul(struct complex_f64 a, struct complex_f64 b)
{
    struct complex_f64 product;
    product.x = fma(a.x, b.x, -(a.y * b.y));
    product.y = fma(a.x, b.y, a.y * b.x);
    return product;
}

/* a + k b, k real */
DEEP_FN struct complex_f64 complex_add(struct complex_f64 a, double k, struct complex_f64 b)
{
    struct complex_f64 sum;
    sum.x = fma(k, b.x, a.x);
    sum.y = fma(k, b.y, a.y);
    return sum;
}

DEEP_FN struct complex_f64 complex_scale(double k, struct complex_f64 a)
{
    struct complex_f64 product;
    product.x = k * a.x;
    product.y = k * a.y;
    return product;
}

/* max(|x|, |y|): squares would leave the doubles at 1e-154. */
DEEP_FN double complex_max(struct complex_f64 a)
{
    double x = fabs(a.x), y = fabs(a.y);
    return x > y ? x : y;
}

/* |a|, at most 9 % too large: the octagon about the circle. */
DEEP_FN double complex_reach(struct complex_f64 a)
{
    double x = fabs(a.x), y = fabs(a.y);
    double large = x > y ? x : y, small = x > y ? y : x;
    return fma(0.41421356237309515, small, large);
}

/* |a|, to three units of 2^-53, wherever the number itself is a normal double. */
DEEP_FN double complex_abs(struct complex_f64 a)
{
    double x = fabs(a.x), y = fabs(a.y);
    double large = x > y ? x : y, small = x > y ? y : x;
    double ratio = large > 0 ? small / large : 0;
    return large * sqrt(fma(ratio, ratio, 1.0));
}

DEEP_FN struct complex_f64 delta_step(struct complex_f64 z, struct complex_f64 delta,
                                      struct complex_f64 c)
{
    return complex_fma(complex_add(delta, 2, z), delta, c);
}

/* dz' = 2 z dz + dc, where z = Z + delta is the pixel's own. */
DEEP_FN struct complex_f64 delta_slope(struct complex_f64 z, struct complex_f64 dz,
                                       struct complex_f64 dc)
{
    return complex_fma(complex_scale(2, z), dz, dc);
}

#endif
