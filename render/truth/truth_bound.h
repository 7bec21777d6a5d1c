/* Upper bounds of absolute values at any exponent: the radii of the discs of
 * render/truth/truth.c. */
#ifndef RENDER_TRUTH_TRUTH_BOUND_H
#define RENDER_TRUTH_TRUTH_BOUND_H

#include <limits.h>
#include <math.h>

#include <mpfr.h>

enum { TRUTH_BALL, TRUTH_PROBE, TRUTH_DISCS }; /* discs about the same centre */

/* Factor of bounds. Doubles here bound what MPFR computed. A few operations are wrong by a few
 * 2^-53 each, in sum less than this relative widening, which is applied once per line of
 * arithmetic. */
#define WIDEN (1.0 + 0x1p-49)
#define NARROW (1.0 - 0x1p-49)

struct bound {
    double value; /* times 2^exponent; not below 0 */
    long exponent;
};

#define BOUND_NONE ((struct bound){0, LONG_MIN / 4}) /* bound of 0 */

/* Upper bound of 2^exponent where it underflows; larger than all radii where it overflows. */
static inline double power_above(long exponent)
{
    return exponent < -1000 ? 0x1p-1000 : ldexp(1.0, exponent > 1000 ? 1000 : (int)exponent);
}

static inline double bound_double(struct bound a)
{
    return a.exponent ? a.value * power_above(a.exponent) : a.value;
}

/* Normalizes a bound, so that products and sums of two neither overflow nor vanish. */
static inline struct bound bound_of(double value, long exponent)
{
    if (value >= 0x1p-300 && value <= 0x1p300)
        return (struct bound){value, exponent};
    if (value == 0)
        return BOUND_NONE;
    int shift = 0;
    value = frexp(value, &shift);
    return (struct bound){value, exponent + shift};
}

static inline struct bound bound_sum(struct bound a, struct bound b)
{
    struct bound most = a.exponent < b.exponent ? b : a, least = a.exponent < b.exponent ? a : b;
    double other = most.exponent == least.exponent
                       ? least.value
                       : least.value * power_above(least.exponent - most.exponent);
    return bound_of((most.value + other) * WIDEN, most.exponent);
}

static inline struct bound bound_product(struct bound a, struct bound b)
{
    return bound_of(a.value * b.value * WIDEN, a.exponent + b.exponent);
}

/* times * 2^-bits a: so many roundings of a */
static inline struct bound bound_roundings(struct bound a, double times, mpfr_prec_t bits)
{
    return bound_of(a.value * times * WIDEN, a.exponent - (long)bits);
}

/* above / (size - less); infinity where `size`, which is above a size by WIDEN at most, may be no
 * larger than `less`. */
static inline struct bound bound_quotient(struct bound above, struct bound size, struct bound less)
{
    double most = less.exponent > size.exponent + 1000
                      ? INFINITY
                      : less.value * power_above(less.exponent - size.exponent);
    double below = (size.value * NARROW * NARROW - most) * NARROW;
    return below > 0 ? bound_of(above.value / below * WIDEN, above.exponent - size.exponent)
                     : (struct bound){INFINITY, 0};
}

/* |re + i im| */
static inline struct bound bound_size(const mpfr_t re, const mpfr_t im)
{
    long of_re = LONG_MIN, of_im = LONG_MIN;
    double x = mpfr_zero_p(re) ? 0 : mpfr_get_d_2exp(&of_re, re, MPFR_RNDN);
    double y = mpfr_zero_p(im) ? 0 : mpfr_get_d_2exp(&of_im, im, MPFR_RNDN);
    if (x == 0 && y == 0)
        return BOUND_NONE;
    long exponent = of_re > of_im ? of_re : of_im;
    x *= of_re == exponent ? 1 : power_above(x == 0 ? 0 : of_re - exponent);
    y *= of_im == exponent ? 1 : power_above(y == 0 ? 0 : of_im - exponent);
    return bound_of(sqrt(x * x + y * y) * WIDEN, exponent);
}

#endif
