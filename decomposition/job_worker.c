#include "decomposition/job_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"

enum {
    COMMAND_SLOTS = 2,
    /* With a full lane nothing is urgent but a cancel; each look costs a few microseconds of the
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

enum status worker_open(struct worker *worker, uint32_t number, uint32_t workers)
{
    struct world *world = worker->world;
    worker->number = number;
    worker->workers = workers;
    worker->start_s = clock_s();
    worker->tally.computes = 1;
    memcpy(worker->tally.host, world->host, sizeof worker->tally.host);
    if (world->rank != 0)
        TRY(inbox_open(&worker->inbox, world, worker->job->epoch, COMMAND_SLOTS, 0));
    TRY(worker->road->open(&worker->end, &worker->site));
    return lane_open(&worker->lane, worker->job);
}

void worker_close(struct worker *worker)
{
    lane_close(worker->lane); /* before the memory it may be writing to */
    if (worker->road)
        worker->road->close(worker->end);
    inbox_close(worker->inbox);
}

void worker_give(struct worker *worker, uint32_t tile)
{
    assert(worker->given_count < SCHEDULE_CREDITS);
    worker->given[worker->given_count++] = tile;
}

/* The tile to begin next, or tile_count. */
static uint32_t next_tile(const struct worker *worker)
{
    const struct job *job = worker->job;
    if (job->schedule->is_static)
        return job->schedule->at(worker->listed, worker->number, worker->workers, job->tile_count);
    return worker->given_count ? worker->given[0] : job->tile_count;
}

static void tile_begun(struct worker *worker)
{
    if (worker->job->schedule->is_static) {
        worker->listed++;
        return;
    }
    worker->given_count--;
    memmove(worker->given, worker->given + 1, worker->given_count * sizeof *worker->given);
}

static enum status begin_tiles(struct worker *worker, bool *moved)
{
    const struct job *job = worker->job;
    while (lane_load(worker->lane) < LANE_DEPTH) {
        struct lane_task task = {.tile = next_tile(worker)};
        if (task.tile == job->tile_count)
            break;
        const struct tile *tile = &job->tiles[task.tile];
        size_t bytes;
        TRY(field_bytes(tile->width, tile->height, job->planes, job->count_bytes, &bytes));
        void *memory = worker->road->place(worker->end, bytes);
        if (!memory)
            break;
        field_over(&task.field, tile->width, tile->height, job->planes, job->count_bytes, memory);
        tile_begun(worker);
        lane_push(worker->lane, &task);
        *moved = true;
    }
    return STATUS_OK;
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
    worker->tally.bytes_sent += worker->world->rank ? bytes : 0;
    return worker->road->send(worker->end, &message, field->base);
}

static enum status send_tiles(struct worker *worker, bool *moved)
{
    struct lane_task task;
    char text[STATUS_TEXT_BYTES];
    while (lane_pop(worker->lane, &task, text)) {
        *moved = true;
        if (task.status != STATUS_OK)
            return status_fail(task.status, "%s", text);
        TRY(send_tile(worker, &task));
    }
    return STATUS_OK;
}

enum status worker_step(struct worker *worker, bool *moved)
{
    TRY(send_tiles(worker, moved));
    return begin_tiles(worker, moved);
}

void worker_give_up(struct worker *worker)
{
    if (worker->job->give_up)
        __atomic_store_n(worker->job->give_up, 1, __ATOMIC_RELAXED);
    lane_drop(worker->lane);
    worker->given_count = 0;
}

bool worker_idle(struct worker *worker)
{
    struct lane_task task;
    char text[STATUS_TEXT_BYTES];
    while (lane_pop(worker->lane, &task, text))
        ;
    return lane_load(worker->lane) == 0;
}

void worker_wait(struct worker *worker, unsigned microseconds)
{
    if (microseconds == 0)
        patience_nap(0);
    else
        lane_wait(worker->lane, microseconds);
}

struct job_rank worker_tally(const struct worker *worker)
{
    struct job_rank tally = worker->tally;
    double wait_s = clock_s() - worker->start_s - tally.busy_s;
    tally.wait_s = wait_s > 0 ? wait_s : 0;
    return tally;
}

/* --- a rank > 0 and its rank 0 ---------------------------------------------------------------- */

struct remote { /* the state of worker_run */
    struct worker *worker;
    bool ended;   /* rank 0 sent END */
    bool good;    /* and all was well */
    bool failed;  /* something failed here, and rank 0 has been told */
    bool useless; /* given up */
    int under_way;
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
    struct failure_note note = {{0}, {0}};
    memcpy(note.host, worker->world->host, sizeof note.host);
    snprintf(note.text, sizeof note.text, "%s", status_text());
    struct message message = {.kind = MESSAGE_FAIL, .status = status, .epoch = worker->job->epoch};
    return outbox_post(worker->world, 0, &message, &note, sizeof note);
}

static enum status obey(struct remote *remote, const struct arrival *arrival)
{
    struct worker *worker = remote->worker;
    const struct message *message = &arrival->message;
    switch (message->kind) {
    case MESSAGE_TAKE:
        if (message->tile >= worker->job->tile_count || worker->given_count == SCHEDULE_CREDITS)
            return status_fail(STATUS_INTERNAL, "rank 0 asked for tile %u of %u beyond the credit",
                               message->tile, worker->job->tile_count);
        if (!remote->useless)
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
    if (moved) {
        remote->patience.idle = 0;
        return;
    }
    bool full = lane_load(remote->worker->lane) == LANE_DEPTH && remote->under_way == 0;
    worker_wait(remote->worker, patience_us(&remote->patience, full ? BUSY_NAP_US : NAP_MOST_US));
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
        status = worker->road->progress(worker->end, &remote->under_way);
    rest(remote, moved);
    return status == STATUS_OK ? STATUS_OK : report_failure(remote, status);
}

/* After END: lets the running tile end and the last messages leave. */
static enum status wind_down(struct remote *remote)
{
    struct worker *worker = remote->worker;
    if (!remote->good)
        give_up(remote);
    remote->patience.idle = 0;
    for (;;) {
        bool idle = worker_idle(worker);
        TRY(worker->road->progress(worker->end, &remote->under_way));
        if (idle && remote->under_way == 0)
            return look_for_cancel(remote);
        rest(remote, false);
    }
}

enum status worker_run(struct worker *worker)
{
    struct remote remote = {.worker = worker};
    while (!remote.ended)
        TRY(round_of_work(&remote));
    TRY(wind_down(&remote));
    enum status status = remote.good ? worker->road->collect(worker->end) : STATUS_OK;
    if (status != STATUS_OK)
        TRY(report_failure(&remote, status));
    struct message bye = {.kind = MESSAGE_BYE, .epoch = worker->job->epoch};
    struct job_rank tally = worker_tally(worker);
    return outbox_post(worker->world, 0, &bye, &tally, sizeof tally);
}
