/* The pixels of the lattice of a distribution (render/distribution.h), computed before the picture
 * when that is not in memory as a whole. */
#ifndef RENDER_LATTICE_H
#define RENDER_LATTICE_H

#include <stdint.h>

#include "render/distribution.h"
#include "render/sampling.h"

enum { LATTICE_PIXELS = SUBGRID_WIDTH * SUBGRID_HEIGHT };

/* Computes the lattice of a picture of width x height, as cells (render/cells.h),
 * each with the pixel of the lattice at its middle: the same bits as in the
 * picture. Of `sampling` width and height are those of the frame. Collective; every rank returns
 * the same status. On rank 0 the pixels are copied to `lattice`, SUBGRID_WIDTH x SUBGRID_HEIGHT,
 * whose planes are there. */
enum status lattice_compute(struct sampling *sampling, int32_t width, int32_t height,
                            struct field *lattice);

#endif
