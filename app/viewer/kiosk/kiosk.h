/* The rules of a public stand: what a visitor may do, when a visit ends, and the way out for staff.
 * Pure: events and times go in. */
#ifndef APP_VIEWER_KIOSK_KIOSK_H
#define APP_VIEWER_KIOSK_KIOSK_H

#include <stdbool.h>
#include <stdint.h>

#include "app/viewer/input/actions.h"
#include "app/viewer/overlays/strings.h"
#include "render/window/event.h"

/* Allows no action that ends or hides the program, writes a file, shows a path, opens a page or a
 * text box, or makes pictures slower but by leaving ranks out until the visit ends, and none that
 * its table does not name. */
bool kiosk_allows(enum action action);

/* Allows the texts that visitors may read: none that names a key, since they have none. The viewer
 * shows no others on a stand (strings_limit). */
bool kiosk_shows(enum string string);

/* ---- visits ---- */

enum kiosk_stage {
    KIOSK_VISITOR,
    KIOSK_COUNTDOWN, /* any input brings the visitor back */
    KIOSK_ATTRACT    /* the attract loop, without a visitor; any input begins a visit */
};

struct kiosk_idle {
    double idle_s, countdown_s; /* settings */
    enum kiosk_stage stage;
    double touched_s;            /* the last sign of a visitor */
    double pointer_x, pointer_y; /* where the mouse was when it was a sign last */
};

/* Share of the countdown that is left, 1 ... 0; 0 in other stages. */
double kiosk_left(const struct kiosk_idle *idle, double now_s);

/* Is the event a sign of a visitor? Not a key that is held (something lies on the keyboard), a
 * stick near its middle, or a mouse that trembles. */
bool kiosk_is_sign(struct kiosk_idle *idle, const struct input_event *event, double scale);

/* Does the event press something? A visit is counted from the first touch: a mouse that is only
 * pushed wakes the stand, but is no visit yet. */
bool kiosk_is_touch(const struct input_event *event);

enum kiosk_change {
    KIOSK_NOTHING,
    KIOSK_ARRIVED, /* a visit begins; its first event has no other effect, but for a touch of the
                      picture */
    KIOSK_LEFT     /* the countdown is over */
};
enum kiosk_change kiosk_touched(struct kiosk_idle *idle, double now_s);
enum kiosk_change kiosk_step(struct kiosk_idle *idle, double now_s);

/* When the stage changes by itself; INFINITY: never. */
double kiosk_next_s(const struct kiosk_idle *idle);

/* ---- the way out for staff: two fingers in the upper corners for 5 s, then digits ---- */

#define KIOSK_CORNER 90.0 /* units */
#define KIOSK_CORNERS_S 5.0
#define KIOSK_PIN_S 15.0 /* after so long without a digit the digits close */
enum { KIOSK_PIN_LEAST = 4, KIOSK_PIN_MOST = 8 };

struct kiosk_exit {
    const char *pin; /* digits; borrowed; NULL or "": there is no way out by hand */
    struct {
        bool held;
        int64_t finger;
    } corner[2];
    double held_s; /* time since when both corners are held; 0: they are not */
    bool asks;     /* the digits are on the screen */
    double asked_s;
    char typed[KIOSK_PIN_MOST + 1];
};

/* Is this a PIN? */
bool kiosk_pin_is_valid(const char *pin);

/* Notes which corners fingers hold; corner_px: KIOSK_CORNER in pixels. */
void kiosk_exit_finger(struct kiosk_exit *staff, const struct input_event *event, double width_px,
                       double corner_px);

/* Opens and closes the digits by the time; true: they have changed. */
bool kiosk_exit_step(struct kiosk_exit *staff, double now_s);

/* Adds a digit '0' ... '9'. True: the PIN is complete and right. A wrong one closes the digits. */
bool kiosk_exit_digit(struct kiosk_exit *staff, char digit, double now_s);

#endif
