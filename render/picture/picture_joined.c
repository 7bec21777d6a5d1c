#include "render/picture/picture_joined.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/pool/join.h"
#include "render/picture/tile_compute.h"
#include "render/worker/context.h"
#include "render/worker/rank_worker.h"

/* Number of the picture's orbit among all that joined jobs get: frames of a film share one. */
static uint64_t orbit_number(const struct picture_message *message)
{
    uint64_t shared = message->request.orbit;
    return shared ? shared << 1 : message->epoch << 1 | 1;
}

/* What the pieces of the batch have in common, with so many cells. */
static struct picture_context context_of(const struct picture_job *job, uint64_t cells)
{
    const struct picture_message *message = &job->message;
    struct picture_context context = {.view = message->view,
                                      .spec = message->spec,
                                      .method = message->plan.method,
                                      .cells = cells,
                                      .cells_in_row = job->batch.tiles->cells_in_row};
    if (message->plan.method != METHOD_PERTURBATION)
        return context;
    context.offset_re = message->request.offset_re;
    context.offset_im = message->request.offset_im;
    context.blocks_key = message->epoch;
    context.orbit = orbit_number(message);
    context.blocks_view = message->view;
    context.request = message->request;
    context.request.orbit =
        0; /* its number in this process, by which no device of theirs knows it */
    context.request.kernels = NULL;
    return context;
}

/* Cells of the batch, with those that only fill up the last row. */
static uint64_t batch_cells(const struct picture_job *job)
{
    const struct tile_batch *batch = job->batch.tiles;
    int32_t rows = 0;
    for (uint32_t i = 0; batch->cells && i < batch->count; i++) {
        const struct tile *tile = &batch->tiles[i];
        int32_t end = (tile->y - job->batch.above + tile->height) / GRID_CELL;
        rows = end > rows ? end : rows;
    }
    return (uint64_t)rows * (uint64_t)batch->cells_in_row;
}

static enum status context_tell(struct picture_job *job, const struct picture_context *context)
{
    struct join *join = renderer_join(job->renderer);
    struct join_context told = {.epoch = job->message.epoch, .key = context->orbit};
    void *head, *rest = NULL;
    TRY(context_head_pack(context, job->batch.tiles->cells, &head, &told.head_length));
    enum status status = STATUS_OK;
    if (context->orbit && !join_has(join, context->orbit))
        status = context_orbit_pack(&job->reference.orbit, &rest, &told.rest_length);
    told.head = head;
    told.rest = rest;
    if (status == STATUS_OK)
        status = join_context(join, &told);
    free(head);
    free(rest);
    return status;
}

static enum status joined_begin(void *context)
{
    struct picture_job *job = context;
    const struct picture_context told = context_of(job, batch_cells(job));
    if (job->joined.told && !job->joined.cells && !told.cells)
        return STATUS_OK; /* all batches without cells have the same context */
    TRY(context_tell(job, &told));
    job->joined.told = true;
    job->joined.cells = told.cells > 0;
    return STATUS_OK;
}

static struct pool_task joined_task(void *context, uint32_t number)
{
    const struct picture_job *job = context;
    const struct tile *tile = &job->batch.tiles->tiles[number];
    const struct tile_place place = tile_place(job, tile);
    bool of_cells = job->batch.tiles->cells != NULL;
    const struct work_piece piece = {.x = tile->x + (of_cells ? 0 : job->strip.x),
                                     .y = place.y + (of_cells ? 0 : job->strip.y),
                                     .width = tile->width,
                                     .height = tile->height,
                                     .to = 1,
                                     .of_cells = of_cells,
                                     .sample = (int16_t)(of_cells ? 0 : place.sample),
                                     .band = tile->band,
                                     .band_step = tile->band_step};
    return work_piece_task(0, number, &piece, job->message.spec.planes,
                           job->message.spec.count_bytes);
}

/* Fractions and phases lie in [0, 1), by which palettes are indexed. */
static void joined_check(void *context, struct field *field)
{
    static const enum plane parts[] = {PLANE_FRACTION, PLANE_PHASE};
    size_t pixels = (size_t)field->width * (size_t)field->height;
    (void)context;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        float *part = field->plane[parts[p]];
        for (size_t i = 0; part && i < pixels; i++)
            part[i] = part[i] >= 0 && part[i] < 1 ? part[i] : 0;
    }
}

/* Some steps are taken twice: where a pixel is decided in another number. */
static uint64_t pixel_most(const struct picture_job *job)
{
    uint64_t limit = (uint64_t)job->message.spec.limit;
    return limit < UINT64_MAX / 2 ? 2 * limit : UINT64_MAX;
}

const struct pool_joined *picture_joined_tiles(struct picture_job *job)
{
    struct join *join = renderer_join(job->renderer);
    job->joined.calls = (struct pool_joined){.join = join,
                                             .context = job,
                                             .begin = joined_begin,
                                             .task = joined_task,
                                             .check = joined_check,
                                             .pixel_most = pixel_most(job)};
    return join ? &job->joined.calls : NULL;
}

void picture_joined_end(const struct picture_job *job)
{
    struct join *join = renderer_join(job->renderer);
    if (join)
        join_forget(join, job->message.request.orbit ? JOIN_REST_KEPT : JOIN_REST_DROPPED);
}
