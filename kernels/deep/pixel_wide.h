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
