/* A button or one finger that drags: pan 1:1 with inertia, turn about the middle, draw a box. */
#include <math.h>
#include <string.h>

#include "app/viewer/gesture_parts.h"

#define BOX_LEAST_PX 8.0  /* smaller ones were no boxes */
#define TURN_LEAST_PX 8.0 /* from the middle: angles say nothing nearer to it */
#define TRAIL_S 0.08      /* that the speed is taken from */
#define REST_S 0.05       /* a hand that has rested so long does not throw */
#define TRAIL_LEAST_S 0.01
#define THROW_MOST 4.0 /* pictures a second */

void drag_begin(struct gesture *gesture, enum action action, double x, double y, double slip_px)
{
    gesture->drag = (struct drag){.active = true,
                                  .action = action,
                                  .start_x = x,
                                  .start_y = y,
                                  .x = x,
                                  .y = y,
                                  .slip_px = slip_px};
}

static void trail_add(struct drag *drag, double time_s, double x, double y)
{
    if (drag->trail_count == TRAIL_MAX) {
        memmove(drag->trail, drag->trail + 1, (TRAIL_MAX - 1) * sizeof *drag->trail);
        drag->trail_count--;
    }
    drag->trail[drag->trail_count++] = (struct spot){time_s, x, y};
}

static void turn_by(struct gesture *gesture, const struct drag *drag, double x, double y)
{
    double middle_x = gesture->settings.width / 2, middle_y = gesture->settings.height / 2;
    double before_x = drag->x - middle_x, before_y = drag->y - middle_y;
    double after_x = x - middle_x, after_y = y - middle_y;
    if (hypot(before_x, before_y) < TURN_LEAST_PX || hypot(after_x, after_y) < TURN_LEAST_PX)
        return;
    double angle =
        atan2(before_x * after_y - before_y * after_x, before_x * after_x + before_y * after_y);
    struct steer_step step = steer_turn(angle * (180 / M_PI), middle_x, middle_y);
    gesture_push_step(gesture, &step);
}

void drag_move(struct gesture *gesture, double time_s, double x, double y)
{
    struct drag *drag = &gesture->drag;
    if (!drag->active)
        return;
    if (!drag->moving && hypot(x - drag->start_x, y - drag->start_y) <= drag->slip_px)
        return;
    drag->moving = true;
    if (drag->action == ACTION_PAN) {
        struct steer_step step = steer_pan(x - drag->x, y - drag->y);
        gesture_push_step(gesture, &step);
    } else if (drag->action == ACTION_TURN)
        turn_by(gesture, drag, x, y);
    if (x != drag->x || y != drag->y) /* letting go is no movement */
        trail_add(drag, time_s, x, y);
    drag->x = x;
    drag->y = y;
}

/* The speed over the last moments, if the hand was still moving. */
static void throw_picture(struct gesture *gesture, double time_s)
{
    const struct drag *drag = &gesture->drag;
    if (gesture->settings.reduced_motion || drag->trail_count < 2)
        return;
    const struct spot *last = &drag->trail[drag->trail_count - 1], *first = last;
    for (int i = drag->trail_count - 1; i >= 0 && time_s - drag->trail[i].time_s <= TRAIL_S; i--)
        first = &drag->trail[i];
    if (first == last || time_s - last->time_s > REST_S)
        return;
    double span_s = fmax(time_s - first->time_s, TRAIL_LEAST_S);
    double x = (last->x - first->x) / span_s, y = (last->y - first->y) / span_s;
    double most = THROW_MOST * hypot(gesture->settings.width, gesture->settings.height);
    double speed = hypot(x, y), share = speed > most ? most / speed : 1;
    gesture->throw_x = x * share;
    gesture->throw_y = y * share;
    gesture->advanced_s = fmax(gesture->advanced_s, time_s);
}

bool drag_end(struct gesture *gesture, double time_s)
{
    struct drag *drag = &gesture->drag;
    bool click = drag->active && !drag->moving;
    if (drag->active && drag->moving && drag->action == ACTION_PAN)
        throw_picture(gesture, time_s);
    if (drag->active && drag->moving && drag->action == ACTION_BOX &&
        fmax(fabs(drag->x - drag->start_x), fabs(drag->y - drag->start_y)) >= BOX_LEAST_PX) {
        struct steer_step step = steer_box(gesture->settings.width, gesture->settings.height,
                                           drag->start_x, drag->start_y, drag->x, drag->y);
        gesture_push_step(gesture, &step);
    }
    *drag = (struct drag){0};
    return click;
}
