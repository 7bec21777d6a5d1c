/* Where the autopilot flies, on fields made up for it. */
#include <math.h>
#include <string.h>

#include "render/motion/autopilot.h"
#include "tests/support/check.h"

enum { W = 320, H = 180, STRUCTURE = 10, NOISE = 60 };

static struct field field;

static void field_begin(uint64_t count)
{
    if (!field.width)
        assert_int_equal(field_create(&field, W, H, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                         STATUS_OK);
    for (int i = 0; i < W * H; i++) {
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = (uint32_t)count;
        ((float *)field.plane[PLANE_FRACTION])[i] = 0.5f;
    }
}

/* A disc of counts: 0 is the inside; `rough`: they differ from cell to cell, by so many twelfths
 * of them at most. */
static void disc(double x, double y, double radius, uint32_t count, uint32_t rough)
{
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++)
            if (hypot(i - x, j - y) < radius)
                ((uint32_t *)field.plane[PLANE_COUNT])[j * W + i] =
                    count + rough * (uint32_t)((i / 8 * 7 + j / 8 * 13) % 11) * count / 120;
}

static struct survey survey_now(void)
{
    struct survey survey;
    survey_take(&survey, &field, 8);
    return survey;
}

static double target_px_from(const struct autopilot *autopilot, double x, double y)
{
    return hypot(autopilot->target_x * H + W / 2.0 - x, autopilot->target_y * H + H / 2.0 - y);
}

TEST(test_a_survey_takes_the_known_pixels)
{
    field_begin(100);
    disc(160, 90, 40, 0, 0);
    struct survey survey = survey_now();
    assert_int_equal(survey.columns, 40);
    assert_int_equal(survey.rows, 22);
    assert_true(fabs((double)survey.level[0] - log2(100.5)) < 1e-6);
    assert_true(survey.level[11 * 40 + 20] == SURVEY_INSIDE);
    double share = survey_inside(&survey), disc_share = M_PI * 40 * 40 / (W * H);
    assert_true(fabs(share - disc_share) < 0.02);
}

/* Of a flat field, an inside and a rough patch it takes the patch, whatever the seed. */
TEST(test_it_seeks_structure)
{
    field_begin(100);
    disc(70, 60, 45, 0, 0);
    disc(240, 120, 30, 400, STRUCTURE);
    struct survey survey = survey_now();
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct autopilot autopilot = autopilot_begin(seed, 0, 40);
        assert_true(autopilot_is_due(&autopilot));
        autopilot_decide(&autopilot, &survey, 10);
        assert_true(autopilot.way == AUTOPILOT_IN && autopilot.has_target);
        if (target_px_from(&autopilot, 240, 120) > 45)
            fail_msg("seed %llu: %g %g", (unsigned long long)seed, autopilot.target_x,
                     autopilot.target_y);
    }
}

/* Counts that have nothing in common with those beside them look like sand, at any zoom. */
TEST(test_it_turns_back_from_noise)
{
    field_begin(100);
    disc(80, 90, 50, 400, NOISE);
    disc(240, 90, 50, 400, STRUCTURE);
    struct survey survey = survey_now();
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct autopilot autopilot = autopilot_begin(seed, 0, 40);
        autopilot_decide(&autopilot, &survey, 10);
        assert_true(autopilot.has_target && target_px_from(&autopilot, 80, 90) > 25);
    }
    field_begin(400);
    disc(160, 90, 400, 400, NOISE);
    survey = survey_now();
    struct autopilot autopilot = autopilot_begin(7, 0, 40);
    autopilot_decide(&autopilot, &survey, 10);
    assert_int_equal(autopilot.way, AUTOPILOT_OUT);
}

TEST(test_it_turns_back_from_what_is_flat_or_inside_or_deep)
{
    struct autopilot autopilot;
    for (int i = 0; i < 3; i++) {
        field_begin(i == 1 ? 0 : 100);
        if (i == 2)
            disc(160, 90, 60, 300, STRUCTURE);
        struct survey survey = survey_now();
        autopilot = autopilot_begin(7, 0, 20);
        autopilot_decide(&autopilot, &survey, i == 2 ? 20 : 15);
        assert_int_equal(autopilot.way, AUTOPILOT_OUT);
        assert_true(autopilot.turn_log2 <= 17.0 && autopilot.turn_log2 >= 0);
        autopilot_decide(&autopilot, &survey, autopilot.turn_log2 + 3);
        assert_int_equal(autopilot.way, AUTOPILOT_OUT);
    }
    struct survey survey = survey_now(); /* with structure: dives again */
    autopilot_decide(&autopilot, &survey, autopilot.turn_log2);
    assert_int_equal(autopilot.way, AUTOPILOT_IN);
    assert_true(autopilot.has_target);
    autopilot_stopped(&autopilot, VIEW_STOP_IN, 19); /* the view goes no deeper */
    assert_int_equal(autopilot.way, AUTOPILOT_OUT);
    /* There is nothing farther out to go to from the whole set. */
    field_begin(100);
    survey = survey_now();
    autopilot = autopilot_begin(7, 0, 20);
    autopilot_decide(&autopilot, &survey, 0.2);
    assert_int_equal(autopilot.way, AUTOPILOT_IN);
}

/* Motions are bounded and change little from frame to frame, whatever the targets do. */
TEST(test_it_flies_smoothly)
{
    const double step_s = 1.0 / 60;
    struct autopilot autopilot = autopilot_begin(3, 0, 1000);
    double before = 1, log2_zoom = 5;
    for (int i = 0; i < 3000; i++) {
        if (autopilot_is_due(&autopilot)) {
            field_begin(100);
            disc(i * 7 % W, i * 5 % H, 30, 400, STRUCTURE);
            struct survey survey = survey_now();
            autopilot_decide(&autopilot, &survey, log2_zoom);
        }
        struct view_motion motion = autopilot_step(&autopilot, step_s, W, H);
        double way = hypot(motion.to_x - motion.from_x, motion.to_y - motion.from_y);
        log2_zoom += log2(motion.factor);
        assert_true(way <= 0.02 * H && fabs(log2(motion.factor)) <= 2.01 * step_s);
        assert_true(fabs(log2(motion.factor / before)) < 0.1 * 3 * step_s);
        assert_true(hypot(autopilot.aim_x, autopilot.aim_y) < 1);
        before = i ? motion.factor : before;
    }
    assert_true(log2_zoom > 15);
}

TEST(test_a_seed_is_a_flight)
{
    struct view_motion last[3];
    for (int round = 0; round < 3; round++) {
        struct autopilot autopilot = autopilot_begin(round == 2 ? 6 : 5, 0, 40);
        field_begin(100);
        disc(100, 90, 50, 400, STRUCTURE);
        disc(230, 90, 50, 400, STRUCTURE);
        struct survey survey = survey_now();
        for (int i = 0; i < 120; i++) {
            if (autopilot_is_due(&autopilot))
                autopilot_decide(&autopilot, &survey, 10);
            last[round] = autopilot_step(&autopilot, 1.0 / 60, W, H);
        }
    }
    assert_memory_equal(&last[0], &last[1], sizeof last[0]);
    assert_true(memcmp(&last[0], &last[2], sizeof last[0]) != 0);
    field_destroy(&field);
    field = (struct field){0};
}
