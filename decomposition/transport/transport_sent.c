#include "decomposition/transport/transport.h"

#include <assert.h>
#include <stdlib.h>

#include "decomposition/message/block.h"
#include "decomposition/message/message.h"
#include "decomposition/transport/pixels.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

/* Two rows that send each tile when it is done. They differ in the memory that it is computed into:
 * the host's, or that of a device where MPI is proven to send it (else the host's, too). */

struct parcel {
    struct block block;
    bool taken;   /* being filled */
    bool leaving; /* until MPI has let go of it */
};

struct sent {
    const struct transport_site *site;
    struct pixels *pixels;
    int parcels;
    struct parcel *parcel; /* [parcels] */
};

/* As many fields on their way as in the threads: computing goes on while tiles leave. When rank 0
 * is slower than this rank, place() finds no free parcel and the rank waits. */
static enum status parcels_open(void **end, const struct transport_site *site,
                                enum status (*take)(struct block *, const struct job_memory *,
                                                    size_t))
{
    struct sent *sent = *end = calloc(1, sizeof *sent);
    if (!sent)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the transport");
    int parcels = 2 * site->fields;
    sent->site = site;
    sent->parcel = calloc((size_t)parcels, sizeof *sent->parcel);
    if (!sent->parcel)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d fields", parcels);
    for (; sent->parcels < parcels; sent->parcels++)
        TRY(take(&sent->parcel[sent->parcels].block, site->memory, site->tile_bytes_max));
    return pixels_open(&sent->pixels, &(struct pixels_use){.world = site->world});
}

static enum status staged_open(void **end, const struct transport_site *site)
{
    return parcels_open(end, site, block_take);
}

static enum status sent_open(void **end, const struct transport_site *site)
{
    return parcels_open(end, site, block_take_device);
}

static void sent_close(void *end)
{
    struct sent *sent = end;
    if (!sent)
        return;
    for (int i = 0; i < sent->parcels; i++)
        block_give(&sent->parcel[i].block);
    pixels_close(sent->pixels);
    free(sent->parcel);
    free(sent);
}

static bool sent_place(void *end, const struct tile *tile, size_t bytes, struct field *out)
{
    struct sent *sent = end;
    const struct transport_site *site = sent->site;
    int i = 0;
    (void)bytes;
    while (i < sent->parcels && (sent->parcel[i].taken || sent->parcel[i].leaving))
        i++;
    if (i == sent->parcels)
        return false;
    struct parcel *parcel = &sent->parcel[i];
    parcel->taken = true;
    field_over(out, tile->width, tile->height, site->planes, site->count_bytes, parcel->block.at);
    out->space = parcel->block.space;
    return true;
}

static struct parcel *parcel_of(const struct sent *sent, const struct field *out)
{
    int i = 0;
    while (sent->parcel[i].block.at != (const unsigned char *)out->base)
        i++;
    assert(i < sent->parcels && sent->parcel[i].taken);
    return &sent->parcel[i];
}

static void sent_forget(void *end, const struct field *out)
{
    parcel_of(end, out)->taken = false;
}

static enum status sent_progress(void *end, uint64_t *left)
{
    struct sent *sent = end;
    return pixels_progress(sent->pixels, left);
}

static enum status sent_send(void *end, struct message *message, const struct field *out)
{
    struct sent *sent = end;
    const struct transport_site *site = sent->site;
    struct parcel *parcel = parcel_of(sent, out);
    message->kind = MESSAGE_TILE;
    message->checksum = out->space == MEMORY_HOST;
    parcel->taken = false;
    TRY(pixels_send(sent->pixels, &site->tiles[message->task], out, message->checksum,
                    &parcel->leaving));
    return outbox_announce(site->world, 0, message);
}

/* Two tiles of each device are computed, as many are leaving. */
static uint64_t sent_worker_bytes(const struct transport_load *load)
{
    uint64_t most = 4 * load->devices;
    return (load->tiles < most ? load->tiles : most) * load->tile_bytes;
}

/* Tiles that are arriving. */
static uint64_t sent_root_bytes(const struct transport_load *load)
{
    return 4 * load->tile_bytes;
}

#define SENT_VERBS                                                                          \
    .in_place = false, .announces = MESSAGE_TILE, .close = sent_close, .place = sent_place, \
    .send = sent_send, .forget = sent_forget, .progress = sent_progress,                    \
    .worker_bytes = sent_worker_bytes, .root_bytes = sent_root_bytes

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
