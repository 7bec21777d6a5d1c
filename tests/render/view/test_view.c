/* The exact definition of a pixel, held against MPFR; and numbers of any length. */
#include "render/view/view.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { PRECISION = 512 };

static struct view_numbers numbers_of(const char *re, const char *im, const char *zoom,
                                      double rotation_deg, int32_t width, int32_t height)
{
    struct view view = {0};
    struct view_numbers numbers;
    assert_int_equal(view_set(&view, re, im, zoom, rotation_deg, width, height), STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    view_destroy(&view);
    return numbers;
}

/* c = centre + ((x + 1/2 - W/2) - i (y + 1/2 - H/2)) * 4/(zoom H) * e^(i rotation), as the
 * definition says it, in PRECISION bits. */
static void pixel_exactly(mpfr_t re, mpfr_t im, const char *centre_re, const char *centre_im,
                          const char *zoom, double rotation_deg, int32_t width, int32_t height,
                          int32_t x, int32_t y)
{
    mpfr_t u, v, step, angle, cosine, sine, term;
    mpfr_inits2(PRECISION, u, v, step, angle, cosine, sine, term, (mpfr_ptr)0);
    mpfr_set_d(u, x + 0.5 - width / 2.0, MPFR_RNDN);
    mpfr_set_d(v, -(y + 0.5 - height / 2.0), MPFR_RNDN);
    mpfr_set_str(step, zoom, 10, MPFR_RNDN);
    mpfr_mul_si(step, step, height, MPFR_RNDN);
    mpfr_ui_div(step, 4, step, MPFR_RNDN);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_d(angle, angle, rotation_deg, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 180, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    mpfr_mul(u, u, step, MPFR_RNDN);
    mpfr_mul(v, v, step, MPFR_RNDN);
    mpfr_set_str(re, centre_re, 10, MPFR_RNDN);
    mpfr_set_str(im, centre_im, 10, MPFR_RNDN);
    mpfr_mul(term, u, cosine, MPFR_RNDN), mpfr_add(re, re, term, MPFR_RNDN);
    mpfr_mul(term, v, sine, MPFR_RNDN), mpfr_sub(re, re, term, MPFR_RNDN);
    mpfr_mul(term, u, sine, MPFR_RNDN), mpfr_add(im, im, term, MPFR_RNDN);
    mpfr_mul(term, v, cosine, MPFR_RNDN), mpfr_add(im, im, term, MPFR_RNDN);
    mpfr_clears(u, v, step, angle, cosine, sine, term, (mpfr_ptr)0);
}

/* The same point from the members of a grid, without further rounding. */
static void pixel_of_grid(mpfr_t re, mpfr_t im, const struct grid *grid, int32_t column,
                          int32_t row)
{
    double u = grid->x + column + 0.5 - grid->half_width;
    double v = -(grid->y + row + 0.5 - grid->half_height);
    mpfr_t term;
    mpfr_init2(term, PRECISION);
    mpfr_set_d(re, grid->centre_re, MPFR_RNDN);
    mpfr_add_d(re, re, grid->centre_re_lo, MPFR_RNDN);
    mpfr_set_d(im, grid->centre_im, MPFR_RNDN);
    mpfr_add_d(im, im, grid->centre_im_lo, MPFR_RNDN);
    mpfr_set_d(term, u, MPFR_RNDN), mpfr_mul_d(term, term, grid->step_re, MPFR_RNDN);
    mpfr_add(re, re, term, MPFR_RNDN);
    mpfr_set_d(term, v, MPFR_RNDN), mpfr_mul_d(term, term, grid->step_im, MPFR_RNDN);
    mpfr_sub(re, re, term, MPFR_RNDN);
    mpfr_set_d(term, u, MPFR_RNDN), mpfr_mul_d(term, term, grid->step_im, MPFR_RNDN);
    mpfr_add(im, im, term, MPFR_RNDN);
    mpfr_set_d(term, v, MPFR_RNDN), mpfr_mul_d(term, term, grid->step_re, MPFR_RNDN);
    mpfr_add(im, im, term, MPFR_RNDN);
    mpfr_clear(term);
}

/* Tolerance, in units of the distance from the centre: step, cosine, sine and two products are
 * each rounded once to 2^-53; the centre itself is held in 106 bits. */
static void grid_holds(double rotation_deg, int32_t width, int32_t height)
{
    const char *re = "-0.743643887037158704752191506114774";
    const char *im = "0.131825904205311970493132056385139";
    const char *zoom = "7e9";
    struct view_numbers numbers = numbers_of(re, im, zoom, rotation_deg, width, height);
    double reach = hypot(width, height) / 2 * numbers.step;
    const int32_t at[][2] = {
        {0, 0}, {width - 1, height - 1}, {width / 2, height / 2}, {0, height - 1}};
    mpfr_t want_re, want_im, have_re, have_im;
    mpfr_inits2(PRECISION, want_re, want_im, have_re, have_im, (mpfr_ptr)0);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        /* A tile that starts at the pixel, so that x and y of the grid are tested too. */
        struct grid grid = view_grid(&numbers, at[i][0], at[i][1], 1, 1);
        pixel_exactly(want_re, want_im, re, im, zoom, rotation_deg, width, height, at[i][0],
                      at[i][1]);
        pixel_of_grid(have_re, have_im, &grid, 0, 0);
        mpfr_sub(want_re, want_re, have_re, MPFR_RNDN);
        mpfr_sub(want_im, want_im, have_im, MPFR_RNDN);
        double allowed = 6 * 0x1p-53 * reach + 0x1p-104;
        assert_true(fabs(mpfr_get_d(want_re, MPFR_RNDN)) <= allowed);
        assert_true(fabs(mpfr_get_d(want_im, MPFR_RNDN)) <= allowed);
    }
    mpfr_clears(want_re, want_im, have_re, have_im, (mpfr_ptr)0);
}

TEST(test_pixel_definition)
{
    const int32_t sizes[][2] = {{1, 1}, {2, 2}, {3, 2}, {641, 361}, {640, 360}, {7, 32768}};
    const double angles[] = {0, 90, 180, 270, -90, 360, -360, 30, -45, 359.5, 1e-9};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t a = 0; a < sizeof angles / sizeof *angles; a++)
            grid_holds(angles[a], sizes[s][0], sizes[s][1]);
}

TEST(test_grid_halves_are_exact)
{
    struct view_numbers numbers = numbers_of("0", "0", "1", 0, IMAGE_SIDE_MAX, 3);
    struct grid grid = view_grid(&numbers, 5, 1, 2, 2);
    assert_true(grid.half_width == 1073741823.5);
    assert_true(grid.half_height == 1.5);
    assert_int_equal(grid.x, 5);
    assert_int_equal(grid.y, 1);
    assert_int_equal(grid.width, 2);
    assert_int_equal(grid.height, 2);
}

TEST(test_quarter_turns_are_exact)
{
    const double turns[][3] = {{0, 1, 0},   {90, 0, 1},   {180, -1, 0},  {270, 0, -1},
                               {360, 1, 0}, {-90, 0, -1}, {-180, -1, 0}, {-270, 0, 1}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct view_numbers numbers = numbers_of("0", "0", "1", turns[i][0], 4, 4);
        struct grid grid = view_grid(&numbers, 0, 0, 4, 4);
        assert_true(grid.step_re == numbers.step * turns[i][1]);
        assert_true(grid.step_im == numbers.step * turns[i][2]);
    }
}

TEST(test_rotation_is_counter_clockwise)
{
    /* The pixel right of the centre moves up (to +i) under a quarter turn counter-clockwise. */
    struct view_numbers numbers = numbers_of("0", "0", "1", 90, 3, 3);
    struct grid grid = view_grid(&numbers, 2, 1, 1, 1);
    mpfr_t re, im;
    mpfr_inits2(PRECISION, re, im, (mpfr_ptr)0);
    pixel_of_grid(re, im, &grid, 0, 0);
    assert_true(mpfr_get_d(re, MPFR_RNDN) == 0);
    assert_true(mpfr_get_d(im, MPFR_RNDN) == numbers.step);
    mpfr_clears(re, im, (mpfr_ptr)0);
}

TEST(test_step_beyond_doubles)
{
    struct view_numbers deep = numbers_of("0", "0", "1e1000000", 0, 100, 100);
    assert_true(deep.step == 0);
    /* 2 - 1e6 log2(10) - log2(100), to a double's accuracy at 3.3e6. */
    double expected = 2 - 1e6 * 3.32192809488736234787 - 6.64385618977472469574;
    assert_true(fabs(deep.log2_step - expected) < 1e-8);
    assert_true(fabs(log2(deep.step_re) + deep.exponent - expected) < 1e-8);
    assert_true(deep.step_re >= 1 && deep.step_re < 2.001);
    assert_true(view_grid(&deep, 0, 0, 1, 1).step_re == 0);

    struct view_numbers turned = numbers_of("0", "0", "1e300", 90, 100, 100);
    assert_true(turned.step_re == 0 && ldexp(turned.step_im, turned.exponent) == turned.step);
    assert_int_equal(numbers_of("0", "0", "1e292", 0, 100, 100).exponent, 0);

    struct view_numbers wide = numbers_of("0", "0", "1e-6", 0, 3, 4);
    assert_true(wide.step == 1e6);
    assert_true(fabs(wide.log2_step - log2(1e6)) < 1e-12);

    struct view_numbers plain = numbers_of("0", "0", "1", 0, 3, 3);
    assert_true(plain.step == 4.0 / 3.0);
}

TEST(test_centre_keeps_106_bits)
{
    struct view_numbers numbers =
        numbers_of("0.1000000000000000000000000000001", "-0.1", "1", 0, 1, 1);
    assert_true(numbers.centre_re == 0.1);
    /* 0.1 as a double is 0.1 + 5.551115123125783e-18. */
    assert_true(fabs(numbers.centre_re_lo + 5.551115123125683e-18) < 1e-32);
    assert_true(numbers.centre_im == -0.1);
    assert_true(fabs(numbers.centre_im_lo - 5.551115123125783e-18) < 1e-32);
}

/* Whether a text of 100,000 digits lies above the middle between two doubles may stand in its last
 * one; and what follows a double may begin after hundreds of zeros. */
TEST(test_the_last_digit_counts)
{
    static const char middle[] = "0.500000000000000055511151231257827021181583404541015625";
    enum { DIGITS = 100000 };
    char *text = malloc(DIGITS + 1);
    assert_non_null(text);
    memset(text, '0', DIGITS);
    text[DIGITS] = '\0';
    memcpy(text, middle, sizeof middle - 1);
    struct view_numbers numbers = numbers_of(text, "0", "1", 0, 1, 1);
    assert_true(numbers.centre_re == 0.5 && numbers.centre_re_lo == 0x1p-54);
    text[DIGITS - 1] = '1';
    numbers = numbers_of(text, "-1e-1000", "1", 0, 1, 1);
    assert_true(numbers.centre_re == 0.5 + 0x1p-53 && numbers.centre_re_lo == -0x1p-54);
    assert_true(numbers.centre_im == 0 && numbers.centre_im_lo == 0);
    memset(text + 3, '0', sizeof middle - 4);
    text[2 + 249] = '1';
    numbers = numbers_of(text, "0", "1", 0, 1, 1);
    assert_true(numbers.centre_re == 0.5 && numbers.centre_re_lo == 1e-250);
    free(text);
}

TEST(test_long_numbers_are_kept)
{
    char *text = malloc(60003);
    assert_non_null(text);
    memcpy(text, "0.", 2);
    for (int i = 2; i < 60002; i++)
        text[i] = (char)('0' + (i * 7 + i / 13) % 10);
    text[60002] = '\0';
    struct view view = {0};
    assert_int_equal(view_set(&view, text, "0", "1e100000", 0, 1, 1), STATUS_OK);
    assert_string_equal(view.re, text);
    struct view_numbers numbers;
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    assert_true(numbers.centre_re == strtod(text, NULL));
    view_destroy(&view);
    free(text);
}

TEST(test_number_grammar)
{
    const char *good[] = {"0", "-0", "+1.5", "007", "1e10", "1E-10", "1.25e+00000001000000"};
    const char *bad[] = {"",
                         "-",
                         ".5",
                         "5.",
                         "1e",
                         "1e+",
                         "1.2.3",
                         " 1",
                         "1 ",
                         "nan",
                         "inf",
                         "0x10",
                         "1,5",
                         "1e1000001",
                         "--1",
                         "1e99999999999999999",
                         "1e0000000000000000001",
                         "1\n",
                         "1_0",
                         "1e1.5",
                         "\x80",
                         "1e-1000001"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(number_check(good[i], "re"), STATUS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(number_check(bad[i], "re"), STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), "re "));
    }
}

TEST(test_digit_limit)
{
    char *text = malloc(NUMBER_DIGITS_MAX + 2);
    assert_non_null(text);
    memset(text, '1', NUMBER_DIGITS_MAX + 1);
    text[NUMBER_DIGITS_MAX + 1] = '\0';
    assert_int_equal(number_check(text, "re"), STATUS_BAD_DATA);
    text[NUMBER_DIGITS_MAX] = '\0';
    assert_int_equal(number_check(text, "re"), STATUS_OK);
    assert_int_equal(number_digits(text), NUMBER_DIGITS_MAX);
    assert_int_equal(number_digits("-0.00120e5"), 3);
    assert_int_equal(number_digits("0"), 1);
    free(text);
}

static void refused(const char *re, const char *zoom, double rotation_deg, int32_t width,
                    const char *says)
{
    struct view view = {0};
    assert_int_equal(view_set(&view, "0.25", "0", "2", 0, 8, 8), STATUS_OK);
    assert_int_equal(view_set(&view, re, "0", zoom, rotation_deg, width, 8), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), says));
    assert_string_equal(view.re, "0.25"); /* as it was */
    assert_string_equal(view.zoom, "2");
    view_destroy(&view);
}

TEST(test_views_that_cannot_be)
{
    refused("1000001", "1", 0, 8, "re lies beyond");
    refused("1e1000000", "1", 0, 8, "re lies beyond");
    char long_text[400] = "-1000000.";
    memset(long_text + 9, '0', 380);
    struct view view = {0};
    assert_int_equal(view_set(&view, long_text, "0", "1", 0, 8, 8), STATUS_OK);
    view_destroy(&view);
    long_text[388] = '1';
    refused(long_text, "1", 0, 8, "re lies beyond");
    refused("0", "0", 0, 8, "zoom must be greater than 0");
    refused("0", "-1", 0, 8, "zoom must be greater than 0");
    refused("0", "9e-7", 0, 8, "zoom is below");
    refused("0", "1", 360.5, 8, "rotation");
    refused("0", "1", NAN, 8, "rotation");
    refused("0", "1", 0, 0, "size 0 x 8");
    refused("0", "1", 0, -1, "size");
}

/* Differences of centres at any depth: rounded once, of texts of any length. */
TEST(centres_lie_apart)
{
    struct view a = {0}, b = {0};
    double re, im;
    assert_int_equal(view_set(&a, "1.5", "-0.25", "1", 0, 10, 10), STATUS_OK);
    assert_int_equal(view_set(&b, "1.25", "0", "1", 0, 10, 10), STATUS_OK);
    view_apart(&a, &b, -2, &re, &im);
    assert_true(re == 1 && im == -1);
    view_apart(&b, &a, 0, &re, &im);
    assert_true(re == -0.25 && im == 0.25);
    char text[1200] = "1.25";
    memset(text + 4, '0', 996);
    memcpy(text + 1000, "3", 2); /* 3e-999 more */
    assert_int_equal(view_set(&a, text, "0", "1e990", 0, 10, 10), STATUS_OK);
    view_apart(&a, &b, -3300, &re, &im);
    assert_true(im == 0 && fabs(log2(re) - (log2(3) - 999 * log2(10) + 3300)) < 1e-9);
    view_apart(&b, &a, -3300, &im, &re);
    assert_true(im < 0 && re == 0);
    view_destroy(&a);
    view_destroy(&b);
}
