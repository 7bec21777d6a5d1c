/* Functions whose every call is compiled in line, at any size of the caller, or none. */
#ifndef KERNELS_ALWAYS_INLINE_H
#define KERNELS_ALWAYS_INLINE_H

/* Sanitizers check the one function as well as its thousand copies, and compile it 70 times as
 * fast: gcc took 170 s for deep_scalar.c. DEEPFIELD_COMPACT is for files that follow a few pixels
 * of a picture. nvcc decides by itself. */
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(DEEPFIELD_SANITIZED) && \
    !defined(DEEPFIELD_COMPACT)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

/* RARE: compiled for size, too. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define NO_INLINE __attribute__((noinline))
#define RARE __attribute__((noinline, cold))
#else
#define NO_INLINE
#define RARE
#endif

#endif
