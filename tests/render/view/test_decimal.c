/* Decimal numbers of any length, held against MPFR with bits to spare. */
#include "render/view/decimal.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { BITS = 4000, ROUNDS = 3000, TEXT_BYTES = 512 };

/* What is read, rounded and written again. */
static void written(const char *text, long places, const char *expected)
{
    struct decimal decimal;
    assert_true(decimal_open(&decimal, text, places));
    char *again = decimal_text(&decimal);
    assert_string_equal(again, expected);
    free(again);
    decimal_close(&decimal);
}

TEST(test_all_forms_of_numbers)
{
    static const struct {
        const char *text;
        long places;
        const char *expected;
    } rows[] = {
        {"0", 0, "0"},
        {"-0.000", 2, "0"},
        {"+1.50", 3, "1.5"},
        {"-12e-1", 1, "-1.2"},
        {"00012.5E+2", 0, "1250"},
        {"123456.789", 1, "123456.8"},
        {"0.05", 1, "0.1"},
        {"0.049999", 1, "0"},
        {"-0.95", 1, "-1"},
        {"9999.9996", 3, "10000"},
        {"1e-5", 4, "0"},
        {"0.5e-4", 4, "0.0001"},
        {"1e-40", 45, "1e-40"},
        {"-123e-42", 41, "-1.2e-40"},
        {"0.00001", 9, "0.00001"},
        {"0.000009", 9, "9e-6"},
        {"5e20", 3, "500000000000000000000"},
        {"-5e21", 0, "-5e21"},
        {"1234567890e13", 0, "1.23456789e22"},
        {"7e-1000000", 3, "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        written(rows[i].text, rows[i].places, rows[i].expected);
    assert_int_equal(decimal_places("-12.345e-7"), 10);
    assert_int_equal(decimal_places("12.345e7"), 0);
    assert_int_equal(decimal_places("12"), 0);
}

static void number_make(uint64_t *seed, char *text)
{
    /* Few different digits, so that carries run far. */
    static const char *const kinds[] = {"0123456789", "09", "99999999998", "00000000001"};
    const char *kind = kinds[check_random(seed) % 4];
    char *at = text;
    if (check_random(seed) % 2)
        *at++ = '-';
    for (long i = 1 + (long)(check_random(seed) % 6); i > 0; i--)
        *at++ = kind[check_random(seed) % strlen(kind)];
    *at++ = '.';
    for (long i = 1 + (long)(check_random(seed) % 200); i > 0; i--)
        *at++ = kind[check_random(seed) % strlen(kind)];
    *at = '\0';
    if (check_random(seed) % 2)
        sprintf(at, "e%d", (int)(check_random(seed) % 60) - 59);
}

/* |decimal - expected| <= most 10^-places */
static void assert_near(const struct decimal *decimal, mpfr_srcptr expected, double most)
{
    mpfr_t error, unit;
    mpfr_inits2(BITS, error, unit, (mpfr_ptr)0);
    char *text = decimal_text(decimal);
    mpfr_set_str(error, text, 10, MPFR_RNDN);
    mpfr_sub(error, error, expected, MPFR_RNDN);
    mpfr_ui_pow_ui(unit, 10, (unsigned long)decimal->places, MPFR_RNDN);
    mpfr_mul(error, error, unit, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    if (mpfr_cmp_d(error, most) > 0)
        fail_msg("%s is %g places away", text, mpfr_get_d(error, MPFR_RNDN));
    free(text);
    mpfr_clears(error, unit, (mpfr_ptr)0);
}

TEST(test_roundings_are_to_the_nearest)
{
    uint64_t seed = 3;
    mpfr_t number;
    mpfr_init2(number, BITS);
    for (int round = 0; round < ROUNDS; round++) {
        char text[TEXT_BYTES];
        struct decimal decimal;
        number_make(&seed, text);
        mpfr_set_str(number, text, 10, MPFR_RNDN);
        assert_true(decimal_open(&decimal, text, decimal_places(text)));
        assert_near(&decimal, number, 1e-9);
        decimal_round(&decimal, (long)(check_random(&seed) % 250));
        assert_near(&decimal, number, 0.5 + 1e-9);
        decimal_close(&decimal);
    }
    mpfr_clear(number);
}

TEST(test_sums_and_differences_are_exact)
{
    uint64_t seed = 7;
    mpfr_t a, b, short_b, difference;
    mpfr_inits2(BITS, a, b, (mpfr_ptr)0);
    mpfr_inits2(192, short_b, difference, (mpfr_ptr)0);
    for (int round = 0; round < ROUNDS; round++) {
        char first[TEXT_BYTES], second[TEXT_BYTES];
        struct decimal decimal, other;
        number_make(&seed, first);
        number_make(&seed, second);
        if (round % 8 == 0) /* -x and x, and x and x */
            strcpy(second + (*second == '-'), first + (*first == '-'));
        long places = 300 - (long)(check_random(&seed) % 280);
        assert_true(decimal_open(&decimal, first, 300) && decimal_open(&other, second, 300));
        mpfr_set_str(a, first, 10, MPFR_RNDN);
        mpfr_set_str(b, second, 10, MPFR_RNDN);
        mpfr_sub(a, a, b, MPFR_RNDN);
        decimal_subtract(&decimal, &other);
        assert_near(&decimal, a, 1e-9);
        decimal_get(difference, &decimal);
        mpfr_sub(b, a, difference, MPFR_RNDN); /* as exact as 192 bits are */
        assert_true(mpfr_zero_p(a) ? mpfr_zero_p(difference)
                                   : mpfr_get_exp(b) < mpfr_get_exp(a) - 191 || mpfr_zero_p(b));
        decimal_close(&decimal);
        decimal_close(&other);

        /* What is added has 60 digits, of which those beyond the places are cut off. */
        assert_true(decimal_open(&decimal, first, places));
        mpfr_set_str(short_b, second, 10, MPFR_RNDN);
        mpfr_set_str(a, first, 10, MPFR_RNDN);
        mpfr_add(a, a, short_b, MPFR_RNDN);
        decimal_add(&decimal, short_b);
        double lost = exp2((double)mpfr_get_exp(short_b)) * pow(10, (double)places - 59);
        assert_near(&decimal, a, 1.5 + (mpfr_zero_p(short_b) ? 0 : lost));
        decimal_close(&decimal);
    }
    mpfr_clears(a, b, short_b, difference, (mpfr_ptr)0);
}
