/* The kernel of pixels by perturbation whose lanes call one function each, without votes: lanes of
 * persistent warps, and no queue. CUDA C++ only.
 *
 * An Engine is a struct of
 *
 *     lane              a thread's pixel between two launches, with pixel, at and busy
 *     resident_warps    warps of a multiprocessor
 *     begin             begins the pixel of a point in a lane
 *     on                takes some blocks and steps; 1: the pixel is done
 *     store             writes a done pixel: lane_store, with `values` for the planes but the count
 */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_LANES_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_LANES_H

#ifndef __CUDACC__
#error "cuda_deep_lanes.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep_slice.h"

enum {
    POLL = 64,  /* rounds between polls of the clock */
    REFILL = 8, /* lanes that are done before new pixels are taken */
};

template <class Lane> static __device__ __forceinline__ uint64_t lane_steps(const Lane &lane)
{
    return lane.pixel.steps;
}
static __device__ __forceinline__ uint64_t lane_steps(const struct deep_formula_sums_lane &lane)
{
    return lane.pixel.at.steps;
}

template <class Engine>
static __device__ __forceinline__ void lane_store(const struct deep_piece &piece,
                                                  const typename Engine::lane &lane)
{
    const struct rational_values values = Engine::values(piece, lane);
    count_store(piece, (size_t)lane.at, lane.pixel.count);
    if (piece.fraction)
        piece.fraction[lane.at] = values.fraction;
    slope_store(piece, piece.grid, (size_t)lane.at, values.distance, values.phase);
}

/* Gives pixels to idle lanes; says whether there may be more. */
template <class Engine>
static __device__ __forceinline__ bool pixels_take(const struct deep_piece &piece,
                                                   typename Engine::lane &lane)
{
    unsigned idle = __ballot_sync(EVERY_LANE, !lane.busy);
    uint32_t at;
    bool more;
    if (patch_take(piece.grid, &piece.progress->next, idle, &at, &more) && !lane.busy) {
        int32_t x = (int32_t)(at & 0xffff), y = (int32_t)(at >> 16);
        double re, im;
        pixel_c(&piece.grid, piece.grid.x + x, pixel_row(&piece.grid, y), &re, &im);
        lane.at = y * piece.grid.width + x;
        lane.busy = 1;
        Engine::begin(piece, lane, re, im);
    }
    return more;
}

template <class Engine>
__global__ void __launch_bounds__(DEEP_THREADS, Engine::resident_warps *WARP / DEEP_THREADS)
    deep_lanes(const __grid_constant__ struct deep_piece piece)
{
    typename Engine::lane *saved =
        &((typename Engine::lane *)piece.lanes)[blockIdx.x * DEEP_THREADS + threadIdx.x];
    typename Engine::lane lane;
    memset(&lane, 0, sizeof lane);
    if (!piece.progress->first)
        lane = *saved;
    bool more = patches_left(piece.grid, &piece.progress->next);
    const uint64_t before = lane.busy ? lane_steps(lane) : 0;
    uint64_t taken = 0;
    int64_t end_ns = clock_ns() + piece.slice_ns;
    for (uint32_t round = 1; round % POLL != 0 || !is_over(piece, end_ns); round++) {
        unsigned busy = __ballot_sync(EVERY_LANE, lane.busy);
        if (!busy && !more)
            break;
        if (more && __popc(busy) <= WARP - REFILL) {
            more = pixels_take<Engine>(piece, lane);
            continue;
        }
        if (lane.busy && Engine::on(piece, lane)) {
            taken += lane_steps(lane);
            Engine::store(piece, lane);
            lane.busy = 0;
        }
        __syncwarp();
    }
    *saved = lane;
    taken += lane.busy ? lane_steps(lane) : 0;
    atomicAdd(&piece.progress->steps, (unsigned long long)(taken - before));
    more |= __any_sync(EVERY_LANE, lane.busy) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&piece.progress->left, 1u);
}

template <class Engine>
static void launch_lanes(const struct deep_piece *piece, unsigned threads, cudaStream_t stream)
{
    deep_lanes<Engine><<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece);
}

#endif
