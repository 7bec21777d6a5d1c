#include "decomposition/pool/worker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/executor.h"
#include "decomposition/world/world_comm.h"

struct given { /* a task that is not begun */
    uint32_t number;
    struct pool_task task;
};

struct running { /* a task in the executor */
    struct worker *worker;
    bool taken;
    uint32_t sequence; /* the worker's, when it was begun */
    uint32_t number;
    struct pool_task task;
    struct field out;
    uint64_t iterations;
};

struct worker {
    const struct pool_options *options;
    struct executor *executor;
    bool in_use; /* executor_begin has succeeded */
    struct transport_site site;
    const struct transport_kind *transport;
    void *end;           /* this rank's end of the transport; may be half open */
    struct given *given; /* [credits], in order */
    int given_count;
    uint32_t number, workers; /* static schedule: number of this worker, and of how many */
    uint32_t listed;          /* tiles of its own list that are begun */
    struct running *running;  /* [credits] */
    enum worker_state state;
    enum worker_state settled; /* state after CLEARING if there is no next context */
    uint32_t sequence;         /* a task that was begun in an older one is not wanted any more */
    struct context *context;   /* held while it is being prepared */
    struct context *next;      /* held until then */
    enum status failure;       /* the context's, set by its thread; or the last thread's */
    char failure_text[STATUS_TEXT_BYTES];
    char text[STATUS_TEXT_BYTES]; /* sentence of the task that was taken last */
    struct worker_tally dropped;
};

/* --- contexts --------------------------------------------------------------------------------- */

enum status context_make(struct context **out, uint64_t epoch, size_t length)
{
    struct context *context = *out = calloc(1, sizeof *context);
    if (context && length < SIZE_MAX - MESSAGE_UNIT)
        context->bytes = aligned_alloc(MESSAGE_UNIT, message_padded(length + 1));
    if (!context || !context->bytes) {
        free(context);
        *out = NULL;
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context of %zu bytes", length);
    }
    context->holders = 1;
    context->epoch = epoch;
    context->length = length;
    return STATUS_OK;
}

struct context *context_hold(struct context *context)
{
    context->holders++;
    return context;
}

void context_drop(struct context *context)
{
    if (!context || --context->holders > 0)
        return;
    free(context->bytes);
    free(context);
}

/* --- on the threads --------------------------------------------------------------------------- */

/* Keeps the failure and returns success: even a lost device is no reason to end the very thread
 * that happened to prepare the context. */
static enum status prepare(void *argument, int thread)
{
    (void)thread;
    struct worker *worker = argument;
    const struct pool_calls *calls = &worker->options->calls;
    const struct context *context = worker->context;
    worker->failure = STATUS_OK;
    if (calls->prepare)
        worker->failure =
            calls->prepare(calls->context, context->epoch, context->bytes, context->length);
    if (worker->failure != STATUS_OK)
        snprintf(worker->failure_text, sizeof worker->failure_text, "%s", status_text());
    return STATUS_OK;
}

static enum status compute(void *argument, int thread)
{
    struct running *running = argument;
    const struct pool_calls *calls = &running->worker->options->calls;
    return calls->compute(calls->context, thread, &running->task, &running->out,
                          &running->iterations);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void say_give_up(const struct worker *worker, int give_up)
{
    volatile int *said = worker->options->calls.give_up;
    if (said)
        __atomic_store_n(said, give_up, __ATOMIC_RELAXED);
}

/* Chooses the transport and describes what it is opened for. */
static enum status site_fill(struct worker *worker, struct world *world)
{
    const struct pool_options *options = worker->options;
    const struct pool_tiles *tiles = options->tiles;
    struct transport_site *site = &worker->site;
    site->world = world;
    site->fields = options->credits;
    site->memory = options->memory;
    worker->transport = &transport_message;
    if (!tiles)
        return STATUS_OK;
    worker->transport = world->rank == 0 ? &transport_local : tiles->transports[world->rank];
    site->frame = &tiles->frame;
    site->tiles = tiles->tile;
    site->tile_count = tiles->count;
    site->planes = tiles->planes;
    site->count_bytes = tiles->count_bytes;
    for (uint32_t i = 0; i < tiles->count; i++) {
        size_t bytes;
        TRY(field_bytes(tiles->tile[i].width, tiles->tile[i].height, tiles->planes,
                        tiles->count_bytes, &bytes));
        if (bytes > site->tile_bytes_max)
            site->tile_bytes_max = bytes;
        site->all_bytes += message_padded(bytes);
    }
    return STATUS_OK;
}

static enum status check(const struct worker *worker, const struct world *world)
{
    const struct pool_tiles *tiles = worker->options->tiles;
    const char *name = worker->transport->name;
    if (world->rank > 0 && worker->transport == &transport_local)
        return status_fail(STATUS_CONFIG, "transport local is for rank 0, and this is rank %d",
                           world->rank);
    if (tiles && worker->transport->in_place && !tiles->frame.plane[PLANE_COUNT])
        return status_fail(STATUS_CONFIG, "transport %s needs the picture in reach of rank %d",
                           name, world->rank);
    return STATUS_OK;
}

static enum status executor_take(struct worker *worker, struct event *event)
{
    const struct pool_options *options = worker->options;
    worker->executor = options->executor;
    if (!worker->executor)
        TRY(executor_open(&worker->executor));
    TRY(executor_begin(worker->executor, &(struct executor_use){.threads = options->threads,
                                                                .depth = options->credits,
                                                                .spin_us = options->spin_us,
                                                                .event = event}));
    worker->in_use = true;
    return STATUS_OK;
}

enum status worker_open(struct worker **out, struct world *world,
                        const struct pool_options *options, struct event *event,
                        worker_arrived *arrived, void *context)
{
    struct worker *worker = *out = calloc(1, sizeof *worker);
    if (!worker)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a worker");
    *worker = (struct worker){.options = options,
                              .site = {.arrived = arrived, .context = context},
                              .state = options->tiles ? WORKER_READY : WORKER_EMPTY};
    worker->given = calloc((size_t)options->credits, sizeof *worker->given);
    worker->running = calloc((size_t)options->credits, sizeof *worker->running);
    if (!worker->given || !worker->running)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d tasks", options->credits);
    TRY(site_fill(worker, world));
    TRY(check(worker, world));
    TRY(worker->transport->open(&worker->end, &worker->site));
    say_give_up(worker, 0);
    return executor_take(worker, event);
}

void worker_close(struct worker *worker)
{
    if (!worker)
        return;
    if (worker->in_use) /* before the memory they may be writing to is given back */
        executor_end(worker->executor);
    if (!worker->options->executor)
        executor_close(worker->executor);
    if (worker->end && !world_root_is_lost(worker->site.world))
        worker->transport->close(worker->end);
    context_drop(worker->context);
    context_drop(worker->next);
    free(worker->given);
    free(worker->running);
    free(worker);
}

void worker_enlist(struct worker *worker, uint32_t number, uint32_t workers)
{
    worker->number = number;
    worker->workers = workers;
}

/* --- contexts replaced, tasks cancelled ------------------------------------------------------- */

static void drop_unbegun(struct worker *worker)
{
    struct executor_task task;
    while (executor_take_back(worker->executor, &task)) {
        struct running *running = task.argument;
        if (task.function != compute)
            continue;
        worker_forget(worker, &running->out);
        running->taken = false;
    }
    worker->given_count = 0;
}

static void clear(struct worker *worker)
{
    drop_unbegun(worker);
    worker->state = WORKER_CLEARING;
    if (executor_load(worker->executor) > 0)
        say_give_up(worker, 1);
}

static void settle(struct worker *worker)
{
    if (worker->state != WORKER_CLEARING || executor_load(worker->executor) > 0)
        return;
    say_give_up(worker, 0);
    worker->state = worker->settled;
    if (!worker->next)
        return;
    context_drop(worker->context);
    worker->context = worker->next;
    worker->next = NULL;
    worker->state = WORKER_PREPARING;
    executor_push(worker->executor,
                  &(struct executor_task){.function = prepare, .argument = worker});
}

void worker_context(struct worker *worker, struct context *context)
{
    worker->sequence++;
    if (worker->state == WORKER_GONE)
        return;
    context_drop(worker->next);
    worker->next = context_hold(context);
    clear(worker);
    settle(worker);
}

void worker_cancel(struct worker *worker)
{
    worker->sequence++;
    if (worker->state != WORKER_READY)
        return;
    worker->settled = WORKER_READY;
    clear(worker);
    settle(worker);
}

void worker_end(struct worker *worker)
{
    worker->sequence++;
    context_drop(worker->next);
    worker->next = NULL;
    worker->settled = WORKER_EMPTY;
    if (worker->state == WORKER_GONE)
        return;
    clear(worker);
    settle(worker);
}

/* --- tasks that begin ------------------------------------------------------------------------- */

/* The tile to begin next of its own list, or their count: rank 0 gives others near its end. */
static uint32_t next_listed(const struct worker *worker)
{
    const struct pool_tiles *tiles = worker->options->tiles;
    if (!tiles || !tiles->schedule->is_static)
        return tiles ? tiles->count : 0;
    return tiles->schedule->at(worker->listed, worker->number, worker->workers, tiles->count);
}

static bool next_task(const struct worker *worker, struct given *next, bool *own)
{
    const struct pool_tiles *tiles = worker->options->tiles;
    uint32_t listed = next_listed(worker);
    *own = tiles && listed != tiles->count;
    if (*own)
        *next = (struct given){.number = listed};
    else if (worker->given_count > 0)
        *next = worker->given[0];
    else
        return false;
    if (tiles) {
        const struct tile *tile = &tiles->tile[next->number];
        next->task = (struct pool_task){.epoch = tiles->epoch, .id = next->number};
        field_bytes(tile->width, tile->height, tiles->planes, tiles->count_bytes,
                    &next->task.result_bytes);
    }
    return true;
}

static void task_begun(struct worker *worker, bool own)
{
    if (own) {
        worker->listed++;
        return;
    }
    worker->given_count--;
    memmove(worker->given, worker->given + 1, (size_t)worker->given_count * sizeof *worker->given);
}

static struct running *slot_free(struct worker *worker)
{
    int i = 0;
    while (worker->running[i].taken)
        i++;
    assert(i < worker->options->credits);
    return &worker->running[i];
}

static void begin_tasks(struct worker *worker)
{
    struct given next;
    bool own;
    while (worker->state == WORKER_READY && !worker_full(worker) &&
           next_task(worker, &next, &own)) {
        const struct tile *tile = worker->site.tiles ? &worker->site.tiles[next.number] : NULL;
        struct running *running = slot_free(worker);
        *running = (struct running){.worker = worker,
                                    .sequence = worker->sequence,
                                    .number = next.number,
                                    .task = next.task};
        if (!worker->transport->reserve(worker->end, tile, next.task.result_bytes, &running->out))
            return;
        running->taken = true;
        task_begun(worker, own);
        executor_push(worker->executor,
                      &(struct executor_task){.function = compute, .argument = running});
    }
}

bool worker_give(struct worker *worker, uint32_t number, const struct pool_task *task)
{
    if (worker->state == WORKER_GONE)
        return true;
    if (worker->given_count == worker->options->credits)
        return false;
    assert(worker->state == WORKER_READY);
    worker->given[worker->given_count++] = (struct given){.number = number, .task = *task};
    begin_tasks(worker);
    return true;
}

/* --- tasks that end --------------------------------------------------------------------------- */

static void context_ended(struct worker *worker)
{
    if (worker->state != WORKER_PREPARING)
        return; /* overtaken */
    worker->state = worker->failure == STATUS_OK ? WORKER_READY : WORKER_FAILED;
    context_drop(worker->context);
    worker->context = NULL;
}

/* Called when the last thread is gone. */
static void gone(struct worker *worker, enum status status)
{
    drop_unbegun(worker);
    context_drop(worker->next);
    worker->next = NULL;
    worker->failure = status;
    snprintf(worker->failure_text, sizeof worker->failure_text, "%s", worker->text);
    worker->state = WORKER_GONE;
}

/* Is the task that has ended still wanted? */
static bool task_ended(struct worker *worker, const struct executor_task *ended,
                       struct worker_done *done)
{
    struct running *running = ended->argument;
    *done = (struct worker_done){.number = running->number,
                                 .task = running->task,
                                 .out = running->out,
                                 .status = ended->status,
                                 .text = worker->text,
                                 .iterations = running->iterations,
                                 .busy_s = ended->busy_s};
    bool wanted = running->sequence == worker->sequence;
    running->taken = false;
    if (!wanted || ended->status != STATUS_OK)
        worker_forget(worker, &running->out);
    if (!wanted) {
        worker->dropped.late += ended->status == STATUS_OK;
        worker->dropped.iterations += running->iterations;
        worker->dropped.busy_s += ended->busy_s;
    }
    if (ended->status == STATUS_DEVICE_LOST && worker_threads(worker) == 0)
        gone(worker, ended->status);
    return wanted;
}

/* Is there no memory for the next result, and nothing under way that would free any? */
static bool starved(struct worker *worker, struct worker_done *done)
{
    if (worker->options->tiles || worker->state != WORKER_READY || worker->given_count == 0 ||
        executor_load(worker->executor) > 0)
        return false;
    uint64_t left;
    if (worker_progress(worker, &left) != STATUS_OK || left > 0)
        return false;
    begin_tasks(worker); /* memory may have just become free */
    if (executor_load(worker->executor) > 0)
        return false;
    const struct pool_task *task = &worker->given[0].task;
    *done = (struct worker_done){
        .number = worker->given[0].number, .task = *task, .text = worker->text};
    done->status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a result of %zu bytes",
                               task->result_bytes);
    snprintf(worker->text, sizeof worker->text, "%s", status_text());
    task_begun(worker, false);
    return true;
}

bool worker_take(struct worker *worker, struct worker_done *done)
{
    struct executor_task ended;
    settle(worker);
    begin_tasks(worker);
    while (executor_pop(worker->executor, &ended, worker->text)) {
        bool wanted = false;
        if (ended.function == prepare)
            context_ended(worker);
        else
            wanted = task_ended(worker, &ended, done);
        settle(worker);
        begin_tasks(worker); /* before others hear of what is done */
        if (wanted)
            return true;
    }
    return starved(worker, done);
}

/* --- results that leave ----------------------------------------------------------------------- */

enum status worker_send(struct worker *worker, struct message *message,
                        const struct worker_done *done)
{
    message->task = done->number;
    message->length = done->task.result_bytes;
    message->iterations = done->iterations;
    message->busy_s = done->busy_s;
    return worker->transport->send(worker->end, message, &done->out);
}

void worker_forget(struct worker *worker, const struct field *out)
{
    if (worker->transport->forget)
        worker->transport->forget(worker->end, out);
}

enum status worker_progress(struct worker *worker, uint64_t *left)
{
    *left = 0;
    return worker->transport->progress ? worker->transport->progress(worker->end, left) : STATUS_OK;
}

const void *worker_share(const struct worker *worker, uint64_t *bytes)
{
    *bytes = 0;
    return worker->transport->share ? worker->transport->share(worker->end, bytes) : NULL;
}

/* --- questions -------------------------------------------------------------------------------- */

bool worker_has_ended(const struct worker *worker)
{
    return executor_has_ended(worker->executor);
}

enum worker_state worker_state(const struct worker *worker)
{
    return worker->state;
}

enum status worker_failure(const struct worker *worker)
{
    return status_fail(worker->failure, "%s", worker->failure_text);
}

int worker_threads(const struct worker *worker)
{
    return executor_alive(worker->executor);
}

bool worker_runs(const struct worker *worker)
{
    return executor_load(worker->executor) > 0;
}

bool worker_full(const struct worker *worker)
{
    return executor_load(worker->executor) == worker->options->credits;
}

uint64_t worker_bytes(const struct worker *worker)
{
    return worker->end && worker->transport->sent ? worker->transport->sent(worker->end) : 0;
}

struct worker_tally worker_dropped(const struct worker *worker)
{
    return worker->dropped;
}
