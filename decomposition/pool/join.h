/* Workers of other jobs, which join a run over TCP while it works, and leave when they like.
 *
 * Rank 0 listens at an address; who connects has to know the token and to run the same program. A
 * joined job is one more worker, whatever it consists of. Contexts and tasks go to it as to the
 * ranks of a viewer's pool (pool.h), whether the run is a viewer or computes pictures
 * (pool_joined.c), and its results come back; what it had when it left, fell silent or broke the
 * rules comes back as failed results, and a sentence says why. Hostile bytes end their connection:
 * nothing is allocated but for a result that was asked for, of the length that it has to have; a
 * message that does not come to an end, more messages than were asked for and a job that reads
 * nothing end it, too. Results of the right form are believed: who has the token is trusted.
 *
 * A thread of its own reads and writes; it calls `wake` when there is something new. All other
 * functions are of the thread that owns the pool, and wait for nobody. */
#ifndef DECOMPOSITION_POOL_JOIN_H
#define DECOMPOSITION_POOL_JOIN_H

#include "decomposition/pool/join_link.h"
#include "decomposition/pool/pool.h"

struct join;

struct join_limits {  /* seconds; 0: JOIN_SILENT_S. Shorter in tests */
    double silent_s;  /* time that a job may say nothing */
    double message_s; /* time for a message, and that of its bytes */
    double unread_s;  /* time that a job may read nothing */
};

struct join_options {
    const char *address;  /* numeric, or a name of this machine; borrowed until join_open returns */
    int port;             /* 0: any that is free */
    const char *identity; /* what a joining job has to be equal to; copied */
    int first_rank;       /* number of the first that joins */
    struct join_limits limits;
};

/* STATUS_CONFIG where it cannot listen at this address. */
enum status join_open(struct join **join, const struct join_options *options);
void join_close(struct join *join); /* tells the joined jobs to end; accepts NULL */

/* Who is told that there is something new: a result, a worker that is ready or has left. NULL:
 * nobody; when this returns, no earlier one is called any more. Thread: any but join's own. */
void join_wake_with(struct join *join, void (*wake)(void *context), void *context);

int join_port(const struct join *join);
bool join_everywhere(const struct join *join); /* does it listen at all addresses of the machine? */
const char *join_token(const struct join *join);

/* Workers that have joined so far, at most JOINED_MOST; one that has left is not alive, and its
 * number is another's when that joins. heard_s: since it has brought a result, while it owes any: a
 * job that is there and brings none holds nothing up. NULL: none. */
int join_workers(struct join *join);
const struct pool_worker *join_worker(struct join *join, int worker);
/* Seconds since its last byte came: it says that it is there each second. Here and in heard_s a
 * time in which this process stood still counts as one second: what came in it has not been read.
 */
double join_quiet_s(struct join *join, int worker);
/* Name of its kind of devices; as the row before, borrowed until the next call. */
const char *join_backend(struct join *join, int worker);

/* A context in two parts, which workers get as one block. */
struct join_context {
    uint64_t epoch;
    /* Names the rest, which workers keep. 0: every worker gets both parts; else those of which all
     * ranks were ready for a context of this key get the head alone */
    uint64_t key;
    const void *head;
    size_t head_length;
    const void *rest; /* NULL: that of the context before, if its key was the same; else none */
    size_t rest_length;
};

/* As pool_context. Copies. STATUS_OUT_OF_MEMORY. */
enum status join_context(struct join *join, const struct join_context *context);

/* Is the rest of this key here, so that the next context needs none? */
bool join_has(struct join *join, uint64_t key);

/* As pool_cancel. */
void join_cancel(struct join *join);

enum join_rest { JOIN_REST_DROPPED, JOIN_REST_KEPT /* for the next context */ };

/* Who joins from now on gets no context until the next one: there is nothing to compute. */
void join_forget(struct join *join, enum join_rest rest);

bool join_may_give(struct join *join, int worker);
enum status join_give(struct join *join, int worker, const struct pool_task *task);

/* As pool_take; POOL_JOINED tells that a worker has come, POOL_WORKER that it has left. */
bool join_take(struct join *join, struct pool_result *result);

#endif
