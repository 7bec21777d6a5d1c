/* Cells: many samples of parts of a picture, computed as one picture.
 *
 * A square of the picture (render/colour/refine.h), of one sample, is a cell (kernels/grid.h) with
 * the pixels before or behind it, in each direction, whose samples have a share in its colours:
 * those before it where a sample lies behind the centres of pixels. Cells lie side by side in a
 * picture of their own, which is cut into tiles and travels as any other: nothing but its grid
 * knows. All samples of a square follow each other, so that neighbouring cells take about as long.
 */
#ifndef RENDER_COLOUR_CELLS_H
#define RENDER_COLOUR_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/grid.h"
#include "render/colour/samples.h"

enum { CELL_SQUARE_PX = COLOUR_SQUARE_PX };

/* Squares of a picture in a stage: samples from, from + 1, ... of each, `samples` of them. */
struct cell_stage {
    int32_t width, height;   /* of the picture, or of a strip of it, ... */
    int32_t above, left;     /* ... whose first row and column are these of the picture */
    const uint32_t *squares; /* their numbers, row by row in the picture, rising */
    uint32_t count;
    int32_t from, samples;
};

/* Those of its cells that are one picture: cell `first + i` lies at the place i of it. */
struct cell_sheet {
    uint64_t first;
    uint32_t count;
    int32_t in_row, rows; /* of cells; those beyond `count` repeat the last */
};

/* How many cells fit into the memory of a picture; 0: it is smaller than a cell. */
uint32_t cells_most(int32_t width, int32_t height);

/* The next cells of a stage from `first` on; count 0: there are none left. */
struct cell_sheet cell_sheet_at(const struct cell_stage *stage, uint64_t first);

/* Their places: cells[rows][in_row]. */
void cell_sheet_place(const struct cell_sheet *sheet, const struct cell_stage *stage,
                      struct grid_cell *cells);

/* Adds them to the mean, which must have all samples before. `field`: what was computed.
 * `shares`: [samples], of samples from, from + 1, ... */
void cell_sheet_add(const struct cell_sheet *sheet, const struct cell_stage *stage,
                    const struct sample_share *shares, struct light *light, const struct look *look,
                    const struct field *field, int threads);

#endif
