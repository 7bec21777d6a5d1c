/* What do the sides of a session have in common? Private to session*.c.
 *
 * Every rank with lanes has a shop (session_shop.h). Rank 0 keeps a row for every worker and the
 * ledger of their tasks (session_ledger.h). Its own shop it speaks to directly (session_own.c), the
 * others by messages (session_remote.c, and session_serve.c on the other side):
 *
 *   SCENE and its bytes, or STOP  ->        everything older is useless
 *                                 <-  GOT   the bytes are here: another order may come
 *                                 <-  READY
 *   TASK                          ->
 *                                 <-  DONE
 *
 * A worker that has not said GOT gets no other order, and then only the newest; one that has not
 * said READY gets no task. So what waits for a worker that does not listen is one order and as many
 * tasks as it has credits, however often the scene changes. A worker at work says HEART. */
#ifndef DECOMPOSITION_SESSION_PARTS_H
#define DECOMPOSITION_SESSION_PARTS_H

#include "decomposition/block.h"
#include "decomposition/inbox.h"
#include "decomposition/presence.h"
#include "decomposition/segment.h"
#include "decomposition/session_ledger.h"
#include "decomposition/session_shop.h"
#include "decomposition/world_comm.h"

enum {
    IDLE_NAP_US = 900,  /* what an order may have to wait where no rope reaches */
    MOVING_NAP_US = 20, /* large messages go on only when MPI is called, piece by piece */
};

struct session_note { /* payload of LOST, BYE, and of READY and DONE that tell of a failure */
    int32_t lanes_left;
    char text[STATUS_TEXT_BYTES];
};

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
    /* Of other ranks: */
    uint64_t turn;    /* of the newest order that concerns it */
    uint64_t ordered; /* of the last one that was sent; it waits for GOT: */
    bool waits;
    struct scene *sending; /* held until MPI lets go of its bytes */
    MPI_Request request;   /* MPI_REQUEST_NULL: not sending */
    double heard_s;        /* on the clock */
    bool owed;             /* an answer, when what it had was forgotten last */
};

struct room { /* for a result of rank 0's own */
    struct block block;
    bool taken;
};

struct session {
    struct world *world;
    struct session_options options;
    struct bell bell;
    struct segment *ropes; /* NULL in a world of one */
    struct shop *shop;     /* NULL: this rank does not compute */
    /* Rank 0: */
    int workers;
    struct staff *staff; /* [workers] */
    struct ledger *ledger;
    struct scene *scene; /* the newest; NULL at first */
    uint64_t turn;       /* rises with every scene and cancel: what carries an older one is late */
    struct room *room;   /* [rooms] */
    int rooms;
    struct room *borrowed; /* by the caller of session_take, until the next call */
    struct server *server; /* ranks > 0; NULL on rank 0 */
    struct inbox *inbox;   /* NULL in a world of one */
    bool arrived, lends;   /* a result that is wanted; one that the caller has borrowed: */
    struct arrival arrival, lent;
    struct session_task task; /* of `arrival` */
    struct patience patience;
    enum status verdict; /* of the first rank that did not end well, with this sentence */
    char text[STATUS_TEXT_BYTES];
    int present;      /* ranks that have not said BYE */
    bool *gone;       /* [world size] */
    double watched_s; /* on the clock: when processes were looked at last */
};

/* Notes news of a worker: that its scene failed, or that it is dead. With status_text(). */
void staff_report(struct staff *staff, enum session_news what, enum status status);

/* Fails: something of this rank, or another rank, has not ended although it was told to. */
enum status session_stuck(const struct session *session);

/* --- a worker's side, on ranks > 0; session_serve is its course ------------------------------- */

enum status serve_open(struct session *session);
void serve_close(struct session *session); /* accepts one that is half open, or has none */

/* --- how rank 0 wakes the ranks of its machine ------------------------------------------------ */

/* Collective; the same status on every rank. This rank's bell hangs on its rope, if it has one. */
enum status rope_open(struct session *session);
void rope_close(struct session *session); /* accepts one that was never opened */

/* Can rank 0 wake that rank? Every rank knows it of all. */
bool rope_reaches(const struct session *session, int rank);

/* Rank 0, after it has sent that rank anything; nothing where no rope reaches. */
void rope_pull(const struct session *session, int rank);

/* --- rank 0's own worker, which is number 0 if it has a shop ---------------------------------- */

enum status own_open(struct session *session);
void own_close(struct session *session);
void own_scene(struct session *session);
void own_cancel(struct session *session);
enum status own_give(struct session *session, const struct session_task *task);
bool own_take(struct session *session, struct session_result *result);
void own_release(struct session *session); /* what was taken last */
void own_drain(struct session *session);   /* of what has all become useless */

/* --- the workers on other ranks, seen from rank 0; all return at once, in a world of one too ----
 */

enum status remote_open(struct session *session);
void remote_close(struct session *session);

/* Sends it the newest order, or notes that this is still to be done. */
void remote_order(struct session *session, int worker);
enum status remote_give(struct session *session, int worker, const struct session_task *task);

/* Takes messages, up to the first result that is wanted; sends what could not be sent before. Did
 * anything happen? */
bool remote_step(struct session *session);
bool remote_take(struct session *session, struct session_result *result);
void remote_release(struct session *session); /* what was taken last */
void remote_forget(struct session *session);  /* what has arrived */

/* Does this worker owe an answer? Then its rank 0 has to look for it. */
bool remote_owes(const struct session *session, int worker);

/* How long rank 0 may sleep before it looks again, microseconds; < 0: nobody owes it anything. */
int64_t remote_nap_us(struct session *session);

/* Tells all ranks to end. */
void remote_end(struct session *session);
bool remote_all_gone(const struct session *session);

#endif
