/* The continuous part of a count, from the squared norm at escape.
 *
 *     nu = count + fraction,  fraction = 1 - log2(ln|z| / ln R)
 *        = 1 + log2(2 log2 R) - log2(log2 |z|^2),   in [0, 1)
 *
 * Written with fma() and integer operations only, so that CPUs and GPUs give the same bits; libm
 * differs from machine to machine. Source of the definition: L. Vepstas, "Renormalizing the
 * Mandelbrot escape" (1997). */
#ifndef KERNELS_ESCAPE_FRACTION_H
#define KERNELS_ESCAPE_FRACTION_H

#include "kernels/escape/shared.h"

/* log2(a) for a normal, positive, finite double; relative error below 1e-10.
 *     a = 2^e m,  m in [0.70, 1.41),  s = (m - 1) / (m + 1),  |s| < 0.1716
 *     log2 m = 2 / ln 2 * (s + s^3/3 + ... + s^11/11)                              */
ESCAPE_FN double fraction_log2(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    uint64_t above = bits - 0x3fe6a09e00000000u; /* bits of sqrt(1/2), rounded */
    uint64_t mantissa_bits = bits - (above & 0xfff0000000000000u);
    /* e as a double without a conversion of 64-bit integers, which AVX2 does not have:
     * 2^52 + (e + 2048) is a double whose low bits are the integer. */
    uint64_t e_bits = ((above + 0x8000000000000000u) >> 52) | 0x4330000000000000u;
    double m, e;
    memcpy(&m, &mantissa_bits, sizeof m);
    memcpy(&e, &e_bits, sizeof e);
    e -= 0x1p52 + 2048.0;
    double s = (m - 1.0) / (m + 1.0);
    double ss = s * s;
    double p = 1.0 / 11.0;
    p = fma(p, ss, 1.0 / 9.0);
    p = fma(p, ss, 1.0 / 7.0);
    p = fma(p, ss, 1.0 / 5.0);
    p = fma(p, ss, 1.0 / 3.0);
    p = fma(p, ss, 1.0);
    return fma(2.8853900817779268 * s, p, e); /* 2 / ln 2 */
}

/* The term that depends on the bailout radius only: 1 + log2(2 log2 R). */
ESCAPE_FN double fraction_offset(double bailout)
{
    return 1.0 + fraction_log2(2.0 * fraction_log2(bailout));
}

/* norm: |z_count|^2 > R^2, rounded to fp32: the rounding moves the fraction by less than half an
 * ulp of fp32. 0 gives 0: that is how a pixel that did not escape is marked. */
ESCAPE_FN float fraction_of(float norm, double offset)
{
    double safe = norm > 1.0f ? (double)norm : 2.0;
    double fraction = offset - fraction_log2(fraction_log2(safe));
    float nearest = (float)fraction;
    nearest = nearest < 0.0f ? 0.0f : nearest;
    nearest = nearest < 0x1.fffffep-1f ? nearest : 0x1.fffffep-1f;
    return norm > 1.0f ? nearest : 0.0f;
}

/* Constants of a formula, whose logarithm is to the base d, its degree (formula_fraction_base). */
struct fraction_scale {
    double offset, per_log2; /* 1 + log2(2 log2 R) / log2 d, 1 / log2 d */
};

ESCAPE_FN struct fraction_scale fraction_scale(double bailout, double degree)
{
    struct fraction_scale scale;
    scale.per_log2 = 1.0 / fraction_log2(degree);
    scale.offset = fma(scale.per_log2, fraction_offset(bailout) - 1.0, 1.0);
    return scale;
}

/* norm: |z_count|^2 > R^2 of a pixel that escaped; R^2d is finite in fp64. */
ESCAPE_FN float fraction_of_degree(double norm, struct fraction_scale scale)
{
    double log = fraction_log2(fraction_log2(norm < 0x1p1000 ? norm : 0x1p1000));
    float nearest = (float)fma(-scale.per_log2, log, scale.offset);
    nearest = nearest < 0.0f ? 0.0f : nearest;
    return nearest < 0x1.fffffep-1f ? nearest : 0x1.fffffep-1f;
}

#endif
