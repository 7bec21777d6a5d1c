/* Does the verdict find what is wrong, and let pass what rounding does? A check that cannot fail is
 * worthless, so most of these break something on purpose. */
#include "render/truth/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "app/bench/deep_places.h"
#include "kernels/formula_text.h"
#include "render/growing/recompute.h"
#include "tests/support/check.h"

enum { SAMPLES = 200 };

/* ---- the verdict on made-up samples --------------------------------------------------------- */

/* All escaped at the same distance, all moved by the error that was predicted, no mismatch. */
static struct verify_report made_up(struct verify_sample *sample, double distance_px,
                                    double error_px)
{
    for (int i = 0; i < SAMPLES; i++)
        sample[i] = (struct verify_sample){.x = i,
                                           .got = 100 + i,
                                           .recomputed = 100 + i,
                                           .truth = {.count = 100 + i,
                                                     .certified = 1,
                                                     .distance_px = distance_px,
                                                     .change_px = distance_px},
                                           .error_px = error_px};
    return (struct verify_report){.predicted_px = error_px, .sample = sample, .samples = SAMPLES};
}

/* The first `count` samples come out one too high, as rounding does it: alone too. */
static void round_wrong(struct verify_sample *sample, int count)
{
    for (int i = 0; i < count; i++)
        sample[i].recomputed = ++sample[i].got;
}

static void complains(struct verify_report *report, const char *words)
{
    verify_judge(report);
    if (!strstr(report->complaint, words))
        fail_msg("expected '%s', got '%s'", words, report->complaint);
}

static void is_content(struct verify_report *report)
{
    verify_judge(report);
    if (report->complaint[0])
        fail_msg("complains without a reason: %s", report->complaint);
}

TEST(right_counts_pass)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1, 1e-12);
    is_content(&report);
    assert_int_equal(report.matches, SAMPLES);
    assert_int_equal(report.mismatches, 0);
    assert_true(fabs(report.expected / (SAMPLES * 1.8e-12) - 1) < 1e-9); /* 1.8 e / d each */
    assert_true(report.error_median_px == 1e-12 && report.error_max_px == 1e-12);
}

TEST(one_wrong_count_far_from_the_set_is_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1, 1e-12);
    round_wrong(sample, 1);
    complains(&report, "at more than 0.01 pixels from where they change");
    assert_int_equal(report.far_mismatches, 1);
    assert_true(report.mismatch_distance_px == 1);
}

TEST(one_wrong_count_that_rounding_does_not_explain_is_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 0.005, 1e-9); /* expected: 7e-5 */
    round_wrong(sample, 1);
    complains(&report, "rounding explains");
}

TEST(a_count_that_does_not_come_out_again_is_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1e-12, 1e-9); /* any count would do here */
    round_wrong(sample, 100);
    is_content(&report);
    sample[150].got++; /* but computed again it does not come out so */
    complains(&report, "computed again");
    assert_int_equal(report.astray, 1);
}

/* As of Julia sets whose orbits are chaotic, deep down: their counts are no one's. */
TEST(counts_are_explained_where_distance_and_error_underflow)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, DBL_MIN, 0);
    round_wrong(sample, 100);
    is_content(&report);
    assert_true(report.expected == SAMPLES);
}

TEST(pixels_in_the_wrong_place_are_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1, 1e-9);
    report.predicted_px = 1e-12;
    complains(&report, "median backward error");
}

/* "The counts are right" is not said of noise, nor of some that are not. */
TEST(the_verdict_says_what_was_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1e-12, 1e-9); /* any count would do here */
    is_content(&report);
    assert_int_equal(report.verdict, VERIFY_RIGHT);
    round_wrong(sample, 100);
    is_content(&report);
    assert_int_equal(report.verdict, VERIFY_ROUNDED);
    round_wrong(sample + 100, 50);
    is_content(&report);
    assert_int_equal(report.verdict, VERIFY_NOISE);
    sample[0].recomputed++;
    complains(&report, "computed again");
    assert_int_equal(report.verdict, VERIFY_WRONG);
}

/* Beside a zero of dz the set is far, and the count changes nearby. */
TEST(a_count_that_changes_nearby_may_be_moved_over)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 50, 1e-9);
    round_wrong(sample, 1);
    complains(&report, "from where they change");
    sample[0].truth.change_px = truth_bent(50, 1e22);
    is_content(&report);
    assert_true(truth_bent(50, 0) == 50 && truth_bent(INFINITY, 1) == INFINITY);
    assert_true(fabs(truth_bent(50, 1e22) / 1e-10 - 1) < 1e-9);
}

/* Of some pixels, and of a single one: orders of magnitude, not a scatter. */
TEST(errors_well_beyond_the_prediction_are_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1e3, 1e-9);
    sample[7].error_px = 900e-9;
    is_content(&report);
    sample[7].error_px = 1100e-9;
    complains(&report, "the largest backward error is 1.1e-06 pixels, 1.1e+03 times the 1e-09");
    for (int i = 0; i < 4; i++)
        sample[7 + i].error_px = 60e-9;
    complains(&report, "the backward error of 1 in 100 pixels is 6e-08 pixels, 60 times the 1e-09");
    sample[7].error_px = sample[8].error_px = 40e-9;
    is_content(&report);
}

/* nu of |z| = R^(2^(1/2)) ends in a half; z is i |z|, dz turned by -30 degrees. Errors of 1e-4 of a
 * float's range are found, of 1e-6 not. */
TEST(wrong_planes_are_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 3, 1e-12);
    report.planes = ((1u << PLANES) - 1) & ~(unsigned)PLANE_MASK_ORBIT;
    report.log2_step = -4;
    for (int i = 0; i < SAMPLES; i++) {
        double z = pow(1024, sqrt(2));
        sample[i].truth.z_im = sample[i].truth.w_im = z;
        sample[i].fraction = 0.5;
        sample[i].truth.log2_dz = log2(2 * z * log(z)) + 4 - log2(3);
        sample[i].truth.dz_rad = -M_PI / 6; /* so d points to 120 degrees: left and up */
        sample[i].plane[PLANE_FRACTION] = 0.5f;
        sample[i].plane[PLANE_DISTANCE_X] = -1.5f;
        sample[i].plane[PLANE_DISTANCE_Y] = -(float)(1.5 * sqrt(3));
        sample[i].plane[PLANE_PHASE] = 0.25f;
    }
    sample[3].plane[PLANE_FRACTION] += 1e-6f;
    sample[4].plane[PLANE_DISTANCE_X] *= 1 + 1e-6f;
    sample[4].plane[PLANE_PHASE] += 1e-6f;
    is_content(&report);
    sample[5].plane[PLANE_FRACTION] += 1e-4f;
    complains(&report, "1 fractions, 0 distances and 0 phases are wrong");
    sample[6].plane[PLANE_DISTANCE_Y] *= 1 - 1e-4f;
    complains(&report, "1 fractions, 1 distances and 0 phases are wrong");
    sample[7].plane[PLANE_PHASE] -= 1e-4f;
    complains(&report, "1 fractions, 1 distances and 1 phases are wrong");
    for (int i = 5; i <= 7; i++)
        sample[i].error_px = 3e-6; /* which explains all of them */
    report.predicted_px = 1e-7;
    is_content(&report);
}

/* By more than the truth says that they may be, where the count is right. */
TEST(wrong_sums_are_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 3, 1e-12);
    report.planes = PLANE_MASK_COUNT | PLANE_MASK_ORBIT;
    for (int i = 0; i < SAMPLES; i++)
        for (int p = 0; p < ORBIT_PLANES; p++) {
            sample[i].truth.sums[p] = 0.25 * p;
            sample[i].truth.sums_slack[p] = 1e-5;
            sample[i].plane[PLANE_STRIPE + p] = 0.25f * (float)p + 1e-6f;
        }
    is_content(&report);
    assert_int_equal(report.sums_judged, SAMPLES * ORBIT_PLANES);
    sample[3].plane[PLANE_TRIANGLE] += 1e-4f;
    sample[4].plane[PLANE_TRAP_CIRCLE] = NAN;
    complains(&report, "2 averages and traps along orbits are wrong");
    sample[3].truth.sums_slack[PLANE_TRIANGLE - PLANE_STRIPE] = 1e-3;
    sample[4].truth.count++;
    sample[4].recomputed = sample[4].got;
    verify_judge(&report);
    assert_int_equal(verify_wrong_sums(&report), 0);
}

/* 3 px to the right, moved by 1e-7. */
static struct verify_report distances_made_up(struct verify_sample sample[SAMPLES])
{
    struct verify_report report = made_up(sample, 3, 1e-7);
    report.planes = PLANE_MASK_COUNT | PLANE_MASK_DISTANCE;
    for (int i = 0; i < SAMPLES; i++) {
        sample[i].truth.z_re = sample[i].truth.w_re = 1024;
        sample[i].truth.log2_dz = log2(2 * 1024 * log(1024)) - log2(3);
        sample[i].plane[PLANE_DISTANCE_X] = 3;
    }
    return report;
}

/* Beside a fold, of a formula that has some, a distance is that of one side or of the other. */
TEST(distances_within_an_error_of_a_fold_are_not_judged)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = distances_made_up(sample);
    for (int i = 0; i < SAMPLES; i++)
        sample[i].truth.fold_px = 1e-4;
    is_content(&report);
    sample[3].plane[PLANE_DISTANCE_Y] = 0.2f;
    complains(&report, "0 fractions, 1 distances and 0 phases are wrong");
    sample[3].truth.fold_px = 1e-6;
    is_content(&report);
}

/* Where they change within 1/100 px an error of 1e-7 px moves them by 1e-5 of themselves. */
TEST(distances_are_judged_by_how_fast_they_change)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = distances_made_up(sample);
    sample[3].plane[PLANE_DISTANCE_X] = 3.0002f;
    complains(&report, "0 fractions, 1 distances and 0 phases are wrong");
    sample[3].truth.bend = 1e3;
    is_content(&report);
    sample[3].plane[PLANE_DISTANCE_X] = 3.003f;
    complains(&report, "0 fractions, 1 distances and 0 phases are wrong");
}

/* Where doubles do not hold w there is no distance, and far outside no phase. */
TEST(planes_of_what_doubles_do_not_hold_are_0)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = distances_made_up(sample);
    report.planes |= PLANE_MASK_PHASE;
    sample[3].truth.lost = 1;
    complains(&report, "0 fractions, 1 distances and 0 phases are wrong");
    sample[3].plane[PLANE_DISTANCE_X] = 0;
    is_content(&report);
    sample[3].plane[PLANE_PHASE] = 0.1f;
    complains(&report, "0 fractions, 0 distances and 1 phases are wrong");
}

/* In a flat part of a deep picture the set is farther away than floats tell: 2^200 px to the lower
 * right; or a pixel is the critical point itself. */
TEST(distances_beyond_floats_are_the_longest)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 0x1p200, 0);
    report.planes = PLANE_MASK_COUNT | PLANE_MASK_DISTANCE;
    for (int i = 0; i < SAMPLES; i++) {
        sample[i].truth.z_re = sample[i].truth.w_re = 1024;
        sample[i].truth.log2_dz = log2(2 * 1024 * log(1024)) - 200;
        sample[i].truth.dz_rad = atan2(3, 4);
        sample[i].plane[PLANE_DISTANCE_X] = 1.6f * 0x1p126f;
        sample[i].plane[PLANE_DISTANCE_Y] = 1.2f * 0x1p126f;
    }
    sample[1].truth.distance_px = sample[1].truth.change_px = INFINITY;
    sample[1].truth.log2_dz = -INFINITY;
    sample[1].plane[PLANE_DISTANCE_X] = 0x1p126f;
    sample[1].plane[PLANE_DISTANCE_Y] = 0;
    is_content(&report);
    sample[0].plane[PLANE_DISTANCE_X] = 0x1p125f;
    sample[1].plane[PLANE_DISTANCE_X] = 0x1p125f;
    complains(&report, "0 fractions, 2 distances and 0 phases are wrong");
}

/* Of samples inside whose period is proven; one that was not found is only counted. */
TEST(wrong_periods_are_found)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 3, 1e-12);
    report.planes = PLANE_MASK_COUNT | PLANE_MASK_PERIOD | PLANE_MASK_INSIDE;
    for (int i = 0; i < 10; i++) {
        sample[i].got = sample[i].recomputed = sample[i].truth.count = 0;
        sample[i].error_px = sample[i].truth.distance_px = sample[i].truth.change_px = 0;
        sample[i].truth.period = i < 8 ? 1 + i : 0;
        sample[i].plane[PLANE_PERIOD] = (float)(1 + i);
        sample[i].plane[PLANE_INSIDE] = 7;
    }
    sample[2].plane[PLANE_PERIOD] = 0;
    is_content(&report);
    assert_int_equal(report.periods, 8);
    assert_int_equal(report.periods_missing, 1);
    sample[3].plane[PLANE_PERIOD] = 8; /* twice the period */
    complains(&report, "1 of 8 periods that are proven, and 0 distances inside, are wrong");
    sample[3].plane[PLANE_PERIOD] = 4;
    sample[50].plane[PLANE_INSIDE] = 1; /* escapes */
    complains(&report, "0 of 8 periods that are proven, and 1 distances inside, are wrong");
}

TEST(nothing_proven_is_no_proof)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1, 1e-12);
    for (int i = 0; i < SAMPLES; i++)
        sample[i].truth.certified = 0;
    complains(&report, "nothing is proven");
}

TEST(undecided_pixels_are_neither_right_nor_wrong)
{
    struct verify_sample sample[SAMPLES];
    struct verify_report report = made_up(sample, 1, 1e-12);
    round_wrong(sample, 10);
    for (int i = 0; i < 10; i++)
        sample[i].truth.certified = 0;
    is_content(&report);
    assert_int_equal(report.certified, SAMPLES - 10);
    assert_int_equal(report.matches, SAMPLES - 10);
}

/* Verdicts on 2,000 made-up pictures whose mismatches come `factor` times as often as rounding
 * makes them; returns the complaints. Distances run from 1e-12 to 1e-2 pixels, the error is 1e-9.
 */
static int complaints_of(double factor)
{
    enum { PICTURES = 2000, SEED = 7 };
    uint64_t random = SEED;
    int complaints = 0;
    for (int k = 0; k < PICTURES; k++) {
        struct verify_sample sample[SAMPLES];
        struct verify_report report = made_up(sample, 1, 1e-9);
        for (int i = 0; i < SAMPLES; i++) {
            double distance = pow(10, -12 + 10 * check_random_unit(&random));
            double chance = factor * fmin(1, 1.8e-9 / distance);
            sample[i].truth.distance_px = sample[i].truth.change_px = distance;
            if (check_random_unit(&random) < chance)
                sample[i].recomputed = ++sample[i].got;
        }
        verify_judge(&report);
        complaints += report.complaint[0] != '\0';
    }
    return complaints;
}

TEST(the_verdict_has_the_odds_it_claims)
{
    /* by chance: at most 1 in 1000 by each of two tests, so 4 of 2,000; 12 has odds of 1 : 1000 */
    assert_in_range(complaints_of(1.0), 0, 12);
    /* five times as many mismatches as rounding makes, 20 where 4 are expected: found nine times
     * in ten */
    assert_in_range(complaints_of(5.0), 1700, 2000);
}

/* ---- real kernels --------------------------------------------------------------------------- */

static struct picture picture_of(const char *re, const char *im, const char *zoom, int32_t width,
                                 int32_t height, int64_t limit)
{
    struct picture picture = {.spec.limit = limit,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .schedule = "auto",
                              .transport = "auto",
                              .backend = "auto",
                              .threads = 2};
    assert_int_equal(view_set(&picture.view, re, im, zoom, 30, width, height), STATUS_OK);
    return picture;
}

/* The picture by this process alone, with the backend that it names. */
static enum status verified(const struct picture *picture, const struct verify_options *options,
                            const struct verify_hooks *hooks, struct verify_report *report)
{
    struct renderer_options renderer_options = {.backend = picture->backend,
                                                .threads = picture->threads};
    struct world *world;
    struct renderer *renderer = NULL;
    *report = (struct verify_report){.samples = 0};
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    enum status status = renderer_open(&renderer, world, &renderer_options);
    if (status == STATUS_OK)
        status = verify_view(renderer, picture, options, hooks, report);
    renderer_close(renderer);
    world_close(world);
    return status;
}

static struct picture seahorse(int32_t width, int32_t height)
{
    return picture_of("-0.74530835472480427839", "0.11260674477106240310", "4e5", width, height,
                      3000);
}

TEST(real_counts_are_explained_in_all_number_types)
{
    struct picture picture = picture_of("-0.7", "0", "1.4", 640, 360, 1000);
    enum precision precisions[] = {PRECISION_FP64, PRECISION_DS, PRECISION_FP32};
    for (int i = 0; i < 3; i++) {
        struct verify_options options = {.samples = 400, .seed = 1};
        struct verify_report report;
        picture.precision = precisions[i];
        assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_OK);
        assert_int_equal(report.certified, 400);
        assert_int_equal(report.astray, 0);
        assert_true(report.inside > 4 && report.inside < 200);
        /* the prediction is a size: within a factor of ten for ordinary places */
        assert_true(report.error_median_px > report.predicted_px / 10);
        assert_true(report.error_median_px < report.predicted_px * 10);
        verify_report_destroy(&report);
    }
    view_destroy(&picture.view);
}

TEST(a_seed_takes_the_same_pixels_on_every_backend)
{
    struct picture picture = seahorse(160, 90);
    struct verify_options options = {.samples = 24, .seed = 5}, others = {.samples = 24, .seed = 6};
    struct verify_report a, b, c;
    assert_int_equal(verified(&picture, &options, NULL, &a), STATUS_OK);
    picture.backend = "scalar";
    assert_int_equal(verified(&picture, &options, NULL, &b), STATUS_OK);
    assert_int_equal(verified(&picture, &others, NULL, &c), STATUS_OK);
    int elsewhere = 0;
    for (int i = 0; i < 24; i++) {
        assert_true(a.sample[i].x == b.sample[i].x && a.sample[i].y == b.sample[i].y);
        assert_true(a.sample[i].got == b.sample[i].got);
        elsewhere += a.sample[i].x != c.sample[i].x;
    }
    assert_true(elsewhere > 18);
    verify_report_destroy(&a);
    verify_report_destroy(&b);
    verify_report_destroy(&c);
    view_destroy(&picture.view);
}

TEST(samples_cover_the_picture_and_look_for_trouble)
{
    struct picture picture = seahorse(640, 360);
    struct verify_options options = {.samples = 128, .seed = 1};
    struct verify_report report;
    int quadrants[2][2] = {{0, 0}, {0, 0}};
    double even = 0, steep = 0; /* mean logarithms of the distances */
    assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_OK);
    for (int i = 0; i < 128; i++) {
        const struct verify_sample *sample = &report.sample[i];
        assert_in_range(sample->x, 0, 639);
        assert_in_range(sample->y, 0, 359);
        double distance = log10(fmax(sample->truth.distance_px, 1e-30));
        if (i < 64) {
            quadrants[sample->y >= 180][sample->x >= 320]++;
            even += distance / 64;
        } else {
            steep += distance / 64;
        }
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(quadrants[i / 2][i % 2], 12, 20);
    assert_true(steep < even - 0.5);
    verify_report_destroy(&report);
    view_destroy(&picture.view);
}

/* The report of real counts, with one of them changed. */
TEST(one_tampered_count_among_real_ones_is_found)
{
    struct picture picture = seahorse(320, 180);
    struct verify_options options = {.samples = 128, .seed = 1};
    struct verify_report report;
    assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_OK);
    struct verify_sample *sample = report.sample;
    while (sample->truth.change_px < 0.1)
        sample++;
    sample->got++;
    complains(&report, "computed again");
    sample->recomputed++;
    complains(&report, "from where they change");
    sample->got = sample->recomputed = 0; /* "never escapes" is a count like any other */
    complains(&report, "from where they change");
    verify_report_destroy(&report);
    view_destroy(&picture.view);
}

TEST(small_pictures_are_taken_whole)
{
    struct verify_options options = {.samples = 256, .seed = 1};
    static const int32_t sides[][2] = {{1, 1}, {3, 1}, {1, 5}, {7, 2}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        struct picture picture = picture_of("-0.7", "0", "1.4", sides[i][0], sides[i][1], 100);
        struct verify_report report;
        assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_OK);
        assert_int_equal(report.samples, sides[i][0] * sides[i][1]);
        verify_report_destroy(&report);
        view_destroy(&picture.view);
    }
}

/* Where direct iteration cannot tell pixels from each other. Rotated, as all pictures here. */
TEST(deep_counts_are_explained)
{
    const struct deep_place *place = &deep_places[2];
    struct picture picture = picture_of(place->re, place->im, place->zoom, 128, 72, place->limit);
    const int samples = check_long() ? 48 : 12;
    struct verify_options options = {.samples = samples, .seed = 1};
    struct verify_report report;
    assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_OK);
    assert_int_equal(report.method, METHOD_PERTURBATION);
    assert_int_equal(report.certified, samples);
    assert_int_equal(report.matches, samples);
    assert_int_equal(report.astray, 0);
    /* the measure measures: doubles cannot be better, and the plan promises no worse */
    assert_true(report.error_median_px > 1e-15 && report.error_median_px < report.predicted_px);
    struct verify_sample *sample = report.sample;
    while (sample->truth.change_px < 0.1)
        sample++;
    sample->recomputed = ++sample->got;
    complains(&report, "from where they change");
    verify_report_destroy(&report);
    view_destroy(&picture.view);
}

/* The orbit and the blocks of the picture serve its pixels; neither is made again. */
TEST(a_kept_reference_gives_the_same_pixels)
{
    const struct deep_place *place = &deep_places[2];
    struct picture picture = picture_of(place->re, place->im, place->zoom, 64, 36, place->limit);
    struct renderer_options options = {.backend = "auto", .threads = 2};
    struct world *world;
    struct renderer *renderer;
    struct kept_reference kept = {.request.amplification = 0};
    struct picture_hooks hooks = {.kept = &kept};
    struct picture_report report;
    struct field field;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
    assert_int_equal(picture_render(renderer, &picture, &hooks, &field, &report), STATUS_OK);
    struct spec spec = {.limit = picture.spec.limit, .bailout = 1024, .number = NUMBER_FP64};
    struct recompute again;
    assert_int_equal(recompute_open(&again, &picture.view, &spec, METHOD_PERTURBATION, &kept, NULL),
                     STATUS_OK);
    assert_null(again.deep.memory[0]); /* borrowed blocks */
    assert_ptr_equal(again.deep.common.table.record[0],
                     kept.reference.settled.common.table.record[0]);
    for (int32_t i = 0; i < 64; i += 7)
        assert_int_equal(recompute_pixel(&again, i, i / 2, 0).count,
                         field_count_at(&field, (size_t)(i / 2 * 64 + i)));
    recompute_close(&again);
    reference_close(&kept.reference);
    picture_report_destroy(&report);
    renderer_close(renderer);
    world_close(world);
    view_destroy(&picture.view);
}

/* ---- formulas whose lists take turns ---- */

/* c, and z_0 next to a fixed point of both lists: the first list leaves z where it is, the second
 * one takes it away, slowly. */
struct turns {
    const char *lists;
    double c, z;
};

static int64_t turns_count(const struct turns *turns, struct formula *formula)
{
    double x = turns->z, y = 0;
    assert_int_equal(formula_of_text(formula, turns->lists, strlen(turns->lists)), STATUS_OK);
    formula->plane = DYNAMIC_PLANE;
    formula->c_re = turns->c;
    for (int64_t n = 0; n < 2000; n++) {
        formula_iterate(formula, n, &x, &y, turns->c, 0);
        if (fma(x, x, y * y) > 1024.0 * 1024.0)
            return n + 1;
    }
    fail_msg("%s: never escapes", turns->lists);
    return 0;
}

/* A z that comes back bit for bit is no cycle when another list is next: z + (z - 1/2)^2 is z. */
TEST(a_z_that_comes_back_before_another_list_is_computed_on)
{
    const struct turns turns = {"sqr, add; pow 3, scale 2, add", 0.25, 0.5 + 0x1p-52};
    struct picture picture = picture_of("0.5000000000000002220446049250313", "0", "1", 1, 1, 2000);
    struct spec spec = {.limit = 2000, .bailout = 1024, .number = NUMBER_FP64};
    int64_t count = turns_count(&turns, &spec.formula);
    struct recompute again;
    assert_int_equal(recompute_open(&again, &picture.view, &spec, METHOD_DIRECT, NULL, NULL),
                     STATUS_OK);
    assert_int_equal(recompute_pixel(&again, 0, 0, 0).count, count);
    recompute_close(&again);
    view_destroy(&picture.view);
}

/* A disc that comes back into itself proves nothing when another list is next: the first list
 * halves it. */
TEST(a_disc_that_comes_back_before_another_list_is_no_proof)
{
    const struct turns turns = {"sqr, scale 0.5, add; pow 10, scale 128, add", 0.375,
                                0.5 + 0x1p-45};
    struct picture picture =
        picture_of("0.500000000000028421709430404007434844970703125", "0", "1", 1, 1, 2000);
    struct formula formula;
    struct truth truth;
    int64_t count = turns_count(&turns, &formula);
    assert_int_equal(truth_pixel(&picture.view, &formula, 0, 0, 2000, 1024, NULL, &truth),
                     STATUS_OK);
    assert_int_equal(truth.certified, 1);
    assert_int_equal(truth.count, count);
    view_destroy(&picture.view);
}

TEST(stopping_and_refusals_are_passed_on)
{
    struct verify_options options = {.samples = 16, .seed = 1};
    struct verify_report report;
    volatile int stop = 1;
    struct verify_hooks hooks = {.stop = &stop};
    struct picture picture = seahorse(160, 90);
    assert_int_equal(verified(&picture, &options, &hooks, &report), STATUS_STOPPED);
    verify_report_destroy(&report);
    picture.backend = "abacus";
    assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_CONFIG);
    verify_report_destroy(&report);
    view_destroy(&picture.view);
    picture = picture_of("-0.7", "0", "1e20", 640, 360, 100);
    picture.precision = PRECISION_FP32;
    assert_int_equal(verified(&picture, &options, NULL, &report), STATUS_UNREACHABLE);
    verify_report_destroy(&report);
    view_destroy(&picture.view);
}
