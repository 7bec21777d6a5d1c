#include "decomposition/transport.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "decomposition/block.h"
#include "decomposition/message.h"
#include "decomposition/outbox.h"
#include "decomposition/presence.h"
#include "decomposition/tile.h"
#include "decomposition/world_comm.h"

struct kept { /* a tile that waits on a worker; on rank 0 */
    int rank; /* -1: none */
    struct message message;
};

/* Fields lie one after the other in the order they are begun, in as few chunks as it takes: memory
 * that a device reaches is pinned and so real at once, and nobody knows how many tiles will be this
 * rank's; but growing would move fields that are being computed. */
struct chunk {
    struct block block;
    uint64_t first, used; /* its place among all that is kept here, and its bytes in use */
};

struct gatherv {
    const struct transport_site *site;
    struct chunk *chunk; /* [chunks]; workers: the fields kept here */
    int chunks;
    bool no_memory;          /* for the next one */
    struct block block;      /* rank 0: the fields of all */
    struct kept *kept;       /* [tile_count]; rank 0 */
    int *units, *first_unit; /* [world size]: what each rank owes and where it goes; rank 0 */
};

/* The most that may lie here: on a worker all fields, and those lost. Rank 0 may besides get what
 * two ranks have computed. */
static uint64_t bytes_most(const struct transport_site *site)
{
    uint64_t lost = (uint64_t)site->lost_max * message_padded(site->tile_bytes_max);
    return (site->world->rank == 0 ? 2 : 1) * site->all_bytes + lost;
}

/* --- memory ----------------------------------------------------------------------------------- */

static struct chunk *last_chunk(const struct gatherv *gatherv)
{
    return gatherv->chunks ? &gatherv->chunk[gatherv->chunks - 1] : NULL;
}

static bool chunk_add(struct gatherv *gatherv, const struct block *block)
{
    const struct chunk *last = last_chunk(gatherv);
    uint64_t first = last ? last->first + last->used : 0;
    struct chunk *chunk =
        realloc(gatherv->chunk, ((size_t)gatherv->chunks + 1) * sizeof *gatherv->chunk);
    if (!chunk)
        return false;
    gatherv->chunk = chunk;
    chunk[gatherv->chunks++] = (struct chunk){.block = *block, .first = first};
    return true;
}

/* First this rank's share, if all get as many tiles; then a quarter of that at a time. */
static size_t chunk_bytes(const struct gatherv *gatherv)
{
    const struct transport_site *site = gatherv->site;
    uint32_t workers = 0;
    for (int rank = 0; rank < site->world->size; rank++)
        workers += site->world->record[rank].lanes > 0;
    workers = workers ? workers : 1;
    uint32_t share = site->tile_count / workers + (site->tile_count % workers > 0);
    share = gatherv->chunks ? share / 4 + 1 : share;
    return share * message_padded(site->tile_bytes_max);
}

/* Room for one more field: NULL if there is no memory for it. */
static struct chunk *chunk_with_room(struct gatherv *gatherv, size_t bytes)
{
    struct chunk *last = last_chunk(gatherv);
    if (last && last->block.bytes - last->used >= bytes)
        return last;
    struct block block;
    if (block_reserve(&block, gatherv->site->memory, chunk_bytes(gatherv)) != STATUS_OK)
        return NULL;
    if (!chunk_add(gatherv, &block)) {
        block_give(&block);
        return NULL;
    }
    return last_chunk(gatherv);
}

/* Device memory is gathered from where it was computed, in one piece. */
static enum status open_worker(struct gatherv *gatherv)
{
    const struct transport_site *site = gatherv->site;
    struct block block;
    if (!block_try_device(&block, site->memory, bytes_most(site)) || chunk_add(gatherv, &block))
        return STATUS_OK;
    block_give(&block);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the road home");
}

/* --- both ends -------------------------------------------------------------------------------- */

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
    if (site->world->rank != 0)
        return open_worker(gatherv);
    TRY(open_root(gatherv));
    if (site->frame->space != MEMORY_HOST) /* the picture is there, too */
        return block_take_device(&gatherv->block, site->memory, bytes_most(site));
    return block_reserve(&gatherv->block, site->memory, bytes_most(site));
}

static void gatherv_close(void *end)
{
    struct gatherv *gatherv = end;
    if (!gatherv)
        return;
    for (int i = 0; i < gatherv->chunks; i++)
        block_give(&gatherv->chunk[i].block);
    block_give(&gatherv->block);
    free(gatherv->chunk);
    free(gatherv->kept);
    free(gatherv->units);
    free(gatherv->first_unit);
    free(gatherv);
}

static bool gatherv_place(void *end, const struct tile *tile, struct field *out)
{
    struct gatherv *gatherv = end;
    const struct transport_site *site = gatherv->site;
    size_t pixels = (size_t)tile->width * (size_t)tile->height;
    size_t bytes = message_padded(pixels * planes_bytes(site->planes, site->count_bytes));
    struct chunk *chunk = chunk_with_room(gatherv, bytes);
    gatherv->no_memory = !chunk;
    if (!chunk)
        return false;
    field_over(out, tile->width, tile->height, site->planes, site->count_bytes,
               chunk->block.at + chunk->used);
    out->space = chunk->block.space;
    chunk->used += bytes;
    return true;
}

/* Where a field lies among all that is kept here. */
static uint64_t offset_of(const struct gatherv *gatherv, const void *base)
{
    uintptr_t at = (uintptr_t)base;
    int i = 0;
    while (at < (uintptr_t)gatherv->chunk[i].block.at ||
           at - (uintptr_t)gatherv->chunk[i].block.at >= gatherv->chunk[i].used)
        i++;
    return gatherv->chunk[i].first + (at - (uintptr_t)gatherv->chunk[i].block.at);
}

static enum status gatherv_send(void *end, struct message *message, const struct field *out)
{
    struct gatherv *gatherv = end;
    message->kind = MESSAGE_KEPT;
    message->offset = offset_of(gatherv, out->base);
    message->checksum =
        out->space == MEMORY_HOST ? message_checksum(out->base, message->length) : 0;
    return outbox_announce(gatherv->site->world, 0, message);
}

/* The hole travels along, or is the end and does not. */
static void gatherv_forget(void *end, const struct field *out)
{
    (void)end, (void)out;
}

static enum status gatherv_progress(void *end, int *under_way)
{
    const struct gatherv *gatherv = end;
    *under_way = 0;
    if (gatherv->no_memory)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of pixels",
                           chunk_bytes(gatherv));
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

/* The first `owed` bytes of what is kept here, as one MPI type over all chunks. */
static enum status chunks_type(const struct gatherv *gatherv, uint64_t owed, MPI_Datatype unit,
                               MPI_Datatype *type)
{
    size_t chunks = (size_t)gatherv->chunks;
    int *units = calloc(chunks, sizeof *units);
    MPI_Aint *at = calloc(chunks, sizeof *at);
    enum status status = STATUS_OK;
    if (!units || !at)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu pieces", chunks);
    for (size_t i = 0; i < chunks && status == STATUS_OK; i++) {
        const struct chunk *chunk = &gatherv->chunk[i];
        uint64_t left = owed > chunk->first ? owed - chunk->first : 0;
        units[i] = (int)((left < chunk->used ? left : chunk->used) / MESSAGE_UNIT);
        status = world_check(MPI_Get_address(chunk->block.at, &at[i]), "MPI_Get_address");
    }
    if (status == STATUS_OK)
        status = world_check(MPI_Type_create_hindexed(gatherv->chunks, units, at, unit, type),
                             "MPI_Type_create_hindexed");
    free(units);
    free(at);
    return status == STATUS_OK ? world_check(MPI_Type_commit(type), "MPI_Type_commit") : status;
}

/* A rank that cannot send goes through the collective all the same, for the others. */
static enum status send_all(const struct gatherv *gatherv, const struct world *world, uint64_t owed)
{
    const void *at = NULL;
    int count = 0;
    MPI_Datatype type = world->unit;
    enum status status = STATUS_OK;
    if (owed > 0 && owed <= gatherv->chunk[0].used) {
        at = gatherv->chunk[0].block.at;
        count = (int)(owed / MESSAGE_UNIT);
    } else if (owed > 0) {
        status = chunks_type(gatherv, owed, world->unit, &type);
        at = MPI_BOTTOM;
        count = status == STATUS_OK;
    }
    world_block_begin(world);
    enum status sent =
        world_check(MPI_Gatherv(at, count, type, NULL, NULL, NULL, world->unit, 0, world->together),
                    "MPI_Gatherv");
    world_block_end(world);
    if (type != world->unit)
        MPI_Type_free(&type);
    return status == STATUS_OK ? sent : status;
}

static enum status gatherv_collect(void *end, const struct world *world, uint64_t owed)
{
    struct gatherv *gatherv = end;
    if (world->rank != 0)
        return send_all(gatherv, world, owed);
    for (int rank = 1; rank < world->size; rank++)
        gatherv->first_unit[rank] = gatherv->first_unit[rank - 1] + gatherv->units[rank - 1];
    int last = world->size - 1;
    assert((size_t)(gatherv->first_unit[last] + gatherv->units[last]) * MESSAGE_UNIT <=
           gatherv->block.bytes);
    (void)last;
    uint64_t bytes = (uint64_t)(gatherv->first_unit[last] + gatherv->units[last]) * MESSAGE_UNIT;
    world_block_begin(world);
    presence_fuse(FUSE_GATHER_S + (unsigned)(bytes >> 20)); /* no network is slower than 1 MiB/s */
    enum status status =
        world_check(MPI_Gatherv(NULL, 0, world->unit, gatherv->block.at, gatherv->units,
                                gatherv->first_unit, world->unit, 0, world->together),
                    "MPI_Gatherv");
    presence_fuse(0);
    for (int rank = 1; status == STATUS_OK && rank < world->size; rank++)
        presence_heard(world, rank);
    world_block_end(world);
    return status == STATUS_OK ? take_home(gatherv) : status;
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
