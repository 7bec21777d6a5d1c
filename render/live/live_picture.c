#include "render/live/live_picture.h"

#include <math.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "render/live/live_pass.h"
#include "render/live/live_plans.h"
#include "render/live/live_request.h"
#include "render/live/live_tell.h"
#include "render/live/live_workers.h"

void live_limit_set(struct live *live, int64_t limit)
{
    struct live_work *work = &live->work;
    work->limit = limit;
    work->final_known = work->context_up = work->exact = work->settled = false;
    work->counts = (struct limit_counts){.samples = 0};
    work->known = (struct picture_known){.nucleus = -1};
    orbits_retire(&work->orbits);
    work->preview_known = live_plan_is_plain(live, live_preview_px(live), &work->preview);
}

static enum status refinement_fit(struct live *live)
{
    struct refinement *refinement = &live->work.refinement;
    const struct view *view = &live->work.request.view;
    if (refinement->width == view->width && refinement->height == view->height)
        return STATUS_OK;
    refinement_close(refinement);
    TRY(refinement_open(refinement, view->width, view->height, live->cell_px));
    refinement->split_s = live->split_s;
    refinement->row_s = live->row_s;
    refinement->wave = live->wave;
    return STATUS_OK;
}

/* Sets the state of another picture until state_tell. */
static void state_begin(struct live *live)
{
    struct live_state *state = &live->state;
    state->serial = live->work.request.serial;
    state->picture++;
    state->width = live->framebuffer.width;
    state->height = live->framebuffer.height;
    state->planes = live->work.planes;
    state->stage = LIVE_ORBIT;
    state->settled = state->smooth = state->covered = state->stopped = false;
    state->stride = 0;
}

/* Fits the memory: allocated before, and freed after, the moment in which one picture replaces the
 * other. */
static enum status memory_fit(struct live *live)
{
    struct live_work *work = &live->work;
    int count_bytes = work->limit <= (int64_t)UINT32_MAX ? 4 : 8;
    struct framebuffer_memory memory = {.share = NULL};
    pthread_mutex_lock(&live->mutex);
    live->state.settled = false; /* from now on its field cannot be held */
    pthread_mutex_unlock(&live->mutex);
    enum status status = refinement_fit(live);
    if (status == STATUS_OK)
        status = framebuffer_prepare(&live->framebuffer, &work->refinement, work->planes,
                                     count_bytes, &memory);
    pthread_mutex_lock(&live->page);
    pthread_mutex_lock(&live->mutex);
    framebuffer_begin(&live->framebuffer, status == STATUS_OK ? &work->refinement : NULL,
                      work->planes, count_bytes, &memory);
    state_begin(live);
    pthread_mutex_unlock(&live->mutex);
    pthread_mutex_unlock(&live->page);
    framebuffer_memory_destroy(&memory);
    return status;
}

/* Sets the planes of a picture, whose numbers are known or not. */
static void planes_set(struct live *live, bool known)
{
    struct live_work *work = &live->work;
    const struct formula *formula = &work->request.formula;
    bool deep = known && formula_perturbed(formula) &&
                plan_error_px(&work->numbers, formula, NUMBER_FP64, 1) > live_accuracy_px(live);
    pthread_mutex_lock(&live->mutex);
    work->deep = deep;
    work->planes = known ? live_planes_wanted(&work->request, deep) : CONTEXT_PLANES;
    pthread_mutex_unlock(&live->mutex);
}

void live_picture_begin(struct live *live, double asked_s)
{
    struct live_work *work = &live->work;
    live_tasks_cancel(live);
    live_slots_clear(work);
    if (work->refinement.cells && !work->restarts)
        work->preview_s = fmax(refinement_sample_s(&work->refinement), 0);
    work->sample_s = work->preview_s;
    work->restarts = work->recolour_due = work->whole = false;
    work->begun = true;
    work->stopped = work->failed = work->settled = work->context_up = false;
    work->sample = 0;
    work->samples_done = 1;
    work->mixed = false;
    work->iterations = work->count_min = work->count_max = work->samples = work->undecided = 0;
    work->moments = (struct live_moments){.asked = asked_s, .begun = clock_s()};
    work->set = live_set_computing(live);
    work->set_changed = false;
    work->pass_s = 0;
    work->covered_version = UINT64_MAX;
    work->recoloured_version = 0;
    work->measured = MEASURED_NOT;
    work->automatic = work->searching = work->request.limit == 0;
    work->limit = work->request.limit;
    bool known = view_numbers(&work->request.view, &work->numbers) == STATUS_OK;
    planes_set(live, known);
    if (!known || memory_fit(live) != STATUS_OK) {
        live_fail(live);
        return;
    }
    work->log10_zoom = view_log10_zoom(&work->numbers);
    int64_t most = limit_most(work->log10_zoom);
    int64_t guess = work->limit_found ? work->limit_found : limit_guess(work->log10_zoom);
    guess = live_limit_bounded(work, guess < most ? guess : most);
    live_limit_set(live, work->automatic ? guess : work->request.limit);
    live_left_check(live);
}
