/* Mouse and wheel in, steps out. */
#include <math.h>

#include "render/window/event.h"
#include "tests/app/viewer/gesture_hand.h"

TEST(test_a_drag_pans_one_to_one)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_drag(&hand, INPUT_LEFT, 0, 100, 100, 300, 50, 0.5);
    hand_assert_seen(&hand, 100, 100, 300, 50);
    hand_pass(&hand, 0.2); /* the hand rests, so nothing is thrown */
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 300, 50);
    hand_pass(&hand, 2);
    hand_assert_seen(&hand, 100, 100, 300, 50);
    assert_int_equal(hand.requests, 0);
    assert_true(hand.scale == 1 && hand.angle == 0);
    assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
    hand_close(&hand);
}

TEST(test_a_slip_is_no_drag)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 100, 100);
    hand_mouse(&hand, 103, 100);
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 103, 100);
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, 0);
    hand_close(&hand);
}

/* 1,000 px/s go on for 1000 * 0.12 px in all, whatever the frames are. */
TEST(test_inertia_does_not_depend_on_frames)
{
    for (int frames = 0; frames < 2; frames++) {
        struct hand hand;
        hand_open(&hand, false);
        hand_drag(&hand, INPUT_LEFT, 0, 100, 100, 600, 100, 0.5);
        hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 600, 100);
        struct gesture_marks marks;
        gesture_marks(hand.gesture, &marks);
        assert_true(marks.moving && !marks.held);
        assert_true(gesture_wait_s(hand.gesture, hand.now_s) == 0);
        if (frames)
            hand_pass(&hand, 3);
        else
            for (int i = 0; i < 10; i++) {
                hand.now_s += 0.3;
                hand_drain(&hand);
            }
        /* What is slower than 20 px/s counts as standing: 20 * 0.12 px are left out. */
        assert_true(fabs(hand.dx - 500 - 120) <= 2.4 + 1e-6);
        assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
        hand_close(&hand);
    }
}

TEST(test_reduced_motion_throws_nothing)
{
    struct hand hand;
    hand_open(&hand, true);
    hand_drag(&hand, INPUT_LEFT, 0, 100, 100, 600, 100, 0.5);
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 600, 100);
    hand_pass(&hand, 3);
    hand_assert_seen(&hand, 100, 100, 600, 100);
    hand_close(&hand);
}

/* A hand that has come to rest lets go: 60 ms are enough. */
TEST(test_a_resting_hand_throws_nothing)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_drag(&hand, INPUT_LEFT, 0, 100, 100, 300, 100, 0.1);
    hand_pass(&hand, 0.06);
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 300, 100);
    hand_pass(&hand, 1);
    hand_assert_seen(&hand, 100, 100, 300, 100);
    hand_close(&hand);
}

TEST(test_a_press_stops_inertia)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_drag(&hand, INPUT_LEFT, 0, 100, 100, 600, 100, 0.5);
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 600, 100);
    hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 600, 100);
    hand_pass(&hand, 1);
    hand_assert_seen(&hand, 100, 100, 600, 100);
    hand_close(&hand);
}

static void wheel(struct hand *hand, double notches, unsigned modifiers)
{
    hand_take(
        hand,
        (struct input_event){
            .kind = INPUT_WHEEL, .wheel_y = notches, .modifiers = modifiers, .x = 700, .y = 20});
}

TEST(test_the_wheel)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        struct hand hand;
        hand_open(&hand, reduced);
        for (int i = 0; i < 4; i++)
            wheel(&hand, 1, 0);
        assert_true(fabs(hand.scale - (reduced ? 2 : 1)) < 1e-12);
        hand_pass(&hand, 0.06);
        assert_true(reduced || (hand.scale > 1.3 && hand.scale < 1.5));
        hand_pass(&hand, 0.061);
        assert_true(fabs(hand.scale - 2) < 1e-12);
        hand_assert_seen(&hand, 700, 20, 700, 20);
        wheel(&hand, -1.5, INPUT_CTRL);
        wheel(&hand, 0.125, 0); /* a fine wheel */
        hand_pass(&hand, 0.2);
        assert_true(fabs(hand.scale - exp2(1 - 1.5 + 0.125 / 4)) < 1e-12);
        hand_close(&hand);
    }
}

/* Actions that cannot be done by parts wait for a whole notch in one direction. */
TEST(test_a_fine_wheel_that_asks)
{
    struct hand hand;
    struct ini keys = {0};
    static struct actions actions;
    hand_open(&hand, false);
    assert_int_equal(ini_add(&keys, "keys", "palette-next", "shift+wheel-up", 1), STATUS_OK);
    assert_int_equal(actions_create(&actions, &keys), STATUS_OK);
    ini_destroy(&keys);
    gesture_settings(hand.gesture,
                     &(struct gesture_settings){
                         .actions = &actions, .width = WIDTH, .height = HEIGHT, .scale = 1});
    static const double notches[] = {0.75, -0.1, 0.75, 0.5, 2.5};
    static const int asked[] = {0, 0, 0, 1, 3};
    for (int i = 0; i < 5; i++) {
        wheel(&hand, notches[i], INPUT_SHIFT);
        assert_int_equal(hand.requests, asked[i]);
    }
    assert_int_equal(hand.request, ACTION_PALETTE_NEXT);
    assert_int_equal(hand.steps, 0);
    hand_close(&hand);
}

TEST(test_clicks)
{
    const struct {
        int button, clicks;
        double scale, at_x, at_y; /* where (600, 100) is seen after it */
    } cases[] = {{INPUT_LEFT, 1, 1, 600, 100},    {INPUT_LEFT, 2, 4, 600, 100},
                 {INPUT_LEFT, 3, 1, 600, 100},    {INPUT_RIGHT, 1, 0.5, 600, 100},
                 {INPUT_RIGHT, 2, 0.5, 600, 100}, {INPUT_MIDDLE, 1, 1, 500, 250}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hand hand;
        hand_open(&hand, false);
        hand_button(&hand, INPUT_BUTTON_DOWN, cases[i].button, 0, cases[i].clicks, 600, 100);
        hand_button(&hand, INPUT_BUTTON_UP, cases[i].button, 0, cases[i].clicks, 600, 100);
        hand_pass(&hand, 1);
        assert_true(fabs(hand.scale - cases[i].scale) < 1e-12);
        hand_assert_seen(&hand, 600, 100, cases[i].at_x, cases[i].at_y);
        hand_close(&hand);
    }
}

TEST(test_a_box_fills_the_picture)
{
    struct hand hand;
    struct gesture_marks marks;
    hand_open(&hand, false);
    hand_drag(&hand, INPUT_LEFT, INPUT_SHIFT, 400, 100, 200, 150, 0.3);
    gesture_marks(hand.gesture, &marks);
    assert_true(marks.box && marks.box_x[0] == 400 && marks.box_y[1] == 150);
    assert_int_equal(hand.steps, 0);
    hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 200, 150);
    hand_assert_seen(&hand, 300, 125, 500, 250);
    assert_true(fabs(hand.scale - 5) < 1e-12); /* 200 px are to be 1,000; 50 might be 500 */
    gesture_marks(hand.gesture, &marks);
    assert_false(marks.box);
    hand_close(&hand);
}

/* With the key of the drag still held, or let go. */
TEST(test_escape_ends_a_drag_and_no_more)
{
    struct hand hand;
    for (unsigned modifiers = 0; modifiers <= INPUT_SHIFT; modifiers++) {
        hand_open(&hand, false);
        hand_drag(&hand, INPUT_LEFT, INPUT_SHIFT, 400, 100, 200, 150, 0.3);
        hand_key(&hand, modifiers, INPUT_KEY_ESCAPE, false);
        hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, modifiers, 1, 200, 150);
        hand_pass(&hand, 1);
        assert_int_equal(hand.steps, 0);
        assert_int_equal(hand.requests, 0);
        hand_key(&hand, 0, INPUT_KEY_ESCAPE, false);
        assert_int_equal(hand.request, ACTION_ESCAPE);
        hand_close(&hand);
    }
}

/* A quarter of the way round the middle, in small moves. */
TEST(test_turning_follows_the_pointer)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, INPUT_CTRL, 1, 700, 250);
    for (int i = 1; i <= 30; i++)
        hand_mouse(&hand, 500 + 200 * cos(i * M_PI / 60), 250 + 200 * sin(i * M_PI / 60));
    hand_assert_seen(&hand, 700, 250, 500, 450);
    hand_assert_seen(&hand, 500, 250, 500, 250);
    hand_close(&hand);
}

/* ---- flights ---- */

TEST(test_a_button_that_is_held_flies)
{
    for (int out = 0; out < 2; out++) {
        struct hand hand;
        hand_open(&hand, false);
        hand_button(&hand, INPUT_BUTTON_DOWN, out ? INPUT_RIGHT : INPUT_LEFT, 0, 1, 250, 100);
        assert_true(fabs(gesture_wait_s(hand.gesture, hand.now_s) - GESTURE_HOLD_S) < 1e-9);
        hand_pass(&hand, 0.24);
        assert_int_equal(hand.steps, 0);
        hand_pass(&hand, 2);
        double doublings = fabs(log2(hand.scale));
        assert_true(doublings > 1.8 && doublings < 3 && (hand.scale > 1) == !out);
        hand_assert_seen(&hand, 250, 100, 250, 100);
        double before = hand.scale; /* it comes to rest, and was no click */
        hand_button(&hand, INPUT_BUTTON_UP, out ? INPUT_RIGHT : INPUT_LEFT, 0, 1, 250, 100);
        hand_pass(&hand, 2);
        assert_true(fabs(log2(hand.scale / before)) < 0.2);
        assert_int_equal(hand.requests, 0);
        assert_true(gesture_wait_s(hand.gesture, hand.now_s) == HUGE_VAL);
        hand_close(&hand);
    }
}

/* The same way whatever the frames are, but for how the begin is cut. */
TEST(test_a_flight_does_not_depend_on_frames)
{
    double scale[2];
    for (int frames = 0; frames < 2; frames++) {
        struct hand hand;
        hand_open(&hand, false);
        hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 250, 100);
        for (int i = 0; i < 60; i++) {
            hand.now_s += 0.05;
            if (frames)
                hand_pass(&hand, 0);
            hand_drain(&hand);
        }
        scale[frames] = hand.scale;
        hand_close(&hand);
    }
    assert_true(fabs(log2(scale[0] / scale[1])) < 0.02);
}

/* Arrows up and down and the wheel change the speed, and it stays so for the next flight. */
TEST(test_the_hand_sets_the_speed)
{
    struct hand hand;
    hand_open(&hand, false);
    double doublings[3];
    for (int round = 0; round < 3; round++) {
        hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 250, 100);
        hand_pass(&hand, 0.3);
        double before = hand.scale;
        for (int i = 0; i < 4 && round == 1; i++)
            hand_key(&hand, 0, INPUT_KEY_ARROW_UP, i > 0);
        if (round == 2)
            hand_take(&hand,
                      (struct input_event){.kind = INPUT_WHEEL, .wheel_y = -4, .x = 250, .y = 100});
        hand_pass(&hand, 1);
        doublings[round] = log2(hand.scale / before);
        hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 250, 100);
        hand_pass(&hand, 1);
    }
    assert_true(fabs(doublings[1] / doublings[0] - 2) < 0.05);
    assert_true(fabs(doublings[2] / doublings[0] - 1) < 0.05);
    double scale = hand.scale; /* without a flight they do what they always do */
    hand_key(&hand, 0, INPUT_KEY_ARROW_UP, false);
    hand_pass(&hand, 1);
    assert_true(hand.scale == scale);
    hand_close(&hand);
}

/* What flashes too much slows it down, to a stand if it must; it goes on when it may. */
TEST(test_a_flight_is_eased)
{
    struct hand hand;
    hand_open(&hand, false);
    double doublings[3];
    for (int round = 0; round < 3; round++) {
        gesture_ease(hand.gesture, round == 1 ? 0.4 : 1);
        hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 250, 100);
        hand_pass(&hand, 0.3);
        double before = hand.scale;
        hand_pass(&hand, 1);
        doublings[round] = log2(hand.scale / before);
        gesture_ease(hand.gesture, 0);
        before = hand.scale;
        hand_pass(&hand, 1);
        assert_true(hand.scale == before);
        hand_button(&hand, INPUT_BUTTON_UP, INPUT_LEFT, 0, 1, 250, 100);
        hand_pass(&hand, 1);
    }
    assert_true(fabs(doublings[1] / doublings[0] - 0.4) < 0.02);
    assert_true(fabs(doublings[2] / doublings[0] - 1) < 0.02);
    hand_close(&hand);
}

TEST(test_a_drag_never_becomes_a_flight)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_drag(&hand, INPUT_LEFT, 0, 100, 100, 300, 50, 0.1);
    hand_pass(&hand, 2);
    assert_true(hand.scale == 1);
    hand_assert_seen(&hand, 100, 100, 300, 50);
    hand_close(&hand);
}

TEST(test_escape_ends_a_flight)
{
    struct hand hand;
    hand_open(&hand, false);
    hand_button(&hand, INPUT_BUTTON_DOWN, INPUT_LEFT, 0, 1, 250, 100);
    hand_pass(&hand, 1);
    hand_key(&hand, 0, INPUT_KEY_ESCAPE, false);
    int steps = hand.steps;
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, steps);
    hand_close(&hand);
}
