#include "app/bench_studio.h"

#include <stdio.h>

#include "render/json.h"
#include "app/order.h"
#include "app/stop.h"
#include "render/bench.h"
#include "render/bench_studio.h"

struct table { /* on its way to stdout */
    struct json *json;
    bool headed;
};

static void scaling_print(void *context, const struct scaling_row *row)
{
    struct table *table = context;
    if (!table->headed)
        printf("%-14s %11s %6s %8s %9s %8s %10s %7s %9s %6s %9s\n", "view", "size", "limit",
               "devices", "ms", "speed-up", "efficiency", "idle", "busy ms", "tiles", "G iterat.");
    table->headed = true;
    printf("%-14s %4d x %-4d %6lld %8d %9.3f %8.2f %8.1f %% %5.1f %% %9.3f %6u %9.2f\n", row->name,
           row->width, row->height, (long long)row->limit, row->devices, 1e3 * row->seconds,
           row->speedup, 100 * row->speedup / row->devices, 100 * row->idle, 1e3 * row->compute_s,
           row->tiles, 1e-9 * (double)row->iterations);
    fflush(stdout);
}

static void scaling_json(void *context, const struct scaling_row *row)
{
    struct json *json = ((struct table *)context)->json;
    json_open(json, NULL, '{');
    json_text(json, "view", row->name);
    json_integer(json, "width", row->width);
    json_integer(json, "height", row->height);
    json_integer(json, "limit", row->limit);
    json_integer(json, "devices", row->devices);
    json_real(json, "seconds", row->seconds);
    json_real(json, "speedup", row->speedup);
    json_real(json, "efficiency", row->speedup / row->devices);
    json_real(json, "idle", row->idle);
    json_real(json, "busy_s", row->compute_s);
    json_count(json, "iterations", row->iterations);
    json_count(json, "bytes", row->bytes);
    json_count(json, "tiles", row->tiles);
    json_close(json);
}

static void transport_print(void *context, const struct transport_row *row)
{
    struct table *table = context;
    if (!table->headed)
        printf("%-8s %11s %8s %9s %9s %10s %9s %10s %7s %9s\n", "road", "size", "devices", "MB",
               "ms", "GB/s", "plain ms", "plain GB/s", "ratio", "sends ms");
    table->headed = true;
    double mb = 1e-6 * (double)row->bytes;
    printf("%-8s %4d x %-4d %8d %9.1f ", row->road, row->width, row->height, row->devices, mb);
    if (row->why)
        printf("%9s  %s\n", "-", row->why);
    else
        printf("%9.3f %10.2f %9.3f %10.2f %7.2f", 1e3 * row->seconds, 1e-3 * mb / row->seconds,
               1e3 * row->plain_s, 1e-3 * mb / row->plain_s, row->seconds / row->plain_s);
    if (!row->why && row->sends_s > 0)
        printf(" %9.3f", 1e3 * row->sends_s);
    if (!row->why)
        putchar('\n');
    fflush(stdout);
}

static void transport_json(void *context, const struct transport_row *row)
{
    struct json *json = ((struct table *)context)->json;
    json_open(json, NULL, '{');
    json_text(json, "road", row->road);
    json_integer(json, "width", row->width);
    json_integer(json, "height", row->height);
    json_integer(json, "devices", row->devices);
    json_count(json, "bytes", row->bytes);
    json_real(json, "seconds", row->seconds);
    json_real(json, "plain_s", row->plain_s);
    json_real(json, "sends_s", row->sends_s);
    json_real(json, "ratio", row->why ? 0 : row->seconds / row->plain_s);
    json_text(json, "why_not", row->why);
    json_close(json);
}

static void foot_print(const struct studio *studio, enum bench_suite suite)
{
    printf("\nbackend %s%s, %d devices of %d computing ranks of %d; medians of %d\n",
           studio_backend(studio), studio->facts.mixed ? " and others" : "", studio->facts.devices,
           studio->facts.computing_ranks, studio->facts.ranks, BENCH_REPEATS);
    if (suite == BENCH_SCALING)
        printf("ms: until the count plane of the whole picture is in rank 0's memory, from the\n"
               "moment that all ranks know what is wanted. idle: part of that time in which lanes\n"
               "(threads that feed devices) computed nothing. busy ms: of the busiest device.\n");
    else
        printf("ms: a whole job of 2 tiles per device, which copies them instead of computing.\n"
               "plain: the same copies with nothing around them but a barrier, into the picture;\n"
               "of roads of messages into memory of the rank, and from there MPI_Isend to\n"
               "MPI_Irecv in the picture. ratio: ms over plain. sends: those of MPI alone.\n");
}

static enum status suite_run(struct studio *studio, enum bench_suite suite,
                             const struct bench_calls *calls)
{
    return suite == BENCH_SCALING ? bench_scaling(studio, calls, BENCH_REPEATS)
                                  : bench_transport(studio, calls, BENCH_REPEATS);
}

static enum status root_run(struct invocation *invocation, struct studio *studio,
                            enum bench_suite suite)
{
    struct json json = {.stream = stdout};
    struct table table = {.json = &json};
    bool as_json = arguments_has(&invocation->arguments, OPTION_JSON);
    struct bench_calls calls = {
        .scaling = as_json ? scaling_json : scaling_print,
        .transport = as_json ? transport_json : transport_print,
        .context = &table,
        .tile_px = (int32_t)config_integer(&invocation->config, OPTION_COMPUTE_TILE),
        .stop = &stop_requested};
    if (as_json) {
        json_open(&json, NULL, '{');
        json_text(&json, "suite", suite == BENCH_SCALING ? "scaling" : "transport");
        json_text(&json, "backend", studio_backend(studio));
        json_integer(&json, "ranks", studio->facts.ranks);
        json_integer(&json, "repeats", BENCH_REPEATS);
        json_open(&json, "rows", '[');
    }
    enum status status = suite_run(studio, suite, &calls);
    if (as_json) {
        json_close(&json);
        json_close(&json);
        putchar('\n');
    } else if (status == STATUS_OK)
        foot_print(studio, suite);
    return status;
}

enum status bench_studio_run(struct invocation *invocation, enum bench_suite suite)
{
    bool root = world_rank(invocation->world) == 0;
    struct studio_options options = {0};
    struct studio *studio;
    if (root)
        options = order_studio(&invocation->config, CANVAS_MANY);
    TRY(studio_open(&studio, invocation->world, root ? &options : NULL));
    enum status status =
        root ? root_run(invocation, studio, suite) : suite_run(studio, suite, NULL);
    studio_close(studio);
    return status;
}
