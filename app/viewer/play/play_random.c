#include "app/viewer/play/play_random.h"

#include <stdio.h>

enum { GESTURE = 8, FINGERS = 4, CHANGES_ONE_WAY = 40 };

/* Steele, Lea and Flood, OOPSLA 2014: splitmix64. */
static uint64_t mixed(uint64_t seed, uint64_t index)
{
    uint64_t x = (seed << 32 ^ index) * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* 0 ... 1 from 16 bits. */
static double share_of(uint64_t bits)
{
    return (double)(bits & 0xffff) / 65535;
}

static void mouse(struct input_event *event, uint64_t gesture, uint64_t number)
{
    static const unsigned modifiers[] = {0, 0, 0, INPUT_SHIFT, INPUT_CTRL, INPUT_ALT, 0, 0};
    event->button = INPUT_LEFT + (int)(gesture >> 40 & 15) % 8 / 6; /* mostly left */
    if ((gesture >> 44 & 7) == 7)
        event->button = INPUT_RIGHT;
    event->modifiers = modifiers[gesture >> 48 & 7];
    event->clicks = 1 + (int)(gesture >> 52 & 1);
    event->kind = number == 0             ? INPUT_BUTTON_DOWN
                  : number == GESTURE - 1 ? INPUT_BUTTON_UP
                                          : INPUT_MOVE;
    if (number < GESTURE - 1)
        event->buttons = 1u << event->button;
}

static void wheel(struct input_event *event, uint64_t gesture, uint64_t bits)
{
    event->kind = INPUT_WHEEL;
    event->modifiers = (gesture >> 48 & 7) == 7 ? INPUT_CTRL : 0;
    event->wheel_y = (gesture >> 40 & 3 ? 1 : -1) * (0.25 + 2 * share_of(bits >> 32));
}

/* A key; never q (with Ctrl it ends the program), nor b, f12 and s, which write files. */
static void key(struct input_event *event, uint64_t number, uint64_t bits)
{
    /* clang-format off */
    static const int32_t keys[] = {
        INPUT_KEY_ARROW_LEFT, INPUT_KEY_ARROW_RIGHT, INPUT_KEY_ARROW_UP, INPUT_KEY_ARROW_DOWN, '=',
        '-', '+', INPUT_KEY_PAGE_UP, INPUT_KEY_PAGE_DOWN, INPUT_KEY_HOME, 'p', 'c', '[', ']', ',',
        '.', 'i', 'j', 'm', 'h', 'r', 'z', 'y', 'x', 'g', 't', 'n', 'a', 'd', 'w', 'o', '0',
        INPUT_KEY_TAB, INPUT_KEY_F1, INPUT_KEY_ESCAPE, INPUT_KEY_ENTER, INPUT_KEY_BACKSPACE,
        INPUT_KEY_SPACE, 0xe4};
    /* clang-format on */
    uint64_t held = bits >> 60;
    event->kind = number % 2 ? INPUT_KEY_UP : INPUT_KEY_DOWN;
    event->key = keys[(bits >> 32 & 0xffff) % (sizeof keys / sizeof *keys)];
    event->modifiers = held == 1 ? INPUT_SHIFT : held == 2 ? INPUT_CTRL : held == 3 ? INPUT_ALT : 0;
}

static void text(struct input_event *event, uint64_t bits)
{
    static const char *const texts[] = {"-0.75", " 0.1 ", "1e3", "re = ", "\xc3\xa4", "x", "\n"};
    event->kind = INPUT_TEXT;
    snprintf(event->text, sizeof event->text, "%s",
             texts[(bits >> 32 & 0xff) % (sizeof texts / sizeof *texts)]);
}

static void finger(struct input_event *event, uint64_t gesture, uint64_t number, uint64_t bits)
{
    event->finger = 1 + (int64_t)(number + (gesture >> 40)) % FINGERS;
    event->kind = number < 2              ? INPUT_FINGER_DOWN
                  : number >= GESTURE - 2 ? INPUT_FINGER_UP
                                          : INPUT_FINGER_MOVE;
    if ((bits >> 56) == 0)
        event->kind = INPUT_FINGER_DOWN; /* whose up is never seen */
}

static void pad(struct input_event *event, uint64_t gesture, uint64_t number, uint64_t bits)
{
    event->kind = INPUT_PAD_AXIS;
    event->axis = (int)((gesture >> 40 & 0xff) % INPUT_AXES);
    event->value = event->axis >= INPUT_AXIS_TRIGGER_LEFT ? share_of(bits >> 32)
                                                          : 2 * share_of(bits >> 32) - 1;
    if (number == GESTURE - 1)
        event->value = 0;
    if (gesture >> 48 & 1) {
        event->kind = number % 2 ? INPUT_PAD_UP : INPUT_PAD_DOWN;
        event->pad_button = (int)((bits >> 32 & 0xff) % INPUT_PAD_BUTTONS);
    }
}

void play_random_event(struct input_event *event, uint64_t seed, uint64_t index, int32_t width,
                       int32_t height)
{
    uint64_t bits = mixed(seed, index), number = index % GESTURE;
    uint64_t gesture = mixed(~seed, index / GESTURE);
    *event = (struct input_event){.x = share_of(bits) * width, .y = share_of(bits >> 16) * height};
    switch (gesture % 10) {
    case 0:
    case 1:
    case 2:
        mouse(event, gesture, number);
        break;
    case 3:
    case 4:
    case 5:
        wheel(event, gesture, bits);
        break;
    case 6:
        key(event, number, bits);
        break;
    case 7:
        finger(event, gesture, number, bits);
        break;
    case 8:
        pad(event, gesture, number, bits);
        break;
    default:
        if (number)
            event->kind = INPUT_MOVE;
        else if (gesture >> 40 & 1)
            text(event, bits);
        else
            event->kind = INPUT_FOCUS_LOST;
    }
}

/* Two fingers at a time, on the buttons and in the corners. */
static void edge_touch(struct input_event *event, uint64_t gesture, uint64_t number, uint64_t bits,
                       int32_t height)
{
    finger(event, gesture, number, bits);
    event->y = gesture >> 56 & 1 ? height * 0.93 : height * 0.03;
}

static void any_key(struct input_event *event, uint64_t number, uint64_t bits)
{
    enum { KEYS = INPUT_KEY_LAST - INPUT_KEY_FIRST + 1, CHARACTERS = 0x180 };
    uint64_t key = (bits >> 32 & 0xffff) % (KEYS + CHARACTERS);
    event->kind = number % 2 ? INPUT_KEY_UP : INPUT_KEY_DOWN;
    event->key = key < KEYS ? INPUT_KEY_FIRST + (int32_t)key : (int32_t)(key - KEYS);
    event->modifiers = (unsigned)(bits >> 48 & 15);
    event->repeat = (bits >> 52 & 3) == 3;
}

static void plugging(struct input_event *event, uint64_t number, uint64_t bits)
{
    event->pad = (int)(bits >> 32 & 15);
    event->kind = number % 2 ? INPUT_PAD_REMOVED : INPUT_PAD_ADDED;
    if (number % 4 == 3) { /* the pad may be gone */
        event->kind = INPUT_PAD_AXIS;
        event->axis = (int)((bits >> 36 & 0xff) % INPUT_AXES);
        event->value = 2 * share_of(bits >> 44) - 1;
    }
}

static void of_desktop(struct input_event *event, uint64_t number)
{
    static const enum input_kind kinds[] = {INPUT_QUIT,         INPUT_FOCUS_LOST, INPUT_LEAVE,
                                            INPUT_FOCUS_GAINED, INPUT_DROP_TEXT,  INPUT_DROP_FILE};
    event->kind = kinds[number % (sizeof kinds / sizeof *kinds)];
    event->dropped = event->kind == INPUT_DROP_FILE ? "/etc/passwd" : "0.3 0.1 1e9";
}

void play_mash_event(struct input_event *event, uint64_t seed, uint64_t index, int32_t width,
                     int32_t height)
{
    uint64_t bits = mixed(~seed, index), number = index % GESTURE;
    uint64_t gesture = mixed(seed + 1, index / GESTURE);
    play_random_event(event, seed, index, width, height);
    struct input_event place = {.x = event->x, .y = event->y};
    if (gesture % 10 > 3)
        return;
    *event = place;
    if (gesture % 10 == 0)
        edge_touch(event, gesture, number, bits, height);
    else if (gesture % 10 == 1)
        any_key(event, number, bits);
    else if (gesture % 10 == 2)
        plugging(event, number, bits);
    else
        of_desktop(event, number);
}

void play_change_event(struct input_event *event, uint64_t index, int32_t width, int32_t height)
{
    uint64_t bits = mixed(1, index);
    *event = (struct input_event){.kind = INPUT_WHEEL,
                                  .x = share_of(bits) * width,
                                  .y = share_of(bits >> 16) * height,
                                  .wheel_y = index / CHANGES_ONE_WAY % 2 ? -1 : 1};
}
