#include "render/window/event_queue.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decomposition/thread/clock.h"

void event_queue_open(struct event_queue *queue)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, &attributes);
    pthread_condattr_destroy(&attributes);
}

void event_queue_close(struct event_queue *queue)
{
    for (int i = 0; i < queue->count; i++)
        free((char *)(uintptr_t)queue->events[(queue->first + i) % queue->capacity].dropped);
    free(queue->events);
    pthread_cond_destroy(&queue->filled);
    pthread_mutex_destroy(&queue->lock);
}

static bool grow(struct event_queue *queue)
{
    int capacity = queue->capacity ? 2 * queue->capacity : 64;
    struct input_event *events =
        capacity <= EVENT_QUEUE_MAX ? malloc((size_t)capacity * sizeof *events) : NULL;
    if (!events)
        return false;
    for (int i = 0; i < queue->count; i++)
        events[i] = queue->events[(queue->first + i) % queue->capacity];
    free(queue->events);
    queue->events = events;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}

bool event_queue_put(struct event_queue *queue, const struct input_event *event, bool *first)
{
    struct input_event copy = *event;
    copy.time_s = copy.time_s > 0 ? copy.time_s : clock_s();
    copy.dropped = copy.dropped ? strdup(copy.dropped) : NULL;
    if (event->dropped && !copy.dropped)
        return false;
    pthread_mutex_lock(&queue->lock);
    bool room = queue->count < queue->capacity || grow(queue);
    if (room)
        queue->events[(queue->first + queue->count++) % queue->capacity] = copy;
    *first = room && queue->count == 1;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
    if (!room)
        free((char *)(uintptr_t)copy.dropped);
    return room;
}

bool event_queue_take(struct event_queue *queue, struct input_event *event, char **dropped)
{
    pthread_mutex_lock(&queue->lock);
    bool there = queue->count > 0;
    if (there) {
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->count--;
        *dropped = (char *)(uintptr_t)event->dropped;
    }
    pthread_mutex_unlock(&queue->lock);
    return there;
}

bool event_queue_wake(struct event_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool first = !queue->wake;
    queue->wake = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
    return first;
}

bool event_queue_wake_take(struct event_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool there = queue->wake;
    queue->wake = false;
    pthread_mutex_unlock(&queue->lock);
    return there;
}

void event_queue_wait(struct event_queue *queue, double until_s)
{
    struct timespec until = {.tv_sec = (time_t)until_s,
                             .tv_nsec = (long)((until_s - floor(until_s)) * 1e9)};
    int code = 0;
    pthread_mutex_lock(&queue->lock);
    while (!queue->count && !queue->wake && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&queue->filled, &queue->lock, &until);
    pthread_mutex_unlock(&queue->lock);
}
