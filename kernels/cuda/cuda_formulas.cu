#include "kernels/cuda/cuda_formulas.h"

#include "kernels/cuda/cuda_patch.h"
#include "kernels/escape/phase.h"

#define PREFIX f64x1
#define PACK double
#define STEP_FN static __device__ __forceinline__
#include "kernels/formula/steps.h"

enum {
    REFILL = 8,          /* lanes that must wait before they are seen to */
    STEPS = 32,          /* unchecked, between looks at what the lanes of a warp want, */
    UNROLLED = 4,        /* by so many in the code, */
    LOOK = 64,           /* and of those between looks at the clock */
    FIRST_KEEP = 512,    /* Brent starts here */
    RESIDENT_WARPS = 32, /* of a multiprocessor: 64 registers for a thread */
};

/* A lane whose run ended beyond R, or would pass the limit, waits at the run's start. */
enum lane_does { LANE_IDLE, LANE_STEPS, LANE_WAITS };

/* What is compiled for each formula: two loops. The kernels, which keep the lanes busy, call them
 * through tables, once in STEPS steps, as cpu_formulas.h does; a kernel for each formula took 6 MB
 * and half a minute of each architecture. */
typedef double2 run_function(double x, double y, double cx, double cy, int steps);
struct slope_state {
    double x, y, right_x, right_y, up_x, up_y;
};
typedef void slope_function(struct slope_state *state, double cx, double cy, double by_c,
                            int steps);

#define FORMULA(name, ...)                                                                      \
    static __device__ __noinline__ double2 run_##name(double x, double y, double cx, double cy, \
                                                      int steps)                                \
    {                                                                                           \
        _Pragma("unroll UNROLLED") for (int k = 0; k < steps; k++)                              \
            step_##name##_f64x1(&x, &y, cx, cy);                                                \
        return make_double2(x, y);                                                              \
    }                                                                                           \
    static __device__ __noinline__ void slope_##name(struct slope_state *state, double cx,      \
                                                     double cy, double by_c, int steps)         \
    {                                                                                           \
        double x = state->x, y = state->y;                                                      \
        struct f64x1_tangent right = {state->right_x, state->right_y, by_c, 0, 0, 0};           \
        struct f64x1_tangent up = {state->up_x, state->up_y, 0, by_c, 0, 0};                    \
        for (int k = 0; k < steps; k++)                                                         \
            slope_##name##_f64x1(&x, &y, cx, cy, &right, &up);                                  \
        *state = {x, y, right.x, right.y, up.x, up.y};                                          \
    }
#include "kernels/formula/formulas.inc"

#define FORMULA(name, ...) run_##name,
static __device__ run_function *const run_of[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

#define FORMULA(name, ...) slope_##name,
static __device__ slope_function *const slope_of[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

static __device__ __forceinline__ bool is_over(const struct formula_piece &work, int64_t end_ns)
{
    return is_stopped(work.piece) || __any_sync(EVERY_LANE, clock_ns() >= end_ns);
}

static __device__ __forceinline__ double2 point_of(const struct piece &piece, uint32_t at)
{
    double2 point;
    place_of<true>(piece, at, point.x, point.y);
    return point;
}

/* The beginning of a pixel's orbit, and its c. */
static __device__ __forceinline__ double2 z_begin(const struct piece &piece, uint32_t at)
{
    return piece.formula.plane == DYNAMIC_PLANE ? point_of(piece, at) : make_double2(0, 0);
}

static __device__ __forceinline__ double2 c_place(const struct piece &piece, uint32_t at)
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
    if (work.piece.count_bytes == 4)
        ((uint32_t *)work.piece.count)[index] = (uint32_t)count;
    else
        ((uint64_t *)work.piece.count)[index] = (uint64_t)count;
    if (work.piece.fraction)
        work.piece.fraction[index] = count ? fraction_of_degree(norm, work.scale) : 0.0f;
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

/* A run of unchecked steps. */
static __device__ __forceinline__ void count_run(const struct formula_piece &work,
                                                 struct formula_lane &lane, double2 c,
                                                 double bailout_squared, run_function *run)
{
    if (work.piece.limit - lane.n < STEPS) {
        lane.does = LANE_WAITS;
        return;
    }
    double2 z = run(lane.x, lane.y, c.x, c.y, STEPS);
    if (!(norm_of(z.x, z.y) <= bailout_squared)) {
        lane.does = LANE_WAITS;
        return;
    }
    lane.x = z.x;
    lane.y = z.y;
    lane.n += STEPS;
    if (work.piece.shortcuts && z.x == lane.of.count.kept_x && z.y == lane.of.count.kept_y) {
        count_write(work, lane.at, 0, 0);
        lane.does = LANE_IDLE;
    } else if (lane.n >= lane.of.count.keep_at) {
        lane.of.count.kept_x = z.x;
        lane.of.count.kept_y = z.y;
        lane.of.count.keep_at = lane.n < INT64_MAX / 2 ? 2 * lane.n : INT64_MAX;
    }
}

/* The last run of a pixel, every step tested; ends it. */
static __device__ __forceinline__ void count_end(const struct formula_piece &work,
                                                 struct formula_lane &lane, double2 c,
                                                 double bailout_squared, run_function *run)
{
    int64_t left = work.piece.limit - lane.n, count = 0;
    double2 z = make_double2(lane.x, lane.y);
    double norm = 0;
    int steps = left < STEPS ? (int)left : STEPS;
    for (int k = 1; k <= steps && !count; k++) {
        z = run(z.x, z.y, c.x, c.y, 1);
        norm = norm_of(z.x, z.y);
        count = norm <= bailout_squared ? 0 : lane.n + k;
    }
    count_write(work, lane.at, count, norm);
    lane.n = count ? count : work.piece.limit;
    lane.does = LANE_IDLE;
}

/* ---- slopes ---- */

/* At n = 0. A pixel that does not escape is done at once. */
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
        slope_store(work, index, {0.0f, 0.0f}, 0.0f);
}

static __device__ __forceinline__ void slope_run(const struct formula_piece &work,
                                                 struct formula_lane &lane, double2 c,
                                                 slope_function *slope)
{
    int steps = lane.n < STEPS ? (int)lane.n : STEPS;
    struct slope_state state = {lane.x,
                                lane.y,
                                lane.of.slope.right_x,
                                lane.of.slope.right_y,
                                lane.of.slope.up_x,
                                lane.of.slope.up_y};
    slope(&state, c.x, c.y, work.piece.formula.plane == PARAMETER_PLANE, steps);
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

/* At n = count; u and v make up dz (kernels/escape/distance.h). */
static __device__ __forceinline__ void slope_end(const struct formula_piece &work,
                                                 struct formula_lane &lane)
{
    const struct grid &grid = work.piece.grid;
    double u = lane.of.slope.right_x, v = lane.of.slope.right_y;
    if (!work.holomorphic)
        distance_slope(lane.x, lane.y, lane.of.slope.up_x, lane.of.slope.up_y, &u, &v);
    double per_x = fma(u, grid.step_re, -(v * grid.step_im));
    double per_y = fma(u, grid.step_im, v * grid.step_re);
    slope_store(work, index_of(work.piece, lane.at), distance_of(lane.x, lane.y, per_x, per_y, 0),
                phase_of(lane.x, lane.y));
    lane.does = LANE_IDLE;
}

/* ---- both ---- */

/* Gives pixels to idle lanes; says whether there may be more. */
template <enum formula_pass Pass>
static __device__ __forceinline__ bool pixels_take(const struct formula_piece &work,
                                                   struct formula_lane &lane)
{
    const struct grid &grid = work.piece.grid;
    const unsigned own = threadIdx.x % WARP;
    unsigned idle = __ballot_sync(EVERY_LANE, lane.does == LANE_IDLE);
    uint32_t in_row, end = patches(grid, &in_row) * WARP, first = 0;
    if (own == 0)
        first = atomicAdd(&work.progress->next, (uint32_t)__popc(idle));
    first = __shfl_sync(EVERY_LANE, first, 0);
    uint32_t i = first + (uint32_t)__popc(idle & ((1u << own) - 1));
    uint32_t patch = i / WARP, within = i % WARP;
    uint32_t x = patch % in_row * PATCH_WIDTH + within % PATCH_WIDTH;
    uint32_t y = patch / in_row * PATCH_HEIGHT + within / PATCH_WIDTH;
    if (lane.does == LANE_IDLE && i < end && x < (uint32_t)grid.width &&
        y < (uint32_t)grid.height) {
        if (Pass == FORMULA_COUNTS)
            count_begin(work, lane, x | y << 16);
        else
            slope_begin(work, lane, x | y << 16);
    }
    return first + (uint32_t)__popc(idle) < end;
}

template <enum formula_pass Pass>
__global__ void __launch_bounds__(FORMULA_THREADS, RESIDENT_WARPS *WARP / FORMULA_THREADS)
    formula_steps(const __grid_constant__ struct formula_piece work, int first)
{
    struct formula_lane *saved = &work.lanes[blockIdx.x * FORMULA_THREADS + threadIdx.x];
    struct formula_lane lane;
    memset(&lane, 0, sizeof lane);
    uint32_t in_row, end = patches(work.piece.grid, &in_row) * WARP;
    bool more = *(volatile uint32_t *)&work.progress->next < end;
    more = __any_sync(EVERY_LANE, more);
    if (!first)
        lane = *saved;
    const enum formula_step step = work.piece.formula.step;
    double2 c = make_double2(0, 0);
    double bailout_squared = work.piece.bailout * work.piece.bailout;
    if (lane.does != LANE_IDLE)
        c = c_place(work.piece, lane.at);
    unsigned long long iterations = 0;
    int64_t end_ns = clock_ns() + work.slice_ns;
    for (uint32_t round = 1; round % LOOK != 0 || !is_over(work, end_ns); round++) {
        unsigned steps = __ballot_sync(EVERY_LANE, lane.does == LANE_STEPS);
        unsigned waits = __ballot_sync(EVERY_LANE, lane.does == LANE_WAITS);
        if (!steps || (more && __popc(steps) <= WARP - REFILL)) {
            if (!steps && !waits && !more)
                break;
            if (lane.does == LANE_WAITS) {
                if (Pass == FORMULA_COUNTS) {
                    count_end(work, lane, c, bailout_squared, run_of[step]);
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
                c = c_place(work.piece, lane.at);
            continue;
        }
        if (lane.does == LANE_STEPS) {
            if (Pass == FORMULA_COUNTS) {
                count_run(work, lane, c, bailout_squared, run_of[step]);
                iterations += lane.does == LANE_IDLE ? (unsigned long long)lane.n : 0;
            } else {
                slope_run(work, lane, c, slope_of[step]);
            }
        }
        __syncwarp();
    }
    *saved = lane;
    more |= __any_sync(EVERY_LANE, lane.does != LANE_IDLE) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&work.progress->left, 1u);
    for (int d = WARP / 2; d; d /= 2)
        iterations += __shfl_xor_sync(EVERY_LANE, iterations, d);
    if (threadIdx.x % WARP == 0 && iterations)
        atomicAdd(&work.progress->iterations, iterations);
}

__global__ void formula_begin(struct formula_progress *progress, int first)
{
    progress->left = 0;
    progress->iterations = 0;
    if (first)
        progress->next = 0;
}

/* No copy: see deep_report. */
__global__ void formula_report(const struct formula_progress *progress,
                               struct formula_progress *report)
{
    *report = *progress;
}

unsigned formula_threads(const struct formula_piece *work, int units)
{
    uint64_t pixels = (uint64_t)work->piece.grid.width * (uint64_t)work->piece.grid.height;
    uint64_t most = (uint64_t)units * RESIDENT_WARPS * WARP;
    uint64_t threads = (pixels + FORMULA_THREADS - 1) / FORMULA_THREADS * FORMULA_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

void launch_formula(const struct formula_piece *work, enum formula_pass pass, unsigned threads,
                    int first, cudaStream_t stream)
{
    unsigned thread_blocks = threads / FORMULA_THREADS;
    formula_begin<<<1, 1, 0, stream>>>(work->progress, first);
    if (pass == FORMULA_COUNTS)
        formula_steps<FORMULA_COUNTS><<<thread_blocks, FORMULA_THREADS, 0, stream>>>(*work, first);
    else
        formula_steps<FORMULA_SLOPES><<<thread_blocks, FORMULA_THREADS, 0, stream>>>(*work, first);
    formula_report<<<1, 1, 0, stream>>>(work->progress, work->report);
}
