/* Who leads: a page, or a window beside it. The rules stand in serve_session.h. */
#ifndef APP_SERVE_SESSION_LEAD_H
#define APP_SERVE_SESSION_LEAD_H

#include "app/serve/session_state.h"

/* The next leader: one that has asked, else any that may; NULL: there is none. */
struct visitor *lead_heir(const struct serve_session *session);

/* Gives the lead to a page, or to nobody, which is the window where there is one. */
void lead_give(struct serve_session *session, struct visitor *page);

/* A page asks for the lead, or, if it has it, gives it to one that has asked. */
void lead_ask(struct serve_session *session, struct visitor *page, double now_s);

/* Gives the lead to a page that waits for it once the leader has done nothing for a while. */
void lead_pass(struct serve_session *session, double now_s);

/* Takes a touch of a stand that plays for itself: whoever touches it first leads. */
void lead_touch(struct serve_session *session, struct visitor *page, double now_s);

/* Tells the window who leads, and who asks. */
void lead_tell(const struct serve_session *session);

#endif
