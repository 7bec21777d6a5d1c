/* Fingers: one drags, the two oldest move, zoom and turn at once, and taps. */
#include <math.h>
#include <string.h>

#include "app/viewer/gesture_parts.h"

static double slip_px(const struct gesture *gesture)
{
    return GESTURE_TOUCH_SLIP_PX * gesture->settings.scale;
}

static enum action touch_bound(const struct gesture *gesture, enum touch touch)
{
    return gesture_bound(gesture, BINDING_TOUCH, 0, touch);
}

static int finger_find(const struct touching *touching, int64_t id)
{
    for (int i = 0; i < touching->count; i++)
        if (touching->finger[i].id == id)
            return i;
    return -1;
}

/* The pair's steps begin anew from where its fingers are. */
static void pair_begin(struct touching *touching)
{
    touching->pair_moved = false;
    for (int i = 0; i < 2 && touching->count >= 2; i++) {
        touching->from[i][0] = touching->finger[i].x;
        touching->from[i][1] = touching->finger[i].y;
    }
}

void touch_flush(struct gesture *gesture)
{
    struct touching *touching = &gesture->touching;
    if (touching->count < 2 || !touching->pair_moved || touching->still)
        return;
    const struct finger *finger = touching->finger;
    const double to[2][2] = {{finger[0].x, finger[0].y}, {finger[1].x, finger[1].y}};
    struct steer_step step = steer_fingers((const double(*)[2])touching->from, to);
    if (touch_bound(gesture, TOUCH_TWO_FINGERS) == ACTION_PINCH)
        gesture_push_step(gesture, &step);
    pair_begin(touching);
}

/* After the fingers have become others: one drags, two are a pair. */
static void roles_assign(struct gesture *gesture, double slip)
{
    struct touching *touching = &gesture->touching;
    gesture->drag = (struct drag){0};
    if (touching->count == 1)
        drag_begin(gesture, touch_bound(gesture, TOUCH_ONE_FINGER), touching->finger[0].x,
                   touching->finger[0].y, slip);
    pair_begin(touching);
}

static void finger_down(struct gesture *gesture, const struct input_event *event)
{
    struct touching *touching = &gesture->touching;
    if (finger_find(touching, event->finger) >= 0 || touching->count == GESTURE_FINGERS_MAX)
        return;
    touch_flush(gesture);
    gesture->pressed = false; /* the finger takes over from the mouse */
    motion_stop(gesture);
    if (touching->count == 0) {
        touching->still = true;
        touching->most = 0;
        touching->since_s = event->time_s;
    }
    touching->finger[touching->count++] =
        (struct finger){event->finger, event->x, event->y, event->x, event->y};
    if (touching->count > touching->most)
        touching->most = touching->count;
    touching->mid_x = event->x;
    touching->mid_y = event->y;
    if (touching->count == 2) {
        touching->mid_x = (touching->finger[0].x + event->x) / 2;
        touching->mid_y = (touching->finger[0].y + event->y) / 2;
    }
    if (touching->count <= 2)
        roles_assign(gesture, slip_px(gesture));
}

static void finger_move(struct gesture *gesture, const struct input_event *event)
{
    struct touching *touching = &gesture->touching;
    int i = finger_find(touching, event->finger);
    if (i < 0)
        return;
    struct finger *finger = &touching->finger[i];
    finger->x = event->x;
    finger->y = event->y;
    if (hypot(finger->x - finger->start_x, finger->y - finger->start_y) > slip_px(gesture))
        touching->still = false;
    touching->pair_moved = touching->pair_moved || (touching->count >= 2 && i < 2);
    if (touching->count == 1)
        drag_move(gesture, event->time_s, event->x, event->y);
}

static void tap(struct gesture *gesture, double time_s)
{
    struct touching *touching = &gesture->touching;
    double x = touching->mid_x, y = touching->mid_y;
    if (touching->most > 2)
        return;
    if (touching->most == 2) {
        touching->tapped = false;
        gesture_act(gesture, touch_bound(gesture, TOUCH_TWO_FINGER_TAP), x, y, 1);
        return;
    }
    bool second = touching->tapped && time_s - touching->tap.time_s <= GESTURE_DOUBLE_TAP_S &&
                  hypot(x - touching->tap.x, y - touching->tap.y) <=
                      GESTURE_DOUBLE_TAP_PX * gesture->settings.scale;
    touching->tapped = !second;
    touching->tap = (struct spot){time_s, x, y};
    if (second)
        gesture_act(gesture, touch_bound(gesture, TOUCH_DOUBLE_TAP), x, y, 1);
}

static void finger_up(struct gesture *gesture, const struct input_event *event)
{
    struct touching *touching = &gesture->touching;
    int i = finger_find(touching, event->finger);
    if (i < 0)
        return;
    touch_flush(gesture);
    touching->count--;
    memmove(&touching->finger[i], &touching->finger[i + 1],
            (size_t)(touching->count - i) * sizeof touching->finger[0]);
    if (touching->count == 0) {
        drag_end(gesture, event->time_s);
        if (touching->still && event->time_s - touching->since_s <= GESTURE_TAP_S)
            tap(gesture, event->time_s);
        else
            touching->tapped = false;
    } else if (i < 2) /* of several fingers the next oldest take over, at once */
        roles_assign(gesture, touching->still ? slip_px(gesture) : 0);
}

void touch_take(struct gesture *gesture, const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_FINGER_DOWN:
        finger_down(gesture, event);
        break;
    case INPUT_FINGER_MOVE:
        finger_move(gesture, event);
        break;
    default:
        finger_up(gesture, event);
    }
}

void touch_cancel(struct gesture *gesture)
{
    gesture->touching = (struct touching){0};
}

static bool waits(const struct gesture *gesture)
{
    const struct touching *touching = &gesture->touching;
    return touching->count == 1 && touching->most == 1 && touching->still &&
           touch_bound(gesture, TOUCH_LONG_PRESS) != ACTION_NONE;
}

void touch_wait(struct gesture *gesture, double now_s)
{
    struct touching *touching = &gesture->touching;
    if (!waits(gesture) || now_s - touching->since_s < GESTURE_LONG_PRESS_S)
        return;
    touching->still = false;
    gesture_act(gesture, touch_bound(gesture, TOUCH_LONG_PRESS), touching->mid_x, touching->mid_y,
                1);
}

double touch_wait_s(const struct gesture *gesture, double now_s)
{
    if (!waits(gesture))
        return HUGE_VAL;
    return fmax(gesture->touching.since_s + GESTURE_LONG_PRESS_S - now_s, 0);
}
