/* Messages between ranks, and the checks of what is received.
 *
 * Every message is a header of MESSAGE_BYTES and a payload, in one block, so that one send carries
 * both. A receive that completes proves nothing (Open MPI 4.1 over TCP completed one with none of
 * the bytes delivered when the sender died): the header sums itself and its payload with XXH3, 64
 * bit. That is wider than a CRC-32 and about ten times faster than a table-driven one.
 *
 * Blocks are sent in units of MESSAGE_UNIT bytes, so that the int counts of MPI reach 128 GiB.
 * Pure; no communication. Numbers are little-endian in the block. */
#ifndef DECOMPOSITION_MESSAGE_MESSAGE_H
#define DECOMPOSITION_MESSAGE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum { MESSAGE_UNIT = 64, MESSAGE_BYTES = 128, MESSAGE_VERSION = 12 };

enum message_kind {
    /* From rank 0 to a worker: */
    MESSAGE_CONTEXT, /* everything older is useless; `length` bytes follow by themselves */
    MESSAGE_CANCEL,  /* the tasks that were given are useless, but the context stays; of a picture:
                      * all are done */
    MESSAGE_TASK,    /* compute `task`; the payload, if any, is a struct pool_task */
    MESSAGE_GATHER,  /* join in the collective (gather.h) */
    MESSAGE_END,     /* nothing is wanted any more */
    /* From a worker to rank 0. `task` is done: */
    MESSAGE_TILE,     /* its field follows at once (pixels.h) */
    MESSAGE_KEPT,     /* its field is kept until GATHER */
    MESSAGE_IN_PLACE, /* its field is in the frame already */
    MESSAGE_DONE, /* the payload is its result; or, with a `status`, it failed, and a pool_note */
    /* About the worker itself; offset, iterations and busy_s say what it has dropped so far: */
    MESSAGE_GOT,   /* the last CONTEXT or CANCEL is here, another may be sent */
    MESSAGE_READY, /* for tasks of that context, or not, by `status`; a pool_note, if it has news */
    MESSAGE_FAIL,  /* `status`, and a pool_note: nothing more is to be expected of it */
    MESSAGE_BYE,   /* its last message; a pool_note */
    MESSAGE_KINDS
};

/* How the pixels of a TILE follow, added up. */
enum message_pixels {
    MESSAGE_SUMMED = 1, /* with their sum behind them */
    MESSAGE_PACKED = 2  /* each chunk packed: transport/packing.h */
};

struct message {
    enum message_kind kind;
    enum status status;
    uint64_t epoch;      /* the pool's: messages of an older one are dropped */
    uint32_t sequence;   /* number of rank 0's order: what carries an older one is useless */
    uint32_t task;       /* its number */
    uint64_t length;     /* bytes of the field or the payload, as they travel */
    uint64_t offset;     /* BYE: bytes of pixels that were sent; CONTEXT: its epoch; KEPT: of
                          * its field in the share; GOT of a picture: length of the share;
                          * DONE: bytes of the result where its payload is packed, else 0 */
    uint64_t checksum;   /* sum of the `length` bytes; 0: none, see message_verify. TILE: enum
                          * message_pixels */
    uint64_t iterations; /* finished tasks: spent on this one */
    double busy_s;       /* finished tasks: inside compute, for this one */
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
struct message_sum *message_sum_create(void); /* sum of no bytes yet; NULL: no memory */
void message_sum_destroy(struct message_sum *sum);
void message_sum_begin(struct message_sum *sum);
void message_sum_add(struct message_sum *sum, const void *bytes, size_t length);
uint64_t message_sum_end(const struct message_sum *sum);

/* STATUS_INTERNAL with a sentence about this task. */
enum status message_damaged(const struct message *message);

/* Are these the bytes that were announced? STATUS_INTERNAL if not. Nobody sums pixels that cross no
 * network (IN_PLACE) or come from device memory, which the processor cannot read: 0 is always
 * right. */
enum status message_verify(const struct message *message, const void *payload);

/* Length rounded up to whole units. */
size_t message_padded(size_t length);

#endif
