#include "decomposition/transport/transport.h"

#include <stdlib.h>

#include "decomposition/message/block.h"
#include "decomposition/message/message.h"
#include "decomposition/schedule/tile.h"
#include "decomposition/transport/pixels.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

/* Fields lie one after the other in the order they are begun, in as few chunks as it takes: memory
 * that a device reaches is pinned and so real at once, and nobody knows how many tiles will be this
 * rank's; but growing would move fields that are being computed. */
struct chunk {
    struct block block;
    uint64_t used; /* bytes */
};

struct gatherv {
    const struct transport_site *site;
    struct chunk *chunk; /* [chunks]; the fields kept here */
    int chunks;
    bool no_memory; /* for the next one */
    bool released;
    struct pixels *pixels;
};

/* The most that may lie here: all fields, and those lost. */
static uint64_t bytes_most(const struct transport_site *site)
{
    return site->all_bytes + (uint64_t)site->lost_max * message_padded(site->tile_bytes_max);
}

/* --- memory ----------------------------------------------------------------------------------- */

static struct chunk *last_chunk(const struct gatherv *gatherv)
{
    return gatherv->chunks ? &gatherv->chunk[gatherv->chunks - 1] : NULL;
}

static bool chunk_add(struct gatherv *gatherv, const struct block *block)
{
    struct chunk *chunk =
        realloc(gatherv->chunk, ((size_t)gatherv->chunks + 1) * sizeof *gatherv->chunk);
    if (!chunk)
        return false;
    gatherv->chunk = chunk;
    chunk[gatherv->chunks++] = (struct chunk){.block = *block};
    return true;
}

/* First this rank's share, if all get as many tiles; then a quarter of that at a time. */
static size_t chunk_bytes(const struct gatherv *gatherv)
{
    const struct transport_site *site = gatherv->site;
    uint32_t workers = site->workers ? site->workers : 1;
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
    if (block_take(&block, gatherv->site->memory, chunk_bytes(gatherv)) != STATUS_OK)
        return NULL;
    if (!chunk_add(gatherv, &block)) {
        block_give(&block);
        return NULL;
    }
    return last_chunk(gatherv);
}

/* Device memory is sent from where it was computed, and taken in one piece. */
static enum status gatherv_open(void **end, const struct transport_site *site)
{
    struct gatherv *gatherv = *end = calloc(1, sizeof *gatherv);
    if (!gatherv)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the transport");
    gatherv->site = site;
    TRY(pixels_open(&gatherv->pixels, &(struct pixels_use){.world = site->world}));
    struct block block;
    if (!block_try_device(&block, site->memory, bytes_most(site)) || chunk_add(gatherv, &block))
        return STATUS_OK;
    block_give(&block);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the transport");
}

static void gatherv_close(void *end)
{
    struct gatherv *gatherv = end;
    if (!gatherv)
        return;
    for (int i = 0; i < gatherv->chunks; i++)
        block_give(&gatherv->chunk[i].block);
    pixels_close(gatherv->pixels);
    free(gatherv->chunk);
    free(gatherv);
}

static bool gatherv_place(void *end, const struct tile *tile, size_t bytes, struct field *out)
{
    struct gatherv *gatherv = end;
    const struct transport_site *site = gatherv->site;
    bytes = message_padded(bytes);
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

static enum status gatherv_send(void *end, struct message *message, const struct field *out)
{
    struct gatherv *gatherv = end;
    const struct transport_site *site = gatherv->site;
    message->kind = MESSAGE_KEPT;
    message->checksum = out->space == MEMORY_HOST;
    TRY(pixels_send(gatherv->pixels, &site->tiles[message->task], out, message->checksum, NULL));
    return outbox_announce(site->world, 0, message);
}

/* The hole stays. */
static void gatherv_forget(void *end, const struct field *out)
{
    (void)end, (void)out;
}

static void gatherv_release(void *end)
{
    struct gatherv *gatherv = end;
    gatherv->released = true;
}

static enum status gatherv_progress(void *end, uint64_t *left)
{
    struct gatherv *gatherv = end;
    bool no_memory = gatherv->no_memory;
    *left = 0;
    gatherv->no_memory = false; /* is said once: what is kept is to be sent all the same */
    if (no_memory)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of pixels",
                           chunk_bytes(gatherv));
    return gatherv->released ? pixels_progress(gatherv->pixels, left) : STATUS_OK;
}

/* Its share, and a quarter of it at a time when it turns out larger. */
static uint64_t gatherv_worker_bytes(const struct transport_load *load)
{
    uint64_t share = (load->tiles * load->samples + load->workers - 1) / load->workers;
    return (share + 1) * load->tile_bytes + share * load->tile_bytes / 4;
}

/* Pinned memory for a GPU is real at once: all that there may have to be. */
static uint64_t gatherv_root_bytes(const struct transport_load *load)
{
    return load->job_bytes * (load->pins ? 2 : 1);
}

const struct transport_kind transport_gatherv = {
    .name = "gatherv",
    .summary = "tiles wait where they were computed and arrive together at the end",
    .at_end = true,
    .device_memory = true,
    .worker_bytes = gatherv_worker_bytes,
    .root_bytes = gatherv_root_bytes,
    .announces = MESSAGE_KEPT,
    .open = gatherv_open,
    .close = gatherv_close,
    .place = gatherv_place,
    .send = gatherv_send,
    .forget = gatherv_forget,
    .progress = gatherv_progress,
    .release = gatherv_release,
};
