#include "render/live/losses.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum status losses_open(struct losses *losses, const struct world *world, const struct pool *pool,
                        void (*tell)(void *context, const char *text), void *context)
{
    int workers = pool_workers(pool);
    *losses = (struct losses){.world = world,
                              .pool = pool,
                              .tell = tell,
                              .context = context,
                              .worker = calloc((size_t)workers, sizeof *losses->worker)};
    if (!losses->worker)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d workers", workers);
    for (int w = 0; w < workers; w++)
        losses->worker[w].threads = pool_worker(pool, w)->threads;
    return STATUS_OK;
}

void losses_close(struct losses *losses)
{
    free(losses->worker);
    losses->worker = NULL;
}

const char *losses_name(const struct losses *losses, int worker, char name[LOSSES_NAME_BYTES])
{
    const struct pool_worker *who = pool_worker(losses->pool, worker);
    if (world_size(losses->world) == 1)
        snprintf(name, LOSSES_NAME_BYTES, "this program");
    else
        snprintf(name, LOSSES_NAME_BYTES, "rank %d on %s", who->rank, who->host);
    return name;
}

static bool anybody_left(const struct losses *losses)
{
    for (int w = 0; w < pool_workers(losses->pool); w++)
        if (pool_worker(losses->pool, w)->alive)
            return true;
    return false;
}

__attribute__((format(printf, 2, 3))) static void loss_tell(struct losses *losses,
                                                            const char *format, ...)
{
    char text[STATUS_TEXT_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    losses->tell(losses->context, text);
}

/* Notes a loss: told to the user now, and at the end of the program if it is the first. A device
 * that was lost over useless work has no reason: the first one that has stands for it. */
static void lost(struct losses *losses, enum status status, const char *what, bool reasoned)
{
    loss_tell(losses, "%.900s%s", what, anybody_left(losses) ? "; the others go on" : "");
    if (losses->first != STATUS_OK && (losses->reasoned || !reasoned))
        return;
    losses->first = status;
    losses->reasoned = reasoned;
    snprintf(losses->text, sizeof losses->text, "%s", what);
}

enum status losses_left(const struct losses *losses)
{
    if (anybody_left(losses))
        return STATUS_OK;
    return status_fail(losses->first == STATUS_OK ? STATUS_NO_DEVICE : losses->first,
                       "nothing is left to compute with: %.900s", losses->text);
}

static void device_lost(struct losses *losses, int worker, const char *why)
{
    char what[STATUS_TEXT_BYTES], name[LOSSES_NAME_BYTES];
    losses->worker[worker].threads_lost++;
    snprintf(what, sizeof what, "a device of %s failed%s%.800s", losses_name(losses, worker, name),
             *why ? ": " : "", why);
    lost(losses, STATUS_DEVICE_LOST, what, *why);
}

static void worker_lost(struct losses *losses, const struct pool_result *result)
{
    char what[STATUS_TEXT_BYTES], name[LOSSES_NAME_BYTES];
    losses_name(losses, result->worker, name);
    if (result->status == STATUS_DEVICE_LOST)
        snprintf(what, sizeof what, "the last device of %s failed: %.800s", name, result->text);
    else /* the text names the rank itself */
        snprintf(what, sizeof what, "%.900s", result->text);
    lost(losses, result->status, what, true);
}

bool losses_note(struct losses *losses, const struct pool_result *result)
{
    char name[LOSSES_NAME_BYTES];
    bool alive = pool_worker(losses->pool, result->worker)->alive;
    bool device = result->kind == POOL_TASK && result->status == STATUS_DEVICE_LOST && alive;
    if (result->kind == POOL_WORKER)
        worker_lost(losses, result);
    else if (device)
        device_lost(losses, result->worker, result->text);
    else if (result->kind == POOL_CONTEXT)
        loss_tell(losses, "%s cannot take part: %.800s", losses_name(losses, result->worker, name),
                  result->text);
    return device || result->kind == POOL_WORKER;
}

/* Watches the silence of a worker that owes an answer. */
static void silence_watch(struct losses *losses, int worker, double heard_s)
{
    char name[LOSSES_NAME_BYTES];
    struct worker_losses *told = &losses->worker[worker];
    bool silent = heard_s >= LOSSES_SILENT_S;
    if (silent == told->silent)
        return;
    told->silent = silent;
    if (silent)
        loss_tell(losses, "%s has not answered for %.0f s; others get what it has",
                  losses_name(losses, worker, name), LOSSES_SILENT_S);
    else
        loss_tell(losses, "%s answers again", losses_name(losses, worker, name));
}

bool losses_watch(struct losses *losses)
{
    bool some = false;
    for (int w = 0; w < pool_workers(losses->pool); w++) {
        const struct pool_worker *worker = pool_worker(losses->pool, w);
        struct worker_losses *told = &losses->worker[w];
        if (!worker->alive)
            continue;
        while (told->threads_lost < told->threads - worker->threads)
            device_lost(losses, w, ""), some = true;
        silence_watch(losses, w, worker->heard_s);
    }
    return some;
}

/* Does a worker owe an answer whose silence was not told yet? */
bool losses_awaited(const struct losses *losses)
{
    for (int w = 0; w < pool_workers(losses->pool); w++) {
        const struct pool_worker *worker = pool_worker(losses->pool, w);
        if (worker->alive && worker->heard_s > 0 && !losses->worker[w].silent)
            return true;
    }
    return false;
}

enum status losses_status(const struct losses *losses)
{
    if (losses->first == STATUS_OK)
        return STATUS_OK;
    return status_fail(losses->first, "%.900s%s", losses->text,
                       anybody_left(losses) ? "; the others went on" : "; nothing was left");
}
