#include "app/viewer/kiosk/kiosk_bound.h"

#include <math.h>

#define CHEAP 8.0 /* a picture that took so much less than it may */
#define DEEPER 1.25

enum { LIMIT_HIGHEST_STEP = 23 }; /* as automatic limits: 1000 2^23 */

struct kiosk_bound kiosk_bound_first(void)
{
    return (struct kiosk_bound){.limit_most = KIOSK_LIMIT_FIRST, .log2_zoom_most = 200};
}

/* The next lower of 1000 2^k. */
static int64_t rounded(double limit)
{
    int64_t step = KIOSK_LIMIT_LEAST;
    for (int k = 0; k < LIMIT_HIGHEST_STEP && (double)(2 * step) <= limit; k++)
        step *= 2;
    return step;
}

static struct kiosk_bound less(const struct kiosk_bound *bound, const struct kiosk_cost *cost)
{
    struct kiosk_bound next = *bound;
    double too_long = cost->seconds / KIOSK_COARSE_S;
    int64_t limit = rounded((double)cost->limit / too_long);
    next.limit_most = limit < bound->limit_most ? limit : bound->limit_most;
    if (cost->orbit_s > KIOSK_COARSE_S / 2)
        next.log2_zoom_most =
            fmax(fmin(0.8 * cost->log2_zoom, bound->log2_zoom_most), KIOSK_LOG2_LEAST);
    return next;
}

static struct kiosk_bound more(const struct kiosk_bound *bound, const struct kiosk_cost *cost)
{
    struct kiosk_bound next = *bound;
    if (cost->limit >= bound->limit_most)
        next.limit_most = rounded(2 * (double)bound->limit_most);
    if (cost->log2_zoom * DEEPER >= bound->log2_zoom_most)
        next.log2_zoom_most = fmin(DEEPER * bound->log2_zoom_most, KIOSK_LOG2_MOST);
    return next;
}

bool kiosk_bound_learn(struct kiosk_bound *bound, const struct kiosk_cost *cost)
{
    struct kiosk_bound next = *bound;
    if (!(cost->seconds >= 0) || cost->limit < 1)
        return false;
    if (cost->seconds > KIOSK_COARSE_S)
        next = less(bound, cost);
    else if (cost->covered && cost->seconds < KIOSK_COARSE_S / CHEAP)
        next = more(bound, cost);
    bool other =
        next.limit_most != bound->limit_most || next.log2_zoom_most != bound->log2_zoom_most;
    *bound = next;
    return other;
}
