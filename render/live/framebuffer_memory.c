/* The memory of the progressive framebuffer, and the copies of its pixels. */
#include <stdlib.h>
#include <string.h>

#include "render/live/framebuffer.h"
#include "render/motion/screen_threads.h"

enum {
    WASTED_MOST = 1 << 24, /* most unused pixels that are kept; a print may have been much larger
                              than the window */
    BLANK = 1 << 15,       /* flag of a cell's number in a list */
    LATER = 1 << 14
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
    free(framebuffer->sampled.base);
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
    free(memory->sampled);
    *memory = (struct framebuffer_memory){.share = NULL};
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
    size_t pixel_bytes = planes_bytes(planes, count_bytes);
    bool enough = true;
    *memory = (struct framebuffer_memory){.pixels_room = pixels, .cells_room = cells};
    bool held = share && __atomic_load_n(&share->holders, __ATOMIC_ACQUIRE) > 1;
    if (!share || held || !fits(share->bytes, pixels * pixel_bytes, WASTED_MOST * pixel_bytes))
        enough &= (memory->share = share_make(pixels * pixel_bytes)) != NULL;
    if (!fits(framebuffer->pixels_room, pixels, WASTED_MOST))
        enough &= (memory->pixels = malloc(pixels * sizeof *memory->pixels)) != NULL;
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
    struct framebuffer_memory old = {.light = framebuffer->light,
                                     .sampled = framebuffer->sampled.base};
    framebuffer->light = NULL;
    framebuffer->sampled = (struct field){.base = NULL};
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

enum status framebuffer_sample_begin(struct framebuffer *framebuffer, int sample)
{
    const struct field *field = &framebuffer->field;
    size_t pixels = (size_t)field->width * (size_t)field->height;
    if (!framebuffer->sampled.base) {
        void *base = malloc(pixels * planes_bytes(field->planes, field->count_bytes));
        if (!base)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for samples of %zu pixels", pixels);
        field_over(&framebuffer->sampled, field->width, field->height, field->planes,
                   field->count_bytes, base);
    }
    return light_prepare(framebuffer, pixels, sample);
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

/* Copies a cell strip by strip. False: a strip is being painted, and the copy does not wait. */
static bool cell_copy(struct framebuffer *framebuffer, int32_t cell, uint32_t *pixels,
                      int32_t stride, bool wait)
{
    struct cell_box box = cell_box(framebuffer, cell);
    for (int32_t y = box.y; y < box.y + box.height;) {
        pthread_rwlock_t *strip =
            &framebuffer->strip[y / FRAMEBUFFER_STRIP_ROWS % FRAMEBUFFER_STRIPS];
        if ((wait ? pthread_rwlock_rdlock : pthread_rwlock_tryrdlock)(strip))
            return false;
        do
            memcpy(pixels + (size_t)y * (size_t)stride + (size_t)box.x,
                   framebuffer->pixels + (size_t)y * (size_t)framebuffer->width + (size_t)box.x,
                   (size_t)box.width * sizeof *pixels);
        while (++y < box.y + box.height && y % FRAMEBUFFER_STRIP_ROWS);
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

/* Lists the cells that have changed. */
static int changed_list(struct framebuffer *framebuffer, uint64_t *version, uint16_t *list)
{
    int count = 0;
    pthread_mutex_lock(&framebuffer->mutex);
    for (int32_t i = 0; i < framebuffer->columns * framebuffer->rows; i++)
        if (framebuffer->cell[i].version > *version)
            list[count++] = (uint16_t)(i | (framebuffer->cell[i].blank ? BLANK : 0));
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
            framebuffer->cell[list[i] & ~LATER].version = framebuffer->version;
    pthread_mutex_unlock(&framebuffer->mutex);
}

/* Marks the cells of the list that were copied. */
static void copied_mark(const struct framebuffer *framebuffer, const uint16_t *list, int count,
                        struct changed_blocks *changed)
{
    for (int i = 0; i < count; i++) {
        struct cell_box box = cell_box(framebuffer, list[i] & ~(BLANK | LATER));
        if (!(list[i] & LATER))
            changed_blocks_mark(
                changed, (struct changed_box){box.x, box.y, box.x + box.width, box.y + box.height});
    }
}

bool framebuffer_copy(struct framebuffer *framebuffer, uint64_t *version, uint32_t *pixels,
                      int32_t stride, struct changed_blocks *changed)
{
    uint16_t list[REFINEMENT_CELLS_MOST];
    bool all = *version == 0, later = false;
    int count = changed_list(framebuffer, version, list);
    int64_t copied = (int64_t)count * framebuffer->cell_px * framebuffer->cell_px;
#pragma omp parallel for num_threads(screen_copiers(copied)) schedule(dynamic) reduction(|| : later)
    for (int i = 0; i < count; i++)
        if (list[i] & BLANK)
            cell_clear(framebuffer, list[i] & ~BLANK, pixels, stride);
        else if (!cell_copy(framebuffer, list[i], pixels, stride,
                            all || !cell_there(framebuffer, list[i], pixels, stride))) {
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
