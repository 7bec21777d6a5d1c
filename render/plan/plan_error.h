/* Backward errors of pixels by roundings: a measure of plans (plan.h), pure. */
#ifndef RENDER_PLAN_PLAN_ERROR_H
#define RENDER_PLAN_PLAN_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "kernels/spec.h"
#include "render/view/view.h"

enum { PLAN_PROBE_STEPS = 1 << 13 }; /* steps of an orbit that is followed at first */

extern const double plan_unit_roundoff[NUMBERS]; /* relative error of a rounding */

/* What rounding a whole orbit comes to, in units of what rounding its point does, u |c| or u |z_0|.
 * 0: not looked for. */
struct plan_amplification {
    double direct;    /* >= 1; INFINITY: not known */
    double perturbed; /* by perturbation along the centre's orbit, where that is followed: in Julia
                         sets of z^2 + c */
    double steps;     /* mean number of steps of the orbits, each PLAN_PROBE_STEPS at most */
};

/* The size of a pixel's point where it is largest in the view, from 0.5 to where every orbit
 * escapes at once: 2, but farther for a Julia set of a larger c. */
double plan_largest_point(const struct view_numbers *view, const struct formula *formula);

/* What rounding a whole orbit comes to for nine in ten pixels, and at least a tenth of what it does
 * for the worst. From the derivatives along the orbits of a fixed grid of pixels, which are
 * followed as far as the limit: a few milliseconds, and 0.2 s where they take 2^24 steps;
 * what takes more is not known, nor what a request to stop cuts off. Pixels that an attracting
 * cycle holds have no count to be wrong. 1 for a view of these alone. Near 1 in most places, tens
 * at Feigenbaum points, thousands to millions in Julia sets beside parabolic ones. */
struct plan_amplification plan_error_amplification(const struct view_numbers *view,
                                                   const struct formula *formula, int64_t limit,
                                                   const volatile int *stop);

/* Does a plan need that? Where doubles do not tell pixels apart the answer is known. */
bool plan_error_matters(const struct view_numbers *view, const struct formula *formula);

/* Predicted backward error in pixels in a number type; INFINITY: not known. */
double plan_error_px(const struct view_numbers *view, const struct formula *formula,
                     enum number number, double amplification);

#endif
