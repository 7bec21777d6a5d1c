#include "kernels/orbit/digits_lanes.h"

#include <stddef.h>

/* Steps of few digits, each number of them unrolled. A number stays in registers from where its
 * neighbours are taken: a load across two vectors that were just stored has to wait for both, which
 * takes longer than the square. */

enum { VECTORS_MOST = 4 };

/* Digits from lane `at` of a number on. The last of its vectors is followed by zeros. */
INLINE lanes window(const lanes *number, int at)
{
    lanes low = number[at / DIGIT_LANES], high = number[at / DIGIT_LANES + 1];
    switch (at % DIGIT_LANES) {
    case 1:
        return _mm512_alignr_epi64(high, low, 1);
    case 2:
        return _mm512_alignr_epi64(high, low, 2);
    case 3:
        return _mm512_alignr_epi64(high, low, 3);
    case 4:
        return _mm512_alignr_epi64(high, low, 4);
    case 5:
        return _mm512_alignr_epi64(high, low, 5);
    case 6:
        return _mm512_alignr_epi64(high, low, 6);
    case 7:
        return _mm512_alignr_epi64(high, low, 7);
    default:
        return low;
    }
}

/* Makes the compiler finish a vector of columns before it begins the next, and then load the number
 * again: it would hold far more than there are registers. */
INLINE void vector_finish(lanes *column, lanes *high)
{
    __asm__ volatile("" : "+v"(*column), "+v"(*high)::"memory");
}

/* Columns c ... c + 7 of the square of a, as group_square in digits_ifma.c makes them. below: lanes
 * of the number below its lowest digit. */
INLINE void vector_square(lanes *low, lanes *high, const lanes *number, const uint64_t *a,
                          int count, int c, int below)
{
    const lanes twice = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
    int half = c / 2;
    *low = *high = _mm512_setzero_si512();
    UNROLL for (int w = half - 3; w < count; w++)
    {
        int i = c - w;
        if (i < 0 || i >= count)
            continue;
        lanes digits = window(number, w + below), digit = _mm512_set1_epi64((int64_t)a[i]);
        __mmask8 beyond = i < w ? (__mmask8)0xFF : (__mmask8)(0xFE << (i - w));
        *low = _mm512_mask_madd52lo_epu64(*low, beyond, digits, digit);
        *high = _mm512_mask_madd52hi_epu64(*high, beyond, digits, digit);
    }
    *low = _mm512_add_epi64(*low, *low);
    *high = _mm512_add_epi64(*high, *high);
    if (half < count) {
        lanes digit = _mm512_maskz_permutexvar_epi64(0x55, twice, window(number, half + below));
        *low = _mm512_madd52lo_epu64(*low, digit, digit);
        *high = _mm512_madd52hi_epu64(*high, digit, digit);
    }
}

INLINE void small_square(lanes *column, const struct digits *d, int which, int count)
{
    const uint64_t *a = d->number[d->now][which];
    int first = (count - 2) / 2 * 2, below = count - first;
    int vectors = (2 * count - first + DIGIT_LANES - 1) / DIGIT_LANES;
    lanes number[VECTORS_MOST + 1], low, high, high_below = _mm512_setzero_si512();
    __mmask8 negative = negative_mask(a, count);
    UNROLL for (int v = 0; v < vectors; v++)
    {
        UNROLL for (int i = 0; i < vectors; i++) number[i] = load(a - below + i * DIGIT_LANES);
        number[vectors] = _mm512_setzero_si512();
        vector_square(&low, &high, number, a, count, first + v * DIGIT_LANES, below);
        column[v] = column_of(low, high, high_below, number[v], negative);
        vector_finish(&column[v], &high);
        high_below = high;
    }
}

INLINE bool small_step(struct digits *d, int count)
{
    int first = (count - 2) / 2 * 2;
    int vectors = (2 * count - first + DIGIT_LANES - 1) / DIGIT_LANES;
    lanes xx[VECTORS_MOST], yy[VECTORS_MOST], ss[VECTORS_MOST];
    struct step_ending ending = ending_begin();
    small_square(xx, d, 0, count);
    small_square(yy, d, 1, count);
    small_square(ss, d, 2, count);
    UNROLL for (int v = 0; v < vectors; v++)
        ending_take(d, &ending, v, v == vectors - 1, xx[v], yy[v], ss[v]);
    return ending_finish(d, &ending);
}

/* clang-format off */
#define COUNTS(ROW)                                                     \
    ROW(8) ROW(9) ROW(10) ROW(12) ROW(13) ROW(14) ROW(15) ROW(16)       \
    ROW(18) ROW(19) ROW(20) ROW(21) ROW(23) ROW(24) ROW(25)
/* clang-format on */

#define STEP(n)                            \
    static bool step_##n(struct digits *d) \
    {                                      \
        return small_step(d, n);           \
    }
COUNTS(STEP)

#define NAME(n) [n] = step_##n,
static bool (*const steps[])(struct digits *) = {COUNTS(NAME)};

bool (*digits_small_step(int count))(struct digits *)
{
    return count < (int)(sizeof steps / sizeof *steps) ? steps[count] : NULL;
}
