/* Pixels of finished tiles on their way from other ranks to rank 0.
 *
 * A field travels in chunks, whole rows of one plane, in the order in which they lie in a packed
 * field; both ends cut a tile alike. Chunks leave from the memory that the tile was computed into
 * and arrive at their position in the picture, those of narrow tiles by way of a small buffer.
 * Several are under way at a time, so that MPI has something to move at every poll and naps between
 * polls cost little; a rank sends many, because between processes of a machine rank 0 copies them,
 * and the rank need not wake for each. The sum of a field follows it, so that a rank sums a chunk
 * while those before it travel; on rank 0 a thread sums, while MPI copies the next. The fields of a
 * rank arrive in the order of their announcements, those of different ranks do not wait for each
 * other.
 *
 * Over a link that is slower than packing (link.h) each chunk travels packed, and is unpacked where
 * it is summed: the sum is of the pixels, so it proves them as they were.
 *
 * Two ranks may send the same tile: both bring final values (kernels/field.h). Into a frame in
 * device memory, where strided receives are slow, a field arrives in a block of its own and is
 * copied; so does one sent from device memory into a block of rank 0's device, if it lends one:
 * between devices of a machine MPI moves 100 to 370 GB/s (two H200s, Open MPI 4.1.4), from a device
 * to another rank's host memory 5.
 *
 * Only in a world of several ranks; called by the thread that opened the world. Private to
 * decomposition/. */
#ifndef DECOMPOSITION_TRANSPORT_PIXELS_H
#define DECOMPOSITION_TRANSPORT_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/message/message.h"
#include "decomposition/schedule/tile.h"
#include "decomposition/world/world_comm.h"
#include "kernels/field.h"

struct event;
struct job_memory;
struct pixels;

/* Rank 0: a tile of `rank` is here and whole: in the picture, or in `apart`, which is borrowed. */
typedef enum status pixels_arrived(void *context, int rank, const struct message *message,
                                   bool wanted, const struct field *apart);

struct pixels_use {
    struct world *world;
    /* Rank 0: */
    const struct job_memory *memory; /* for blocks; may be NULL */
    pixels_arrived *arrived;
    void *context;       /* handed to `arrived` */
    struct event *event; /* set when the thread has taken a chunk */
    unsigned spin_us;    /* see executor.h */
};

enum status pixels_open(struct pixels **pixels, const struct pixels_use *use);

/* Accepts NULL. Nothing may be under way but from ranks that were given up. */
void pixels_close(struct pixels *pixels);

/* Ranks > 0: sends a field of this tile whose planes lie one after the other, in host memory if it
 * is to be summed. how: enum message_pixels. *leaving is true until MPI has let go of the field. */
enum status pixels_send(struct pixels *pixels, const struct tile *tile, const struct field *field,
                        unsigned how, bool *leaving);

/* Rank 0: the field that `message` announced is to arrive in its window of `frame`. `wanted` is
 * handed to `arrived`. */
enum status pixels_expect(struct pixels *pixels, int rank, const struct message *message,
                          bool wanted, const struct tile *tile, const struct field *frame);

/* Lets MPI work, without waiting. *left: falls with every chunk that leaves or arrives, to 0. The
 * first failure is returned, of MPI or of `arrived`, or STATUS_INTERNAL when a sum is wrong; the
 * rest goes on. */
enum status pixels_progress(struct pixels *pixels, uint64_t *left);

/* Ranks > 0: bytes that have left this rank, sums included, as they travel. */
uint64_t pixels_sent(const struct pixels *pixels);

/* Rank 0: the job has failed; pixels that still come are thrown away, announced or not. */
void pixels_refuse(struct pixels *pixels);

/* Rank 0: sets what pixels_sent said on this rank; it sends no more. */
void pixels_total(struct pixels *pixels, int rank, uint64_t bytes);

/* Rank 0: stops waiting for this rank. A field of its that has half arrived is left to MPI. */
void pixels_give_up(struct pixels *pixels, int rank);

/* Rank 0: is nothing of this rank under way, and all here that it has sent? */
bool pixels_quiet(const struct pixels *pixels, int rank);

#endif
