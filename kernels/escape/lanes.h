/* Operations on packs of reals: the vocabulary that the arithmetic is written in.
 *
 * A pack is LANES reals that are worked on together: 1 in scalar code and on a GPU, 4 ... 16 in the
 * vector units of a CPU (kernels/cpu/lanes_*.h). Its operations are called <prefix>_<word>, prefix
 * = type of the real, "x", lanes: f64x1_fma, f32x16_le. Sets of lanes are bits, lane 0 lowest.
 *
 *     splat(r)        every lane r
 *     load(p) store(p, a)   LANES reals at p, aligned to the pack
 *     add(a, b)       a + b
 *     sub(a, b)       a - b
 *     mul(a, b)       a * b
 *     div(a, b)       a / b, correctly rounded
 *     sqrt(a)         square root, correctly rounded
 *     abs(a) neg(a)   |a|, -a
 *     flip(a, b)      -a where the sign bit of b is set, else a
 *     fma(a, b, c)    a * b + c, rounded once
 *     fnma(a, b, c)   c - a * b, rounded once
 *     min(a, b)       a where a < b, else b
 *     le(a, b)        bits of the lanes where a <= b; false for NaN
 *     eq(a, b)        bits of the lanes where a == b
 *     le_two(a, b, c, d) le_three(a, b, c, d, e, f)
 *                     bits of the lanes where a <= b and c <= d, and e <= f; on a CPU
 *
 * and of doubles on a CPU
 *
 *     max(a, b)       a where a > b, else b
 *     where(bits, a, b)     a in those lanes, b in the others
 *     load_pairs(p, i, &a, &b) store_pairs(p, i, a, b)
 *                     lane l of a at p[l][i], of b behind it
 */
#ifndef KERNELS_ESCAPE_LANES_H
#define KERNELS_ESCAPE_LANES_H

#include "kernels/escape/shared.h"

#define LANES_OF_ONE(prefix, real, fused, root, size, sign) \
    ESCAPE_FN real prefix##_splat(real r)                   \
    {                                                       \
        return r;                                           \
    }                                                       \
    ESCAPE_FN real prefix##_load(const real *p)             \
    {                                                       \
        return *p;                                          \
    }                                                       \
    ESCAPE_FN void prefix##_store(real *p, real a)          \
    {                                                       \
        *p = a;                                             \
    }                                                       \
    ESCAPE_FN real prefix##_add(real a, real b)             \
    {                                                       \
        return a + b;                                       \
    }                                                       \
    ESCAPE_FN real prefix##_sub(real a, real b)             \
    {                                                       \
        return a - b;                                       \
    }                                                       \
    ESCAPE_FN real prefix##_mul(real a, real b)             \
    {                                                       \
        return a * b;                                       \
    }                                                       \
    ESCAPE_FN real prefix##_div(real a, real b)             \
    {                                                       \
        return a / b;                                       \
    }                                                       \
    ESCAPE_FN real prefix##_sqrt(real a)                    \
    {                                                       \
        return root(a);                                     \
    }                                                       \
    ESCAPE_FN real prefix##_abs(real a)                     \
    {                                                       \
        return size(a);                                     \
    }                                                       \
    ESCAPE_FN real prefix##_neg(real a)                     \
    {                                                       \
        return -a;                                          \
    }                                                       \
    ESCAPE_FN real prefix##_flip(real a, real b)            \
    {                                                       \
        return sign((real)1, b) * a;                        \
    }                                                       \
    ESCAPE_FN real prefix##_fma(real a, real b, real c)     \
    {                                                       \
        return fused(a, b, c);                              \
    }                                                       \
    ESCAPE_FN real prefix##_fnma(real a, real b, real c)    \
    {                                                       \
        return fused(-a, b, c);                             \
    }                                                       \
    ESCAPE_FN real prefix##_min(real a, real b)             \
    {                                                       \
        return a < b ? a : b;                               \
    }                                                       \
    ESCAPE_FN uint32_t prefix##_le(real a, real b)          \
    {                                                       \
        return a <= b;                                      \
    }                                                       \
    ESCAPE_FN uint32_t prefix##_eq(real a, real b)          \
    {                                                       \
        return a == b;                                      \
    }

LANES_OF_ONE(f64x1, double, fma, sqrt, fabs, copysign)
LANES_OF_ONE(f32x1, float, fmaf, sqrtf, fabsf, copysignf)

#undef LANES_OF_ONE

#endif
