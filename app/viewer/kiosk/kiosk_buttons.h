/* Large buttons of a stand, for hands: a row along the lower edge and a second one above it, the
 * digits of the staff's way out, and the ring that counts down. Text and signs by
 * render/window/paint.h. */
#ifndef APP_VIEWER_KIOSK_KIOSK_BUTTONS_H
#define APP_VIEWER_KIOSK_KIOSK_BUTTONS_H

#include <stdbool.h>

#include "app/viewer/overlays/strings.h"
#include "render/window/paint.h"

enum kiosk_button { /* from left to right */
                    KIOSK_BUTTON_HOME,
                    KIOSK_BUTTON_OUT,
                    KIOSK_BUTTON_PALETTE,
                    KIOSK_BUTTON_SURPRISE,
                    KIOSK_BUTTON_PLAY,
                    KIOSK_BUTTON_LANGUAGE,
                    KIOSK_BUTTON_MORE,      /* opens the second row, above the first */
                    KIOSK_BUTTON_TAKE_AWAY, /* where take_away_possible() */
                    KIOSK_BUTTON_CHALLENGE,
                    KIOSK_BUTTON_RANKS, /* where there are several */
                    KIOSK_BUTTONS
};
enum { KIOSK_ROW = KIOSK_BUTTON_MORE + 1 }; /* number of buttons of the first row */

/* At 96 dots per inch a unit is 0.26 mm: 29 x 22 mm, where there is room. */
#define KIOSK_BUTTON_WIDTH 110.0
#define KIOSK_BUTTON_HEIGHT 84.0
#define KIOSK_BUTTON_LEAST 57.0 /* 15 mm */

struct kiosk_rows {
    bool more;        /* the second row is open */
    bool ranks;       /* there are several */
    bool ranks_shown; /* their chart is on the screen */
};

/* Is there such a button? */
bool kiosk_button_is_there(struct kiosk_rows rows, enum kiosk_button button);

/* Sign and name of a button; plays: the play button stops. */
const char *kiosk_button_sign(enum kiosk_button button, bool plays);
enum string kiosk_button_label(enum kiosk_button button);

struct paint_area kiosk_button_area(const struct paint *paint, struct kiosk_rows rows,
                                    enum kiosk_button button);

/* Units from the upper edge to the buttons. */
double kiosk_buttons_top(const struct paint *paint, struct kiosk_rows rows);

/* The button at a position in pixels; KIOSK_BUTTONS: none. */
enum kiosk_button kiosk_button_at(const struct paint *paint, struct kiosk_rows rows, double x_px,
                                  double y_px);

/* pressed: KIOSK_BUTTONS for none. plays: the play button is a stop button. */
void kiosk_buttons_draw(struct paint *paint, struct kiosk_rows rows, enum kiosk_button pressed,
                        bool plays);

/* Draws a sentence about the picture, which ends `bottom` units from the top; "": nothing. */
void kiosk_sentence_draw(struct paint *paint, double bottom, const char *text);

/* The digits: '0' ... '9' at a position in pixels, 0: none. */
char kiosk_digit_at(const struct paint *paint, double x_px, double y_px);
void kiosk_digits_draw(struct paint *paint, int typed);

/* Draws a ring in the middle, of which the share `left`, 1 ... 0, is there, with a sentence. */
void kiosk_countdown_draw(struct paint *paint, double left, int seconds);

/* Draws a mark for staff in the upper right corner: a rank or device is lost, the rest goes on. */
void kiosk_trouble_draw(struct paint *paint);

#endif
