/* Workers of a live picture that are left out, by the numbers of its state. */
#ifndef APP_VIEWER_CORE_RANK_SET_H
#define APP_VIEWER_CORE_RANK_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"

struct rank_set {
    uint64_t out[4];   /* `without` of deepfield_live_request */
    uint64_t alive[4]; /* workers that were alive in the last state, likewise */
};

bool rank_set_is_out(const struct rank_set *set, int worker);
void rank_set_put(struct rank_set *set, int worker, bool out);

/* Decides over workers that have come since the last state: `leaves_out` (NULL: none is) says who
 * is left out. A job that joins may have the number of one that was left out and is gone. True: the
 * set has changed. */
bool rank_set_arrivals(struct rank_set *set, const deepfield_live_state *state,
                       bool (*leaves_out)(const void *owner, int worker), const void *owner);

#endif
