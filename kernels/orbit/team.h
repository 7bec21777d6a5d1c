/* A team of threads that share every single step of an orbit.
 *
 * A step takes microseconds, so its helpers do not sleep between two: they poll a counter, and
 * yield their core only when there are no jobs for a while. One parallel region of OpenMP holds
 * some milliseconds of steps. Who does which jobs of fixed.h changes no result. */
#ifndef KERNELS_ORBIT_TEAM_H
#define KERNELS_ORBIT_TEAM_H

#include <stdatomic.h>

#include "kernels/orbit/fixed.h"

enum { TEAM_MOST = SPECTRUM_THREADS_MOST, TEAM_LINE = 64 };

struct team {
    struct fixed *fixed; /* another one only between two steps */
    int size;            /* 1, 2, 3 or TEAM_MOST */
    int phase;           /* the phase to be done */
    struct {
        _Alignas(TEAM_LINE) atomic_uint count;
    } asked, done[TEAM_MOST]; /* phases; each on a cache line of its own */
    atomic_int dismissed;
};

/* Are the numbers long enough for a team to be tried? */
bool team_may_pay(const struct fixed *fixed);

/* The largest team that so many threads make. */
int team_size(int threads);

/* Takes one step, as the leader. */
void team_step(struct team *team);

/* Calls steps(argument, team) as the leader of a team of up to `threads`, whose others help in
 * team_step meanwhile; team: NULL if there is only one thread. Returns its status, with its
 * sentence.
 */
typedef enum status team_steps(void *argument, struct team *team);
enum status team_run(struct fixed *fixed, int threads, team_steps *steps, void *argument);

#endif
