/* What own formulas cost: rows beside own lists of the same operations, which are interpreted, or
 * on a GPU compiled while the program runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/stop.h"
#include "decomposition/clock.h"
#include "kernels/backend.h"
#include "render/sorted.h"
#include "render/view.h"

enum { WIDTH = 320, HEIGHT = 180, WIDE = 1920, HIGH = 1080, LIMIT = 4000 };

/* Few operations and many, folds and products. */
static const enum formula_step steps[] = {
    STEP_multibrot_4,    STEP_multibrot_7, STEP_tricorn,  STEP_burning_ship,
    STEP_burning_ship_5, STEP_celtic,      STEP_mothbrot, STEP_quartic_celtic_real_quasi_heart};

struct formula_bench {
    struct backend *backend;
    struct grid grid;
    struct field field;
};

/* The lists of a row as an own formula. */
static struct formula own_of(enum formula_step step)
{
    const struct formula_kind *kind = &formula_kinds[step];
    struct formula own = {.step = STEP_OWN, .own = {.phases = 1}};
    own.own.end[0] = kind->operations;
    memcpy(own.own.operation, kind->operation, (size_t)kind->operations * sizeof *kind->operation);
    return own;
}

/* Seconds of the whole set; of a GPU those that its own clock says. */
static enum status picture_time(struct formula_bench *bench, const struct formula *formula,
                                double *seconds, uint64_t *iterations)
{
    struct backend_work work = {0};
    const struct spec spec = {.limit = LIMIT,
                              .bailout = 1024,
                              .planes = bench->field.planes,
                              .count_bytes = 4,
                              .number = NUMBER_FP64,
                              .shortcuts = SHORTCUTS_OFF,
                              .formula = *formula};
    double begin = clock_s();
    TRY(backend_compute(bench->backend, &spec, &bench->grid, &bench->field, &work));
    *seconds = work.kernel_s > 0 ? work.kernel_s : clock_s() - begin;
    *iterations = work.iterations;
    return STATUS_OK;
}

static const struct bench_field fields[] = {
    {"formula", "formula", -36, 0, 1, ""},
    {"operations", "operations", 10, 0, 1, ""},
    {"row_s", "row ms", 9, 2, 1e3, ""},
    {"own_s", "own ms", 9, 2, 1e3, ""},
    {"iterations_per_s", "row G/s", 8, 2, 1e-9, ""},
    {"ratio", "own / row", 9, 2, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Both in turn, so that another load on the machine moves both. */
static enum status formula_measure(struct formula_bench *bench, struct bench_table *table,
                                   enum formula_step step)
{
    const struct formula row = {.step = step}, own = own_of(step);
    double row_s[BENCH_REPEATS], own_s[BENCH_REPEATS], ratio[BENCH_REPEATS], warm;
    uint64_t iterations;
    TRY(picture_time(bench, &row, &warm, &iterations));
    TRY(picture_time(bench, &own, &warm, &iterations));
    for (int r = 0; r < BENCH_REPEATS; r++) {
        TRY(picture_time(bench, &row, &row_s[r], &iterations));
        TRY(picture_time(bench, &own, &own_s[r], &iterations));
        ratio[r] = own_s[r] / row_s[r];
    }
    double typical = median(row_s, BENCH_REPEATS);
    bench_table_row(table, (struct bench_cell[FIELDS]){
                               {.text = formula_kinds[step].name},
                               {.number = formula_kinds[step].operations},
                               {.number = typical},
                               {.number = median(own_s, BENCH_REPEATS)},
                               {.number = (double)iterations / typical},
                               {.number = median(ratio, BENCH_REPEATS)},
                           });
    return STATUS_OK;
}

static enum status field_open(struct formula_bench *bench)
{
    bool wide = backend_kind_of(bench->backend)->memory;
    struct view view = {0};
    struct view_numbers numbers;
    int32_t width = wide ? WIDE : WIDTH, height = wide ? HIGH : HEIGHT;
    TRY(view_set(&view, "-0.3", "0", "1.2", 0, width, height));
    enum status status = view_numbers(&view, &numbers);
    view_destroy(&view);
    TRY(status);
    bench->grid = view_grid(&numbers, 0, 0, width, height);
    return field_create(&bench->field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4);
}

static enum status bench_open(struct formula_bench *bench, const struct config *config)
{
    uint64_t chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES);
    struct backend_options options = {.device = chosen ? __builtin_ctzll(chosen) : 0,
                                      .threads =
                                          (int)config_integer(config, OPTION_COMPUTE_THREADS),
                                      .stop = &stop_requested};
    TRY(backend_open(&bench->backend, config_text(config, OPTION_COMPUTE_BACKEND), &options));
    return field_open(bench);
}

static void foot_tell(struct bench_table *table, const struct formula_bench *bench)
{
    const char *name = backend_kind_of(bench->backend)->name;
    int threads = backend_threads(bench->backend);
    if (!table->as_json) {
        printf("\nbackend %s, %d threads; the whole set, %d x %d pixels, limit %d, without\n"
               "short-cuts: medians of %d. own: the row's operations as an own formula.\n",
               name, threads, bench->field.width, bench->field.height, LIMIT, BENCH_REPEATS);
        return;
    }
    json_text(&table->json, "backend", name);
    json_integer(&table->json, "threads", threads);
}

enum status bench_formula(const struct invocation *invocation)
{
    struct bench_table table;
    struct formula_bench bench = {.backend = NULL};
    enum status status = bench_open(&bench, &invocation->config);
    if (status == STATUS_OK) {
        bench_table_begin(&table, invocation, "formula", fields, FIELDS);
        for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++)
            status = formula_measure(&bench, &table, steps[i]);
        bench_table_rows_end(&table);
        foot_tell(&table, &bench);
        bench_table_end(&table);
    }
    field_destroy(&bench.field);
    backend_close(bench.backend);
    return status;
}
