/* The plan of Julia sets: direct at every depth that doubles reach, and what it predicts there. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/field.h"
#include "tests/render/plan/plan_chosen.h"

/* Near a fixed point, which is in the set. */
static struct plan_case julia_at(double log10_zoom)
{
    struct plan_case inputs = inputs_at(log10_zoom, 1920, 1080);
    inputs.view.centre_re = -0.4992413322144796;
    inputs.view.centre_im = 0.0563461203718963;
    inputs.view.step_re = inputs.view.step;
    inputs.picture.spec.formula = (struct formula){
        .plane = DYNAMIC_PLANE, .c_re = -0.745308354724804, .c_im = 0.112606744771062};
    inputs.picture.spec.limit = 20000;
    return inputs;
}

TEST(julia_sets_are_direct_as_deep_as_doubles_go)
{
    char text[4096];
    struct plan plan;
    for (int log10_zoom = 0; log10_zoom <= 3; log10_zoom++) {
        struct plan_case inputs = julia_at(log10_zoom);
        plan = chosen(&inputs);
        assert_int_equal(plan.method, METHOD_DIRECT);
        assert_int_equal(plan.number, NUMBER_FP64);
        assert_false(plan.falls_short);
        assert_true(plan.log10_zoom_end > log10_zoom);
        explained(&plan, &inputs, text, sizeof text);
        assert_non_null(strstr(text, "Julia set of c = -0.7453083547 +0.1126067448 i"));
        assert_non_null(strstr(text, " of z per pixel"));
    }
    struct plan_case inputs = julia_at(0);
    inputs.picture.accuracy_px = 1e-3;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP32);
    inputs = julia_at(5);
    inputs.picture.precision = PRECISION_FP32;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "--precision fp64"));
    inputs = julia_at(0);
    inputs.picture.spec.planes |= PLANE_MASK_DISTANCE;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
    inputs.picture.spec.planes |= PLANE_MASK_PERIOD;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
    inputs.picture.spec.planes |= PLANE_MASK_INSIDE;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
}

/* Measured with `deepfield verify`: about z = 0, whose neighbours all go to c, 99 % of the pixels
 * moved by up to 1.8e-8 px at a zoom of 1000 in a picture of 480 x 270, 1,000 times as far as in
 * other places. */
TEST(julia_sets_are_perturbed_where_doubles_end)
{
    char text[4096];
    const double zooms[] = {5, 13, 50, 400, 150000};
    for (size_t i = 0; i < sizeof zooms / sizeof *zooms; i++) {
        struct plan_case inputs = julia_at(zooms[i]);
        inputs.picture.spec.limit = 5000;
        struct plan plan = chosen(&inputs);
        assert_int_equal(plan.method, METHOD_PERTURBATION);
        assert_int_equal(plan_reach(&inputs.view), STATUS_OK);
        explained(&plan, &inputs, text, sizeof text);
        assert_non_null(strstr(text, "perturbation along an orbit of"));
        assert_non_null(strstr(text, "Julia set of c = -0.7453083547 +0.1126067448 i"));
    }
    struct plan plan;
    struct plan_case inputs = julia_at(150513);
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
}

TEST(where_julia_sets_fold_errors_are_large)
{
    struct plan_case inputs = julia_at(3);
    inputs.picture.accuracy_px = 1e-3;
    double beside = chosen(&inputs).error_px[NUMBER_FP64];
    inputs.view.centre_re = inputs.view.centre_im = 0;
    double fold = chosen(&inputs).error_px[NUMBER_FP64];
    assert_true(fold > 2e-8 && fold < 4e-7 && beside > 1e-11 && beside < 1e-9);
    /* Far from 0 and with a large c, where the set lies at |z| = 15 */
    inputs = julia_at(-1);
    inputs.picture.spec.formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = 10, .c_im = 200};
    double far = chosen(&inputs).error_px[NUMBER_FP64] * inputs.view.step;
    assert_true(far > 0x1p-53 * 14 && far < 0x1p-53 * 60);
}

static struct plan_case julia_of(double re, double im, double log10_zoom, int64_t limit)
{
    struct plan_case inputs = inputs_at(log10_zoom, 192, 108);
    inputs.view.centre_re = inputs.view.centre_im = 0;
    inputs.view.step_re = inputs.view.step;
    inputs.picture.spec.formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = re, .c_im = im};
    inputs.picture.spec.limit = limit;
    inputs.picture.accuracy_px = ACCURACY_DEFAULT_PX;
    return inputs;
}

/* `deepfield verify` measured 99 % below 1.7e-7, 1.9e-4 and 1.1 px in fp64; in fp32 27 of 32 counts
 * of the first were wrong. */
TEST(orbits_beside_parabolic_points_are_followed_to_the_limit)
{
    const struct {
        double re, im, zoom, fp64_least, fp64_most;
        int64_t limit;
        enum method method;
    } rows[] = {
        {-0.75, 0.0001, 5, 1e-7, 1e-5, 100000, METHOD_DIRECT},
        {0.25000001, 0, 2, 1e-4, 1e-2, 100000, METHOD_DIRECT},
        {-0.75, 0.00005, 1e4, 0, 1e-2, 1000000, METHOD_PERTURBATION},
        {0.2983562075159729, -0.0185194362269525, 1137532, 0, 1e-2, 60010, METHOD_PERTURBATION},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_case inputs =
            julia_of(rows[i].re, rows[i].im, log10(rows[i].zoom), rows[i].limit);
        struct plan plan = chosen(&inputs);
        double error_px = plan.error_px[NUMBER_FP64];
        if (plan.method != rows[i].method || plan.number != NUMBER_FP64 ||
            !(error_px >= rows[i].fp64_least && error_px <= rows[i].fp64_most))
            fail_msg("row %zu: %g px", i, error_px);
    }
}

/* Nothing is lost where an orbit has no count to be wrong. */
TEST(orbits_that_a_cycle_holds_cost_nothing)
{
    const struct {
        double re, im;
        int64_t limit;
    } rows[] = {{-0.123, 0.745, 200}, {-0.123, 0.745, 1000000},
                {-1, 0, 50},          {0, 0, 1000},
                {0.24, 0, 100000},    {-0.3905407802, -0.5867879073, 20000}}; /* a Siegel disc */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_case inputs = julia_of(rows[i].re, rows[i].im, 0, rows[i].limit);
        if (chosen(&inputs).number != NUMBER_FP32)
            fail_msg("row %zu: %g px", i, chosen(&inputs).error_px[NUMBER_FP32]);
    }
    struct plan_case cauliflower = julia_of(0.25, 0, 0, 100000);
    assert_int_equal(chosen(&cauliflower).method, METHOD_DIRECT);
}

/* In the whole set orbits are far from any reference. */
TEST(perturbation_is_not_taken_where_it_gains_little)
{
    struct plan_case inputs = julia_of(-0.75, 0.0001, log10(5), 100000);
    inputs.picture.accuracy_px = ACCURACY_EXACT_PX;
    struct plan plan = chosen(&inputs);
    assert_int_equal(plan.method, METHOD_DIRECT);
    assert_true(plan.falls_short && plan.error_px[NUMBER_FP64] > 1e-7);
    inputs = julia_of(-0.75, 0.0001, 2, 100000);
    inputs.picture.accuracy_px = ACCURACY_EXACT_PX;
    plan = chosen(&inputs);
    assert_int_equal(plan.method, METHOD_PERTURBATION);
    assert_false(plan.falls_short);
}

TEST(what_is_not_known_is_said_and_taken_for_the_worst)
{
    char text[4096];
    struct plan_case inputs = julia_of(0.25 + 1e-15, 0, 0, INT64_C(1) << 40);
    struct plan plan = chosen(&inputs);
    assert_int_equal(plan.method, METHOD_PERTURBATION);
    assert_false(plan.log10_zoom_end > -INFINITY);
    explained(&plan, &inputs, text, sizeof text);
    assert_non_null(strstr(text, "how exact direct iteration is is not known"));
    inputs.picture.precision = PRECISION_FP32;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    plan_error_text(INFINITY, text);
    assert_string_equal(text, "not known");
}

/* Of z^2 + c, of a formula that folds and of one that divides: no orbit is followed further. */
TEST(a_stop_ends_a_plan)
{
    const int stop = 1;
    const enum formula_step steps[] = {STEP_mandelbrot, STEP_burning_ship, STEP_lambda};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct plan_case inputs = julia_of(0.25 + 1e-15, 0, 0, INT64_C(1) << 40);
        struct plan plan;
        inputs.picture.spec.formula.step = steps[i];
        struct plan_amplification most = plan_error_amplification(
            &inputs.view, &inputs.picture.spec.formula, inputs.picture.spec.limit, &stop);
        assert_false(isfinite(most.direct));
        assert_int_equal(plan_choose(&plan, &inputs.picture, &inputs.view, &inputs.facts, &stop),
                         STATUS_STOPPED);
    }
}
