/* Formulas that divide or converge, on CPUs of 64-bit ARM, in doubles. */
#include "kernels/escape/lanes_neon.h"

#define PREFIX f64x2
#define PACK float64x2_t
#define LANES 2
#define PACKS 5
#include "kernels/cpu/cpu_rational.h"

const struct cpu_kernels cpu_rational_neon = {
    .memory_bytes = sizeof(struct rational_worker),
    .work = {[NUMBER_FP64] = rational_work},
};
