#include "decomposition/job_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"
#include "decomposition/presence.h"

enum {
    COMMAND_SLOTS = 2,
    /* With full lanes nothing is urgent but a cancel; each look costs a few microseconds of the
     * core that computes. The end of a tile wakes the thread at once. */
    BUSY_NAP_US = 1000
};

enum status job_stopped(const struct job *job)
{
    if (job->stop && __atomic_load_n(job->stop, __ATOMIC_RELAXED))
        return status_fail(STATUS_STOPPED, "stopped on request");
    return STATUS_OK;
}

/* --- the worker side of any rank -------------------------------------------------------------- */

enum status worker_open(struct worker *worker)
{
    struct world *world = worker->world;
    const struct job *job = worker->job;
    worker->start_s = clock_s();
    memcpy(worker->tally.host, world->host, sizeof worker->tally.host);
    if (world->rank != 0)
        TRY(inbox_open(&worker->inbox, world, job->epoch, COMMAND_SLOTS, 0, NULL));
    if (job->lanes == 0)
        return STATUS_OK;
    worker->tally.computes = 1;
    worker->tally.lanes = job->lanes;
    worker->given = calloc((size_t)job->credits, sizeof *worker->given);
    if (!worker->given)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d tiles", job->credits);
    TRY(worker->road->open(&worker->end, &worker->site));
    worker->threads = job->threads;
    if (!worker->threads)
        TRY(lanes_open(&worker->threads));
    TRY(lanes_begin(worker->threads, job));
    worker->lanes = worker->threads;
    return STATUS_OK;
}

void worker_close(struct worker *worker)
{
    lanes_end(worker->lanes); /* before the memory they may be writing to is given back */
    if (worker->job && !worker->job->threads)
        lanes_close(worker->threads);
    if (worker->end)
        worker->road->close(worker->end);
    inbox_close(worker->inbox);
    free(worker->given);
}

void worker_give(struct worker *worker, uint32_t tile)
{
    assert(worker->given_count < (uint32_t)worker->job->credits);
    worker->given[worker->given_count++] = tile;
}

static int load(const struct worker *worker)
{
    return worker->lanes ? lanes_load(worker->lanes) : 0;
}

/* Forgets what has not begun. */
static void drop_all(struct worker *worker)
{
    struct lane_task task;
    while (worker->lanes && lanes_take_back(worker->lanes, &task))
        worker->road->forget(worker->end, &task.field);
    worker->given_count = 0;
}

/* The tile to begin next, or tile_count. Its own list first: rank 0 gives others near its end. */
static uint32_t next_tile(const struct worker *worker, bool *own)
{
    const struct job *job = worker->job;
    uint32_t tile = job->tile_count;
    if (job->schedule->is_static)
        tile = job->schedule->at(worker->listed, worker->number, worker->workers, job->tile_count);
    *own = tile != job->tile_count;
    return *own || worker->given_count == 0 ? tile : worker->given[0];
}

static void tile_begun(struct worker *worker, bool own)
{
    if (own) {
        worker->listed++;
        return;
    }
    worker->given_count--;
    memmove(worker->given, worker->given + 1, worker->given_count * sizeof *worker->given);
}

static void begin_tiles(struct worker *worker, bool *moved)
{
    const struct job *job = worker->job;
    while (load(worker) < job->credits && lanes_alive(worker->lanes) > 0) {
        bool own;
        struct lane_task task = {.tile = next_tile(worker, &own)};
        if (task.tile == job->tile_count ||
            !worker->road->place(worker->end, &job->tiles[task.tile], &task.field))
            break;
        tile_begun(worker, own);
        lanes_push(worker->lanes, &task);
        *moved = true;
    }
}

static enum status send_tile(struct worker *worker, const struct lane_task *task)
{
    const struct field *field = &task->field;
    size_t bytes;
    TRY(field_bytes(field->width, field->height, field->planes, field->count_bytes, &bytes));
    struct message message = {.epoch = worker->job->epoch,
                              .tile = task->tile,
                              .length = bytes,
                              .iterations = task->iterations,
                              .busy_s = task->busy_s};
    worker->tally.tiles++;
    worker->tally.iterations += task->iterations;
    worker->tally.busy_s += task->busy_s;
    TRY(worker->road->send(worker->end, &message, field));
    worker->tally.bytes_sent += worker->road->in_place ? 0 : bytes; /* rank 0 waits for as many */
    return STATUS_OK;
}

static void fill_note(struct failure_note *note, const struct world *world, const char *text)
{
    memset(note, 0, sizeof *note);
    memcpy(note->host, world->host, sizeof note->host);
    snprintf(note->text, sizeof note->text, "%s", text);
}

/* A lane has ended over this task. Without lanes, all that this rank has is for others. */
static enum status lose_tile(struct worker *worker, const struct lane_task *task, const char *text)
{
    int left = lanes_alive(worker->lanes);
    worker->tally.lanes_lost++;
    worker->tally.busy_s += task->busy_s;
    worker->road->forget(worker->end, &task->field);
    if (left == 0)
        drop_all(worker);
    if (worker->root)
        return root_own_loss(worker->root, task->tile, left, text);
    struct failure_note note;
    fill_note(&note, worker->world, text);
    note.lanes_left = left;
    struct message message = {.kind = MESSAGE_LOST,
                              .status = STATUS_DEVICE_LOST,
                              .epoch = worker->job->epoch,
                              .tile = task->tile};
    return outbox_post(worker->world, 0, &message, &note, sizeof note);
}

static enum status send_tiles(struct worker *worker, bool *moved)
{
    struct lane_task task;
    char text[STATUS_TEXT_BYTES];
    while (lanes_pop(worker->lanes, &task, text)) {
        *moved = true;
        if (task.status == STATUS_OK)
            TRY(send_tile(worker, &task));
        else if (task.status == STATUS_DEVICE_LOST)
            TRY(lose_tile(worker, &task, text));
        else if (!worker->root || !root_complete(worker->root))
            return status_fail(task.status, "%s", text);
    }
    return STATUS_OK;
}

enum status worker_step(struct worker *worker, bool *moved)
{
    if (!worker->lanes)
        return STATUS_OK;
    TRY(send_tiles(worker, moved));
    begin_tiles(worker, moved);
    return STATUS_OK;
}

void worker_give_up(struct worker *worker)
{
    if (worker->job->give_up)
        __atomic_store_n(worker->job->give_up, 1, __ATOMIC_RELAXED);
    drop_all(worker);
}

bool worker_idle(struct worker *worker)
{
    struct lane_task task;
    char text[STATUS_TEXT_BYTES];
    while (worker->lanes && lanes_pop(worker->lanes, &task, text))
        worker->tally.lanes_lost += task.status == STATUS_DEVICE_LOST;
    return load(worker) == 0;
}

void worker_wait(struct worker *worker, unsigned microseconds)
{
    if (microseconds == 0 || !worker->lanes)
        patience_nap(microseconds);
    else
        lanes_wait(worker->lanes, microseconds);
}

struct job_rank worker_tally(const struct worker *worker)
{
    struct job_rank tally = worker->tally;
    double wait_s = (clock_s() - worker->start_s) * tally.lanes - tally.busy_s;
    tally.wait_s = wait_s > 0 ? wait_s : 0;
    return tally;
}

/* --- a rank > 0 and its rank 0 ---------------------------------------------------------------- */

struct remote { /* the state of worker_run */
    struct worker *worker;
    bool ended;    /* rank 0 sent END */
    bool good;     /* and all was well */
    bool failed;   /* something failed here, and rank 0 has been told */
    bool useless;  /* given up */
    uint64_t left; /* pieces of pixels that have not left */
    struct patience patience;
};

static void give_up(struct remote *remote)
{
    if (!remote->useless)
        worker_give_up(remote->worker);
    remote->useless = true;
}

/* Tells rank 0, once, that this rank failed with `status` and status_text(). */
static enum status report_failure(struct remote *remote, enum status status)
{
    give_up(remote);
    if (remote->failed)
        return STATUS_OK;
    remote->failed = true;
    const struct worker *worker = remote->worker;
    struct failure_note note;
    fill_note(&note, worker->world, status_text());
    struct message message = {.kind = MESSAGE_FAIL, .status = status, .epoch = worker->job->epoch};
    return outbox_post(worker->world, 0, &message, &note, sizeof note);
}

static enum status obey(struct remote *remote, const struct arrival *arrival)
{
    struct worker *worker = remote->worker;
    const struct message *message = &arrival->message;
    switch (message->kind) {
    case MESSAGE_TAKE:
        if (message->tile >= worker->job->tile_count ||
            worker->given_count == (uint32_t)worker->job->credits)
            return status_fail(STATUS_INTERNAL, "rank 0 asked for tile %u of %u beyond the credit",
                               message->tile, worker->job->tile_count);
        if (!remote->useless && worker->lanes && lanes_alive(worker->lanes) > 0)
            worker_give(worker, message->tile);
        return STATUS_OK;
    case MESSAGE_END:
        remote->ended = true;
        remote->good = message->status == STATUS_OK;
        return STATUS_OK;
    default:
        return status_fail(STATUS_INTERNAL, "rank 0 sent a message of kind %d", message->kind);
    }
}

/* Has rank 0 declared this epoch useless? Older ones are leftovers of a job that is over. */
static enum status look_for_cancel(struct remote *remote)
{
    const struct world *world = remote->worker->world;
    for (int flag = 0;;) {
        TRY_MPI(MPI_Iprobe(0, MPI_ANY_TAG, world->cancel, &flag, MPI_STATUS_IGNORE));
        if (!flag)
            return STATUS_OK;
        uint64_t epoch = 0;
        TRY_MPI(
            MPI_Recv(&epoch, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, world->cancel, MPI_STATUS_IGNORE));
        if (epoch >= remote->worker->job->epoch)
            give_up(remote);
    }
}

static enum status listen(struct remote *remote, bool *moved)
{
    struct inbox *inbox = remote->worker->inbox;
    struct arrival arrival = {0};
    TRY(look_for_cancel(remote));
    for (;;) {
        bool any = false;
        enum status status = inbox_poll(inbox, &arrival, &any);
        if (status != STATUS_OK) {
            remote->ended |= any && arrival.message.kind == MESSAGE_END;
            return status;
        }
        if (!any)
            return STATUS_OK;
        *moved = true;
        status = obey(remote, &arrival);
        inbox_release(inbox, &arrival);
        TRY(status);
    }
}

static void rest(struct remote *remote, bool moved)
{
    presence_beat(remote->worker->world);
    if (moved) {
        remote->patience.idle = 0;
        return;
    }
    const struct worker *worker = remote->worker;
    bool full = worker->lanes && load(worker) == worker->job->credits && remote->left == 0;
    worker_wait(remote->worker, patience_us(&remote->patience, full ? BUSY_NAP_US : NAP_MOST_US));
}

static enum status send_pixels(struct remote *remote, bool *moved)
{
    struct worker *worker = remote->worker;
    uint64_t before = remote->left;
    if (worker->lanes)
        TRY(worker->road->progress(worker->end, &remote->left));
    *moved |= remote->left < before;
    return STATUS_OK;
}

/* One round of everything. Only a failure to report a failure comes back. */
static enum status round_of_work(struct remote *remote)
{
    struct worker *worker = remote->worker;
    bool moved = false;
    enum status status = listen(remote, &moved);
    if (status == STATUS_OK)
        status = job_stopped(worker->job);
    if (status == STATUS_OK && !remote->useless)
        status = worker_step(worker, &moved);
    if (remote->useless)
        worker_idle(worker); /* what is still finished would wake rest() at once */
    if (status == STATUS_OK)
        status = send_pixels(remote, &moved);
    rest(remote, moved);
    return status == STATUS_OK ? STATUS_OK : report_failure(remote, status);
}

/* After END: lets the last pixels leave. What is still being computed, nobody waits for. */
static enum status wind_down(struct remote *remote)
{
    struct worker *worker = remote->worker;
    if (!remote->good || !worker_idle(worker))
        give_up(remote);
    if (remote->good && worker->lanes && worker->road->release)
        worker->road->release(worker->end);
    remote->patience.idle = 0;
    for (;;) {
        bool idle = worker_idle(worker), moved = false;
        TRY(send_pixels(remote, &moved));
        if (idle && remote->left == 0)
            return look_for_cancel(remote);
        rest(remote, moved);
    }
}

enum status worker_run(struct worker *worker)
{
    struct remote remote = {.worker = worker, .patience = {.spin_us = worker->job->spin_us}};
    while (!remote.ended)
        TRY(round_of_work(&remote));
    TRY(wind_down(&remote));
    struct job_rank tally = worker_tally(worker);
    struct message bye = {.kind = MESSAGE_BYE, .epoch = worker->job->epoch};
    bool kept = !remote.good && worker->lanes && worker->road->release;
    bye.offset = kept ? 0 : tally.bytes_sent;
    return outbox_post(worker->world, 0, &bye, &tally, sizeof tally);
}
