#include "decomposition/session_bell.h"

#include <errno.h>
#include <time.h>

/* Monotonic, so that nobody sleeps for an hour because a clock was set. */
void bell_open(struct bell *bell)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&bell->sound, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&bell->mutex, NULL);
    bell->rung = false;
}

void bell_close(struct bell *bell)
{
    pthread_cond_destroy(&bell->sound);
    pthread_mutex_destroy(&bell->mutex);
}

void bell_ring(struct bell *bell)
{
    pthread_mutex_lock(&bell->mutex);
    bell->rung = true;
    pthread_cond_signal(&bell->sound);
    pthread_mutex_unlock(&bell->mutex);
}

static struct timespec in(int64_t microseconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(microseconds / 1000000);
    at.tv_nsec += (long)(microseconds % 1000000) * 1000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

bool bell_wait(struct bell *bell, int64_t microseconds)
{
    struct timespec until = {0};
    if (microseconds > 0)
        until = in(microseconds);
    int error = microseconds == 0 ? ETIMEDOUT : 0;
    pthread_mutex_lock(&bell->mutex);
    while (!bell->rung && error != ETIMEDOUT)
        error = microseconds < 0 ? pthread_cond_wait(&bell->sound, &bell->mutex)
                                 : pthread_cond_timedwait(&bell->sound, &bell->mutex, &until);
    bool rung = bell->rung;
    bell->rung = false;
    pthread_mutex_unlock(&bell->mutex);
    return rung;
}
