/* Flights by hand: what is asked for, and what is shown meanwhile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/input/throttle.h"
#include "app/viewer/input/view_track.h"
#include "app/viewer/screen/automatic_density.h"
#include "app/viewer/screen/compositor.h"
#include "tests/support/check.h"

enum { W = 120, H = 100 };

/* ---- when ---- */

/* A flight lets pictures become finer, and waits for the first colours of a dear one. */
TEST(test_throttle_of_flights)
{
    struct throttle throttle = {.flies = true};
    double until_s;
    throttle_view_changed(&throttle, 100);
    assert_int_equal(throttle_decide(&throttle, 100, &until_s), THROTTLE_ASK_MOVING);
    throttle_asked(&throttle, THROTTLE_ASK_MOVING, 100);
    throttle_view_changed(&throttle, 100.2);
    assert_int_equal(throttle_decide(&throttle, 100.2, &until_s), THROTTLE_WAIT);
    throttle_covered(&throttle, true, false);
    assert_int_equal(throttle_decide(&throttle, 100.03, &until_s), THROTTLE_WAIT);
    assert_true(fabs(until_s - 100.06) < 1e-9);
    assert_int_equal(throttle_decide(&throttle, 100.06, &until_s), THROTTLE_ASK_MOVING);
    throttle_covered(&throttle, true, true); /* nothing becomes finer any more */
    assert_int_equal(throttle_decide(&throttle, 100.03, &until_s), THROTTLE_ASK_MOVING);
    throttle_asked(&throttle, THROTTLE_ASK_MOVING, 100.2);
    throttle_view_changed(&throttle, 101.5); /* but not for ever */
    assert_int_equal(throttle_decide(&throttle, 101.3, &until_s), THROTTLE_ASK_MOVING);
}

/* ---- where the view will be ---- */

static struct view view_of(const char *re, const char *zoom, double rotation_deg)
{
    struct view view = {0};
    assert_int_equal(view_set(&view, re, "0", zoom, rotation_deg, W, H), STATUS_OK);
    return view;
}

/* What is seen at four places, in pixels of the other view. */
static double apart_px(const struct view *a, const struct view *b)
{
    struct placement at;
    double most = 0;
    assert_int_equal(view_placement(a, b, &at), STATUS_OK);
    for (int i = 0; i < 4; i++) {
        double x = i % 2 ? W / 2 : -W / 2, y = i / 2 ? H / 2 : -H / 2;
        double c = at.scale * cos(at.angle_rad), s = at.scale * sin(at.angle_rad);
        most = fmax(most, hypot(c * x - s * y + at.dx_px - x, s * x + c * y + at.dy_px - y));
    }
    return most;
}

static void track_check(const struct view_motion *each)
{
    struct view_track track = {0};
    struct view view = view_of("-0.5", "30", 10), later = {0};
    struct view_motion ahead;
    double now_s = 5, log2_speed;
    assert_int_equal(view_track_ahead(&track, &view, now_s, 1, &ahead, &log2_speed), STATUS_OK);
    assert_true(ahead.factor == 1 && log2_speed == 0);
    for (int i = 0; i <= 20; i++, now_s += 0.01) {
        assert_int_equal(view_track_note(&track, &view, now_s), STATUS_OK);
        if (i < 20)
            assert_int_equal(view_move(&view, &range_parameter_plane, each, NULL), STATUS_OK);
    }
    now_s -= 0.01;
    assert_int_equal(view_track_ahead(&track, &view, now_s, 0.1, &ahead, &log2_speed), STATUS_OK);
    assert_true(fabs(log2_speed - log2(each->factor) * 100) < 1e-6);
    assert_int_equal(view_copy(&later, &view), STATUS_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(view_move(&later, &range_parameter_plane, each, NULL), STATUS_OK);
    assert_int_equal(view_move(&view, &range_parameter_plane, &ahead, NULL), STATUS_OK);
    assert_true(apart_px(&view, &later) < 1e-3);
    view_destroy(&view);
    view_destroy(&later);
    view_track_forget(&track);
}

TEST(test_steady_motions_are_foreseen)
{
    struct view_motion both = motion_zoom(1.02, 30, 80);
    both.turn_deg = 0.5;
    both.to_x += 0.7;
    const struct view_motion motions[] = {motion_pan(3, -2), motion_zoom(1.01, 20, 90),
                                          motion_zoom(0.98, 100, 5), motion_turn(1, 60, 50), both};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
        track_check(&motions[i]);
}

/* ---- what is shown ---- */

/* Pixels that say where they are: two steps of red a column, of green a row. */
static void pixels_number(uint32_t *pixels, uint32_t blue)
{
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            pixels[y * W + x] = 0xff000000u | 2 * x << 16 | 2 * y << 8 | blue;
}

static void compositor_make(struct compositor *compositor, const struct view *old,
                            const struct view *base)
{
    assert_int_equal(compositor_resize(compositor, W, H), STATUS_OK);
    compositor->old = (struct warp_image){calloc(W * H, sizeof(uint32_t)), W, H, W};
    pixels_number(compositor->old.pixels, 0);
    pixels_number(compositor->base.pixels, 200);
    assert_int_equal(view_copy(&compositor->old_sight.view, old), STATUS_OK);
    assert_int_equal(view_copy(&compositor->base_sight.view, base), STATUS_OK);
    compositor->base.picture = 7;
    compositor->covered = true;
}

/* How far the pixels of the newest picture are seen from their places, at most. */
static double misplaced_px(const struct compositor *compositor, const struct view *seen,
                           int64_t *count)
{
    const struct placement none = {.scale = 1};
    struct placement at = none;
    double most = 0;
    assert_int_equal(view_placement(&compositor->base_sight.view, seen, &at), STATUS_OK);
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            uint32_t pixel = compositor->output.pixels[y * W + x];
            double from_x = (pixel >> 16 & 255) / 2.0, from_y = (pixel >> 8 & 255) / 2.0;
            if ((pixel & 255) != 200 || from_x < 1 || from_y < 1 || from_x > W - 2 ||
                from_y > H - 2)
                continue; /* the edges of a picture reach half a pixel farther */
            double c = at.scale * cos(at.angle_rad), s = at.scale * sin(at.angle_rad);
            double u = from_x + 0.5 - W / 2.0, v = from_y + 0.5 - H / 2.0;
            double to_x = c * u - s * v + at.dx_px + W / 2.0 - 0.5;
            double to_y = s * u + c * v + at.dy_px + H / 2.0 - 0.5;
            most = fmax(most, hypot(to_x - x, to_y - y));
            (*count)++;
        }
    return most;
}

/* Carried along, enlarged, turned and at half the resolution: within a pixel. */
TEST(test_pixels_are_seen_in_their_places)
{
    const struct formula formula = {0};
    uint64_t seed = 11;
    int64_t count = 0;
    for (int i = 0; i < 40; i++) {
        struct compositor compositor = {0};
        struct view base = view_of("-0.5", "100", 0), seen = {0};
        struct view_motion motion =
            motion_zoom(0.7 + check_random_unit(&seed), check_random_unit(&seed) * W,
                        check_random_unit(&seed) * H);
        motion.turn_deg = i % 4 == 3 ? 20 * check_random_unit(&seed) : 0;
        assert_int_equal(view_copy(&seen, &base), STATUS_OK);
        assert_int_equal(view_move(&seen, &range_parameter_plane, &motion, NULL), STATUS_OK);
        compositor_make(&compositor, &base, &base);
        assert_int_equal(compositor_compose(&compositor, &seen, &formula,
                                            i % 2 ? COMPOSITOR_FAST : COMPOSITOR_FINE,
                                            &compositor.output),
                         STATUS_OK);
        double most = misplaced_px(&compositor, &seen, &count);
        double read_px = 0.25 * M_SQRT2 * motion.factor; /* steps of half a pixel, rounded */
        if (most > 1.0 + read_px)
            fail_msg("seed 11, round %d: %g px", i, most);
        view_destroy(&base);
        view_destroy(&seen);
        compositor_destroy(&compositor);
    }
    assert_true(count > 40 * W * H / 4);
}

static uint32_t blue_at(const struct compositor *compositor, int x, int y)
{
    return compositor->output.pixels[y * W + x] & 255;
}

/* The newest picture lies over the one before; in a flight only when it is as fine, or the one
 * before is old. Either fills what the other does not reach. */
TEST(test_the_finer_picture_of_a_flight_is_on_top)
{
    const struct formula formula = {0};
    struct compositor compositor = {0};
    struct view wide = view_of("0", "1", 0), deep = view_of("0", "2", 0),
                seen = view_of("0", "1.5", 0);
    compositor_make(&compositor, &wide, &deep);
    compositor.old_sight.stride = 2;
    compositor.base_sight.stride = 8;
    compositor.old_sight.asked_s = 10;
    compositor.base_sight.asked_s = 10.05;
    const struct {
        double flight_s;
        int base_stride;
        uint32_t middle, rim;
    } rounds[] = {{0, 8, 200, 0}, {10.08, 8, 0, 0}, {10.08, 2, 200, 0}, {10.2, 8, 200, 0}};
    for (int i = 0; i < 4; i++) {
        compositor.flight_s = rounds[i].flight_s;
        compositor.base_sight.stride = rounds[i].base_stride;
        assert_int_equal(
            compositor_compose(&compositor, &seen, &formula, COMPOSITOR_FAST, &compositor.output),
            STATUS_OK);
        assert_int_equal(blue_at(&compositor, W / 2, H / 2), rounds[i].middle);
        assert_int_equal(blue_at(&compositor, 2, 2), rounds[i].rim);
    }
    /* 3/4 of the sides are the newer one's, and 10.2 is too late for the other. */
    struct compositor_layers layers = compositor_layers(&compositor, 10.2);
    assert_true(fabs(layers.stale - 1) < 1e-9 && layers.missing < 1e-9);
    layers = compositor_layers(&compositor, 10.12);
    assert_true(fabs(layers.stale - (1 - 0.5625)) < 1e-9);
    assert_true(fabs(layers.coarsest_px - 8 * 0.75) < 1e-9);
    assert_true(layers.coarse_8 == 0 && fabs(layers.coarse_4 - 0.5625) < 1e-9);
    assert_true(layers.misplaced_px < 0.1);
    view_destroy(&wide);
    view_destroy(&deep);
    view_destroy(&seen);
    compositor_destroy(&compositor);
}

/* A picture that leaves a rim gives way to the next: what was seen of both is carried along. */
TEST(test_rims_stay_filled)
{
    const struct formula formula = {0};
    struct compositor compositor = {0};
    struct view wide = view_of("0", "1", 0), deep = view_of("0", "2", 0);
    struct view seen = view_of("0", "1.5", 0);
    compositor_make(&compositor, &wide, &deep);
    compositor.old_sight.stride = 2;
    compositor.base_sight.stride = 1;
    compositor.flight_s = 10;
    assert_int_equal(
        compositor_compose(&compositor, &seen, &formula, COMPOSITOR_FAST, &compositor.output),
        STATUS_OK);
    assert_int_equal(blue_at(&compositor, W / 2, H / 2), 200);
    assert_int_equal(blue_at(&compositor, 2, 2), 0);
    assert_int_equal(compositor_resize(&compositor, W, H + 2), STATUS_OK); /* it gives way */
    assert_int_equal(compositor_resize(&compositor, W, H), STATUS_OK);
    assert_int_equal(
        compositor_compose(&compositor, &seen, &formula, COMPOSITOR_FINE, &compositor.output),
        STATUS_OK);
    assert_int_equal(blue_at(&compositor, W / 2, H / 2), 200);
    assert_int_equal(blue_at(&compositor, 2, 2), 0);
    assert_int_equal(compositor.output.pixels[2 * W + 2] >> 24, 255);
    assert_true(compositor.output.pixels[2 * W + 2] != WARP_NEUTRAL);
    assert_int_equal(compositor.old_sight.stride, 1);
    view_destroy(&wide);
    view_destroy(&deep);
    view_destroy(&seen);
    compositor_destroy(&compositor);
}

/* ---- colours ---- */

/* In a flight colours drift after those of its pictures, and nothing is painted again for it. */
TEST(test_colours_drift_in_a_flight)
{
    struct place place = {.distribution = {.runs = 1}};
    deepfield_live_state *shown = calloc(1, sizeof *shown);
    const struct distribution measured = {.runs = 1.5};
    struct automatic_density density = {.seen = 0, .stepped_s = 10};
    double wake_s = INFINITY, before = 1;
    assert_non_null(shown);
    for (int i = 1; i <= 40; i++) {
        shown->measured = (uint64_t)i;
        assert_false(automatic_density_step(&density, &place, shown, &measured, DENSITY_FLIES,
                                            10 + 0.1 * i, &wake_s));
        double step = place.distribution.runs - before;
        assert_true(step > 0 && step < 0.05);
        before = place.distribution.runs;
    }
    assert_true(before > 1.4 && before < 1.5);
    /* on the way out they follow what comes into view, however fast it does */
    place.distribution.runs = 1;
    shown->measured++;
    density.log2_zoom = 30;
    automatic_density_step(&density, &place, shown, &measured, DENSITY_FLIES, 14.1, &wake_s);
    before = place.distribution.runs;
    assert_true(before < 1.05);
    shown->measured++;
    density.log2_zoom = 29;
    automatic_density_step(&density, &place, shown, &measured, DENSITY_FLIES, 14.2, &wake_s);
    assert_true(place.distribution.runs > 1.4);
    density.soon = true; /* another place: at once */
    shown->measured++;
    automatic_density_step(&density, &place, shown, &measured, DENSITY_FLIES, 15, &wake_s);
    assert_true(place.distribution.runs == 1.5);
    free(shown);
}

/* Colours at rest are those of the picture, although a flight has used its measurement, or another
 * place has the same picture: it is not measured a second time. */
TEST(test_colours_at_rest_are_measured)
{
    struct place place = {.distribution = {.runs = 1}};
    deepfield_live_state *shown = calloc(1, sizeof *shown);
    const struct distribution measured = {.runs = 1.5};
    struct automatic_density density = {.seen = 0};
    double wake_s = INFINITY;
    assert_non_null(shown);
    shown->picture = shown->measured_picture = 7;
    shown->measured = 1;
    shown->settled = true;
    automatic_density_step(&density, &place, shown, &measured, DENSITY_FLIES, 10.1, &wake_s);
    assert_true(place.distribution.runs < 1.5);
    for (int i = 0; i < 10; i++)
        automatic_density_step(&density, &place, shown, &measured, DENSITY_WANTED, 11 + 0.1 * i,
                               &wake_s);
    assert_true(place.distribution.runs == 1.5);
    place.distribution = (struct distribution){.runs = 0};
    automatic_density_renew(&density, true);
    shown->picture++; /* what was measured is of the picture before */
    automatic_density_step(&density, &place, shown, &measured, DENSITY_WANTED, 13, &wake_s);
    assert_true(place.distribution.runs == 0);
    shown->picture--;
    automatic_density_step(&density, &place, shown, &measured, DENSITY_WANTED, 13, &wake_s);
    assert_true(place.distribution.runs == 1.5);
    free(shown);
}
