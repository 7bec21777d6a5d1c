/* Centres and zooms from corners, heights and hexadecimal numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/frame.h"
#include "render/view/view.h"
#include "tests/support/check.h"

TEST(test_upright_corners)
{
    struct frame frame;
    const char *const corner[6] = {"-2.5", "1.5", "-1.5", "1.5"};
    assert_int_equal(frame_of_corners(&frame, corner), STATUS_OK);
    assert_string_equal(frame.re, "-0.5");
    assert_string_equal(frame.im, "0");
    assert_true(fabs(strtod(frame.zoom, NULL) - 4.0 / 3) < 1e-15);
    assert_true(frame.rotation_deg == 0);
    assert_true(fabs(frame.aspect - 4.0 / 3) < 1e-15 && fabs(frame.corner_deg - 90) < 1e-12);
    frame_destroy(&frame);
}

/* The middle is exact to the last of any number of digits, and one more. */
TEST(test_the_middle_of_deep_corners)
{
    enum { DIGITS = 5000 };
    static char left[DIGITS + 8], right[DIGITS + 8], wanted[DIGITS + 8];
    uint64_t seed = 11;
    for (int i = 0; i < DIGITS; i++)
        left[i] = right[i] = wanted[i] = (char)('0' + check_random(&seed) % 10);
    memcpy(left, "-0.", 3);
    memcpy(right, "-0.", 3);
    memcpy(wanted, "-0.7", 4);
    left[3] = right[3] = '7';
    memcpy(left + DIGITS - 1, "2", 2);
    memcpy(right + DIGITS - 1, "1", 2);
    memcpy(wanted + DIGITS - 1, "15", 3);
    struct frame frame;
    const char *const corner[6] = {left, right, "0", "1e-4997"};
    assert_int_equal(frame_of_corners(&frame, corner), STATUS_OK);
    assert_string_equal(frame.re, wanted);
    assert_string_equal(frame.im, "5e-4998");
    assert_string_equal(frame.zoom, "4e4997");
    frame_destroy(&frame);
}

/* A frame of 4 x 3 about 1 + i whose left side leans to the left by 30 degrees. */
TEST(test_turned_corners)
{
    struct frame frame;
    const double cosine = sqrt(0.75), sine = 0.5;
    const double x[] = {-2, 2, -2}, y[] = {1.5, -1.5, -1.5};
    char text[6][40];
    const char *const corner[6] = {text[0], text[1], text[2], text[3], text[4], text[5]};
    double re[3], im[3];
    for (int i = 0; i < 3; i++) {
        re[i] = 1 + x[i] * cosine - y[i] * sine;
        im[i] = 1 + x[i] * sine + y[i] * cosine;
    }
    const double number[] = {re[0], re[1], im[1], im[0], re[2], im[2]};
    for (int i = 0; i < 6; i++)
        snprintf(text[i], sizeof text[i], "%.17g", number[i]);
    assert_int_equal(frame_of_corners(&frame, corner), STATUS_OK);
    assert_true(fabs(frame.rotation_deg - 30) < 1e-12); /* roundings of the corners */
    assert_true(fabs(strtod(frame.zoom, NULL) - 4.0 / 3) < 1e-14);
    assert_true(fabs(strtod(frame.re, NULL) - 1) < 1e-14);
    assert_true(fabs(frame.corner_deg - 90) < 1e-12);
    frame_destroy(&frame);
}

TEST(test_products_and_quotients)
{
    char *text;
    assert_int_equal(frame_product(2, "3.5e400", &text), STATUS_OK);
    assert_string_equal(text, "7e400");
    free(text);
    assert_int_equal(frame_quotient(4, "1e-3000", &text), STATUS_OK);
    assert_string_equal(text, "4e3000");
    free(text);
    assert_int_equal(frame_quotient(4, "0", &text), STATUS_BAD_DATA);
    assert_int_equal(frame_product(2, "-1", &text), STATUS_BAD_DATA);
    assert_int_equal(frame_product(2, "1x", &text), STATUS_BAD_DATA);
}

TEST(test_hexadecimal_numbers)
{
    static const char *const cases[][2] = {{"-1.c", "-1.75"},
                                           {"0.8", "0.5"},
                                           {"+A.8", "10.5"},
                                           {"0", "0"},
                                           {"-0.0", "0"},
                                           {"1@-2", "0.00390625"},
                                           {"0.0000000000000001", "5.42101086242752217e-20"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        assert_int_equal(frame_hexadecimal(cases[i][0], &text), STATUS_OK);
        assert_int_equal(number_check(text, "it"), STATUS_OK);
        double wanted = strtod(cases[i][1], NULL);
        assert_true(fabs(strtod(text, NULL) - wanted) <= 1e-15 * fabs(wanted)); /* of a double */
        if (strlen(cases[i][1]) < 12)
            assert_string_equal(text, cases[i][1]);
        free(text);
    }
    static const char *const wrong[] = {"",  "-",  "0x1", "1.8p3",     "1 2",
                                        "g", "1@", "1@-", "1@9000000", "."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text;
        assert_int_equal(frame_hexadecimal(wrong[i], &text), STATUS_BAD_DATA);
        assert_null(text);
    }
    char *text; /* beyond what a long holds */
    assert_int_equal(frame_hexadecimal("1@-99999999999999999999", &text), STATUS_BAD_DATA);
}

TEST(test_frames_without_a_size)
{
    static const char *const cases[][6] = {
        {"0", "1", "2", "2"},         {"0", "0", "1", "2"},        {"0", "1", "x", "2"},
        {"0", "1", "1e-900000", "2"}, {"0", "1e999999", "0", "1"}, {"", "1", "0", "1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame frame;
        assert_int_equal(frame_of_corners(&frame, cases[i]), STATUS_BAD_DATA);
        assert_null(frame.re);
    }
}
