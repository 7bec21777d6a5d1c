/* A gamepad as SDL has it, through the window and the gestures, to steps of the view: dead zone,
 * buttons, and a pad that is pulled out while a stick is held. And fingers whose end never comes.
 */
#include <SDL.h>
#include <math.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "render/window/window.h"
#include "tests/app/viewer/gesture_hand.h"

static struct window *window;
static struct hand hand;
static SDL_Joystick *joystick;
static int device;

/* What the window has goes into the hand; returns how many events of this kind there were. */
static int pump(enum input_kind kind)
{
    struct input_event event;
    int found = 0;
    while (window_wait(window, 0.05, &event)) {
        found += event.kind == kind;
        if (event.kind != INPUT_RESIZE) /* the hand has a size of its own */
            hand_take(&hand, event);
    }
    return found;
}

static int setup(void **state)
{
    (void)state;
    const struct window_options options = {.title = "test",
                                           .width = (int32_t)WIDTH,
                                           .height = (int32_t)HEIGHT,
                                           .user = WINDOW_SCRIPT,
                                           .font = DEEPFIELD_ASSETS "/fonts/DejaVuSans.ttf"};
    assert_int_equal(window_open(&window, &options), STATUS_OK);
    hand_open(&hand, false);
    hand.now_s = clock_s();
    pump(INPUT_WAKE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hand_close(&hand);
    window_close(window);
    return 0;
}

static bool plug_in(void)
{
    device = SDL_JoystickAttachVirtual(SDL_JOYSTICK_TYPE_GAMECONTROLLER, 6, 15, 0);
    if (device < 0)
        return false; /* an SDL without them */
    assert_int_equal(pump(INPUT_PAD_ADDED), 1);
    joystick = SDL_JoystickOpen(device);
    assert_non_null(joystick);
    return true;
}

static int tilt(int axis, double value)
{
    SDL_JoystickSetVirtualAxis(joystick, axis, (Sint16)lrint(value * 32767));
    return pump(INPUT_PAD_AXIS);
}

/* The picture's way in a second. */
static double way(void)
{
    double from = hand.dx;
    hand_pass(&hand, 1);
    return hand.dx - from;
}

TEST_WITH(sticks_and_buttons, setup, teardown)
{
    if (!plug_in())
        skip();
    assert_int_equal(tilt(SDL_CONTROLLER_AXIS_LEFTX, 0.19), 1); /* in the dead zone */
    assert_true(way() == 0);
    assert_int_equal(hand.steps, 0);
    assert_int_equal(tilt(SDL_CONTROLLER_AXIS_LEFTX, 1), 1);
    assert_true(fabs(way() + WIDTH) < 1);
    tilt(SDL_CONTROLLER_AXIS_LEFTX, 0);
    assert_true(way() == 0);
    SDL_JoystickSetVirtualButton(joystick, SDL_CONTROLLER_BUTTON_Y, 1);
    assert_int_equal(pump(INPUT_PAD_DOWN), 1);
    hand_pass(&hand, 0.1);
    assert_int_equal(hand.request, ACTION_PALETTE_NEXT);
    SDL_JoystickClose(joystick);
    SDL_JoystickDetachVirtual(device);
    pump(INPUT_PAD_REMOVED);
}

TEST_WITH(a_pad_that_is_pulled_out_lets_go, setup, teardown)
{
    if (!plug_in())
        skip();
    tilt(SDL_CONTROLLER_AXIS_LEFTX, 1);
    tilt(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 1);
    assert_true(way() != 0);
    SDL_JoystickClose(joystick);
    SDL_JoystickDetachVirtual(device);
    assert_int_equal(pump(INPUT_PAD_REMOVED), 1);
    hand_pass(&hand, 1); /* a glide may end */
    double scale = hand.scale;
    assert_true(way() == 0 && hand.scale == scale);
}

static void finger(Uint32 type, SDL_FingerID id, double x)
{
    SDL_PushEvent(&(SDL_Event){
        .tfinger = {.type = type, .touchId = 5, .fingerId = id, .x = (float)x, .y = 0.5f}});
    pump(INPUT_FINGER_MOVE);
}

/* Five fingers, of which two count; then the focus goes, and no finger was ever lifted. */
TEST_WITH(fingers_that_vanish, setup, teardown)
{
    for (int i = 0; i < 5; i++)
        finger(SDL_FINGERDOWN, i, 0.25 + 0.125 * i);
    finger(SDL_FINGERMOTION, 4, 0.9);
    hand_drain(&hand);
    assert_int_equal(hand.steps, 0);
    finger(SDL_FINGERMOTION, 1, 0.5); /* twice as far from the first */
    hand_pass(&hand, 0.1);
    assert_true(fabs(hand.scale - 2) < 1e-5);
    SDL_PushEvent(
        &(SDL_Event){.window = {.type = SDL_WINDOWEVENT, .event = SDL_WINDOWEVENT_FOCUS_LOST}});
    pump(INPUT_FOCUS_LOST);
    int steps = hand.steps;
    finger(SDL_FINGERMOTION, 1, 0.9);
    hand_pass(&hand, 1);
    assert_int_equal(hand.steps, steps);
    /* A new finger is alone: it drags, and does not pinch with those that are gone. */
    double scale = hand.scale, from = hand.dx;
    finger(SDL_FINGERDOWN, 9, 0.5);
    finger(SDL_FINGERMOTION, 9, 0.75);
    hand_drain(&hand);
    assert_true(hand.scale == scale && fabs(hand.dx - from - WIDTH / 4) < 20);
}

int main(void)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    setenv("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1", 1); /* nobody has the focus here */
    return check_run(NULL, NULL);
}
