/* Patches of 8 x 4 neighbours of a piece, which the warps of several kernels take. */
#ifndef KERNELS_CUDA_CUDA_PATCH_H
#define KERNELS_CUDA_CUDA_PATCH_H

#include "kernels/cuda/cuda_pixel.h"
#include "kernels/escape/distance.h"

enum {
    WARP = 32,
    PATCH_WIDTH = 8, /* neighbours in a warp: 8 x 4 pixels */
    PATCH_HEIGHT = 4
};

static __device__ __forceinline__ int64_t clock_ns(void)
{
    int64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* Index of a pixel, x | y << 16, in a piece's planes. */
static __device__ __forceinline__ size_t index_of(const struct piece &piece, uint32_t at)
{
    return (size_t)(at >> 16) * (size_t)piece.grid.width + (at & 0xffff);
}

static __host__ __device__ __forceinline__ uint32_t patches(const struct grid &grid,
                                                            uint32_t *in_row)
{
    *in_row = (uint32_t)(grid.width + PATCH_WIDTH - 1) / PATCH_WIDTH;
    return *in_row * ((uint32_t)(grid.height + PATCH_HEIGHT - 1) / PATCH_HEIGHT);
}

/* Pixel number i, counted patch by patch; false: it lies outside the piece. */
static __device__ __forceinline__ bool patch_pixel(const struct grid &grid, uint32_t i,
                                                   uint32_t *at)
{
    uint32_t in_row, end = patches(grid, &in_row) * WARP;
    uint32_t patch = i / WARP, within = i % WARP;
    uint32_t x = patch % in_row * PATCH_WIDTH + within % PATCH_WIDTH;
    uint32_t y = patch / in_row * PATCH_HEIGHT + within / PATCH_WIDTH;
    *at = x | y << 16;
    return i < end && x < (uint32_t)grid.width && y < (uint32_t)grid.height;
}

/* Gives the lanes of a mask a number each, by one atomic operation. */
static __device__ __forceinline__ uint32_t numbers_take(uint32_t *counter, unsigned lanes,
                                                        uint32_t *first)
{
    const unsigned own = threadIdx.x % WARP;
    uint32_t base = 0;
    if (own == 0)
        base = atomicAdd(counter, (uint32_t)__popc(lanes));
    *first = __shfl_sync(EVERY_LANE, base, 0);
    return *first + (uint32_t)__popc(lanes & ((1u << own) - 1));
}

/* Deals out pixels to the lanes of a mask; false: this lane's lies outside the piece. *more: there
 * may be more. */
static __device__ __forceinline__ bool patch_take(const struct grid &grid, uint32_t *next,
                                                  unsigned lanes, uint32_t *at, bool *more)
{
    uint32_t in_row, end = patches(grid, &in_row) * WARP;
    uint32_t first, i = numbers_take(next, lanes, &first);
    *more = first + (uint32_t)__popc(lanes) < end;
    return patch_pixel(grid, i, at);
}

/* Are there pixels that no lane has taken? The answer is the same for a warp. */
static __device__ __forceinline__ bool patches_left(const struct grid &grid, const uint32_t *next)
{
    uint32_t in_row, end = patches(grid, &in_row) * WARP;
    bool more = *(const volatile uint32_t *)next < end;
    return __any_sync(EVERY_LANE, more);
}

/* Is the slice over, or does the host want an end? */
static __device__ __forceinline__ bool slice_over(const struct piece &piece, int64_t end_ns)
{
    return is_stopped(piece) || __any_sync(EVERY_LANE, clock_ns() >= end_ns);
}

/* Stores distance and phase in the planes that the piece has. */
template <class Piece>
static __device__ __forceinline__ void slope_store(const Piece &piece, const struct grid &grid,
                                                   size_t index, struct distance distance,
                                                   float phase)
{
    if (piece.distance_x) {
        distance = distance_in_image(&grid, distance);
        piece.distance_x[index] = distance.x;
        piece.distance_y[index] = distance.y;
    }
    if (piece.phase)
        piece.phase[index] = phase;
}

#endif
