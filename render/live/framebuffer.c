#include "render/live/framebuffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "render/motion/screen_threads.h"

enum {
    ROWS_AT_ONCE = 4, /* rows that a thread paints at once: other threads compute meanwhile, so some
                         are slow */
    RUN = 512,        /* samples coloured at a time */
    /* rows of a sample at a time: two more are coloured for them */
    ROWS_ADDED = 4 * FRAMEBUFFER_STRIP_ROWS,
    ASK_AFTER = 1 << 20,   /* pixels recoloured between calls of `wanted` */
    PUT_AT_ONCE = 1 << 16, /* pixels that a thread paints between calls of `wanted`: 0.7 ms */
    PACKED_COST = 4        /* pixels that are painted in the time of a packed sample */
};

/* ---- painting -------------------------------------------------------------------------------- */

/* Fills squares of `fill` pixels to the right of and below each pixel of a run. */
static void squares_fill(struct framebuffer *framebuffer, const struct colour_run *run,
                         const uint32_t *colours, int32_t fill)
{
    uint32_t *row = framebuffer->pixels + (size_t)run->y * (size_t)framebuffer->width;
    if (run->dx == 1 && fill == 1) {
        memcpy(row + run->x, colours, (size_t)run->length * sizeof *row);
        return;
    }
    for (int32_t i = 0; i < run->length; i++) {
        int32_t x = run->x + i * run->dx;
        int32_t end = x + fill < framebuffer->width ? x + fill : framebuffer->width;
        for (; x < end; x++)
            row[x] = colours[i];
    }
}

/* Packs the colours of a run of samples that lie run->dx apart. */
static void run_pack(struct framebuffer *framebuffer, const struct look *look,
                     const struct colour_run *run)
{
    uint32_t colours[RUN];
    uint32_t *row = framebuffer->packed +
                    (size_t)(run->y / run->dx) * (size_t)framebuffer->packed_stride +
                    (size_t)(run->x / run->dx);
    for (int32_t from = 0; from < run->length; from += RUN) {
        int32_t left = run->length - from;
        struct colour_run part = colour_run_part(run, from, left < RUN ? left : RUN);
        colour_run_8(look, &part, colours);
        pthread_rwlock_wrlock(framebuffer_strip(framebuffer, run->y));
        memcpy(row + from, colours, (size_t)part.length * sizeof *row);
        pthread_rwlock_unlock(framebuffer_strip(framebuffer, run->y));
    }
}

/* Colours a row of samples, and the rows below within their squares, all in one strip. */
static void run_paint(struct framebuffer *framebuffer, const struct look *look,
                      struct colour_run run, int32_t fill)
{
    uint32_t colours[RUN];
    int32_t y = run.y;
    int32_t end = y + fill < framebuffer->height ? y + fill : framebuffer->height;
    assert((end - 1) / FRAMEBUFFER_STRIP_ROWS == y / FRAMEBUFFER_STRIP_ROWS);
    for (int32_t from = 0; from < run.length; from += RUN) {
        int32_t left = run.length - from;
        struct colour_run part = colour_run_part(&run, from, left < RUN ? left : RUN);
        colour_run_8(look, &part, colours);
        pthread_rwlock_wrlock(framebuffer_strip(framebuffer, y));
        for (; part.y < end; part.y++)
            squares_fill(framebuffer, &part, colours, fill);
        pthread_rwlock_unlock(framebuffer_strip(framebuffer, y));
    }
}

/* Run of row j of a subgrid whose samples lie packed in `from`. */
static struct colour_run subgrid_run(const struct subgrid *subgrid, const struct field *from,
                                     int32_t j)
{
    struct colour_run run = colour_run_of(from, j);
    run.x = subgrid->x;
    run.y = subgrid->y + j * subgrid->stride;
    run.dx = subgrid->stride;
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

/* How samples become pixels. */
struct putting {
    const struct look *look;
    int32_t fill; /* side of the square that each fills; 0: they are packed */
    bool (*wanted)(void *context);
    void *context;
};

/* Puts some rows of a subgrid, whose samples lie packed in `from`. */
static void rows_put(struct framebuffer *framebuffer, const struct subgrid *subgrid,
                     const struct field *from, const struct putting *putting, int32_t first,
                     int32_t last, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t j = first; j < last; j++) {
        struct colour_run run = subgrid_run(subgrid, from, j);
        run_store(&framebuffer->field, &run);
        if (putting->fill)
            run_paint(framebuffer, putting->look, run, putting->fill);
        else
            run_pack(framebuffer, putting->look, &run);
    }
}

static bool subgrid_put(struct framebuffer *framebuffer, const struct subgrid *subgrid,
                        const void *bytes, const struct putting *putting)
{
    struct field from;
    field_over(&from, subgrid->width, subgrid->height, framebuffer->field.planes,
               framebuffer->field.count_bytes, (void *)(uintptr_t)bytes); /* only read */
    int64_t cost = putting->fill ? putting->fill * putting->fill : PACKED_COST;
    int threads = screen_painters(cost * subgrid->width * subgrid->height);
    int64_t rows = (int64_t)PUT_AT_ONCE * threads / (cost * subgrid->width) + ROWS_AT_ONCE;
    for (int64_t first = 0; first < subgrid->height; first += rows) {
        int64_t last = first + rows < subgrid->height ? first + rows : subgrid->height;
        if (first && putting->wanted && !putting->wanted(putting->context))
            return false;
        rows_put(framebuffer, subgrid, &from, putting, (int32_t)first, (int32_t)last, threads);
    }
    return true;
}

/* Cells of a piece, which may be a row of them. */
struct cell_range {
    int32_t first, last;
};

static struct cell_range piece_cells(const struct framebuffer *framebuffer,
                                     const struct work_piece *piece)
{
    int32_t px = framebuffer->cell_px, row = piece->y / px * framebuffer->columns;
    return (struct cell_range){row + piece->x / px, row + (piece->x + piece->width - 1) / px};
}

static struct work_piece cell_piece(const struct framebuffer *framebuffer, int32_t cell, int stride)
{
    int32_t px = framebuffer->cell_px;
    int32_t x = cell % framebuffer->columns * px, y = cell / framebuffer->columns * px;
    return (struct work_piece){.x = x,
                               .y = y,
                               .width = framebuffer->width - x < px ? framebuffer->width - x : px,
                               .height =
                                   framebuffer->height - y < px ? framebuffer->height - y : px,
                               .to = (int8_t)stride};
}

/* Can the first samples of these cells be packed? */
static bool piece_packs(const struct framebuffer *framebuffer, const struct work_piece *piece)
{
    struct cell_range cells = piece_cells(framebuffer, piece);
    bool packs = piece->from == 0 && piece->to >= FRAMEBUFFER_PACKED_LEAST;
    for (int32_t i = cells.first; i <= cells.last && packs; i++)
        packs = framebuffer->cell[i].blank || framebuffer->cell[i].packed == piece->to;
    return packs;
}

/* Clears colours of an older picture in a cell, `side` pixels wide and high each. No other thread
 * reads a blank cell. */
static void cell_clear(uint32_t *colours, int32_t stride, const struct work_piece *cell, int side)
{
    int32_t x = cell->x / side, width = (cell->width + side - 1) / side;
    for (int32_t y = cell->y / side; y * side < cell->y + cell->height; y++)
        memset(colours + (size_t)y * (size_t)stride + (size_t)x, 0,
               (size_t)width * sizeof *colours);
}

/* Prepares cells that a piece does not cover: those of an older picture are cleared, and packed
 * ones become pixels unless these samples are packed, too. */
static void cells_prepare(struct framebuffer *framebuffer, const struct work_piece *piece,
                          bool packs)
{
    struct cell_range cells = piece_cells(framebuffer, piece);
    for (int32_t i = cells.first; i <= cells.last; i++) {
        struct work_piece cell = cell_piece(framebuffer, i, 1);
        bool covered =
            piece->from == 0 && piece->width >= cell.width && piece->height == cell.height;
        if (covered)
            continue;
        if (framebuffer->cell[i].blank && packs)
            cell_clear(framebuffer->packed, framebuffer->packed_stride, &cell, piece->to);
        else if (framebuffer->cell[i].blank)
            cell_clear(framebuffer->pixels, framebuffer->width, &cell, 1);
        else if (framebuffer->cell[i].packed && !packs)
            framebuffer_cell_unpack(framebuffer, i);
    }
}

/* Notes the version of painted cells, so that they are copied. */
static void cells_version_set(struct framebuffer *framebuffer, const struct work_piece *piece,
                              bool packs)
{
    struct cell_range cells = piece_cells(framebuffer, piece);
    pthread_mutex_lock(&framebuffer->mutex);
    framebuffer->version++;
    for (int32_t i = cells.first; i <= cells.last; i++) {
        framebuffer->cell[i].version = framebuffer->version;
        framebuffer->cell[i].packed = packs ? piece->to : 0;
        framebuffer->cell[i].blank = false;
    }
    pthread_mutex_unlock(&framebuffer->mutex);
}

bool framebuffer_put(struct framebuffer *framebuffer, const struct look *look,
                     const struct work_piece *piece, const void *bytes,
                     bool (*wanted)(void *context), void *context)
{
    struct putting putting = {.look = look, .wanted = wanted, .context = context};
    struct subgrid subgrid[SUBGRIDS_MOST];
    int count = work_piece_subgrids(piece, subgrid);
    bool packs = piece_packs(framebuffer, piece);
    cells_prepare(framebuffer, piece, packs);
    for (int i = 0; i < count; i++) {
        int32_t fill = piece->from ? subgrid[i].stride / 2 : subgrid[i].stride;
        putting.fill = packs ? 0 : fill;
        if (!subgrid_put(framebuffer, &subgrid[i], bytes, &putting))
            return false;
        bytes = (const char *)bytes + subgrid_bytes(&subgrid[i], framebuffer->field.planes,
                                                    framebuffer->field.count_bytes);
    }
    cells_version_set(framebuffer, piece, packs);
    return true;
}

/* ---- cells as a whole ------------------------------------------------------------------------ */

/* Every stride-th sample of a row of the field, from x on. */
struct picked {
    uint64_t count[RUN];
    float plane[PLANES][RUN]; /* planes but the count */
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

/* Paints a row of a cell from the field, where its samples lie stride apart. */
static void cell_row_paint(struct framebuffer *framebuffer, const struct look *look,
                           const struct subgrid *subgrid, int32_t y)
{
    struct picked picked;
    for (int32_t from = 0; from < subgrid->width; from += RUN) {
        int32_t length = subgrid->width - from < RUN ? subgrid->width - from : RUN;
        run_paint(framebuffer, look,
                  picked_run(&picked, &framebuffer->field, subgrid->x + from * subgrid->stride, y,
                             subgrid->stride, length),
                  subgrid->stride);
    }
}

static void cell_paint(struct framebuffer *framebuffer, const struct look *look, int32_t cell,
                       int stride)
{
    struct work_piece piece = cell_piece(framebuffer, cell, stride);
    struct subgrid subgrid[SUBGRIDS_MOST];
    work_piece_subgrids(&piece, subgrid);
    for (int32_t j = 0; j < subgrid->height; j++)
        cell_row_paint(framebuffer, look, subgrid, subgrid->y + j * subgrid->stride);
}

void framebuffer_reach(struct framebuffer *framebuffer, const struct look *look, int32_t cell,
                       int stride, int owner)
{
    struct framebuffer_cell *at = &framebuffer->cell[cell];
    int known = at->stride == 0 || stride < at->stride ? stride : at->stride;
    if (at->stale)
        cell_paint(framebuffer, look, cell, known);
    pthread_mutex_lock(&framebuffer->mutex);
    at->version = ++framebuffer->version;
    at->packed = at->stale ? 0 : at->packed;
    at->owner = (uint8_t)(owner % FRAMEBUFFER_NOBODY);
    at->stride = (int8_t)known;
    at->stale = false;
    pthread_mutex_unlock(&framebuffer->mutex);
}

static void recoloured_tell(struct framebuffer *framebuffer)
{
    pthread_mutex_lock(&framebuffer->mutex);
    framebuffer->version++;
    for (int32_t i = 0; i < framebuffer->columns * framebuffer->rows; i++)
        if (framebuffer->cell[i].stride) {
            framebuffer->cell[i].version = framebuffer->version;
            framebuffer->cell[i].packed = 0;
        }
    pthread_mutex_unlock(&framebuffer->mutex);
}

bool framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                          bool (*wanted)(void *context), void *context)
{
    int32_t cells = framebuffer->columns * framebuffer->rows;
    int64_t cell_pixels = (int64_t)framebuffer->cell_px * framebuffer->cell_px;
    int32_t some = cell_pixels && cell_pixels < ASK_AFTER ? (int32_t)(ASK_AFTER / cell_pixels) : 1;
    for (int32_t from = 0; from < cells; from += some) {
        int32_t to = from + some < cells ? from + some : cells;
        if (wanted && !wanted(context))
            return false;
#pragma omp parallel for num_threads(screen_painters((to - from) * cell_pixels)) schedule(dynamic)
        for (int32_t i = from; i < to; i++) {
            struct framebuffer_cell *cell = &framebuffer->cell[i];
            if (cell->stride)
                cell_paint(framebuffer, look, i, cell->stride);
            cell->stale = cell->stride != 1 && !cell->blank;
        }
    }
    recoloured_tell(framebuffer);
    return true;
}

/* ---- further samples ------------------------------------------------------------------------- */

void framebuffer_sample_put(struct framebuffer *framebuffer, const struct work_piece *piece,
                            const void *bytes)
{
    struct subgrid subgrid[SUBGRIDS_MOST];
    work_piece_subgrids(piece, subgrid);
    struct field from;
    field_over(&from, subgrid->width, subgrid->height, framebuffer->field.planes,
               framebuffer->field.count_bytes, (void *)(uintptr_t)bytes); /* only read */
    for (int32_t j = 0; j < subgrid->height; j++) {
        struct colour_run run = subgrid_run(subgrid, &from, j);
        run_store(&framebuffer->sampled, &run);
    }
}

void framebuffer_sample_end(struct framebuffer *framebuffer, int sample)
{
    kept_samples_end(&framebuffer->kept, sample);
}

/* Shows the mean in a row. */
static void light_row_paint(struct framebuffer *framebuffer, const struct light *light, int32_t y)
{
    size_t at = (size_t)y * (size_t)framebuffer->width;
    pthread_rwlock_wrlock(framebuffer_strip(framebuffer, y));
    colour_light_8((const float(*)[3])light->mean + at, 1, framebuffer->width, 0, y,
                   framebuffer->pixels + at);
    pthread_rwlock_unlock(framebuffer_strip(framebuffer, y));
}

static void rows_add(struct framebuffer *framebuffer, struct light *light, const struct look *look,
                     int first, int last, struct light_rect rows)
{
    if (first == 1) {
        struct sample_share centres = sample_share(0);
        light_add(light, look, &framebuffer->field, &centres, rows);
    }
    for (int sample = first; sample <= last; sample++) {
        struct sample_share share = sample_share(sample);
        struct field field = kept_samples_field(&framebuffer->kept, sample, &framebuffer->field);
        light_add(light, look, &field, &share, rows);
    }
    for (int32_t y = rows.y; y < rows.y + rows.height; y++)
        light_row_paint(framebuffer, light, y);
}

/* Rows to which so many samples are added between calls of `wanted`. */
static int32_t rows_at_once(const struct framebuffer *framebuffer, int samples)
{
    int32_t strips = ASK_AFTER / framebuffer->width / samples / ROWS_ADDED;
    int threads = screen_painters(ASK_AFTER);
    return ROWS_ADDED * (strips > threads ? strips : threads);
}

bool framebuffer_samples_add(struct framebuffer *framebuffer, const struct look *look, int first,
                             int last, bool (*wanted)(void *context), void *context)
{
    struct light light = {.width = framebuffer->width,
                          .height = framebuffer->height,
                          .mean = (float(*)[3])(void *)framebuffer_share_light(framebuffer->light)};
    int samples = last - first + 1;
    int32_t rows = rows_at_once(framebuffer, samples);
    for (int32_t from = 0; from < framebuffer->height; from += rows) {
        int32_t to = from + rows < framebuffer->height ? from + rows : framebuffer->height;
        int64_t pixels = (int64_t)(to - from) * framebuffer->width;
        if (wanted && !wanted(context))
            return false;
#pragma omp parallel for num_threads(screen_painters(pixels *samples)) schedule(dynamic)
        for (int32_t y = from; y < to; y += ROWS_ADDED) {
            int32_t height = to - y < ROWS_ADDED ? to - y : ROWS_ADDED;
            rows_add(framebuffer, &light, look, first, last,
                     (struct light_rect){0, y, framebuffer->width, height});
        }
    }
    recoloured_tell(framebuffer);
    return true;
}
