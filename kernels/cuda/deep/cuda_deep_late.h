/* Pixels of z^2 + c in fp32 (late.h), one for a GPU thread: the steps of pixel_on_f32, in registers
 * of 32 bits. CUDA C++ only. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_LATE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_LATE_H

#ifndef __CUDACC__
#error "cuda_deep_late.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep_lane.h"
#include "kernels/deep/inside.h"

enum {
    DEEP_LATE_RESIDENT_WARPS = 40, /* warps of a multiprocessor: 48 registers */
    LATE_DIRECT_MOST = 32          /* steps without the reference between votes */
};

struct late_kind {
    static constexpr bool slopes = false, wide = false;
    static constexpr int direct_most = LATE_DIRECT_MOST, runs_most = 1;
    static constexpr int resident_warps = DEEP_LATE_RESIDENT_WARPS;
    typedef struct deep_late_lane lane;
};

/* 2^e, e <= 0 or little above; 0 below the normal numbers. */
static __device__ __forceinline__ float late_power(int32_t e)
{
    const uint32_t bits = (uint32_t)(max(e, -127) + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static __device__ __forceinline__ float late_max(struct complex_f32 a)
{
    return fmaxf(fabsf(a.x), fabsf(a.y));
}

/* Settles x 2^e as wide_settle_f32. */
static __device__ __forceinline__ void late_settle(struct complex_f32 &x, int32_t &e)
{
    const float size = late_max(x);
    int32_t bits;
    memcpy(&bits, &size, sizeof bits);
    const int32_t lead = bits >> 23;
    const uint32_t scale_bits = lead ? (uint32_t)(254 - lead) << 23 : 0;
    float scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    x = complex_scale_f32(scale, x);
    e = lead ? e + lead - 127 : WIDE_ZERO;
}

static __device__ __forceinline__ struct pixel_state_f32 late_of(const struct deep_late_lane &lane)
{
    struct pixel_state_f32 late;
    late.c = lane.c;
    wide_put_f32(&late, wide_settle_f32(lane.delta, lane.e));
    late.dz.x = late.dz.y = 0;
    late.m = lane.m;
    late.n = lane.offset + lane.m;
    late.count = 0;
    late.norm = lane.norm;
    late.slope = lane.slope;
    late.direct = lane.mode == MODE_DIRECT;
    late.steps = 0;
    late.level = lane.level;
    late.dz_e = 0;
    return late;
}

/* Puts a lane at m, with n. */
static __device__ __forceinline__ void late_place(const struct deep_piece &piece,
                                                  struct deep_late_lane &lane, int64_t m, int64_t n)
{
    lane.m = (int32_t)m;
    lane.offset = n - m;
    lane.stop = smaller_of((int32_t)piece.common_f32.end, piece.common_f32.limit - lane.offset);
}

/* Returns what steps have changed, and what the lane waits for next. */
static __device__ __forceinline__ void late_into(const struct deep_piece &piece,
                                                 struct deep_late_lane &lane,
                                                 const struct pixel_state_f32 &late, int done)
{
    lane.delta = late.delta;
    lane.e = late.e;
    late_place(piece, lane, late.m, late.n);
    lane.escaped = late.count != 0;
    lane.norm = late.norm;
    lane.slope = late.slope;
    lane.level = late.level;
    lane.mode = done ? MODE_DONE : late.direct ? MODE_DIRECT : MODE_SEARCH;
}

/* ---- beginning and end of a pixel ---- */

static __device__ __forceinline__ bool lane_set(const struct deep_piece &piece,
                                                struct deep_late_lane &lane, double re, double im,
                                                int32_t x, int32_t y)
{
    const struct pixel_state_f32 late = late_begin(&piece.common, &piece.common_f32, re, im);
    lane.c = late.c;
    late_into(piece, lane, late, 0);
    return !(piece.inside && (piece.inside[y / INSIDE_PX * piece.squares_in_row + x / INSIDE_PX] ||
                              inside_pixel(&piece.common, re, im)));
}

template <class Kind> static __device__ __forceinline__ void lane_forget(struct deep_late_lane &)
{
}

template <class Kind>
static __device__ __forceinline__ void lane_finish(const struct deep_piece &,
                                                   struct deep_late_lane &)
{
}

static __device__ __forceinline__ int64_t lane_count(const struct deep_late_lane &lane)
{
    return lane.escaped ? lane.offset + lane.m : 0;
}

static __device__ __forceinline__ float lane_fraction(const struct deep_piece &piece,
                                                      const struct deep_late_lane &lane)
{
    return fraction_of(lane.escaped ? lane.norm : 0.0f, piece.fraction_offset);
}

/* ---- steps ---- */

/* As pixel_reach_f32: the key of delta, or of delta^2 from Z_0 on, which is less than all others
 * where that is 0. */
static __device__ __forceinline__ int32_t late_reach(const struct deep_late_lane &lane)
{
    const float x = fabsf(lane.delta.x), y = fabsf(lane.delta.y);
    float reach = fmaf(0.41421356237309515f, fminf(x, y), fmaxf(x, y));
    int32_t e = lane.e, bits;
    if (lane.m == 0) {
        reach *= reach;
        e *= 2;
    }
    memcpy(&bits, &reach, sizeof bits);
    return (bits >> (23 - WIDE_KEY_PLACES)) +
           (max(e, -WIDE_MOST - 1000) + 1023 - 127) * (1 << WIDE_KEY_PLACES);
}

/* floor(log2(positive)) */
static __device__ __forceinline__ int late_log2(uint32_t positive)
{
#ifdef __CUDA_ARCH__
    return 31 - __clz((int)positive);
#else
    return escape_log2(positive);
#endif
}

/* As pixel_level_f32: the longest block that holds comes next, or steps. */
template <>
__device__ __forceinline__ void lane_search<late_kind>(const struct deep_piece &piece,
                                                       struct deep_late_lane &lane)
{
    const struct block_table &table = piece.common_f32.table;
    lane.mode = MODE_RUN;
    if (lane.m & ((1 << table.shortest) - 1))
        return;
    const int32_t reach = late_reach(lane), left = lane.stop - lane.m;
    const int32_t room = lane.m ? min(lane.m & -lane.m, left) : left;
    int level = late_log2((uint32_t)room | 1) - table.shortest;
    level = min(level, min(lane.level + 2, table.levels - 1));
    while (level >= 0 && reach >= table.radius[level][lane.m >> (table.shortest + level)])
        level--;
    if (level < 0)
        return;
    lane.level = level;
    lane.mode = MODE_LEAP;
}

static __device__ __forceinline__ void
late_rebase(const struct deep_piece &piece, struct deep_late_lane &lane, struct complex_f32 z)
{
    lane.delta = z;
    lane.e = 0;
    lane.level = piece.common_f32.table.levels - 1;
    late_place(piece, lane, 0, lane.offset + lane.m);
    if (!(late_max(z) >= wide_power_f32(WIDE_BORDER_F32)))
        late_settle(lane.delta, lane.e);
}

/* As wide_arrive_f32, for ends of the reference, the limit, and points of it that are tiny. */
static __device__ __noinline__ struct deep_late_lane late_arrive(const struct deep_piece &piece,
                                                                 struct deep_late_lane lane)
{
    struct pixel_state_f32 late = late_of(lane);
    const int done = wide_arrive_f32(&late, &piece.common_f32);
    late_into(piece, lane, late, done);
    return lane;
}

/* delta' of a block, settled, as wide_apply_alike_f32. */
static __device__ __forceinline__ void late_apply(const struct quadratic_block_f32 &k,
                                                  struct deep_late_lane &lane)
{
    struct complex_f32 x = lane.delta;
    int32_t e = lane.e;
    if (lane.m == 0) {
        late_settle(x, e);
        x = complex_mul_f32(x, x);
        e *= 2;
    }
    const int32_t of_w = e - k.in, top = max(of_w, k.of_c);
    const struct complex_f32 w = complex_scale_f32(late_power(of_w), x);
    const struct complex_f32 d = complex_fma_f32(complex_fma_f32(k.h, w, k.g), w, k.d);
    const struct complex_f32 a = complex_fma_f32(d, w, complex_fma_f32(k.e, lane.c, k.a));
    struct complex_f32 b = complex_mul_f32(complex_fma_f32(k.f, lane.c, k.b), lane.c);
    b = complex_scale_f32(late_power(k.of_c - top), b);
    lane.delta = complex_fma_f32(a, complex_scale_f32(late_power(of_w - top), x), b);
    lane.e = top + k.out;
    late_settle(lane.delta, lane.e);
}

/* As wide_leap_f32 and wide_arrive_f32. A delta below 2^WIDE_BORDER_F32 is nothing beside Z. */
template <>
__device__ __forceinline__ uint32_t lane_leap<late_kind>(const struct deep_piece &piece,
                                                         struct deep_late_lane &lane)
{
    const int shift = piece.common_f32.table.shortest + lane.level;
    const struct quadratic_block_f32 block =
        escape_load(&piece.common_f32.table.record_f32[lane.level][lane.m >> shift]);
    const struct complex_f32 reference = point_load_f32(&piece.common_f32.z[lane.m + (1 << shift)]);
    late_apply(block, lane);
    lane.m += 1 << shift;
    const bool plain = lane.e >= WIDE_BORDER_F32;
    const float power = plain ? late_power(lane.e) : 0.0f;
    const struct complex_f32 z = complex_add_f32(reference, power, lane.delta);
    const float size = late_max(z);
    lane.norm = fmaf(z.x, z.x, z.y * z.y);
    lane.mode = MODE_SEARCH;
    if (lane.m == lane.stop || (!plain && size < 0x1p-30f)) {
        lane = late_arrive(piece, lane);
    } else if (lane.norm > piece.common_f32.bailout_squared) {
        lane.escaped = 1;
        lane.mode = MODE_DONE;
    } else if (size < power * late_max(lane.delta))
        late_rebase(piece, lane, z);
    return 1;
}

/* Takes one step, or leaves the reference: at its end, at the limit, and of a delta below
 * 2^WIDE_BORDER_F32. By value, so that the lane stays in registers. */
static __device__ __noinline__ struct deep_late_lane late_step(const struct deep_piece &piece,
                                                               struct deep_late_lane lane)
{
    struct pixel_state_f32 late = late_of(lane);
    int done = 0;
    late.direct = !late.e && pixel_leave_f32(&late, &piece.common_f32);
    if (!late.direct) {
        late.level = 0;
        wide_step_f32(&late, &piece.common_f32, 0);
        done = wide_arrive_f32(&late, &piece.common_f32);
    }
    late_into(piece, lane, late, done);
    return lane;
}

/* As pixel_along_f32 where no block begins, up to where one may; at least one step, unless the
 * reference is left. */
template <>
__device__ __forceinline__ uint32_t lane_run<late_kind>(const struct deep_piece &piece,
                                                        struct deep_late_lane &lane)
{
    const struct pixel_common_f32 &common = piece.common_f32;
    const int32_t aligned = 1 << common.table.shortest;
    int32_t most = min(aligned - (lane.m & (aligned - 1)), (int32_t)RUN_MOST);
    most = lane.e >= WIDE_BORDER_F32 ? min(most, lane.stop - lane.m - 1) : 0;
    const struct complex_f32 *at = &common.z[lane.m];
    const struct complex_f32 c = complex_scale_f32(late_power(common.exponent), lane.c);
    struct complex_f32 delta = lane.delta, reference = point_load_f32(at);
    if (most > 0) {
        delta = complex_scale_f32(late_power(lane.e), delta);
        lane.e = 0;
    }
    struct complex_f32 z = delta;
    float norm = lane.norm;
    int32_t taken = 0;
    bool rebased = false, plain = true;
    lane.mode = MODE_SEARCH;
    while (taken < most && !rebased && norm <= common.bailout_squared) {
        const float slope = fmaf(delta.x, delta.x, delta.y * delta.y);
        if (direct_may_f32(norm, slope, &common.direct)) {
            lane.slope = slope;
            delta = complex_add_f32(delta, 1, reference);
            lane.mode = MODE_DIRECT;
            break;
        }
        const struct complex_f32 next = delta_step_f32(reference, delta, c);
        plain = late_max(next) >= wide_power_f32(WIDE_BORDER_F32);
        if (!plain)
            break;
        delta = next;
        reference = point_load_f32(at + ++taken);
        z = complex_add_f32(delta, 1, reference);
        norm = fmaf(z.x, z.x, z.y * z.y);
        rebased = late_max(z) < late_max(delta);
    }
    lane.m += taken;
    lane.norm = norm;
    lane.delta = delta;
    if (taken)
        lane.level = 0;
    if (norm > common.bailout_squared) {
        lane.escaped = 1;
        lane.mode = MODE_DONE;
    } else if (rebased)
        late_rebase(piece, lane, z);
    else if (!plain)
        lane.mode = MODE_RUN;
    if (taken || lane.mode == MODE_DIRECT)
        return (uint32_t)taken;
    lane = late_step(piece, lane);
    return lane.mode != MODE_DIRECT;
}

template <>
__device__ __forceinline__ uint32_t lane_direct<late_kind>(const struct deep_piece &piece,
                                                           struct deep_late_lane &lane)
{
    struct pixel_state_f32 late = late_of(lane);
    int64_t taken;
    late.delta = lane.delta; /* z, whose e is 0 */
    late.e = 0;
    const int done =
        pixel_direct_steps_f32(&late, &piece.common_f32, 0, 1, late_kind::direct_most, &taken);
    late_into(piece, lane, late, done);
    return (uint32_t)taken;
}

/* As the one of doubles. */
template <>
__device__ __forceinline__ void lane_compare_kept<late_kind>(struct deep_late_lane &lane,
                                                             struct lanes_kept &kept, bool begins)
{
    const unsigned t = threadIdx.x;
    if (begins)
        kept.compared[t] = 0;
    if (lane.mode != MODE_SEARCH)
        return;
    const uint32_t compared = kept.compared[t];
    kept.compared[t] = compared + 1;
    const int x = __float_as_int(lane.delta.x), y = __float_as_int(lane.delta.y);
    if (compared && x == __double2loint(kept.x[t]) && y == __double2hiint(kept.x[t]) &&
        lane.e == __double2loint(kept.y[t]) && lane.m == kept.m[t] &&
        lane.level == kept.level_key[t])
        lane.mode = MODE_DONE;
    if ((compared & (compared - 1)) == 0) {
        kept.x[t] = __hiloint2double(y, x);
        kept.y[t] = __hiloint2double(0, lane.e);
        kept.m[t] = lane.m;
        kept.level_key[t] = lane.level;
    }
}

#endif
