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
    WIDE_KEY_PLACES = 12,     /* bits of a key behind the leading one */
    WIDE_KEY_NONE = INT32_MIN /* the key of 0 and of what is below all keys */
};

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/wide_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/wide_body.h"
#include "kernels/deep/number/real_end.h"

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

/* floor(log2(|x|)); less than all normal exponents for 0 and subnormal numbers. By integers alone,
 * as narrow_over, since few devices have doubles at full speed. */
DEEP_FN int32_t narrow_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int32_t)(bits >> 52 & 2047) - 1023;
}

/* x over 2^lead, lead its exponent or more, cut off to a float. */
DEEP_FN float narrow_over(double x, int32_t lead)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t e = narrow_exponent(x) - lead;
    uint32_t narrow = e <= -127 ? 0
                                : (uint32_t)(bits >> 63) << 31 | (uint32_t)(e + 127) << 23 |
                                      (uint32_t)(bits >> 29 & 0x7fffff);
    float over;
    memcpy(&over, &narrow, sizeof over);
    return over;
}

/* x over its exponent, cut off to a float; 0 of x's sign for 0 and subnormal numbers. */
DEEP_FN float narrow_mantissa(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t one = bits >> 52 & 2047 ? 0x3f800000u | (uint32_t)(bits >> 29 & 0x7fffff) : 0;
    const uint32_t narrow = (uint32_t)(bits >> 63) << 31 | one;
    float mantissa;
    memcpy(&mantissa, &narrow, sizeof mantissa);
    return mantissa;
}

/* The point of an orbit at m among those that are tiny; NULL: it is none. */
DEEP_FN const struct orbit_tiny *tiny_find(const struct orbit_tiny *tiny, int64_t count, int64_t m)
{
    int64_t low = 0;
    for (int64_t high = count; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (tiny[middle].index < m)
            low = middle + 1;
        else
            high = middle;
    }
    return low == count || tiny[low].index != m ? NULL : &tiny[low];
}

DEEP_FN int32_t tiny_exponent(const struct orbit_tiny *tiny)
{
    return tiny->exponent < -2 * WIDE_MOST ? -2 * WIDE_MOST : (int32_t)tiny->exponent;
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
    const struct orbit_tiny *found = tiny_find(tiny, tiny_count, m);
    if (!found)
        return point; /* Z_0 */
    point.x.x = found->x;
    point.x.y = found->y;
    point.e = tiny_exponent(found);
    return point;
}

#endif
