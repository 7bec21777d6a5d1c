/* The workers on other ranks, seen from rank 0. */
#include "decomposition/session_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"

enum {
    RESULT_SLOTS = 4,     /* receives open at a time */
    WATCH_NAP_US = 500000 /* nothing is owed, but a process may have ended */
};
static const double watch_interval_s = 0.1;

_Static_assert(sizeof(struct session_note) <= OUTBOX_POST_BYTES, "a note fits a short message");
_Static_assert(sizeof(struct session_task) <= OUTBOX_POST_BYTES, "so does a task");

enum status remote_open(struct session *session)
{
    struct world *world = session->world;
    for (int i = 0; i < world->size; i++)
        session->staff[i].request = MPI_REQUEST_NULL;
    session->present = world->size - 1;
    if (world->size == 1)
        return STATUS_OK;
    session->gone = calloc((size_t)world->size, sizeof *session->gone);
    if (!session->gone)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
    session->gone[0] = true;
    return inbox_open(&session->inbox, world, 0, RESULT_SLOTS, sizeof(struct session_note), NULL);
}

void remote_close(struct session *session)
{
    for (int i = 0; i < session->workers; i++)
        if (session->staff[i].request == MPI_REQUEST_NULL) /* else MPI may still read it */
            scene_drop(session->staff[i].sending);
    inbox_close(session->inbox);
    free(session->gone);
}

static bool is_remote(const struct staff *staff)
{
    return staff->shown.rank > 0 && staff->shown.alive;
}

bool remote_owes(const struct session *session, int worker)
{
    const struct staff *staff = &session->staff[worker];
    if (!is_remote(staff) || !session->scene)
        return false;
    return staff->waits || staff->ordered < staff->turn ||
           (!staff->shown.ready && !staff->scene_failed) || ledger_out(session->ledger, worker) > 0;
}

/* --- to the workers --------------------------------------------------------------------------- */

static enum status send_bytes(struct session *session, struct staff *staff)
{
    struct scene *scene = session->scene;
    if (scene->length == 0)
        return STATUS_OK;
    staff->sending = scene_hold(scene);
    int units = (int)(message_padded(scene->length) / MESSAGE_UNIT);
    TRY_MPI(MPI_Isend(scene->bytes, units, session->world->unit, staff->shown.rank, 0,
                      session->world->pixels, &staff->request));
    return STATUS_OK;
}

static enum status send_order(struct session *session, struct staff *staff)
{
    struct scene *scene = session->scene;
    bool has_it = staff->ordered >= scene->turn;
    struct message message = {.kind = has_it ? MESSAGE_STOP : MESSAGE_SCENE, .epoch = staff->turn};
    staff->ordered = staff->turn;
    staff->waits = true;
    if (has_it)
        return outbox_post(session->world, staff->shown.rank, &message, NULL, 0);
    message.offset = scene->epoch;
    message.length = scene->length;
    message.checksum = scene->checksum;
    TRY(outbox_announce(session->world, staff->shown.rank, &message));
    return send_bytes(session, staff);
}

static void say(struct session *session, struct staff *staff)
{
    if (!is_remote(staff) || staff->waits || staff->request != MPI_REQUEST_NULL)
        return;
    enum status status = send_order(session, staff);
    rope_pull(session, staff->shown.rank);
    if (status != STATUS_OK)
        staff_report(staff, SESSION_WORKER, status);
}

void remote_order(struct session *session, int worker)
{
    struct staff *staff = &session->staff[worker];
    if (!staff->owed)
        staff->heard_s = clock_s();
    staff->turn = session->turn;
    staff->shown.ready = staff->scene_failed = false;
    say(session, staff);
}

enum status remote_give(struct session *session, int worker, const struct session_task *task)
{
    struct staff *staff = &session->staff[worker];
    if (!remote_owes(session, worker))
        staff->heard_s = clock_s();
    struct message message = {.kind = MESSAGE_TASK,
                              .epoch = staff->turn,
                              .tile = ledger_give(session->ledger, worker, task)};
    enum status status =
        outbox_post(session->world, staff->shown.rank, &message, task, sizeof *task);
    rope_pull(session, staff->shown.rank);
    if (status != STATUS_OK)
        staff_report(staff, SESSION_WORKER, status);
    session->patience.idle = 0;
    return status;
}

/* What was held back, because the worker had not taken the last order yet. */
static bool send_rest(struct session *session)
{
    bool moved = false;
    for (int i = 0; i < session->workers; i++) {
        struct staff *staff = &session->staff[i];
        int done = 0;
        if (staff->request != MPI_REQUEST_NULL &&
            MPI_Test(&staff->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) {
            scene_drop(staff->sending);
            staff->sending = NULL;
            moved = true;
        }
        if (staff->ordered < staff->turn)
            say(session, staff);
    }
    return moved;
}

/* --- from the workers ------------------------------------------------------------------------- */

static int worker_of(const struct session *session, int rank)
{
    int i = 0;
    while (i < session->workers && session->staff[i].shown.rank != rank)
        i++;
    return i;
}

static enum status why(const struct arrival *arrival)
{
    struct session_note *note = arrival->payload;
    enum status status = arrival->message.status;
    if (arrival->message.length != sizeof *note)
        return status_fail(STATUS_INTERNAL, "rank %d failed without saying why", arrival->rank);
    note->text[sizeof note->text - 1] = '\0';
    return status_fail(status == STATUS_OK ? STATUS_INTERNAL : status, "%s", note->text);
}

static void hear(struct staff *staff, const struct message *message)
{
    staff->heard_s = clock_s();
    if (message->kind != MESSAGE_DONE)
        staff->dropped = (struct shop_tally){
            .late = message->offset, .iterations = message->iterations, .busy_s = message->busy_s};
}

static void take_ready(struct session *session, struct staff *staff, const struct arrival *arrival)
{
    if (arrival->message.epoch != staff->turn)
        return;
    staff->shown.ready = arrival->message.status == STATUS_OK;
    staff->scene_failed = !staff->shown.ready;
    if (staff->scene_failed)
        staff_report(staff, SESSION_SCENE, why(arrival));
    else
        bell_ring(&session->bell);
}

static void take_loss(struct staff *staff, const struct arrival *arrival)
{
    enum status status = why(arrival);
    const struct session_note *note = arrival->payload;
    bool sane = arrival->message.length == sizeof *note && note->lanes_left >= 0 &&
                note->lanes_left <= staff->shown.lanes;
    staff->shown.lanes = sane ? note->lanes_left : 0;
    if (staff->shown.lanes == 0)
        staff_report(staff, SESSION_WORKER, status);
}

/* Is it a result, or the failure of one, that is wanted? Then it stays until it is delivered. */
static bool take_done(struct session *session, int worker, const struct arrival *arrival)
{
    struct staff *staff = &session->staff[worker];
    const struct message *message = &arrival->message;
    enum ledger_news news = LEDGER_UNKNOWN;
    if (message->epoch == staff->turn)
        news = ledger_home(session->ledger, worker, message->tile, &session->task);
    if (news == LEDGER_WANTED)
        return true;
    staff->late += message->status == STATUS_OK;
    staff->busy_s += message->busy_s;
    return false;
}

static void leave(struct session *session, int rank)
{
    if (!session->gone[rank])
        session->present--;
    session->gone[rank] = true;
}

static void take_bye(struct session *session, const struct arrival *arrival)
{
    leave(session, arrival->rank);
    if (arrival->message.status == STATUS_OK || session->verdict != STATUS_OK)
        return;
    session->verdict = why(arrival);
    snprintf(session->text, sizeof session->text, "%s", status_text());
}

/* True: the arrival is kept. */
static bool take_message(struct session *session, const struct arrival *arrival)
{
    int worker = worker_of(session, arrival->rank);
    if (arrival->message.kind == MESSAGE_BYE)
        take_bye(session, arrival);
    if (worker == session->workers || !is_remote(&session->staff[worker]))
        return false;
    struct staff *staff = &session->staff[worker];
    hear(staff, &arrival->message);
    switch (arrival->message.kind) {
    case MESSAGE_GOT:
        staff->waits = staff->waits && arrival->message.epoch != staff->ordered;
        return false;
    case MESSAGE_READY:
        take_ready(session, staff, arrival);
        return false;
    case MESSAGE_DONE:
        return take_done(session, worker, arrival);
    case MESSAGE_LOST:
        take_loss(staff, arrival);
        return false;
    case MESSAGE_HEART:
    case MESSAGE_BYE:
        return false;
    default:
        staff_report(staff, SESSION_WORKER,
                     status_fail(STATUS_INTERNAL, "rank %d sent a message of kind %d",
                                 arrival->rank, arrival->message.kind));
        return false;
    }
}

/* A message that cannot be read: what else comes from there cannot be trusted. MPI itself failed if
 * not even the sender is known. */
static void distrust(struct session *session, const struct arrival *arrival, bool known,
                     enum status status)
{
    for (int i = 0; i < session->workers; i++) {
        struct staff *staff = &session->staff[i];
        if (is_remote(staff) && (!known || staff->shown.rank == arrival->rank))
            staff_report(staff, SESSION_WORKER, status);
    }
    if (known && arrival->message.kind == MESSAGE_BYE)
        leave(session, arrival->rank);
}

/* Its last messages have been read. MPI says nothing of it, and mpirun ends the job only if it was
 * not told otherwise. */
static void bury(struct session *session, struct staff *staff)
{
    enum status status =
        status_fail(STATUS_SYSTEM,
                    "rank %d on %s has ended: it crashed, was killed, or memory ran out (dmesg "
                    "says whether)",
                    staff->shown.rank, staff->shown.host);
    if (session->verdict == STATUS_OK) {
        session->verdict = status;
        snprintf(session->text, sizeof session->text, "%s", status_text());
    }
    inbox_give_up(session->inbox, staff->shown.rank);
    leave(session, staff->shown.rank);
    if (staff->shown.alive)
        staff_report(staff, SESSION_WORKER, status);
}

static bool is_watched(const struct session *session, const struct staff *staff)
{
    int rank = staff->shown.rank;
    return presence_watched(session->world, rank) && !session->gone[rank];
}

static bool anybody_watched(const struct session *session)
{
    for (int i = 0; i < session->workers; i++)
        if (is_watched(session, &session->staff[i]))
            return true;
    return false;
}

static void watch(struct session *session)
{
    double now_s = clock_s();
    if (now_s < session->watched_s + watch_interval_s)
        return;
    session->watched_s = now_s;
    for (int i = 0; i < session->workers; i++) {
        struct staff *staff = &session->staff[i];
        if (is_watched(session, staff) && presence_ended(session->world, staff->shown.rank))
            bury(session, staff);
    }
}

static bool listen(struct session *session)
{
    bool moved = false;
    while (!session->arrived) {
        struct arrival *arrival = &session->arrival;
        bool any = false;
        enum status status = inbox_poll(session->inbox, arrival, &any);
        if (status != STATUS_OK)
            distrust(session, arrival, any, status);
        if (status != STATUS_OK || !any)
            break;
        moved = true;
        session->arrived = take_message(session, arrival);
        if (!session->arrived)
            inbox_release(session->inbox, arrival);
    }
    return moved;
}

bool remote_step(struct session *session)
{
    if (!session->inbox)
        return false;
    bool moved = listen(session);
    moved |= send_rest(session);
    if (!moved)
        watch(session);
    if (moved)
        session->patience.idle = 0;
    return moved;
}

bool remote_take(struct session *session, struct session_result *result)
{
    remote_step(session);
    if (!session->arrived)
        return false;
    session->arrived = false;
    session->lent = session->arrival;
    session->lends = true;
    const struct arrival *arrival = &session->lent;
    enum status status = arrival->message.status;
    *result = (struct session_result){.news = SESSION_TASK,
                                      .worker = worker_of(session, arrival->rank),
                                      .text = "",
                                      .task = session->task,
                                      .iterations = arrival->message.iterations,
                                      .busy_s = arrival->message.busy_s};
    if (status != STATUS_OK)
        status = why(arrival);
    else if (arrival->message.length != session->task.result_bytes)
        status = status_fail(STATUS_INTERNAL, "rank %d sent %llu bytes for a result of %zu",
                             arrival->rank, (unsigned long long)arrival->message.length,
                             session->task.result_bytes);
    else
        status = message_verify(&arrival->message, arrival->payload);
    result->status = status;
    if (status == STATUS_OK)
        result->bytes = arrival->payload;
    else
        result->text = status_text();
    return true;
}

void remote_release(struct session *session)
{
    if (session->lends)
        inbox_release(session->inbox, &session->lent);
    session->lends = false;
}

void remote_forget(struct session *session)
{
    if (!session->arrived)
        return;
    struct staff *staff = &session->staff[worker_of(session, session->arrival.rank)];
    staff->late += session->arrival.message.status == STATUS_OK;
    staff->busy_s += session->arrival.message.busy_s;
    inbox_release(session->inbox, &session->arrival);
    session->arrived = false;
}

/* Results are looked for often, scenes that are being prepared less. */
int64_t remote_nap_us(struct session *session)
{
    bool owes = false, moves = session->inbox && !inbox_quiet(session->inbox);
    unsigned most_us = IDLE_NAP_US;
    for (int i = 0; i < session->workers; i++) {
        const struct staff *staff = &session->staff[i];
        moves |= staff->request != MPI_REQUEST_NULL;
        owes |= remote_owes(session, i);
        if (is_remote(staff) && ledger_out(session->ledger, i) > 0)
            most_us = NAP_MOST_US;
    }
    if (!owes && !moves)
        return anybody_watched(session) ? WATCH_NAP_US : -1;
    unsigned nap_us = patience_us(&session->patience, moves ? MOVING_NAP_US : most_us);
    return nap_us ? nap_us : 1;
}

/* --- the end ---------------------------------------------------------------------------------- */

void remote_end(struct session *session)
{
    for (int i = 0; i < session->workers; i++)
        session->staff[i].turn = session->staff[i].ordered; /* no order follows */
    for (int rank = 1; rank < session->world->size; rank++) {
        struct message message = {.kind = MESSAGE_END};
        if (outbox_post(session->world, rank, &message, NULL, 0) != STATUS_OK)
            leave(session, rank);
        rope_pull(session, rank);
    }
}

bool remote_all_gone(const struct session *session)
{
    for (int i = 0; i < session->workers; i++)
        if (session->staff[i].request != MPI_REQUEST_NULL && session->staff[i].shown.alive)
            return false;
    return !session->inbox || (session->present == 0 && inbox_quiet(session->inbox));
}
