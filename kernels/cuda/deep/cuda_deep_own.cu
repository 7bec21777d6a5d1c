/* The kernels of own formulas, by perturbation, and of their blocks. */
#define kind own_kind /* as in cuda_deep_formula.cu */
#define blocks_build own_blocks_build
#include "kernels/cuda/deep/cuda_blocks_build.h"
#include "kernels/cuda/deep/cuda_deep_formula_lane.h"

static deep_kernel *const kernels[2][2] = {DEEP_KERNELS_OF(false), DEEP_KERNELS_OF(true)};

void launch_deep_own(const struct deep_piece *piece, enum deep_pass pass, bool slopes, bool wide,
                     unsigned threads, cudaStream_t stream)
{
    kernels[slopes][wide]<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece, pass);
}

void launch_own_blocks(const struct block_table *table, const struct formula_source *source,
                       const struct block_range *range, unsigned thread_blocks)
{
    blocks_build<true>
        <<<thread_blocks, BLOCKS_THREADS, 0, cudaStreamPerThread>>>(*table, *source, *range);
}
