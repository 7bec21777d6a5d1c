#include "decomposition/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "decomposition/session_parts.h"

static const double patience_unless_said_s = 5;

/* --- opening ---------------------------------------------------------------------------------- */

static enum status check(const struct session_options *options)
{
    if (options->lanes > 0 && options->credits < options->lanes)
        return status_fail(STATUS_CONFIG, "%d lanes cannot do with %d tasks at a time",
                           options->lanes, options->credits);
    return STATUS_OK;
}

static enum status open_here(struct session *session)
{
    TRY(check(&session->options));
    if (session->options.lanes > 0)
        TRY(shop_open(&session->shop, &session->options, &session->bell));
    if (session->world->rank > 0)
        return serve_open(session);
    session->staff = calloc((size_t)session->world->size, sizeof *session->staff);
    if (!session->staff)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks",
                           session->world->size);
    if (session->shop)
        TRY(own_open(session));
    return remote_open(session);
}

/* Rank 0: the workers, in the order of their ranks. */
static enum status enlist(struct session *session)
{
    const struct world *world = session->world;
    int *credits = calloc((size_t)world->size, sizeof *credits);
    if (!credits)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
    for (int rank = 0; rank < world->size; rank++) {
        const struct world_record *record = &world->record[rank];
        if (record->lanes == 0)
            continue;
        credits[session->workers] = record->credits;
        struct staff *staff = &session->staff[session->workers++];
        struct session_worker *shown = &staff->shown;
        *shown = (struct session_worker){.rank = rank,
                                         .lanes = record->lanes,
                                         .credits = record->credits,
                                         .alive = true,
                                         .road = rank == 0 ? "local" : "message"};
        snprintf(shown->host, sizeof shown->host, "%s", presence_host(world, rank));
    }
    enum status status = ledger_open(&session->ledger, session->workers, credits);
    free(credits);
    return status;
}

static bool anybody_computes(const struct world *world)
{
    for (int rank = 0; rank < world->size; rank++)
        if (world->record[rank].lanes > 0)
            return true;
    return false;
}

static enum status meet(struct session *session)
{
    struct world *world = session->world;
    if (!anybody_computes(world))
        return status_fail(STATUS_NO_DEVICE, "no rank has anything to compute with");
    return world_agree(world, world->rank == 0 ? enlist(session) : STATUS_OK);
}

static void destroy(struct session *session)
{
    shop_close(session->shop);
    own_close(session);
    serve_close(session);
    remote_close(session);
    ledger_close(session->ledger);
    scene_drop(session->scene);
    free(session->staff);
    rope_close(session);
    free(session);
}

enum status session_open(struct session **out, struct world *world,
                         const struct session_options *options)
{
    *out = NULL;
    struct session *session = calloc(1, sizeof *session);
    struct world_record own = {.lanes = options->lanes, .credits = options->credits};
    enum status status = STATUS_OK;
    if (session) {
        *session = (struct session){.world = world, .options = *options};
        if (options->patience_s <= 0)
            session->options.patience_s = patience_unless_said_s;
        bell_open(&session->bell);
        status = open_here(session);
    } else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a session");
    status = world_introduce(world, status, &own);
    if (status == STATUS_OK)
        status = meet(session);
    if (status == STATUS_OK)
        status = rope_open(session);
    if (status != STATUS_OK) {
        if (session)
            destroy(session);
        return status;
    }
    *out = session;
    return STATUS_OK;
}

/* --- what is wanted --------------------------------------------------------------------------- */

static void forget_tasks_of(struct session *session, int worker)
{
    session->staff[worker].owed = remote_owes(session, worker);
    ledger_forget(session->ledger, worker);
}

static void forget_tasks(struct session *session)
{
    session->turn++;
    remote_forget(session);
    for (int i = 0; i < session->workers; i++)
        forget_tasks_of(session, i);
}

static void forget_failed_scenes(struct session *session)
{
    for (int i = 0; i < session->workers; i++)
        if (session->staff[i].what == SESSION_SCENE)
            session->staff[i].news = false;
}

enum status session_scene(struct session *session, uint64_t epoch, const void *bytes, size_t length)
{
    assert(!session->scene || epoch > session->scene->epoch);
    struct scene *scene;
    TRY(scene_make(&scene, epoch, length));
    if (length)
        memcpy(scene->bytes, bytes, length);
    forget_tasks(session); /* those of the scene before */
    scene_drop(session->scene);
    session->scene = scene;
    forget_failed_scenes(session);
    scene->turn = session->turn;
    if (session->inbox)
        scene->checksum = message_checksum(scene->bytes, length);
    for (int i = 0; i < session->workers; i++)
        if (session->staff[i].shown.rank == 0)
            own_scene(session);
        else
            remote_order(session, i);
    return STATUS_OK;
}

/* A worker that has no tasks need not hear of it. */
void session_cancel(struct session *session)
{
    session->turn++;
    remote_forget(session);
    for (int i = 0; i < session->workers; i++) {
        bool idle = ledger_out(session->ledger, i) == 0;
        forget_tasks_of(session, i);
        if (!idle && session->staff[i].shown.rank == 0)
            own_cancel(session);
        else if (!idle)
            remote_order(session, i);
    }
}

/* --- tasks ------------------------------------------------------------------------------------ */

bool session_may_give(const struct session *session, int worker)
{
    const struct session_worker *shown = &session->staff[worker].shown;
    return shown->alive && shown->ready && ledger_out(session->ledger, worker) < shown->credits;
}

enum status session_give(struct session *session, int worker, const struct session_task *task)
{
    assert(session_may_give(session, worker));
    if (task->epoch != session->scene->epoch)
        return status_fail(STATUS_INTERNAL, "a task of scene %llu, and the present one is %llu",
                           (unsigned long long)task->epoch,
                           (unsigned long long)session->scene->epoch);
    return session->staff[worker].shown.rank == 0 ? own_give(session, task)
                                                  : remote_give(session, worker, task);
}

/* --- news ------------------------------------------------------------------------------------- */

void staff_report(struct staff *staff, enum session_news what, enum status status)
{
    staff->news = true;
    staff->what = what;
    staff->status = status;
    snprintf(staff->text, sizeof staff->text, "%s", status_text());
    staff->shown.ready = false;
    if (what == SESSION_WORKER)
        staff->shown.alive = false;
}

/* What a worker has to say of itself; then, one by one, what a dead one leaves. */
static bool take_report(struct session *session, struct session_result *result)
{
    for (int i = 0; i < session->workers; i++) {
        struct staff *staff = &session->staff[i];
        *result =
            (struct session_result){.worker = i, .status = staff->status, .text = staff->text};
        if (staff->news) {
            result->news = staff->what;
            staff->news = false;
            return true;
        }
        result->news = SESSION_TASK;
        if (!staff->shown.alive && ledger_reclaim(session->ledger, i, &result->task))
            return true;
    }
    return false;
}

static bool take_any(struct session *session, struct session_result *result)
{
    if (take_report(session, result))
        return true;
    if (session->shop && own_take(session, result))
        return true;
    if (remote_take(session, result))
        return true;
    return take_report(session, result);
}

static void count(struct session *session, const struct session_result *result)
{
    if (result->news != SESSION_TASK || result->status != STATUS_OK)
        return;
    struct staff *staff = &session->staff[result->worker];
    staff->shown.tiles++;
    staff->shown.iterations += result->iterations;
    staff->busy_s += result->busy_s;
    if (staff->shown.rank > 0)
        staff->shown.bytes += result->task.result_bytes;
    ledger_settle(session->ledger, &result->task);
    if (session->arrived && session->task.id == result->task.id)
        remote_forget(session); /* the same from another worker, which has left the ledger */
}

bool session_take(struct session *session, struct session_result *result)
{
    own_release(session);
    remote_release(session);
    if (!take_any(session, result))
        return false;
    count(session, result);
    return true;
}

/* --- waiting ---------------------------------------------------------------------------------- */

static bool has_news(const struct session *session)
{
    for (int i = 0; i < session->workers; i++)
        if (session->staff[i].news)
            return true;
    return session->arrived || (session->shop && shop_has_done(session->shop));
}

/* Of two times, negative ones being without end. */
static int64_t sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

void session_wait(struct session *session, int64_t microseconds)
{
    double end_s = clock_s() + 1e-6 * (double)microseconds;
    for (int64_t left = microseconds;;) {
        if (remote_step(session) || has_news(session))
            return;
        int64_t nap = remote_nap_us(session);
        if (bell_wait(&session->bell, sooner(left, nap)) || left == 0)
            return;
        if (left > 0)
            left = (int64_t)(1e6 * (end_s - clock_s()));
        if (left < 0 && microseconds >= 0)
            left = 0;
    }
}

void session_wake(struct session *session)
{
    bell_ring(&session->bell);
}

/* --- questions -------------------------------------------------------------------------------- */

int session_workers(const struct session *session)
{
    return session->workers;
}

const struct session_worker *session_worker(const struct session *session, int worker)
{
    struct staff *staff = &session->staff[worker];
    staff->shown.outstanding = ledger_out(session->ledger, worker);
    staff->shown.late = staff->late + staff->dropped.late;
    staff->shown.heard_s = remote_owes(session, worker) ? clock_s() - staff->heard_s : 0;
    staff->shown.busy_s = staff->busy_s + staff->dropped.busy_s;
    return &staff->shown;
}

/* --- the end ---------------------------------------------------------------------------------- */

static bool is_quiet(struct session *session)
{
    if (session->world->rank == 0)
        remote_step(session);
    if (session->world->rank == 0 && session->shop)
        own_drain(session);
    bool quiet = !session->shop || !shop_runs(session->shop);
    return quiet && (session->world->rank > 0 || remote_all_gone(session));
}

static const char *host_of(const struct session *session, int rank)
{
    for (int i = 0; i < session->workers; i++)
        if (session->staff[i].shown.rank == rank)
            return session->staff[i].shown.host;
    return session->world->host;
}

enum status session_stuck(const struct session *session)
{
    int rank = session->world->rank;
    bool here = rank > 0 || (session->shop && shop_runs(session->shop));
    while (!here && rank + 1 < session->world->size && session->gone[rank])
        rank++;
    return status_fail(STATUS_SYSTEM,
                       "rank %d on %s has not ended %.1f s after it was told to give up", rank,
                       host_of(session, rank), session->options.patience_s);
}

/* Rank 0 is more patient than the others, so that they can say themselves what is the matter. */
static enum status wait_for_all(struct session *session)
{
    double patience_s = session->options.patience_s + (session->inbox ? 1 : 0);
    double until_s = clock_s() + patience_s;
    struct patience patience = {.spin_us = 0};
    while (!is_quiet(session)) {
        if (clock_s() > until_s)
            return session_stuck(session);
        unsigned nap_us = patience_us(&patience, session->inbox ? NAP_MOST_US : 10000);
        bell_wait(&session->bell, nap_us);
    }
    return STATUS_OK;
}

enum status session_close(struct session *session)
{
    if (!session)
        return STATUS_OK;
    if (session->shop)
        shop_end(session->shop);
    if (session->world->rank == 0) {
        forget_tasks(session);
        remote_end(session);
    }
    enum status status = wait_for_all(session);
    if (status != STATUS_OK)
        return status;
    if (session->verdict != STATUS_OK)
        status = status_fail(session->verdict, "%s", session->text);
    destroy(session);
    return status;
}
