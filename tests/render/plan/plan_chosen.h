/* What do the tests of plans share? */
#ifndef TESTS_RENDER_PLAN_PLAN_CHOSEN_H
#define TESTS_RENDER_PLAN_PLAN_CHOSEN_H

#include <math.h>

#include "render/plan/plan.h"
#include "tests/support/check.h"

/* What is asked of a plan. */
struct plan_case {
    struct picture picture; /* without a view, which has these numbers: */
    struct view_numbers view;
    struct renderer_facts facts;
};

/* Of the Mandelbrot set, in one process with one device. */
static inline struct plan_case inputs_at(double log10_zoom, int32_t width, int32_t height)
{
    double log2_step = log2(4.0 / height) - log10_zoom * log2(10.0);
    struct plan_case inputs = {
        .picture = {.spec.limit = 1000,
                    .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                    .accuracy_px = ACCURACY_EXACT_PX,
                    .precision = PRECISION_AUTO,
                    .schedule = "auto",
                    .transport = "auto"},
        .view = {.centre_re = -0.75,
                 .log2_step = log2_step,
                 .step = exp2(log2_step),
                 .down_y = 1,
                 .image_width = width,
                 .image_height = height,
                 .width = width,
                 .height = height},
        .facts = {.ranks = 1, .computing_ranks = 1, .devices = 1, .tile_px = 1}};
    return inputs;
}

static inline enum status plan_of(struct plan *plan, const struct plan_case *inputs)
{
    return plan_choose(plan, &inputs->picture, &inputs->view, &inputs->facts, NULL);
}

/* The plan, which must not be refused. */
static inline struct plan chosen(const struct plan_case *inputs)
{
    struct plan plan;
    if (plan_of(&plan, inputs) != STATUS_OK)
        fail_msg("refused: %s", status_text());
    return plan;
}

static inline void explained(const struct plan *plan, const struct plan_case *inputs, char *text,
                             size_t bytes)
{
    FILE *stream = fmemopen(text, bytes, "w");
    assert_non_null(stream);
    plan_explain(plan, &inputs->picture, &inputs->view, stream);
    assert_int_equal(fclose(stream), 0);
}

#endif
