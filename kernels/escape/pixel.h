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

/* x, y: position of the pixel's centre in the image, less 1/2. The offset from the centre is formed
 * first and the rest of the centre added to it, so that only the last addition rounds at the size
 * of c: c = centre + (centre_lo + (dx - i dy) * step), dx and dy with the stretch. A mirrored image
 * has the points of the other one in the opposite row, bit for bit. */
ESCAPE_FN void pixel_c_at(const struct grid *grid, double x, double y, double *re, double *im)
{
    double below = y + 0.5 - grid->half_height;
    double dx = fma(grid->down_x, below, x + 0.5 - grid->half_width);
    double dy = grid->down_y * below;
    double offset_re = fma(dx, grid->step_re, dy * grid->step_im);
    double offset_im = fma(dx, grid->step_im, -(dy * grid->step_re));
    *re = grid->centre_re + (grid->centre_re_lo + offset_re);
    *im = grid->centre_im + (grid->centre_im_lo + offset_im);
}

/* The grid of an image that is not mirrored. */
ESCAPE_FN struct grid grid_upright(struct grid grid)
{
    if (grid.down_y < 0) {
        grid.down_x = -grid.down_x;
        grid.down_y = -grid.down_y;
    }
    return grid;
}

/* The longer diagonal of a rectangle of so many pixels is (this - i down_y height) step. */
ESCAPE_FN double grid_diagonal(const struct grid *grid, double width, double height)
{
    return fma(fabs(grid->down_x), height, width);
}

/* Least distance of neighbours, in any direction, over |step|: the smaller singular value of A. 1
 * without a stretch. */
ESCAPE_FN double grid_least(const struct grid *grid)
{
    double a = grid->down_x, b = fabs(grid->down_y);
    double sum = sqrt(fma(a, a, (1 + b) * (1 + b))), rest = sqrt(fma(a, a, (1 - b) * (1 - b)));
    return 2 * b / (sum + rest);
}

/* x, y: position in the image (among the cells), not in the tile. */
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
