/* Tasks of a picture: pieces are dealt to workers, and their results are painted and counted. */
#ifndef RENDER_LIVE_LIVE_TASKS_H
#define RENDER_LIVE_LIVE_TASKS_H

#include "render/live/coordinator.h"

/* Deals pieces to the workers that compute and can take some. */
void live_deal(struct live *live);

/* Takes all results of the pool, or those until the picture is covered: where devices compute
 * faster than pixels are painted, there are always more. Returns whether its picture is still
 * wanted: if not, the other results are neither painted nor followed by new tasks, which the next
 * picture would wait for. */
bool live_collect(struct live *live);

/* Time below which a picture is computed at once. */
double live_at_once_s(const struct live *live);

#endif
