/* Sets of workers, and the times that a picture took with them. Pure. */
#ifndef RENDER_LIVE_WORKER_SET_H
#define RENDER_LIVE_WORKER_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { WORKER_SET_MOST = 256, SET_TIMES_MOST = 32 };

struct worker_set {
    uint64_t bits[WORKER_SET_MOST / 64]; /* bit w % 64 of bits[w / 64]: worker w */
};

bool worker_set_has(const struct worker_set *set, int worker);
void worker_set_add(struct worker_set *set, int worker);
int worker_set_count(const struct worker_set *set);
bool worker_set_same(const struct worker_set *a, const struct worker_set *b);

/* Times of one picture, each by the workers that computed all of it. Of several the shortest
 * counts: others have waited for a reference orbit, or for another program on the cores. */
struct set_times {
    struct set_time {
        struct worker_set set;
        double least_s;
    } row[SET_TIMES_MOST];
    int rows;
};

/* Notes that the picture took so long; the oldest set is forgotten where there is no room. */
void set_times_note(struct set_times *times, const struct worker_set *set, double seconds);
double set_times_of(const struct set_times *times, const struct worker_set *set); /* 0: unknown */
double set_times_one(const struct set_times *times); /* by a single worker; 0: unknown */

#endif
