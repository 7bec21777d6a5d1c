/* A worker's side of a session: what rank 0 says, and what is said to it. */
#include "decomposition/session_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"

enum { ORDER_SLOTS = 8 }; /* receives open at a time */
static const double heart_interval_s = 0.5;
static const double awake_s = 0.03; /* after the bell: what it was rung for may come later */
static const double asleep_s = 1;   /* at most, should a bell not have been heard */

struct server {
    struct inbox *inbox;
    struct outbox *outbox; /* results */
    uint64_t turn;         /* of the last order */
    uint64_t told;         /* of the last READY */
    int lanes_told;        /* alive */
    struct scene *coming;  /* its bytes are on their way */
    uint64_t checksum;
    MPI_Request request; /* of theirs; MPI_REQUEST_NULL: none */
    int under_way;       /* results that are leaving */
    double next_heart_s;
    double awake_until_s; /* where the bell tells of everything; on the clock */
    bool ended;
    struct patience patience;
};

enum status serve_open(struct session *session)
{
    struct world *world = session->world;
    struct server *server = session->server = calloc(1, sizeof *server);
    if (!server)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a session");
    server->request = MPI_REQUEST_NULL;
    server->lanes_told = session->options.lanes;
    TRY(inbox_open(&server->inbox, world, 0, ORDER_SLOTS, sizeof(struct session_task), NULL));
    /* As many results on their way as are being computed. */
    return outbox_open(&server->outbox, world, session->options.memory,
                       2 * session->options.credits, 0);
}

void serve_close(struct session *session)
{
    if (!session->server)
        return;
    inbox_close(session->server->inbox);
    outbox_close(session->server->outbox);
    if (session->server->request == MPI_REQUEST_NULL) /* else MPI may still write it */
        scene_drop(session->server->coming);
    free(session->server);
}

/* --- to rank 0 -------------------------------------------------------------------------------- */

/* A word about this worker itself; with status_text() if it is of a failure. */
static enum status say(const struct session *session, enum message_kind kind, enum status status)
{
    struct session_note note = {.text = ""};
    struct message message = {.kind = kind, .status = status, .epoch = session->server->turn};
    if (session->shop) {
        struct shop_tally dropped = shop_dropped(session->shop);
        note.lanes_left = shop_lanes(session->shop);
        message.offset = dropped.late;
        message.iterations = dropped.iterations;
        message.busy_s = dropped.busy_s;
    }
    bool plain = status == STATUS_OK && kind != MESSAGE_LOST;
    if (!plain)
        snprintf(note.text, sizeof note.text, "%s", status_text());
    return outbox_post(session->world, 0, &message, &note, plain ? 0 : sizeof note);
}

static enum status send_done(struct session *session, const struct shop_done *done)
{
    struct server *server = session->server;
    struct message message = {.kind = MESSAGE_DONE,
                              .status = done->status,
                              .epoch = server->turn,
                              .tile = done->number,
                              .iterations = done->iterations,
                              .busy_s = done->busy_s};
    if (done->status == STATUS_OK) {
        message.length = done->length;
        message.checksum = message_checksum(done->room, done->length);
        return outbox_send(server->outbox, done->room, &message);
    }
    struct session_note note = {.lanes_left = shop_lanes(session->shop)};
    snprintf(note.text, sizeof note.text, "%s", done->text);
    if (done->room)
        outbox_forget(server->outbox, done->room);
    return outbox_post(session->world, 0, &message, &note, sizeof note);
}

/* Whatever the shop has finished. */
static enum status send_all(struct session *session, bool *moved)
{
    struct shop_done done;
    while (session->shop && shop_take(session->shop, &done)) {
        *moved = true;
        if (!done.wanted)
            outbox_forget(session->server->outbox, done.room);
        else
            TRY(send_done(session, &done));
    }
    return STATUS_OK;
}

/* What rank 0 does not know yet of this worker's state. */
static enum status tell_state(struct session *session, bool *moved)
{
    struct server *server = session->server;
    if (!session->shop)
        return STATUS_OK;
    enum shop_state state = shop_state(session->shop);
    int lanes = shop_lanes(session->shop);
    if (lanes < server->lanes_told) {
        server->lanes_told = lanes;
        *moved = true;
        TRY(say(session, MESSAGE_LOST,
                state == SHOP_GONE ? shop_failure(session->shop) : STATUS_DEVICE_LOST));
    }
    if (server->told == server->turn || (state != SHOP_READY && state != SHOP_FAILED))
        return STATUS_OK;
    server->told = server->turn;
    *moved = true;
    return say(session, MESSAGE_READY,
               state == SHOP_READY ? STATUS_OK : shop_failure(session->shop));
}

static bool works(const struct session *session)
{
    return session->server->coming || (session->shop && shop_runs(session->shop));
}

static enum status beat(struct session *session)
{
    struct server *server = session->server;
    double now_s = clock_s();
    if (!works(session) || now_s < server->next_heart_s)
        return STATUS_OK;
    server->next_heart_s = now_s + heart_interval_s;
    return say(session, MESSAGE_HEART, STATUS_OK);
}

/* --- from rank 0 ------------------------------------------------------------------------------ */

/* Everything older is useless from now on; the bytes may take a while. */
static enum status expect_scene(struct session *session, const struct message *message)
{
    struct server *server = session->server;
    if (server->coming || !session->shop)
        return status_fail(STATUS_INTERNAL, "rank 0 sent a scene that was not asked for");
    server->turn = message->epoch;
    server->checksum = message->checksum;
    shop_end(session->shop);
    TRY(scene_make(&server->coming, message->offset, message->length));
    if (message->length == 0)
        return STATUS_OK;
    int units = (int)(message_padded(message->length) / MESSAGE_UNIT);
    TRY_MPI(MPI_Irecv(server->coming->bytes, units, session->world->unit, 0, MPI_ANY_TAG,
                      session->world->pixels, &server->request));
    return STATUS_OK;
}

static enum status take_scene(struct session *session, bool *moved)
{
    struct server *server = session->server;
    int done = 1;
    if (!server->coming)
        return STATUS_OK;
    if (server->request != MPI_REQUEST_NULL)
        TRY_MPI(MPI_Test(&server->request, &done, MPI_STATUS_IGNORE));
    if (!done)
        return STATUS_OK;
    *moved = true;
    struct scene *scene = server->coming;
    server->coming = NULL;
    enum status status = STATUS_OK;
    if (scene->length && message_checksum(scene->bytes, scene->length) != server->checksum)
        status =
            status_fail(STATUS_INTERNAL, "a scene of %zu bytes arrived damaged", scene->length);
    else if (!server->ended)
        shop_scene(session->shop, scene);
    scene_drop(scene);
    TRY(say(session, MESSAGE_GOT, STATUS_OK));
    if (status != STATUS_OK) {
        server->told = server->turn;
        return say(session, MESSAGE_READY, status);
    }
    return STATUS_OK;
}

static enum status stop(struct session *session, const struct message *message)
{
    session->server->turn = message->epoch;
    if (session->shop)
        shop_cancel(session->shop);
    return say(session, MESSAGE_GOT, STATUS_OK);
}

static enum status take_task(struct session *session, const struct arrival *arrival)
{
    struct server *server = session->server;
    const struct session_task *task = arrival->payload;
    if (arrival->message.length != sizeof *task || arrival->message.epoch != server->turn ||
        !session->shop || server->coming)
        return status_fail(STATUS_INTERNAL, "rank 0 gave a task that was not asked for");
    TRY(message_verify(&arrival->message, task));
    struct shop_done refused = {.number = arrival->message.tile, .text = status_text()};
    if (shop_state(session->shop) != SHOP_READY) {
        refused.status = shop_failure(session->shop); /* the last lane was lost meanwhile */
        return send_done(session, &refused);
    }
    void *room = outbox_take_room(server->outbox, task->result_bytes);
    if (room) {
        shop_give(session->shop, arrival->message.tile, task, room);
        return STATUS_OK;
    }
    refused.status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a result of %zu bytes",
                                 task->result_bytes);
    return send_done(session, &refused);
}

static enum status obey(struct session *session, const struct arrival *arrival)
{
    switch (arrival->message.kind) {
    case MESSAGE_SCENE:
        return expect_scene(session, &arrival->message);
    case MESSAGE_STOP:
        return stop(session, &arrival->message);
    case MESSAGE_TASK:
        return take_task(session, arrival);
    case MESSAGE_END:
        session->server->ended = true;
        if (session->shop)
            shop_end(session->shop);
        return STATUS_OK;
    default:
        return status_fail(STATUS_INTERNAL, "rank 0 sent a message of kind %d",
                           arrival->message.kind);
    }
}

static enum status listen(struct session *session, bool *moved)
{
    struct inbox *inbox = session->server->inbox;
    for (;;) {
        struct arrival arrival = {0};
        bool any = false;
        TRY(inbox_poll(inbox, &arrival, &any));
        if (!any)
            return STATUS_OK;
        *moved = true;
        enum status status = obey(session, &arrival);
        inbox_release(inbox, &arrival);
        TRY(status);
    }
}

/* --- the course of it ------------------------------------------------------------------------- */

/* How long nothing need be looked for: until the bell, where rank 0 can ring it. Messages that are
 * on their way get here by looking only; and the end has its time. */
static int64_t sleep_us(struct session *session)
{
    struct server *server = session->server;
    double now_s = clock_s(), until_s = now_s + asleep_s;
    bool moving = server->coming || server->under_way > 0 || !inbox_quiet(server->inbox);
    bool sleepy = now_s > server->awake_until_s && rope_reaches(session, session->world->rank);
    if (moving || server->ended || !sleepy) {
        unsigned nap_us = patience_us(&server->patience, moving ? MOVING_NAP_US : IDLE_NAP_US);
        return nap_us ? nap_us : 1;
    }
    if (works(session) && server->next_heart_s < until_s)
        until_s = server->next_heart_s;
    return 1 + (int64_t)(1e6 * (until_s > now_s ? until_s - now_s : 0));
}

static enum status round_of_work(struct session *session)
{
    struct server *server = session->server;
    bool moved = false;
    TRY(listen(session, &moved));
    TRY(take_scene(session, &moved));
    TRY(send_all(session, &moved));
    TRY(tell_state(session, &moved));
    TRY(beat(session));
    TRY(outbox_progress(server->outbox, &server->under_way));
    if (moved || bell_wait(&session->bell, sleep_us(session))) {
        server->patience.idle = 0;
        server->awake_until_s = clock_s() + awake_s;
    }
    return STATUS_OK;
}

/* Lets everything come to its end, but does not wait for ever. */
static enum status wind_down(struct session *session)
{
    struct server *server = session->server;
    double until_s = clock_s() + session->options.patience_s;
    while (server->coming || server->under_way > 0 || !inbox_quiet(server->inbox) ||
           (session->shop && shop_runs(session->shop))) {
        if (clock_s() > until_s)
            return session_stuck(session);
        TRY(round_of_work(session));
    }
    return STATUS_OK;
}

/* Nothing that rank 0 says makes sense any more: it is told, and gives this worker up. */
static enum status despair(struct session *session, enum status status)
{
    struct session_note note = {.lanes_left = 0};
    struct message message = {.kind = MESSAGE_LOST, .status = status};
    snprintf(note.text, sizeof note.text, "rank %d on %s: %.900s", session->world->rank,
             session->world->host, status_text());
    if (session->shop)
        shop_end(session->shop);
    TRY(outbox_post(session->world, 0, &message, &note, sizeof note));
    message.kind = MESSAGE_BYE;
    return outbox_post(session->world, 0, &message, &note, sizeof note);
}

enum status session_serve(struct session *session)
{
    struct server *server = session->server;
    enum status status = STATUS_OK;
    if (!server)
        return STATUS_OK;
    while (status == STATUS_OK && !server->ended)
        status = round_of_work(session);
    if (status != STATUS_OK) {
        char text[STATUS_TEXT_BYTES];
        snprintf(text, sizeof text, "%s", status_text());
        despair(session, status);
        return status_fail(status, "%s", text);
    }
    status = wind_down(session);
    TRY(say(session, MESSAGE_BYE, status));
    return status == STATUS_OK ? status : session_stuck(session);
}
