/* The reference on a GPU: a copy of the reference orbits, and the blocks that it builds from them:
 * the records and radii that a CPU builds, bit for bit. */
#ifndef KERNELS_CUDA_CUDA_REFERENCE_H
#define KERNELS_CUDA_CUDA_REFERENCE_H

#ifdef __cplusplus
extern "C" { /* also for the headers that it includes, which are C */
#endif

#include "kernels/cuda/cuda_pipeline.h"
#include "kernels/deep/deep.h"
#include "kernels/deep/deep_formula.h"
#include "kernels/deep/rational/deep_henon.h"
#include "kernels/deep/rational/deep_newton.h"

struct cuda_reference_memory {
    void *memory; /* device memory; NULL: none */
    size_t bytes;
    uint64_t orbit; /* number of the orbit at its beginning; 0: the orbit does not come again */
};

struct cuda_reference {
    struct pixel_common_f32 common_f32; /* z NULL: no pixel of z^2 + c is in fp32 */
    struct pixel_common common;         /* pointers to device memory */
    /* All formulas but z^2 + c in its parameter plane; else NULL: with pointers to device memory,
     * on the host and on the device. */
    struct formula_common *formula;
    const struct formula_common *formula_on_device;
    const struct formula_common_f32 *formula_f32_on_device; /* the same in fp32; else NULL */
    /* Newton's method and Nova, in device memory; else NULL. */
    const struct newton_common *newton_on_device;
    enum newton_kind kind;
    const struct henon_common *henon_on_device; /* Hénon maps, in device memory; else NULL */
    bool is_own;                                /* it is of an own formula */
    enum blocks blocks;
    struct cuda_pipeline_options pipeline;
    struct cuda_reference_memory own;
    size_t bytes;       /* size of orbits and blocks */
    size_t table_bytes; /* size of the blocks */
};

/* Offset *end for `bytes` bytes of device memory; moves *end behind them, aligned for the device.
 */
static inline size_t cuda_memory_take(size_t *end, size_t bytes)
{
    size_t at = *end;
    *end += (bytes + 255) / 256 * 256;
    return at;
}

/* Takes 16 bytes for each step of an orbit and each value of its tape, and the tables'.
 * STATUS_TOO_LARGE, figures shown, when the device has not so much memory free, or for 2^31 steps
 * and more; else fails as deep_open does, or with STATUS_DEVICE_LOST. The orbit is not needed any
 * more afterwards. Takes the kept memory, and copies no orbit that it already holds. */
enum status cuda_reference_open(struct cuda_reference *reference,
                                const struct cuda_pipeline_options *pipeline,
                                const struct deep_options *options, const struct orbit *orbit,
                                const struct spec *spec, const struct grid *whole,
                                struct cuda_reference_memory *kept);
/* Keeps its memory if the orbit may come again. Accepts a half-open reference. */
void cuda_reference_close(struct cuda_reference *reference, struct cuda_reference_memory *kept);

/* Accepts zeroed memory. */
void cuda_reference_free(struct cuda_reference_memory *memory, int device);

#ifdef __cplusplus
}
#endif

#endif
