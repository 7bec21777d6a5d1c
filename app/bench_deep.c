#include "app/bench_deep.h"

#include <math.h>
#include <stdio.h>

#include "render/json.h"
#include "app/stop.h"
#include "kernels/backend.h"
#include "render/bench_deep.h"

/* Unless --size says otherwise: for CPUs; for GPUs, one after the other, or in JSON the second. */
static const int32_t cpu_size[] = {512, 288}, gpu_sizes[][2] = {{1024, 1024}, {3840, 2160}};

static void print_row(void *context, const struct bench_deep_row *row)
{
    bool *headed = context;
    if (!*headed)
        printf("%-7s %12s %9s %9s %10s %10s %9s %9s %10s %9s\n", "place", "reference ms",
               "table ms", "table MB", "pixels ms", "all GPUs", "total ms", "steps/px", "M steps/s",
               "epsilon");
    *headed = true;
    printf("%-7s %12.1f %9.2f %9.2f %10.2f ", row->name, 1e3 * row->reference_s, 1e3 * row->table_s,
           1e-6 * (double)row->table_bytes, 1e3 * row->pixels_s);
    if (row->pixels_all_s > 0)
        printf("%10.2f ", 1e3 * row->pixels_all_s);
    else
        printf("%10s ", "-");
    printf("%9.1f %9.1f %10.1f   2^%5.1f\n",
           1e3 * (row->reference_s + row->table_s + row->pixels_s), row->steps_px,
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
    if (row->pixels_all_s > 0)
        json_real(json, "pixels_all_s", row->pixels_all_s);
    json_real(json, "epsilon", row->epsilon);
    json_real(json, "steps_px", row->steps_px);
    json_real(json, "steps_per_s", row->steps_per_s);
    json_close(json);
}

static void print_foot(const struct bench_deep_options *options)
{
    printf("%d x %d pixels, count and fraction in host memory, within %g px (99 of 100 pixels);\n"
           "medians. total: reference, table and pixels on one device. steps/px: blocks of fourth\n"
           "order and single steps of a pixel.\n\n",
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
    json_close(&json);
    json_close(&json);
    putchar('\n');
    return status;
}

static enum status bench_size(struct bench_deep_options options, bool json, const int32_t *size)
{
    bool headed = false;
    options.width = size[0];
    options.height = size[1];
    if (json)
        return bench_json(&options);
    TRY(bench_deep(&options, print_row, &headed));
    print_foot(&options);
    return STATUS_OK;
}

enum status bench_deep_run(const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    const int32_t wanted[] = {(int32_t)size->integer, (int32_t)size->second};
    bool json = arguments_has(&invocation->arguments, OPTION_JSON);
    struct bench_deep_options options = {
        .accuracy_px = config_real(config, OPTION_COMPUTE_ACCURACY),
        .backend = config_text(config, OPTION_COMPUTE_BACKEND),
        .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS),
        .stop = &stop_requested};
    const struct backend_kind *kind;
    TRY(backend_kind_find(&kind, options.backend));
    if (config_was_set(config, OPTION_VIEW_SIZE))
        return bench_size(options, json, wanted);
    if (!kind->memory)
        return bench_size(options, json, cpu_size);
    if (!json) /* which is one document */
        TRY(bench_size(options, json, gpu_sizes[0]));
    return bench_size(options, json, gpu_sizes[1]);
}
