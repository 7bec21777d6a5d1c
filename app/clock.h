/* How late is it? Seconds of a clock that nobody sets back. */
#ifndef APP_CLOCK_H
#define APP_CLOCK_H

#include <time.h>

static inline double clock_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
