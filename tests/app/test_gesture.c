/* Hands in, steps out: each gesture by itself, and streams of anything by chance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/gesture.h"
#include "tests/support/check.h"

#define WIDTH 1000.0
#define HEIGHT 500.0
#define FRAME_S (1.0 / 60)

static struct actions actions;

struct hand { /* a gesture machine and what has come out of it */
    struct gesture *gesture;
    double now_s;
    double scale, angle, dx, dy; /* of what is seen: x' = scale R(angle) x + d */
    int steps;
    enum action request;
    int requests;
    double x, y;
};

static void hand_open(struct hand *hand, bool reduced_motion)
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

static void hand_close(struct hand *hand)
{
    gesture_destroy(hand->gesture);
}

/* Where a place of the beginning is seen by now. */
static void seen_at(const struct hand *hand, double x, double y, double *to_x, double *to_y)
{
    *to_x = hand->scale * (x * cos(hand->angle) - y * sin(hand->angle)) + hand->dx;
    *to_y = hand->scale * (x * sin(hand->angle) + y * cos(hand->angle)) + hand->dy;
}

static void step_take(struct hand *hand, const struct steer_step *step)
{
    double turn = step->turn_deg * M_PI / 180, c = cos(turn) * step->factor;
    double s = sin(turn) * step->factor, x = hand->dx - step->from_x, y = hand->dy - step->from_y;
    hand->dx = c * x - s * y + step->to_x;
    hand->dy = s * x + c * y + step->to_y;
    hand->scale *= step->factor;
    hand->angle += turn;
    hand->steps++;
}

static void drain(struct hand *hand)
{
    struct gesture_result result;
    for (int i = 0; gesture_next(hand->gesture, hand->now_s, &result); i++) {
        assert_true(i < 200);
        if (result.kind == GESTURE_STEP)
            step_take(hand, &result.step);
        else {
            hand->request = result.action;
            hand->requests++;
            hand->x = result.x;
            hand->y = result.y;
        }
    }
}

/* Lets time pass in frames. */
static void pass(struct hand *hand, double seconds)
{
    for (double left = seconds; left > 1e-12; left -= FRAME_S) {
        hand->now_s += fmin(left, FRAME_S);
        drain(hand);
    }
}

static void take(struct hand *hand, struct input_event event)
{
    event.time_s = hand->now_s;
    gesture_take(hand->gesture, &event);
    drain(hand);
}

static void button(struct hand *hand, enum input_kind kind, int which, unsigned modifiers,
                   int clicks, double x, double y)
{
    take(hand, (struct input_event){.kind = kind,
                                    .button = which,
                                    .modifiers = modifiers,
                                    .clicks = clicks,
                                    .x = x,
                                    .y = y});
}

static void mouse(struct hand *hand, double x, double y)
{
    take(hand, (struct input_event){.kind = INPUT_MOVE, .x = x, .y = y});
}

/* In ten moves over some seconds. */
static void drag(struct hand *hand, int which, unsigned modifiers, double x0, double y0, double x1,
                 double y1, double seconds)
{
    button(hand, INPUT_BUTTON_DOWN, which, modifiers, 1, x0, y0);
    for (int i = 1; i <= 10; i++) {
        pass(hand, seconds / 10);
        mouse(hand, x0 + (x1 - x0) * i / 10, y0 + (y1 - y0) * i / 10);
    }
}

static void finger(struct hand *hand, enum input_kind kind, int64_t id, double x, double y)
{
    take(hand, (struct input_event){.kind = kind, .finger = id, .x = x, .y = y});
}

static void key(struct hand *hand, unsigned modifiers, int32_t which, bool repeat)
{
    take(hand, (struct input_event){
                   .kind = INPUT_KEY_DOWN, .modifiers = modifiers, .key = which, .repeat = repeat});
}

/* What was seen at the one place is seen at the other. */
static void assert_seen(const struct hand *hand, double x, double y, double at_x, double at_y)
{
    double to_x, to_y;
    seen_at(hand, x, y, &to_x, &to_y);
    if (hypot(to_x - at_x, to_y - at_y) > 1e-6)
        fail_msg("(%g, %g) is seen at (%g, %g), not at (%g, %g)", x, y, to_x, to_y, at_x, at_y);
}

/* ---- mouse ---- */

static void test_a_drag_pans_one_to_one(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    drag(&hand, INPUT_LEFT, 0, 100, 100, 300, 50, 0.5);
    assert_seen(&hand, 100, 100, 300, 50);
    pass(&hand, 0.2); /* the hand rests, so nothing is thrown */
    button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 300, 50);
    pass(&hand, 2);
    assert_seen(&hand, 100, 100, 300, 50);
    assert_int_equal(hand.requests, 0);
    assert_true(hand.scale == 1 && hand.angle == 0);
    assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
    hand_close(&hand);
}

static void test_a_slip_is_no_drag(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 100, 100);
    mouse(&hand, 103, 100);
    button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 103, 100);
    pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    hand_close(&hand);
}

/* 1,000 px/s go on for 1000 * 0.12 px in all, whatever the frames are. */
static void test_inertia_does_not_depend_on_frames(void **state)
{
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        struct hand hand;
        hand_open(&hand, false);
        drag(&hand, INPUT_LEFT, 0, 100, 100, 600, 100, 0.5);
        button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 600, 100);
        struct gesture_marks marks;
        gesture_marks(hand.gesture, &marks);
        assert_true(marks.moving && !marks.held);
        assert_true(gesture_wait_s(hand.gesture, hand.now_s) == 0);
        if (frames)
            pass(&hand, 3);
        else
            for (int i = 0; i < 10; i++) {
                hand.now_s += 0.3;
                drain(&hand);
            }
        /* What is slower than 20 px/s counts as standing: 20 * 0.12 px are left out. */
        assert_true(fabs(hand.dx - 500 - 120) <= 2.4 + 1e-6);
        assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
        hand_close(&hand);
    }
}

static void test_reduced_motion_throws_nothing(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, true);
    drag(&hand, INPUT_LEFT, 0, 100, 100, 600, 100, 0.5);
    button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 600, 100);
    pass(&hand, 3);
    assert_seen(&hand, 100, 100, 600, 100);
    hand_close(&hand);
}

static void test_a_press_stops_inertia(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    drag(&hand, INPUT_LEFT, 0, 100, 100, 600, 100, 0.5);
    button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 600, 100);
    button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 600, 100);
    pass(&hand, 1);
    assert_seen(&hand, 100, 100, 600, 100);
    hand_close(&hand);
}

static void wheel(struct hand *hand, double notches, unsigned modifiers)
{
    take(hand,
         (struct input_event){
             .kind = INPUT_WHEEL, .wheel_y = notches, .modifiers = modifiers, .x = 700, .y = 20});
}

static void test_the_wheel(void **state)
{
    (void)state;
    for (int reduced = 0; reduced < 2; reduced++) {
        struct hand hand;
        hand_open(&hand, reduced);
        for (int i = 0; i < 4; i++)
            wheel(&hand, 1, 0);
        assert_true(fabs(hand.scale - (reduced ? 2 : 1)) < 1e-12);
        pass(&hand, 0.06);
        assert_true(reduced || (hand.scale > 1.3 && hand.scale < 1.5));
        pass(&hand, 0.061);
        assert_true(fabs(hand.scale - 2) < 1e-12);
        assert_seen(&hand, 700, 20, 700, 20);
        wheel(&hand, -1.5, INPUT_CTRL);
        wheel(&hand, 0.125, 0); /* a fine wheel */
        pass(&hand, 0.2);
        assert_true(fabs(hand.scale - exp2(1 - 1.5 + 0.125 / 4)) < 1e-12);
        hand_close(&hand);
    }
}

static void test_clicks(void **state)
{
    (void)state;
    const struct {
        int button, clicks;
        double scale, at_x, at_y; /* where (600, 100) is seen after it */
    } cases[] = {{INPUT_LEFT, 1, 1, 600, 100},    {INPUT_LEFT, 2, 4, 600, 100},
                 {INPUT_LEFT, 3, 1, 600, 100},    {INPUT_RIGHT, 1, 0.5, 600, 100},
                 {INPUT_RIGHT, 2, 0.5, 600, 100}, {INPUT_MIDDLE, 1, 1, 500, 250}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hand hand;
        hand_open(&hand, false);
        button(&hand, INPUT_BUTTON_DOWN, cases[i].button, 0, cases[i].clicks, 600, 100);
        button(&hand, INPUT_BUTTON_UP, cases[i].button, 0, cases[i].clicks, 600, 100);
        pass(&hand, 1);
        assert_true(fabs(hand.scale - cases[i].scale) < 1e-12);
        assert_seen(&hand, 600, 100, cases[i].at_x, cases[i].at_y);
        hand_close(&hand);
    }
}

static void test_a_box_fills_the_picture(void **state)
{
    (void)state;
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    drag(&hand, INPUT_LEFT, INPUT_SHIFT, 400, 100, 200, 150, 0.3);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.box && marks.box_x[0] == 400 && marks.box_y[1] == 150);
    assert_int_equal(hand.steps, 0);
    button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 200, 150);
    assert_seen(&hand, 300, 125, 500, 250);
    assert_true(fabs(hand.scale - 5) < 1e-12); /* 200 px are to be 1,000; 50 might be 500 */
    gesture_marks(hand.gesture, &marks);
    assert_false(marks.box);
    hand_close(&hand);
}

static void test_escape_ends_a_drag_and_no_more(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    drag(&hand, INPUT_LEFT, INPUT_SHIFT, 400, 100, 200, 150, 0.3);
    key(&hand, 0, INPUT_KEY_ESCAPE, false);
    button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 200, 150);
    pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    assert_int_equal(hand.requests, 0);
    key(&hand, 0, INPUT_KEY_ESCAPE, false);
    assert_int_equal(hand.request, ACTION_ESCAPE);
    hand_close(&hand);
}

/* A quarter of the way round the middle, in small moves. */
static void test_turning_follows_the_pointer(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, INPUT_CTRL, 1, 700, 250);
    for (int i = 1; i <= 30; i++)
        mouse(&hand, 500 + 200 * cos(i * M_PI / 60), 250 + 200 * sin(i * M_PI / 60));
    assert_seen(&hand, 700, 250, 500, 450);
    assert_seen(&hand, 500, 250, 500, 250);
    hand_close(&hand);
}

/* ---- fingers ---- */

static void test_two_fingers_hold_what_they_touch(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 50; round++) {
        struct hand hand;
        hand_open(&hand, false);
        double x[2] = {300, 600}, y[2] = {200, 260};
        finger(&hand, INPUT_FINGER_DOWN, 7, x[0], y[0]);
        finger(&hand, INPUT_FINGER_DOWN, 3, x[1], y[1]);
        for (int i = 0; i < 40; i++) {
            int f = (int)(check_random(&seed) % 2);
            x[f] += check_random_unit(&seed) * 60 - 30;
            y[f] += check_random_unit(&seed) * 60 - 30;
            if (hypot(x[1] - x[0], y[1] - y[0]) < 20)
                break;
            finger(&hand, INPUT_FINGER_MOVE, f ? 3 : 7, x[f], y[f]);
            pass(&hand, FRAME_S);
        }
        finger(&hand, INPUT_FINGER_MOVE, 3, x[1] + 13, y[1]);
        finger(&hand, INPUT_FINGER_MOVE, 3, x[1] += 13.5, y[1]);
        assert_seen(&hand, 300, 200, x[0], y[0]);
        assert_seen(&hand, 600, 260, x[1], y[1]);
        hand_close(&hand);
    }
}

static void test_one_finger_drags_and_throws(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    finger(&hand, INPUT_FINGER_DOWN, 1, 100, 100);
    for (int i = 1; i <= 10; i++) {
        pass(&hand, 0.02);
        finger(&hand, INPUT_FINGER_MOVE, 1, 100 + 20 * i, 100);
    }
    assert_seen(&hand, 100, 100, 300, 100);
    finger(&hand, INPUT_FINGER_UP, 1, 300, 100);
    pass(&hand, 2);
    assert_true(hand.dx > 300 && hand.dx < 325);
    hand_close(&hand);
}

/* A third finger changes nothing; when one of the two goes, it takes over without a jump. */
static void test_the_two_oldest_act(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    finger(&hand, INPUT_FINGER_DOWN, 1, 100, 100);
    finger(&hand, INPUT_FINGER_DOWN, 2, 500, 100);
    finger(&hand, INPUT_FINGER_MOVE, 2, 600, 100);
    assert_true(fabs(hand.scale - 1.25) < 1e-9);
    finger(&hand, INPUT_FINGER_DOWN, 3, 400, 400);
    finger(&hand, INPUT_FINGER_MOVE, 3, 900, 10);
    finger(&hand, INPUT_FINGER_UP, 1, 100, 100);
    assert_true(fabs(hand.scale - 1.25) < 1e-9);
    assert_seen(&hand, 500, 100, 600, 100);
    finger(&hand, INPUT_FINGER_MOVE, 3, 600, 10 + 300); /* 2 and 3 are the pair now */
    assert_seen(&hand, 500, 100, 600, 100);
    finger(&hand, INPUT_FINGER_UP, 2, 600, 100);
    finger(&hand, INPUT_FINGER_MOVE, 3, 610, 300); /* 3 drags alone, at once */
    assert_seen(&hand, 500, 100, 610, 90);
    finger(&hand, INPUT_FINGER_UP, 3, 610, 300);
    pass(&hand, 1);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

static void test_eleven_fingers(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    for (int i = 0; i < 30; i++)
        finger(&hand, INPUT_FINGER_DOWN, i, 30.0 * i, 100);
    for (int i = 29; i >= 10; i--)
        finger(&hand, INPUT_FINGER_MOVE, i, 500, 400);
    for (int i = 0; i < 30; i++)
        finger(&hand, INPUT_FINGER_UP, i, 30.0 * i, 100);
    pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    finger(&hand, INPUT_FINGER_DOWN, 99, 100, 100); /* none is left behind */
    finger(&hand, INPUT_FINGER_MOVE, 99, 200, 100);
    assert_seen(&hand, 100, 100, 200, 100);
    hand_close(&hand);
}

static void tap(struct hand *hand, int64_t id, double x, double y)
{
    finger(hand, INPUT_FINGER_DOWN, id, x, y);
    pass(hand, 0.05);
    finger(hand, INPUT_FINGER_UP, id, x + 2, y);
}

static void test_taps(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    tap(&hand, 1, 300, 100);
    pass(&hand, 0.5);
    assert_int_equal(hand.steps, 0);
    tap(&hand, 2, 300, 100);
    pass(&hand, 0.1);
    tap(&hand, 3, 310, 100);
    pass(&hand, 0.5);
    assert_true(fabs(hand.scale - 4) < 1e-12);
    assert_seen(&hand, 310, 100, 310, 100);
    tap(&hand, 4, 300, 100); /* two taps in different places are two taps */
    pass(&hand, 0.1);
    tap(&hand, 5, 800, 100);
    pass(&hand, 0.5);
    assert_true(fabs(hand.scale - 4) < 1e-12);
    finger(&hand, INPUT_FINGER_DOWN, 6, 300, 100);
    finger(&hand, INPUT_FINGER_DOWN, 7, 500, 100);
    pass(&hand, 0.1);
    finger(&hand, INPUT_FINGER_UP, 6, 301, 100);
    finger(&hand, INPUT_FINGER_UP, 7, 500, 101);
    pass(&hand, 0.5);
    assert_true(fabs(hand.scale - 2) < 1e-12);
    assert_int_equal(hand.requests, 0);
    hand_close(&hand);
}

static void test_a_long_press(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    assert_true(fabs(gesture_wait_s(hand.gesture, hand.now_s) - GESTURE_LONG_PRESS_S) < 1e-9);
    pass(&hand, 0.55);
    assert_int_equal(hand.requests, 0);
    pass(&hand, 0.1);
    assert_int_equal(hand.request, ACTION_INFO);
    assert_true(hand.x == 300 && hand.y == 100);
    finger(&hand, INPUT_FINGER_UP, 1, 300, 100);
    pass(&hand, 1);
    assert_int_equal(hand.requests, 1);
    hand_close(&hand);
}

static void test_lost_focus_lets_go(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    finger(&hand, INPUT_FINGER_DOWN, 1, 300, 100);
    finger(&hand, INPUT_FINGER_DOWN, 2, 500, 100);
    take(&hand, (struct input_event){.kind = INPUT_FOCUS_LOST});
    finger(&hand, INPUT_FINGER_MOVE, 2, 900, 100);
    take(&hand, (struct input_event){.kind = INPUT_PAD_AXIS, .value = 1});
    take(&hand, (struct input_event){.kind = INPUT_FOCUS_LOST});
    pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    hand_close(&hand);
}

/* ---- keys and pads ---- */

static void test_keys(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    key(&hand, 0, '=', false);
    key(&hand, 0, '=', true);
    pass(&hand, 1);
    assert_true(fabs(hand.scale - 4) < 1e-12);
    assert_seen(&hand, 500, 250, 500, 250);
    key(&hand, 0, 'm', false);
    key(&hand, 0, 'm', true); /* held: once is enough */
    assert_int_equal(hand.requests, 1);
    mouse(&hand, 120, 130);
    key(&hand, 0, 'j', false);
    assert_int_equal(hand.request, ACTION_JULIA);
    assert_true(hand.x == 120 && hand.y == 130);
    key(&hand, 0, INPUT_KEY_F12, false);
    assert_int_equal(hand.request, ACTION_PICTURE);
    hand_close(&hand);
    hand_open(&hand, false);
    key(&hand, 0, INPUT_KEY_ARROW_RIGHT, false);
    key(&hand, INPUT_SHIFT, 's', false);
    pass(&hand, 1);
    assert_seen(&hand, 600, 500, 500, 250);
    hand_close(&hand);
}

static void test_holding_alt_peeks(void **state)
{
    (void)state;
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    take(&hand, (struct input_event){.kind = INPUT_MOVE, .modifiers = INPUT_ALT, .x = 9, .y = 8});
    gesture_marks(hand.gesture, &marks);
    assert_int_equal(marks.hold, ACTION_JULIA_PEEK);
    assert_true(marks.pointer_x == 9 && marks.pointer_y == 8);
    take(&hand, (struct input_event){.kind = INPUT_KEY_UP, .key = INPUT_KEY_ALT});
    gesture_marks(hand.gesture, &marks);
    assert_int_equal(marks.hold, ACTION_NONE);
    hand_close(&hand);
}

static void axis(struct hand *hand, int pad, int which, double value)
{
    take(hand,
         (struct input_event){.kind = INPUT_PAD_AXIS, .pad = pad, .axis = which, .value = value});
}

static void test_sticks(void **state)
{
    (void)state;
    struct hand hand;
    hand_open(&hand, false);
    axis(&hand, 0, INPUT_AXIS_LEFT_X, 0.14); /* 0.198 from the middle: the dead zone is round */
    axis(&hand, 0, INPUT_AXIS_LEFT_Y, 0.14);
    pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    axis(&hand, 0, INPUT_AXIS_LEFT_Y, 0);
    axis(&hand, 0, INPUT_AXIS_LEFT_X, 0.6); /* half of the way behind it: a quarter of the speed */
    pass(&hand, 1);
    assert_true(fabs(hand.dx + WIDTH / 4) < 1e-6 && hand.dy == 0);
    axis(&hand, 0, INPUT_AXIS_LEFT_X, 0);
    axis(&hand, 1, INPUT_AXIS_TRIGGER_RIGHT, 1);
    pass(&hand, 1);
    assert_true(fabs(hand.scale - 4) < 1e-9);
    take(&hand, (struct input_event){.kind = INPUT_PAD_REMOVED, .pad = 1});
    assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
    hand_close(&hand);
}

static void test_the_reticle(void **state)
{
    (void)state;
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    axis(&hand, 4, INPUT_AXIS_RIGHT_X, 1);
    pass(&hand, 0.5);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.reticle && fabs(marks.reticle_x - 800) < 1e-6 && marks.reticle_y == 250);
    pass(&hand, 5);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.reticle_x == WIDTH); /* never off the picture */
    axis(&hand, 4, INPUT_AXIS_RIGHT_X, 0);
    axis(&hand, 4, INPUT_AXIS_TRIGGER_LEFT, 1);
    pass(&hand, 0.5);
    assert_seen(&hand, WIDTH, 250, WIDTH, 250);
    assert_true(hand.scale < 0.51);
    mouse(&hand, 1, 1);
    gesture_marks(hand.gesture, &marks);
    assert_false(marks.reticle);
    hand_close(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_drag_pans_one_to_one),
        cmocka_unit_test(test_a_slip_is_no_drag),
        cmocka_unit_test(test_inertia_does_not_depend_on_frames),
        cmocka_unit_test(test_reduced_motion_throws_nothing),
        cmocka_unit_test(test_a_press_stops_inertia),
        cmocka_unit_test(test_the_wheel),
        cmocka_unit_test(test_clicks),
        cmocka_unit_test(test_a_box_fills_the_picture),
        cmocka_unit_test(test_escape_ends_a_drag_and_no_more),
        cmocka_unit_test(test_turning_follows_the_pointer),
        cmocka_unit_test(test_two_fingers_hold_what_they_touch),
        cmocka_unit_test(test_one_finger_drags_and_throws),
        cmocka_unit_test(test_the_two_oldest_act),
        cmocka_unit_test(test_eleven_fingers),
        cmocka_unit_test(test_taps),
        cmocka_unit_test(test_a_long_press),
        cmocka_unit_test(test_lost_focus_lets_go),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_holding_alt_peeks),
        cmocka_unit_test(test_sticks),
        cmocka_unit_test(test_the_reticle),
    };
    return cmocka_run_group_tests_name("gesture", tests, NULL, NULL);
}
