/* Passes: a context is told to all workers, and the refinement of its pixels begins. */
#ifndef RENDER_LIVE_LIVE_PASS_H
#define RENDER_LIVE_LIVE_PASS_H

#include "render/live/coordinator.h"

/* Spec of the picture by this plan. */
struct spec live_spec_of(const struct live_work *work, const struct plan *plan);

/* Prepares the refinement. Where all pixels are computed at once the first limit is most likely
 * right, so there is no coarse pass. Later limits of the search are tried on few samples. */
void live_refinement_ready(struct live *live, bool restarts);

/* Tells the ranks the context of this pass, and begins to refine; not while its orbit or its blocks
 * are missing. A failure is that of the picture. */
void live_pass_start(struct live *live, bool exact, bool restarts);

/* Limit, or the most that the request permits. */
int64_t live_limit_bounded(const struct live_work *work, int64_t limit);

#endif
