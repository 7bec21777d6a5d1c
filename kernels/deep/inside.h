/* Proofs that pixels of a deep picture are inside the set, without iterating them.
 *
 * As long as doubles tell pixels well apart, what direct iteration has proven is true here too: the
 * tests for the main cardioid and the period-2 disc (kernels/escape/interior.h), and discs that the
 * orbits of a whole square of pixels never leave (kernels/escape/cycle.h). A pixel is the orbit of
 * a point that lies beside its pixel by much less than a pixel, so squares are proven with a pixel
 * more on every side, and the margin of the tests is thousands of pixels where they are smallest.
 * So a pixel would have come to the limit; a count is never changed. */
#ifndef KERNELS_DEEP_INSIDE_H
#define KERNELS_DEEP_INSIDE_H

#include "kernels/deep/pixel_state.h"
#include "kernels/escape/cycle.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/pixel.h"
#include "kernels/spec.h"

enum {
    INSIDE_PX = 16,      /* side of a square; interleaved bands are multiples (GRID_BAND) */
    INSIDE_STEPS = 4096, /* most steps of a square's orbit */
    INSIDE_LIMIT = 256   /* below this limit proofs cost more than they save */
};

/* Smallest pixel: tests of pixels lose 2^-8 of it, which is below their margins. */
#define INSIDE_STEP_LEAST 0x1p-40

/* Can pixels of a picture be proven inside? `whole`: its grid. Without blocks none is skipped. */
DEEP_FN int inside_known(const struct spec *spec, const struct grid *whole, enum blocks blocks)
{
    double step = sqrt(fma(whole->step_re, whole->step_re, whole->step_im * whole->step_im)) *
                  grid_least(whole);
    return spec->shortcuts == SHORTCUTS_ON && spec->limit >= INSIDE_LIMIT &&
           blocks != BLOCKS_NONE && whole->exponent == 0 && step >= INSIDE_STEP_LEAST;
}

/* Is a pixel inside whose c is that of the reference plus this? */
DEEP_FN int inside_pixel(const struct pixel_common *common, double c_re, double c_im)
{
    return interior_surely(common->direct.centre.x + c_re, common->direct.centre.y + c_im,
                           INTERIOR_MARGIN_FP64);
}

/* Is the square of the tile proven whose first pixel is (x, y)? 0 also where inside_pixel knows
 * both corners, and of cells, whose pixels are not neighbours. */
DEEP_FN int inside_square(const struct pixel_common *common, const struct grid *grid, int32_t x,
                          int32_t y)
{
    if (grid->cells)
        return 0;
    int32_t right = grid->width - x < INSIDE_PX ? grid->width - 1 : x + INSIDE_PX - 1;
    int32_t below = grid->height - y < INSIDE_PX ? grid->height - 1 : y + INSIDE_PX - 1;
    double re[2], im[2], dx = grid_diagonal(grid, right - x + 2, below - y + 2),
                         dy = grid->down_y * (below - y + 2);
    pixel_c(grid, grid->x + x, pixel_row(grid, y), &re[0], &im[0]);
    pixel_c(grid, grid->x + right, pixel_row(grid, below), &re[1], &im[1]);
    if (inside_pixel(common, re[0], im[0]) && inside_pixel(common, re[1], im[1]))
        return 0;
    /* Half a diagonal, and more than what the roundings of c can be. */
    double half = 0.5 * sqrt(fma(grid->step_re, grid->step_re, grid->step_im * grid->step_im)) *
                  sqrt(fma(dx, dx, dy * dy));
    struct cycle_square at;
    at.cx = common->direct.centre.x + 0.5 * (re[0] + re[1]);
    at.cy = common->direct.centre.y + 0.5 * (im[0] + im[1]);
    at.spread = (float)(half * (1 + 0x1p-16) + TRAP_ROUNDING_FP64);
    at.rounding = (float)TRAP_ROUNDING_FP64;
    int steps = common->limit < INSIDE_STEPS ? (int)common->limit : INSIDE_STEPS;
    return cycle_proves_square(&at, steps) != 0;
}

#endif
