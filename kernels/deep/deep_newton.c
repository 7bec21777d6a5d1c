#include "kernels/deep/deep_newton.h"

#include <math.h>

enum { APART_MOST = -6 }; /* log2 of theta: further off blocks hold no longer, whatever epsilon */

struct newton_common newton_common_of(const struct pixel_common *shared, const struct orbit *orbit,
                                      const struct spec *spec, double epsilon)
{
    int n = rational_newton(&spec->formula);
    int32_t apart = (int32_t)ceil(log2(DIRECT_ROUNDINGS * 0x1p-53 / epsilon));
    return (struct newton_common){.shared = *shared,
                                  .rule = {.degree = n,
                                           .of_z = (double)(n - 1) / n,
                                           .of_power = 1.0 / n,
                                           .far_steps = 1 / log2((double)n / (n - 1))},
                                  .ends = rational_kind(&spec->formula)->rule,
                                  .reference = {.z = orbit->z,
                                                .small = orbit->small,
                                                .small_count = orbit->small_count,
                                                .end = shared->end,
                                                .period = shared->period},
                                  .apart = apart < APART_MOST ? apart : APART_MOST};
}
