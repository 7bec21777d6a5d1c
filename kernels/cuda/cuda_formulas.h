/* Fields of all formulas but z^2 + c on a GPU: kernels of one kind, compiled for each formula.
 * Lanes of persistent warps take pixels, and new ones when enough of them are done; a launch ends
 * after a slice, and the next goes on with the orbits that it stored. The same steps as
 * kernels/cpu/cpu_body.h and cpu_slopes.h, so the same bits. */
#ifndef KERNELS_CUDA_CUDA_FORMULAS_H
#define KERNELS_CUDA_CUDA_FORMULAS_H

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/escape/fraction.h"
#include "kernels/formula/program.h"

enum {
    FORMULA_THREADS = 64, /* size of a thread block */
    FORMULA_RUN = 32      /* unchecked steps of a row between votes of the lanes */
};

enum formula_pass { FORMULA_COUNTS, FORMULA_SLOPES }; /* the second needs the counts */

struct formula_lane { /* a thread's orbit between two launches */
    double x, y;
    union {
        struct {
            double kept_x, kept_y; /* kept for Brent's comparison */
            int64_t keep_at;       /* n at which z is kept next */
        } count;
        struct {
            double right_x, right_y, up_x, up_y; /* dz by the real part of the pixel's point, and by
                                                    the imaginary part */
        } slope;
    } of;
    int64_t n;    /* steps taken; for slopes: steps left */
    uint32_t at;  /* pixel of the piece: x | y << 16 */
    int32_t does; /* enum lane_does */
};

struct slope_state { /* z and dz, by the real part of the pixel's point and by the imaginary part */
    double x, y, right_x, right_y, up_x, up_y;
};

struct formula_progress { /* device memory */
    unsigned long long iterations;
    uint32_t next; /* pixels that are dealt out */
    uint32_t left; /* warps with pixels left; 0: the pass is done */
};

struct cuda_own;

struct formula_piece {
    struct piece piece;
    struct fraction_scale scale[FORMULA_PHASES_MAX];
    int holomorphic;
    int phases, run;                /* own formulas: the program's; rows: 1 and FORMULA_RUN */
    struct formula_program program; /* read of own formulas only */
    const struct cuda_own *own;     /* compiled kernels; NULL: the program is interpreted */
    float *distance_x, *distance_y; /* planes, packed; may be NULL, both */
    float *phase;                   /* may be NULL */
    struct formula_lane *lanes;     /* [threads of a launch] */
    struct formula_progress *progress;
    struct formula_progress *report; /* copy for the host, in pinned memory */
    int64_t slice_ns;                /* time limit of a launch */
};

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned formula_threads(const struct piece *piece, int units);

/* Stand before and behind a launch: the first resets its progress, the second reports it. */
void launch_formula_begin(struct formula_progress *progress, int first, cudaStream_t stream);
void launch_formula_report(const struct formula_progress *progress, struct formula_progress *report,
                           cudaStream_t stream);

/* Enqueues a launch of `threads` threads (the same for all launches of a pass) and the report of
 * its progress. `first`: the first of a pass. */
void launch_formula(const struct formula_piece *work, enum formula_pass pass, unsigned threads,
                    int first, cudaStream_t stream);

#endif
