/* Numbers in texts: what is one, where it ends, and the shortest text that reads back. */
#include "tests/support/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"

TEST(real_numbers_are_read_to_their_end)
{
    static const struct {
        const char *text;
        double number;
        const char *rest;
    } rows[] = {
        {"0.5", 0.5, ""}, {"-12e3,4", -12000, ",4"}, {"+.25@", 0.25, "@"}, {"5.", 5, ""},
        {"1e", 1, "e"},   {"1e400", INFINITY, ""},   {"00x1", 0, "x1"},    {"1e-400", 0, ""},
        {"3 4", 3, " 4"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = rows[i].text;
        double number = NAN;
        assert_true(number_real_take(&at, &number));
        assert_true(number == rows[i].number && number_real(rows[i].text) == number);
        assert_string_equal(at, rows[i].rest);
    }
}

TEST(what_is_no_number_leaves_all_as_it_was)
{
    static const char *const texts[] = {"",  " 1", "x",   "inf", "nan", "0x10", "-0X1",
                                        ".", "-",  "+-1", "e5",  "--1", ".e1",  "-.x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = texts[i];
        double number = 7;
        assert_false(number_real_take(&at, &number));
        assert_true(at == texts[i] && number == 7 && number_real(texts[i]) == 0);
    }
}

TEST(whole_numbers_end_at_the_range)
{
    static const struct {
        const char *text;
        int64_t number;
        const char *rest;
    } rows[] = {{"12", 12, ""},
                {"-5kB", -5, "kB"},
                {"+007d", 7, "d"},
                {"9223372036854775807", INT64_MAX, ""},
                {"99999999999999999999", INT64_MAX, ""},
                {"-99999999999999999999", INT64_MIN, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = rows[i].text;
        int64_t number = 0;
        assert_true(number_whole_take(&at, &number));
        assert_true(number == rows[i].number && number_whole(rows[i].text) == number);
        assert_string_equal(at, rows[i].rest);
    }
    for (const char *text = "x-", *at = text; *text; at = ++text) {
        int64_t number = 7;
        assert_false(number_whole_take(&at, &number));
        assert_true(at == text && number == 7);
    }
}

TEST(the_shortest_text_reads_back)
{
    char text[NUMBER_TEXT_BYTES];
    assert_string_equal(number_shortest(0.6, 15, text), "0.6");
    assert_string_equal(number_shortest(0.1 + 0.2, 15, text), "0.30000000000000004");
    assert_string_equal(number_shortest(100, 1, text), "1e+02");
    assert_string_equal(number_shortest(100, 6, text), "100");
    srand48(1);
    for (int i = 0; i < 100000; i++) {
        double number = ldexp(drand48() - 0.5, (int)(mrand48() % 1000));
        assert_true(number_real(number_shortest(number, 1 + i % 17, text)) == number);
    }
}
