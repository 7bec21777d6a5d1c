/* A team of threads that share every single step of an orbit.
 *
 * A step takes microseconds, so its helpers do not sleep between two: they watch a counter, and
 * give their core away only when nothing comes for a while. One parallel region of OpenMP holds
 * some milliseconds of steps. Who does which jobs of fixed.h changes no result. */
#ifndef KERNELS_ORBIT_TEAM_H
#define KERNELS_ORBIT_TEAM_H

#include <stdatomic.h>

#include "kernels/orbit/fixed.h"

enum { TEAM_MOST = SPECTRUM_THREADS_MOST, TEAM_LINE = 64 };

struct team {
    struct fixed *fixed; /* another one only between two steps */
    int size;            /* 1, 2, 3 or TEAM_MOST */
    int phase;           /* that is asked for */
    struct {
        _Alignas(TEAM_LINE) atomic_uint count;
    } asked, done[TEAM_MOST]; /* phases; each on a cache line of its own */
    atomic_int dismissed;
};

/* The largest team that so many threads make. */
int team_size(int threads);

/* One step, by the leader. */
void team_step(struct team *team);

/* The others: help until dismissed. */
void team_help(struct team *team, int member);
void team_dismiss(struct team *team);

#endif
