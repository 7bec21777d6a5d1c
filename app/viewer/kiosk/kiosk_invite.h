/* What invites passers-by and visitors of a stand: a title in all languages, and a hand that shows
 * how to fly. */
#ifndef APP_VIEWER_KIOSK_KIOSK_INVITE_H
#define APP_VIEWER_KIOSK_KIOSK_INVITE_H

#include "render/window/paint.h"

#define KIOSK_HAND_AFTER_S 3.0  /* rest after which the hand comes */
#define KIOSK_HAND_PERIOD_S 2.4 /* duration of one press */

/* Draws the title: large in the language in use, and below in all others. */
void kiosk_title_draw(struct paint *paint);

/* Draws a hand that presses at a position in pixels, with what that does. at_s: time since it came;
 * < 0: it does not move. */
void kiosk_hand_draw(struct paint *paint, double x_px, double y_px, double at_s);

#endif
