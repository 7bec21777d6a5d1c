/* A monotonic clock: seconds since some fixed moment. */
#ifndef DECOMPOSITION_THREAD_CLOCK_H
#define DECOMPOSITION_THREAD_CLOCK_H

#include <time.h>

static inline double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
