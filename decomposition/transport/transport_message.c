#include "decomposition/transport/transport.h"

#include <stdlib.h>

#include "decomposition/message/message.h"
#include "decomposition/transport/result_buffers.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

struct message_end {
    struct result_buffers buffers; /* rank 0: results */
    struct outbox *outbox;         /* ranks > 0 */
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

static enum status message_send(void *at, struct message *message, const struct field *out)
{
    struct message_end *end = at;
    message->kind = MESSAGE_DONE;
    if (!end->outbox)
        return end->site->arrived(end->site->context, message, out);
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
