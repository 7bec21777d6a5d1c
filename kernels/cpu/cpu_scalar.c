/* Any CPU: one lane. Several packs at a time hide the latency of the multiply-adds. */

#define BODY fp32
#define PREFIX f32x1
#define PACK float
#define REAL float
#define LANES 1
#define PACKS 8
#define DIRECT_MARGIN INTERIOR_MARGIN_FP32
#define TRAP_ROUNDING TRAP_ROUNDING_FP32
#include "kernels/cpu/cpu_body.h"

#define BODY fp64
#define PREFIX f64x1
#define PACK double
#define REAL double
#define LANES 1
#define PACKS 8
#define DIRECT_MARGIN INTERIOR_MARGIN_FP64
#define TRAP_ROUNDING TRAP_ROUNDING_FP64
#include "kernels/cpu/cpu_body.h"

#define BODY ds
#define DOUBLE_SINGLE
#define PREFIX ds32x1
#define PACK struct ds32x1
#define REAL struct ds32x1
#define LANES 1
#define PACKS 4
#define DIRECT_MARGIN INTERIOR_MARGIN_DS
#define TRAP_ROUNDING TRAP_ROUNDING_DS
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x1
#define PACK double
#define LANES 1
#define PACKS 4
#include "kernels/cpu/cpu_slopes.h"
#include "kernels/cpu/cpu_attractors.h"
#include "kernels/cpu/cpu_sums.h"

#define KERNELS cpu_kernels_scalar
#define FORMULA_KERNELS cpu_formulas_scalar
#define RATIONAL_KERNELS cpu_rational_scalar
#include "kernels/cpu/cpu_kernels.h"
