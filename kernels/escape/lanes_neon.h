/* Packs of 128 bits on 64-bit ARM: f64x2 and f32x4, and f64x2x4, four of doubles. The words are
 * explained in kernels/escape/lanes.h.
 *
 * min and max are comparisons with a choice: the processor's own give NaN where x86 gives the
 * second number. */
#ifndef KERNELS_ESCAPE_LANES_NEON_H
#define KERNELS_ESCAPE_LANES_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#include "kernels/always_inline.h"
#include "kernels/escape/lanes_pair.h"

/* type: f64 or f32; int: u64 or u32, of their masks */
#define LANES_NEON(prefix, real, pack, type, mask, int)                                          \
    static ALWAYS_INLINE pack prefix##_splat(real r)                                             \
    {                                                                                            \
        return vdupq_n_##type(r);                                                                \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_load(const real *p)                                       \
    {                                                                                            \
        return vld1q_##type(p);                                                                  \
    }                                                                                            \
    static ALWAYS_INLINE void prefix##_store(real *p, pack a)                                    \
    {                                                                                            \
        vst1q_##type(p, a);                                                                      \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_add(pack a, pack b)                                       \
    {                                                                                            \
        return vaddq_##type(a, b);                                                               \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_sub(pack a, pack b)                                       \
    {                                                                                            \
        return vsubq_##type(a, b);                                                               \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_mul(pack a, pack b)                                       \
    {                                                                                            \
        return vmulq_##type(a, b);                                                               \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_div(pack a, pack b)                                       \
    {                                                                                            \
        return vdivq_##type(a, b);                                                               \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_sqrt(pack a)                                              \
    {                                                                                            \
        return vsqrtq_##type(a);                                                                 \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_abs(pack a)                                               \
    {                                                                                            \
        return vabsq_##type(a);                                                                  \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_neg(pack a)                                               \
    {                                                                                            \
        return vnegq_##type(a);                                                                  \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_flip(pack a, pack b)                                      \
    {                                                                                            \
        mask sign = vreinterpretq_##int##_##type(vdupq_n_##type(-0.0f));                         \
        sign = vandq_##int(vreinterpretq_##int##_##type(b), sign);                               \
        return vreinterpretq_##type##_##int(veorq_##int(vreinterpretq_##int##_##type(a), sign)); \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_min(pack a, pack b)                                       \
    {                                                                                            \
        return vbslq_##type(vcltq_##type(a, b), a, b);                                           \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_max(pack a, pack b)                                       \
    {                                                                                            \
        return vbslq_##type(vcgtq_##type(a, b), a, b);                                           \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_fma(pack a, pack b, pack c)                               \
    {                                                                                            \
        return vfmaq_##type(c, a, b);                                                            \
    }                                                                                            \
    static ALWAYS_INLINE pack prefix##_fnma(pack a, pack b, pack c)                              \
    {                                                                                            \
        return vfmsq_##type(c, a, b);                                                            \
    }                                                                                            \
    static ALWAYS_INLINE mask prefix##_le_mask(pack a, pack b)                                   \
    {                                                                                            \
        return vcleq_##type(a, b);                                                               \
    }                                                                                            \
    static ALWAYS_INLINE mask prefix##_eq_mask(pack a, pack b)                                   \
    {                                                                                            \
        return vceqq_##type(a, b);                                                               \
    }                                                                                            \
    static ALWAYS_INLINE mask prefix##_le_two_mask(pack a, pack b, pack c, pack d)               \
    {                                                                                            \
        return vandq_##int(vcleq_##type(a, b), vcleq_##type(c, d));                              \
    }                                                                                            \
    static ALWAYS_INLINE mask prefix##_le_three_mask(pack a, pack b, pack c, pack d, pack e,     \
                                                     pack f)                                     \
    {                                                                                            \
        return vandq_##int(prefix##_le_two_mask(a, b, c, d), vcleq_##type(e, f));                \
    }                                                                                            \
    static ALWAYS_INLINE uint32_t prefix##_le(pack a, pack b)                                    \
    {                                                                                            \
        return prefix##_bits(prefix##_le_mask(a, b));                                            \
    }                                                                                            \
    static ALWAYS_INLINE uint32_t prefix##_eq(pack a, pack b)                                    \
    {                                                                                            \
        return prefix##_bits(prefix##_eq_mask(a, b));                                            \
    }                                                                                            \
    static ALWAYS_INLINE uint32_t prefix##_le_two(pack a, pack b, pack c, pack d)                \
    {                                                                                            \
        return prefix##_bits(prefix##_le_two_mask(a, b, c, d));                                  \
    }                                                                                            \
    static ALWAYS_INLINE uint32_t prefix##_le_three(pack a, pack b, pack c, pack d, pack e,      \
                                                    pack f)                                      \
    {                                                                                            \
        return prefix##_bits(prefix##_le_three_mask(a, b, c, d, e, f));                          \
    }

/* Bits of the lanes whose masks are set. */
static ALWAYS_INLINE uint32_t f64x2_bits(uint64x2_t mask)
{
    const uint64x2_t lane = {1, 2};
    return (uint32_t)vaddvq_u64(vandq_u64(mask, lane));
}

static ALWAYS_INLINE uint32_t f32x4_bits(uint32x4_t mask)
{
    const uint32x4_t lane = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(mask, lane));
}

LANES_NEON(f64x2, double, float64x2_t, f64, uint64x2_t, u64)
LANES_NEON(f32x4, float, float32x4_t, f32, uint32x4_t, u32)

#undef LANES_NEON

static ALWAYS_INLINE float64x2_t f64x2_where(uint32_t bits, float64x2_t a, float64x2_t b)
{
    const uint64x2_t lane = {1, 2};
    return vbslq_f64(vtstq_u64(vdupq_n_u64(bits), lane), a, b);
}

static ALWAYS_INLINE void f64x2_load_pairs(const double *const p[2], int64_t i, float64x2_t *a,
                                           float64x2_t *b)
{
    float64x2_t even = vld1q_f64(p[0] + i), odd = vld1q_f64(p[1] + i);
    *a = vzip1q_f64(even, odd);
    *b = vzip2q_f64(even, odd);
}

static ALWAYS_INLINE void f64x2_store_pairs(double *const p[2], int64_t i, float64x2_t a,
                                            float64x2_t b)
{
    vst1q_f64(p[0] + i, vzip1q_f64(a, b));
    vst1q_f64(p[1] + i, vzip2q_f64(a, b));
}

/* The words of LANES_EXPONENTS. */
static ALWAYS_INLINE float64x2_t f64x2_lead(float64x2_t a)
{
    const uint64x2_t places = vreinterpretq_u64_f64(vdupq_n_f64(0x1p52));
    uint64x2_t bits = vorrq_u64(vshrq_n_u64(vreinterpretq_u64_f64(a), 52), places);
    return vsubq_f64(vreinterpretq_f64_u64(bits), vdupq_n_f64(0x1p52 + 1023));
}

static ALWAYS_INLINE float64x2_t f64x2_power(float64x2_t e)
{
    e = f64x2_max(f64x2_min(e, vdupq_n_f64(1023)), vdupq_n_f64(-1023));
    e = vaddq_f64(e, vdupq_n_f64(0x1p52 + 1023));
    return vreinterpretq_f64_u64(vshlq_n_u64(vreinterpretq_u64_f64(e), 52));
}

static ALWAYS_INLINE float64x2_t f64x2_truncate(float64x2_t a)
{
    const uint64x2_t kept = vdupq_n_u64(UINT64_MAX << 40);
    return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), kept));
}

static ALWAYS_INLINE float64x2_t f64x2_middle(float64x2_t a, float64x2_t b)
{
    uint64x2_t from = vreinterpretq_u64_f64(a), to = vreinterpretq_u64_f64(b);
    return vreinterpretq_f64_u64(vsraq_n_u64(from, vsubq_u64(to, from), 1));
}

/* Bits of four packs at a time, which takes a third of the instructions of four by themselves. */
static ALWAYS_INLINE uint32_t f64x2x4_bits(uint64x2_t a, uint64x2_t b, uint64x2_t c, uint64x2_t d)
{
    const uint16x8_t lane = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32x4_t low = vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
    uint32x4_t high = vuzp1q_u32(vreinterpretq_u32_u64(c), vreinterpretq_u32_u64(d));
    uint16x8_t all = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
    return vaddvq_u16(vandq_u16(all, lane));
}

LANES_PAIR(f64x2x2, f64x2, float64x2_t, 2)
LANES_PAIR_VALUES(f64x2x4, f64x2x2, struct f64x2x2, 4)

#define FOUR_BITS(word)                                                              \
    static ALWAYS_INLINE uint32_t f64x2x4_##word(struct f64x2x4 a, struct f64x2x4 b) \
    {                                                                                \
        return f64x2x4_bits(f64x2_##word##_mask(a.low.low, b.low.low),               \
                            f64x2_##word##_mask(a.low.high, b.low.high),             \
                            f64x2_##word##_mask(a.high.low, b.high.low),             \
                            f64x2_##word##_mask(a.high.high, b.high.high));          \
    }
FOUR_BITS(le)
FOUR_BITS(eq)
#undef FOUR_BITS

static ALWAYS_INLINE uint32_t f64x2x4_le_two(struct f64x2x4 a, struct f64x2x4 b, struct f64x2x4 c,
                                             struct f64x2x4 d)
{
    return f64x2x4_bits(f64x2_le_two_mask(a.low.low, b.low.low, c.low.low, d.low.low),
                        f64x2_le_two_mask(a.low.high, b.low.high, c.low.high, d.low.high),
                        f64x2_le_two_mask(a.high.low, b.high.low, c.high.low, d.high.low),
                        f64x2_le_two_mask(a.high.high, b.high.high, c.high.high, d.high.high));
}

static ALWAYS_INLINE uint32_t f64x2x4_le_three(struct f64x2x4 a, struct f64x2x4 b, struct f64x2x4 c,
                                               struct f64x2x4 d, struct f64x2x4 e, struct f64x2x4 f)
{
    return f64x2x4_bits(
        f64x2_le_three_mask(a.low.low, b.low.low, c.low.low, d.low.low, e.low.low, f.low.low),
        f64x2_le_three_mask(a.low.high, b.low.high, c.low.high, d.low.high, e.low.high, f.low.high),
        f64x2_le_three_mask(a.high.low, b.high.low, c.high.low, d.high.low, e.high.low, f.high.low),
        f64x2_le_three_mask(a.high.high, b.high.high, c.high.high, d.high.high, e.high.high,
                            f.high.high));
}

#endif
