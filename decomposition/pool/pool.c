#include "decomposition/pool/pool_kind.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "decomposition/transport/segment.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/presence.h"

enum {
    RESULT_SLOTS = 4, /* receives open at a time */
    LISTEN_MOST = 64, /* messages taken in a step: about 0.5 ms */
    WORD_BYTES = 64   /* a rank's futex word has a cache line of its own */
};
static const double patience_default_s = 5;

_Static_assert(sizeof(struct pool_note) <= OUTBOX_POST_BYTES, "a note fits a short message");
_Static_assert(sizeof(struct pool_task) <= OUTBOX_POST_BYTES, "so does a task");

struct introduction { /* figures of a rank that all others need */
    int32_t threads, credits;
    double speed;
};

/* --- failures --------------------------------------------------------------------------------- */

/* Keeps the first failure alone: others follow from it. */
void pool_fail(struct pool *pool, enum status status)
{
    if (status == STATUS_OK || pool->verdict != STATUS_OK)
        return;
    pool->verdict = status;
    snprintf(pool->text, sizeof pool->text, "%s", status_text());
}

enum status pool_verdict(const struct pool *pool)
{
    return pool->verdict == STATUS_OK ? STATUS_OK : status_fail(pool->verdict, "%s", pool->text);
}

struct pool_pending *pool_result_add(struct pool *pool, enum pool_result_kind kind, int worker,
                                     enum status status, const char *text)
{
    struct pool_pending *pending = calloc(1, sizeof *pending);
    if (!pending) {
        pool_fail(pool, status_fail(STATUS_OUT_OF_MEMORY, "no memory for a result"));
        return NULL;
    }
    pending->text = *text ? strdup(text) : NULL;
    pending->result = (struct pool_result){.kind = kind,
                                           .worker = worker,
                                           .status = status,
                                           .text = pending->text ? pending->text : ""};
    *pool->last = pending;
    pool->last = &pending->next;
    event_set(&pool->event);
    return pending;
}

void pool_result_drop(struct pool *pool, struct pool_pending *pending)
{
    if (!pending)
        return;
    if (pending->arrived)
        inbox_release(pool->inbox, &pending->arrival);
    if (pending->own)
        worker_forget(pool->worker, &pending->out);
    free(pending->unpacked);
    free(pending->text);
    free(pending);
}

/* --- opening ---------------------------------------------------------------------------------- */

static enum status root_open(struct pool *pool)
{
    struct world *world = pool->world;
    size_t ranks = (size_t)world->size;
    pool->member = calloc(ranks, sizeof *pool->member);
    pool->peer = calloc(ranks, sizeof *pool->peer);
    if (!pool->member || !pool->peer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu ranks", ranks);
    pool->peer[0].gone = true;
    for (size_t i = 0; i < ranks; i++)
        pool->member[i].request = MPI_REQUEST_NULL;
    if (pool->kind->open)
        TRY(pool->kind->open(pool));
    if (world->size == 1)
        return STATUS_OK;
    return inbox_open(&pool->inbox, world, pool->tiles->epoch, RESULT_SLOTS,
                      sizeof(struct pool_note), NULL);
}

static enum status open_here(struct pool *pool)
{
    const struct pool_options *options = &pool->options;
    struct world *world = pool->world;
    if (options->threads > 0 && options->credits < options->threads)
        return status_fail(STATUS_CONFIG, "%d threads cannot do with %d tasks at a time",
                           options->threads, options->credits);
    if (options->threads > 0)
        TRY(worker_open(&pool->worker, world, options, &pool->event, pool->kind->own_arrived,
                        pool));
    return world->rank > 0 ? server_open(&pool->server, world, options, pool->worker, &pool->event)
                           : root_open(pool);
}

static const struct transport_kind *transport_of(const struct pool *pool, int rank)
{
    if (rank == 0)
        return &transport_local;
    return pool->tiles->transports ? pool->tiles->transports[rank] : &transport_message;
}

/* Makes the list of workers, in the order of their ranks. Rank 0. */
static enum status enlist(struct pool *pool)
{
    const struct world *world = pool->world;
    const struct pool_tiles *tiles = pool->tiles;
    struct table_worker *introduced = calloc((size_t)world->size, sizeof *introduced);
    if (!introduced)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
    for (int rank = 0; rank < world->size; rank++) {
        const struct introduction *record = world_said(world, rank);
        pool->peer[rank].worker = record->threads > 0 ? pool->workers : -1;
        if (record->threads == 0)
            continue;
        introduced[pool->workers] = (struct table_worker){
            .threads = record->threads, .credits = record->credits, .speed = record->speed};
        struct pool_member *member = &pool->member[pool->workers++];
        member->transport = transport_of(pool, rank);
        member->shown = (struct pool_worker){.rank = rank,
                                             .threads = record->threads,
                                             .credits = record->credits,
                                             .alive = true,
                                             .ready = tiles->transports != NULL,
                                             .transport = member->transport->name};
        snprintf(member->shown.host, sizeof member->shown.host, "%s", presence_host(world, rank));
    }
    enum status status = table_open(&pool->table, tiles->schedule, tiles->count,
                                    (uint32_t)pool->workers, introduced);
    free(introduced);
    if (status == STATUS_OK && tiles->costs)
        table_forecast(pool->table, tiles->costs);
    return status;
}

/* Called when the introductions of all ranks are here. */
static enum status meet(struct pool *pool)
{
    struct world *world = pool->world;
    uint32_t workers = 0, before = 0;
    for (int rank = 0; rank < world->size; rank++) {
        const struct introduction *record = world_said(world, rank);
        before += rank < world->rank && record->threads > 0;
        workers += record->threads > 0;
    }
    if (workers == 0)
        return status_fail(STATUS_NO_DEVICE, "no rank has anything to compute with");
    if (pool->worker)
        worker_enlist(pool->worker, before, workers);
    return pool->kind->meet(pool, world->rank == 0 ? enlist(pool) : STATUS_OK);
}

static uint32_t *word_of(const struct pool *pool, int rank)
{
    char *words = segment_memory(pool->words);
    return (uint32_t *)(void *)(words + (size_t)rank * WORD_BYTES);
}

static bool can_wake(const struct pool *pool, int rank)
{
    return pool->words && segment_reaches(pool->words, rank);
}

/* The event of each rank becomes a word in memory that the ranks of a machine share. */
enum status pool_words_open(struct pool *pool)
{
    struct world *world = pool->world;
    if (world->size == 1)
        return STATUS_OK;
    TRY(segment_open(&pool->words, world, STATUS_OK, (size_t)world->size * WORD_BYTES));
    if (world->rank > 0 && can_wake(pool, world->rank))
        event_share(&pool->event, word_of(pool, world->rank));
    return STATUS_OK;
}

void pool_wake_rank(const struct pool *pool, int rank)
{
    if (can_wake(pool, rank))
        event_set_word(word_of(pool, rank));
}

static void destroy(struct pool *pool)
{
    for (struct pool_pending *next, *pending = pool->first; pending; pending = next) {
        next = pending->next;
        pool_result_drop(pool, pending);
    }
    pool_result_drop(pool, pool->taken);
    bool root_is_lost = world_root_is_lost(pool->world);
    if (root_is_lost && pool->worker)
        worker_end(pool->worker);
    worker_close(pool->worker);
    if (!root_is_lost)
        server_close(pool->server);
    pool->kind->close(pool);
    inbox_close(pool->inbox);
    table_close(pool->table);
    segment_close(pool->words);
    free(pool->member);
    free(pool->peer);
    free(pool);
}

enum status pool_open(struct pool **out, struct world *world, const struct pool_options *options)
{
    static const struct pool_tiles none;
    const struct pool_kind *kind = options->tiles ? &pool_picture : &pool_viewer;
    *out = NULL;
    struct pool *pool = calloc(1, kind->bytes);
    struct introduction own = {.threads = options->threads,
                               .credits = options->credits,
                               .speed = options->speed > 0 ? options->speed : 0};
    enum status status = STATUS_OK;
    world->spin_us = options->spin_us;
    if (pool) {
        *pool = (struct pool){.kind = kind,
                              .world = world,
                              .options = *options,
                              .tiles = options->tiles ? options->tiles : &none,
                              .patience = {.spin_us = options->spin_us}};
        pool->last = &pool->first;
        if (options->patience_s <= 0)
            pool->options.patience_s = patience_default_s;
        event_open(&pool->event);
        status = open_here(pool);
    } else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a pool");
    status = world_exchange(world, status, &own, sizeof own);
    if (status == STATUS_OK)
        status = meet(pool);
    if (status != STATUS_OK) {
        if (pool)
            destroy(pool);
        return status;
    }
    *out = pool;
    return STATUS_OK;
}

enum status pool_serve(struct pool *pool)
{
    return pool->server ? server_run(pool->server, can_wake(pool, pool->world->rank)) : STATUS_OK;
}

/* --- instructions to workers ------------------------------------------------------------------ */

bool pool_is_remote(const struct pool_member *member)
{
    return member->shown.rank > 0 && member->shown.alive;
}

bool pool_owes(const struct pool *pool, int worker)
{
    const struct pool_member *member = &pool->member[worker];
    return pool_is_remote(member) &&
           (member->waits || member->instructed < member->sequence ||
            (member->sequence > 0 && !member->shown.ready && !member->context_failed) ||
            table_held(pool->table, (uint32_t)worker) > 0);
}

struct message pool_header(const struct pool *pool, enum message_kind kind, uint32_t sequence)
{
    return (struct message){.kind = kind, .epoch = pool->tiles->epoch, .sequence = sequence};
}

enum status pool_send_task(struct pool *pool, int worker, uint32_t number,
                           const struct pool_task *task, size_t bytes)
{
    struct pool_member *member = &pool->member[worker];
    if (member->shown.rank == 0) {
        worker_give(pool->worker, number, task);
        return STATUS_OK;
    }
    struct message message = pool_header(pool, MESSAGE_TASK, member->sequence);
    message.task = number;
    enum status status = outbox_post(pool->world, member->shown.rank, &message, task, bytes);
    pool_wake_rank(pool, member->shown.rank);
    pool->patience.idle = 0;
    return status;
}

/* --- results arrive --------------------------------------------------------------------------- */

enum table_outcome pool_task_done(struct pool *pool, int worker, const struct message *message)
{
    struct pool_member *member = &pool->member[worker];
    enum table_outcome outcome = TABLE_UNASKED;
    if (message->sequence == member->sequence)
        outcome = table_done(pool->table, (uint32_t)worker, message->task, message->iterations,
                             message->busy_s);
    bool asked = outcome != TABLE_UNASKED;
    member->busy_s += message->busy_s;
    member->shown.tiles += outcome == TABLE_FIRST;
    member->shown.twice += outcome == TABLE_AGAIN;
    member->late += outcome != TABLE_FIRST;
    member->shown.iterations += asked ? message->iterations : 0;
    member->shown.bytes += asked && !member->transport->in_place ? message->length : 0;
    return outcome;
}

struct pool_pending *pool_task_arrived(struct pool *pool, int worker, const struct message *message,
                                       const struct pool_task *task)
{
    struct pool_pending *pending = pool_result_add(pool, POOL_TASK, worker, STATUS_OK, "");
    if (!pending)
        return NULL;
    pending->result.iterations = message->iterations;
    pending->result.busy_s = message->busy_s;
    pending->result.task = *task;
    return pending;
}

static void failed(struct pool *pool, int worker, const struct message *message, int threads_left,
                   enum status status)
{
    pool->member[worker].busy_s += message->busy_s;
    pool->kind->task_failed(pool, worker, message, threads_left, status);
}

/* --- rank 0's own worker, which is number 0 --------------------------------------------------- */

/* Updates the row of that worker: its last thread may be lost over useless work. */
static void own_state(struct pool *pool)
{
    struct pool_member *own = pool->member;
    own->dropped = worker_dropped(pool->worker);
    own->shown.threads = worker_threads(pool->worker);
    own->shown.threads_lost = pool->options.threads - own->shown.threads;
    if (pool->kind->own_state)
        pool->kind->own_state(pool);
}

/* Takes one result of a viewer at a time, so that there is memory for the next. */
bool pool_own_step(struct pool *pool)
{
    struct worker_done done;
    bool moved = false;
    if (!pool->worker)
        return false;
    while (!pool->own_waits && worker_take(pool->worker, &done)) {
        struct message message = pool_header(pool, MESSAGE_DONE, pool->member->sequence);
        moved = true;
        if (done.status == STATUS_OK) {
            pool_fail(pool, worker_send(pool->worker, &message, &done));
            continue;
        }
        message.task = done.number;
        message.busy_s = done.busy_s;
        failed(pool, 0, &message, worker_threads(pool->worker),
               status_fail(done.status, "%s", done.text));
    }
    own_state(pool);
    return moved;
}

/* --- messages of the other workers ------------------------------------------------------------ */

const struct pool_note *pool_note_of(const struct arrival *arrival)
{
    struct pool_note *note = arrival->payload;
    size_t length = arrival->message.length, begin = offsetof(struct pool_note, text);
    if (length <= begin || length > sizeof *note)
        return NULL;
    note->text[length - begin - 1] = '\0';
    return note;
}

enum status pool_why(const struct arrival *arrival)
{
    const struct pool_note *note = pool_note_of(arrival);
    enum status status = arrival->message.status;
    if (!note || status == STATUS_OK)
        return status_fail(STATUS_INTERNAL, "rank %d failed without saying why", arrival->rank);
    return status_fail(status, "%s", note->text);
}

/* Threads may be lost over useless work. */
void pool_count_threads(struct pool_worker *shown, const struct pool_note *note)
{
    if (!note || note->threads_left < 0 || note->threads_left > shown->threads)
        return;
    shown->threads_lost += shown->threads - note->threads_left;
    shown->threads = note->threads_left;
}

/* Takes a task that failed, or that a viewer's worker has done; true: the arrival is kept. */
static bool take_task(struct pool *pool, int worker, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    if (message->status == STATUS_OK) /* pixels, and no note */
        return pool->kind->take(pool, arrival);
    const struct pool_note *note = pool_note_of(arrival);
    int threads = pool->member[worker].shown.threads;
    threads =
        note && note->threads_left >= 0 && note->threads_left <= threads ? note->threads_left : 0;
    failed(pool, worker, message, threads, pool_why(arrival));
    return false;
}

static void take_bye(struct pool *pool, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    const struct pool_note *note = pool_note_of(arrival);
    int rank = arrival->rank, worker = pool->peer[rank].worker;
    pool->peer[rank].gone = true;
    pool->kind->rank_left(pool, arrival);
    if (!note || worker < 0)
        return;
    pool->member[worker].dropped.busy_s = message->busy_s;
    pool_count_threads(&pool->member[worker].shown, note);
}

/* True: the arrival is kept. */
static bool take_message(struct pool *pool, const struct arrival *arrival)
{
    int worker = pool->peer[arrival->rank].worker;
    switch (arrival->message.kind) {
    case MESSAGE_BYE:
        take_bye(pool, arrival);
        return false;
    case MESSAGE_FAIL:
        pool->kind->rank_failed(pool, arrival);
        return false;
    case MESSAGE_DONE:
        return worker >= 0 && pool_is_remote(&pool->member[worker]) &&
               take_task(pool, worker, arrival);
    default:
        return pool->kind->take(pool, arrival);
    }
}

/* Gives up the sender of a message that cannot be read: its other messages cannot be trusted. MPI
 * itself failed if not even the sender is known. */
static void distrust(struct pool *pool, const struct arrival *arrival, bool has_sender,
                     enum status status)
{
    if (!has_sender) {
        pool->broken = true;
        pool_fail(pool, status);
    }
    for (int rank = 1; rank < pool->world->size; rank++)
        if (!has_sender || rank == arrival->rank)
            pool->kind->rank_fault(pool, rank, status);
    if (has_sender && arrival->message.kind == MESSAGE_BYE)
        pool->peer[arrival->rank].gone = true;
}

/* Takes LISTEN_MOST messages at most, so that rank 0's own worker and its caller get their time. */
static bool listen(struct pool *pool)
{
    bool moved = false;
    for (int i = 0; i < LISTEN_MOST; i++) {
        struct arrival arrival = {0};
        bool any = false;
        enum status status = inbox_poll(pool->inbox, &arrival, &any);
        if (status != STATUS_OK)
            distrust(pool, &arrival, any, status);
        if (status != STATUS_OK || !any)
            return moved;
        moved = true;
        presence_heard(pool->world, arrival.rank);
        if (pool->kind->heard)
            pool->kind->heard(pool, arrival.rank);
        if (!take_message(pool, &arrival))
            inbox_release(pool->inbox, &arrival);
    }
    return moved;
}

/* --- steps and waiting ------------------------------------------------------------------------ */

/* Goes on with everything, without waiting. Did anything happen? */
static bool pool_step(struct pool *pool)
{
    bool moved = false;
    if (pool->inbox) {
        moved = listen(pool);
        moved |= pool->kind->move(pool);
    }
    moved |= pool_own_step(pool);
    if (pool->kind->move_joined)
        moved |= pool->kind->move_joined(pool);
    if (moved) {
        pool->patience.idle = 0;
        pool->end_s = clock_s();
    } else {
        pool->kind->idle(pool);
    }
    return moved;
}

bool pool_judge_due(const struct pool *pool)
{
    return pool->inbox && presence_poll(pool->world);
}

bool pool_take(struct pool *pool, struct pool_result *result)
{
    pool_result_drop(pool, pool->taken);
    pool->taken = NULL;
    if (pool->kind->takes_polling)
        pool_step(pool);
    struct pool_pending *pending = pool->taken = pool->first;
    if (!pending)
        return false;
    pool->first = pending->next;
    if (!pool->first)
        pool->last = &pool->first;
    pool->own_waits = pool->own_waits && !pending->own;
    *result = pending->result;
    return true;
}

/* The shorter of two times, negative ones being without end. */
static int64_t sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

void pool_wait(struct pool *pool, int64_t microseconds)
{
    double end_s = clock_s() + 1e-6 * (double)microseconds;
    for (int64_t left = microseconds;;) {
        if (pool_step(pool) || pool->first || (pool->worker && worker_has_ended(pool->worker)))
            return;
        if (event_wait(&pool->event, sooner(left, pool->kind->nap_us(pool))) || left == 0)
            return;
        if (left > 0)
            left = (int64_t)(1e6 * (end_s - clock_s()));
        if (left < 0 && microseconds >= 0)
            left = 0;
    }
}

void pool_wake(struct pool *pool)
{
    event_set(&pool->event);
}

/* --- questions -------------------------------------------------------------------------------- */

int pool_workers(const struct pool *pool)
{
    return pool->workers;
}

const struct pool_worker *pool_worker(const struct pool *pool, int worker)
{
    struct pool_member *member = &pool->member[worker];
    struct pool_worker *shown = &member->shown;
    shown->outstanding = (int)table_held(pool->table, (uint32_t)worker);
    shown->late = member->late + member->dropped.late;
    shown->heard_s = pool_owes(pool, worker) ? presence_unheard_s(pool->world, shown->rank) : 0;
    shown->busy_s = member->busy_s + member->dropped.busy_s;
    return shown;
}

const struct pool_rank *pool_rank(const struct pool *pool, int rank)
{
    return &pool->peer[rank].shown;
}

uint64_t pool_late_messages(const struct pool *pool)
{
    return pool->inbox ? inbox_late(pool->inbox) : 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

void pool_send_all(struct pool *pool, enum message_kind kind)
{
    for (int rank = 1; rank < pool->world->size; rank++) {
        struct message message = pool_header(pool, kind, 0);
        enum status status = outbox_post(pool->world, rank, &message, NULL, 0);
        pool_wake_rank(pool, rank);
        if (status == STATUS_OK)
            continue;
        pool->peer[rank].gone = true;
        pool->kind->rank_fault(pool, rank, status);
    }
}

void pool_stop(struct pool *pool)
{
    pool->ended = true;
    pool->end_s = clock_s();
    pool->patience.idle = 0;
    if (pool->worker)
        worker_end(pool->worker);
}

enum status pool_close(struct pool *pool)
{
    if (!pool)
        return STATUS_OK;
    enum status status = STATUS_OK;
    bool used = false;
    if (pool->kind->end)
        status = pool->kind->end(pool, &used);
    if (!used)
        destroy(pool);
    return status;
}
