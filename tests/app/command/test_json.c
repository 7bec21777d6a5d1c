/* JSON that every reader takes, whatever the names of files contain; and the figures in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/disk/json.h"
#include "app/report/progress.h"
#include "library/output/outcome.h"
#include "tests/support/check.h"

static char *written;
static size_t written_length;

static struct json begin(void)
{
    struct json json = {.stream = open_memstream(&written, &written_length)};
    assert_non_null(json.stream);
    return json;
}

static void is(struct json *json, const char *expected)
{
    assert_int_equal(fclose(json->stream), 0);
    assert_string_equal(written, expected);
    free(written);
}

TEST(test_structure)
{
    struct json json = begin();
    json_open(&json, NULL, '{');
    json_integer(&json, "a", INT64_MIN);
    json_count(&json, "b", UINT64_MAX);
    json_open(&json, "c", '[');
    json_open(&json, NULL, '{');
    json_close(&json);
    json_boolean(&json, NULL, true);
    json_open(&json, NULL, '[');
    json_close(&json);
    json_close(&json);
    json_hex(&json, "d", 0xabc);
    json_text(&json, "e", NULL);
    assert_int_equal(json_end(&json), STATUS_OK);
    is(&json, "{\"a\":-9223372036854775808,\"b\":18446744073709551615,\"c\":[{},true,[]],"
              "\"d\":\"0000000000000abc\",\"e\":null}");
}

/* The same calls, for people. */
TEST(test_people_get_lines_and_tables)
{
    static const struct json_column columns[] = {{"n", "no", 3, 0, 0},
                                                 {"half", "half", 6, 1, 0.5},
                                                 {"set", "set", -4, 0, 0},
                                                 {"why", "", 0, 0, 0}};
    static const struct json_table table = {"rows", "rows of two", columns, 4};
    struct json json = begin();
    json.table = &table;
    json.tables = 1;
    json_open(&json, NULL, '{');
    json_text(&json, "who", "me");
    json_open(&json, "words", '[');
    json_text(&json, NULL, "a");
    json_text(&json, NULL, "b");
    json_close(&json);
    json_open(&json, "rows", '[');
    for (int i = 1; i <= 2; i++) {
        json_open(&json, NULL, '{');
        json_integer(&json, "n", i);
        json_real(&json, "half", i == 1 ? 7 : NAN);
        json_open(&json, "set", '[');
        for (int k = 0; k < i; k++)
            json_integer(&json, NULL, k);
        json_close(&json);
        json_text(&json, "why", i == 1 ? NULL : "so");
        json_boolean(&json, "hidden", true);
        json_close(&json);
    }
    json_close(&json);
    json_boolean(&json, "done", true);
    assert_int_equal(json_end(&json), STATUS_OK);
    is(&json, "who            me\nwords          a b\nrows of two\n"
              "   no   half set  \n    1    3.5 0   \n    2      - 0,1  so\ndone           yes\n");
}

static void found(const char *json, const char *expected)
{
    char *text = json_text_find(json, "view");
    if (expected)
        assert_string_equal(text, expected);
    else
        assert_null(text);
    free(text);
}

TEST(test_finds_a_text)
{
    found("{\"a\":[{\"view\":\"no\"},\"view\"],\"b\":\"view\",\n \"view\" : \"yes\"}", "yes");
    found("{\"x\":\"}]\\\"\",\"view\":\"a\\n\\\"b\\\"\\\\\\/\\u0041\\u20ac\"}",
          "a\n\"b\"\\/A\xe2\x82\xac");
    found("{\"view\":\"\\\\n\"}", "\\n");
    found("{\"view\":\"a\\u0000b\"}", NULL);
    found("{\"view\":null}", NULL);
    found("{\"view\":\"without end", NULL);
    found("{\"view\":\"\\", NULL);
    found("{\"view\":\"\\u12\"}", NULL);
    found("[\"view\",\"x\"]", NULL);
    found("\"view\":\"x\"", NULL);
    found("", NULL);
}

static void escaped(const char *text, const char *expected)
{
    struct json json = begin();
    json_text(&json, NULL, text);
    is(&json, expected);
}

TEST(test_escapes)
{
    escaped("", "\"\"");
    escaped("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    escaped("\n\t\r\x01\x1f\x7f", "\"\\n\\t\\r\\u0001\\u001f\x7f\"");
    escaped("\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x80\"");
}

TEST(test_bytes_that_are_no_utf8)
{
    escaped("\xff", "\"\xef\xbf\xbd\"");
    escaped("a\xc3", "\"a\xef\xbf\xbd\"");
    escaped("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 /* overlong */
    escaped("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* a surrogate */
    escaped("\xf4\x90\x80\x80",
            "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* beyond U+10FFFF */
    escaped("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    escaped("\xf0\x9f\x8c", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* What is added from a text has its digits and its order. */
TEST(test_members_are_copied_as_they_were_read)
{
    static const char text[] = "{\"b\":0.1,\"n\":18446744073709551615,\"x\":null,\"a\":[1e-7,{}]}";
    static const char *const but[] = {"b", NULL};
    struct json_object *object = json_read(text);
    struct json json = begin();
    json_open(&json, NULL, '{');
    json_text(&json, "first", "é");
    json_add_members(&json, object, but);
    json_add(&json, "again", json_member(object, "b"));
    json_free(object);
    assert_int_equal(json_end(&json), STATUS_OK);
    is(&json, "{\"first\":\"é\",\"n\":18446744073709551615,\"x\":null,\"a\":[1e-7,{}],"
              "\"again\":0.1}");
}

TEST(test_values_are_read)
{
    struct json_object *object =
        json_read("{\"t\":\"a\",\"i\":-3,\"r\":0.5,\"b\":true,\"l\":[\"x\",7],\"z\":null}");
    struct json_object *list = json_member(object, "l");
    assert_string_equal(json_text_of(object, "t"), "a");
    assert_true(json_integer_of(object, "i") == -3 && json_real_of(object, "i") == -3);
    assert_true(json_real_of(object, "r") == 0.5 && json_boolean_of(object, "b"));
    assert_int_equal(json_length(list), 2);
    assert_string_equal(json_element_text(list, 0), "x");
    assert_null(json_element_text(list, 1));
    assert_null(json_element(list, 2));
    /* Of another type, null, or not there. */
    assert_null(json_text_of(object, "i"));
    assert_true(json_integer_of(object, "t") == 0 && !json_boolean_of(object, "z"));
    assert_true(isnan(json_real_of(object, "z")) && isnan(json_real_of(object, "none")));
    assert_int_equal(json_length(json_member(object, "none")), 0);
    json_free(object);
    assert_null(json_read("{\"open\":"));
}

static void real(double value, const char *expected)
{
    struct json json = begin();
    json_real(&json, NULL, value);
    is(&json, expected);
}

TEST(test_reals_read_back_equal)
{
    real(0.1, "0.1");
    real(1.0 / 3, "0.33333333333333331");
    real(1e300, "1e+300");
    real(-0.0, "-0");
    real(NAN, "null");
    real(INFINITY, "null");
    uint64_t seed = 1;
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = check_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        struct json json = begin();
        json_real(&json, NULL, value);
        fclose(json.stream);
        assert_true(!isfinite(value) ? !strcmp(written, "null") : strtod(written, NULL) == value);
        free(written);
    }
}

TEST(test_balance)
{
    struct job_rank ranks[] = {{.computes = 0, .busy_s = 100},
                               {.computes = 1, .busy_s = 1},
                               {.computes = 1, .busy_s = 4},
                               {.computes = 1, .busy_s = 1}};
    assert_true(outcome_balance(ranks, 4) == 0.5);
    assert_true(outcome_balance(ranks, 1) == 0);
    assert_true(outcome_balance(ranks, 2) == 1);
}

TEST(test_progress_line)
{
    char text[128];
    deepfield_progress job = {.count = 25, .of = 100, .iterations = 5000000000, .stage_seconds = 2};
    progress_line(&job, text, sizeof text);
    assert_string_equal(text, " 25 %  2.50 G iterations/s  6 s left");
    progress_line(&(deepfield_progress){.of = 100}, text, sizeof text);
    assert_string_equal(text, "  0 %  0.00 G iterations/s  ? left");
    job.stage_seconds = 4000;
    progress_line(&job, text, sizeof text);
    assert_non_null(strstr(text, "3.3 h left"));
}

TEST(test_progress_styles)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    struct progress lines = {.stream = stream, .style = PROGRESS_LINES};
    for (int tenth = 1; tenth <= 255; tenth++)
        progress_stage(&lines, &(deepfield_progress){
                                   .stage = "pixels", .of = 1, .stage_seconds = tenth * 0.1});
    progress_end(&lines);
    fflush(stream);
    int count = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        count++;
    assert_int_equal(count, 2); /* at 10 and 20 s */
    assert_null(strchr(text, '\r'));
    fclose(stream);
    free(text);
    assert_int_equal(progress_style_choose(true), PROGRESS_NONE);
    setenv("TERM", "dumb", 1);
    assert_int_equal(progress_style_choose(false), PROGRESS_LINES);
}
