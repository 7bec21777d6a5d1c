/* Devices and ranks that fail or fall silent: what the user is told of them. */
#include <stdarg.h>
#include <stdio.h>

#include "render/live/live_parts.h"

const char *live_name(const struct live *live, int worker, char name[LIVE_NAME_BYTES])
{
    const struct pool_worker *who = pool_worker(live->pool, worker);
    if (world_size(live->world) == 1)
        snprintf(name, LIVE_NAME_BYTES, "this program");
    else
        snprintf(name, LIVE_NAME_BYTES, "rank %d on %s", who->rank, who->host);
    return name;
}

static bool anybody_left(const struct live *live)
{
    for (int w = 0; w < pool_workers(live->pool); w++)
        if (pool_worker(live->pool, w)->alive)
            return true;
    return false;
}

__attribute__((format(printf, 2, 3))) static void tell(struct live *live, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&live->mutex);
    vsnprintf(live->state.trouble, sizeof live->state.trouble, format, values);
    live->state.troubles++;
    pthread_mutex_unlock(&live->mutex);
    va_end(values);
}

/* `what` has happened: for the user now, for the end of the program if it is the first. */
static void lost(struct live *live, enum status status, const char *what)
{
    bool others = anybody_left(live);
    tell(live, "%.900s%s", what, others ? "; the others go on" : "");
    if (live->loss.status == STATUS_OK) {
        live->loss.status = status;
        snprintf(live->loss.text, sizeof live->loss.text, "%s", what);
    }
    if (!others)
        live_loss_check(live);
}

void live_loss_check(struct live *live)
{
    if (live->work.failed || anybody_left(live))
        return;
    status_fail(live->loss.status == STATUS_OK ? STATUS_NO_DEVICE : live->loss.status,
                "nothing is left to compute with: %.900s", live->loss.text);
    live_fail(live);
}

static void device_lost(struct live *live, int worker, const char *why)
{
    char what[STATUS_TEXT_BYTES], name[LIVE_NAME_BYTES];
    live->staff[worker].lanes_lost++;
    snprintf(what, sizeof what, "a device of %s failed%s%.800s", live_name(live, worker, name),
             *why ? ": " : "", why);
    lost(live, STATUS_DEVICE_LOST, what);
}

static void worker_lost(struct live *live, const struct pool_result *result)
{
    char what[STATUS_TEXT_BYTES], name[LIVE_NAME_BYTES];
    live_name(live, result->worker, name);
    if (result->status == STATUS_DEVICE_LOST)
        snprintf(what, sizeof what, "the last device of %s failed: %.800s", name, result->text);
    else /* names the rank itself */
        snprintf(what, sizeof what, "%.900s", result->text);
    lost(live, result->status, what);
}

void live_loss_note(struct live *live, const struct pool_result *result)
{
    char name[LIVE_NAME_BYTES];
    bool alive = pool_worker(live->pool, result->worker)->alive;
    if (result->news == POOL_WORKER)
        worker_lost(live, result);
    else if (result->news == POOL_TASK && result->status == STATUS_DEVICE_LOST && alive)
        device_lost(live, result->worker, result->text);
    else if (result->news == POOL_CONTEXT)
        tell(live, "%s cannot take part: %.800s", live_name(live, result->worker, name),
             result->text);
}

/* What it owes is not late but silent. */
static void silence_watch(struct live *live, int worker, double heard_s)
{
    char name[LIVE_NAME_BYTES];
    struct live_staff *staff = &live->staff[worker];
    bool silent = heard_s >= LIVE_SILENT_S;
    if (silent == staff->silent)
        return;
    staff->silent = silent;
    if (silent)
        tell(live, "%s has not answered for %.0f s; others get what it has",
             live_name(live, worker, name), LIVE_SILENT_S);
    else
        tell(live, "%s answers again", live_name(live, worker, name));
}

void live_loss_watch(struct live *live)
{
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        struct live_staff *staff = &live->staff[w];
        if (!worker->alive)
            continue;
        while (staff->lanes_lost < staff->lanes - worker->lanes)
            device_lost(live, w, "");
        silence_watch(live, w, worker->heard_s);
    }
}

/* Somebody owes an answer, of whom it is not told yet that he is silent. */
bool live_loss_awaited(const struct live *live)
{
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        if (worker->alive && worker->heard_s > 0 && !live->staff[w].silent)
            return true;
    }
    return false;
}

enum status live_losses(const struct live *live)
{
    const struct live_loss *loss = &live->loss;
    if (loss->status == STATUS_OK)
        return STATUS_OK;
    return status_fail(loss->status, "%.900s%s", loss->text,
                       anybody_left(live) ? "; the others went on" : "; nothing was left");
}
