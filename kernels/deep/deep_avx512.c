/* Deep tiles on processors with AVX-512 F and DQ. */
#include "kernels/escape/lanes_avx512.h"

#define DEEP_ROWS_ALONE
#define DEEP_KERNELS deep_kernels_avx512
#define DEEP_OF_OWN &deep_own_kernels_avx512
#define DEEP_NAME "avx512"
#define PREFIX f64x8
#define PACK __m512d
#define LANES 8
#include "kernels/deep/deep_body.h"
