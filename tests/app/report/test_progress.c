/* What a person at a terminal, and the log of a batch system, get to see. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/estimate_text.h"
#include "app/report/progress.h"
#include "tests/support/check.h"

static deepfield_progress prepared(const char *stage, int64_t done, int64_t most, double seconds)
{
    return (deepfield_progress){
        .stage = stage, .count = (uint64_t)done, .of = (uint64_t)most, .stage_seconds = seconds};
}

static void assert_prepare(deepfield_progress now, const char *wanted)
{
    char line[160];
    progress_prepare_line(&now, line, sizeof line);
    assert_string_equal(line, wanted);
}

TEST(test_lines)
{
    assert_prepare(prepared("orbit", 1000000, 5000000, 0.5),
                   "orbit: 1000000 steps in 0 s, 2 M/s; at most 5000000");
    assert_prepare(prepared("orbit", 0, 5000000, 0),
                   "orbit: 0 steps in 0 s, 0 M/s; at most 5000000");
    assert_prepare(prepared("orbit", 1200000000, INT64_MAX, 1200),
                   "orbit: 1200000000 steps in 20 min, 1 M/s; at most 9223372036854775807");
    assert_prepare(prepared("blocks", 42, 100, 420), "blocks: 42 %, 10 min left");
    assert_prepare(prepared("blocks", 1, 10, 1000), "blocks: 10 %, 2.5 h left");
    deepfield_progress job = {
        .stage = "pixels", .count = 25, .of = 100, .iterations = 3000000000u, .stage_seconds = 2};
    char line[128];
    progress_line(&job, line, sizeof line);
    assert_string_equal(line, " 25 %  1.50 G iterations/s  6 s left");
    job.samples = 16;
    progress_line(&job, line, sizeof line);
    assert_string_equal(line, " 25 %  16 samples  1.50 G iterations/s  6 s left");
    job.samples = 1;
    progress_line(&job, line, sizeof line);
    assert_string_equal(line, " 25 %  1 sample  1.50 G iterations/s  6 s left");
    job.samples = -16;
    progress_line(&job, line, sizeof line);
    assert_string_equal(line, " 25 %  up to 16 samples  1.50 G iterations/s  6 s left");
}

/* An orbit of 25 s, blocks of 0.3 s, a job of 12 s. */
static char *shown(enum progress_style style)
{
    char *text = NULL;
    size_t length = 0;
    struct progress progress = {.stream = open_memstream(&text, &length), .style = style};
    deepfield_progress now;
    for (int i = 0; i <= 200; i++) {
        now = prepared("orbit", i * 1250, 1000000, i / 8.0);
        progress_stage(&progress, &now);
    }
    for (int i = 0; i <= 3; i++) {
        now = prepared("blocks", i, 3, i / 8.0);
        progress_stage(&progress, &now);
    }
    for (int i = 1; i <= 12; i++) {
        now = prepared("pixels", i, 12, i);
        progress_stage(&progress, &now);
    }
    progress_end(&progress);
    fclose(progress.stream);
    return text;
}

static int count(const char *text, const char *part)
{
    int found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found;
}

TEST(test_log)
{
    char *text = shown(PROGRESS_LINES);
    assert_string_equal(text, "orbit: 100000 steps in 10 s, 0.01 M/s; at most 1000000\n"
                              "orbit: 200000 steps in 20 s, 0.01 M/s; at most 1000000\n"
                              " 83 %  0.00 G iterations/s  2 s left\n");
    free(text);
}

/* One line that is written over, and gone at the end. */
TEST(test_terminal)
{
    char *text = shown(PROGRESS_LIVE);
    assert_int_equal(count(text, "\n"), 0);
    assert_true(count(text, "\rorbit: ") > 100);
    assert_int_equal(count(text, "\rblocks: "), 3);
    assert_int_equal(count(text, " %  0.00 G iterations/s"), 12);
    assert_int_equal(count(text, "\r"), count(text, "\033[K"));
    assert_string_equal(text + strlen(text) - 4, "\r\033[K");
    free(text);
    text = shown(PROGRESS_NONE);
    assert_string_equal(text, "");
    free(text);
}
TEST(ranges_are_said_in_units_of_their_size)
{
    static const struct {
        double least, most;
        const char *text;
    } cases[] = {
        {0.1, 0.8, "less than 1 s"},
        {2, 3.04, "about 2 to 3 s"},
        {3, 3, "about 3 s"},
        {40, 130, "about 40 to 130 s"},
        {240, 360, "about 4 to 6 min"},
        {3600 * 2.04, 3600 * 3.5, "about 2 to 3.5 h"},
        {86400 * 15, 86400 * 111, "about 15 to 110 days"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80];
        estimate_text(cases[i].least, cases[i].most, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    char text[80];
    estimate_text(2, INFINITY, text, sizeof text);
    assert_string_equal(text, "at least 2 s");
}
