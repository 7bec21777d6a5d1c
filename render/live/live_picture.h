/* The beginning of a picture: its memory, limit, and state. */
#ifndef RENDER_LIVE_LIVE_PICTURE_H
#define RENDER_LIVE_LIVE_PICTURE_H

#include "render/live/coordinator.h"

/* Sets another limit, or that of another picture: plans, contexts and orbits begin anew. */
void live_limit_set(struct live *live, int64_t limit);

/* Begins another picture: cancels everything of the one before. */
void live_picture_begin(struct live *live, double asked_s);

#endif
