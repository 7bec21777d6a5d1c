/* Deep tiles on processors with AVX2 and FMA: without the instruction, fma() is a call. */
#define DEEP_KERNELS deep_kernels_avx2
#define DEEP_NAME "avx2"
#include "kernels/deep/deep_body.h"
