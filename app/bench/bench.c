#include "app/bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "app/bench/scaling_report.h"
#include "decomposition/world/world.h"
#include "library/text/convert.h"
#include "library/text/spelling.h"

/* Bits of the options that a suite goes by. */
enum {
    BACKEND = 1,
    DEVICES = 2,
    THREADS = 4,
    SHARES = 8, /* devices of each rank */
    RANKS = 16,
    TILE = 32,
    ACCURACY = 64,
    SIZE = 128,
    FORMULA = 256,
    PRECISION = 512,
    DIRECT = BACKEND | DEVICES | THREADS
};

static const struct suite {
    const char *name;
    enum command_ranks ranks;
    unsigned uses;
    enum status (*run)(const struct invocation *invocation);
} suites[] = {
    {"direct", RANKS_ROOT, DIRECT | SHARES, bench_direct},
    {"formula", RANKS_ROOT, DIRECT | ACCURACY | FORMULA | PRECISION, bench_formula},
    {"orbit", RANKS_ROOT, THREADS, bench_orbit},
    {"deep", RANKS_ROOT, BACKEND | THREADS | ACCURACY | SIZE | PRECISION, bench_deep},
    {"transport", RANKS_ALL, DIRECT | SHARES | RANKS, bench_transport},
    {"scaling", RANKS_ALL, DIRECT | SHARES | RANKS | TILE, bench_scaling},
};
enum { SUITES = sizeof suites / sizeof *suites };

const char *bench_suite_name(int number)
{
    return number < SUITES ? suites[number].name : NULL;
}

static enum status suite_named(const char *name, int *suite)
{
    char shown[SHOWN_BYTES], hint[96];
    struct spelling spelling = spelling_of(name ? name : "");
    for (*suite = 0; *suite < SUITES; ++*suite) {
        if (!name || !strcmp(name, suites[*suite].name))
            return STATUS_OK;
        spelling_offer(&spelling, suites[*suite].name);
    }
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(
        STATUS_USAGE,
        "unknown suite '%s'; known: direct, formula, orbit, deep, transport, scaling%s",
        text_shown(name, shown), hint);
}

static enum status flags_check(const struct suite *suite, const struct arguments *arguments)
{
    const bool forecast = arguments_has(arguments, OPTION_FORECAST);
    const unsigned uses = suite->uses & ~(forecast ? SIZE | ACCURACY | PRECISION : 0);
    char why[64];
    snprintf(why, sizeof why, "suite %s does not use it", suite->name);
    if (forecast && suite->run == bench_deep)
        snprintf(why, sizeof why, "--forecast is for 3840x2160, 0.01 px and all number types");
    const struct idle_flag flags[] = {
        {OPTION_FORECAST, suite->run != bench_deep, why},
        {OPTION_BENCH_REPORT, suite->run != bench_scaling, why},
        {OPTION_FORCE, !arguments_has(arguments, OPTION_BENCH_REPORT),
         "no file is written without --report"},
        {OPTION_VIEW_SIZE, !(uses & SIZE), why},
        {OPTION_VIEW_FORMULA, !(uses & FORMULA), why},
        {OPTION_COMPUTE_ACCURACY, !(uses & ACCURACY), why},
        {OPTION_EXACT, !(uses & ACCURACY), why},
        {OPTION_COMPUTE_PRECISION, !(uses & PRECISION), why},
        {OPTION_COMPUTE_BACKEND, !(uses & BACKEND), why},
        {OPTION_COMPUTE_DEVICES, !(uses & DEVICES), why},
        {OPTION_COMPUTE_DEVICES_PER_RANK, !(uses & SHARES), why},
        {OPTION_COMPUTE_THREADS, !(uses & THREADS), why},
        {OPTION_COMPUTE_TILE, !(uses & TILE), why},
        {OPTION_COMPUTE_RANKS, !(uses & RANKS), why},
        {OPTION_COMPUTE_MPI_DEVICE, !(uses & RANKS), why},
    };
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

enum overwrite bench_overwrite(const struct arguments *arguments)
{
    return arguments_has(arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO;
}

/* A report that cannot be written is refused before minutes of measurements. */
static enum status report_check(const struct arguments *arguments)
{
    const char *path = arguments_last(arguments, OPTION_BENCH_REPORT);
    return path ? scaling_report_check(path, bench_overwrite(arguments)) : STATUS_OK;
}

/* Collective: rank 0 says which suite. */
enum status command_bench(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0;
    int suite = 0;
    enum status mine = root ? suite_named(invocation->arguments.operand, &suite) : STATUS_OK;
    if (root && mine == STATUS_OK)
        mine = flags_check(&suites[suite], &invocation->arguments);
    if (root && mine == STATUS_OK)
        mine = report_check(&invocation->arguments);
    TRY(world_tell(world, mine, &suite, sizeof suite));
    return root || suites[suite].ranks == RANKS_ALL ? suites[suite].run(invocation) : STATUS_OK;
}
