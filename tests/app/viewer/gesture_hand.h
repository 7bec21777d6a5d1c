/* A pair of hands for the tests of gestures: events in, and what has come out, added up. */
#ifndef TESTS_APP_VIEWER_GESTURE_HAND_H
#define TESTS_APP_VIEWER_GESTURE_HAND_H

#include "app/viewer/input/gesture.h"
#include "tests/support/check.h"

#define WIDTH 1000.0
#define HEIGHT 500.0
#define FRAME_S (1.0 / 60)

struct hand { /* a gesture machine and what has come out of it */
    struct gesture *gesture;
    double now_s;
    double scale, angle, dx, dy; /* of what is seen: x' = scale R(angle) x + d */
    int steps;
    enum action request;
    int requests;
    double x, y;
};

void hand_open(struct hand *hand, bool reduced_motion);
void hand_close(struct hand *hand);
void hand_take(struct hand *hand, struct input_event event);
void hand_drain(struct hand *hand);
/* Lets time pass in frames. */
void hand_pass(struct hand *hand, double seconds);
void hand_button(struct hand *hand, enum input_kind kind, int which, unsigned modifiers, int clicks,
                 double x, double y);
void hand_mouse(struct hand *hand, double x, double y);
/* In ten moves over some seconds. */
void hand_drag(struct hand *hand, int which, unsigned modifiers, double x0, double y0, double x1,
               double y1, double seconds);
void hand_finger(struct hand *hand, enum input_kind kind, int64_t id, double x, double y);
void hand_key(struct hand *hand, unsigned modifiers, int32_t which, bool repeat);
/* What was seen at the one place is seen at the other. */
void hand_assert_seen(const struct hand *hand, double x, double y, double at_x, double at_y);

#endif
