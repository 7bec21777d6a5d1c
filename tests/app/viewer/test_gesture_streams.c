/* Any stream of events, sound or not, keeps the view finite and within its range. The seed is
 * printed; `test_gesture_streams SEED` repeats it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/viewer/input/gesture.h"
#include "tests/support/check.h"

enum { EVENTS = 6000 };

static uint64_t seed;

static double unit(void)
{
    return check_random_unit(&seed);
}

static int below(int n)
{
    return (int)(check_random(&seed) % (uint64_t)n);
}

/* Mostly on the screen, sometimes beside it, seldom nowhere. */
static double place(double size)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e9, 1e6, -0.0, 5e-324};
    int kind = below(200);
    if (kind == 0)
        return odd[below(8)];
    return kind < 10 ? (unit() - 0.5) * 10 * size : unit() * size;
}

static int32_t key_any(void)
{
    static const int32_t keys[] = {'=',
                                   '-',
                                   'w',
                                   'a',
                                   's',
                                   'd',
                                   'q',
                                   'e',
                                   INPUT_KEY_PAGE_UP,
                                   INPUT_KEY_PAGE_DOWN,
                                   INPUT_KEY_ESCAPE,
                                   INPUT_KEY_ARROW_LEFT};
    return below(10) ? keys[below(12)] : (int32_t)check_random(&seed);
}

static struct input_event event_any(double *time_s, const struct view *view)
{
    struct input_event event = {.kind = (enum input_kind)below(INPUT_KINDS),
                                .x = place(view->width),
                                .y = place(view->height),
                                .modifiers = (unsigned)(below(3) ? 0 : below(16)),
                                .buttons = (unsigned)below(16),
                                .button = below(6),
                                .clicks = below(4),
                                .key = key_any(),
                                .repeat = below(2),
                                .finger = below(below(10) ? 3 : 40),
                                .pad = below(3),
                                .pad_button = below(20) - 2,
                                .axis = below(8) - 1,
                                .value = below(50) ? unit() * 2.4 - 1.2 : place(1),
                                .wheel_x = below(9) ? 0 : unit() * 4 - 2,
                                .wheel_y = below(50) ? unit() * 6 - 3 : place(1),
                                .width = below(20) ? view->width : below(5000) - 100,
                                .height = below(20) ? view->height : below(5000) - 100};
    *time_s += below(20) ? unit() * 0.03 : unit() * 2 - 0.2;
    event.time_s = below(500) ? *time_s : place(1);
    if (event.kind == INPUT_FOCUS_LOST && below(5))
        event.kind = INPUT_WHEEL;
    return event;
}

static void view_check(const struct view *view, double log2_least)
{
    struct view_numbers numbers;
    assert_int_equal(view_numbers(view, &numbers), STATUS_OK);
    assert_true(isfinite(numbers.centre_re) && isfinite(numbers.centre_im));
    assert_true(hypot(numbers.centre_re, numbers.centre_im) <= 4);
    assert_true(numbers.log2_step >= log2_least);
    double log10_step = numbers.log2_step * log10(2);
    assert_true(4 / (exp2(numbers.log2_step) * view->height) >= 0.25 - 1e-9);
    assert_true(fabs(view->rotation_deg) <= 180);
    size_t most = (size_t)(fmax(-log10_step, 0) + VIEW_GUARD_DIGITS + 30);
    assert_true(strlen(view->re) <= most && strlen(view->im) <= most && strlen(view->zoom) < 32);
}

static void stream(const char *zoom, bool reduced_motion, const struct view_range *range)
{
    struct actions actions;
    struct gesture *gesture;
    struct view view = {0};
    uint64_t begin = seed;
    assert_int_equal(view_set(&view, "-1.5", "1e-3", zoom, 0, 800, 600), STATUS_OK);
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    struct gesture_settings settings = {.actions = &actions,
                                        .width = view.width,
                                        .height = view.height,
                                        .scale = 1 + 3 * unit(),
                                        .reduced_motion = reduced_motion};
    assert_int_equal(gesture_create(&gesture, &settings), STATUS_OK);
    double time_s = 100;
    int steps = 0;
    for (int i = 0; i < EVENTS; i++) {
        struct input_event event = event_any(&time_s, &view);
        gesture_take(gesture, &event);
        if (event.kind == INPUT_RESIZE && event.width > 0 && event.height > 0)
            assert_int_equal(view_resize(&view, range, event.width, event.height), STATUS_OK);
        struct gesture_result result;
        for (int n = 0; below(4) && gesture_next(gesture, time_s, &result); n++) {
            assert_true(n < 1000); /* it comes to rest until time goes on */
            steps += result.kind == GESTURE_MOTION;
            if (result.kind == GESTURE_MOTION)
                assert_int_equal(view_move(&view, range, &result.step, NULL), STATUS_OK);
            else
                assert_true(result.action > ACTION_NONE && result.action < ACTIONS);
        }
        struct gesture_marks marks;
        gesture_marks(gesture, &marks);
        assert_true(isfinite(marks.reticle_x) && isfinite(marks.pointer_x));
        if (i % 50 == 0)
            view_check(&view, range->log2_step_least);
    }
    view_check(&view, range->log2_step_least);
    printf("seed %llu: %d steps, to zoom %s\n", (unsigned long long)begin, steps, view.zoom);
    assert_true(steps > EVENTS / 20);
    gesture_destroy(gesture);
    view_destroy(&view);
}

TEST(test_streams_stay_within_the_range)
{
    stream("1", false, &range_parameter_plane);
    stream("1", true, &range_parameter_plane);
    stream("1e13", false, &range_parameter_plane);
    stream("1e300", true, &range_parameter_plane);
    stream("1e11", false, &range_dynamic_plane);
}

/* All is quiet some time after the last event: nothing moves for ever. */
TEST(test_streams_come_to_rest)
{
    struct actions actions;
    struct gesture *gesture;
    struct gesture_result result;
    struct view view = {.width = 800, .height = 600};
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    struct gesture_settings settings = {
        .actions = &actions, .width = 800, .height = 600, .scale = 1};
    assert_int_equal(gesture_create(&gesture, &settings), STATUS_OK);
    double time_s = 0;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 100; i++) {
            struct input_event event = event_any(&time_s, &view);
            event.time_s = time_s;
            gesture_take(gesture, &event);
        }
        gesture_take(gesture, &(struct input_event){.kind = INPUT_FOCUS_LOST, .time_s = time_s});
        for (int i = 0; i < 1000 && gesture_wait_s(gesture, time_s) == 0; i++, time_s += 0.02)
            while (gesture_next(gesture, time_s, &result))
                continue;
        struct gesture_marks marks;
        gesture_marks(gesture, &marks);
        assert_false(marks.moving);
        assert_true(gesture_wait_s(gesture, time_s) == HUGE_VAL);
    }
    gesture_destroy(gesture);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    return check_run(NULL, NULL);
}
