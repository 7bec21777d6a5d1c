#include "decomposition/pool/pool_kind.h"

#include <stdio.h>
#include <string.h>

#include "decomposition/message/job_memory.h"
#include "decomposition/thread/clock.h"
#include "decomposition/transport/gather.h"
#include "decomposition/transport/pixels.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/presence.h"

enum { ALONE_NAP_US = 20000 }; /* one rank and its tiles: only the caller's own business waits */
static const double give_interval_s = 0.0005; /* see tiles_give_again */

struct picture_pool {
    struct pool pool;
    struct pixels *pixels;       /* NULL in a world of one */
    struct gather *gather;       /* tiles that ranks keep to the end; NULL: none so far */
    struct joined_tiles *joined; /* NULL: no job may join */
    uint64_t left;               /* chunks that are announced and not here */
    uint32_t kept;               /* tiles that are done and not here */
    struct pool_done done;
    bool end_sent;                     /* END has been sent to all */
    double next_give_s;                /* on the clock */
    int threads_lost;                  /* threads lost on all ranks */
    char lost_text[STATUS_TEXT_BYTES]; /* sentence of the first loss */
};

static struct picture_pool *picture_of(const struct pool *pool)
{
    return (struct picture_pool *)(uintptr_t)pool;
}

/* --- tiles go out ----------------------------------------------------------------------------- */

/* Gives this worker a tile, if there is one for it. */
static bool tile_give(struct pool *pool, int worker)
{
    static const struct pool_task none; /* its number says all */
    if (pool->ended || pool->verdict != STATUS_OK)
        return false;
    uint32_t tile = table_next(pool->table, (uint32_t)worker, clock_s());
    if (tile == pool->tiles->count)
        return false;
    pool_fail(pool, pool_send_task(pool, worker, tile, &none, 0));
    return true;
}

/* Gives each worker one tile before any gets a second. */
void picture_tiles_give(struct pool *pool)
{
    for (bool any = true; any;) {
        any = false;
        for (int worker = 0; worker < pool->workers; worker++)
            any |= tile_give(pool, worker);
    }
}

/* Asks the schedule again, not more often than is of use: a worker that was refused a tile may be
 * given one later, because others prove slow. */
static void tiles_give_again(struct pool *pool)
{
    struct picture_pool *picture = picture_of(pool);
    double now_s = clock_s();
    if (pool->ended || now_s < picture->next_give_s)
        return;
    picture->next_give_s = now_s + give_interval_s;
    picture_tiles_give(pool);
}

/* --- tiles arrive ----------------------------------------------------------------------------- */

void picture_tile_count(struct pool *pool, const struct message *message)
{
    struct pool_done *done = &picture_of(pool)->done;
    const struct tile *tile = &pool->tiles->tile[message->task];
    done->tasks++;
    done->pixels += (uint64_t)tile->width * (uint64_t)tile->height;
    done->iterations += message->iterations;
    done->costs += pool->tiles->costs ? pool->tiles->costs[message->task] : 0;
}

/* Notes that a tile is done. *first: no other worker had it sooner. */
static enum status tile_done(struct pool *pool, int worker, const struct message *message,
                             bool *first)
{
    enum table_outcome outcome = pool_task_done(pool, worker, message);
    *first = outcome == TABLE_FIRST;
    if (outcome == TABLE_UNASKED)
        return status_fail(STATUS_INTERNAL,
                           "rank %d announced tile %u, which it was not to compute",
                           pool->member[worker].shown.rank, message->task);
    if (*first)
        picture_tile_count(pool, message);
    while (tile_give(pool, worker))
        continue;
    return STATUS_OK;
}

/* Adds a result for a tile that is in the frame. */
void picture_tile_tell(struct pool *pool, int worker, const struct message *message)
{
    const struct pool_task task = {
        .epoch = message->epoch, .id = message->task, .result_bytes = message->length};
    if (pool->verdict == STATUS_OK)
        pool_task_arrived(pool, worker, message, &task);
}

static enum status picture_own_arrived(void *context, const struct message *message,
                                       const struct field *out)
{
    bool first;
    (void)out;
    TRY(tile_done(context, 0, message, &first));
    if (first)
        picture_tile_tell(context, 0, message);
    return STATUS_OK;
}

/* Is this a tile of the picture, and of the right size? */
static enum status tile_check(const struct pool *pool, int rank, const struct message *message)
{
    const struct pool_tiles *tiles = pool->tiles;
    if (message->task >= tiles->count)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u of %u", rank, message->task,
                           tiles->count);
    const struct tile *tile = &tiles->tile[message->task];
    size_t bytes;
    TRY(field_bytes(tile->width, tile->height, tiles->planes, tiles->count_bytes, &bytes));
    if (message->length != bytes)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u with %llu bytes, not %zu",
                           rank, message->task, (unsigned long long)message->length, bytes);
    return STATUS_OK;
}

static enum status tile_arrived(void *context, int rank, const struct message *message, bool wanted,
                                const struct field *apart)
{
    struct pool *pool = context;
    struct picture_pool *picture = picture_of(pool);
    const struct pool_tiles *tiles = pool->tiles;
    int worker = pool->peer[rank].worker;
    const struct job_memory *memory = pool->options.memory;
    if (pool->member[worker].transport->at_end)
        picture->kept -= wanted;
    else
        TRY(tile_done(pool, worker, message, &wanted));
    if (!wanted)
        return STATUS_OK;
    if (apart) {
        struct field to = tile_window(&tiles->tile[message->task], &tiles->frame);
        TRY(memory->copy(memory->context, &to, apart));
    }
    picture_tile_tell(pool, worker, message);
    return STATUS_OK;
}

/* Expects the pixels of a tile that come when all tiles are done. */
static enum status tile_keep(struct pool *pool, int rank, const struct message *message, bool first)
{
    struct picture_pool *picture = picture_of(pool);
    const struct gather_use use = {.world = pool->world,
                                   .tiles = pool->tiles->tile,
                                   .tile_count = pool->tiles->count,
                                   .frame = &pool->tiles->frame,
                                   .memory = pool->options.memory,
                                   .arrived = tile_arrived,
                                   .context = pool,
                                   .event = &pool->event};
    if (!picture->gather)
        TRY(gather_open(&picture->gather, &use));
    if (first)
        gather_expect(picture->gather, rank, message);
    picture->kept += first;
    return STATUS_OK;
}

static enum status tile_take(struct pool *pool, int worker, const struct message *message)
{
    const struct pool_tiles *tiles = pool->tiles;
    const struct transport_kind *transport = pool->member[worker].transport;
    int rank = pool->member[worker].shown.rank;
    bool first = true;
    if (pool->verdict != STATUS_OK)
        return STATUS_OK; /* finished before its rank heard of the end */
    if ((int)message->kind != transport->announces)
        return status_fail(STATUS_INTERNAL, "rank %d uses another transport", rank);
    TRY(tile_check(pool, rank, message));
    if (transport->in_place || transport->at_end)
        TRY(tile_done(pool, worker, message, &first));
    if (transport->at_end)
        return tile_keep(pool, rank, message, first);
    if (!transport->in_place)
        return pixels_expect(picture_of(pool)->pixels, rank, message, first,
                             &tiles->tile[message->task], &tiles->frame);
    if (first)
        picture_tile_tell(pool, worker, message);
    return STATUS_OK;
}

/* Takes the length of a rank's share, which grows no more. */
static void share_take(struct pool *pool, int rank, uint64_t bytes)
{
    struct picture_pool *picture = picture_of(pool);
    if (!picture->gather || pool->peer[rank].kept)
        return;
    pool->peer[rank].kept = true;
    pool_fail(pool, gather_share(picture->gather, rank, bytes));
}

static bool picture_take(struct pool *pool, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    int worker = pool->peer[arrival->rank].worker;
    if (message->kind == MESSAGE_GOT)
        share_take(pool, arrival->rank, message->offset);
    else if (worker >= 0)
        pool_fail(pool, tile_take(pool, worker, message));
    return false;
}

/* --- devices and ranks that fail -------------------------------------------------------------- */

enum status picture_hope(const struct pool *pool)
{
    if (table_threads(pool->table) + table_silent_threads(pool->table) > 0 ||
        table_undone(pool->table) == 0)
        return STATUS_OK;
    return status_fail(STATUS_DEVICE_LOST, "every device failed; the first, on %s",
                       picture_of(pool)->lost_text);
}

/* A thread has lost its device over this tile: others compute it, unless none is left. */
static enum status tile_lost(struct pool *pool, int worker, uint32_t tile, int threads_left)
{
    struct picture_pool *picture = picture_of(pool);
    struct pool_member *member = &pool->member[worker];
    int rank = member->shown.rank;
    if (picture->threads_lost++ == 0)
        snprintf(picture->lost_text, sizeof picture->lost_text, "rank %d on %s: %s", rank,
                 member->shown.host, status_text());
    member->shown.threads_lost++;
    member->shown.threads = threads_left;
    struct pool_pending *pending =
        pool_result_add(pool, POOL_TASK, worker, STATUS_DEVICE_LOST, status_text());
    if (pending)
        pending->result.task.id = tile;
    if (pool->ended || pool->verdict != STATUS_OK)
        return STATUS_OK;
    if (tile >= pool->tiles->count ||
        !table_lost(pool->table, (uint32_t)worker, tile, threads_left))
        return status_fail(STATUS_INTERNAL, "rank %d lost tile %u, which it did not have", rank,
                           tile);
    TRY(picture_hope(pool));
    picture_tiles_give(pool);
    return STATUS_OK;
}

/* Fails for good, unless the picture is complete: another worker was sooner with that tile then. */
static void tile_failed(struct pool *pool, int rank, enum status status)
{
    if (pool->verdict != STATUS_OK || table_undone(pool->table) == 0)
        return;
    if (rank > 0 && status != STATUS_STOPPED) /* a request, not a fault of that rank */
        status_fail(status, "rank %d on %s: %s", rank, presence_host(pool->world, rank),
                    status_text());
    pool_fail(pool, status);
}

static void picture_task_failed(struct pool *pool, int worker, const struct message *message,
                                int threads_left, enum status status)
{
    if (status == STATUS_DEVICE_LOST)
        pool_fail(pool, tile_lost(pool, worker, message->task, threads_left));
    else
        tile_failed(pool, pool->member[worker].shown.rank, status);
}

static void picture_rank_failed(struct pool *pool, const struct arrival *arrival)
{
    tile_failed(pool, arrival->rank, pool_why(arrival));
}

/* Ends the picture. */
static void picture_rank_fault(struct pool *pool, int rank, enum status status)
{
    (void)rank;
    pool_fail(pool, status);
}

static void silence_report(struct pool *pool, int rank, bool silent)
{
    const struct world *world = pool->world;
    char text[STATUS_TEXT_BYTES], what[64] = "answers again";
    if (silent && presence_lost(world, rank))
        snprintf(what, sizeof what, "has ended");
    else if (silent)
        snprintf(what, sizeof what, "has not answered for %.3g s", world->silent_s);
    snprintf(text, sizeof text, "rank %d on %s %s%s", rank, presence_host(world, rank), what,
             !silent || pool->ended ? "" : "; others compute what it has");
    pool_result_add(pool, POOL_SILENT, pool->peer[rank].worker, STATUS_OK, text);
}

/* Has this rank fallen silent, or does it answer again? */
static void rank_judge(struct pool *pool, int rank)
{
    bool silent = !presence_answers(pool->world, rank);
    int worker = pool->peer[rank].worker;
    if (pool->peer[rank].gone || silent == pool->peer[rank].silent)
        return;
    pool->peer[rank].silent = silent;
    pool->peer[rank].shown.silences += silent;
    silence_report(pool, rank, silent);
    if (silent)
        pool_fail(pool, inbox_widen(pool->inbox, rank));
    if (worker < 0 || pool->verdict != STATUS_OK) /* then there may be no table */
        return;
    (silent ? table_silent : table_answers)(pool->table, (uint32_t)worker);
    picture_tiles_give(pool);
}

/* Fails when all that could compute are silent and the last of them is lost. */
static void give_up_silent(struct pool *pool)
{
    int lost = 0;
    bool hope = false;
    for (int rank = 1; rank < pool->world->size; rank++) {
        bool missed = pool->peer[rank].silent && pool->peer[rank].worker >= 0;
        hope |= missed && !presence_lost(pool->world, rank);
        if (missed && lost == 0)
            lost = rank;
    }
    if (lost && !hope && !pool->ended && table_threads(pool->table) == 0)
        pool_fail(pool, presence_give_up(pool->world, lost));
}

static void picture_idle(struct pool *pool)
{
    bool due = pool_judge_due(pool);
    for (int rank = 1; due && rank < pool->world->size; rank++)
        rank_judge(pool, rank);
    if (due)
        give_up_silent(pool);
    tiles_give_again(pool);
}

/* --- verbs of the kind ------------------------------------------------------------------------ */

static enum status picture_open(struct pool *pool)
{
    struct world *world = pool->world;
    if (!pool->tiles->frame.plane[PLANE_COUNT])
        return status_fail(STATUS_CONFIG, "rank 0 needs the picture in its reach");
    if (world->size == 1)
        return STATUS_OK;
    return pixels_open(&picture_of(pool)->pixels,
                       &(struct pixels_use){.world = world,
                                            .memory = pool->options.memory,
                                            .arrived = tile_arrived,
                                            .context = pool,
                                            .event = &pool->event,
                                            .spin_us = pool->options.spin_us});
}

static void picture_close(struct pool *pool)
{
    pixels_close(picture_of(pool)->pixels);
    gather_close(picture_of(pool)->gather);
    joined_tiles_close(picture_of(pool)->joined);
}

/* Needs no collective: others hear of a failure when the pool ends, which it does at once. */
static enum status picture_meet(struct pool *pool, enum status status)
{
    if (status == STATUS_OK && pool->world->rank == 0 && pool->tiles->joined)
        status = joined_tiles_open(&picture_of(pool)->joined, pool);
    pool_fail(pool, status);
    if (pool->world->rank == 0)
        picture_tiles_give(pool);
    return STATUS_OK;
}

/* Takes in the pixels that follow announcements. */
static bool pixels_receive(struct pool *pool)
{
    struct picture_pool *picture = picture_of(pool);
    uint64_t before = picture->left, gathered = 0;
    if (pool->verdict != STATUS_OK)
        pixels_refuse(picture->pixels);
    pool_fail(pool, pixels_progress(picture->pixels, &picture->left));
    if (gather_runs(picture->gather))
        pool_fail(pool, gather_progress(picture->gather, &gathered));
    picture->left += gathered;
    return picture->left < before;
}

static bool picture_move_joined(struct pool *pool)
{
    return joined_tiles_move(picture_of(pool)->joined);
}

int pool_joined_workers(const struct pool *pool)
{
    return joined_tiles_workers(picture_of(pool)->joined);
}

const struct pool_worker *pool_joined_worker(const struct pool *pool, int worker)
{
    return joined_tiles_worker(picture_of(pool)->joined, worker);
}

static int64_t picture_nap_us(struct pool *pool)
{
    unsigned most_us = pool->inbox ? NAP_MOST_US : ALONE_NAP_US;
    if (gather_runs(picture_of(pool)->gather))
        most_us = POOL_MOVING_NAP_US;
    return patience_us(&pool->patience, most_us);
}

struct pool_done pool_done(const struct pool *pool)
{
    return picture_of(pool)->done;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Is there no good end without every rank? */
static bool needs_all(const struct pool *pool)
{
    const struct picture_pool *picture = picture_of(pool);
    return pool->verdict == STATUS_OK && picture->kept > 0;
}

static void end_send(struct pool *pool)
{
    struct picture_pool *picture = picture_of(pool);
    picture->end_sent = true;
    pool_send_all(pool, MESSAGE_END);
}

void pool_end(struct pool *pool)
{
    pool_stop(pool);
    joined_tiles_end(picture_of(pool)->joined);
    if (needs_all(pool))
        pool_send_all(pool, MESSAGE_CANCEL); /* END follows the answers of all */
    else
        end_send(pool);
}

/* Has it said goodbye, and is all here that it sent before? */
static bool rank_ended(const struct pool *pool, int rank)
{
    return pool->peer[rank].gone && pixels_quiet(picture_of(pool)->pixels, rank);
}

static void picture_rank_left(struct pool *pool, const struct arrival *arrival)
{
    pixels_total(picture_of(pool)->pixels, arrival->rank, arrival->message.offset);
}

static bool is_overdue(const struct pool *pool)
{
    return clock_s() > pool->end_s + 2 * pool->world->lost_s;
}

/* The first rank that is lost; 0: none. */
static int lost_rank(const struct pool *pool)
{
    int rank = 1;
    while (rank < pool->world->size && !presence_lost(pool->world, rank))
        rank++;
    return rank < pool->world->size ? rank : 0;
}

/* The collective shows no progress, which may take minutes: it is given up when a rank is lost, or
 * when all have said goodbye and nothing comes. */
static bool gather_is_stuck(const struct pool *pool)
{
    bool all_gone = true;
    for (int rank = 1; rank < pool->world->size; rank++)
        all_gone &= pool->peer[rank].gone;
    return lost_rank(pool) || (all_gone && is_overdue(pool));
}

/* Is no rank left to wait for, or have those that are been waited for long enough? */
static bool abandoned(const struct pool *pool)
{
    const struct picture_pool *picture = picture_of(pool);
    const struct world *world = pool->world;
    bool patient = needs_all(pool), overdue = is_overdue(pool);
    bool quiet = !pool->inbox || inbox_quiet(pool->inbox), any = false;
    if (gather_runs(picture->gather))
        return gather_is_stuck(pool);
    for (int rank = 1; rank < world->size; rank++) {
        bool waits = !rank_ended(pool, rank);
        if (waits && !overdue &&
            (patient ? !presence_lost(world, rank) : presence_answers(world, rank)))
            return false;
        any |= waits;
    }
    return any || quiet || overdue;
}

/* Gives up a rank, and the picture if it cannot be completed without that rank. */
static void picture_lose(struct pool *pool, int rank)
{
    enum status status = presence_give_up(pool->world, rank);
    if (!needs_all(pool))
        return;
    pool_fail(pool, status);
    snprintf(pool->text + strlen(pool->text), sizeof pool->text - strlen(pool->text),
             "; the picture is lost, since its transport needs every rank in the end (staged and "
             "shared do not)");
}

/* Waits no longer for ranks that have not finished. */
static void give_up_missing(struct pool *pool)
{
    struct picture_pool *picture = picture_of(pool);
    int first = 0;
    bool gathers = gather_runs(picture->gather);
    for (int rank = pool->world->size - 1; rank > 0; rank--)
        if (gathers || !rank_ended(pool, rank)) {
            bool missing = !gathers || presence_lost(pool->world, rank) || is_overdue(pool);
            pool->peer[rank].shown.missing = missing;
            inbox_give_up(pool->inbox, rank);
            pixels_give_up(picture->pixels, rank);
            first = missing ? rank : first;
        }
    if (gathers)
        gather_give_up(picture->gather);
    if (first)
        picture_lose(pool, first);
}

/* May END be sent? Where ranks keep pixels, only after each has said that it keeps no more: the
 * collective needs them all, and is not begun without one. */
static bool end_may_be_told(struct pool *pool)
{
    struct picture_pool *picture = picture_of(pool);
    int lost = lost_rank(pool);
    if (lost || is_overdue(pool))
        picture_lose(pool, lost ? lost : 1);
    for (int rank = 1; pool->verdict == STATUS_OK && rank < pool->world->size; rank++)
        if (!pool->peer[rank].kept)
            return false;
    if (pool->verdict == STATUS_OK)
        pool_fail(pool, gather_begin(picture->gather));
    if (pool->verdict == STATUS_OK)
        pool_send_all(pool, MESSAGE_GATHER);
    return true;
}

bool pool_ended(struct pool *pool)
{
    struct picture_pool *picture = picture_of(pool);
    if (!picture->end_sent && end_may_be_told(pool))
        end_send(pool);
    if (!picture->end_sent || (pool->worker && worker_runs(pool->worker)) ||
        !(pool->broken || abandoned(pool)))
        return false;
    if (!pool->broken)
        give_up_missing(pool);
    return true;
}

const struct pool_kind pool_picture = {
    .bytes = sizeof(struct picture_pool),
    .open = picture_open,
    .close = picture_close,
    .meet = picture_meet,
    .own_arrived = picture_own_arrived,
    .heard = rank_judge,
    .take = picture_take,
    .task_failed = picture_task_failed,
    .rank_failed = picture_rank_failed,
    .rank_left = picture_rank_left,
    .rank_fault = picture_rank_fault,
    .move = pixels_receive,
    .move_joined = picture_move_joined,
    .idle = picture_idle,
    .nap_us = picture_nap_us,
};
