/* A CUDA stream with buffers of its own, through which one piece of a field goes at a time, and
 * a side stream for what goes on beside it. */
#ifndef KERNELS_CUDA_CUDA_STREAM_H
#define KERNELS_CUDA_CUDA_STREAM_H

#include "kernels/cuda/cuda_formulas.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/cuda_rational.h"
#include "kernels/cuda/cuda_reference.h"
#include "kernels/cuda/cuda_slopes.h"
#include "kernels/cuda/deep/cuda_deep.h"

enum stream_state { STREAM_IDLE, STREAM_BEGUN, STREAM_COMPUTING, STREAM_COPYING };

struct rectangle {
    int32_t x, y, width, height; /* in the tile */
};

struct stream {
    volatile int *lost;
    struct launcher launcher;
    struct piece piece;
    struct deep_piece deep;         /* of perturbation, in the same memory */
    unsigned deep_threads;          /* of each of its launches */
    struct slope_piece slope;       /* of direct iteration, when counts are known */
    unsigned slope_threads;         /* of each of its launches; 0 before the first */
    struct formula_piece formula;   /* of all formulas but z^2 + c, */
    enum formula_pass pass;         /* which of it is under way, */
    unsigned formula_threads;       /* and threads of each of its launches */
    struct rational_piece rational; /* of those that divide or converge, in the place of it */
    struct batch *report;           /* pinned; what came of the last batch, or of deep's launch */
    void *memory;                   /* device; everything that piece points to, but stop */
    void *staging;                  /* pinned buffer for copies to pageable memory, or NULL */
    size_t staging_bytes;           /* of it */
    size_t pixels;                  /* capacity */
    cudaEvent_t computed, copied;   /* the ends of the last batch and of the last copy */
    cudaStream_t side;              /* of what goes on beside the first steps, */
    cudaEvent_t late;               /* and its end */
    enum stream_state state;
    int stages; /* of the last batch */
    struct rectangle place;
    struct field device; /* the piece's planes */
};

struct stream_stop {
    int *device;        /* not 0: launches do nothing */
    volatile int *host; /* pinned; each launch copies it there */
};

/* What one call asks for, the same for all its streams. */
struct tile_job {
    const struct spec *spec;
    const struct grid *grid;
    struct field *out;
    int pageable;                           /* out needs staging */
    int64_t budget, steps_max;              /* see struct piece */
    const struct cuda_reference *reference; /* of perturbation; else NULL */
    int64_t slice_ns;                       /* of its launches, and of those for slopes */
    cudaEvent_t begin;                      /* before its first launch */
    uint64_t iterations;                    /* of pieces that are done */
    double kernel_s;                        /* from begin to the last batch's end */
};

/* Device memory that a stream for so many pixels takes. */
size_t stream_bytes(size_t pixels);

/* The stream must be zeroed. Fails as cuda_check does. */
enum status stream_open(struct stream *stream, size_t pixels, int units, int priority,
                        volatile int *lost);
void stream_close(struct stream *stream); /* accepts a half-open stream */

/* Enqueues the beginning of a piece in an idle stream. hurry: the first steps wait only for the
 * proofs of squares that are quick; steps are wasted, but the device has nothing else to do. */
enum status stream_begin(struct stream *stream, struct tile_job *job, const struct rectangle *place,
                         const struct stream_stop *stop, int hurry);

/* Goes on as far as it can without waiting: a batch, the copy to the host. *moved becomes 1 if
 * anything happened. */
enum status stream_advance(struct stream *stream, struct tile_job *job, int *moved);

/* Until nothing is under way in it. */
void stream_wait(struct stream *stream);

#endif
