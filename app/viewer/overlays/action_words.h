/* Names of bindings for people, as they are drawn; settings have their own names (actions.h). */
#ifndef APP_VIEWER_OVERLAYS_ACTION_WORDS_H
#define APP_VIEWER_OVERLAYS_ACTION_WORDS_H

#include "app/viewer/input/actions.h"

/* Writes a binding in the language of the user, "A (gamepad)", or all bindings of an action, "+, =,
 * A (gamepad)", cut at `bytes`. */
void binding_words(const struct binding *binding, char text[BINDING_BYTES]);
void actions_words(const struct actions *actions, enum action action, char *text, size_t bytes);

#endif
