/* SDL's keys, modifiers and buttons as those of event.h. */
#ifndef RENDER_WINDOW_WINDOW_KEYS_H
#define RENDER_WINDOW_WINDOW_KEYS_H

#include <stdint.h>

/* Key of SDL's keycode, scancode and modifiers; INPUT_KEY_NONE for a key without a name here. */
int32_t window_key(int32_t keycode, int scancode, unsigned sdl_modifiers);

/* SDL's modifiers as bits of enum input_modifier. */
unsigned window_modifiers(unsigned sdl_modifiers);

/* SDL's gamepad button as an enum input_pad_button; -1 for another one. */
int window_pad_button(int sdl_button);

#endif
