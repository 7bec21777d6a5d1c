/* Waiting without MPI: what to do between two looks at the network: a few looks at once, then naps,
 * doubling up to `most_us`. MPI's own blocking calls spin, which takes the core from whoever
 * computes on it. Where devices compute and cores are idle a thread may look on for spin_us before
 * it naps: the shortest nap takes 60 us, which is felt in pictures of a millisecond. It stops when
 * it gets its core back late after a yield, since then somebody else wants it, and naps for the
 * next tenth of a second.
 */
#ifndef DECOMPOSITION_THREAD_PATIENCE_H
#define DECOMPOSITION_THREAD_PATIENCE_H

struct patience {
    unsigned spin_us;       /* 0: naps at once */
    unsigned idle;          /* looks in vain so far; set to 0 when something happened */
    unsigned naps;          /* looks in vain that a nap followed */
    double since_s, last_s; /* the first look in vain and the last one */
};

/* How long to nap now, in microseconds; counts the look. */
unsigned patience_us(struct patience *patience, unsigned most_us);

enum { NAP_MOST_US = 200 }; /* what an arriving message may have to wait */

/* Sleeps; 0: comes back at once. */
void patience_nap(unsigned microseconds);

#endif
