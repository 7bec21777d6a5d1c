/* All formulas on any CPU, one lane, in doubles. Multiply-adds are calls where the processor is not
 * known to have them, so more packs would not hide their latency. */

#define FORMULAS
#define BODY formulas
#define PREFIX f64x1
#define PACK double
#define REAL double
#define LANES 1
#define PACKS 2
#include "kernels/cpu/cpu_body.h"

#define OWN
#define BODY own
#define PREFIX f64x1
#define PACK double
#define REAL double
#define LANES 1
#define PACKS 4
#include "kernels/cpu/cpu_body.h"

#define PREFIX f64x1
#define PACK double
#define LANES 1
#define PACKS 1
#include "kernels/cpu/cpu_slopes.h"

const struct cpu_kernels cpu_formulas_scalar = {
    .memory_bytes = sizeof(union {
        struct worker_formulas a;
        struct worker_own b;
        struct slope_worker c;
    }),
    .work = {[NUMBER_FP64] = work_formulas},
    .work_own = work_own,
    .slopes = slopes,
};
