/* How does a thread sleep until any of several things happens? Private to session*.c.
 *
 * What wakes it is a word of memory that the kernel watches (a futex): of this process, or one that
 * processes of this machine share, and then others of them can wake it as well. */
#ifndef DECOMPOSITION_SESSION_BELL_H
#define DECOMPOSITION_SESSION_BELL_H

#include <stdbool.h>
#include <stdint.h>

struct bell {
    uint32_t own;
    uint32_t *word; /* `own`, or shared */
};

void bell_open(struct bell *bell);

/* From now on it is rung through this word, which was 0; before anybody rings or waits. */
void bell_hang(struct bell *bell, uint32_t *word);

/* Any thread; bell_ring_word also any process. With nobody asleep no call of the system. */
void bell_ring(struct bell *bell);
void bell_ring_word(uint32_t *word);

/* Returns when the bell has been rung since the last time, and then true; or after `microseconds`,
 * if they are not negative. One thread. */
bool bell_wait(struct bell *bell, int64_t microseconds);

#endif
