/* For NVRTC: what headers of ours name of the runtime, which kernels do not call. */
#ifndef KERNELS_CUDA_NVRTC_CUDA_RUNTIME_H
#define KERNELS_CUDA_NVRTC_CUDA_RUNTIME_H

typedef struct CUstream_st *cudaStream_t;

#endif
