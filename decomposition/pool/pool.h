/* The workers of all ranks, which compute what rank 0 gives them.
 *
 * A worker is a rank with threads that compute, rank 0 among them or not. Rank 0 gives tasks and
 * takes results; the thread of a rank that calls MPI does not compute, so that a running compute
 * can be told to give up, and results travel while the next are computed. A pool is of one of two
 * kinds:
 *
 * - a picture (`tiles`, job.h): all ranks know the tiles beforehand, the task table gives them out
 *   by a schedule, and a transport for each rank brings their pixels into the frame;
 * - a viewer: a context holds all that is common to its tasks, and only the newest counts; the
 *   caller says who gets which task, and every result is a message.
 *
 * Invariants: a newer context, or a cancel, makes everything older useless at once, on every rank:
 * tasks that have not begun vanish, running ones are told to give up, what arrives nevertheless is
 * dropped and counted. A worker gets tasks only after it has said that it is ready for the context,
 * and never has more than its credits of them. No call on rank 0 but open and close waits for
 * another rank. A worker that has not taken a context yet gets no other, and then only the newest.
 * A task given to two workers is delivered once.
 *
 * Lost workers: a thread whose compute says STATUS_DEVICE_LOST ends, and its task goes to another.
 * A worker whose last thread is gone, whose messages make no sense, or whose process has ended
 * (presence.h) is not alive any more. Of tiles, what it had is open again; in a viewer it comes
 * back as failed results. A worker that does not answer for some seconds gets nothing more until it
 * answers again; in a viewer heard_s tells, and the caller decides.
 *
 * Messages, each with a sum of its own (message.h):
 *
 *     CONTEXT and its bytes, or CANCEL  ->       everything older is useless
 *                                      <-  GOT   the bytes are here: another instruction may come
 *                                      <-  READY
 *     TASK                              ->
 *                                      <-  TILE, KEPT, IN_PLACE or DONE
 *                                      <-  FAIL  the worker can do no more
 *     CANCEL, after KEPT                ->
 *                                      <-  GOT   it keeps so much
 *     GATHER                            ->       join in the collective (gather.h)
 *     END                               ->
 *                                      <-  BYE
 *
 * Nothing polls but where spin_us says so: rank 0 sleeps while no other rank owes it anything, the
 * ranks on its machine until it wakes them; others nap for at most 0.9 ms. All calls but pool_wake
 * are made on the thread that opened the world. Collective: the opening; in a viewer also its
 * shared memory for waking. */
#ifndef DECOMPOSITION_POOL_POOL_H
#define DECOMPOSITION_POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decomposition/schedule/schedule.h"
#include "decomposition/schedule/tile.h"
#include "decomposition/transport/transport.h"
#include "decomposition/world/world.h"
#include "kernels/field.h"
#include "kernels/status.h"

struct executor;
struct job_memory;
struct join;
struct pool;

enum { POOL_TASK_WORDS = 64 };

struct pool_task {       /* plain bytes: all ranks run the same program */
    uint64_t epoch;      /* epoch of the present context, to which it belongs */
    uint64_t id;         /* the caller's; the same id in the same context is the same task. Picture:
                          * index of the tile */
    size_t result_bytes; /* >= 0 */
    unsigned char words[POOL_TASK_WORDS]; /* the caller's description of it */
};

struct pool_calls {
    void *context; /* handed to the calls */
    /* Makes this rank ready for the tasks of a context; `bytes` [length] aligned to 64, borrowed.
     * Never while a compute of this rank runs; on a thread of the executor. Should return soon
     * after *give_up becomes non-zero, with any failure. May be NULL. */
    enum status (*prepare)(void *context, uint64_t epoch, const void *bytes, size_t length);
    /* Computes one task into `out`: a tile's field (see transport.h), or out->base
     * [task->result_bytes], aligned to 64; undefined contents. Adds to *iterations. Called by
     * `threads` threads at once, `thread` = 0 ... threads - 1 says on which. May open OpenMP teams;
     * may not call MPI. Of a pixel only the final value is ever written. Should look at *give_up
     * often, and return any failure then. STATUS_DEVICE_LOST: this thread is gone, see above. Any
     * other failure becomes that of this task; one of a tile ends the picture, unless every tile
     * has been computed by then. */
    enum status (*compute)(void *context, int thread, const struct pool_task *task,
                           struct field *out, uint64_t *iterations);
    /* Set to 1 by the pool when what runs has become useless; back to 0 when nothing runs any more,
     * before the next begins. Written and best read with __atomic builtins, relaxed. May be NULL.
     */
    volatile int *give_up;
};

/* Jobs that have joined this run, as workers of tiles; rank 0. */
struct pool_joined {
    struct join *join;
    void *context; /* handed to the calls */
    /* Tells them by join_context what all tiles have in common; called before the first is given,
     * and not where no job has joined. */
    enum status (*begin)(void *context);
    /* The task of a viewer's pool whose result is the packed field of this tile. */
    struct pool_task (*task)(void *context, uint32_t tile);
    /* Makes what another job has sent a field that this one could have computed. */
    void (*check)(void *context, struct field *field);
    uint64_t pixel_most; /* iterations of a pixel; what a job claims beyond does not count */
};

struct pool_tiles { /* tiles of a picture, and the way they travel */
    /* The same on every rank: */
    uint64_t epoch; /* greater than that of any pool before it in this world */
    const struct tile *tile;
    uint32_t count;
    unsigned planes;
    int count_bytes;
    const struct schedule_kind *schedule;
    const struct transport_kind *const *transports; /* [world size]; rank 0's is `local` */
    /* Each rank's own: */
    struct field frame;       /* as this rank reaches it; zeroed where its transport does not */
    const float *costs;       /* rank 0: iterations of each tile, falling; NULL: not known */
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED. May be NULL */
    const struct pool_joined *joined; /* NULL: none may join */
};

struct pool_options { /* each rank's own */
    struct pool_calls calls;
    int threads;  /* computing threads; 0: this rank does not compute */
    int credits;  /* tasks this rank is to have at a time: 2 for each device; >= threads */
    double speed; /* speed of all its devices together, iterations per second; 0 = not known */
    const struct job_memory *memory; /* for results; may be NULL */
    struct executor *executor;       /* kept from pool to pool; NULL: this pool makes its own */
    unsigned spin_us;                /* see job.h */
    double patience_s;               /* viewer: time that pool_close waits for tasks that do not
                                      * give up; 0: 5 s */
    const struct pool_tiles *tiles;  /* NULL: a viewer */
};

/* Collective; all ranks return the same. Fails with STATUS_NO_DEVICE when no rank has threads. What
 * `options` points to must live until pool_close. */
enum status pool_open(struct pool **pool, struct world *world, const struct pool_options *options);

/* Ranks > 0: computes until rank 0 ends the pool. Fails when rank 0 could not be spoken to, or when
 * a callback of a viewer's rank did not give up. */
enum status pool_serve(struct pool *pool);

/* --- rank 0 ----------------------------------------------------------------------------------- */

struct pool_worker {
    int rank;
    char host[64];
    int threads; /* threads alive */
    int threads_lost;
    int credits;           /* tasks it may have at a time */
    int outstanding;       /* tasks it has */
    bool alive;            /* false: for ever */
    bool ready;            /* for the present context */
    uint64_t tiles;        /* results delivered */
    uint64_t twice;        /* results that another worker had sooner */
    uint64_t late;         /* `twice`, and results of older contexts or cancelled tasks */
    uint64_t iterations;   /* cost of `tiles` and `twice` */
    double busy_s;         /* inside compute, all threads together, dropped results included */
    double transfer_s;     /* viewer: its results, from the first sign of them to their check */
    double heard_s;        /* since it was last heard of, by pool_take or pool_wait; 0 while it owes
                            * nothing */
    uint64_t bytes;        /* size of the results, sent here */
    const char *transport; /* its name */
};

/* Workers in the order of their ranks: rank 0 first, if it computes. */
int pool_workers(const struct pool *pool);

/* Borrowed until the next call of a function of the pool. */
const struct pool_worker *pool_worker(const struct pool *pool, int worker);

enum pool_result_kind {
    POOL_TASK,    /* a task is done (picture: its tile is in the frame), or failed, and is the
                   * caller's to give again */
    POOL_CONTEXT, /* this worker failed to get ready, and gets no task of this context */
    POOL_WORKER,  /* this worker is not alive any more; its tasks follow, failed */
    POOL_SILENT,  /* picture: `text` says which rank does not answer, or does again */
    POOL_JOINED,  /* `text` says which job has joined (join.h) */
};

struct pool_result {
    enum pool_result_kind kind;
    int worker;
    enum status status;
    const char *text;      /* sentence of a failure; else "" */
    struct pool_task task; /* POOL_TASK */
    const void *bytes;     /* [task.result_bytes], aligned to 64; NULL on failure and for tiles */
    uint64_t iterations;
    double busy_s; /* wall seconds inside compute */
};

/* The next result, if there is any: only of the present context, and of tasks that were not
 * cancelled. bytes and text are borrowed until the next call of pool_take or pool_close. */
bool pool_take(struct pool *pool, struct pool_result *result);

/* Sleeps until there may be a result, a worker is ready, pool_wake is called, or the time is over;
 * < 0: no limit. */
void pool_wait(struct pool *pool, int64_t microseconds);

/* Ends a pool_wait, the next one if there is none now. Any thread. */
void pool_wake(struct pool *pool);

/* --- viewer, rank 0 --------------------------------------------------------------------------- */

/* From now on only the context `epoch` counts, which must be greater than any before. Copies. Does
 * not wait. Fails with STATUS_OUT_OF_MEMORY, leaving things as they were. */
enum status pool_context(struct pool *pool, uint64_t epoch, const void *bytes, size_t length);

/* Makes every task that has not arrived useless; the context stays. */
void pool_cancel(struct pool *pool);

/* Is this worker ready for the present context, alive, and short of its credits? */
bool pool_may_give(const struct pool *pool, int worker);

/* Gives it a task; only if it may be given one. Fails with STATUS_OUT_OF_MEMORY, STATUS_INTERNAL
 * for a task of another context; or when that rank cannot be reached, which is dead then. */
enum status pool_give(struct pool *pool, int worker, const struct pool_task *task);

/* --- picture, rank 0 -------------------------------------------------------------------------- */

struct pool_rank { /* any rank, as rank 0 has seen it */
    int silences;  /* times that it did not answer for some seconds */
    bool missing;  /* it did not answer when the pool ended */
};
const struct pool_rank *pool_rank(const struct pool *pool, int rank);

struct pool_done { /* tiles that are computed, if perhaps not in the frame yet */
    uint32_t tasks;
    uint64_t pixels, iterations;
    double costs; /* predicted cost; 0: not known */
};
struct pool_done pool_done(const struct pool *pool);

/* Workers of other jobs, in the places that were taken so far; one that has left is not alive. In
 * results they are numbered behind those of the ranks. */
int pool_joined_workers(const struct pool *pool);
const struct pool_worker *pool_joined_worker(const struct pool *pool, int worker);

/* The first failure, with its sentence; STATUS_OK: none. */
enum status pool_verdict(const struct pool *pool);

/* Notes a failure of the caller, with status_text(). */
void pool_fail(struct pool *pool, enum status status);

/* Tells all ranks that nothing is wanted any more: tiles are done, or the pool has failed. */
void pool_end(struct pool *pool);

/* After pool_end: does no rank compute any more, and is nothing under way? Ranks that do not answer
 * are given up at last: then the world is lost (world_lost), and they may still write into the
 * frame, final values only. */
bool pool_ended(struct pool *pool);

uint64_t pool_late_messages(const struct pool *pool); /* messages of older epochs */

/* ---------------------------------------------------------------------------------------------- */

/* Picture: frees the pool. Viewer, rank 0: ends the serving of all ranks and waits for them, but
 * not for ever. Ranks > 0: after pool_serve. Accepts NULL. Fails, naming rank and host, when
 * something did not give up within patience_s: then it may still be running, nothing was freed, the
 * contexts of the calls must stay, and the program should end by world_abort; so it should, since
 * MPI would wait for it, when the process of a rank has ended. */
enum status pool_close(struct pool *pool);

#endif
