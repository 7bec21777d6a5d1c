/* Pixels by perturbation on a GPU, with kernels/deep/'s own arithmetic, so with the same bits:
 * one piece of a field in launches that end after a slice, each going on with the pixels that the
 * one before stored.
 *
 * The steps of a pixel are of three kinds, whose costs differ: leaps by a block, runs of steps from
 * an n where no block holds to the next where one may begin, and runs without the reference. A warp
 * takes 8 x 4 neighbours, which need the same kind for most of their steps. When few of them are
 * left it queues those and takes the next. The queue is worked off afterwards, by warps each of
 * which does one kind of step that some of its lanes wait for. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_H

#include <cuda_runtime.h>

#include "kernels/cuda/deep/cuda_deep_shape.h"
#include "kernels/deep/deep_sums.h"
#include "kernels/deep/number/late.h"
#include "kernels/deep/rational/henon_pixel.h"
#include "kernels/deep/rational/newton_kinds.h"
#include "kernels/escape/fraction.h"
#include "kernels/grid.h"

enum {
    DEEP_THREADS = 64,              /* size of a thread block */
    DIRECT_RUN_MOST = 16,           /* steps without the reference between votes of the lanes */
    RUN_MOST = 16,                  /* the same along it */
    DEEP_RESIDENT_WARPS = 32,       /* warps of a multiprocessor: 64 registers for a thread */
    DEEP_SLOPES_RESIDENT_WARPS = 24 /* for formulas with distances or phases: 80 registers */
};

/* A launch's pixels: first those of the piece, then those of the queue. */
enum deep_pass { PASS_PIXELS, PASS_QUEUE };

/* The action that a lane waits for. DONE: storing its pixel; RUN: a step along the reference. */
enum mode { MODE_IDLE, MODE_DONE, MODE_SEARCH, MODE_LEAP, MODE_RUN, MODE_DIRECT };

struct deep_lane { /* a thread's pixel between two launches */
    struct pixel_state pixel;
    int32_t at;   /* pixel of the piece; -1: none */
    int32_t mode; /* enum mode */
};

struct deep_late_lane { /* the same in fp32; members as in struct pixel_state_f32, but for */
    struct complex_f32 c, delta;
    int32_t e; /* delta is over 2^e, always: settled behind a block, 0 behind steps */
    int32_t m, level;
    int32_t stop;   /* m of the end of the reference, or of the limit */
    int64_t offset; /* n - m, which changes where m does not only grow */
    float norm, slope;
    int32_t escaped; /* 1: count is n */
    int32_t at, mode;
};

struct deep_formula_lane { /* the same for any formula but z^2 + c in its parameter plane */
    struct formula_pixel pixel;
    int32_t at, mode;
};

struct deep_formula_lane_f32 { /* the same in fp32 */
    struct formula_pixel_f32 pixel;
    int32_t at, mode;
};

struct deep_newton_lane { /* the same for Newton's method, Nova and magnets */
    struct newton_pixel pixel;
    struct pixel_kept kept; /* used by pixels that rebase */
    int32_t at, busy;
};

struct deep_henon_lane { /* the same for Hénon maps */
    struct henon_pixel pixel;
    int32_t at, busy;
};

struct deep_sums_lane { /* the same for sums along an orbit whose count is known */
    struct pixel_state pixel;
    struct f64x1_orbit_sums sums;
    int64_t count;
    int32_t at, busy;
};

struct deep_formula_sums_lane { /* the same for a deep_formula_lane */
    struct formula_pixel pixel;
    struct f64x1_orbit_sums sums;
    int64_t count;
    int32_t at, busy;
};

struct deep_progress {        /* device memory */
    unsigned long long steps; /* since the piece began */
    uint32_t next;            /* pixels of this pass that are dealt out */
    uint32_t left;            /* warps and stored pixels that go on; 0: the piece is done */
    uint32_t queued;          /* pixels in the queue */
    int32_t rest;             /* 0: PASS_PIXELS; 1: PASS_QUEUE */
    int32_t first;            /* 1: the first launch of this pass */
};

struct deep_piece {
    struct pixel_common common;           /* device memory */
    struct pixel_common_f32 common_f32;   /* the same in fp32; z NULL: not a deep_late_lane */
    const struct formula_common *formula; /* device memory; NULL: not a deep_formula_lane */
    const struct formula_common_f32 *formula_f32; /* the same in fp32; NULL: pixels are in fp64 */
    struct deep_folds folds;                      /* rows of these formulas */
    const struct newton_common *newton;           /* device memory; NULL: not a deep_newton_lane */
    const struct henon_common *henon;             /* device memory; NULL: not a deep_henon_lane */
    enum newton_kind kind;                        /* kind of `newton` */
    enum blocks blocks;                           /* blocks of `newton` and `henon` */
    struct grid grid;                             /* the piece's own */
    /* [rows][squares_in_row]: not 0 where all pixels of a square are inside; NULL: no squares */
    uint8_t *inside;
    int32_t squares_in_row, squares;
    double fraction_offset;
    struct fraction_scale fraction_scale; /* rows of `formula` */
    int count_bytes;
    int32_t is_own;                 /* 1: the formula is an own one */
    void *count;                    /* planes, packed */
    float *fraction;                /* may be NULL */
    float *distance_x, *distance_y; /* may be NULL, both */
    float *phase;                   /* may be NULL */
    void *lanes;                    /* [threads of a launch], deep_lane and so on */
    void *queue;                    /* [queue_room] */
    uint32_t queue_room;
    struct deep_progress *progress;
    struct deep_progress *report;  /* copy for the host, in pinned memory */
    int64_t slice_ns;              /* time limit of a launch */
    volatile int *stop;            /* device memory; not 0: launches end */
    const volatile int *host_stop; /* the host's request; each launch copies it to `stop` */
    int32_t sums;                  /* 1: launches are for sums along orbits, after the counts */
    struct f64x1_orbit_rule rule;  /* for these */
    float *orbit[ORBIT_PLANES];    /* planes from PLANE_STRIPE on; each may be NULL */
};

/* Size of a thread's pixel between two launches. */
size_t deep_lane_bytes(const struct deep_piece *piece);

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned deep_threads(const struct deep_piece *piece, int units);

/* Enqueues a launch of `threads` threads (the same for all launches of a piece) and the report of
 * its progress. `first`: the first of a piece. */
void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream);

/* Enqueue the kernel of a pass, for a piece with a row, or with an own formula. */
void launch_deep_own(const struct deep_piece *piece, enum deep_pass pass, bool slopes, bool wide,
                     unsigned threads, cudaStream_t stream);
void launch_deep_formula(const struct deep_piece *piece, enum deep_pass pass, bool slopes,
                         bool wide, unsigned threads, cudaStream_t stream);
void launch_deep_formula_slopes(const struct deep_piece *piece, enum deep_pass pass, bool wide,
                                unsigned threads, cudaStream_t stream);

/* The same in fp32. */
void launch_deep_own_f32(const struct deep_piece *piece, enum deep_pass pass, unsigned threads,
                         cudaStream_t stream);
void launch_deep_formula_f32(const struct deep_piece *piece, enum deep_pass pass, unsigned threads,
                             cudaStream_t stream);

/* Enqueue all pixels of a piece: Newton's method, a magnet, or Nova, which has no distances; or a
 * Hénon map. */
void launch_deep_newton(const struct deep_piece *piece, bool slopes, unsigned threads,
                        cudaStream_t stream);
void launch_deep_henon(const struct deep_piece *piece, bool slopes, unsigned threads,
                       cudaStream_t stream);

/* Enqueues sums along the orbits of all pixels of a piece. */
void launch_deep_sums(const struct deep_piece *piece, bool wide, unsigned threads,
                      cudaStream_t stream);

#endif
