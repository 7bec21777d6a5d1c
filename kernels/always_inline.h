/* Functions whose every call is compiled in line, at any size of the caller. */
#ifndef KERNELS_ALWAYS_INLINE_H
#define KERNELS_ALWAYS_INLINE_H

/* Sanitizers check the one function as well as its thousand copies, and compile it 70 times as
 * fast: gcc took 170 s for deep_scalar.c. nvcc decides by itself. */
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(DEEPFIELD_SANITIZED)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

#endif
