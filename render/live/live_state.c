/* What the window is told. */
#include <stdio.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/live/live_parts.h"

#define RATE_S 0.5 /* over which speeds are measured, at least */

bool live_news_note(struct live *live)
{
    bool first = !live->woken;
    __atomic_add_fetch(&live->version, 1, __ATOMIC_RELEASE);
    live->woken = true;
    return first;
}

void live_ring(struct live *live)
{
    pthread_mutex_lock(&live->bell);
    if (live->wake)
        live->wake(live->wake_context);
    pthread_mutex_unlock(&live->bell);
}

static enum live_stage stage_of(const struct live_work *work)
{
    if (work->failed)
        return LIVE_FAILED;
    if (!work->begun)
        return LIVE_NOTHING;
    if (work->sample && !work->stopped)
        return LIVE_SAMPLES;
    if (work->settled || work->stopped)
        return LIVE_DONE;
    if (!work->scene_up)
        return LIVE_ORBIT;
    if (!work->exact && !work->searching && ladder_done(&work->ladder))
        return work->wish.pace == LIVE_MOVING ? LIVE_DONE : LIVE_FINE;
    int stride = work->restarts ? 1 : ladder_stride(&work->ladder);
    return stride == 0  ? LIVE_COARSE
           : stride > 4 ? LIVE_QUARTER
           : stride > 2 ? LIVE_HALF
                        : LIVE_FINE;
}

static void method_tell(const struct live_work *work, struct live_state *state)
{
    const struct plan *plan = work->exact && work->final_known ? &work->final : &work->preview;
    const struct orbit_made *orbit = work->own ? work->own : work->last;
    state->predicted_px = plan->error_px[plan->number];
    state->deep = plan->method == METHOD_PERTURBATION;
    if (!state->deep)
        snprintf(state->method, sizeof state->method, "direct, %s",
                 plan->number == NUMBER_FP32 ? "fp32" : "fp64");
    else if (orbit)
        snprintf(state->method, sizeof state->method, "perturbation, %lld steps at %ld bits%s",
                 (long long)orbit->steps, orbit->bits, work->own ? "" : ", from nearby");
    else
        snprintf(state->method, sizeof state->method, "perturbation");
}

static void worker_tell(struct live_worker *to, const struct pool_worker *from)
{
    to->rank = from->rank;
    memcpy(to->host, from->host, sizeof to->host);
    to->lanes = from->lanes;
    to->alive = from->alive;
    to->heard_s = from->heard_s;
    to->tiles = from->tiles;
    to->late = from->late;
    to->iterations = from->iterations;
    to->bytes = from->bytes;
    to->transport = from->transport;
}

/* Speeds over the time since they were measured last, if that is long enough. */
static void rates_tell(struct live *live, struct live_state *state, double now)
{
    struct live_rate *rate = &live->work.rate;
    double seconds = now - rate->since_s;
    if (seconds < RATE_S)
        return;
    uint64_t iterations = 0;
    for (int w = 0; w < state->workers; w++) {
        const struct pool_worker *from = pool_worker(live->pool, w);
        double busy = (from->busy_s - rate->busy_s[w]) / seconds;
        busy /= from->lanes > 0 ? from->lanes : 1;
        state->worker[w].busy = busy < 0 ? 0 : busy > 1 ? 1 : busy;
        rate->busy_s[w] = from->busy_s;
        iterations += from->iterations;
    }
    state->iterations_per_s = (double)(iterations - rate->iterations) / seconds;
    rate->iterations = iterations;
    rate->since_s = now;
}

static void workers_tell(struct live *live, struct live_state *state, double now)
{
    int workers = pool_workers(live->pool);
    state->workers = workers < LIVE_WORKERS_MAX ? workers : LIVE_WORKERS_MAX;
    state->late = 0;
    int lanes = 0;
    for (int w = 0; w < workers; w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        lanes += worker->alive ? worker->lanes : 0;
        state->late += worker->late;
        if (w < state->workers)
            worker_tell(&state->worker[w], worker);
    }
    state->lanes_lost = live->lanes - lanes;
    rates_tell(live, state, now);
}

/* When everything of this rank has left the picture before; of others, when they are ready. */
static void cancelled_note(struct live *live, double now)
{
    struct live_work *work = &live->work;
    bool others = true;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        others &= worker->rank == 0 || !worker->alive || worker->ready || !work->scene_up;
    }
    double idle = live->room.crew.lanes ? scene_idle_s(&live->room) : now;
    const struct pool_worker *first = pool_worker(live->pool, 0);
    if (first->rank == 0 && first->outstanding && first->ready) /* at work on the new one */
        idle = now;
    if (idle > 0 && others && work->moments.asked > 0)
        work->moments.cancelled = idle > work->moments.asked ? idle : work->moments.asked;
}

static void progress_tell(struct live *live, struct live_state *state)
{
    struct live_work *work = &live->work;
    const struct ladder *ladder = &work->ladder;
    double done =
        ladder->samples_all > 0 ? (double)ladder->samples_home / (double)ladder->samples_all : 0;
    state->done = work->settled ? 1 : work->scene_up && !work->searching ? done : 0;
    state->sample_done = work->sample ? done : 0;
    state->samples = work->wish.samples;
    state->samples_done = work->settled ? work->samples_done : 0;
    state->smooth = work->settled && work->sample == 0 && work->samples_done >= work->wish.samples;
    struct orbit_progress orbit = orbit_maker_progress(live->maker);
    bool waits = work->orbit_asked && !work->own;
    state->orbit_s = waits ? orbit.seconds : 0;
    state->orbit_steps = waits ? orbit.steps : 0;
    state->orbit_most = waits ? orbit.most : 0;
}

void live_tell(struct live *live)
{
    struct live_work *work = &live->work;
    struct live_state *state = &live->state;
    double now = clock_s();
    if (work->moments.cancelled == 0)
        cancelled_note(live, now);
    pthread_mutex_lock(&live->mutex);
    if (work->begun && !work->recolour_due)
        state->serial = work->wish.serial;
    state->stage = stage_of(work);
    state->settled = work->settled;
    state->covered = work->moments.covered > 0;
    state->limit = work->limit;
    state->iterations = work->iterations;
    state->count_min = work->count_min;
    state->count_max = work->count_max;
    state->undecided = work->samples ? (double)work->undecided / (double)work->samples : 0;
    state->moments = work->moments;
    if (!work->failed && !work->warned)
        state->error[0] = '\0';
    progress_tell(live, state);
    live->passes += live->passes & 1;
    method_tell(work, state);
    workers_tell(live, state, now);
    bool ring = live_news_note(live);
    if (state->covered && work->covered_version == UINT64_MAX)
        work->covered_version = live->version;
    pthread_mutex_unlock(&live->mutex);
    if (ring)
        live_ring(live);
}

void live_distribution_note(struct live *live)
{
    struct live_work *work = &live->work;
    int wanted = work->settled               ? MEASURED_SETTLED
                 : work->moments.covered > 0 ? MEASURED_COARSE
                                             : MEASURED_NOT;
    if ((int)work->measured >= wanted)
        return;
    distribution_measure_coarse(&work->distribution, &live->mosaic.field,
                                work->settled ? 1 : LATTICE_STRIDE_MOST);
    work->measured = work->settled ? MEASURED_SETTLED : MEASURED_COARSE;
    pthread_mutex_lock(&live->mutex);
    live->state.distribution = work->distribution;
    live->state.measured++;
    pthread_mutex_unlock(&live->mutex);
}

static void error_tell(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    snprintf(live->state.error, sizeof live->state.error, "%s", status_text());
    pthread_mutex_unlock(&live->mutex);
}

void live_warn(struct live *live)
{
    live->work.warned = true;
    error_tell(live);
}

void live_fail(struct live *live)
{
    live->work.failed = true;
    pool_cancel(live->pool);
    live_slots_clear(&live->work);
    error_tell(live);
}
