/* Operations on packs that AVX2 and AVX-512 have alike, but for the beginning of their names. The
 * words are explained in kernels/escape/lanes.h. */
#ifndef KERNELS_ESCAPE_LANES_X86_H
#define KERNELS_ESCAPE_LANES_X86_H

#include <immintrin.h>
#include <stdint.h>

/* mm: _mm256 or _mm512 */
#define LANES_X86(prefix, real, pack, mm, suffix)                                     \
    static inline pack prefix##_splat(real r)                                         \
    {                                                                                 \
        return mm##_set1_##suffix(r);                                                 \
    }                                                                                 \
    static inline pack prefix##_load(const real *p)                                   \
    {                                                                                 \
        return mm##_load_##suffix(p);                                                 \
    }                                                                                 \
    static inline void prefix##_store(real *p, pack a)                                \
    {                                                                                 \
        mm##_store_##suffix(p, a);                                                    \
    }                                                                                 \
    static inline pack prefix##_add(pack a, pack b)                                   \
    {                                                                                 \
        return mm##_add_##suffix(a, b);                                               \
    }                                                                                 \
    static inline pack prefix##_sub(pack a, pack b)                                   \
    {                                                                                 \
        return mm##_sub_##suffix(a, b);                                               \
    }                                                                                 \
    static inline pack prefix##_mul(pack a, pack b)                                   \
    {                                                                                 \
        return mm##_mul_##suffix(a, b);                                               \
    }                                                                                 \
    static inline pack prefix##_div(pack a, pack b)                                   \
    {                                                                                 \
        return mm##_div_##suffix(a, b);                                               \
    }                                                                                 \
    static inline pack prefix##_sqrt(pack a)                                          \
    {                                                                                 \
        return mm##_sqrt_##suffix(a);                                                 \
    }                                                                                 \
    static inline pack prefix##_abs(pack a)                                           \
    {                                                                                 \
        return mm##_andnot_##suffix(mm##_set1_##suffix(-0.0f), a);                    \
    }                                                                                 \
    static inline pack prefix##_neg(pack a)                                           \
    {                                                                                 \
        return mm##_xor_##suffix(mm##_set1_##suffix(-0.0f), a);                       \
    }                                                                                 \
    static inline pack prefix##_flip(pack a, pack b)                                  \
    {                                                                                 \
        return mm##_xor_##suffix(a, mm##_and_##suffix(b, mm##_set1_##suffix(-0.0f))); \
    }                                                                                 \
    static inline pack prefix##_min(pack a, pack b)                                   \
    {                                                                                 \
        return mm##_min_##suffix(a, b);                                               \
    }                                                                                 \
    static inline pack prefix##_fma(pack a, pack b, pack c)                           \
    {                                                                                 \
        return mm##_fmadd_##suffix(a, b, c);                                          \
    }                                                                                 \
    static inline pack prefix##_fnma(pack a, pack b, pack c)                          \
    {                                                                                 \
        return mm##_fnmadd_##suffix(a, b, c);                                         \
    }

#endif
