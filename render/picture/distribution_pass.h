/* The pixels of the subgrid of a distribution (render/colour/distribution.h), computed before the
 * picture when that is not in memory as a whole. */
#ifndef RENDER_PICTURE_DISTRIBUTION_PASS_H
#define RENDER_PICTURE_DISTRIBUTION_PASS_H

#include <stdint.h>

#include "render/colour/distribution.h"
#include "render/picture/sampling.h"

enum { SUBGRID_PIXELS = SUBGRID_WIDTH * SUBGRID_HEIGHT };

/* Computes the subgrid of a picture of width x height, as cells (render/colour/cells.h),
 * each with the pixel of the subgrid at its middle: the same bits as in the
 * picture. Of `sampling` width and height are those of the frame. Collective; every rank returns
 * the same status. On rank 0 the pixels are copied to `subgrid`, SUBGRID_WIDTH x SUBGRID_HEIGHT,
 * whose planes are there. */
enum status distribution_pass_run(struct sampling *sampling, int32_t width, int32_t height,
                                  struct field *subgrid);

#endif
