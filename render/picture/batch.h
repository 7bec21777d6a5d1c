/* One batch of samples of a strip, which a job of all ranks computes. */
#ifndef RENDER_PICTURE_BATCH_H
#define RENDER_PICTURE_BATCH_H

#include <stdint.h>

#include "kernels/field.h"
#include "render/picture/picture_job.h"

/* The compute of struct sampling; context: the struct picture_job. Collective; every rank returns
 * the same status. */
enum status batch_compute(void *context, uint64_t number, const struct tile_batch *batch,
                          struct field *fields);

#endif
