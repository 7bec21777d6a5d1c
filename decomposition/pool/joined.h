/* The job that joins a run of another job: it computes for it with its own pool, over all of its
 * ranks, and sends the results back. See join.h. Rank 0's thread that owns the pool. */
#ifndef DECOMPOSITION_POOL_JOINED_H
#define DECOMPOSITION_POOL_JOINED_H

#include "decomposition/pool/join_link.h"
#include "decomposition/pool/pool.h"

struct joined_place { /* place of the run */
    const char *host;
    int port;
    const char *token;
};

/* Connects, and introduces the pool's workers as one. *rank: its number there. The caller closes
 * the socket. STATUS_SYSTEM where nobody listens, answers in time, or the answer is no;
 * STATUS_STOPPED where *stop is not 0 before. */
enum status joined_connect(int *socket, int *rank, const struct joined_place *place,
                           const char *identity, const char *backend, const struct pool *pool,
                           const volatile int *stop);

/* Computes until that run ends or *stop is not 0: STATUS_OK. Fails where the connection ends
 * without a word, and when no worker is left. */
enum status joined_serve(int socket, struct pool *pool, const volatile int *stop);

#endif
