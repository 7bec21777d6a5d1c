/* The memory of a picture that grows, and what others get of it. */
#include <stdlib.h>
#include <string.h>

#include "render/live/mosaic.h"
#include "render/screen_threads.h"

enum {
    WASTED_MOST = 1 << 24, /* pixels; a print may have been much larger than the window */
    BLANK = 1 << 15,       /* of a cell's number in a list */
    LATER = 1 << 14
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
        pthread_rwlock_init(&mosaic->strip[i], NULL);
}

void mosaic_close(struct mosaic *mosaic)
{
    mosaic_share_release(mosaic->share);
    free(mosaic->pixels);
    free(mosaic->cell);
    mosaic_share_release(mosaic->light);
    free(mosaic->sampled.base);
    pthread_mutex_destroy(&mosaic->mutex);
    for (int i = 0; i < MOSAIC_STRIPS; i++)
        pthread_rwlock_destroy(&mosaic->strip[i]);
    *mosaic = (struct mosaic){.width = 0};
}

void mosaic_memory_destroy(struct mosaic_memory *memory)
{
    mosaic_share_release(memory->share);
    free(memory->pixels);
    free(memory->cell);
    mosaic_share_release(memory->light);
    free(memory->sampled);
    *memory = (struct mosaic_memory){.share = NULL};
}

/* Is there enough, and not much too much of it? */
static bool fits(size_t room, size_t wanted, size_t wasted_most)
{
    return room >= wanted && (room <= wasted_most || room / 4 <= wanted);
}

enum status mosaic_prepare(const struct mosaic *mosaic, const struct ladder *ladder,
                           unsigned planes, int count_bytes, struct mosaic_memory *memory)
{
    const struct mosaic_share *share = mosaic->share;
    size_t pixels = (size_t)ladder->width * (size_t)ladder->height, cells = (size_t)ladder->cells;
    size_t pixel_bytes = planes_bytes(planes, count_bytes);
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
    struct mosaic_memory old = {.light = mosaic->light, .sampled = mosaic->sampled.base};
    mosaic->light = NULL;
    mosaic->sampled = (struct field){.base = NULL};
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

void mosaic_begin(struct mosaic *mosaic, const struct ladder *ladder, unsigned planes,
                  int count_bytes, struct mosaic_memory *memory)
{
    static const struct ladder none;
    memory_swap(mosaic, memory);
    if (ladder)
        field_over(&mosaic->field, ladder->width, ladder->height, planes, count_bytes,
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

/* ---- further samples ------------------------------------------------------------------------- */

static enum status light_prepare(struct mosaic *mosaic, size_t pixels, int sample)
{
    struct mosaic_share *light = mosaic->light;
    if (light && __atomic_load_n(&light->holders, __ATOMIC_ACQUIRE) == 1)
        return STATUS_OK;
    struct mosaic_share *fresh = share_make(pixels * LIGHT_PIXEL_BYTES);
    if (!fresh)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to average %zu pixels", pixels);
    if (light && sample > 1) /* somebody writes it to a file, and there is to be more of it */
        memcpy(fresh->base, light->base, pixels * LIGHT_PIXEL_BYTES);
    mosaic->light = fresh;
    mosaic_share_release(light);
    return STATUS_OK;
}

enum status mosaic_sample_begin(struct mosaic *mosaic, int sample)
{
    const struct field *field = &mosaic->field;
    size_t pixels = (size_t)field->width * (size_t)field->height;
    if (!mosaic->sampled.base) {
        void *base = malloc(pixels * planes_bytes(field->planes, field->count_bytes));
        if (!base)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for samples of %zu pixels", pixels);
        field_over(&mosaic->sampled, field->width, field->height, field->planes, field->count_bytes,
                   base);
    }
    return light_prepare(mosaic, pixels, sample);
}

float *mosaic_share_light(struct mosaic_share *share)
{
    return share->base;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static struct cell_box {
    int32_t x, y, width, height;
} cell_box(const struct mosaic *mosaic, int32_t cell)
{
    int32_t px = mosaic->cell_px;
    int32_t x = cell % mosaic->columns * px, y = cell / mosaic->columns * px;
    return (struct cell_box){x, y, mosaic->width - x < px ? mosaic->width - x : px,
                             mosaic->height - y < px ? mosaic->height - y : px};
}

static void cell_clear(const struct mosaic *mosaic, int32_t cell, uint32_t *pixels, int32_t stride)
{
    struct cell_box box = cell_box(mosaic, cell);
    for (int32_t y = box.y; y < box.y + box.height; y++)
        memset(pixels + (size_t)y * (size_t)stride + (size_t)box.x, 0,
               (size_t)box.width * sizeof *pixels);
}

/* Strip by strip. false: somebody paints one, and that is not waited for. */
static bool cell_copy(struct mosaic *mosaic, int32_t cell, uint32_t *pixels, int32_t stride,
                      bool wait)
{
    struct cell_box box = cell_box(mosaic, cell);
    for (int32_t y = box.y; y < box.y + box.height;) {
        pthread_rwlock_t *strip = &mosaic->strip[y / MOSAIC_STRIP_ROWS % MOSAIC_STRIPS];
        if ((wait ? pthread_rwlock_rdlock : pthread_rwlock_tryrdlock)(strip))
            return false;
        do
            memcpy(pixels + (size_t)y * (size_t)stride + (size_t)box.x,
                   mosaic->pixels + (size_t)y * (size_t)mosaic->width + (size_t)box.x,
                   (size_t)box.width * sizeof *pixels);
        while (++y < box.y + box.height && y % MOSAIC_STRIP_ROWS);
        pthread_rwlock_unlock(strip);
    }
    return true;
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

/* What was left out has changed since. */
static void later_tell(struct mosaic *mosaic, const uint16_t *list, int count)
{
    pthread_mutex_lock(&mosaic->mutex);
    mosaic->version++;
    for (int i = 0; i < count; i++)
        if (list[i] & LATER)
            mosaic->cell[list[i] & ~LATER].version = mosaic->version;
    pthread_mutex_unlock(&mosaic->mutex);
}

bool mosaic_copy(struct mosaic *mosaic, uint64_t *version, uint32_t *pixels, int32_t stride)
{
    uint16_t list[LADDER_CELLS_MOST];
    bool all = *version == 0, later = false;
    int count = changed_list(mosaic, version, list);
    int64_t copied = (int64_t)count * mosaic->cell_px * mosaic->cell_px;
#pragma omp parallel for num_threads(screen_copiers(copied)) schedule(dynamic) reduction(|| : later)
    for (int i = 0; i < count; i++)
        if (list[i] & BLANK)
            cell_clear(mosaic, list[i] & ~BLANK, pixels, stride);
        else if (!cell_copy(mosaic, list[i], pixels, stride, all)) {
            list[i] |= LATER;
            later = true;
        }
    if (later)
        later_tell(mosaic, list, count);
    return count > 0;
}

void mosaic_owners(struct mosaic *mosaic, uint8_t *owner)
{
    pthread_mutex_lock(&mosaic->mutex);
    for (int32_t i = 0; i < mosaic->columns * mosaic->rows; i++)
        owner[i] = mosaic->cell[i].owner;
    pthread_mutex_unlock(&mosaic->mutex);
}
