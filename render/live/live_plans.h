/* Plans of the picture in work: of its previews, and of the settled picture. */
#ifndef RENDER_LIVE_LIVE_PLANS_H
#define RENDER_LIVE_LIVE_PLANS_H

#include "render/live/coordinator.h"

/* Is direct iteration impossible anyway? Where not even c fits into doubles no orbits need to be
 * computed to decide that. */
bool live_plan_is_plain(struct live *live, double accuracy_px, struct plan *plan);

/* Do both plans give the same pixels? */
bool live_same_pixels(const struct plan *a, const struct plan *b);

/* Makes the plans; that of the settled picture when it is needed first. */
void live_plans_want(struct live *live);

/* Can the settled picture be computed now? */
bool live_can_settle(const struct live_work *work);

#endif
