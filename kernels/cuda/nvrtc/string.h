/* For NVRTC, which has memcpy and memset built in. */
#ifndef KERNELS_CUDA_NVRTC_STRING_H
#define KERNELS_CUDA_NVRTC_STRING_H
#endif
