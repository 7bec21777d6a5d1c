/* Builds the blocks of a reference on a GPU, a block for each thread. CUDA C++ only. */
#ifndef KERNELS_CUDA_DEEP_CUDA_BLOCKS_BUILD_H
#define KERNELS_CUDA_DEEP_CUDA_BLOCKS_BUILD_H

#ifndef __CUDACC__
#error "cuda_blocks_build.h: is for nvcc"
#endif

#include <cuda_runtime.h>

#include "kernels/deep/formula_fill.h"
#include "kernels/deep/table_fill.h"

enum { BLOCKS_THREADS = 64 };

struct block_range { /* blocks of a level that one launch builds */
    int level;
    int64_t from, to;
    int *any; /* becomes 1 if one of its blocks holds */
};

/* `common` of the source: NULL for z^2 + c in its parameter plane. */
template <bool FORMULA>
__global__ void __launch_bounds__(BLOCKS_THREADS)
    blocks_build(const __grid_constant__ struct block_table table,
                 const __grid_constant__ struct formula_source source, struct block_range range)
{
    int64_t i = range.from + (int64_t)blockIdx.x * BLOCKS_THREADS + threadIdx.x;
    if (i < range.to &&
        (FORMULA ? formula_fill : table_fill)(&table, &source.table, range.level, i, i + 1))
        *range.any = 1;
}

/* Enqueues the same for an own formula (cuda_deep_own.cu). */
void launch_own_blocks(const struct block_table *table, const struct formula_source *source,
                       const struct block_range *range, unsigned thread_blocks);

#endif
