/* Subsampled grids, the pixels of a piece of work: every stride-th pixel of both directions of a
 * rectangle.
 *
 * The pixels x + i s, y + j s of a picture are the pixels i, j of a grid of their own: with
 *     half_width' = (half_width - 1/2 - x) / s + 1/2,   step' = step s
 * pixel_c (kernels/escape/pixel.h) forms dx' = dx / s and step' dx' = step dx. s is a power of two
 * and the pixels are small integers, so all of it is exact and c has the same bits as in the whole
 * picture's grid: kernels need no code for subgrids. The points of further samples of a pixel
 * (render/colour/samples.h) are offset by multiples of 2^-12, which is exact, too.
 *
 * A picture is refined from stride to half the stride by three subgrids, so that no sample is
 * computed twice. */
#ifndef RENDER_WORKER_SUBGRID_H
#define RENDER_WORKER_SUBGRID_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/grid.h"

enum { SUBGRID_STRIDE_MOST = 8, SUBGRIDS_MOST = 9 };

struct subgrid {
    int32_t x, y; /* first sample, pixels of the picture (of its part, see subgrid_grid) */
    int32_t stride;
    int32_t width, height; /* samples */
};

/* A piece of work: the pixels of a rectangle that are known at stride `to` and were not at `from`
 * (0: none was). Plain data, the same on every rank. The viewer's begin at multiples of
 * SUBGRID_STRIDE_MOST; tiles of a picture are pieces from 0 to 1. */
struct work_piece {
    int32_t x, y, width, height;
    int8_t from, to; /* powers of two, from > to >= 1, or from 0 */
    int8_t of_cells; /* 1: a rectangle of the picture of the context's cells (kernels/grid.h) */
    int16_t sample;  /* number of the sample, as for sample_offset */
    int32_t band, band_step; /* a tile's, as in struct grid */
};

/* Subgrids of a piece, coarse ones first; returns their number (those without a sample are left
 * out): 1 from nothing, else 3 for each halving. */
int work_piece_subgrids(const struct work_piece *piece, struct subgrid subgrid[SUBGRIDS_MOST]);

/* Number of samples of all of them. */
int64_t work_piece_samples(const struct work_piece *piece);

/* Grid of a subgrid; `whole` is that of the picture, or of a part of it that begins at the pixel
 * x, y of the grid: subgrids count from there. */
struct grid subgrid_grid(const struct grid *whole, const struct subgrid *subgrid, int sample);

/* Bytes of a subgrid's packed field. The result of a piece is the fields of its subgrids, each
 * begun at a multiple of 64 bytes. */
size_t subgrid_bytes(const struct subgrid *subgrid, unsigned planes, int count_bytes);
size_t work_piece_bytes(const struct work_piece *piece, unsigned planes, int count_bytes);

#endif
