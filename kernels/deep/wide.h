/* Numbers whose exponents leave the doubles (floatexp): x 2^e with an int32 e.
 *
 * Exponents are shifted by integer operations on the bits and by products with powers of two, which
 * are exact. What is smaller by 2^-1022 than what it is added to becomes 0. */
#ifndef KERNELS_DEEP_WIDE_H
#define KERNELS_DEEP_WIDE_H

#include "kernels/deep/delta.h"
#include "kernels/orbit/orbit.h"

enum {
    WIDE_ZERO = -(1 << 28),   /* the exponent of 0, small enough for sums of four of them */
    WIDE_MOST = 520000,       /* largest exponent of a key, of either sign */
    WIDE_KEY_NONE = INT32_MIN /* the key of 0 and of what is below all keys */
};

struct complex_wide { /* x 2^e */
    struct complex_f64 x;
    int32_t e;
};

/* 2^e; 0 below the normal doubles, and never infinite. */
DEEP_FN double wide_power(int32_t e)
{
    uint64_t bits = e < -1022 ? 0 : (uint64_t)((e > 1023 ? 1023 : e) + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* floor(log2(positive)); WIDE_ZERO for 0 and numbers that are subnormal. */
DEEP_FN int32_t wide_exponent(double positive)
{
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return bits >> 52 ? (int32_t)(bits >> 52) - 1023 : WIDE_ZERO;
}

/* x 2^e with the larger part of x in [1, 2), or 0. */
DEEP_FN struct complex_wide wide_settle(struct complex_f64 x, int32_t e)
{
    struct complex_wide settled;
    int32_t lead = wide_exponent(complex_max(x));
    settled.x = complex_scale(lead == WIDE_ZERO ? 0 : wide_power(-lead), x);
    settled.e = lead == WIDE_ZERO ? WIDE_ZERO : e + lead;
    return settled;
}

DEEP_FN struct complex_wide wide_add(struct complex_wide a, struct complex_wide b)
{
    int32_t e = a.e > b.e ? a.e : b.e;
    return wide_settle(
        complex_add(complex_scale(wide_power(a.e - e), a.x), wide_power(b.e - e), b.x), e);
}

DEEP_FN struct complex_wide wide_mul(struct complex_wide a, struct complex_wide b)
{
    return wide_settle(complex_mul(a.x, b.x), a.e + b.e);
}

/* Compares settled numbers by max(|x|, |y|). */
DEEP_FN int wide_less(struct complex_wide a, struct complex_wide b)
{
    return a.e < b.e || (a.e == b.e && complex_max(a.x) < complex_max(b.x));
}

/* Keys have the order of the numbers that they stand for: x 2^e, x >= 0 a double, rounded down to
 * 12 bits behind the leading one. So key(a) < key(b) implies a < b, and one comparison of integers
 * does for all depths. */
DEEP_FN int32_t wide_key(double x, int32_t e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (e < -WIDE_MOST)
        return WIDE_KEY_NONE;
    return (int32_t)(bits >> 40) + (e > WIDE_MOST ? WIDE_MOST : e) * 4096;
}

DEEP_FN int32_t wide_key_exponent(int32_t key)
{
    return (key >> 12) - 1023;
}

/* The number of a key over 2^e; 0 below the normal doubles, and never infinite. */
DEEP_FN double wide_key_over(int32_t key, int32_t e)
{
    int32_t exponent = wide_key_exponent(key);
    uint64_t bits = 0x3ff0000000000000u | (uint64_t)(key & 4095) << 40;
    double mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    return mantissa * wide_power((exponent > e + 1022 ? e + 1022 : exponent) - e);
}

DEEP_FN struct complex_f64 point_load(const struct orbit_point *at)
{
    const struct orbit_point point = escape_load(at);
    struct complex_f64 z = {point.x, point.y};
    return z;
}

/* Z_m of an orbit, however small. */
DEEP_FN struct complex_wide wide_point(const struct orbit_point *z, const struct orbit_tiny *tiny,
                                       int64_t tiny_count, int64_t m)
{
    struct complex_wide point;
    point.x.x = z[m].x;
    point.x.y = z[m].y;
    point.e = 0;
    if (!(complex_max(point.x) < ORBIT_TINY))
        return point;
    int64_t low = 0;
    for (int64_t high = tiny_count; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (tiny[middle].index < m)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tiny_count || tiny[low].index != m)
        return point; /* Z_0 */
    point.x.x = tiny[low].x;
    point.x.y = tiny[low].y;
    point.e = tiny[low].exponent < -2 * WIDE_MOST ? -2 * WIDE_MOST : (int32_t)tiny[low].exponent;
    return point;
}

#endif
