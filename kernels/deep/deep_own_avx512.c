/* Kernels of deep_avx512.c for own formulas. */
#include "kernels/escape/lanes_avx512.h"
#include "kernels/escape/lanes_pair.h"

LANES_EXPONENTS(f64x8, __m512d, _mm512, si512)
#ifdef __clang__
/* Blocks of own formulas use fewer operations than the pair has. */
#pragma clang diagnostic ignored "-Wunused-function"
#endif
LANES_PAIR(f64x8x2, f64x8, __m512d, 8)

#define DEEP_KERNELS deep_own_kernels_avx512
#define DEEP_NAME "avx512"
#define DEEP_WITHOUT_LANES deep_own_kernels_avx2
#define DEEP_OF_OWN NULL
#define PREFIX f64x8x2
#define PACK struct f64x8x2
#define LANES 16
#include "kernels/deep/deep_body.h"
