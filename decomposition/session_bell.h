/* How does a thread sleep until any of several things happens? Private to session*.c. */
#ifndef DECOMPOSITION_SESSION_BELL_H
#define DECOMPOSITION_SESSION_BELL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct bell {
    pthread_mutex_t mutex;
    pthread_cond_t sound;
    bool rung; /* and nobody has woken by it yet */
};

void bell_open(struct bell *bell);
void bell_close(struct bell *bell);

/* Any thread. */
void bell_ring(struct bell *bell);

/* Returns when the bell has been rung since the last time, and then true; or after `microseconds`,
 * if they are not negative. One thread. */
bool bell_wait(struct bell *bell, int64_t microseconds);

#endif
