/* How does one GPU fill a field? Its streams, buffers and kernels, allocated once.
 *
 * A field is cut into pieces. Each piece goes through a lane: a stream with buffers of its own.
 * Several lanes work at the same time, so that the copy home of one piece and the few slow pixels
 * at the end of another hide behind the computing of the others. A slot is what one call of
 * cuda_engine_compute takes: LANES lanes. */
#ifndef KERNELS_CUDA_CUDA_ENGINE_H
#define KERNELS_CUDA_CUDA_ENGINE_H

#ifdef __cplusplus
extern "C" { /* what it includes, too: those headers are C */
#endif

#include "kernels/backend.h"

enum { CUDA_SLOTS = 2 }; /* calls of cuda_engine_compute that may run at a time */

struct cuda_engine;

struct cuda_engine_options {
    int device;
    double slice_s;           /* no launch takes longer */
    const volatile int *stop; /* looked at between launches; may be NULL */
    volatile int *lost;       /* becomes 1 when the device failed */
};

/* Fails with STATUS_OUT_OF_MEMORY when not even the smallest buffers fit, leaving *engine NULL. */
enum status cuda_engine_open(struct cuda_engine **engine,
                             const struct cuda_engine_options *options);

/* Fills `out`: pinned host memory and device memory by DMA straight into place, other host memory
 * through pinned blocks. Thread: up to CUDA_SLOTS at a time. Blocks. After STATUS_STOPPED `out`
 * holds old and final values. work: all three members. */
enum status cuda_engine_compute(struct cuda_engine *engine, const struct spec *spec,
                                const struct grid *grid, struct field *out,
                                struct backend_work *work);

struct cuda_scene;

/* The same by perturbation. */
enum status cuda_engine_deep(struct cuda_engine *engine, const struct cuda_scene *scene,
                             const struct spec *spec, const struct grid *grid, struct field *out,
                             struct backend_work *work);

/* What a scene for this engine needs to know of it. */
const struct cuda_engine_options *cuda_engine_options(const struct cuda_engine *engine);

/* Iterations per second of the plain unchecked loop; 0 if the device failed. Not beside compute. */
double cuda_engine_ceiling(struct cuda_engine *engine, enum number number, double seconds);

void cuda_engine_close(struct cuda_engine *engine); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
