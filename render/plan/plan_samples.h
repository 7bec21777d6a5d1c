/* Samples of a pixel where nobody says how many: pure, and the same on every machine, so it goes by
 * predicted costs and by no clock. `deepfield render` takes as many, and the viewer at rest. */
#ifndef RENDER_PLAN_PLAN_SAMPLES_H
#define RENDER_PLAN_PLAN_SAMPLES_H

#include <stdint.h>

#include "kernels/spec.h"
#include "render/plan/plan.h"

/* The most, and the least, which takes no more than as long again. */
enum { PLAN_SAMPLES_DIRECT = 16, PLAN_SAMPLES_DEEP = 4, PLAN_SAMPLES_LEAST = 2 };

/* Further samples take some 3 s of two processor cores at 1920x1080: of direct iteration by the
 * mean count of probes, of perturbation by the limit, since blocks leave about its root of steps.
 */
int plan_samples(const struct plan *plan, const struct picture_known *known, int64_t limit);

#endif
