/* The side of a rank > 0 in a pool: obeys rank 0's messages and reports. Private to decomposition/.
 */
#ifndef DECOMPOSITION_POOL_SERVER_H
#define DECOMPOSITION_POOL_SERVER_H

#include "decomposition/pool/pool.h"
#include "decomposition/pool/worker.h"
#include "decomposition/thread/event.h"

enum { POOL_MOVING_NAP_US = 20 }; /* large messages go on only when MPI is called, chunk by chunk */

/* Payload of FAIL and BYE, and of READY and DONE that report a failure: up to the end of the text.
 */
struct pool_note {
    int32_t threads_left; /* threads alive */
    char text[STATUS_TEXT_BYTES];
};

struct pool_server;

/* `worker` NULL: this rank does not compute. All is borrowed. */
enum status server_open(struct pool_server **server, struct world *world,
                        const struct pool_options *options, struct worker *worker,
                        struct event *event);

/* Accepts NULL and one that is half open. */
void server_close(struct pool_server *server);

/* Computes until rank 0 ends the pool. `woken`: rank 0 sets the event with every message. Fails
 * when a message cannot be sent to rank 0, or when, in a viewer, something did not give up. */
enum status server_run(struct pool_server *server, bool woken);

#endif
