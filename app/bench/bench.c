#include "app/bench/bench.h"

#include <string.h>

#include "app/convert.h"
#include "app/spelling.h"

static const struct suite {
    const char *name;
    enum command_ranks ranks;
    enum status (*run)(const struct invocation *invocation);
} suites[] = {
    {"direct", RANKS_ROOT, bench_direct},      {"formula", RANKS_ROOT, bench_formula},
    {"orbit", RANKS_ROOT, bench_orbit},        {"deep", RANKS_ROOT, bench_deep},
    {"transport", RANKS_ALL, bench_transport}, {"scaling", RANKS_ALL, bench_scaling},
    {"schedule", RANKS_ROOT, bench_schedule},
};
enum { SUITES = sizeof suites / sizeof *suites };

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
        "unknown suite '%s'; known: direct, formula, orbit, deep, transport, scaling, "
        "schedule%s",
        text_shown(name, shown), hint);
}

/* Collective: rank 0 says which suite. */
enum status command_bench(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0;
    int suite = 0;
    enum status mine = root ? suite_named(invocation->arguments.operand, &suite) : STATUS_OK;
    TRY(world_tell(world, mine, &suite, sizeof suite));
    return root || suites[suite].ranks == RANKS_ALL ? suites[suite].run(invocation) : STATUS_OK;
}
