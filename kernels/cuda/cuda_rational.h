/* Fields of formulas that divide or converge on a GPU, all planes at once: lanes of persistent
 * warps take pixels, and new ones when enough of them are done; a launch ends after a slice, and
 * the next goes on with the orbits that it stored. The same steps and tests as
 * kernels/cpu/cpu_rational.h, so the same bits. */
#ifndef KERNELS_CUDA_CUDA_RATIONAL_H
#define KERNELS_CUDA_CUDA_RATIONAL_H

#include "kernels/cuda/cuda_formulas.h"
#include "kernels/formula/rational_end.h"

struct rational_lane { /* a thread's orbit between two launches */
    struct rational_slope z;
    double before;              /* |w|^2 of the last step */
    struct rational_state kept; /* kept for Brent's comparison */
    int64_t keep_at;            /* n at which the state is kept next */
    int64_t n;                  /* steps taken */
    uint32_t at;                /* pixel of the piece: x | y << 16 */
    int32_t busy;
};

struct rational_piece {
    struct piece piece;
    struct rational_rule rule;
    double begins;                  /* z_0 in the parameter plane */
    float *distance_x, *distance_y; /* planes, packed; may be NULL, both */
    float *phase;                   /* may be NULL */
    struct rational_lane *lanes;    /* [threads of a launch] */
    struct formula_progress *progress;
    struct formula_progress *report; /* copy for the host, in pinned memory */
    int64_t slice_ns;                /* time limit of a launch */
};

/* Enqueues a launch of `threads` threads (formula_threads; the same for all launches of a piece)
 * and the report of its progress. `first`: the first of a piece. */
void launch_rational(const struct rational_piece *work, unsigned threads, int first,
                     cudaStream_t stream);

#endif
