/* How far can a view be moved? To where pictures end, and no touch throws one away from there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/deep/deep.h"
#include "render/view/view_motion.h"
#include "tests/support/check.h"

enum { WIDTH = 1920, HEIGHT = 1080 };

static unsigned stops_of(struct view *view, const struct view_range *range, struct view_motion step)
{
    unsigned stops = 99;
    assert_int_equal(view_move(view, range, &step, &stops), STATUS_OK);
    return stops;
}

TEST(test_the_ends_of_the_range)
{
    struct view view = {0};
    const struct view_range *range = &range_parameter_plane;
    assert_int_equal(view_home(&view, range, WIDTH, HEIGHT), STATUS_OK);
    assert_string_equal(view.zoom, "1.4");
    assert_int_equal(stops_of(&view, range, motion_zoom(1.0 / 32, 960, 540)), VIEW_STOP_OUT);
    assert_string_equal(view.zoom, "0.25");
    assert_int_equal(stops_of(&view, range, motion_zoom(0.5, 960, 540)), VIEW_STOP_OUT);
    assert_string_equal(view.zoom, "0.25");
    for (int turn = 0; turn < 8; turn++) { /* each way as far as it goes: to |c| = 4, all round */
        double x = 1e5 * cos(turn * M_PI / 4), y = 1e5 * sin(turn * M_PI / 4), re, im;
        assert_int_equal(stops_of(&view, range, motion_pan(x, y)), VIEW_STOP_EDGE);
        assert_int_equal(view_point(&view, WIDTH / 2.0, HEIGHT / 2.0, &re, &im), STATUS_OK);
        assert_true(hypot(re, im) <= 4 && hypot(re, im) > 4 - 1e-9);
    }
    assert_int_equal(stops_of(&view, range, motion_zoom(8, 960, 540)), 0);
    view_destroy(&view);
    static const struct {
        const struct view_range *range;
        const char *zoom;
    } deepest[] = {{&range_parameter_plane, "1e150510"}, {&range_dynamic_plane, "1e150510"}};
    for (int i = 0; i < 2; i++) {
        struct view_numbers numbers;
        range = deepest[i].range;
        assert_int_equal(view_set(&view, "0.1", "0", deepest[i].zoom, 0, WIDTH, HEIGHT), STATUS_OK);
        assert_int_equal(stops_of(&view, range, motion_zoom(1e6, 960, 540)), VIEW_STOP_IN);
        assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
        assert_true(numbers.log2_step >= range->log2_step_least);
        assert_true(numbers.log2_step < range->log2_step_least + 1);
        /* A larger window has smaller pixels: the view comes up. */
        assert_int_equal(view_resize(&view, range, 4 * WIDTH, 4 * HEIGHT), STATUS_OK);
        assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
        assert_true(numbers.log2_step >= range->log2_step_least);
        view_destroy(&view);
    }
}

/* A view that a file brought from outside may be looked at, but one does not get farther out. */
TEST(test_views_from_outside)
{
    struct view view = {0};
    double re, im;
    assert_int_equal(view_set(&view, "1000", "0", "1e-3", 0, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_zoom(0.5, 960, 540)),
                     VIEW_STOP_OUT);
    assert_string_equal(view.zoom, "1e-3");
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_pan(-5, 0)), VIEW_STOP_EDGE);
    assert_int_equal(view_point(&view, 960, 540, &re, &im), STATUS_OK);
    assert_true(re <= 1000);
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_pan(5, 0)), 0);
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_zoom(2, 960, 540)), 0);
    assert_string_equal(view.zoom, "0.002");
    view_destroy(&view);
}

static double log2_step(const struct view *view)
{
    struct view_numbers numbers;
    assert_int_equal(view_numbers(view, &numbers), STATUS_OK);
    return numbers.log2_step;
}

/* Where a picture can be made it can be moved: panned by so many pixels, zoomed until it ends. */
TEST(test_steering_reaches_the_end_of_perturbation)
{
    struct view first = {0}, view = {0};
    struct placement placement;
    assert_true(range_parameter_plane.log2_step_least == DEEP_STEP_LEAST);
    assert_int_equal(view_set(&first, "-2", "0", "1e150500", 0, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(view_copy(&view, &first), STATUS_OK);
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_pan(-20.25, -10)), 0);
    assert_string_equal(view.zoom, "1e150500");
    assert_int_equal(view_placement(&first, &view, &placement), STATUS_OK);
    assert_true(fabs(placement.dx_px + 20.25) < 1e-9 && fabs(placement.dy_px + 10) < 1e-9);
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_zoom(2, 100, 100)), 0);
    assert_true(log2_step(&view) < log2_step(&first));
    assert_int_equal(stops_of(&view, &range_parameter_plane, motion_turn(15, 100, 100)), 0);
    for (int i = 0; i < 2; i++)
        stops_of(&view, &range_parameter_plane, motion_zoom(1e9, 0, 0));
    assert_true(log2_step(&view) >= DEEP_STEP_LEAST && log2_step(&view) < DEEP_STEP_LEAST + 1);
    assert_int_equal(number_check(view.re, "re"), STATUS_OK); /* its digits can be written */
    assert_int_equal(number_check(view.im, "im"), STATUS_OK);
    view_destroy(&first);
    view_destroy(&view);
}

/* A view that is too deep is not thrown out by a pan, a turn or a notch: it stays where it is, but
 * goes no deeper, and comes up as far as one zooms out. Nor does another size move it, but that
 * its pixels become no smaller. */
TEST(test_views_that_are_too_deep_stay)
{
    static const struct {
        const struct view_range *range;
        const char *zoom, *out;
    } deep[] = {
        {&range_parameter_plane, "1.23456789012345678901e150600", "6.1728394506172839e150599"},
        {&range_parameter_plane, "1e999990", "5e999989"},
        {&range_dynamic_plane, "1e150600", "5e150599"}};
    for (int i = 0; i < 3; i++) {
        struct view view = {0};
        const struct view_range *range = deep[i].range;
        const char *zoom = deep[i].zoom;
        assert_int_equal(view_set(&view, "0.1", "1", zoom, 0, WIDTH, HEIGHT), STATUS_OK);
        double before = log2_step(&view);
        assert_int_equal(stops_of(&view, range, motion_pan(3, 4)), 0);
        assert_string_equal(view.zoom, zoom);
        assert_int_equal(stops_of(&view, range, motion_turn(15, 3, 4)), 0);
        assert_string_equal(view.zoom, zoom);
        assert_int_equal(stops_of(&view, range, motion_zoom(1.5, 3, 4)), VIEW_STOP_IN);
        assert_string_equal(view.zoom, zoom);
        assert_int_equal(view_resize(&view, range, WIDTH, HEIGHT), STATUS_OK);
        assert_string_equal(view.zoom, zoom);
        assert_int_equal(view_resize(&view, range, WIDTH, 2 * HEIGHT), STATUS_OK);
        assert_true(fabs(log2_step(&view) - before) < 1e-9);
        assert_int_equal(view_resize(&view, range, WIDTH, HEIGHT), STATUS_OK);
        assert_true(fabs(log2_step(&view) - before - 1) < 1e-9);
        assert_int_equal(view_set(&view, view.re, view.im, zoom, 0, WIDTH, HEIGHT), STATUS_OK);
        stops_of(&view, range, motion_zoom(0.5, 3, 4));
        assert_string_equal(view.zoom, deep[i].out);
        view_destroy(&view);
    }
}

/* There and back, at once or in the many small turns of a glide, with the roundings of all of them:
 * upright is 0, and 15 is 15. */
TEST(test_turns_come_back)
{
    struct view view = {0};
    for (int steps = 1; steps <= 150; steps++) {
        double turn_deg = 15.0 / steps;
        assert_int_equal(view_set(&view, "-0.5", "0.25", "8", 0, WIDTH, HEIGHT), STATUS_OK);
        for (int way = 1; way >= -1; way -= 2) {
            for (int i = 0; i < steps; i++)
                stops_of(&view, &range_parameter_plane, motion_turn(way * turn_deg, 70, 40));
            assert_true(view.rotation_deg == (way > 0 ? 15 : 0));
        }
        assert_false(signbit(view.rotation_deg));
    }
    assert_int_equal(view_set(&view, "0", "0", "8", -14.999999999999998, WIDTH, HEIGHT), STATUS_OK);
    stops_of(&view, &range_parameter_plane, motion_turn(-15, 0, 0));
    assert_true(view.rotation_deg == -30);
    stops_of(&view, &range_parameter_plane, motion_turn(M_PI / 1000, 0, 0));
    assert_true(fabs(view.rotation_deg - (-30 + M_PI / 1000)) < 1e-14); /* others are as they are */
    view_destroy(&view);
}
