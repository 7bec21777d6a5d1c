/* Rank 0's side of a pool, as a picture and a viewer share it. Private to decomposition/pool/.
 *
 * pool.c has what both need: workers, messages, news, waiting, the end. What they do in their own
 * way are the verbs of a client: pool_picture.c, whose tasks are tiles that all ranks know, and
 * pool_viewer.c, whose tasks come with a context and are cancelled. The README says why. */
#ifndef DECOMPOSITION_POOL_POOL_CLIENT_H
#define DECOMPOSITION_POOL_POOL_CLIENT_H

#include "decomposition/message/message.h"
#include "decomposition/pool/pool.h"
#include "decomposition/pool/server.h"
#include "decomposition/pool/worker.h"
#include "decomposition/schedule/task_table.h"
#include "decomposition/world/inbox.h"
#include "decomposition/world/world_comm.h"

enum { POOL_MOVING_NAP_US = 20 }; /* large messages go on only when MPI is called, piece by piece */

struct pool_member { /* what rank 0 knows of a worker */
    struct pool_worker shown;
    const struct transport_kind *transport;
    struct worker_tally dropped; /* as last heard */
    double busy_s;               /* of what has arrived */
    uint64_t late;               /* results of older contexts, cancelled or second ones */
    /* Of a viewer: */
    bool context_failed; /* has been reported */
    uint32_t turn;       /* of the newest instruction that concerns it */
    uint32_t instructed; /* of the last one that was sent; it waits for GOT: */
    bool waits;
    struct context *sending; /* held until MPI lets go of its bytes */
    MPI_Request request;     /* MPI_REQUEST_NULL: not sending */
    bool owed;               /* an answer, when what it had was forgotten last */
};

struct pool_peer { /* what rank 0 knows of any rank */
    int worker;    /* -1: it does not compute */
    bool gone;     /* it has said BYE, or cannot be spoken to */
    /* Of a picture: */
    bool silent; /* it does not answer, and the table knows */
    bool kept;   /* it has said what it keeps */
    struct pool_rank shown;
};

struct pool_pending { /* what the caller has not taken yet */
    struct pool_pending *next;
    struct pool_result result;
    char *text;        /* NULL: none */
    bool arrived, own; /* what the bytes are borrowed from: */
    struct arrival arrival;
    struct field out;
};

struct pool_client;

struct pool { /* the first member of a client's own struct */
    const struct pool_client *client;
    struct world *world;
    struct pool_options options;
    const struct pool_tiles *tiles; /* a viewer has none of them */
    struct event event;
    struct segment *words; /* to wake the ranks of this machine; NULL: none is woken */
    struct worker *worker; /* NULL: this rank does not compute */
    struct server *server; /* ranks > 0 */
    /* Rank 0: */
    int workers;
    struct pool_member *member; /* [workers] */
    struct pool_peer *peer;     /* [world size] */
    struct task_table *table;
    struct inbox *inbox; /* NULL in a world of one */
    struct pool_pending *first, **last, *taken;
    bool own_waits; /* a result of rank 0's own is among them */
    struct patience patience;
    bool ended;                   /* nothing is given any more */
    double end_s;                 /* when something last happened; on the clock */
    bool broken;                  /* MPI itself failed: nobody can be waited for */
    enum status verdict;          /* the first failure, */
    char text[STATUS_TEXT_BYTES]; /* with this sentence */
};

struct pool_client {
    size_t bytes; /* of its own struct */

    /* All ranks: every rank knows of all; `status` is rank 0's so far. May be collective, and then
     * all return the same. */
    enum status (*meet)(struct pool *pool, enum status status);
    /* All ranks: waits until nothing is used any more. *used: that did not come, and nothing may be
     * freed. NULL: the caller has waited. */
    enum status (*end)(struct pool *pool, bool *used);

    /* --- rank 0 --- */
    enum status (*open)(struct pool *pool); /* what results arrive in; NULL: nothing */
    void (*close)(struct pool *pool);       /* frees what is its own; on any rank */

    worker_arrived *own_arrived;          /* a result of rank 0's own worker; context: the pool */
    void (*own_state)(struct pool *pool); /* looks at that worker's state; NULL: does not care */
    void (*heard)(struct pool *pool, int rank); /* before any message is taken; NULL: nothing */
    /* A message of any rank but FAIL and BYE; true: the arrival is kept. */
    bool (*take)(struct pool *pool, const struct arrival *arrival);
    void (*task_failed)(struct pool *pool, int worker, const struct message *message,
                        int threads_left, enum status status);
    void (*rank_failed)(struct pool *pool, const struct arrival *arrival); /* FAIL */
    void (*rank_left)(struct pool *pool, const struct arrival *arrival);   /* BYE */
    /* This rank does not do what it is to do, or cannot be spoken to. */
    void (*rank_fault)(struct pool *pool, int rank, enum status status);

    bool takes_polling;              /* pool_take polls; else pool_wait has just done so */
    bool (*move)(struct pool *pool); /* large messages; true: something has moved */
    void (*idle)(struct pool *pool); /* nothing has: looks after the ranks */
    int64_t (*nap_us)(
        struct pool *pool); /* until the next look; < 0: nobody owes rank 0 anything */
};

extern const struct pool_client pool_picture, pool_viewer;

/* --- what clients share ------------------------------------------------------------------------
 */

/* NULL: no memory, and the pool has failed. */
struct pool_pending *pool_news_add(struct pool *pool, enum pool_news what, int worker,
                                   enum status status, const char *text);
void pool_news_drop(struct pool *pool, struct pool_pending *news);

bool pool_is_remote(const struct pool_member *member); /* and alive */
bool pool_owes(const struct pool *pool, int worker);   /* an answer, which rank 0 has to look for */

struct message pool_header(const struct pool *pool, enum message_kind kind, uint32_t turn);
/* MPI cannot wake a process that sleeps: from now on the ranks of this machine sleep until they are
 * woken. Collective. */
enum status pool_words_open(struct pool *pool);
void pool_wake_rank(const struct pool *pool, int rank);
void pool_tell(struct pool *pool, enum message_kind kind); /* all ranks */

/* The table has noted it already. */
enum status pool_send_task(struct pool *pool, int worker, uint32_t number,
                           const struct pool_task *task, size_t bytes);

/* A worker says that a task is done: notes it in the table, and in its row. */
enum table_news pool_task_done(struct pool *pool, int worker, const struct message *message);
/* Tells the caller of it. */
struct pool_pending *pool_task_arrived(struct pool *pool, int worker, const struct message *message,
                                       const struct pool_task *task);

enum status pool_why(const struct arrival *arrival); /* a message of a failure tells */
void pool_count_threads(struct pool_worker *shown, const struct pool_note *note);
const struct pool_note *pool_note_of(const struct arrival *arrival); /* NULL: it carries none */

/* Takes what rank 0's own worker has done; true: something. */
bool pool_own_step(struct pool *pool);

/* Nothing is given any more, here or elsewhere. */
void pool_stop(struct pool *pool);

/* Is it time to judge the ranks anew? */
bool pool_looks(const struct pool *pool);

#endif
