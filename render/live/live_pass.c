#include "render/live/live_pass.h"

#include <math.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "render/live/live_plans.h"
#include "render/live/live_tasks.h"
#include "render/live/live_tell.h"
#include "render/motion/screen_threads.h"

enum {
    /* Most pixels of a painter in a picture that is computed at once: 0.5 ms, with relief 1.3,
     * where no other thread wants the cores. A larger one is covered by squares of COVER_STRID
     * * pixels first, in a quarter of that and less. */
    PAINT_AT_ONCE = 1 << 17,
    COVER_STRIDE = 4
};

#define BLOCKS_S 2.0 /* longest wait for blocks */

struct spec live_spec_of(const struct live_work *work, const struct plan *plan)
{
    return (struct spec){.limit = work->limit,
                         .bailout = work->request.bailout,
                         .orbit = work->request.orbit,
                         .planes = work->planes,
                         .count_bytes = plan->count_bytes,
                         .number = plan->number,
                         .shortcuts = SHORTCUTS_ON,
                         .formula = work->request.formula};
}

/* Does painting all pixels take so long that coarse ones should be shown before? */
static bool paints_long(int64_t pixels)
{
    return pixels / screen_painters(pixels) > PAINT_AT_ONCE;
}

void live_refinement_ready(struct live *live, bool restarts)
{
    struct live_work *work = &live->work;
    struct refinement *refinement = &work->refinement;
    if (restarts && !work->restarts)
        work->preview_s = fmax(refinement_sample_s(refinement), 0);
    int64_t pixels = (int64_t)refinement->width * refinement->height;
    double predicted = work->sample_s * (double)pixels / live->devices;
    bool at_once = predicted > 0 && predicted < live_at_once_s(live);
    bool covers = at_once && !restarts && paints_long(pixels);
    refinement_begin(refinement, covers ? COVER_STRIDE : SUBGRID_STRIDE_MOST, 1);
    refinement_point(refinement, work->request.pointer_x, work->request.pointer_y);
    refinement->sample_s = work->sample_s;
    refinement->jump = restarts || (at_once && !covers);
    if (work->searching && (restarts || !refinement->jump)) {
        refinement->jump = false;
        refinement_extend(refinement, refinement->coarsest);
    }
    work->restarts = restarts;
    live_slots_clear(work);
}

/* Is the newest context building the blocks that this one needs? A new context would begin them
 * anew. */
static bool blocks_coming(const struct live *live, const struct picture_context *context)
{
    const struct live_work *work = &live->work;
    if (!context->blocks_key || context->blocks_key != work->told_key)
        return false;
    for (int w = 0; w < pool_workers(live->pool); w++)
        if (pool_worker(live->pool, w)->ready)
            return false;
    return clock_s() - work->told_s < BLOCKS_S;
}

/* Do all ranks have the blocks that this context needs? Then it needs no orbit. */
static bool blocks_there(const struct live *live, const struct picture_context *context)
{
    if (!context->blocks_key || context->blocks_key != live->work.told_key)
        return false;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        if (worker->alive && !worker->ready)
            return false;
    }
    return true;
}

/* Tells workers of other jobs the context, with its orbit for those without its blocks. */
static enum status joined_tell_context(struct live *live, const struct picture_context *context,
                                       const struct orbit_made *orbit)
{
    struct picture_context whole = *context;
    struct join_context told = {.epoch = live->work.epoch, .key = context->blocks_key};
    bool known = told.key && told.key == live->work.joined_key;
    void *head, *rest = NULL;
    whole.orbit = orbit ? orbit->number : 0;
    TRY(context_head_pack(&whole, NULL, &head, &told.head_length));
    enum status status = STATUS_OK;
    if (orbit && !known)
        status = context_orbit_pack(&orbit->shared->orbit, &rest, &told.rest_length);
    told.head = head;
    told.rest = rest;
    if (status == STATUS_OK)
        status = join_context(live->join, &told);
    live->work.joined_key = status == STATUS_OK ? told.key : 0;
    free(head);
    free(rest);
    return status;
}

/* Tells the ranks the context, and begins to refine. Leaves context_up false while an orbit or its
 * blocks are missing. */
static enum status pass_begin(struct live *live, bool exact, bool restarts)
{
    struct live_work *work = &live->work;
    const struct plan *plan = exact ? &work->final : &work->preview;
    struct picture_context context = {
        .view = work->numbers,
        .spec = live_spec_of(work, plan),
        .method = plan->method,
        .request = {.accuracy_px = plan->accuracy_px,
                    .blocks = BLOCKS_QUARTIC,
                    .amplification = exact ? work->orbits.amplification : 0},
    };
    const struct orbit_made *orbit = NULL;
    if (plan->method == METHOD_PERTURBATION &&
        !(orbit = orbits_for(&work->orbits, exact, &work->request.view, work->epoch + 1, &context)))
        return STATUS_OK;
    if (blocks_coming(live, &context))
        return STATUS_OK;
    void *bytes;
    size_t length;
    const struct orbit_made *whole = orbit;
    if (blocks_there(live, &context))
        orbit = NULL;
    context.orbit = orbit ? orbit->number : 0;
    if (orbit)
        rank_worker_offer(&live->worker, orbit->shared);
    TRY(context_pack(&context, orbit && world_size(live->world) > 1 ? &orbit->shared->orbit : NULL,
                     &bytes, &length));
    enum status status = pool_context(live->pool, ++work->epoch, bytes, length);
    free(bytes);
    if (status == STATUS_OK && live->join)
        status = joined_tell_context(live, &context, whole);
    TRY(status);
    work->context_up = true;
    work->context_failures = 0;
    work->told_key = context.blocks_key;
    work->told_s = clock_s();
    if (work->pass_s == 0)
        work->pass_s = work->moments.planned = work->told_s;
    work->exact = exact || (work->final_known && live_same_pixels(&work->preview, &work->final));
    live_refinement_ready(live, restarts);
    return STATUS_OK;
}

void live_pass_start(struct live *live, bool exact, bool restarts)
{
    if (pass_begin(live, exact, restarts) != STATUS_OK)
        live_fail(live);
}

int64_t live_limit_bounded(const struct live_work *work, int64_t limit)
{
    int64_t most = work->request.limit_most;
    return most && limit > most ? most : limit;
}
