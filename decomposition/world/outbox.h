/* Messages on their way from this rank.
 *
 * An outbox is a fixed number of blocks, each a header and a payload; a block is filled in place,
 * sent without waiting, and free again when MPI has let go of it. Memory is taken once. Only in a
 * world of several ranks; called by the thread that opened the world. Private to
 * decomposition/. */
#ifndef DECOMPOSITION_WORLD_OUTBOX_H
#define DECOMPOSITION_WORLD_OUTBOX_H

#include <stddef.h>

#include "decomposition/message/message.h"
#include "decomposition/world/world_comm.h"

struct job_memory;
struct outbox;

/* `memory`: for the blocks; may be NULL. */
enum status outbox_open(struct outbox **outbox, const struct world *world,
                        const struct job_memory *memory, int blocks, size_t payload_bytes);

/* Every send must be complete. Accepts NULL. */
void outbox_close(struct outbox *outbox);

/* The payload of a free block, aligned to MESSAGE_UNIT, with room for so many bytes, taken until it
 * is sent; NULL if all are taken or under way, or there is no memory for it. */
void *outbox_take_room(struct outbox *outbox, size_t payload_bytes);

/* Sends a block that outbox_take_room gave, with this header, to rank 0. Does not wait. */
enum status outbox_send(struct outbox *outbox, void *payload, const struct message *message);

/* Gives a block back that will not be sent. */
void outbox_forget(struct outbox *outbox, const void *payload);

/* Lets MPI work. *under_way: sends that are not complete. */
enum status outbox_progress(struct outbox *outbox, int *under_way);

enum { OUTBOX_POST_BYTES = 2048 }; /* longest payload of outbox_post */

/* Sends one short message at once; length and checksum are filled in. Returns when MPI has the
 * bytes: rank 0 and a worker may do this to each other at the same moment, and every MPI keeps
 * messages this short until they are fetched (Open MPI: 4 KiB in memory, 64 KiB over TCP). Rank 0
 * drops what it cannot send to a rank that is lost. */
enum status outbox_post(const struct world *world, int rank, struct message *message,
                        const void *payload, size_t length);

/* The same for a header alone; it speaks of `length` bytes that are elsewhere. */
enum status outbox_announce(const struct world *world, int rank, const struct message *message);

#endif
