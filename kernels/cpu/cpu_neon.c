/* CPUs of 64-bit ARM: 4 lanes of fp32 and ds, 2 of fp64. */
#include "kernels/escape/lanes_ds_neon.h"

/* A fused multiply-add overwrites its addend here, and the compiler copies c before each. Loading
 * it costs half as many instructions, two packs in one, and none of the pipes of the arithmetic. */
#define ADDENDS(c) step_##c
#define ADDENDS_LOAD(cx, cy)                                    \
    PACK step_##cx[PACKS], step_##cy[PACKS];                    \
    _Pragma("GCC unroll 16") for (int v = 0; v < PACKS; v += 2) \
    {                                                           \
        ADDENDS_LOAD_TWO(step_##cx, cx);                        \
        ADDENDS_LOAD_TWO(step_##cy, cy);                        \
    }
#define ADDENDS_LOAD_TWO(to, from)                      \
    __asm__ volatile("ldp %q0, %q1, [%2]"               \
                     : "=w"((to)[v]), "=w"((to)[v + 1]) \
                     : "r"(&(from)[v]), "m"((from)[v]), "m"((from)[v + 1]))

#define BODY fp32
#define PREFIX f32x4
#define PACK float32x4_t
#define REAL float
#define LANES 4
#define PACKS 6
#define DIRECT_MARGIN INTERIOR_MARGIN_FP32
#define TRAP_ROUNDING TRAP_ROUNDING_FP32
#include "kernels/cpu/cpu_body.h"

#define BODY fp64
#define PREFIX f64x2
#define PACK float64x2_t
#define REAL double
#define LANES 2
#define PACKS 6
#define DIRECT_MARGIN INTERIOR_MARGIN_FP64
#define TRAP_ROUNDING TRAP_ROUNDING_FP64
#include "kernels/cpu/cpu_body.h"

#undef ADDENDS_LOAD
#undef ADDENDS

#define BODY ds
#define DOUBLE_SINGLE
#define PREFIX ds32x4
#define PACK struct ds32x4
#define REAL struct ds32x1
#define LANES 4
#define PACKS 3
#define DIRECT_MARGIN INTERIOR_MARGIN_DS
#define TRAP_ROUNDING TRAP_ROUNDING_DS
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x2
#define PACK float64x2_t
#define LANES 2
#define PACKS 4
#include "kernels/cpu/cpu_slopes.h"

#undef PACKS
#define PACKS 2
#include "kernels/cpu/cpu_attractors.h"
#include "kernels/cpu/cpu_sums.h"

#define KERNELS cpu_kernels_neon
#define FORMULA_KERNELS cpu_formulas_neon
#define RATIONAL_KERNELS cpu_rational_neon
#include "kernels/cpu/cpu_kernels.h"
