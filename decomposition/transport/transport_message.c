#include "decomposition/transport/transport.h"

#include <assert.h>
#include <stdlib.h>

#include "decomposition/message/block.h"
#include "decomposition/message/message.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

/* A result on rank 0 lies in one of these; on other ranks in a block of the outbox. */
struct room {
    struct block block;
    bool taken;
};

struct end {
    const struct transport_site *site;
    struct outbox *outbox; /* ranks > 0 */
    struct room *room;     /* [rooms]; rank 0 */
    int rooms;
};

static enum status message_open(void **out, const struct transport_site *site)
{
    struct end *end = *out = calloc(1, sizeof *end);
    if (!end)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for results");
    end->site = site;
    if (site->world->rank > 0) /* as many on their way as are being computed */
        return outbox_open(&end->outbox, site->world, site->memory, 2 * site->fields, 0);
    int rooms = 2 * site->fields + 1; /* as many to be fetched, and one that is borrowed */
    end->room = calloc((size_t)rooms, sizeof *end->room);
    if (!end->room)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d results", rooms);
    end->rooms = rooms;
    return STATUS_OK;
}

static void message_close(void *at)
{
    struct end *end = at;
    if (!end)
        return;
    outbox_close(end->outbox);
    for (int i = 0; i < end->rooms; i++)
        block_give(&end->room[i].block);
    free(end->room);
    free(end);
}

static void *room_take(struct end *end, size_t bytes)
{
    int i = 0;
    while (i < end->rooms && end->room[i].taken)
        i++;
    if (i == end->rooms)
        return NULL;
    struct room *room = &end->room[i];
    if (!room->block.at || room->block.bytes < bytes) {
        block_give(&room->block);
        if (block_take(&room->block, end->site->memory, bytes) != STATUS_OK)
            return NULL;
    }
    room->taken = true;
    return room->block.at;
}

static bool message_place(void *at, const struct tile *tile, size_t bytes, struct field *out)
{
    struct end *end = at;
    (void)tile;
    *out = (struct field){.base = end->outbox ? outbox_take_room(end->outbox, bytes)
                                              : room_take(end, bytes)};
    return out->base != NULL;
}

static enum status message_send(void *at, struct message *message, const struct field *out)
{
    struct end *end = at;
    message->kind = MESSAGE_DONE;
    if (!end->outbox)
        return end->site->arrived(end->site->context, message, out);
    message->checksum = message_checksum(out->base, message->length);
    return outbox_send(end->outbox, out->base, message);
}

static void message_forget(void *at, const struct field *out)
{
    struct end *end = at;
    if (end->outbox) {
        outbox_forget(end->outbox, out->base);
        return;
    }
    int i = 0;
    while (end->room[i].block.at != (const unsigned char *)out->base)
        i++;
    assert(i < end->rooms && end->room[i].taken);
    end->room[i].taken = false;
}

static enum status message_progress(void *at, uint64_t *left)
{
    struct end *end = at;
    int under_way = 0;
    if (end->outbox)
        TRY(outbox_progress(end->outbox, &under_way));
    *left = (uint64_t)under_way;
    return STATUS_OK;
}

const struct transport_kind transport_message = {
    .name = "message",
    .summary = "results of any form, each in a message of its own",
    .announces = MESSAGE_DONE,
    .open = message_open,
    .close = message_close,
    .place = message_place,
    .send = message_send,
    .forget = message_forget,
    .progress = message_progress,
};
