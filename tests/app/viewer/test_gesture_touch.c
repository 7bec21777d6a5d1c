/* Fingers, keys and gamepads in, steps out. */
#include <math.h>

#include "render/window/event.h"
#include "tests/app/viewer/gesture_hand.h"

TEST(test_two_fingers_hold_what_they_touch)
{
    uint64_t seed = 3;
    for (int round = 0; round < 50; round++) {
        struct hand hand;
        hand_open(&hand, false);
        double x[2] = {300, 600}, y[2] = {200, 260};
        hand_finger(&hand, INPUT_FINGER_DOWN, 7, x[0], y[0]);
        hand_finger(&hand, INPUT_FINGER_DOWN, 3, x[1], y[1]);
        for (int i = 0; i < 40; i++) {
            int f = (int)(check_random(&seed) % 2);
            x[f] += check_random_unit(&seed) * 60 - 30;
            y[f] += check_random_unit(&seed) * 60 - 30;
            if (hypot(x[1] - x[0], y[1] - y[0]) < 20)
                break;
            hand_finger(&hand, INPUT_FINGER_MOVE, f ? 3 : 7, x[f], y[f]);
            hand_pass(&hand, FRAME_S);
        }
        hand_finger(&hand, INPUT_FINGER_MOVE, 3, x[1] + 13, y[1]);
        hand_finger(&hand, INPUT_FINGER_MOVE, 3, x[1] += 13.5, y[1]);
        hand_assert_seen(&hand, 300, 200, x[0], y[0]);
        hand_assert_seen(&hand, 600, 260, x[1], y[1]);
        hand_close(&hand);
    }
}

TEST(test_one_finger_drags_and_throws)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 100, 100);
    for (int i = 1; i <= 10; i++) {
        hand_pass(&hand, 0.02);
        hand_finger(&hand, INPUT_FINGER_MOVE, 1, 100 + 20 * i, 100);
    }
    hand_assert_seen(&hand, 100, 100, 300, 100);
    hand_finger(&hand, INPUT_FINGER_UP, 1, 300, 100);
    hand_pass(&hand, 2);
    assert_true(hand.dx > 300 && hand.dx < 325);
    hand_close(&hand);
}

/* A third finger changes nothing; when one of the two goes, it takes over without a jump. */
TEST(test_the_two_oldest_act)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 100, 100);
    hand_finger(&hand, INPUT_FINGER_DOWN, 2, 500, 100);
    hand_finger(&hand, INPUT_FINGER_MOVE, 2, 600, 100);
    assert_true(fabs(hand.scale - 1.25) < 1e-9);
    hand_finger(&hand, INPUT_FINGER_DOWN, 3, 400, 400);
    hand_finger(&hand, INPUT_FINGER_MOVE, 3, 900, 10);
    hand_finger(&hand, INPUT_FINGER_UP, 1, 100, 100);
    assert_true(fabs(hand.scale - 1.25) < 1e-9);
    hand_assert_seen(&hand, 500, 100, 600, 100);
    hand_finger(&hand, INPUT_FINGER_MOVE, 3, 600, 10 + 300); /* 2 and 3 are the pair now */
    hand_assert_seen(&hand, 500, 100, 600, 100);
    hand_finger(&hand, INPUT_FINGER_UP, 2, 600, 100);
    hand_finger(&hand, INPUT_FINGER_MOVE, 3, 604, 307); /* 3 drags alone, at once */
    hand_assert_seen(&hand, 500, 100, 604, 97);
    hand_finger(&hand, INPUT_FINGER_UP, 3, 604, 307);
    hand_pass(&hand, 1);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

TEST(test_eleven_fingers)
{
    struct hand hand;
    hand_open(&hand, false);
    for (int i = 0; i < 30; i++)
        hand_finger(&hand, INPUT_FINGER_DOWN, i, 30.0 * i, 100);
    for (int i = 29; i >= 10; i--)
        hand_finger(&hand, INPUT_FINGER_MOVE, i, 500, 400);
    for (int i = 0; i < 30; i++)
        hand_finger(&hand, INPUT_FINGER_UP, i, 30.0 * i, 100);
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    hand_finger(&hand, INPUT_FINGER_DOWN, 99, 100, 100); /* none is left behind */
    hand_finger(&hand, INPUT_FINGER_MOVE, 99, 200, 100);
    hand_assert_seen(&hand, 100, 100, 200, 100);
    hand_close(&hand);
}

static void tap(struct hand *hand, int64_t id, double x, double y)
{
    hand_finger(hand, INPUT_FINGER_DOWN, id, x, y);
    hand_pass(hand, 0.05);
    hand_finger(hand, INPUT_FINGER_UP, id, x + 2, y);
}

TEST(test_taps)
{
    struct hand hand;
    hand_open(&hand, false);
    tap(&hand, 1, 300, 100);
    hand_pass(&hand, 0.5);
    assert_int_equal(hand.steps, 0);
    tap(&hand, 2, 300, 100);
    hand_pass(&hand, 0.1);
    tap(&hand, 3, 310, 100);
    hand_pass(&hand, 0.5);
    assert_true(fabs(hand.scale - 4) < 1e-12);
    hand_assert_seen(&hand, 310, 100, 310, 100);
    tap(&hand, 4, 300, 100); /* two taps in different places are two taps */
    hand_pass(&hand, 0.1);
    tap(&hand, 5, 800, 100);
    hand_pass(&hand, 0.5);
    assert_true(fabs(hand.scale - 4) < 1e-12);
    hand_finger(&hand, INPUT_FINGER_DOWN, 6, 300, 100);
    hand_finger(&hand, INPUT_FINGER_DOWN, 7, 500, 100);
    hand_pass(&hand, 0.1);
    hand_finger(&hand, INPUT_FINGER_UP, 6, 301, 100);
    hand_finger(&hand, INPUT_FINGER_UP, 7, 500, 101);
    hand_pass(&hand, 0.5);
    assert_true(fabs(hand.scale - 2) < 1e-12);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

/* On a stand each tap and each click flies in at its position, steadily, and can be steered. */
TEST(test_taps_of_a_stand_fly_in)
{
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    struct gesture_settings settings = {
        .actions = NULL, .width = WIDTH, .height = HEIGHT, .scale = 1, .tap_log2 = 1};
    struct actions actions;
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    settings.actions = &actions;
    gesture_settings(hand.gesture, &settings);
    tap(&hand, 1, 300, 100);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.aims && !marks.down && marks.aim_x == 300 && marks.aim_y == 100);
    hand_pass(&hand, GESTURE_TAP_GLIDE_S / 2);
    assert_true(hand.scale > 1.3 && hand.scale < 1.6);
    hand_pass(&hand, GESTURE_TAP_GLIDE_S);
    assert_true(fabs(hand.scale - 2) < 1e-9);
    hand_assert_seen(&hand, 300, 100, 300, 100);
    hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 700, 200);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.down);
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 700, 200);
    hand_pass(&hand, 1);
    assert_true(fabs(hand.scale - 4) < 1e-9);
    hand_finger(&hand, INPUT_FINGER_DOWN, 2, 400, 100);
    hand_pass(&hand, 0.5);
    gesture_steer(hand.gesture, 50, -20);
    hand_finger(&hand, INPUT_FINGER_MOVE, 2, 410, 100); /* steers from there */
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.aims && marks.aim_x == 460 && marks.aim_y == 80);
    hand_finger(&hand, INPUT_FINGER_UP, 2, 410, 100);
    hand_pass(&hand, 1);
    double before = hand.scale;
    gesture_glide_out(hand.gesture, 2, 0.5, hand.now_s);
    hand_pass(&hand, 1);
    assert_true(fabs(hand.scale * 4 - before) < 1e-9 * before);
    hand_close(&hand);
}

TEST(test_three_fingers_do_not_tap)
{
    struct hand hand;
    hand_open(&hand, false);
    for (int i = 0; i < 3; i++)
        hand_finger(&hand, INPUT_FINGER_DOWN, i, 200 + 100 * i, 100);
    hand_pass(&hand, 0.05);
    for (int i = 0; i < 3; i++)
        hand_finger(&hand, INPUT_FINGER_UP, i, 200 + 100 * i, 100);
    tap(&hand, 9, 400, 100); /* nor are they the first half of a double tap */
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

/* Nobody asks while fingers move, go and come: what they did before is not lost. */
TEST(test_many_events_at_once)
{
    static const struct {
        enum input_kind kind;
        int64_t finger;
        double x, y;
    } events[] = {{INPUT_FINGER_DOWN, 1, 100, 100}, {INPUT_FINGER_DOWN, 2, 300, 100},
                  {INPUT_FINGER_MOVE, 2, 500, 100}, {INPUT_FINGER_DOWN, 3, 700, 300},
                  {INPUT_FINGER_UP, 1, 100, 100},   {INPUT_FINGER_MOVE, 3, 600, 300},
                  {INPUT_FINGER_MOVE, 3, 700, 300}, {INPUT_FINGER_MOVE, 2, 300, 100},
                  {INPUT_FINGER_MOVE, 3, 500, 300}, {INPUT_FINGER_UP, 2, 300, 100}};
    struct hand hand;
    hand_open(&hand, false);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        gesture_take(hand.gesture, &(struct input_event){.kind = events[i].kind,
                                                         .finger = events[i].finger,
                                                         .x = events[i].x,
                                                         .y = events[i].y,
                                                         .time_s = hand.now_s});
    hand_drain(&hand);
    assert_true(fabs(hand.scale - 2) < 1e-9);
    hand_assert_seen(&hand, 100, 100, -100, 100); /* twice as large, then 200 px to the left */
    hand_close(&hand);
}

/* In the first half of a second the speed comes up to a doubling a second, and goes on rising. */
static void assert_flown(const struct hand *hand, double seconds, double least, double most)
{
    double doublings = log2(hand->scale);
    if (!(doublings / seconds > least && doublings / seconds < most))
        fail_msg("%g doublings in %g s", doublings, seconds);
}

TEST(test_a_finger_that_is_held_flies_in)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    assert_true(fabs(gesture_wait_s(hand.gesture, hand.now_s) - GESTURE_TOUCH_HOLD_S) < 1e-9);
    hand_pass(&hand, 0.34);
    assert_int_equal(hand.steps, 0);
    hand_pass(&hand, 2);
    assert_flown(&hand, 2, 0.9, 1.5);
    hand_assert_seen(&hand, 300, 100, 300, 100);
    struct gesture_marks marks;
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.flies && marks.held);
    hand_finger(&hand, INPUT_FINGER_UP, 1, 300, 100);
    hand_pass(&hand, 0.3);
    int steps = hand.steps;
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, steps);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

TEST(test_two_fingers_that_are_held_fly_out)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    hand_finger(&hand, INPUT_FINGER_DOWN, 2, 500, 200);
    hand_pass(&hand, 0.35 + 2);
    assert_flown(&hand, 2, -1.5, -0.9);
    hand_assert_seen(&hand, 400, 150, 400, 150);
    double scale = hand.scale; /* one that goes leaves a finger that drags */
    hand_finger(&hand, INPUT_FINGER_UP, 2, 500, 200);
    hand_pass(&hand, 0.5);
    assert_true(hand.scale > scale * 0.9 && hand.scale <= scale);
    hand_finger(&hand, INPUT_FINGER_UP, 1, 300, 100);
    hand_pass(&hand, 0.5);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

/* A movement before it is a flight is the drag that it always was. */
TEST(test_a_finger_that_moves_at_once_does_not_fly)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    hand_pass(&hand, 0.2);
    hand_finger(&hand, INPUT_FINGER_MOVE, 1, 340, 100);
    hand_pass(&hand, 2);
    assert_true(hand.scale == 1);
    hand_assert_seen(&hand, 300, 100, 340, 100);
    hand_close(&hand);
}

TEST(test_a_flight_is_steered)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    hand_pass(&hand, 1);
    hand_finger(&hand, INPUT_FINGER_MOVE, 1, 700, 400);
    hand_pass(&hand, FRAME_S);
    double x = (700 - hand.dx) / hand.scale, y = (400 - hand.dy) / hand.scale;
    hand_pass(&hand, 1);
    hand_assert_seen(&hand, x, y, 700, 400);
    hand_close(&hand);
}

/* Another action may have the long press; then it is as long as it was. */
TEST(test_a_long_press_of_another_action)
{
    struct hand hand;
    struct ini keys = {0};
    struct actions actions;
    hand_open(&hand, false);
    assert_int_equal(ini_add(&keys, "keys", "info", "long-press", 1), STATUS_OK);
    assert_int_equal(ini_add(&keys, "keys", "fly-in", "left-hold", 2), STATUS_OK);
    assert_int_equal(actions_create(&actions, &keys), STATUS_OK);
    struct gesture_settings settings = {
        .actions = &actions, .width = WIDTH, .height = HEIGHT, .scale = 1};
    gesture_settings(hand.gesture, &settings);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    assert_true(fabs(gesture_wait_s(hand.gesture, hand.now_s) - GESTURE_LONG_PRESS_S) < 1e-9);
    hand_pass(&hand, 0.55);
    assert_int_equal(hand.requests, 0);
    hand_pass(&hand, 0.1);
    assert_int_equal(hand.request, ACTION_INFO);
    assert_true(hand.x == 300 && hand.y == 100);
    hand_finger(&hand, INPUT_FINGER_UP, 1, 300, 100);
    hand_pass(&hand, 1);
    assert_int_equal(hand.requests, 1);
    ini_destroy(&keys);
    hand_close(&hand);
}

TEST(test_lost_focus_lets_go)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    hand_finger(&hand, INPUT_FINGER_DOWN, 2, 500, 100);
    hand_take(&hand, (struct input_event){.kind = INPUT_FOCUS_LOST});
    hand_finger(&hand, INPUT_FINGER_MOVE, 2, 900, 100);
    hand_take(&hand, (struct input_event){.kind = INPUT_PAD_AXIS, .value = 1});
    hand_take(&hand, (struct input_event){.kind = INPUT_FOCUS_LOST});
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    hand_close(&hand);
}

/* ---- keys and pads ---- */

TEST(test_keys)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_key(&hand, 0, '=', false);
    hand_key(&hand, 0, '=', true);
    hand_pass(&hand, 1);
    assert_true(fabs(hand.scale - 4) < 1e-12);
    hand_assert_seen(&hand, 500, 250, 500, 250);
    hand_key(&hand, 0, 'm', false);
    hand_key(&hand, 0, 'm', true); /* held: once is enough */
    assert_int_equal(hand.requests, 1);
    hand_mouse(&hand, 120, 130);
    hand_key(&hand, 0, 'j', false);
    assert_int_equal(hand.request, ACTION_JULIA);
    assert_true(hand.x == 120 && hand.y == 130);
    hand_key(&hand, 0, INPUT_KEY_F12, false);
    assert_int_equal(hand.request, ACTION_PICTURE);
    hand_close(&hand);
    hand_open(&hand, false);
    hand_key(&hand, 0, INPUT_KEY_ARROW_RIGHT, false);
    hand_key(&hand, INPUT_SHIFT, 's', false);
    hand_pass(&hand, 1);
    hand_assert_seen(&hand, 600, 500, 500, 250);
    hand_close(&hand);
}

TEST(test_holding_alt_peeks)
{
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    hand_take(&hand,
              (struct input_event){.kind = INPUT_MOVE, .modifiers = INPUT_ALT, .x = 9, .y = 8});
    gesture_marks(hand.gesture, &marks);
    assert_int_equal(marks.hold, ACTION_JULIA_PEEK);
    assert_true(marks.pointer_x == 9 && marks.pointer_y == 8);
    hand_take(&hand, (struct input_event){.kind = INPUT_KEY_UP, .key = INPUT_KEY_ALT});
    gesture_marks(hand.gesture, &marks);
    assert_int_equal(marks.hold, ACTION_NONE);
    hand_close(&hand);
}

static void axis(struct hand *hand, int pad, int which, double value)
{
    hand_take(hand, (struct input_event){
                        .kind = INPUT_PAD_AXIS, .pad = pad, .axis = which, .value = value});
}

TEST(test_sticks)
{
    struct hand hand;
    hand_open(&hand, false);
    axis(&hand, 0, INPUT_AXIS_LEFT_X, 0.14); /* 0.198 from the middle: the dead zone is round */
    axis(&hand, 0, INPUT_AXIS_LEFT_Y, 0.14);
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    axis(&hand, 0, INPUT_AXIS_LEFT_Y, 0);
    axis(&hand, 0, INPUT_AXIS_LEFT_X, 0.6); /* half of the way behind it: a quarter of the speed */
    hand_pass(&hand, 1);
    assert_true(fabs(hand.dx + WIDTH / 4) < 1e-6 && hand.dy == 0);
    axis(&hand, 0, INPUT_AXIS_LEFT_X, 0);
    axis(&hand, 1, INPUT_AXIS_TRIGGER_RIGHT, 1);
    hand_pass(&hand, 1);
    assert_true(fabs(hand.scale - 4) < 1e-9);
    hand_take(&hand, (struct input_event){.kind = INPUT_PAD_REMOVED, .pad = 1});
    assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
    hand_close(&hand);
}

TEST(test_the_reticle)
{
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    axis(&hand, 4, INPUT_AXIS_RIGHT_X, 1);
    hand_pass(&hand, 0.5);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.reticle && fabs(marks.reticle_x - 800) < 1e-6 && marks.reticle_y == 250);
    hand_pass(&hand, 5);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.reticle_x == WIDTH); /* never off the picture */
    axis(&hand, 4, INPUT_AXIS_RIGHT_X, 0);
    axis(&hand, 4, INPUT_AXIS_TRIGGER_LEFT, 1);
    hand_pass(&hand, 0.5);
    hand_assert_seen(&hand, WIDTH, 250, WIDTH, 250);
    assert_true(hand.scale < 0.51);
    hand_mouse(&hand, 1, 1);
    gesture_marks(hand.gesture, &marks);
    assert_false(marks.reticle);
    hand_close(&hand);
}
