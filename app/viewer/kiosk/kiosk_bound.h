/* The bound of what a picture on a stand may cost: a visitor waits at most a second for a whole
 * coarse picture. The limits of iterations and of depth follow from the times of the pictures so
 * far, so they fit the machine and what is left of it. Pure. */
#ifndef APP_VIEWER_KIOSK_KIOSK_BOUND_H
#define APP_VIEWER_KIOSK_KIOSK_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#define KIOSK_COARSE_S 0.5   /* time limit of a coarse picture; beyond it limits fall */
#define KIOSK_LOG2_LEAST 40  /* zoom depth that is always allowed */
#define KIOSK_LOG2_MOST 1000 /* greatest depth at which zooms are doubles still */

enum { KIOSK_LIMIT_LEAST = 1000, KIOSK_LIMIT_FIRST = 16000 };

struct kiosk_bound {
    int64_t limit_most; /* 1000 2^k */
    double log2_zoom_most;
};

struct kiosk_cost { /* measured on one picture */
    double seconds; /* until it had a colour everywhere, or so far if it has not */
    double orbit_s; /* part of `seconds` spent on the reference orbit */
    bool covered;
    int64_t limit;
    double log2_zoom;
};

struct kiosk_bound kiosk_bound_first(void);

/* Changes the bounds after a picture: lower where it takes too long, finished or not, and twice as
 * high where it was cheap and at the limit. True: they have changed. */
bool kiosk_bound_learn(struct kiosk_bound *bound, const struct kiosk_cost *cost);

#endif
