/* The reference on a GPU: a copy of the reference orbits, and the blocks that it builds from them:
 * the records and radii that a CPU builds, bit for bit. */
#ifndef KERNELS_CUDA_CUDA_REFERENCE_H
#define KERNELS_CUDA_CUDA_REFERENCE_H

#ifdef __cplusplus
extern "C" { /* what it includes, too: those headers are C */
#endif

#include "kernels/cuda/cuda_pipeline.h"
#include "kernels/deep/deep.h"
#include "kernels/deep/deep_formula.h"
#include "kernels/deep/rational/deep_henon.h"
#include "kernels/deep/rational/deep_newton.h"

struct cuda_reference_memory {
    void *memory; /* of the device; NULL: none */
    size_t bytes;
    uint64_t orbit; /* the number of the one at its beginning; 0: of nobody else */
};

struct cuda_reference {
    struct pixel_common common; /* in device memory */
    /* Of any formula but z^2 + c in its parameter plane, where it has all that common has not:
     * with pointers to device memory, and there; else NULL. */
    struct formula_common *formula;
    const struct formula_common *formula_there;
    /* Of Newton's method and Nova, in device memory; else NULL. */
    const struct newton_common *newton_there;
    enum newton_kind kind;
    const struct henon_common *henon_there; /* the same of Hénon maps */
    bool is_own;                            /* the formula */
    enum blocks blocks;
    struct cuda_pipeline_options pipeline;
    struct cuda_reference_memory own;
    size_t bytes;       /* of the orbit and the blocks, */
    size_t table_bytes; /* and of the blocks alone */
};

/* 16 bytes for each step of an orbit and each value of its tape, and the tables'. STATUS_TOO_LARGE,
 * figures shown, when the device has not so much memory free, or for 2^31 steps and more; else
 * fails as deep_open does, or with STATUS_DEVICE_LOST. The orbit is not needed any more afterwards.
 * Takes what is kept, and then copies no orbit that is there already. */
enum status cuda_reference_open(struct cuda_reference *reference,
                                const struct cuda_pipeline_options *pipeline,
                                const struct deep_options *options, const struct orbit *orbit,
                                const struct spec *spec, const struct grid *whole,
                                struct cuda_reference_memory *kept);
/* Keeps its memory if the orbit may come again. Accepts a half-open one. */
void cuda_reference_close(struct cuda_reference *reference, struct cuda_reference_memory *kept);

/* Accepts a zeroed one. */
void cuda_reference_free(struct cuda_reference_memory *memory, int device);

#ifdef __cplusplus
}
#endif

#endif
