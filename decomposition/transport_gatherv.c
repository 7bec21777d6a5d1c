#include "decomposition/transport.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "decomposition/block.h"
#include "decomposition/message.h"
#include "decomposition/outbox.h"
#include "decomposition/tile.h"
#include "decomposition/world_comm.h"

struct kept { /* a tile that waits on a worker; on rank 0 */
    int rank; /* -1: none */
    struct message message;
};

struct gatherv {
    const struct transport_site *site;
    struct block block; /* workers: the fields kept here; rank 0: those of all */
    size_t used;
    struct kept *kept;       /* [tile_count]; rank 0 */
    int *units, *first_unit; /* [world size]: what each rank owes and where it goes; rank 0 */
};

/* The most that may lie here: on a worker all fields, since nobody knows how many will be its own
 * and growing would move fields that are being computed, and those lost. Rank 0 may besides get
 * what two ranks have computed. */
static uint64_t bytes_most(const struct transport_site *site)
{
    uint64_t lost = (uint64_t)site->lost_max * message_padded(site->tile_bytes_max);
    return (site->world->rank == 0 ? 2 : 1) * site->all_bytes + lost;
}

static enum status open_root(struct gatherv *gatherv)
{
    const struct transport_site *site = gatherv->site;
    size_t ranks = (size_t)site->world->size;
    gatherv->kept = malloc((site->tile_count ? site->tile_count : 1) * sizeof *gatherv->kept);
    gatherv->units = calloc(ranks, sizeof *gatherv->units);
    gatherv->first_unit = calloc(ranks, sizeof *gatherv->first_unit);
    if (!gatherv->kept || !gatherv->units || !gatherv->first_unit)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u tiles",
                           site->tile_count);
    for (uint32_t i = 0; i < site->tile_count; i++)
        gatherv->kept[i].rank = -1;
    return STATUS_OK;
}

static enum status gatherv_open(void **end, const struct transport_site *site)
{
    struct gatherv *gatherv = *end = calloc(1, sizeof *gatherv);
    if (!gatherv)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the road home");
    gatherv->site = site;
    if (bytes_most(site) / MESSAGE_UNIT > INT_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%llu bytes of tiles are more than one MPI_Gatherv can carry; use "
                           "transport staged",
                           (unsigned long long)site->all_bytes);
    if (site->world->rank == 0)
        TRY(open_root(gatherv));
    /* Device memory is gathered from where it was computed, and to where the picture is. */
    if (site->memory && site->memory->device_take &&
        (site->world->rank != 0 || site->frame->space != MEMORY_HOST))
        return block_take_device(&gatherv->block, site->memory, bytes_most(site));
    return block_reserve(&gatherv->block, site->memory, bytes_most(site));
}

static void gatherv_close(void *end)
{
    struct gatherv *gatherv = end;
    if (!gatherv)
        return;
    block_give(&gatherv->block);
    free(gatherv->kept);
    free(gatherv->units);
    free(gatherv->first_unit);
    free(gatherv);
}

/* Fields lie one after the other in the order they are begun. */
static bool gatherv_place(void *end, const struct tile *tile, struct field *out)
{
    struct gatherv *gatherv = end;
    const struct transport_site *site = gatherv->site;
    field_over(out, tile->width, tile->height, site->planes, site->count_bytes,
               gatherv->block.at + gatherv->used);
    out->space = gatherv->block.space;
    size_t pixels = (size_t)tile->width * (size_t)tile->height;
    gatherv->used += message_padded(pixels * planes_bytes(site->planes, site->count_bytes));
    assert(gatherv->used <= gatherv->block.bytes);
    return true;
}

static enum status gatherv_send(void *end, struct message *message, const struct field *out)
{
    struct gatherv *gatherv = end;
    message->kind = MESSAGE_KEPT;
    message->offset = (uint64_t)((unsigned char *)out->base - gatherv->block.at);
    message->checksum =
        out->space == MEMORY_HOST ? message_checksum(out->base, message->length) : 0;
    return outbox_announce(gatherv->site->world, message);
}

/* The hole travels along, or is the end and does not. */
static void gatherv_forget(void *end, const struct field *out)
{
    (void)end, (void)out;
}

static enum status gatherv_progress(void *end, int *under_way)
{
    (void)end;
    *under_way = 0;
    return STATUS_OK;
}

static enum status gatherv_accept(void *end, int rank, const struct message *message, void *payload)
{
    struct gatherv *gatherv = end;
    (void)payload;
    uint64_t end_unit = (message->offset + message_padded(message->length)) / MESSAGE_UNIT;
    if (message->offset % MESSAGE_UNIT || message->offset > gatherv->block.bytes ||
        end_unit > gatherv->block.bytes / MESSAGE_UNIT)
        return status_fail(STATUS_INTERNAL, "rank %d keeps tile %u at an impossible offset, %llu",
                           rank, message->tile, (unsigned long long)message->offset);
    gatherv->kept[message->tile] = (struct kept){.rank = rank, .message = *message};
    if ((int)end_unit > gatherv->units[rank])
        gatherv->units[rank] = (int)end_unit;
    return STATUS_OK;
}

static uint64_t gatherv_owed(const void *end, int rank)
{
    const struct gatherv *gatherv = end;
    return (uint64_t)gatherv->units[rank] * MESSAGE_UNIT;
}

static enum status take_home(struct gatherv *gatherv)
{
    for (uint32_t i = 0; i < gatherv->site->tile_count; i++) {
        const struct kept *kept = &gatherv->kept[i];
        if (kept->rank < 0)
            continue; /* it came by another road */
        size_t at = (size_t)gatherv->first_unit[kept->rank] * MESSAGE_UNIT + kept->message.offset;
        void *pixels = gatherv->block.at + at;
        if (gatherv->block.space == MEMORY_HOST)
            TRY(message_verify(&kept->message, pixels));
        TRY(gatherv->site->home(gatherv->site->context, &kept->message, pixels,
                                gatherv->block.space));
    }
    return STATUS_OK;
}

static enum status gatherv_collect(void *end, const struct world *world, uint64_t owed)
{
    struct gatherv *gatherv = end;
    if (world->rank != 0) {
        assert(owed == 0 || (gatherv && owed <= gatherv->used));
        TRY_MPI(MPI_Gatherv(gatherv ? gatherv->block.at : NULL, (int)(owed / MESSAGE_UNIT),
                            world->unit, NULL, NULL, NULL, world->unit, 0, world->together));
        return STATUS_OK;
    }
    for (int rank = 1; rank < world->size; rank++)
        gatherv->first_unit[rank] = gatherv->first_unit[rank - 1] + gatherv->units[rank - 1];
    int last = world->size - 1;
    assert((size_t)(gatherv->first_unit[last] + gatherv->units[last]) * MESSAGE_UNIT <=
           gatherv->block.bytes);
    (void)last;
    TRY_MPI(MPI_Gatherv(NULL, 0, world->unit, gatherv->block.at, gatherv->units,
                        gatherv->first_unit, world->unit, 0, world->together));
    return take_home(gatherv);
}

const struct transport_kind transport_gatherv = {
    .name = "gatherv",
    .summary = "tiles wait where they were computed and come home in one collective",
    .in_place = false,
    .announces = MESSAGE_KEPT,
    .open = gatherv_open,
    .close = gatherv_close,
    .place = gatherv_place,
    .send = gatherv_send,
    .forget = gatherv_forget,
    .progress = gatherv_progress,
    .accept = gatherv_accept,
    .owed = gatherv_owed,
    .collect = gatherv_collect,
};
