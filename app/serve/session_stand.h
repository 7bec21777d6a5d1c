/* What a page of a stand is told: buttons, sentences and the code to take away, in the language
 * that the stand has now, as JSON. */
#ifndef APP_SERVE_SESSION_STAND_H
#define APP_SERVE_SESSION_STAND_H

#include "app/viewer/core/remote.h"
#include "render/disk/json.h"

/* Adds it as "stand"; staff: with what only they see. */
void session_stand_add(struct json *json, const struct remote_stand *stand, bool staff);

#endif
