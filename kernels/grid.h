/* The points, c or z_0 (kernels/formula.h), that belong to the pixels of a tile.
 *
 * The exact definition (a test holds it): pixel (x, y) of an image W x H, x right, y down,
 *     c = centre + S(((x + 1/2 - W/2) - i (y + 1/2 - H/2)) * step * e^(i rotation)),
 * step = 4 / (zoom * H); a mirrored image has + i there. S stretches the plane: it divides by the
 * root of the stretch along its angle, and multiplies across (render/view/view.h); mostly it is
 * none. A grid is that definition in doubles, as a similarity, step, after the map A of pixels to
 * pixels, (x, y) -> (x + down_x y, down_y y), which is all that a stretch adds: derivatives along
 * an orbit are by step alone, and what comes of them is brought to the image
 * (kernels/escape/distance.h). Everything depends on the pixel's position in the image only, so any
 * cutting into tiles gives the same c. */
#ifndef KERNELS_GRID_H
#define KERNELS_GRID_H

#include <stdint.h>

/* A cell: GRID_CELL x GRID_CELL pixels from anywhere in the image, and from anywhere in a pixel. */
enum { GRID_CELL = 9 };
struct grid_cell {
    double x, y; /* position of its first pixel's centre, which is (1/2, 1/2) for the first pixel of
                    the image, less 1/2: multiples of 2^-12, exact */
};

struct grid {
    double centre_re, centre_im;       /* centre rounded to double */
    double centre_re_lo, centre_im_lo; /* what the rounding left, rounded to double */
    double step_re, step_im;           /* from a pixel to the next one to the right */
    double down_x, down_y;             /* down: (down_x - i down_y) times as much. 0 and 1 without a
                                          stretch; both negated where the image is mirrored */
    int32_t exponent;                  /* centre and steps are in units of 2^exponent */
    double half_width, half_height;    /* W/2, H/2 in pixels: multiples of 1/2, exact */
    int32_t x, y;                      /* this tile's first pixel in the image */
    int32_t width, height;             /* size of this tile, pixels */
    /* Interleaved: the tile's rows are bands of `band` image rows, whose first rows lie
     * band_step apart. 0: the rows lie one after the other. */
    int32_t band, band_step;
    /* Cells instead of the image: x and y count the pixels of a picture in which the cells lie side
     * by side, cells_in_row of them in a row, from cells[0] on. NULL: no cells. */
    const struct grid_cell *cells;
    int32_t cells_in_row;
};

/* log2 of the smallest step of a grid in units of 1: doubles get coarse below it. */
enum { GRID_PLAIN_LEAST = -980 };

/* Bands are multiples of this, so that squares of up to so many pixels lie within one. */
enum { GRID_BAND = 16 };

#endif
