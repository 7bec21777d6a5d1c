/* Operations on packs of floats for pixels along a reference, beyond those of lanes_neon.h, as
 * lanes_f32_x86.h has them. */
#ifndef KERNELS_ESCAPE_LANES_F32_NEON_H
#define KERNELS_ESCAPE_LANES_F32_NEON_H

#include "kernels/escape/lanes_neon.h"

static ALWAYS_INLINE float32x4_t f32x4_lead(float32x4_t a)
{
    const uint32x4_t bits = vshrq_n_u32(vreinterpretq_u32_f32(a), 23);
    return vsubq_f32(vcvtq_f32_u32(bits), vdupq_n_f32(127));
}

static ALWAYS_INLINE float32x4_t f32x4_power(float32x4_t e)
{
    e = f32x4_max(f32x4_min(e, vdupq_n_f32(127)), vdupq_n_f32(-127));
    return vreinterpretq_f32_u32(vshlq_n_u32(vcvtq_u32_f32(vaddq_f32(e, vdupq_n_f32(127))), 23));
}

static ALWAYS_INLINE float32x4_t f32x4_where(uint32_t bits, float32x4_t a, float32x4_t b)
{
    const uint32x4_t lane = {1, 2, 4, 8};
    return vbslq_f32(vtstq_u32(vdupq_n_u32(bits), lane), a, b);
}

static ALWAYS_INLINE void f32x4_load_pairs(const float *const p[4], int64_t i, float32x4_t *a,
                                           float32x4_t *b)
{
    const float32x4_t low = vcombine_f32(vld1_f32(p[0] + i), vld1_f32(p[1] + i));
    const float32x4_t high = vcombine_f32(vld1_f32(p[2] + i), vld1_f32(p[3] + i));
    *a = vuzp1q_f32(low, high);
    *b = vuzp2q_f32(low, high);
}

static ALWAYS_INLINE void f32x4_store_pairs(float *const p[4], int64_t i, float32x4_t a,
                                            float32x4_t b)
{
    const float32x4_t low = vzip1q_f32(a, b), high = vzip2q_f32(a, b);
    vst1_f32(p[0] + i, vget_low_f32(low));
    vst1_f32(p[1] + i, vget_high_f32(low));
    vst1_f32(p[2] + i, vget_low_f32(high));
    vst1_f32(p[3] + i, vget_high_f32(high));
}

#endif
