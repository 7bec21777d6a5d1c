/* deepfield bench: how fast is this machine, measured against its own limit? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench_deep.h"
#include "app/bench_orbit.h"
#include "app/bench_schedule.h"
#include "app/bench_studio.h"
#include "app/convert.h"
#include "render/json.h"
#include "app/nearest.h"
#include "app/stop.h"
#include "render/bench.h"

static const char *const number_names[NUMBERS] = {[NUMBER_FP32] = "fp32", [NUMBER_FP64] = "fp64"};

static void print_goal(char *text, size_t bytes, const struct bench_row *row)
{
    snprintf(text, bytes, "-");
    if (row->of_allowed > 0)
        snprintf(text, bytes, "%.2f", row->of_allowed);
}

struct table { /* of suite direct, on its way to stdout */
    struct bench_device device;
    bool headed;
};

static void print_head(const struct bench_device *device)
{
    printf("%-17s %11s %6s  %4s %9s ", "view", "size", "limit", "type", "ms");
    if (device->wide)
        printf("%9s %11s %8s %9s %9s\n", "kernel ms", "T iterat.", "T/s", "limit", "of goal");
    else
        printf("%11s %8s %9s %9s\n", "G iterat.", "G/s", "ceiling", "of goal");
}

static void print_row(void *context, const struct bench_row *row)
{
    struct table *table = context;
    const struct bench_device *device = &table->device;
    char of_goal[16];
    if (!table->headed)
        print_head(device);
    table->headed = true;
    print_goal(of_goal, sizeof of_goal, row);
    printf("%-17s %4d x %-4d %6lld  %s %9.2f ", row->name, row->width, row->height,
           (long long)row->limit, number_names[row->number], 1e3 * row->seconds);
    if (device->wide)
        printf("%9.2f %11.4f %8.3f %7.1f %% %9s\n", 1e3 * row->kernel_s,
               1e-12 * (double)row->iterations, 1e-12 * (double)row->iterations / row->kernel_s,
               100 * row->of_limit, of_goal);
    else
        printf("%11.3f %8.2f %7.1f %% %9s\n", 1e-9 * (double)row->iterations,
               1e-9 * (double)row->iterations / row->seconds, 100 * row->of_ceiling, of_goal);
    fflush(stdout);
}

static void print_foot(const struct bench_device *device, int repeats)
{
    const double *ceiling = device->ceiling, *limit = device->facts.limit;
    if (device->wide) {
        printf(
            "\n%s %s: its units can issue fp32 %.2f, fp64 %.2f T iterations/s; the plain\n"
            "unchecked loop reaches fp32 %.2f, fp64 %.2f.\n"
            "ms: until the count plane, or all planes, are in pinned host memory; kernel ms: by\n"
            "the device's clock; medians of %d. T/s and limit (part of what can be issued): while\n"
            "kernels ran. of goal: over the goal's figure; 1 or less reaches it. Goals: interior\n"
            "92 %% (fp64) and 88 %% (fp32) of the limit; 1, 3, 32 and 25 ms.\n",
            device->facts.name, device->facts.bus, 1e-12 * limit[NUMBER_FP32],
            1e-12 * limit[NUMBER_FP64], 1e-12 * ceiling[NUMBER_FP32], 1e-12 * ceiling[NUMBER_FP64],
            repeats);
        return;
    }
    printf("\nbackend %s, %d threads; ceiling (plain unchecked loop, same threads, same run): "
           "fp32 %.2f, fp64 %.2f G iterations/s\n"
           "ms: count and fraction planes, or all planes, in memory, median of %d. ceiling: part\n"
           "of the ceiling measured just before and after. of goal: time over the goal's; 1 or\n"
           "less reaches it. Goals: interior 85 %% of the ceiling; whole set 0.5 G iterations at\n"
           "the ceiling; seahorse 1.6 times its own iterations at the ceiling.\n",
           device->backend, device->threads, 1e-9 * ceiling[NUMBER_FP32],
           1e-9 * ceiling[NUMBER_FP64], repeats);
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
    json_real(json, "kernel_s", row->kernel_s);
    json_count(json, "iterations", row->iterations);
    json_real(json, "of_ceiling", row->of_ceiling);
    json_real(json, "of_limit", row->of_limit);
    json_real(json, "of_goal", row->of_allowed);
    json_close(json);
}

static enum status bench_json(const struct bench_options *options)
{
    struct bench_device device = {0};
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "suite", "direct");
    json_open(&json, "rows", '[');
    enum status status = bench_direct(options, &device, json_row, &json);
    json_close(&json);
    json_text(&json, "backend", device.backend);
    json_text(&json, "device", device.facts.name);
    json_integer(&json, "threads", device.threads);
    json_integer(&json, "repeats", options->repeats);
    json_real(&json, "ceiling_fp32", device.ceiling[NUMBER_FP32]);
    json_real(&json, "ceiling_fp64", device.ceiling[NUMBER_FP64]);
    json_real(&json, "limit_fp32", device.facts.limit[NUMBER_FP32]);
    json_real(&json, "limit_fp64", device.facts.limit[NUMBER_FP64]);
    json_close(&json);
    putchar('\n');
    return status;
}

/* One device: the first of those chosen. */
static int device_first(const struct config *config)
{
    uint64_t chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES);
    return chosen ? __builtin_ctzll(chosen) : 0;
}

static enum status direct_run(const struct invocation *invocation)
{
    if (config_integer(&invocation->config, OPTION_COMPUTE_DEVICES_PER_RANK) > 1)
        return status_fail(STATUS_CONFIG, "suite direct measures one device, the first of "
                                          "--devices; --devices-per-rank is for the others");
    struct bench_options options = {
        .backend = config_text(&invocation->config, OPTION_COMPUTE_BACKEND),
        .device = device_first(&invocation->config),
        .threads = (int)config_integer(&invocation->config, OPTION_COMPUTE_THREADS),
        .repeats = BENCH_REPEATS,
        .stop = &stop_requested};
    struct table table = {.headed = false};
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return bench_json(&options);
    TRY(bench_direct(&options, &table.device, print_row, &table));
    print_foot(&table.device, options.repeats);
    return STATUS_OK;
}

static enum status suite_named(const char *name, enum bench_suite *suite)
{
    static const char *const names[BENCH_SUITES] = {"direct",    "orbit",   "deep",
                                                    "transport", "scaling", "schedule"};
    for (int i = 0; i < BENCH_SUITES; i++)
        if (!name || !strcmp(name, names[i])) {
            *suite = (enum bench_suite)i;
            return STATUS_OK;
        }
    char shown[SHOWN_BYTES], hint[96];
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < BENCH_SUITES; i++)
        nearest_offer(&nearest, names[i]);
    nearest_hint(&nearest, hint, sizeof hint);
    return status_fail(STATUS_USAGE,
                       "unknown suite '%s'; known: direct, orbit, deep, transport, scaling, "
                       "schedule%s",
                       text_shown(name, shown), hint);
}

/* Collective: rank 0 says which suite. */
enum status command_bench(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0;
    enum bench_suite suite = BENCH_DIRECT;
    enum status mine =
        root ? suite_named(invocation->arguments.operand, &suite) : STATUS_OK;
    TRY(world_tell(world, mine, &suite, sizeof suite));
    if (suite == BENCH_TRANSPORT || suite == BENCH_SCALING)
        return bench_studio_run(invocation, suite);
    if (!root)
        return STATUS_OK;
    if (suite == BENCH_DEEP)
        return bench_deep_run(invocation);
    if (suite == BENCH_SCHEDULE)
        return bench_schedule_run(invocation);
    return suite == BENCH_ORBIT ? bench_orbit_run(invocation) : direct_run(invocation);
}
