#include "render/device/cost_map.h"

#include <stdlib.h>

#include "decomposition/schedule/forecast.h"

static int32_t at_most(int32_t limit, int32_t value)
{
    return value < limit ? value : limit;
}

/* The pixels px / 2 + i * px, px / 2 + j * px of the picture, as a grid of its own: all members are
 * exact (px is a power of two), so a sample is computed as its pixel is. */
static struct grid subgrid(const struct grid *whole, int32_t px)
{
    struct grid grid = *whole;
    double first = px / 2;
    grid.step_re *= px;
    grid.step_im *= px;
    grid.half_width = (whole->half_width - 0.5 - first) / px + 0.5;
    grid.half_height = (whole->half_height - 0.5 - first) / px + 0.5;
    return grid;
}

/* Samples are computed in small blocks, so that it is known which interior they spent their time
 * in: some costs the limit, some nothing. With blocks of 8 x 8 forecasts are worth up to 0.1
 * less at 32 workers (tests/render/plan/test_many_workers.c). */
enum { BLOCK = 4 };

/* The pixels of a block with all planes. */
struct patch {
    struct field field;
    uint64_t memory[PLANES * BLOCK * BLOCK];
};

static enum status patch_compute(const struct cost_device *device, const struct grid *grid,
                                 struct patch *patch, uint64_t *iterations)
{
    const struct spec *spec = device->spec;
    field_over(&patch->field, grid->width, grid->height, spec->planes, spec->count_bytes,
               patch->memory);
    return device->compute(device->context, grid, &patch->field, iterations);
}

/* The blocks of a pass, row by row; part p of n takes every n-th from the p-th on. */
struct cost_pass {
    int32_t columns, rows; /* samples */
    int32_t across;        /* blocks in a row */
    int64_t blocks;
};

static struct cost_pass cost_pass_of(const struct grid *whole)
{
    struct cost_pass pass = {.columns = forecast_samples(whole->width, COST_SAMPLE_PX),
                             .rows = forecast_samples(whole->height, COST_SAMPLE_PX)};
    pass.across = (pass.columns + BLOCK - 1) / BLOCK;
    pass.blocks = (int64_t)pass.across * ((pass.rows + BLOCK - 1) / BLOCK);
    return pass;
}

/* The samples of a block; a part has room for BLOCK x BLOCK of each of its blocks. */
static void block_place(const struct cost_pass *pass, int64_t block, struct grid *grid)
{
    grid->x = (int32_t)(block % pass->across) * BLOCK;
    grid->y = (int32_t)(block / pass->across) * BLOCK;
    grid->width = at_most(BLOCK, pass->columns - grid->x);
    grid->height = at_most(BLOCK, pass->rows - grid->y);
}

size_t cost_part(const struct grid *whole, int parts)
{
    struct cost_pass pass = cost_pass_of(whole);
    return (size_t)((pass.blocks + parts - 1) / parts) * BLOCK * BLOCK;
}

enum status cost_samples(const struct cost_device *device, const struct grid *whole, int part,
                         int parts, float *samples, uint64_t *iterations)
{
    struct cost_pass pass = cost_pass_of(whole);
    struct grid grid = subgrid(whole, COST_SAMPLE_PX);
    struct patch patch;
    for (int64_t block = part; block < pass.blocks; block += parts, samples += BLOCK * BLOCK) {
        uint64_t took = 0;
        block_place(&pass, block, &grid);
        TRY(patch_compute(device, &grid, &patch, &took));
        forecast_costs(&patch.field, took, samples, BLOCK);
        *iterations += took;
    }
    return STATUS_OK;
}

void cost_join(const struct grid *whole, int parts, const float *samples, size_t apart, float *cost)
{
    struct cost_pass pass = cost_pass_of(whole);
    struct grid grid;
    for (int64_t block = 0; block < pass.blocks; block++) {
        const float *from =
            (const float *)((const char *)samples + (size_t)(block % parts) * apart) +
            (size_t)(block / parts) * BLOCK * BLOCK;
        block_place(&pass, block, &grid);
        for (int32_t y = 0; y < grid.height; y++)
            for (int32_t x = 0; x < grid.width; x++)
                cost[(size_t)(grid.y + y) * (size_t)pass.columns + (size_t)(grid.x + x)] =
                    from[y * BLOCK + x];
    }
}
