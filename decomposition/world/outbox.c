#include "decomposition/world/outbox.h"

#include "decomposition/message/block.h"
#include "decomposition/world/presence.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct outbox {
    const struct world *world;
    const struct job_memory *memory;
    int blocks;
    struct block *block;  /* [blocks] */
    bool *taken;          /* [blocks]: being filled */
    MPI_Request *request; /* [blocks]; MPI_REQUEST_NULL: not under way */
};

enum status outbox_open(struct outbox **out, const struct world *world,
                        const struct job_memory *memory, int blocks, size_t payload_bytes)
{
    *out = NULL;
    struct outbox *outbox = calloc(1, sizeof *outbox);
    if (!outbox)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an outbox");
    outbox->world = world;
    outbox->memory = memory;
    size_t n = (size_t)blocks, bytes = MESSAGE_BYTES + message_padded(payload_bytes);
    outbox->block = calloc(n, sizeof *outbox->block);
    outbox->taken = calloc(n, sizeof *outbox->taken);
    outbox->request = calloc(n, sizeof *outbox->request);
    enum status status = STATUS_OK;
    if (!outbox->block || !outbox->taken || !outbox->request)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for an outbox of %d", blocks);
    for (int i = 0; i < blocks && status == STATUS_OK; i++) {
        outbox->request[i] = MPI_REQUEST_NULL;
        status = block_take(&outbox->block[i], memory, bytes);
        outbox->blocks = i + 1;
    }
    if (status != STATUS_OK) {
        outbox_close(outbox);
        return status;
    }
    *out = outbox;
    return STATUS_OK;
}

void outbox_close(struct outbox *outbox)
{
    if (!outbox)
        return;
    for (int i = 0; i < outbox->blocks; i++)
        block_give(&outbox->block[i]);
    free(outbox->block);
    free(outbox->taken);
    free(outbox->request);
    free(outbox);
}

static int free_block(const struct outbox *outbox)
{
    int i = 0;
    while (i < outbox->blocks && (outbox->taken[i] || outbox->request[i] != MPI_REQUEST_NULL))
        i++;
    return i;
}

static void *payload_take(struct outbox *outbox, int i)
{
    outbox->taken[i] = true;
    return outbox->block[i].at + MESSAGE_BYTES;
}

void *outbox_take_room(struct outbox *outbox, size_t payload_bytes)
{
    int i = free_block(outbox);
    if (i == outbox->blocks)
        return NULL;
    struct block *block = &outbox->block[i];
    size_t bytes = MESSAGE_BYTES + message_padded(payload_bytes);
    if (block->at && block->bytes >= bytes)
        return payload_take(outbox, i);
    block_give(block);
    return block_take(block, outbox->memory, bytes) == STATUS_OK ? payload_take(outbox, i) : NULL;
}

static int block_of(const struct outbox *outbox, const void *payload)
{
    int i = 0;
    while (outbox->block[i].at + MESSAGE_BYTES != (const unsigned char *)payload)
        i++;
    assert(i < outbox->blocks && outbox->taken[i]);
    return i;
}

void outbox_forget(struct outbox *outbox, const void *payload)
{
    outbox->taken[block_of(outbox, payload)] = false;
}

/* The tag repeats the kind, so that a damaged header still says what it was. */
enum status outbox_send(struct outbox *outbox, void *payload, const struct message *message)
{
    int i = block_of(outbox, payload);
    message_encode(message, outbox->block[i].at);
    int units = (int)((MESSAGE_BYTES + message_padded(message->length)) / MESSAGE_UNIT);
    outbox->taken[i] = false;
    return world_check(MPI_Isend(outbox->block[i].at, units, outbox->world->unit, 0, message->kind,
                                 outbox->world->tiles, &outbox->request[i]),
                       "MPI_Isend");
}

enum status outbox_progress(struct outbox *outbox, int *under_way)
{
    *under_way = 0;
    for (int i = 0; i < outbox->blocks; i++) {
        int done = 1;
        if (outbox->request[i] != MPI_REQUEST_NULL)
            TRY_MPI(MPI_Test(&outbox->request[i], &done, MPI_STATUS_IGNORE));
        *under_way += !done;
    }
    return STATUS_OK;
}

/* MPI waits for ever for the connection to a process that has ended, or fails, as Open MPI 5 does
 * over TCP in a job that may go on (ULFM). What cannot be sent to a rank that is lost stays MPI's,
 * as a copy. */
static enum status send_unless_lost(const struct world *world, const void *bytes, int count,
                                    MPI_Datatype type, int rank, int tag, MPI_Comm comm)
{
    struct patience patience = {.spin_us = 0};
    MPI_Request request = MPI_REQUEST_NULL;
    int size = 0, done = 0;
    TRY_MPI(MPI_Type_size(type, &size));
    void *copy = malloc((size_t)count * (size_t)size);
    if (!copy)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a message");
    memcpy(copy, bytes, (size_t)count * (size_t)size);
    int result = MPI_Isend(copy, count, type, rank, tag, comm, &request);
    if (world_says_ended(result)) {
        free(copy);
        return STATUS_OK;
    }
    enum status status = world_check(result, "MPI_Isend");
    while (status == STATUS_OK) {
        result = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (world_says_ended(result))
            return STATUS_OK;
        status = world_check(result, "MPI_Test");
        if (done || status != STATUS_OK)
            break;
        presence_poll(world);
        if (presence_lost(world, rank))
            return STATUS_OK;
        patience_nap(patience_us(&patience, NAP_MOST_US));
    }
    free(copy);
    return status;
}

enum status outbox_post(const struct world *world, int rank, struct message *message,
                        const void *payload, size_t length)
{
    unsigned char block[MESSAGE_BYTES + OUTBOX_POST_BYTES];
    assert(length <= OUTBOX_POST_BYTES);
    size_t padded = message_padded(length);
    memset(block + MESSAGE_BYTES, 0, padded);
    if (length)
        memcpy(block + MESSAGE_BYTES, payload, length);
    message->length = length;
    message->checksum = message_checksum(block + MESSAGE_BYTES, length);
    message_encode(message, block);
    int units = (int)((MESSAGE_BYTES + padded) / MESSAGE_UNIT);
    if (world->rank == 0)
        return send_unless_lost(world, block, units, world->unit, rank, message->kind,
                                world->tiles);
    return world_check(MPI_Send(block, units, world->unit, rank, message->kind, world->tiles),
                       "MPI_Send");
}

enum status outbox_announce(const struct world *world, int rank, const struct message *message)
{
    unsigned char block[MESSAGE_BYTES];
    message_encode(message, block);
    return world_check(MPI_Send(block, MESSAGE_BYTES / MESSAGE_UNIT, world->unit, rank,
                                message->kind, world->tiles),
                       "MPI_Send");
}
