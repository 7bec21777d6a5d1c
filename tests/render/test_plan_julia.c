/* The plan of Julia sets: direct at every depth that doubles reach, and what it predicts there. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/field.h"
#include "plan_chosen.h"

/* Near a fixed point, which is in the set. */
static struct plan_inputs julia_at(double log10_zoom)
{
    struct plan_inputs inputs = inputs_at(log10_zoom, 1920, 1080);
    inputs.view.centre_re = -0.4992413322144796;
    inputs.view.centre_im = 0.0563461203718963;
    inputs.view.step_re = inputs.view.step;
    inputs.formula = (struct formula){
        .plane = DYNAMIC_PLANE, .c_re = -0.745308354724804, .c_im = 0.112606744771062};
    inputs.limit = 20000;
    return inputs;
}

TEST(julia_sets_are_direct_as_deep_as_doubles_go)
{
    char text[4096];
    struct plan plan;
    for (int log10_zoom = 0; log10_zoom <= 3; log10_zoom++) {
        struct plan_inputs inputs = julia_at(log10_zoom);
        plan = chosen(&inputs);
        assert_int_equal(plan.method, METHOD_DIRECT);
        assert_int_equal(plan.number, NUMBER_FP64);
        assert_false(plan.falls_short);
        assert_true(plan.log10_zoom_end > log10_zoom);
        explained(&plan, &inputs, text, sizeof text);
        assert_non_null(strstr(text, "Julia set of c = -0.7453083547 +0.1126067448 i"));
        assert_non_null(strstr(text, " of z per pixel"));
    }
    struct plan_inputs inputs = julia_at(0);
    inputs.accuracy_px = 1e-3;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP32);
    inputs = julia_at(5);
    inputs.precision = PRECISION_FP32;
    assert_int_equal(plan_choose(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "--precision fp64"));
    inputs = julia_at(0);
    inputs.planes |= PLANE_MASK_DISTANCE;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
    inputs.planes |= PLANE_MASK_PERIOD;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
    inputs.planes |= PLANE_MASK_INSIDE;
    assert_int_equal(plan_choose(&plan, &inputs), STATUS_CONFIG);
}

/* Measured with `deepfield verify`: about z = 0, whose neighbours all go to c, 99 % of the pixels
 * moved by up to 1.8e-8 px at a zoom of 1000 in a picture of 480 x 270, 1,000 times as far as in
 * other places. */
TEST(julia_sets_are_perturbed_where_doubles_end)
{
    char text[4096];
    const double zooms[] = {5, 13, 50, 400, 150000};
    for (size_t i = 0; i < sizeof zooms / sizeof *zooms; i++) {
        struct plan_inputs inputs = julia_at(zooms[i]);
        inputs.limit = 5000;
        struct plan plan = chosen(&inputs);
        assert_int_equal(plan.method, METHOD_PERTURBATION);
        assert_int_equal(plan_reach(&inputs.view), STATUS_OK);
        explained(&plan, &inputs, text, sizeof text);
        assert_non_null(strstr(text, "perturbation along an orbit of"));
        assert_non_null(strstr(text, "Julia set of c = -0.7453083547 +0.1126067448 i"));
    }
    struct plan plan;
    struct plan_inputs inputs = julia_at(150513);
    assert_int_equal(plan_choose(&plan, &inputs), STATUS_UNREACHABLE);
}

TEST(where_julia_sets_fold_errors_are_large)
{
    struct plan_inputs inputs = julia_at(3);
    inputs.accuracy_px = 1e-3;
    double beside = chosen(&inputs).error_px[NUMBER_FP64];
    inputs.view.centre_re = inputs.view.centre_im = 0;
    double fold = chosen(&inputs).error_px[NUMBER_FP64];
    assert_true(fold > 2e-8 && fold < 4e-7 && beside > 1e-11 && beside < 1e-9);
    /* Far from 0 and with a large c, where the set lies at |z| = 15 */
    inputs = julia_at(-1);
    inputs.formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = 10, .c_im = 200};
    double far = chosen(&inputs).error_px[NUMBER_FP64] * inputs.view.step;
    assert_true(far > 0x1p-53 * 14 && far < 0x1p-53 * 60);
}
