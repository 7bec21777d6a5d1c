#include "kernels/orbit/team.h"

#include <sched.h>

enum { LOOKS_BEFORE_YIELD = 4000 }; /* some ten microseconds */

/* Who does which job, for each size. Jobs 0 to 2 take about three times as long as jobs 3 to 5. */
static const unsigned char member_of_job[TEAM_MOST + 1][FIXED_JOBS] = {
    [1] = {0, 0, 0, 0, 0, 0},
    [2] = {0, 0, 1, 1, 1, 1},
    [3] = {0, 1, 2, 0, 1, 2},
    [6] = {0, 1, 2, 3, 4, 5},
};

int team_size(int threads)
{
    return threads >= TEAM_MOST ? TEAM_MOST : threads > 3 ? 3 : threads < 1 ? 1 : threads;
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void look_again(int *looks)
{
    if (++*looks < LOOKS_BEFORE_YIELD)
        pause_briefly();
    else
        sched_yield();
}

static void jobs_do(struct team *team, int member)
{
    for (int job = 0; job < FIXED_JOBS; job++)
        if (member_of_job[team->size][job] == member)
            fixed_job(team->fixed, job);
}

void team_step(struct team *team)
{
    fixed_step_begin(team->fixed);
    unsigned step = 1 + atomic_fetch_add_explicit(&team->asked.count, 1, memory_order_release);
    jobs_do(team, 0);
    for (int member = 1; member < team->size; member++)
        for (int looks = 0;
             atomic_load_explicit(&team->done[member].count, memory_order_acquire) != step;)
            look_again(&looks);
    fixed_step_end(team->fixed);
}

void team_help(struct team *team, int member)
{
    for (unsigned step = 0;; step++) {
        for (int looks = 0;
             atomic_load_explicit(&team->asked.count, memory_order_acquire) == step;) {
            if (atomic_load_explicit(&team->dismissed, memory_order_relaxed))
                return;
            look_again(&looks);
        }
        jobs_do(team, member);
        atomic_store_explicit(&team->done[member].count, step + 1, memory_order_release);
    }
}

void team_dismiss(struct team *team)
{
    atomic_store_explicit(&team->dismissed, 1, memory_order_relaxed);
}
