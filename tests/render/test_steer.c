/* Views under the hand: what lies under the pointer stays there, at any depth, and no stream of
 * steps leads out of the range. Held against MPFR with digits to spare. */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/steer.h"
#include "tests/support/check.h"

enum { WIDTH = 1920, HEIGHT = 1080, BITS = 40000 };

static const char *const zooms[] = {"1", "1e10", "1e300", "1e5000"};
enum { ZOOMS = sizeof zooms / sizeof *zooms };

/* A centre with far more digits than any zoom here asks for. */
static void view_make(struct view *view, const char *zoom, double rotation_deg)
{
    enum { DIGITS = 6000 };
    static char re[DIGITS + 8], im[DIGITS + 8];
    uint64_t seed = 11;
    int at = snprintf(re, sizeof re, "-0.74");
    snprintf(im, sizeof im, "0.131");
    while (at < DIGITS) {
        re[at] = (char)('0' + check_random(&seed) % 10);
        im[at++] = (char)('0' + check_random(&seed) % 10);
    }
    re[at] = im[at] = '\0';
    assert_int_equal(view_set(view, re, im, zoom, rotation_deg, WIDTH, HEIGHT), STATUS_OK);
}

struct truth { /* of a view or a point, written down anew from the definition in kernels/grid.h */
    mpfr_t re, im, step;
};

static void truth_clear(struct truth *truth)
{
    mpfr_clears(truth->re, truth->im, truth->step, (mpfr_ptr)0);
}

/* The point under a place. */
static void truth_of(struct truth *truth, const struct view *view, double x, double y)
{
    mpfr_t angle, cosine, sine, u, v, t;
    mpfr_inits2(BITS, truth->re, truth->im, truth->step, angle, cosine, sine, u, v, t, (mpfr_ptr)0);
    mpfr_set_str(truth->re, view->re, 10, MPFR_RNDN);
    mpfr_set_str(truth->im, view->im, 10, MPFR_RNDN);
    mpfr_set_str(truth->step, view->zoom, 10, MPFR_RNDN);
    mpfr_mul_si(truth->step, truth->step, view->height, MPFR_RNDN);
    mpfr_ui_div(truth->step, 4, truth->step, MPFR_RNDN);
    mpfr_set_prec(angle, 400);
    mpfr_set_prec(cosine, 400);
    mpfr_set_prec(sine, 400);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_d(angle, angle, view->rotation_deg, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 180, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    mpfr_set_d(u, x - view->width / 2.0, MPFR_RNDN);
    mpfr_set_d(v, -(y - view->height / 2.0), MPFR_RNDN);
    mpfr_mul(u, u, truth->step, MPFR_RNDN);
    mpfr_mul(v, v, truth->step, MPFR_RNDN);
    mpfr_mul(t, u, cosine, MPFR_RNDN);
    mpfr_add(truth->re, truth->re, t, MPFR_RNDN);
    mpfr_mul(t, v, sine, MPFR_RNDN);
    mpfr_sub(truth->re, truth->re, t, MPFR_RNDN);
    mpfr_mul(t, u, sine, MPFR_RNDN);
    mpfr_add(truth->im, truth->im, t, MPFR_RNDN);
    mpfr_mul(t, v, cosine, MPFR_RNDN);
    mpfr_add(truth->im, truth->im, t, MPFR_RNDN);
    mpfr_clears(angle, cosine, sine, u, v, t, (mpfr_ptr)0);
}

/* Distance of the points under two places, in pixels of the second view. */
static double distance_px(const struct view *a, double ax, double ay, const struct view *b,
                          double bx, double by)
{
    struct truth first, second;
    truth_of(&first, a, ax, ay);
    truth_of(&second, b, bx, by);
    mpfr_sub(first.re, first.re, second.re, MPFR_RNDN);
    mpfr_sub(first.im, first.im, second.im, MPFR_RNDN);
    mpfr_hypot(first.re, first.re, first.im, MPFR_RNDN);
    mpfr_div(first.re, first.re, second.step, MPFR_RNDN);
    double px = mpfr_get_d(first.re, MPFR_RNDN);
    truth_clear(&first);
    truth_clear(&second);
    return px;
}

static void view_copy(struct view *copy, const struct view *view)
{
    assert_int_equal(view_set(copy, view->re, view->im, view->zoom, view->rotation_deg, view->width,
                              view->height),
                     STATUS_OK);
}

static void move(struct view *view, struct steer_step step)
{
    unsigned stops = 0;
    assert_int_equal(steer_move(view, &steer_mandelbrot, &step, &stops), STATUS_OK);
    assert_int_equal(stops, 0);
}

/* A thousand notches in and out, by chance, with a turned frame; against the point that lay under
 * the pointer at the beginning. */
static void test_the_point_under_the_pointer_stays(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int z = 0; z < ZOOMS; z++) {
        struct view first = {0}, view = {0};
        view_make(&first, zooms[z], 33);
        view_copy(&view, &first);
        double x = 1400.25, y = 223.5, worst = 0;
        int depth = 0;
        for (int i = 0; i < 1000; i++) {
            bool in = depth == 0 || check_random(&seed) % 2;
            depth += in ? 1 : -1;
            move(&view, steer_zoom(in ? pow(2, 0.25) : pow(2, -0.25), x, y));
            if (i % 50 == 49)
                worst = fmax(worst, distance_px(&first, x, y, &view, x, y));
        }
        printf("zoom %s: %.1e px\n", zooms[z], worst);
        assert_true(worst < 1e-9);
        view_destroy(&first);
        view_destroy(&view);
    }
}

/* 500 notches in, 2^125 deeper, and 500 out again: back at the beginning. */
static void test_far_in_and_back(void **state)
{
    (void)state;
    for (int z = 0; z < ZOOMS; z++) {
        struct view first = {0}, view = {0}, before = {0};
        view_make(&first, zooms[z], -120);
        view_copy(&view, &first);
        double x = 503, y = 777, worst = 0;
        for (int i = 0; i < 1000; i++) {
            view_copy(&before, &view);
            move(&view, steer_zoom(i < 500 ? pow(2, 0.25) : pow(2, -0.25), x, y));
            if (i % 50 == 0)
                worst = fmax(worst, distance_px(&before, x, y, &view, x, y));
        }
        assert_true(worst < 1e-9);
        assert_true(distance_px(&first, x, y, &view, x, y) < 1e-9);
        assert_true(distance_px(&first, 0, 0, &view, 0, 0) < 1e-9);
        view_destroy(&first);
        view_destroy(&view);
        view_destroy(&before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_point_under_the_pointer_stays),
        cmocka_unit_test(test_far_in_and_back),
    };
    return cmocka_run_group_tests_name("steer", tests, NULL, NULL);
}
