#include "render/picture/distribution_pass.h"

#include <stdlib.h>

/* The subgrid pixel of a cell is this one of it, in both directions. */
enum { MIDDLE = GRID_CELL / 2 };

struct pass_cells {
    int32_t x[SUBGRID_WIDTH], y[SUBGRID_HEIGHT];
    struct grid_cell *places;
    int32_t in_row, rows; /* cells in a row of the frame, and rows of cells */
};

/* Cells number first, first + 1, ... in the frame; those beyond the last repeat it. */
static void cells_place(const struct pass_cells *cells, int32_t first)
{
    for (int32_t i = 0; i < cells->in_row * cells->rows; i++) {
        int32_t number = first + i < SUBGRID_PIXELS ? first + i : SUBGRID_PIXELS - 1;
        cells->places[i] = (struct grid_cell){
            (double)cells->x[number % SUBGRID_WIDTH] - MIDDLE,
            (double)cells->y[number / SUBGRID_WIDTH] - MIDDLE,
        };
    }
}

static void pixels_take(const struct pass_cells *cells, int32_t first, const struct field *computed,
                        struct field *subgrid)
{
    for (int32_t i = 0; i < cells->in_row * cells->rows && first + i < SUBGRID_PIXELS; i++) {
        int32_t number = first + i;
        struct field from = field_window(computed, i % cells->in_row * GRID_CELL + MIDDLE,
                                         i / cells->in_row * GRID_CELL + MIDDLE, 1, 1);
        struct field to =
            field_window(subgrid, number % SUBGRID_WIDTH, number / SUBGRID_WIDTH, 1, 1);
        field_copy(&to, &from);
    }
}

static enum status frame_fill(struct sampling *sampling, const struct pass_cells *cells,
                              int32_t first, struct field *subgrid)
{
    struct tile_batch part = {.cells = cells->places, .cells_in_row = cells->in_row};
    struct field computed;
    cells_place(cells, first);
    TRY(world_agree(sampling->world,
                    tiles_cut(&part.tiles, &part.count, cells->in_row * GRID_CELL,
                              cells->rows * GRID_CELL, sampling->cells_px, TILE_ORDER_ROW)));
    enum status status = sampling_job(sampling, &part, &computed);
    free(part.tiles);
    if (status == STATUS_OK && world_rank(sampling->world) == 0)
        pixels_take(cells, first, &computed, subgrid);
    return status;
}

/* About as many cells in the frame as are wanted, if it has room for them. */
static void cells_shape(struct pass_cells *cells, int32_t width, int32_t height)
{
    int32_t widest = width / GRID_CELL, highest = height / GRID_CELL;
    cells->in_row = widest < SUBGRID_WIDTH ? widest : SUBGRID_WIDTH;
    if ((int64_t)cells->in_row * highest < SUBGRID_PIXELS)
        cells->in_row = widest < SUBGRID_PIXELS ? widest : SUBGRID_PIXELS;
    int32_t wanted = (SUBGRID_PIXELS - 1) / cells->in_row + 1;
    cells->rows = wanted < highest ? wanted : highest;
}

enum status distribution_pass_run(struct sampling *sampling, int32_t width, int32_t height,
                                  struct field *subgrid)
{
    struct pass_cells cells = {.in_row = 0};
    cells_shape(&cells, sampling->width, sampling->height);
    distribution_subgrid(width, height, cells.x, cells.y);
    size_t places = (size_t)cells.in_row * (size_t)cells.rows;
    cells.places = malloc(places * sizeof *cells.places);
    enum status status =
        world_agree(sampling->world, cells.places ? STATUS_OK
                                                  : status_fail(STATUS_OUT_OF_MEMORY,
                                                                "no memory for %zu cells", places));
    for (int32_t first = 0; status == STATUS_OK && first < SUBGRID_PIXELS; first += (int32_t)places)
        status = frame_fill(sampling, &cells, first, subgrid);
    free(cells.places);
    return status;
}
