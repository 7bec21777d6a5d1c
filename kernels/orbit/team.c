#include "kernels/orbit/team.h"

#include <omp.h>
#include <sched.h>
#include <string.h>

enum {
    POLLS_AT_ONCE = 200,       /* as long as a step of some microseconds waits */
    POLLS_BEFORE_YIELD = 4000, /* some ten microseconds */
    LIMBS_LEAST = 32, /* a square takes half a microsecond; below, no synchronization pays */
    LIMBS_OF_DIGITS_LEAST = 100 /* the same */
};

bool team_may_pay(const struct fixed *fixed)
{
    return fixed->limbs >= (fixed->method == FIXED_DIGITS ? LIMBS_OF_DIGITS_LEAST : LIMBS_LEAST);
}

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

static void poll_pause(int *polls)
{
    if (++*polls >= POLLS_BEFORE_YIELD)
        sched_yield();
    else if (*polls >= POLLS_AT_ONCE)
        pause_briefly();
}

static void jobs_do(struct team *team, int phase, int member)
{
    int jobs = fixed_jobs(team->fixed, phase);
    for (int job = 0; job < jobs; job++)
        if (fixed_thread(team->fixed, phase, job, team->size) == member)
            fixed_job(team->fixed, phase, job, member);
}

static void phase_do(struct team *team, int phase)
{
    team->phase = phase;
    unsigned asked = 1 + atomic_fetch_add_explicit(&team->asked.count, 1, memory_order_release);
    jobs_do(team, phase, 0);
    for (int member = 1; member < team->size; member++)
        for (int polls = 0;
             atomic_load_explicit(&team->done[member].count, memory_order_acquire) != asked;)
            poll_pause(&polls);
}

void team_step(struct team *team)
{
    fixed_step_begin(team->fixed);
    for (int phase = 0; phase < fixed_phases(team->fixed); phase++)
        phase_do(team, phase);
    fixed_step_end(team->fixed);
}

static void team_help(struct team *team, int member)
{
    for (unsigned asked = 0;; asked++) {
        for (int polls = 0;
             atomic_load_explicit(&team->asked.count, memory_order_acquire) == asked;) {
            if (atomic_load_explicit(&team->dismissed, memory_order_relaxed))
                return;
            poll_pause(&polls);
        }
        jobs_do(team, team->phase, member);
        atomic_store_explicit(&team->done[member].count, asked + 1, memory_order_release);
    }
}

enum status team_run(struct fixed *fixed, int threads, team_steps *steps, void *argument)
{
    struct team team = {.fixed = fixed};
    enum status status = STATUS_OK;
    char text[STATUS_TEXT_BYTES] = "";
#pragma omp parallel num_threads(team_size(threads))
    {
        int member = omp_get_thread_num();
#pragma omp single
        team.size = team_size(omp_get_num_threads()); /* OpenMP may give fewer */
        if (member == 0) {
            status = steps(argument, team.size > 1 ? &team : NULL);
            atomic_store_explicit(&team.dismissed, 1, memory_order_relaxed);
            if (status != STATUS_OK)
                strncpy(text, status_text(), sizeof text - 1);
        } else if (member < team.size)
            team_help(&team, member);
    }
    return status == STATUS_OK ? STATUS_OK : status_fail(status, "%s", text);
}
