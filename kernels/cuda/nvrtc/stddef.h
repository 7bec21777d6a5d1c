/* For NVRTC, which has size_t built in. */
#ifndef KERNELS_CUDA_NVRTC_STDDEF_H
#define KERNELS_CUDA_NVRTC_STDDEF_H
#endif
