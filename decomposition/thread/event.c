#include "decomposition/thread/event.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CLEAR, SET, ASLEEP }; /* SET: and nobody has waited for it since */

void event_open(struct event *event)
{
    event_share(event, &event->own);
    event->own = CLEAR;
}

void event_share(struct event *event, uint32_t *word)
{
    event->word = word;
}

void event_set_word(uint32_t *word)
{
    if (__atomic_exchange_n(word, SET, __ATOMIC_ACQ_REL) == ASLEEP)
        syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void event_set(struct event *event)
{
    event_set_word(event->word);
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

/* Until the word is another, or the time has come (NULL: never). Until a moment rather than for a
 * while, so that signals do not make it longer; FUTEX_WAIT_BITSET takes that of the monotonic
 * clock, so nobody sleeps for an hour because a clock was set. */
static void sleep_on(uint32_t *word, const struct timespec *until)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == ASLEEP)
        if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET, ASLEEP, until, NULL,
                    FUTEX_BITSET_MATCH_ANY) != 0 &&
            errno != EINTR && errno != EAGAIN)
            return;
}

bool event_wait(struct event *event, int64_t microseconds)
{
    uint32_t clear = CLEAR;
    if (microseconds != 0 && __atomic_compare_exchange_n(event->word, &clear, ASLEEP, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        struct timespec until = in(microseconds > 0 ? microseconds : 0);
        sleep_on(event->word, microseconds < 0 ? NULL : &until);
    }
    return __atomic_exchange_n(event->word, CLEAR, __ATOMIC_ACQ_REL) == SET;
}
