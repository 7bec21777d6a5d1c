/* Packs of double-single numbers, 256 bits a half (kernels/escape/lanes_ds.h). */
#ifndef KERNELS_ESCAPE_LANES_DS_AVX2_H
#define KERNELS_ESCAPE_LANES_DS_AVX2_H

#include "kernels/always_inline.h"
#include "kernels/escape/lanes_avx2.h"
#include "kernels/escape/lanes_ds.h"

struct ds32x8 {
    __m256 hi, lo;
};
LANES_DS(static ALWAYS_INLINE, ds32x8, f32x8, __m256)

/* Pairs hi, lo lie one behind the other in memory. */
static ALWAYS_INLINE struct ds32x8 ds32x8_load(const struct ds32x1 *p)
{
    __m256 a = _mm256_load_ps(&p[0].hi), b = _mm256_load_ps(&p[4].hi);
    __m256 low = _mm256_permute2f128_ps(a, b, 0x20), high = _mm256_permute2f128_ps(a, b, 0x31);
    return ds32x8_pair(_mm256_shuffle_ps(low, high, 0x88), _mm256_shuffle_ps(low, high, 0xdd));
}

static ALWAYS_INLINE void ds32x8_store(struct ds32x1 *p, struct ds32x8 a)
{
    __m256 low = _mm256_unpacklo_ps(a.hi, a.lo), high = _mm256_unpackhi_ps(a.hi, a.lo);
    _mm256_store_ps(&p[0].hi, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_store_ps(&p[4].hi, _mm256_permute2f128_ps(low, high, 0x31));
}

#endif
