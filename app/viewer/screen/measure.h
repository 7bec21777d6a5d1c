/* Quantiles of durations. Durations are counted in classes 1.1 % wide, so hours of use need no more
 * memory than seconds. Pure. */
#ifndef APP_VIEWER_SCREEN_MEASURE_H
#define APP_VIEWER_SCREEN_MEASURE_H

#include <stdint.h>

enum { MEASURE_PER_OCTAVE = 64, MEASURE_OCTAVES = 30 };
#define MEASURE_LEAST_S 1e-6 /* shorter ones count as this; the longest class ends at 1,074 s */

struct measure { /* zeroed: nothing measured */
    uint64_t count;
    double max_s; /* exact */
    uint32_t counts[MEASURE_PER_OCTAVE * MEASURE_OCTAVES];
};

/* A negative or not finite duration is ignored: clocks of two threads may disagree. */
void measure_add(struct measure *measure, double seconds);

/* The duration that a `share` (0 ... 1) of the durations does not exceed: the upper end of its
 * class, at most 1.1 % too long, never above the longest. 0 if there are none. */
double measure_quantile(const struct measure *measure, double share);

#endif
