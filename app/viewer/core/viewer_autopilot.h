/* The autopilot in the viewer: flies by itself, by the surveys of the pictures that come, until a
 * hand takes over. */
#ifndef APP_VIEWER_CORE_VIEWER_AUTOPILOT_H
#define APP_VIEWER_CORE_VIEWER_AUTOPILOT_H

#include "app/viewer/core/viewer_state.h"

void viewer_autopilot_end(struct viewer *viewer);
enum status viewer_autopilot_toggle(struct viewer *viewer);
enum status viewer_autopilot_step(struct viewer *viewer, double now_s);

#endif
