/* Kernels of deep_avx2.c for own formulas. */
#include "kernels/escape/lanes_avx2.h"

#define DEEP_KERNELS deep_own_kernels_avx2
#define DEEP_NAME "avx2"
#define DEEP_OF_OWN NULL
#define PREFIX f64x4
#define PACK __m256d
#define LANES 4
#include "kernels/deep/deep_body.h"
