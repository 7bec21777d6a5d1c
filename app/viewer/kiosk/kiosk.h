/* The rules of a public stand: what a visitor may do, when nobody is there any more, and the way
 * out for staff. Pure: events and times go in. */
#ifndef APP_VIEWER_KIOSK_KIOSK_H
#define APP_VIEWER_KIOSK_KIOSK_H

#include <stdbool.h>
#include <stdint.h>

#include "app/viewer/input/actions.h"
#include "render/window/event.h"

/* Nothing that ends or hides the program, writes a file, shows a path, opens a page or a text box,
 * or makes pictures slower. An action that this does not name is not allowed. */
bool kiosk_allows(enum action action);

/* ---- is somebody there? ---- */

enum kiosk_stage {
    KIOSK_VISITOR,
    KIOSK_COUNTDOWN, /* any input brings the visitor back */
    KIOSK_ATTRACT    /* nobody: what the stand shows by itself; any input begins a visit */
};

struct kiosk_idle {
    double idle_s, countdown_s; /* settings */
    enum kiosk_stage stage;
    double touched_s;            /* the last sign of a visitor */
    double pointer_x, pointer_y; /* where the mouse was when it counted last */
};

/* Where the countdown is, 1 ... 0; 0 in other stages. */
double kiosk_left(const struct kiosk_idle *idle, double now_s);

/* Does the event show that somebody is there? Not a key that is held (something lies on the
 * keyboard), a stick beside its middle, or a mouse that trembles. */
bool kiosk_is_sign(struct kiosk_idle *idle, const struct input_event *event, double scale);

enum kiosk_news {
    KIOSK_NOTHING,
    KIOSK_ARRIVED, /* a visitor, where nobody was: the event that said so is nothing more */
    KIOSK_LEFT     /* the countdown is over */
};
enum kiosk_news kiosk_touched(struct kiosk_idle *idle, double now_s);
enum kiosk_news kiosk_step(struct kiosk_idle *idle, double now_s);

/* When the stage changes by itself; INFINITY: never. */
double kiosk_next_s(const struct kiosk_idle *idle);

/* ---- the way out for staff: two fingers in the upper corners for 5 s, then digits ---- */

#define KIOSK_CORNER 90.0 /* units */
#define KIOSK_CORNERS_S 5.0
#define KIOSK_PIN_S 15.0 /* without a digit: it was no staff */
enum { KIOSK_PIN_LEAST = 4, KIOSK_PIN_MOST = 8 };

struct kiosk_exit {
    const char *pin; /* digits; borrowed; NULL or "": there is no way out by hand */
    struct {
        bool held;
        int64_t finger;
    } corner[2];
    double held_s; /* since when both are; 0: they are not */
    bool asks;     /* the digits are on the screen */
    double asked_s;
    char typed[KIOSK_PIN_MOST + 1];
};

/* Is this a PIN? */
bool kiosk_pin_is_valid(const char *pin);

/* Fingers; corner_px: KIOSK_CORNER in pixels. */
void kiosk_exit_finger(struct kiosk_exit *staff, const struct input_event *event, double width_px,
                       double corner_px);

/* Opens and closes the digits; true: what is seen has changed. */
bool kiosk_exit_step(struct kiosk_exit *staff, double now_s);

/* A digit '0' ... '9'. True: the PIN is complete and right. A wrong one closes the digits. */
bool kiosk_exit_digit(struct kiosk_exit *staff, char digit, double now_s);

#endif
