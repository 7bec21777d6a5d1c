/* Vectors of eight digits (digits.h), for the sources that are compiled for AVX-512 with IFMA. */
#ifndef KERNELS_ORBIT_DIGITS_LANES_H
#define KERNELS_ORBIT_DIGITS_LANES_H

#include <immintrin.h>

#include "kernels/always_inline.h"
#include "kernels/orbit/digits.h"
#include "kernels/orbit/fixed.h"
#include "kernels/unroll.h"

#define INLINE static ALWAYS_INLINE

typedef __m512i lanes;

INLINE lanes load(const uint64_t *from)
{
    return _mm512_loadu_si512(from);
}

/* The lanes moved up by one; the highest lane of the vector below comes in. */
INLINE lanes lanes_up(lanes vector, lanes below)
{
    return _mm512_alignr_epi64(vector, below, DIGIT_LANES - 1);
}

/* A square's columns: halves of products, and for a negative a - B^count less 2 a B^count, modulo
 * B^(2 count). a: the digits that stand `count` columns lower. */
INLINE lanes column_of(lanes low, lanes high, lanes high_below, lanes a, __mmask8 negative)
{
    lanes sum = _mm512_add_epi64(low, lanes_up(high, high_below));
    return _mm512_sub_epi64(sum, _mm512_maskz_slli_epi64(negative, a, 1));
}

/* All lanes if the number is negative. */
INLINE __mmask8 negative_mask(const uint64_t *number, int count)
{
    return number[count - 1] >> (DIGIT_BITS - 1) ? 0xFF : 0;
}

struct carry {
    lanes wide, narrow; /* carries of the vector below: of its columns, then of its digits */
};

/* Digits of columns 2^FIXED_INTEGER_BITS times, with those of a constant added; -1 and 2^52 remain
 * where a carry would have to go on. */
INLINE lanes columns_carry(lanes sum, lanes constant, struct carry *carry)
{
    const lanes mask = _mm512_set1_epi64((int64_t)DIGIT_MASK);
    lanes wide = _mm512_srai_epi64(sum, DIGIT_BITS - FIXED_INTEGER_BITS);
    lanes digit = _mm512_and_si512(_mm512_slli_epi64(sum, FIXED_INTEGER_BITS), mask);
    digit = _mm512_add_epi64(_mm512_add_epi64(digit, constant), lanes_up(wide, carry->wide));
    lanes narrow = _mm512_srai_epi64(digit, DIGIT_BITS);
    digit = _mm512_add_epi64(_mm512_and_si512(digit, mask), lanes_up(narrow, carry->narrow));
    carry->wide = wide;
    carry->narrow = narrow;
    return digit;
}

INLINE lanes sum_carry(lanes sum, lanes *below)
{
    const lanes mask = _mm512_set1_epi64((int64_t)DIGIT_MASK);
    lanes carry = _mm512_srli_epi64(sum, DIGIT_BITS);
    lanes digit = _mm512_add_epi64(_mm512_and_si512(sum, mask), lanes_up(carry, *below));
    *below = carry;
    return digit;
}

INLINE uint64_t lane_of(lanes vector, int lane)
{
    lanes moved = _mm512_permutexvar_epi64(_mm512_set1_epi64(lane), vector);
    return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(moved));
}

/* Is what follows the last bit of the result so near to 0 or 1 that the columns that were left out
 * could decide it? vector: the first of the digits, before its lowest bits are dropped. */
INLINE bool digits_uncertain(const struct digits *d, lanes vector)
{
    int at = d->count - d->first;
    uint64_t most = 64 * (uint64_t)(d->count + 1), ones = ((uint64_t)1 << d->spare_bits) - 1;
    uint64_t low = lane_of(vector, at) & ones, next = lane_of(vector, at - 1);
    return (low == 0 && next < most) || (low == ones && next > DIGIT_MASK - most);
}

struct step_ending {
    struct carry of_x, of_y;
    lanes sum_below;
    lanes dropped, kept; /* digits below the result, and those of it, or-ed */
    bool uncertain;
};

INLINE struct step_ending ending_begin(void)
{
    const lanes zero = _mm512_setzero_si512();
    return (struct step_ending){{zero, zero}, {zero, zero}, zero, zero, zero, false};
}

/* Vector v of the next z, from columns of the squares of x, y and x + y. */
INLINE void ending_take(struct digits *d, struct step_ending *e, int v, bool last, lanes xx,
                        lanes yy, lanes ss)
{
    uint64_t *const *to = d->number[!d->now];
    int i = v * DIGIT_LANES, at = i + d->first - d->count;
    lanes x = columns_carry(_mm512_sub_epi64(xx, yy), load(d->constant[0] + i), &e->of_x);
    lanes y = columns_carry(_mm512_sub_epi64(_mm512_sub_epi64(ss, xx), yy),
                            load(d->constant[1] + i), &e->of_y);
    if (last) {
        x = _mm512_and_si512(x, load(d->keep_last));
        y = _mm512_and_si512(y, load(d->keep_last));
    }
    if (v == 0) {
        e->dropped = _mm512_andnot_si512(load(d->keep_first), _mm512_or_si512(x, y));
        e->uncertain = digits_uncertain(d, x) || digits_uncertain(d, y);
        x = _mm512_and_si512(x, load(d->keep_first));
        y = _mm512_and_si512(y, load(d->keep_first));
    }
    lanes sum = sum_carry(_mm512_add_epi64(x, y), &e->sum_below);
    if (last)
        sum = _mm512_and_si512(sum, load(d->keep_last));
    e->kept = _mm512_or_si512(_mm512_or_si512(e->kept, sum), _mm512_or_si512(x, y));
    _mm512_storeu_si512(to[0] + at, x);
    _mm512_storeu_si512(to[1] + at, y);
    _mm512_storeu_si512(to[2] + at, sum);
}

INLINE bool has_carry(lanes digits)
{
    return _mm512_test_epi64_mask(digits, _mm512_set1_epi64(~(int64_t)DIGIT_MASK));
}

/* Is the next z right? Then it is z. */
INLINE bool ending_finish(struct digits *d, const struct step_ending *e)
{
    if (e->uncertain || has_carry(e->dropped))
        return false;
    if (has_carry(e->kept))
        digits_carry(d);
    d->now = !d->now;
    return true;
}

#endif
