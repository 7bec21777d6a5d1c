/* The steps of pixel_state.h where c has left the exponents of doubles: with delta 2^e.
 *
 * Such a pixel begins with a delta like c, and long blocks soon make it large: from
 * 2^WIDE_BORDER on e is 0, and it takes the plain formulas, in which c may underflow, for it is
 * less than 2^-100 of what it would be added to. When their result would be below the border
 * again, as near a small Z or from Z_0 on, it is done in full instead. */
#ifndef KERNELS_DEEP_PIXEL_WIDE_H
#define KERNELS_DEEP_PIXEL_WIDE_H

#include "kernels/deep/pixel_state.h"

DEEP_FN struct complex_wide wide_reference(const struct pixel_common *common, int64_t m)
{
    struct complex_wide z = wide_point(common->z, common->tiny, common->tiny_count, m);
    return wide_settle(z.x, z.e); /* Z_0 = 0 */
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

/* As wide_reference; points that floats do not hold are those of doubles, cut off. */
DEEP_FN struct complex_wide_f32 wide_reference_f32(const struct pixel_common_f32 *common, int64_t m)
{
    struct complex_f32 z = pixel_reference_f32(common, m);
    struct complex_wide_f32 narrow = wide_settle_f32(z, 0);
    if (m == 0 || complex_max_f32(z) >= 0x1p-100f)
        return narrow;
    const struct orbit_tiny *found = tiny_find(common->tiny, common->tiny_count, m);
    double x = found ? found->x : common->points[m].x, y = found ? found->y : common->points[m].y;
    int32_t lead = narrow_exponent(x), other = narrow_exponent(y);
    lead = other > lead ? other : lead;
    if (lead < -1022)
        return narrow;
    narrow.x.x = narrow_over(x, lead);
    narrow.x.y = narrow_over(y, lead);
    narrow.e = (found ? tiny_exponent(found) : 0) + lead;
    return narrow;
}

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/pixel_wide_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/pixel_wide_body.h"
#include "kernels/deep/number/real_end.h"

#endif
