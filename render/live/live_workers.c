#include "render/live/live_workers.h"

int live_workers_all(const struct live *live)
{
    return pool_workers(live->pool) + join_workers(live->join);
}

const struct pool_worker *live_worker_of(const struct live *live, int w)
{
    int own = pool_workers(live->pool);
    return w < own ? pool_worker(live->pool, w) : join_worker(live->join, w - own);
}

bool live_may_give(const struct live *live, int w)
{
    int own = pool_workers(live->pool);
    return w < own ? pool_may_give(live->pool, w) : join_may_give(live->join, w - own);
}

enum status live_task_give(struct live *live, int w, const struct pool_task *task)
{
    int own = pool_workers(live->pool);
    return w < own ? pool_give(live->pool, w, task) : join_give(live->join, w - own, task);
}

bool live_result_take(struct live *live, struct pool_result *result)
{
    if (pool_take(live->pool, result))
        return true;
    if (!live->join || !join_take(live->join, result))
        return false;
    result->worker += pool_workers(live->pool);
    return true;
}

void live_tasks_cancel(struct live *live)
{
    pool_cancel(live->pool);
    if (live->join)
        join_cancel(live->join);
}

/* Workers that are alive, of those that the request wants or of all. */
static struct worker_set set_alive(const struct live *live, bool all)
{
    const struct live_request *request = &live->work.request;
    struct worker_set set = {0};
    int workers = live_workers_all(live);
    for (int w = 0; w < workers; w++) {
        bool wanted =
            (!request->workers || w < request->workers) && !worker_set_has(&request->without, w);
        if ((all || wanted) && live_worker_of(live, w)->alive)
            worker_set_add(&set, w);
    }
    return set;
}

struct worker_set live_set_computing(const struct live *live)
{
    struct worker_set set = set_alive(live, false);
    return worker_set_count(&set) ? set : set_alive(live, true);
}

void live_set_note(struct live_work *work, const struct worker_set *set)
{
    work->set_changed |= !worker_set_same(&work->set, set);
    work->set = *set;
}

static void joined_news(void *context)
{
    struct live *live = context;
    pool_wake(live->pool);
}

void live_joined_begin(struct live *live)
{
    if ((live->join = renderer_join(live->renderer)))
        join_wake_with(live->join, joined_news, live);
}

void live_joined_end(struct live *live)
{
    if (live->join)
        join_wake_with(live->join, NULL, NULL);
    live->join = NULL;
}
