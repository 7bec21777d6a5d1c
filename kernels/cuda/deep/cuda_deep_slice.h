/* The end of a launch of pixels by perturbation. CUDA C++ only. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_SLICE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_SLICE_H

#ifndef __CUDACC__
#error "cuda_deep_slice.h: is for nvcc"
#endif

#include "kernels/cuda/cuda_patch.h"
#include "kernels/cuda/deep/cuda_deep.h"

/* Is the slice over, or does the host want an end? Its request is copied to device memory for other
 * launches: its own is slow to read. */
static __device__ __forceinline__ bool is_over(const struct deep_piece &piece, int64_t end_ns)
{
    if (blockIdx.x + threadIdx.x == 0 && *piece.host_stop)
        *piece.stop = 1;
    return __any_sync(EVERY_LANE, *piece.stop || clock_ns() >= end_ns);
}

#endif
