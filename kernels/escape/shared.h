/* What do C and CUDA need to agree on? Included by every header of kernels/escape/.
 *
 * The arithmetic in this folder is compiled by gcc, clang and nvcc and must give the same bits.
 * So: contraction is off everywhere, a fused multiply-add is written fma(), and nothing is used
 * that only one of the languages has. */
#ifndef KERNELS_ESCAPE_SHARED_H
#define KERNELS_ESCAPE_SHARED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ESCAPE_FN static inline __host__ __device__
#else
#define ESCAPE_FN static inline
#endif

#endif
