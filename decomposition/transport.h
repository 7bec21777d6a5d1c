/* How does a finished tile come home to rank 0? A list of kinds.
 *
 * Every finished tile is announced to rank 0 by a small header, whatever the road: that is what
 * progress, credits and failures travel in. The kind decides when the pixels follow.
 *
 * A kind is opened once per job on every rank that computes (its sending end) and on rank 0 (its
 * receiving end). The verbs are called by job.c only, from the thread that opened the world. */
#ifndef DECOMPOSITION_TRANSPORT_H
#define DECOMPOSITION_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

struct message;
struct world;

struct transport_site { /* what an end is opened for */
    struct world *world;
    uint32_t tile_count;
    size_t tile_bytes_max; /* of the largest field */
    uint64_t all_bytes;    /* of all fields, each in whole message units */
    uint64_t own_bytes;    /* of those that this rank may have to keep at most; likewise */
    /* Rank 0: takes the pixels of a tile that are home and whole. `field` is borrowed. */
    enum status (*home)(void *context, const struct message *message, void *field);
    void *context;
};

struct transport_kind {
    const char *name;
    const char *summary;
    bool needs_one_rank; /* works only in a world of one rank */
    bool carries;        /* the pixels are in the message that announces them */

    /* Opens this rank's end. `site` outlives it. On failure *end may be half open. */
    enum status (*open)(void **end, const struct transport_site *site);
    void (*close)(void *end); /* accepts NULL and a half-open end */

    /* Sending end. Memory for the field of a tile, aligned to 64 bytes, for as long as it takes
     * to compute and send it; NULL when there is none for the moment. */
    void *(*place)(void *end, size_t bytes);
    /* Announces a finished tile and sets its pixels on their way; `field` is from place(). Does
     * not wait. Fills in kind, offset and checksum of `message`. */
    enum status (*send)(void *end, struct message *message, void *field);
    /* Lets MPI work. *under_way: messages that are still leaving. */
    enum status (*progress)(void *end, int *under_way);

    /* Receiving end. A tile of `rank` was announced; `payload` is its field if the kind carries. */
    enum status (*accept)(void *end, int rank, const struct message *message, void *payload);
    /* Both ends, once, when every tile is announced. Collective; a no-op for most kinds. */
    enum status (*collect)(void *end);
};

extern const struct transport_kind transport_local, transport_gatherv, transport_staged;

extern const struct transport_kind *const transport_kinds[];
extern const int transport_kinds_count;

/* NULL if there is none of that name. "auto" is not a kind: see transport_choose. */
const struct transport_kind *transport_named(const char *name);

/* The road that "auto" takes: local in a world of one rank, gatherv for a static schedule, else
 * staged. *reason: static text for --explain. */
const struct transport_kind *transport_choose(int world_size, bool schedule_is_static,
                                              const char **reason);

#endif
