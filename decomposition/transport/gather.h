/* The two ends of transport gatherv: one MPI_Igatherv brings the tiles that all ranks have kept.
 *
 * Each rank packs its tiles: they are computed one behind the other into its share, and the
 * announcement of each (MESSAGE_KEPT) has its offset there. When all tiles are announced every rank
 * says how long its share is, and that it grows no more; then all join, those that keep nothing as
 * well. Threads of rank 0 check the sums and copy the fields to their positions. That costs rank 0
 * memory for a second picture, and it needs every rank: it is begun when all have answered, and
 * given up when one is lost.
 *
 * Counts are of MESSAGE_UNIT bytes, so that the ints of MPI reach 128 GiB. All functions are called
 * by the thread that opened the world, and none waits. Private to decomposition/. */
#ifndef DECOMPOSITION_TRANSPORT_GATHER_H
#define DECOMPOSITION_TRANSPORT_GATHER_H

#include "decomposition/transport/pixels.h"

struct gather;

struct gather_use { /* for rank 0 */
    struct world *world;
    const struct tile *tiles;
    uint32_t tile_count;
    const struct field *frame;
    const struct job_memory *memory; /* may be NULL */
    pixels_arrived *arrived;         /* is handed fields `apart` where `frame` is not host memory */
    void *context;                   /* handed to `arrived` */
    struct event *event;             /* set when a thread has copied its fields */
};

enum status gather_open(struct gather **gather, const struct gather_use *use);
void gather_close(struct gather *gather); /* accepts NULL */

/* Rank 0: this field was announced, and no other rank had it sooner. */
void gather_expect(struct gather *gather, int rank, const struct message *message);

/* Rank 0: sets the length of this rank's share. */
enum status gather_share(struct gather *gather, int rank, uint64_t bytes);

/* Rank 0: joins; the others are to join as well. On failure nothing has begun. */
enum status gather_begin(struct gather *gather);

/* Ranks > 0: joins with this share, which stays until the request is complete. */
enum status gather_join(const struct world *world, const void *share, uint64_t bytes,
                        MPI_Request *request);

/* Rank 0: *left falls to 0. Fails with the first failure of MPI or of `arrived`, or with
 * STATUS_INTERNAL when a sum is wrong. */
enum status gather_progress(struct gather *gather, uint64_t *left);
bool gather_runs(const struct gather *gather); /* accepts NULL */

/* Rank 0: a rank is lost. Memory that MPI may still write to is left to it. */
void gather_give_up(struct gather *gather);

#endif
