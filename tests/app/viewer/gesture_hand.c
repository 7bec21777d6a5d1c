#include "tests/app/viewer/gesture_hand.h"

#include <math.h>

static struct actions actions;

void hand_open(struct hand *hand, bool reduced_motion)
{
    *hand = (struct hand){.now_s = 10, .scale = 1};
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    struct gesture_settings settings = {.actions = &actions,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .scale = 1,
                                        .reduced_motion = reduced_motion};
    assert_int_equal(gesture_create(&hand->gesture, &settings), STATUS_OK);
}

void hand_close(struct hand *hand)
{
    gesture_destroy(hand->gesture);
}

/* Where a place of the beginning is seen by now. */
static void seen_at(const struct hand *hand, double x, double y, double *to_x, double *to_y)
{
    *to_x = hand->scale * (x * cos(hand->angle) - y * sin(hand->angle)) + hand->dx;
    *to_y = hand->scale * (x * sin(hand->angle) + y * cos(hand->angle)) + hand->dy;
}

static void step_take(struct hand *hand, const struct view_motion *step)
{
    double turn = step->turn_deg * M_PI / 180, c = cos(turn) * step->factor;
    double s = sin(turn) * step->factor, x = hand->dx - step->from_x, y = hand->dy - step->from_y;
    hand->dx = c * x - s * y + step->to_x;
    hand->dy = s * x + c * y + step->to_y;
    hand->scale *= step->factor;
    hand->angle += turn;
    hand->steps++;
}

void hand_drain(struct hand *hand)
{
    struct gesture_result result;
    for (int i = 0; gesture_next(hand->gesture, hand->now_s, &result); i++) {
        assert_true(i < 200);
        if (result.kind == GESTURE_MOTION)
            step_take(hand, &result.step);
        else {
            hand->request = result.action;
            hand->requests++;
            hand->x = result.x;
            hand->y = result.y;
        }
    }
}

void hand_pass(struct hand *hand, double seconds)
{
    for (double left = seconds; left > 1e-12; left -= FRAME_S) {
        hand->now_s += fmin(left, FRAME_S);
        hand_drain(hand);
    }
}

void hand_take(struct hand *hand, struct input_event event)
{
    event.time_s = hand->now_s;
    gesture_take(hand->gesture, &event);
    hand_drain(hand);
}

void hand_button(struct hand *hand, enum input_kind kind, int which, unsigned modifiers, int clicks,
                 double x, double y)
{
    hand_take(hand, (struct input_event){.kind = kind,
                                         .button = which,
                                         .modifiers = modifiers,
                                         .clicks = clicks,
                                         .x = x,
                                         .y = y});
}

void hand_mouse(struct hand *hand, double x, double y)
{
    hand_take(hand, (struct input_event){.kind = INPUT_MOVE, .x = x, .y = y});
}

void hand_drag(struct hand *hand, int which, unsigned modifiers, double x0, double y0, double x1,
               double y1, double seconds)
{
    hand_button(hand, INPUT_BUTTON_DOWN, which, modifiers, 1, x0, y0);
    for (int i = 1; i <= 10; i++) {
        hand_pass(hand, seconds / 10);
        hand_mouse(hand, x0 + (x1 - x0) * i / 10, y0 + (y1 - y0) * i / 10);
    }
}

void hand_finger(struct hand *hand, enum input_kind kind, int64_t id, double x, double y)
{
    hand_take(hand, (struct input_event){.kind = kind, .finger = id, .x = x, .y = y});
}

void hand_key(struct hand *hand, unsigned modifiers, int32_t which, bool repeat)
{
    hand_take(hand,
              (struct input_event){
                  .kind = INPUT_KEY_DOWN, .modifiers = modifiers, .key = which, .repeat = repeat});
}

void hand_assert_seen(const struct hand *hand, double x, double y, double at_x, double at_y)
{
    double to_x, to_y;
    seen_at(hand, x, y, &to_x, &to_y);
    if (hypot(to_x - at_x, to_y - at_y) > 1e-6)
        fail_msg("(%g, %g) is seen at (%g, %g), not at (%g, %g)", x, y, to_x, to_y, at_x, at_y);
}
