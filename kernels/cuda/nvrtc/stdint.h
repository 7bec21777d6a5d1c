/* For NVRTC, which has no system headers. */
#ifndef KERNELS_CUDA_NVRTC_STDINT_H
#define KERNELS_CUDA_NVRTC_STDINT_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long uint64_t;

#define INT32_MAX 0x7fffffff
#define UINT32_MAX 0xffffffffu
#define INT64_MAX 0x7fffffffffffffffL
#define UINT64_MAX 0xffffffffffffffffUL

#endif
