/* Formulas that divide or converge, on CPUs with AVX-512, in doubles. */
#include "kernels/escape/lanes_avx512.h"

#define PREFIX f64x8
#define PACK __m512d
#define LANES 8
#define PACKS 5
#include "kernels/cpu/cpu_rational.h"

const struct cpu_kernels cpu_rational_avx512 = {
    .memory_bytes = sizeof(struct rational_worker),
    .work = {[NUMBER_FP64] = rational_work},
};
