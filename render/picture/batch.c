#include "render/picture/batch.h"

#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "render/picture/batch_restore.h"
#include "render/picture/late_centres.h"
#include "render/picture/picture_joined.h"
#include "render/picture/strip_tiles.h"
#include "render/picture/tile_compute.h"

/* Samples of the strips that are to come: as many as of those before. */
static uint64_t pixels_to_come(const struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    int32_t done = job->strip.y + job->strip.above + job->strip.rows;
    double rows_done = (double)(done - message->scope.rows_before);
    double sum = (double)(job->totals.pixels + job->sampling.pixels);
    return rows_done > 0 ? (uint64_t)(sum / rows_done * (message->view.height - done)) : 0;
}

/* Progress of one job as that of the whole picture. */
static void show_progress(void *context, const struct job_progress *progress)
{
    struct picture_job *job = context;
    struct job_progress all = *progress;
    all.pixels_done += job->totals.before.pixels_done;
    all.pixels = job->totals.pixels + job->sampling.pixels + pixels_to_come(job);
    all.iterations += job->totals.before.iterations;
    all.seconds = clock_s() - job->totals.begin_s; /* the files of strips take time, too */
    all.share =
        ((double)job->totals.before.pixels_done + progress->share * (double)progress->pixels) /
        (double)all.pixels;
    all.rank_before = job->totals.report.rank;
    all.joined_before = job->totals.report.joined;
    all.joined_before_count = job->totals.report.joined_count;
    all.samples = job->sampling.samples;
    job->hooks->progress(job->hooks->context, &all);
}

static void show_notice(void *context, const char *text)
{
    struct picture_job *job = context;
    job->hooks->notice(job->hooks->context, text);
}

/* Rows of the frame above what a job computes. Jobs take turns between two groups of fields, as
 * what the one before has computed is being averaged. Where pictures follow each other the turns go
 * on from one to the next, and both groups begin with a field for centres, which stay. */
static int32_t rows_above(const struct picture_job *job, uint64_t number, uint64_t turn)
{
    const struct picture_message *message = &job->message;
    if (message->plan.fields < 3 && !message->plan.turns)
        return number ? job->frame.rows * (message->plan.fields - 1) : 0;
    int32_t group = (int32_t)((message->plan.turns ? turn : number) % 2);
    int32_t begin =
        group * (message->plan.turns ? message->plan.fields / 2 : message->plan.at_once);
    return job->frame.rows * (number ? begin + 1 : begin);
}

/* Hands a tile to the consumer as it comes home. */
static enum status tile_deliver(void *context, uint32_t number)
{
    struct picture_job *job = context;
    const struct picture_consumer *consumer = job->hooks->consumer;
    struct tile tile = job->batch.tiles->tiles[number];
    struct field frame = job->batch.frame;
    if (frame.space == MEMORY_DEVICE) {
        if (consumer->tile_due && !consumer->tile_due(consumer->context))
            return STATUS_OK;
        frame = renderer_host(job->renderer, &job->frame.shape);
        TRY(picture_job_tile_move(job, &tile, &frame, &job->batch.frame));
    }
    struct field field = picture_job_window(job, &frame);
    tile.y -= job->batch.above;
    return consumer->tile(consumer->context, strip_consumer_row(job), job->batch.number, &tile,
                          &field);
}

/* Tiles of all samples. */
static uint32_t batch_tiles(const struct tile_batch *batch)
{
    return batch->count * (batch->samples > 1 ? (uint32_t)batch->samples : 1);
}

/* Tiles of the frame, by the devices of all ranks. */
static enum status batch_run(struct picture_job *job, const struct tile_batch *batch)
{
    struct job run =
        renderer_job(job->renderer, &job->frame.shape, job->message.transport, batch_tiles(batch));
    struct job_report one = {.rank = NULL};
    bool root = world_rank(renderer_world(job->renderer)) == 0;
    const struct picture_hooks *hooks = job->hooks;
    job->batch.frame = run.frame;
    job->batch.tiles = batch;
    run.epoch = job->message.epoch + job->totals.jobs++;
    run.tiles = batch->tiles;
    run.tile_count = batch_tiles(batch);
    run.costs = batch->costs;
    run.schedule = schedule_named(job->message.plan.schedule);
    run.context = job;
    run.compute = tile_compute;
    run.progress = hooks->progress ? show_progress : NULL;
    run.notice = hooks->notice ? show_notice : NULL;
    run.stop = hooks->stop;
    bool told = root && hooks->consumer && hooks->consumer->tile && !job->measures;
    if (told)
        run.arrived = tile_deliver;
    if (root)
        run.joined = picture_joined_tiles(job);
    enum status status = job_run(renderer_world(job->renderer), &run, root ? &one : NULL);
    for (int rank = 0; one.rank && rank < world_size(renderer_world(job->renderer)); rank++)
        job->totals.before.iterations += one.rank[rank].iterations;
    for (int i = 0; i < one.joined_count; i++)
        job->totals.before.iterations += one.joined[i].iterations;
    if (root)
        job_report_add(&job->totals.report, &one, world_size(renderer_world(job->renderer)));
    return status;
}

static uint64_t batch_pixels(const struct tile_batch *batch)
{
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < batch_tiles(batch); i++)
        pixels += (uint64_t)batch->tiles[i].width * (uint64_t)batch->tiles[i].height;
    return pixels;
}

/* Tiles of the strip, where the frame has room for this batch. */
static enum status tiles_compute(struct picture_job *job, const struct tile_batch *batch)
{
    uint32_t count = batch_tiles(batch);
    for (uint32_t i = 0; i < count; i++)
        batch->tiles[i].y += job->batch.above;
    enum status status = count ? batch_run(job, batch) : STATUS_OK;
    for (uint32_t i = 0; i < count; i++)
        batch->tiles[i].y -= job->batch.above;
    return status;
}

/* May rows be handed on from rank 0's device? */
static bool rows_stay(const struct picture_job *job)
{
    return job->hooks->consumer && job->hooks->consumer->takes_device;
}

/* Fields that a batch has computed, sample by sample. */
static enum status fields_fetch(const struct picture_job *job, const struct tile_batch *batch,
                                struct field *fields)
{
    struct field all;
    int32_t below = batch->samples > 1 ? batch->samples - 1 : 0;
    int32_t height = job->strip.height, rows = below * job->frame.rows + height;
    if (renderer_lights(job->renderer) || rows_stay(job)) {
        struct field frame =
            renderer_frame(job->renderer, &job->frame.shape, job->message.transport);
        all = field_window(&frame, 0, job->batch.above, frame.width, rows);
    } else {
        TRY(renderer_fetch(job->renderer, &job->frame.shape, job->message.transport,
                           job->batch.above, rows, &all));
    }
    for (int32_t i = 0; i <= below; i++)
        fields[i] = field_window(&all, 0, i * job->frame.rows, all.width, height);
    return STATUS_OK;
}

/* Centres that lie on the device, and are wanted in host memory, too. */
static enum status centres_open(struct picture_job *job, const struct field *device)
{
    if (device->space != MEMORY_DEVICE || job->message.scope.light_alone || rows_stay(job))
        return STATUS_OK;
    struct field all = renderer_host(job->renderer, &job->frame.shape);
    struct field host = field_window(&all, 0, job->batch.above, all.width, job->strip.height);
    return late_centres_open(&job->centres, job->renderer, &host, device);
}

enum status batch_compute(void *context, uint64_t number, const struct tile_batch *batch,
                          struct field *fields)
{
    struct picture_job *job = context;
    struct tile_batch rest = {.count = 0};
    job->batch.number = number;
    job->batch.above = rows_above(job, number, renderer_job_number(job->renderer));
    if (number == 0)
        job->frame.centres_above = job->batch.above;
    else /* the look is settled */
        late_centres_begin(&job->centres);
    enum status status = STATUS_OK;
    if (batch_is_restored(job))
        status = batch_shorten(job, batch, &rest);
    uint64_t pixels = batch_pixels(rest.tiles ? &rest : batch);
    job->totals.before.pixels_done += batch_pixels(batch) - pixels;
    if (status == STATUS_OK)
        status = tiles_compute(job, rest.tiles ? &rest : batch);
    job->totals.before.pixels_done += pixels;
    free(rest.tiles);
    free(rest.costs);
    if (status != STATUS_OK)
        return status;
    if (world_rank(renderer_world(job->renderer)) == 0) {
        status = fields_fetch(job, batch, fields);
        if (status == STATUS_OK && number == 0)
            status = centres_open(job, fields);
    }
    /* Else the others would begin the next sample. */
    return job->message.plan.fields > 1 ? world_agree(renderer_world(job->renderer), status)
                                        : status;
}
