#include "render/live/limit.h"

#include <math.h>

void limit_count(struct limit_counts *counts, uint64_t count)
{
    counts->samples++;
    if (count == 0)
        return;
    if (count <= LIMIT_FIRST / 2) {
        counts->early++;
        return;
    }
    int k = 0;
    while (k < LIMIT_STEPS - 1 && count > (uint64_t)LIMIT_FIRST << k)
        k++;
    counts->step[k]++;
}

static int64_t stepped(double wanted)
{
    int64_t limit = LIMIT_FIRST;
    for (int k = 0; k < LIMIT_STEPS - 1 && (double)limit < wanted; k++)
        limit *= 2;
    return limit;
}

/* Guess: counts grow with the logarithm of the zoom times the period of nearby components. */
int64_t limit_guess(double log10_zoom)
{
    return stepped(LIMIT_FIRST * fmax(1, log10_zoom / 4));
}

/* Most: 64,000 for shallow views, whose outside is found with much less. */
int64_t limit_most(double log10_zoom)
{
    return stepped(64.0 * LIMIT_FIRST * fmax(1, log10_zoom / 4));
}

int64_t limit_next(const struct limit_counts *counts, int64_t tried, double log10_zoom)
{
    uint64_t escaped = counts->early;
    int64_t limit = LIMIT_FIRST;
    for (int k = 0; k < LIMIT_STEPS && limit <= tried; k++, limit *= 2) {
        escaped += counts->step[k];
        if (escaped && counts->step[k] * LIMIT_LATE <= counts->samples)
            return limit;
    }
    int64_t most = escaped ? (int64_t)LIMIT_FIRST << (LIMIT_STEPS - 1) : limit_most(log10_zoom);
    return tried < most ? 2 * tried : tried;
}
