#include "app/bench_deep.h"

#include <math.h>
#include <stdio.h>

#include "app/json.h"
#include "app/stop.h"
#include "render/bench_deep.h"

enum { WIDTH = 512, HEIGHT = 288 }; /* unless --size says otherwise */

static void print_row(void *context, const struct bench_deep_row *row)
{
    bool *headed = context;
    const double *steps = row->steps_px;
    if (!*headed)
        printf("%-7s %12s %9s %9s %10s %9s %9s %10s %7s %10s %9s\n", "place", "reference ms",
               "table ms", "table MB", "pixels ms", "steps/px", "quadratic", "linear", "fewer",
               "M steps/s", "epsilon");
    *headed = true;
    printf("%-7s %12.1f %9.1f %9.2f %10.1f %9.1f %9.1f %10.1f %7.2f %10.1f   2^%5.1f\n", row->name,
           1e3 * row->reference_s, 1e3 * row->table_s, 1e-6 * (double)row->table_bytes,
           1e3 * row->pixels_s, steps[BLOCKS_QUARTIC], steps[BLOCKS_QUADRATIC],
           steps[BLOCKS_LINEAR], steps[BLOCKS_LINEAR] / steps[BLOCKS_QUARTIC],
           1e-6 * row->steps_per_s, log2(row->epsilon));
    fflush(stdout);
}

static void json_row(void *context, const struct bench_deep_row *row)
{
    struct json *json = context;
    json_open(json, NULL, '{');
    json_text(json, "place", row->name);
    json_integer(json, "limit", row->limit);
    json_integer(json, "reference_steps", row->reference_steps);
    json_count(json, "reference_bytes", row->reference_bytes);
    json_count(json, "table_bytes", row->table_bytes);
    json_real(json, "reference_s", row->reference_s);
    json_real(json, "table_s", row->table_s);
    json_real(json, "pixels_s", row->pixels_s);
    json_real(json, "epsilon", row->epsilon);
    json_real(json, "steps_px", row->steps_px[BLOCKS_QUARTIC]);
    json_real(json, "steps_quadratic_px", row->steps_px[BLOCKS_QUADRATIC]);
    json_real(json, "steps_linear_px", row->steps_px[BLOCKS_LINEAR]);
    json_real(json, "steps_per_s", row->steps_per_s);
    json_close(json, '}');
}

static void print_foot(const struct bench_deep_options *options)
{
    printf(
        "\n%d x %d pixels, count and fraction, within %g px (99 of 100 pixels); medians.\n"
        "steps/px: blocks of fourth order and single steps of a pixel; quadratic, linear: with\n"
        "blocks of second and first order at the same epsilon, in a picture of a quarter of the\n"
        "width and height; fewer: linear over steps/px.\n",
        options->width, options->height, options->accuracy_px);
}

static enum status bench_json(const struct bench_deep_options *options)
{
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "suite", "deep");
    json_integer(&json, "width", options->width);
    json_integer(&json, "height", options->height);
    json_real(&json, "accuracy_px", options->accuracy_px);
    json_open(&json, "rows", '[');
    enum status status = bench_deep(options, json_row, &json);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
    return status;
}

enum status bench_deep_run(const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    bool sized = config_was_set(config, OPTION_VIEW_SIZE);
    struct bench_deep_options options = {
        .width = sized ? (int32_t)size->integer : WIDTH,
        .height = sized ? (int32_t)size->second : HEIGHT,
        .accuracy_px = config_real(config, OPTION_COMPUTE_ACCURACY),
        .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS),
        .stop = &stop_requested};
    bool headed = false;
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return bench_json(&options);
    TRY(bench_deep(&options, print_row, &headed));
    print_foot(&options);
    return STATUS_OK;
}
