/* The stand in the viewer: what kiosk.h says, done. Nothing of it is there without --kiosk but the
 * operator's page. */
#ifndef APP_VIEWER_VIEWER_KIOSK_H
#define APP_VIEWER_VIEWER_KIOSK_H

#include "app/viewer/core/viewer_state.h"

enum status viewer_kiosk_open(struct viewer *viewer);
void viewer_kiosk_close(struct viewer *viewer);

/* Is the event the stand's, and nobody else's? */
enum status viewer_kiosk_take(struct viewer *viewer, const struct input_event *event, bool *taken);

/* What time brings: countdown, reset, journeys, bounds. */
enum status viewer_kiosk_turn(struct viewer *viewer, double now_s);

/* The pixels above the buttons: what else stands at the lower edge ends there. */
int32_t viewer_kiosk_height(const struct viewer *viewer, const struct paint *paint);

/* Buttons and what else lies over the picture. */
void viewer_kiosk_draw(struct viewer *viewer, struct paint *paint);

/* The frame as it may be shown. True: not as it was wanted. */
bool viewer_kiosk_guard(struct viewer *viewer, struct paint *paint, double now_s);

/* A figure that scripts ask for; false: none is called so, or there is no stand. */
bool viewer_kiosk_figure(const struct viewer *viewer, const char *name, double *value);

/* It has been presented. */
void viewer_kiosk_presented(struct viewer *viewer, double now_s);

#endif
