/* The rows of a benchmark on stdout: one list of fields makes the columns of a table, or JSON. */
#ifndef APP_BENCH_BENCH_TABLE_H
#define APP_BENCH_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/settings/invocation.h"
#include "render/device/renderer.h"
#include "render/disk/json.h"

struct bench_field {
    const char *key;  /* key in JSON; NULL: the table only */
    const char *head; /* head of the column; NULL: JSON only */
    int width;        /* width of the column; negative: left-aligned */
    int decimals;
    double scale;     /* factor of the column's numbers */
    const char *unit; /* printed behind each number */
};

struct bench_cell { /* a text, or a number; neither: {.number = NAN}, which shows as "-" or null */
    const char *text;
    double number;
};

struct bench_table {
    const struct bench_field *field;
    int fields;
    bool as_json, headed;
    char idle[32]; /* name of the first row that has done no work; "": all have */
    struct json
        json; /* more facts may be written here between bench_table_rows_end and bench_table_end */
};

/* Rows follow. --json decides the form. */
void bench_table_begin(struct bench_table *table, const struct invocation *invocation,
                       const char *suite, const struct bench_field *field, size_t fields);

/* One cell for each field. The row is on stdout when this returns. */
void bench_table_row(struct bench_table *table, const struct bench_cell *cell);

void bench_table_rows_end(struct bench_table *table);
void bench_table_renderer(struct bench_table *table,
                          const struct renderer *renderer); /* what was measured with */
/* Writes what is left. `status`: how the suite went, which is returned if that works.
 * STATUS_INTERNAL when a row has done no work: a short-cut proves all of its view, and its time
 * says nothing. */
enum status bench_table_end(struct bench_table *table, enum status status)
    __attribute__((warn_unused_result));

#endif
