/* What the window is told: stage, figures, workers, failures and losses. */
#ifndef RENDER_LIVE_LIVE_TELL_H
#define RENDER_LIVE_LIVE_TELL_H

#include "render/live/coordinator.h"

/* Notes something new, with the mutex. Returns whether the window is to be woken. */
bool live_news_note(struct live *live);

/* Wakes the window, without the mutex: its thread may get this very core, and would wait for the
 * mutex. */
void live_window_ring(struct live *live);

/* Samples of a pixel of the settled picture. */
int live_samples_wanted(const struct live_work *work);

/* Are samples missing in the mean of a settled picture? */
bool live_samples_miss(const struct live_work *work);

/* Is anything at work whose result will arrive? */
bool live_is_at_work(const struct live *live);

/* Brings the state up to date, and wakes the window. */
void live_state_tell(struct live *live);

/* Measures the distribution of new pixels, coarse ones first. Returns whether there were any. */
bool live_distribution_note(struct live *live);

/* Reports another error: tells status_text until the next request. */
void live_warn(struct live *live);

/* Fails this picture: tells status_text, and computes no more of it. */
void live_fail(struct live *live);

/* Tells a loss of devices or ranks; context: the struct live. */
void live_trouble_tell(void *context, const char *text);

/* Fails the picture if there is nothing left to compute it with. */
void live_left_check(struct live *live);

#endif
