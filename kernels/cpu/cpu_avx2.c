/* CPUs with AVX2 and FMA: 8 lanes of fp32 and ds, 4 of fp64. */
#include "kernels/escape/lanes_ds_avx2.h"

#define BODY fp32
#define PREFIX f32x8
#define PACK __m256
#define REAL float
#define LANES 8
#define PACKS 6
#define DIRECT_MARGIN INTERIOR_MARGIN_FP32
#define TRAP_ROUNDING TRAP_ROUNDING_FP32
#include "kernels/cpu/cpu_body.h"

#define BODY fp64
#define PREFIX f64x4
#define PACK __m256d
#define REAL double
#define LANES 4
#define PACKS 6
#define DIRECT_MARGIN INTERIOR_MARGIN_FP64
#define TRAP_ROUNDING TRAP_ROUNDING_FP64
#include "kernels/cpu/cpu_body.h"

#define BODY ds
#define DOUBLE_SINGLE
#define PREFIX ds32x8
#define PACK struct ds32x8
#define REAL struct ds32x1
#define LANES 8
#define PACKS 3
#define DIRECT_MARGIN INTERIOR_MARGIN_DS
#define TRAP_ROUNDING TRAP_ROUNDING_DS
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x4
#define PACK __m256d
#define LANES 4
#define PACKS 2
#include "kernels/cpu/cpu_slopes.h"
#include "kernels/cpu/cpu_attractors.h"
#include "kernels/cpu/cpu_sums.h"

#define KERNELS cpu_kernels_avx2
#define FORMULA_KERNELS cpu_formulas_avx2
#define RATIONAL_KERNELS cpu_rational_avx2
#include "kernels/cpu/cpu_kernels.h"
