#include "decomposition/transport.h"

#include <stdlib.h>

#include "decomposition/lane.h"
#include "decomposition/message.h"

/* The compute thread fills one field while the coordinating thread takes the other home. */
struct local {
    const struct transport_site *site;
    void *memory[LANE_DEPTH];
    bool taken[LANE_DEPTH];
};

static enum status local_open(void **end, const struct transport_site *site)
{
    struct local *local = *end = calloc(1, sizeof *local);
    if (!local)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of fields");
    local->site = site;
    for (int i = 0; i < LANE_DEPTH; i++) {
        local->memory[i] = aligned_alloc(MESSAGE_UNIT, message_padded(site->tile_bytes_max));
        if (!local->memory[i])
            return status_fail(STATUS_OUT_OF_MEMORY,
                               "no memory for %d tiles of %zu bytes; smaller tiles need less",
                               LANE_DEPTH, site->tile_bytes_max);
    }
    return STATUS_OK;
}

static void local_close(void *end)
{
    struct local *local = end;
    for (int i = 0; local && i < LANE_DEPTH; i++)
        free(local->memory[i]);
    free(local);
}

static void *local_place(void *end, size_t bytes)
{
    struct local *local = end;
    (void)bytes;
    for (int i = 0; i < LANE_DEPTH; i++)
        if (!local->taken[i]) {
            local->taken[i] = true;
            return local->memory[i];
        }
    return NULL;
}

static enum status local_send(void *end, struct message *message, void *field)
{
    struct local *local = end;
    message->kind = MESSAGE_TILE;
    enum status status = local->site->home(local->site->context, message, field);
    for (int i = 0; i < LANE_DEPTH; i++)
        if (local->memory[i] == field)
            local->taken[i] = false;
    return status;
}

static enum status local_progress(void *end, int *under_way)
{
    (void)end;
    *under_way = 0;
    return STATUS_OK;
}

static enum status local_accept(void *end, int rank, const struct message *message, void *payload)
{
    struct local *local = end;
    (void)rank;
    return local->site->home(local->site->context, message, payload);
}

static enum status local_collect(void *end)
{
    (void)end;
    return STATUS_OK;
}

const struct transport_kind transport_local = {
    .name = "local",
    .summary = "one rank: the field is handed over in memory",
    .needs_one_rank = true,
    .carries = true,
    .open = local_open,
    .close = local_close,
    .place = local_place,
    .send = local_send,
    .progress = local_progress,
    .accept = local_accept,
    .collect = local_collect,
};
