#include "decomposition/pool/pool_kind.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/presence.h"
#include "decomposition/transport/packing.h"

enum {
    IDLE_NAP_US = 900,    /* a context is being prepared somewhere */
    WATCH_NAP_US = 500000 /* nothing is owed, but a process may have ended */
};

struct viewer_pool {
    struct pool pool;
    struct pool_task *task; /* [task_room]: by their numbers */
    uint32_t task_room;
    struct context *context; /* the newest; NULL at first */
    uint32_t sequence;       /* rises with every context and cancel */
    struct packing *packing; /* NULL: nothing was unpacked yet */
};

static struct viewer_pool *viewer_of(const struct pool *pool)
{
    return (struct viewer_pool *)(uintptr_t)pool;
}

/* --- workers that fail ------------------------------------------------------------------------ */

/* Notes that this worker is not alive any more: its tasks come back as failed results. */
static void worker_ended(struct pool *pool, int worker, enum status status)
{
    struct viewer_pool *viewer = viewer_of(pool);
    struct pool_member *member = &pool->member[worker];
    char text[STATUS_TEXT_BYTES];
    uint32_t task;
    if (!member->shown.alive)
        return;
    snprintf(text, sizeof text, "%s", status_text());
    member->shown.alive = member->shown.ready = false;
    pool_result_add(pool, POOL_WORKER, worker, status, text);
    while (table_take_back(pool->table, (uint32_t)worker, &task)) {
        struct pool_pending *pending = pool_result_add(pool, POOL_TASK, worker, status, text);
        if (pending)
            pending->result.task = viewer->task[task];
    }
}

static void viewer_rank_fault(struct pool *pool, int rank, enum status status)
{
    int worker = pool->peer[rank].worker;
    if (worker >= 0)
        worker_ended(pool, worker, status);
}

/* Notes that a task has failed, and with STATUS_DEVICE_LOST that a thread is lost by it. */
static void viewer_task_failed(struct pool *pool, int worker, const struct message *message,
                               int threads_left, enum status status)
{
    struct viewer_pool *viewer = viewer_of(pool);
    struct pool_member *member = &pool->member[worker];
    char text[STATUS_TEXT_BYTES];
    snprintf(text, sizeof text, "%s", status_text());
    if (message->sequence == member->sequence &&
        table_failed(pool->table, (uint32_t)worker, message->task) == TABLE_FIRST) {
        struct pool_pending *pending = pool_result_add(pool, POOL_TASK, worker, status, text);
        if (pending)
            pending->result.task = viewer->task[message->task];
    }
    if (status != STATUS_DEVICE_LOST)
        return;
    member->shown.threads_lost += member->shown.threads - threads_left;
    member->shown.threads = threads_left;
    if (threads_left == 0)
        worker_ended(pool, worker, status_fail(status, "%s", text));
}

/* Gives up a rank whose process has ended, and whose last messages have been read: MPI does not
 * report it, and mpirun ends the job only by default. */
static void process_ended(struct pool *pool, int rank)
{
    int worker = pool->peer[rank].worker;
    enum status status = status_fail(
        STATUS_SYSTEM,
        "rank %d on %s has ended: it crashed, was killed, or memory ran out (dmesg says whether)",
        rank, presence_host(pool->world, rank));
    pool_fail(pool, status);
    inbox_give_up(pool->inbox, rank);
    pool->peer[rank].gone = true;
    if (worker >= 0)
        worker_ended(pool, worker, status);
}

/* --- instructions ----------------------------------------------------------------------------- */

static enum status context_post(struct pool *pool, struct pool_member *member)
{
    struct viewer_pool *viewer = viewer_of(pool);
    struct context *context = viewer->context;
    if (context->length == 0)
        return STATUS_OK;
    member->sending = context_hold(context);
    int units = (int)(message_padded(context->length) / MESSAGE_UNIT);
    TRY_MPI(MPI_Isend(context->bytes, units, pool->world->unit, member->shown.rank, 0,
                      pool->world->pixels, &member->request));
    return STATUS_OK;
}

static enum status instruction_post(struct pool *pool, struct pool_member *member)
{
    struct viewer_pool *viewer = viewer_of(pool);
    struct context *context = viewer->context;
    bool has_it = member->instructed >= context->sequence;
    struct message message =
        pool_header(pool, has_it ? MESSAGE_CANCEL : MESSAGE_CONTEXT, member->sequence);
    member->instructed = member->sequence;
    member->waits = true;
    if (has_it)
        return outbox_post(pool->world, member->shown.rank, &message, NULL, 0);
    message.offset = context->epoch;
    message.length = context->length;
    message.checksum = context->checksum;
    TRY(outbox_announce(pool->world, member->shown.rank, &message));
    return context_post(pool, member);
}

/* Sends the newest instruction, if the worker has taken the one before. */
static void instruction_send(struct pool *pool, int worker)
{
    struct pool_member *member = &pool->member[worker];
    if (!pool_is_remote(member) || member->waits || member->request != MPI_REQUEST_NULL)
        return;
    enum status status = instruction_post(pool, member);
    pool_wake_rank(pool, member->shown.rank);
    if (status != STATUS_OK)
        worker_ended(pool, worker, status);
}

static void worker_instruct(struct pool *pool, int worker)
{
    struct viewer_pool *viewer = viewer_of(pool);
    struct pool_member *member = &pool->member[worker];
    if (!member->owed)
        presence_heard(pool->world, member->shown.rank);
    member->sequence = viewer->sequence;
    member->shown.ready = false;
    instruction_send(pool, worker);
}

/* Sends instructions that were held back because the worker had not taken the last one yet. */
static bool instructions_send(struct pool *pool)
{
    bool moved = false;
    for (int i = 0; i < pool->workers; i++) {
        struct pool_member *member = &pool->member[i];
        int done = 0;
        if (member->request != MPI_REQUEST_NULL &&
            MPI_Test(&member->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) {
            context_drop(member->sending);
            member->sending = NULL;
            moved = true;
        }
        if (member->instructed < member->sequence)
            instruction_send(pool, i);
    }
    return moved;
}

/* --- messages of workers ---------------------------------------------------------------------- */

static void dropped_note(struct pool_member *member, const struct message *message)
{
    if (message->kind != MESSAGE_DONE)
        member->dropped = (struct worker_tally){
            .late = message->offset, .iterations = message->iterations, .busy_s = message->busy_s};
}

static void ready_take(struct pool *pool, int worker, const struct arrival *arrival)
{
    struct pool_member *member = &pool->member[worker];
    pool_count_threads(&member->shown, pool_note_of(arrival));
    if (member->shown.threads == 0)
        worker_ended(pool, worker, pool_why(arrival));
    if (!member->shown.alive || arrival->message.sequence != member->sequence)
        return;
    member->shown.ready = arrival->message.status == STATUS_OK;
    member->context_failed = !member->shown.ready;
    if (!member->context_failed) {
        event_set(&pool->event);
        return;
    }
    enum status status = pool_why(arrival);
    pool_result_add(pool, POOL_CONTEXT, worker, status, status_text());
}

/* Is its payload packed? *unpacked: the result, owned by the caller. Else NULL. */
static enum status result_unpack(struct pool *pool, const struct arrival *arrival, void **unpacked)
{
    struct viewer_pool *viewer = viewer_of(pool);
    const struct message *message = &arrival->message;
    size_t bytes = message->offset;
    *unpacked = NULL;
    if (!bytes)
        return STATUS_OK;
    if (!viewer->packing)
        viewer->packing = packing_create();
    void *result = viewer->packing ? aligned_alloc(MESSAGE_UNIT, message_padded(bytes)) : NULL;
    if (!result)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to unpack %zu bytes", bytes);
    enum status status = packing_unpack(viewer->packing, arrival->payload, message->length, result,
                                        packing_whole(bytes), PACKING_WORD);
    if (status == STATUS_OK) {
        *unpacked = result;
        return STATUS_OK;
    }
    free(result);
    return status == STATUS_BAD_DATA
               ? status_fail(STATUS_INTERNAL, "rank %d sent a result that cannot be unpacked",
                             arrival->rank)
               : status;
}

/* Is this the result of a task, of the right length, and undamaged? *task NULL: it is not wanted
 * any more. *unpacked: as result_unpack gives it. */
static enum status result_check(struct pool *pool, int worker, const struct arrival *arrival,
                                const struct pool_task **task, void **unpacked)
{
    const struct viewer_pool *viewer = viewer_of(pool);
    const struct message *message = &arrival->message;
    uint64_t bytes = message->offset ? message->offset : message->length;
    *unpacked = NULL;
    bool wanted =
        message->sequence == pool->member[worker].sequence && message->task < viewer->task_room;
    *task = wanted ? &viewer->task[message->task] : NULL;
    if (!wanted)
        return STATUS_OK;
    if (bytes != (*task)->result_bytes)
        return status_fail(STATUS_INTERNAL, "rank %d sent %llu bytes for a result of %zu",
                           arrival->rank, (unsigned long long)bytes, (*task)->result_bytes);
    TRY(message_verify(message, arrival->payload));
    return result_unpack(pool, arrival, unpacked);
}

/* True: the arrival is kept. */
static bool result_take(struct pool *pool, int worker, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    struct pool_member *member = &pool->member[worker];
    const struct pool_task *task;
    void *unpacked;
    double begun_s = clock_s();
    enum status status = result_check(pool, worker, arrival, &task, &unpacked);
    member->shown.transfer_s += arrival->transfer_s + clock_s() - begun_s;
    if (status != STATUS_OK) {
        member->busy_s += message->busy_s;
        viewer_task_failed(pool, worker, message, member->shown.threads, status);
        return false;
    }
    bool first = pool_task_done(pool, worker, message) == TABLE_FIRST;
    struct pool_pending *pending = first ? pool_task_arrived(pool, worker, message, task) : NULL;
    if (!pending) {
        free(unpacked);
        return false;
    }
    pending->unpacked = unpacked;
    pending->result.bytes = unpacked ? unpacked : arrival->payload;
    pending->arrived = !unpacked;
    pending->arrival = *arrival;
    return pending->arrived;
}

static bool viewer_take(struct pool *pool, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    int worker = pool->peer[arrival->rank].worker;
    struct pool_member *member = worker >= 0 ? &pool->member[worker] : NULL;
    if (!member || !pool_is_remote(member))
        return false;
    dropped_note(member, message);
    switch (message->kind) {
    case MESSAGE_GOT:
        member->waits = member->waits && message->sequence != member->instructed;
        return false;
    case MESSAGE_READY:
        ready_take(pool, worker, arrival);
        return false;
    case MESSAGE_DONE:
        return result_take(pool, worker, arrival);
    default:
        worker_ended(pool, worker,
                     status_fail(STATUS_INTERNAL, "rank %d sent a message of kind %d",
                                 arrival->rank, message->kind));
        return false;
    }
}

static void viewer_rank_failed(struct pool *pool, const struct arrival *arrival)
{
    int worker = pool->peer[arrival->rank].worker;
    enum status status = pool_why(arrival);
    if (worker < 0) {
        pool_fail(pool, status);
        return;
    }
    struct pool_member *member = &pool->member[worker];
    if (!pool_is_remote(member))
        return;
    dropped_note(member, &arrival->message);
    worker_ended(
        pool, worker,
        status_fail(status, "rank %d on %s: %s", arrival->rank, member->shown.host, status_text()));
}

static void viewer_rank_left(struct pool *pool, const struct arrival *arrival)
{
    if (arrival->message.status != STATUS_OK)
        pool_fail(pool, pool_why(arrival));
}

/* --- rank 0's own worker ---------------------------------------------------------------------- */

static enum status viewer_own_arrived(void *context, const struct message *message,
                                      const struct field *out)
{
    struct pool *pool = context;
    struct pool_pending *pending = NULL;
    if (pool_task_done(pool, 0, message) == TABLE_FIRST)
        pending = pool_task_arrived(pool, 0, message, &viewer_of(pool)->task[message->task]);
    if (!pending) {
        worker_forget(pool->worker, out);
        return STATUS_OK;
    }
    pending->own = pool->own_waits = true;
    pending->out = *out;
    pending->result.bytes = out->base;
    return STATUS_OK;
}

static void viewer_own_state(struct pool *pool)
{
    struct pool_member *own = pool->member;
    enum worker_state state = worker_state(pool->worker);
    if (state == WORKER_GONE && own->shown.alive)
        worker_ended(pool, 0, worker_failure(pool->worker));
    bool failed = state == WORKER_FAILED && !own->context_failed;
    own->context_failed = state == WORKER_FAILED;
    if (state == WORKER_READY && !own->shown.ready)
        event_set(&pool->event); /* a caller that asked for tasks before should ask again */
    own->shown.ready = state == WORKER_READY;
    if (failed) {
        enum status status = worker_failure(pool->worker);
        pool_result_add(pool, POOL_CONTEXT, 0, status, status_text());
    }
}

/* --- verbs of the kind ------------------------------------------------------------------------ */

static void viewer_close(struct pool *pool)
{
    for (int i = 0; i < pool->workers; i++)
        if (pool->member[i].request == MPI_REQUEST_NULL) /* else MPI may still read it */
            context_drop(pool->member[i].sending);
    context_drop(viewer_of(pool)->context);
    free(viewer_of(pool)->task);
    packing_destroy(viewer_of(pool)->packing);
}

static enum status viewer_meet(struct pool *pool, enum status status)
{
    TRY(world_agree(pool->world, status));
    return pool_words_open(pool);
}

static void viewer_idle(struct pool *pool)
{
    bool due = pool_judge_due(pool);
    for (int rank = 1; due && rank < pool->world->size; rank++)
        if (!pool->peer[rank].gone && presence_ended(pool->world, rank))
            process_ended(pool, rank);
}

static bool any_watched(const struct pool *pool)
{
    for (int rank = 1; rank < pool->world->size; rank++)
        if (presence_watched(pool->world, rank) && !pool->peer[rank].gone)
            return true;
    return false;
}

static int64_t viewer_nap_us(struct pool *pool)
{
    bool owed = false, moves = pool->inbox && !inbox_quiet(pool->inbox);
    unsigned most_us = IDLE_NAP_US;
    for (int i = 0; i < pool->workers; i++) {
        const struct pool_member *member = &pool->member[i];
        moves |= member->request != MPI_REQUEST_NULL;
        owed |= pool_owes(pool, i);
        if (pool_is_remote(member) && table_held(pool->table, (uint32_t)i) > 0)
            most_us = NAP_MOST_US;
    }
    if (!owed && !moves)
        return any_watched(pool) ? WATCH_NAP_US : -1;
    unsigned nap_us = patience_us(&pool->patience, moves ? POOL_MOVING_NAP_US : most_us);
    return nap_us ? nap_us : 1;
}

/* --- contexts and tasks ----------------------------------------------------------------------- */

/* Drops results, and failures of contexts, that are not wanted any more. */
static void results_forget(struct pool *pool)
{
    struct pool_pending **at = &pool->first;
    while (*at) {
        struct pool_pending *pending = *at;
        struct pool_member *member = &pool->member[pending->result.worker];
        if (pending->result.kind == POOL_WORKER ||
            (pending->result.kind == POOL_CONTEXT && member->context_failed)) {
            at = &pending->next;
            continue;
        }
        if (pending->result.kind == POOL_TASK && pending->result.status == STATUS_OK) {
            member->late++;
            member->shown.tiles--;
        }
        *at = pending->next;
        pool_result_drop(pool, pending);
    }
    pool->own_waits = false;
    pool->last = at;
}

static void owed_note(struct pool *pool)
{
    for (int i = 0; i < pool->workers; i++)
        pool->member[i].owed = pool_owes(pool, i);
}

static void tasks_forget(struct pool *pool)
{
    struct viewer_pool *viewer = viewer_of(pool);
    viewer->sequence++;
    results_forget(pool);
    table_forget(pool->table);
}

enum status pool_context(struct pool *pool, uint64_t epoch, const void *bytes, size_t length)
{
    struct viewer_pool *viewer = viewer_of(pool);
    assert(!viewer->context || epoch > viewer->context->epoch);
    struct context *context;
    TRY(context_make(&context, epoch, length));
    if (length)
        memcpy(context->bytes, bytes, length);
    owed_note(pool);
    for (int i = 0; i < pool->workers; i++)
        pool->member[i].context_failed = false;
    tasks_forget(pool);
    context_drop(viewer->context);
    viewer->context = context;
    context->sequence = viewer->sequence;
    if (pool->inbox)
        context->checksum = message_checksum(context->bytes, length);
    for (int i = 0; i < pool->workers; i++) {
        if (pool->member[i].shown.rank > 0) {
            worker_instruct(pool, i);
            continue;
        }
        pool->member[i].sequence = viewer->sequence;
        worker_context(pool->worker, context);
        pool_own_step(pool);
    }
    return STATUS_OK;
}

/* Instructs only workers that have tasks. */
void pool_cancel(struct pool *pool)
{
    for (int i = 0; i < pool->workers; i++)
        pool_worker(pool, i); /* updates `outstanding` before the tasks are forgotten */
    owed_note(pool);
    tasks_forget(pool);
    for (int i = 0; i < pool->workers; i++) {
        const struct pool_worker *shown = &pool->member[i].shown;
        if (shown->outstanding > 0 && shown->rank > 0)
            worker_instruct(pool, i);
        else if (shown->outstanding > 0)
            worker_cancel(pool->worker);
    }
    if (pool->worker)
        pool_own_step(pool);
}

bool pool_may_give(const struct pool *pool, int worker)
{
    const struct pool_worker *shown = &pool->member[worker].shown;
    return shown->alive && shown->ready &&
           table_held(pool->table, (uint32_t)worker) < (uint32_t)shown->credits;
}

static enum status task_add(struct pool *pool, const struct pool_task *task, uint32_t *number)
{
    struct viewer_pool *viewer = viewer_of(pool);
    TRY(table_add(pool->table, number));
    if (*number >= viewer->task_room) {
        uint32_t room = viewer->task_room ? 2 * viewer->task_room : 64;
        struct pool_task *tasks = realloc(viewer->task, (size_t)room * sizeof *tasks);
        if (!tasks)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u tasks", room);
        viewer->task = tasks;
        viewer->task_room = room;
    }
    viewer->task[*number] = *task;
    return STATUS_OK;
}

/* The number of a task: the one it has, if a worker is computing it. */
static enum status number_of(struct pool *pool, const struct pool_task *task, uint32_t *number)
{
    struct viewer_pool *viewer = viewer_of(pool);
    for (int i = 0; i < pool->workers; i++) {
        uint32_t held = table_held(pool->table, (uint32_t)i);
        for (uint32_t k = 0; k < held; k++) {
            *number = table_held_task(pool->table, (uint32_t)i, k);
            if (viewer->task[*number].id == task->id && !table_is_done(pool->table, *number))
                return STATUS_OK;
        }
    }
    return task_add(pool, task, number);
}

enum status pool_give(struct pool *pool, int worker, const struct pool_task *task)
{
    struct viewer_pool *viewer = viewer_of(pool);
    uint32_t number;
    assert(pool_may_give(pool, worker));
    if (task->epoch != viewer->context->epoch)
        return status_fail(STATUS_INTERNAL, "a task of context %llu, and the present one is %llu",
                           (unsigned long long)task->epoch,
                           (unsigned long long)viewer->context->epoch);
    TRY(number_of(pool, task, &number));
    if (!pool_owes(pool, worker))
        presence_heard(pool->world, pool->member[worker].shown.rank);
    table_assign(pool->table, (uint32_t)worker, number, clock_s());
    enum status status = pool_send_task(pool, worker, number, task, sizeof *task);
    if (status != STATUS_OK)
        worker_ended(pool, worker, status);
    return status;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Has it said goodbye, and does MPI read nothing for it any more? */
static bool rank_ended(const struct pool *pool, int rank)
{
    int worker = pool->peer[rank].worker;
    const struct pool_member *member = worker >= 0 ? &pool->member[worker] : NULL;
    bool sending = member && member->request != MPI_REQUEST_NULL && member->shown.alive;
    return pool->peer[rank].gone && !sending;
}

static bool all_quiet(struct pool *pool)
{
    bool quiet = !pool->worker || !worker_runs(pool->worker);
    for (int rank = 1; quiet && rank < pool->world->size; rank++)
        quiet = rank_ended(pool, rank);
    return quiet && (!pool->inbox || inbox_quiet(pool->inbox));
}

static enum status stuck(const struct pool *pool)
{
    const struct world *world = pool->world;
    int rank = world->rank;
    bool here = pool->worker && worker_runs(pool->worker);
    for (int next = 1; !here && next < world->size && (rank == 0 || pool->peer[rank].gone); next++)
        rank = next;
    return status_fail(STATUS_SYSTEM,
                       "rank %d on %s has not ended %.1f s after it was told to give up", rank,
                       presence_host(world, rank), pool->options.patience_s);
}

/* Waits longer on rank 0 than on others, so that they can report themselves what hangs. */
static enum status all_wait(struct pool *pool)
{
    double until_s = clock_s() + pool->options.patience_s + (pool->inbox ? 1 : 0);
    struct patience patience = {.spin_us = 0};
    struct pool_result result;
    for (;;) {
        while (pool_take(pool, &result))
            continue;
        if (all_quiet(pool))
            return STATUS_OK;
        if (pool->broken && !(pool->worker && worker_runs(pool->worker)))
            return pool_verdict(pool);
        if (clock_s() > until_s)
            return stuck(pool);
        event_wait(&pool->event, patience_us(&patience, pool->inbox ? NAP_MOST_US : 10000));
    }
}

/* Ends the serving of all ranks on rank 0; others have served. */
static enum status viewer_end(struct pool *pool, bool *used)
{
    *used = pool->world->rank > 0 && pool->worker && worker_runs(pool->worker);
    if (pool->world->rank > 0)
        return *used ? stuck(pool) : STATUS_OK; /* as server_run has said */
    tasks_forget(pool);
    pool_stop(pool);
    for (int i = 0; i < pool->workers; i++)
        pool->member[i].sequence = pool->member[i].instructed; /* no instruction follows */
    pool_send_all(pool, MESSAGE_END);
    enum status status = all_wait(pool);
    *used = status != STATUS_OK;
    return *used ? status : pool_verdict(pool);
}

const struct pool_kind pool_viewer = {
    .bytes = sizeof(struct viewer_pool),
    .close = viewer_close,
    .meet = viewer_meet,
    .end = viewer_end,
    .own_arrived = viewer_own_arrived,
    .own_state = viewer_own_state,
    .take = viewer_take,
    .task_failed = viewer_task_failed,
    .rank_failed = viewer_rank_failed,
    .rank_left = viewer_rank_left,
    .rank_fault = viewer_rank_fault,
    .takes_polling = true,
    .move = instructions_send,
    .idle = viewer_idle,
    .nap_us = viewer_nap_us,
};
