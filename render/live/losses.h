/* Devices and ranks that fail or fall silent: what the user is told of them, and why the program
 * ends with another exit code. */
#ifndef RENDER_LIVE_LOSSES_H
#define RENDER_LIVE_LOSSES_H

#include <stdbool.h>

#include "decomposition/pool/pool.h"
#include "decomposition/world/world.h"

#define LOSSES_SILENT_S                                                      \
    3.0 /* a worker that is not heard of for so long: others get what it has \
         */

enum { LOSSES_NAME_BYTES = 96 };

struct losses {
    const struct world *world;
    const struct pool *pool;
    void (*tell)(void *context, const char *text);
    void *context;
    struct worker_losses { /* what the user has been told */
        int threads;       /* at the beginning */
        int threads_lost;
        bool silent;
    } * worker; /* [pool_workers] */
    enum status first;
    char text[STATUS_TEXT_BYTES]; /* of the first */
};

/* tell: a sentence for the user; called by losses_note and losses_watch. */
enum status losses_open(struct losses *losses, const struct world *world, const struct pool *pool,
                        void (*tell)(void *context, const char *text), void *context);
void losses_close(struct losses *losses); /* accepts a zeroed one */

/* News of a task, a context or a worker that failed: is told, where it is a loss. Returns whether
 * something to compute with was lost. */
bool losses_note(struct losses *losses, const struct pool_result *result);

/* Tells whose devices were lost in silence, who does not answer and who does again. Returns as
 * losses_note does. */
bool losses_watch(struct losses *losses);

/* May there be something to watch although nothing computes? */
bool losses_awaited(const struct losses *losses);

/* Fails when nothing is left to compute with. */
enum status losses_left(const struct losses *losses);

/* The first loss; STATUS_OK: there was none. */
enum status losses_status(const struct losses *losses);

/* How the user knows a worker: "rank 2 on node7". */
const char *losses_name(const struct losses *losses, int worker, char name[LOSSES_NAME_BYTES]);

#endif
