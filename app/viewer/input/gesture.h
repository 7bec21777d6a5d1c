/* Gesture recognition: plain events of mouse, wheel, keys, fingers and gamepads go in; steps of the
 * view and actions come out. Pure: it has no window, no view and no clock but the times of events
 * and the argument of gesture_next, so the same events at the same times give the same steps.
 *
 * Whatever comes in, in any order (fingers that go up twice, numbers that are none), the steps are
 * finite and bounded, and so is what is kept. Not for several threads at once. */
#ifndef APP_VIEWER_INPUT_GESTURE_H
#define APP_VIEWER_INPUT_GESTURE_H

#include <stdbool.h>

#include "app/viewer/input/actions.h"
#include "kernels/status.h"
#include "render/view/view_motion.h"
#include "render/window/event.h"

struct gesture_settings {
    const struct actions *actions; /* borrowed */
    double width, height;          /* size of the picture, pixels; INPUT_RESIZE changes it */
    double scale;                  /* factor for texts and finger slip, 1 ... 4 */
    bool reduced_motion;           /* no inertia, no animated zoom */
    double tap_log2;               /* doublings by which a tap or a click flies in at its position,
                                      as on a stand; 0: they are as bound */
};

/* Times and distances, for the scale 1. */
#define GESTURE_GLIDE_S 0.12   /* duration of a notch, a key or a jump */
#define GESTURE_INERTIA_S 0.12 /* time constant: a thrown picture slows to 1/e */
#define GESTURE_SLIP_PX 4.0    /* distance that a click may move */
#define GESTURE_TOUCH_SLIP_PX 12.0
#define GESTURE_TAP_S 0.3        /* a tap is shorter */
#define GESTURE_TAP_GLIDE_S 0.7  /* duration of the flight of a tap */
#define GESTURE_DOUBLE_TAP_S 0.4 /* from one tap to the next */
#define GESTURE_DOUBLE_TAP_PX 40.0
#define GESTURE_LONG_PRESS_S 0.6
/* A flight: a button or a finger that is held where it was pressed zooms, until it is released,
 * about its position; moving it steers. */
#define GESTURE_HOLD_S 0.25
#define GESTURE_TOUCH_HOLD_S 0.35    /* longer than a tap */
#define GESTURE_FLY_LOG2 1.0         /* doublings a second after the ramp */
#define GESTURE_FLY_RAMP_S 0.3       /* time in which the speed rises, so that there is no jerk */
#define GESTURE_FLY_GROWTH_S 4.0     /* time after which the speed is doubled, and grows no more */
#define GESTURE_FLY_LOG2_LEAST 0.125 /* range in which arrows up and down and the wheel set it */
#define GESTURE_FLY_LOG2_MOST 8.0
#define GESTURE_DEAD_ZONE 0.2 /* tilt of a stick, or travel of a trigger, that counts as rest */

enum {
    GESTURE_FINGERS_MAX = 10, /* more are ignored; the two oldest act */
    GESTURE_PADS_MAX = 8
};

struct gesture;

enum status gesture_create(struct gesture **gesture, const struct gesture_settings *settings);
void gesture_destroy(struct gesture *gesture); /* accepts NULL */

/* Changes settings and bindings. Releases all that is held. */
void gesture_settings(struct gesture *gesture, const struct gesture_settings *settings);

/* Sets the factor, 1 ... 0, of the speed of flights, sticks and triggers. Drags are not changed. */
void gesture_ease(struct gesture *gesture, double ease);

/* Takes an event. Texts, drops, wakes and quits have no effect. */
void gesture_take(struct gesture *gesture, const struct input_event *event);

enum gesture_kind { GESTURE_MOTION, GESTURE_ACTION };

struct gesture_result {
    enum gesture_kind kind;
    struct view_motion step; /* GESTURE_MOTION: for view_move */
    enum action action;      /* GESTURE_ACTION */
    double x, y;             /* GESTURE_ACTION: position of the pointer, finger or reticle */
};

/* The next result that is due by `now_s`, in the order of the events; false when there is none. A
 * few for each event at most: steps are added up where that changes nothing. */
bool gesture_next(struct gesture *gesture, double now_s, struct gesture_result *result);

/* Seconds until there may be a result without a new event; 0: something moves, call gesture_next
 * for each frame; HUGE_VAL: none. */
double gesture_wait_s(const struct gesture *gesture, double now_s);

/* State of the gestures, for the screen. */
struct gesture_marks {
    bool held;                 /* a button, finger or stick moves the picture */
    bool moving;               /* `held`, or a glide or inertia moves the picture */
    bool flies;                /* a flight or a gamepad's triggers move it steadily, for long */
    bool down;                 /* a button or a finger is down, moving or not */
    bool aims;                 /* a flight, a glide or a trigger zooms in */
    double aim_x, aim_y;       /* fixed point of that zoom */
    bool box;                  /* a box is being drawn */
    double box_x[2], box_y[2]; /* corners of the box */
    bool reticle;              /* a gamepad has been used last */
    double reticle_x, reticle_y;
    bool pointer;                /* the mouse is in the window */
    double pointer_x, pointer_y; /* position of the mouse, else the middle */
    enum action hold;            /* ACTION_JULIA_PEEK while it is held, or ACTION_NONE */
};

void gesture_marks(const struct gesture *gesture, struct gesture_marks *marks);

/* Does an action about the middle without an event, for a button on the screen. */
void gesture_do(struct gesture *gesture, enum action action, double now_s);

/* Moves the fixed point of what zooms in, by pixels; the hand steers from there. */
void gesture_steer(struct gesture *gesture, double dx, double dy);

/* Glides out about the middle, for so many doublings and seconds. */
void gesture_glide_out(struct gesture *gesture, double doublings, double seconds, double now_s);

/* Releases all that is held: a panel has taken the input, or the view has jumped. */
void gesture_cancel(struct gesture *gesture);

#endif
