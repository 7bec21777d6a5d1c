/* A CUDA stream with buffers of its own, through which one piece of a field goes at a time, and a
 * side stream for long proofs of squares. */
#ifndef KERNELS_CUDA_CUDA_STREAM_H
#define KERNELS_CUDA_CUDA_STREAM_H

#include "kernels/cuda/cuda_formulas.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/cuda_rational.h"
#include "kernels/cuda/cuda_reference.h"
#include "kernels/cuda/cuda_slopes.h"
#include "kernels/cuda/cuda_sums.h"
#include "kernels/cuda/deep/cuda_deep.h"

enum stream_state { STREAM_IDLE, STREAM_BEGUN, STREAM_COMPUTING, STREAM_COPYING };

struct rectangle {
    int32_t x, y, width, height; /* pixels of the tile */
};

struct stream {
    volatile int *lost;
    struct launcher launcher;
    struct piece piece;
    struct deep_piece deep;         /* for perturbation, in the same memory */
    unsigned deep_threads;          /* threads of each launch for `deep` */
    struct slope_piece slope;       /* for direct iteration, after its counts */
    unsigned slope_threads;         /* threads of each launch for `slope`; 0 before the first */
    struct sums_piece sums;         /* likewise, after slopes */
    unsigned sums_threads;          /* threads of each launch for `sums`; 0 before the first */
    struct formula_piece formula;   /* for all formulas but z^2 + c */
    enum formula_pass pass;         /* the pass of `formula` that is under way */
    unsigned formula_threads;       /* threads of each launch for `formula` or `rational` */
    struct rational_piece rational; /* for formulas that divide or converge */
    struct batch *report;           /* pinned; progress of the last batch or launch */
    void *memory;                   /* device; everything that piece points to, but stop */
    void *staging;                  /* pinned buffer for copies to pageable memory; may be NULL */
    size_t staging_bytes;           /* size of `staging` */
    size_t pixels;                  /* capacity */
    cudaEvent_t computed, copied;   /* the ends of the last batch and of the last copy */
    cudaStream_t side;              /* long proofs, beside the first steps */
    cudaEvent_t late;               /* the end of these proofs */
    enum stream_state state;
    int stages; /* stages of the last batch */
    struct rectangle area;
    struct field device; /* the piece's planes */
};

struct stream_stop {
    int *device;        /* not 0: launches do nothing */
    volatile int *host; /* pinned; each launch copies it to `device` */
};

/* One call of the pipeline, the same for all its streams. */
struct tile_job {
    const struct spec *spec;
    const struct grid *grid;
    struct field *out;
    int pageable;                           /* out needs staging */
    int64_t budget, steps_max;              /* see struct piece */
    const struct cuda_reference *reference; /* for perturbation; else NULL */
    int64_t slice_ns;                       /* time limit of launches that end after a slice */
    cudaEvent_t begin;                      /* recorded before its first launch */
    uint64_t iterations;                    /* iterations of pieces that are done */
    double kernel_s;                        /* time from `begin` to the last batch's end */
};

/* Device memory that a stream with this capacity takes. */
size_t stream_bytes(size_t pixels);

/* The stream must be zeroed. Fails as cuda_check does. */
enum status stream_open(struct stream *stream, size_t pixels, int units, int priority,
                        volatile int *lost);
void stream_close(struct stream *stream); /* accepts a half-open stream */

/* Enqueues the beginning of a piece in an idle stream. hurry: the first steps wait only for quick
 * proofs of squares; some steps are wasted, but the device has nothing else to do. */
enum status stream_begin(struct stream *stream, struct tile_job *job, const struct rectangle *area,
                         const struct stream_stop *stop, int hurry);

/* Goes on as far as it can without waiting: a batch, the copy to the host. *moved becomes 1 if
 * anything happened. */
enum status stream_advance(struct stream *stream, struct tile_job *job, int *moved);

/* Waits until nothing is under way in the stream. */
void stream_wait(struct stream *stream);

#endif
