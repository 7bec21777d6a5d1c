#include "render/picture/batch_restore.h"

#include <assert.h>
#include <stdlib.h>

bool batch_is_restored(const struct picture_job *job)
{
    return job->message.scope.restores && !job->measures &&
           job->strip.y + job->strip.above == job->message.scope.rows_before;
}

/* Rank 0: which tiles an interrupted run has left; they are in the frame then. */
static enum status batch_restore(struct picture_job *job, const struct tile_batch *batch,
                                 bool *known)
{
    const struct picture_consumer *consumer = job->hooks->consumer;
    struct field frame = renderer_frame(job->renderer, &job->frame.shape, job->message.transport);
    if (!known)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u tiles", batch->count);
    struct field host = renderer_host(job->renderer, &job->frame.shape);
    struct field field = picture_job_window(job, &host);
    TRY(consumer->restore(consumer->context, job->batch.number, batch->tiles, batch->count, &field,
                          known));
    for (uint32_t i = 0; frame.space == MEMORY_DEVICE && i < batch->count; i++) {
        struct tile tile = batch->tiles[i];
        tile.y += job->batch.above;
        if (known[i])
            TRY(picture_job_tile_move(job, &tile, &frame, &host));
    }
    return STATUS_OK;
}

enum status batch_shorten(struct picture_job *job, const struct tile_batch *all,
                          struct tile_batch *rest)
{
    bool root = world_rank(renderer_world(job->renderer)) == 0;
    size_t length = all->count;
    assert(all->samples <= 1); /* jobs have more in pictures of many, which have no consumer */
    bool *known = root ? calloc(length, sizeof *known) : NULL;
    void *bytes = known;
    enum status status =
        world_share(renderer_world(job->renderer),
                    root ? batch_restore(job, all, known) : STATUS_OK, &bytes, &length);
    *rest = *all;
    rest->count = 0;
    rest->tiles = malloc(all->count * sizeof *all->tiles);
    rest->costs = all->costs ? malloc(all->count * sizeof *all->costs) : NULL;
    bool there = rest->tiles && (rest->costs || !all->costs);
    if (status == STATUS_OK)
        status = world_agree(renderer_world(job->renderer),
                             there ? STATUS_OK
                                   : status_fail(STATUS_OUT_OF_MEMORY,
                                                 "no memory for a list of %u tiles", all->count));
    known = bytes;
    for (uint32_t i = 0; status == STATUS_OK && i < all->count; i++) {
        if (known[i])
            continue;
        rest->tiles[rest->count] = all->tiles[i];
        if (rest->costs)
            rest->costs[rest->count] = all->costs[i];
        rest->count++;
    }
    free(bytes);
    return status;
}
