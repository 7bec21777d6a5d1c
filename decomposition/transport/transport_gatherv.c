#include <limits.h>
#include <stdlib.h>

#include "decomposition/message/block.h"
#include "decomposition/thread/executor.h"
#include "decomposition/transport/gather.h"
#include "decomposition/transport/transport.h"
#include "decomposition/world/outbox.h"

/* --- ranks > 0 -------------------------------------------------------------------------------- */

struct gatherv_end {
    const struct transport_site *site;
    struct block share; /* becomes real as it is written */
    size_t used;        /* bytes of the share, in whole units */
    bool full;
};

/* Takes room for twice the tiles and one for each thread: a rank that was silent may be given its
 * tiles again, and each thread may lose one. */
static enum status gatherv_open(void **at, const struct transport_site *site)
{
    struct gatherv_end *end = *at = calloc(1, sizeof *end);
    if (!end)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the transport");
    end->site = site;
    size_t lost = (size_t)site->fields * message_padded(site->tile_bytes_max);
    return block_take(&end->share, NULL, 2 * site->all_bytes + lost);
}

static void gatherv_close(void *at)
{
    struct gatherv_end *end = at;
    if (end)
        block_give(&end->share);
    free(end);
}

static bool gatherv_reserve(void *at, const struct tile *tile, size_t bytes, struct field *out)
{
    struct gatherv_end *end = at;
    end->full = bytes > end->share.bytes - end->used;
    if (end->full)
        return false;
    field_over(out, tile->width, tile->height, end->site->planes, end->site->count_bytes,
               end->share.at + end->used);
    end->used += message_padded(bytes);
    return true;
}

static enum status gatherv_send(void *at, struct message *message, const struct field *out)
{
    const struct gatherv_end *end = at;
    message->kind = MESSAGE_KEPT;
    message->offset = (uint64_t)((unsigned char *)out->base - end->share.at);
    message->checksum = message_checksum(out->base, message->length);
    return outbox_announce(end->site->world, 0, message);
}

/* Fails once when the share is full: the tiles that are announced are gathered all the same. */
static enum status gatherv_progress(void *at, uint64_t *left)
{
    struct gatherv_end *end = at;
    bool full = end->full;
    *left = 0;
    end->full = false;
    return full ? status_fail(STATUS_OUT_OF_MEMORY, "no room for more than %zu bytes of pixels",
                              end->share.bytes)
                : STATUS_OK;
}

static const void *gatherv_share(const void *at, uint64_t *bytes)
{
    const struct gatherv_end *end = at;
    *bytes = end->used;
    return end->share.at;
}

enum status gather_join(const struct world *world, const void *share, uint64_t bytes,
                        MPI_Request *request)
{
    TRY_MPI(MPI_Igatherv(share, (int)(bytes / MESSAGE_UNIT), world->unit, NULL, NULL, NULL,
                         world->unit, 0, world->pixels, request));
    return STATUS_OK;
}

/* Counts a quarter more than its share of the tiles: others may be slow. */
static uint64_t gatherv_worker_bytes(const struct transport_load *load)
{
    uint64_t share = (load->tiles * load->samples + load->workers - 1) / load->workers;
    return (share + 1) * load->tile_bytes + share * load->tile_bytes / 4;
}

/* Counts all tiles: they arrive together, before any is copied to its position. */
static uint64_t gatherv_root_bytes(const struct transport_load *load)
{
    return load->job_bytes;
}

const struct transport_kind transport_gatherv = {
    .name = "gatherv",
    .summary = "tiles wait where they were computed and arrive together at the end",
    .at_end = true,
    .announces = MESSAGE_KEPT,
    .worker_bytes = gatherv_worker_bytes,
    .root_bytes = gatherv_root_bytes,
    .open = gatherv_open,
    .close = gatherv_close,
    .reserve = gatherv_reserve,
    .send = gatherv_send,
    .progress = gatherv_progress,
    .share = gatherv_share,
};

/* --- rank 0 ----------------------------------------------------------------------------------- */

enum { THREADS = 4 }; /* threads that copy fields; memory limits them */

struct kept { /* a field that was announced */
    struct message message;
    int rank;
};

struct gather {
    struct gather_use use;
    struct kept *kept; /* [kept_count] */
    uint32_t kept_count, next;
    int *units, *first; /* [world size]: length of each share, and its offset in `block` */
    int all;            /* units of all shares */
    struct block block;
    MPI_Request request;
    struct executor *executor;
    int left; /* steps to come: the collective and each thread count as one */
};

enum status gather_open(struct gather **out, const struct gather_use *use)
{
    struct gather *gather = *out = calloc(1, sizeof *gather);
    if (gather)
        *gather = (struct gather){.use = *use,
                                  .kept = calloc(use->tile_count, sizeof *gather->kept),
                                  .units = calloc((size_t)use->world->size, sizeof(int)),
                                  .first = calloc((size_t)use->world->size, sizeof(int)),
                                  .request = MPI_REQUEST_NULL};
    if (gather && gather->kept && gather->units && gather->first)
        return executor_open(&gather->executor);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u tiles", use->tile_count);
}

void gather_close(struct gather *gather)
{
    if (!gather)
        return;
    executor_end(gather->executor);
    executor_close(gather->executor);
    block_give(&gather->block);
    free(gather->kept);
    free(gather->units);
    free(gather->first);
    free(gather);
}

void gather_expect(struct gather *gather, int rank, const struct message *message)
{
    gather->kept[gather->kept_count++] = (struct kept){.message = *message, .rank = rank};
}

enum status gather_share(struct gather *gather, int rank, uint64_t bytes)
{
    if (bytes / MESSAGE_UNIT > (uint64_t)(INT_MAX - gather->all))
        return status_fail(STATUS_CONFIG, "transport gatherv brings 128 GiB at most; use staged");
    gather->units[rank] = (int)(bytes / MESSAGE_UNIT);
    gather->all += gather->units[rank];
    return STATUS_OK;
}

/* Are all announced fields inside the shares? */
static enum status kept_check(const struct gather *gather)
{
    for (uint32_t i = 0; i < gather->kept_count; i++) {
        const struct kept *kept = &gather->kept[i];
        uint64_t bytes = (uint64_t)gather->units[kept->rank] * MESSAGE_UNIT;
        if (kept->message.offset % MESSAGE_UNIT || kept->message.offset > bytes ||
            kept->message.length > bytes - kept->message.offset)
            return status_fail(STATUS_INTERNAL, "rank %d announced tile %u outside its share",
                               kept->rank, kept->message.task);
    }
    return STATUS_OK;
}

enum status gather_begin(struct gather *gather)
{
    const struct gather_use *use = &gather->use;
    const struct world *world = use->world;
    bool on_host = use->frame->space == MEMORY_HOST;
    struct executor_use threads = {.threads = THREADS, .depth = THREADS, .event = use->event};
    TRY(kept_check(gather));
    for (int rank = 1; rank < world->size; rank++)
        gather->first[rank] = gather->first[rank - 1] + gather->units[rank - 1];
    TRY(executor_begin(gather->executor, &threads));
    TRY(block_take(&gather->block, on_host ? NULL : use->memory,
                   (size_t)gather->all * MESSAGE_UNIT));
    TRY_MPI(MPI_Igatherv(NULL, 0, world->unit, gather->block.at, gather->units, gather->first,
                         world->unit, 0, world->pixels, &gather->request));
    gather->left = 1 + THREADS;
    return STATUS_OK;
}

bool gather_runs(const struct gather *gather)
{
    return gather && gather->left > 0;
}

static struct field field_of(const struct gather *gather, const struct kept *kept)
{
    const struct tile *tile = &gather->use.tiles[kept->message.task];
    const struct field *frame = gather->use.frame;
    unsigned char *share = gather->block.at + (size_t)gather->first[kept->rank] * MESSAGE_UNIT;
    struct field field;
    field_over(&field, tile->width, tile->height, frame->planes, frame->count_bytes,
               share + kept->message.offset);
    return field;
}

/* Copies one field after the other that no other thread has taken. */
static enum status fields_put(void *argument, int thread)
{
    struct gather *gather = argument;
    const struct field *frame = gather->use.frame;
    uint32_t i;
    (void)thread;
    while ((i = __atomic_fetch_add(&gather->next, 1, __ATOMIC_RELAXED)) < gather->kept_count) {
        const struct message *message = &gather->kept[i].message;
        struct field field = field_of(gather, &gather->kept[i]);
        struct field to = tile_window(&gather->use.tiles[message->task], frame);
        TRY(message_verify(message, field.base));
        if (frame->space == MEMORY_HOST)
            field_copy(&to, &field);
    }
    return STATUS_OK;
}

static enum status fields_deliver(struct gather *gather)
{
    const struct gather_use *use = &gather->use;
    for (uint32_t i = 0; i < gather->kept_count; i++) {
        const struct kept *kept = &gather->kept[i];
        struct field field = field_of(gather, kept);
        TRY(use->arrived(use->context, kept->rank, &kept->message, true,
                         use->frame->space == MEMORY_HOST ? NULL : &field));
    }
    return STATUS_OK;
}

static enum status collective_test(struct gather *gather)
{
    const struct executor_task put = {.function = fields_put, .argument = gather};
    int done = 0, result = MPI_Test(&gather->request, &done, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS)
        gather_give_up(gather);
    gather->left -= done;
    for (int i = 0; done && i < THREADS; i++)
        executor_push(gather->executor, &put);
    return world_check(result, "MPI_Test");
}

enum status gather_progress(struct gather *gather, uint64_t *left)
{
    struct executor_task task;
    char text[STATUS_TEXT_BYTES];
    enum status status = STATUS_OK;
    if (gather->request != MPI_REQUEST_NULL)
        TRY(collective_test(gather));
    bool any = gather->left > 0;
    while (executor_pop(gather->executor, &task, text)) {
        gather->left--;
        if (task.status != STATUS_OK)
            status = status_fail(task.status, "%s", text);
    }
    *left = (uint64_t)gather->left;
    return any && gather->left == 0 && status == STATUS_OK ? fields_deliver(gather) : status;
}

void gather_give_up(struct gather *gather)
{
    if (gather->request == MPI_REQUEST_NULL)
        return;
    gather->request = MPI_REQUEST_NULL;
    gather->block = (struct block){.at = NULL};
    gather->left = 0;
}
