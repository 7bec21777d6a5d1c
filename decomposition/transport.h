/* How does a finished tile come home to rank 0? A list of kinds.
 *
 * Every finished tile is announced to rank 0 by a small header, whatever the road: that is what
 * progress, credits and failures travel in. The kind decides when the pixels follow. */
#ifndef DECOMPOSITION_TRANSPORT_H
#define DECOMPOSITION_TRANSPORT_H

#include <stdbool.h>

#include "kernels/status.h"

struct transport_kind {
    const char *name;
    const char *summary;
    bool needs_one_rank; /* works only in a world of one rank */
};

extern const struct transport_kind *const transport_kinds[];
extern const int transport_kinds_count;

/* NULL if there is none of that name. "auto" is not a kind: see transport_choose. */
const struct transport_kind *transport_named(const char *name);

/* The road that "auto" takes: local in a world of one rank, gatherv for a static schedule when
 * all tiles fit `gather_bytes_max`, else staged. *reason: static text for --explain. */
const struct transport_kind *transport_choose(int world_size, bool schedule_is_static,
                                              const char **reason);

#endif
