/* Fields of formulas that divide or converge on a GPU, all planes at once: lanes of persistent
 * warps take pixels, and new ones when enough of them are done; a launch ends after a slice, and
 * the next takes up the orbits that it put aside. The same steps and tests as
 * kernels/cpu/cpu_rational.h, so the same bits. */
#ifndef KERNELS_CUDA_CUDA_RATIONAL_H
#define KERNELS_CUDA_CUDA_RATIONAL_H

#include "kernels/cuda/cuda_formulas.h"
#include "kernels/formula/rational_end.h"

struct rational_lane { /* a thread's orbit between two launches */
    struct rational_slope z;
    double before;              /* |w|^2 of the last step */
    struct rational_state kept; /* for Brent's comparison, */
    int64_t keep_at;            /* kept next at this n */
    int64_t n;                  /* steps taken */
    uint32_t at;                /* pixel of the piece: x | y << 16 */
    int32_t busy;
};

struct rational_piece {
    struct piece piece;
    struct rational_rule rule;
    double begins;                  /* z_0 in the parameter plane */
    float *distance_x, *distance_y; /* planes, packed; or both NULL */
    float *phase;                   /* or NULL */
    struct rational_lane *lanes;    /* [threads of a launch] */
    struct formula_progress *progress;
    struct formula_progress *report; /* what the host gets to see of it, in pinned memory */
    int64_t slice_ns;                /* of a launch */
};

/* Enqueues a launch of so many threads (formula_threads) and the report of what came of it;
 * `first`: of a piece, all of whose launches take the same number. */
void launch_rational(const struct rational_piece *work, unsigned threads, int first,
                     cudaStream_t stream);

#endif
