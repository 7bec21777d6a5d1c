/* The kernel of rows in fp32, by perturbation. */
#define DEEP_ROWS_ALONE
#define DEEP_FLOATS
#define kind row_kind_f32 /* as in cuda_deep_formula.cu */
#include "kernels/cuda/deep/cuda_deep_formula_lane.h"

void launch_deep_formula_f32(const struct deep_piece *piece, enum deep_pass pass, unsigned threads,
                             cudaStream_t stream)
{
    deep_queue<kind<false, true>>
        <<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece, pass);
}
