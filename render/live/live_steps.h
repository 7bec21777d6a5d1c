/* The steps of a picture: from the first preview to the last sample of its mean. */
#ifndef RENDER_LIVE_LIVE_STEPS_H
#define RENDER_LIVE_LIVE_STEPS_H

#include "render/live/coordinator.h"

/* Is this still the picture and the look that are requested? */
bool live_mean_wanted(void *context);

/* Can samples that are there be added to the mean now? New colours are told before: those of the
 * centres, which are there sooner. */
bool live_mean_is_due(struct live *live);

/* Drops the mean of samples, which begins anew with those that are kept. One that is being computed
 * goes on if it will be kept. */
void live_mean_drop(struct live *live);

/* Begins the next stage, if the present one has ended or something has arrived. */
void live_advance(struct live *live);

#endif
