/* The conversion of input into views, actions and steps of the history. */
#ifndef APP_VIEWER_VIEWER_INPUT_H
#define APP_VIEWER_VIEWER_INPUT_H

#include "app/viewer/core/viewer_state.h"

/* Gives the view the size of the window. */
enum status viewer_fit(struct viewer *viewer);

enum status viewer_take(struct viewer *viewer, const struct input_event *event);

/* Does the steps and actions of gestures that are due by now. */
enum status viewer_steps(struct viewer *viewer, double now_s);

/* Moves the view by a step of a hand. */
enum status viewer_motion(struct viewer *viewer, const struct view_motion *step, double now_s);

/* Adds a step to the history when the hand has come to rest. */
void viewer_history_poll(struct viewer *viewer, double now_s);

#endif
