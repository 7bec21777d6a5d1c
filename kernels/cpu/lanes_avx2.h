/* Packs of 256 bits: f64x4 and f32x8. The words are explained in kernels/escape/lanes.h. */
#ifndef KERNELS_CPU_LANES_AVX2_H
#define KERNELS_CPU_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define LANES_AVX2(prefix, real, pack, suffix)                                              \
    static inline pack prefix##_splat(real r)                                               \
    {                                                                                       \
        return _mm256_set1_##suffix(r);                                                     \
    }                                                                                       \
    static inline pack prefix##_load(const real *p)                                         \
    {                                                                                       \
        return _mm256_load_##suffix(p);                                                     \
    }                                                                                       \
    static inline void prefix##_store(real *p, pack a)                                      \
    {                                                                                       \
        _mm256_store_##suffix(p, a);                                                        \
    }                                                                                       \
    static inline pack prefix##_add(pack a, pack b)                                         \
    {                                                                                       \
        return _mm256_add_##suffix(a, b);                                                   \
    }                                                                                       \
    static inline pack prefix##_sub(pack a, pack b)                                         \
    {                                                                                       \
        return _mm256_sub_##suffix(a, b);                                                   \
    }                                                                                       \
    static inline pack prefix##_mul(pack a, pack b)                                         \
    {                                                                                       \
        return _mm256_mul_##suffix(a, b);                                                   \
    }                                                                                       \
    static inline pack prefix##_div(pack a, pack b)                                         \
    {                                                                                       \
        return _mm256_div_##suffix(a, b);                                                   \
    }                                                                                       \
    static inline pack prefix##_sqrt(pack a)                                                \
    {                                                                                       \
        return _mm256_sqrt_##suffix(a);                                                     \
    }                                                                                       \
    static inline pack prefix##_abs(pack a)                                                 \
    {                                                                                       \
        return _mm256_andnot_##suffix(_mm256_set1_##suffix(-0.0f), a);                      \
    }                                                                                       \
    static inline pack prefix##_neg(pack a)                                                 \
    {                                                                                       \
        return _mm256_xor_##suffix(_mm256_set1_##suffix(-0.0f), a);                         \
    }                                                                                       \
    static inline pack prefix##_flip(pack a, pack b)                                        \
    {                                                                                       \
        return _mm256_xor_##suffix(a, _mm256_and_##suffix(b, _mm256_set1_##suffix(-0.0f))); \
    }                                                                                       \
    static inline pack prefix##_fma(pack a, pack b, pack c)                                 \
    {                                                                                       \
        return _mm256_fmadd_##suffix(a, b, c);                                              \
    }                                                                                       \
    static inline pack prefix##_fnma(pack a, pack b, pack c)                                \
    {                                                                                       \
        return _mm256_fnmadd_##suffix(a, b, c);                                             \
    }                                                                                       \
    static inline uint32_t prefix##_le(pack a, pack b)                                      \
    {                                                                                       \
        return (uint32_t)_mm256_movemask_##suffix(_mm256_cmp_##suffix(a, b, _CMP_LE_OQ));   \
    }                                                                                       \
    static inline uint32_t prefix##_eq(pack a, pack b)                                      \
    {                                                                                       \
        return (uint32_t)_mm256_movemask_##suffix(_mm256_cmp_##suffix(a, b, _CMP_EQ_OQ));   \
    }

LANES_AVX2(f64x4, double, __m256d, pd)
LANES_AVX2(f32x8, float, __m256, ps)

#undef LANES_AVX2

#endif
