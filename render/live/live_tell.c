#include "render/live/live_tell.h"

#include <stdio.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend_kind.h"
#include "render/live/live_workers.h"
#include "render/plan/plan_samples.h"

#define RATE_S 0.5 /* least time over which speeds are measured */

bool live_news_note(struct live *live)
{
    bool first = !live->woken;
    __atomic_add_fetch(&live->version, 1, __ATOMIC_RELEASE);
    live->woken = true;
    return first;
}

void live_window_ring(struct live *live)
{
    pthread_mutex_lock(&live->wake_lock);
    if (live->wake)
        live->wake(live->wake_context);
    pthread_mutex_unlock(&live->wake_lock);
}

int live_samples_wanted(const struct live_work *work)
{
    if (work->request.samples != LIVE_SAMPLES_PLAN)
        return work->request.samples;
    return work->final_known ? plan_samples(&work->final, &work->known, work->limit) : 1;
}

bool live_samples_miss(const struct live_work *work)
{
    return work->settled && work->request.pace == LIVE_SETTLED &&
           work->samples_done < live_samples_wanted(work);
}

static enum live_stage stage_of(const struct live_work *work)
{
    if (work->failed)
        return LIVE_FAILED;
    if (!work->begun)
        return LIVE_NOTHING;
    if ((work->sample || live_samples_miss(work)) && !work->stopped)
        return LIVE_SAMPLES;
    if (work->settled || work->stopped)
        return LIVE_DONE;
    if (!work->context_up)
        return LIVE_ORBIT;
    if (!work->exact && !work->searching && refinement_done(&work->refinement))
        return work->request.pace == LIVE_MOVING ? LIVE_DONE : LIVE_FINE;
    int stride = work->restarts ? 1 : refinement_stride(&work->refinement);
    return stride == 0  ? LIVE_COARSE
           : stride > 4 ? LIVE_QUARTER
           : stride > 2 ? LIVE_HALF
                        : LIVE_FINE;
}

static void method_tell(const struct live_work *work, struct live_state *state)
{
    const struct plan *plan = work->exact && work->final_known ? &work->final : &work->preview;
    const struct orbit_made *orbit = work->orbits.own ? work->orbits.own : work->orbits.last;
    state->predicted_px = plan->error_px[plan->number];
    state->deep = plan->method == METHOD_PERTURBATION;
    if (!state->deep)
        snprintf(state->method, sizeof state->method, "direct, %s", plan_number_name(plan->number));
    else if (orbit)
        snprintf(state->method, sizeof state->method, "perturbation, %lld steps at %ld bits%s",
                 (long long)orbit->steps, orbit->bits, work->orbits.own ? "" : ", from nearby");
    else
        snprintf(state->method, sizeof state->method, "perturbation");
}

static void worker_tell(struct live_worker *to, const struct pool_worker *from)
{
    to->rank = from->rank;
    to->compute_s = from->busy_s / (from->threads > 0 ? from->threads : 1);
    to->transfer_s = from->transfer_s;
    memcpy(to->host, from->host, sizeof to->host);
    to->threads = from->threads;
    to->alive = from->alive;
    to->heard_s = from->heard_s;
    to->tiles = from->tiles;
    to->late = from->late;
    to->iterations = from->iterations;
    to->bytes = from->bytes;
    to->transport = from->transport;
}

/* Measures speeds since the last measurement, if that is long enough ago. */
static void rates_tell(struct live *live, struct live_state *state, double now)
{
    struct live_rate *rate = &live->work.rate;
    double seconds = now - rate->since_s;
    if (seconds < RATE_S)
        return;
    uint64_t iterations = 0;
    for (int w = 0; w < state->workers; w++) {
        const struct pool_worker *from = live_worker_of(live, w);
        double busy = (from->busy_s - rate->busy_s[w]) / seconds;
        busy /= from->threads > 0 ? from->threads : 1;
        state->worker[w].busy = busy < 0 ? 0 : busy > 1 ? 1 : busy;
        rate->busy_s[w] = from->busy_s;
        /* a job that has joined may have the number of one that has left, and counts from 0 */
        if (from->iterations > rate->iterations[w])
            iterations += from->iterations - rate->iterations[w];
        rate->iterations[w] = from->iterations;
    }
    state->iterations_per_s = (double)iterations / seconds;
    rate->since_s = now;
}

/* Tells of a worker that has joined by what it computes. */
static void joined_tell(const struct live *live, struct live_worker *to, int w)
{
    int own = pool_workers(live->pool);
    if (w < own)
        return;
    const struct backend_kind *kind = backend_kind_named(join_backend(live->join, w - own));
    to->backend = kind ? kind->name : "";
    to->gpu = backend_kind_is_gpu(kind);
}

static void workers_tell(struct live *live, struct live_state *state, double now)
{
    int workers = live_workers_all(live), own = pool_workers(live->pool), threads = 0;
    struct worker_set set = live_set_computing(live);
    state->workers = workers < LIVE_WORKERS_MAX ? workers : LIVE_WORKERS_MAX;
    state->late = 0;
    for (int w = 0; w < workers; w++) {
        const struct pool_worker *worker = live_worker_of(live, w);
        threads += worker->alive && w < own ? worker->threads : 0;
        state->late += worker->late;
        if (w >= state->workers)
            continue;
        worker_tell(&state->worker[w], worker);
        joined_tell(live, &state->worker[w], w);
        state->worker[w].computes = worker_set_has(&set, w);
    }
    state->threads_lost = live->threads - threads;
    state->computing = worker_set_count(&set);
    state->picture_s = set_times_of(&live->work.times, &set);
    state->picture_one_s = set_times_one(&live->work.times);
    rates_tell(live, state, now);
}

/* Notes the time when all devices of this rank have left the picture before, and other ranks are
 * ready. */
static void cancelled_note(struct live *live, double now)
{
    struct live_work *work = &live->work;
    bool others = true;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        others &= worker->rank == 0 || !worker->alive || worker->ready || !work->context_up;
    }
    double idle = live->worker.device_set.threads ? rank_worker_idle_s(&live->worker) : now;
    const struct pool_worker *first = pool_worker(live->pool, 0);
    if (first->rank == 0 && first->outstanding && first->ready) /* working on the new picture */
        idle = now;
    if (idle > 0 && others && work->moments.asked > 0)
        work->moments.cancelled = idle > work->moments.asked ? idle : work->moments.asked;
}

static void progress_tell(struct live *live, struct live_state *state)
{
    struct live_work *work = &live->work;
    const struct refinement *refinement = &work->refinement;
    double done = refinement->samples_all > 0
                      ? (double)refinement->samples_done / (double)refinement->samples_all
                      : 0;
    state->done = work->settled ? 1 : work->context_up && !work->searching ? done : 0;
    state->sample_done = work->sample ? done : 0;
    state->samples = live_samples_wanted(work);
    state->samples_done = work->settled ? work->samples_done : 0;
    state->smooth = work->settled && work->sample == 0 && work->samples_done >= state->samples;
    struct orbit_progress orbit = orbit_maker_progress(work->orbits.maker);
    bool waits = work->orbits.asked && !work->orbits.own;
    state->orbit_s = waits ? orbit.seconds : 0;
    state->orbit_steps = waits ? orbit.steps : 0;
    state->orbit_most = waits ? orbit.most : 0;
}

bool live_is_at_work(const struct live *live)
{
    const struct live_work *work = &live->work;
    if (!work->begun || work->failed || work->stopped)
        return false;
    return !work->context_up || !refinement_done(&work->refinement) ||
           (work->orbits.asked && !work->orbits.amplification_known);
}

/* Adds the time since the last call to that of work, if there was any. */
static void work_tell(struct live *live, struct live_state *state, double now)
{
    struct live_work *work = &live->work;
    if (work->worked)
        work->work_s += now - work->worked_s;
    work->worked = live_is_at_work(live);
    work->worked_s = now;
    state->work_s = work->work_s;
    state->compose_s = work->compose_s;
}

void live_state_tell(struct live *live)
{
    struct live_work *work = &live->work;
    struct live_state *state = &live->state;
    double now = clock_s();
    if (work->moments.cancelled == 0)
        cancelled_note(live, now);
    pthread_mutex_lock(&live->mutex);
    if (work->begun && !work->recolour_due)
        state->serial = work->request.serial;
    state->stage = stage_of(work);
    state->stride = work->restarts || work->settled ? 1 : refinement_stride(&work->refinement);
    state->settled = work->settled;
    state->covered = work->moments.covered > 0;
    state->stopped = work->stopped;
    state->limit = work->limit;
    state->iterations = work->iterations;
    state->count_min = work->count_min;
    state->count_max = work->count_max;
    state->undecided = work->samples ? (double)work->undecided / (double)work->samples : 0;
    state->moments = work->moments;
    if (!work->failed && !work->warned)
        state->error[0] = '\0';
    progress_tell(live, state);
    live->passes += live->passes & 1 && !work->mixed;
    method_tell(work, state);
    workers_tell(live, state, now);
    work_tell(live, state, now);
    bool ring = live_news_note(live);
    if (work->recoloured_version == UINT64_MAX)
        work->recoloured_version = live->version;
    if (state->covered && work->covered_version == UINT64_MAX)
        work->covered_version = live->version;
    pthread_mutex_unlock(&live->mutex);
    if (ring)
        live_window_ring(live);
}

bool live_distribution_note(struct live *live)
{
    struct live_work *work = &live->work;
    int wanted = work->settled               ? MEASURED_SETTLED
                 : work->moments.covered > 0 ? MEASURED_COARSE
                                             : MEASURED_NOT;
    if ((int)work->measured >= wanted)
        return false;
    distribution_measure_coarse(&work->distribution, &live->framebuffer.field,
                                work->settled ? 1 : SUBGRID_STRIDE_MOST);
    survey_take(&work->survey, &live->framebuffer.field, work->settled ? 1 : SUBGRID_STRIDE_MOST);
    work->measured = work->settled ? MEASURED_SETTLED : MEASURED_COARSE;
    pthread_mutex_lock(&live->mutex);
    live->state.distribution = work->distribution;
    live->state.survey = work->survey;
    live->state.measured++;
    live->state.measured_picture = live->state.picture;
    pthread_mutex_unlock(&live->mutex);
    return true;
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
    live_tasks_cancel(live);
    live_slots_clear(&live->work);
    error_tell(live);
}

void live_trouble_tell(void *context, const char *text)
{
    struct live *live = context;
    pthread_mutex_lock(&live->mutex);
    snprintf(live->state.trouble, sizeof live->state.trouble, "%s", text);
    live->state.troubles++;
    pthread_mutex_unlock(&live->mutex);
}

void live_left_check(struct live *live)
{
    if (!live->work.failed && losses_left(&live->losses) != STATUS_OK)
        live_fail(live);
}

enum status live_losses(const struct live *live)
{
    return losses_status(&live->losses);
}
