/* A request to stop, which loops that may be long poll.
 *
 * From the request to the end is to take milliseconds at any depth, so loops poll by time and not
 * by a count of steps, whose cost grows with the precision from nanoseconds to milliseconds: in
 * each step that calls multiprecision or scaled numbers, beside which a poll (one load, mostly from
 * the cache, 1 ns; a clock takes 20) costs nothing; else after as many steps of doubles as take
 * less than a millisecond or two. */
#ifndef KERNELS_STOP_H
#define KERNELS_STOP_H

/* `stop` may be NULL: there is never a request. Any thread. */
static inline int stop_asked(const volatile int *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

#endif
