/* The kernels of formulas: lanes of persistent warps take pixels, and the including file takes the
 * steps. CUDA C++ only; included by cuda_formulas.cu, and by the source that cuda_own.c has
 * compiled at run time.
 *
 * The including file defines before:
 *
 *     steps_whole(work, x, y, c, n)          z after n steps, from phase 0 on
 *     steps_one(work, x, y, c, phase)        after one
 *     steps_slope(work, state, c, by_c, n)   n steps of z and its derivatives, from phase 0 on
 *
 * and FORMULA_KERNELS(PREFIX) makes PREFIX_counts and PREFIX_slopes. */
#ifndef KERNELS_CUDA_CUDA_FORMULA_KERNEL_H
#define KERNELS_CUDA_CUDA_FORMULA_KERNEL_H

#include "kernels/cuda/cuda_formulas.h"
#include "kernels/cuda/cuda_patch.h"
#include "kernels/escape/phase.h"

enum {
    REFILL = 8,          /* lanes that must wait before they are handled */
    POLL = 64,           /* runs between polls of the clock */
    FIRST_KEEP = 512,    /* n at which Brent starts */
    OLD = 1024,          /* steps after which pixels are old */
    OLD_RUNS = 4,        /* runs without a test if all pixels of a warp are old */
    RESIDENT_WARPS = 32, /* warps of a multiprocessor: 64 registers for a thread */
};

/* A lane whose run ended beyond R, or would pass the limit, waits at the run's start. */
enum lane_does { LANE_IDLE, LANE_STEPS, LANE_WAITS };

static __device__ __forceinline__ double2 point_of(const struct piece &piece, uint32_t at)
{
    double2 point;
    point_at<true>(piece, at, point.x, point.y);
    return point;
}

/* The beginning of a pixel's orbit. */
static __device__ __forceinline__ double2 z_begin(const struct piece &piece, uint32_t at)
{
    return piece.formula.plane == DYNAMIC_PLANE ? point_of(piece, at) : make_double2(0, 0);
}

static __device__ __forceinline__ double2 c_at(const struct piece &piece, uint32_t at)
{
    return piece.formula.plane == DYNAMIC_PLANE
               ? make_double2(piece.formula.c_re, piece.formula.c_im)
               : point_of(piece, at);
}

/* ---- counts ---- */

static __device__ __forceinline__ void count_write(const struct formula_piece &work, uint32_t at,
                                                   int64_t count, double norm)
{
    size_t index = index_of(work.piece, at);
    count_store(work.piece, index, count);
    if (work.piece.fraction)
        work.piece.fraction[index] =
            count ? fraction_of_degree(norm, work.scale[(count - 1) % work.phases]) : 0.0f;
}

static __device__ __forceinline__ void count_begin(const struct formula_piece &work,
                                                   struct formula_lane &lane, uint32_t at)
{
    lane.at = at;
    lane.n = 0;
    lane.of.count.kept_x = lane.of.count.kept_y = INFINITY; /* equals nothing that goes on */
    lane.of.count.keep_at = FIRST_KEEP;
    lane.does = LANE_STEPS;
    double2 z = z_begin(work.piece, at);
    lane.x = z.x;
    lane.y = z.y;
}

/* Takes `runs` runs of unchecked steps. */
static __device__ __forceinline__ void count_run(const struct formula_piece &work,
                                                 struct formula_lane &lane, double2 c,
                                                 double bailout_squared, int runs)
{
    const int steps = runs * work.run;
    if (work.piece.limit - lane.n < steps) {
        lane.does = LANE_WAITS;
        return;
    }
    double2 z = steps_whole(work, lane.x, lane.y, c, steps);
    if (!(norm_of(z.x, z.y) <= bailout_squared)) {
        lane.does = LANE_WAITS;
        return;
    }
    lane.x = z.x;
    lane.y = z.y;
    lane.n += steps;
    if (work.piece.shortcuts && z.x == lane.of.count.kept_x && z.y == lane.of.count.kept_y) {
        count_write(work, lane.at, 0, 0);
        lane.does = LANE_IDLE;
    } else if (lane.n >= lane.of.count.keep_at) {
        lane.of.count.kept_x = z.x;
        lane.of.count.kept_y = z.y;
        lane.of.count.keep_at = lane.n < INT64_MAX / 2 ? 2 * lane.n : INT64_MAX;
    }
}

/* Takes the last run of a pixel, every step tested, and ends the pixel. */
static __device__ __forceinline__ void count_end(const struct formula_piece &work,
                                                 struct formula_lane &lane, double2 c,
                                                 double bailout_squared)
{
    int64_t left = work.piece.limit - lane.n, count = 0;
    double2 z = make_double2(lane.x, lane.y);
    double norm = 0;
    int most = OLD_RUNS * work.run, steps = left < most ? (int)left : most;
    for (int k = 1; k <= steps && !count; k++) {
        z = steps_one(work, z.x, z.y, c, (k - 1) % work.phases);
        norm = norm_of(z.x, z.y);
        count = norm <= bailout_squared ? 0 : lane.n + k;
    }
    count_write(work, lane.at, count, norm);
    lane.n = count ? count : work.piece.limit;
    lane.does = LANE_IDLE;
}

/* ---- slopes ---- */

/* Begins a pixel at n = 0. A pixel that does not escape is done at once. */
static __device__ __forceinline__ void slope_begin(const struct formula_piece &work,
                                                   struct formula_lane &lane, uint32_t at)
{
    const struct piece &piece = work.piece;
    size_t index = index_of(piece, at);
    lane.at = at;
    lane.n = piece.count_bytes == 4 ? (int64_t)((const uint32_t *)piece.count)[index]
                                    : (int64_t)((const uint64_t *)piece.count)[index];
    lane.does = lane.n ? LANE_STEPS : LANE_IDLE;
    double2 z = z_begin(piece, at);
    lane.x = z.x;
    lane.y = z.y;
    lane.of.slope.right_x = lane.of.slope.up_y = piece.formula.plane == DYNAMIC_PLANE;
    lane.of.slope.right_y = lane.of.slope.up_x = 0;
    if (!lane.n)
        slope_store(work, work.piece.grid, index, {0.0f, 0.0f}, 0.0f);
}

static __device__ __forceinline__ void slope_run(const struct formula_piece &work,
                                                 struct formula_lane &lane, double2 c)
{
    const double by_c = work.piece.formula.plane == PARAMETER_PLANE;
    int steps = lane.n < work.run ? (int)lane.n : work.run;
    struct slope_state state = {lane.x,
                                lane.y,
                                lane.of.slope.right_x,
                                lane.of.slope.right_y,
                                lane.of.slope.up_x,
                                lane.of.slope.up_y};
    steps_slope(work, &state, c, by_c, steps);
    lane.x = state.x;
    lane.y = state.y;
    lane.of.slope.right_x = state.right_x;
    lane.of.slope.right_y = state.right_y;
    lane.of.slope.up_x = state.up_x;
    lane.of.slope.up_y = state.up_y;
    lane.n -= steps;
    if (!lane.n)
        lane.does = LANE_WAITS;
}

/* Ends a pixel at n = count; u and v make up dz (kernels/escape/distance.h). */
static __device__ __forceinline__ void slope_end(const struct formula_piece &work,
                                                 struct formula_lane &lane)
{
    const struct grid &grid = work.piece.grid;
    double u = lane.of.slope.right_x, v = lane.of.slope.right_y;
    if (!work.holomorphic)
        distance_slope(lane.x, lane.y, lane.of.slope.up_x, lane.of.slope.up_y, &u, &v);
    double per_x = fma(u, grid.step_re, -(v * grid.step_im));
    double per_y = fma(u, grid.step_im, v * grid.step_re);
    slope_store(work, work.piece.grid, index_of(work.piece, lane.at),
                distance_of(lane.x, lane.y, per_x, per_y, 0), phase_of(lane.x, lane.y));
    lane.does = LANE_IDLE;
}

/* ---- both ---- */

/* Gives pixels to idle lanes; says whether there may be more. */
template <enum formula_pass Pass>
static __device__ __forceinline__ bool pixels_take(const struct formula_piece &work,
                                                   struct formula_lane &lane)
{
    unsigned idle = __ballot_sync(EVERY_LANE, lane.does == LANE_IDLE);
    uint32_t at;
    bool more;
    bool takes = patch_take(work.piece.grid, &work.progress->next, idle, &at, &more);
    if (lane.does == LANE_IDLE && takes) {
        if (Pass == FORMULA_COUNTS)
            count_begin(work, lane, at);
        else
            slope_begin(work, lane, at);
    }
    return more;
}

template <enum formula_pass Pass>
static __device__ __forceinline__ void formula_work(const struct formula_piece &work, int first)
{
    struct formula_lane *saved = &work.lanes[blockIdx.x * FORMULA_THREADS + threadIdx.x];
    struct formula_lane lane;
    memset(&lane, 0, sizeof lane);
    bool more = patches_left(work.piece.grid, &work.progress->next);
    if (!first)
        lane = *saved;
    double2 c = make_double2(0, 0);
    double bailout_squared = work.piece.bailout * work.piece.bailout;
    if (lane.does != LANE_IDLE)
        c = c_at(work.piece, lane.at);
    unsigned long long iterations = 0;
    int64_t end_ns = clock_ns() + work.slice_ns;
    for (uint32_t round = 1; round % POLL != 0 || !slice_over(work.piece, end_ns); round++) {
        unsigned steps = __ballot_sync(EVERY_LANE, lane.does == LANE_STEPS);
        unsigned waits = __ballot_sync(EVERY_LANE, lane.does == LANE_WAITS);
        if (!steps || (more && __popc(steps) <= WARP - REFILL)) {
            if (!steps && !waits && !more)
                break;
            if (lane.does == LANE_WAITS) {
                if (Pass == FORMULA_COUNTS) {
                    count_end(work, lane, c, bailout_squared);
                    iterations += (unsigned long long)lane.n;
                } else {
                    slope_end(work, lane);
                }
            }
            __syncwarp();
            bool was_idle = lane.does == LANE_IDLE;
            if (more)
                more = pixels_take<Pass>(work, lane);
            if (was_idle && lane.does != LANE_IDLE)
                c = c_at(work.piece, lane.at);
            continue;
        }
        const bool old = __all_sync(EVERY_LANE, lane.does != LANE_STEPS || lane.n >= OLD);
        if (lane.does == LANE_STEPS) {
            if (Pass == FORMULA_COUNTS) {
                count_run(work, lane, c, bailout_squared, old ? OLD_RUNS : 1);
                iterations += lane.does == LANE_IDLE ? (unsigned long long)lane.n : 0;
            } else {
                slope_run(work, lane, c);
            }
        }
        __syncwarp();
    }
    *saved = lane;
    more |= __any_sync(EVERY_LANE, lane.does != LANE_IDLE) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&work.progress->left, 1u);
    add_iterations(&work.progress->iterations, iterations);
}

#define FORMULA_BOUNDS __launch_bounds__(FORMULA_THREADS, RESIDENT_WARPS *WARP / FORMULA_THREADS)
#define FORMULA_KERNELS(prefix)                                       \
    extern "C" __global__ void FORMULA_BOUNDS prefix##_counts(        \
        const __grid_constant__ struct formula_piece work, int first) \
    {                                                                 \
        formula_work<FORMULA_COUNTS>(work, first);                    \
    }                                                                 \
    extern "C" __global__ void FORMULA_BOUNDS prefix##_slopes(        \
        const __grid_constant__ struct formula_piece work, int first) \
    {                                                                 \
        formula_work<FORMULA_SLOPES>(work, first);                    \
    }

#endif
