/* Events that did not come from SDL, and the sleep of who waits for any. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decomposition/clock.h"
#include "render/window/sdl.h"
#include "render/window/window_parts.h"

enum status window_queue_open(struct window *window)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&window->queue.lock, NULL);
    pthread_cond_init(&window->queue.filled, &attributes);
    pthread_condattr_destroy(&attributes);
    return STATUS_OK;
}

void window_queue_close(struct window *window)
{
    struct window_queue *queue = &window->queue;
    for (int i = 0; i < queue->count; i++)
        free((char *)(uintptr_t)queue->events[(queue->first + i) % queue->capacity].dropped);
    free(queue->events);
    free(window->dropped);
    pthread_cond_destroy(&queue->filled);
    pthread_mutex_destroy(&queue->lock);
}

/* SDL's own wait ends with SDL's own events. If its queue is full it will not wait either. */
static void rouse(struct window *window)
{
    if (window->alone) {
        pthread_cond_signal(&window->queue.filled);
    } else {
        SDL_Event event = {.type = SDL_USEREVENT};
        sdl.PushEvent(&event);
    }
}

void window_wake(struct window *window)
{
    pthread_mutex_lock(&window->queue.lock);
    bool first = !window->queue.wake;
    window->queue.wake = true;
    pthread_mutex_unlock(&window->queue.lock);
    if (first)
        rouse(window);
}

/* ---- putting ---- */

static bool queue_grow(struct window_queue *queue)
{
    int capacity = queue->capacity ? 2 * queue->capacity : 64;
    struct input_event *events =
        capacity <= WINDOW_QUEUE_MAX ? malloc((size_t)capacity * sizeof *events) : NULL;
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

bool window_inject(struct window *window, const struct input_event *event)
{
    struct input_event copy = *event;
    if (copy.kind == INPUT_WAKE) {
        window_wake(window);
        return true;
    }
    copy.time_s = copy.time_s > 0 ? copy.time_s : clock_s();
    copy.dropped = copy.dropped ? strdup(copy.dropped) : NULL;
    if (event->dropped && !copy.dropped)
        return false;

    struct window_queue *queue = &window->queue;
    pthread_mutex_lock(&queue->lock);
    bool room = queue->count < queue->capacity || queue_grow(queue);
    if (room)
        queue->events[(queue->first + queue->count++) % queue->capacity] = copy;
    bool first = room && queue->count == 1;
    pthread_mutex_unlock(&queue->lock);
    if (!room)
        free((char *)(uintptr_t)copy.dropped);
    if (first)
        rouse(window);
    return room;
}

/* ---- taking ---- */

bool window_queue_take(struct window *window, struct input_event *event)
{
    struct window_queue *queue = &window->queue;
    pthread_mutex_lock(&queue->lock);
    bool there = queue->count > 0;
    if (there) {
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->count--;
        window->dropped = (char *)(uintptr_t)event->dropped;
    }
    pthread_mutex_unlock(&queue->lock);
    return there;
}

bool window_wake_take(struct window *window)
{
    pthread_mutex_lock(&window->queue.lock);
    bool there = window->queue.wake;
    window->queue.wake = false;
    pthread_mutex_unlock(&window->queue.lock);
    return there;
}

/* ---- sleeping ---- */

/* SDL's dummy would look for events every millisecond, and has none. */
static void sleep_alone(struct window *window, double until_s)
{
    struct window_queue *queue = &window->queue;
    struct timespec until = {.tv_sec = (time_t)until_s,
                             .tv_nsec = (long)((until_s - floor(until_s)) * 1e9)};
    int code = 0;
    pthread_mutex_lock(&queue->lock);
    while (!queue->count && !queue->wake && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&queue->filled, &queue->lock, &until);
    pthread_mutex_unlock(&queue->lock);
}

void window_sleep(struct window *window, double until_s)
{
    if (window->alone) {
        sleep_alone(window, until_s);
        return;
    }
    double left_ms = ceil((until_s - clock_s()) * 1e3);
    if (left_ms > 0) /* NULL: the event stays where it is */
        sdl.WaitEventTimeout(NULL, left_ms < 1e9 ? (int)left_ms : 1000000000);
}
