/* Paths of films: where frames look, held against literals and against MPFR. */
#include "render/motion/film_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static struct film_path path_of(const struct film_keyframe *keyframes, size_t count)
{
    struct film_path path = {0};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(film_path_add(&path, &keyframes[i]), STATUS_OK);
    return path;
}

TEST(test_a_motion_begins_and_ends_at_rest_and_is_steady_between)
{
    assert_true(film_eased(0, 10, 1, 1) == 0);
    assert_true(film_eased(10, 10, 1, 1) == 1);
    assert_true(fabs(film_eased(5, 10, 1, 1) - 0.5) < 1e-15);
    /* 9 seconds' worth of way at full speed: a second of it is 1/9. */
    assert_true(fabs(film_eased(6, 10, 1, 1) - film_eased(5, 10, 1, 1) - 1 / 9.0) < 1e-15);
    /* In the second of the ease half of that. */
    assert_true(fabs(film_eased(1, 10, 1, 1) - 0.5 / 9) < 1e-15);
    assert_true(fabs(film_eased(2.5, 10, 0, 0) - 0.25) < 1e-15);
    assert_true(film_eased(1e-3, 10, 1, 1) < 1e-9); /* from rest */
    /* Eases that are longer than the motion meet in its middle. */
    assert_true(fabs(film_eased(5, 10, 100, 100) - 0.5) < 1e-15);
    for (double t = 0, last = -1; t <= 10; t += 0.01) {
        double now = film_eased(t, 10, 3, 2);
        assert_true(now > last);
        last = now;
    }
}

TEST(test_one_centre_stays_to_the_letter)
{
    char re[] = "-1.7400000000000000000000000000000000000000000000000000000001", im[] = "1e-60";
    struct film_path path = path_of(
        (struct film_keyframe[]){{.re = re, .im = im, .zoom = "1", .ease_s = 1},
                                 {.time_s = 20, .re = re, .im = im, .zoom = "1e50", .ease_s = 1}},
        2);
    struct view view = {0};
    assert_true(film_path_is_centred(&path) && film_path_is_upright(&path));
    assert_true(film_path_seconds(&path) == 20);
    for (double time = 0; time <= 20; time += 2.5) {
        assert_int_equal(film_path_view(&path, time, 64, 36, &view), STATUS_OK);
        assert_string_equal(view.re, re);
        assert_string_equal(view.im, im);
    }
    assert_int_equal(film_path_view(&path, 0, 64, 36, &view), STATUS_OK);
    assert_string_equal(view.zoom, "1");
    assert_int_equal(film_path_view(&path, 10, 64, 36, &view), STATUS_OK);
    assert_string_equal(view.zoom, "1e25");
    assert_int_equal(film_path_view(&path, 20, 64, 36, &view), STATUS_OK);
    assert_string_equal(view.zoom, "1e50");
    view_destroy(&view);
    film_path_destroy(&path);
}

/* Along one angle by the logarithm of the factor; through no stretch to the one across. */
TEST(test_a_stretch_goes_from_keyframe_to_keyframe)
{
    struct film_path path = path_of(
        (struct film_keyframe[]){
            {.re = "0", .im = "0", .zoom = "1", .stretch = {1, 0, 0}},
            {.time_s = 2, .re = "0", .im = "0", .zoom = "2", .stretch = {4, 30, 0}},
            {.time_s = 4, .re = "0", .im = "0", .zoom = "4", .stretch = {4, -60, 0}},
            {.time_s = 6, .re = "0", .im = "0", .zoom = "8", .stretch = {9, -60, 0}},
            {.time_s = 8, .re = "0", .im = "0", .zoom = "16"}},
        5);
    static const double wanted[] = {1, 2, 4, 1, 4, 6, 9}, deg[] = {0, 30, 30, 0, -60, -60, -60};
    struct view view = {0};
    path.shape = (struct view_shape){9, 120, 1};
    assert_false(film_path_is_centred(&path)); /* no frame is resampled from another's pixels */
    for (int i = 0; i <= 8; i++) {
        assert_int_equal(film_path_view(&path, i, 64, 36, &view), STATUS_OK);
        double factor = view_stretch(&view.shape), expected = wanted[i < 6 ? i : 6];
        assert_true(fabs(factor / expected - 1) < 1e-12 && view.shape.mirrored == 1);
        assert_true(factor < 1 + 1e-12 ||
                    fabs(remainder(view.shape.stretch_deg - deg[i < 6 ? i : 6], 180)) < 1e-9);
    }
    view_destroy(&view);
    film_path_destroy(&path);
}

/* From (0, 0) at zoom 1 to (1, 0) at zoom 3 the point 1.5 stays where it is on the screen. */
TEST(test_a_flight_to_another_place_is_about_one_point)
{
    struct film_path path =
        path_of((struct film_keyframe[]){{.re = "0", .im = "0.5", .zoom = "1"},
                                         {.time_s = 8, .re = "1", .im = "0.5", .zoom = "3"}},
                2);
    struct view view = {0};
    assert_false(film_path_is_centred(&path));
    for (double time = 0; time <= 8; time += 1) {
        assert_int_equal(film_path_view(&path, time, 100, 100, &view), STATUS_OK);
        double zoom = strtod(view.zoom, NULL);
        assert_true(fabs(zoom - pow(3, time / 8)) < 1e-9);
        assert_true(fabs((1.5 - strtod(view.re, NULL)) * zoom - 1.5) < 1e-9);
        assert_true(fabs(strtod(view.im, NULL) - 0.5) < 1e-15);
    }
    view_destroy(&view);
    film_path_destroy(&path);
}

/* Deep in, in both directions: the last frames before the deepest are beside it by as many of their
 * heights as the first. */
TEST(test_deep_flights_arrive_where_they_are_sent)
{
    static const char *const near[2] = {"-1.25", "0.0625"};
    static const char *const far[2] = {
        "-1.2500000000000000000000000000000000000000000000000000000000000000000000000000007",
        "0.06250000000000000000000000000000000000000000000000000000000000000000000000000001"};
    for (int out = 0; out < 2; out++) {
        struct film_keyframe keyframe[2] = {{.re = near[0], .im = near[1], .zoom = "1e20"},
                                            {.re = far[0], .im = far[1], .zoom = "1e80"}};
        struct film_keyframe first = keyframe[out], last = keyframe[!out];
        last.time_s = 60;
        struct film_path path = path_of((struct film_keyframe[]){first, last}, 2);
        struct film_depth depth = film_path_depth(&path);
        assert_int_equal(depth.deepest, out ? 0 : 1);
        struct view view = {0}, deep = {0};
        double time = out ? 1 : 59; /* zoom 1e79 */
        assert_int_equal(film_path_view(&path, time, 64, 36, &view), STATUS_OK);
        assert_int_equal(film_path_view(&path, out ? 0 : 60, 64, 36, &deep), STATUS_OK);
        assert_string_equal(deep.re, far[0]);
        double re, im;
        view_apart(&view, &deep, -264, &re, &im); /* 2^-264 is 3.4e-80 */
        /* c - c_1 = (c_0 - c_1) s / s_0, s / s_0 = 1e-59: 7e-79 * 1e-59, below the places kept:
         * nothing beside 4e-80, the height of the frame. */
        assert_true(fabs(re) < 1e-15 && fabs(im) < 1e-15);
        view_destroy(&view);
        view_destroy(&deep);
        film_path_destroy(&path);
    }
}

TEST(test_colours_and_rotation_go_with_the_zoom)
{
    struct film_path path =
        path_of((struct film_keyframe[]){{.re = "0", .im = "0", .zoom = "1", .offset = 0.5},
                                         {.time_s = 4,
                                          .re = "0",
                                          .im = "0",
                                          .zoom = "16",
                                          .rotation_deg = 720,
                                          .offset = 2.5,
                                          .relief = 1}},
                2);
    assert_false(film_path_is_upright(&path));
    assert_true(film_path_rotation_deg(&path, 2.5) == 450);
    assert_true(film_path_shade(&path, 1).offset == 1);
    assert_true(film_path_shade(&path, 1).relief == 0.25);
    assert_true(film_path_log2_zoom(&path, 3) == 3);
    struct view view = {0};
    assert_int_equal(film_path_view(&path, 2.5, 10, 10, &view), STATUS_OK);
    assert_true(view.rotation_deg == 90);
    view_destroy(&view);
    film_path_destroy(&path);
}

TEST(test_keyframes_out_of_order_are_refused)
{
    struct film_path path = {0};
    struct film_keyframe keyframe = {.time_s = 1, .re = "0", .im = "0", .zoom = "1"};
    assert_int_equal(film_path_add(&path, &keyframe), STATUS_BAD_DATA);
    keyframe.time_s = 0;
    assert_int_equal(film_path_add(&path, &keyframe), STATUS_OK);
    assert_int_equal(film_path_add(&path, &keyframe), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "not after"));
    keyframe.time_s = NAN;
    assert_int_equal(film_path_add(&path, &keyframe), STATUS_BAD_DATA);
    keyframe.time_s = 2;
    keyframe.zoom = "1e";
    assert_int_equal(film_path_add(&path, &keyframe), STATUS_BAD_DATA);
    film_path_destroy(&path);
}
