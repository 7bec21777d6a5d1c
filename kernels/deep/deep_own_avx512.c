/* Kernels of deep_avx512.c for own formulas. */
#include "kernels/escape/lanes_avx512.h"

#define DEEP_KERNELS deep_own_kernels_avx512
#define DEEP_NAME "avx512"
#define DEEP_WITHOUT_LANES deep_own_kernels_avx2
#define DEEP_OF_OWN NULL
#define PREFIX f64x8
#define PACK __m512d
#define LANES 8
#include "kernels/deep/deep_body.h"
