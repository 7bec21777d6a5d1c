/* Distances and phases of direct iteration on a GPU. After the counts n of a piece z and dz take
 * exactly n steps, by persistent warps whose lanes take new pixels when enough of them are done.
 * Pixels are sorted by their counts before: the lanes of a warp end together, and the longest
 * orbits begin first. A launch ends after a slice; the next one goes on with the orbits that it
 * stored. The same steps as kernels/cpu/cpu_slopes.h, so the same bits. */
#ifndef KERNELS_CUDA_CUDA_SLOPES_H
#define KERNELS_CUDA_CUDA_SLOPES_H

#include "kernels/cuda/cuda_kernels.h"

enum {
    SLOPE_THREADS = 64,    /* size of a thread block */
    SLOPE_BUCKET_BITS = 3, /* counts of an octave are sorted into 2^3 buckets */
    SLOPE_BUCKETS = 64 << SLOPE_BUCKET_BITS
};

struct slope_lane { /* a thread's orbit between two launches */
    double x, y, dx, dy;
    int64_t left; /* steps */
    uint32_t at;  /* pixel of the piece: x | y << 16 */
    int32_t busy;
};

struct slope_progress { /* device memory */
    uint32_t count;     /* pixels that escape */
    uint32_t next;      /* pixels that are dealt out */
    uint32_t left;      /* warps with pixels left; 0: the piece is done */
};

struct slope_piece {
    struct piece piece;             /* its counts are only read */
    float *distance_x, *distance_y; /* planes, packed; may be NULL, both */
    float *phase;                   /* may be NULL */
    struct slope_lane *lanes;       /* [threads of a launch] */
    uint32_t *sorted;               /* pixels that escape, as in struct slope_lane */
    uint32_t *bucket;               /* [SLOPE_BUCKETS]: index of its first pixel in `sorted` */
    struct slope_progress *progress;
    struct slope_progress *report; /* copy for the host, in pinned memory */
    int64_t slice_ns;              /* time limit of a launch */
};

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned slope_threads(const struct slope_piece *slope, int units);

/* Enqueues a launch of `threads` threads (the same for all launches of a piece) and the report of
 * its progress. `first`: the first of a piece. */
void launch_slopes(const struct slope_piece *slope, unsigned threads, int first,
                   cudaStream_t stream);

/* The parts of launch_slopes around its steps, for other passes over the same sorted pixels. */
void launch_slope_sort(const struct slope_piece *slope, int first, cudaStream_t stream);
void launch_slope_report(const struct slope_piece *slope, cudaStream_t stream);

#endif
