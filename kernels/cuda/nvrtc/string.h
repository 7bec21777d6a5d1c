/* For NVRTC, which knows what it would declare. */
#ifndef KERNELS_CUDA_NVRTC_STRING_H
#define KERNELS_CUDA_NVRTC_STRING_H
#endif
