/* Rank 0's side of a pool, as a picture and a viewer share it. Private to decomposition/pool/.
 *
 * pool.c has what both need: workers, messages, results, waiting, the end. What they do in their
 * own way are the verbs of a kind: pool_picture.c, whose tasks are tiles that all ranks know, and
 * pool_viewer.c, whose tasks come with a context and are cancelled. The README says why. */
#ifndef DECOMPOSITION_POOL_POOL_KIND_H
#define DECOMPOSITION_POOL_POOL_KIND_H

#include "decomposition/message/message.h"
#include "decomposition/pool/pool.h"
#include "decomposition/pool/server.h"
#include "decomposition/pool/worker.h"
#include "decomposition/schedule/task_table.h"
#include "decomposition/world/inbox.h"
#include "decomposition/world/world_comm.h"

struct pool_member { /* a worker as rank 0 knows it */
    struct pool_worker shown;
    const struct transport_kind *transport;
    struct worker_tally dropped; /* as last heard */
    double busy_s;               /* time of all results that have arrived */
    uint64_t late;               /* results of older contexts, cancelled or second ones */
    /* Viewer: */
    bool context_failed;     /* has been reported */
    uint32_t sequence;       /* number of the newest instruction that concerns it */
    uint32_t instructed;     /* number of the last instruction that was sent */
    bool waits;              /* GOT has not answered that instruction yet */
    struct context *sending; /* held until MPI lets go of its bytes */
    MPI_Request request;     /* MPI_REQUEST_NULL: not sending */
    bool owed;               /* it owed an answer when its tasks were last forgotten */
};

struct pool_peer { /* any rank as rank 0 knows it */
    int worker;    /* -1: it does not compute */
    bool gone;     /* it has said BYE, or no message can be sent to it */
    /* Picture: */
    bool silent; /* it does not answer, and the table knows */
    bool kept;   /* it has said what it keeps */
    struct pool_rank shown;
};

struct pool_pending { /* a result that the caller has not taken yet */
    struct pool_pending *next;
    struct pool_result result;
    char *text;     /* NULL: none */
    bool arrived;   /* its bytes are borrowed from `arrival` */
    bool own;       /* its bytes are borrowed from `out`, of rank 0's own worker */
    void *unpacked; /* its bytes, if they came packed; owned; NULL: they did not */
    struct arrival arrival;
    struct field out;
};

struct pool_kind;

struct pool { /* the first member of a kind's own struct */
    const struct pool_kind *kind;
    struct world *world;
    struct pool_options options;
    const struct pool_tiles *tiles; /* a viewer has none of them */
    struct event event;
    struct segment *words;      /* futex words of the ranks of this machine; NULL: none is woken */
    struct worker *worker;      /* NULL: this rank does not compute */
    struct pool_server *server; /* ranks > 0 */
    /* Rank 0: */
    int workers;
    struct pool_member *member; /* [workers] */
    struct pool_peer *peer;     /* [world size] */
    struct task_table *table;
    struct inbox *inbox; /* NULL in a world of one */
    struct pool_pending *first, **last, *taken;
    bool own_waits; /* a result of rank 0's own worker is among the pending */
    struct patience patience;
    bool ended;                   /* nothing is given any more */
    double end_s;                 /* when something last happened; on the clock */
    bool broken;                  /* MPI itself failed: no rank can be waited for */
    enum status verdict;          /* the first failure */
    char text[STATUS_TEXT_BYTES]; /* sentence of the first failure */
};

struct pool_kind {
    size_t bytes; /* size of its own struct */

    /* All ranks: every rank knows of all; `status` is rank 0's so far. May be collective, and then
     * all return the same. */
    enum status (*meet)(struct pool *pool, enum status status);
    /* All ranks: waits until nothing is used any more. *used: that did not come, and nothing may be
     * freed. NULL: the caller has waited. */
    enum status (*end)(struct pool *pool, bool *used);
    void (*close)(struct pool *pool); /* all ranks: frees its own memory */

    /* --- rank 0 --- */
    enum status (*open)(struct pool *pool); /* opens its own memory; NULL: it has none */
    worker_arrived *own_arrived;            /* a result of rank 0's own worker; context: the pool */
    void (*own_state)(struct pool *pool);   /* checks the state of that worker; NULL: not needed */
    void (*heard)(struct pool *pool, int rank); /* called before any message; NULL: not needed */
    /* A message of any rank but FAIL and BYE; true: the arrival is kept. */
    bool (*take)(struct pool *pool, const struct arrival *arrival);
    void (*task_failed)(struct pool *pool, int worker, const struct message *message,
                        int threads_left, enum status status);
    void (*rank_failed)(struct pool *pool, const struct arrival *arrival); /* FAIL */
    void (*rank_left)(struct pool *pool, const struct arrival *arrival);   /* BYE */
    /* Called for a rank that breaks the protocol, or that no message can be sent to. */
    void (*rank_fault)(struct pool *pool, int rank, enum status status);

    bool takes_polling;                     /* pool_take polls; else pool_wait has just done so */
    bool (*move)(struct pool *pool);        /* large messages; true: something has moved */
    bool (*move_joined)(struct pool *pool); /* jobs that have joined; NULL: none may */
    void (*idle)(struct pool *pool);        /* judges the ranks when nothing has moved */
    int64_t (*nap_us)(struct pool *pool);   /* time to the next poll; < 0: no rank owes anything */
};

extern const struct pool_kind pool_picture, pool_viewer;

/* --- jobs that have joined a picture: pool_joined.c ------------------------------------------- */

struct joined_tiles; /* the account of them; NULL: none may join */

/* The pool has its table. */
enum status joined_tiles_open(struct joined_tiles **tiles, struct pool *pool);
void joined_tiles_close(struct joined_tiles *tiles); /* accepts NULL */

/* Takes what they have done, and gives tiles to those that are ready; true: anything happened.
 * Accepts NULL, as the others do. */
bool joined_tiles_move(struct joined_tiles *tiles);

void joined_tiles_end(struct joined_tiles *tiles); /* nothing is wanted any more */
int joined_tiles_workers(const struct joined_tiles *tiles);
const struct pool_worker *joined_tiles_worker(const struct joined_tiles *tiles, int worker);

/* The picture's own, which they call. A tile is done for the first time; tell: it is in the frame,
 * by this worker. */
void picture_tile_count(struct pool *pool, const struct message *message);
void picture_tile_tell(struct pool *pool, int worker, const struct message *message);
void picture_tiles_give(struct pool *pool); /* to workers of ranks */
/* Fails the picture if nobody is left who could compute what is undone, for the present status. */
enum status picture_hope(const struct pool *pool);

/* --- shared by both kinds --------------------------------------------------------------------- */

/* NULL: no memory, and the pool has failed. */
struct pool_pending *pool_result_add(struct pool *pool, enum pool_result_kind kind, int worker,
                                     enum status status, const char *text);
void pool_result_drop(struct pool *pool, struct pool_pending *pending);

bool pool_is_remote(const struct pool_member *member); /* alive, and not rank 0's own */
bool pool_owes(const struct pool *pool, int worker);   /* has rank 0 to poll for its answer? */

struct message pool_header(const struct pool *pool, enum message_kind kind, uint32_t sequence);
/* MPI cannot wake a process that sleeps: from now on the ranks of this machine sleep until they are
 * woken. Collective. */
enum status pool_words_open(struct pool *pool);
void pool_wake_rank(const struct pool *pool, int rank);
void pool_send_all(struct pool *pool, enum message_kind kind); /* sends it to all ranks */

/* Sends a task that the table has noted already. */
enum status pool_send_task(struct pool *pool, int worker, uint32_t number,
                           const struct pool_task *task, size_t bytes);

/* Notes in the table, and in the worker's row, that it has done a task. */
enum table_outcome pool_task_done(struct pool *pool, int worker, const struct message *message);
/* Adds the result of a task for the caller; NULL as pool_result_add. */
struct pool_pending *pool_task_arrived(struct pool *pool, int worker, const struct message *message,
                                       const struct pool_task *task);

enum status pool_why(const struct arrival *arrival); /* the failure that a message reports */
void pool_count_threads(struct pool_worker *shown, const struct pool_note *note);
const struct pool_note *pool_note_of(const struct arrival *arrival); /* NULL: it carries none */

/* Takes all that rank 0's own worker has done; true: it had done anything. */
bool pool_own_step(struct pool *pool);

/* Stops giving tasks, here and elsewhere. */
void pool_stop(struct pool *pool);

/* Is it time to judge the ranks anew? */
bool pool_judge_due(const struct pool *pool);

#endif
