/* The c of a pixel (the z_0 of a Julia set's), in doubles, over 2^exponent of the grid. Definition:
 * see kernels/grid.h. */
#ifndef KERNELS_ESCAPE_PIXEL_H
#define KERNELS_ESCAPE_PIXEL_H

#include "kernels/escape/shared.h"
#include "kernels/grid.h"

/* The image row of a row of the tile. */
ESCAPE_FN int32_t pixel_row(const struct grid *grid, int32_t row)
{
    if (!grid->band)
        return grid->y + row;
    return grid->y + row / grid->band * grid->band_step + row % grid->band;
}

/* x, y: place of the pixel's centre in the image, less 1/2. The offset from the centre is formed
 * first and the rest of the centre added to it, so that only the last addition rounds at the size
 * of c: c = centre + (centre_lo + (dx - i dy) * step). A mirrored image has the points of the other
 * one in the opposite row, bit for bit. */
ESCAPE_FN void pixel_c_at(const struct grid *grid, double x, double y, double *re, double *im)
{
    double dx = x + 0.5 - grid->half_width;
    double below = y + 0.5 - grid->half_height;
    double dy = grid->mirrored ? -below : below;
    double offset_re = fma(dx, grid->step_re, dy * grid->step_im);
    double offset_im = fma(dx, grid->step_im, -(dy * grid->step_re));
    *re = grid->centre_re + (grid->centre_re_lo + offset_re);
    *im = grid->centre_im + (grid->centre_im_lo + offset_im);
}

/* Of a vector in pixels that points so far down in the image that is not mirrored. No -0. */
ESCAPE_FN float pixel_down(const struct grid *grid, float down)
{
    return grid->mirrored ? 0.0f - down : down;
}

/* x, y: place in the image (among the cells), not in the tile. */
ESCAPE_FN void pixel_c(const struct grid *grid, int32_t x, int32_t y, double *re, double *im)
{
    double at_x = x, at_y = y;
    if (grid->cells) {
        const struct grid_cell *cell =
            &grid->cells[(size_t)(y / GRID_CELL) * (size_t)grid->cells_in_row +
                         (size_t)(x / GRID_CELL)];
        at_x = cell->x + x % GRID_CELL;
        at_y = cell->y + y % GRID_CELL;
    }
    pixel_c_at(grid, at_x, at_y, re, im);
}

#endif
