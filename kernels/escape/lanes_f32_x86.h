/* Operations on packs of floats for pixels along a reference, beyond those of lanes_avx2.h and
 * lanes_avx512.h. The words are explained in kernels/escape/lanes.h; lead and power are those of
 * LANES_EXPONENTS (lanes_pair.h). */
#ifndef KERNELS_ESCAPE_LANES_F32_X86_H
#define KERNELS_ESCAPE_LANES_F32_X86_H

#include <immintrin.h>
#include <stdint.h>

#include "kernels/always_inline.h"

/* mm: _mm256 or _mm512; si: si256 or si512. */
#define LANES_F32_X86(prefix, pack, mm, si)                                            \
    static ALWAYS_INLINE pack prefix##_max(pack a, pack b)                             \
    {                                                                                  \
        return mm##_max_ps(a, b);                                                      \
    }                                                                                  \
    static ALWAYS_INLINE pack prefix##_lead(pack a)                                    \
    {                                                                                  \
        return mm##_sub_ps(mm##_cvtepi32_ps(mm##_srli_epi32(mm##_castps_##si(a), 23)), \
                           mm##_set1_ps(127));                                         \
    }                                                                                  \
    static ALWAYS_INLINE pack prefix##_power(pack e)                                   \
    {                                                                                  \
        e = mm##_max_ps(mm##_min_ps(e, mm##_set1_ps(127)), mm##_set1_ps(-127));        \
        e = mm##_add_ps(e, mm##_set1_ps(127));                                         \
        return mm##_cast##si##_ps(mm##_slli_epi32(mm##_cvtps_epi32(e), 23));           \
    }

/* Two pairs behind each other. */
static ALWAYS_INLINE __m128 f32_pairs(const float *p, const float *q)
{
    return _mm_loadh_pi(_mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)p),
                        (const __m64 *)(const void *)q);
}

static ALWAYS_INLINE void f32_pairs_store(float *p, float *q, __m128 pairs)
{
    _mm_storel_pi((__m64 *)(void *)p, pairs);
    _mm_storeh_pi((__m64 *)(void *)q, pairs);
}

#ifdef __AVX512F__
LANES_F32_X86(f32x16, __m512, _mm512, si512)

static ALWAYS_INLINE __m512 f32x16_where(uint32_t bits, __m512 a, __m512 b)
{
    return _mm512_mask_blend_ps((__mmask16)bits, b, a);
}

/* Two of every four pairs. */
static ALWAYS_INLINE __m512 f32x16_pairs(const float *const *p, int64_t i)
{
    __m512 a = _mm512_castps128_ps512(f32_pairs(p[0] + i, p[1] + i));
    a = _mm512_insertf32x4(a, f32_pairs(p[4] + i, p[5] + i), 1);
    a = _mm512_insertf32x4(a, f32_pairs(p[8] + i, p[9] + i), 2);
    return _mm512_insertf32x4(a, f32_pairs(p[12] + i, p[13] + i), 3);
}

static ALWAYS_INLINE void f32x16_load_pairs(const float *const p[16], int64_t i, __m512 *a,
                                            __m512 *b)
{
    const __m512 low = f32x16_pairs(p, i), high = f32x16_pairs(p + 2, i);
    *a = _mm512_shuffle_ps(low, high, 0x88);
    *b = _mm512_shuffle_ps(low, high, 0xdd);
}

static ALWAYS_INLINE void f32x16_store_pairs(float *const p[16], int64_t i, __m512 a, __m512 b)
{
    const __m512 low = _mm512_unpacklo_ps(a, b), high = _mm512_unpackhi_ps(a, b);
    f32_pairs_store(p[0] + i, p[1] + i, _mm512_castps512_ps128(low));
    f32_pairs_store(p[2] + i, p[3] + i, _mm512_castps512_ps128(high));
    f32_pairs_store(p[4] + i, p[5] + i, _mm512_extractf32x4_ps(low, 1));
    f32_pairs_store(p[6] + i, p[7] + i, _mm512_extractf32x4_ps(high, 1));
    f32_pairs_store(p[8] + i, p[9] + i, _mm512_extractf32x4_ps(low, 2));
    f32_pairs_store(p[10] + i, p[11] + i, _mm512_extractf32x4_ps(high, 2));
    f32_pairs_store(p[12] + i, p[13] + i, _mm512_extractf32x4_ps(low, 3));
    f32_pairs_store(p[14] + i, p[15] + i, _mm512_extractf32x4_ps(high, 3));
}
#else
LANES_F32_X86(f32x8, __m256, _mm256, si256)

static ALWAYS_INLINE __m256 f32x8_where(uint32_t bits, __m256 a, __m256 b)
{
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)bits), lane);
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lane)));
}

static ALWAYS_INLINE void f32x8_load_pairs(const float *const p[8], int64_t i, __m256 *a, __m256 *b)
{
    __m256 low = _mm256_castps128_ps256(f32_pairs(p[0] + i, p[1] + i));
    __m256 high = _mm256_castps128_ps256(f32_pairs(p[2] + i, p[3] + i));
    low = _mm256_insertf128_ps(low, f32_pairs(p[4] + i, p[5] + i), 1);
    high = _mm256_insertf128_ps(high, f32_pairs(p[6] + i, p[7] + i), 1);
    *a = _mm256_shuffle_ps(low, high, 0x88);
    *b = _mm256_shuffle_ps(low, high, 0xdd);
}

static ALWAYS_INLINE void f32x8_store_pairs(float *const p[8], int64_t i, __m256 a, __m256 b)
{
    const __m256 low = _mm256_unpacklo_ps(a, b), high = _mm256_unpackhi_ps(a, b);
    f32_pairs_store(p[0] + i, p[1] + i, _mm256_castps256_ps128(low));
    f32_pairs_store(p[2] + i, p[3] + i, _mm256_castps256_ps128(high));
    f32_pairs_store(p[4] + i, p[5] + i, _mm256_extractf128_ps(low, 1));
    f32_pairs_store(p[6] + i, p[7] + i, _mm256_extractf128_ps(high, 1));
}
#endif

#undef LANES_F32_X86

#endif
