/* Deep tiles on processors with AVX2 and FMA: without the instruction, fma() is a call. */
#include "kernels/escape/lanes_avx2.h"
#include "kernels/escape/lanes_f32_x86.h"
#include "kernels/escape/lanes_pair.h"

LANES_EXPONENTS(f64x4, __m256d, _mm256, si256)
LANES_PAIR(f64x4x2, f64x4, __m256d, 4)

#define DEEP_ROWS_ALONE
#define DEEP_KERNELS deep_kernels_avx2
#define DEEP_OF_OWN &deep_own_kernels_avx2
#define DEEP_NAME "avx2"
#define PREFIX f64x4x2
#define PACK struct f64x4x2
#define LANES 8
#define PREFIX_F32 f32x8
#define PACK_F32 __m256
#define LANES_F32 8
#include "kernels/deep/deep_body.h"
