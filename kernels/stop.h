/* A request to stop, which loops look at that may be long.
 *
 * From the request to the end is to take milliseconds at any depth, so loops look at it by time and
 * not by a count of steps, whose cost grows with the precision from nanoseconds to milliseconds: in
 * each step that calls multiprecision or scaled numbers, of which a look (one load, mostly from the
 * cache, 1 ns; a clock takes 20) is no part that is seen; else after so many steps of doubles as
 * take less than a millisecond or two. */
#ifndef KERNELS_STOP_H
#define KERNELS_STOP_H

/* `stop` may be NULL: nobody asks. Any thread. */
static inline int stop_asked(const volatile int *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

#endif
