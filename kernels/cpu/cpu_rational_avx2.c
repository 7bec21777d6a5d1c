/* Formulas that divide or converge, on CPUs with AVX2 and FMA, in doubles. */
#include "kernels/escape/lanes_avx2.h"

#define PREFIX f64x4
#define PACK __m256d
#define LANES 4
#define PACKS 6
#include "kernels/cpu/cpu_rational.h"

const struct cpu_kernels cpu_rational_avx2 = {
    .memory_bytes = sizeof(struct rational_worker),
    .work = {[NUMBER_FP64] = rational_work},
};
