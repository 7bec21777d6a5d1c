/* Bindings as people call them, for what is drawn; settings have their own names (actions.h). */
#ifndef APP_VIEWER_OVERLAYS_ACTION_WORDS_H
#define APP_VIEWER_OVERLAYS_ACTION_WORDS_H

#include "app/viewer/input/actions.h"

/* In the language of the user: "A (gamepad)"; all of an action: "+, =, A (gamepad)". Cut at
 * `bytes`. */
void binding_words(const struct binding *binding, char text[BINDING_BYTES]);
void actions_words(const struct actions *actions, enum action action, char *text, size_t bytes);

#endif
