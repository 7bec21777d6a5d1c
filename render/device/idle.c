#include "render/device/idle.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/world/launcher.h"
#include "kernels/backend.h"

struct idle_rank idle_rank_make(bool computes, int gpus, const char *host)
{
    struct idle_rank rank = {.computes = computes,
                             .driven = gpus,
                             .bound = backend_cores_usable(),
                             .gpus = launcher_gpus()};
    if (rank.bound < sysconf(_SC_NPROCESSORS_ONLN))
        rank.cores = launcher_cores();
    snprintf(rank.host, sizeof rank.host, "%s", host);
    return rank;
}

/* The cores of the machine of this rank. GPUs need few of them. */
static struct idle host_sum(const struct idle_rank *rank, int ranks, const char *host)
{
    struct idle sum = {.ranks = 0};
    for (int i = 0; i < ranks; i++) {
        if (!rank[i].computes || rank[i].driven || strcmp(rank[i].host, host) != 0)
            continue;
        sum.ranks++;
        sum.bound += rank[i].bound;
        sum.cores = rank[i].cores > sum.cores ? rank[i].cores : sum.cores;
    }
    return sum;
}

/* Quadratic in the number of machines, which are few. */
static void cores_find(struct idle *idle, const struct idle_rank *rank, int ranks)
{
    const char *last = "";
    for (int i = 0; i < ranks; i++) {
        if (!rank[i].computes || rank[i].driven || !strcmp(rank[i].host, last))
            continue;
        last = rank[i].host;
        struct idle sum = host_sum(rank, ranks, last);
        if (2 * sum.bound > sum.cores || sum.cores - sum.bound <= idle->cores - idle->bound)
            continue;
        idle->ranks = sum.ranks;
        idle->bound = sum.bound;
        idle->cores = sum.cores;
        snprintf(idle->core_host, sizeof idle->core_host, "%s", last);
    }
}

void idle_find(struct idle *idle, const struct idle_rank *rank, int ranks)
{
    *idle = (struct idle){.ranks = 0};
    cores_find(idle, rank, ranks);
    for (int i = 0; i < ranks; i++) {
        if (rank[i].driven) {
            idle->gpus = 0;
            return;
        }
        if (rank[i].gpus <= idle->gpus)
            continue;
        idle->gpus = rank[i].gpus;
        snprintf(idle->gpu_host, sizeof idle->gpu_host, "%s", rank[i].host);
    }
}

bool idle_cores_text(const struct idle *idle, char text[IDLE_TEXT_BYTES])
{
    char remedy[LAUNCHER_REMEDY_BYTES];
    if (!idle->ranks)
        return false;
    launcher_unbound_text(idle->cores / idle->ranks, remedy);
    snprintf(text, IDLE_TEXT_BYTES,
             "%d of %d cores of %s compute, since the launcher has bound the ranks to them; %s",
             idle->bound, idle->cores, idle->core_host, remedy);
    return true;
}

bool idle_gpus_text(const struct idle *idle, char text[IDLE_TEXT_BYTES])
{
    char why[512] = "";
    if (!idle->gpus)
        return false;
    backend_kinds[0]->missing(why, sizeof why);
    snprintf(text, IDLE_TEXT_BYTES, "%d GPU%s given to this job on %s, and none computes: %s",
             idle->gpus, idle->gpus > 1 ? "s are" : " is", idle->gpu_host, why);
    return true;
}
