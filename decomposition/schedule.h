/* Who computes which tile, and when? A list of kinds.
 *
 * Workers (the ranks that compute) are numbered 0 ... workers-1. A schedule decides with no
 * communication of its own and is unit-tested with literals; job.c carries its decisions to the
 * ranks. Every tile goes to exactly one worker. */
#ifndef DECOMPOSITION_SCHEDULE_H
#define DECOMPOSITION_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

/* A worker is given at most this many tiles that it has not finished yet: one to compute, and one
 * so that it need not wait for the answer of rank 0. A deeper queue only lengthens the tail. */
enum { SCHEDULE_CREDITS = 2 };

struct schedule { /* of one job; on rank 0 for a dynamic kind */
    uint32_t workers, tile_count;
    uint32_t taken; /* tiles handed out so far; written by next() */
};

struct schedule_kind {
    const char *name;
    const char *summary;
    /* true: every worker can list its tiles itself, knowing only (worker, workers, tile_count);
     * nothing is sent. false: rank 0 hands out tiles as they are asked for. */
    bool is_static;
    /* The k-th tile of a worker, or tile_count when it has no more. Static kinds only. */
    uint32_t (*at)(uint32_t k, uint32_t worker, uint32_t workers, uint32_t tile_count);
    /* The next tile for `worker`, which has `outstanding` unfinished ones; tile_count when there
     * is none for it now. It is asked again when a tile of this worker is finished; with
     * outstanding == 0 "none now" means "none any more". Dynamic kinds only. */
    uint32_t (*next)(struct schedule *schedule, uint32_t worker, uint32_t outstanding);
};

extern const struct schedule_kind schedule_cyclic, schedule_dynamic;

extern const struct schedule_kind *const schedule_kinds[];
extern const int schedule_kinds_count;

/* NULL if there is none of that name. */
const struct schedule_kind *schedule_named(const char *name);

#endif
