/* Is the proof right where the answer is known from elsewhere? */
#include "render/truth/truth.h"

#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "tests/support/check.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* An image of one pixel: c is the centre. */
static struct view point(const char *re, const char *im)
{
    return (struct view){
        .re = (char *)re, .im = (char *)im, .zoom = (char *)"1", .width = 1, .height = 1};
}

static struct truth truth_at(const struct view *view, int32_t x, int32_t y, int64_t limit,
                             double bailout)
{
    struct truth truth;
    assert_int_equal(truth_pixel(view, &(struct formula){0}, x, y, limit, bailout, NULL, &truth),
                     STATUS_OK);
    return truth;
}

TEST(points_of_the_set_never_escape)
{
    /* centres of components, tips of antennas, cusps: all in the set by theory */
    static const char *const points[][2] = {
        {"0", "0"},
        {"-1", "0"},
        {"-2", "0"},
        {"0", "1"},
        {"0.25", "0"},
        {"-0.75", "0"},
        {"-1.25", "0"},
        {"0", "-1"},
        {"-0.125", "0.64951905283832898507279237806470"}, /* just inside the root of the 1/3 bulb */
        {"-1.75", "0"},
        {"0.24999999", "0"},
    };
    for (size_t i = 0; i < COUNT(points); i++) {
        struct view view = point(points[i][0], points[i][1]);
        struct truth truth = truth_at(&view, 0, 0, 5000, 1024);
        assert_int_equal(truth.certified, 1);
        assert_int_equal(truth.count, 0);
    }
}

/* Centres, and points beside them that spiral in slowly: the period of the component. */
TEST(periods_are_those_of_the_component)
{
    static const struct {
        const char *re, *im;
        int64_t period;
    } points[] = {
        {"0.01", "0", 1},
        {"-0.4", "0.4", 1}, /* multiplier 0.8 of modulus and more, about a third of a turn */
        {"-0.1", "0.6", 1},
        {"-1", "0.05", 2},
        {"-1.2", "0.01", 2},
        {"-0.1225611668766536", "0.7448617666197442", 3},
        {"-0.13", "0.7", 3},
        {"-1.7548776662466927", "0", 3},
        {"-1.3107026413368328", "0", 4},
        {"-1.38", "0", 8},
        {"-0.5043401754462431", "0.5627657614529813", 5},
    };
    for (size_t i = 0; i < COUNT(points); i++) {
        struct view view = point(points[i].re, points[i].im);
        struct truth truth = truth_at(&view, 0, 0, 100000, 1024);
        assert_int_equal(truth.certified, 1);
        assert_int_equal(truth.period, points[i].period);
    }
    struct view outside = point("0.3", "0"), parabolic = point("0.25", "0");
    assert_int_equal(truth_at(&outside, 0, 0, 5000, 1024).period, 0);
    assert_int_equal(truth_at(&parabolic, 0, 0, 5000, 1024).period, 0);
}

/* pi in the Mandelbrot set: published exact counts with bailout 2 (Boll 1991; OEIS). */
TEST(published_counts_are_met)
{
    static const struct {
        const char *re, *im;
        int64_t count;
    } cases[] = {
        /* A097486: c = -3/4 + i 10^-n */
        {"-0.75", "1", 3},
        {"-0.75", "1e-1", 33},
        {"-0.75", "1e-2", 315},
        {"-0.75", "1e-3", 3143},
        {"-0.75", "1e-4", 31417},
        {"-0.75", "1e-5", 314160},
        /* A300078: c = -5/4 - 10^-2n + i 10^-n */
        {"-2.25", "1", 1},
        {"-1.26", "1e-1", 18},
        {"-1.2501", "1e-2", 159},
        {"-1.250001", "1e-3", 1586},
        {"-1.25000001", "1e-4", 15731},
        /* A299415: c = 1/4 + 10^-n */
        {"1.25", "0", 2},
        {"0.35", "0", 8},
        {"0.26", "0", 30},
        {"0.251", "0", 97},
        {"0.2501", "0", 312},
        {"0.25001", "0", 991},
        {"0.250001", "0", 3140},
        {"0.2500000001", "0", 314157},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct view view = point(cases[i].re, cases[i].im);
        struct truth truth = truth_at(&view, 0, 0, 1000000, 2);
        assert_int_equal(truth.certified, 1);
        assert_int_equal(truth.count, cases[i].count);
    }
}

TEST(the_limit_is_the_last_step_looked_at)
{
    struct view view = point("0.26", "0"); /* escapes at 30 */
    assert_int_equal(truth_at(&view, 0, 0, 30, 2).count, 30);
    assert_int_equal(truth_at(&view, 0, 0, 29, 2).count, 0);
    assert_int_equal(truth_at(&view, 0, 0, 29, 2).certified, 1);
}

TEST(orbit_derivative_and_distance_are_as_by_hand)
{
    struct view view = point("1.5", "0"); /* z_1 = 1.5, z_2 = 3.75; dz_2 = 2 * 1.5 + 1 = 4 */
    struct truth truth = truth_at(&view, 0, 0, 10, 2);
    assert_int_equal(truth.count, 2);
    assert_true(truth.z_re == 3.75 && truth.z_im == 0);
    assert_true(fabs(truth.log2_dz - 2) < 1e-12 && truth.dz_rad == 0);
    /* 2 |z| ln|z| / |dz| in c, where |z| is above 1000: z_5; a pixel is 4 wide */
    double z = 1.5, dz = 1;
    for (int n = 1; n < 5; n++) {
        dz = 2 * z * dz + 1;
        z = z * z + 1.5;
    }
    assert_true(fabs(truth.distance_px / (2 * z * log(z) / dz / 4) - 1) < 1e-12);
}

/* Left of the tip -2 the distance is known: the set lies in |c| <= 2. A needle meets the lower
 * bound. Near the set, where Green's function G is small; further out the bounds widen by sinh G /
 * G. */
TEST(distance_estimate_keeps_koebes_bounds)
{
    static const struct {
        const char *re;
        double distance;
    } cases[] = {{"-2.01", 0.01}, {"-2.0001", 1e-4}, {"-2.000001", 1e-6}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct view view = point(cases[i].re, "0");
        for (double bailout = 2; bailout < 1e5; bailout *= 32) {
            double estimate = 4 * truth_at(&view, 0, 0, 100000, bailout).distance_px;
            assert_true(estimate > cases[i].distance);
            assert_true(estimate / 4 < cases[i].distance * (1 + 1e-5)); /* + O(1/|z|^2) */
        }
    }
}

TEST(pixels_lie_where_the_definition_puts_them)
{
    /* step = 4 / (zoom H) = 1/2: pixel (3, 0) of 4 x 2 is centre + 3/4 + i/4 */
    struct view view = {
        .re = (char *)"-0.5", .im = (char *)"0.35", .zoom = (char *)"4", .width = 4, .height = 2};
    struct view same = point("0.25", "0.6");
    struct truth a = truth_at(&view, 3, 0, 1000, 1024), b = truth_at(&same, 0, 0, 1000, 1024);
    assert_true(a.certified && a.count == b.count && a.count > 0);
    assert_true(a.z_re == b.z_re && a.z_im == b.z_im);
}

TEST(rotation_turns_counter_clockwise)
{
    enum { SIDE = 9 };
    struct view plain = {.re = (char *)"-0.6",
                         .im = (char *)"0.5",
                         .zoom = (char *)"3",
                         .width = SIDE,
                         .height = SIDE};
    struct view turned = plain;
    turned.rotation_deg = 90;
    /* i (dx - i dy) = dy + i dx: pixel (x, y) shows what (y, SIDE - 1 - x) showed */
    for (int32_t y = 0; y < SIDE; y++)
        for (int32_t x = 0; x < SIDE; x++) {
            struct truth a = truth_at(&turned, x, y, 500, 1024);
            struct truth b = truth_at(&plain, y, SIDE - 1 - x, 500, 1024);
            assert_true(a.certified && b.certified);
            assert_int_equal(a.count, b.count);
        }
}

/* The centre has 60 digits and the pixel is 4e-50 wide: no double could tell it from -2. */
TEST(depth_is_no_obstacle)
{
    struct view view = {.re = (char *)"-2.00000000000000000000000000000000000000000000000000001",
                        .im = (char *)"0",
                        .zoom = (char *)"1e50",
                        .width = 3,
                        .height = 3};
    struct truth left = truth_at(&view, 0, 1, 1000, 1024), tip = truth_at(&view, 1, 1, 1000, 1024);
    assert_true(left.certified && tip.certified);
    /* z_n leaves 2 like 4^n epsilon / 3 * 4: about 1.66 more steps for every power of ten */
    assert_true(left.count > 80 && tip.count > left.count);
    assert_in_range(tip.count, left.count + 4, left.count + 7); /* 1.33e-50 against 1e-53 */
}

/* The needle's tip at -2 + epsilon, where all is known: z_2 = 2 - 3 epsilon, and 2 - z grows
 * fourfold each step. */
TEST(dz_is_known_where_it_leaves_the_doubles)
{
    struct view view = point("-2.", "0");
    char re[1400] = "-2.";
    memset(re + 3, '0', 1300);
    strcpy(re + 1303, "1"); /* 1e-1301 left of the tip */
    view.re = re;
    struct truth truth = truth_at(&view, 0, 0, 10000, 1024);
    assert_int_equal(truth.certified, 1);
    /* |z_n| = 2 cosh(t 2^(n-2)), t^2 = 4 epsilon roughly; dz/dc = 4^(n-1) / 3 and so on until the
     * orbit leaves: d = 2 |z| ln|z| / |dz/dc| lies between epsilon and 4 epsilon */
    double distance_log2 = log2(2 * 1024 * log(1024)) - truth.log2_dz;
    assert_true(truth.log2_dz > 1300 * 3.3219);
    assert_in_range(truth.count, 2150, 2180);
    assert_true(fabs(distance_log2 + 1301 * 3.3219280948873623) < 30);
}

/* The c of period p nearest to -2, by Newton's method for z_p(c) = 0 from -2 + 3/2 pi^2 4^-p. */
static void nucleus_on_needle(int period, char *text, size_t bytes)
{
    mpfr_t c, z, dz;
    mpfr_inits2(6 * period + 200, c, z, dz, (mpfr_ptr)0);
    mpfr_set_d(c, 14.8044, MPFR_RNDN);
    mpfr_div_2ui(c, c, 2 * (unsigned long)period, MPFR_RNDN);
    mpfr_sub_ui(c, c, 2, MPFR_RNDN);
    for (int k = 0; k < 12; k++) {
        mpfr_set_zero(z, 1);
        mpfr_set_zero(dz, 1);
        for (int n = 0; n < period; n++) {
            mpfr_mul(dz, dz, z, MPFR_RNDN);
            mpfr_mul_2ui(dz, dz, 1, MPFR_RNDN);
            mpfr_add_ui(dz, dz, 1, MPFR_RNDN);
            mpfr_sqr(z, z, MPFR_RNDN);
            mpfr_add(z, z, c, MPFR_RNDN);
        }
        mpfr_div(z, z, dz, MPFR_RNDN);
        mpfr_sub(c, c, z, MPFR_RNDN);
    }
    mpfr_snprintf(text, bytes, "%.*Rf", 7 * period / 4, c);
    mpfr_clears(c, z, dz, (mpfr_ptr)0);
}

/* Beside an island of period 700, 8e-842 wide, an orbit comes so near to 0 that doubles have no
 * such numbers, and dz/dc nearly begins anew there. Two pixels side by side tell the slope too:
 * their z differ by dz/dc times the step. */
TEST(dz_survives_passages_near_zero)
{
    static char re[1400];
    nucleus_on_needle(700, re, sizeof re);
    struct view view = {.re = re,
                        .im = (char *)"8e-841",
                        .zoom = (char *)"1e852", /* and one pixel high: a step of 4e-852 */
                        .width = 2,
                        .height = 1};
    struct truth a = truth_at(&view, 0, 0, 100000, 1024);
    struct truth b = truth_at(&view, 1, 0, 100000, 1024);
    assert_true(a.certified && a.count > 3 * 700 && a.count == b.count);
    double log2_step = 2 - 852 * log2(10);
    double slope_log2 = log2(hypot(b.z_re - a.z_re, b.z_im - a.z_im)) - log2_step;
    assert_true(fabs(slope_log2 - a.log2_dz) < 1e-4);
    assert_true(a.precision_bits < 3500); /* the ball is no wider than it must be */
}

static struct truth truth_of_pixel(const struct view *view, enum formula_step step, int32_t x,
                                   int32_t y, int64_t limit)
{
    struct truth truth;
    const struct formula formula = formula_of_step(step);
    assert_int_equal(truth_pixel(view, &formula, x, y, limit, 1024, NULL, &truth), STATUS_OK);
    assert_int_equal(truth.certified, 1);
    return truth;
}

static struct truth truth_of_step(const struct view *view, enum formula_step step, int32_t x,
                                  int64_t limit)
{
    return truth_of_pixel(view, step, x, 0, limit);
}

/* The same island in the plane of Lambda, 1 + sqrt(1 - 4 c). Of discs that went through z - z^2 one
 * operation after the other, radii would grow threefold each step where they shrink to the root of
 * a pixel: 2,100 steps would take thousands of bits more, and dz come out from what roundings left.
 */
TEST(discs_of_lambda_shrink_near_its_critical_point)
{
    static char re[1400];
    nucleus_on_needle(700, re, sizeof re);
    mpfr_t c;
    mpfr_init2(c, 6 * 700);
    assert_int_equal(mpfr_set_str(c, re, 10, MPFR_RNDN), 0);
    mpfr_mul_si(c, c, -4, MPFR_RNDN);
    mpfr_add_ui(c, c, 1, MPFR_RNDN);
    mpfr_sqrt(c, c, MPFR_RNDN);
    mpfr_add_ui(c, c, 1, MPFR_RNDN);
    mpfr_snprintf(re, sizeof re, "%.1225Rf", c);
    mpfr_clear(c);
    struct view view = {
        .re = re, .im = (char *)"5e-841", .zoom = (char *)"1e852", .width = 2, .height = 1};
    struct truth a = truth_of_step(&view, STEP_lambda, 0, 100000);
    struct truth b = truth_of_step(&view, STEP_lambda, 1, 100000);
    assert_true(a.count > 3 * 700 && a.count == b.count);
    double log2_step = 2 - 852 * log2(10);
    double slope_log2 = log2(hypot(b.z_re - a.z_re, b.z_im - a.z_im)) - log2_step;
    assert_true(fabs(slope_log2 - a.log2_dz) < 1e-4);
    assert_true(a.precision_bits < 3500);
}

/* Of the ship z_2 is made of |Re c|, which is 0 at 1e-5 beside c: pixels are 4. */
TEST(folds_beside_a_pixel_are_known)
{
    struct view view = point("1e-5", "1.5");
    double fold_px = truth_of_step(&view, STEP_burning_ship, 0, 100).fold_px;
    assert_true(fold_px > 1e-5 / 4 / 2 && fold_px < 1e-5 / 4 * 2);
    assert_true(truth_of_step(&view, STEP_multibrot_3, 0, 100).fold_px == 0);
}

/* The gradient of ln|w|, in units of where log2|dz| is `log2_unit`; y down. */
static void gradient_of(const struct truth *truth, double log2_unit, double gradient[2])
{
    double size = exp2(truth->log2_dz - log2_unit) / hypot(truth->w_re, truth->w_im);
    double angle = atan2(truth->w_im, truth->w_re) - truth->dz_rad;
    gradient[0] = size * cos(angle);
    gradient[1] = -size * sin(angle);
}

/* Beside the first point z_13 is 0.0036 - 0.71i. There quadrants of a Simonbrot have become lines,
 * so that x alone counts: distances change by themselves within a thousandth of their length. */
TEST(second_derivatives_are_those_of_differences)
{
    static const struct {
        enum formula_step step;
        const char *re, *im, *zoom;
        double least; /* of the change on the way of a distance */
    } cases[] = {{STEP_simonbrot_6, "-0.7403398538851231", "-0.7064447290370181", "2e16", 1000},
                 {STEP_mothbrot_2x1, "-0.41", "1.02", "1e10", 1},
                 {STEP_multibrot_3, "0.3", "0.91", "1e10", 1},
                 {STEP_burning_ship, "-1.77", "-0.06", "1e13", 1},
                 {STEP_phoenix, "0.31", "0.83", "1e10", 0.1},
                 {STEP_nova, "0.13", "0.32", "1e10", 0.1},
                 {STEP_magnet_1, "1.9", "1.4", "1e10", 0.1},
                 {STEP_magnet_2, "1.5", "0.9", "1e10", 0.1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct view view = {.re = (char *)cases[i].re,
                            .im = (char *)cases[i].im,
                            .zoom = (char *)cases[i].zoom,
                            .width = 2,
                            .height = 2};
        struct truth truth = truth_of_pixel(&view, cases[i].step, 0, 0, 300);
        double here[2], there[2], change[2];
        gradient_of(&truth, truth.log2_dz, here);
        for (int down = 0; down < 2; down++) {
            struct truth beside = truth_of_pixel(&view, cases[i].step, !down, down, 300);
            assert_int_equal(beside.count, truth.count);
            gradient_of(&beside, truth.log2_dz, there);
            change[down] = hypot(there[0] - here[0], there[1] - here[1]) / hypot(here[0], here[1]);
        }
        double by = hypot(change[0], change[1]);
        if (fabs(truth.bend / by - 1) > 1e-3 || by * truth.distance_px < cases[i].least)
            fail_msg("%s: %g of itself a pixel instead of %g, %g px from the set", cases[i].re,
                     truth.bend, by, truth.distance_px);
    }
}

TEST(a_stop_is_heard_within_a_pixel)
{
    struct view view = point("-1.75", "0"); /* parabolic: nothing is proven before the limit */
    volatile int stop = 1;
    struct truth truth;
    assert_int_equal(truth_pixel(&view, &(struct formula){0}, 0, 0, INT64_MAX, 1024, &stop, &truth),
                     STATUS_STOPPED);
}

TEST(attraction_is_proven_for_any_limit)
{
    struct view view = point("-0.9", "0.1");
    struct truth truth = truth_at(&view, 0, 0, INT64_MAX, 1024);
    assert_true(truth.certified && truth.count == 0);
    view = point("2.5", "0.1"); /* Lambda has a fixed point with the multiplier 2 - c */
    assert_int_equal(truth_of_step(&view, STEP_lambda, 0, INT64_MAX).count, 0);
}

/* c = -1.7 is chaotic: the ball grows by about half a bit a step, so more bits are needed. */
TEST(precision_grows_where_the_orbit_is_chaotic)
{
    struct view view = point("-1.7", "0");
    struct truth truth = truth_at(&view, 0, 0, 2000, 1024);
    assert_true(truth.certified && truth.count == 0);
    assert_true(truth.precision_bits >= 512);
}

/* |z| = R exactly: a ball of any size meets both sides. Nothing may be claimed. */
TEST(what_cannot_be_decided_is_not_certified)
{
    struct view view = point("-2", "0");
    struct truth truth = truth_at(&view, 0, 0, 100, 2);
    assert_int_equal(truth.certified, 0);
    assert_int_equal(truth.count, 0);
}

TEST(text_that_is_no_number_is_refused)
{
    struct truth truth;
    struct view view = point("0.25x", "0");
    assert_int_equal(truth_pixel(&view, &(struct formula){0}, 0, 0, 100, 1024, NULL, &truth),
                     STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "0.25x"));
    view = point("0", "0");
    view.zoom = (char *)"-1";
    assert_int_equal(truth_pixel(&view, &(struct formula){0}, 0, 0, 100, 1024, NULL, &truth),
                     STATUS_BAD_DATA);
}

static struct truth truth_of_julia(const struct view *view, double c_re, double c_im, int64_t limit,
                                   double bailout)
{
    struct truth truth;
    const struct formula formula = {.plane = DYNAMIC_PLANE, .c_re = c_re, .c_im = c_im};
    assert_int_equal(truth_pixel(view, &formula, 0, 0, limit, bailout, NULL, &truth), STATUS_OK);
    assert_int_equal(truth.certified, 1);
    return truth;
}

/* c = 0: z_n = z_0^(2^n), so the set is the circle, at a distance of |z_0| - 1. c = -2: z_0 = w +
 * 1/w gives z_n = w^(2^n) + 1/w^(2^n), and the set is the segment from -2 to 2. */
TEST(julia_sets_are_as_by_hand)
{
    struct view view = point("1.5", "0"); /* one pixel is 4 */
    struct truth truth = truth_of_julia(&view, 0, 0, 100, 1024);
    assert_int_equal(truth.count, 5); /* 1.5^32 = 431440, 1.5^16 = 657 */
    assert_true(fabs(truth.z_re / pow(1.5, 32) - 1) < 1e-14);
    assert_true(fabs(truth.log2_dz - (5 + 31 * log2(1.5))) < 1e-12); /* 32 z^31 */
    assert_true(truth.distance_px * 4 >= 0.5 && truth.distance_px * 4 <= 4 * 0.5);
    view = point("2.5", "0"); /* w = 2 */
    truth = truth_of_julia(&view, -2, 0, 100, 1024);
    assert_int_equal(truth.count, 4); /* 2^16 + 2^-16 = 65536, 2^8 = 256 */
    assert_true(truth.z_re == 0x1p16 + 0x1p-16);
    view = point("-1.9999", "0");
    assert_int_equal(truth_of_julia(&view, -2, 0, 500, 2).count, 0);
    view = point("0.1", "0.1"); /* a cycle of the rabbit attracts it: proven for any limit */
    assert_int_equal(truth_of_julia(&view, -0.123, 0.745, INT64_MAX, 2).count, 0);
    view = point("1e6", "0"); /* z_0 is not asked: the count is at least 1 */
    assert_int_equal(truth_of_julia(&view, 0, 0, 100, 2).count, 1);
}
