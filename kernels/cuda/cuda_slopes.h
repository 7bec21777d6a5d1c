/* Distances and phases of direct iteration on a GPU. When the counts n of a piece are known, z
 * and dz take exactly n steps, by persistent warps whose lanes take new pixels when enough of
 * them are done. Pixels are sorted by their counts before: the lanes of a warp end together, and
 * the longest orbits begin first. A launch ends after a slice; the next one takes up the orbits
 * that it put aside. The same steps as kernels/cpu/cpu_slopes.h, so the same bits. */
#ifndef KERNELS_CUDA_CUDA_SLOPES_H
#define KERNELS_CUDA_CUDA_SLOPES_H

#include "kernels/cuda/cuda_kernels.h"

enum {
    SLOPE_THREADS = 64,    /* of a thread block */
    SLOPE_BUCKET_BITS = 3, /* counts of an octave are sorted into so many bits of buckets */
    SLOPE_BUCKETS = 64 << SLOPE_BUCKET_BITS
};

struct slope_lane { /* a thread's orbit between two launches */
    double x, y, dx, dy;
    int64_t left; /* steps */
    uint32_t at;  /* pixel of the piece: x | y << 16 */
    int32_t busy;
};

struct slope_progress { /* in device memory */
    uint32_t count;     /* of pixels that escape, */
    uint32_t next;      /* and of those that are dealt out */
    uint32_t left;      /* 0: the piece is done. Warps with pixels left */
};

struct slope_piece {
    struct piece piece;             /* with its counts, which are only read */
    float *distance_x, *distance_y; /* planes, packed; or both NULL */
    float *phase;                   /* or NULL */
    struct slope_lane *lanes;       /* [threads of a launch] */
    uint32_t *sorted;               /* pixels that escape, as in struct slope_lane */
    uint32_t *bucket;               /* [SLOPE_BUCKETS]: where those of each begin */
    struct slope_progress *progress;
    struct slope_progress *report; /* what the host gets to see of it, in pinned memory */
    int64_t slice_ns;              /* of a launch */
};

/* Threads of a launch: as many as the device keeps at work, if the piece has so many pixels. */
unsigned slope_threads(const struct slope_piece *slope, int units);

/* Enqueues a launch of so many threads and the report of what came of it; `first`: of a piece, all
 * of whose launches take the same number. */
void launch_slopes(const struct slope_piece *slope, unsigned threads, int first,
                   cudaStream_t stream);

#endif
