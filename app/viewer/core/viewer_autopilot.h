/* The autopilot in the viewer: flies by itself, by the surveys of the pictures that come, until a
 * hand takes over. */
#ifndef APP_VIEWER_CORE_VIEWER_AUTOPILOT_H
#define APP_VIEWER_CORE_VIEWER_AUTOPILOT_H

#include "app/viewer/core/viewer_state.h"

/* Begins at the view that is seen. A seed gives the same flight if pictures arrive at the same
 * times; `deepfield film --autopilot` makes the same film each time. */
void viewer_autopilot_begin(struct viewer *viewer, uint64_t seed);
void viewer_autopilot_end(struct viewer *viewer);
enum status viewer_autopilot_toggle(struct viewer *viewer);
enum status viewer_autopilot_step(struct viewer *viewer, double now_s);

#endif
