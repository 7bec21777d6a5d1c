/* What do the tests of plans share? */
#ifndef TESTS_RENDER_PLAN_CHOSEN_H
#define TESTS_RENDER_PLAN_CHOSEN_H

#include "render/plan.h"
#include "tests/support/check.h"

/* The plan, which must not be refused. */
static inline struct plan chosen(const struct plan_inputs *inputs)
{
    struct plan plan;
    if (plan_choose(&plan, inputs) != STATUS_OK)
        fail_msg("refused: %s", status_text());
    return plan;
}

static inline void explained(const struct plan *plan, const struct plan_inputs *inputs, char *text,
                             size_t bytes)
{
    FILE *stream = fmemopen(text, bytes, "w");
    assert_non_null(stream);
    plan_explain(plan, inputs, stream);
    assert_int_equal(fclose(stream), 0);
}

#endif
