/* Suite deep, --forecast: what GPUs that nobody has measured take for deep views, by the
 * instructions of a step, the steps of a pixel and published rates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/bench/deep_measure.h"
#include "app/bench/forecast_model.h"
#include "app/bench/forecast_steps.h"
#include "app/process/stop.h"
#include "include/deepfield/deepfield.h"
#include "kernels/stop.h"
#include "library/config/revision.h"
#include "render/plan/plan.h"
#include "render/reference/reference.h"

enum { STRIDE = 40, RANGE_BYTES = 24 }; /* 96 x 54 pixels are counted */
static const int32_t size[] = {3840, 2160};
#define ACCURACY_PX 0.01

/* Seconds of the pixels on one H200: `deepfield bench deep --backend cuda --size 3840x2160
 * --precision fp64`, and fp32, at commit 3918e38f, medians of three runs. */
static const double h200_s[NUMBERS][DEEP_PLACES] = {
    [NUMBER_FP64] = {2.80e-3, 8.68e-3, 6.59e-3, 38.13e-3, 8.45e-3, 13.30e-3},
    [NUMBER_FP32] = {3.07e-3, 7.57e-3, 7.88e-3, 30.09e-3, 10.38e-3, 15.48e-3},
};

struct place_forecast { /* a place in a number type */
    struct forecast_steps steps;
    double px[FORECAST_KINDS]; /* steps in all number types */
    double bound_s[FORECAST_GPUS], measured_s, factor, here_s;
};

struct here { /* the GPU of this machine */
    struct device_set device_set;
    struct bench_deep_with with;
    char name[DEVICE_NAME_BYTES]; /* "": there is none */
    double s[NUMBERS][DEEP_PLACES];
};

struct place_picture { /* the picture of a place */
    struct view view;
    struct view_numbers numbers;
    struct orbit orbit;
};

static enum status place_open(struct place_picture *place, const struct deep_place *at, int threads)
{
    const struct formula quadratic = {.step = STEP_mandelbrot};
    const struct spec spec = bench_deep_spec(at, &quadratic, NUMBER_FP64);
    TRY(view_set(&place->view, at->re, at->im, at->zoom, 0, size[0], size[1]));
    TRY(view_numbers(&place->view, &place->numbers));
    return bench_deep_orbit(&place->view, &place->numbers, &spec, threads, &place->orbit);
}

static void place_close(struct place_picture *place)
{
    orbit_destroy(&place->orbit);
    view_destroy(&place->view);
}

static enum status steps_find(const struct place_picture *place, const struct spec *spec,
                              int threads, struct forecast_steps *steps)
{
    const struct grid grid = reference_grid(&place->numbers, 0, 0, size[0], size[1]);
    const struct deep_options options = {
        .blocks = BLOCKS_QUARTIC,
        .epsilon = deep_epsilon(ACCURACY_PX / reference_exactness(&spec->formula), &grid),
        .threads = threads,
        .stop = &stop_requested};
    struct deep deep = {.table_bytes = 0};
    enum status status = deep_open(&deep, &options, &place->orbit, spec, &grid);
    if (status == STATUS_OK)
        *steps = forecast_steps_count(&deep, &grid, STRIDE);
    deep_close(&deep);
    return status == STATUS_OK && stop_asked(&stop_requested) ? STATUS_STOPPED : status;
}

/* Adds up number types: some steps of a picture in fp32 may be in fp64. */
static double steps_sum(const struct forecast_steps *steps, int kind)
{
    double sum = 0;
    for (int number = 0; number < NUMBERS; number++)
        sum += steps->px[number][kind];
    return sum;
}

static void forecast_fill(struct place_forecast *forecast, enum number number, int place)
{
    for (int kind = 0; kind < FORECAST_KINDS; kind++)
        forecast->px[kind] = steps_sum(&forecast->steps, kind);
    for (int gpu = 0; gpu < FORECAST_GPUS; gpu++)
        forecast->bound_s[gpu] =
            forecast_bound_s(&forecast_gpus[gpu], &forecast->steps, (double)size[0] * size[1]);
    forecast->measured_s = h200_s[number][place];
    forecast->factor = forecast->measured_s / forecast->bound_s[FORECAST_H200];
}

static const struct bench_field fields[] = {
    {"place", "place", -7, 0, 1, ""},        {"number", "type", -4, 0, 1, ""},
    {"steps_px", "steps/px", 8, 1, 1, ""},   {"blocks_px", "blocks", 7, 1, 1, ""},
    {"direct_px", "direct", 7, 1, 1, ""},    {"h200_least_s", "least", 6, 2, 1e3, ""},
    {"h200_s", "H200", 6, 2, 1e3, ""},       {"factor", "factor", 6, 2, 1, ""},
    {NULL, "RTX 3060", 11, 0, 1, ""},        {NULL, "RTX 4090", 11, 0, 1, ""},
    {NULL, "RTX 5090", 11, 0, 1, ""},        {NULL, "B300", 11, 0, 1, ""},
    {"rtx_3060_least_s", NULL, 0, 0, 1, ""}, {"rtx_3060_s", NULL, 0, 0, 1, ""},
    {"rtx_4090_least_s", NULL, 0, 0, 1, ""}, {"rtx_4090_s", NULL, 0, 0, 1, ""},
    {"rtx_5090_least_s", NULL, 0, 0, 1, ""}, {"rtx_5090_s", NULL, 0, 0, 1, ""},
    {"b300_least_s", NULL, 0, 0, 1, ""},     {"b300_s", NULL, 0, 0, 1, ""},
    {"here_s", "here", 7, 2, 1e3, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields, OTHERS = FORECAST_GPUS - 1, RANGES = 8 };

static void range_write(char *text, double least_s, double most_s)
{
    const int decimals = most_s < 0.01 ? 1 : 0;
    snprintf(text, RANGE_BYTES, "%.*f-%.*f", decimals, 1e3 * least_s, decimals, 1e3 * most_s);
}

static void row_tell(struct bench_table *table, const struct deep_place *place, enum number number,
                     const struct place_forecast *forecast)
{
    const double *px = forecast->px;
    const double blocks = px[FORECAST_BLOCK] + px[FORECAST_BLOCK_WIDE];
    const double along = px[FORECAST_ALONG] + px[FORECAST_ALONG_WIDE];
    char ranges[OTHERS][RANGE_BYTES];
    struct bench_cell cells[FIELDS] = {
        {.text = place->name},
        {.text = plan_number_name(number)},
        {.number = blocks + along + px[FORECAST_DIRECT]},
        {.number = blocks},
        {.number = px[FORECAST_DIRECT]},
        {.number = forecast->bound_s[FORECAST_H200]},
        {.number = forecast->measured_s},
        {.number = forecast->factor},
    };
    for (int i = 0; i < OTHERS; i++) {
        const double least_s = forecast->bound_s[1 + i], most_s = least_s * forecast->factor;
        range_write(ranges[i], least_s, most_s);
        cells[RANGES + i].text = ranges[i];
        cells[RANGES + OTHERS + 2 * i].number = least_s;
        cells[RANGES + OTHERS + 2 * i + 1].number = most_s;
    }
    cells[FIELDS - 1].number = forecast->here_s > 0 ? forecast->here_s : NAN;
    bench_table_row(table, cells);
}

static enum status here_open(struct here *here, const struct config *config)
{
    const struct backend_kind *kind;
    struct device_facts facts;
    const char *backend = config_text(config, OPTION_COMPUTE_BACKEND);
    TRY(backend_kind_find(&kind, backend));
    if (!kind->memory)
        return STATUS_OK;
    TRY(kind->facts(0, &facts));
    snprintf(here->name, sizeof here->name, "%s", facts.name);
    TRY(bench_deep_open(&here->with, &here->device_set, config));
    here->with.accuracy_px = ACCURACY_PX;
    return STATUS_OK;
}

static enum status here_measure(struct here *here, int place, enum number number)
{
    const struct formula quadratic = {.step = STEP_mandelbrot};
    struct bench_deep_row row;
    if (!*here->name)
        return STATUS_OK;
    here->with.number = number;
    TRY(bench_deep_measure(&here->with, &deep_places[place], &quadratic, size, &row));
    here->s[number][place] = row.pixels_s;
    return STATUS_OK;
}

static enum status number_run(struct bench_table *table, struct here *here,
                              const struct place_picture *place, int at, enum number number,
                              int threads)
{
    const struct formula quadratic = {.step = STEP_mandelbrot};
    const struct spec spec = bench_deep_spec(&deep_places[at], &quadratic, number);
    struct place_forecast forecast = {.factor = 0};
    TRY(steps_find(place, &spec, threads, &forecast.steps));
    TRY(here_measure(here, at, number));
    forecast.here_s = here->s[number][at];
    forecast_fill(&forecast, number, at);
    row_tell(table, &deep_places[at], number, &forecast);
    return STATUS_OK;
}

static enum status place_run(struct bench_table *table, struct here *here, int at, int threads)
{
    static const enum number numbers[] = {NUMBER_FP64, NUMBER_FP32};
    struct place_picture place = {.orbit = {.length = 0}};
    enum status status = place_open(&place, &deep_places[at], threads);
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = number_run(table, here, &place, at, numbers[i], threads);
    place_close(&place);
    return status;
}

static void rates_tell(struct bench_table *table, enum number number)
{
    struct json *json = table->as_json ? &table->json : NULL;
    if (json) {
        json_open(json, NULL, '{');
        json_text(json, "number", plan_number_name(number));
    } else
        printf("  %-4s", plan_number_name(number));
    for (int gpu = 0; gpu < FORECAST_GPUS; gpu++) {
        const double rate = forecast_iterations_per_s(&forecast_gpus[gpu], number);
        if (json)
            json_real(json, forecast_gpus[gpu].name, rate);
        else
            printf("  %s %.0f", forecast_gpus[gpu].name, 1e-9 * rate);
    }
    if (json)
        json_close(json);
    else
        putchar('\n');
}

/* Tells what direct iteration takes, for which no place needs a count. */
static void direct_tell(struct bench_table *table)
{
    if (table->as_json)
        json_open(&table->json, "direct", '[');
    else
        printf("\nDirect iteration, 10^9 iterations a second at most:\n");
    for (int number = 0; number < NUMBERS; number++)
        if (forecast_iterations_per_s(&forecast_gpus[FORECAST_H200], (enum number)number) > 0)
            rates_tell(table, (enum number)number);
    if (table->as_json)
        json_close(&table->json);
}

/* Prints the line that a user sends back. */
static void line_print(const struct here *here)
{
    printf("\nPlease send this line as an issue on the project's page (BENCHMARKS.md):\n"
           "forecast 1, deepfield %s (%s), %s, ms fp64",
           deepfield_version(), deepfield_revision, here->name);
    for (int place = 0; place < DEEP_PLACES; place++)
        printf(" %.2f", 1e3 * here->s[NUMBER_FP64][place]);
    printf(", fp32");
    for (int place = 0; place < DEEP_PLACES; place++)
        printf(" %.2f", 1e3 * here->s[NUMBER_FP32][place]);
    putchar('\n');
}

static void words_print(const struct here *here)
{
    printf(
        "\n3840 x 2160 pixels, count and fraction, within 0.01 px; ms of the pixels. steps/px: of\n"
        "%d x %d pixels on this processor. least: an H200 that issues their instructions at its\n"
        "published rates and never waits; H200: measured; factor: measured over that. The others:\n"
        "what they take at least, and that times the factor: GPUs with little fp64 wait for it,\n"
        "less for the rest, so in fp64 the lower end is more likely.\n",
        size[0] / STRIDE, size[1] / STRIDE);
    if (*here->name)
        line_print(here);
    else
        printf("No GPU here: the forecast alone.\n");
}

enum status bench_deep_forecast(const struct invocation *invocation)
{
    const int threads = (int)config_integer(&invocation->config, OPTION_COMPUTE_THREADS);
    struct bench_table table;
    struct here here = {.device_set = {.devices = 0}};
    enum status status = here_open(&here, &invocation->config);
    bench_table_begin(&table, invocation, "forecast", fields, FIELDS);
    for (int place = 0; place < DEEP_PLACES && status == STATUS_OK; place++)
        status = place_run(&table, &here, place, threads);
    bench_table_rows_end(&table);
    if (status == STATUS_OK)
        direct_tell(&table);
    if (table.as_json)
        json_text(&table.json, "device", here.name);
    else if (status == STATUS_OK)
        words_print(&here);
    device_set_close(&here.device_set);
    return bench_table_end(&table, status);
}
