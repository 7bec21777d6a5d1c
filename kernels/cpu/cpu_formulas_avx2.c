/* All formulas on CPUs with AVX2 and FMA, in doubles. */
#include "kernels/escape/lanes_avx2.h"

#define FORMULAS
#define BODY formulas
#define PREFIX f64x4
#define PACK __m256d
#define REAL double
#define LANES 4
#define PACKS 6
#include "kernels/cpu/cpu_body.h"

#define OWN
#define BODY own
#define PREFIX f64x4
#define PACK __m256d
#define REAL double
#define LANES 4
#define PACKS 8
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x4
#define PACK __m256d
#define LANES 4
#define PACKS 2
#include "kernels/cpu/cpu_slopes.h"

const struct cpu_kernels cpu_formulas_avx2 = {
    .memory_bytes = sizeof(union {
        struct worker_formulas a;
        struct worker_own b;
        struct slope_worker c;
    }),
    .work = {[NUMBER_FP64] = work_formulas},
    .work_own = work_own,
    .slopes = slopes,
};
