/* A rank's own part of a pool: the tasks that it was given, the context they need, the threads that
 * compute them and the near end of their transport.
 *
 * A context is prepared by one of the threads, when no other computes, so that the thread that owns
 * the worker goes on meanwhile. A newer context, or a cancel, sets *give_up; when the last thread
 * has heard of it, it is cleared, and the next begins. All functions are the owner's and return at
 * once. Private to decomposition/. */
#ifndef DECOMPOSITION_POOL_WORKER_H
#define DECOMPOSITION_POOL_WORKER_H

#include "decomposition/message/message.h"
#include "decomposition/pool/pool.h"
#include "decomposition/thread/event.h"

/* The bytes of a context, held by whoever still needs them. One thread. */
struct context {
    int holders;
    uint32_t sequence; /* number of rank 0's instruction that brings it */
    uint64_t epoch;
    size_t length;
    uint64_t checksum;    /* sum of the bytes; set where they are sent */
    unsigned char *bytes; /* [length, in whole units of messages] */
};

/* Makes a context with one holder, the caller. */
enum status context_make(struct context **context, uint64_t epoch, size_t length);
struct context *context_hold(struct context *context);
void context_drop(struct context *context); /* accepts NULL */

enum worker_state {
    WORKER_EMPTY,     /* no context yet */
    WORKER_CLEARING,  /* useless work is giving up */
    WORKER_PREPARING, /* the context is being prepared */
    WORKER_READY,     /* takes tasks; of a picture: from the beginning */
    WORKER_FAILED,    /* the context could not be prepared */
    WORKER_GONE       /* no thread is alive */
};

struct worker;

struct worker_done {
    uint32_t number; /* as it was given */
    struct pool_task task;
    struct field out; /* to be sent or forgotten; unused after a failure */
    enum status status;
    const char *text; /* sentence of a failure; borrowed until the next call */
    uint64_t iterations;
    double busy_s;
};

/* Called for each result of rank 0's own worker. */
typedef enum status worker_arrived(void *context, const struct message *message,
                                   const struct field *out);

/* `event` is set by threads that have ended a task. `options` is borrowed. A worker that failed to
 * open is to be closed all the same. */
enum status worker_open(struct worker **worker, struct world *world,
                        const struct pool_options *options, struct event *event,
                        worker_arrived *arrived, void *context);

/* Waits for running tasks. Accepts NULL. */
void worker_close(struct worker *worker);

/* Sets its number among the workers: then it knows its tiles of a static schedule. */
void worker_enlist(struct worker *worker, uint32_t number, uint32_t workers);

/* Cancels, and prepares this one. */
void worker_context(struct worker *worker, struct context *context);

/* Makes all tasks useless; a context that is being prepared goes on. */
void worker_cancel(struct worker *worker);

/* Cancels everything and wants nothing any more. */
void worker_end(struct worker *worker);

/* Gives it a task, when it is ready (one that is gone ignores it). False: it has its credits
 * already. */
bool worker_give(struct worker *worker, uint32_t number, const struct pool_task *task);

/* Begins tasks; the next one that is done and still wanted. */
bool worker_take(struct worker *worker, struct worker_done *done);

/* Would worker_take find that something has ended? */
bool worker_has_ended(const struct worker *worker);

/* Sends a task that is done; fills in all of `message` but its epoch and sequence. */
enum status worker_send(struct worker *worker, struct message *message,
                        const struct worker_done *done);
void worker_forget(struct worker *worker, const struct field *out);

/* Lets MPI work. *left: chunks that have not left this rank. */
enum status worker_progress(struct worker *worker, uint64_t *left);
/* Tiles that its transport keeps to the end, see gather.h; NULL: none. */
const void *worker_share(const struct worker *worker, uint64_t *bytes);

enum worker_state worker_state(const struct worker *worker);
enum status worker_failure(const struct worker *worker); /* why FAILED or GONE, as status_text() */
int worker_threads(const struct worker *worker);         /* threads alive */
bool worker_runs(const struct worker *worker);           /* does anything run, useless or not? */
bool worker_full(const struct worker *worker); /* has it as many tasks in its threads as it may? */
uint64_t worker_bytes(const struct worker *worker); /* pixels that have left, as they travel */

struct worker_tally { /* work that was not wanted any more */
    uint64_t late;    /* tasks finished all the same */
    uint64_t iterations;
    double busy_s;
};
struct worker_tally worker_dropped(const struct worker *worker);

#endif
