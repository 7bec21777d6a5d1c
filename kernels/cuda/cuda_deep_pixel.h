/* What a GPU thread does for its pixel by perturbation between two votes of its warp. CUDA C++
 * only.
 *
 * It steps as pixel_on does (kernels/deep/), by the same functions, one kind of step at a time. */
#ifndef KERNELS_CUDA_CUDA_DEEP_PIXEL_H
#define KERNELS_CUDA_CUDA_DEEP_PIXEL_H

#ifndef __CUDACC__
#error "cuda_deep_pixel.h: is for nvcc"
#endif

#include "kernels/cuda/cuda_deep.h"
#include "kernels/deep/inside.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/fraction.h"

enum {
    RUN_MOST = 16, /* steps along the reference between looks at what other lanes want, */
    AWAY_MOST = 16 /* and steps without it */
};

/* Where the pixel of a thread was some time ago: Brent's search for cycles, as pixel_repeats does
 * it, but only in warps that have had no new pixels for a while, and only between rounds: every
 * state of a cycle comes back, so that it does not matter which are looked at. In shared memory,
 * for there are no registers left. */
struct lanes_kept {
    double x[DEEP_THREADS], y[DEEP_THREADS]; /* delta */
    int32_t m[DEEP_THREADS], level[DEEP_THREADS];
    uint32_t looks[DEEP_THREADS];
};

/* The constants that make several kernels; SLOPES: distances or phases are wanted. Without
 * blocks, to be compared with, there is no queue. */
template <bool BLOCKS, bool SLOPES, bool WIDE> struct kind {
    static constexpr bool blocks = BLOCKS, slopes = SLOPES, wide = WIDE;
    static constexpr int resident_warps = DEEP_RESIDENT_WARPS;
    typedef struct deep_lane lane;
};

/* Says whether the pixel is not known to be inside. */
static __device__ __forceinline__ bool lane_set(const struct deep_piece &piece,
                                                struct deep_lane &lane, double re, double im,
                                                int32_t x, int32_t y)
{
    lane.pixel = pixel_begin(&piece.common, re, im);
    return !(piece.inside && (piece.inside[y / INSIDE_PX * piece.squares_in_row + x / INSIDE_PX] ||
                              inside_pixel(&piece.common, re, im)));
}

/* What nobody asks for need not be kept in registers. */
template <class Kind> static __device__ __forceinline__ void lane_forget(struct deep_lane &lane)
{
    const struct complex_f64 none = {0, 0};
    lane.pixel.steps = 0;
    if (!Kind::slopes) {
        lane.pixel.dz = none;
        lane.pixel.dz_e = 0;
    }
}

template <class Kind>
static __device__ __forceinline__ void lane_finish(const struct deep_piece &, struct deep_lane &)
{
}

static __device__ __forceinline__ int64_t lane_count(const struct deep_lane &lane)
{
    return lane.pixel.count;
}

static __device__ __forceinline__ float lane_fraction(const struct deep_piece &piece,
                                                      const struct deep_lane &lane)
{
    return fraction_of(lane.pixel.count ? (float)lane.pixel.norm : 0.0f, piece.fraction_offset);
}

static __device__ __forceinline__ struct distance lane_distance(const struct deep_piece &piece,
                                                                const struct deep_lane &lane)
{
    return pixel_distance(&lane.pixel, &piece.common);
}

static __device__ __forceinline__ float lane_phase(const struct deep_piece &piece,
                                                   const struct deep_lane &lane)
{
    return pixel_phase(&lane.pixel, &piece.common);
}

/* Ends a pixel whose orbit along the reference repeats itself: its count is 0, as it began.
 * `begins`: what is kept is of other pixels. */
template <class Kind>
static __device__ __forceinline__ void lane_look_back(struct deep_lane &lane,
                                                      struct lanes_kept &kept, bool begins)
{
    const struct pixel_state &pixel = lane.pixel;
    const unsigned t = threadIdx.x;
    if (begins)
        kept.looks[t] = 0;
    if (lane.mode != MODE_SEARCH || (Kind::wide && pixel.e))
        return;
    const uint32_t looks = kept.looks[t];
    kept.looks[t] = looks + 1;
    if (looks && pixel.delta.x == kept.x[t] && pixel.delta.y == kept.y[t] &&
        (int32_t)pixel.m == kept.m[t] && pixel.level == kept.level[t])
        lane.mode = MODE_DONE;
    if ((looks & (looks - 1)) == 0) { /* a power of two */
        kept.x[t] = pixel.delta.x;
        kept.y[t] = pixel.delta.y;
        kept.m[t] = (int32_t)pixel.m;
        kept.level[t] = pixel.level;
    }
}

template <class Kind>
static __device__ __forceinline__ bool lane_arrive(const struct pixel_common &common,
                                                   struct deep_lane &lane)
{
    bool done = (Kind::wide ? wide_arrive : pixel_arrive)(&lane.pixel, &common);
    lane.mode = done ? MODE_DONE : MODE_SEARCH;
    return done;
}

/* The smaller one, which fits if the first does. */
static __device__ __forceinline__ int32_t smaller_of(int32_t a, int64_t b)
{
    return b < a ? (int32_t)b : a;
}

/* pixel_level, with places in the orbit of 32 bits: a twentieth of all time. */
static __device__ __forceinline__ int lane_level(const struct pixel_state &pixel,
                                                 const struct pixel_common &common, int32_t reach)
{
    const struct block_table &table = common.table;
    const int32_t m = (int32_t)pixel.m;
    if (m & ((1 << table.shortest) - 1))
        return -1;
    int32_t room = smaller_of(m ? m & -m : INT32_MAX, common.limit - pixel.n);
    room = min(room, (int32_t)common.end - m);
    int level = 31 - __clz(room | 1) - table.shortest;
    level = min(level, min(pixel.level + 2, table.levels - 1));
    while (level >= 0 && reach >= table.radius[level][m >> (table.shortest + level)])
        level--;
    return level;
}

template <class Kind>
static __device__ __forceinline__ void lane_search(const struct deep_piece &piece,
                                                   struct deep_lane &lane)
{
    struct pixel_state &pixel = lane.pixel;
    int level = -1;
    if (Kind::blocks)
        level = lane_level(pixel, piece.common, pixel_reach(&pixel, Kind::wide ? pixel.e : 0));
    lane.mode = level < 0 ? MODE_RUN : MODE_LEAP;
    if (level >= 0)
        pixel.level = level;
}

template <class Kind>
static __device__ __forceinline__ uint32_t lane_leap(const struct deep_piece &piece,
                                                     struct deep_lane &lane)
{
    (Kind::wide ? wide_leap : pixel_leap)(&lane.pixel, &piece.common, Kind::slopes,
                                          lane.pixel.level);
    lane_arrive<Kind>(piece.common, lane);
    return 1;
}

/* max(|a.x|, |a.y|) < max(|b.x|, |b.y|) */
static __device__ __forceinline__ bool is_smaller(struct complex_f64 a, struct complex_f64 b)
{
    double ax = fabs(a.x), ay = fabs(a.y), bx = fabs(b.x), by = fabs(b.y);
    return (ax < bx || ax < by) && (ay < bx || ay < by);
}

/* Steps that can come neither to the end of the reference nor to the limit: pixel_along without
 * what is of no use then. They end where the reference may be left, and before a step that needs an
 * exponent of its own: then the mode is RUN. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run_within(const struct pixel_common &common,
                                                           struct deep_lane &lane, int32_t most)
{
    struct pixel_state &pixel = lane.pixel;
    const struct orbit_point *at = &common.z[pixel.m];
    const struct orbit_point point = escape_load(at);
    const struct complex_f64 c =
        Kind::wide ? complex_scale(wide_power(common.exponent), pixel.c) : pixel.c;
    struct complex_f64 delta = pixel.delta, reference = {point.x, point.y}, z = delta;
    double norm = pixel.norm;
    int32_t taken = 0;
    bool rebased = false;
    lane.mode = MODE_SEARCH;
    while (taken < most && !rebased && norm <= common.bailout_squared) {
        double slope = fma(delta.x, delta.x, delta.y * delta.y);
        if (direct_may(norm, slope, &common.direct)) {
            pixel.slope = slope;
            pixel.direct = 1;
            delta = complex_add(delta, 1, reference);
            lane.mode = MODE_DIRECT;
            break;
        }
        struct complex_f64 next = delta_step(reference, delta, c);
        if (Kind::wide && !wide_is_plain(next)) {
            lane.mode = MODE_RUN;
            break;
        }
        if (Kind::slopes)
            pixel.dz = delta_slope(complex_add(delta, 1, reference), pixel.dz, common.step);
        delta = next;
        const struct orbit_point there = escape_load(at + ++taken);
        reference.x = there.x;
        reference.y = there.y;
        z = complex_add(delta, 1, reference);
        norm = fma(z.x, z.x, z.y * z.y);
        rebased = is_smaller(z, delta);
    }
    pixel.n += taken;
    pixel.m += taken;
    pixel.norm = norm;
    pixel.delta = delta;
    if (taken)
        pixel.level = 0;
    if (norm > common.bailout_squared) {
        pixel.count = pixel.n;
        lane.mode = MODE_DONE;
    } else if (rebased) {
        pixel.delta = z;
        pixel.m = 0;
        pixel.level = common.table.levels - 1;
        if (Kind::wide)
            wide_put(&pixel, wide_settle(pixel.delta, 0));
    }
    return (uint32_t)taken;
}

/* How many such steps there are to the next place where a block may begin. */
static __device__ __forceinline__ int32_t steps_within(const struct pixel_common &common,
                                                       const struct pixel_state &pixel)
{
    const int32_t aligned = 1 << common.table.shortest, m = (int32_t)pixel.m;
    int32_t most = min(aligned - (m & (aligned - 1)), (int32_t)RUN_MOST);
    most = min(most, (int32_t)common.end - m - 1);
    return smaller_of(most, common.limit - pixel.n - 1);
}

/* Steps along the reference, at least one, unless it can be left. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run(const struct deep_piece &piece,
                                                    struct deep_lane &lane)
{
    const struct pixel_common &common = piece.common;
    struct pixel_state &pixel = lane.pixel;
    if (Kind::blocks && !(Kind::wide && (pixel.e || Kind::slopes))) {
        uint32_t taken = lane_run_within<Kind>(common, lane, steps_within(common, pixel));
        if (taken || lane.mode == MODE_DIRECT)
            return taken;
    }
    if (Kind::blocks) {
        if (!(Kind::wide && pixel.e) && pixel_leave(&pixel, &common)) {
            lane.mode = MODE_DIRECT;
            return 0;
        }
        pixel.level = 0;
    }
    (Kind::wide ? wide_step : pixel_step)(&pixel, &common, Kind::slopes);
    lane_arrive<Kind>(common, lane);
    return 1;
}

/* Steps without the reference. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_direct(const struct deep_piece &piece,
                                                       struct deep_lane &lane)
{
    int64_t taken;
    bool done = pixel_away(&lane.pixel, &piece.common, Kind::slopes, Kind::wide, AWAY_MOST, &taken);
    lane.mode = done ? MODE_DONE : lane.pixel.direct ? MODE_DIRECT : MODE_SEARCH;
    return (uint32_t)taken;
}

#endif
