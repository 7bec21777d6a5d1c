/* The kernels of rows with distances or phases, by perturbation: a file of their own, so that they
 * are compiled at the same time as the others. */
#define DEEP_ROWS_ALONE
#define kind row_kind /* as in cuda_deep_formula.cu */
#include "kernels/cuda/deep/cuda_deep_formula_lane.h"

static deep_kernel *const kernels[2] = DEEP_KERNELS_OF(true);

void launch_deep_formula_slopes(const struct deep_piece *piece, enum deep_pass pass, bool wide,
                                unsigned threads, cudaStream_t stream)
{
    kernels[wide]<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece, pass);
}
