/* The report of bench scaling: its forecast, its parts of the time, and a page that needs nothing
 * else and in which no name is read as HTML. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/scaling_report.h"
#include "app/report/markup.h"
#include "tests/support/check.h"

static const struct scaling_row one = {.view = "a <view> & \"more\"",
                                       .width = 640,
                                       .height = 360,
                                       .limit = 500,
                                       .devices = 1,
                                       .seconds = 0.5,
                                       .compute_s = 0.4,
                                       .mean_s = 0.4,
                                       .iterations = 2000000000,
                                       .tiles = 12};

static struct scaling_row row_of(int devices, double seconds, double compute_s, double mean_s)
{
    struct scaling_row row = one;
    row.devices = devices;
    row.seconds = seconds;
    row.compute_s = compute_s;
    row.mean_s = mean_s;
    return row;
}

/* Returns the page; freed by the caller. */
static char *page_of(const struct scaling_row *row, size_t count)
{
    static const char *const device[] = {"2 × <b>card</b>, cuda, on n1"};
    const struct scaling_facts facts = {.program = "deepfield 1",
                                        .command = "deepfield bench scaling --report 'a&b.html'",
                                        .device = device,
                                        .devices = 1,
                                        .ranks = "3, of which 2 compute",
                                        .library = "MPI",
                                        .date = "2030-01-01 00:00 UTC",
                                        .repeats = 11};
    char *page = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&page, &bytes);
    assert_non_null(stream);
    scaling_page_write(stream, &facts, row, count);
    assert_int_equal(fclose(stream), 0);
    return page;
}

static int count_of(const char *text, const char *words)
{
    int count = 0;
    for (; (text = strstr(text, words)); text += strlen(words))
        count++;
    return count;
}

TEST(forecast_shares_what_was_computed)
{
    assert_true(scaling_forecast_s(&one, 1) == 0.5);
    assert_true(fabs(scaling_forecast_s(&one, 4) - 0.2) < 1e-12); /* rounding, s */
    const struct scaling_row odd = row_of(1, 0.5, 0.6, 0.6);      /* clocks of two ranks */
    assert_true(scaling_forecast_s(&odd, 2) == 0.25);
}

TEST(parts_are_the_whole)
{
    const struct scaling_row row = row_of(2, 0.4, 0.3, 0.2), odd = row_of(2, 0.4, 0.5, 0.6);
    const struct scaling_parts parts = scaling_parts_of(&row), all = scaling_parts_of(&odd);
    assert_true(fabs(parts.compute - 0.5) < 1e-12 && fabs(parts.slowest - 0.25) < 1e-12 &&
                fabs(parts.rest - 0.25) < 1e-12);
    assert_true(all.compute == 1 && all.slowest == 0 && all.rest == 0);
}

TEST(page_needs_nothing_else)
{
    const struct scaling_row rows[] = {one, row_of(2, 0.3, 0.22, 0.2), row_of(4, 0.2, 0.12, 0.1)};
    char *page = page_of(rows, 3);
    static const char *const absent[] = {"<script", "http:", "https:", "src=", "<link", "url(",
                                         "@import", "<b>",   "<view>", "a&b",  "nan",   "inf"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (strstr(page, absent[i]))
            fail_msg("the page has '%s'", absent[i]);
    assert_non_null(strstr(page, "a &lt;view&gt; &amp; &quot;more&quot;, 640 × 360, limit 500"));
    assert_non_null(strstr(page, "&#39;a&amp;b.html&#39;"));
    assert_non_null(strstr(page, "<html lang=\"en\">"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "@media print"));
    assert_non_null(strstr(page, "<td>1.67</td><td>83.3</td>")); /* measured on 2 */
    assert_non_null(strstr(page, "<th scope=\"row\">32</th>"));  /* forecast alone */
    free(page);
}

TEST(each_plot_has_a_title_and_a_description)
{
    struct scaling_row rows[3] = {one, row_of(2, 0.3, 0.22, 0.2), one};
    rows[2].width = 1280; /* a view of its own */
    char *page = page_of(rows, 3);
    assert_int_equal(count_of(page, "<section>"), 2);
    assert_int_equal(count_of(page, "<svg "), 6);
    assert_int_equal(count_of(page, "</svg>"), 6);
    assert_int_equal(count_of(page, "role=\"img\""), 6);
    assert_int_equal(count_of(page, "<desc id="), 6);
    assert_int_equal(count_of(page, "<title id="), 6);
    assert_int_equal(count_of(page, "<table>"), 2);
    assert_int_equal(count_of(page, "id=\"speedup1-t\""), 1);
    free(page);
}

TEST(markup_escapes)
{
    char text[64];
    assert_string_equal(markup_escape(text, "a<b>&\"'") - strlen(text),
                        "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(other_kinds_of_files_are_refused)
{
    assert_int_equal(scaling_report_check("report.png", OVERWRITE_NO), STATUS_USAGE);
    assert_int_equal(scaling_report_check("report", OVERWRITE_YES), STATUS_USAGE);
    assert_int_equal(scaling_report_check("/nowhere/report.html", OVERWRITE_NO),
                     STATUS_CANNOT_CREATE);
}
