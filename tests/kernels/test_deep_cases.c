/* Views that have broken other renderers, each sample against its certified count, with single
 * steps and with blocks. */
#include <stdlib.h>

#include "kernels/deep/error_amplification.h"
#include "tests/kernels/test_deep_fixture.h"

enum { SAMPLES = 48, WAYS = 2 };

/* Backward errors are below 1e-9 px; nearer to the set than this a count may differ. */
#define DISTANCE_PX 1e-6

static const struct deep_options ways[WAYS] = {
    {.blocks = BLOCKS_NONE},
    {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-44},
};

static void sample_prove(const char *name, const struct fixture *fixture, const struct deep *deep,
                         const struct truth *truth, int32_t x, int32_t y)
{
    struct pixel_state pixel = fixture_pixel(fixture, deep, x, y);
    if (!truth->certified)
        fail_msg("%s: pixel (%d, %d) has no certified count", name, x, y);
    if (pixel.count != truth->count && !(truth->count && truth->distance_px < DISTANCE_PX))
        fail_msg("%s, blocks %d: pixel (%d, %d) has count %lld instead of %lld, distance %g px",
                 name, deep->options.blocks, x, y, (long long)pixel.count, (long long)truth->count,
                 truth->distance_px);
}

/* Of the samples so many must have escaped, so that it is a test. */
static void fixture_prove(const char *name, const struct fixture *fixture, int escapes_least,
                          void (*place)(uint64_t *seed, const struct fixture *fixture, int32_t *x,
                                        int32_t *y))
{
    struct deep deeps[WAYS];
    uint64_t seed = 21;
    int escapes = 0;
    for (int way = 0; way < WAYS; way++)
        deeps[way] = fixture_deep(fixture, &ways[way]);
    for (int i = 0; i < SAMPLES; i++) {
        int32_t x, y;
        struct truth truth;
        place(&seed, fixture, &x, &y);
        assert_int_equal(truth_pixel(&fixture->view, &fixture->spec.formula, x, y,
                                     fixture->spec.limit, fixture->spec.bailout, NULL, &truth),
                         STATUS_OK);
        escapes += truth.count > 0;
        for (int way = 0; way < WAYS; way++)
            sample_prove(name, fixture, &deeps[way], &truth, x, y);
    }
    for (int way = 0; way < WAYS; way++)
        deep_close(&deeps[way]);
    if (escapes < escapes_least)
        fail_msg("%s: only %d samples escaped", name, escapes);
}

static void anywhere(uint64_t *seed, const struct fixture *fixture, int32_t *x, int32_t *y)
{
    *x = (int32_t)(check_random(seed) % (uint64_t)fixture->grid.width);
    *y = (int32_t)(check_random(seed) % (uint64_t)fixture->grid.height);
}

static void case_prove(const char *name, const struct fixture_wanted *wanted, enum orbit_end end,
                       int escapes_least)
{
    struct fixture fixture = fixture_open(wanted);
    if (fixture.orbit.end != end)
        fail_msg("%s: the reference ended as %d", name, fixture.orbit.end);
    fixture_prove(name, &fixture, escapes_least, anywhere);
    fixture_close(&fixture);
}

/* Odd sizes: the real axis is a row of pixels, and the middle one is the reference itself. */
enum { WIDTH = 33, HEIGHT = 21 };

#define VIEW(re_, im_, zoom_, limit_)                                                 \
    {                                                                                 \
        .re = (re_), .im = (im_), .zoom = (zoom_), .limit = (limit_), .width = WIDTH, \
        .height = HEIGHT                                                              \
    }

TEST(test_references_that_return_in_a_cycle)
{
    const struct fixture_wanted needle = VIEW("-2", "0", "1e40", 4000);
    const struct fixture_wanted spiral = VIEW("0", "1", "1e60", 4000);
    case_prove("needle, its tip", &needle, ORBIT_CYCLE, SAMPLES / 2);
    case_prove("Misiurewicz point i", &spiral, ORBIT_CYCLE, SAMPLES / 2);
}

/* Few steps are left of the 1,000 that a pixel beside c = i takes, and of the 500 beside -2. */
TEST(test_blocks_skip_the_rounds_of_a_cycle)
{
    static const struct fixture_wanted cases[] = {VIEW("0", "1", "1e300", 4000),
                                                  VIEW("-2", "0", "1e300", 4000)};
    for (int i = 0; i < 2; i++) {
        struct fixture fixture = fixture_open(&cases[i]);
        struct deep deep = fixture_deep(&fixture, &ways[1]);
        for (int32_t x = 0; x < WIDTH; x++) {
            struct pixel_state pixel = fixture_pixel(&fixture, &deep, x, HEIGHT / 3);
            assert_true(pixel.count > 400 && pixel.steps < 40);
        }
        deep_close(&deep);
        fixture_close(&fixture);
    }
}

TEST(test_points_of_the_real_axis)
{
    struct fixture_wanted needle = VIEW("-1.9999999999999999999999999999999999", "0", "1e33", 4000);
    struct fixture_wanted feigenbaum = VIEW("-1.401155189092050605", "0", "1e13", 5000);
    const struct fixture_wanted cusp = VIEW("0.25000002", "0", "1e8", 60000);
    needle.no_nucleus = true;
    feigenbaum.no_nucleus = true;
    case_prove("needle, right of the tip", &needle, ORBIT_LIMIT, SAMPLES / 2);
    case_prove("Feigenbaum point", &feigenbaum, ORBIT_LIMIT, 0);
    case_prove("cusp", &cusp, ORBIT_ESCAPED, 1); /* it is thin: only the axis escapes */
}

TEST(test_references_at_a_nucleus)
{
    const struct fixture_wanted period_1 = VIEW("0", "0", "1", 1000);
    const struct fixture_wanted period_2 = VIEW("-1", "0", "3", 1000);
    const struct fixture_wanted period_3 =
        VIEW("-1.754877666246692760049508896358528691894606617772793143989", "0", "60", 1000);
    case_prove("nucleus of the cardioid", &period_1, ORBIT_NUCLEUS, SAMPLES / 4);
    case_prove("nucleus of period 2", &period_2, ORBIT_NUCLEUS, SAMPLES / 4);
    case_prove("nucleus of period 3", &period_3, ORBIT_NUCLEUS, SAMPLES / 4);
    struct fixture_wanted on = period_3;
    on.no_nucleus = true; /* the reference goes round and round */
    case_prove("period 3, not stopped", &on, ORBIT_CYCLE, SAMPLES / 4);
}

TEST(test_references_that_escape_before_the_pixels)
{
    struct fixture_wanted early = VIEW("0.4", "0.3", "1", 2000);
    early.no_nucleus = true;
    case_prove("centre outside", &early, ORBIT_ESCAPED, SAMPLES / 4);
    early.bailout = 2;
    case_prove("centre outside, R = 2", &early, ORBIT_ESCAPED, SAMPLES / 4);
    early.re = "2.5"; /* |c| > R at once */
    case_prove("centre far outside, R = 2", &early, ORBIT_ESCAPED, SAMPLES / 4);
    struct fixture_wanted spiral = VIEW("-0.7436438870371587", "0.1318259042053120", "1e12", 20000);
    spiral.no_nucleus = true;
    case_prove("seahorse", &spiral, ORBIT_ESCAPED, SAMPLES / 4);
}

TEST(test_limits_shorter_than_a_block)
{
    static const int64_t limits[] = {1, 2, 7, 8, 9, 253, 254, 257, 263, 300};
    for (int i = 0; i < 10; i++) {
        struct fixture_wanted wanted =
            VIEW("-1.75981713080484781361082501056", "-0.01259331079974986", "1e14", limits[i]);
        struct fixture fixture = fixture_open(&wanted);
        fixture_prove("limit", &fixture, 0, anywhere);
        fixture_close(&fixture);
    }
    struct fixture_wanted one = VIEW("0", "0", "0.001", 1);
    one.no_nucleus = true;
    case_prove("limit 1", &one, ORBIT_LIMIT, SAMPLES / 2);
}

/* At all distances from the middle, in logarithmic measure. */
static void at_every_scale(uint64_t *seed, const struct fixture *fixture, int32_t *x, int32_t *y)
{
    double half = fixture->grid.width / 2;
    double reach = exp2(log2(half) * check_random_unit(seed));
    *x = (int32_t)(half + reach * (2 * check_random_unit(seed) - 1) * 0.99);
    *y = (int32_t)(half + reach * (2 * check_random_unit(seed) - 1) * 0.99);
}

TEST(test_the_whole_set_and_a_billionth_of_it_in_one)
{
    const struct fixture_wanted wanted = {.re = "-0.7436438870371587",
                                          .im = "0.1318259042053120",
                                          .zoom = "1",
                                          .limit = 20000,
                                          .width = IMAGE_SIDE_MAX,
                                          .height = IMAGE_SIDE_MAX};
    struct fixture fixture = fixture_open(&wanted);
    /* The reference is half of 2^30 pixels away from some: doubles err by 2^-53 of that. */
    fixture_prove("2^30 x 2^30 pixels", &fixture, SAMPLES / 4, at_every_scale);
    fixture_close(&fixture);
}

TEST(test_a_reference_a_thousand_views_away)
{
    const struct fixture_wanted wanted =
        VIEW("-1.75981713080484781361082501056", "-0.012593310799749865383746631", "1e14", 4036);
    struct fixture fixture = fixture_open(&wanted);
    orbit_destroy(&fixture.orbit);
    /* The centre without its last digits, and what is left of it. */
    fixture_orbit(&fixture, "-1.75981713080484", "-0.01259331079974", -INFINITY);
    fixture.grid.centre_re = -0.00000000000000781361082501056;
    fixture.grid.centre_im = -0.000000000000009865383746631;
    assert_true(fabs(fixture.grid.centre_re) > 0.1 * fixture.grid.height * fixture.numbers.step);
    fixture_prove("off-centre", &fixture, SAMPLES / 4, anywhere);
    orbit_destroy(&fixture.orbit);
    fixture_orbit(&fixture, "-1.75981713080", "-0.01259331079", -INFINITY);
    fixture.grid.centre_re = -0.00000000000484781361082501056;
    fixture.grid.centre_im = -0.000000000009749865383746631;
    assert_true(fabs(fixture.grid.centre_re) > 100 * fixture.grid.height * fixture.numbers.step);
    fixture_prove("far off-centre", &fixture, SAMPLES / 4, anywhere);
    fixture_close(&fixture);
}

static double amplification_of(const struct fixture_wanted *wanted)
{
    struct fixture fixture = fixture_open(wanted);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(1e-9, &fixture.grid)};
    struct deep deep = fixture_deep(&fixture, &options);
    double amplification = error_amplification(&deep, &fixture.grid);
    deep_close(&deep);
    fixture_close(&fixture);
    return amplification;
}

/* Through the gate beside the cusp pixels go in thousands of small steps; elsewhere few count. */
TEST(test_errors_grow_beside_parabolic_points)
{
    struct fixture_wanted usual =
        VIEW("-1.75981713080484781361082501056", "-0.012593310799749865383746631", "1e14", 4036);
    struct fixture_wanted gate = VIEW("0.2500001", "5.8e-11", "1e11", 300000);
    assert_true(amplification_of(&usual) > 1 &&
                amplification_of(&usual) < ERROR_AMPLIFICATION_FREE);
    assert_true(amplification_of(&gate) > 1000);
    assert_true(epsilon_amplified(0x1p-40, ERROR_AMPLIFICATION_FREE) == 0x1p-40);
    assert_true(epsilon_amplified(0x1p-40, 8 * ERROR_AMPLIFICATION_FREE) == 0x1p-44);
    assert_true(epsilon_amplified(0x1p-40, 1e9) == 0x1p-53);
}

TEST(test_an_unknown_slope_counts_as_the_worst)
{
    const struct fixture_wanted wanted =
        VIEW("-1.75981713080484781361082501056", "-0.012593310799749865383746631", "1e14", 4036);
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(1e-9, &fixture.grid)};
    struct deep deep = fixture_deep(&fixture, &options);
    deep.common.step.x = deep.common.step_v.x = NAN;
    assert_true(isinf(error_amplification(&deep, &fixture.grid)));
    assert_true(epsilon_amplified(0x1p-40, INFINITY) == 0x1p-53);
    deep_close(&deep);
    fixture_close(&fixture);
}
