/* Formulas that divide or converge, on any CPU, in doubles. */

#define PREFIX f64x1
#define PACK double
#define LANES 1
#define PACKS 4
#include "kernels/cpu/cpu_rational.h"

const struct cpu_kernels cpu_rational_scalar = {
    .memory_bytes = sizeof(struct rational_worker),
    .work = {[NUMBER_FP64] = rational_work},
};
