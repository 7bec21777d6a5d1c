/* The pipeline of one GPU that fills fields: its streams, buffers and kernels, allocated once.
 *
 * A field is cut into pieces: rectangles. Each piece goes through a stream with buffers of its own
 * (cuda_stream.h). Several streams work at the same time, so that the copy to the host of one piece
 * and the few slow pixels at the end of another hide behind the computing of the others. A slot,
 * STREAMS streams, serves one call of cuda_pipeline_compute. */
#ifndef KERNELS_CUDA_CUDA_PIPELINE_H
#define KERNELS_CUDA_CUDA_PIPELINE_H

#ifdef __cplusplus
extern "C" { /* also for the headers that it includes, which are C */
#endif

#include "kernels/backend.h"

enum { CUDA_SLOTS = 2 }; /* calls of cuda_pipeline_compute that may run at a time */

struct cuda_pipeline;

struct cuda_pipeline_options {
    int device;
    double slice_s;           /* no launch takes longer */
    const volatile int *stop; /* polled between launches; may be NULL */
    volatile int *lost;       /* becomes 1 when the device failed */
};

/* Fails with STATUS_OUT_OF_MEMORY when not even the smallest buffers fit, leaving *pipeline NULL.
 */
enum status cuda_pipeline_open(struct cuda_pipeline **pipeline,
                               const struct cuda_pipeline_options *options);

/* Fills `out`: pinned host memory and device memory by DMA straight into place, other host memory
 * through pinned buffers. Thread: up to CUDA_SLOTS at a time. Blocks. After STATUS_STOPPED `out`
 * holds old and final values. work: all three members. */
enum status cuda_pipeline_compute(struct cuda_pipeline *pipeline, const struct spec *spec,
                                  const struct grid *grid, struct field *out,
                                  struct backend_work *work);

struct cuda_reference;

/* The same by perturbation. */
enum status cuda_pipeline_deep(struct cuda_pipeline *pipeline,
                               const struct cuda_reference *reference, const struct spec *spec,
                               const struct grid *grid, struct field *out,
                               struct backend_work *work);

/* Options of the pipeline, for references made for it. */
const struct cuda_pipeline_options *cuda_pipeline_options(const struct cuda_pipeline *pipeline);

/* Iterations per second of the plain unchecked loop; 0 if the device failed. Not beside compute. */
double cuda_pipeline_ceiling(struct cuda_pipeline *pipeline, enum number number, double seconds);

void cuda_pipeline_close(struct cuda_pipeline *pipeline); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
