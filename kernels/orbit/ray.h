/* External rays of the Mandelbrot set, in doubles: along a ray the angle of the exterior map, arg c
 * for large c, stays the same. Traced by Newton's method from one z_n(c) = t to the next
 * (T. Kawahira, "An algorithm to draw external rays of the Mandelbrot set", 2009). */
#ifndef KERNELS_ORBIT_RAY_H
#define KERNELS_ORBIT_RAY_H

#include <stdbool.h>

#include "kernels/orbit/orbit.h"

enum { RAY_DWELL_MOST = 400, RAY_STEPS = 6 /* between two dwells */ };
enum { RAY_POINTS_MOST = RAY_DWELL_MOST * RAY_STEPS + 64 };

struct ray {
    struct orbit_point point[RAY_POINTS_MOST]; /* values of c, in the order of tracing */
    int count;
    double turn; /* its angle, in turns, 0 ... 1 */
};

/* Traces the ray at numerator/denominator of a turn from outside in, to a dwell of RAY_DWELL_MOST
 * at most, or to where its points are nearer to each other than `step`. */
void ray_inwards(struct ray *ray, int64_t numerator, int64_t denominator, double step);

/* Traces the ray through a c that escapes out to a circle about the set, and finds its angle.
 * False: c does not escape within RAY_DWELL_MOST steps, or doubles do not reach it. */
bool ray_outwards(struct ray *ray, double x, double y);

#endif
