/* For NVRTC, which knows what it would declare. */
#ifndef KERNELS_CUDA_NVRTC_STDBOOL_H
#define KERNELS_CUDA_NVRTC_STDBOOL_H
#endif
