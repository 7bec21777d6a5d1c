#include "render/live/mosaic.h"

#include <stdlib.h>
#include <string.h>

#include "render/screen_threads.h"

enum {
    PLANES_SHOWN = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
    ROWS_AT_ONCE = 4,      /* of a painter: others compute meanwhile, so some are slow */
    WASTED_MOST = 1 << 24, /* pixels; a print may have been much larger than the window */
    RUN = 512              /* samples coloured at a time */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static enum status memory_make(struct mosaic *mosaic, size_t pixels, size_t cells, size_t bytes)
{
    bool wasted = mosaic->pixels_room > WASTED_MOST && mosaic->pixels_room / 4 > pixels;
    if (wasted || mosaic->pixels_room < pixels || mosaic->cells_room < cells ||
        mosaic->field_room < bytes) {
        mosaic_destroy(mosaic);
        mosaic->field.base = malloc(bytes);
        mosaic->pixels = malloc(pixels * sizeof *mosaic->pixels);
        mosaic->cell = malloc(cells * sizeof *mosaic->cell);
        mosaic->pixels_room = pixels;
        mosaic->cells_room = cells;
        mosaic->field_room = bytes;
    }
    if (mosaic->field.base && mosaic->pixels && mosaic->cell)
        return STATUS_OK;
    mosaic_destroy(mosaic);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu pixels", pixels);
}

enum status mosaic_fit(struct mosaic *mosaic, const struct ladder *ladder, int count_bytes)
{
    uint64_t version = ++mosaic->version;
    size_t pixels = (size_t)ladder->width * (size_t)ladder->height;
    size_t bytes = pixels * planes_bytes(PLANES_SHOWN, count_bytes);
    TRY(memory_make(mosaic, pixels, (size_t)ladder->cells, bytes));
    field_over(&mosaic->field, ladder->width, ladder->height, PLANES_SHOWN, count_bytes,
               mosaic->field.base);
    mosaic->width = ladder->width;
    mosaic->height = ladder->height;
    mosaic->cell_px = ladder->cell_px;
    mosaic->columns = ladder->columns;
    mosaic->rows = ladder->rows;
    for (int32_t i = 0; i < ladder->cells; i++)
        mosaic->cell[i] = (struct mosaic_cell){.version = version, .owner = MOSAIC_NOBODY};
    size_t row = (size_t)mosaic->width * sizeof *mosaic->pixels;
#pragma omp parallel for num_threads(screen_painters((int64_t)pixels)) schedule(static)
    for (int32_t y = 0; y < mosaic->height; y++)
        memset(mosaic->pixels + (size_t)y * (size_t)mosaic->width, 0, row);
    free(mosaic->light);
    mosaic->light = NULL;
    return STATUS_OK;
}

void mosaic_destroy(struct mosaic *mosaic)
{
    free(mosaic->field.base);
    free(mosaic->pixels);
    free(mosaic->cell);
    free(mosaic->light);
    *mosaic = (struct mosaic){.version = mosaic->version};
}

/* ---- painting -------------------------------------------------------------------------------- */

/* Fills squares of `fill` pixels to the right of and below each pixel of a run. */
static void squares_fill(struct mosaic *mosaic, const struct colour_run *run,
                         const uint32_t *colours, int32_t fill)
{
    uint32_t *row = mosaic->pixels + (size_t)run->y * (size_t)mosaic->width;
    if (run->dx == 1 && fill == 1) {
        memcpy(row + run->x, colours, (size_t)run->length * sizeof *row);
        return;
    }
    for (int32_t i = 0; i < run->length; i++) {
        int32_t x = run->x + i * run->dx;
        int32_t end = x + fill < mosaic->width ? x + fill : mosaic->width;
        for (; x < end; x++)
            row[x] = colours[i];
    }
}

/* Colours a row of samples, and the rows below as far as their squares go. */
static void run_paint(struct mosaic *mosaic, const struct look *look, struct colour_run run,
                      int32_t fill)
{
    uint32_t colours[RUN];
    int32_t left = run.length, y = run.y;
    int32_t end = y + fill < mosaic->height ? y + fill : mosaic->height;
    while (left > 0) {
        run.length = left < RUN ? left : RUN;
        run.y = y;
        colour_run_8(look, &run, colours);
        for (; run.y < end; run.y++)
            squares_fill(mosaic, &run, colours, fill);
        run.x += run.length * run.dx;
        run.count = (const char *)run.count + (size_t)run.length * (size_t)run.count_bytes;
        run.fraction += run.length;
        left -= run.length;
    }
}

/* Row j of a lattice whose samples lie packed in `from`. */
static struct colour_run lattice_run(const struct lattice *lattice, const struct field *from,
                                     int32_t j)
{
    return (struct colour_run){.count = field_row(from, PLANE_COUNT, j),
                               .fraction = field_row(from, PLANE_FRACTION, j),
                               .count_bytes = from->count_bytes,
                               .length = lattice->width,
                               .x = lattice->x,
                               .y = lattice->y + j * lattice->stride,
                               .dx = lattice->stride};
}

static void run_store(struct mosaic *mosaic, const struct colour_run *run)
{
    float *fraction = field_row(&mosaic->field, PLANE_FRACTION, run->y);
    char *count = field_row(&mosaic->field, PLANE_COUNT, run->y);
    if (run->dx == 1) {
        size_t length = (size_t)run->length, bytes = (size_t)run->count_bytes;
        memcpy(fraction + run->x, run->fraction, length * sizeof *fraction);
        memcpy(count + (size_t)run->x * bytes, run->count, length * bytes);
        return;
    }
    for (int32_t i = 0; i < run->length; i++)
        fraction[run->x + i * run->dx] = run->fraction[i];
    if (run->count_bytes == 4)
        for (int32_t i = 0; i < run->length; i++)
            ((uint32_t *)(void *)count)[run->x + i * run->dx] = ((const uint32_t *)run->count)[i];
    else
        for (int32_t i = 0; i < run->length; i++)
            ((uint64_t *)(void *)count)[run->x + i * run->dx] = ((const uint64_t *)run->count)[i];
}

static void lattice_put(struct mosaic *mosaic, const struct look *look,
                        const struct lattice *lattice, const void *bytes, int32_t fill)
{
    struct field from;
    field_over(&from, lattice->width, lattice->height, PLANES_SHOWN, mosaic->field.count_bytes,
               (void *)(uintptr_t)bytes); /* only read */
    int64_t pixels = (int64_t)lattice->width * lattice->height * fill * fill;
#pragma omp parallel for num_threads(screen_painters(pixels)) schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t j = 0; j < lattice->height; j++) {
        struct colour_run run = lattice_run(lattice, &from, j);
        run_store(mosaic, &run);
        run_paint(mosaic, look, run, fill);
    }
}

/* The cells of a piece, which may be a row of them. */
static void piece_changed(struct mosaic *mosaic, const struct piece *piece)
{
    int32_t px = mosaic->cell_px, row = piece->y / px * mosaic->columns;
    int32_t last = (piece->x + piece->width - 1) / px;
    mosaic->version++;
    for (int32_t column = piece->x / px; column <= last; column++)
        mosaic->cell[row + column].version = mosaic->version;
}

void mosaic_put(struct mosaic *mosaic, const struct look *look, const struct piece *piece,
                const void *bytes)
{
    struct lattice lattice[LATTICES_MOST];
    int count = piece_lattices(piece, lattice);
    for (int i = 0; i < count; i++) {
        int32_t fill = piece->from ? lattice[i].stride / 2 : lattice[i].stride;
        lattice_put(mosaic, look, &lattice[i], bytes, fill);
        bytes = (const char *)bytes +
                lattice_bytes(&lattice[i], PLANES_SHOWN, mosaic->field.count_bytes);
    }
    piece_changed(mosaic, piece);
}

/* ---- cells as a whole ------------------------------------------------------------------------ */

static struct piece cell_piece(const struct mosaic *mosaic, int32_t cell, int stride)
{
    int32_t px = mosaic->cell_px;
    int32_t x = cell % mosaic->columns * px, y = cell / mosaic->columns * px;
    return (struct piece){.x = x,
                          .y = y,
                          .width = mosaic->width - x < px ? mosaic->width - x : px,
                          .height = mosaic->height - y < px ? mosaic->height - y : px,
                          .to = (int8_t)stride};
}

/* A row of a cell, from the field: its samples lie stride apart there. */
static void cell_row_paint(struct mosaic *mosaic, const struct look *look,
                           const struct lattice *lattice, int32_t y)
{
    int bytes = mosaic->field.count_bytes;
    const char *count = field_row(&mosaic->field, PLANE_COUNT, y);
    const float *fraction = field_row(&mosaic->field, PLANE_FRACTION, y);
    uint64_t counts[RUN];
    float fractions[RUN];
    for (int32_t from = 0; from < lattice->width; from += RUN) {
        int32_t length = lattice->width - from < RUN ? lattice->width - from : RUN;
        for (int32_t i = 0; i < length; i++) {
            size_t x = (size_t)(lattice->x + (from + i) * lattice->stride);
            counts[i] = bytes == 4 ? ((const uint32_t *)(const void *)count)[x]
                                   : ((const uint64_t *)(const void *)count)[x];
            fractions[i] = fraction[x];
        }
        struct colour_run run = {.count = counts,
                                 .fraction = fractions,
                                 .count_bytes = 8,
                                 .length = length,
                                 .x = lattice->x + from * lattice->stride,
                                 .y = y,
                                 .dx = lattice->stride};
        run_paint(mosaic, look, run, lattice->stride);
    }
}

static void cell_paint(struct mosaic *mosaic, const struct look *look, int32_t cell)
{
    struct piece piece = cell_piece(mosaic, cell, mosaic->cell[cell].stride);
    struct lattice lattice[LATTICES_MOST];
    piece_lattices(&piece, lattice);
    for (int32_t j = 0; j < lattice->height; j++)
        cell_row_paint(mosaic, look, lattice, lattice->y + j * lattice->stride);
}

void mosaic_reach(struct mosaic *mosaic, const struct look *look, int32_t cell, int stride,
                  int owner)
{
    struct mosaic_cell *at = &mosaic->cell[cell];
    at->version = ++mosaic->version;
    at->owner = (uint8_t)(owner % MOSAIC_NOBODY);
    if (at->stride == 0 || stride < at->stride)
        at->stride = (int8_t)stride;
    if (at->stale)
        cell_paint(mosaic, look, cell);
    at->stale = false;
}

void mosaic_recolour(struct mosaic *mosaic, const struct look *look)
{
    int32_t cells = mosaic->columns * mosaic->rows;
    uint64_t version = ++mosaic->version;
    int64_t pixels = (int64_t)mosaic->width * mosaic->height;
#pragma omp parallel for num_threads(screen_painters(pixels)) schedule(dynamic)
    for (int32_t i = 0; i < cells; i++) {
        struct mosaic_cell *cell = &mosaic->cell[i];
        if (!cell->stride)
            continue;
        cell_paint(mosaic, look, i);
        cell->version = version;
        cell->stale = cell->stride > 1;
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void rows_light(struct mosaic *mosaic, const struct look *look, int32_t y)
{
    size_t at = (size_t)y * (size_t)mosaic->width;
    struct colour_run run = {.count = field_row(&mosaic->field, PLANE_COUNT, y),
                             .fraction = field_row(&mosaic->field, PLANE_FRACTION, y),
                             .count_bytes = mosaic->field.count_bytes,
                             .length = mosaic->width,
                             .y = y,
                             .dx = 1};
    colour_run_light(look, &run, mosaic->light + at);
}

enum status mosaic_light_begin(struct mosaic *mosaic, const struct look *look)
{
    if (!mosaic->light)
        mosaic->light = malloc(mosaic->pixels_room * sizeof *mosaic->light);
    if (!mosaic->light)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to average %zu pixels",
                           mosaic->pixels_room);
    int64_t pixels = (int64_t)mosaic->width * mosaic->height;
#pragma omp parallel for num_threads(screen_painters(pixels)) schedule(static)
    for (int32_t y = 0; y < mosaic->height; y++)
        rows_light(mosaic, look, y);
    return STATUS_OK;
}

static void light_run_add(struct mosaic *mosaic, const struct look *look, struct colour_run run,
                          int pass)
{
    float light[RUN][3];
    int32_t left = run.length;
    for (; left > 0; left -= run.length, run.x += run.length) {
        run.length = left < RUN ? left : RUN;
        size_t at = (size_t)run.y * (size_t)mosaic->width + (size_t)run.x;
        float(*sum)[3] = mosaic->light + at;
        colour_run_light(look, &run, light);
        for (int32_t i = 0; i < run.length; i++)
            for (int c = 0; c < 3; c++)
                sum[i][c] += light[i][c];
        colour_light_8((const float(*)[3])sum, 1.0f / (float)(pass + 1), run.length, run.x, run.y,
                       mosaic->pixels + at);
        run.count = (const char *)run.count + (size_t)run.length * (size_t)run.count_bytes;
        run.fraction += run.length;
    }
}

void mosaic_light_put(struct mosaic *mosaic, const struct look *look, const struct piece *piece,
                      const void *bytes, int pass)
{
    struct lattice lattice[LATTICES_MOST];
    piece_lattices(piece, lattice);
    struct field from;
    field_over(&from, lattice->width, lattice->height, PLANES_SHOWN, mosaic->field.count_bytes,
               (void *)(uintptr_t)bytes);
    int64_t pixels = (int64_t)lattice->width * lattice->height;
#pragma omp parallel for num_threads(screen_painters(pixels)) schedule(static)
    for (int32_t j = 0; j < lattice->height; j++)
        light_run_add(mosaic, look, lattice_run(lattice, &from, j), pass);
    piece_changed(mosaic, piece);
}
