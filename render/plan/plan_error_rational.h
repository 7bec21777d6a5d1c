/* The error of a pixel by direct iteration of a formula that divides or converges. */
#ifndef RENDER_PLAN_PLAN_ERROR_RATIONAL_H
#define RENDER_PLAN_PLAN_ERROR_RATIONAL_H

#include "render/plan/plan_error_probe.h"

#define PLAN_ERROR_BAILOUT 1024.0 /* where orbits end for this purpose */

struct probe_error plan_error_rational(const struct formula *formula, const struct probe *probe);

#endif
