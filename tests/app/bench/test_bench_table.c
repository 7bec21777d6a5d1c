/* A row of a benchmark that has done no work is an error: an optimisation has overtaken its view.
 */
#include "tests/support/check.h"

#include <math.h>

#include "app/bench/bench_table.h"

static const struct bench_field fields[] = {{"view", "view", -9, 0, 1, ""},
                                            {"iterations", "G iterat.", 9, 3, 1e-9, ""},
                                            {"of_goal", "of goal", 9, 2, 1, ""}};

static enum status table_end(double iterations)
{
    struct bench_table table;
    const struct invocation invocation = {.started_s = 0};
    bench_table_begin(&table, &invocation, "direct", fields, sizeof fields / sizeof *fields);
    bench_table_row(&table,
                    (struct bench_cell[]){{.text = "busy"}, {.number = 1}, {.number = NAN}});
    bench_table_row(&table,
                    (struct bench_cell[]){{.text = "all"}, {.number = iterations}, {.number = 0}});
    bench_table_rows_end(&table);
    return bench_table_end(&table, STATUS_OK);
}

TEST(rows_that_work_are_fine)
{
    assert_int_equal(table_end(1), STATUS_OK);
    assert_int_equal(table_end(NAN), STATUS_OK);
}

TEST(a_row_without_work_is_named)
{
    assert_int_equal(table_end(0), STATUS_INTERNAL);
    assert_non_null(strstr(status_text(), "'all'"));
}
