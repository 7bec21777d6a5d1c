/* For NVRTC, which has bool built in. */
#ifndef KERNELS_CUDA_NVRTC_STDBOOL_H
#define KERNELS_CUDA_NVRTC_STDBOOL_H
#endif
