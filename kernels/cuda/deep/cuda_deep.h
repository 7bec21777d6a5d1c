/* Pixels by perturbation on a GPU, with kernels/deep/'s own arithmetic, so with the same bits:
 * one piece of a field in launches that end after a slice, each taking up the pixels that the
 * one before put aside.
 *
 * The steps of a pixel are of three kinds, whose costs differ: leaps by a block, runs of steps from
 * where no block holds to the next place where one may begin, and runs without the reference. A
 * warp takes 8 x 4 neighbours, which want the same at the same time for most of their way. When few
 * of them are left it queues those and takes the next. The queue is worked off afterwards, by warps
 * each of which does one kind of step that some of its lanes wait for. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_H

#include <cuda_runtime.h>

#include "kernels/cuda/deep/cuda_deep_shape.h"
#include "kernels/deep/formula_pixel.h"
#include "kernels/deep/rational/henon_pixel.h"
#include "kernels/deep/rational/newton_kinds.h"
#include "kernels/escape/fraction.h"
#include "kernels/grid.h"

enum {
    DEEP_THREADS = 64,              /* of a thread block */
    AWAY_MOST = 16,                 /* steps without the reference between looks at other lanes */
    DEEP_RESIDENT_WARPS = 32,       /* of a multiprocessor: 64 registers for a thread, */
    DEEP_SLOPES_RESIDENT_WARPS = 24 /* and of formulas with distances or phases: 80 */
};

/* Of a launch's work. */
enum deep_part { PART_PIXELS, PART_QUEUE };

/* What a lane waits for. DONE: to store its pixel; RUN: a step along the reference. */
enum mode { MODE_IDLE, MODE_DONE, MODE_SEARCH, MODE_LEAP, MODE_RUN, MODE_DIRECT };

struct deep_lane { /* a thread's pixel between two launches */
    struct pixel_state pixel;
    int32_t at;   /* pixel of the piece; -1: none */
    int32_t mode; /* what it waits for */
};

struct deep_formula_lane { /* the same of any formula but z^2 + c in its parameter plane */
    struct formula_pixel pixel;
    int32_t at, mode;
};

struct deep_newton_lane { /* and by Newton's method, of Nova or of a magnet */
    struct newton_pixel pixel;
    struct pixel_kept kept; /* of those that rebase */
    int32_t at, busy;
};

struct deep_henon_lane { /* and of a Hénon map */
    struct henon_pixel pixel;
    int32_t at, busy;
};

struct deep_progress {        /* in device memory */
    unsigned long long steps; /* since the piece began */
    uint32_t next;            /* of the pixels, or of the queue, that are dealt out */
    uint32_t left;            /* 0: the piece is done. Walks that were put aside, and pixels */
    uint32_t queued;          /* pixels */
    int32_t rest;             /* the pixels are all dealt out, and now the queue is */
    int32_t first;            /* launch for the pixels, or for the queue */
};

struct deep_piece {
    struct pixel_common common;           /* in device memory */
    const struct formula_common *formula; /* the same, of such formulas; else NULL */
    struct deep_folds folds;              /* of such a row */
    const struct newton_common *newton; /* the same, of Newton's method, Nova, magnets; else NULL */
    const struct henon_common *henon;   /* the same, of Hénon maps; else NULL */
    enum newton_kind kind;              /* of newton */
    enum blocks blocks;                 /* of these */
    struct grid grid;                   /* of the piece */
    /* [rows][squares_in_row]: not 0 where all pixels of a square are inside; NULL: not known */
    uint8_t *inside;
    int32_t squares_in_row, squares;
    double fraction_offset;
    struct fraction_scale fraction_scale; /* of such rows */
    int count_bytes;
    int32_t is_own;                 /* the formula */
    void *count;                    /* planes, packed; */
    float *fraction;                /* or NULL */
    float *distance_x, *distance_y; /* or both NULL */
    float *phase;                   /* or NULL */
    void *lanes;                    /* [threads of a launch], deep_lane and so on */
    void *queue;                    /* [queue_room] */
    uint32_t queue_room;
    struct deep_progress *progress;
    struct deep_progress *report;  /* what the host gets to see of it, in pinned memory */
    int64_t slice_ns;              /* of a launch */
    volatile int *stop;            /* in device memory: launches that see it end */
    const volatile int *host_stop; /* what the host says; each launch hands it on */
};

/* What a thread's pixel takes between two launches. */
size_t deep_lane_bytes(const struct deep_piece *piece);

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned deep_threads(const struct deep_piece *piece, int units);

/* Enqueues a launch of so many threads and the report of what came of it; `first`: of a piece, all
 * of whose launches take the same number. */
void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream);

/* The kernel of a part, for a piece with a row, or with an own formula. */
void launch_deep_own(const struct deep_piece *piece, enum deep_part part, bool slopes, bool wide,
                     unsigned threads, cudaStream_t stream);
void launch_deep_formula(const struct deep_piece *piece, enum deep_part part, bool slopes,
                         bool wide, unsigned threads, cudaStream_t stream);
void launch_deep_formula_slopes(const struct deep_piece *piece, enum deep_part part, bool wide,
                                unsigned threads, cudaStream_t stream);

/* All pixels of a piece by Newton's method, of a magnet, or of Nova, which has no distances. */
void launch_deep_newton(const struct deep_piece *piece, bool slopes, unsigned threads,
                        cudaStream_t stream);

/* The same of a Hénon map. */
void launch_deep_henon(const struct deep_piece *piece, bool slopes, unsigned threads,
                       cudaStream_t stream);

#endif
