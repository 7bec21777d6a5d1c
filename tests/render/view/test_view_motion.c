/* Views under the hand: what lies under the pointer stays there, at any depth, and no stream of
 * steps leads out of the range. Held against MPFR with digits to spare. */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/formula/rational.h"
#include "render/view/view_motion.h"
#include "tests/support/check.h"

enum { WIDTH = 1920, HEIGHT = 1080, DIGITS_MOST = 110000 };

static mpfr_prec_t truth_bits = 40000;

static const char *const zooms[] = {"1", "1e10", "1e300", "1e5000"};
enum { ZOOMS = sizeof zooms / sizeof *zooms };

static struct view_shape shape; /* of views that are made */

/* A centre with far more digits than any zoom here asks for. */
static void view_make_long(struct view *view, int digits, const char *zoom, double rotation_deg)
{
    static char re[DIGITS_MOST + 8], im[DIGITS_MOST + 8];
    uint64_t seed = 11;
    int at = snprintf(re, sizeof re, "-0.74");
    snprintf(im, sizeof im, "0.131");
    while (at < digits) {
        re[at] = (char)('0' + check_random(&seed) % 10);
        im[at++] = (char)('0' + check_random(&seed) % 10);
    }
    re[at] = im[at] = '\0';
    view->shape = shape;
    assert_int_equal(view_set(view, re, im, zoom, rotation_deg, WIDTH, HEIGHT), STATUS_OK);
}

static void view_make(struct view *view, const char *zoom, double rotation_deg)
{
    view_make_long(view, 6000, zoom, rotation_deg);
}

struct truth { /* of a view or a point, written down anew from the definition in kernels/grid.h */
    mpfr_t re, im, step;
};

static void truth_clear(struct truth *truth)
{
    mpfr_clears(truth->re, truth->im, truth->step, (mpfr_ptr)0);
}

static void turn_by(mpfr_t x, mpfr_t y, double degrees)
{
    mpfr_t angle, cosine, sine, turned;
    mpfr_inits2(400, angle, cosine, sine, (mpfr_ptr)0);
    mpfr_init2(turned, truth_bits);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_d(angle, angle, degrees, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 180, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    mpfr_fmms(turned, x, cosine, y, sine, MPFR_RNDN);
    mpfr_fmma(y, x, sine, y, cosine, MPFR_RNDN);
    mpfr_swap(x, turned);
    mpfr_clears(angle, cosine, sine, turned, (mpfr_ptr)0);
}

/* The point under a place. */
static void truth_of(struct truth *truth, const struct view *view, double x, double y)
{
    mpfr_t u, v;
    mpfr_inits2(truth_bits, truth->re, truth->im, truth->step, u, v, (mpfr_ptr)0);
    mpfr_set_str(truth->re, view->re, 10, MPFR_RNDN);
    mpfr_set_str(truth->im, view->im, 10, MPFR_RNDN);
    mpfr_set_str(truth->step, view->zoom, 10, MPFR_RNDN);
    mpfr_mul_si(truth->step, truth->step, view->height, MPFR_RNDN);
    mpfr_ui_div(truth->step, 4, truth->step, MPFR_RNDN);
    mpfr_set_d(u, x - view->width / 2.0, MPFR_RNDN);
    mpfr_set_d(v, (view->shape.mirrored ? 1 : -1) * (y - view->height / 2.0), MPFR_RNDN);
    mpfr_mul(u, u, truth->step, MPFR_RNDN);
    mpfr_mul(v, v, truth->step, MPFR_RNDN);
    turn_by(u, v, view->rotation_deg);
    if (view_stretch(&view->shape) != 1) {
        mpfr_t root;
        mpfr_init2(root, 400);
        mpfr_set_d(root, view->shape.stretch, MPFR_RNDN);
        mpfr_sqrt(root, root, MPFR_RNDN);
        turn_by(u, v, -view->shape.stretch_deg);
        mpfr_div(u, u, root, MPFR_RNDN);
        mpfr_mul(v, v, root, MPFR_RNDN);
        turn_by(u, v, view->shape.stretch_deg);
        mpfr_clear(root);
    }
    mpfr_add(truth->re, truth->re, u, MPFR_RNDN);
    mpfr_add(truth->im, truth->im, v, MPFR_RNDN);
    mpfr_clears(u, v, (mpfr_ptr)0);
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

static void copy(struct view *to, const struct view *from)
{
    assert_int_equal(view_copy(to, from), STATUS_OK);
}

static void move(struct view *view, struct view_motion step)
{
    unsigned stops = 0;
    assert_int_equal(view_move(view, &range_parameter_plane, &step, &stops), STATUS_OK);
    assert_int_equal(stops, 0);
}

/* A thousand notches in and out, by chance, with a turned frame; against the point that lay under
 * the pointer at the beginning. */
TEST(test_the_point_under_the_pointer_stays)
{
    uint64_t seed = 5;
    for (int z = 0; z < ZOOMS; z++) {
        struct view first = {0}, view = {0};
        view_make(&first, zooms[z], 33);
        copy(&view, &first);
        double x = 1400.25, y = 223.5, worst = 0;
        int depth = 0;
        for (int i = 0; i < 1000; i++) {
            bool in = depth == 0 || check_random(&seed) % 2;
            depth += in ? 1 : -1;
            move(&view, motion_zoom(in ? pow(2, 0.25) : pow(2, -0.25), x, y));
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
TEST(test_far_in_and_back)
{
    for (int z = 0; z < ZOOMS; z++) {
        struct view first = {0}, view = {0}, before = {0};
        view_make(&first, zooms[z], -120);
        copy(&view, &first);
        double x = 503, y = 777, worst = 0;
        for (int i = 0; i < 1000; i++) {
            copy(&before, &view);
            move(&view, motion_zoom(i < 500 ? pow(2, 0.25) : pow(2, -0.25), x, y));
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

/* Steps by chance, and where the old picture lies then; against the definition in MPFR. */
TEST(test_relations_are_exact)
{
    uint64_t seed = 17;
    for (int z = 0; z < ZOOMS; z++)
        for (int round = 0; round < 20; round++) {
            struct view from = {0}, to = {0};
            struct placement placement;
            view_make(&from, zooms[z], check_random_unit(&seed) * 360 - 180);
            copy(&to, &from);
            struct view_motion step = {.from_x = check_random_unit(&seed) * WIDTH,
                                       .from_y = check_random_unit(&seed) * HEIGHT,
                                       .to_x = check_random_unit(&seed) * WIDTH,
                                       .to_y = check_random_unit(&seed) * HEIGHT,
                                       .factor = exp2(check_random_unit(&seed) * 12 - 1),
                                       .turn_deg = check_random_unit(&seed) * 720 - 360};
            assert_int_equal(view_move(&to, &range_parameter_plane, &step, NULL), STATUS_OK);
            if (round % 2) { /* in a window of another size */
                assert_int_equal(view_resize(&to, &range_parameter_plane, 1001, 333), STATUS_OK);
            }
            assert_int_equal(view_placement(&from, &to, &placement), STATUS_OK);
            assert_true(fabs(placement.angle_rad) <= M_PI + 1e-15);
            for (int corner = 0; corner < 4; corner++) {
                double x = corner % 2 ? WIDTH : 0, y = corner / 2 ? HEIGHT : 0;
                double u = x - WIDTH / 2.0, v = y - HEIGHT / 2.0;
                double c = cos(placement.angle_rad), s = sin(placement.angle_rad);
                double at_x = placement.scale * (u * c - v * s) + placement.dx_px + to.width / 2.0;
                double at_y = placement.scale * (u * s + v * c) + placement.dy_px + to.height / 2.0;
                double error_px = distance_px(&from, x, y, &to, at_x, at_y);
                if (!(error_px < 1e-6)) /* of corners up to 2^11 pictures away; doubles: 1e-9 */
                    fail_msg("zoom %s, round %d: %g px", zooms[z], round, error_px);
            }
            view_destroy(&from);
            view_destroy(&to);
        }
}

TEST(test_relations_are_finite)
{
    struct view shallow = {0}, deep = {0};
    struct placement placement;
    view_make(&shallow, "0.3", 0);
    view_make(&deep, "1e5000", 90);
    assert_int_equal(view_placement(&shallow, &deep, &placement), STATUS_OK);
    assert_true(placement.scale == 1e300 && isfinite(placement.dx_px));
    assert_int_equal(view_placement(&deep, &shallow, &placement), STATUS_OK);
    assert_true(placement.scale == 0 && placement.dx_px == 0 && placement.dy_px == 0);
    view_destroy(&deep);
    assert_int_equal(view_set(&deep, "-2", "0", "1e3000", 0, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(view_placement(&shallow, &deep, &placement), STATUS_OK);
    assert_true(placement.dx_px == 1e300 && placement.dy_px == -1e300);
    assert_int_equal(view_placement(&deep, &(struct view){0}, &placement), STATUS_INTERNAL);
    view_destroy(&shallow);
    view_destroy(&deep);
}

/* Both fingers keep what they touched. */
TEST(test_fingers_hold_their_points)
{
    for (int z = 0; z < ZOOMS; z++) {
        struct view first = {0}, view = {0};
        view_make(&first, zooms[z], 12);
        copy(&view, &first);
        const double from[2][2] = {{300, 800}, {1200, 350}}, to[2][2] = {{700, 300}, {1500, 900}};
        move(&view, motion_fingers(from, to));
        for (int i = 0; i < 2; i++)
            assert_true(distance_px(&first, from[i][0], from[i][1], &view, to[i][0], to[i][1]) <
                        1e-9);
        view_destroy(&first);
        view_destroy(&view);
    }
}

/* The mirror image moves as the hand does, too; a view is no placement of its mirror image. */
TEST(test_mirrored_views_move_alike)
{
    struct view upside = {0}, view = {0};
    struct placement placement;
    shape.mirrored = true;
    test_relations_are_exact(state);
    test_fingers_hold_their_points(state);
    view_make(&view, "1e10", 20);
    shape.mirrored = false;
    view_make(&upside, "1e10", 20);
    double from_x = 100, from_y = 50;
    assert_true(distance_px(&view, from_x, from_y, &upside, from_x, HEIGHT - from_y) < 1e-9);
    move(&view, motion_turn(30, WIDTH / 2.0, HEIGHT / 2.0));
    assert_true(view.shape.mirrored && view.rotation_deg == -10);
    assert_int_equal(view_placement(&view, &upside, &placement), STATUS_OK);
    assert_true(placement.scale == 0);
    view_destroy(&upside);
    view_destroy(&view);
}

/* So do views that are stretched, which turn as others do; one is no placement of another's. */
TEST(test_stretched_views_move_alike)
{
    struct view other = {0}, view = {0};
    struct placement placement;
    shape = (struct view_shape){3.5, -25, 1};
    test_relations_are_exact(state);
    test_fingers_hold_their_points(state);
    view_make(&view, "1e10", 20);
    copy(&other, &view);
    move(&view, motion_turn(30, 100, 70));
    assert_true(view.rotation_deg == -10 && view_shape_same(&view.shape, &shape));
    assert_int_equal(view_placement(&other, &view, &placement), STATUS_OK);
    assert_true(fabs(placement.scale - 1) < 1e-12);
    other.shape.stretch_deg = 0;
    assert_int_equal(view_placement(&other, &view, &placement), STATUS_OK);
    assert_true(placement.scale == 0);
    shape = (struct view_shape){.mirrored = false};
    view_destroy(&other);
    view_destroy(&view);
}

TEST(test_fingers_in_one_place_only_move)
{
    const double together[2][2] = {{300, 300}, {300, 300}}, apart[2][2] = {{200, 300}, {600, 300}};
    struct view_motion step = motion_fingers(together, apart);
    assert_true(step.factor == 1 && step.turn_deg == 0 && step.to_x - step.from_x == 100);
    step = motion_fingers(apart, together);
    assert_true(step.factor == 1 && step.turn_deg == 0 && step.to_x - step.from_x == -100);
}

/* The corners of a box lie on the edges of the picture; of the box's own shape, on its corners. */
TEST(test_a_box_fills_the_picture)
{
    struct view first = {0}, view = {0};
    view_make(&first, "1e10", -75);
    copy(&view, &first);
    move(&view, motion_box(WIDTH, HEIGHT, 800, 500, 320, 770)); /* from any corner: 480 x 270 */
    assert_string_equal(view.zoom, "40000000000");
    assert_true(distance_px(&first, 320, 500, &view, 0, 0) < 1e-9);
    assert_true(distance_px(&first, 800, 770, &view, WIDTH, HEIGHT) < 1e-9);
    move(&view, motion_box(WIDTH, HEIGHT, 5, 5, 5, 5));
    assert_string_equal(view.zoom, "43200000000000");
    view_destroy(&first);
    view_destroy(&view);
}

/* A picture that is panned follows the hand, and texts stay as short as the zoom allows. */
TEST(test_panning_is_one_to_one)
{
    for (int z = 0; z < ZOOMS; z++) {
        struct view first = {0}, view = {0};
        view_make(&first, zooms[z], 45);
        copy(&view, &first);
        for (int i = 0; i < 300; i++)
            move(&view, motion_pan(1.3, -0.7));
        assert_true(distance_px(&first, 500, 500, &view, 500 + 390, 500 - 210) < 1e-9);
        assert_string_equal(view.zoom, zooms[z]);
        assert_true(view.rotation_deg == 45);
        struct view_numbers numbers;
        assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
        double places = -numbers.log2_step * log10(2) + VIEW_GUARD_DIGITS;
        assert_true((double)strlen(view.re) <= places + 6);
        view_destroy(&first);
        view_destroy(&view);
    }
}

/* At a zoom of 1e100000 a hand makes 60 steps a second, each with the relation for a frame: many
 * steps by chance, the picture always near where it was, in seconds. Reading and writing all digits
 * in binary would take minutes. What was seen at one place is followed in doubles from step to step
 * and lies there in the end. */
TEST(test_steps_are_quick_at_any_depth)
{
    const int steps = check_long() ? 10000 : 2000;
    struct view first = {0}, view = {0};
    struct placement placement;
    uint64_t seed = 23;
    view_make_long(&first, DIGITS_MOST, "1e100000", 0);
    struct view_motion none = motion_pan(0, 0);
    move(&first, none);
    copy(&view, &first);
    size_t longest = 0;
    int depth = 0;
    double x = 700, y = 300; /* where (700, 300) of the first picture is seen */
    clock_t begin = clock();
    for (int i = 0; i < steps; i++) {
        if (i % 2) { /* a place of whole pixels goes to another: exact in doubles */
            double to_x = check_random(&seed) % WIDTH, to_y = check_random(&seed) % HEIGHT;
            move(&view, motion_pan(to_x - x, to_y - y));
            x = to_x;
            y = to_y;
        } else {
            bool in = depth < 1 || (depth < 20 && check_random(&seed) % 2);
            depth += in ? 1 : -1;
            move(&view, motion_zoom(in ? 2 : 0.5, x, y));
        }
        assert_int_equal(view_placement(&first, &view, &placement), STATUS_OK);
        assert_true(placement.scale == ldexp(1, depth));
        longest = strlen(view.re) > longest ? strlen(view.re) : longest;
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%.2f ms for a step and a relation\n", 1e3 * seconds / steps);
    if (check_long())
        assert_true(seconds < 60);
    assert_true(longest <= strlen(first.re) + 8); /* 2^20 deeper is 7 digits */
    truth_bits = 400000;
    double error_px = distance_px(&first, 700, 300, &view, x, y);
    truth_bits = 40000;
    printf("%.1e px away after %d steps\n", error_px, steps);
    assert_true(error_px < 1e-9);
    view_destroy(&first);
    view_destroy(&view);
}

TEST(test_turning_all_the_way_round)
{
    struct view first = {0}, view = {0};
    view_make(&first, "1e300", 0);
    copy(&view, &first);
    for (int i = 0; i < 24; i++)
        move(&view, motion_turn(15, 100, 1000));
    assert_true(view.rotation_deg == 0);
    assert_true(distance_px(&first, 0, 0, &view, 0, 0) < 1e-9);
    move(&view, motion_turn(-540, 100, 1000));
    assert_true(fabs(view.rotation_deg) == 180);
    view_destroy(&first);
    view_destroy(&view);
}

/* Four notches of 2^(1/4) are 2. */
TEST(test_zooms_are_written_short)
{
    struct view view = {0};
    assert_int_equal(view_set(&view, "0", "0", "1.4", 0, 100, 100), STATUS_OK);
    static const char *const expected[] = {"2.8", "5.6", "11.2", "22.4"};
    for (int i = 0; i < 16; i++) {
        move(&view, motion_zoom(pow(2, 0.25), 50, 50));
        if (i % 4 == 3)
            assert_string_equal(view.zoom, expected[i / 4]);
    }
    assert_string_equal(view.re, "0");
    view_destroy(&view);
}

TEST(test_no_numbers_are_no_steps)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
    struct view view = {0};
    assert_int_equal(view_set(&view, "-0.5", "0.25", "8", 30, WIDTH, HEIGHT), STATUS_OK);
    for (int i = 0; i < 5; i++)
        for (int member = 0; member < 6; member++) {
            struct view_motion step = {1, 2, 3, 4, 2, 5};
            double *members[] = {&step.from_x, &step.from_y, &step.to_x,
                                 &step.to_y,   &step.factor, &step.turn_deg};
            *members[member] = odd[i];
            struct view before = {0};
            copy(&before, &view);
            assert_int_equal(view_move(&view, &range_parameter_plane, &step, NULL), STATUS_OK);
            if (i < 3 && !(member == 4 && i == 1)) { /* an endless factor is a large one */
                assert_string_equal(view.re, before.re);
                assert_string_equal(view.zoom, before.zoom);
                assert_true(view.rotation_deg == before.rotation_deg);
            }
            assert_true(fabs(view.rotation_deg) <= 180);
            view_destroy(&view);
            view = before;
        }
    view_destroy(&view);
}

TEST(test_home_fits_any_window)
{
    static const int32_t sizes[][2] = {
        {1920, 1080}, {1080, 1920}, {100, 100}, {1, 1000}, {1000, 1}};
    for (int i = 0; i < 5; i++)
        for (int julia = 0; julia < 2; julia++) {
            struct view view = {0};
            double left, right, bottom, top, ignored;
            const struct view_range *range = julia ? &range_dynamic_plane : &range_parameter_plane;
            assert_int_equal(view_home(&view, range, sizes[i][0], sizes[i][1]), STATUS_OK);
            view_point(&view, 0, sizes[i][1] / 2.0, &left, &ignored);
            view_point(&view, sizes[i][0], 0, &right, &top);
            view_point(&view, 0, sizes[i][1], &ignored, &bottom);
            assert_true(top >= 1.2 && bottom <= -1.2);
            if (i < 3)
                assert_true(left <= (julia ? -1.6 : -2) && right >= (julia ? 1.6 : 0.5));
            view_destroy(&view);
        }
}

/* Julia sets of rows that divide and escape, of some c: from its border on all is outside. */
TEST(test_julia_sets_that_divide_fit_their_home)
{
    static const double c[][2] = {{0.6, 0.9}, {-0.8, 0.3}, {0.4, 0.5}, {0.5, 0.5}, {2.5, 0.3}};
    for (int step = FORMULA_STEPS; step < FORMULA_ROWS; step++)
        for (int i = 0; i < 5; i++) {
            struct formula formula = {.plane = DYNAMIC_PLANE, .step = (enum formula_step)step};
            const struct view_range *range = view_range_of(&formula);
            const struct rational_kind *kind = rational_kind(&formula);
            double half = 2 / range->home_zoom, middle = strtod(range->home_re, NULL);
            for (int k = 0; kind->rule.escapes && k < 360; k++) {
                double turn = k * (M_PI / 180);
                struct rational_state z = {middle + half * cos(turn), half * sin(turn), 0, 0};
                int n = 0;
                for (; n < 40 && hypot(z.x, z.y) <= 1e6; n++)
                    kind->step(&z, c[i][0], c[i][1]);
                if (n == 40)
                    fail_msg("%s, c = %g + %g i, at %d degrees", kind->name, c[i][0], c[i][1], k);
            }
        }
}
