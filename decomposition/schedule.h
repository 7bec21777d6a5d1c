/* Who computes which tile, and when? A list of kinds.
 *
 * Workers (the ranks that compute) are numbered 0 ... workers-1. A schedule object lives on rank 0,
 * decides with no communication of its own, and is unit-tested with literals; job.c carries its
 * decisions to the ranks. */
#ifndef DECOMPOSITION_SCHEDULE_H
#define DECOMPOSITION_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct schedule;

struct schedule_kind {
    const char *name;
    const char *summary;
    /* true: every worker can list its tiles itself, knowing only (worker, workers, tile_count);
     * nothing is sent. false: rank 0 hands out tiles as they are asked for. */
    bool is_static;
    /* The k-th tile of a worker, or tile_count when it has no more. Static schedules only. */
    uint32_t (*at)(uint32_t k, uint32_t worker, uint32_t workers, uint32_t tile_count);
    /* The next tile for `worker`, or tile_count when none is left. Dynamic schedules only. */
    uint32_t (*next)(struct schedule *schedule, uint32_t worker);
};

extern const struct schedule_kind *const schedule_kinds[];
extern const int schedule_kinds_count;

/* NULL if there is none of that name. */
const struct schedule_kind *schedule_named(const char *name);

#endif
