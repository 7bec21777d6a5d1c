#include "render/live/worker_set.h"

#include <string.h>

bool worker_set_has(const struct worker_set *set, int worker)
{
    return worker < WORKER_SET_MOST && set->bits[worker / 64] >> worker % 64 & 1;
}

void worker_set_add(struct worker_set *set, int worker)
{
    if (worker < WORKER_SET_MOST)
        set->bits[worker / 64] |= UINT64_C(1) << worker % 64;
}

int worker_set_count(const struct worker_set *set)
{
    int count = 0;
    for (int w = 0; w < WORKER_SET_MOST; w++)
        count += worker_set_has(set, w);
    return count;
}

bool worker_set_same(const struct worker_set *a, const struct worker_set *b)
{
    return !memcmp(a->bits, b->bits, sizeof a->bits);
}

/* Index of the row of a set; -1: there is none. */
static int row_of(const struct set_times *times, const struct worker_set *set)
{
    for (int i = 0; i < times->rows; i++)
        if (worker_set_same(&times->row[i].set, set))
            return i;
    return -1;
}

void set_times_note(struct set_times *times, const struct worker_set *set, double seconds)
{
    int row = row_of(times, set);
    if (row >= 0) {
        double least_s = times->row[row].least_s;
        times->row[row].least_s = seconds < least_s ? seconds : least_s;
        return;
    }
    if (times->rows == SET_TIMES_MOST)
        memmove(times->row, times->row + 1, (size_t)--times->rows * sizeof *times->row);
    times->row[times->rows++] = (struct set_time){.set = *set, .least_s = seconds};
}

double set_times_of(const struct set_times *times, const struct worker_set *set)
{
    int row = row_of(times, set);
    return row >= 0 ? times->row[row].least_s : 0;
}

double set_times_one(const struct set_times *times)
{
    double least_s = 0;
    for (int i = 0; i < times->rows; i++)
        if (worker_set_count(&times->row[i].set) == 1 &&
            (least_s == 0 || times->row[i].least_s < least_s))
            least_s = times->row[i].least_s;
    return least_s;
}
