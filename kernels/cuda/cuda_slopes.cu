#include "kernels/cuda/cuda_slopes.h"

#include "kernels/cuda/cuda_patch.h"
#include "kernels/escape/phase.h"

enum {
    REFILL = 8,          /* lanes that are done before new pixels are taken */
    STRIDE = 32,         /* steps between votes of the lanes of a warp */
    POLL = 64,           /* votes between polls of the clock */
    RESIDENT_WARPS = 32, /* warps of a multiprocessor: 64 registers for a thread */
    SORT_THREADS = 256,  /* size of a thread block that sorts */
    SORT_PX = 8          /* pixels that each thread sorts */
};

static __device__ __forceinline__ uint64_t count_at(const struct piece &piece, size_t index)
{
    return piece.count_bytes == 4 ? ((const uint32_t *)piece.count)[index]
                                  : ((const uint64_t *)piece.count)[index];
}

/* Bucket of a count, which is not 0: an eighth of an octave. Long orbits come first. */
static __device__ __forceinline__ int bucket_of(uint64_t count)
{
    const int octave = 63 - __clzll((long long)count);
    const uint64_t within = octave > SLOPE_BUCKET_BITS ? count >> (octave - SLOPE_BUCKET_BITS)
                                                       : count << (SLOPE_BUCKET_BITS - octave);
    const int mask = (1 << SLOPE_BUCKET_BITS) - 1;
    return SLOPE_BUCKETS - 1 - (octave << SLOPE_BUCKET_BITS | ((int)within & mask));
}

/* Counts how many pixels each bucket gets, or puts them there when slope_offsets has run. Pixels
 * that do not escape are done. */
__global__ void __launch_bounds__(SORT_THREADS)
    slope_sort(const __grid_constant__ struct slope_piece slope, int puts)
{
    __shared__ uint32_t own[SLOPE_BUCKETS], begin[SLOPE_BUCKETS];
    const uint32_t first = blockIdx.x * (SORT_THREADS * SORT_PX) + threadIdx.x;
    uint32_t at[SORT_PX], rank[SORT_PX];
    int bucket[SORT_PX];
    for (int i = (int)threadIdx.x; i < SLOPE_BUCKETS; i += SORT_THREADS)
        own[i] = 0;
    __syncthreads();
    for (int k = 0; k < SORT_PX; k++) {
        bucket[k] = -1;
        if (!patch_pixel(slope.piece.grid, first + (uint32_t)k * SORT_THREADS, &at[k]))
            continue;
        const size_t index = index_of(slope.piece, at[k]);
        const uint64_t count = count_at(slope.piece, index);
        if (count) {
            bucket[k] = bucket_of(count);
            rank[k] = atomicAdd(&own[bucket[k]], 1u);
        } else if (!puts) {
            slope_store(slope, slope.piece.grid, index, {0.0f, 0.0f}, 0.0f);
        }
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < SLOPE_BUCKETS; i += SORT_THREADS)
        if (own[i])
            begin[i] = atomicAdd(&slope.bucket[i], own[i]);
    if (!puts)
        return;
    __syncthreads();
    for (int k = 0; k < SORT_PX; k++)
        if (bucket[k] >= 0)
            slope.sorted[begin[bucket[k]] + rank[k]] = at[k];
}

/* Makes of the length of each bucket its offset in `sorted`. */
__global__ void __launch_bounds__(SLOPE_BUCKETS)
    slope_offsets(const __grid_constant__ struct slope_piece slope)
{
    __shared__ uint32_t sum[SLOPE_BUCKETS];
    const int own = (int)threadIdx.x;
    const uint32_t count = slope.bucket[own];
    sum[own] = count;
    for (int apart = 1; apart < SLOPE_BUCKETS; apart *= 2) {
        __syncthreads();
        const uint32_t before = own >= apart ? sum[own - apart] : 0;
        __syncthreads();
        sum[own] += before;
    }
    slope.bucket[own] = sum[own] - count;
    if (own == SLOPE_BUCKETS - 1)
        slope.progress->count = sum[own];
}

/* Writes the pixel of a lane that is done. */
static __device__ __forceinline__ void lane_store(const struct slope_piece &slope,
                                                  struct slope_lane &lane)
{
    if (!lane.busy || lane.left)
        return;
    const struct grid &grid = slope.piece.grid;
    double per_x = fma(lane.dx, grid.step_re, -(lane.dy * grid.step_im));
    double per_y = fma(lane.dx, grid.step_im, lane.dy * grid.step_re);
    slope_store(slope, slope.piece.grid, index_of(slope.piece, lane.at),
                distance_of(lane.x, lane.y, per_x, per_y, 0), phase_of(lane.x, lane.y));
    lane.busy = 0;
}

/* Begins a pixel at n = 0. */
template <enum formula_plane Plane>
static __device__ __forceinline__ void lane_begin(const struct slope_piece &slope,
                                                  struct slope_lane &lane, uint32_t at)
{
    lane.at = at;
    lane.left = (int64_t)count_at(slope.piece, index_of(slope.piece, at));
    lane.busy = 1;
    z_of<Plane, true>(slope.piece, at, lane.x, lane.y);
    lane.dx = Plane == DYNAMIC_PLANE;
    lane.dy = 0;
}

/* Gives pixels to idle lanes; says whether there may be more. */
template <enum formula_plane Plane>
static __device__ __forceinline__ bool
pixels_take(const struct slope_piece &slope, struct slope_lane &lane, unsigned idle, uint32_t end)
{
    uint32_t first, i = numbers_take(&slope.progress->next, idle, &first);
    if (!lane.busy && i < end)
        lane_begin<Plane>(slope, lane, slope.sorted[i]);
    return first + (uint32_t)__popc(idle) < end;
}

/* Takes up to STRIDE steps of each lane. */
template <enum formula_plane Plane>
static __device__ __forceinline__ void lanes_step(struct slope_lane &lane, double cx, double cy)
{
    const double one = Plane == PARAMETER_PLANE;
    int steps = lane.busy ? lane.left < STRIDE ? (int)lane.left : STRIDE : 0;
    lane.left -= steps;
    if (__all_sync(EVERY_LANE, steps == STRIDE || !lane.busy)) { /* idle lanes have no orbit */
#pragma unroll 8
        for (int k = 0; k < STRIDE; k++) {
            QUADRATIC_SLOPE(f64x1, lane.x, lane.y, lane.dx, lane.dy, one);
            z_step(lane.x, lane.y, cx, cy);
        }
        return;
    }
    for (int k = 0; k < steps; k++) {
        QUADRATIC_SLOPE(f64x1, lane.x, lane.y, lane.dx, lane.dy, one);
        z_step(lane.x, lane.y, cx, cy);
    }
}

template <enum formula_plane Plane>
__global__ void __launch_bounds__(SLOPE_THREADS, RESIDENT_WARPS *WARP / SLOPE_THREADS)
    slope_steps(const __grid_constant__ struct slope_piece slope, int first)
{
    struct slope_lane *saved = &slope.lanes[blockIdx.x * SLOPE_THREADS + threadIdx.x];
    struct slope_lane lane = {0, 0, 0, 0, 0, 0, 0};
    const uint32_t end = slope.progress->count;
    bool more = *(volatile uint32_t *)&slope.progress->next < end;
    more = __any_sync(EVERY_LANE, more);
    if (!first)
        lane = *saved;
    double cx = 0, cy = 0;
    if (lane.busy)
        c_of<Plane, true>(slope.piece, lane.at, cx, cy);
    int64_t end_ns = clock_ns() + slope.slice_ns;
    for (uint32_t round = 1; round % POLL != 0 || !slice_over(slope.piece, end_ns); round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, !lane.busy || !lane.left);
        if (idle == EVERY_LANE || (more && __popc(idle) >= REFILL)) {
            lane_store(slope, lane);
            if (!more)
                break;
            bool waits = !lane.busy;
            more = pixels_take<Plane>(slope, lane, idle, end);
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

__global__ void slope_begin(const __grid_constant__ struct slope_piece slope, int first)
{
    if (first)
        slope.bucket[threadIdx.x] = 0;
    if (threadIdx.x > 0)
        return;
    slope.progress->left = 0;
    if (first)
        slope.progress->next = 0;
}

/* Writes from the kernel, as deep_report does. */
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

void launch_slope_sort(const struct slope_piece *slope, int first, cudaStream_t stream)
{
    uint32_t in_row, pixels = patches(slope->piece.grid, &in_row) * WARP;
    unsigned sort_blocks = (pixels - 1) / (SORT_THREADS * SORT_PX) + 1;
    slope_begin<<<1, SLOPE_BUCKETS, 0, stream>>>(*slope, first);
    if (first) {
        slope_sort<<<sort_blocks, SORT_THREADS, 0, stream>>>(*slope, 0);
        slope_offsets<<<1, SLOPE_BUCKETS, 0, stream>>>(*slope);
        slope_sort<<<sort_blocks, SORT_THREADS, 0, stream>>>(*slope, 1);
    }
}

void launch_slope_report(const struct slope_piece *slope, cudaStream_t stream)
{
    slope_report<<<1, 1, 0, stream>>>(slope->progress, slope->report);
}

void launch_slopes(const struct slope_piece *slope, unsigned threads, int first,
                   cudaStream_t stream)
{
    unsigned thread_blocks = threads / SLOPE_THREADS;
    launch_slope_sort(slope, first, stream);
    if (slope->piece.formula.plane == DYNAMIC_PLANE)
        slope_steps<DYNAMIC_PLANE><<<thread_blocks, SLOPE_THREADS, 0, stream>>>(*slope, first);
    else
        slope_steps<PARAMETER_PLANE><<<thread_blocks, SLOPE_THREADS, 0, stream>>>(*slope, first);
    launch_slope_report(slope, stream);
}
