/* An event that a thread waits for and any other sets.
 *
 * It is a word of memory that the kernel watches (a futex): of this process, or one that processes
 * of this machine share, and then others of them can set it as well. Private to decomposition/. */
#ifndef DECOMPOSITION_THREAD_EVENT_H
#define DECOMPOSITION_THREAD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct event {
    uint32_t own;
    uint32_t *word; /* `own`, or shared */
};

void event_open(struct event *event);

/* From now on it is set through this word, which was 0; before anybody sets it or waits. */
void event_share(struct event *event, uint32_t *word);

/* Any thread; event_set_word also any process. With nobody asleep no call of the system. */
void event_set(struct event *event);
void event_set_word(uint32_t *word);

/* Returns when the event has been set since the last time, and then true; or after `microseconds`,
 * if they are not negative. One thread. */
bool event_wait(struct event *event, int64_t microseconds);

#endif
