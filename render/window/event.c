#include "render/window/event.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "render/window/utf8.h"

static const struct {
    int32_t key;
    const char *name;
} key_names[] = {
    {INPUT_KEY_SPACE, "space"},
    {'+', "plus"},
    {'-', "minus"},
    {'=', "equals"},
    {',', "comma"},
    {'.', "period"},
    {';', "semicolon"},
    {'#', "hash"},
    {'\'', "quote"},
    {'"', "double-quote"},
    {'\\', "backslash"},
    {INPUT_KEY_ENTER, "enter"},
    {INPUT_KEY_ESCAPE, "escape"},
    {INPUT_KEY_TAB, "tab"},
    {INPUT_KEY_BACKSPACE, "backspace"},
    {INPUT_KEY_INSERT, "insert"},
    {INPUT_KEY_DELETE, "delete"},
    {INPUT_KEY_HOME, "home"},
    {INPUT_KEY_END, "end"},
    {INPUT_KEY_PAGE_UP, "page-up"},
    {INPUT_KEY_PAGE_DOWN, "page-down"},
    {INPUT_KEY_ARROW_LEFT, "left"},
    {INPUT_KEY_ARROW_RIGHT, "right"},
    {INPUT_KEY_ARROW_UP, "up"},
    {INPUT_KEY_ARROW_DOWN, "down"},
    {INPUT_KEY_F1, "f1"},
    {INPUT_KEY_F1 + 1, "f2"},
    {INPUT_KEY_F1 + 2, "f3"},
    {INPUT_KEY_F1 + 3, "f4"},
    {INPUT_KEY_F1 + 4, "f5"},
    {INPUT_KEY_F1 + 5, "f6"},
    {INPUT_KEY_F1 + 6, "f7"},
    {INPUT_KEY_F1 + 7, "f8"},
    {INPUT_KEY_F1 + 8, "f9"},
    {INPUT_KEY_F1 + 9, "f10"},
    {INPUT_KEY_F1 + 10, "f11"},
    {INPUT_KEY_F12, "f12"},
    {INPUT_KEY_PRINT, "print"},
    {INPUT_KEY_PAUSE, "pause"},
    {INPUT_KEY_MENU, "menu"},
    {INPUT_KEY_SHIFT, "shift"},
    {INPUT_KEY_CTRL, "ctrl"},
    {INPUT_KEY_ALT, "alt"},
    {INPUT_KEY_META, "meta"},
};
enum { KEY_NAMES = sizeof key_names / sizeof key_names[0] };

/* Writes one character as UTF-8; an empty text for a number that is no character (RFC 3629). */
static void utf8_write(int32_t c, char text[5])
{
    memset(text, 0, 5);
    if (c <= ' ' || c == 127 || (c >= 0xd800 && c < 0xe000) || c == UTF8_WRONG ||
        c >= INPUT_KEY_FIRST)
        return;
    if (c < 0x80) {
        text[0] = (char)c;
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    text[0] = (char)(lead[more] | (c >> (6 * more)));
    for (int i = 1; i <= more; i++)
        text[i] = (char)(0x80 | ((c >> (6 * (more - i))) & 0x3f));
}

/* Character of a text of exactly one; else INPUT_KEY_NONE. */
static int32_t utf8_only(const char *text)
{
    int32_t c = utf8_next(&text);
    bool visible = c > ' ' && c != 127 && c != UTF8_WRONG;
    return visible && !*text ? c : INPUT_KEY_NONE;
}

const char *input_key_name(int32_t key)
{
    static _Thread_local char text[5];
    for (int i = 0; i < KEY_NAMES; i++)
        if (key_names[i].key == key)
            return key_names[i].name;
    utf8_write(key, text);
    return text;
}

int32_t input_key_find(const char *name)
{
    for (int i = 0; i < KEY_NAMES; i++)
        if (strcasecmp(key_names[i].name, name) == 0)
            return key_names[i].key;
    int32_t key = utf8_only(name);
    return key >= 'A' && key <= 'Z' ? key + ('a' - 'A') : key;
}

const char *input_pad_button_name(int pad_button)
{
    static const char *const names[INPUT_PAD_BUTTONS] = {
        "south",          "east",  "west",       "north",       "select",
        "start",          "guide", "stick-left", "stick-right", "shoulder-left",
        "shoulder-right", "up",    "down",       "left",        "right"};
    return pad_button >= 0 && pad_button < INPUT_PAD_BUTTONS ? names[pad_button] : NULL;
}

const char *input_axis_name(int axis)
{
    static const char *const names[INPUT_AXES] = {"left-x",  "left-y",       "right-x",
                                                  "right-y", "trigger-left", "trigger-right"};
    return axis >= 0 && axis < INPUT_AXES ? names[axis] : NULL;
}
