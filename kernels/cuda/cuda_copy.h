/* Copies of the pixels of a plane, in as few commands of the copy engine as the shapes allow. */
#ifndef KERNELS_CUDA_CUDA_COPY_H
#define KERNELS_CUDA_CUDA_COPY_H

#include <cuda_runtime.h>

#include "kernels/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lets the current device write straight to memory that lies on another GPU; without this a copy
 * goes through the host. Does nothing for other memory. */
void cuda_reach(const void *memory);

/* Enqueues the copy of all pixels of a plane between fields, windows or interleaved windows of
 * one size, in any memory that CUDA knows. The result is that of the first call that failed. */
cudaError_t cuda_plane_copy(const struct field *to, const struct field *from, enum plane plane,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
