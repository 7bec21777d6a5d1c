/* Parallel efficiency of the schedules among 1 to 4,096 workers. What pixels cost is measured on
 * this processor; the workers are simulated in virtual time (app/bench/schedule_simulation.h). */
#ifndef APP_BENCH_SCHEDULE_H
#define APP_BENCH_SCHEDULE_H

#include <stdint.h>

#include "kernels/status.h"

/* Who is given which tiles: squares of 64 pixels dealt out in turn; the same on demand, from the
 * middle outwards; on demand as the plan cuts them without a forecast; cut and sorted by a forecast
 * from a coarse pass; the same by what the pixels really cost, the best that can be had. */
enum schedule_scheme {
    SCHEME_CYCLIC,
    SCHEME_CENTRE,
    SCHEME_PLANNED,
    SCHEME_FORECAST,
    SCHEME_ORACLE,
    SCHEMES
};

/* The workers: alike, and messages cost nothing, so that only the sharing out counts; alike on
 * one machine; one in four of them 8 times slower; alike at the other end of a network. */
enum schedule_park { PARK_FREE, PARK_BESIDE, PARK_MIXED, PARK_AWAY, PARKS };
extern const char *const schedule_park_names[PARKS];

struct schedule_view { /* a picture of 1920 x 1080 */
    const char *name;
    int64_t limit;
    double interior;     /* part of its pixels that do not escape */
    uint64_t iterations; /* of the whole */
    double pass;         /* what the coarse pass costs, of the whole */
    double dearest;      /* 16 x 16 pixels, of the whole */
};

/* What keeps a park from being busy all the time: the largest of the losses. */
enum schedule_reason {
    REASON_SPREAD,   /* workers end at different times */
    REASON_DEAREST,  /* one tile takes longer than everything else shared out */
    REASON_ROOT,     /* rank 0 is at its messages nearly all the time */
    REASON_STARVED,  /* workers wait for their next tile */
    REASON_OVERHEAD, /* tiles' own */
    REASON_LATENCY,  /* the first tile's way there and the last one's way back */
    REASONS
};

struct schedule_row {
    const struct schedule_view *view;
    enum schedule_park park;
    uint32_t workers;
    double efficiency[SCHEMES]; /* all iterations over all speeds, over the time it takes */
    uint32_t tiles[SCHEMES];
    double seconds;              /* SCHEME_FORECAST */
    enum schedule_reason reason; /* of what SCHEME_FORECAST loses */
};

struct schedules_options {
    uint32_t workers_least, workers_most; /* doubled from the one to the other */
    const volatile int *stop;             /* may be NULL */
};

enum { SCHEDULE_VIEWS = 3, SCHEDULE_WORKERS_MOST = 4096 };
#define SCHEDULE_SPEED 1e9      /* iterations per second of a worker that is not slow */
#define SCHEDULE_BESIDE_S 20e-6 /* round trip in a machine, naps included */
#define SCHEDULE_AWAY_S 1e-3    /* of a network */
#define SCHEDULE_TILE_S 5e-6    /* of a worker for every tile */
#define SCHEDULE_ROOT_S 1e-6    /* of rank 0 for every message about a tile */

/* Measures the views (with one thread: what several learn of the interior depends on which of them
 * is first), simulates every park and calls `row` for each line as soon as it is known. Blocks
 * for some ten seconds. */
enum status schedules_compare(const struct schedules_options *options,
                              void (*row)(void *context, const struct schedule_row *row),
                              void *context);

#endif
