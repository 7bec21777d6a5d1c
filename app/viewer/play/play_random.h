/* Random input: event number `index` of an endless stream of input of all kinds; the same seed
 * gives the same stream. Pure. */
#ifndef APP_VIEWER_PLAY_PLAY_RANDOM_H
#define APP_VIEWER_PLAY_PLAY_RANDOM_H

#include <stdint.h>

#include "render/window/event.h"

/* Mouse, wheel, keys, text, fingers and a gamepad, in gestures of eight events, of which some are
 * cut short. Never the key that ends the program, nor those that write files. */
void play_random_event(struct input_event *event, uint64_t seed, uint64_t index, int32_t width,
                       int32_t height);

/* Input of a crowd at a stand: random events, touches at the lower edge and in the corners, every
 * key with any modifiers, gamepads that come and go, focus, and requests to close and to open. */
void play_mash_event(struct input_event *event, uint64_t seed, uint64_t index, int32_t width,
                     int32_t height);

/* An event that changes the view: a wheel's notch at a random position; 40 in, 40 out, and so on.
 */
void play_change_event(struct input_event *event, uint64_t index, int32_t width, int32_t height);

#endif
