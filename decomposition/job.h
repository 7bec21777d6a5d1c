/* How do all tiles of one picture get computed by the ranks and come home to rank 0?
 *
 * A schedule says who computes which tile when; a transport says how a finished tile comes home.
 * job_run ties them together and is the same on every rank. Rank 0 coordinates; it computes too
 * when no other rank shares its machine (otherwise the cores are theirs). With one rank the same
 * code runs one compute thread beside the coordinating one.
 *
 * Invariants: every tile message carries magic, version, epoch, tile, length and checksum; one of
 * an older epoch is dropped. No rank waits in a collective while another still computes, except
 * in the one collective of transport `gatherv`. At most 2 tiles are outstanding per device under
 * schedule `dynamic`. */
#ifndef DECOMPOSITION_JOB_H
#define DECOMPOSITION_JOB_H

#include <stdint.h>

#include "decomposition/schedule.h"
#include "decomposition/tile.h"
#include "decomposition/transport.h"
#include "decomposition/world.h"
#include "kernels/field.h"

struct job_progress { /* as known on rank 0 */
    uint32_t tiles_done, tiles;
    uint64_t pixels_done, pixels;
    uint64_t iterations;
    double seconds; /* since the job began */
};

struct job { /* the same on every rank, but for the calls */
    uint64_t epoch;
    const struct tile *tiles;
    uint32_t tile_count;
    unsigned planes;
    int count_bytes;
    const struct schedule_kind *schedule;
    const struct transport_kind *transport;

    void *context; /* handed to the calls */
    /* Computes one tile into `out` and adds to *iterations. Any rank; on rank 0 from a thread of
     * its own. Blocks. */
    enum status (*compute)(void *context, const struct tile *tile, struct field *out,
                           uint64_t *iterations);
    /* Takes a tile that is home. Rank 0 only; one at a time, from any thread. `field` is borrowed.
     */
    enum status (*deliver)(void *context, const struct tile *tile, const struct field *field);
    /* Rank 0 only, from the coordinating thread, about 10 times a second. May be NULL. */
    void (*progress)(void *context, const struct job_progress *progress);
    /* Non-zero: give up as soon as possible with STATUS_STOPPED. May be NULL. Looked at on rank 0
     * for the whole job, and by each rank for itself (a signal reaches all). */
    const volatile int *stop;
    /* Set to 1 by job_run on a rank whose computing has become useless; compute should look at it.
     */
    volatile int *give_up;
};

struct job_rank { /* what one rank did */
    char host[64];
    uint32_t tiles;
    uint64_t iterations;
    double busy_s; /* inside compute */
    double wait_s; /* in the job, but not computing */
    uint64_t bytes_sent;
    int32_t computes; /* 1 if this rank had a device to work with */
};

struct job_report { /* on rank 0; `rank` has world_size rows and is freed by the caller */
    struct job_rank *rank;
    double seconds;
    uint64_t late_dropped; /* messages of older epochs */
};

/* Does rank 0 compute, given the world? (See above.) The same answer on every rank. */
bool job_root_computes(const struct world *world);

/* Runs the job. Collective; every rank returns the same status and text. On failure the tiles
 * delivered so far stand. `report` may be NULL on ranks > 0. */
enum status job_run(struct world *world, const struct job *job, struct job_report *report);

#endif
