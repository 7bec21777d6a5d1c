/* Tours in the viewer: the view of a tour becomes the wanted view, and its text is shown.
 *
 * A hand that moves the picture pauses a tour; Space goes on from where the hand left it. The
 * caller begins the next tour at the end of one, as a stand does. */
#ifndef APP_VIEWER_CORE_VIEWER_TOUR_H
#define APP_VIEWER_CORE_VIEWER_TOUR_H

#include "app/viewer/core/viewer_state.h"

/* Begins with a flight from what is seen to the first stop. `tour` is borrowed until it ends. */
enum status viewer_tour_begin(struct viewer *viewer, const struct tour *tour);
void viewer_tour_end(struct viewer *viewer); /* removes its overlays, too */

bool viewer_tour_plays(const struct viewer *viewer);     /* true also while it is paused */
bool viewer_tour_is_at_end(const struct viewer *viewer); /* its last stop is over */

enum status viewer_tour_go(struct viewer *viewer, int by); /* to the next (1) or previous (-1) */
enum status viewer_tour_pause(struct viewer *viewer);      /* pauses, or goes on */
void viewer_tour_touch(struct viewer *viewer);             /* a hand has moved the picture */

enum status viewer_tour_step(struct viewer *viewer, double now_s);

/* The text of the stop in the user's language; "": none. */
const char *viewer_tour_caption(const struct viewer *viewer);

/* Draws the text of the stop; returns the units that are left above it, or INFINITY. */
double viewer_tour_draw(const struct viewer *viewer, struct paint *paint);

#endif
