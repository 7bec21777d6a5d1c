/* The row for NVIDIA GPUs. In a build without CUDA it says that there is none. */
#ifndef KERNELS_CUDA_CUDA_BACKEND_H
#define KERNELS_CUDA_CUDA_BACKEND_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif
extern const struct backend_kind backend_cuda;
#ifdef __cplusplus
}
#endif

#endif
