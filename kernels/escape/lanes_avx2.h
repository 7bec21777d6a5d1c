/* Packs of 256 bits: f64x4 and f32x8. The words are explained in kernels/escape/lanes.h. */
#ifndef KERNELS_ESCAPE_LANES_AVX2_H
#define KERNELS_ESCAPE_LANES_AVX2_H

#include "kernels/escape/lanes_x86.h"

#define LANES_AVX2(prefix, real, pack, suffix)                                               \
    LANES_X86(prefix, real, pack, _mm256, suffix)                                            \
    static inline uint32_t prefix##_le(pack a, pack b)                                       \
    {                                                                                        \
        return (uint32_t)_mm256_movemask_##suffix(_mm256_cmp_##suffix(a, b, _CMP_LE_OQ));    \
    }                                                                                        \
    static inline uint32_t prefix##_le_two(pack a, pack b, pack c, pack d)                   \
    {                                                                                        \
        pack le = _mm256_cmp_##suffix(a, b, _CMP_LE_OQ);                                     \
        le = _mm256_and_##suffix(le, _mm256_cmp_##suffix(c, d, _CMP_LE_OQ));                 \
        return (uint32_t)_mm256_movemask_##suffix(le);                                       \
    }                                                                                        \
    static inline uint32_t prefix##_le_three(pack a, pack b, pack c, pack d, pack e, pack f) \
    {                                                                                        \
        pack le = _mm256_cmp_##suffix(a, b, _CMP_LE_OQ);                                     \
        le = _mm256_and_##suffix(le, _mm256_cmp_##suffix(c, d, _CMP_LE_OQ));                 \
        le = _mm256_and_##suffix(le, _mm256_cmp_##suffix(e, f, _CMP_LE_OQ));                 \
        return (uint32_t)_mm256_movemask_##suffix(le);                                       \
    }                                                                                        \
    static inline uint32_t prefix##_eq(pack a, pack b)                                       \
    {                                                                                        \
        return (uint32_t)_mm256_movemask_##suffix(_mm256_cmp_##suffix(a, b, _CMP_EQ_OQ));    \
    }

LANES_AVX2(f64x4, double, __m256d, pd)
LANES_AVX2(f32x8, float, __m256, ps)

#undef LANES_AVX2

static inline __m256d f64x4_max(__m256d a, __m256d b)
{
    return _mm256_max_pd(a, b);
}

static inline __m256d f64x4_where(uint32_t bits, __m256d a, __m256d b)
{
    const __m256i lane = _mm256_set_epi64x(8, 4, 2, 1);
    __m256i set = _mm256_and_si256(_mm256_set1_epi64x(bits), lane);
    return _mm256_blendv_pd(b, a, _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, lane)));
}

static inline void f64x4_load_pairs(const double *const p[4], int64_t i, __m256d *a, __m256d *b)
{
    __m256d even = _mm256_castpd128_pd256(_mm_loadu_pd(p[0] + i));
    __m256d odd = _mm256_castpd128_pd256(_mm_loadu_pd(p[1] + i));
    even = _mm256_insertf128_pd(even, _mm_loadu_pd(p[2] + i), 1);
    odd = _mm256_insertf128_pd(odd, _mm_loadu_pd(p[3] + i), 1);
    *a = _mm256_unpacklo_pd(even, odd);
    *b = _mm256_unpackhi_pd(even, odd);
}

static inline void f64x4_store_pairs(double *const p[4], int64_t i, __m256d a, __m256d b)
{
    __m256d even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
    _mm_storeu_pd(p[0] + i, _mm256_castpd256_pd128(even));
    _mm_storeu_pd(p[1] + i, _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(p[2] + i, _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(p[3] + i, _mm256_extractf128_pd(odd, 1));
}

#endif
