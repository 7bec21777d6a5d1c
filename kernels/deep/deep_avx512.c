/* Deep tiles on processors with AVX-512 F and DQ. */
#include "kernels/escape/lanes_avx512.h"
#include "kernels/escape/lanes_f32_x86.h"
#include "kernels/escape/lanes_pair.h"

LANES_EXPONENTS(f64x8, __m512d, _mm512, si512)
LANES_PAIR(f64x8x2, f64x8, __m512d, 8)

#define DEEP_ROWS_ALONE
#define DEEP_KERNELS deep_kernels_avx512
#define DEEP_OF_OWN &deep_own_kernels_avx512
#define DEEP_NAME "avx512"
#define DEEP_WITHOUT_LANES deep_kernels_avx2
#define PREFIX f64x8x2
#define PACK struct f64x8x2
#define LANES 16
#define PREFIX_F32 f32x16
#define PACK_F32 __m512
#define LANES_F32 16
#include "kernels/deep/deep_body.h"
