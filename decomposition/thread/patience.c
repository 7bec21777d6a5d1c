#include "decomposition/thread/patience.h"

#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "decomposition/thread/clock.h"

enum { LOOKS_BEFORE_NAPS = 16 };
enum { LATE_US = 50 }; /* between two looks: a few microseconds, or somebody's time slice */
static const double crowd_lasts_s = 0.1;

/* Is this thread to look on? Only where it has the core to itself. */
static bool spins(struct patience *patience)
{
    static _Thread_local double crowded_until_s;
    double now_s = clock_s();
    if (patience->idle == 1)
        patience->since_s = patience->last_s = now_s;
    if (now_s - patience->last_s > 1e-6 * LATE_US)
        crowded_until_s = now_s + crowd_lasts_s;
    patience->last_s = now_s;
    if (now_s < crowded_until_s || now_s - patience->since_s >= 1e-6 * patience->spin_us)
        return false;
    sched_yield(); /* to find out */
    return true;
}

unsigned patience_us(struct patience *patience, unsigned most_us)
{
    if (patience->idle++ == 0)
        patience->naps = 0;
    if (patience->naps == 0 && patience->spin_us > 0 && spins(patience))
        return 0;
    if (patience->idle <= LOOKS_BEFORE_NAPS)
        return 0;
    unsigned nap = patience->naps < 8 ? 5u << patience->naps : most_us;
    patience->naps++;
    return nap < most_us ? nap : most_us;
}

void patience_nap(unsigned microseconds)
{
    if (microseconds > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
}
