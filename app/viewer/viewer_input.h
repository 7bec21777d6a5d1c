/* Input becomes views, actions and steps of the history. */
#ifndef APP_VIEWER_VIEWER_INPUT_H
#define APP_VIEWER_VIEWER_INPUT_H

#include "app/viewer/core/viewer_state.h"

/* Takes the size of the window. */
enum status viewer_fit(struct viewer *viewer);

enum status viewer_take(struct viewer *viewer, const struct input_event *event);

/* What gestures have come to by now. */
enum status viewer_steps(struct viewer *viewer, double now_s);

/* Where the hand came to rest is a step of the history. */
void viewer_history_look(struct viewer *viewer, double now_s);

#endif
