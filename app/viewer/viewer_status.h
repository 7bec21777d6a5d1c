/* The status feed of the window (app/http/status_server.h): opened where --status-port is set. */
#ifndef APP_VIEWER_VIEWER_STATUS_H
#define APP_VIEWER_VIEWER_STATUS_H

#include "app/viewer/core/viewer_state.h"

enum status viewer_status_open(struct viewer *viewer);
void viewer_status_close(struct viewer *viewer);

/* Tells the feed what is new, as often as somebody follows it. */
enum status viewer_status_step(struct viewer *viewer, double now_s);

#endif
