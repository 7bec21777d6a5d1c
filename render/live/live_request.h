/* Requests: what they want of a picture, and how they differ from the one in work. */
#ifndef RENDER_LIVE_LIVE_REQUEST_H
#define RENDER_LIVE_LIVE_REQUEST_H

#include "render/live/coordinator.h"

/* Planes to compute. Distances are nearly free in perturbation, of a deep picture; direct iteration
 * takes twice as long with them. */
unsigned live_planes_wanted(const struct live_request *request, bool deep);

/* Is it the picture of the request in work, perhaps computed again? With the mutex, or by the
 * coordinator. */
bool live_same_again(const struct live *live, const struct live_request *next);

/* Is it that picture, and not to be computed again? */
bool live_same_picture(const struct live *live, const struct live_request *next);

/* Do these have the same colours? */
bool live_same_look(const struct live_request *a, const struct live_request *b);

/* Takes the look of the request. `before`: the request until now, or NULL. */
void live_look_take(struct live *live, const struct live_request *before);

/* Time that a request must wait, with the mutex, because nothing of this picture, or of its newest
 * colours, was shown yet: otherwise quick motions would never show a picture, and gliding colours
 * only half of theirs. 0: no wait. */
double live_hold_left(const struct live *live);

/* Is this still the requested picture? Another look must wait, or none would be shown while
 * colours change all the time. */
bool live_picture_wanted(void *context);

#endif
