#include "decomposition/transport/transport.h"

#include <stdlib.h>

#include "decomposition/message/message.h"
#include "decomposition/transport/parcels.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

struct end {
    struct parcels parcels; /* rank 0: results */
    struct outbox *outbox;  /* ranks > 0 */
    const struct transport_site *site;
};

static enum status message_open(void **out, const struct transport_site *site)
{
    struct end *end = *out = calloc(1, sizeof *end);
    if (!end)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for results");
    end->site = site;
    if (site->world->rank > 0) /* as many on their way as are being computed */
        return outbox_open(&end->outbox, site->world, site->memory, 2 * site->fields, 0);
    /* As many to be fetched as are being computed, and one that is borrowed. */
    return parcels_open(&end->parcels, site, 2 * site->fields + 1, 0, false);
}

static void message_close(void *at)
{
    struct end *end = at;
    if (!end)
        return;
    outbox_close(end->outbox);
    parcels_close(&end->parcels);
    free(end);
}

static void *parcel_take(struct parcels *parcels, size_t bytes)
{
    const struct parcel *parcel = parcels_take(parcels, bytes);
    return parcel ? parcel->block.at : NULL;
}

static bool message_place(void *at, const struct tile *tile, size_t bytes, struct field *out)
{
    struct end *end = at;
    (void)tile;
    *out = (struct field){.base = end->outbox ? outbox_take_room(end->outbox, bytes)
                                              : parcel_take(&end->parcels, bytes)};
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
    if (end->outbox)
        outbox_forget(end->outbox, out->base);
    else
        parcels_forget(end, out);
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
