#include "render/window/window_keys.h"

#include <SDL.h>

#include "render/window/event.h"

static const struct {
    SDL_Keycode keycode;
    int32_t key;
} keys[] = {
    {SDLK_RETURN, INPUT_KEY_ENTER},
    {SDLK_KP_ENTER, INPUT_KEY_ENTER},
    {SDLK_ESCAPE, INPUT_KEY_ESCAPE},
    {SDLK_TAB, INPUT_KEY_TAB},
    {SDLK_BACKSPACE, INPUT_KEY_BACKSPACE},
    {SDLK_INSERT, INPUT_KEY_INSERT},
    {SDLK_DELETE, INPUT_KEY_DELETE},
    {SDLK_HOME, INPUT_KEY_HOME},
    {SDLK_END, INPUT_KEY_END},
    {SDLK_PAGEUP, INPUT_KEY_PAGE_UP},
    {SDLK_PAGEDOWN, INPUT_KEY_PAGE_DOWN},
    {SDLK_LEFT, INPUT_KEY_ARROW_LEFT},
    {SDLK_RIGHT, INPUT_KEY_ARROW_RIGHT},
    {SDLK_UP, INPUT_KEY_ARROW_UP},
    {SDLK_DOWN, INPUT_KEY_ARROW_DOWN},
    {SDLK_PRINTSCREEN, INPUT_KEY_PRINT},
    {SDLK_PAUSE, INPUT_KEY_PAUSE},
    {SDLK_APPLICATION, INPUT_KEY_MENU},
    {SDLK_LSHIFT, INPUT_KEY_SHIFT},
    {SDLK_RSHIFT, INPUT_KEY_SHIFT},
    {SDLK_LCTRL, INPUT_KEY_CTRL},
    {SDLK_RCTRL, INPUT_KEY_CTRL},
    {SDLK_LALT, INPUT_KEY_ALT},
    {SDLK_RALT, INPUT_KEY_ALT},
    {SDLK_LGUI, INPUT_KEY_META},
    {SDLK_RGUI, INPUT_KEY_META},
    {SDLK_KP_DIVIDE, '/'},
    {SDLK_KP_MULTIPLY, '*'},
    {SDLK_KP_MINUS, '-'},
    {SDLK_KP_PLUS, '+'},
    {SDLK_KP_EQUALS, '='},
    {SDLK_KP_COMMA, ','},
};

/* Keys of the number pad without Num Lock, as printed below the digits. */
static const int32_t pad_keys[11] = {
    INPUT_KEY_END,     INPUT_KEY_ARROW_DOWN,  INPUT_KEY_PAGE_DOWN, INPUT_KEY_ARROW_LEFT,
    INPUT_KEY_NONE,    INPUT_KEY_ARROW_RIGHT, INPUT_KEY_HOME,      INPUT_KEY_ARROW_UP,
    INPUT_KEY_PAGE_UP, INPUT_KEY_INSERT,      INPUT_KEY_DELETE}; /* 1 ... 9, 0, period */

int32_t window_key(int32_t keycode, int scancode, unsigned sdl_modifiers)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].keycode == keycode)
            return keys[i].key;
    if (keycode >= SDLK_F1 && keycode <= SDLK_F12)
        return INPUT_KEY_F1 + (keycode - SDLK_F1);
    if (keycode >= SDLK_KP_1 && keycode <= SDLK_KP_PERIOD) /* 1 ... 9, 0, period in a row */
        return sdl_modifiers & KMOD_NUM ? "1234567890."[keycode - SDLK_KP_1]
                                        : pad_keys[keycode - SDLK_KP_1];
    /* Letters of other scripts by their position, so that Ctrl+Z works on every keyboard. */
    if (keycode > 0x2ff && scancode >= SDL_SCANCODE_A && scancode <= SDL_SCANCODE_Z)
        return 'a' + (scancode - SDL_SCANCODE_A);
    return keycode >= ' ' && keycode < INPUT_KEY_FIRST ? keycode : INPUT_KEY_NONE;
}

unsigned window_modifiers(unsigned sdl_modifiers)
{
    return (sdl_modifiers & KMOD_SHIFT ? (unsigned)INPUT_SHIFT : 0u) |
           (sdl_modifiers & KMOD_CTRL ? (unsigned)INPUT_CTRL : 0u) |
           (sdl_modifiers & KMOD_ALT ? (unsigned)INPUT_ALT : 0u) |
           (sdl_modifiers & KMOD_GUI ? (unsigned)INPUT_META : 0u);
}

int window_pad_button(int sdl_button)
{
    switch (sdl_button) {
    case SDL_CONTROLLER_BUTTON_A:
        return INPUT_PAD_SOUTH;
    case SDL_CONTROLLER_BUTTON_B:
        return INPUT_PAD_EAST;
    case SDL_CONTROLLER_BUTTON_X:
        return INPUT_PAD_WEST;
    case SDL_CONTROLLER_BUTTON_Y:
        return INPUT_PAD_NORTH;
    case SDL_CONTROLLER_BUTTON_BACK:
        return INPUT_PAD_SELECT;
    case SDL_CONTROLLER_BUTTON_START:
        return INPUT_PAD_START;
    case SDL_CONTROLLER_BUTTON_GUIDE:
        return INPUT_PAD_GUIDE;
    case SDL_CONTROLLER_BUTTON_LEFTSTICK:
        return INPUT_PAD_STICK_LEFT;
    case SDL_CONTROLLER_BUTTON_RIGHTSTICK:
        return INPUT_PAD_STICK_RIGHT;
    case SDL_CONTROLLER_BUTTON_LEFTSHOULDER:
        return INPUT_PAD_SHOULDER_LEFT;
    case SDL_CONTROLLER_BUTTON_RIGHTSHOULDER:
        return INPUT_PAD_SHOULDER_RIGHT;
    case SDL_CONTROLLER_BUTTON_DPAD_UP:
        return INPUT_PAD_ARROW_UP;
    case SDL_CONTROLLER_BUTTON_DPAD_DOWN:
        return INPUT_PAD_ARROW_DOWN;
    case SDL_CONTROLLER_BUTTON_DPAD_LEFT:
        return INPUT_PAD_ARROW_LEFT;
    case SDL_CONTROLLER_BUTTON_DPAD_RIGHT:
        return INPUT_PAD_ARROW_RIGHT;
    default:
        return -1;
    }
}
