/* How do all tiles of one picture get computed by the ranks and come home to rank 0?
 *
 * A schedule says who computes which tile when; a transport says how a finished tile comes home.
 * job_run ties them together and is the same on every rank. Rank 0 coordinates; it computes too
 * when no other rank shares its machine (otherwise the cores are theirs). With one rank the same
 * code runs, and MPI is never started.
 *
 * Every computing rank has one thread that computes and one, the caller of job_run, that talks to
 * the other ranks; so a running compute can be told to give up, and tiles travel while the next is
 * computed.
 *
 * Invariants: every tile message carries magic, version, epoch, tile, level, length and checksum;
 * one of an older epoch is dropped and counted. No rank waits in a collective while another still
 * computes: the one of transport `gatherv` is entered only when rank 0 has said that every tile is
 * done. A job leaves no message behind. At most 2 tiles are outstanding per worker under schedule
 * `dynamic`. Waiting ranks nap; they do not spin. */
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

struct job {        /* the same on every rank, but for the calls */
    uint64_t epoch; /* greater than that of any job before it in this world */
    const struct tile *tiles;
    uint32_t tile_count;
    unsigned planes;
    int count_bytes;
    const struct schedule_kind *schedule;
    const struct transport_kind *transport;

    void *context; /* handed to the calls */
    /* Computes one tile into `out` (borrowed, host memory, undefined contents) and adds to
     * *iterations. Called on a thread that lives as long as job_run and does nothing else; one at
     * a time per rank. Blocks. May open OpenMP teams; may not call MPI. A failure ends the job on
     * all ranks. */
    enum status (*compute)(void *context, const struct tile *tile, struct field *out,
                           uint64_t *iterations);
    /* Takes a tile that is home. Rank 0 only, on the thread that called job_run, while compute may
     * be running. `field` is borrowed. A failure ends the job. */
    enum status (*deliver)(void *context, const struct tile *tile, const struct field *field);
    /* Rank 0 only, on the thread that called job_run, about 10 times a second and at the end. May
     * be NULL. */
    void (*progress)(void *context, const struct job_progress *progress);
    /* Non-zero: give up as soon as possible with STATUS_STOPPED. May be NULL. Each rank looks at
     * its own; one that is set ends the job on all. */
    const volatile int *stop;
    /* Set to 1 (never to 0) on a rank whose computing has become useless: the caller clears it
     * before job_run, and compute should look at it often and return any failure, which is then
     * ignored. May be NULL. Written and best read with __atomic builtins, relaxed. */
    volatile int *give_up;
};

struct job_rank { /* what one rank did */
    char host[64];
    uint32_t tiles;
    uint64_t iterations;
    double busy_s;       /* inside compute */
    double wait_s;       /* in the job, but not computing */
    uint64_t bytes_sent; /* pixels sent to rank 0 */
    int32_t computes;    /* 1 if this rank had a device to work with */
};

struct job_report { /* on rank 0; `rank` has world_size rows and is freed by the caller */
    struct job_rank *rank;
    double seconds;
    uint64_t late_dropped; /* messages of older epochs */
};

/* Does rank 0 compute, given the world? (See above.) The same answer on every rank. */
bool job_root_computes(const struct world *world);

/* Runs the job. Collective; every rank returns the same status and text ("rank N on HOST: ..." when
 * a rank > 0 failed). On failure the tiles delivered so far stand. `report` may be NULL; on ranks
 * > 0 it is zeroed; on failure its rows are those of the ranks that could still say. Costs about
 * 10 us per tile beyond its pixels. */
enum status job_run(struct world *world, const struct job *job, struct job_report *report);

#endif
