/* The window, on a thread that is not the main one, as the viewer has it.
 *
 *     test_window          under SDL's dummy driver, which has no screen
 *     test_window screen   on the X display that there is (window_xvfb.sh brings one)
 *     test_window wayland  on a Wayland display (window_wayland.sh) of two pixels a unit */
#include <SDL.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <png.h>

#include "decomposition/thread/clock.h"
#include "render/window/window.h"
#include "tests/support/check.h"

enum { WIDTH = 320, HEIGHT = 200 };

static const struct window_options script = {.title = "test",
                                             .width = WIDTH,
                                             .height = HEIGHT,
                                             .user = WINDOW_SCRIPT,
                                             .font = DEEPFIELD_ASSETS "/fonts/DejaVuSans.ttf"};
static struct window *window;

/* The window's first events (shown, focus, size) are of no interest here. */
static void settle(void)
{
    struct input_event event;
    while (window_wait(window, 0.05, &event))
        ;
}

static int window_setup(void **state)
{
    struct window_options options = script;
    const char *renderer = *state ? *state : "";
    options.software = strcmp(renderer, "software") == 0;
    if (strcmp(renderer, "opengl") == 0)
        setenv("SDL_RENDER_DRIVER", "opengl", 1);
    assert_int_equal(window_open(&window, &options), STATUS_OK);
    unsetenv("SDL_RENDER_DRIVER");
    settle();
    return 0;
}

static int window_teardown(void **state)
{
    (void)state;
    window_close(window);
    return 0;
}

static double cpu_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* ---- opening ---- */

/* SDL says yes to both of these and shows nothing. */
static void drivers_that_nobody_sees(void **state)
{
    (void)state;
    struct window_options person = script;
    person.user = WINDOW_PERSON;
    struct window *none = NULL;
    assert_int_equal(window_open(&none, &person), STATUS_NO_DEVICE);
    assert_null(none);
    assert_non_null(strstr(status_text(), "--script"));

    setenv("SDL_VIDEODRIVER", "offscreen", 1);
    assert_int_equal(window_open(&none, &person), STATUS_NO_DEVICE);
    assert_non_null(strstr(status_text(), "ssh -X"));
    setenv("SDL_VIDEODRIVER", "nonesuch", 1);
    assert_int_equal(window_open(&none, &person), STATUS_NO_DEVICE);
    assert_non_null(strstr(status_text(), "DISPLAY"));

    /* Nothing set and no display: a person is told, a script goes on with the dummy. */
    unsetenv("SDL_VIDEODRIVER");
    assert_int_equal(window_open(&none, &person), STATUS_NO_DEVICE);
    assert_int_equal(window_open(&none, &script), STATUS_OK);
    assert_string_equal(window_driver(none), "dummy");
    window_close(none);
    setenv("SDL_VIDEODRIVER", "dummy", 1);
}

static void no_font(void **state)
{
    (void)state;
    struct window_options options = script;
    options.font = "/nowhere.ttf";
    struct window *none;
    assert_int_equal(window_open(&none, &options), STATUS_NO_INPUT);
    assert_null(none);
    window_close(NULL);
}

static void sizes_and_scales(void **state)
{
    (void)state;
    int32_t width, height;
    window_size(window, &width, &height);
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    assert_true(window_ui_scale(window) == 1);
    window_set_ui_scale(window, 99);
    assert_true(window_ui_scale(window) == 4);
    assert_true(window_paint(window)->scale == 1); /* there is no room for more */
    window_set_ui_scale(window, 0);
    assert_true(window_ui_scale(window) == 1);
    assert_false(SDL_IsTextInputActive()); /* keys are commands */
    window_set_typing(window, true);
    assert_true(SDL_IsTextInputActive());
    window_set_typing(window, false);
    assert_false(SDL_IsTextInputActive());
}

/* ---- pixels ---- */

static void noise(struct paint *paint, uint64_t seed)
{
    for (int32_t i = 0; i < paint->stride * paint->height; i++)
        paint->pixels[i] = (uint32_t)check_random(&seed);
}

/* Alpha is ignored, everything else comes back to the bit. */
static void check_shown(const uint32_t *frame, int32_t width, int32_t height)
{
    uint32_t *seen = malloc((size_t)width * (size_t)height * 4);
    assert_non_null(seen);
    assert_int_equal(window_read(window, seen, width), STATUS_OK);
    for (int32_t i = 0; i < width * height; i++)
        if (seen[i] != (frame[i] | 0xff000000u))
            fail_msg("pixel %d, %d: %08x is shown as %08x", i % width, i / width, frame[i],
                     seen[i]);
    free(seen);
}

static void what_is_presented_is_shown(void **state)
{
    (void)state;
    struct paint *paint = window_paint(window);
    noise(paint, 1);
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    check_shown(paint->pixels, WIDTH, HEIGHT);
    check_shown(paint->pixels, WIDTH, HEIGHT); /* reading changes nothing */
}

static void only_changed_boxes_go_up(void **state)
{
    (void)state;
    static uint32_t before[WIDTH * HEIGHT];
    const struct paint_box boxes[] = {
        {3, 5, 40, 9}, {-20, 150, 30, 900}, {319, 0, 320, 1}, {50, 50, 50, 60}, {400, 0, 500, 9}};
    struct paint *paint = window_paint(window);
    noise(paint, 2);
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    memcpy(before, paint->pixels, sizeof before);
    noise(paint, 3);
    assert_int_equal(window_present(window, boxes, 5), STATUS_OK);
    for (int i = 0; i < 5; i++)
        for (int y = boxes[i].top; y < boxes[i].bottom; y++)
            for (int x = boxes[i].left; x < boxes[i].right; x++)
                if (x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT)
                    before[y * WIDTH + x] = paint->pixels[y * WIDTH + x];
    check_shown(before, WIDTH, HEIGHT);
}

/* After the renderer has lost its textures the frame is shown again, unasked. */
static void lost_textures_come_back(void **state)
{
    (void)state;
    struct input_event event;
    struct paint *paint = window_paint(window);
    noise(paint, 4);
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    const Uint32 lost[] = {SDL_RENDER_TARGETS_RESET, SDL_RENDER_DEVICE_RESET};
    for (int i = 0; i < 2; i++) {
        SDL_PushEvent(&(SDL_Event){.type = lost[i]});
        assert_false(window_wait(window, 0, &event));
        check_shown(paint->pixels, WIDTH, HEIGHT);
    }
}

static void a_shot_is_the_window(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "test_window_%d.png", (int)getpid());
    struct paint *paint = window_paint(window);
    noise(paint, 5);
    paint_text(paint, 10, 10, 30, 0xffffffff, "deepfield");
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    assert_int_equal(window_capture(window, path, OVERWRITE_YES), STATUS_OK);
    assert_int_equal(window_capture(window, path, OVERWRITE_NO), STATUS_CANNOT_CREATE);

    static uint8_t seen[WIDTH * HEIGHT * 3];
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, path));
    png.format = PNG_FORMAT_RGB;
    assert_int_equal(png.width, WIDTH);
    assert_int_equal(png.height, HEIGHT);
    assert_true(png_image_finish_read(&png, NULL, seen, 0, NULL));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal((uint32_t)seen[3 * i] << 16 | (uint32_t)seen[3 * i + 1] << 8 |
                             seen[3 * i + 2],
                         paint->pixels[i] & 0xffffff);
    unlink(path);
    assert_int_equal(window_capture(window, "/nowhere/a.png", OVERWRITE_YES), STATUS_CANNOT_CREATE);
}

static void a_full_screen_frame_is_fast(void **state)
{
    (void)state;
    struct input_event event, size = {.kind = INPUT_RESIZE, .width = 1920, .height = 1080};
    assert_true(window_inject(window, &size));
    settle();
    struct paint *paint = window_paint(window);
    double best = 1e9;
    for (int i = 0; i < 8; i++) {
        memset(paint->pixels, 16 * i, (size_t)paint->stride * (size_t)paint->height * 4);
        double began = clock_s();
        assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
        best = clock_s() - began < best ? clock_s() - began : best;
        window_wait(window, 0, &event);
    }
    print_message("%s, %s: %d x %d in %.2f ms\n", window_driver(window), window_renderer(window),
                  paint->width, paint->height, best * 1e3);
    if (check_long())
        assert_true(best < 1);
}

/* ---- events ---- */

static void next(struct input_event *event)
{
    if (!window_wait(window, 60, event))
        fail_msg("no event");
}

static void expect_none(void)
{
    struct input_event event;
    if (window_wait(window, 0, &event))
        fail_msg("unexpected event of kind %d", (int)event.kind);
}

static void the_mouse(void **state)
{
    (void)state;
    struct input_event event;
    double began = clock_s();
    SDL_PushEvent(&(SDL_Event){
        .motion = {.type = SDL_MOUSEMOTION, .x = 12, .y = 34, .state = SDL_BUTTON_LMASK}});
    next(&event);
    assert_int_equal(event.kind, INPUT_MOVE);
    assert_true(event.x == 12 && event.y == 34 && event.buttons == 1u << INPUT_LEFT);
    assert_true(event.time_s > began - 0.01 && event.time_s <= clock_s());

    SDL_PushEvent(&(SDL_Event){
        .button = {
            .type = SDL_MOUSEBUTTONDOWN, .button = SDL_BUTTON_RIGHT, .clicks = 2, .x = 1, .y = 2}});
    next(&event);
    assert_int_equal(event.kind, INPUT_BUTTON_DOWN);
    assert_int_equal(event.button, INPUT_RIGHT);
    assert_int_equal(event.clicks, 2);

    SDL_PushEvent(&(SDL_Event){.wheel = {.type = SDL_MOUSEWHEEL,
                                         .preciseX = 0.5f,
                                         .preciseY = -1.25f,
                                         .mouseX = 7,
                                         .mouseY = 8,
                                         .direction = SDL_MOUSEWHEEL_FLIPPED}});
    next(&event);
    assert_int_equal(event.kind, INPUT_WHEEL);
    assert_true(event.wheel_x == -0.5 && event.wheel_y == 1.25 && event.x == 7 && event.y == 8);
}

/* A finger is a finger once: neither SDL's mouse made from it nor its finger made from the mouse
 * comes through, nor its gestures. */
static void fingers(void **state)
{
    (void)state;
    struct input_event event, other;
    SDL_PushEvent(&(SDL_Event){
        .tfinger = {.type = SDL_FINGERDOWN, .touchId = 1, .fingerId = 3, .x = 0.5f, .y = 0.25f}});
    SDL_PushEvent(&(SDL_Event){.motion = {.type = SDL_MOUSEMOTION, .which = SDL_TOUCH_MOUSEID}});
    SDL_PushEvent(
        &(SDL_Event){.button = {.type = SDL_MOUSEBUTTONDOWN, .which = SDL_TOUCH_MOUSEID}});
    SDL_PushEvent(&(SDL_Event){.tfinger = {.type = SDL_FINGERDOWN, .touchId = SDL_MOUSE_TOUCHID}});
    SDL_PushEvent(&(SDL_Event){.type = SDL_MULTIGESTURE});
    SDL_PushEvent(&(SDL_Event){
        .tfinger = {.type = SDL_FINGERUP, .touchId = 2, .fingerId = 3, .x = 1, .y = 1}});
    next(&event);
    next(&other);
    expect_none();
    assert_int_equal(event.kind, INPUT_FINGER_DOWN);
    assert_true(event.x == WIDTH / 2 && event.y == HEIGHT / 4);
    assert_int_equal(other.kind, INPUT_FINGER_UP);
    assert_true(event.finger != other.finger);
}

static void push_key(SDL_Keycode key, SDL_Scancode scancode, unsigned modifiers)
{
    SDL_PushEvent(&(SDL_Event){
        .key = {.type = SDL_KEYDOWN,
                .keysym = {.sym = key, .scancode = scancode, .mod = (Uint16)modifiers}}});
}

static void keys_and_text(void **state)
{
    (void)state;
    const struct {
        SDL_Keycode sdl;
        SDL_Scancode scancode;
        unsigned sdl_modifiers;
        int32_t key;
        unsigned modifiers;
    } cases[] = {
        {SDLK_z, SDL_SCANCODE_Z, KMOD_LCTRL | KMOD_RSHIFT, 'z', INPUT_CTRL | INPUT_SHIFT},
        {SDLK_F12, 0, KMOD_NONE, INPUT_KEY_F12, 0},
        {SDLK_KP_7, 0, KMOD_NUM, '7', 0},
        {SDLK_KP_7, 0, KMOD_NONE, INPUT_KEY_HOME, 0},
        {SDLK_KP_PLUS, 0, KMOD_LALT, '+', INPUT_ALT},
        {SDLK_PAGEUP, 0, KMOD_RGUI, INPUT_KEY_PAGE_UP, INPUT_META},
        {0x44f, SDL_SCANCODE_Z, KMOD_RCTRL, 'z', INPUT_CTRL}, /* Cyrillic ya */
        {0xf6, SDL_SCANCODE_SEMICOLON, KMOD_NONE, 0xf6, 0},   /* o umlaut */
    };
    struct input_event event;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        push_key(cases[i].sdl, cases[i].scancode, cases[i].sdl_modifiers);
        next(&event);
        assert_int_equal(event.kind, INPUT_KEY_DOWN);
        assert_int_equal(event.key, cases[i].key);
        assert_int_equal(event.modifiers, cases[i].modifiers);
    }
    push_key(SDLK_MUTE, 0, 0);
    push_key(SDLK_KP_5, 0, 0);
    expect_none();
    window_set_typing(window, true);
    SDL_PushEvent(&(SDL_Event){.text = {.type = SDL_TEXTINPUT, .text = "\xc3\xa4"}});
    next(&event);
    assert_int_equal(event.kind, INPUT_TEXT);
    assert_string_equal(event.text, "\xc3\xa4");
}

static void things_that_are_dropped(void **state)
{
    (void)state;
    struct input_event event;
    SDL_PushEvent(&(SDL_Event){.drop = {.type = SDL_DROPFILE, .file = SDL_strdup("/tmp/a.kfr")}});
    SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
    next(&event);
    assert_int_equal(event.kind, INPUT_DROP_FILE);
    assert_string_equal(event.dropped, "/tmp/a.kfr");
    next(&event);
    assert_int_equal(event.kind, INPUT_QUIT);
    assert_null(event.dropped);
}

/* SDL's virtual gamepad comes, is used, and goes; the next one has another number. */
static void pads_come_and_go(void **state)
{
    (void)state;
    struct input_event event;
    for (int round = 0; round < 2; round++) {
        int device = SDL_JoystickAttachVirtual(SDL_JOYSTICK_TYPE_GAMECONTROLLER, 6, 15, 0);
        if (device < 0)
            skip(); /* an SDL without them */
        next(&event);
        assert_int_equal(event.kind, INPUT_PAD_ADDED);
        assert_int_equal(event.pad, round);
        SDL_Joystick *joystick = SDL_JoystickOpen(device);
        assert_non_null(joystick);
        settle();
        SDL_JoystickSetVirtualAxis(joystick, SDL_CONTROLLER_AXIS_LEFTY, -32768);
        next(&event);
        assert_int_equal(event.kind, INPUT_PAD_AXIS);
        assert_true(event.axis == INPUT_AXIS_LEFT_Y && event.value == -1);
        SDL_JoystickSetVirtualButton(joystick, SDL_CONTROLLER_BUTTON_DPAD_UP, 1);
        next(&event);
        assert_int_equal(event.kind, INPUT_PAD_DOWN);
        assert_int_equal(event.pad_button, INPUT_PAD_ARROW_UP);
        SDL_JoystickClose(joystick);
        SDL_JoystickDetachVirtual(device);
        do
            next(&event);
        while (event.kind != INPUT_PAD_REMOVED);
        assert_int_equal(event.pad, round);
    }
}

/* ---- the queue of scripts and of other threads ---- */

static void injected_events_keep_their_order(void **state)
{
    (void)state;
    struct input_event event, seen;
    char text[] = "re im zoom";
    for (int i = 0; i < 1000; i++) {
        event = (struct input_event){.kind = INPUT_FINGER_MOVE, .finger = i, .x = 0.5 * i};
        assert_true(window_inject(window, &event));
    }
    event = (struct input_event){.kind = INPUT_DROP_TEXT, .dropped = text, .time_s = 7};
    assert_true(window_inject(window, &event));
    text[0] = 'X'; /* the text was copied */
    double now = clock_s();
    for (int i = 0; i < 1000; i++) {
        next(&seen);
        assert_true(seen.finger == i && seen.x == 0.5 * i);
        assert_true(seen.time_s <= now && seen.time_s > now - 60);
    }
    next(&seen);
    assert_string_equal(seen.dropped, "re im zoom");
    assert_true(seen.time_s == 7);
    expect_none();
}

/* A full queue refuses, and what nobody takes is freed by closing. */
static void the_queue_has_an_end(void **state)
{
    (void)state;
    struct input_event event = {.kind = INPUT_DROP_TEXT, .dropped = "text"};
    int taken = 0;
    while (taken < 1000000 && window_inject(window, &event))
        taken++;
    assert_int_equal(taken, 1 << 16);
    next(&event);
    event.dropped = NULL;
    assert_true(window_inject(window, &event));
}

static void resizing(void **state)
{
    (void)state;
    struct input_event event = {.kind = INPUT_RESIZE, .width = 500, .height = 301};
    int32_t width, height;
    assert_true(window_inject(window, &event));
    do
        next(&event);
    while (event.kind != INPUT_RESIZE);
    assert_true(event.width == 500 && event.height == 301);
    /* One that fills the screen, too: as when the screen itself becomes another one. */
    window_set_screen(window, WINDOW_FULLSCREEN);
    event = (struct input_event){.kind = INPUT_RESIZE, .width = 400, .height = 300};
    assert_true(window_inject(window, &event));
    do
        next(&event);
    while (event.kind != INPUT_RESIZE || event.width != 400);
    assert_int_equal(event.height, 300);
    event = (struct input_event){.kind = INPUT_RESIZE, .width = 500, .height = 301};
    assert_true(window_inject(window, &event));
    do
        next(&event);
    while (event.kind != INPUT_RESIZE || event.width != 500);
    window_set_ui_scale(window, 1.5);
    assert_true(window_paint(window)->scale == 1.5);
    window_set_ui_scale(window, 3);
    assert_true(window_paint(window)->scale == 301 / 200.0);
    window_size(window, &width, &height);
    struct paint *paint = window_paint(window);
    assert_true(width == 500 && height == 301 && paint->width == 500 && paint->height == 301);
    noise(paint, 6);
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    check_shown(paint->pixels, 500, 301);
}

static void *wake_often(void *argument)
{
    while (!__atomic_load_n((int *)argument, __ATOMIC_RELAXED))
        window_wake(window);
    return NULL;
}

/* However often it is woken, the user's input comes first and the queues stay short. */
static void wakes_are_one(void **state)
{
    (void)state;
    struct input_event event;
    for (int i = 0; i < 100; i++)
        window_wake(window);
    next(&event);
    assert_int_equal(event.kind, INPUT_WAKE);
    expect_none();

    pthread_t threads[2];
    int quits = 0, enough = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wake_often, &enough), 0);
    for (double until = clock_s() + 120; quits <= 100 && clock_s() < until;) {
        event = (struct input_event){.kind = INPUT_QUIT};
        assert_true(window_inject(window, &event));
        next(&event);
        quits += event.kind == INPUT_QUIT;
        while (window_wait(window, 0, &event) && event.kind != INPUT_WAKE)
            quits += event.kind == INPUT_QUIT;
    }
    __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_true(quits > 100);
}

static void *wake_later(void *argument)
{
    (void)argument;
    usleep(200000);
    window_wake(window);
    return NULL;
}

/* Waiting uses no processor, ends when it should, and is ended by another thread. */
static void waiting_sleeps(void **state)
{
    (void)state;
    struct input_event event;
    settle();
    double began = clock_s(), used = cpu_s();
    assert_false(window_wait(window, 0.5, &event));
    used = cpu_s() - used;
    print_message("%.1f ms of processor in %.3f s\n", used * 1e3, clock_s() - began);
    assert_true(clock_s() - began >= 0.499);
    assert_true(used < 0.3 * (clock_s() - began));

    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake_later, NULL), 0);
    assert_true(window_wait(window, -1, &event));
    assert_int_equal(event.kind, INPUT_WAKE);
    pthread_join(thread, NULL);
}

static void the_clipboard(void **state)
{
    (void)state;
    assert_int_equal(window_set_clipboard(window, "re = -0.75\nim = 0"), STATUS_OK);
    char *text = window_clipboard(window);
    assert_string_equal(text, "re = -0.75\nim = 0");
    free(text);
    assert_int_equal(window_set_clipboard(window, ""), STATUS_OK);
    assert_null(window_clipboard(window));
}

/* Is the window on the screen as large as SDL believes? The mouse in its far corner says so. */
static void check_covers(void)
{
    if (strcmp(window_driver(window), "x11") != 0)
        return;
    int32_t width, height;
    window_size(window, &width, &height);
    SDL_WarpMouseInWindow(SDL_GetWindowFromID(1), width - 2, height - 2);
    settle();
    int x = 0, y = 0;
    SDL_GetMouseState(&x, &y);
    assert_true(x == width - 2 && y == height - 2);
}

static void full_screen(void **state)
{
    (void)state;
    struct input_event event;
    int32_t width, height;
    window_set_screen(window, WINDOW_FULLSCREEN);
    do
        next(&event);
    while (event.kind != INPUT_RESIZE);
    assert_int_equal(window_screen(window), WINDOW_FULLSCREEN);
    window_size(window, &width, &height);
    assert_true(width > WIDTH && height > HEIGHT);
    noise(window_paint(window), 8);
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    check_shown(window_paint(window)->pixels, width, height);
    check_covers();

    window_set_screen(window, WINDOW_NORMAL);
    settle();
    assert_int_equal(window_screen(window), WINDOW_NORMAL);
    check_covers();
}

/* Sizes are in units, the frame and all places in pixels. SDL has no renderer of its own there. */
static void units_are_two_pixels(void **state)
{
    (void)state;
    struct input_event event;
    int32_t width, height;
    assert_string_equal(window_driver(window), "wayland");
    window_size(window, &width, &height);
    assert_int_equal(width, 2 * WIDTH);
    assert_int_equal(height, 2 * HEIGHT);
    assert_true(window_ui_scale(window) == 2);
    noise(window_paint(window), 9);
    assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
    check_shown(window_paint(window)->pixels, width, height);

    SDL_PushEvent(&(SDL_Event){.motion = {.type = SDL_MOUSEMOTION, .x = 12, .y = 34}});
    SDL_PushEvent(
        &(SDL_Event){.wheel = {.type = SDL_MOUSEWHEEL, .preciseY = 1, .mouseX = 7, .mouseY = 8}});
    SDL_PushEvent(
        &(SDL_Event){.tfinger = {.type = SDL_FINGERDOWN, .touchId = 1, .x = 0.5f, .y = 0.25f}});
    next(&event);
    assert_true(event.kind == INPUT_MOVE && event.x == 24 && event.y == 68);
    next(&event);
    assert_true(event.kind == INPUT_WHEEL && event.x == 14 && event.y == 16);
    next(&event);
    assert_true(event.kind == INPUT_FINGER_DOWN && event.x == WIDTH && event.y == HEIGHT / 2.0);
}

/* Nobody asks for frames of a window that nobody sees; presenting must end all the same. */
static void nobody_waits_for_a_hidden_window(void **state)
{
    (void)state;
    struct input_event event;
    SDL_HideWindow(SDL_GetWindowFromID(1));
    for (int i = 0; i < 10; i++) {
        noise(window_paint(window), 10);
        assert_int_equal(window_present(window, NULL, 0), STATUS_OK);
        window_wait(window, 0, &event);
    }
    SDL_ShowWindow(SDL_GetWindowFromID(1));
    settle();
}

/* ---- running ---- */

static void on_a_screen(void **state)
{
    (void)state;
    assert_string_equal(window_driver(window), "x11");
    assert_string_equal(window_renderer(window), "software"); /* any OpenGL of Xvfb is played */
}

#define WITH_WINDOW(test) cmocka_unit_test_setup_teardown(test, window_setup, window_teardown)

static void *run_alone(void *argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drivers_that_nobody_sees),
        cmocka_unit_test(no_font),
        WITH_WINDOW(sizes_and_scales),
        WITH_WINDOW(what_is_presented_is_shown),
        WITH_WINDOW(only_changed_boxes_go_up),
        WITH_WINDOW(lost_textures_come_back),
        WITH_WINDOW(a_shot_is_the_window),
        WITH_WINDOW(a_full_screen_frame_is_fast),
        WITH_WINDOW(the_mouse),
        WITH_WINDOW(fingers),
        WITH_WINDOW(keys_and_text),
        WITH_WINDOW(things_that_are_dropped),
        WITH_WINDOW(pads_come_and_go),
        WITH_WINDOW(injected_events_keep_their_order),
        WITH_WINDOW(the_queue_has_an_end),
        WITH_WINDOW(resizing),
        WITH_WINDOW(wakes_are_one),
        WITH_WINDOW(waiting_sleeps),
        WITH_WINDOW(the_clipboard),
        WITH_WINDOW(full_screen),
    };
    *(int *)argument = cmocka_run_group_tests_name("dummy", tests, NULL, NULL);
    return NULL;
}

/* With SDL's software renderer, and with OpenGL as far as it is there. */
static void *run_on_screen(void *argument)
{
    static char software[] = "software", opengl[] = "opengl";
#define ON_SCREEN(test, initial)                            \
    {                                                       \
#test, test, window_setup, window_teardown, initial \
    }
    const struct CMUnitTest tests[] = {
        ON_SCREEN(on_a_screen, NULL),
        ON_SCREEN(what_is_presented_is_shown, opengl),
        ON_SCREEN(only_changed_boxes_go_up, opengl),
        ON_SCREEN(lost_textures_come_back, opengl),
        ON_SCREEN(a_full_screen_frame_is_fast, opengl),
        ON_SCREEN(resizing, opengl),
        ON_SCREEN(waiting_sleeps, opengl),
        ON_SCREEN(what_is_presented_is_shown, software),
        ON_SCREEN(only_changed_boxes_go_up, software),
        ON_SCREEN(a_shot_is_the_window, software),
        ON_SCREEN(a_full_screen_frame_is_fast, software),
        ON_SCREEN(resizing, software),
        ON_SCREEN(injected_events_keep_their_order, software),
        ON_SCREEN(wakes_are_one, software),
        ON_SCREEN(waiting_sleeps, software),
        ON_SCREEN(the_clipboard, software),
        ON_SCREEN(full_screen, software),
        ON_SCREEN(full_screen, opengl),
    };
    *(int *)argument = cmocka_run_group_tests_name("screen", tests, NULL, NULL);
    return NULL;
}

static void *run_on_wayland(void *argument)
{
    static char software[] = "software", opengl[] = "opengl";
    const struct CMUnitTest tests[] = {
        ON_SCREEN(units_are_two_pixels, NULL),
        ON_SCREEN(units_are_two_pixels, software),
        ON_SCREEN(units_are_two_pixels, opengl),
        ON_SCREEN(nobody_waits_for_a_hidden_window, NULL),
        ON_SCREEN(nobody_waits_for_a_hidden_window, opengl), /* which waits for the screen */
        ON_SCREEN(full_screen, NULL),
        ON_SCREEN(injected_events_keep_their_order, NULL),
        ON_SCREEN(wakes_are_one, NULL),
        ON_SCREEN(waiting_sleeps, NULL),
    };
    *(int *)argument = cmocka_run_group_tests_name("wayland", tests, NULL, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    bool screen = argc > 1 && strcmp(argv[1], "screen") == 0;
    bool wayland = argc > 1 && strcmp(argv[1], "wayland") == 0;
    if (!screen && !wayland) {
        setenv("SDL_VIDEODRIVER", "dummy", 1);
        setenv("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1", 1); /* nobody has the focus here */
        unsetenv("DISPLAY");
        unsetenv("WAYLAND_DISPLAY");
    }
    pthread_t thread;
    int failed = 1;
    void *(*run)(void *) = screen ? run_on_screen : wayland ? run_on_wayland : run_alone;
    if (pthread_create(&thread, NULL, run, &failed) != 0)
        return 1;
    pthread_join(thread, NULL);
    return failed;
}
