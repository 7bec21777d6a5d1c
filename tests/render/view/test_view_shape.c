/* Mirror and stretch of views: their text, their map of pixels to the plane, and back from that. */
#include <math.h>
#include <string.h>

#include "kernels/escape/distance.h"
#include "kernels/escape/pixel.h"
#include "render/view/view.h"
#include "tests/support/check.h"

TEST(a_stretch_is_its_text)
{
    static const char *const good[] = {"3",         "2.5@-30",   "0.2@15",
                                       "1e+06@360", "1e-06@0.1", "1.3333333333333333"};
    static const char *const bad[] = {"0",      "-1",    "nan", "inf",   "1e300",
                                      "1e-300", "3@",    "@4",  "3@nan", "0x10",
                                      "3@0x1",  "3@361", "3 ",  "3@3@3", "1000001"};
    char text[VIEW_STRETCH_BYTES];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct view_shape shape = {.mirrored = 1};
        assert_int_equal(view_stretch_read(good[i], &shape), STATUS_OK);
        view_stretch_text(&shape, text);
        assert_string_equal(text, good[i]);
        assert_true(shape.mirrored);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct view_shape shape = {7, 8, 1};
        assert_int_equal(view_stretch_read(bad[i], &shape), STATUS_BAD_DATA);
        assert_true(shape.stretch == 7 && shape.stretch_deg == 8 && shape.mirrored);
    }
    struct view_shape shape = {7, 8, 1}, none = {.mirrored = 1};
    assert_int_equal(view_stretch_read("", &shape), STATUS_OK);
    assert_true(view_shape_same(&shape, &none));
    assert_int_equal(view_stretch_read("1@20", &shape), STATUS_OK);
    assert_true(view_shape_same(&shape, &none));
    view_stretch_text(&shape, text);
    assert_string_equal(text, "");
}

static struct view_numbers numbers_of(struct view_shape shape, double rotation_deg)
{
    struct view view = {.shape = shape};
    struct view_numbers numbers;
    assert_int_equal(view_set(&view, "0", "0", "2", rotation_deg, 64, 32), STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    view_destroy(&view);
    return numbers;
}

/* What lies along the angle is seen F times as long as what lies across; areas stay. */
TEST(a_stretch_is_along_its_angle)
{
    struct view_numbers numbers = numbers_of((struct view_shape){9, 0, 0}, 0);
    struct grid grid = view_grid(&numbers, 0, 0, 64, 32);
    double step = 4.0 / 2 / 32, re, im;
    assert_true(numbers.step == step && numbers.log2_stretch == log2(9) / 2);
    pixel_c_at(&grid, 41.5, 25.5, &re, &im); /* 10 to the right, 10 down */
    assert_true(fabs(re - 10 * step / 3) < 1e-15 && fabs(im + 10 * step * 3) < 1e-14);
    numbers = numbers_of((struct view_shape){9, 90, 0}, 0);
    grid = view_grid(&numbers, 0, 0, 64, 32);
    pixel_c_at(&grid, 41.5, 25.5, &re, &im);
    assert_true(fabs(re - 10 * step * 3) < 1e-14 && fabs(im + 10 * step / 3) < 1e-15);
    /* 20 degrees of the plane are the pixels' rows here */
    numbers = numbers_of((struct view_shape){4, 20, 0}, 20);
    assert_true(fabs(hypot(numbers.step_re, numbers.step_im) - step / 2) < 1e-16);
    assert_true(fabs(numbers.down_x) < 1e-15 && fabs(numbers.down_y - 4) < 1e-15);
    assert_true(fabs(grid_least(&grid) - 1 / 9.0) < 1e-15);
}

TEST(no_stretch_and_mirrors_are_exact)
{
    for (double angle = -360; angle <= 360; angle += 7.25)
        for (int mirrored = 0; mirrored < 2; mirrored++) {
            struct view_numbers numbers = numbers_of((struct view_shape){1, 77, mirrored}, angle);
            assert_true(numbers.down_x == 0 && numbers.down_y == (mirrored ? -1 : 1));
            struct grid grid = view_grid(&numbers, 0, 0, 1, 1);
            assert_true(grid_least(&grid) == 1);
        }
}

/* Any map is a view's. */
TEST(axes_are_taken_apart)
{
    uint64_t seed = 3;
    for (int round = 0; round < 2000; round++) {
        struct view_shape shape = {exp2(check_random(&seed) % 2000 / 100.0 - 10),
                                   (double)(check_random(&seed) % 36000) / 100 - 180, round % 2};
        double rotation = (double)(check_random(&seed) % 36000) / 100 - 180, found, scale;
        struct view_numbers is = numbers_of(shape, rotation);
        double re = is.step_re, im = is.step_im, x = is.down_x, y = is.down_y;
        double right[2] = {re, im}, down[2] = {x * re + y * im, x * im - y * re};
        struct view_shape back;
        assert_int_equal(view_shape_of_axes(right, down, &back, &found, &scale), STATUS_OK);
        assert_true(back.mirrored == round % 2 && fabs(scale / is.step - 1) < 1e-9);
        struct view_numbers again = numbers_of(back, found);
        double size = is.step * exp2(is.log2_stretch), slack = 1e-9 * size;
        assert_true(fabs(again.step_re - re) < slack && fabs(again.step_im - im) < slack);
        assert_true(fabs(again.down_x * again.step_re + again.down_y * again.step_im - down[0]) <
                    slack);
        assert_true(fabs(again.down_x * again.step_im - again.down_y * again.step_re - down[1]) <
                    slack);
    }
    const double flat[][4] = {{0, 0, 0, 0}, {1, 1, 1, 1},           {1, 0, INFINITY, 1},
                              {1, 0, 0, 0}, {1, 0, (double)NAN, 1}, {1, 0, 0, 1e-9}};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        double right[2] = {flat[i][0], flat[i][1]}, down[2] = {flat[i][2], flat[i][3]}, a, b;
        struct view_shape back;
        assert_int_equal(view_shape_of_axes(right, down, &back, &a, &b), STATUS_BAD_DATA);
    }
}

/* A view that is turned or mirrored is widened as it is seen: any wider and higher, and back. */
TEST(what_is_seen_is_widened)
{
    uint64_t seed = 5;
    for (int round = 0; round < 500; round++) {
        double before = (double)(check_random(&seed) % 3600) / 10 - 180, rotation = before;
        struct view_shape shape = {.mirrored = round % 2}, first;
        assert_int_equal(view_shape_widen(&shape, &rotation, 1.1), STATUS_OK);
        struct view_numbers numbers = numbers_of(shape, rotation);
        double right = hypot(numbers.step_re, numbers.step_im);
        assert_true(fabs(shape.stretch - 1.1) < 1e-12 && shape.mirrored == round % 2);
        assert_true(fabs(remainder(shape.stretch_deg - before, 180)) < 1e-9);
        assert_true(fabs(right * sqrt(1.1) / numbers.step - 1) < 1e-12);
        assert_true(fabs(numbers.down_x) < 1e-12); /* still upright on it */
        first = shape;
        for (int i = 0; i < 20; i++) {
            rotation += 15;
            assert_int_equal(view_shape_widen(&shape, &rotation, 1.3), STATUS_OK);
        }
        for (int i = 0; i < 20; i++) {
            assert_int_equal(view_shape_widen(&shape, &rotation, 1 / 1.3), STATUS_OK);
            rotation -= 15;
        }
        assert_true(fabs(shape.stretch - first.stretch) < 1e-9);
        assert_int_equal(view_shape_widen(&shape, &rotation, 1 / 1.1), STATUS_OK);
        assert_true(shape.stretch == 0 && fabs(remainder(rotation - before, 360)) < 1e-9);
    }
    struct view_shape shape = {.stretch = VIEW_STRETCH_MAX};
    double rotation = 0;
    assert_int_equal(view_shape_widen(&shape, &rotation, 1.1), STATUS_BAD_DATA);
    assert_true(shape.stretch == VIEW_STRETCH_MAX && rotation == 0);
}

/* ln|z| = (x + 2 y) / 2 of the image, z on a circle: the straight border 4 px away. */
TEST(a_distance_is_that_of_the_image)
{
    struct grid grid = {.step_re = 1, .down_x = 0.75, .down_y = -0.5};
    /* gradient by (u, v) of k (x + 2 y), u = x + 0.75 y, v = -0.5 y: k (1, -2.5) */
    double k = 0.25, norm = k * (1 + 6.25);
    struct distance seen =
        distance_in_image(&grid, (struct distance){(float)(1 / norm), (float)(-2.5 / norm)});
    assert_true(fabs(seen.x - 1 / (5 * k)) < 1e-6 && fabs(seen.y - 2 / (5 * k)) < 1e-6);
    seen = distance_in_image(&grid, (struct distance){0, 0});
    assert_true(seen.x == 0 && seen.y == 0);
    seen = distance_in_image(&grid, (struct distance){0x1.8p126f, 0x1.8p126f});
    assert_true(isfinite(hypotf(seen.x, 0)) && isfinite(seen.x) && isfinite(seen.y));
}
