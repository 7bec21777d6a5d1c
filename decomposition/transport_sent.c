#include "decomposition/transport.h"

#include <assert.h>
#include <stdlib.h>

#include "decomposition/block.h"
#include "decomposition/message.h"
#include "decomposition/outbox.h"
#include "decomposition/presence.h"
#include "decomposition/tile.h"
#include "decomposition/world_comm.h"

/* The header of a tile is host memory and its pixels are a device's, so they travel as two
 * messages, on two communicators. Both keep the order in which a rank sends, so the n-th field of a
 * rank belongs to its n-th announcement, and rank 0 receives one field for each, wanted or not: a
 * rank does not leave the job before its fields are gone. Where device memory is not to be had, or
 * not to be sent, the fields lie in host memory and take the same way. */

enum { RECEIVES = 4 }; /* fields under way to rank 0 at a time */

struct parcel {
    struct block block;
    MPI_Request request;    /* MPI_REQUEST_NULL: not under way */
    bool taken;             /* being filled */
    bool wanted;            /* rank 0: else it is thrown away */
    struct message message; /* rank 0: what it was announced by, if it is wanted */
};

struct sent {
    const struct transport_site *site;
    int parcels;
    struct parcel *parcel; /* [parcels]; rank 0: a ring */
    int oldest, waiting;   /* rank 0: the field that was announced first, and how many there are */
};

/* As many fields on their way as in the lanes, as `staged` has. */
static enum status sent_open(void **end, const struct transport_site *site)
{
    struct sent *sent = *end = calloc(1, sizeof *sent);
    if (!sent)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the road home");
    bool root = site->world->rank == 0;
    int parcels = root ? RECEIVES : 2 * site->fields;
    sent->site = site;
    sent->parcel = calloc((size_t)parcels, sizeof *sent->parcel);
    if (!sent->parcel)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d fields", parcels);
    size_t bytes = message_padded(site->tile_bytes_max);
    for (; sent->parcels < parcels; sent->parcels++) {
        struct parcel *parcel = &sent->parcel[sent->parcels];
        parcel->request = MPI_REQUEST_NULL;
        if (root && site->frame->space == MEMORY_HOST)
            TRY(block_take(&parcel->block, site->memory, bytes));
        else
            TRY(block_take_device(&parcel->block, site->memory, bytes));
    }
    return STATUS_OK;
}

static void sent_close(void *end)
{
    struct sent *sent = end;
    if (!sent)
        return;
    for (int i = 0; i < sent->parcels; i++)
        block_give(&sent->parcel[i].block);
    free(sent->parcel);
    free(sent);
}

/* --- the sending end -------------------------------------------------------------------------- */

static bool sent_place(void *end, const struct tile *tile, struct field *out)
{
    struct sent *sent = end;
    const struct transport_site *site = sent->site;
    int i = 0;
    while (i < sent->parcels &&
           (sent->parcel[i].taken || sent->parcel[i].request != MPI_REQUEST_NULL))
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

/* The pixels first: what is announced is on its way. */
static enum status sent_send(void *end, struct message *message, const struct field *out)
{
    struct sent *sent = end;
    const struct world *world = sent->site->world;
    struct parcel *parcel = parcel_of(sent, out);
    int units = (int)(message_padded(message->length) / MESSAGE_UNIT);
    message->kind = MESSAGE_SENT;
    message->checksum =
        out->space == MEMORY_HOST ? message_checksum(out->base, message->length) : 0;
    parcel->taken = false;
    TRY_MPI(MPI_Isend(parcel->block.at, units, world->unit, 0, MESSAGE_SENT, world->pixels,
                      &parcel->request));
    return outbox_announce(world, 0, message);
}

/* --- the receiving end ------------------------------------------------------------------------ */

/* Takes the oldest field home if it has arrived. */
static enum status deliver(struct sent *sent)
{
    const struct transport_site *site = sent->site;
    struct parcel *parcel = &sent->parcel[sent->oldest];
    int done = 0, units = 0;
    MPI_Status envelope;
    enum status status = world_check(MPI_Test(&parcel->request, &done, &envelope), "MPI_Test");
    if (status == STATUS_OK && !done)
        return STATUS_OK;
    sent->oldest = (sent->oldest + 1) % RECEIVES; /* one that failed will not come either */
    sent->waiting--;
    if (status != STATUS_OK || !parcel->wanted)
        return status;
    const struct message *message = &parcel->message;
    TRY_MPI(MPI_Get_count(&envelope, site->world->unit, &units));
    if ((size_t)(units < 0 ? 0 : units) * MESSAGE_UNIT != message_padded(message->length))
        return status_fail(STATUS_INTERNAL, "tile %u from rank %d arrived with %d units of %d",
                           message->tile, envelope.MPI_SOURCE, units, MESSAGE_UNIT);
    if (parcel->block.space == MEMORY_HOST)
        TRY(message_verify(message, parcel->block.at));
    return site->home(site->context, message, parcel->block.at, parcel->block.space);
}

/* Rank 0 waits for the oldest when all are under way: it is on its way, and asks nothing of us. The
 * receive is opened whatever happens, or the sender would wait for ever. */
static enum status expect(struct sent *sent, int rank, const struct message *message)
{
    const struct transport_site *site = sent->site;
    struct patience patience = {.spin_us = 0};
    enum status delivered = STATUS_OK;
    while (sent->waiting == RECEIVES) {
        delivered = deliver(sent);
        TRY(presence_wait(site->world));
        if (sent->waiting == RECEIVES)
            patience_nap(patience_us(&patience, NAP_MOST_US));
    }
    struct parcel *parcel = &sent->parcel[(sent->oldest + sent->waiting) % RECEIVES];
    parcel->wanted = message != NULL;
    if (message)
        parcel->message = *message;
    int units = (int)(message_padded(site->tile_bytes_max) / MESSAGE_UNIT);
    TRY_MPI(MPI_Irecv(parcel->block.at, units, site->world->unit, rank, MESSAGE_SENT,
                      site->world->pixels, &parcel->request));
    sent->waiting++;
    return delivered;
}

static enum status sent_accept(void *end, int rank, const struct message *message, void *payload)
{
    (void)payload;
    return expect(end, rank, message);
}

static enum status sent_refuse(void *end, int rank)
{
    return expect(end, rank, NULL);
}

/* --- both ------------------------------------------------------------------------------------- */

static enum status sent_progress(void *end, int *under_way)
{
    struct sent *sent = end;
    enum status status = STATUS_OK;
    for (int before = sent->waiting + 1; sent->waiting > 0 && sent->waiting < before;) {
        before = sent->waiting;
        enum status one = deliver(sent);
        status = status == STATUS_OK ? one : status;
    }
    *under_way = sent->waiting;
    for (int i = 0; i < sent->parcels && sent->site->world->rank != 0; i++) {
        int done = 1;
        if (sent->parcel[i].request != MPI_REQUEST_NULL)
            TRY_MPI(MPI_Test(&sent->parcel[i].request, &done, MPI_STATUS_IGNORE));
        *under_way += !done;
    }
    return status;
}

const struct transport_kind transport_sent = {
    .name = "sent",
    .summary = "each tile is sent from device memory, where MPI is proven to do that",
    .in_place = false,
    .announces = MESSAGE_SENT,
    .open = sent_open,
    .close = sent_close,
    .place = sent_place,
    .send = sent_send,
    .forget = sent_forget,
    .progress = sent_progress,
    .accept = sent_accept,
    .refuse = sent_refuse,
};
