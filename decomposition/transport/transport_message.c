#include "decomposition/transport/transport.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/message/message.h"
#include "decomposition/transport/packing.h"
#include "decomposition/transport/result_buffers.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

enum { PACKED_LEAST = 1024 }; /* shorter results are one packet of the network anyway */

struct message_end {
    struct result_buffers buffers; /* rank 0: results */
    struct outbox *outbox;         /* ranks > 0 */
    struct packing *packing;       /* NULL: nothing was packed yet */
    unsigned char *packed;         /* room for a packed result; owned; grows */
    size_t room;
    const struct transport_site *site;
};

static enum status message_open(void **out, const struct transport_site *site)
{
    struct message_end *end = *out = calloc(1, sizeof *end);
    if (!end)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for results");
    end->site = site;
    if (site->world->rank > 0) /* as many results on their way as are being computed */
        return outbox_open(&end->outbox, site->world, site->memory, 2 * site->fields, 0);
    /* As many results wait for the caller as are being computed, and it borrows one. */
    return result_buffers_open(&end->buffers, site, 2 * site->fields + 1, 0, false);
}

static void message_close(void *at)
{
    struct message_end *end = at;
    if (!end)
        return;
    packing_destroy(end->packing);
    free(end->packed);
    outbox_close(end->outbox);
    result_buffers_close(&end->buffers);
    free(end);
}

static void *buffer_take(struct result_buffers *buffers, size_t bytes)
{
    const struct result_buffer *buffer = result_buffers_take(buffers, bytes);
    return buffer ? buffer->block.at : NULL;
}

static bool message_reserve(void *at, const struct tile *tile, size_t bytes, struct field *out)
{
    struct message_end *end = at;
    (void)tile;
    *out = (struct field){.base = end->outbox ? outbox_take_room(end->outbox, bytes)
                                              : buffer_take(&end->buffers, bytes)};
    return out->base != NULL;
}

/* Memory to pack a result of so many bytes. Without it the result travels as it is. */
static bool room_take(struct message_end *end, size_t bytes)
{
    size_t wanted = packing_room(bytes);
    if (!end->packing)
        end->packing = packing_create();
    if (end->room >= wanted)
        return end->packing != NULL;
    free(end->packed);
    end->packed = malloc(wanted);
    end->room = end->packed ? wanted : 0;
    return end->packing && end->packed;
}

/* Packs a result where it lies, over a slow link and where it becomes shorter. */
static void result_pack(struct message_end *end, struct message *message, void *result)
{
    size_t bytes = message->length, length = bytes;
    size_t whole = packing_whole(bytes);
    if (!end->site->world->packs || bytes < PACKED_LEAST || !room_take(end, whole) ||
        packing_pack(end->packing, result, whole, PACKING_WORD, end->packed, &length) !=
            STATUS_OK ||
        length >= bytes)
        return;
    memcpy(result, end->packed, length);
    message->offset = bytes;
    message->length = length;
}

static enum status message_send(void *at, struct message *message, const struct field *out)
{
    struct message_end *end = at;
    message->kind = MESSAGE_DONE;
    if (!end->outbox)
        return end->site->arrived(end->site->context, message, out);
    result_pack(end, message, out->base);
    message->checksum = message_checksum(out->base, message->length);
    return outbox_send(end->outbox, out->base, message);
}

static void message_forget(void *at, const struct field *out)
{
    struct message_end *end = at;
    if (end->outbox)
        outbox_forget(end->outbox, out->base);
    else
        result_buffers_forget(end, out);
}

static enum status message_progress(void *at, uint64_t *left)
{
    struct message_end *end = at;
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
    .reserve = message_reserve,
    .send = message_send,
    .forget = message_forget,
    .progress = message_progress,
};
