/* Pages beside the window (core/remote.h): the viewer shows them its picture, and obeys the one
 * that leads. Without them nothing here does anything. */
#ifndef APP_VIEWER_VIEWER_REMOTE_H
#define APP_VIEWER_VIEWER_REMOTE_H

#include "app/viewer/core/viewer_state.h"

void viewer_remote_open(struct viewer *viewer);
void viewer_remote_close(struct viewer *viewer);

/* Notes an event of the window: a hand there takes the lead back. */
void viewer_remote_touched(struct viewer *viewer, const struct input_event *event);

/* Obeys pages, and tells the user who leads. */
enum status viewer_remote_step(struct viewer *viewer, double now_s);

/* Shows pages the picture in the frame, which has no overlays yet; boxes that may have changed,
 * count 0: all of it. */
void viewer_remote_show(struct viewer *viewer, const struct paint *paint,
                        const struct paint_box *box, int count);

/* Tells pages what they do not know yet. */
enum status viewer_remote_tell(struct viewer *viewer, double now_s);

#endif
