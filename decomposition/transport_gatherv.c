#include "decomposition/transport.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "decomposition/lane.h"
#include "decomposition/message.h"
#include "decomposition/outbox.h"
#include "decomposition/world_comm.h"

enum { GATHERV_BLOCKS = LANE_DEPTH + 6 }; /* headers that may be under way */

struct kept { /* a tile that waits on a worker; on rank 0 */
    int rank; /* -1: none */
    struct message message;
};

struct gatherv {
    const struct transport_site *site;
    struct outbox *outbox; /* headers; workers */
    /* The blocks in which the fields that are placed and not yet announced will be announced, in
     * the order of both; workers. */
    void *header[LANE_DEPTH];
    int headers;
    unsigned char *block; /* workers: the fields kept here; rank 0: those of all */
    size_t bytes;         /* reserved for it */
    size_t used;
    struct kept *kept;       /* [tile_count]; rank 0 */
    int *units, *first_unit; /* [world size]: what each rank sends and where it goes; rank 0 */
};

/* Address space for the most that there can be; pages come as they are written. A dynamic schedule
 * does not know beforehand how much of the picture a worker will keep, and growing would move
 * fields that are being computed. */
static enum status reserve(struct gatherv *gatherv, uint64_t bytes)
{
    size_t length = bytes ? bytes : 1;
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for %llu bytes of tiles; transport staged needs less",
                           (unsigned long long)bytes);
    /* Small pages cost more than the pixels: filling 134 MB took 72 ms, in huge pages 13 ms. A
     * kernel without them loses only that. */
    madvise(memory, length, MADV_HUGEPAGE);
    gatherv->block = memory;
    gatherv->bytes = length;
    return STATUS_OK;
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
    return reserve(gatherv, site->all_bytes);
}

static enum status gatherv_open(void **end, const struct transport_site *site)
{
    struct gatherv *gatherv = *end = calloc(1, sizeof *gatherv);
    if (!gatherv)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the road home");
    gatherv->site = site;
    if (site->all_bytes / MESSAGE_UNIT > INT_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%llu bytes of tiles are more than one MPI_Gatherv can carry; use "
                           "transport staged",
                           (unsigned long long)site->all_bytes);
    if (site->world->rank == 0)
        return open_root(gatherv);
    TRY(outbox_open(&gatherv->outbox, site->world, GATHERV_BLOCKS, 0));
    return reserve(gatherv, site->own_bytes);
}

static void gatherv_close(void *end)
{
    struct gatherv *gatherv = end;
    if (!gatherv)
        return;
    if (gatherv->block)
        munmap(gatherv->block, gatherv->bytes);
    outbox_close(gatherv->outbox);
    free(gatherv->kept);
    free(gatherv->units);
    free(gatherv->first_unit);
    free(gatherv);
}

/* Fields lie one after the other in the order they are begun. No more are begun than there are
 * headers to announce them with. */
static void *gatherv_place(void *end, size_t bytes)
{
    struct gatherv *gatherv = end;
    if (gatherv->headers == LANE_DEPTH || message_padded(bytes) > gatherv->bytes - gatherv->used)
        return NULL;
    void *header = outbox_take(gatherv->outbox);
    if (!header)
        return NULL;
    gatherv->header[gatherv->headers++] = header;
    void *field = gatherv->block + gatherv->used;
    gatherv->used += message_padded(bytes);
    return field;
}

static enum status gatherv_send(void *end, struct message *message, void *field)
{
    struct gatherv *gatherv = end;
    message->kind = MESSAGE_KEPT;
    message->offset = (uint64_t)((unsigned char *)field - gatherv->block);
    message->checksum = message_checksum(field, message->length);
    void *header = gatherv->header[0];
    gatherv->headers--;
    memmove(gatherv->header, gatherv->header + 1, sizeof *gatherv->header * (LANE_DEPTH - 1));
    return outbox_send(gatherv->outbox, header, message);
}

static enum status gatherv_progress(void *end, int *under_way)
{
    struct gatherv *gatherv = end;
    return outbox_progress(gatherv->outbox, under_way);
}

static enum status gatherv_accept(void *end, int rank, const struct message *message, void *payload)
{
    struct gatherv *gatherv = end;
    (void)payload;
    uint64_t end_unit = (message->offset + message_padded(message->length)) / MESSAGE_UNIT;
    if (message->offset % MESSAGE_UNIT || end_unit > gatherv->site->all_bytes / MESSAGE_UNIT)
        return status_fail(STATUS_INTERNAL, "rank %d keeps tile %u at an impossible offset, %llu",
                           rank, message->tile, (unsigned long long)message->offset);
    gatherv->kept[message->tile] = (struct kept){.rank = rank, .message = *message};
    if ((int)end_unit > gatherv->units[rank])
        gatherv->units[rank] = (int)end_unit;
    return STATUS_OK;
}

static enum status take_home(struct gatherv *gatherv)
{
    for (uint32_t i = 0; i < gatherv->site->tile_count; i++) {
        const struct kept *kept = &gatherv->kept[i];
        if (kept->rank < 0)
            continue; /* rank 0 computed it */
        size_t at = (size_t)gatherv->first_unit[kept->rank] * MESSAGE_UNIT + kept->message.offset;
        TRY(message_verify(&kept->message, gatherv->block + at));
        TRY(gatherv->site->home(gatherv->site->context, &kept->message, gatherv->block + at));
    }
    return STATUS_OK;
}

static enum status gatherv_collect(void *end)
{
    struct gatherv *gatherv = end;
    const struct world *world = gatherv->site->world;
    if (world->rank != 0) {
        int units = (int)(gatherv->used / MESSAGE_UNIT);
        TRY_MPI(MPI_Gatherv(gatherv->block, units, world->unit, NULL, NULL, NULL, world->unit, 0,
                            world->together));
        return STATUS_OK;
    }
    for (int rank = 1; rank < world->size; rank++)
        gatherv->first_unit[rank] = gatherv->first_unit[rank - 1] + gatherv->units[rank - 1];
    /* Every tile was announced once, so they fit what was reserved for all. */
    int last = world->size - 1;
    assert((uint64_t)(gatherv->first_unit[last] + gatherv->units[last]) * MESSAGE_UNIT <=
           gatherv->site->all_bytes);
    (void)last;
    TRY_MPI(MPI_Gatherv(NULL, 0, world->unit, gatherv->block, gatherv->units, gatherv->first_unit,
                        world->unit, 0, world->together));
    return take_home(gatherv);
}

const struct transport_kind transport_gatherv = {
    .name = "gatherv",
    .summary = "tiles wait where they were computed and come home in one collective",
    .needs_one_rank = false,
    .carries = false,
    .open = gatherv_open,
    .close = gatherv_close,
    .place = gatherv_place,
    .send = gatherv_send,
    .progress = gatherv_progress,
    .accept = gatherv_accept,
    .collect = gatherv_collect,
};
