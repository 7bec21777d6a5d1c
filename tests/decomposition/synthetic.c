#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t hash(int32_t x, int32_t y)
{
    uint64_t h = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
    h = (h ^ h >> 31) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

/* The image row of a row of the tile. */
static int32_t row_of(const struct tile *tile, int32_t y)
{
    return tile->y + (tile->band ? y / tile->band * tile->band_step + y % tile->band : y);
}

static void put_pixel(struct field *field, int32_t x, int32_t y, uint64_t value)
{
    void *row = field_row(field, PLANE_COUNT, y);
    if (field->count_bytes == 8)
        ((uint64_t *)row)[x] = value;
    else
        ((uint32_t *)row)[x] = (uint32_t)value;
    if (field->plane[PLANE_FRACTION])
        ((float *)field_row(field, PLANE_FRACTION, y))[x] = (float)(value & 0xffffff) / 0x1000000;
}

static bool pixel_is(const struct field *field, size_t at, uint64_t value)
{
    uint64_t count = field->count_bytes == 8 ? value : (uint32_t)value;
    if (field_count_at(field, at) != count)
        return false;
    const float *fraction = field->plane[PLANE_FRACTION];
    return !fraction || fraction[at] == (float)(value & 0xffffff) / 0x1000000;
}

static void check_stop(struct synthetic *s, uint32_t index)
{
    if (s->stop_rank == s->rank && index >= s->stop_tile)
        __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
}

/* Has this thread lost its device by now? */
static bool lost(struct synthetic *s, int thread)
{
    if (s->thread_lost[thread])
        __atomic_store_n(&s->called_after_loss, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < s->losses; i++)
        if (s->loss[i].rank == s->rank &&
            (s->loss[i].thread == thread || s->loss[i].thread == -1) &&
            s->thread_tiles[thread] >= s->loss[i].after)
            s->thread_lost[thread] = true;
    return s->thread_lost[thread];
}

/* In naps, so that it can be told to give up. */
static bool work(struct synthetic *s, const struct tile *tile)
{
    unsigned left_us = s->cost_us ? s->cost_us(tile, s) : 0;
    while (left_us > 0 && !__atomic_load_n(&s->give_up, __ATOMIC_RELAXED)) {
        unsigned nap_us = left_us < 10000 ? left_us : 10000;
        nanosleep(&(struct timespec){.tv_nsec = (long)nap_us * 1000}, NULL);
        left_us -= nap_us;
    }
    return left_us == 0;
}

static enum status make(struct synthetic *s, int thread, const struct tile *tile, struct field *out,
                        uint64_t *iterations)
{
    uint32_t index = (uint32_t)(tile - s->tiles);
    if (s->fail_with != STATUS_OK && index == s->fail_tile)
        return status_fail(s->fail_with, "tile %u cannot be computed", index);
    check_stop(s, index);
    while (s->others_wait && !__atomic_load_n(&s->give_up, __ATOMIC_RELAXED))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (!work(s, tile))
        return status_fail(STATUS_STOPPED, "gave up tile %u", index);
    if (lost(s, thread))
        return status_fail(STATUS_DEVICE_LOST, "device %d of rank %d fell off the bus", thread,
                           s->rank);
    if (out->base && synthetic_lent(s, out->base) != (out->space == MEMORY_DEVICE))
        return status_fail(STATUS_INTERNAL, "tile %u lies in other memory than it says", index);
    s->thread_tiles[thread]++;
    for (int32_t y = 0; y < tile->height; y++)
        for (int32_t x = 0; x < tile->width; x++)
            put_pixel(out, x, y, hash(tile->x + x, row_of(tile, y)));
    *iterations += (uint64_t)tile->width * (uint64_t)tile->height;
    return STATUS_OK;
}

static enum status compute(void *context, int thread, const struct tile *tile, struct field *out,
                           uint64_t *iterations)
{
    struct synthetic *s = context;
    int inside = __atomic_add_fetch(&s->in_compute, 1, __ATOMIC_RELAXED);
    int most = __atomic_load_n(&s->in_compute_most, __ATOMIC_RELAXED);
    while (inside > most && !__atomic_compare_exchange_n(&s->in_compute_most, &most, inside, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    enum status status = make(s, thread, tile, out, iterations);
    __atomic_sub_fetch(&s->in_compute, 1, __ATOMIC_RELAXED);
    return status;
}

static enum status arrived(void *context, uint32_t number)
{
    struct synthetic *s = context;
    if (s->arrival_fails != STATUS_OK && s->delivered == 1)
        return status_fail(s->arrival_fails, "the disk is full of tile 1");
    s->delivered++;
    if (!s->others_wait)
        check_stop(s, number);
    s->seen[number]++;
    return STATUS_OK;
}

static void *take(void *context, size_t bytes)
{
    struct synthetic *s = context;
    s->borrowed++;
    s->borrowed_bytes += bytes;
    /* Once there is none: the job must do without. */
    return s->borrowed == 2 ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void give(void *context, void *memory)
{
    struct synthetic *s = context;
    s->given_back++;
    free(memory);
}

static void *device_take(void *context, size_t bytes)
{
    struct synthetic *s = context;
    if (s->lent == 1 || s->lent == LENT_MOST) {
        s->lent += s->lent == 1;
        return NULL;
    }
    struct synthetic_lent *block = &s->lent_block[s->lent++];
    *block = (struct synthetic_lent){aligned_alloc(64, (bytes + 63) / 64 * 64), bytes};
    return block->at;
}

static void device_give(void *context, void *memory)
{
    struct synthetic *s = context;
    for (int i = 0; i < s->lent; i++)
        if (s->lent_block[i].at == memory) {
            s->lent_back++;
            s->lent_block[i].at = NULL;
            free(memory);
        }
}

bool synthetic_lent(const struct synthetic *s, const void *address)
{
    for (int i = 0; i < s->lent; i++) {
        const struct synthetic_lent *block = &s->lent_block[i];
        uintptr_t from = (uintptr_t)block->at, at = (uintptr_t)address;
        if (from && at >= from && at - from < block->bytes)
            return true;
    }
    return false;
}

static enum status copy(void *context, const struct field *to, const struct field *from)
{
    struct synthetic *s = context;
    struct field there = *to, here = *from;
    if ((to->space != MEMORY_DEVICE && from->space != MEMORY_DEVICE) ||
        (from->space == MEMORY_DEVICE) != synthetic_lent(s, from->plane[PLANE_COUNT]))
        return status_fail(STATUS_INTERNAL, "a copy that is none of ours");
    there.space = here.space = MEMORY_HOST;
    s->copying = true;
    field_copy(&there, &here);
    s->copying = false;
    s->copied++;
    return STATUS_OK;
}

static void progress(void *context, const struct job_progress *now)
{
    struct synthetic *s = context;
    (void)now;
    s->progress_calls++;
}

static void must(enum status status)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "synthetic picture: %s\n", status_text());
    exit(1);
}

/* Who computes into the picture? Then it lies where everybody sees it. */
static bool shared_by_others(const struct synthetic *s)
{
    bool shared = false;
    for (int rank = 1; rank < RANKS_MOST && s->transports[rank]; rank++)
        shared |= s->transports[rank]->in_place;
    return shared;
}

void synthetic_create(struct synthetic *s)
{
    must(s->interleaved ? tiles_interleaved(&s->tiles, &s->tile_count, s->width, s->height,
                                            s->tile_px, s->interleaved)
                        : tiles_cut(&s->tiles, &s->tile_count, s->width, s->height, s->tile_px,
                                    TILE_ORDER_MORTON));
    bool shared = shared_by_others(s);
    size_t bytes;
    must(field_bytes(s->width, s->height, s->planes, s->count_bytes, &bytes));
    if (s->rank == 0 && !shared)
        must(field_create(&s->image, s->width, s->height, s->planes, s->count_bytes));
    else if (s->rank == 0 || s->transports[s->rank]->in_place)
        field_over(&s->image, s->width, s->height, s->planes, s->count_bytes, s->segment);
    if (s->image.base && s->on_device)
        s->image.space = MEMORY_DEVICE;
    if (s->rank != 0)
        return;
    memset(s->image.base, 0, bytes); /* nobody computes before rank 0 has joined the job */
    s->seen = calloc(s->tile_count, 1);
    if (!s->seen)
        exit(1);
}

void synthetic_destroy(struct synthetic *s)
{
    free(s->tiles);
    free(s->seen);
    if (s->image.base != s->segment)
        field_destroy(&s->image);
    s->image = (struct field){0};
    s->tiles = NULL;
    s->seen = NULL;
}

void synthetic_job(struct synthetic *s, const struct schedule_kind *schedule, struct job *job)
{
    s->memory = (struct job_memory){.context = s, .take = take, .give = give, .copy = copy};
    if (s->lends) {
        s->memory.device_take = device_take;
        s->memory.device_give = device_give;
    }
    *job = (struct job){.epoch = s->epoch,
                        .tiles = s->tiles,
                        .tile_count = s->tile_count,
                        .planes = s->planes,
                        .count_bytes = s->count_bytes,
                        .schedule = schedule,
                        .transports = s->transports,
                        .frame = s->image,
                        .threads = s->threads,
                        .executor = s->executor,
                        .credits = s->credits,
                        .speed = s->speed,
                        .spin_us = s->spin_us,
                        .memory = &s->memory,
                        .context = s,
                        .compute = compute,
                        .arrived = arrived,
                        .progress = progress,
                        .notice = s->notice,
                        .stop = &s->stop,
                        .give_up = &s->give_up};
}

static bool tile_whole(const struct synthetic *s, uint32_t number)
{
    const struct tile *tile = &s->tiles[number];
    for (int32_t row = 0; row < tile->height; row++)
        for (int32_t x = tile->x; x < tile->x + tile->width; x++) {
            int32_t y = row_of(tile, row);
            size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            if (s->seen[number] != 1 || !pixel_is(&s->image, at, hash(x, y))) {
                fprintf(stderr, "tile %u arrived %d times, pixel (%d, %d) is %llx\n", number,
                        s->seen[number], x, y, (unsigned long long)field_count_at(&s->image, at));
                return false;
            }
        }
    return true;
}

bool synthetic_whole(const struct synthetic *s)
{
    for (uint32_t number = 0; number < s->tile_count; number++)
        if (!tile_whole(s, number))
            return false;
    return true;
}
