/* One tile: which points its pixels are, and their numbers by a device of this rank. */
#ifndef RENDER_PICTURE_TILE_COMPUTE_H
#define RENDER_PICTURE_TILE_COMPUTE_H

#include <stdint.h>

#include "kernels/field.h"
#include "kernels/grid.h"
#include "render/picture/picture_job.h"

/* The points of a rectangle of the strip. */
struct grid tile_grid(const struct picture_job *job, int32_t x, int32_t y, int32_t width,
                      int32_t height);

/* Where a tile of the batch begins: samples lie one below the other, cells in one picture. */
struct tile_place {
    int32_t y;  /* row of the strip, or of the picture of cells */
    int sample; /* number of the sample; not of cells */
};
struct tile_place tile_place(const struct picture_job *job, const struct tile *tile);

/* The tile of the batch in `out`; context: the struct picture_job. Threads of struct job. */
enum status tile_compute(void *context, int thread, const struct tile *tile, struct field *out,
                         uint64_t *iterations);

/* Points of the coarse pass, on the first thread; context: the struct picture_job.
 * STATUS_STOPPED. */
enum status tile_compute_coarse(void *context, const struct grid *grid, struct field *out,
                                uint64_t *iterations);

#endif
