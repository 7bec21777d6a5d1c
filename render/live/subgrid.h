/* Subsampled grids, the pixels of a piece of work: every stride-th pixel of both directions of a
 * rectangle.
 *
 * The pixels x + i s, y + j s of a picture are the pixels i, j of a grid of their own: with
 *     half_width' = (half_width - 1/2 - x) / s + 1/2,   step' = step s
 * pixel_c (kernels/escape/pixel.h) forms dx' = dx / s and step' dx' = step dx. s is a power of two
 * and the pixels are small integers, so all of it is exact and c has the bits that it has in the
 * whole picture's grid: kernels compute subgrids without knowing of them. The points of further
 * samples of a pixel (render/colour/samples.h) are multiples of 2^-12 beside it, in the same way.
 *
 * A picture is refined from stride to half the stride by three subgrids, so that no sample is
 * computed twice. */
#ifndef RENDER_LIVE_SUBGRID_H
#define RENDER_LIVE_SUBGRID_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/grid.h"

enum { SUBGRID_STRIDE_MOST = 8, SUBGRIDS_MOST = 9 };

struct subgrid {
    int32_t x, y; /* first sample, pixels of the picture */
    int32_t stride;
    int32_t width, height; /* samples */
};

/* A piece of work: the pixels of a rectangle that are known at stride `to` and were not at `from`
 * (0: none was). Plain data, the same on every rank. */
struct piece {
    int32_t x, y, width, height; /* x, y: multiples of SUBGRID_STRIDE_MOST */
    int8_t from, to;             /* powers of two, from > to >= 1, or from 0 */
    int16_t sample;              /* of the pixels, as sample_offset numbers them */
};

/* The subgrids of a piece, coarse ones first; returns how many (those without a sample are left
 * out): 1 from nothing, else 3 for each halving. */
int piece_subgrids(const struct piece *piece, struct subgrid subgrid[SUBGRIDS_MOST]);

/* Samples of all of them. */
int64_t piece_samples(const struct piece *piece);

/* The grid of a subgrid; `whole` is that of the picture, with x = y = 0. */
struct grid subgrid_grid(const struct grid *whole, const struct subgrid *subgrid, int sample);

/* The result of a piece is the packed fields of its subgrids, each begun at a multiple of 64 bytes.
 */
size_t subgrid_bytes(const struct subgrid *subgrid, unsigned planes, int count_bytes);
size_t piece_bytes(const struct piece *piece, unsigned planes, int count_bytes);

#endif
