/* The stand in the viewer, which obeys the rules of kiosk.h. Without --kiosk there is none, and
 * nothing here does anything. */
#ifndef APP_VIEWER_VIEWER_KIOSK_H
#define APP_VIEWER_VIEWER_KIOSK_H

#include "app/http/status_facts.h"
#include "app/viewer/core/viewer_state.h"

enum status viewer_kiosk_open(struct viewer *viewer);
void viewer_kiosk_close(struct viewer *viewer);

/* Handles an event of the stand. *taken: the panels and gestures must not get it. */
enum status viewer_kiosk_take(struct viewer *viewer, const struct input_event *event, bool *taken);

/* Advances countdown, reset, journeys and bounds to now. */
enum status viewer_kiosk_step(struct viewer *viewer, double now_s);

/* Height of the pixels above the buttons, where captions and notices end. */
int32_t viewer_kiosk_height(const struct viewer *viewer, const struct paint *paint);

/* Draws buttons, countdown, digits and marks for staff over the picture. */
void viewer_kiosk_draw(struct viewer *viewer, struct paint *paint);

/* Changes the frame where its flashes must not be shown. True: it was changed. */
bool viewer_kiosk_guard(struct viewer *viewer, struct paint *paint, double now_s);

/* Figure of a stand by name, for scripts; false: there is none, or no stand. */
bool viewer_kiosk_figure(const struct viewer *viewer, const char *name, double *value);

/* Handles a command of a page as an event of the stand. *taken: nothing else may obey it. */
enum status viewer_kiosk_obey(struct viewer *viewer, const struct remote_command *command,
                              double now_s, bool *taken);

/* Guides a flight that a page holds, as those of the window: away from black, and slower before it
 * flashes. elapsed_s: time since its last step. */
void viewer_kiosk_guide(struct viewer *viewer, struct view_motion *step, double elapsed_s);

/* What a page shows of the stand; `on` false: there is none. */
void viewer_kiosk_tell(const struct viewer *viewer, struct remote_stand *stand, double now_s);

/* Sets what the status feed tells of a stand. */
void viewer_kiosk_facts(const struct viewer *viewer, struct status_facts *facts, double now_s);

/* Notes that a frame has been presented. */
void viewer_kiosk_presented(struct viewer *viewer, double now_s);

#endif
