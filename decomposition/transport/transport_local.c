#include "decomposition/transport/transport.h"

#include "decomposition/message/message.h"
#include "decomposition/schedule/tile.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/world_comm.h"

/* Three rows that compute into the frame. They differ in what the frame is: rank 0's own memory,
 * host memory that all ranks of a machine share, or memory of rank 0's device. An end is nothing
 * but its site. */

static enum status window_open(void **end, const struct transport_site *site)
{
    *end = (void *)(uintptr_t)site;
    return STATUS_OK;
}

static void window_close(void *end)
{
    (void)end;
}

static bool window_reserve(void *end, const struct tile *tile, size_t bytes, struct field *out)
{
    const struct transport_site *site = end;
    (void)bytes;
    *out = tile_window(tile, site->frame);
    return true;
}

static enum status local_send(void *end, struct message *message, const struct field *out)
{
    const struct transport_site *site = end;
    message->kind = MESSAGE_IN_PLACE;
    return site->arrived(site->context, message, out);
}

/* Needs no barrier: MPI and the machine keep the order of pixels and message. */
static enum status window_send(void *end, struct message *message, const struct field *out)
{
    const struct transport_site *site = end;
    (void)out;
    message->kind = MESSAGE_IN_PLACE;
    return outbox_announce(site->world, 0, message);
}

/* A processor computes a tile outside the frame. */
static uint64_t window_worker_bytes(const struct transport_load *load)
{
    return load->tile_bytes;
}

static uint64_t window_root_bytes(const struct transport_load *load)
{
    (void)load;
    return 0;
}

#define WINDOW_VERBS                                                                             \
    .in_place = true, .announces = MESSAGE_IN_PLACE, .open = window_open, .close = window_close, \
    .reserve = window_reserve, .worker_bytes = window_worker_bytes,                              \
    .root_bytes = window_root_bytes

const struct transport_kind transport_local = {
    .name = "local",
    .summary = "rank 0 computes into the picture itself",
    WINDOW_VERBS,
    .send = local_send,
};

const struct transport_kind transport_shared = {
    .name = "shared",
    .summary = "ranks beside rank 0 compute into its picture, in memory they share",
    .frame = TRANSPORT_FRAME_SHARED,
    WINDOW_VERBS,
    .send = window_send,
};

const struct transport_kind transport_device = {
    .name = "device",
    .summary = "devices write into the picture in the memory of rank 0's device",
    .frame = TRANSPORT_FRAME_DEVICE,
    WINDOW_VERBS,
    .send = window_send,
};
