/* The served picture: the place, the engine behind it, and the pages that see it.
 *
 * All pages see the same. One of them leads: it moves the picture, and its canvas gives the size.
 * Others ask for the lead and get it from the one that has it, or at once when that has been idle
 * for SESSION_IDLE_S. A page with the right to watch never leads. Thread: one, that of the server.
 *
 * Beside a window the picture, its size and its place are the window's (remote_source.h), which
 * leads at first, as one more that may be idle, and takes the lead back with every touch. */
#ifndef APP_SERVE_SERVE_SESSION_H
#define APP_SERVE_SERVE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "app/http/access.h"
#include "app/serve/page_frame.h"
#include "app/serve/page_message.h"
#include "include/deepfield/deepfield.h"
#include "library/config/config.h"

enum { SESSION_PAGES = 64, SESSION_TEXT_BYTES = 512 };

#define SESSION_IDLE_S 10.0

struct remote;
struct serve_session;
struct status_server;

struct serve_session_options {
    struct deepfield_world *world;
    deepfield_live *live;
    const struct config *config;  /* settings of the program, with the place where it begins */
    const char *data;             /* folder of views and palettes */
    const char *bookmarks;        /* folder of the user's bookmarks; NULL: pages see none */
    struct status_server *status; /* status feed, which is told what happens; NULL: none */
    struct remote *window;        /* a window whose picture it is, in place of `live`; NULL: none */
    bool hidden;                  /* nobody sees that window: it neither leads nor has a size */
    const char *wall;             /* screens that show it together, "2x2"; NULL: none */
    bool stand;                   /* it is a stand for the public, with rules of its own */
};

enum status serve_session_create(struct serve_session **session,
                                 const struct serve_session_options *options);
void serve_session_destroy(struct serve_session *session); /* accepts NULL */

/* Takes what the engine has and asks it for what is wanted. *until_s: when to call again, at the
 * latest. */
enum status serve_session_turn(struct serve_session *session, double now_s, double *until_s);

/* Gives the leader what has come from the disk, each once it has got the one before. */
enum status serve_session_answers(struct serve_session *session, double now_s);

/* ---- pages ---- */

struct visitor;

/* NULL: there are too many, or no memory. */
struct visitor *serve_session_join(struct serve_session *session, enum access_right right,
                                   double now_s);
void serve_session_leave(struct serve_session *session, struct visitor *page, double now_s);

/* Obeys a message. STATUS_BAD_DATA: the page is none of ours, or sends too much, and should be
 * closed. */
enum status serve_session_take(struct serve_session *session, struct visitor *page,
                               const char *bytes, size_t length, double now_s);

/* The next message for a page behind message->before bytes; *is_text: JSON, else a frame. Length 0:
 * there is none now. */
enum status serve_session_give(struct serve_session *session, struct visitor *page, double now_s,
                               struct frame_bytes *message, bool *is_text);

bool visitor_due(const struct serve_session *session, const struct visitor *page, double now_s);
bool visitor_is_dead(const struct visitor *page, double now_s);

/* What was done: frames and bytes to all pages, messages of theirs, seconds of encoding. */
struct serve_session_sums {
    uint64_t frames, bytes, messages, visitors; /* visitors: pages that were opened */
    double encode_s;
};
struct serve_session_sums serve_session_sums(const struct serve_session *session);

#endif
