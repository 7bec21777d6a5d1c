/* Pixels by perturbation of every formula and plane but z^2 + c in its parameter plane: what a
 * thread does for its pixel between two votes of its warp, as formula_on does it
 * (kernels/deep/formula_pixel.h) and as cuda_deep_pixel.h has it for z^2 + c. The operations are
 * read at run time: one kernel for all rows, and one for all own formulas (DEEP_OWN). CUDA C++
 * only. */
#ifndef KERNELS_CUDA_CUDA_DEEP_FORMULA_LANE_H
#define KERNELS_CUDA_CUDA_DEEP_FORMULA_LANE_H

#ifndef __CUDACC__
#error "cuda_deep_formula_lane.h: is for nvcc"
#endif

#include "kernels/cuda/cuda_deep.h"
#include "kernels/cuda/cuda_patch.h"

enum {
    RUN_MOST = 16, /* steps along the reference between looks at what other lanes want, */
    AWAY_MOST = 16 /* and steps without it */
};

/* As in cuda_deep_pixel.h. */
struct lanes_kept {
    double x[DEEP_THREADS], y[DEEP_THREADS]; /* delta */
    int32_t m[DEEP_THREADS], level[DEEP_THREADS], reference[DEEP_THREADS];
    uint32_t looks[DEEP_THREADS];
};

template <bool BLOCKS, bool SLOPES, bool WIDE> struct kind {
    static constexpr bool blocks = BLOCKS, slopes = SLOPES, wide = WIDE;
    static constexpr int resident_warps = SLOPES ? DEEP_SLOPES_RESIDENT_WARPS : DEEP_RESIDENT_WARPS;
    typedef struct deep_formula_lane lane;
};

/* ---- its beginning and its end ---- */

static __device__ __forceinline__ bool lane_set(const struct deep_piece &piece,
                                                struct deep_formula_lane &lane, double re,
                                                double im, int32_t, int32_t)
{
    lane.pixel = formula_begin(piece.formula, re, im);
    return true;
}

/* What nobody asks for need not be kept in registers. */
template <class Kind>
static __device__ __forceinline__ void lane_forget(struct deep_formula_lane &lane)
{
    const struct complex_f64 none = {0, 0};
    lane.pixel.at.steps = 0;
    if (!Kind::slopes) {
        lane.pixel.at.dz = lane.pixel.up = none;
        lane.pixel.at.dz_e = lane.pixel.up_e = 0;
    }
}

template <class Kind>
static __device__ __forceinline__ void lane_finish(const struct deep_piece &piece,
                                                   struct deep_formula_lane &lane)
{
    formula_finish(&lane.pixel, piece.formula, Kind::slopes);
}

static __device__ __forceinline__ int64_t lane_count(const struct deep_formula_lane &lane)
{
    return lane.pixel.at.count;
}

static __device__ __forceinline__ float lane_fraction(const struct deep_piece &piece,
                                                      const struct deep_formula_lane &lane)
{
    const struct pixel_state &at = lane.pixel.at;
    if (DEEP_OWN)
        return formula_fraction(&lane.pixel, piece.formula);
    return at.count ? fraction_of_degree(at.norm, piece.fraction_scale) : 0.0f;
}

static __device__ __forceinline__ struct distance
lane_distance(const struct deep_piece &piece, const struct deep_formula_lane &lane)
{
    return formula_distance(&lane.pixel, piece.formula);
}

static __device__ __forceinline__ float lane_phase(const struct deep_piece &piece,
                                                   const struct deep_formula_lane &lane)
{
    return formula_phase_of_end(&lane.pixel, piece.formula);
}

/* ---- between them ---- */

template <class Kind>
static __device__ __forceinline__ void lane_look_back(struct deep_formula_lane &lane,
                                                      struct lanes_kept &kept, bool begins)
{
    const struct pixel_state &at = lane.pixel.at;
    const unsigned t = threadIdx.x;
    if (begins)
        kept.looks[t] = 0;
    if (lane.mode != MODE_SEARCH || (Kind::wide && at.e))
        return;
    const uint32_t looks = kept.looks[t];
    kept.looks[t] = looks + 1;
    if (looks && at.delta.x == kept.x[t] && at.delta.y == kept.y[t] && (int32_t)at.m == kept.m[t] &&
        at.level == kept.level[t] && lane.pixel.reference == kept.reference[t])
        lane.mode = MODE_DONE;
    if ((looks & (looks - 1)) == 0) { /* a power of two */
        kept.x[t] = at.delta.x;
        kept.y[t] = at.delta.y;
        kept.m[t] = (int32_t)at.m;
        kept.level[t] = at.level;
        kept.reference[t] = lane.pixel.reference;
    }
}

template <class Kind>
static __device__ __forceinline__ void lane_arrive(const struct formula_common &common,
                                                   struct deep_formula_lane &lane)
{
    bool done = (Kind::wide ? formula_arrive_of_wide : formula_arrive)(&lane.pixel, &common);
    lane.mode = done ? MODE_DONE : MODE_SEARCH;
}

/* The smaller one, which fits if the first does. */
static __device__ __forceinline__ int32_t smaller_of(int32_t a, int64_t b)
{
    return b < a ? (int32_t)b : a;
}

/* formula_level, with places in the orbit of 32 bits. */
static __device__ __forceinline__ int lane_level(const struct formula_pixel &pixel,
                                                 const struct formula_common &common, int64_t limit,
                                                 int32_t reach)
{
    const struct block_table &table = common.table[pixel.reference];
    const int32_t from = (int32_t)pixel.at.m - 1;
    if (from < 0 || (from & ((1 << table.shortest) - 1)))
        return -1;
    int32_t room = smaller_of(from ? from & -from : INT32_MAX, limit - pixel.at.n);
    room = min(room, (int32_t)common.reference[pixel.reference].end - from - 1);
    int level = 31 - __clz(room | 1) - table.shortest;
    level = min(level, min(pixel.at.level + 2, table.levels - 1));
    while (level >= 0 && reach >= table.radius[level][from >> (table.shortest + level)])
        level--;
    return level;
}

template <class Kind>
static __device__ __forceinline__ void lane_search(const struct deep_piece &piece,
                                                   struct deep_formula_lane &lane)
{
    struct pixel_state &at = lane.pixel.at;
    int level = -1;
    if (Kind::blocks)
        level = lane_level(lane.pixel, *piece.formula, piece.common.limit,
                           wide_key(complex_reach(at.delta), Kind::wide ? at.e : 0));
    lane.mode = level < 0 ? MODE_RUN : MODE_LEAP;
    if (level >= 0)
        at.level = level;
}

template <class Kind>
static __device__ __forceinline__ uint32_t lane_leap(const struct deep_piece &piece,
                                                     struct deep_formula_lane &lane)
{
    (Kind::wide ? formula_leap_of_wide : formula_leap)(&lane.pixel, piece.formula, Kind::slopes,
                                                       lane.pixel.at.level);
    lane_arrive<Kind>(*piece.formula, lane);
    return 1;
}

/* Steps that can come neither to the end of the reference nor to the limit: formula_along without
 * what is of no use then. They end where the reference may be left, and before a step that needs an
 * exponent of its own: then the mode is RUN. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run_within(const struct deep_piece &piece,
                                                           struct deep_formula_lane &lane,
                                                           int32_t most)
{
    const struct formula_common &common = *piece.formula;
    const struct pixel_common &shared = piece.common;
    struct formula_pixel &pixel = lane.pixel;
    const struct formula_reference &along = common.reference[pixel.reference];
    const struct orbit_point *at = &along.z[pixel.at.m];
    const int32_t tape_width = along.tape_width;
    const struct orbit_point *tape = along.tape + pixel.at.m * tape_width;
    const struct orbit_point point = escape_load(at);
    struct complex_f64 delta = pixel.at.delta, reference = {point.x, point.y}, z = delta;
    struct formula_tangents t = formula_tangents_of(&pixel);
    const int both = !common.program.holomorphic;
    const bool similar = common.program.similar;
    struct formula_step_input input;
    input.c = Kind::wide ? complex_scale(wide_power(shared.exponent), pixel.at.c) : pixel.at.c;
    input.centre = shared.direct.centre;
    input.right = common.dynamic ? complex_scale(0, shared.step) : shared.step;
    double norm = pixel.at.norm;
    int32_t taken = 0, turn = formula_list_at(&common, pixel.at.n);
    bool rebased = false, away = similar && pixel.at.n;
    lane.mode = MODE_SEARCH;
    while (taken < most && !rebased && norm <= shared.bailout_squared) {
        const struct program_list list = formula_list(&common, turn);
        double slope = fma(delta.x, delta.x, delta.y * delta.y);
        if (away &&
            direct_end(norm,
                       formula_direct_next(slope, norm, list_stretch(list), list.phase->degree),
                       &shared.direct) == DIRECT_GOES_ON) {
            pixel.at.slope = slope;
            pixel.at.direct = 1;
            delta = complex_add(delta, 1, reference);
            lane.mode = MODE_DIRECT;
            break;
        }
        struct complex_f64 next =
            formula_delta_step(list, reference, tape, delta, &input, Kind::slopes, both, &t);
        if (Kind::wide && !wide_is_plain(next)) {
            lane.mode = MODE_RUN;
            break;
        }
        delta = next;
        tape += tape_width;
        const struct orbit_point there = escape_load(at + ++taken);
        reference.x = there.x;
        reference.y = there.y;
        z = complex_add(delta, 1, reference);
        norm = fma(z.x, z.x, z.y * z.y);
        rebased = complex_max(z) < complex_max(delta);
        turn = turn + 1 == common.program.phases ? 0 : turn + 1;
        away = similar;
    }
    pixel.at.n += taken;
    pixel.at.m += taken;
    pixel.at.norm = norm;
    pixel.at.delta = delta;
    if (Kind::slopes) {
        pixel.at.dz = t.right;
        pixel.up = t.up;
    }
    if (taken)
        pixel.at.level = 0;
    if (norm > shared.bailout_squared) {
        pixel.at.count = pixel.at.n;
        lane.mode = MODE_DONE;
    } else if (rebased) {
        pixel.at.delta = z;
        formula_rebase(&pixel, &common);
        if (Kind::wide)
            wide_put(&pixel.at, wide_settle(pixel.at.delta, 0));
    }
    return (uint32_t)taken;
}

/* How many such steps there are to the next place where a block may begin. */
static __device__ __forceinline__ int32_t steps_within(const struct formula_common &common,
                                                       const struct formula_pixel &pixel)
{
    const int32_t aligned = 1 << common.table[pixel.reference].shortest, m = (int32_t)pixel.at.m;
    int32_t most = min(aligned - ((m - 1) & (aligned - 1)), (int32_t)RUN_MOST);
    most = min(most, (int32_t)common.reference[pixel.reference].end - m - 1);
    return smaller_of(most, common.shared.limit - pixel.at.n - 1);
}

/* Steps along the reference, at least one, unless it can be left. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run(const struct deep_piece &piece,
                                                    struct deep_formula_lane &lane)
{
    const struct formula_common &common = *piece.formula;
    struct formula_pixel &pixel = lane.pixel;
    if (Kind::blocks && !(Kind::wide && (pixel.at.e || Kind::slopes))) {
        uint32_t taken = lane_run_within<Kind>(piece, lane, steps_within(common, pixel));
        if (taken || lane.mode == MODE_DIRECT)
            return taken;
    }
    if (Kind::blocks) {
        if (!(Kind::wide && pixel.at.e) && formula_leave(&pixel, &common)) {
            lane.mode = MODE_DIRECT;
            return 0;
        }
        pixel.at.level = 0;
    }
    (Kind::wide ? formula_step_of_wide : formula_step)(&pixel, &common, Kind::slopes);
    lane_arrive<Kind>(common, lane);
    return 1;
}

/* Steps without the reference. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_direct(const struct deep_piece &piece,
                                                       struct deep_formula_lane &lane)
{
    int64_t taken;
    struct pixel_state &at = lane.pixel.at;
    bool done =
        formula_away(&lane.pixel, piece.formula, Kind::slopes, Kind::wide, AWAY_MOST, &taken);
    lane.mode = done ? MODE_DONE : at.direct ? MODE_DIRECT : MODE_SEARCH;
    return (uint32_t)taken;
}

#include "kernels/cuda/cuda_deep_queue.h"

#endif
