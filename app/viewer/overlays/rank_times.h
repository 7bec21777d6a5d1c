/* Where the time of each rank went in the last seconds: columns of a strip chart. Pure.
 *
 * The engine tells sums, of which what has been added since is given to the newest column. A result
 * tells its time when it has come, so what a column has no room for belongs to those before. */
#ifndef APP_VIEWER_OVERLAYS_RANK_TIMES_H
#define APP_VIEWER_OVERLAYS_RANK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"

#define RANK_TIMES_COLUMN_S 0.1
enum { RANK_TIMES_COLUMNS = 100, RANK_TIMES_ROWS = 8 };

enum rank_time {
    RANK_COMPUTES,
    RANK_TRANSFERS, /* results on their way to rank 0 */
    RANK_COMPOSES,  /* rank 0 puts them into the picture */
    RANK_WAITS,     /* there is something to compute, but not for this rank */
    RANK_TIMES
};

struct rank_times_column {
    float part[RANK_TIMES]; /* seconds; RANK_WAITS is not kept */
    float work;             /* seconds in which there was something to compute */
    bool out;               /* the rank was left out */
};

/* A row is rank 0, or a worker; where there are more than rows, the mean of several workers. */
struct rank_times {
    int rows;
    bool root; /* the first row is rank 0, which is no worker */
    int workers;
    int64_t column; /* number of the newest */
    struct rank_times_column at[RANK_TIMES_ROWS][RANK_TIMES_COLUMNS];
    double told_s; /* when sums were told last; 0: not yet */
    struct rank_times_sums {
        double compute_s[RANK_TIMES_ROWS], transfer_s[RANK_TIMES_ROWS], compose_s, work_s;
    } sums;
};

/* Adds what the engine tells now. A zeroed struct has no columns yet. */
void rank_times_add(struct rank_times *times, const deepfield_live_state *state, double now_s);

/* Shares of a column of a row, `age` columns before the newest, 0 ... 1 together. False: it was
 * left out then. */
bool rank_times_shares(const struct rank_times *times, int row, int age, double share[RANK_TIMES]);

/* First worker of a row, and the one behind its last; both 0: rank 0 alone. */
void rank_times_workers(const struct rank_times *times, int row, int *first, int *end);

#endif
