#include "render/live/live_plans.h"

#include "render/live/live_tell.h"
#include "render/picture/picture_plan.h"

bool live_plan_is_plain(struct live *live, double accuracy_px, struct plan *plan)
{
    struct live_work *work = &live->work;
    if (!formula_perturbed(&work->request.formula) ||
        plan_error_px(&work->numbers, &work->request.formula, NUMBER_FP64, 1) <= ERROR_MAX_PX)
        return false;
    *plan = (struct plan){.method = METHOD_PERTURBATION,
                          .number = NUMBER_FP64,
                          .accuracy_px = accuracy_px,
                          .error_px = {[NUMBER_FP64] = accuracy_px},
                          .count_bytes = work->limit <= (int64_t)UINT32_MAX ? 4 : 8};
    return true;
}

/* Planes that a plan goes by. Perturbation leaves those of direct iteration alone 0 here; of them
 * sums along orbits need doubles, as phases do. */
static unsigned planes_planned(unsigned planes)
{
    unsigned left = planes & ~(unsigned)(PLANE_MASK_ATTRACTOR | PLANE_MASK_ORBIT);
    return left | (planes & PLANE_MASK_ORBIT ? PLANE_MASK_PHASE : 0);
}

/* Makes a plan. Both plans of a picture use the facts about its view, which take nearly all of
 * their time. STATUS_STOPPED: to be made again. */
static enum status plan_make(struct live *live, double accuracy_px, struct plan *plan)
{
    struct live_work *work = &live->work;
    struct view_numbers numbers;
    struct plan made;
    struct picture picture = {.view = work->request.view,
                              .spec.limit = work->limit,
                              .spec.bailout = work->request.bailout,
                              .spec.formula = work->request.formula,
                              .spec.planes = planes_planned(work->planes),
                              .accuracy_px = accuracy_px,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = "auto",
                              .transport = "auto",
                              .known = &work->known};
    if (!(work->known.error_amplification.direct > 0))
        work->known = picture_know(&picture, NULL, &live->plan_stop);
    enum status status = picture_plan(&picture, &renderer_info(live->renderer)->facts,
                                      &live->plan_stop, &numbers, &made);
    if (status == STATUS_STOPPED)
        work->known = (struct picture_known){.nucleus = -1};
    TRY(status);
    work->numbers = numbers;
    *plan = made;
    return STATUS_OK;
}

/* Makes a plan where it is missing. Returns whether it exists now; not if another picture is
 * requested meanwhile. */
static bool plan_want(struct live *live, bool *known, double accuracy_px, struct plan *plan)
{
    enum status status = *known ? STATUS_OK : plan_make(live, accuracy_px, plan);
    *known = status == STATUS_OK;
    if (status != STATUS_OK && status != STATUS_STOPPED)
        live_fail(live);
    return *known;
}

bool live_same_pixels(const struct plan *a, const struct plan *b)
{
    return a->method == METHOD_DIRECT && b->method == METHOD_DIRECT && a->number == b->number;
}

void live_plans_want(struct live *live)
{
    struct live_work *work = &live->work;
    if (!plan_want(live, &work->preview_known, live_preview_px(live), &work->preview))
        return;
    if (work->final_known || work->request.pace != LIVE_SETTLED)
        return;
    if (plan_want(live, &work->final_known, live_accuracy_px(live), &work->final) &&
        work->context_up && live_same_pixels(&work->preview, &work->final))
        work->exact = true;
}

bool live_can_settle(const struct live_work *work)
{
    return work->request.pace == LIVE_SETTLED && work->final_known &&
           (work->final.method == METHOD_DIRECT ||
            (work->orbits.own && work->orbits.amplification_known));
}
