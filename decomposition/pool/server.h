/* A rank > 0 in a pool: what rank 0 says is done, and rank 0 is told. Private to decomposition/. */
#ifndef DECOMPOSITION_POOL_SERVER_H
#define DECOMPOSITION_POOL_SERVER_H

#include "decomposition/pool/pool.h"
#include "decomposition/pool/worker.h"
#include "decomposition/thread/event.h"

/* Payload of FAIL and BYE, and of READY and DONE that tell of a failure. */
struct pool_note {
    int32_t threads_left; /* threads alive */
    char text[STATUS_TEXT_BYTES];
};

struct server;

/* `worker` NULL: this rank does not compute. All is borrowed. */
enum status server_open(struct server **server, struct world *world,
                        const struct pool_options *options, struct worker *worker,
                        struct event *event);

/* Accepts NULL and one that is half open. */
void server_close(struct server *server);

/* Computes until rank 0 ends the pool. `woken`: rank 0 sets the event when it has said anything.
 * Fails when rank 0 could not be told, or when, in a viewer, something did not give up. */
enum status server_run(struct server *server, bool woken);

#endif
