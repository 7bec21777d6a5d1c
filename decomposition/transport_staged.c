#include "decomposition/transport.h"

#include "decomposition/message.h"
#include "decomposition/outbox.h"
#include "decomposition/tile.h"
#include "decomposition/world_comm.h"

#include <stdlib.h>

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
    /* As many fields on their way as in the lanes: computing goes on while tiles leave. When rank 0
     * is slower than this rank, place() finds no free block and the rank waits. */
    return outbox_open(&staged->outbox, site->world, site->memory, 2 * site->fields,
                       site->tile_bytes_max);
}

static void staged_close(void *end)
{
    struct staged *staged = end;
    if (staged)
        outbox_close(staged->outbox);
    free(staged);
}

static bool staged_place(void *end, const struct tile *tile, struct field *out)
{
    struct staged *staged = end;
    void *block = outbox_take(staged->outbox);
    if (block)
        field_over(out, tile->width, tile->height, staged->site->planes, staged->site->count_bytes,
                   block);
    return block != NULL;
}

static enum status staged_send(void *end, struct message *message, const struct field *out)
{
    struct staged *staged = end;
    message->kind = MESSAGE_TILE;
    message->checksum = message_checksum(out->base, message->length);
    return outbox_send(staged->outbox, out->base, message);
}

static void staged_forget(void *end, const struct field *out)
{
    struct staged *staged = end;
    outbox_forget(staged->outbox, out->base);
}

static enum status staged_progress(void *end, int *under_way)
{
    struct staged *staged = end;
    *under_way = 0;
    return staged->outbox ? outbox_progress(staged->outbox, under_way) : STATUS_OK;
}

static enum status staged_accept(void *end, int rank, const struct message *message, void *payload)
{
    struct staged *staged = end;
    (void)rank;
    TRY(message_verify(message, payload));
    return staged->site->home(staged->site->context, message, payload, MEMORY_HOST);
}

const struct transport_kind transport_staged = {
    .name = "staged",
    .summary = "each tile is sent when it is done, while the next one is computed",
    .in_place = false,
    .announces = MESSAGE_TILE,
    .open = staged_open,
    .close = staged_close,
    .place = staged_place,
    .send = staged_send,
    .forget = staged_forget,
    .progress = staged_progress,
    .accept = staged_accept,
};
