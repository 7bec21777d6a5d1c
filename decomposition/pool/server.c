#include "decomposition/pool/server.h"

#include <stdio.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "decomposition/transport/gather.h"
#include "decomposition/world/inbox.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/presence.h"
#include "decomposition/world/world_comm.h"
#include "kernels/stop.h"

enum {
    ORDER_SLOTS = 8,    /* receives open at a time */
    IDLE_NAP_US = 900,  /* of a viewer: what an instruction may have to wait where nobody wakes */
    MOVING_NAP_US = 20, /* large messages go on only when MPI is called, piece by piece */
    /* Of a picture, with full threads: nothing is urgent but the end; each look costs a few
     * microseconds of the core that computes. The end of a tile wakes at once. */
    BUSY_NAP_US = 1000
};
static const double beat_interval_s = 0.1; /* presence.h decides whether it is time */
static const double awake_s = 0.03;        /* after the event: what it was set for may come later */
static const double asleep_s = 1;          /* at most, should an event have been missed */

struct server {
    struct world *world;
    const struct pool_options *options;
    struct worker *worker; /* NULL: this rank does not compute */
    struct event *event;
    bool woken;
    struct inbox *inbox;
    uint32_t turn;          /* of the last instruction */
    uint32_t told;          /* of the last READY */
    int threads_told;       /* that this worker has left, as rank 0 knows it */
    struct context *coming; /* its bytes are on their way; NULL: none are, ... */
    size_t cut_bytes;       /* ... or they are cut off, for want of memory for so many; 0: not so */
    uint64_t checksum;
    MPI_Request request;  /* of theirs; MPI_REQUEST_NULL: none */
    uint64_t left;        /* of results: what has not left */
    double awake_until_s; /* where the event tells of everything; on the clock */
    MPI_Request gather;   /* of what was kept; MPI_REQUEST_NULL: not under way */
    bool ended;           /* rank 0 has said so */
    bool failed;          /* and rank 0 has been told */
    struct patience patience;
};

enum status server_open(struct server **out, struct world *world,
                        const struct pool_options *options, struct worker *worker,
                        struct event *event)
{
    struct server *server = *out = calloc(1, sizeof *server);
    if (!server)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a pool");
    *server = (struct server){.world = world,
                              .options = options,
                              .worker = worker,
                              .event = event,
                              .threads_told = worker ? worker_threads(worker) : 0,
                              .request = MPI_REQUEST_NULL,
                              .gather = MPI_REQUEST_NULL,
                              .patience = {.spin_us = options->spin_us}};
    uint64_t epoch = options->tiles ? options->tiles->epoch : 0;
    return inbox_open(&server->inbox, world, epoch, ORDER_SLOTS, sizeof(struct pool_task), NULL);
}

void server_close(struct server *server)
{
    if (!server)
        return;
    inbox_close(server->inbox);
    if (server->request == MPI_REQUEST_NULL) /* else MPI may still write it */
        context_drop(server->coming);
    free(server);
}

/* --- to rank 0 -------------------------------------------------------------------------------- */

static struct message header(const struct server *server, enum message_kind kind,
                             enum status status)
{
    return (struct message){.kind = kind,
                            .status = status,
                            .epoch = server->options->tiles ? server->options->tiles->epoch : 0,
                            .turn = server->turn};
}

static struct pool_note note_of(const struct server *server, const char *text)
{
    struct pool_note note = {.threads_left = server->worker ? worker_threads(server->worker) : 0};
    snprintf(note.text, sizeof note.text, "%s", text);
    return note;
}

/* Is there nothing in a note that rank 0 does not know? Then a message is one message of MPI, not
 * two: who moves a view waits for both on cores that compute. */
static bool note_is_idle(struct server *server, enum message_kind kind, enum status status,
                         const struct pool_note *note)
{
    bool same = note->threads_left == server->threads_told;
    if (kind != MESSAGE_GOT)
        server->threads_told = note->threads_left;
    return kind == MESSAGE_GOT || (kind == MESSAGE_READY && status == STATUS_OK && same);
}

/* A word about this worker itself; with status_text() if it is of a failure. */
static enum status server_say(struct server *server, enum message_kind kind, enum status status)
{
    struct message message = header(server, kind, status);
    struct pool_note note = note_of(server, status == STATUS_OK ? "" : status_text());
    if (server->worker) {
        struct worker_tally dropped = worker_dropped(server->worker);
        message.offset = kind == MESSAGE_BYE ? worker_bytes(server->worker) : dropped.late;
        if (server->options->tiles && kind == MESSAGE_GOT)
            worker_share(server->worker, &message.offset);
        message.iterations = dropped.iterations;
        message.busy_s = dropped.busy_s;
    }
    bool idle = note_is_idle(server, kind, status, &note);
    return outbox_post(server->world, 0, &message, &note, idle ? 0 : sizeof note);
}

static enum status send_done(struct server *server, const struct worker_done *done)
{
    struct message message = header(server, MESSAGE_DONE, done->status);
    if (done->status == STATUS_OK)
        return worker_send(server->worker, &message, done);
    message.task = done->number;
    message.iterations = done->iterations;
    message.busy_s = done->busy_s;
    struct pool_note note = note_of(server, done->text);
    return outbox_post(server->world, 0, &message, &note, sizeof note);
}

/* Whatever the worker has finished, and what its transport still has. */
static enum status send_all(struct server *server, bool *moved)
{
    struct worker_done done;
    uint64_t before = server->left;
    if (!server->worker)
        return STATUS_OK;
    while (worker_take(server->worker, &done)) {
        *moved = true;
        if (!server->failed)
            TRY(send_done(server, &done));
        else if (done.status == STATUS_OK)
            worker_forget(server->worker, &done.out);
    }
    TRY(worker_progress(server->worker, &server->left));
    *moved |= server->left < before;
    return STATUS_OK;
}

static enum status test_gather(struct server *server, bool *moved)
{
    int done = 0;
    if (server->gather == MPI_REQUEST_NULL)
        return STATUS_OK;
    int result = MPI_Test(&server->gather, &done, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS)
        server->gather = MPI_REQUEST_NULL;
    *moved |= done;
    return world_check(result, "MPI_Test");
}

/* Is this worker ready for the last instruction? One that is gone may have lost its last thread
 * over what had become useless, of which nothing else is said. */
static enum status tell_state(struct server *server, bool *moved)
{
    if (!server->worker || server->told == server->turn)
        return STATUS_OK;
    enum worker_state state = worker_state(server->worker);
    if (state != WORKER_READY && state != WORKER_FAILED && state != WORKER_GONE)
        return STATUS_OK;
    server->told = server->turn;
    *moved = true;
    return server_say(server, MESSAGE_READY,
                      state == WORKER_READY ? STATUS_OK : worker_failure(server->worker));
}

static bool context_comes(const struct server *server)
{
    return server->coming || server->cut_bytes > 0;
}

/* Is there anything that rank 0 waits for? */
static bool works(const struct server *server)
{
    return server->options->tiles || context_comes(server) ||
           (server->worker && worker_runs(server->worker));
}

/* --- from rank 0 ------------------------------------------------------------------------------ */

/* Everything older is useless from now on; the bytes may take a while. */
static enum status expect_context(struct server *server, const struct message *message)
{
    if (context_comes(server) || !server->worker)
        return status_fail(STATUS_INTERNAL, "rank 0 sent a context that was not asked for");
    server->turn = message->turn;
    server->checksum = message->checksum;
    worker_end(server->worker);
    enum status status = context_make(&server->coming, message->offset, message->length);
    if (message->length == 0)
        return status;
    /* Without memory, too: rank 0's send is to come to its end. */
    server->cut_bytes = status == STATUS_OK ? 0 : message->length;
    void *bytes = server->coming ? server->coming->bytes : NULL;
    int units = server->coming ? (int)(message_padded(message->length) / MESSAGE_UNIT) : 0;
    TRY_MPI(MPI_Irecv(bytes, units, server->world->unit, 0, MPI_ANY_TAG, server->world->pixels,
                      &server->request));
    return STATUS_OK;
}

/* Have the bytes come? Those that are cut off are an error to MPI, which is expected. */
static enum status context_test(struct server *server, bool *come)
{
    int done = 1, result = MPI_SUCCESS;
    if (server->request != MPI_REQUEST_NULL)
        result = MPI_Test(&server->request, &done, MPI_STATUS_IGNORE);
    *come = done || result != MPI_SUCCESS;
    if (result == MPI_SUCCESS || server->cut_bytes == 0)
        return world_check(result, "MPI_Test");
    server->request = MPI_REQUEST_NULL;
    return STATUS_OK;
}

static enum status context_check(const struct server *server, const struct context *context)
{
    if (!context)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context of %zu bytes",
                           server->cut_bytes);
    if (context->length && message_checksum(context->bytes, context->length) != server->checksum)
        return status_fail(STATUS_INTERNAL, "a context of %zu bytes arrived damaged",
                           context->length);
    return STATUS_OK;
}

static enum status take_context(struct server *server, bool *moved)
{
    bool come = false;
    if (context_comes(server))
        TRY(context_test(server, &come));
    if (!come)
        return STATUS_OK;
    *moved = true;
    struct context *context = server->coming;
    enum status status = context_check(server, context);
    server->coming = NULL;
    server->cut_bytes = 0;
    if (status == STATUS_OK && !server->ended && !server->failed)
        worker_context(server->worker, context);
    context_drop(context);
    TRY(server_say(server, MESSAGE_GOT, STATUS_OK));
    if (status == STATUS_OK)
        return STATUS_OK;
    server->told = server->turn;
    return server_say(server, MESSAGE_READY, status);
}

/* A picture has no more tasks to come: each of its tiles is done. */
static enum status cancel(struct server *server, const struct message *message)
{
    server->turn = message->turn;
    if (server->worker)
        (server->options->tiles ? worker_end : worker_cancel)(server->worker);
    return server_say(server, MESSAGE_GOT, STATUS_OK);
}

static enum status take_task(struct server *server, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    const struct pool_tiles *tiles = server->options->tiles;
    const struct pool_task none = {.id = message->task}, *task = &none;
    if (server->failed || server->ended)
        return STATUS_OK;
    bool sane = server->worker && !context_comes(server) && message->turn == server->turn &&
                message->length == (tiles ? 0 : sizeof *task) &&
                (!tiles || message->task < tiles->count);
    enum worker_state state = sane ? worker_state(server->worker) : WORKER_EMPTY;
    if (!sane || (state != WORKER_READY && state != WORKER_GONE))
        return status_fail(STATUS_INTERNAL, "rank 0 gave task %u, which was not asked for",
                           message->task);
    if (!tiles) {
        task = arrival->payload;
        TRY(message_verify(message, task));
    }
    if (!worker_give(server->worker, message->task, task))
        return status_fail(STATUS_INTERNAL, "rank 0 gave task %u beyond the credits",
                           message->task);
    return STATUS_OK;
}

static enum status join(struct server *server)
{
    uint64_t bytes = 0;
    const void *share = server->worker ? worker_share(server->worker, &bytes) : NULL;
    return gather_join(server->world, share, bytes, &server->gather);
}

static void server_end(struct server *server)
{
    server->ended = true;
    if (server->worker)
        worker_end(server->worker);
}

static enum status obey(struct server *server, const struct arrival *arrival)
{
    switch (arrival->message.kind) {
    case MESSAGE_CONTEXT:
        return expect_context(server, &arrival->message);
    case MESSAGE_CANCEL:
        return cancel(server, &arrival->message);
    case MESSAGE_GATHER:
        return join(server);
    case MESSAGE_TASK:
        return take_task(server, arrival);
    case MESSAGE_END:
        server_end(server);
        return STATUS_OK;
    default:
        return status_fail(STATUS_INTERNAL, "rank 0 sent a message of kind %d",
                           arrival->message.kind);
    }
}

static enum status listen(struct server *server, bool *moved)
{
    for (;;) {
        struct arrival arrival = {0};
        bool any = false;
        enum status status = inbox_poll(server->inbox, &arrival, &any);
        if (status != STATUS_OK) {
            server->ended |= any && arrival.message.kind == MESSAGE_END;
            return status;
        }
        if (!any)
            return STATUS_OK;
        *moved = true;
        status = obey(server, &arrival);
        inbox_release(server->inbox, &arrival);
        TRY(status);
    }
}

/* --- the course of it ------------------------------------------------------------------------- */

/* Rank 0 is told, once, that this rank can do no more. */
static enum status fail(struct server *server, enum status status)
{
    if (server->failed)
        return STATUS_OK;
    server->failed = true;
    enum status told = server_say(server, MESSAGE_FAIL, status);
    if (server->worker)
        worker_end(server->worker);
    return told;
}

/* Has somebody on this rank asked to stop? */
static enum status look_for_stop(const struct server *server)
{
    const struct pool_tiles *tiles = server->options->tiles;
    if (tiles && stop_asked(tiles->stop))
        return status_fail(STATUS_STOPPED, "stopped on request");
    return STATUS_OK;
}

/* Of a viewer: how long nothing need be looked for: until the event, where rank 0 can set it.
 * Messages that are on their way get here by looking only; and the end has its time. */
static int64_t sleep_us(struct server *server)
{
    double now_s = clock_s(), until_s = now_s + (works(server) ? beat_interval_s : asleep_s);
    bool moving = context_comes(server) || server->left > 0 || !inbox_quiet(server->inbox);
    if (moving || server->ended || !server->woken || now_s <= server->awake_until_s) {
        unsigned nap_us = patience_us(&server->patience, moving ? MOVING_NAP_US : IDLE_NAP_US);
        return nap_us ? nap_us : 1;
    }
    return 1 + (int64_t)(1e6 * (until_s - now_s));
}

/* Of a picture. */
static int64_t nap_us(struct server *server)
{
    bool full = server->worker && worker_full(server->worker) && server->left == 0;
    if (server->gather != MPI_REQUEST_NULL)
        return patience_us(&server->patience, MOVING_NAP_US);
    return patience_us(&server->patience, full ? BUSY_NAP_US : NAP_MOST_US);
}

static void rest(struct server *server, bool moved)
{
    if (works(server))
        presence_beat(server->world);
    else
        presence_root(server->world);
    if (moved ||
        event_wait(server->event, server->options->tiles ? nap_us(server) : sleep_us(server))) {
        server->patience.idle = 0;
        server->awake_until_s = clock_s() + awake_s;
    }
}

/* One round of everything. Only a failure to tell of a failure comes back. */
static enum status round_of_work(struct server *server)
{
    bool moved = false;
    enum status status = listen(server, &moved);
    if (status == STATUS_OK && !server->ended)
        status = look_for_stop(server);
    if (status == STATUS_OK)
        status = take_context(server, &moved);
    if (status == STATUS_OK)
        status = send_all(server, &moved);
    if (status == STATUS_OK)
        status = test_gather(server, &moved);
    if (status == STATUS_OK)
        status = tell_state(server, &moved);
    if (status != STATUS_OK)
        TRY(fail(server, status));
    rest(server, moved);
    return STATUS_OK;
}

static enum status stuck(const struct server *server)
{
    return status_fail(STATUS_SYSTEM,
                       "rank %d on %s has not ended %.1f s after it was told to give up",
                       server->world->rank, server->world->host, server->options->patience_s);
}

/* Lets everything come to its end; in a viewer not for ever. */
static enum status wind_down(struct server *server)
{
    double until_s = clock_s() + server->options->patience_s;
    bool patient = server->options->tiles != NULL;
    while (context_comes(server) || server->left > 0 || server->gather != MPI_REQUEST_NULL ||
           !inbox_quiet(server->inbox) || (server->worker && worker_runs(server->worker))) {
        if (!patient && clock_s() > until_s)
            return stuck(server);
        TRY(round_of_work(server));
    }
    return STATUS_OK;
}

enum status server_run(struct server *server, bool woken)
{
    server->woken = woken;
    while (!server->ended)
        TRY(round_of_work(server));
    enum status status = wind_down(server);
    TRY(server_say(server, MESSAGE_BYE, status));
    return status == STATUS_OK ? status : stuck(server);
}
