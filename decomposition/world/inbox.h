/* Messages that have arrived at this rank.
 *
 * Keeps a few receives open and hands out what is complete, decoded and of the right epoch; what
 * is older is dropped and counted. Those of one rank come in the order in which it sent them. Never
 * blocks. Used by rank 0 for tiles and by the workers for
 * commands. Only in a world of several ranks; called by the thread that opened the world. Private
 * to decomposition/. */
#ifndef DECOMPOSITION_WORLD_INBOX_H
#define DECOMPOSITION_WORLD_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decomposition/message/message.h"
#include "decomposition/world/world_comm.h"

struct inbox;
struct job_memory;

struct arrival {
    int rank; /* who sent it */
    struct message message;
    void *payload;     /* aligned to MESSAGE_UNIT; borrowed until inbox_release */
    size_t length;     /* bytes of the payload, whole units; >= message.length when it is inside */
    int slot;          /* for inbox_release */
    double transfer_s; /* from its announcement by MPI to its last byte */
};

/* `slots` receives at a time, of payloads of up to `payload_bytes`; a longer one gets its memory
 * when it comes. `epoch` 0: messages of every epoch are handed out. `memory`: for the blocks; may
 * be NULL. */
enum status inbox_open(struct inbox **inbox, const struct world *world, uint64_t epoch, int slots,
                       size_t payload_bytes, const struct job_memory *memory);

/* No receive may be open. Accepts NULL. */
void inbox_close(struct inbox *inbox);

/* Looks once. *any: is there an arrival? Fails with STATUS_SYSTEM, or STATUS_INTERNAL for a
 * message that is damaged, shorter than it says, or of an epoch yet to come; if *any is true then,
 * arrival->rank and arrival->message.kind are known from the envelope (whoever waits for the last
 * message of a rank must not wait for ever because it was damaged) and nothing is to be released.
 */
enum status inbox_poll(struct inbox *inbox, struct arrival *arrival, bool *any);

/* Gives the memory of an arrival back. */
void inbox_release(struct inbox *inbox, const struct arrival *arrival);

/* Receives that wait for the rest of this rank's messages are to keep no others waiting: there are
 * as many more at a time. */
enum status inbox_widen(struct inbox *inbox, int rank);

/* This rank has ended, or is given up: receives that wait for the rest of its messages are open no
 * more. Their memory is MPI's for ever. */
void inbox_give_up(struct inbox *inbox, int rank);

/* Is no receive open? */
bool inbox_quiet(const struct inbox *inbox);

uint64_t inbox_late(const struct inbox *inbox);

#endif
