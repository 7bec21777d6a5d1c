/* Steps of a GPU thread for its pixel by perturbation between two votes of its warp, for any
 * formula, one kind of step at a time. CUDA C++ only.
 *
 * The including file defines before the struct that a Kind calls its lane, and for this struct
 *
 *     lane_state, lane_level_key the pixel's state; a number for its level and reference
 *     lane_from, lane_to, lane_points, lane_table
 *                                the step of the table that it is at, the end of these steps, its
 *                                orbit from there on, its blocks
 *     lane_reach                 the key of its size
 *     lane_apply, lane_step, lane_direct_steps, lane_arrive
 *                                a block, a step, steps without the reference, the tests after them
 *     lane_leave, lane_rebase    leaves the reference where that is possible; goes to its beginning
 *
 * and for a Kind's steps in a row, struct run: run_begin, run_may_leave, run_step, run_end. It may
 * define lane_within for its lane, which is lane_run_within of a more special Kind. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_LANE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_LANE_H

#ifndef __CUDACC__
#error "cuda_deep_lane.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep.h"
#include "kernels/deep/pixel_wide.h"

/* Earlier states of the pixels of threads, for Brent's search for cycles, as in pixel_repeats, but
 * only in warps that have had no new pixels for a while, and only between rounds: every state of a
 * cycle comes back, so that any may be compared. In shared memory, for there are no registers left.
 */
struct lanes_kept {
    DEEP_REAL x[DEEP_THREADS], y[DEEP_THREADS]; /* delta */
    int32_t m[DEEP_THREADS], level_key[DEEP_THREADS];
    uint32_t compared[DEEP_THREADS];
};

/* Ends a pixel whose orbit along the reference repeats itself: its count is 0, as it began.
 * `begins`: the kept states are those of other pixels. */
template <class Kind>
static __device__ __forceinline__ void lane_compare_kept(typename Kind::lane &lane,
                                                         struct lanes_kept &kept, bool begins)
{
    const struct T(pixel_state) &pixel = lane_state(lane);
    const unsigned t = threadIdx.x;
    if (begins)
        kept.compared[t] = 0;
    if (lane.mode != MODE_SEARCH || (Kind::wide && pixel.e))
        return;
    const uint32_t compared = kept.compared[t];
    kept.compared[t] = compared + 1;
    if (compared && pixel.delta.x == kept.x[t] && pixel.delta.y == kept.y[t] &&
        (int32_t)pixel.m == kept.m[t] && lane_level_key(lane) == kept.level_key[t])
        lane.mode = MODE_DONE;
    if ((compared & (compared - 1)) == 0) { /* a power of two, or 0 */
        kept.x[t] = pixel.delta.x;
        kept.y[t] = pixel.delta.y;
        kept.m[t] = (int32_t)pixel.m;
        kept.level_key[t] = lane_level_key(lane);
    }
}

/* The smaller number, which fits because the first does. */
static __device__ __forceinline__ int32_t smaller_of(int32_t a, int64_t b)
{
    return b < a ? (int32_t)b : a;
}

/* max(|a.x|, |a.y|) < max(|b.x|, |b.y|) */
static __device__ __forceinline__ bool is_smaller(struct COMPLEX a, struct COMPLEX b)
{
    DEEP_REAL ax = REAL_ABS(a.x), ay = REAL_ABS(a.y), bx = REAL_ABS(b.x), by = REAL_ABS(b.y);
    return (ax < bx || ax < by) && (ay < bx || ay < by);
}

/* pixel_level, with indices in the orbit of 32 bits, which saves a twentieth of all time. Index -1,
 * before the first step that blocks have, is no multiple. */
template <class Kind>
static __device__ __forceinline__ int lane_level(const struct deep_piece &piece,
                                                 const typename Kind::lane &lane, int32_t reach)
{
    const struct block_table &table = lane_table(piece, lane);
    const auto &pixel = lane_state(lane);
    const int32_t from = lane_from(lane);
    if (from & ((1 << table.shortest) - 1))
        return -1;
    int32_t room = smaller_of(from ? from & -from : INT32_MAX, piece.common.limit - pixel.n);
    room = min(room, lane_to(piece, lane) - from);
    int level = 31 - __clz(room | 1) - table.shortest;
    level = min(level, min(pixel.level + 2, table.levels - 1));
    while (level >= 0 && reach >= table.radius[level][from >> (table.shortest + level)])
        level--;
    return level;
}

template <class Kind>
static __device__ __forceinline__ void lane_search(const struct deep_piece &piece,
                                                   typename Kind::lane &lane)
{
    int level = lane_level<Kind>(piece, lane, lane_reach<Kind>(lane));
    lane.mode = level < 0 ? MODE_RUN : MODE_LEAP;
    if (level >= 0)
        lane_state(lane).level = level;
}

template <class Kind>
static __device__ __forceinline__ void lane_ends_or_searches(const struct deep_piece &piece,
                                                             typename Kind::lane &lane)
{
    lane.mode = lane_arrive<Kind>(piece, lane) ? MODE_DONE : MODE_SEARCH;
}

template <class Kind>
static __device__ __forceinline__ uint32_t lane_leap(const struct deep_piece &piece,
                                                     typename Kind::lane &lane)
{
    lane_apply<Kind>(piece, lane);
    lane_ends_or_searches<Kind>(piece, lane);
    return 1;
}

/* Is the delta behind a step over 2^e no result that takes numbers with exponents? */
static __device__ __forceinline__ bool run_holds(struct COMPLEX delta, int32_t e)
{
#ifdef REAL_SCALED
    return T(step_holds)(T(complex_max)(delta), e);
#else
    (void)e;
    return T(wide_is_plain)(delta);
#endif
}

/* Takes steps that reach neither the end of the reference nor the limit: pixel_along and
 * formula_along without the tests for these. It ends where the reference may be left, and before a
 * step that needs an exponent of its own: then the mode is RUN. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run_within(const struct deep_piece &piece,
                                                           typename Kind::lane &lane, int32_t most)
{
    const struct T(pixel_common) &common = piece.T(common);
    struct T(pixel_state) &pixel = lane_state(lane);
    const REAL_POINT *at = lane_points(piece, lane);
    const REAL_POINT point = escape_load(at);
    typename Kind::run run = run_begin<Kind>(piece, lane);
    struct COMPLEX delta = pixel.delta, reference = {point.x, point.y}, z = delta;
    DEEP_REAL norm = pixel.norm;
    int32_t taken = 0;
    bool rebased = false;
#ifdef REAL_SCALED
    const int32_t e = T(step_exponent)(pixel.e, common.exponent);
#else
    constexpr int32_t e = 0;
#endif
    lane.mode = MODE_SEARCH;
    while (taken < most && !rebased && norm <= common.bailout_squared) {
        DEEP_REAL slope = REAL_FMA(delta.x, delta.x, delta.y * delta.y);
        if (!e && run_may_leave(piece, run, norm, slope)) {
            pixel.slope = slope;
            pixel.direct = 1;
            delta = T(complex_add)(delta, 1, reference);
            lane.mode = MODE_DIRECT;
            break;
        }
#ifdef REAL_SCALED
        const bool scales = !e || run_scales(piece, run, reference, e, !taken && e != pixel.e);
#else
        constexpr bool scales = true;
#endif
        const struct COMPLEX next = run_step<Kind>(piece, lane, run, reference, delta);
        if (!scales || (Kind::wide && !run_holds(next, e))) {
            lane.mode = MODE_RUN;
            break;
        }
        delta = next;
        const REAL_POINT there = escape_load(at + ++taken);
        reference.x = there.x;
        reference.y = there.y;
#ifdef REAL_SCALED
        if (e && run_settles(run, reference, delta))
            break;
#endif
        z = T(complex_add)(delta, 1, reference);
        z = e ? reference : z;
        norm = REAL_FMA(z.x, z.x, z.y * z.y);
        rebased = !e && is_smaller(z, delta);
    }
    pixel.n += taken;
    pixel.m += taken;
    pixel.norm = norm;
    pixel.delta = delta;
#ifdef REAL_SCALED
    pixel.e = taken ? e : pixel.e;
#endif
    run_end<Kind>(lane, run);
    if (taken)
        pixel.level = 0;
    if (norm > common.bailout_squared) {
        pixel.count = pixel.n;
        lane.mode = MODE_DONE;
    } else if (rebased) {
        pixel.delta = z;
        lane_rebase(piece, lane);
        if (Kind::wide)
            T(wide_put)(&pixel, T(wide_settle)(pixel.delta, 0));
    }
    return (uint32_t)taken;
}

/* Number of such steps to the next n where a block may begin. */
template <class Kind>
static __device__ __forceinline__ int32_t steps_within(const struct deep_piece &piece,
                                                       const typename Kind::lane &lane)
{
    const int32_t aligned = 1 << lane_table(piece, lane).shortest, from = lane_from(lane);
    int32_t most = min(aligned - (from & (aligned - 1)), (int32_t)RUN_MOST);
    most = min(most, lane_to(piece, lane) - from - 1);
    return smaller_of(most, piece.common.limit - lane_state(lane).n - 1);
}

template <class Kind, class Lane>
static __device__ __forceinline__ uint32_t lane_within(const struct deep_piece &piece, Lane &lane,
                                                       int32_t most)
{
    return lane_run_within<Kind>(piece, lane, most);
}

/* Takes steps along the reference, at least one, unless it can be left. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run(const struct deep_piece &piece,
                                                    typename Kind::lane &lane)
{
    struct T(pixel_state) &pixel = lane_state(lane);
#ifdef REAL_SCALED
    constexpr bool over_one = true;
#else
    constexpr bool over_one = false;
#endif
    if (!(Kind::wide && ((pixel.e && !over_one) || Kind::slopes))) {
        uint32_t taken = lane_within<Kind>(piece, lane, steps_within<Kind>(piece, lane));
#ifdef REAL_SCALED
        if (taken && pixel.e && lane.mode == MODE_SEARCH && lane_settle(piece, lane))
            lane_ends_or_searches<Kind>(piece, lane);
#endif
        if (taken || lane.mode == MODE_DIRECT)
            return taken;
    }
    if (!(Kind::wide && pixel.e) && lane_leave(piece, lane)) {
        lane.mode = MODE_DIRECT;
        return 0;
    }
    pixel.level = 0;
    lane_step<Kind>(piece, lane);
    lane_ends_or_searches<Kind>(piece, lane);
    return 1;
}

/* Takes steps without the reference. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_direct(const struct deep_piece &piece,
                                                       typename Kind::lane &lane)
{
    int64_t taken;
    bool done = lane_direct_steps<Kind>(piece, lane, Kind::direct_most, &taken);
    lane.mode = done ? MODE_DONE : lane_state(lane).direct ? MODE_DIRECT : MODE_SEARCH;
    return (uint32_t)taken;
}

#endif
