/* Bindings as people call them, for what is drawn; settings have their own names (actions.c). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/actions.h"
#include "render/window/event.h"

/* All that is no key. An Xbox gamepad gives buttons their letters, as SDL does. */
static const struct {
    enum binding_kind kind;
    int32_t code;
    const char *words;
} doings[] = {{BINDING_CLICK, INPUT_LEFT, "click"},
              {BINDING_CLICK, INPUT_MIDDLE, "middle click"},
              {BINDING_CLICK, INPUT_RIGHT, "right click"},
              {BINDING_CLICK, INPUT_BACK, "mouse button Back"},
              {BINDING_CLICK, INPUT_FORWARD, "mouse button Forward"},
              {BINDING_DOUBLE_CLICK, INPUT_LEFT, "double click"},
              {BINDING_DOUBLE_CLICK, INPUT_MIDDLE, "middle double click"},
              {BINDING_DOUBLE_CLICK, INPUT_RIGHT, "right double click"},
              {BINDING_DRAG, INPUT_LEFT, "drag"},
              {BINDING_DRAG, INPUT_MIDDLE, "drag with the middle button"},
              {BINDING_DRAG, INPUT_RIGHT, "drag with the right button"},
              {BINDING_HOLD, INPUT_LEFT, "hold"},
              {BINDING_HOLD, INPUT_MIDDLE, "hold the middle button"},
              {BINDING_HOLD, INPUT_RIGHT, "hold the right button"},
              {BINDING_MOVE, 0, "move the mouse"},
              {BINDING_WHEEL, WHEEL_UP, "wheel up"},
              {BINDING_WHEEL, WHEEL_DOWN, "wheel down"},
              {BINDING_WHEEL, WHEEL_LEFT, "wheel left"},
              {BINDING_WHEEL, WHEEL_RIGHT, "wheel right"},
              {BINDING_TOUCH, TOUCH_ONE_FINGER, "one finger"},
              {BINDING_TOUCH, TOUCH_TWO_FINGERS, "two fingers"},
              {BINDING_TOUCH, TOUCH_DOUBLE_TAP, "double tap"},
              {BINDING_TOUCH, TOUCH_TWO_FINGER_TAP, "tap with two fingers"},
              {BINDING_TOUCH, TOUCH_LONG_PRESS, "long touch"},
              {BINDING_TOUCH, TOUCH_TWO_FINGER_HOLD, "long touch with two fingers"},
              {BINDING_STICK, 0, "left stick (gamepad)"},
              {BINDING_STICK, 1, "right stick (gamepad)"},
              {BINDING_TRIGGER, 0, "left trigger (gamepad)"},
              {BINDING_TRIGGER, 1, "right trigger (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_SOUTH, "A (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_EAST, "B (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_WEST, "X (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_NORTH, "Y (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_SELECT, "Back (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_START, "Start (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_GUIDE, "Guide (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_STICK_LEFT, "press left stick (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_STICK_RIGHT, "press right stick (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_SHOULDER_LEFT, "left shoulder (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_SHOULDER_RIGHT, "right shoulder (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_UP, "pad up (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_DOWN, "pad down (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_LEFT, "pad left (gamepad)"},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_RIGHT, "pad right (gamepad)"},
              {BINDING_KEY, INPUT_KEY_ARROW_LEFT, "Left arrow"},
              {BINDING_KEY, INPUT_KEY_ARROW_RIGHT, "Right arrow"},
              {BINDING_KEY, INPUT_KEY_ARROW_UP, "Up arrow"},
              {BINDING_KEY, INPUT_KEY_ARROW_DOWN, "Down arrow"}};

/* What stands on the cap above '=' and '/' of most keyboards is what people look for. */
static int32_t shifted(int32_t key)
{
    return key == '=' ? '+' : key == '/' ? '?' : 0;
}

/* "p" -> "P", "page-up" -> "Page Up", '=' as it is, but "Comma", which could be overlooked. */
static void key_words(int32_t key, char *text, size_t bytes)
{
    const char *name = input_key_name(key);
    if (key > ' ' && key < 127 && !strchr(",.;-'\"", (char)key)) {
        snprintf(text, bytes, "%c", toupper((int)key));
        return;
    }
    snprintf(text, bytes, "%s", name);
    for (char *at = text; *at; at++)
        if (at == text || at[-1] == ' ')
            *at = (char)toupper((unsigned char)*at);
        else if (*at == '-')
            *at = ' ';
}

void binding_words(const struct binding *binding, char text[BINDING_BYTES])
{
    static const struct {
        unsigned bit;
        const char *words;
    } modifiers[] = {
        {INPUT_CTRL, "Ctrl+"}, {INPUT_SHIFT, "Shift+"}, {INPUT_ALT, "Alt+"}, {INPUT_META, "Meta+"}};
    struct binding one = *binding;
    size_t used = 0;
    if (one.kind == BINDING_KEY && one.modifiers & INPUT_SHIFT && shifted(one.code)) {
        one.code = shifted(one.code);
        one.modifiers &= ~(unsigned)INPUT_SHIFT;
    }
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (one.modifiers & modifiers[i].bit)
            used += (size_t)snprintf(text + used, BINDING_BYTES - used, "%s", modifiers[i].words);
    for (size_t i = 0; i < sizeof doings / sizeof *doings; i++)
        if (doings[i].kind == one.kind && doings[i].code == one.code) {
            snprintf(text + used, BINDING_BYTES - used, "%s", doings[i].words);
            return;
        }
    key_words(one.code, text + used, BINDING_BYTES - used);
}

void actions_words(const struct actions *actions, enum action action, char *text, size_t bytes)
{
    char words[BINDINGS_EACH][BINDING_BYTES];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < BINDINGS_EACH && actions->binding[action][i].kind && used < bytes; i++) {
        bool again = false;
        binding_words(&actions->binding[action][i], words[i]);
        for (int j = 0; j < i; j++)
            again |= !strcmp(words[j], words[i]);
        if (!again)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", words[i]);
    }
}
