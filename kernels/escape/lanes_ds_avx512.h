/* Packs of double-single numbers, 512 bits a half (kernels/escape/lanes_ds.h). */
#ifndef KERNELS_ESCAPE_LANES_DS_AVX512_H
#define KERNELS_ESCAPE_LANES_DS_AVX512_H

#include "kernels/always_inline.h"
#include "kernels/escape/lanes_avx512.h"
#include "kernels/escape/lanes_ds.h"

struct ds32x16 {
    __m512 hi, lo;
};
LANES_DS(static ALWAYS_INLINE, ds32x16, f32x16, __m512)

/* Pairs hi, lo lie one behind the other in memory. */
static ALWAYS_INLINE struct ds32x16 ds32x16_load(const struct ds32x1 *p)
{
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    __m512 a = _mm512_load_ps(&p[0].hi), b = _mm512_load_ps(&p[8].hi);
    return ds32x16_pair(_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b));
}

static ALWAYS_INLINE void ds32x16_store(struct ds32x1 *p, struct ds32x16 a)
{
    const __m512i first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i last = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    _mm512_store_ps(&p[0].hi, _mm512_permutex2var_ps(a.hi, first, a.lo));
    _mm512_store_ps(&p[8].hi, _mm512_permutex2var_ps(a.hi, last, a.lo));
}

#endif
