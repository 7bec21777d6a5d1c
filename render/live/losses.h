/* Devices and ranks that fail or fall silent: messages to the user, and the exit code of the
 * program. */
#ifndef RENDER_LIVE_LOSSES_H
#define RENDER_LIVE_LOSSES_H

#include <stdbool.h>

#include "decomposition/pool/pool.h"
#include "decomposition/world/world.h"

/* Silence after which a worker counts as silent: others get its tasks. */
#define LOSSES_SILENT_S 3.0

enum { LOSSES_NAME_BYTES = 96 };

struct losses {
    const struct world *world;
    const struct pool *pool;
    void (*tell)(void *context, const char *text);
    void *context;
    struct worker_losses { /* losses of a worker that the user was told */
        int threads;       /* threads at the beginning */
        int threads_lost;
        bool silent;
    } * worker; /* [pool_workers] */
    enum status first;
    char text[STATUS_TEXT_BYTES]; /* sentence of the first loss, if any of one with a reason */
    bool reasoned;                /* `text` has a reason */
};

/* Opens. tell: receives a sentence for the user; called by losses_note and losses_watch. */
enum status losses_open(struct losses *losses, const struct world *world, const struct pool *pool,
                        void (*tell)(void *context, const char *text), void *context);
void losses_close(struct losses *losses); /* accepts a zeroed one */

/* Notes a task, a context or a worker that failed, and tells it if it is a loss. Returns whether
 * devices or ranks were lost. */
bool losses_note(struct losses *losses, const struct pool_result *result);

/* Tells which workers have lost devices without a message, which do not answer, and which do again.
 * Returns as losses_note does. */
bool losses_watch(struct losses *losses);

/* Must losses_watch be called although nothing computes? */
bool losses_awaited(const struct losses *losses);

/* Fails when no device is left. */
enum status losses_left(const struct losses *losses);

/* Status of the first loss; STATUS_OK: none. */
enum status losses_status(const struct losses *losses);

/* Name of a worker for the user: "rank 2 on node7". */
const char *losses_name(const struct losses *losses, int worker, char name[LOSSES_NAME_BYTES]);

#endif
