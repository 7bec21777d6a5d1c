#include "app/bench/bench_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/report/document.h"

void bench_table_begin(struct bench_table *table, const struct invocation *invocation,
                       const char *suite, const struct bench_field *field, size_t fields)
{
    *table = (struct bench_table){.field = field,
                                  .fields = (int)fields,
                                  .as_json = arguments_has(&invocation->arguments, OPTION_JSON),
                                  .json = {.stream = stdout}};
    if (!table->as_json)
        return;
    json_begin(&table->json, "bench/1");
    json_text(&table->json, "suite", suite);
    json_open(&table->json, "rows", '[');
}

static void heads_print(const struct bench_table *table)
{
    for (int i = 0; i < table->fields; i++) {
        const struct bench_field *field = &table->field[i];
        int unit = (int)strlen(field->unit);
        if (field->head)
            printf("%s%*s", i ? " " : "",
                   field->width < 0 ? field->width - unit : field->width + unit, field->head);
    }
    putchar('\n');
}

static void cell_print(const struct bench_field *field, const struct bench_cell *cell)
{
    if (cell->text)
        printf("%*s", field->width, cell->text);
    else if (isfinite(cell->number))
        printf("%*.*f%s", field->width, field->decimals, field->scale * cell->number, field->unit);
    else
        printf("%*s%*s", field->width, "-", (int)strlen(field->unit), "");
}

static void cell_json(struct json *json, const struct bench_field *field,
                      const struct bench_cell *cell)
{
    if (cell->text)
        json_text(json, field->key, cell->text);
    else
        json_real(json, field->key, cell->number);
}

/* Is it a figure of the work of a row, and 0? */
static bool is_idle(const struct bench_field *field, const struct bench_cell *cell)
{
    static const char *const work[] = {"iterations", "iterations_per_s", "steps", "steps_px"};
    bool counted = false;
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        counted |= field->key && !strcmp(field->key, work[i]);
    return counted && !cell->text && cell->number == 0;
}

static void row_check(struct bench_table *table, const struct bench_cell *cell)
{
    for (int i = 0; i < table->fields && !*table->idle; i++)
        if (is_idle(&table->field[i], &cell[i]))
            snprintf(table->idle, sizeof table->idle, "%s", cell->text ? cell->text : "?");
}

void bench_table_row(struct bench_table *table, const struct bench_cell *cell)
{
    if (!table->as_json && !table->headed)
        heads_print(table);
    table->headed = true;
    row_check(table, cell);
    if (table->as_json)
        json_open(&table->json, NULL, '{');
    for (int i = 0; i < table->fields; i++) {
        const struct bench_field *field = &table->field[i];
        if (table->as_json && field->key)
            cell_json(&table->json, field, &cell[i]);
        if (table->as_json || !field->head)
            continue;
        fputs(i ? " " : "", stdout);
        cell_print(field, &cell[i]);
    }
    if (table->as_json)
        json_close(&table->json);
    else
        putchar('\n');
    fflush(stdout);
}

void bench_table_rows_end(struct bench_table *table)
{
    if (table->as_json)
        json_close(&table->json);
}

void bench_table_renderer(struct bench_table *table, const struct renderer *renderer)
{
    if (table->as_json) {
        json_text(&table->json, "backend", renderer_backend(renderer));
        json_integer(&table->json, "ranks", renderer_info(renderer)->facts.ranks);
        json_integer(&table->json, "repeats", BENCH_REPEATS);
    } else {
        const struct renderer_facts *facts = &renderer_info(renderer)->facts;
        printf("\nbackend %s%s, %d devices of %d computing ranks of %d; medians of %d\n",
               renderer_backend(renderer), facts->mixed ? " and others" : "", facts->devices,
               facts->computing_ranks, facts->ranks, BENCH_REPEATS);
    }
}

enum status bench_table_end(struct bench_table *table, enum status status)
{
    enum status written = table->as_json ? document_end(&table->json) : STATUS_OK;
    if (status == STATUS_OK && *table->idle)
        return status_fail(STATUS_INTERNAL,
                           "row '%s' has done no work: a short-cut proves all of its view, so its "
                           "time says nothing",
                           table->idle);
    return status == STATUS_OK ? written : status;
}
