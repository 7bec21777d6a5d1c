#include "render/live/live_steps.h"

#include <math.h>

#include "decomposition/thread/clock.h"
#include "render/live/live_pass.h"
#include "render/live/live_picture.h"
#include "render/live/live_plans.h"
#include "render/live/live_request.h"
#include "render/live/live_tasks.h"
#include "render/live/live_tell.h"
#include "render/live/live_workers.h"

enum { PREVIEW_LAST = 2 }; /* the finest stride of previews that exact pixels are waiting for */

/* ---- what comes next ---- */

/* Continues the search of the limit after a coarse pass. */
static void search_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    int64_t limit =
        live_limit_bounded(work, limit_next(&work->counts, work->limit, work->log10_zoom));
    if (limit > work->limit) {
        live_limit_set(live, limit);
        return;
    }
    work->searching = false;
    work->limit_found = limit;
    if (limit < work->limit)
        live_limit_set(live, limit);
    else if (work->restarts)
        live_refinement_ready(live, true); /* its samples were only counted */
    else
        refinement_extend(&work->refinement, 1);
}

/* Continues previews; they end when exact pixels can begin. */
static void preview_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    struct refinement *refinement = &work->refinement;
    bool settle = live_can_settle(work);
    int finest = settle ? PREVIEW_LAST : 1;
    if (refinement->finest != finest)
        refinement_extend(refinement, finest);
    if (settle && refinement_stride(refinement) == 0)
        live_pass_start(live, true, work->whole);
    else if (settle && refinement_done(refinement))
        live_pass_start(live, true, true);
}

/* Ends the smooth state: from now on the mean cannot be held. */
static void smooth_end(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    live->state.smooth = false;
    pthread_mutex_unlock(&live->mutex);
}

/* Leaves the picture with the samples that it has: there is no memory for more. */
static void samples_end(struct live_work *work)
{
    work->request.samples = work->samples_done;
}

static void sample_begin(struct live *live)
{
    struct live_work *work = &live->work;
    smooth_end(live);
    if (framebuffer_sample_begin(&live->framebuffer, work->samples_done) != STATUS_OK) {
        samples_end(work);
        return;
    }
    work->sample = work->samples_done;
    work->sample_s = fmax(refinement_sample_s(&work->refinement), 0);
    refinement_begin(&work->refinement, 1, 1);
    refinement_point(&work->refinement, work->request.pointer_x, work->request.pointer_y);
    work->refinement.sample = (int16_t)work->sample;
    live_slots_clear(work);
}

/* Last sample that the mean lacks and that is there; below samples_done: none. */
static int sample_there(const struct live *live)
{
    const struct live_work *work = &live->work;
    int last = kept_samples_last(&live->framebuffer.kept, work->samples_done);
    int wanted = live_samples_wanted(work) - 1;
    return last < wanted ? last : wanted;
}

bool live_mean_wanted(void *context)
{
    struct live *live = context;
    const struct live_request *now = &live->work.request;
    pthread_mutex_lock(&live->mutex);
    bool another = live->asked_new &&
                   !(live_same_picture(live, &live->asked) && live_same_look(now, &live->asked));
    bool wanted = !another && !live->quit;
    pthread_mutex_unlock(&live->mutex);
    return wanted;
}

bool live_mean_is_due(struct live *live)
{
    const struct live_work *work = &live->work;
    return live_samples_miss(work) && !work->failed && !work->recolour_due &&
           work->recoloured_version != UINT64_MAX && sample_there(live) >= work->samples_done;
}

/* Adds the samples that are there to the mean, unless something else is requested meanwhile: then
 * it begins anew. Until state_tell pixels have more samples than the state says. */
static void mean_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    int last = sample_there(live);
    if (!live_mean_is_due(live) || !live_mean_wanted(live))
        return;
    smooth_end(live);
    if (framebuffer_mean_begin(&live->framebuffer, work->samples_done) != STATUS_OK) {
        samples_end(work);
        return;
    }
    double begun_s = clock_s();
    pthread_mutex_lock(&live->mutex);
    live->passes |= 1;
    pthread_mutex_unlock(&live->mutex);
    bool added = framebuffer_samples_add(&live->framebuffer, &work->look, work->samples_done, last,
                                         live_mean_wanted, live);
    work->samples_done = added ? last + 1 : 1;
    work->mixed = !added;
    work->compose_s += clock_s() - begun_s;
}

/* Gives up the sample that is being computed. */
static void sample_drop(struct live *live)
{
    struct live_work *work = &live->work;
    if (work->sample) {
        live_tasks_cancel(live);
        live_slots_clear(work);
        refinement_finish(&work->refinement); /* its deals belong to no picture any more */
    }
    work->sample = 0;
}

void live_mean_drop(struct live *live)
{
    struct live_work *work = &live->work;
    bool kept = kept_samples_keeps(&live->framebuffer.kept, work->sample);
    smooth_end(live);
    if (!kept || work->sample >= live_samples_wanted(work) || work->stopped)
        sample_drop(live);
    work->samples_done = 1;
}

static void settled_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    bool computed = refinement_done(&work->refinement);
    if (work->sample && computed) {
        framebuffer_sample_end(&live->framebuffer, work->sample);
        work->sample = 0;
    }
    mean_go_on(live);
    if (computed && live_samples_miss(work) && sample_there(live) < work->samples_done)
        sample_begin(live);
}

static void moments_note(struct live_work *work)
{
    double now = clock_s();
    int stride = refinement_stride(&work->refinement);
    if (work->moments.covered == 0 && stride > 0)
        work->moments.covered = now;
    if (work->moments.fine == 0 && stride == 1 && work->context_up && !work->searching)
        work->moments.fine = now;
}

static void jump_if_cheap(struct live *live)
{
    struct refinement *refinement = &live->work.refinement;
    double left = refinement_left_s(refinement) / live->devices;
    if (!refinement->jump && refinement_stride(refinement) > 0 && left >= 0 &&
        left < live_at_once_s(live))
        refinement->jump = true;
}

static void context_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    bool done = refinement_done(&work->refinement);
    if (refinement_stride(&work->refinement) == 1)
        work->whole = true;
    if (work->searching && done)
        search_go_on(live);
    moments_note(work);
    if (!work->searching && work->sample == 0 && !work->settled)
        jump_if_cheap(live);
    if (!work->context_up || work->failed || work->searching)
        return;
    if (!work->exact)
        preview_go_on(live);
    else if (done && refinement_done(&work->refinement))
        work->settled = true;
    if (work->settled)
        settled_go_on(live);
}

/* Requests an orbit where one is missing. */
static void orbit_want(struct live *live)
{
    struct live_work *work = &live->work;
    bool deep = work->preview.method == METHOD_PERTURBATION;
    bool for_preview = !work->context_up && deep;
    bool for_final = !work->searching && work->final_known && !work->exact &&
                     work->final.method == METHOD_PERTURBATION;
    struct orbit_request request = {.view = work->request.view,
                                    .numbers = work->numbers,
                                    .spec = live_spec_of(work, &work->preview),
                                    .accuracy_px = live_accuracy_px(live)};
    if (orbits_want(&work->orbits, &request, for_preview, for_final) != STATUS_OK)
        live_fail(live);
}

/* Notes when the picture was settled, and how long that took the workers, if they were the same
 * ones all the time. */
static void settled_note(struct live_work *work)
{
    work->moments.settled = clock_s();
    if (!work->set_changed)
        set_times_note(&work->times, &work->set, work->moments.settled - work->moments.begun);
}

void live_advance(struct live *live)
{
    struct live_work *work = &live->work;
    if (work->begun && work->stopped)
        mean_go_on(live); /* samples that are there are shown in other colours, too */
    if (!work->begun || work->stopped || work->failed)
        return;
    if (orbits_collect(&work->orbits) != STATUS_OK)
        live_fail(live);
    live_plans_want(live);
    if (work->context_up && !work->failed)
        context_go_on(live);
    if (!work->context_up && !work->failed)
        live_plans_want(live);
    if (!work->context_up && !work->failed && work->preview_known)
        live_pass_start(live, live_can_settle(work), work->whole);
    if (!work->failed && work->preview_known)
        orbit_want(live);
    if (work->settled && work->moments.settled == 0)
        settled_note(work);
    if (work->settled) /* a picture is at rest when its colours are known */
        live_distribution_note(live);
}
