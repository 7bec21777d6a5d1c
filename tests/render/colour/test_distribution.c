/* The distribution of a picture and the curve from it: measured the same everywhere, kept by its
 * text, monotone whatever the numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/colour/colour_kernels.h"
#include "render/colour/distribution.h"
#include "tests/support/check.h"

static struct distribution spread(double from, double factor)
{
    struct distribution distribution = {.runs = 1.5, .shade = 0.5};
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
        distribution.level[i] = from * pow(factor, i);
    return distribution;
}

static double curve_position(const struct curve *curve, double nu)
{
    double counts[COLOUR_BLOCK] = {nu}, positions[COLOUR_BLOCK];
    colour_kernels_plain.curve(curve, 0, counts, 1, positions);
    return positions[0];
}

static struct field picture(int32_t width, int32_t height, uint32_t (*count)(double x, double y))
{
    struct field field;
    assert_int_equal(field_create(&field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            ((uint32_t *)field_row(&field, PLANE_COUNT, y))[x] =
                count((x + 0.5) / width, (y + 0.5) / height);
    return field;
}

static uint32_t slope(double x, double y)
{
    return 1000 + (uint32_t)(1000 * x + 100 * y);
}

static uint32_t inside(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

static uint32_t flat(double x, double y)
{
    (void)x, (void)y;
    return 77;
}

/* One pixel in 500 is extreme. */
static uint32_t spiky(double x, double y)
{
    uint32_t at = (uint32_t)(x * 1013) + (uint32_t)(y * 577) * 1013;
    return at % 500 == 0 ? 4000000000u : slope(x, y);
}

/* By the last segment that begins at or before the place. */
static double searched(const struct curve *curve, double nu)
{
    double s = sqrt(sqrt(nu));
    int i = 0;
    while (i < curve->knots && s >= curve->knot[i])
        i++;
    double t = s - curve->origin[i];
    return curve->c[0][i] + t * (curve->c[1][i] + t * (curve->c[2][i] + t * curve->c[3][i]));
}

TEST(curve_never_falls)
{
    uint64_t seed = 11;
    for (int round = 0; round < 300; round++) {
        struct distribution distribution = {.runs = 0.1 + 4 * check_random_unit(&seed)};
        double level = exp(20 * check_random_unit(&seed)), end = 0;
        for (int i = 0; i < DISTRIBUTION_LEVELS; i++) {
            distribution.level[i] = level;
            if (check_random(&seed) % 4) /* others coincide */
                level += level * pow(check_random_unit(&seed), 9);
            end = level;
        }
        struct curve curve;
        curve_make(&curve, &distribution, distribution.runs, check_random_unit(&seed));
        double begin = distribution.level[0] * 0.9, before = curve_position(&curve, begin);
        for (int i = 1; i <= 3000; i++) {
            double now = curve_position(&curve, begin + (1.1 * end - begin) * i / 3000);
            assert_true(now == searched(&curve, begin + (1.1 * end - begin) * i / 3000));
            if (!(now >= before - 1e-9)) /* rounding of cubics */
                fail_msg("round %d: falls from %.17g to %.17g", round, before, now);
            before = now;
        }
        for (int i = 0; i < DISTRIBUTION_LEVELS; i++) {
            double level_i = distribution.level[i];
            assert_true(curve_position(&curve, level_i) == searched(&curve, level_i));
        }
    }
}

/* Equalised: each level at its rank; as it is: the fourth root. */
TEST(contrast_blends)
{
    struct distribution distribution = spread(10, 1.7);
    struct curve equal, plain, half;
    curve_make(&equal, &distribution, 2, 1);
    curve_make(&plain, &distribution, 2, 0);
    curve_make(&half, &distribution, 2, 0.5);
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++) {
        double nu = distribution.level[i], s = pow(nu, 0.25);
        double low = pow(distribution.level[2], 0.25), high = pow(distribution.level[18], 0.25);
        double root = 2 * (0.03 + 0.94 * (s - low) / (high - low));
        assert_true(fabs(curve_position(&equal, nu) - 2 * distribution_ranks[i]) < 1e-9);
        assert_true(fabs(curve_position(&plain, nu) - root) < 1e-9);
        assert_true(fabs(curve_position(&half, nu) - distribution_ranks[i] - root / 2) < 1e-9);
    }
    assert_true(curve_position(&equal, 1e18) == 2); /* beyond all levels */
    assert_true(fabs(curve_position(&equal, 1)) < 1e-9);
}

/* Twice the size, another shape of memory: the same picture has nearly the same numbers. */
TEST(size_does_not_matter)
{
    struct field small = picture(320, 180, slope), large = picture(1290, 725, slope);
    struct distribution a, b;
    distribution_measure(&a, &small);
    distribution_measure(&b, &large);
    assert_true(fabs(a.runs - b.runs) < 0.05);
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
        assert_true(fabs(a.level[i] - b.level[i]) < 8); /* of 1,100: a pixel of the small one */
    field_destroy(&small);
    field_destroy(&large);
}

TEST(extremes_move_the_ends_only)
{
    struct field field = picture(640, 360, slope), wild = picture(640, 360, spiky);
    struct distribution a, b;
    distribution_measure(&a, &field);
    distribution_measure(&b, &wild);
    for (int i = 0; i < DISTRIBUTION_LEVELS - 1; i++)
        assert_true(fabs(a.level[i] - b.level[i]) < 20);
    field_destroy(&field);
    field_destroy(&wild);
}

TEST(empty_and_flat_pictures)
{
    struct distribution distribution;
    struct curve curve;
    struct field field = picture(64, 64, inside);
    char text[DISTRIBUTION_TEXT_BYTES];
    distribution_measure(&distribution, &field);
    assert_true(distribution.runs == 0);
    distribution_text(&distribution, text);
    assert_string_equal(text, "auto");
    field_destroy(&field);
    field = picture(1, 1, flat);
    distribution_measure(&distribution, &field);
    assert_true(distribution.runs > 0);
    curve_make(&curve, &distribution, distribution.runs, 0.8);
    assert_true(isfinite(curve_position(&curve, 77)) && isfinite(curve_position(&curve, 1)));
    assert_true(curve_position(&curve, 78) >= curve_position(&curve, 77));
    field_destroy(&field);
}

/* All far from the set, but for a part of the middle that is full of it. */
static struct field dense_in_the_middle(double width, double height)
{
    struct field field;
    assert_int_equal(field_create(&field, SUBGRID_WIDTH, SUBGRID_HEIGHT,
                                  PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_DISTANCE, 4),
                     STATUS_OK);
    for (int32_t y = 0; y < field.height; y++)
        for (int32_t x = 0; x < field.width; x++) {
            bool dense = fabs(x + 0.5 - SUBGRID_WIDTH / 2) < width * SUBGRID_WIDTH / 2 &&
                         fabs(y + 0.5 - SUBGRID_HEIGHT / 2) < height * SUBGRID_HEIGHT / 2;
            ((uint32_t *)field_row(&field, PLANE_COUNT, y))[x] = (uint32_t)(100 + x + y);
            ((float *)field_row(&field, PLANE_DISTANCE_X, y))[x] = dense ? 0 : 1e6f;
        }
    return field;
}

/* A small dense middle keeps half of its light, although the mean of the picture is far from dark;
 * single pixels are lines, and as dark as lines are. */
TEST(a_dense_part_is_not_black)
{
    struct distribution distribution;
    struct field field = dense_in_the_middle(0.25, 0.34);
    distribution_measure(&distribution, &field);
    assert_true(fabs(distribution.shade - 0.5) < 1e-3);
    field_destroy(&field);
    field = dense_in_the_middle(0.04, 0.06);
    distribution_measure(&distribution, &field);
    assert_true(distribution.shade == 1);
    field_destroy(&field);
}

/* What was measured is what the text says: no digit is lost on the way. */
TEST(text_brings_it_back)
{
    struct field field = picture(333, 222, slope);
    struct distribution a, b;
    char text[DISTRIBUTION_TEXT_BYTES], again[DISTRIBUTION_TEXT_BYTES];
    distribution_measure(&a, &field);
    distribution_text(&a, text);
    assert_int_equal(distribution_parse(&b, text), STATUS_OK);
    assert_true(distribution_same(&a, &b));
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
        a.level[i] = 18446744073709551615.0 - 1e15 / (i + 1); /* as long as they get */
    a.shade = 0.00001234;
    distribution_text(&a, text);
    assert_int_equal(distribution_parse(&b, text), STATUS_OK);
    distribution_text(&b, again);
    assert_string_equal(text, again);
    field_destroy(&field);
}

TEST(bad_texts_are_refused)
{
    struct distribution distribution;
    char text[4 * DISTRIBUTION_TEXT_BYTES];
    struct distribution good = spread(10, 1.2);
    distribution_text(&good, text);
    assert_int_equal(distribution_parse(&distribution, text), STATUS_OK);
    strcat(text, ",");
    assert_int_equal(distribution_parse(&distribution, text), STATUS_CONFIG);
    strcat(text, "9e9");
    assert_int_equal(distribution_parse(&distribution, text), STATUS_CONFIG);
    good.level[7] = 1; /* falls */
    distribution_text(&good, text);
    assert_int_equal(distribution_parse(&distribution, text), STATUS_CONFIG);
    const char *const bad[] = {"", ",", "1", "1,1", "1,2,3", "-1,0,1", "nan", "0x10,0", "1e999,0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(distribution_parse(&distribution, bad[i]), STATUS_CONFIG);
}

TEST(between_begins_and_ends)
{
    struct distribution a = spread(10, 1.2), b = spread(50, 1.1), none = {.runs = 0};
    struct distribution now = distribution_between(&a, &b, 1);
    assert_true(distribution_same(&now, &b));
    now = distribution_between(&a, &b, 0);
    assert_true(distribution_same(&now, &a));
    now = distribution_between(&none, &b, 0.3);
    assert_true(distribution_same(&now, &b));
    now = distribution_between(&a, &b, 0.5);
    assert_true(fabs(now.level[0] - 30) < 1e-9);
}
