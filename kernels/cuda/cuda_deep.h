/* Pixels by perturbation on a GPU, with kernels/deep/'s own arithmetic, so with the same bits:
 * one piece of a field in launches that end after a slice, each taking up the pixels that the
 * one before put aside.
 *
 * The steps of a pixel are of three kinds, whose costs differ: leaps by a block, runs of steps from
 * where no block holds to the next place where one may begin, and runs without the reference. A
 * warp takes 8 x 4 neighbours, which want the same at the same time for most of their way. When few
 * of them are left it queues those and takes the next. The queue is worked off afterwards, by warps
 * each of which does one kind of step that some of its lanes wait for. */
#ifndef KERNELS_CUDA_CUDA_DEEP_H
#define KERNELS_CUDA_CUDA_DEEP_H

#include <cuda_runtime.h>

#include "kernels/deep/pixel_state.h"
#include "kernels/grid.h"

enum { DEEP_THREADS = 64 }; /* of a thread block */

struct deep_lane { /* a thread's pixel between two launches */
    struct pixel_state pixel;
    int32_t at;   /* pixel of the piece; -1: none */
    int32_t mode; /* what it waits for */
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
    struct pixel_common common; /* in device memory */
    enum blocks blocks;
    struct grid grid; /* of the piece */
    /* [rows][squares_in_row]: not 0 where all pixels of a square are inside; NULL: not known */
    uint8_t *inside;
    int32_t squares_in_row, squares;
    double fraction_offset;
    int count_bytes;
    void *count;                    /* planes, packed; */
    float *fraction;                /* or NULL */
    float *distance_x, *distance_y; /* or both NULL */
    float *phase;                   /* or NULL */
    struct deep_lane *lanes;        /* [threads of a launch] */
    struct deep_lane *queue;        /* [queue_room] */
    uint32_t queue_room;
    struct deep_progress *progress;
    struct deep_progress *report;  /* what the host gets to see of it, in pinned memory */
    int64_t slice_ns;              /* of a launch */
    volatile int *stop;            /* in device memory: launches that see it end */
    const volatile int *host_stop; /* what the host says; each launch hands it on */
};

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned deep_threads(const struct deep_piece *piece, int units);

/* Enqueues a launch of so many threads and the report of what came of it; `first`: of a piece, all
 * of whose launches take the same number. */
void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream);

#endif
