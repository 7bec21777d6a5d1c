/* For NVRTC, which has the functions, but no header. */
#ifndef KERNELS_CUDA_NVRTC_MATH_H
#define KERNELS_CUDA_NVRTC_MATH_H

#ifndef __CUDACC_RTC__
#error "math.h: is for NVRTC"
#endif

#define INFINITY __int_as_float(0x7f800000)

/* An extension of other compilers that our headers use. */
template <class Type> struct plain_type {
    typedef Type type;
};
template <class Type> struct plain_type<Type &> {
    typedef Type type;
};
#define __typeof__(expression) typename plain_type<decltype(expression)>::type

#endif
