/* Pixels of finished tiles on their way from other ranks to rank 0.
 *
 * A field travels in pieces, whole rows of one plane, in the order in which they lie in a packed
 * field; both ends cut a tile alike. Pieces leave from the memory that the tile was computed into
 * and arrive where they belong in the picture, those of narrow tiles by way of a small buffer.
 * Several are under way at a time, so that MPI has something to move at every look and naps between
 * looks cost little. The sum of a field follows it, so that a rank sums a piece while those before
 * it travel; on rank 0 a thread sums, while MPI copies the next. The fields of a rank arrive in the
 * order of their announcements, those of different ranks do not wait for each other.
 *
 * Two ranks may send the same tile: both bring final values (kernels/field.h). In device memory,
 * where strided receives are slow, a field arrives in a block of its own and is copied.
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
    void *context;       /* of `arrived` */
    struct event *event; /* set when the thread is through with a piece */
    unsigned spin_us;    /* see executor.h */
};

enum status pixels_open(struct pixels **pixels, const struct pixels_use *use);

/* Accepts NULL. Nothing may be under way but what was given up. */
void pixels_close(struct pixels *pixels);

/* A rank > 0: sends a packed field of this tile, in host memory if it is to be summed. *leaving is
 * true until MPI has let go of it. */
enum status pixels_send(struct pixels *pixels, const struct tile *tile, const struct field *field,
                        bool summed, bool *leaving);

/* Rank 0: what was announced by `message` is to arrive in its window of `frame`. `wanted` is handed
 * to `arrived`. */
enum status pixels_expect(struct pixels *pixels, int rank, const struct message *message,
                          bool wanted, const struct tile *tile, const struct field *frame);

/* Lets MPI work, without waiting. *left: falls with every piece that leaves or arrives, to 0. The
 * first failure is returned, of MPI or of `arrived`, or STATUS_INTERNAL when a sum is wrong; the
 * rest goes on. */
enum status pixels_progress(struct pixels *pixels, uint64_t *left);

/* Rank 0: the job has failed; what still comes is thrown away, announced or not. */
void pixels_refuse(struct pixels *pixels);

/* Rank 0: this rank has sent so many bytes and sends no more. */
void pixels_total(struct pixels *pixels, int rank, uint64_t bytes);

/* Rank 0: this rank is not waited for any more. A field of its that is half there stays MPI's. */
void pixels_give_up(struct pixels *pixels, int rank);

/* Rank 0: is nothing of this rank under way, and all here that it has sent? */
bool pixels_quiet(const struct pixels *pixels, int rank);

#endif
