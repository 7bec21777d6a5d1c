/* What does a message between ranks look like, and can it be believed?
 *
 * Every message is a header of MESSAGE_BYTES and a payload, in one block, so that one send carries
 * both. A receive that completes proves nothing (Open MPI 4.1 over TCP completed one with none of
 * the bytes delivered when the sender died): the header sums itself and its payload with XXH3, 64
 * bit. That is wider than a CRC-32 and about ten times faster than a table-driven one.
 *
 * Blocks are sent in units of MESSAGE_UNIT bytes, so that the int counts of MPI reach 128 GiB.
 * Pure; no communication. Numbers are little-endian in the block. */
#ifndef DECOMPOSITION_MESSAGE_H
#define DECOMPOSITION_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum { MESSAGE_UNIT = 64, MESSAGE_BYTES = 128, MESSAGE_VERSION = 5 };

enum message_kind {
    MESSAGE_TAKE, /* rank 0 -> worker: compute `tile` */
    MESSAGE_END,  /* rank 0 -> worker: nothing is wanted any more; `status`: is all well? */
    MESSAGE_TILE, /* worker -> rank 0: `tile` is done, its field follows at once (pixels.h) */
    MESSAGE_KEPT, /* worker -> rank 0: `tile` is done, its field follows after END */
    MESSAGE_HOME, /* worker -> rank 0: `tile` is done, and in the frame already */
    MESSAGE_LOST, /* worker -> rank 0: a device failed over `tile`; the payload says how */
    MESSAGE_FAIL, /* worker -> rank 0: `status`; the payload is the sentence */
    MESSAGE_BYE,  /* worker -> rank 0: its last message of the job; the payload is a job_rank */
    /* Of sessions. Their epoch is the turn of rank 0's orders. A worker's word about itself says in
     * offset, iterations and busy_s what it has dropped so far. */
    MESSAGE_SCENE, /* rank 0 -> worker: the older is useless; `length` bytes follow by themselves */
    MESSAGE_STOP,  /* rank 0 -> worker: what you have is useless, but the scene stays */
    MESSAGE_TASK,  /* rank 0 -> worker: compute the payload, a session_task, under number `tile` */
    MESSAGE_GOT,   /* worker -> rank 0: the last order is here, you may send another */
    MESSAGE_READY, /* worker -> rank 0: give me tasks; or `status`, and the payload says why not */
    MESSAGE_DONE,  /* worker -> rank 0: task `tile` is done; the payload is its result, or a note */
    MESSAGE_HEART, /* worker -> rank 0: I am at work */
    MESSAGE_KINDS
};

struct message {
    enum message_kind kind;
    enum status status;
    uint64_t epoch;
    uint32_t tile;       /* index in the list of tiles */
    uint32_t level;      /* of refinement; 0 = full resolution */
    uint64_t length;     /* of the field or the payload, bytes */
    uint64_t offset;     /* BYE: bytes of pixels that were sent; SCENE: its epoch */
    uint64_t checksum;   /* of those `length` bytes; 0: none, see message_verify */
    uint64_t iterations; /* finished tiles: spent on this one */
    double busy_s;       /* finished tiles: inside compute, for this one */
};

/* Writes the header into `bytes` [MESSAGE_BYTES]. */
void message_encode(const struct message *message, void *bytes);

/* Reads the header of a block of `length` bytes. Fails with STATUS_INTERNAL, saying why, on a
 * short block, a foreign magic or version, a wrong sum or a value out of range. */
enum status message_decode(struct message *message, const void *bytes, size_t length);

/* XXH3-64 of a payload. 0 bytes are allowed. */
uint64_t message_checksum(const void *payload, size_t length);

/* The same of bytes that come in parts. */
struct message_sum;
struct message_sum *message_sum_create(void); /* of no bytes yet; NULL: no memory */
void message_sum_destroy(struct message_sum *sum);
void message_sum_begin(struct message_sum *sum);
void message_sum_add(struct message_sum *sum, const void *bytes, size_t length);
uint64_t message_sum_end(const struct message_sum *sum);

/* STATUS_INTERNAL with a sentence about this tile. */
enum status message_damaged(const struct message *message);

/* Are these the bytes that were announced? STATUS_INTERNAL if not. Nobody sums pixels that cross no
 * network (HOME) or come from device memory, which the processor cannot read: 0 is always right. */
enum status message_verify(const struct message *message, const void *payload);

/* Length rounded up to whole units. */
size_t message_padded(size_t length);

#endif
