/* CPUs with AVX-512 F and DQ: 16 lanes of fp32 and ds, 8 of fp64. */
#include "kernels/escape/lanes_ds_avx512.h"

#define BODY fp32
#define PREFIX f32x16
#define PACK __m512
#define REAL float
#define LANES 16
#define PACKS 4
#define DIRECT_MARGIN INTERIOR_MARGIN_FP32
#define TRAP_ROUNDING TRAP_ROUNDING_FP32
#include "kernels/cpu/cpu_body.h"

#define BODY fp64
#define PREFIX f64x8
#define PACK __m512d
#define REAL double
#define LANES 8
#define PACKS 4
#define DIRECT_MARGIN INTERIOR_MARGIN_FP64
#define TRAP_ROUNDING TRAP_ROUNDING_FP64
#include "kernels/cpu/cpu_body.h"

#define BODY ds
#define DOUBLE_SINGLE
#define PREFIX ds32x16
#define PACK struct ds32x16
#define REAL struct ds32x1
#define LANES 16
#define PACKS 3
#define DIRECT_MARGIN INTERIOR_MARGIN_DS
#define TRAP_ROUNDING TRAP_ROUNDING_DS
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x8
#define PACK __m512d
#define LANES 8
#define PACKS 4
#include "kernels/cpu/cpu_slopes.h"

#undef PACKS
#define PACKS 2
#include "kernels/cpu/cpu_attractors.h"
#include "kernels/cpu/cpu_sums.h"

#define KERNELS cpu_kernels_avx512
#define FORMULA_KERNELS cpu_formulas_avx512
#define RATIONAL_KERNELS cpu_rational_avx512
#include "kernels/cpu/cpu_kernels.h"
