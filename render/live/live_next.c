/* Which climb comes next? Previews of a limit that is looked for, previews, the settled picture,
 * further samples: each is a climb of the ladder, and mostly a scene of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/live/live_parts.h"

enum { PREVIEW_LAST = 2 }; /* the finest stride of previews that exact pixels are waiting for */

#define BLOCKS_S 2.0 /* blocks are waited for so long; then something is wrong with them */
/* A picture that takes less is not refined but computed. Of GPUs few samples take as long as many,
 * so that what is expected of them is too much. */
#define AT_ONCE_S 0.008
#define AT_ONCE_GPU_S 0.016

static double at_once_s(const struct live *live)
{
    return live->wave > 0 ? AT_ONCE_GPU_S : AT_ONCE_S;
}

/* ---- plans -------------------------------------------------------------------------------- */

/* Where not even c fits into doubles no orbits need to be followed to know that. */
static bool plan_is_plain(struct live *live, double accuracy_px, struct plan *plan)
{
    struct live_work *work = &live->work;
    if (work->wish.formula.plane != PARAMETER_PLANE ||
        plan_error_px(&work->numbers, &work->wish.formula, NUMBER_FP64, 1) <= PLAN_ERROR_MAX_PX)
        return false;
    *plan = (struct plan){.method = METHOD_PERTURBATION,
                          .number = NUMBER_FP64,
                          .accuracy_px = accuracy_px,
                          .error_px = {[NUMBER_FP64] = accuracy_px},
                          .count_bytes = work->limit <= (int64_t)UINT32_MAX ? 4 : 8};
    return true;
}

static enum status plan_make(struct live *live, double accuracy_px, struct plan *plan)
{
    struct live_work *work = &live->work;
    struct plan_inputs inputs;
    struct picture picture = {.view = work->wish.view,
                              .limit = work->limit,
                              .bailout = work->wish.bailout,
                              .formula = work->wish.formula,
                              .planes = work->planes & ~(unsigned)PLANE_MASK_ATTRACTOR,
                              .accuracy_px = accuracy_px,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = "auto",
                              .transport = "auto"};
    TRY(picture_plan(&picture, &live->studio->facts, &inputs, plan));
    work->numbers = inputs.view;
    return STATUS_OK;
}

static bool same_pixels(const struct plan *a, const struct plan *b)
{
    return a->method == METHOD_DIRECT && b->method == METHOD_DIRECT && a->number == b->number;
}

/* The plan of the settled picture is made when it is wanted first. */
static void final_plan(struct live *live)
{
    struct live_work *work = &live->work;
    if (work->final_known || work->wish.pace != LIVE_SETTLED)
        return;
    if (plan_make(live, live_accuracy_px(live), &work->final) != STATUS_OK) {
        live_fail(live);
        return;
    }
    work->final_known = true;
    if (work->scene_up && same_pixels(&work->preview, &work->final))
        work->exact = true;
}

/* Can the settled picture be computed now? */
static bool can_settle(const struct live_work *work)
{
    return work->wish.pace == LIVE_SETTLED && work->final_known &&
           (work->final.method == METHOD_DIRECT || (work->own && work->amplification_known));
}

/* ---- climbs ---------------------------------------------------------------------------------- */

/* Where all pixels come at once the limit that is tried first is most likely right: they are not
 * held back for a coarse pass. Later limits of the search are tried on few samples again. */
static void ladder_ready(struct live *live, bool restarts)
{
    struct live_work *work = &live->work;
    struct ladder *ladder = &work->ladder;
    if (restarts && !work->restarts)
        work->preview_s = fmax(ladder_sample_s(ladder), 0);
    ladder_begin(ladder, LATTICE_STRIDE_MOST, 1);
    ladder_point(ladder, work->wish.pointer_x, work->wish.pointer_y);
    ladder->sample_s = work->sample_s;
    double predicted = work->sample_s * (double)ladder->samples_all / live->devices;
    ladder->jump = restarts || (predicted > 0 && predicted < at_once_s(live));
    if (work->searching && (restarts || !ladder->jump)) {
        ladder->jump = false;
        ladder_extend(ladder, LATTICE_STRIDE_MOST);
    }
    work->restarts = restarts;
    live_slots_clear(work);
}

/* Is the newest scene making the very blocks that this one wants? Told now it would begin anew. */
static bool blocks_coming(const struct live *live, const struct scene *scene)
{
    const struct live_work *work = &live->work;
    if (!scene->blocks_key || scene->blocks_key != work->told_key)
        return false;
    for (int w = 0; w < pool_workers(live->pool); w++)
        if (pool_worker(live->pool, w)->ready)
            return false;
    return clock_s() - work->told_s < BLOCKS_S;
}

/* Do all ranks have the blocks that this scene wants? Then it needs no orbit. */
static bool blocks_there(const struct live *live, const struct scene *scene)
{
    if (!scene->blocks_key || scene->blocks_key != live->work.told_key)
        return false;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        if (worker->alive && !worker->ready)
            return false;
    }
    return true;
}

/* Tells the ranks, and begins to climb. Leaves scene_up false where an orbit or
 * its blocks are not there yet. */
static enum status climb_begin(struct live *live, bool exact, bool restarts)
{
    struct live_work *work = &live->work;
    const struct plan *plan = exact ? &work->final : &work->preview;
    struct scene scene = {
        .view = work->numbers,
        .spec = live_spec(work, plan),
        .method = plan->method,
        .wish = {.accuracy_px = plan->accuracy_px,
                 .blocks = BLOCKS_QUARTIC,
                 .amplification = exact ? work->amplification : 0},
    };
    const struct orbit_made *orbit = NULL;
    if (plan->method == METHOD_PERTURBATION && !(orbit = live_orbit_for(work, exact, &scene)))
        return STATUS_OK;
    if (blocks_coming(live, &scene))
        return STATUS_OK;
    void *bytes;
    size_t length;
    if (blocks_there(live, &scene))
        orbit = NULL;
    TRY(scene_pack(&scene, orbit ? orbit->bytes : NULL, orbit ? orbit->length : 0, &bytes,
                   &length));
    enum status status = pool_context(live->pool, ++work->epoch, bytes, length);
    free(bytes);
    TRY(status);
    work->scene_up = true;
    work->scene_failures = 0;
    work->told_key = scene.blocks_key;
    work->told_s = clock_s();
    if (work->climb_s == 0)
        work->climb_s = work->told_s;
    work->exact = exact || (work->final_known && same_pixels(&work->preview, &work->final));
    ladder_ready(live, restarts);
    return STATUS_OK;
}

static void climb(struct live *live, bool exact, bool restarts)
{
    if (climb_begin(live, exact, restarts) != STATUS_OK)
        live_fail(live);
}

/* Another limit, or another picture: plans, scenes and orbits begin anew. */
static void limit_set(struct live *live, int64_t limit)
{
    struct live_work *work = &live->work;
    work->limit = limit;
    work->final_known = work->scene_up = work->exact = work->settled = false;
    work->counts = (struct limit_counts){.samples = 0};
    live_orbit_retire(work);
    if (plan_is_plain(live, live_preview_px(live), &work->preview))
        return;
    if (plan_make(live, live_preview_px(live), &work->preview) != STATUS_OK)
        live_fail(live);
}

static enum status ladder_fit(struct live *live)
{
    struct ladder *ladder = &live->work.ladder;
    const struct view *view = &live->work.wish.view;
    if (ladder->width == view->width && ladder->height == view->height)
        return STATUS_OK;
    ladder_close(ladder);
    TRY(ladder_open(ladder, view->width, view->height, live->cell_px));
    ladder->split_s = live->split_s;
    ladder->row_s = live->row_s;
    ladder->wave = live->wave;
    return STATUS_OK;
}

/* What the window sees of another picture, until live_tell says more. */
static void state_begin(struct live *live)
{
    struct live_state *state = &live->state;
    state->serial = live->work.wish.serial;
    state->picture++;
    state->width = live->mosaic.width;
    state->height = live->mosaic.height;
    state->planes = live->work.planes;
    state->stage = LIVE_ORBIT;
    state->settled = state->covered = false;
}

/* Memory is found before and freed after the moment in which one picture replaces the other. */
static enum status memory_fit(struct live *live)
{
    struct live_work *work = &live->work;
    int count_bytes = work->limit <= (int64_t)UINT32_MAX ? 4 : 8;
    struct mosaic_memory memory = {.share = NULL};
    pthread_mutex_lock(&live->mutex);
    live->state.settled = false; /* from now on nobody takes hold of its field */
    pthread_mutex_unlock(&live->mutex);
    enum status status = ladder_fit(live);
    if (status == STATUS_OK)
        status = mosaic_prepare(&live->mosaic, &work->ladder, work->planes, count_bytes, &memory);
    pthread_mutex_lock(&live->page);
    pthread_mutex_lock(&live->mutex);
    mosaic_begin(&live->mosaic, status == STATUS_OK ? &work->ladder : NULL, work->planes,
                 count_bytes, &memory);
    state_begin(live);
    pthread_mutex_unlock(&live->mutex);
    pthread_mutex_unlock(&live->page);
    mosaic_memory_destroy(&memory);
    return status;
}

/* Of the inside: direct iteration finds them, and Julia sets have no distances there. */
static unsigned attractors_wanted(const struct live_wish *wish)
{
    bool julia = wish->formula.plane == DYNAMIC_PLANE;
    return wish->planes & (unsigned)(julia ? PLANE_MASK_PERIOD : PLANE_MASK_ATTRACTOR);
}

/* Distances are nearly free where the picture is computed by perturbation, which Julia sets never
 * are; direct iteration takes twice as long with them. */
static unsigned planes_wanted(const struct live *live)
{
    const struct live_work *work = &live->work;
    const struct formula *formula = &work->wish.formula;
    bool deep = formula->plane != DYNAMIC_PLANE &&
                plan_error_px(&work->numbers, formula, NUMBER_FP64, 1) > live_accuracy_px(live);
    bool wanted = work->wish.distances == LIVE_DISTANCES_ALL ||
                  (work->wish.distances == LIVE_DISTANCES_FREE && deep);
    return SCENE_PLANES | (wanted ? PLANE_MASK_DISTANCE : 0) |
           (deep ? 0 : attractors_wanted(&work->wish));
}

void live_picture_begin(struct live *live, double asked_s)
{
    struct live_work *work = &live->work;
    pool_cancel(live->pool);
    live_slots_clear(work);
    if (work->ladder.cells && !work->restarts)
        work->preview_s = fmax(ladder_sample_s(&work->ladder), 0);
    work->sample_s = work->preview_s;
    work->restarts = work->recolour_due = work->whole = false;
    work->begun = true;
    work->stopped = work->failed = work->settled = work->scene_up = false;
    work->sample = 0;
    work->samples_done = 1;
    work->iterations = work->count_min = work->count_max = work->samples = work->undecided = 0;
    work->moments = (struct live_moments){.asked = asked_s};
    work->climb_s = 0;
    work->covered_version = UINT64_MAX;
    work->measured = MEASURED_NOT;
    work->automatic = work->searching = work->wish.limit == 0;
    work->limit = work->wish.limit;
    bool known = view_numbers(&work->wish.view, &work->numbers) == STATUS_OK;
    work->planes = known ? planes_wanted(live) : SCENE_PLANES;
    if (!known || memory_fit(live) != STATUS_OK) {
        live_fail(live);
        return;
    }
    work->log10_zoom = view_log10_zoom(&work->numbers);
    int64_t most = limit_most(work->log10_zoom);
    int64_t guess = work->limit_found ? work->limit_found : limit_guess(work->log10_zoom);
    guess = guess < most ? guess : most;
    limit_set(live, work->automatic ? guess : work->wish.limit);
    live_loss_check(live);
}

/* ---- what comes next ------------------------------------------------------------------------- */

/* The coarse pass is home: is its limit the right one? */
static void search_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    int64_t limit = limit_next(&work->counts, work->limit, work->log10_zoom);
    if (limit > work->limit) {
        limit_set(live, limit);
        return;
    }
    work->searching = false;
    work->limit_found = limit;
    if (limit < work->limit)
        limit_set(live, limit);
    else if (work->restarts)
        ladder_ready(live, true); /* what has come was only looked at */
    else
        ladder_extend(&work->ladder, 1);
}

/* Previews end where exact pixels can begin. */
static void preview_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    struct ladder *ladder = &work->ladder;
    bool settle = can_settle(work);
    int finest = settle ? PREVIEW_LAST : 1;
    if (ladder->finest != finest)
        ladder_extend(ladder, finest);
    if (settle && ladder_stride(ladder) == 0)
        climb(live, true, work->whole);
    else if (settle && ladder_done(ladder))
        climb(live, true, true);
}

/* From now on nobody takes hold of the mean. */
static void smooth_end(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    live->state.smooth = false;
    pthread_mutex_unlock(&live->mutex);
}

static void sample_begin(struct live *live)
{
    struct live_work *work = &live->work;
    smooth_end(live);
    if (mosaic_sample_begin(&live->mosaic, work->samples_done) != STATUS_OK) {
        work->wish.samples = work->samples_done; /* the picture is good without them */
        return;
    }
    work->sample = work->samples_done;
    work->sample_s = fmax(ladder_sample_s(&work->ladder), 0);
    ladder_begin(&work->ladder, 1, 1);
    ladder_point(&work->ladder, work->wish.pointer_x, work->wish.pointer_y);
    work->ladder.sample = (int16_t)work->sample;
    live_slots_clear(work);
}

/* All of it is home. From now on, until live_tell, pixels have more samples than is said. */
static void sample_end(struct live *live)
{
    struct live_work *work = &live->work;
    pthread_mutex_lock(&live->mutex);
    live->passes |= 1;
    pthread_mutex_unlock(&live->mutex);
    bool added =
        mosaic_sample_add(&live->mosaic, &work->look, work->sample, live_colours_wanted, live);
    work->samples_done = added ? work->sample + 1 : 1;
    work->sample = 0;
}

void live_samples_drop(struct live *live)
{
    struct live_work *work = &live->work;
    smooth_end(live);
    if (work->sample) {
        pool_cancel(live->pool);
        live_slots_clear(work);
        ladder_finish(&work->ladder); /* what it wanted belongs to no picture any more */
    }
    work->sample = 0;
    work->samples_done = 1;
}

static void settled_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    if (work->sample)
        sample_end(live);
    if (work->samples_done < work->wish.samples && work->wish.pace == LIVE_SETTLED)
        sample_begin(live);
}

static void moments_note(struct live_work *work)
{
    double now = clock_s();
    int stride = ladder_stride(&work->ladder);
    if (work->moments.covered == 0 && stride > 0)
        work->moments.covered = now;
    if (work->moments.fine == 0 && stride == 1 && work->scene_up && !work->searching)
        work->moments.fine = now;
}

static void jump_if_cheap(struct live *live)
{
    struct ladder *ladder = &live->work.ladder;
    double left = ladder_left_s(ladder) / live->devices;
    if (!ladder->jump && ladder_stride(ladder) > 0 && left >= 0 && left < at_once_s(live))
        ladder->jump = true;
}

static void scene_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    bool done = ladder_done(&work->ladder);
    if (ladder_stride(&work->ladder) == 1)
        work->whole = true;
    if (work->searching && done)
        search_go_on(live);
    moments_note(work);
    if (!work->searching && work->sample == 0 && !work->settled)
        jump_if_cheap(live);
    if (!work->scene_up || work->failed || work->searching)
        return;
    if (!work->exact)
        preview_go_on(live);
    else if (done && ladder_done(&work->ladder))
        work->settled = true;
    if (work->settled && ladder_done(&work->ladder))
        settled_go_on(live);
}

void live_advance(struct live *live)
{
    struct live_work *work = &live->work;
    if (!work->begun || work->stopped || work->failed)
        return;
    live_orbit_collect(live);
    final_plan(live);
    if (work->scene_up && !work->failed)
        scene_go_on(live);
    if (!work->scene_up && !work->failed) {
        final_plan(live);
        climb(live, can_settle(work), work->whole);
    }
    if (!work->failed)
        live_orbit_want(live);
    if (work->settled && work->moments.settled == 0)
        work->moments.settled = clock_s();
    live_distribution_note(live);
}
