#include "kernels/cuda/cuda_attractors.h"

#include "kernels/cuda/cuda_patch.h"
#include "kernels/escape/attractor.h"

enum {
    THREADS = 64,               /* size of a thread block */
    RESIDENT_THREAD_BLOCKS = 16 /* thread blocks of a multiprocessor */
};

static __device__ struct attractor pixel_attractor(const struct attractor_piece &it, uint32_t at,
                                                   size_t index)
{
    const struct piece &piece = it.piece;
    struct attractor found = {0, 0};
    bool escapes = piece.count_bytes == 4 ? ((const uint32_t *)piece.count)[index] != 0
                                          : ((const uint64_t *)piece.count)[index] != 0;
    if (escapes)
        return found;
    found.period = it.julia;
    if (it.julia >= 0)
        return found;
    double cx, cy;
    point_at<true>(piece, at, cx, cy);
    return attractor_of(cx, cy, piece.limit);
}

/* Takes the pixels of patches from `first` on. */
__global__ void __launch_bounds__(THREADS)
    attractor_pixels(const __grid_constant__ struct attractor_piece it, uint32_t first)
{
    const struct grid &grid = it.piece.grid;
    uint32_t at, i = first * WARP + blockIdx.x * THREADS + threadIdx.x;
    if (is_stopped(it.piece) || !patch_pixel(grid, i, &at))
        return;
    size_t index = index_of(it.piece, at);
    struct attractor found = pixel_attractor(it, at, index);
    if (it.period)
        it.period[index] = (float)found.period;
    if (it.inside)
        it.inside[index] =
            found.period && it.julia < 0 ? attractor_px(found.distance, &grid) : 0.0f;
}

void launch_attractors(const struct piece *piece, float *period, float *inside, int units,
                       cudaStream_t stream)
{
    const struct formula *formula = &piece->formula;
    bool julia = formula->plane == DYNAMIC_PLANE;
    struct attractor_piece it = {
        *piece, period, inside,
        julia ? attractor_of(formula->c_re, formula->c_im, piece->limit).period : -1};
    uint32_t in_row, end = patches(piece->grid, &in_row);
    uint32_t thread_blocks = (uint32_t)units * RESIDENT_THREAD_BLOCKS,
             step = thread_blocks * (THREADS / WARP);
    for (uint32_t first = 0; first < end; first += step)
        attractor_pixels<<<thread_blocks, THREADS, 0, stream>>>(it, first);
}
