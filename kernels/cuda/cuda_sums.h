/* Averages and traps along the orbits of direct iteration on a GPU (kernels/escape/orbit_sums.h).
 * After the counts n of a piece, and slopes if there are such, z takes exactly n steps once more;
 * pixels are sorted and dealt out as in cuda_slopes.h. The same steps as kernels/cpu/cpu_sums.h, so
 * the same bits. */
#ifndef KERNELS_CUDA_CUDA_SUMS_H
#define KERNELS_CUDA_CUDA_SUMS_H

#include "kernels/cuda/cuda_slopes.h"
#include "kernels/escape/orbit_sums.h"
#include "kernels/formula/program.h"

struct sums_lane { /* a thread's orbit between two launches */
    double x, y;
    struct f64x1_orbit_sums sums;
    int64_t count, left; /* steps in all, and to take */
    uint32_t at;         /* pixel of the piece: x | y << 16 */
    int32_t busy;
};

struct sums_piece {
    struct slope_piece sorted; /* its counts, sorted pixels and progress; no slopes */
    struct f64x1_orbit_rule rule;
    struct formula_program program;                  /* lists; no phases: z^2 + c */
    struct fraction_scale scale[FORMULA_PHASES_MAX]; /* scales of their fractions, by phase */
    float *orbit[ORBIT_PLANES]; /* planes from PLANE_STRIPE on, packed; each may be NULL */
    struct sums_lane *lanes;    /* [threads of a launch] */
};

/* Enqueues a launch of slope_threads threads (the same for all launches of a piece) and the report
 * of its progress. `first`: the first of a piece. */
void launch_sums(const struct sums_piece *piece, unsigned threads, int first, cudaStream_t stream);

#endif
