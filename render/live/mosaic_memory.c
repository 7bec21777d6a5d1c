/* The memory of a picture that grows, and what others get of it. */
#include <stdlib.h>
#include <string.h>

#include "render/live/mosaic.h"
#include "render/screen_threads.h"

enum {
    PLANES_SHOWN = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
    WASTED_MOST = 1 << 24, /* pixels; a print may have been much larger than the window */
    BLANK = 1 << 15        /* of a cell's number in a list */
};

/* ---- the field ------------------------------------------------------------------------------- */

struct mosaic_share {
    void *base;
    size_t bytes;
    int holders; /* atomic */
};

static struct mosaic_share *share_make(size_t bytes)
{
    struct mosaic_share *share = malloc(sizeof *share);
    if (!share)
        return NULL;
    *share = (struct mosaic_share){.base = malloc(bytes), .bytes = bytes, .holders = 1};
    if (share->base)
        return share;
    free(share);
    return NULL;
}

struct mosaic_share *mosaic_share_hold(struct mosaic_share *share)
{
    __atomic_fetch_add(&share->holders, 1, __ATOMIC_RELAXED);
    return share;
}

void mosaic_share_release(struct mosaic_share *share)
{
    if (!share || __atomic_sub_fetch(&share->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(share->base);
    free(share);
}

/* ---- another picture ------------------------------------------------------------------------- */

void mosaic_open(struct mosaic *mosaic)
{
    *mosaic = (struct mosaic){.width = 0};
    pthread_mutex_init(&mosaic->mutex, NULL);
    for (int i = 0; i < MOSAIC_STRIPS; i++)
        pthread_mutex_init(&mosaic->strip[i], NULL);
}

void mosaic_close(struct mosaic *mosaic)
{
    mosaic_share_release(mosaic->share);
    free(mosaic->pixels);
    free(mosaic->cell);
    free(mosaic->light);
    pthread_mutex_destroy(&mosaic->mutex);
    for (int i = 0; i < MOSAIC_STRIPS; i++)
        pthread_mutex_destroy(&mosaic->strip[i]);
    *mosaic = (struct mosaic){.width = 0};
}

void mosaic_memory_destroy(struct mosaic_memory *memory)
{
    mosaic_share_release(memory->share);
    free(memory->pixels);
    free(memory->cell);
    free(memory->light);
    *memory = (struct mosaic_memory){.share = NULL};
}

/* Is there enough, and not much too much of it? */
static bool fits(size_t room, size_t wanted, size_t wasted_most)
{
    return room >= wanted && (room <= wasted_most || room / 4 <= wanted);
}

enum status mosaic_prepare(const struct mosaic *mosaic, const struct ladder *ladder,
                           int count_bytes, struct mosaic_memory *memory)
{
    const struct mosaic_share *share = mosaic->share;
    size_t pixels = (size_t)ladder->width * (size_t)ladder->height, cells = (size_t)ladder->cells;
    size_t pixel_bytes = planes_bytes(PLANES_SHOWN, count_bytes);
    bool enough = true;
    *memory = (struct mosaic_memory){.pixels_room = pixels, .cells_room = cells};
    bool held = share && __atomic_load_n(&share->holders, __ATOMIC_ACQUIRE) > 1;
    if (!share || held || !fits(share->bytes, pixels * pixel_bytes, WASTED_MOST * pixel_bytes))
        enough &= (memory->share = share_make(pixels * pixel_bytes)) != NULL;
    if (!fits(mosaic->pixels_room, pixels, WASTED_MOST))
        enough &= (memory->pixels = malloc(pixels * sizeof *memory->pixels)) != NULL;
    if (mosaic->cells_room < cells)
        enough &= (memory->cell = malloc(cells * sizeof *memory->cell)) != NULL;
    if (enough)
        return STATUS_OK;
    mosaic_memory_destroy(memory);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu pixels", pixels);
}

/* Takes over what has been prepared, and gives what it replaces. */
static void memory_swap(struct mosaic *mosaic, struct mosaic_memory *memory)
{
    struct mosaic_memory old = {.light = mosaic->light};
    mosaic->light = NULL;
    if (memory->share) {
        old.share = mosaic->share;
        mosaic->share = memory->share;
    }
    if (memory->pixels) {
        old.pixels = mosaic->pixels;
        mosaic->pixels = memory->pixels;
        mosaic->pixels_room = memory->pixels_room;
    }
    if (memory->cell) {
        old.cell = mosaic->cell;
        mosaic->cell = memory->cell;
        mosaic->cells_room = memory->cells_room;
    }
    *memory = old;
}

void mosaic_begin(struct mosaic *mosaic, const struct ladder *ladder, int count_bytes,
                  struct mosaic_memory *memory)
{
    static const struct ladder none;
    memory_swap(mosaic, memory);
    if (ladder)
        field_over(&mosaic->field, ladder->width, ladder->height, PLANES_SHOWN, count_bytes,
                   mosaic->share->base);
    else
        ladder = &none;
    mosaic->version++;
    mosaic->width = ladder->width;
    mosaic->height = ladder->height;
    mosaic->cell_px = ladder->cell_px;
    mosaic->columns = ladder->columns;
    mosaic->rows = ladder->rows;
    for (int32_t i = 0; i < ladder->cells; i++)
        mosaic->cell[i] =
            (struct mosaic_cell){.version = mosaic->version, .owner = MOSAIC_NOBODY, .blank = true};
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void cell_copy(struct mosaic *mosaic, int cell, uint32_t *pixels, int32_t stride)
{
    int32_t px = mosaic->cell_px, at = cell & ~BLANK;
    int32_t x = at % mosaic->columns * px, y = at / mosaic->columns * px;
    int32_t width = mosaic->width - x < px ? mosaic->width - x : px;
    int32_t end = mosaic->height - y < px ? mosaic->height : y + px;
    size_t bytes = (size_t)width * sizeof *pixels;
    for (; y < end; y++) {
        uint32_t *to = pixels + (size_t)y * (size_t)stride + (size_t)x;
        pthread_mutex_t *strip = &mosaic->strip[y / MOSAIC_STRIP_ROWS % MOSAIC_STRIPS];
        if (cell & BLANK) {
            memset(to, 0, bytes);
            continue;
        }
        if (y % MOSAIC_STRIP_ROWS == 0)
            pthread_mutex_lock(strip);
        memcpy(to, mosaic->pixels + (size_t)y * (size_t)mosaic->width + (size_t)x, bytes);
        if (y % MOSAIC_STRIP_ROWS == MOSAIC_STRIP_ROWS - 1 || y == end - 1)
            pthread_mutex_unlock(strip);
    }
}

/* The cells that have changed. */
static int changed_list(struct mosaic *mosaic, uint64_t *version, uint16_t *list)
{
    int count = 0;
    pthread_mutex_lock(&mosaic->mutex);
    for (int32_t i = 0; i < mosaic->columns * mosaic->rows; i++)
        if (mosaic->cell[i].version > *version)
            list[count++] = (uint16_t)(i | (mosaic->cell[i].blank ? BLANK : 0));
    *version = mosaic->version;
    pthread_mutex_unlock(&mosaic->mutex);
    return count;
}

bool mosaic_copy(struct mosaic *mosaic, uint64_t *version, uint32_t *pixels, int32_t stride)
{
    uint16_t list[LADDER_CELLS_MOST];
    int count = changed_list(mosaic, version, list);
    int64_t copied = (int64_t)count * mosaic->cell_px * mosaic->cell_px;
#pragma omp parallel for num_threads(screen_copiers(copied)) schedule(dynamic)
    for (int i = 0; i < count; i++)
        cell_copy(mosaic, list[i], pixels, stride);
    return count > 0;
}

void mosaic_owners(struct mosaic *mosaic, uint8_t *owner)
{
    pthread_mutex_lock(&mosaic->mutex);
    for (int32_t i = 0; i < mosaic->columns * mosaic->rows; i++)
        owner[i] = mosaic->cell[i].owner;
    pthread_mutex_unlock(&mosaic->mutex);
}
