/* What a page without a window asks of the engine, and what comes of it. */
#ifndef APP_SERVE_SESSION_ENGINE_H
#define APP_SERVE_SESSION_ENGINE_H

#include "app/serve/session_state.h"

/* Asks for the picture of the place; moving: while a hand moves it. */
enum status session_picture_ask(struct serve_session *session, bool moving);

/* Copies new pixels and facts. */
enum status session_state_take(struct serve_session *session);

/* Notes that another place, or another look of it, is wanted. */
void session_view_changed(struct serve_session *session, double now_s);

/* Notes that pages are to be told something new. */
void session_facts_renew(struct serve_session *session);

/* What the picture shows where the look is automatic. */
struct look_seen session_look_seen(const struct serve_session *session);

#endif
