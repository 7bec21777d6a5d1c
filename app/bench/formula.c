/* What formulas cost: their steps beside the most that the device can do, own formulas of the same
 * operations, which are interpreted, or on a GPU compiled while the program runs, and their deep
 * views beside one of z^2 + c. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/bench/deep_measure.h"
#include "app/process/environment.h"
#include "app/process/stop.h"
#include "app/settings/view_operand.h"
#include "kernels/backend.h"
#include "kernels/formula/program.h"
#include "kernels/formula/rational.h"
#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "library/settings/view_file.h"
#include "render/plan/sorted.h"
#include "render/view/view.h"

enum { WIDTH = 320, HEIGHT = 180, WIDE = 1920, HIGH = 1080, REPEATS = 5, CEILINGS_FIRST = 300 };
enum { QUADRATIC_FIRST = 1 };
enum { INSIDE_LIMIT = 6000, WIDE_INSIDE_LIMIT = 20000, OWN_LIMIT = 4000 };
#define CEILING_S 0.002

/* Views whose orbits are long: inside; for Newton's method, which has no inside, so far outside
 * that hundreds of steps are needed to come near a root. */
static const struct inside_place {
    enum formula_step first, last; /* rows */
    const char *re, *im, *zoom;
    double away; /* factor of the pixels' points, since no view is so large */
} inside_places[] = {{STEP_newton_3, STEP_newton_6, "0", "0", "1", 1e60},
                     {STEP_nova, STEP_nova, "-0.444", "0", "200", 1},
                     {STEP_nova_4, STEP_nova_4, "-0.328", "0", "200", 1},
                     {STEP_nova_5, STEP_nova_5, "-0.264", "0", "200", 1},
                     {STEP_nova_6, STEP_nova_6, "-0.219", "0", "200", 1},
                     {STEP_magnet_1, STEP_magnet_2, "0.589", "-0.259", "2000", 1},
                     {0, FORMULA_ROWS, "0.02", "0.01", "80", 1}}; /* every other formula */

/* Few operations and many, folds and products: beside own formulas. */
static const enum formula_step with_own[] = {
    STEP_multibrot_4,    STEP_multibrot_7, STEP_tricorn,  STEP_burning_ship,
    STEP_burning_ship_5, STEP_celtic,      STEP_mothbrot, STEP_quartic_celtic_real_quasi_heart};

struct formula_bench {
    struct backend *backend;
    bool wide;      /* a GPU */
    int threads;    /* count on a processor; 1 on a device */
    double ceiling; /* iterations per second of z^2 + c by one thread, or the GPU: best seen */
    struct grid whole;
    struct field field;
    struct device_set device_set;
    struct bench_deep_with deep;
    struct bench_deep_row quadratic; /* row of z^2 + c; steps_px 0: not measured yet */
    struct bench_deep_row cut_off;   /* the same, over after QUADRATIC_FIRST steps */
};

struct formula_measured {
    int instructions;
    double rate, of_ceiling, own_ratio; /* 0: not measured */
    struct bench_deep_row deep;         /* steps_px 0: no deep view */
};

/* The lists of a row as an own formula. */
static struct formula own_of(enum formula_step step)
{
    const struct formula formula = {.step = step};
    const struct formula_kind *kind = formula_kind(&formula);
    struct formula own = {.step = STEP_OWN, .own = {.phases = 1}};
    own.own.end[0] = kind->operations;
    memcpy(own.own.operation, kind->operation, (size_t)kind->operations * sizeof *kind->operation);
    return own;
}

/* Floating-point instructions of a step that divides or converges, without the tests; a division
 * counts as one. */
static int rational_instructions(const struct rational_kind *kind)
{
    static const int instructions[] = {
        [RATIONAL_sqr] = 4, [RATIONAL_mul] = 4,   [RATIONAL_div] = 9,    [RATIONAL_add] = 2,
        [RATIONAL_sub] = 2, [RATIONAL_scale] = 2, [RATIONAL_invert] = 5, [RATIONAL_plus] = 1};
    int sum = 0;
    for (int i = 0; i < kind->operations; i++)
        sum += instructions[kind->operation[i].does];
    return sum;
}

/* Instructions of a step; those of z^2 + c are four. */
static int instructions_of(const struct formula *formula)
{
    if (formula_rational(formula))
        return rational_instructions(rational_kind(formula));
    static const int instructions[FORMULA_FUSED_KINDS] = {
        [FUSED_abs_x] = 1,  [FUSED_abs_y] = 1,   [FUSED_neg_x] = 1,  [FUSED_neg_y] = 1,
        [FUSED_mul] = 4,    [FUSED_sqr] = 4,     [FUSED_add] = 2,    [FUSED_scale] = 4,
        [FUSED_sign_y] = 2, [FUSED_mul_add] = 4, [FUSED_sqr_add] = 4};
    const struct formula own = own_of(formula->step);
    struct formula_program program = formula_program(&own);
    int sum = 0;
    for (int i = 0; i < program.end[0]; i++)
        sum += instructions[program.fused[i]];
    return sum;
}

/* Processor time of this process, so that another load on the machine counts little. */
static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Iterations and seconds of a picture: processor time of all threads together, or time by a GPU's
 * own clock. */
static enum status picture_time(struct formula_bench *bench, const struct formula *formula,
                                const struct grid *grid, int64_t limit, double *seconds,
                                uint64_t *iterations)
{
    struct backend_work work = {0};
    const struct spec spec = {.limit = limit,
                              .bailout = 1024,
                              .planes = bench->field.planes,
                              .count_bytes = 4,
                              .number = NUMBER_FP64,
                              .shortcuts = SHORTCUTS_OFF,
                              .formula = *formula};
    double begin = processor_s();
    TRY(backend_compute(bench->backend, &spec, grid, &bench->field, &work));
    *seconds = work.kernel_s > 0 ? work.kernel_s : processor_s() - begin;
    *iterations = work.iterations;
    return STATUS_OK;
}

static enum status grid_of(struct grid *grid, const char *re, const char *im, const char *zoom,
                           int32_t width, int32_t height)
{
    struct view view = {0};
    struct view_numbers numbers;
    TRY(view_set(&view, re, im, zoom, 0, width, height));
    enum status status = view_numbers(&view, &numbers);
    view_destroy(&view);
    TRY(status);
    *grid = view_grid(&numbers, 0, 0, width, height);
    return STATUS_OK;
}

static const struct inside_place *inside_place_of(enum formula_step step)
{
    const struct inside_place *place = inside_places;
    while (step < place->first || step > place->last)
        place++;
    return place;
}

/* Pixels with long orbits, beside the plain loop of z^2 + c at its best. */
static enum status inside_measure(struct formula_bench *bench, enum formula_step step,
                                  struct formula_measured *row)
{
    const struct formula formula = formula_of_step(step), quadratic = {.step = STEP_mandelbrot};
    const struct inside_place *place = inside_place_of(step);
    struct grid grid;
    TRY(grid_of(&grid, place->re, place->im, place->zoom, bench->field.width, bench->field.height));
    grid.centre_re *= place->away;
    grid.centre_im *= place->away;
    grid.step_re *= place->away;
    grid.step_im *= place->away;
    int64_t limit = bench->wide ? WIDE_INSIDE_LIMIT : INSIDE_LIMIT;
    double seconds[REPEATS], warm;
    uint64_t iterations;
    row->instructions = instructions_of(&formula);
    TRY(picture_time(bench, &formula, &grid, limit, &warm, &iterations));
    for (int r = 0; r < REPEATS; r++) {
        TRY(picture_time(bench, &formula, &grid, limit, &seconds[r], &iterations));
        double ceiling = backend_ceiling(bench->backend, NUMBER_FP64, CEILING_S);
        bench->ceiling = fmax(bench->ceiling, ceiling / bench->threads);
    }
    double share = (double)row->instructions / instructions_of(&quadratic);
    row->rate = (double)iterations / median(seconds, REPEATS);
    row->of_ceiling = row->rate * share / bench->ceiling;
    return STATUS_OK;
}

static bool own_wanted(enum formula_step step)
{
    for (size_t i = 0; i < sizeof with_own / sizeof *with_own; i++)
        if (with_own[i] == step)
            return true;
    return false;
}

/* Measures both alternately, so that another load on the machine changes both. */
static enum status own_measure(struct formula_bench *bench, enum formula_step step,
                               struct formula_measured *row)
{
    const struct formula formula = {.step = step}, own = own_of(step);
    double ratio[BENCH_REPEATS], row_s, own_s;
    uint64_t iterations;
    TRY(picture_time(bench, &formula, &bench->whole, OWN_LIMIT, &row_s, &iterations));
    TRY(picture_time(bench, &own, &bench->whole, OWN_LIMIT, &own_s, &iterations));
    for (int r = 0; r < BENCH_REPEATS; r++) {
        TRY(picture_time(bench, &formula, &bench->whole, OWN_LIMIT, &row_s, &iterations));
        TRY(picture_time(bench, &own, &bench->whole, OWN_LIMIT, &own_s, &iterations));
        ratio[r] = own_s / row_s;
    }
    row->own_ratio = median(ratio, BENCH_REPEATS);
    return STATUS_OK;
}

/* ---- deep views ---- */

static const char *value_of(const struct view_file *file, const char *key)
{
    const struct ini_entry *entry = ini_find(&file->ini, "view", key);
    return entry ? entry->value : "0";
}

static enum status place_measure(struct formula_bench *bench, const struct deep_place *place,
                                 enum formula_step step, struct bench_deep_row *row)
{
    static const int32_t size[] = {512, 288}, wide_size[] = {WIDE, HIGH};
    const struct formula formula = formula_of_step(step);
    return bench_deep_measure(&bench->deep, place, &formula, bench->wide ? wide_size : size, row);
}

static enum status quadratic_measure(struct formula_bench *bench)
{
    if (bench->quadratic.steps_px > 0)
        return STATUS_OK;
    struct deep_place cut_off = deep_places[1];
    cut_off.limit = QUADRATIC_FIRST;
    TRY(place_measure(bench, &cut_off, STEP_mandelbrot, &bench->cut_off));
    return place_measure(bench, &deep_places[1], STEP_mandelbrot, &bench->quadratic);
}

/* Seconds of z^2 + c for as many steps a pixel: what every picture takes, its beginning and its
 * copy to the host, and the same for each step. */
static double quadratic_s(const struct formula_bench *bench, double steps_px)
{
    const struct bench_deep_row *first = &bench->cut_off, *all = &bench->quadratic;
    double step_s = (all->pixels_s - first->pixels_s) / (all->steps_px - first->steps_px);
    return first->pixels_s + step_s * (steps_px - first->steps_px);
}

/* Measures the formula's view of configs/views/formulas.places, if there is one, beside z^2 + c. */
static enum status deep_measure(struct formula_bench *bench, enum formula_step step,
                                struct formula_measured *row)
{
    char name[80];
    struct view_file file = {.path = NULL};
    const struct formula formula = formula_of_step(step);
    if (step == STEP_mandelbrot) {
        TRY(quadratic_measure(bench));
        row->deep = bench->quadratic;
        return STATUS_OK;
    }
    snprintf(name, sizeof name, "formulas:%s-deep", formula_name(&formula));
    for (char *at = name; *at; at++)
        *at = (char)(*at == '_' ? '-' : *at);
    enum status status = view_operand_load(&file, name, VIEW_WHOLE);
    if (status == STATUS_OK) {
        struct deep_place place = {.name = name,
                                   .zoom = value_of(&file, "zoom"),
                                   .re = value_of(&file, "re"),
                                   .im = value_of(&file, "im"),
                                   .limit = number_whole(value_of(&file, "limit"))};
        status = quadratic_measure(bench);
        if (status == STATUS_OK)
            status = place_measure(bench, &place, step, &row->deep);
    } else if (status == STATUS_NO_INPUT || status == STATUS_BAD_DATA)
        status = STATUS_OK;
    view_file_destroy(&file);
    return status;
}

/* ---- the suite ---- */

static const struct bench_field fields[] = {
    {"formula", "formula", -41, 0, 1, ""},       {"instructions", "instr.", 6, 0, 1, ""},
    {"iterations_per_s", "G/s", 7, 2, 1e-9, ""}, {"of_ceiling", "ceiling", 7, 0, 100, " %"},
    {"own_ratio", "own / row", 9, 2, 1, ""},     {"deep_steps_px", "deep steps/px", 13, 1, 1, ""},
    {"deep_step_s", "ns a step", 9, 2, 1e9, ""}, {"deep_ratio", "of z^2 + c", 10, 2, 1, ""},
    {"deep_equal", "equal steps", 11, 2, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static double known(double number)
{
    return number > 0 ? number : NAN;
}

static void row_tell(struct bench_table *table, const struct formula_bench *bench,
                     enum formula_step step, const struct formula_measured *row)
{
    double step_s = 1 / row->deep.steps_per_s, ratio = bench->quadratic.steps_per_s * step_s;
    double equal = row->deep.pixels_s / quadratic_s(bench, row->deep.steps_px);
    const struct formula formula = formula_of_step(step);
    bench_table_row(table, (struct bench_cell[FIELDS]){
                               {.text = formula_name(&formula)},
                               {.number = row->instructions},
                               {.number = row->rate},
                               {.number = row->of_ceiling},
                               {.number = known(row->own_ratio)},
                               {.number = known(row->deep.steps_px)},
                               {.number = row->deep.steps_px > 0 ? step_s : NAN},
                               {.number = row->deep.steps_px > 0 ? ratio : NAN},
                               {.number = row->deep.steps_px > 0 ? equal : NAN},
                           });
}

static enum status row_measure(struct formula_bench *bench, enum formula_step step,
                               struct bench_table *table)
{
    struct formula_measured row = {.rate = 0};
    TRY(inside_measure(bench, step, &row));
    if (own_wanted(step))
        TRY(own_measure(bench, step, &row));
    TRY(deep_measure(bench, step, &row));
    row_tell(table, bench, step, &row);
    return STATUS_OK;
}

/* Rows of formulas to measure, from *first to before *end: all, or the one that --formula names. */
static enum status rows_wanted(const struct config *config, int *first, int *end)
{
    const char *name = config_text(config, OPTION_VIEW_FORMULA);
    struct formula formula;
    *first = 0;
    *end = FORMULA_ROWS;
    if (!name)
        return STATUS_OK;
    TRY(formula_of_text(&formula, name, strlen(name)));
    if (formula.step == STEP_OWN)
        return status_fail(STATUS_CONFIG, "%s: no formula of the list (deepfield help formulas)",
                           config->value[OPTION_VIEW_FORMULA].origin);
    *first = (int)formula.step;
    *end = *first + 1;
    return STATUS_OK;
}

static enum status bench_open(struct formula_bench *bench, const struct config *config)
{
    char data[4096];
    /* Without the folder formulas would seem to have no deep views. */
    TRY(environment_data_folder(data, sizeof data));
    uint64_t chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES);
    struct backend_options options = {.device = chosen ? __builtin_ctzll(chosen) : 0,
                                      .threads =
                                          (int)config_integer(config, OPTION_COMPUTE_THREADS),
                                      .stop = &stop_requested};
    TRY(backend_open(&bench->backend, config_text(config, OPTION_COMPUTE_BACKEND), &options));
    bench->wide = backend_kind_of(bench->backend)->memory;
    int32_t width = bench->wide ? WIDE : WIDTH, height = bench->wide ? HIGH : HEIGHT;
    TRY(grid_of(&bench->whole, "-0.3", "0", "1.2", width, height));
    TRY(field_create(&bench->field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4));
    bench->threads = bench->wide ? 1 : backend_threads(bench->backend);
    for (int i = 0; i < CEILINGS_FIRST; i++)
        bench->ceiling =
            fmax(bench->ceiling,
                 backend_ceiling(bench->backend, NUMBER_FP64, CEILING_S) / bench->threads);
    TRY(bench_deep_open(&bench->deep, &bench->device_set, config));
    if (!bench->wide)
        bench->deep.clock = processor_s;
    return STATUS_OK;
}

static void foot_tell(struct bench_table *table, const struct formula_bench *bench)
{
    const char *name = backend_kind_of(bench->backend)->name;
    int threads = backend_threads(bench->backend);
    double fixed_s = bench->quadratic.steps_px > 0 ? quadratic_s(bench, 0) : 0;
    if (!table->as_json) {
        printf(
            "\nbackend %s, %d threads, of a processor its time. G/s: iterations of pixels inside,\n"
            "or of Newton's method of pixels far outside, by one thread; ceiling: of as many\n"
            "instructions in the plain loop of z^2 + c. own:\n"
            "the row's operations as an own formula, the whole set. Deep: the view NAME-deep of\n"
            "configs/views/formulas.places; of z^2 + c: over a step at Kalles Fraktaler's 1e50;\n"
            "equal steps: over z^2 + c there at as many steps a pixel",
            name, threads);
        if (fixed_s > 0)
            printf(", without which a picture takes %.3g ms", 1e3 * fixed_s);
        printf(".\n");
        return;
    }
    json_text(&table->json, "backend", name);
    json_integer(&table->json, "threads", threads);
    if (fixed_s > 0)
        json_real(&table->json, "deep_fixed_s", fixed_s);
}

enum status bench_formula(const struct invocation *invocation)
{
    struct bench_table table;
    struct formula_bench bench = {.backend = NULL};
    int step, end;
    TRY(rows_wanted(&invocation->config, &step, &end));
    enum status status = bench_open(&bench, &invocation->config);
    if (status == STATUS_OK) {
        bench_table_begin(&table, invocation, "formula", fields, FIELDS);
        for (; step < end && status == STATUS_OK; step++)
            status = row_measure(&bench, (enum formula_step)step, &table);
        bench_table_rows_end(&table);
        foot_tell(&table, &bench);
        status = bench_table_end(&table, status);
    }
    device_set_close(&bench.device_set);
    field_destroy(&bench.field);
    backend_close(bench.backend);
    return status;
}
