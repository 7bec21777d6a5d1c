/* The plan: literals in, documented decisions out. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/field.h"
#include "kernels/formula_text.h"
#include "render/colour/samples.h"
#include "render/plan/plan_samples.h"
#include "tests/render/plan/plan_chosen.h"

TEST(the_predicted_error_is_u_times_c_over_the_step)
{
    struct plan_case inputs = inputs_at(6, 1920, 1080);
    double c = 0.75 + 0.5 * inputs.view.step * hypot(1920, 1080);
    double expected = 0x1p-53 * c / inputs.view.step;
    assert_true(
        fabs(plan_error_px(&inputs.view, &inputs.picture.spec.formula, NUMBER_FP64, 1) / expected -
             1) < 1e-12);
    assert_true(fabs(plan_error_px(&inputs.view, &inputs.picture.spec.formula, NUMBER_FP32, 1) /
                         expected / 0x1p29 -
                     1) < 1e-12);
}

/* Measured with `deepfield verify`: at a Feigenbaum point 99 % of the pixels moved by up to 0.24 px
 * where u |c| / step is 0.034; in ordinary places the ratio is 1 to 3. */
TEST(slowly_growing_derivatives_are_foreseen)
{
    struct plan_case inputs = inputs_at(log10(8e11), 1920, 1080);
    inputs.view.centre_re = -1.40106440177333535501702499459498;
    inputs.view.centre_im = 0.00017410418188646480477412004095;
    inputs.view.step_re = inputs.view.step;
    inputs.picture.spec.limit = 20000;
    assert_true(plan_error_amplification(&inputs.view, &inputs.picture.spec.formula,
                                         inputs.picture.spec.limit, NULL)
                    .direct > 3);
    struct plan plan;
    assert_int_equal(chosen(&inputs).method, METHOD_PERTURBATION);
    inputs = inputs_at(6, 1920, 1080);
    inputs.view.centre_re = -0.743643887037151;
    inputs.view.centre_im = 0.131825904205330;
    inputs.view.step_re = inputs.view.step;
    inputs.picture.spec.limit = 20000;
    inputs.picture.accuracy_px = ERROR_MAX_PX; /* direct iteration */
    double amplification = plan_error_amplification(&inputs.view, &inputs.picture.spec.formula,
                                                    inputs.picture.spec.limit, NULL)
                               .direct;
    assert_true(amplification >= 1 && amplification < 4);
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_true(
        fabs(plan.error_px[NUMBER_FP64] / plan_error_px(&inputs.view, &inputs.picture.spec.formula,
                                                        NUMBER_FP64, amplification) -
             1) < 1e-12);
}

/* What is known only when the reference is there: less than asked for, and said so. */
TEST(roundings_beyond_the_accuracy_are_told)
{
    struct plan_case inputs = inputs_at(20, 1920, 1080);
    inputs.picture.accuracy_px = 1e-9;
    struct plan plan = chosen(&inputs);
    plan_reached(&plan, 1e-12);
    assert_true(plan.roundings_px == 1e-12);
    assert_true(plan.error_px[NUMBER_FP64] == 1e-9 && !plan.falls_short);
    plan_reached(&plan, 1e-5);
    assert_true(plan.error_px[NUMBER_FP64] == 1e-5 && plan.falls_short);
}

TEST(the_number_type_follows_the_accuracy)
{
    const struct {
        double log10_zoom, accuracy_px;
        enum precision precision;
        enum number number;
    } rows[] = {
        {0, 1e-9, PRECISION_AUTO, NUMBER_FP64},
        {0, 1e-3, PRECISION_AUTO, NUMBER_FP32},
        {1, 1e-3, PRECISION_AUTO, NUMBER_FP32},
        {3, 1e-3, PRECISION_AUTO, NUMBER_FP64},
        {0, 1e-9, PRECISION_FP32, NUMBER_FP32},
        {0, 1e-3, PRECISION_FP64, NUMBER_FP64},
        {10, 1e-9, PRECISION_AUTO, NUMBER_FP64},
        {4, 1e9, PRECISION_AUTO, NUMBER_FP64},
        {2, ACCURACY_DEFAULT_PX, PRECISION_AUTO, NUMBER_FP32},
        {4, ACCURACY_DEFAULT_PX, PRECISION_AUTO, NUMBER_FP64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plan_case inputs = inputs_at(rows[i].log10_zoom, 1920, 1080);
        inputs.picture.accuracy_px = rows[i].accuracy_px;
        inputs.picture.precision = rows[i].precision;
        if (chosen(&inputs).number != rows[i].number)
            fail_msg("row %zu", i);
    }
}

TEST(views_beyond_direct_iteration_take_perturbation)
{
    const struct {
        double accuracy_px, end_least, end_most; /* log10 of the zoom */
    } ends[] = {{ACCURACY_EXACT_PX, 4, 5.5},
                {1e-6, 7, 8.5},
                {ACCURACY_DEFAULT_PX, 11, 12.5},
                {ERROR_MAX_PX, 12, 13}};
    struct plan_case inputs;
    struct plan plan;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        inputs = inputs_at(ends[i].end_least, 1920, 1080);
        inputs.picture.accuracy_px = ends[i].accuracy_px;
        plan = chosen(&inputs);
        assert_int_equal(plan.method, METHOD_DIRECT);
        assert_true(plan.orbit_bits == 0);
        assert_true(plan.log10_zoom_end > ends[i].end_least);
        assert_true(plan.log10_zoom_end < ends[i].end_most);
    }
    const double deeper[] = {8.5, 12.6, 14, 50, 154, 290, 293, 5000, 150512};
    for (size_t i = 0; i < sizeof deeper / sizeof deeper[0]; i++) {
        inputs = inputs_at(deeper[i], 1920, 1080);
        inputs.picture.accuracy_px = 1e-6;
        plan = chosen(&inputs);
        assert_int_equal(plan.method, METHOD_PERTURBATION);
        assert_int_equal(plan.number, NUMBER_FP64);
        assert_true(plan.error_px[NUMBER_FP64] == 1e-6);
        assert_true(plan.orbit_bits > deeper[i] * log2(10));
        char text[4096];
        explained(&plan, &inputs, text, sizeof text);
        assert_non_null(strstr(text, "perturbation along an orbit of "));
    }
    inputs.picture.accuracy_px = 1e-30; /* not to be had */
    assert_true(chosen(&inputs).error_px[NUMBER_FP64] > 1e-13);
}

TEST(a_forecast_is_made_where_it_pays)
{
    const struct {
        int devices;
        const char *schedule;
        enum plan_forecast forecast;
        int32_t tile_px, wide_px;
        bool predicts_cost;
        const char *why;
    } rows[] = {
        {47, "dynamic", FORECAST_AUTO, 0, 1, false, "so few devices"},
        {48, "dynamic", FORECAST_AUTO, 0, 1, true, "so many devices"},
        {48, "auto", FORECAST_AUTO, 0, 1, true, "so many devices"},
        {48, "cyclic", FORECAST_ON, 0, 1, false, "dealt out in turn"},
        {48, "dynamic", FORECAST_OFF, 0, 1, false, "asked for"},
        {48, "dynamic", FORECAST_ON, 64, 1, false, "size of tiles"},
        {48, "dynamic", FORECAST_ON, 0, 512, false, "GPUs"},
        {2, "dynamic", FORECAST_ON, 0, 1, true, "asked for"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plan_case inputs = inputs_at(3, 1920, 1080);
        inputs.facts.ranks = inputs.facts.computing_ranks = inputs.facts.devices = rows[i].devices;
        inputs.picture.schedule = rows[i].schedule;
        inputs.picture.forecast = rows[i].forecast;
        inputs.picture.tile_px = rows[i].tile_px;
        inputs.facts.tile_px = rows[i].wide_px;
        struct plan plan = chosen(&inputs);
        char text[4096], line[64];
        assert_int_equal(plan.predicts_cost, rows[i].predicts_cost);
        assert_non_null(strstr(plan.why.forecast, rows[i].why));
        explained(&plan, &inputs, text, sizeof text);
        snprintf(line, sizeof line, "forecast    %s: ", plan.predicts_cost ? "on" : "off");
        assert_non_null(strstr(text, line));
    }
}

TEST(what_cannot_be_computed_is_refused_with_the_remedy)
{
    struct plan plan;
    const double deeper[] = {150513, 331000, 999999};
    for (size_t i = 0; i < sizeof deeper / sizeof deeper[0]; i++) {
        struct plan_case inputs = inputs_at(deeper[i], 1920, 1080);
        assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
        assert_non_null(strstr(status_text(), "ends at zoom 1e150512.6 for pictures 1080"));
    }
    struct plan_case inputs = inputs_at(150512, 1920, 1080);
    assert_int_equal(plan_reach(&inputs.view), STATUS_OK);
    inputs = inputs_at(150513, 1920, 1080);
    assert_int_equal(plan_reach(&inputs.view), STATUS_UNREACHABLE);
    inputs = inputs_at(6, 1920, 1080);
    inputs.picture.precision = PRECISION_FP32;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "--precision fp64"));
}

/* Under perturbation fp32 is taken where it is asked for and comes near enough. */
TEST(perturbation_in_fp32)
{
    struct plan plan;
    struct plan_case inputs = inputs_at(50, 1920, 1080);
    char text[4096];
    inputs.picture.blocks = BLOCKS_QUARTIC;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
    inputs.picture.precision = PRECISION_FP32;
    inputs.picture.accuracy_px = 0.01;
    plan = chosen(&inputs);
    assert_int_equal(plan.method, METHOD_PERTURBATION);
    assert_int_equal(plan.number, NUMBER_FP32);
    assert_true(plan.error_px[NUMBER_FP32] <= 0.01);
    explained(&plan, &inputs, text, sizeof text);
    assert_non_null(strstr(text, "fp32: asked for"));
    inputs = inputs_at(8, 1920, 1080); /* direct iteration in fp64 reaches it, and in fp32 not */
    inputs.picture.blocks = BLOCKS_QUARTIC;
    inputs.picture.accuracy_px = 0.01;
    assert_int_equal(chosen(&inputs).method, METHOD_DIRECT);
    inputs.picture.precision = PRECISION_FP32;
    assert_int_equal(chosen(&inputs).method, METHOD_PERTURBATION);
    inputs.picture.accuracy_px = 1e-6;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "comes within"));
    inputs.picture.accuracy_px = 0.01;
    inputs.picture.blocks = BLOCKS_NONE;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "--precision fp64"));
}

/* Formulas whose steps are lists of operations have it, too, in both planes. */
TEST(perturbation_of_formulas_in_fp32)
{
    struct plan plan;
    struct plan_case inputs = inputs_at(50, 1920, 1080);
    inputs.picture.blocks = BLOCKS_QUARTIC;
    inputs.picture.precision = PRECISION_FP32;
    inputs.picture.accuracy_px = 0.01;
    inputs.picture.spec.formula.step = STEP_multibrot_8;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP32);
    inputs.picture.spec.bailout = 1e9;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "--bailout"));
    inputs.picture.spec.bailout = 1024;
    inputs.picture.spec.formula.plane = DYNAMIC_PLANE;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP32);
    inputs.picture.spec.formula = (struct formula){.step = STEP_nova};
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "divide"));
}

static enum status plan_of_text(struct plan_case *inputs, const char *formula)
{
    struct plan plan;
    struct formula *own = &inputs->picture.spec.formula;
    assert_int_equal(formula_of_text(own, formula, strlen(formula)), STATUS_OK);
    return plan_of(&plan, inputs);
}

/* Slopes that floats do not hold would leave their reference too early: 628 of 2,304 counts of the
 * first formula differed from those of fp64 at zoom 1e30. */
TEST(factors_that_floats_do_not_hold_are_refused)
{
    struct plan_case inputs = inputs_at(50, 1920, 1080);
    inputs.picture.blocks = BLOCKS_QUARTIC;
    inputs.picture.precision = PRECISION_FP32;
    inputs.picture.accuracy_px = 0.01;
    inputs.picture.spec.bailout = 1024;
    static const char large[] = "pow 4, scale 1e6, scale 1e6, scale 1e6, scale 1e6, add c";
    assert_int_equal(plan_of_text(&inputs, large), STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "stretches by 4e+24 "));
    assert_non_null(strstr(status_text(), "use --precision fp64"));
    assert_int_equal(plan_of_text(&inputs, "sqr, scale 5800, add c"), STATUS_UNREACHABLE);
    assert_int_equal(plan_of_text(&inputs, "sqr, scale 5700, add c"), STATUS_OK);
    inputs.picture.precision = PRECISION_FP64;
    assert_int_equal(plan_of_text(&inputs, large), STATUS_OK);
}

/* Between two operations of a list, too; and a radius is advised only where orbits grow. */
TEST(powers_that_floats_do_not_hold_are_refused)
{
    struct plan_case inputs = inputs_at(50, 1920, 1080);
    inputs.picture.blocks = BLOCKS_QUARTIC;
    inputs.picture.precision = PRECISION_FP32;
    inputs.picture.accuracy_px = 0.01;
    inputs.picture.spec.bailout = 1024;
    assert_int_equal(plan_of_text(&inputs, "pow 4, scale 1e6, scale 1e6, scale 1e6, scale 1e6, "
                                           "scale 1e-6, scale 1e-6, scale 1e-6, scale 1e-6, add c"),
                     STATUS_OK);
    assert_int_equal(plan_of_text(&inputs, "pow 5, scale 1e6, scale 1e6, scale 1e6, scale 1e6, "
                                           "scale 1e-6, scale 1e-6, scale 1e-6, scale 1e-6, add c"),
                     STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "use --bailout "));
    assert_int_equal(plan_of_text(&inputs, "pow 64, add c"), STATUS_UNREACHABLE);
    assert_null(strstr(status_text(), "--bailout"));
    assert_non_null(strstr(status_text(), "use --precision fp64"));
}

/* Double-single is taken where it is asked for and keeps to the accuracy. */
TEST(double_single_is_asked_for)
{
    struct plan plan;
    struct plan_case inputs = inputs_at(8, 1920, 1080);
    char text[4096];
    inputs.picture.accuracy_px = 0.01;
    assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
    inputs.picture.precision = PRECISION_DS;
    plan = chosen(&inputs);
    assert_int_equal(plan.method, METHOD_DIRECT);
    assert_int_equal(plan.number, NUMBER_DS);
    assert_true(plan.error_px[NUMBER_DS] <= 0.01);
    assert_true(plan.error_px[NUMBER_DS] > 10 * plan.error_px[NUMBER_FP64]);
    explained(&plan, &inputs, text, sizeof text);
    assert_non_null(strstr(text, "ds: asked for"));
    inputs.picture.accuracy_px = 1e-6;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
    const char *remedy = strstr(status_text(), "or --accuracy ");
    assert_non_null(remedy);
    inputs.picture.accuracy_px = strtod(remedy + strlen("or --accuracy "), NULL);
    assert_int_equal(chosen(&inputs).number, NUMBER_DS);
    for (int log10_zoom = 11; log10_zoom < 40; log10_zoom += 14) { /* direct; perturbation */
        inputs = inputs_at(log10_zoom, 1920, 1080);
        inputs.picture.precision = PRECISION_DS;
        assert_int_equal(plan_of(&plan, &inputs), STATUS_UNREACHABLE);
        assert_non_null(strstr(status_text(), "; use --precision fp64"));
    }
    inputs = inputs_at(2, 1920, 1080);
    inputs.picture.precision = PRECISION_DS;
    inputs.picture.spec.planes |= PLANE_MASK_PHASE;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    inputs.picture.spec.planes &= ~(unsigned)PLANE_MASK_PHASE;
    inputs.picture.spec.formula.step = STEP_tricorn;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    assert_non_null(strstr(status_text(), "tricorn is computed in fp64"));
}

TEST(slow_doubles_are_said)
{
    struct plan_case inputs = inputs_at(8, 1920, 1080);
    char text[4096];
    inputs.picture.accuracy_px = 0.01;
    for (int slow = 0; slow < 2; slow++) {
        inputs.facts.slow_doubles = slow;
        struct plan plan = chosen(&inputs);
        assert_int_equal(plan.number, NUMBER_FP64); /* whatever the devices */
        explained(&plan, &inputs, text, sizeof text);
        assert_int_equal(strstr(text, "--precision ds") != NULL, slow);
    }
    inputs = inputs_at(8, 1920, 1080); /* it would miss 1e-9 px */
    inputs.facts.slow_doubles = true;
    struct plan plan = chosen(&inputs);
    explained(&plan, &inputs, text, sizeof text);
    assert_null(strstr(text, "--precision ds"));
}

TEST(the_zoom_where_it_ends_is_the_edge)
{
    for (double accuracy_px = 1e-11; accuracy_px < 0.05; accuracy_px *= 100) {
        struct plan_case inputs = inputs_at(12, 1920, 1080);
        inputs.picture.accuracy_px = accuracy_px;
        double end = chosen(&inputs).log10_zoom_end;
        inputs = inputs_at(end, 1920, 1080); /* other orbits are looked at there */
        inputs.picture.accuracy_px = accuracy_px;
        end = chosen(&inputs).log10_zoom_end;
        inputs = inputs_at(end - 0.001, 1920, 1080);
        inputs.picture.accuracy_px = accuracy_px;
        assert_int_equal(chosen(&inputs).method, METHOD_DIRECT);
        inputs = inputs_at(end + 0.001, 1920, 1080);
        inputs.picture.accuracy_px = accuracy_px;
        assert_int_equal(chosen(&inputs).method, METHOD_PERTURBATION);
    }
}

/* The method is that of the counts; the numbers are doubles. */
TEST(distances_and_phases_take_fp64_at_every_depth)
{
    for (int log10_zoom = -1; log10_zoom < 20; log10_zoom += 4) {
        struct plan_case inputs = inputs_at(log10_zoom, 1920, 1080);
        char text[4096];
        inputs.picture.precision = PRECISION_FP64;
        struct plan counts = chosen(&inputs);
        inputs.picture.precision = PRECISION_AUTO;
        inputs.picture.spec.planes |= PLANE_MASK_DISTANCE;
        struct plan plan = chosen(&inputs);
        assert_int_equal(plan.method, counts.method);
        assert_int_equal(plan.number, NUMBER_FP64);
        assert_true(plan.error_px[NUMBER_FP64] <= fmax(inputs.picture.accuracy_px, 1e-12));
        assert_int_equal(plan.bytes.frame, (uint64_t)1920 * 1080 * 16);
        explained(&plan, &inputs, text, sizeof text);
        assert_int_equal(strstr(text, "a second pass") != NULL, plan.method == METHOD_DIRECT);
        inputs.picture.spec.planes = PLANE_MASK_COUNT | PLANE_MASK_PHASE;
        assert_int_equal(chosen(&inputs).number, NUMBER_FP64);
        inputs.picture.precision = PRECISION_FP32;
        assert_int_not_equal(plan_of(&plan, &inputs), STATUS_OK);
        assert_non_null(strstr(status_text(), "--precision fp64"));
    }
}

TEST(periods_are_of_direct_iteration)
{
    struct plan_case inputs = inputs_at(3, 1920, 1080);
    struct plan plan;
    char text[4096];
    enum number number = chosen(&inputs).number;
    inputs.picture.spec.planes |= PLANE_MASK_ATTRACTOR;
    assert_int_equal(chosen(&inputs).number, number); /* whatever counts are computed in */
    plan = chosen(&inputs);
    explained(&plan, &inputs, text, sizeof text);
    assert_non_null(strstr(text, "a further pass"));
    inputs = inputs_at(20, 1920, 1080);
    inputs.picture.spec.planes |= PLANE_MASK_PERIOD;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    assert_non_null(strstr(status_text(), "leave them out of --planes"));
}

TEST(transports_and_schedules_go_together)
{
    const struct {
        int ranks;
        const char *schedule, *transport, *takes_schedule, *takes_transport;
    } rows[] = {
        {1, "auto", "auto", "cyclic", "local"},
        {4, "auto", "auto", "dynamic", "shared"},
        {4, "cyclic", "auto", "cyclic", "shared"},
        {4, "auto", "gatherv", "cyclic", "gatherv"},
        {4, "auto", "staged", "dynamic", "staged"},
        {4, "dynamic", "gatherv", "dynamic", "gatherv"},
        {4, "cyclic", "staged", "cyclic", "staged"},
        {1, "dynamic", "local", "dynamic", "local"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plan_case inputs = inputs_at(3, 1920, 1080);
        inputs.facts.ranks = rows[i].ranks;
        inputs.facts.computing_ranks = rows[i].ranks > 1 ? rows[i].ranks - 1 : 1;
        inputs.picture.schedule = rows[i].schedule;
        inputs.picture.transport = rows[i].transport;
        struct plan plan = chosen(&inputs);
        assert_string_equal(plan.schedule, rows[i].takes_schedule);
        assert_string_equal(plan.transport, rows[i].takes_transport);
    }
    struct plan plan;
    struct plan_case inputs = inputs_at(3, 1920, 1080);
    inputs.facts.ranks = 6;
    inputs.facts.computing_ranks = 5;
    inputs.facts.away_ranks = 3; /* on another machine */
    plan = chosen(&inputs);
    assert_string_equal(plan.transport, "shared");
    assert_string_equal(plan.away_transport, "staged");
    inputs.picture.schedule = "cyclic";
    assert_string_equal(chosen(&inputs).away_transport, "staged");
    inputs.picture.transport = "device"; /* nobody beside rank 0 */
    inputs.facts.computing_ranks = inputs.facts.away_ranks;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    inputs.facts.host_will_do = true;
    assert_string_equal(chosen(&inputs).away_transport, "staged");
    inputs.facts.sends_device = true;
    assert_string_equal(chosen(&inputs).away_transport, "sent");
    inputs.picture.transport = "shared"; /* where the switch says nothing */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    inputs = inputs_at(3, 1920, 1080);
    assert_string_equal(chosen(&inputs).away_transport, "");
    inputs.picture.schedule = "guided";
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    inputs.picture.schedule = "auto";
    inputs.picture.transport = "pigeon";
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
    inputs.picture.transport = "local";
    inputs.facts.ranks = 3;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
}

TEST(tiles_are_small_enough_to_balance_and_few_enough_to_list)
{
    struct plan_case inputs = inputs_at(3, 1920, 1080);
    assert_int_equal(chosen(&inputs).tile_px, 256);
    inputs.facts.ranks = inputs.facts.computing_ranks = inputs.facts.devices = 4;
    assert_int_equal(chosen(&inputs).tile_px, 64);
    assert_true(chosen(&inputs).tiles >= 4 * 64);
    inputs = inputs_at(0, 1 << 30, 1 << 30);
    inputs.facts.ranks = inputs.facts.computing_ranks = inputs.facts.devices = 1000;
    struct plan plan;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_TOO_LARGE);
    inputs = inputs_at(0, 1 << 20, 1 << 20);
    assert_true(chosen(&inputs).tiles <= TILE_COUNT_MAX);
    inputs.picture.tile_px = 1;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_TOO_LARGE);
    inputs.picture.tile_px = 8193;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_CONFIG);
}

/* A GPU that is alone takes the picture in one piece; several share it in large pieces. */
TEST(wide_devices_get_wide_tiles)
{
    struct plan_case inputs = inputs_at(3, 3840, 2160);
    inputs.facts.tile_px = 256;
    assert_int_equal(chosen(&inputs).tiles, 1);
    inputs.facts.devices = 4;
    assert_int_equal(chosen(&inputs).interleaved, 0); /* they may differ */
    assert_true(chosen(&inputs).tiles >= 4 * 4);
    inputs.facts.gpus = 4;
    assert_int_equal(chosen(&inputs).interleaved, 4);
    inputs.picture.tile_px = 512; /* asked for */
    assert_int_equal(chosen(&inputs).interleaved, 0);
    inputs = inputs_at(3, 1 << 15, 1 << 15);
    inputs.facts.tile_px = 256;
    inputs.facts.devices = 4;
    inputs.facts.gpus = 4;
    assert_int_equal(chosen(&inputs).interleaved, 64); /* of 2^24 pixels each */
    inputs.view.height--;
    assert_int_equal(chosen(&inputs).interleaved, 64);
    inputs.view.height += 2;
    assert_int_equal(chosen(&inputs).interleaved, 68);
    struct plan plan;
    inputs.view.width = inputs.view.height = 1 << 30; /* 2^36 tiles: at once refused */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_TOO_LARGE);
    inputs = inputs_at(3, 640, 40); /* too few rows for a band each */
    inputs.facts.tile_px = 256;
    inputs.facts.devices = 4;
    inputs.facts.gpus = 4;
    assert_int_equal(chosen(&inputs).interleaved, 0);
    inputs = inputs_at(3, 3840, 2160);
    inputs.facts.tile_px = 256;
    inputs.facts.devices = 4;
    assert_true(chosen(&inputs).tile_px >= 256);
    inputs = inputs_at(3, 320, 200);
    inputs.facts.tile_px = 256;
    inputs.facts.devices = 8;
    assert_int_equal(chosen(&inputs).tile_px, 256);
}

/* What is refused is refused by these sums: none may be less than what the transport takes. */
TEST(the_memory_of_every_device_is_counted)
{
    struct plan_case inputs = inputs_at(3, 3840, 2160);
    uint64_t frame = 3840 * 2160 * 8, tile = 512 * 512 * 8;
    inputs.facts.ranks = 3;
    inputs.facts.computing_ranks = 2;
    inputs.facts.devices = 8;
    inputs.facts.tile_px = 256;
    inputs.picture.tile_px = 512;
    inputs.picture.transport = "staged"; /* 2 tiles computed and 2 leaving, for 4 devices */
    assert_int_equal(chosen(&inputs).bytes.worker, 4 * 4 * tile);
    assert_true(chosen(&inputs).bytes.transport >= 4 * tile);
    inputs.picture.transport = "device";
    inputs.facts.ranks = inputs.facts.computing_ranks = 1;
    assert_int_equal(chosen(&inputs).bytes.device, frame);
    inputs.facts.ranks = 3;
    inputs.facts.computing_ranks = 2;
    inputs.picture.transport = "shared"; /* into the picture, which is pinned */
    assert_int_equal(chosen(&inputs).bytes.worker, tile);
    assert_int_equal(chosen(&inputs).bytes.device, 0);
    inputs.picture.transport = "gatherv";
    assert_int_equal(chosen(&inputs).bytes.transport, frame); /* all arrives beside the picture */
    for (; inputs.facts.tile_px; inputs.facts.tile_px /= 256) {
        assert_true(chosen(&inputs).bytes.worker >= frame / 2 * 5 / 4);
        assert_true(chosen(&inputs).bytes.worker < frame + 4 * 2 * (16 << 20));
    }
}

/* Ranks of other machines have transports of their own, and no more tiles than there are. */
TEST(the_memory_of_other_machines_is_counted)
{
    struct plan_case inputs = inputs_at(3, 3600, 3600);
    uint64_t frame = 3600 * 3600 * 8, of_squares = 3600 * 3600;
    inputs.facts.ranks = inputs.facts.computing_ranks = inputs.facts.devices = 2;
    assert_int_equal(chosen(&inputs).bytes.away, 0);
    inputs.facts.away_ranks = 1;
    inputs.picture.tile_px = 4096;
    assert_string_equal(chosen(&inputs).away_transport, "staged");
    assert_int_equal(chosen(&inputs).bytes.worker, frame + of_squares);
    assert_int_equal(chosen(&inputs).bytes.away, frame + of_squares);
    inputs.picture.tile_px = 1024;
    assert_int_equal(chosen(&inputs).bytes.away, 4 * 1024 * 1024 * 8 + 1024 * 1024);
    struct plan plan = chosen(&inputs);
    assert_int_equal(plan_memory(&plan), frame + 1024 * 1024 * 8 + 1024 * 1024);
}

/* What rank 0 alone would be waited for is written by all; strips are whole stripes of files. */
TEST(several_ranks_write_where_it_pays)
{
    struct plan plan;
    struct plan_case inputs = inputs_at(0, 100000, 100000);
    inputs.facts.ranks = inputs.facts.computing_ranks = inputs.facts.devices = 8;
    inputs.picture.part_rows = 5;
    inputs.facts.tile_px = 512;
    inputs.picture.memory_bytes = (uint64_t)1 << 34;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 0); /* on one machine the processor is the same */
    inputs.facts.away_ranks = 4;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 8);
    assert_int_equal(plan.strip_rows % 80, 0); /* of 5 and of 16 */
    assert_true(plan.strip_rows < 100000 / 8 && plan_memory(&plan) <= inputs.picture.memory_bytes);
    inputs.picture.memory_bytes = 0;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    uint64_t before = plan.bytes.worker;
    inputs.picture.part_pixel_bytes = 20; /* all files of a writer are there at a time */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_true(plan.bytes.worker - before == 28 * (uint64_t)plan.strip_rows * 100000);
    inputs.picture.memory_bytes = (uint64_t)1 << 34;
    inputs.picture.part_pixel_bytes = 0;
    inputs.picture.strip_rows = 64; /* of a run whose strips end within stripes */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 0);
    inputs.picture.strip_rows = 0;
    inputs.picture.part_rows = 0; /* a file of another kind */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 0);
    inputs.picture.part_rows = 1;
    inputs.facts.tile_px = 1; /* processors have no time to spare, unless it is asked for */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 0);
    inputs.picture.writers = WRITERS_ALL;
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 8);
    inputs.view.height = inputs.picture.strip_rows = 960; /* of a run that had all in one strip */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 0);
    inputs.picture.strip_rows = 0;
    inputs.view.height = 16; /* one strip */
    assert_int_equal(plan_of(&plan, &inputs), STATUS_OK);
    assert_int_equal(plan.writers, 0);
}

TEST(counts_are_wide_when_the_limit_needs_it)
{
    struct plan_case inputs = inputs_at(0, 640, 360);
    inputs.picture.spec.limit = UINT32_MAX - 1;
    assert_int_equal(chosen(&inputs).count_bytes, 4);
    inputs.picture.spec.limit = UINT32_MAX;
    assert_int_equal(chosen(&inputs).count_bytes, 8);
    assert_int_equal(chosen(&inputs).bytes.frame, 640 * 360 * 12);
}

TEST(the_explanation_names_what_was_chosen)
{
    char text[4096];
    struct plan_case inputs = inputs_at(3, 1920, 1080);
    struct plan plan = chosen(&inputs);
    explained(&plan, &inputs, text, sizeof text);
    const char *words[] = {"1920 x 1080", "direct iteration", "fp64",       "256 x 256", "cyclic",
                           "local",       "memory",           "zoom 1e3.00"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strstr(text, words[i]))
            fail_msg("'%s' is missing in:\n%s", words[i], text);
}

/* A film's light is made where its samples are computed, if nobody wants their numbers. */
TEST(light_is_made_on_rank_0_s_gpu_where_that_serves)
{
    struct plan_case inputs = inputs_at(3, 1920, 1080);
    uint64_t pixels = 1920 * 1080;
    char text[4096];
    inputs.facts.tile_px = 512;
    inputs.picture.of_many = inputs.picture.light_alone = inputs.facts.lights = true;
    inputs.picture.samples = 4;
    struct plan plan = chosen(&inputs);
    assert_true(plan.lights && plan.turns);
    assert_int_equal(plan.fields, 2 + 2 * 4);
    assert_int_equal(plan.bytes.device, pixels * 8 * 10 + pixels * 12);
    explained(&plan, &inputs, text, sizeof text);
    assert_non_null(strstr(text, "averaged in linear light by rank 0's GPU: where they are"));
    inputs.picture.samples = 1; /* two fields in turn */
    plan = chosen(&inputs);
    assert_true(plan.lights && plan.turns);
    assert_int_equal(plan.fields, 2);
    assert_int_equal(plan.bytes.device, pixels * 8 * 2 + pixels * 12);
    inputs.facts.ranks = 3;
    inputs.facts.computing_ranks = 2;
    assert_string_equal(chosen(&inputs).transport, "device");
    static const char *const transports[] = {"shared", "staged", "device", "auto"};
    for (int i = 0; i < 4; i++) {
        inputs.picture.transport = transports[i];
        assert_int_equal(chosen(&inputs).lights, i >= 2);
    }
    inputs.picture.samples = 4;
    const struct plan_case film = inputs;
    inputs.facts.lights = false;
    assert_int_equal(chosen(&inputs).lights, false);
    assert_int_equal(chosen(&inputs).bytes.device, 0);
    assert_string_equal(chosen(&inputs).transport, "shared");
    inputs = film;
    inputs.picture.light_alone = false; /* a still: worth it for some samples */
    inputs.picture.of_many = false;
    assert_int_equal(chosen(&inputs).lights, false);
    inputs.facts.ranks = inputs.facts.computing_ranks = 1;
    for (inputs.picture.samples = 1; inputs.picture.samples < 5; inputs.picture.samples++)
        assert_int_equal(chosen(&inputs).lights, inputs.picture.samples >= 3);
    plan = chosen(&inputs);
    assert_true(!plan.turns && plan.fields == 3);
    inputs = film;
    inputs.picture.samples = SAMPLES_AUTO;
    assert_int_equal(chosen(&inputs).lights, false);
    inputs = film;
    inputs.picture.memory_bytes = 100 << 20; /* in strips */
    plan = chosen(&inputs);
    assert_true(plan.strip_rows < 1080 && !plan.lights);
    explained(&plan, &inputs, text, sizeof text);
    assert_non_null(strstr(text, "by the processor: it takes strip by strip"));
}

/* A rule of numbers that are the same on every machine. */
TEST(samples_follow_from_predicted_costs)
{
    const struct {
        enum method method;
        enum number number;
        int64_t limit;
        double steps;
        int samples;
    } cases[] = {{METHOD_DIRECT, NUMBER_FP64, 10000, 10, PLAN_SAMPLES_DIRECT},
                 {METHOD_DIRECT, NUMBER_FP64, 10000, 1000, 6},
                 {METHOD_DIRECT, NUMBER_FP32, 10000, 1000, 11},
                 {METHOD_DIRECT, NUMBER_FP64, 10000, 8192, PLAN_SAMPLES_LEAST},
                 {METHOD_PERTURBATION, NUMBER_FP64, 10000, 8192, PLAN_SAMPLES_DEEP},
                 {METHOD_PERTURBATION, NUMBER_FP64, 600000, 8192, 3},
                 {METHOD_PERTURBATION, NUMBER_FP64, INT64_MAX, 8192, PLAN_SAMPLES_LEAST}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct plan plan = {.method = cases[i].method, .number = cases[i].number};
        const struct picture_known known = {.error_amplification.steps = cases[i].steps};
        assert_int_equal(plan_samples(&plan, &known, cases[i].limit), cases[i].samples);
    }
    struct plan_case inputs = inputs_at(0, 1920, 1080);
    double steps = plan_error_amplification(&inputs.view, &inputs.picture.spec.formula,
                                            inputs.picture.spec.limit, NULL)
                       .steps;
    assert_true(steps >= 1 && steps <= PLAN_PROBE_STEPS);
}
