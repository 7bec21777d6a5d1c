/* Deep tiles on processors with AVX2 and FMA: without the instruction, fma() is a call. */
#include "kernels/escape/lanes_avx2.h"

#define DEEP_ROWS_ALONE
#define DEEP_KERNELS deep_kernels_avx2
#define DEEP_OF_OWN &deep_own_kernels_avx2
#define DEEP_NAME "avx2"
#define PREFIX f64x4
#define PACK __m256d
#define LANES 4
#include "kernels/deep/deep_body.h"
