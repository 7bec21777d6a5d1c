/* The inside of serve_session.h, for the files of the session.
 *
 * serve_session.c opens it, lets pages in and takes turns; session_engine.h asks the engine and
 * takes its pictures; session_lead.h says who leads; session_wall.h keeps screens in step;
 * session_take.c obeys messages of pages, session_give.c has what they are told. */
#ifndef APP_SERVE_SESSION_STATE_H
#define APP_SERVE_SESSION_STATE_H

#include "app/serve/exploration.h"
#include "app/serve/remote_source.h"
#include "app/serve/serve_session.h"
#include "app/serve/session_bookmarks.h"
#include "app/serve/session_status.h"
#include "app/serve/wall.h"
#include "app/viewer/core/rank_set.h"
#include "app/viewer/input/throttle.h"

enum {
    SESSION_SERIALS = 256,
    SESSION_RATE_MOST = 400 /* messages of a page in a second, and at once */
};

struct visitor {
    struct page_view view;
    enum access_right right;
    bool wants_lead, greeted;
    uint64_t number; /* counts all visitors */
    uint64_t facts;  /* number of the facts that it has */
    uint32_t exact;  /* number of the exact picture that they speak of; 0: of none */
    double facts_s, tokens_s;
    double tokens;           /* messages that it may send at once */
    char *reply;             /* text for it alone; owned; NULL: none */
    char *bookmarks;         /* the same, about bookmarks */
    bool chooses;            /* it chooses its place of a wall, and needs no picture */
    struct frame_bytes held; /* frame of a wall that is to be sent; length 0: none; owned */
    uint32_t present;        /* frame of a wall that it is to present; 0: none */
    char note[SESSION_TEXT_BYTES];
};

struct serve_session {
    deepfield_live *live;
    struct exploration exploration;
    struct throttle throttle;
    struct cell_cache *cells;
    deepfield_live_state state;
    struct frame_facts frame;
    uint64_t asked, version; /* serial of the newest request; version that was taken */
    bool asked_settled, entered;
    bool changed;    /* another view or look is wanted than that of the newest request */
    uint32_t motion; /* newest motion of the leader */
    struct {
        uint64_t serial;
        uint32_t motion;
    } motions[SESSION_SERIALS];
    double pointer_x, pointer_y, moved_s;
    bool held;
    struct rank_set ranks;
    uint64_t again;
    bool repeats; /* other ranks compute: once it is finished the picture is computed again */
    struct visitor *page[SESSION_PAGES], *leader;
    uint64_t facts; /* rises when what pages are told has changed */
    char *facts_text, *lists;
    struct serve_session_sums sums;
    struct session_status status;
    struct remote_source window;
    struct wall wall; /* 0 columns: none */
    bool windowed;    /* the window can lead, and has its size */
    bool stand;
    struct session_bookmarks *bookmarks; /* NULL: there are none */
    double kept_s;                       /* time at which one was added last */
};

#endif
