/* The memory of the progressive framebuffer, and the copies of its pixels. */
#include <stdlib.h>
#include <string.h>

#include "render/live/framebuffer.h"
#include "render/motion/screen_threads.h"

enum {
    WASTED_MOST = 1 << 24, /* most unused pixels that are kept; a print may have been much larger
                              than the window */
    KEPT_FIELD_MOST = 8 * WASTED_MOST, /* most bytes of a sample that the next picture may use */
    BLANK = 1 << 15,                   /* flags of a cell's number in a list */
    LATER = 1 << 14,
    PACKED_SHIFT = 12, /* place of a stride over FRAMEBUFFER_PACKED_LEAST; 0: pixels */
    CELL = REFINEMENT_CELLS_MOST - 1 /* mask of the number */
};

/* ---- the field ------------------------------------------------------------------------------- */

struct framebuffer_share {
    void *base;
    size_t bytes;
    int holders; /* atomic */
};

static struct framebuffer_share *share_make(size_t bytes)
{
    struct framebuffer_share *share = malloc(sizeof *share);
    if (!share)
        return NULL;
    *share = (struct framebuffer_share){.base = malloc(bytes), .bytes = bytes, .holders = 1};
    if (share->base)
        return share;
    free(share);
    return NULL;
}

struct framebuffer_share *framebuffer_share_hold(struct framebuffer_share *share)
{
    __atomic_fetch_add(&share->holders, 1, __ATOMIC_RELAXED);
    return share;
}

void framebuffer_share_release(struct framebuffer_share *share)
{
    if (!share || __atomic_sub_fetch(&share->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(share->base);
    free(share);
}

/* ---- another picture ------------------------------------------------------------------------- */

void framebuffer_open(struct framebuffer *framebuffer)
{
    *framebuffer = (struct framebuffer){.width = 0};
    pthread_mutex_init(&framebuffer->mutex, NULL);
    for (int i = 0; i < FRAMEBUFFER_STRIPS; i++)
        pthread_rwlock_init(&framebuffer->strip[i], NULL);
}

void framebuffer_close(struct framebuffer *framebuffer)
{
    framebuffer_share_release(framebuffer->share);
    free(framebuffer->pixels);
    free(framebuffer->cell);
    framebuffer_share_release(framebuffer->light);
    kept_samples_free(&framebuffer->kept);
    pthread_mutex_destroy(&framebuffer->mutex);
    for (int i = 0; i < FRAMEBUFFER_STRIPS; i++)
        pthread_rwlock_destroy(&framebuffer->strip[i]);
    *framebuffer = (struct framebuffer){.width = 0};
}

void framebuffer_memory_destroy(struct framebuffer_memory *memory)
{
    framebuffer_share_release(memory->share);
    free(memory->pixels);
    free(memory->cell);
    framebuffer_share_release(memory->light);
    kept_samples_free(&memory->kept);
    *memory = (struct framebuffer_memory){.share = NULL};
}

static size_t packed_side(int32_t side)
{
    return ((size_t)side + FRAMEBUFFER_PACKED_LEAST - 1) / FRAMEBUFFER_PACKED_LEAST;
}

/* Is the memory enough, and not much too large? */
static bool fits(size_t room, size_t wanted, size_t wasted_most)
{
    return room >= wanted && (room <= wasted_most || room / 4 <= wanted);
}

enum status framebuffer_prepare(const struct framebuffer *framebuffer,
                                const struct refinement *refinement, unsigned planes,
                                int count_bytes, struct framebuffer_memory *memory)
{
    const struct framebuffer_share *share = framebuffer->share;
    size_t pixels = (size_t)refinement->width * (size_t)refinement->height,
           cells = (size_t)refinement->cells;
    size_t colours = pixels + packed_side(refinement->width) * packed_side(refinement->height);
    size_t pixel_bytes = planes_bytes(planes, count_bytes);
    bool enough = true;
    *memory = (struct framebuffer_memory){.pixels_room = colours, .cells_room = cells};
    bool held = share && __atomic_load_n(&share->holders, __ATOMIC_ACQUIRE) > 1;
    if (!share || held || !fits(share->bytes, pixels * pixel_bytes, WASTED_MOST * pixel_bytes))
        enough &= (memory->share = share_make(pixels * pixel_bytes)) != NULL;
    if (!fits(framebuffer->pixels_room, colours, WASTED_MOST))
        enough &= (memory->pixels = malloc(colours * sizeof *memory->pixels)) != NULL;
    if (framebuffer->cells_room < cells)
        enough &= (memory->cell = malloc(cells * sizeof *memory->cell)) != NULL;
    if (enough)
        return STATUS_OK;
    framebuffer_memory_destroy(memory);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu pixels", pixels);
}

/* Swaps the prepared memory with that it replaces. */
static void memory_swap(struct framebuffer *framebuffer, struct framebuffer_memory *memory)
{
    struct framebuffer_memory old = {.light = framebuffer->light};
    framebuffer->light = NULL;
    kept_samples_forget(&framebuffer->kept);
    if (framebuffer->kept.bytes > KEPT_FIELD_MOST) {
        old.kept = framebuffer->kept;
        framebuffer->kept = (struct kept_samples){.bytes = 0};
    }
    if (memory->share) {
        old.share = framebuffer->share;
        framebuffer->share = memory->share;
    }
    if (memory->pixels) {
        old.pixels = framebuffer->pixels;
        framebuffer->pixels = memory->pixels;
        framebuffer->pixels_room = memory->pixels_room;
    }
    if (memory->cell) {
        old.cell = framebuffer->cell;
        framebuffer->cell = memory->cell;
        framebuffer->cells_room = memory->cells_room;
    }
    *memory = old;
}

void framebuffer_begin(struct framebuffer *framebuffer, const struct refinement *refinement,
                       unsigned planes, int count_bytes, struct framebuffer_memory *memory)
{
    static const struct refinement none;
    memory_swap(framebuffer, memory);
    if (refinement)
        field_over(&framebuffer->field, refinement->width, refinement->height, planes, count_bytes,
                   framebuffer->share->base);
    else
        refinement = &none;
    framebuffer->version++;
    framebuffer->width = refinement->width;
    framebuffer->height = refinement->height;
    framebuffer->packed = framebuffer->pixels;
    if (framebuffer->packed)
        framebuffer->packed += (size_t)refinement->width * (size_t)refinement->height;
    framebuffer->packed_stride = (int32_t)packed_side(refinement->width);
    framebuffer->cell_px = refinement->cell_px;
    framebuffer->columns = refinement->columns;
    framebuffer->rows = refinement->rows;
    for (int32_t i = 0; i < refinement->cells; i++)
        framebuffer->cell[i] = (struct framebuffer_cell){
            .version = framebuffer->version, .owner = FRAMEBUFFER_NOBODY, .blank = true};
}

/* ---- further samples ------------------------------------------------------------------------- */

static enum status light_prepare(struct framebuffer *framebuffer, size_t pixels, int sample)
{
    struct framebuffer_share *light = framebuffer->light;
    if (light && __atomic_load_n(&light->holders, __ATOMIC_ACQUIRE) == 1)
        return STATUS_OK;
    struct framebuffer_share *fresh = share_make(pixels * LIGHT_PIXEL_BYTES);
    if (!fresh)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to average %zu pixels", pixels);
    if (light && sample > 1) /* the light is held, for a file, and more samples are to be added */
        memcpy(fresh->base, light->base, pixels * LIGHT_PIXEL_BYTES);
    framebuffer->light = fresh;
    framebuffer_share_release(light);
    return STATUS_OK;
}

enum status framebuffer_mean_begin(struct framebuffer *framebuffer, int first)
{
    const struct field *field = &framebuffer->field;
    return light_prepare(framebuffer, (size_t)field->width * (size_t)field->height, first);
}

enum status framebuffer_sample_begin(struct framebuffer *framebuffer, int sample)
{
    TRY(kept_samples_begin(&framebuffer->kept, sample, &framebuffer->field));
    framebuffer->sampled = kept_samples_field(&framebuffer->kept, sample, &framebuffer->field);
    return STATUS_OK;
}

float *framebuffer_share_light(struct framebuffer_share *share)
{
    return share->base;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static struct cell_box {
    int32_t x, y, width, height;
} cell_box(const struct framebuffer *framebuffer, int32_t cell)
{
    int32_t px = framebuffer->cell_px;
    int32_t x = cell % framebuffer->columns * px, y = cell / framebuffer->columns * px;
    return (struct cell_box){x, y, framebuffer->width - x < px ? framebuffer->width - x : px,
                             framebuffer->height - y < px ? framebuffer->height - y : px};
}

static void cell_clear(const struct framebuffer *framebuffer, int32_t cell, uint32_t *pixels,
                       int32_t stride)
{
    struct cell_box box = cell_box(framebuffer, cell);
    for (int32_t y = box.y; y < box.y + box.height; y++)
        memset(pixels + (size_t)y * (size_t)stride + (size_t)box.x, 0,
               (size_t)box.width * sizeof *pixels);
}

/* Copies rows of a box, all in one strip, to [height][stride] pixels. */
static void rows_copy(const struct framebuffer *framebuffer, const struct cell_box *rows,
                      uint32_t *pixels, int32_t stride)
{
    for (int32_t y = rows->y; y < rows->y + rows->height; y++)
        memcpy(pixels + (size_t)y * (size_t)stride + (size_t)rows->x,
               framebuffer->pixels + (size_t)y * (size_t)framebuffer->width + (size_t)rows->x,
               (size_t)rows->width * sizeof *pixels);
}

/* Fills a row with squares' sides of FRAMEBUFFER_PACKED_LEAST pixels, of which `same` in a row have
 * one colour. */
static void row_unpack(const uint32_t *packed, int same, uint32_t *row, int32_t width)
{
    int32_t x = 0;
    for (int32_t side = 0; x + FRAMEBUFFER_PACKED_LEAST <= width; side++) {
        uint32_t colour = packed[side / same];
        for (int i = 0; i < FRAMEBUFFER_PACKED_LEAST; i++)
            row[x++] = colour;
    }
    for (; x < width; x++)
        row[x] = packed[x / FRAMEBUFFER_PACKED_LEAST / same];
}

/* Makes squares of packed colours, rows of a box, all in one strip. */
static void rows_unpack(const struct framebuffer *framebuffer, const struct cell_box *rows,
                        int packed, uint32_t *pixels, int32_t stride)
{
    for (int32_t y = rows->y; y < rows->y + rows->height; y++) {
        uint32_t *row = pixels + (size_t)y * (size_t)stride + (size_t)rows->x;
        const uint32_t *from = framebuffer->packed +
                               (size_t)(y / packed) * (size_t)framebuffer->packed_stride +
                               (size_t)(rows->x / packed);
        if (y % packed && y > rows->y)
            memcpy(row, row - stride, (size_t)rows->width * sizeof *row);
        else
            row_unpack(from, packed / FRAMEBUFFER_PACKED_LEAST, row, rows->width);
    }
}

void framebuffer_cell_unpack(struct framebuffer *framebuffer, int32_t cell)
{
    struct cell_box rows = cell_box(framebuffer, cell);
    int32_t end = rows.y + rows.height;
    for (; rows.y < end; rows.y += FRAMEBUFFER_STRIP_ROWS) {
        pthread_rwlock_t *strip = framebuffer_strip(framebuffer, rows.y);
        rows.height = end - rows.y < FRAMEBUFFER_STRIP_ROWS ? end - rows.y : FRAMEBUFFER_STRIP_ROWS;
        pthread_rwlock_wrlock(strip);
        rows_unpack(framebuffer, &rows, framebuffer->cell[cell].packed, framebuffer->pixels,
                    framebuffer->width);
        pthread_rwlock_unlock(strip);
    }
}

/* Copies a cell strip by strip. False: a strip is being painted, and the copy does not wait. */
static bool cell_copy(struct framebuffer *framebuffer, uint16_t listed, uint32_t *pixels,
                      int32_t stride, bool wait)
{
    struct cell_box rows = cell_box(framebuffer, listed & CELL);
    int packed = (listed >> PACKED_SHIFT & 3) * FRAMEBUFFER_PACKED_LEAST;
    int32_t end = rows.y + rows.height;
    for (; rows.y < end; rows.y += FRAMEBUFFER_STRIP_ROWS) {
        pthread_rwlock_t *strip = framebuffer_strip(framebuffer, rows.y);
        rows.height = end - rows.y < FRAMEBUFFER_STRIP_ROWS ? end - rows.y : FRAMEBUFFER_STRIP_ROWS;
        if ((wait ? pthread_rwlock_rdlock : pthread_rwlock_tryrdlock)(strip))
            return false;
        if (packed)
            rows_unpack(framebuffer, &rows, packed, pixels, stride);
        else
            rows_copy(framebuffer, &rows, pixels, stride);
        pthread_rwlock_unlock(strip);
    }
    return true;
}

/* Has the cell been copied before? Else it would be shown without colours. */
static bool cell_there(const struct framebuffer *framebuffer, int32_t cell, const uint32_t *pixels,
                       int32_t stride)
{
    struct cell_box box = cell_box(framebuffer, cell);
    return pixels[(size_t)(box.y + box.height - 1) * (size_t)stride + (size_t)box.x] >> 24 != 0;
}

static uint16_t listed(const struct framebuffer_cell *cell, int32_t number)
{
    int packed = cell->packed / FRAMEBUFFER_PACKED_LEAST;
    return (uint16_t)(number | packed << PACKED_SHIFT | (cell->blank ? BLANK : 0));
}

/* Lists the cells that have changed. */
static int changed_list(struct framebuffer *framebuffer, uint64_t *version, uint16_t *list)
{
    int count = 0;
    pthread_mutex_lock(&framebuffer->mutex);
    for (int32_t i = 0; i < framebuffer->columns * framebuffer->rows; i++)
        if (framebuffer->cell[i].version > *version)
            list[count++] = listed(&framebuffer->cell[i], i);
    *version = framebuffer->version;
    pthread_mutex_unlock(&framebuffer->mutex);
    return count;
}

/* Marks the cells that were left out as changed. */
static void later_tell(struct framebuffer *framebuffer, const uint16_t *list, int count)
{
    pthread_mutex_lock(&framebuffer->mutex);
    framebuffer->version++;
    for (int i = 0; i < count; i++)
        if (list[i] & LATER)
            framebuffer->cell[list[i] & CELL].version = framebuffer->version;
    pthread_mutex_unlock(&framebuffer->mutex);
}

/* Marks the cells of the list that were copied. */
static void copied_mark(const struct framebuffer *framebuffer, const uint16_t *list, int count,
                        uint8_t (*changed)[CHANGED_BLOCKS_MOST])
{
    for (int i = 0; i < count; i++) {
        struct cell_box box = cell_box(framebuffer, list[i] & CELL);
        if (!(list[i] & LATER))
            changed_blocks_mark(
                changed, (struct changed_box){box.x, box.y, box.x + box.width, box.y + box.height});
    }
}

bool framebuffer_copy(struct framebuffer *framebuffer, uint64_t *version, uint32_t *pixels,
                      int32_t stride, uint8_t (*changed)[CHANGED_BLOCKS_MOST])
{
    uint16_t list[REFINEMENT_CELLS_MOST];
    bool all = *version == 0, later = false;
    int count = changed_list(framebuffer, version, list);
    int64_t copied = (int64_t)count * framebuffer->cell_px * framebuffer->cell_px;
#pragma omp parallel for num_threads(screen_copiers(copied)) schedule(dynamic) reduction(|| : later)
    for (int i = 0; i < count; i++)
        if (list[i] & BLANK)
            cell_clear(framebuffer, list[i] & CELL, pixels, stride);
        else if (!cell_copy(framebuffer, list[i], pixels, stride,
                            all || !cell_there(framebuffer, list[i] & CELL, pixels, stride))) {
            list[i] |= LATER;
            later = true;
        }
    if (later)
        later_tell(framebuffer, list, count);
    if (changed)
        copied_mark(framebuffer, list, count, changed);
    return count > 0;
}

void framebuffer_owners(struct framebuffer *framebuffer, uint8_t *owner)
{
    pthread_mutex_lock(&framebuffer->mutex);
    for (int32_t i = 0; i < framebuffer->columns * framebuffer->rows; i++)
        owner[i] = framebuffer->cell[i].owner;
    pthread_mutex_unlock(&framebuffer->mutex);
}
