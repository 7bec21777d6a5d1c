/* All formulas on CPUs of 64-bit ARM, in doubles. */
#include "kernels/escape/lanes_neon.h"

#define FORMULAS
#define BODY formulas
#define PREFIX f64x2
#define PACK float64x2_t
#define REAL double
#define LANES 2
#define PACKS 4
#include "kernels/cpu/cpu_body.h"

#define OWN
#define BODY own
#define PREFIX f64x2
#define PACK float64x2_t
#define REAL double
#define LANES 2
#define PACKS 8
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x2
#define PACK float64x2_t
#define LANES 2
#define PACKS 2
#include "kernels/cpu/cpu_slopes.h"

const struct cpu_kernels cpu_formulas_neon = {
    .memory_bytes = sizeof(union {
        struct worker_formulas a;
        struct worker_own b;
        struct slope_worker c;
    }),
    .work = {[NUMBER_FP64] = work_formulas},
    .work_own = work_own,
    .slopes = slopes,
};
