/* Discrete-event simulation of a job: how long workers take for a list of tiles, in virtual time.
 *
 * Who is given what is decided by the very code of a job (decomposition/schedule/task_table.h,
 * schedules): only the computing and the messages are simulated. A worker has one thread and two
 * tiles at a time. Rank 0 hears and answers one message after the other. */
#ifndef APP_BENCH_SCHEDULE_SIMULATION_H
#define APP_BENCH_SCHEDULE_SIMULATION_H

#include <stdint.h>

#include "decomposition/schedule/forecast.h"
#include "decomposition/schedule/schedule.h"
#include "kernels/status.h"

struct simulated_job {
    const struct schedule_kind *schedule;
    const double *cost;    /* [tiles] iterations that a tile really takes */
    const float *forecast; /* [tiles] what the list was sorted by; NULL: none */
    uint32_t tiles, workers;
    const double *speed; /* [workers] iterations per second; they say so when they introduce
                            themselves */
    struct forecast_overhead overhead;
};

struct simulation_report {
    double seconds;    /* until rank 0 has heard of the last tile */
    double ideal_s;    /* all iterations over all speeds */
    double dearest_s;  /* the longest that a worker was at one tile */
    double root_s;     /* rank 0 was busy */
    double starved_s;  /* of the mean worker, between its tiles */
    double overhead_s; /* tile_s, of the mean worker */
    uint32_t twice;    /* tiles that a second worker was given */
};

enum status schedule_simulate(const struct simulated_job *job, struct simulation_report *report);

#endif
