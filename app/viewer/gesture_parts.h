/* What the parts of gesture.h share: its state, and what one part does for another. */
#ifndef APP_VIEWER_GESTURE_PARTS_H
#define APP_VIEWER_GESTURE_PARTS_H

#include "app/viewer/gesture.h"

enum { QUEUE_MAX = 64, TRAIL_MAX = 16 };

struct spot {
    double time_s, x, y;
};

/* A button or a finger that moves something. */
struct drag {
    bool active, moving; /* moving: farther than a click may slip */
    enum action action;  /* ACTION_NONE: only a click can come of it */
    double start_x, start_y, x, y, slip_px;
    struct spot trail[TRAIL_MAX]; /* where it was, the newest last; for the speed at the end */
    int trail_count;
};

struct finger {
    int64_t id;
    double x, y, start_x, start_y;
};

struct touching {                              /* from the first finger down to the last one up */
    struct finger finger[GESTURE_FINGERS_MAX]; /* the oldest first */
    int count, most;
    bool still; /* none has moved, none has been held long: it can become a tap */
    double since_s, mid_x, mid_y;
    double from[2][2]; /* where the pair was when its last step was made */
    bool pair_moved;
    bool tapped; /* before; a second one makes a double tap */
    struct spot tap;
};

struct pad {
    bool used;
    int id;
    double axis[INPUT_AXES];
};

struct glide { /* what is still to come, spread evenly until then */
    double log2_zoom, dx, dy, turn_deg;
    double x, y; /* that zoom and turn leave in its place */
    double until_s;
    bool on;
};

struct gesture {
    struct gesture_settings settings;
    double event_s;    /* newest time of an event */
    double advanced_s; /* up to here everything that moves by itself has been moved */
    struct gesture_result queue[QUEUE_MAX];
    int head, count;

    bool pointer, pressed, reticle;
    double pointer_x, pointer_y, reticle_x, reticle_y;
    unsigned modifiers, press_modifiers;
    int press_button;
    struct drag drag;
    double notches[WHEEL_WAYS]; /* parts of a notch that have no action yet */
    struct touching touching;
    struct pad pad[GESTURE_PADS_MAX];
    struct glide glide;
    double throw_x, throw_y; /* px/s */
};

/* gesture.c */
void gesture_push_step(struct gesture *gesture, const struct steer_step *step);
/* `amount`: notches; 1 for all else. (x, y): where; zoom by keys is about the middle. */
void gesture_act(struct gesture *gesture, enum action action, double x, double y, double amount);
enum action gesture_bound(const struct gesture *gesture, enum binding_kind kind, unsigned modifiers,
                          int32_t code);

/* gesture_drag.c */
void drag_begin(struct gesture *gesture, enum action action, double x, double y, double slip_px);
void drag_move(struct gesture *gesture, double time_s, double x, double y);
/* True if it was a click. Makes the step of a box, and throws the picture. */
bool drag_end(struct gesture *gesture, double time_s);

/* gesture_touch.c */
void touch_take(struct gesture *gesture, const struct input_event *event);
void touch_cancel(struct gesture *gesture);
void touch_flush(struct gesture *gesture);              /* makes the step of a pair that moved */
void touch_wait(struct gesture *gesture, double now_s); /* has a finger been held long? */
double touch_wait_s(const struct gesture *gesture, double now_s); /* until then, or HUGE_VAL */

/* gesture_motion.c: what moves by itself */
void motion_glide(struct gesture *gesture, const struct glide *more); /* adds to the glide */
void motion_stop(struct gesture *gesture);                            /* inertia and glides */
void motion_pad(struct gesture *gesture, const struct input_event *event);
void motion_advance(struct gesture *gesture, double now_s);
bool motion_on(const struct gesture *gesture);
bool motion_sticks_on(const struct gesture *gesture);

#endif
