/* Packs of double-single numbers, 128 bits a half (kernels/escape/lanes_ds.h). */
#ifndef KERNELS_ESCAPE_LANES_DS_NEON_H
#define KERNELS_ESCAPE_LANES_DS_NEON_H

#include "kernels/always_inline.h"
#include "kernels/escape/lanes_ds.h"
#include "kernels/escape/lanes_neon.h"

struct ds32x4 {
    float32x4_t hi, lo;
};
LANES_DS(static ALWAYS_INLINE, ds32x4, f32x4, float32x4_t)

/* Pairs hi, lo lie one behind the other in memory. */
static ALWAYS_INLINE struct ds32x4 ds32x4_load(const struct ds32x1 *p)
{
    float32x4x2_t pairs = vld2q_f32(&p->hi);
    return ds32x4_pair(pairs.val[0], pairs.val[1]);
}

static ALWAYS_INLINE void ds32x4_store(struct ds32x1 *p, struct ds32x4 a)
{
    float32x4x2_t pairs = {{a.hi, a.lo}};
    vst2q_f32(&p->hi, pairs);
}

#endif
