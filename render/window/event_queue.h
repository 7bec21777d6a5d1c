/* Thread-safe queue of input events that do not come from the window library, in a ring. One thread
 * takes; any thread puts and wakes. */
#ifndef RENDER_WINDOW_EVENT_QUEUE_H
#define RENDER_WINDOW_EVENT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "render/window/event.h"

enum { EVENT_QUEUE_MAX = 1 << 16 }; /* most events in the queue */

struct event_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled; /* on the monotonic clock */
    struct input_event *events;
    int capacity, first, count;
    bool wake; /* event_queue_wake was called since the last event_queue_wake_take */
};

void event_queue_open(struct event_queue *queue);
void event_queue_close(struct event_queue *queue);

/* Copies an event, with its text, into the queue; sets the present time if it has none. *first: the
 * queue was empty. False: the queue is full, or there is no memory. */
bool event_queue_put(struct event_queue *queue, const struct input_event *event, bool *first);

/* Takes the next event; its text passes to the caller in *dropped. False: none. */
bool event_queue_take(struct event_queue *queue, struct input_event *event, char **dropped);

/* Ends event_queue_wait. Returns whether it is the first call since event_queue_wake_take. */
bool event_queue_wake(struct event_queue *queue);
bool event_queue_wake_take(struct event_queue *queue);

/* Waits until there is an event, event_queue_wake is called, or the time (clock_s) is over. */
void event_queue_wait(struct event_queue *queue, double until_s);

#endif
