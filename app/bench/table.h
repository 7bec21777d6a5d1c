/* The rows of a benchmark on stdout: one list of fields makes the columns of a table, or JSON. */
#ifndef APP_BENCH_TABLE_H
#define APP_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/command.h"
#include "render/json.h"
#include "render/studio.h"

struct table_field {
    const char *key;  /* in JSON; NULL: in the table only */
    const char *head; /* of the column; NULL: in JSON only */
    int width;        /* of the column; negative: left-aligned */
    int decimals;
    double scale;     /* of the column's numbers */
    const char *unit; /* behind them */
};

struct table_cell { /* a text, or a number; neither: {.number = NAN}, which shows as "-" or null */
    const char *text;
    double number;
};

struct table {
    const struct table_field *field;
    int fields;
    bool as_json, headed;
    struct json json; /* more facts may be written here between table_rows_end and table_end */
};

/* Rows follow. --json decides the form. */
void table_begin(struct table *table, const struct invocation *invocation, const char *suite,
                 const struct table_field *field, size_t fields);

/* Begins another table of the same fields: its heads come again. */
void table_again(struct table *table);

/* One cell for each field. The row is on stdout when this returns. */
void table_row(struct table *table, const struct table_cell *cell);

void table_rows_end(struct table *table);
void table_studio(struct table *table, const struct studio *studio); /* what was measured with */
void table_end(struct table *table);

#endif
