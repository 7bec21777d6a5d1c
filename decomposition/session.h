/* How do ranks compute whatever rank 0 asks for next, for as long as a viewer is open?
 *
 * A scene is what tasks need to be known before (a view, a reference orbit); a task is a small
 * piece of it. Rank 0 names the newest scene, gives its tasks one by one to workers (ranks with
 * lanes, itself among them) and takes the results. Nothing is collective between open and close.
 *
 * Invariants: a newer scene makes everything older useless at once, on every rank: tasks that have
 * not begun vanish, running ones are told to give up, what arrives nevertheless is dropped and
 * counted. A worker gets tasks only after it has said that it is ready for the scene, and has at
 * most its credits of them. No call of rank 0 but open and close waits for another rank. A worker
 * that has not taken a scene yet gets no other, and then only the newest. A task given to two
 * workers is delivered once.
 *
 * Faults: a lane whose compute says STATUS_DEVICE_LOST ends; when the last of a worker is gone, or
 * its messages make no sense, it is not alive any more, and what it had comes back as failed
 * results, to be given to another. So it is with one on rank 0's machine whose process ends, of
 * which MPI says nothing; session_close fails then. A silent one is seen by heard_s; whether its
 * tasks are given to another is the caller's to say.
 *
 * Nothing spins: rank 0 blocks while no other rank owes it anything. The ranks on its machine sleep
 * too until it wakes them, if they can share memory; the others nap for at most 0.9 ms. All calls
 * but session_wake are made on the thread that opened the world. */
#ifndef DECOMPOSITION_SESSION_H
#define DECOMPOSITION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decomposition/world.h"
#include "kernels/status.h"

struct job_memory; /* job.h */
struct session;

enum { SESSION_TASK_WORDS = 64 };

struct session_task {    /* plain bytes: all ranks run the same program */
    uint64_t epoch;      /* of the scene it belongs to: the present one */
    uint64_t id;         /* the caller's; the same id in the same scene is the same task */
    size_t result_bytes; /* >= 0 */
    unsigned char words[SESSION_TASK_WORDS]; /* the caller's description of it */
};

struct session_calls {
    void *context; /* handed to the calls */
    /* Makes this rank ready for the tasks of a scene; `bytes` [length] aligned to 64, borrowed.
     * Never while a compute of this rank runs; on a lane's thread. Should return soon after
     * *give_up becomes non-zero, with any failure. May be NULL. */
    enum status (*scene)(void *context, uint64_t epoch, const void *bytes, size_t length);
    /* One task into result [task->result_bytes], aligned to 64, undefined contents; adds to
     * *iterations. Called by `lanes` threads at once, `lane` = 0 ... lanes - 1 says by which. May
     * open OpenMP teams; may not call MPI. Should look at *give_up often, and return any failure
     * then. STATUS_DEVICE_LOST: this lane is gone, see above. Any other failure becomes that of
     * this task's result. */
    enum status (*compute)(void *context, int lane, const struct session_task *task, void *result,
                           uint64_t *iterations);
    /* Set to 1 by the session when what runs has become useless; back to 0 when nothing runs any
     * more, before the next begins. Written and best read with __atomic builtins, relaxed. May be
     * NULL. */
    volatile int *give_up;
};

struct session_options { /* each rank's own */
    struct session_calls calls;
    int lanes;   /* threads that compute; 0: this rank does not */
    int credits; /* tasks this rank is to have at a time: 2 for each device; >= lanes */
    const struct job_memory *memory; /* for results; may be NULL */
    double patience_s; /* how long session_close waits for what does not give up; 0: 5 s */
};

/* Collective; all ranks return the same. Fails with STATUS_NO_DEVICE when no rank has lanes.
 * `calls` and `memory` must live until session_close. */
enum status session_open(struct session **session, struct world *world,
                         const struct session_options *options);

/* Ranks > 0: computes until rank 0 closes the session. Fails when rank 0 could not be spoken to,
 * or when a callback of this rank did not give up. */
enum status session_serve(struct session *session);

/* --- rank 0 ----------------------------------------------------------------------------------- */

struct session_worker {
    int rank;
    char host[64];
    int lanes;       /* alive */
    int credits;     /* tasks it may have at a time */
    int outstanding; /* tasks it has */
    bool alive;      /* false: for ever */
    bool ready;      /* for the present scene */
    uint64_t tiles;  /* results delivered */
    uint64_t late;   /* finished, but of older scenes, cancelled, or somebody else was sooner */
    uint64_t iterations;
    double busy_s;  /* inside compute, all lanes together, also for what was dropped */
    double heard_s; /* since it was last heard of, by session_take or session_wait; 0 while it owes
                     * nothing */
    uint64_t bytes; /* of results, sent here */
    const char *road; /* "local", "message" */
};

/* Workers in the order of their ranks: rank 0 first, if it has lanes. */
int session_workers(const struct session *session);

/* Borrowed until the next call of a function of the session. */
const struct session_worker *session_worker(const struct session *session, int worker);

/* From now on only the scene `epoch` counts, which must be greater than any before. Copies. Does
 * not wait. Fails with STATUS_OUT_OF_MEMORY, leaving things as they were. */
enum status session_scene(struct session *session, uint64_t epoch, const void *bytes,
                          size_t length);

/* Makes every task that has not come home useless; the scene stays. */
void session_cancel(struct session *session);

/* Is this worker ready for the present scene, alive, and short of its credits? */
bool session_may_give(const struct session *session, int worker);

/* Gives it a task; only if it may be given one. Fails with STATUS_OUT_OF_MEMORY, STATUS_INTERNAL
 * for a task of another epoch; or when that rank cannot be reached, which is dead then. */
enum status session_give(struct session *session, int worker, const struct session_task *task);

enum session_news {
    SESSION_TASK,  /* a task is done; or failed, and is the caller's to give again */
    SESSION_SCENE, /* this worker failed to get ready, and gets no task of this scene */
    SESSION_WORKER /* this worker is not alive any more; its tasks follow, failed */
};

struct session_result {
    enum session_news news;
    int worker;
    enum status status;
    const char *text;         /* the sentence of a failure, else "" */
    struct session_task task; /* SESSION_TASK */
    const void *bytes;        /* [task.result_bytes], aligned to 64; NULL on failure */
    uint64_t iterations;
    double busy_s; /* wall seconds inside compute */
};

/* The next piece of news, if there is any: only of the present scene, and of tasks that were not
 * cancelled. bytes and text are borrowed until the next call of session_take or session_close. */
bool session_take(struct session *session, struct session_result *result);

/* Sleeps until there may be news (a result, a worker that is ready), session_wake, or the time is
 * over; < 0: no limit. */
void session_wait(struct session *session, int64_t microseconds);

/* Ends a session_wait, the next one if there is none now. Any thread. */
void session_wake(struct session *session);

/* Rank 0: ends the serving of all ranks and waits for them, but not for ever. Ranks > 0: after
 * session_serve. Accepts NULL. Fails, naming rank and host, when something did not give up within
 * patience_s: then it may still be running, nothing was freed, the contexts of the calls must stay,
 * and the program should end by world_abort; so it should, since MPI would wait for it, when the
 * process of a rank has ended. */
enum status session_close(struct session *session);

#endif
