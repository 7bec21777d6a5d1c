/* Fields of all formulas but z^2 + c on a GPU: kernels of one kind, compiled for each formula.
 * Lanes of persistent warps take pixels, and new ones when enough of them are done; a launch ends
 * after a slice, and the next takes up the orbits that it put aside. The same steps as
 * kernels/cpu/cpu_body.h and cpu_slopes.h, so the same bits. */
#ifndef KERNELS_CUDA_CUDA_FORMULAS_H
#define KERNELS_CUDA_CUDA_FORMULAS_H

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/escape/fraction.h"
#include "kernels/formula/program.h"

enum {
    FORMULA_THREADS = 64, /* of a thread block */
    FORMULA_RUN = 32      /* unchecked steps of a row between looks at what lanes want */
};

enum formula_pass { FORMULA_COUNTS, FORMULA_SLOPES }; /* the second where counts are known */

struct formula_lane { /* a thread's orbit between two launches */
    double x, y;
    union {
        struct {
            double kept_x, kept_y; /* for Brent's comparison, */
            int64_t keep_at;       /* kept next at this n */
        } count;
        struct {
            double right_x, right_y, up_x, up_y; /* dz by the real part of the pixel's point, and by
                                                    the imaginary part */
        } slope;
    } of;
    int64_t n;    /* steps taken; of slopes those that are left */
    uint32_t at;  /* pixel of the piece: x | y << 16 */
    int32_t does; /* enum lane_does */
};

struct slope_state { /* z and dz, by the real part of the pixel's point and by the imaginary part */
    double x, y, right_x, right_y, up_x, up_y;
};

struct formula_progress { /* in device memory */
    unsigned long long iterations;
    uint32_t next; /* of the pixels that are dealt out */
    uint32_t left; /* 0: the pass is done. Warps with pixels left */
};

struct cuda_own;

struct formula_piece {
    struct piece piece;
    struct fraction_scale scale[FORMULA_PHASES_MAX];
    int holomorphic;
    int phases, run;                /* of an own formula; 1 and FORMULA_RUN of a row */
    struct formula_program program; /* of an own formula, */
    const struct cuda_own *own;     /* and its kernels; NULL: it is interpreted */
    float *distance_x, *distance_y; /* planes, packed; or both NULL */
    float *phase;                   /* or NULL */
    struct formula_lane *lanes;     /* [threads of a launch] */
    struct formula_progress *progress;
    struct formula_progress *report; /* what the host gets to see of it, in pinned memory */
    int64_t slice_ns;                /* of a launch */
};

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned formula_threads(const struct piece *piece, int units);

/* Before a launch and behind it: progress begins, and the host gets to see what came of it. */
void launch_formula_begin(struct formula_progress *progress, int first, cudaStream_t stream);
void launch_formula_report(const struct formula_progress *progress, struct formula_progress *report,
                           cudaStream_t stream);

/* Enqueues a launch of so many threads and the report of what came of it; `first`: of a pass, all
 * of whose launches take the same number. */
void launch_formula(const struct formula_piece *work, enum formula_pass pass, unsigned threads,
                    int first, cudaStream_t stream);

#endif
