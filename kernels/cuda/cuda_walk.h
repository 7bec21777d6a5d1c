/* What does a thread do for its pixel between two looks at what the others of its warp want? CUDA
 * C++ only.
 *
 * It walks as walk_on does (kernels/deep/), by the same functions, one kind of step at a time. */
#ifndef KERNELS_CUDA_CUDA_WALK_H
#define KERNELS_CUDA_CUDA_WALK_H

#ifndef __CUDACC__
#error "cuda_walk.h: is for nvcc"
#endif

#include "kernels/cuda/cuda_deep.h"
#include "kernels/deep/walk_wide.h"

enum {
    RUN_MOST = 16, /* steps along the reference between looks at what other lanes want, */
    AWAY_MOST = 16 /* and steps without it */
};

/* What a lane waits for. DONE: to store its pixel; RUN: a step along the reference. */
enum mode { MODE_IDLE, MODE_DONE, MODE_SEARCH, MODE_LEAP, MODE_RUN, MODE_DIRECT };

/* Where the walk of a thread was some time ago: Brent's search for cycles, as walk_repeats does it,
 * but only in warps that have had no new pixels for a while, and only between rounds: every state
 * of a cycle comes back, so that it does not matter which are looked at. In shared memory, for
 * there are no registers left. */
struct lanes_kept {
    double x[DEEP_THREADS], y[DEEP_THREADS]; /* delta */
    int32_t m[DEEP_THREADS], level[DEEP_THREADS];
    uint32_t looks[DEEP_THREADS];
};

/* The constants that make several kernels; SLOPES: distances or phases are wanted. Without
 * blocks, to be compared with, there is no queue. */
template <bool BLOCKS, bool SLOPES, bool WIDE> struct kind {
    static constexpr bool blocks = BLOCKS, slopes = SLOPES, wide = WIDE;
};

/* Ends a walk along the reference that repeats itself: its count is 0, as it began. `begins`: what
 * is kept is of other walks. */
template <class Kind>
static __device__ __forceinline__ void lane_look_back(struct deep_lane &lane,
                                                      struct lanes_kept &kept, bool begins)
{
    const struct walk &walk = lane.walk;
    const unsigned t = threadIdx.x;
    if (begins)
        kept.looks[t] = 0;
    if (lane.mode != MODE_SEARCH || (Kind::wide && walk.e))
        return;
    const uint32_t looks = kept.looks[t];
    kept.looks[t] = looks + 1;
    if (looks && walk.delta.x == kept.x[t] && walk.delta.y == kept.y[t] &&
        (int32_t)walk.m == kept.m[t] && walk.level == kept.level[t])
        lane.mode = MODE_DONE;
    if ((looks & (looks - 1)) == 0) { /* a power of two */
        kept.x[t] = walk.delta.x;
        kept.y[t] = walk.delta.y;
        kept.m[t] = (int32_t)walk.m;
        kept.level[t] = walk.level;
    }
}

template <class Kind>
static __device__ __forceinline__ bool lane_arrive(const struct walk_scene &scene,
                                                   struct deep_lane &lane)
{
    bool done = (Kind::wide ? wide_arrive : walk_arrive)(&lane.walk, &scene);
    lane.mode = done ? MODE_DONE : MODE_SEARCH;
    return done;
}

/* The smaller one, which fits if the first does. */
static __device__ __forceinline__ int32_t smaller_of(int32_t a, int64_t b)
{
    return b < a ? (int32_t)b : a;
}

/* walk_level, with places in the orbit of 32 bits: a twentieth of all time. */
static __device__ __forceinline__ int lane_level(const struct walk &walk,
                                                 const struct walk_scene &scene, int32_t reach)
{
    const struct block_table &table = scene.table;
    const int32_t m = (int32_t)walk.m;
    if (m & ((1 << table.shortest) - 1))
        return -1;
    int32_t room = smaller_of(m ? m & -m : INT32_MAX, scene.limit - walk.n);
    room = min(room, (int32_t)scene.end - m);
    int level = 31 - __clz(room | 1) - table.shortest;
    level = min(level, min(walk.level + 2, table.levels - 1));
    while (level >= 0 && reach >= table.radius[level][m >> (table.shortest + level)])
        level--;
    return level;
}

template <class Kind>
static __device__ __forceinline__ void lane_search(const struct deep_piece &piece,
                                                   struct deep_lane &lane)
{
    struct walk &walk = lane.walk;
    int level = -1;
    if (Kind::blocks)
        level = lane_level(walk, piece.scene, walk_reach(&walk, Kind::wide ? walk.e : 0));
    lane.mode = level < 0 ? MODE_RUN : MODE_LEAP;
    if (level >= 0)
        walk.level = level;
}

template <class Kind>
static __device__ __forceinline__ uint32_t lane_leap(const struct deep_piece &piece,
                                                     struct deep_lane &lane)
{
    (Kind::wide ? wide_leap : walk_leap)(&lane.walk, &piece.scene, Kind::slopes, lane.walk.level);
    lane_arrive<Kind>(piece.scene, lane);
    return 1;
}

/* max(|a.x|, |a.y|) < max(|b.x|, |b.y|) */
static __device__ __forceinline__ bool is_smaller(struct complex_f64 a, struct complex_f64 b)
{
    double ax = fabs(a.x), ay = fabs(a.y), bx = fabs(b.x), by = fabs(b.y);
    return (ax < bx || ax < by) && (ay < bx || ay < by);
}

/* Steps that can come neither to the end of the reference nor to the limit: walk_along without what
 * is of no use then. They end where the reference may be left, and before a step that needs an
 * exponent of its own: then the mode is RUN. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run_within(const struct walk_scene &scene,
                                                           struct deep_lane &lane, int32_t most)
{
    struct walk &walk = lane.walk;
    const struct orbit_point *at = &scene.z[walk.m];
    const struct orbit_point point = escape_load(at);
    const struct complex_f64 c =
        Kind::wide ? complex_scale(wide_power(scene.exponent), walk.c) : walk.c;
    struct complex_f64 delta = walk.delta, reference = {point.x, point.y}, z = delta;
    double norm = walk.norm;
    int32_t taken = 0;
    bool rebased = false;
    lane.mode = MODE_SEARCH;
    while (taken < most && !rebased && norm <= scene.bailout_squared) {
        double slope = fma(delta.x, delta.x, delta.y * delta.y);
        if (direct_may(norm, slope, &scene.direct)) {
            walk.slope = slope;
            walk.direct = 1;
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
            walk.dz = delta_slope(complex_add(delta, 1, reference), walk.dz, scene.step);
        delta = next;
        const struct orbit_point there = escape_load(at + ++taken);
        reference.x = there.x;
        reference.y = there.y;
        z = complex_add(delta, 1, reference);
        norm = fma(z.x, z.x, z.y * z.y);
        rebased = is_smaller(z, delta);
    }
    walk.n += taken;
    walk.m += taken;
    walk.norm = norm;
    walk.delta = delta;
    if (taken)
        walk.level = 0;
    if (norm > scene.bailout_squared) {
        walk.count = walk.n;
        lane.mode = MODE_DONE;
    } else if (rebased) {
        walk.delta = z;
        walk.m = 0;
        walk.level = scene.table.levels - 1;
        if (Kind::wide)
            wide_put(&walk, wide_settle(walk.delta, 0));
    }
    return (uint32_t)taken;
}

/* How many such steps there are to the next place where a block may begin. */
static __device__ __forceinline__ int32_t steps_within(const struct walk_scene &scene,
                                                       const struct walk &walk)
{
    const int32_t aligned = 1 << scene.table.shortest, m = (int32_t)walk.m;
    int32_t most = min(aligned - (m & (aligned - 1)), (int32_t)RUN_MOST);
    most = min(most, (int32_t)scene.end - m - 1);
    return smaller_of(most, scene.limit - walk.n - 1);
}

/* Steps along the reference, at least one, unless it can be left. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run(const struct deep_piece &piece,
                                                    struct deep_lane &lane)
{
    const struct walk_scene &scene = piece.scene;
    struct walk &walk = lane.walk;
    if (Kind::blocks && !(Kind::wide && (walk.e || Kind::slopes))) {
        uint32_t taken = lane_run_within<Kind>(scene, lane, steps_within(scene, walk));
        if (taken || lane.mode == MODE_DIRECT)
            return taken;
    }
    if (Kind::blocks) {
        if (!(Kind::wide && walk.e) && walk_leave(&walk, &scene)) {
            lane.mode = MODE_DIRECT;
            return 0;
        }
        walk.level = 0;
    }
    (Kind::wide ? wide_step : walk_step)(&walk, &scene, Kind::slopes);
    lane_arrive<Kind>(scene, lane);
    return 1;
}

/* Steps without the reference. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_direct(const struct deep_piece &piece,
                                                       struct deep_lane &lane)
{
    int64_t taken;
    bool done = walk_away(&lane.walk, &piece.scene, Kind::slopes, Kind::wide, AWAY_MOST, &taken);
    lane.mode = done ? MODE_DONE : lane.walk.direct ? MODE_DIRECT : MODE_SEARCH;
    return (uint32_t)taken;
}

#endif
