#include "decomposition/pool/server.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "decomposition/transport/gather.h"
#include "decomposition/world/inbox.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/presence.h"
#include "decomposition/world/world_comm.h"
#include "kernels/stop.h"

enum {
    ORDER_SLOTS = 8,   /* receives open at a time */
    IDLE_NAP_US = 900, /* viewer: time that an instruction may have to wait where rank 0 cannot wake
                        */
    /* Picture, with full threads: nothing is urgent but the end; each poll costs a few microseconds
     * of the core that computes. The end of a tile wakes at once. */
    BUSY_NAP_US = 1000
};
static const double beat_interval_s = 0.1; /* presence.h decides whether it is time */
static const double awake_s = 0.03; /* after an event: the message it announces may come later */
static const double asleep_s = 1;   /* limit, should an event have been missed */

struct pool_server {
    struct world *world;
    const struct pool_options *options;
    struct worker *worker; /* NULL: this rank does not compute */
    struct event *event;
    bool woken;
    struct inbox *inbox;
    uint32_t sequence;       /* number of the last instruction */
    uint32_t ready_sequence; /* number of the instruction that the last READY answered */
    int threads_sent;        /* threads left of this worker, as rank 0 knows it */
    struct context *coming;  /* its bytes are on their way; NULL: none are, or they are cut off */
    size_t cut_bytes;        /* bytes that are cut off, for want of memory; 0: none */
    uint64_t checksum;       /* sum of the bytes on their way */
    MPI_Request request;     /* receives them; MPI_REQUEST_NULL: none */
    uint64_t left;           /* chunks of results that have not left */
    double awake_until_s; /* naps until then where the event announces everything; on the clock */
    MPI_Request gather;   /* collective of kept tiles; MPI_REQUEST_NULL: not under way */
    bool ended;           /* rank 0 has sent END */
    bool failed;          /* FAIL has been sent */
    struct patience patience;
};

enum status server_open(struct pool_server **out, struct world *world,
                        const struct pool_options *options, struct worker *worker,
                        struct event *event)
{
    struct pool_server *server = *out = calloc(1, sizeof *server);
    if (!server)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a pool");
    *server = (struct pool_server){.world = world,
                                   .options = options,
                                   .worker = worker,
                                   .event = event,
                                   .threads_sent = worker ? worker_threads(worker) : 0,
                                   .request = MPI_REQUEST_NULL,
                                   .gather = MPI_REQUEST_NULL,
                                   .patience = {.spin_us = options->spin_us}};
    uint64_t epoch = options->tiles ? options->tiles->epoch : 0;
    return inbox_open(&server->inbox, world, epoch, ORDER_SLOTS, sizeof(struct pool_task), NULL);
}

void server_close(struct pool_server *server)
{
    if (!server)
        return;
    inbox_close(server->inbox);
    if (server->request == MPI_REQUEST_NULL) /* else MPI may still write it */
        context_drop(server->coming);
    free(server);
}

/* --- messages to rank 0 ----------------------------------------------------------------------- */

static struct message header(const struct pool_server *server, enum message_kind kind,
                             enum status status)
{
    return (struct message){.kind = kind,
                            .status = status,
                            .epoch = server->options->tiles ? server->options->tiles->epoch : 0,
                            .sequence = server->sequence};
}

static struct pool_note note_of(const struct pool_server *server, const char *text)
{
    struct pool_note note = {.threads_left = server->worker ? worker_threads(server->worker) : 0};
    snprintf(note.text, sizeof note.text, "%s", text);
    return note;
}

/* Bytes of a note that are sent, up to the end of its text. Open MPI returns at once from messages
 * of 256 bytes and less; with longer ones the sender spins until rank 0 looks. */
static size_t note_bytes(const struct pool_note *note)
{
    return offsetof(struct pool_note, text) + strlen(note->text) + 1;
}

/* Does rank 0 know all of a note already? A message without it is one message of MPI, not two: the
 * user who moves a view waits for both on cores that compute. */
static bool note_is_idle(struct pool_server *server, enum message_kind kind, enum status status,
                         const struct pool_note *note)
{
    bool same = note->threads_left == server->threads_sent;
    if (kind != MESSAGE_GOT)
        server->threads_sent = note->threads_left;
    return kind == MESSAGE_GOT || (kind == MESSAGE_READY && status == STATUS_OK && same);
}

/* Sends a message about this worker itself; with status_text() if it reports a failure. */
static enum status server_say(struct pool_server *server, enum message_kind kind,
                              enum status status)
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
    return outbox_post(server->world, 0, &message, &note, idle ? 0 : note_bytes(&note));
}

static enum status send_done(struct pool_server *server, const struct worker_done *done)
{
    struct message message = header(server, MESSAGE_DONE, done->status);
    if (done->status == STATUS_OK)
        return worker_send(server->worker, &message, done);
    message.task = done->number;
    message.iterations = done->iterations;
    message.busy_s = done->busy_s;
    struct pool_note note = note_of(server, done->text);
    return outbox_post(server->world, 0, &message, &note, note_bytes(&note));
}

/* Sends all that the worker has finished, and lets its transport go on. */
static enum status send_all(struct pool_server *server, bool *moved)
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

static enum status test_gather(struct pool_server *server, bool *moved)
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

/* Sends whether this worker is ready for the last instruction. One that is gone may have lost its
 * last thread over useless work, which nothing else reports. */
static enum status state_send(struct pool_server *server, bool *moved)
{
    if (!server->worker || server->ready_sequence == server->sequence)
        return STATUS_OK;
    enum worker_state state = worker_state(server->worker);
    if (state != WORKER_READY && state != WORKER_FAILED && state != WORKER_GONE)
        return STATUS_OK;
    server->ready_sequence = server->sequence;
    *moved = true;
    return server_say(server, MESSAGE_READY,
                      state == WORKER_READY ? STATUS_OK : worker_failure(server->worker));
}

static bool context_comes(const struct pool_server *server)
{
    return server->coming || server->cut_bytes > 0;
}

/* Is there anything that rank 0 waits for? */
static bool works(const struct pool_server *server)
{
    return server->options->tiles || context_comes(server) ||
           (server->worker && worker_runs(server->worker));
}

/* --- messages from rank 0 --------------------------------------------------------------------- */

/* Makes everything older useless at once; the bytes may take a while. */
static enum status expect_context(struct pool_server *server, const struct message *message)
{
    if (context_comes(server) || !server->worker)
        return status_fail(STATUS_INTERNAL, "rank 0 sent a context that was not asked for");
    server->sequence = message->sequence;
    server->checksum = message->checksum;
    worker_end(server->worker);
    enum status status = context_make(&server->coming, message->offset, message->length);
    if (message->length == 0)
        return status;
    /* Receives without memory, too: rank 0's send is to come to its end. */
    server->cut_bytes = status == STATUS_OK ? 0 : message->length;
    void *bytes = server->coming ? server->coming->bytes : NULL;
    int units = server->coming ? (int)(message_padded(message->length) / MESSAGE_UNIT) : 0;
    TRY_MPI(MPI_Irecv(bytes, units, server->world->unit, 0, MPI_ANY_TAG, server->world->pixels,
                      &server->request));
    return STATUS_OK;
}

/* Have the bytes come? Those that are cut off are an error to MPI, which is expected. */
static enum status context_test(struct pool_server *server, bool *come)
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

static enum status context_check(const struct pool_server *server, const struct context *context)
{
    if (!context)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context of %zu bytes",
                           server->cut_bytes);
    if (context->length && message_checksum(context->bytes, context->length) != server->checksum)
        return status_fail(STATUS_INTERNAL, "a context of %zu bytes arrived damaged",
                           context->length);
    return STATUS_OK;
}

static enum status take_context(struct pool_server *server, bool *moved)
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
    server->ready_sequence = server->sequence;
    return server_say(server, MESSAGE_READY, status);
}

/* A picture has no more tasks to come: each of its tiles is done. */
static enum status cancel(struct pool_server *server, const struct message *message)
{
    server->sequence = message->sequence;
    if (server->worker)
        (server->options->tiles ? worker_end : worker_cancel)(server->worker);
    return server_say(server, MESSAGE_GOT, STATUS_OK);
}

static enum status take_task(struct pool_server *server, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    const struct pool_tiles *tiles = server->options->tiles;
    const struct pool_task none = {.id = message->task}, *task = &none;
    if (server->failed || server->ended)
        return STATUS_OK;
    bool sane = server->worker && !context_comes(server) && message->sequence == server->sequence &&
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

static enum status join(struct pool_server *server)
{
    uint64_t bytes = 0;
    const void *share = server->worker ? worker_share(server->worker, &bytes) : NULL;
    return gather_join(server->world, share, bytes, &server->gather);
}

static enum status obey(struct pool_server *server, const struct arrival *arrival)
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
        server->ended = true;
        if (server->worker)
            worker_end(server->worker);
        return STATUS_OK;
    default:
        return status_fail(STATUS_INTERNAL, "rank 0 sent a message of kind %d",
                           arrival->message.kind);
    }
}

static enum status listen(struct pool_server *server, bool *moved)
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

/* --- rounds and waiting ----------------------------------------------------------------------- */

/* Sends FAIL, once: this rank can do no more. */
static enum status fail(struct pool_server *server, enum status status)
{
    if (server->failed)
        return STATUS_OK;
    server->failed = true;
    enum status sent = server_say(server, MESSAGE_FAIL, status);
    if (server->worker)
        worker_end(server->worker);
    return sent;
}

static enum status stop_check(const struct pool_server *server)
{
    const struct pool_tiles *tiles = server->options->tiles;
    if (tiles && stop_asked(tiles->stop))
        return status_fail(STATUS_STOPPED, "stopped on request");
    return STATUS_OK;
}

/* Time to the next poll in a viewer: until the event, where rank 0 can set it. Messages that are on
 * their way arrive by polling only, and the end has a time limit. */
static int64_t sleep_us(struct pool_server *server)
{
    double now_s = clock_s(), until_s = now_s + (works(server) ? beat_interval_s : asleep_s);
    bool moving = context_comes(server) || server->left > 0 || !inbox_quiet(server->inbox);
    if (moving || server->ended || !server->woken || now_s <= server->awake_until_s) {
        unsigned nap_us = patience_us(&server->patience, moving ? POOL_MOVING_NAP_US : IDLE_NAP_US);
        return nap_us ? nap_us : 1;
    }
    return 1 + (int64_t)(1e6 * (until_s - now_s));
}

/* Time to the next poll in a picture. */
static int64_t nap_us(struct pool_server *server)
{
    bool full = server->worker && worker_full(server->worker) && server->left == 0;
    if (server->gather != MPI_REQUEST_NULL)
        return patience_us(&server->patience, POOL_MOVING_NAP_US);
    return patience_us(&server->patience, full ? BUSY_NAP_US : NAP_MOST_US);
}

static void rest(struct pool_server *server, bool moved)
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

/* Does one round of everything. Fails only when FAIL cannot be sent, or when rank 0 has ended. */
static enum status round_of_work(struct pool_server *server)
{
    bool moved = false;
    enum status status = listen(server, &moved);
    if (status == STATUS_OK && !server->ended)
        status = stop_check(server);
    if (status == STATUS_OK)
        status = take_context(server, &moved);
    if (status == STATUS_OK)
        status = send_all(server, &moved);
    if (status == STATUS_OK)
        status = test_gather(server, &moved);
    if (status == STATUS_OK)
        status = state_send(server, &moved);
    if (status != STATUS_OK)
        TRY(fail(server, status));
    rest(server, moved);
    return world_lost(server->world);
}

static enum status stuck(const struct pool_server *server)
{
    return status_fail(STATUS_SYSTEM,
                       "rank %d on %s has not ended %.1f s after it was told to give up",
                       server->world->rank, server->world->host, server->options->patience_s);
}

/* Lets everything come to its end; in a viewer not for ever. */
static enum status wind_down(struct pool_server *server)
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

enum status server_run(struct pool_server *server, bool woken)
{
    server->woken = woken;
    while (!server->ended)
        TRY(round_of_work(server));
    enum status status = wind_down(server);
    TRY(server_say(server, MESSAGE_BYE, status));
    return status == STATUS_OK ? status : stuck(server);
}
