/* Screens of a wall among the pages of a session; wall.h has their steps. */
#ifndef APP_SERVE_SESSION_WALL_H
#define APP_SERVE_SESSION_WALL_H

#include "app/serve/session_state.h"

/* Puts a page at a place of the wall, as its message asks; it has nothing of the picture then. */
void session_wall_enter(struct serve_session *session, struct visitor *page,
                        const struct page_message *message);

/* Makes the next frame for all screens, and lets them present it. */
enum status session_wall_turn(struct serve_session *session, double now_s, double *until_s);

#endif
