#include "decomposition/transport.h"

#include "decomposition/lane.h"
#include "decomposition/outbox.h"
#include "decomposition/world_comm.h"

#include <stdlib.h>

/* Two fields in the lane and two on their way: computing goes on while tiles leave. When rank 0 is
 * slower than this rank, place() finds no free block and the rank waits. */
enum { STAGED_BLOCKS = LANE_DEPTH + 2 };

struct staged {
    const struct transport_site *site;
    struct outbox *outbox; /* NULL on rank 0 */
};

static enum status staged_open(void **end, const struct transport_site *site)
{
    struct staged *staged = *end = calloc(1, sizeof *staged);
    if (!staged)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the road home");
    staged->site = site;
    if (site->world->rank == 0)
        return STATUS_OK;
    return outbox_open(&staged->outbox, site->world, STAGED_BLOCKS, site->tile_bytes_max);
}

static void staged_close(void *end)
{
    struct staged *staged = end;
    if (staged)
        outbox_close(staged->outbox);
    free(staged);
}

static void *staged_place(void *end, size_t bytes)
{
    struct staged *staged = end;
    (void)bytes;
    return outbox_take(staged->outbox);
}

static enum status staged_send(void *end, struct message *message, void *field)
{
    struct staged *staged = end;
    message->kind = MESSAGE_TILE;
    message->checksum = message_checksum(field, message->length);
    return outbox_send(staged->outbox, field, message);
}

static enum status staged_progress(void *end, int *under_way)
{
    struct staged *staged = end;
    return outbox_progress(staged->outbox, under_way);
}

static enum status staged_accept(void *end, int rank, const struct message *message, void *payload)
{
    struct staged *staged = end;
    (void)rank;
    TRY(message_verify(message, payload));
    return staged->site->home(staged->site->context, message, payload);
}

static enum status staged_collect(void *end)
{
    (void)end;
    return STATUS_OK;
}

const struct transport_kind transport_staged = {
    .name = "staged",
    .summary = "each tile is sent when it is done, while the next one is computed",
    .needs_one_rank = false,
    .carries = true,
    .open = staged_open,
    .close = staged_close,
    .place = staged_place,
    .send = staged_send,
    .progress = staged_progress,
    .accept = staged_accept,
    .collect = staged_collect,
};
