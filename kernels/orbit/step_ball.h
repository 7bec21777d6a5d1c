/* A step of any formula in doubles, with a bound of its error, to judge the points and the tape of
 * an orbit by (orbit_state.h).
 *
 * A ball holds the value that an orbit of so many bits has: x and y are within `e` of it. z_n is
 * given to the rounding of doubles, so after a step e is some units of 2^-53 of the largest value
 * in it, and infinite, or no number, where a divisor may be 0 or a value leaves the doubles. */
#ifndef KERNELS_ORBIT_STEP_BALL_H
#define KERNELS_ORBIT_STEP_BALL_H

#include <stdbool.h>

#include "kernels/orbit/formula_orbit.h"
#include "kernels/orbit/orbit.h"

struct ball {
    double x, y, e;
};

struct step_balls {
    struct ball next; /* z_(n+1) */
    struct ball tape[FORMULA_OPERATIONS_MAX];
    int tape_width; /* slots of this step; the others of an orbit's tape are 0 */
};

/* The step from z, of list `phase`, with z_(n-1) and the c of an orbit of so many bits. */
void step_balls(struct step_balls *balls, const struct formula_numbers *numbers, long bits,
                int phase, struct orbit_point z, struct orbit_point last, struct orbit_point c);

/* May the point be in the ball? */
bool ball_holds(const struct ball *ball, struct orbit_point point);

#endif
