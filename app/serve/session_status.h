/* What the served picture tells the status feed (app/http/status_server.h). */
#ifndef APP_SERVE_SESSION_STATUS_H
#define APP_SERVE_SESSION_STATUS_H

#include "app/http/status_server.h"
#include "app/serve/serve_session.h"

struct session_status {
    struct status_server *server; /* borrowed; NULL: no feed, and nothing is told */
    double begun_s, told_s;
    uint64_t version; /* version of the state that was told last */
    struct status_facts facts;
    uint8_t owners[DEEPFIELD_LIVE_BLOCKS][DEEPFIELD_LIVE_BLOCKS];
};

/* Tells what is new, as often as somebody follows the feed; moved_s: time of the last motion of a
 * page. *until_s: falls to the time when it is due again. */
enum status session_status_tell(struct session_status *status, deepfield_live *live,
                                const deepfield_live_state *state,
                                const struct serve_session_sums *sums, double moved_s, double now_s,
                                double *until_s);

#endif
