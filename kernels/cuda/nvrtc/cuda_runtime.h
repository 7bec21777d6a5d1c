/* For NVRTC: the types of the runtime that our headers name, and kernels do not use. */
#ifndef KERNELS_CUDA_NVRTC_CUDA_RUNTIME_H
#define KERNELS_CUDA_NVRTC_CUDA_RUNTIME_H

typedef struct CUstream_st *cudaStream_t;

#endif
