/* Thread-safe queue of input events that do not come from the window library, in a ring. One thread
 * takes; any thread puts and wakes. */
#ifndef RENDER_WINDOW_EVENT_QUEUE_H
#define RENDER_WINDOW_EVENT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "render/window/event.h"

enum { EVENT_QUEUE_MAX = 1 << 16 }; /* events that nobody has taken yet */

struct event_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled; /* on the monotonic clock */
    struct input_event *events;
    int capacity, first, count;
    bool wake; /* event_queue_wake since it was asked last */
};

void event_queue_open(struct event_queue *queue);
void event_queue_close(struct event_queue *queue);

/* Copies an event, its text too; gives it the time of now if it has none. *first: nothing waited
 * before it. False: the queue is full, or there is no memory. */
bool event_queue_put(struct event_queue *queue, const struct input_event *event, bool *first);

/* The next event; its text is the caller's, in *dropped. False: none. */
bool event_queue_take(struct event_queue *queue, struct input_event *event, char **dropped);

/* Ends event_queue_wait. Returns whether it is the first call since event_queue_wake_take. */
bool event_queue_wake(struct event_queue *queue);
bool event_queue_wake_take(struct event_queue *queue);

/* Until there is an event, somebody wakes, or the time (clock_s) is over. */
void event_queue_wait(struct event_queue *queue, double until_s);

#endif
