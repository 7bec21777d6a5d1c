/* Packs of 512 bits: f64x8 and f32x16. The words are explained in kernels/escape/lanes.h. */
#ifndef KERNELS_ESCAPE_LANES_AVX512_H
#define KERNELS_ESCAPE_LANES_AVX512_H

#include "kernels/escape/lanes_x86.h"

#define LANES_AVX512(prefix, real, pack, suffix)                                             \
    LANES_X86(prefix, real, pack, _mm512, suffix)                                            \
    static inline uint32_t prefix##_le(pack a, pack b)                                       \
    {                                                                                        \
        return _mm512_cmp_##suffix##_mask(a, b, _CMP_LE_OQ);                                 \
    }                                                                                        \
    static inline uint32_t prefix##_le_two(pack a, pack b, pack c, pack d)                   \
    {                                                                                        \
        return prefix##_le(a, b) & prefix##_le(c, d);                                        \
    }                                                                                        \
    static inline uint32_t prefix##_le_three(pack a, pack b, pack c, pack d, pack e, pack f) \
    {                                                                                        \
        return prefix##_le(a, b) & prefix##_le(c, d) & prefix##_le(e, f);                    \
    }                                                                                        \
    static inline uint32_t prefix##_eq(pack a, pack b)                                       \
    {                                                                                        \
        return _mm512_cmp_##suffix##_mask(a, b, _CMP_EQ_OQ);                                 \
    }

LANES_AVX512(f64x8, double, __m512d, pd)
LANES_AVX512(f32x16, float, __m512, ps)

#undef LANES_AVX512

static inline __m512d f64x8_max(__m512d a, __m512d b)
{
    return _mm512_max_pd(a, b);
}

static inline __m512d f64x8_where(uint32_t bits, __m512d a, __m512d b)
{
    return _mm512_mask_blend_pd((__mmask8)bits, b, a);
}

/* The pairs at every second pointer. */
static inline __m512d f64x8_pairs(const double *const *p, int64_t i)
{
    __m512d a = _mm512_castpd128_pd512(_mm_loadu_pd(p[0] + i));
    a = _mm512_insertf64x2(a, _mm_loadu_pd(p[2] + i), 1);
    a = _mm512_insertf64x2(a, _mm_loadu_pd(p[4] + i), 2);
    return _mm512_insertf64x2(a, _mm_loadu_pd(p[6] + i), 3);
}

static inline void f64x8_load_pairs(const double *const p[8], int64_t i, __m512d *a, __m512d *b)
{
    __m512d even = f64x8_pairs(p, i), odd = f64x8_pairs(p + 1, i);
    *a = _mm512_unpacklo_pd(even, odd);
    *b = _mm512_unpackhi_pd(even, odd);
}

static inline void f64x8_store_pairs(double *const p[8], int64_t i, __m512d a, __m512d b)
{
    __m512d even = _mm512_unpacklo_pd(a, b), odd = _mm512_unpackhi_pd(a, b);
    _mm_storeu_pd(p[0] + i, _mm512_castpd512_pd128(even));
    _mm_storeu_pd(p[1] + i, _mm512_castpd512_pd128(odd));
    _mm_storeu_pd(p[2] + i, _mm512_extractf64x2_pd(even, 1));
    _mm_storeu_pd(p[3] + i, _mm512_extractf64x2_pd(odd, 1));
    _mm_storeu_pd(p[4] + i, _mm512_extractf64x2_pd(even, 2));
    _mm_storeu_pd(p[5] + i, _mm512_extractf64x2_pd(odd, 2));
    _mm_storeu_pd(p[6] + i, _mm512_extractf64x2_pd(even, 3));
    _mm_storeu_pd(p[7] + i, _mm512_extractf64x2_pd(odd, 3));
}

#endif
