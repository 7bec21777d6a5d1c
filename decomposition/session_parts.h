/* What do the sides of a session have in common? Private to session*.c.
 *
 * Every rank with lanes has a shop (session_shop.h). Rank 0 keeps a row for every worker and the
 * ledger of their tasks (session_ledger.h); its own shop it speaks to directly (session_own.c). */
#ifndef DECOMPOSITION_SESSION_PARTS_H
#define DECOMPOSITION_SESSION_PARTS_H

#include "decomposition/block.h"
#include "decomposition/session_ledger.h"
#include "decomposition/session_shop.h"
#include "decomposition/world_comm.h"

struct staff { /* what rank 0 knows of a worker */
    struct session_worker shown;
    bool scene_failed; /* has been reported */
    bool news;         /* to be delivered: */
    enum session_news what;
    enum status status;
    char text[STATUS_TEXT_BYTES];
    struct shop_tally dropped; /* as last heard */
    double busy_s;             /* of what was delivered */
    uint64_t late;             /* results that this side dropped */
};

struct room { /* for a result of rank 0's own */
    struct block block;
    bool taken;
};

struct session {
    struct world *world;
    struct session_options options;
    struct bell bell;
    struct shop *shop; /* NULL: this rank does not compute */
    /* Rank 0: */
    int workers;
    struct staff *staff; /* [workers] */
    struct ledger *ledger;
    struct scene *scene; /* the newest; NULL at first */
    uint64_t turn;       /* rises with every scene and cancel: what carries an older one is late */
    struct room *room;   /* [rooms] */
    int rooms;
    struct room *borrowed; /* by the caller of session_take, until the next call */
};

/* Notes news of a worker: that its scene failed, or that it is dead. With status_text(). */
void staff_report(struct staff *staff, enum session_news what, enum status status);

/* --- rank 0's own worker, which is number 0 if it has a shop ------------------------------------
 */

enum status own_open(struct session *session);
void own_close(struct session *session);
void own_scene(struct session *session);
void own_cancel(struct session *session);
enum status own_give(struct session *session, const struct session_task *task);
bool own_take(struct session *session, struct session_result *result);
void own_release(struct session *session); /* what was taken last */
void own_drain(struct session *session);   /* of what has all become useless */

#endif
