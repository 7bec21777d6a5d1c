#include "kernels/orbit/digits_lanes.h"

enum { GROUP = 4 /* vectors of columns that share what is loaded, eight chains of sums */ };

/* Adds digit a[i] times those from a[w] on to `groups` vectors of columns: i rises by a vector for
 * each. */
INLINE void products_add(lanes *low, lanes *high, const uint64_t *a, int w, int i, int groups)
{
    lanes window = load(a + w);
    UNROLL for (int g = 0; g < groups; g++)
    {
        lanes digit = _mm512_set1_epi64((int64_t)a[i + g * DIGIT_LANES]);
        low[g] = _mm512_madd52lo_epu64(low[g], window, digit);
        high[g] = _mm512_madd52hi_epu64(high[g], window, digit);
    }
}

/* Products a[i] a[j] with i < j where i and j lie next to each other: lanes beyond 2 e. */
INLINE void middle_add(lanes *low, lanes *high, const uint64_t *a, int half)
{
    UNROLL for (int e = 0; e < 4; e++)
    {
        __mmask8 beyond = (__mmask8)(0xFE << 2 * e);
        lanes window = load(a + half - e), digit = _mm512_set1_epi64((int64_t)a[half + e]);
        *low = _mm512_mask_madd52lo_epu64(*low, beyond, window, digit);
        *high = _mm512_mask_madd52hi_epu64(*high, beyond, window, digit);
    }
}

/* Doubles the products of different digits, and adds the squares of digits. */
INLINE void middle_finish(lanes *low, lanes *high, const uint64_t *a, int half)
{
    const lanes twice = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
    lanes digit = _mm512_maskz_permutexvar_epi64(0x55, twice, load(a + half));
    *low = _mm512_madd52lo_epu64(_mm512_add_epi64(*low, *low), digit, digit);
    *high = _mm512_madd52hi_epu64(_mm512_add_epi64(*high, *high), digit, digit);
}

/* Columns c, c + 1, ... of the square of a, in `groups` vectors, low and high halves. */
INLINE void group_square(lanes *low, lanes *high, const uint64_t *a, int count, int c, int groups)
{
    int half = c / 2, w = half + 1;
    UNROLL for (int g = 0; g < groups; g++)
    {
        low[g] = high[g] = _mm512_setzero_si512();
        middle_add(&low[g], &high[g], a, half + 4 * g);
    }
    UNROLL for (int g = 1; g < groups; g++) UNROLL for (int e = 0; e < 4; e++, w++)
        products_add(low, high, a, w, c - w, g);
    for (; w < count; w++)
        products_add(low, high, a, w, c - w, groups);
    UNROLL for (int g = 0; g < groups; g++) middle_finish(&low[g], &high[g], a, half + 4 * g);
}

INLINE void group_take(uint64_t *column, const uint64_t *a, int count, int c, int groups,
                       lanes *below)
{
    lanes low[GROUP], high[GROUP];
    __mmask8 negative = negative_mask(a, count);
    group_square(low, high, a, count, c, groups);
    UNROLL for (int g = 0; g < groups; g++, c += DIGIT_LANES)
    {
        lanes sum = column_of(low[g], high[g], *below, load(a + c - count), negative);
        _mm512_storeu_si512(column + g * DIGIT_LANES, sum);
        *below = high[g];
    }
}

void digits_square(struct digits *digits, int number, int part)
{
    const uint64_t *a = digits->number[digits->now][number];
    int begin = part ? digits->split : 0, end = part ? digits->vectors : digits->split;
    uint64_t *column = digits->column[number] + begin * DIGIT_LANES;
    int count = digits->count, left = end - begin, c = digits->first + begin * DIGIT_LANES;
    lanes below = _mm512_setzero_si512();
    for (; left >= GROUP; left -= GROUP, c += GROUP * DIGIT_LANES, column += GROUP * DIGIT_LANES)
        group_take(column, a, count, c, GROUP, &below);
    if (left == 3)
        group_take(column, a, count, c, 3, &below);
    else if (left == 2)
        group_take(column, a, count, c, 2, &below);
    else if (left == 1)
        group_take(column, a, count, c, 1, &below);
    if (end < digits->vectors) /* behind all, on a cache line that nobody else writes */
        digits->column[number][digits->vectors * DIGIT_LANES] = lane_of(below, DIGIT_LANES - 1);
}

/* Adds the last upper halves of each first part to the first column of the second. */
static void parts_join(struct digits *d)
{
    for (int number = 0; number < DIGIT_NUMBERS; number++)
        d->column[number][d->split * DIGIT_LANES] += d->column[number][d->vectors * DIGIT_LANES];
}

bool digits_end(struct digits *d)
{
    struct step_ending ending = ending_begin();
    if (d->parts > 1)
        parts_join(d);
    for (int v = 0; v < d->vectors; v++) {
        int i = v * DIGIT_LANES;
        ending_take(d, &ending, v, v == d->vectors - 1, load(d->column[0] + i),
                    load(d->column[1] + i), load(d->column[2] + i));
    }
    return ending_finish(d, &ending);
}
