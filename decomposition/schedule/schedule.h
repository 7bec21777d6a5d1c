/* Schedules: who computes which tile, and when. A list of kinds.
 *
 * Workers (the ranks that compute) are numbered 0 ... workers-1. A schedule decides with no
 * communication of its own and is unit-tested with literals; book.c keeps the account of who has
 * what. Workers may be of very different speed (a CPU beside GPUs), lose threads, and give tiles
 * back; without such trouble every tile goes to exactly one worker. */
#ifndef DECOMPOSITION_SCHEDULE_SCHEDULE_H
#define DECOMPOSITION_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct schedule_worker { /* present state of a worker */
    int threads;         /* tiles that it computes at a time; 0: it has lost its devices */
    int credits;         /* tiles that it may have at a time; >= threads, so that none waits idle */
    uint32_t outstanding; /* tiles that it has and has not finished */
    double speed; /* speed of all its threads together, iterations per second; 0 = not known */
};

struct schedule { /* state of one job, on rank 0 */
    uint32_t workers;
    uint32_t left;          /* tiles that nobody has */
    uint64_t threads;       /* threads of all workers */
    double tile_iterations; /* cost of the tile in question as forecast, or mean of the finished
                               tiles; 0 = not known */
    /* As forecast; 0 = not known: */
    double left_iterations;               /* cost of all tiles left */
    double undone_iterations;             /* cost of all tiles left or held by a worker */
    double held_iterations;               /* cost of the tiles that the worker in question has */
    const struct schedule_worker *worker; /* [workers] */
};

struct schedule_kind {
    const char *name;
    const char *summary;
    /* true: every worker can list its tiles itself, knowing only (worker, workers, tile_count);
     * nothing is sent. false: rank 0 hands out tiles as they are asked for. */
    bool is_static;
    /* The k-th tile of a worker, or tile_count when it has no more. Static kinds only. */
    uint32_t (*at)(uint32_t k, uint32_t worker, uint32_t workers, uint32_t tile_count);
    /* Is `worker` to be given another tile now? Asked again whenever something has changed. As long
     * as tiles are left, some worker with nothing to do is given one. Dynamic kinds only. */
    bool (*gives)(const struct schedule *schedule, uint32_t worker);
    /* The tiles left are sorted by forecast, dearest first. What may one for `worker` cost, of what
     * the dearest costs? In (0, 1]. Dynamic kinds only. */
    double (*portion)(const struct schedule *schedule, uint32_t worker);
    /* Nothing is left. Is `worker` to compute a tile that `holder` has had for `held_s` seconds?
     * Whoever is first with it counts. Dynamic kinds only. */
    bool (*backs_up)(const struct schedule *schedule, uint32_t worker, uint32_t holder,
                     double held_s);
};

extern const struct schedule_kind schedule_cyclic, schedule_dynamic;

extern const struct schedule_kind *const schedule_kinds[];
extern const int schedule_kinds_count;

/* NULL if there is none of that name. */
const struct schedule_kind *schedule_named(const char *name);

#endif
