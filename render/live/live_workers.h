/* Workers of the engine: those of the pool, those of other jobs behind them, and who of them
 * computes. */
#ifndef RENDER_LIVE_LIVE_WORKERS_H
#define RENDER_LIVE_LIVE_WORKERS_H

#include "render/live/coordinator.h"

/* Number of workers of the pool, and behind them of jobs that have joined. */
int live_workers_all(const struct live *live);

/* Row of a worker; borrowed until the next call. */
const struct pool_worker *live_worker_of(const struct live *live, int w);

/* May this worker be given a task now? */
bool live_may_give(const struct live *live, int w);

/* Gives it one; the statuses of pool_give. */
enum status live_task_give(struct live *live, int w, const struct pool_task *task);

/* The next result of any worker, as pool_take gives it. */
bool live_result_take(struct live *live, struct pool_result *result);

/* Makes every task useless that has not arrived. */
void live_tasks_cancel(struct live *live);

/* Workers that compute: those that the request wants; all, if none of those is alive. */
struct worker_set live_set_computing(const struct live *live);

/* Notes who computes the picture from now on. */
void live_set_note(struct live_work *work, const struct worker_set *set);

/* Takes part in what jobs that join compute, from now on until live_joined_end. */
void live_joined_begin(struct live *live);
void live_joined_end(struct live *live);

#endif
