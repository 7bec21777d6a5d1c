#include "render/live/mosaic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "render/screen_threads.h"

enum {
    ROWS_AT_ONCE = 4, /* of a painter: others compute meanwhile, so some are slow */
    RUN = 512,        /* samples coloured at a time */
    ROWS_ADDED = 4 * MOSAIC_STRIP_ROWS, /* of a sample at a time: two more are coloured for them */
    ASK_AFTER = 1 << 20 /* pixels coloured anew between questions whether that is still wanted */
};

/* ---- painting -------------------------------------------------------------------------------- */

static pthread_rwlock_t *strip_of(struct mosaic *mosaic, int32_t y)
{
    return &mosaic->strip[y / MOSAIC_STRIP_ROWS % MOSAIC_STRIPS];
}

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

/* Colours a row of samples, and the rows below as far as their squares go: all of one strip. */
static void run_paint(struct mosaic *mosaic, const struct look *look, struct colour_run run,
                      int32_t fill)
{
    uint32_t colours[RUN];
    int32_t y = run.y;
    int32_t end = y + fill < mosaic->height ? y + fill : mosaic->height;
    assert((end - 1) / MOSAIC_STRIP_ROWS == y / MOSAIC_STRIP_ROWS);
    for (int32_t from = 0; from < run.length; from += RUN) {
        int32_t left = run.length - from;
        struct colour_run part = colour_run_part(&run, from, left < RUN ? left : RUN);
        colour_run_8(look, &part, colours);
        pthread_rwlock_wrlock(strip_of(mosaic, y));
        for (; part.y < end; part.y++)
            squares_fill(mosaic, &part, colours, fill);
        pthread_rwlock_unlock(strip_of(mosaic, y));
    }
}

/* Row j of a lattice whose samples lie packed in `from`. */
static struct colour_run lattice_run(const struct lattice *lattice, const struct field *from,
                                     int32_t j)
{
    struct colour_run run = colour_run_of(from, j);
    run.x = lattice->x;
    run.y = lattice->y + j * lattice->stride;
    run.dx = lattice->stride;
    return run;
}

static void plane_store(float *row, const struct colour_run *run, const float *values)
{
    if (run->dx == 1)
        memcpy(row + run->x, values, (size_t)run->length * sizeof *row);
    for (int32_t i = 0; i < run->length && run->dx > 1; i++)
        row[run->x + i * run->dx] = values[i];
}

static void run_store(struct field *field, const struct colour_run *run)
{
    char *count = field_row(field, PLANE_COUNT, run->y);
    for (int p = PLANE_FRACTION; p < PLANES; p++)
        if (run->plane[p])
            plane_store(field_row(field, (enum plane)p, run->y), run, run->plane[p]);
    if (run->dx == 1) {
        size_t length = (size_t)run->length, bytes = (size_t)run->count_bytes;
        memcpy(count + (size_t)run->x * bytes, run->count, length * bytes);
        return;
    }
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
    field_over(&from, lattice->width, lattice->height, mosaic->field.planes,
               mosaic->field.count_bytes, (void *)(uintptr_t)bytes); /* only read */
    int64_t pixels = (int64_t)lattice->width * lattice->height * fill * fill;
#pragma omp parallel for num_threads(screen_painters(pixels)) schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t j = 0; j < lattice->height; j++) {
        struct colour_run run = lattice_run(lattice, &from, j);
        run_store(&mosaic->field, &run);
        run_paint(mosaic, look, run, fill);
    }
}

/* The cells of a piece, which may be a row of them. */
struct cells {
    int32_t first, last;
};

static struct cells piece_cells(const struct mosaic *mosaic, const struct piece *piece)
{
    int32_t px = mosaic->cell_px, row = piece->y / px * mosaic->columns;
    return (struct cells){row + piece->x / px, row + (piece->x + piece->width - 1) / px};
}

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

/* Pixels of an older picture become 0 where a first piece does not cover its cell. Nobody else
 * looks at a cell that is blank. */
static void blank_clear(struct mosaic *mosaic, const struct piece *piece)
{
    struct cells cells = piece_cells(mosaic, piece);
    for (int32_t i = cells.first; i <= cells.last; i++) {
        struct piece cell = cell_piece(mosaic, i, 1);
        bool covered = piece->width >= cell.width && piece->height == cell.height;
        if (!mosaic->cell[i].blank || covered)
            continue;
        for (int32_t y = cell.y; y < cell.y + cell.height; y++)
            memset(mosaic->pixels + (size_t)y * (size_t)mosaic->width + (size_t)cell.x, 0,
                   (size_t)cell.width * sizeof *mosaic->pixels);
    }
}

/* What has been painted may be copied. */
static void piece_tell(struct mosaic *mosaic, const struct piece *piece)
{
    struct cells cells = piece_cells(mosaic, piece);
    pthread_mutex_lock(&mosaic->mutex);
    mosaic->version++;
    for (int32_t i = cells.first; i <= cells.last; i++) {
        mosaic->cell[i].version = mosaic->version;
        mosaic->cell[i].blank = false;
    }
    pthread_mutex_unlock(&mosaic->mutex);
}

void mosaic_put(struct mosaic *mosaic, const struct look *look, const struct piece *piece,
                const void *bytes)
{
    struct lattice lattice[LATTICES_MOST];
    int count = piece_lattices(piece, lattice);
    blank_clear(mosaic, piece);
    for (int i = 0; i < count; i++) {
        int32_t fill = piece->from ? lattice[i].stride / 2 : lattice[i].stride;
        lattice_put(mosaic, look, &lattice[i], bytes, fill);
        bytes = (const char *)bytes +
                lattice_bytes(&lattice[i], mosaic->field.planes, mosaic->field.count_bytes);
    }
    piece_tell(mosaic, piece);
}

/* ---- cells as a whole ------------------------------------------------------------------------ */

/* Every stride-th sample of a row of the field, from x on. */
struct picked {
    uint64_t count[RUN];
    float plane[PLANES][RUN]; /* but the count */
};

static struct colour_run picked_run(struct picked *picked, const struct field *field, int32_t x,
                                    int32_t y, int32_t stride, int32_t length)
{
    struct colour_run row = colour_run_of(field, y);
    for (int32_t i = 0; i < length; i++) {
        size_t at = (size_t)(x + i * stride);
        picked->count[i] = row.count_bytes == 4 ? ((const uint32_t *)row.count)[at]
                                                : ((const uint64_t *)row.count)[at];
        for (int p = PLANE_FRACTION; p < PLANES; p++)
            if (row.plane[p])
                picked->plane[p][i] = row.plane[p][at];
    }
    struct colour_run run = {
        .count = picked->count, .count_bytes = 8, .length = length, .x = x, .y = y, .dx = stride};
    for (int p = PLANE_FRACTION; p < PLANES; p++)
        run.plane[p] = row.plane[p] ? picked->plane[p] : NULL;
    return run;
}

/* A row of a cell, from the field: its samples lie stride apart there. */
static void cell_row_paint(struct mosaic *mosaic, const struct look *look,
                           const struct lattice *lattice, int32_t y)
{
    struct picked picked;
    for (int32_t from = 0; from < lattice->width; from += RUN) {
        int32_t length = lattice->width - from < RUN ? lattice->width - from : RUN;
        run_paint(mosaic, look,
                  picked_run(&picked, &mosaic->field, lattice->x + from * lattice->stride, y,
                             lattice->stride, length),
                  lattice->stride);
    }
}

static void cell_paint(struct mosaic *mosaic, const struct look *look, int32_t cell, int stride)
{
    struct piece piece = cell_piece(mosaic, cell, stride);
    struct lattice lattice[LATTICES_MOST];
    piece_lattices(&piece, lattice);
    for (int32_t j = 0; j < lattice->height; j++)
        cell_row_paint(mosaic, look, lattice, lattice->y + j * lattice->stride);
}

void mosaic_reach(struct mosaic *mosaic, const struct look *look, int32_t cell, int stride,
                  int owner)
{
    struct mosaic_cell *at = &mosaic->cell[cell];
    int known = at->stride == 0 || stride < at->stride ? stride : at->stride;
    if (at->stale)
        cell_paint(mosaic, look, cell, known);
    pthread_mutex_lock(&mosaic->mutex);
    at->version = ++mosaic->version;
    at->owner = (uint8_t)(owner % MOSAIC_NOBODY);
    at->stride = (int8_t)known;
    at->stale = false;
    pthread_mutex_unlock(&mosaic->mutex);
}

static void recoloured_tell(struct mosaic *mosaic)
{
    pthread_mutex_lock(&mosaic->mutex);
    mosaic->version++;
    for (int32_t i = 0; i < mosaic->columns * mosaic->rows; i++)
        if (mosaic->cell[i].stride)
            mosaic->cell[i].version = mosaic->version;
    pthread_mutex_unlock(&mosaic->mutex);
}

bool mosaic_recolour(struct mosaic *mosaic, const struct look *look, bool (*wanted)(void *context),
                     void *context)
{
    int32_t cells = mosaic->columns * mosaic->rows;
    int64_t cell_pixels = (int64_t)mosaic->cell_px * mosaic->cell_px;
    int32_t some = cell_pixels && cell_pixels < ASK_AFTER ? (int32_t)(ASK_AFTER / cell_pixels) : 1;
    for (int32_t from = 0; from < cells; from += some) {
        int32_t to = from + some < cells ? from + some : cells;
        if (wanted && !wanted(context))
            return false;
#pragma omp parallel for num_threads(screen_painters((to - from) * cell_pixels)) schedule(dynamic)
        for (int32_t i = from; i < to; i++) {
            struct mosaic_cell *cell = &mosaic->cell[i];
            if (cell->stride)
                cell_paint(mosaic, look, i, cell->stride);
            cell->stale = cell->stride != 1 && !cell->blank;
        }
    }
    recoloured_tell(mosaic);
    return true;
}

/* ---- further samples ------------------------------------------------------------------------- */

void mosaic_sample_put(struct mosaic *mosaic, const struct piece *piece, const void *bytes)
{
    struct lattice lattice[LATTICES_MOST];
    piece_lattices(piece, lattice);
    struct field from;
    field_over(&from, lattice->width, lattice->height, mosaic->field.planes,
               mosaic->field.count_bytes, (void *)(uintptr_t)bytes); /* only read */
    for (int32_t j = 0; j < lattice->height; j++) {
        struct colour_run run = lattice_run(lattice, &from, j);
        run_store(&mosaic->sampled, &run);
    }
}

/* Shows the mean in a row. */
static void light_row_paint(struct mosaic *mosaic, const struct light *light, int32_t y)
{
    size_t at = (size_t)y * (size_t)mosaic->width;
    pthread_rwlock_wrlock(strip_of(mosaic, y));
    colour_light_8((const float(*)[3])light->mean + at, 1, mosaic->width, 0, y,
                   mosaic->pixels + at);
    pthread_rwlock_unlock(strip_of(mosaic, y));
}

static void rows_add(struct mosaic *mosaic, struct light *light, const struct look *look,
                     int sample, const struct sample_share *share, struct rectangle rows)
{
    if (sample == 1) {
        struct sample_share centres = sample_share(0);
        light_add(light, look, &mosaic->field, &centres, rows);
    }
    light_add(light, look, &mosaic->sampled, share, rows);
    for (int32_t y = rows.y; y < rows.y + rows.height; y++)
        light_row_paint(mosaic, light, y);
}

bool mosaic_sample_add(struct mosaic *mosaic, const struct look *look, int sample,
                       bool (*wanted)(void *context), void *context)
{
    struct sample_share share = sample_share(sample);
    struct light light = {mosaic->width, mosaic->height,
                          (float(*)[3])(void *)mosaic_share_light(mosaic->light)};
    int32_t rows = ASK_AFTER / mosaic->width / ROWS_ADDED * ROWS_ADDED;
    rows = rows ? rows : ROWS_ADDED;
    for (int32_t from = 0; from < mosaic->height; from += rows) {
        int32_t to = from + rows < mosaic->height ? from + rows : mosaic->height;
        if (wanted && !wanted(context))
            return false;
#pragma omp parallel for num_threads(screen_painters((int64_t)(to - from) * mosaic->width)) \
    schedule(dynamic)
        for (int32_t y = from; y < to; y += ROWS_ADDED) {
            int32_t height = to - y < ROWS_ADDED ? to - y : ROWS_ADDED;
            rows_add(mosaic, &light, look, sample, &share,
                     (struct rectangle){0, y, mosaic->width, height});
        }
    }
    recoloured_tell(mosaic);
    return true;
}
