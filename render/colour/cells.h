/* Cells: many samples of parts of a picture, computed as one picture.
 *
 * One sample of a square of the picture (render/colour/refine.h) is a cell (kernels/grid.h) with
 * the pixels before or behind it, in each direction, whose samples contribute to its colours: the
 * pixels before it where the sample lies behind the centres of pixels. Cells lie side by side in a
 * picture of their own, which is cut into tiles and transported like any other: only its grid
 * differs. All samples of a square follow each other, so that neighbouring cells take about as
 * long. */
#ifndef RENDER_COLOUR_CELLS_H
#define RENDER_COLOUR_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/grid.h"
#include "render/colour/samples.h"

enum { CELL_SQUARE_PX = COLOUR_SQUARE_PX };

/* Stage of refinement: some squares of a picture, and samples from, from + 1, ... of each,
 * `samples` of them. */
struct cell_stage {
    int32_t width, height;   /* size of the picture, or of a strip of it */
    int32_t above, left;     /* row and column of the picture at which that begins */
    const uint32_t *squares; /* numbers of the squares, row by row in the picture, rising */
    uint32_t count;
    int32_t from, samples;
};

/* Sheet: cells of a stage that are one picture; cell `first + i` is number i of the sheet. */
struct cell_sheet {
    uint64_t first;
    uint32_t count;
    int32_t in_row, rows; /* shape in cells; cells beyond `count` repeat the last */
};

/* Number of cells that fit into the memory of a picture; 0: it is smaller than a cell. */
uint32_t cells_most(int32_t width, int32_t height);

/* Sheet of the next cells of a stage from `first` on; count 0: none are left. */
struct cell_sheet cell_sheet_at(const struct cell_stage *stage, uint64_t first);

/* Sets the grids of a sheet: cells[rows][in_row]. */
void cell_sheet_grids(const struct cell_sheet *sheet, const struct cell_stage *stage,
                      struct grid_cell *cells);

/* Adds the cells to the mean, which must have all earlier samples. `field`: the computed sheet.
 * `shares`: [samples], of samples from, from + 1, ... */
void cell_sheet_add(const struct cell_sheet *sheet, const struct cell_stage *stage,
                    const struct sample_share *shares, struct light *light, const struct look *look,
                    const struct field *field, int threads);

#endif
