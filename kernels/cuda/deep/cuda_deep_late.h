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

static __device__ __forceinline__ struct pixel_state_f32 late_of(const struct deep_late_lane &lane)
{
    struct pixel_state_f32 late;
    late.c = lane.c;
    late.delta = lane.delta;
    late.dz.x = late.dz.y = 0;
    late.m = lane.m;
    late.n = lane.n;
    late.count = 0;
    late.norm = lane.norm;
    late.slope = lane.slope;
    late.direct = lane.mode == MODE_DIRECT;
    late.steps = 0;
    late.level = lane.level;
    late.e = lane.e;
    late.dz_e = 0;
    return late;
}

/* Returns what steps have changed, and what the lane waits for next. */
static __device__ __forceinline__ void late_into(struct deep_late_lane &lane,
                                                 const struct pixel_state_f32 &late, int done)
{
    lane.delta = late.delta;
    lane.m = (int32_t)late.m;
    lane.n = late.n;
    lane.escaped = late.count != 0;
    lane.norm = late.norm;
    lane.slope = late.slope;
    lane.level = late.level;
    lane.e = late.e;
    lane.mode = done ? MODE_DONE : late.direct ? MODE_DIRECT : MODE_SEARCH;
}

/* ---- beginning and end of a pixel ---- */

static __device__ __forceinline__ bool lane_set(const struct deep_piece &piece,
                                                struct deep_late_lane &lane, double re, double im,
                                                int32_t x, int32_t y)
{
    const struct pixel_state_f32 late = late_begin(&piece.common, &piece.late, re, im);
    lane.c = late.c;
    late_into(lane, late, 0);
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
    return lane.escaped ? lane.n : 0;
}

static __device__ __forceinline__ float lane_fraction(const struct deep_piece &piece,
                                                      const struct deep_late_lane &lane)
{
    return fraction_of(lane.escaped ? lane.norm : 0.0f, piece.fraction_offset);
}

/* ---- steps ---- */

static __device__ __forceinline__ struct deep_late_lane &lane_state(struct deep_late_lane &lane)
{
    return lane;
}
static __device__ __forceinline__ const struct deep_late_lane &
lane_state(const struct deep_late_lane &lane)
{
    return lane;
}

static __device__ __forceinline__ int32_t lane_level_key(const struct deep_late_lane &lane)
{
    return lane.level;
}

static __device__ __forceinline__ int32_t lane_from(const struct deep_late_lane &lane)
{
    return lane.m;
}

static __device__ __forceinline__ int32_t lane_to(const struct deep_piece &piece,
                                                  const struct deep_late_lane &)
{
    return (int32_t)piece.late.end;
}

static __device__ __forceinline__ const struct block_table &
lane_table(const struct deep_piece &piece, const struct deep_late_lane &)
{
    return piece.late.table;
}

/* As pixel_reach_f32. */
template <class Kind>
static __device__ __forceinline__ int32_t lane_reach(const struct deep_late_lane &lane)
{
    const float reach = complex_reach_f32(lane.delta);
    return lane.m ? wide_key_f32(reach, lane.e) : wide_key_f32(reach * reach, 2 * lane.e);
}

static __device__ __forceinline__ void
late_rebase(const struct deep_piece &piece, struct deep_late_lane &lane, struct complex_f32 z)
{
    lane.delta = z;
    lane.m = 0;
    lane.level = piece.late.table.levels - 1;
    if (!wide_is_plain_f32(z)) {
        struct pixel_state_f32 late = late_of(lane);
        wide_put_f32(&late, wide_settle_f32(z, 0));
        lane.delta = late.delta;
        lane.e = late.e;
    }
}

/* As wide_arrive_f32, which it leaves ends of the reference, the limit and tiny points of the
 * reference to. */
static __device__ __forceinline__ void late_arrive(const struct deep_piece &piece,
                                                   struct deep_late_lane &lane)
{
    const struct complex_f32 reference = point_load_f32(&piece.late.z[lane.m]);
    const int seldom = (lane.m == (int32_t)piece.late.end) | (lane.n == piece.late.limit) |
                       ((lane.e != 0) & (complex_max_f32(reference) < 0x1p-30f));
    if (seldom) {
        struct pixel_state_f32 late = late_of(lane);
        const int done = wide_arrive_f32(&late, &piece.late);
        late_into(lane, late, done);
        return;
    }
    const struct complex_f32 z = complex_add_f32(reference, lane.e ? 0.0f : 1.0f, lane.delta);
    lane.norm = fmaf(z.x, z.x, z.y * z.y);
    lane.mode = MODE_SEARCH;
    if (lane.norm > piece.late.bailout_squared) {
        lane.escaped = 1;
        lane.mode = MODE_DONE;
    } else if (!lane.e && complex_max_f32(z) < complex_max_f32(lane.delta))
        late_rebase(piece, lane, z);
}

/* As wide_leap_f32 and wide_arrive_f32. */
template <>
__device__ __forceinline__ uint32_t lane_leap<late_kind>(const struct deep_piece &piece,
                                                         struct deep_late_lane &lane)
{
    const int shift = piece.late.table.shortest + lane.level;
    const struct quadratic_block_f32 block =
        escape_load(&piece.late.table.record_f32[lane.level][lane.m >> shift]);
    struct complex_wide_f32 delta = {lane.delta, lane.e};
    if (lane.m == 0) {
        delta = wide_settle_f32(delta.x, delta.e);
        delta.x = complex_mul_f32(delta.x, delta.x);
        delta.e *= 2;
    }
    delta = wide_apply_alike_f32(&block, delta, lane.c);
    const bool plain = delta.e >= WIDE_BORDER_F32;
    lane.delta = complex_scale_f32(plain ? wide_power_f32(delta.e) : 1.0f, delta.x);
    lane.e = plain ? 0 : delta.e;
    lane.m += 1 << shift;
    lane.n += 1 << shift;
    late_arrive(piece, lane);
    return 1;
}

/* Takes one step, or leaves the reference: at its end, at the limit, and of a delta with an
 * exponent. By value, so that the lane stays in registers. */
static __device__ __noinline__ struct deep_late_lane late_step(const struct deep_piece &piece,
                                                               struct deep_late_lane lane)
{
    struct pixel_state_f32 late = late_of(lane);
    int done = 0;
    late.direct = !late.e && pixel_leave_f32(&late, &piece.late);
    if (!late.direct) {
        late.level = 0;
        wide_step_f32(&late, &piece.late, 0);
        done = wide_arrive_f32(&late, &piece.late);
    }
    late_into(lane, late, done);
    return lane;
}

/* Number of steps to the next n where a block may begin, before the end and the limit. */
static __device__ __forceinline__ int32_t late_within(const struct deep_piece &piece,
                                                      const struct deep_late_lane &lane)
{
    const int32_t aligned = 1 << piece.late.table.shortest;
    int32_t most = min(aligned - (lane.m & (aligned - 1)), (int32_t)RUN_MOST);
    most = min(most, (int32_t)piece.late.end - lane.m - 1);
    return lane.e ? 0 : smaller_of(most, piece.late.limit - lane.n - 1);
}

/* As pixel_along_f32 where no block begins, up to where one may; at least one step, unless the
 * reference is left. */
template <>
__device__ __forceinline__ uint32_t lane_run<late_kind>(const struct deep_piece &piece,
                                                        struct deep_late_lane &lane)
{
    const struct pixel_common_f32 &common = piece.late;
    const int32_t most = late_within(piece, lane);
    const struct complex_f32 *at = &common.z[lane.m];
    const struct complex_f32 c = complex_scale_f32(wide_power_f32(common.exponent), lane.c);
    struct complex_f32 delta = lane.delta, reference = point_load_f32(at), z = delta;
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
        plain = wide_is_plain_f32(next);
        if (!plain)
            break;
        delta = next;
        reference = point_load_f32(at + ++taken);
        z = complex_add_f32(delta, 1, reference);
        norm = fmaf(z.x, z.x, z.y * z.y);
        rebased = complex_max_f32(z) < complex_max_f32(delta);
    }
    lane.n += taken;
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
    const int done =
        pixel_direct_steps_f32(&late, &piece.late, 0, 1, late_kind::direct_most, &taken);
    late_into(lane, late, done);
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
    if (lane.mode != MODE_SEARCH || lane.e)
        return;
    const uint32_t compared = kept.compared[t];
    kept.compared[t] = compared + 1;
    const int x = __float_as_int(lane.delta.x), y = __float_as_int(lane.delta.y);
    if (compared && x == __double2loint(kept.x[t]) && y == __double2hiint(kept.x[t]) &&
        lane.m == kept.m[t] && lane.level == kept.level_key[t])
        lane.mode = MODE_DONE;
    if ((compared & (compared - 1)) == 0) {
        kept.x[t] = __hiloint2double(y, x);
        kept.m[t] = lane.m;
        kept.level_key[t] = lane.level;
    }
}

#endif
