/* How does one piece of a field travel through the device? One lane: a stream, another for what
 * goes on beside it, and buffers. */
#ifndef KERNELS_CUDA_CUDA_LANE_H
#define KERNELS_CUDA_CUDA_LANE_H

#include "kernels/cuda/cuda_deep.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/cuda_scene.h"
#include "kernels/cuda/cuda_slopes.h"

enum lane_state { LANE_IDLE, LANE_BEGUN, LANE_COMPUTING, LANE_COPYING };

struct rectangle {
    int32_t x, y, width, height; /* in the tile */
};

struct lane {
    volatile int *lost;
    struct launcher launcher;
    struct piece piece;
    struct deep_piece deep;       /* of perturbation, in the same memory */
    unsigned deep_threads;        /* of each of its launches */
    struct slope_piece slope;     /* of direct iteration, when counts are known */
    unsigned slope_threads;       /* of each of its launches; 0 before the first */
    struct batch *report;         /* pinned; what came of the last batch, or of deep's launch */
    void *memory;                 /* device; everything that piece points to, but stop */
    void *staging;                /* pinned block for copies to pageable memory, or NULL */
    size_t staging_bytes;         /* of it */
    size_t pixels;                /* capacity */
    cudaEvent_t computed, copied; /* the ends of the last batch and of the last copy */
    cudaStream_t side;            /* of what goes on beside the first steps, */
    cudaEvent_t late;             /* and its end */
    enum lane_state state;
    int stages; /* of the last batch */
    struct rectangle place;
    struct field device; /* the piece's planes */
};

struct lane_stop {
    int *device;        /* not 0: launches do nothing */
    volatile int *host; /* pinned; each launch copies it there */
};

/* One call's wishes, the same for all its lanes. */
struct tile_job {
    const struct spec *spec;
    const struct grid *grid;
    struct field *out;
    int pageable;                   /* out needs staging */
    int64_t budget, steps_max;      /* see struct piece */
    const struct cuda_scene *scene; /* of perturbation; else NULL */
    int64_t slice_ns;               /* of its launches, and of those for slopes */
    cudaEvent_t begin;              /* before its first launch */
    uint64_t iterations;            /* of pieces that are done */
    double kernel_s;                /* from begin to the last batch's end */
};

/* Device memory that a lane for so many pixels takes. */
size_t lane_bytes(size_t pixels);

/* The lane must be zeroed. Fails as cuda_check does. */
enum status lane_open(struct lane *lane, size_t pixels, int units, int priority,
                      volatile int *lost);
void lane_close(struct lane *lane); /* accepts a half-open lane */

/* Enqueues the beginning of a piece in an idle lane. hurry: the first steps wait only for the
 * proofs of squares that are quick; steps are wasted, but the device has nothing else to do. */
enum status lane_begin(struct lane *lane, struct tile_job *job, const struct rectangle *place,
                       const struct lane_stop *stop, int hurry);

/* Goes on as far as it can without waiting: a batch, the copy home. *moved becomes 1 if anything
 * happened. */
enum status lane_advance(struct lane *lane, struct tile_job *job, int *moved);

/* Until nothing is under way in it. */
void lane_wait(struct lane *lane);

#endif
