/* Panels over the picture: help, and the pages of viewer_pages.h. */
#ifndef APP_VIEWER_PANELS_VIEWER_PANEL_H
#define APP_VIEWER_PANELS_VIEWER_PANEL_H

#include "app/viewer/core/viewer_state.h"

/* Offers an event to the open panel first; true: the panel took it. */
bool viewer_panel_take(struct viewer *viewer, const struct input_event *event);

#endif
