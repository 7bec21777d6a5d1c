/* The step of formula_delta.h with exponents beyond those of doubles. */
#ifndef KERNELS_DEEP_FORMULA_WIDE_H
#define KERNELS_DEEP_FORMULA_WIDE_H

#include "kernels/deep/formula_delta.h"

DEEP_FN int32_t parts_exponent(int64_t e)
{
    const int64_t most = 16 * WIDE_MOST; /* exponent of a small number's inverse at a pole */
    return e < -2 * WIDE_MOST ? -2 * WIDE_MOST : (int32_t)(e > most ? most : e);
}

DEEP_FN int small_before(const struct orbit_small *small, int64_t index, int slot)
{
    return small->index < index || (small->index == index && small->slot < slot);
}

/* The entry of Z_m, or of a value of the tape, among the small ones; NULL: it is none. */
DEEP_FN const struct orbit_small *small_find(const struct orbit_small *small, int64_t count,
                                             int64_t m, int slot)
{
    int64_t low = 0;
    for (int64_t high = count; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (small_before(&small[middle], m, slot))
            low = middle + 1;
        else
            high = middle;
    }
    const struct orbit_small *found = &small[low];
    return low == count || found->index != m || found->slot != slot ? NULL : found;
}

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_wide_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_wide_body.h"
#include "kernels/deep/number/real_end.h"

#endif
