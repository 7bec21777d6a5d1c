/* Bookmarks of the user who serves the picture, those of the window, for the page that leads.
 *
 * They wait for the disk, so a thread of their own does what is asked, in order; the session looks
 * for answers. A page names a bookmark by the name of its file, and is told neither folder nor
 * path. */
#ifndef APP_SERVE_SESSION_BOOKMARKS_H
#define APP_SERVE_SESSION_BOOKMARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/window/paint.h"

enum {
    BOOKMARKS_LISTED = 1000,    /* newest ones that a page is told of */
    BOOKMARK_TITLE_BYTES = 201, /* bytes of a title that a page gives, with the NUL */
    BOOKMARKS_WAITING = 16      /* requests that wait; more are refused */
};

struct session_bookmarks;

/* `folder` is copied. */
enum status session_bookmarks_open(struct session_bookmarks **bookmarks, const char *folder);
void session_bookmarks_close(struct session_bookmarks *bookmarks); /* accepts NULL */

enum bookmark_verb {
    BOOKMARK_LIST,    /* the list */
    BOOKMARK_PICTURE, /* thumbnail of one */
    BOOKMARK_GO,      /* place of one */
    BOOKMARK_ADD,     /* the place that is shown */
    BOOKMARK_RENAME,
    BOOKMARK_REMOVE,
    BOOKMARK_VERBS
};

struct bookmark_request {
    uint64_t page; /* who asks; comes back with the answer */
    enum bookmark_verb verb;
    const char *name;         /* name of its file; NULL for BOOKMARK_LIST and BOOKMARK_ADD */
    const char *title;        /* BOOKMARK_ADD, BOOKMARK_RENAME; may be "" */
    const char *place;        /* BOOKMARK_ADD: ini text */
    struct paint_image image; /* BOOKMARK_ADD: the picture */
};

/* Reads "VERB", "VERB NAME", "add TITLE" or "rename NAME/TITLE" (no name has a '/'), and cuts
 * `words`. STATUS_BAD_DATA: it is none of these. Pure. */
enum status bookmark_request_read(struct bookmark_request *request, char *words);

/* Copies what it needs. STATUS_SYSTEM: too many wait. */
enum status session_bookmarks_ask(struct session_bookmarks *bookmarks,
                                  const struct bookmark_request *request);

struct bookmark_answer {
    uint64_t page;
    char *json;       /* text for the page; NULL: none; freed by the caller */
    char *place;      /* BOOKMARK_GO: text of the place; NULL: none; freed by the caller */
    const char *note; /* why it failed, without a path; NULL: it did not */
};

/* Is something asked that has no answer yet? */
bool session_bookmarks_busy(struct session_bookmarks *bookmarks);

/* The next answer; false: there is none. */
bool session_bookmarks_answer(struct session_bookmarks *bookmarks, struct bookmark_answer *answer);

#endif
