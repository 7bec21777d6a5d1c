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

static void put_pixel(struct field *field, size_t at, uint64_t value)
{
    if (field->count_bytes == 8)
        ((uint64_t *)field->plane[PLANE_COUNT])[at] = value;
    else
        ((uint32_t *)field->plane[PLANE_COUNT])[at] = (uint32_t)value;
    if (field->plane[PLANE_FRACTION])
        ((float *)field->plane[PLANE_FRACTION])[at] = (float)(value & 0xffffff) / 0x1000000;
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

static enum status compute(void *context, const struct tile *tile, struct field *out,
                           uint64_t *iterations)
{
    struct synthetic *s = context;
    uint32_t index = (uint32_t)(tile - s->tiles);
    if (s->fail_with != STATUS_OK && index == s->fail_tile)
        return status_fail(s->fail_with, "tile %u cannot be computed", index);
    check_stop(s, index);
    while (s->others_wait && !__atomic_load_n(&s->give_up, __ATOMIC_RELAXED))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (s->cost_us)
        nanosleep(&(struct timespec){.tv_nsec = (long)s->cost_us(tile, s) * 1000}, NULL);
    for (int32_t y = 0; y < tile->height; y++)
        for (int32_t x = 0; x < tile->width; x++)
            put_pixel(out, (size_t)y * (size_t)tile->width + (size_t)x,
                      hash(tile->x + x, tile->y + y));
    *iterations += (uint64_t)tile->width * (uint64_t)tile->height;
    return STATUS_OK;
}

static enum status deliver(void *context, const struct tile *tile, const struct field *field)
{
    struct synthetic *s = context;
    if (s->deliver_fails != STATUS_OK && s->delivered == 1)
        return status_fail(s->deliver_fails, "the disk is full of tile 1");
    s->delivered++;
    if (!s->others_wait)
        check_stop(s, (uint32_t)(tile - s->tiles));
    for (int32_t y = 0; y < tile->height; y++)
        for (int32_t x = 0; x < tile->width; x++) {
            size_t from = (size_t)y * (size_t)tile->width + (size_t)x;
            size_t to = (size_t)(tile->y + y) * (size_t)s->width + (size_t)(tile->x + x);
            s->seen[to]++;
            uint64_t value = field_count_at(field, from);
            if (s->count_bytes == 8)
                ((uint64_t *)s->image.plane[PLANE_COUNT])[to] = value;
            else
                ((uint32_t *)s->image.plane[PLANE_COUNT])[to] = (uint32_t)value;
            if (field->plane[PLANE_FRACTION])
                ((float *)s->image.plane[PLANE_FRACTION])[to] =
                    ((const float *)field->plane[PLANE_FRACTION])[from];
        }
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

void synthetic_create(struct synthetic *s)
{
    must(tiles_cut(&s->tiles, &s->tile_count, s->width, s->height, s->tile_px, TILE_ORDER_MORTON));
    if (s->rank != 0)
        return;
    must(field_create(&s->image, s->width, s->height, s->planes, s->count_bytes));
    s->seen = calloc((size_t)s->width * (size_t)s->height, 1);
    if (!s->seen)
        exit(1);
}

void synthetic_destroy(struct synthetic *s)
{
    free(s->tiles);
    free(s->seen);
    if (s->rank == 0)
        field_destroy(&s->image);
    s->tiles = NULL;
    s->seen = NULL;
}

void synthetic_job(struct synthetic *s, const struct schedule_kind *schedule,
                   const struct transport_kind *transport, struct job *job)
{
    *job = (struct job){.epoch = s->epoch,
                        .tiles = s->tiles,
                        .tile_count = s->tile_count,
                        .planes = s->planes,
                        .count_bytes = s->count_bytes,
                        .schedule = schedule,
                        .transport = transport,
                        .context = s,
                        .compute = compute,
                        .deliver = deliver,
                        .progress = progress,
                        .stop = &s->stop,
                        .give_up = &s->give_up};
}

bool synthetic_whole(const struct synthetic *s)
{
    for (int32_t y = 0; y < s->height; y++)
        for (int32_t x = 0; x < s->width; x++) {
            size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            if (s->seen[at] != 1 || !pixel_is(&s->image, at, hash(x, y))) {
                fprintf(stderr, "pixel (%d, %d) came home %d times, value %llx\n", x, y,
                        s->seen[at], (unsigned long long)field_count_at(&s->image, at));
                return false;
            }
        }
    return true;
}
