#include "kernels/cuda/cuda_slopes.h"

#include "kernels/cuda/cuda_patch.h"
#include "kernels/escape/phase.h"

enum {
    REFILL = 8,         /* lanes that are done before new pixels are taken */
    STRIDE = 32,        /* steps between looks at what the lanes of a warp want, */
    LOOK = 64,          /* and of those between looks at the clock */
    RESIDENT_WARPS = 32 /* of a multiprocessor: 64 registers for a thread */
};

/* Writes the pixel of a lane that is done. */
static __device__ __forceinline__ void lane_store(const struct slope_piece &slope,
                                                  struct slope_lane &lane)
{
    if (!lane.busy || lane.left)
        return;
    const struct grid &grid = slope.piece.grid;
    double per_x = fma(lane.dx, grid.step_re, -(lane.dy * grid.step_im));
    double per_y = fma(lane.dx, grid.step_im, lane.dy * grid.step_re);
    slope_store(slope, index_of(slope.piece, lane.at), distance_of(lane.x, lane.y, per_x, per_y, 0),
                phase_of(lane.x, lane.y));
    lane.busy = 0;
}

/* At n = 0. A pixel that does not escape is done at once. */
template <enum formula_plane Plane>
static __device__ __forceinline__ void lane_begin(const struct slope_piece &slope,
                                                  struct slope_lane &lane, uint32_t at)
{
    const struct piece &piece = slope.piece;
    size_t index = index_of(piece, at);
    lane.at = at;
    lane.left = piece.count_bytes == 4 ? (int64_t)((const uint32_t *)piece.count)[index]
                                       : (int64_t)((const uint64_t *)piece.count)[index];
    lane.busy = lane.left != 0;
    z_of<Plane, true>(piece, at, lane.x, lane.y);
    lane.dx = Plane == DYNAMIC_PLANE;
    lane.dy = 0;
    if (!lane.busy)
        slope_store(slope, index, {0.0f, 0.0f}, 0.0f);
}

/* Gives pixels to idle lanes; says whether there may be more. */
template <enum formula_plane Plane>
static __device__ __forceinline__ bool pixels_take(const struct slope_piece &slope,
                                                   struct slope_lane &lane, unsigned idle)
{
    const struct grid &grid = slope.piece.grid;
    const unsigned own = threadIdx.x % WARP;
    uint32_t in_row, end = patches(grid, &in_row) * WARP, first = 0;
    if (own == 0)
        first = atomicAdd(&slope.progress->next, (uint32_t)__popc(idle));
    first = __shfl_sync(EVERY_LANE, first, 0);
    uint32_t i = first + (uint32_t)__popc(idle & ((1u << own) - 1));
    uint32_t patch = i / WARP, within = i % WARP;
    uint32_t x = patch % in_row * PATCH_WIDTH + within % PATCH_WIDTH;
    uint32_t y = patch / in_row * PATCH_HEIGHT + within / PATCH_WIDTH;
    if (!lane.busy && i < end && x < (uint32_t)grid.width && y < (uint32_t)grid.height)
        lane_begin<Plane>(slope, lane, x | y << 16);
    return first + (uint32_t)__popc(idle) < end;
}

/* Up to STRIDE steps of each lane. */
template <enum formula_plane Plane>
static __device__ __forceinline__ void lanes_step(struct slope_lane &lane, double cx, double cy)
{
    const double one = Plane == PARAMETER_PLANE;
    int steps = lane.busy ? lane.left < STRIDE ? (int)lane.left : STRIDE : 0;
    lane.left -= steps;
    for (int k = 0; k < steps; k++) {
        QUADRATIC_SLOPE(f64x1, lane.x, lane.y, lane.dx, lane.dy, one);
        step(lane.x, lane.y, cx, cy);
    }
}

static __device__ __forceinline__ bool is_over(const struct slope_piece &slope, int64_t end_ns)
{
    return is_stopped(slope.piece) || __any_sync(EVERY_LANE, clock_ns() >= end_ns);
}

template <enum formula_plane Plane>
__global__ void __launch_bounds__(SLOPE_THREADS, RESIDENT_WARPS *WARP / SLOPE_THREADS)
    slope_steps(const __grid_constant__ struct slope_piece slope, int first)
{
    struct slope_lane *saved = &slope.lanes[blockIdx.x * SLOPE_THREADS + threadIdx.x];
    struct slope_lane lane = {0, 0, 0, 0, 0, 0, 0};
    uint32_t in_row, end = patches(slope.piece.grid, &in_row) * WARP;
    bool more = *(volatile uint32_t *)&slope.progress->next < end;
    more = __any_sync(EVERY_LANE, more);
    if (!first)
        lane = *saved;
    double cx = 0, cy = 0;
    if (lane.busy)
        c_of<Plane, true>(slope.piece, lane.at, cx, cy);
    int64_t end_ns = clock_ns() + slope.slice_ns;
    for (uint32_t round = 1; round % LOOK != 0 || !is_over(slope, end_ns); round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, !lane.busy || !lane.left);
        if (idle == EVERY_LANE || (more && __popc(idle) >= REFILL)) {
            lane_store(slope, lane);
            if (!more)
                break;
            bool waits = !lane.busy;
            more = pixels_take<Plane>(slope, lane, idle);
            if (waits && lane.busy)
                c_of<Plane, true>(slope.piece, lane.at, cx, cy);
        }
        lanes_step<Plane>(lane, cx, cy);
    }
    lane_store(slope, lane);
    *saved = lane;
    more |= __any_sync(EVERY_LANE, lane.busy) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&slope.progress->left, 1u);
}

__global__ void slope_begin(struct slope_progress *progress, int first)
{
    progress->left = 0;
    if (first)
        progress->next = 0;
}

/* No copy: see deep_report. */
__global__ void slope_report(const struct slope_progress *progress, struct slope_progress *report)
{
    *report = *progress;
}

unsigned slope_threads(const struct slope_piece *slope, int units)
{
    uint64_t pixels = (uint64_t)slope->piece.grid.width * (uint64_t)slope->piece.grid.height;
    uint64_t most = (uint64_t)units * RESIDENT_WARPS * WARP;
    uint64_t threads = (pixels + SLOPE_THREADS - 1) / SLOPE_THREADS * SLOPE_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

void launch_slopes(const struct slope_piece *slope, unsigned threads, int first,
                   cudaStream_t stream)
{
    unsigned thread_blocks = threads / SLOPE_THREADS;
    slope_begin<<<1, 1, 0, stream>>>(slope->progress, first);
    if (slope->piece.formula.plane == DYNAMIC_PLANE)
        slope_steps<DYNAMIC_PLANE><<<thread_blocks, SLOPE_THREADS, 0, stream>>>(*slope, first);
    else
        slope_steps<PARAMETER_PLANE><<<thread_blocks, SLOPE_THREADS, 0, stream>>>(*slope, first);
    slope_report<<<1, 1, 0, stream>>>(slope->progress, slope->report);
}
