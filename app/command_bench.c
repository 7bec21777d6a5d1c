/* deepfield bench: how fast is this machine, measured against its own limit? */
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "app/stop.h"
#include "render/bench.h"

static const char *const number_names[NUMBERS] = {[NUMBER_FP32] = "fp32", [NUMBER_FP64] = "fp64"};

static void print_row(void *context, const struct bench_row *row)
{
    (void)context;
    char of_goal[16] = "-";
    if (row->of_allowed > 0)
        snprintf(of_goal, sizeof of_goal, "%.2f", row->of_allowed);
    printf("%-17s %4d x %-4d %6lld  %s %9.2f %11.3f %8.2f %7.1f %% %9s\n", row->name, row->width,
           row->height, (long long)row->limit, number_names[row->number], 1e3 * row->seconds,
           1e-9 * (double)row->iterations, 1e-9 * (double)row->iterations / row->seconds,
           100 * row->of_ceiling, of_goal);
    fflush(stdout);
}

static void print_head(void)
{
    printf("%-17s %11s %6s  %4s %9s %11s %8s %9s %9s\n", "view", "size", "limit", "type", "ms",
           "G iterat.", "G/s", "ceiling", "of goal");
}

static void print_foot(const struct bench_device *device, int repeats)
{
    printf("\nbackend %s, %d threads; ceiling (plain unchecked loop, same threads, same run): "
           "fp32 %.2f, fp64 %.2f G iterations/s\n"
           "ms: count and fraction planes in memory, median of %d. ceiling: part of the ceiling\n"
           "measured just before and after. of goal: time over the goal's; 1 or less reaches it.\n"
           "Goals: interior 85 %% of the ceiling; whole set 0.5 G iterations at the ceiling;\n"
           "seahorse 1.6 times its own iterations at the ceiling.\n",
           device->backend, device->threads, 1e-9 * device->ceiling[NUMBER_FP32],
           1e-9 * device->ceiling[NUMBER_FP64], repeats);
}

static void json_row(void *context, const struct bench_row *row)
{
    struct json *json = context;
    json_open(json, NULL, '{');
    json_text(json, "view", row->name);
    json_integer(json, "width", row->width);
    json_integer(json, "height", row->height);
    json_integer(json, "limit", row->limit);
    json_text(json, "numbers", number_names[row->number]);
    json_real(json, "seconds", row->seconds);
    json_count(json, "iterations", row->iterations);
    json_real(json, "of_ceiling", row->of_ceiling);
    json_real(json, "of_goal", row->of_allowed);
    json_close(json, '}');
}

static enum status bench_json(const struct bench_options *options)
{
    struct bench_device device = {0};
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "suite", "direct");
    json_open(&json, "rows", '[');
    enum status status = bench_direct(options, &device, json_row, &json);
    json_close(&json, ']');
    json_text(&json, "backend", device.backend);
    json_integer(&json, "threads", device.threads);
    json_integer(&json, "repeats", options->repeats);
    json_real(&json, "ceiling_fp32", device.ceiling[NUMBER_FP32]);
    json_real(&json, "ceiling_fp64", device.ceiling[NUMBER_FP64]);
    json_close(&json, '}');
    putchar('\n');
    return status;
}

enum status command_bench(struct invocation *invocation)
{
    const char *suite = invocation->arguments.operand;
    if (suite && strcmp(suite, "direct") != 0)
        return status_fail(STATUS_USAGE, "unknown suite '%s'; known: direct", suite);
    struct bench_options options = {
        .backend = config_text(&invocation->config, OPTION_COMPUTE_BACKEND),
        .threads = (int)config_integer(&invocation->config, OPTION_COMPUTE_THREADS),
        .repeats = BENCH_REPEATS,
        .stop = &stop_requested};
    struct bench_device device = {0};
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return bench_json(&options);
    print_head();
    TRY(bench_direct(&options, &device, print_row, NULL));
    print_foot(&device, options.repeats);
    return STATUS_OK;
}
