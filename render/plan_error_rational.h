/* The error of a pixel by direct iteration of a formula that divides or converges. */
#ifndef RENDER_PLAN_ERROR_RATIONAL_H
#define RENDER_PLAN_ERROR_RATIONAL_H

#include <stdint.h>

#include "kernels/formula.h"

#define PLAN_ERROR_BAILOUT 1024.0 /* where orbits end for this purpose */

/* In units of u, and of the place; 0 if the orbit does not end within the limit. */
double plan_error_rational(const struct formula *formula, double re, double im, int64_t limit);

#endif
