/* The kernels of rows without distances and phases, by perturbation. */
#define DEEP_ROWS_ALONE
#define kind row_kind /* other files have kernels of the same names, which the linker sees */
#include "kernels/cuda/deep/cuda_deep_formula_lane.h"

static deep_kernel *const kernels[2] = DEEP_KERNELS_OF(false);

void launch_deep_formula(const struct deep_piece *piece, enum deep_pass pass, bool slopes,
                         bool wide, unsigned threads, cudaStream_t stream)
{
    if (slopes)
        launch_deep_formula_slopes(piece, pass, wide, threads, stream);
    else
        kernels[wide]<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece, pass);
}
