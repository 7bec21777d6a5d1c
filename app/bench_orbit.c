#include "app/bench_orbit.h"

#include <stdio.h>

#include "render/json.h"
#include "app/stop.h"
#include "render/bench.h"
#include "render/bench_orbit.h"

static void print_row(void *context, const struct bench_orbit_row *row)
{
    bool *headed = context;
    if (!*headed)
        printf("%7s %10s %12s %8s %8s %12s %8s %8s\n", "bits", "us", "MPFR us", "faster", "of goal",
               "threads us", "faster", "threads");
    *headed = true;
    printf("%7ld %10.3f %12.3f %8.2f %8.2f %12.3f %8.2f %8d\n", row->bits, 1e6 * row->one_s,
           1e6 * row->mpfr_s, row->faster_by_one, row->of_goal, 1e6 * row->all_s,
           row->faster_by_all, row->threads);
    fflush(stdout);
}

static void json_row(void *context, const struct bench_orbit_row *row)
{
    struct json *json = context;
    json_open(json, NULL, '{');
    json_integer(json, "bits", row->bits);
    json_integer(json, "steps", row->steps);
    json_real(json, "step_s", row->one_s);
    json_real(json, "step_threads_s", row->all_s);
    json_real(json, "step_mpfr_s", row->mpfr_s);
    json_real(json, "faster", row->faster_by_one);
    json_real(json, "faster_threads", row->faster_by_all);
    json_integer(json, "threads", row->threads);
    json_real(json, "goal", row->goal);
    json_real(json, "of_goal", row->of_goal);
    json_close(json);
}

enum status bench_orbit_run(const struct invocation *invocation)
{
    struct bench_orbit_options options = {
        .threads = (int)config_integer(&invocation->config, OPTION_COMPUTE_THREADS),
        .repeats = BENCH_REPEATS,
        .stop = &stop_requested};
    struct json json = {.stream = stdout};
    bool headed = false;
    if (!arguments_has(&invocation->arguments, OPTION_JSON)) {
        TRY(bench_orbit(&options, print_row, &headed));
        printf("\nus: one step of a reference orbit on one thread; MPFR us: three squares, at the\n"
               "same precision in the same turns; medians of %d. threads us: with all threads,\n"
               "of which the last column were taken. Goals: 2.5 times as fast at 256 bits, 1.3 at\n"
               "1024, never slower; of goal: 1 or less reaches it.\n",
               options.repeats);
        return STATUS_OK;
    }
    json_open(&json, NULL, '{');
    json_text(&json, "suite", "orbit");
    json_integer(&json, "repeats", options.repeats);
    json_open(&json, "rows", '[');
    enum status status = bench_orbit(&options, json_row, &json);
    json_close(&json);
    json_close(&json);
    putchar('\n');
    return status;
}
