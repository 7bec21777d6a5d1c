#include "render/picture/picture_plan.h"

#include "render/disk/memory.h"
#include "render/picture/region.h"
#include "render/plan/plan_error.h"

/* Rows are numbered by 32 bits. */
static enum status frame_check(const struct plan *plan, const struct view_numbers *view)
{
    int64_t rows = (int64_t)plan->strip_rows + 2 * (int64_t)plan->halo_rows;
    if (rows * plan->fields <= INT32_MAX)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE, "%d rows are too many to average samples; the most is %d",
                       view->height, INT32_MAX / plan->fields);
}

enum status picture_plan(const struct picture *picture, const struct renderer_facts *facts,
                         const volatile int *stop, struct view_numbers *view, struct plan *plan)
{
    struct view_numbers numbers;
    TRY(formula_check(&picture->spec.formula, picture->spec.bailout));
    TRY(view_numbers(&picture->view, &numbers));
    const struct tile computed = region_computed(picture);
    numbers = view_numbers_part(&numbers, computed.x, computed.y, computed.width, computed.height);
    TRY(plan_choose(plan, picture, &numbers, facts, stop));
    if (view)
        *view = numbers;
    return frame_check(plan, &numbers);
}

/* Every machine has memory of its own; the least decides. */
static enum status away_admit(const struct plan *plan)
{
    const struct memory_remote *away = &plan->facts.memory_remote;
    uint64_t needed = (uint64_t)away->ranks * plan->bytes.away;
    if (away->ranks == 0 || needed <= away->bytes / 10 * 8)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB on %s for its %d rank%s, but of the %.1f GiB free there only "
        "80 %% may be used; take fewer ranks, or a smaller --tile",
        (double)needed / 0x1p30, away->host, away->ranks, away->ranks > 1 ? "s" : "",
        (double)away->bytes / 0x1p30);
}

enum status picture_admit(const struct plan *plan)
{
    uint64_t beside = (uint64_t)(plan->facts.computing_ranks - plan->facts.away_ranks);
    uint64_t workers = beside * plan->bytes.worker;
    uint64_t frame = plan->bytes.frame + plan->bytes.light;
    uint64_t needed = plan_memory(plan);
    uint64_t there = memory_available();
    if (needed <= there / 10 * 8)
        return away_admit(plan);
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB (frame %.1f, transport %.1f, ranks %.1f), but of the %.1f GiB "
        "free on this machine only 80 %% may be used; choose a smaller --size",
        (double)needed / 0x1p30, (double)frame / 0x1p30, (double)plan->bytes.transport / 0x1p30,
        (double)workers / 0x1p30, (double)there / 0x1p30);
}

struct spec picture_spec(const struct picture *picture, const struct plan *plan)
{
    struct spec spec = picture->spec;
    spec.count_bytes = plan->count_bytes;
    spec.number = plan->number;
    return spec;
}

struct picture_known picture_know(const struct picture *picture, const struct picture_orbit *orbit,
                                  const volatile int *stop)
{
    struct picture_known known = {.nucleus = -1};
    struct view_numbers view;
    if (formula_check(&picture->spec.formula, picture->spec.bailout) != STATUS_OK ||
        view_numbers(&picture->view, &view) != STATUS_OK)
        return known;
    if (!picture->of_many || plan_error_matters(&view, &picture->spec.formula))
        known.error_amplification =
            plan_error_amplification(&view, &picture->spec.formula, picture->spec.limit, stop);
    if (orbit)
        known.nucleus = picture_orbit_nucleus(orbit, &picture->view, &view);
    return known;
}
