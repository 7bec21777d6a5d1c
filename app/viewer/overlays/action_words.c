#include "app/viewer/overlays/action_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlays/strings.h"
#include "render/window/event.h"

/* Names of bindings other than keys. An Xbox gamepad gives buttons their letters, as SDL does. */
static const struct {
    enum binding_kind kind;
    int32_t code;
    enum string words;
} doings[] = {{BINDING_CLICK, INPUT_LEFT, STRING_WORDS_CLICK},
              {BINDING_CLICK, INPUT_MIDDLE, STRING_WORDS_MIDDLE_CLICK},
              {BINDING_CLICK, INPUT_RIGHT, STRING_WORDS_RIGHT_CLICK},
              {BINDING_CLICK, INPUT_BACK, STRING_WORDS_BACK_CLICK},
              {BINDING_CLICK, INPUT_FORWARD, STRING_WORDS_FORWARD_CLICK},
              {BINDING_DOUBLE_CLICK, INPUT_LEFT, STRING_WORDS_DOUBLE_CLICK},
              {BINDING_DOUBLE_CLICK, INPUT_MIDDLE, STRING_WORDS_MIDDLE_DOUBLE},
              {BINDING_DOUBLE_CLICK, INPUT_RIGHT, STRING_WORDS_RIGHT_DOUBLE},
              {BINDING_DRAG, INPUT_LEFT, STRING_WORDS_DRAG},
              {BINDING_DRAG, INPUT_MIDDLE, STRING_WORDS_MIDDLE_DRAG},
              {BINDING_DRAG, INPUT_RIGHT, STRING_WORDS_RIGHT_DRAG},
              {BINDING_HOLD, INPUT_LEFT, STRING_WORDS_HOLD},
              {BINDING_HOLD, INPUT_MIDDLE, STRING_WORDS_MIDDLE_HOLD},
              {BINDING_HOLD, INPUT_RIGHT, STRING_WORDS_RIGHT_HOLD},
              {BINDING_MOVE, 0, STRING_WORDS_MOVE},
              {BINDING_WHEEL, WHEEL_UP, STRING_WORDS_WHEEL_UP},
              {BINDING_WHEEL, WHEEL_DOWN, STRING_WORDS_WHEEL_DOWN},
              {BINDING_WHEEL, WHEEL_LEFT, STRING_WORDS_WHEEL_LEFT},
              {BINDING_WHEEL, WHEEL_RIGHT, STRING_WORDS_WHEEL_RIGHT},
              {BINDING_DIGIT, 0, STRING_WORDS_DIGIT},
              {BINDING_TOUCH, TOUCH_ONE_FINGER, STRING_WORDS_ONE_FINGER},
              {BINDING_TOUCH, TOUCH_TWO_FINGERS, STRING_WORDS_TWO_FINGERS},
              {BINDING_TOUCH, TOUCH_DOUBLE_TAP, STRING_WORDS_DOUBLE_TAP},
              {BINDING_TOUCH, TOUCH_TWO_FINGER_TAP, STRING_WORDS_TWO_FINGER_TAP},
              {BINDING_TOUCH, TOUCH_LONG_PRESS, STRING_WORDS_LONG_PRESS},
              {BINDING_TOUCH, TOUCH_TWO_FINGER_HOLD, STRING_WORDS_TWO_FINGER_HOLD},
              {BINDING_STICK, 0, STRING_WORDS_LEFT_STICK},
              {BINDING_STICK, 1, STRING_WORDS_RIGHT_STICK},
              {BINDING_TRIGGER, 0, STRING_WORDS_LEFT_TRIGGER},
              {BINDING_TRIGGER, 1, STRING_WORDS_RIGHT_TRIGGER},
              {BINDING_PAD_BUTTON, INPUT_PAD_SOUTH, STRING_WORDS_PAD_SOUTH},
              {BINDING_PAD_BUTTON, INPUT_PAD_EAST, STRING_WORDS_PAD_EAST},
              {BINDING_PAD_BUTTON, INPUT_PAD_WEST, STRING_WORDS_PAD_WEST},
              {BINDING_PAD_BUTTON, INPUT_PAD_NORTH, STRING_WORDS_PAD_NORTH},
              {BINDING_PAD_BUTTON, INPUT_PAD_SELECT, STRING_WORDS_PAD_SELECT},
              {BINDING_PAD_BUTTON, INPUT_PAD_START, STRING_WORDS_PAD_START},
              {BINDING_PAD_BUTTON, INPUT_PAD_GUIDE, STRING_WORDS_PAD_GUIDE},
              {BINDING_PAD_BUTTON, INPUT_PAD_STICK_LEFT, STRING_WORDS_PAD_STICK_LEFT},
              {BINDING_PAD_BUTTON, INPUT_PAD_STICK_RIGHT, STRING_WORDS_PAD_STICK_RIGHT},
              {BINDING_PAD_BUTTON, INPUT_PAD_SHOULDER_LEFT, STRING_WORDS_PAD_SHOULDER_LEFT},
              {BINDING_PAD_BUTTON, INPUT_PAD_SHOULDER_RIGHT, STRING_WORDS_PAD_SHOULDER_RIGHT},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_UP, STRING_WORDS_PAD_UP},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_DOWN, STRING_WORDS_PAD_DOWN},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_LEFT, STRING_WORDS_PAD_LEFT},
              {BINDING_PAD_BUTTON, INPUT_PAD_ARROW_RIGHT, STRING_WORDS_PAD_RIGHT},
              {BINDING_KEY, INPUT_KEY_ARROW_LEFT, STRING_WORDS_ARROW_LEFT},
              {BINDING_KEY, INPUT_KEY_ARROW_RIGHT, STRING_WORDS_ARROW_RIGHT},
              {BINDING_KEY, INPUT_KEY_ARROW_UP, STRING_WORDS_ARROW_UP},
              {BINDING_KEY, INPUT_KEY_ARROW_DOWN, STRING_WORDS_ARROW_DOWN},
              {BINDING_KEY, INPUT_KEY_SPACE, STRING_WORDS_SPACE},
              {BINDING_KEY, INPUT_KEY_ENTER, STRING_WORDS_ENTER},
              {BINDING_KEY, INPUT_KEY_ESCAPE, STRING_WORDS_ESCAPE},
              {BINDING_KEY, INPUT_KEY_TAB, STRING_WORDS_TAB},
              {BINDING_KEY, INPUT_KEY_BACKSPACE, STRING_WORDS_BACKSPACE},
              {BINDING_KEY, INPUT_KEY_INSERT, STRING_WORDS_INSERT},
              {BINDING_KEY, INPUT_KEY_DELETE, STRING_WORDS_DELETE},
              {BINDING_KEY, INPUT_KEY_HOME, STRING_WORDS_HOME},
              {BINDING_KEY, INPUT_KEY_END, STRING_WORDS_END},
              {BINDING_KEY, INPUT_KEY_PAGE_UP, STRING_WORDS_PAGE_UP},
              {BINDING_KEY, INPUT_KEY_PAGE_DOWN, STRING_WORDS_PAGE_DOWN},
              {BINDING_KEY, ',', STRING_WORDS_COMMA},
              {BINDING_KEY, '.', STRING_WORDS_PERIOD},
              {BINDING_KEY, ';', STRING_WORDS_SEMICOLON},
              {BINDING_KEY, '-', STRING_WORDS_MINUS}};

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
        enum string words;
    } modifiers[] = {{INPUT_CTRL, STRING_WORDS_CTRL},
                     {INPUT_SHIFT, STRING_WORDS_SHIFT},
                     {INPUT_ALT, STRING_WORDS_ALT},
                     {INPUT_META, STRING_WORDS_META}};
    struct binding one = *binding;
    size_t used = 0;
    if (one.kind == BINDING_KEY && one.modifiers & INPUT_SHIFT && shifted(one.code)) {
        one.code = shifted(one.code);
        one.modifiers &= ~(unsigned)INPUT_SHIFT;
    }
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (one.modifiers & modifiers[i].bit)
            used += (size_t)snprintf(text + used, BINDING_BYTES - used, "%s",
                                     string_of(modifiers[i].words));
    for (size_t i = 0; i < sizeof doings / sizeof *doings; i++)
        if (doings[i].kind == one.kind && doings[i].code == one.code) {
            snprintf(text + used, BINDING_BYTES - used, "%s", string_of(doings[i].words));
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
