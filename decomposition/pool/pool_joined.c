/* Tiles of a picture that jobs compute which have joined this run (join.h). They are workers of the
 * task table behind those of the ranks, from when they are ready until they leave. To them a
 * picture is a context like a viewer's, and a tile one of its tasks; packed fields come back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/message/job_memory.h"
#include "decomposition/pool/join.h"
#include "decomposition/pool/joined_silence.h"
#include "decomposition/pool/pool_kind.h"
#include "decomposition/thread/clock.h"

struct joined_row { /* a place for a job that joins */
    bool counted;   /* the table knows its threads */
    struct joined_silence silence;
    struct pool_worker shown;
};

struct joined_tiles {
    struct pool *pool;
    const struct pool_joined *joined;
    bool begun;  /* joined jobs know what the tiles have in common */
    int workers; /* places that were taken so far */
    struct joined_row row[JOINED_MOST];
};

static void news(void *pool)
{
    pool_wake(pool);
}

enum status joined_tiles_open(struct joined_tiles **out, struct pool *pool)
{
    struct joined_tiles *tiles = *out = calloc(1, sizeof *tiles);
    if (!tiles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for workers of other jobs");
    tiles->pool = pool;
    tiles->joined = pool->tiles->joined;
    TRY(table_extend(pool->table, JOINED_MOST, JOINED_CREDITS_MOST));
    join_wake_with(tiles->joined->join, news, pool);
    return STATUS_OK;
}

void joined_tiles_close(struct joined_tiles *tiles)
{
    if (tiles)
        join_wake_with(tiles->joined->join, NULL, NULL);
    free(tiles);
}

/* Number of this worker in the table and in results. */
static uint32_t number_of(const struct joined_tiles *tiles, int worker)
{
    return (uint32_t)(tiles->pool->workers + worker);
}

static bool is_over(const struct joined_tiles *tiles)
{
    return tiles->pool->ended || tiles->pool->verdict != STATUS_OK;
}

/* ---- what comes ---- */

/* Puts the field of a tile in its place in the frame. */
static enum status field_place(const struct joined_tiles *tiles, const struct pool_result *result)
{
    const struct pool_tiles *picture = tiles->pool->tiles;
    const struct job_memory *memory = tiles->pool->options.memory;
    const struct tile *tile = &picture->tile[result->task.id];
    struct field from, to = tile_window(tile, &picture->frame);
    field_over(&from, tile->width, tile->height, picture->planes, picture->count_bytes,
               (void *)(uintptr_t)result->bytes); /* the result is the owner's until the next */
    tiles->joined->check(tiles->joined->context, &from);
    if (to.space == MEMORY_DEVICE)
        return memory->copy(memory->context, &to, &from);
    field_copy(&to, &from);
    return STATUS_OK;
}

/* The iterations that another job claims for a tile, as far as they are possible: sums of them are
 * in reports, and speeds follow from them. */
static uint64_t iterations_of(const struct joined_tiles *tiles, const struct pool_result *result)
{
    const struct tile *tile = &tiles->pool->tiles->tile[result->task.id];
    uint64_t most, pixels = (uint64_t)tile->width * (uint64_t)tile->height;
    if (__builtin_mul_overflow(pixels, tiles->joined->pixel_most, &most))
        most = UINT64_MAX;
    return result->iterations < most ? result->iterations : most;
}

static void tile_arrived(struct joined_tiles *tiles, const struct pool_result *result)
{
    struct pool *pool = tiles->pool;
    struct pool_worker *shown = &tiles->row[result->worker].shown;
    struct message message = pool_header(pool, MESSAGE_DONE, 0);
    message.task = (uint32_t)result->task.id;
    message.length = result->task.result_bytes;
    message.iterations = iterations_of(tiles, result);
    message.busy_s = result->busy_s;
    enum table_outcome outcome = table_done(pool->table, number_of(tiles, result->worker),
                                            message.task, message.iterations, message.busy_s);
    if (outcome == TABLE_UNASKED)
        return;
    shown->tiles += outcome == TABLE_FIRST;
    shown->twice += outcome == TABLE_AGAIN;
    shown->iterations += message.iterations;
    shown->busy_s += message.busy_s;
    shown->bytes += message.length;
    if (outcome != TABLE_FIRST)
        return;
    pool_fail(pool, field_place(tiles, result));
    picture_tile_count(pool, &message);
    picture_tile_tell(pool, (int)number_of(tiles, result->worker), &message);
}

/* Tells that a job does not answer any more, or does again. */
static void silence_tell(struct joined_tiles *tiles, int worker)
{
    struct pool *pool = tiles->pool;
    const struct joined_row *row = &tiles->row[worker];
    uint32_t number = number_of(tiles, worker);
    bool answers = row->silence.state == JOINED_ANSWERS;
    char text[STATUS_TEXT_BYTES], what[64];
    joined_silence_text(&row->silence, what, sizeof what);
    snprintf(text, sizeof text, "rank %d on %s %s%s", row->shown.rank, row->shown.host, what,
             answers ? "" : "; others compute what it has");
    pool_result_add(pool, POOL_SILENT, (int)number, STATUS_OK, text);
    (answers ? table_answers : table_silent)(pool->table, number);
    picture_tiles_give(pool);
}

static void tile_take(struct joined_tiles *tiles, const struct pool_result *result)
{
    struct pool *pool = tiles->pool;
    if (result->task.epoch != pool->tiles->epoch || result->task.id >= pool->tiles->count ||
        is_over(tiles))
        return;
    if (joined_silence_result(&tiles->row[result->worker].silence))
        silence_tell(tiles, result->worker);
    if (result->status == STATUS_OK)
        tile_arrived(tiles, result);
    else if (table_failed(pool->table, number_of(tiles, result->worker),
                          (uint32_t)result->task.id) == TABLE_FIRST)
        picture_tiles_give(pool);
}

static void worker_left(struct joined_tiles *tiles, const struct pool_result *result)
{
    struct pool *pool = tiles->pool;
    struct joined_row *row = &tiles->row[result->worker];
    char text[STATUS_TEXT_BYTES];
    row->shown.alive = false;
    joined_silence_begin(&row->silence);
    snprintf(text, sizeof text, "%.900s%s", result->text,
             is_over(tiles) ? "" : "; others compute what it has");
    pool_result_add(pool, POOL_SILENT, (int)number_of(tiles, result->worker), STATUS_OK, text);
    if (!row->counted)
        return;
    row->counted = false;
    table_leave(pool->table, number_of(tiles, result->worker));
    if (!is_over(tiles))
        pool_fail(pool, picture_hope(pool));
}

static bool results_take(struct joined_tiles *tiles)
{
    struct pool_result result;
    bool any = false;
    while (join_take(tiles->joined->join, &result)) {
        any = true;
        if (result.kind == POOL_WORKER)
            worker_left(tiles, &result);
        else if (result.kind == POOL_JOINED)
            pool_result_add(tiles->pool, POOL_JOINED, (int)number_of(tiles, result.worker),
                            STATUS_OK, result.text);
        else
            tile_take(tiles, &result);
    }
    return any;
}

/* ---- who is there ---- */

static bool anybody_there(const struct joined_tiles *tiles)
{
    struct join *join = tiles->joined->join;
    for (int w = join_workers(join) - 1; w >= 0; w--)
        if (join_worker(join, w)->alive)
            return true;
    return false;
}

/* Counts a worker that is ready for the tiles. */
static void worker_count(struct joined_tiles *tiles, int worker)
{
    struct pool *pool = tiles->pool;
    struct joined_row *row = &tiles->row[worker];
    const struct pool_worker *seen = join_worker(tiles->joined->join, worker);
    if (row->counted || !seen->alive || !seen->ready)
        return;
    row->counted = true;
    joined_silence_begin(&row->silence);
    row->shown.rank = seen->rank;
    memcpy(row->shown.host, seen->host, sizeof row->shown.host);
    row->shown.threads = seen->threads;
    row->shown.credits = seen->credits;
    row->shown.alive = true;
    row->shown.transport = seen->transport;
    table_come(pool->table, number_of(tiles, worker), seen->threads, seen->credits);
    if (worker >= tiles->workers)
        tiles->workers = worker + 1;
}

/* Seconds that a tile takes a thread of the ranks; 0: none is done. What joined jobs say of their
 * times does not count. */
static double tile_s(const struct pool *pool)
{
    double busy_s = 0;
    uint64_t done = 0;
    for (int w = 0; w < pool->workers; w++) {
        const struct pool_worker *worker = pool_worker(pool, w);
        busy_s += worker->busy_s;
        done += worker->tiles + worker->twice;
    }
    return done ? busy_s / (double)done : 0;
}

/* Opens the tiles of a job that holds some and brings none, or says nothing: nobody else would
 * begin with them while it counts as fast. */
static void silence_watch(struct joined_tiles *tiles, int worker)
{
    struct join *join = tiles->joined->join;
    double heard_s = join_worker(join, worker)->heard_s;
    if (joined_silence_watch(&tiles->row[worker].silence, join_quiet_s(join, worker), heard_s,
                             tile_s(tiles->pool)))
        silence_tell(tiles, worker);
}

/* ---- what leaves ---- */

/* Gives a worker all tiles that the schedule has for it. */
static bool tiles_give(struct joined_tiles *tiles, int worker)
{
    struct pool *pool = tiles->pool;
    struct join *join = tiles->joined->join;
    uint32_t number = number_of(tiles, worker);
    bool any = false;
    while (join_may_give(join, worker)) {
        uint32_t tile = table_next(pool->table, number, clock_s());
        if (tile == pool->tiles->count)
            break;
        struct pool_task task = tiles->joined->task(tiles->joined->context, tile);
        task.epoch = pool->tiles->epoch;
        task.id = tile;
        any = true;
        if (join_give(join, worker, &task) == STATUS_OK)
            continue;
        table_failed(pool->table, number, tile);
        break;
    }
    return any;
}

bool joined_tiles_move(struct joined_tiles *tiles)
{
    if (!tiles)
        return false;
    bool moved = results_take(tiles);
    if (is_over(tiles))
        return moved;
    if (!tiles->begun) {
        if (!anybody_there(tiles))
            return moved;
        tiles->begun = true;
        pool_fail(tiles->pool, tiles->joined->begin(tiles->joined->context));
    }
    for (int w = join_workers(tiles->joined->join) - 1; w >= 0; w--) {
        worker_count(tiles, w);
        if (!tiles->row[w].counted)
            continue;
        silence_watch(tiles, w);
        if (tiles->row[w].silence.state == JOINED_ANSWERS)
            moved |= tiles_give(tiles, w);
    }
    return moved;
}

void joined_tiles_end(struct joined_tiles *tiles)
{
    if (!tiles)
        return;
    join_cancel(tiles->joined->join);
    results_take(tiles);
}

int joined_tiles_workers(const struct joined_tiles *tiles)
{
    return tiles ? tiles->workers : 0;
}

const struct pool_worker *joined_tiles_worker(const struct joined_tiles *tiles, int worker)
{
    return &tiles->row[worker].shown;
}
