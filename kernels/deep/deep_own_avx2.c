/* Kernels of deep_avx2.c for own formulas. */
#include "kernels/escape/lanes_avx2.h"
#include "kernels/escape/lanes_pair.h"

LANES_EXPONENTS(f64x4, __m256d, _mm256, si256)
#ifdef __clang__
/* Blocks of own formulas use fewer operations than the pair has. */
#pragma clang diagnostic ignored "-Wunused-function"
#endif
LANES_PAIR(f64x4x2, f64x4, __m256d, 4)

#define DEEP_KERNELS deep_own_kernels_avx2
#define DEEP_NAME "avx2"
#define DEEP_OF_OWN NULL
#define PREFIX f64x4x2
#define PACK struct f64x4x2
#define LANES 8
#include "kernels/deep/deep_body.h"
