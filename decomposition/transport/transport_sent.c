#include "decomposition/transport/transport.h"

#include <stdlib.h>

#include "decomposition/message/message.h"
#include "decomposition/transport/pixels.h"
#include "decomposition/transport/result_buffers.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

/* Two rows that send each tile when it is done. They differ in the memory that it is computed into:
 * the host's, or a device's where MPI is proven to send it (else the host's, too). */

struct sent {
    struct result_buffers buffers;
    struct pixels *pixels;
};

/* Takes buffers for as many fields on their way as in the threads: computing goes on while tiles
 * leave. When rank 0 is slower than this rank, none is free and the rank waits. */
static enum status either_open(void **end, const struct transport_site *site, bool of_device)
{
    struct sent *sent = *end = calloc(1, sizeof *sent);
    if (!sent)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the transport");
    TRY(result_buffers_open(&sent->buffers, site, 2 * site->fields, site->tile_bytes_max,
                            of_device));
    return pixels_open(&sent->pixels, &(struct pixels_use){.world = site->world});
}

static enum status staged_open(void **end, const struct transport_site *site)
{
    return either_open(end, site, false);
}

static enum status sent_open(void **end, const struct transport_site *site)
{
    return either_open(end, site, true);
}

static void sent_close(void *end)
{
    struct sent *sent = end;
    if (!sent)
        return;
    result_buffers_close(&sent->buffers);
    pixels_close(sent->pixels);
    free(sent);
}

static enum status sent_progress(void *end, uint64_t *left)
{
    struct sent *sent = end;
    return pixels_progress(sent->pixels, left);
}

static enum status sent_send(void *end, struct message *message, const struct field *out)
{
    struct sent *sent = end;
    const struct transport_site *site = sent->buffers.site;
    message->kind = MESSAGE_TILE;
    unsigned how = out->space != MEMORY_HOST ? 0
                   : site->world->packs      ? MESSAGE_SUMMED | MESSAGE_PACKED
                                             : MESSAGE_SUMMED;
    message->checksum = how;
    TRY(pixels_send(sent->pixels, &site->tiles[message->task], out, how,
                    &result_buffers_at(&sent->buffers, out->base)->taken));
    return outbox_announce(site->world, 0, message);
}

static uint64_t sent_sent(const void *end)
{
    const struct sent *sent = end;
    return pixels_sent(sent->pixels);
}

/* Two tiles of each device are computed, as many are leaving. */
static uint64_t sent_worker_bytes(const struct transport_load *load)
{
    uint64_t most = 4 * load->devices;
    return (load->tiles < most ? load->tiles : most) * load->tile_bytes;
}

/* Blocks for the tiles that are arriving. */
static uint64_t sent_root_bytes(const struct transport_load *load)
{
    return 4 * load->tile_bytes;
}

#define SENT_VERBS                                                                         \
    .in_place = false, .announces = MESSAGE_TILE, .close = sent_close,                     \
    .reserve = result_buffers_reserve, .send = sent_send, .forget = result_buffers_forget, \
    .progress = sent_progress, .sent = sent_sent, .worker_bytes = sent_worker_bytes,       \
    .root_bytes = sent_root_bytes

const struct transport_kind transport_staged = {
    .name = "staged",
    .summary = "each tile is sent when it is done, while the next one is computed",
    .open = staged_open,
    SENT_VERBS,
};

const struct transport_kind transport_sent = {
    .name = "sent",
    .summary = "each tile is sent from device memory, where MPI is proven to do that",
    .device_memory = true,
    .open = sent_open,
    SENT_VERBS,
};
