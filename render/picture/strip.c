#include "render/picture/strip.h"

#include <stdlib.h>
#include <string.h>

#include "render/picture/batch.h"
#include "render/picture/distribution_pass.h"
#include "render/picture/late_centres.h"
#include "render/picture/region.h"
#include "render/picture/strip_tiles.h"

/* The look of a picture in strips, which is settled before the first. */
static enum status look_settled(void *context, const struct field *field, const struct look **look)
{
    const struct picture_job *job = context;
    (void)field;
    *look = job->look;
    return STATUS_OK;
}

/* The look that the hooks have for centres, which may lie on rank 0's device. */
static enum status look_there(void *context, const struct field *field, const struct look **look)
{
    const struct picture_job *job = context;
    bool fetched = field->space == MEMORY_DEVICE && !job->message.scope.light_alone;
    return job->hooks->look(job->hooks->look_context, fetched ? &job->centres.host : field, look);
}

/* The sampling of the strip, by batches of this job. */
static struct sampling sampling_of(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    struct sampling sampling = {.world = renderer_world(job->renderer),
                                .samples = message->scope.samples,
                                .width = job->strip.width,
                                .height = job->strip.height,
                                .above = message->view.y + job->strip.y,
                                .left = message->view.x + job->strip.x,
                                .background = message->plan.fields > 2 || message->plan.turns
                                                  ? renderer_background(job->renderer)
                                                  : NULL,
                                .cells_px = message->plan.cells_px,
                                .at_once = message->plan.at_once,
                                .lights = renderer_lights(job->renderer),
                                .stop = job->hooks->stop,
                                .compute = batch_compute,
                                .alone = picture_job_alone,
                                .context = job};
    if (sampling.lights && world_rank(renderer_world(job->renderer)) == 0)
        sampling.device = renderer_light_device(job->renderer, &job->frame.shape);
    if (job->look) {
        sampling.look = look_settled;
        sampling.look_context = job;
    } else if (job->hooks->look) {
        sampling.look = look_there;
        sampling.look_context = job;
    }
    return sampling;
}

/* The subgrid of a picture that is never in memory as a whole. */
static enum status subgrid_run(struct picture_job *job, struct field *subgrid)
{
    const struct picture_message *message = &job->message;
    bool root = world_rank(renderer_world(job->renderer)) == 0;
    TRY(world_agree(renderer_world(job->renderer),
                    root ? field_create(subgrid, SUBGRID_WIDTH, SUBGRID_HEIGHT,
                                        message->spec.planes, message->spec.count_bytes)
                         : STATUS_OK));
    job->measures = true;
    job->strip = (struct picture_strip){.height = job->frame.rows, .width = message->view.width};
    job->sampling = sampling_of(job);
    enum status status = distribution_pass_run(&job->sampling, message->view.image_width,
                                               message->view.image_height, subgrid);
    job->measures = false;
    job->totals.before = (struct job_progress){.pixels_done = 0};
    return status;
}

enum status strip_look(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    const struct picture_hooks *hooks = job->hooks;
    struct field subgrid = {.width = 0};
    enum status status = STATUS_OK;
    if (message->plan.strip_rows >= message->view.height && !region_is_part(&message->view))
        return STATUS_OK;
    if (message->scope.subgrid)
        status = subgrid_run(job, &subgrid);
    if (status == STATUS_OK && world_rank(renderer_world(job->renderer)) == 0 && hooks->look)
        status =
            hooks->look(hooks->look_context, message->scope.subgrid ? &subgrid : NULL, &job->look);
    field_destroy(&subgrid);
    return world_agree(renderer_world(job->renderer), status);
}

/* Columns of the mean that a region has; the caller frees it. NULL without memory. */
static float (*light_columns(const float (*light)[3], int32_t width, int32_t x,
                             const struct field *rows))[3]
{
    size_t columns = (size_t)rows->width;
    float(*all)[3] = malloc(columns * (size_t)rows->height * sizeof *all);
    for (int32_t y = 0; all && y < rows->height; y++)
        memcpy(all + (size_t)y * columns, light + (size_t)y * (size_t)width + x,
               columns * sizeof *all);
    return all;
}

static struct field rows_wanted(const struct picture_job *job, const struct tile *wanted,
                                const struct field *field)
{
    return field_window(field, wanted->x, wanted->y - job->strip.y, wanted->width, wanted->height);
}

/* Rank 0: the numbers of the rows that are wanted, while the last samples are being added. */
static enum status numbers_deliver(struct picture_job *job, const struct field *field)
{
    const struct picture_consumer *consumer = job->hooks->consumer;
    struct tile wanted = strip_wanted(job);
    if (wanted.height <= 0)
        return STATUS_OK;
    struct field rows = rows_wanted(job, &wanted, field);
    return consumer->numbers(consumer->context, strip_consumer_row(job), &rows);
}

/* Rank 0: the rows of a strip that are wanted, to who wants them. */
static enum status strip_deliver(struct picture_job *job, const struct field *field,
                                 const float (*light)[3])
{
    const struct picture_consumer *consumer = job->hooks->consumer;
    struct tile wanted = strip_wanted(job);
    float(*columns)[3] = NULL;
    if (wanted.height <= 0) /* these rows are there for their neighbours alone */
        return STATUS_OK;
    struct field rows = rows_wanted(job, &wanted, field);
    if (light)
        light += (size_t)(wanted.y - job->strip.y) * (size_t)field->width;
    if (light && wanted.width < field->width) {
        light = (const float(*)[3])(columns = light_columns(light, field->width, wanted.x, &rows));
        if (!light)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d rows of a region",
                               rows.height);
    }
    enum status status = consumer->strip(consumer->context, strip_consumer_row(job), &rows, light);
    free(columns);
    return status;
}

/* When the others were lost in the last job of the strip before, which is whole nevertheless: what
 * a forecast asks of all ranks would fail. */
static enum status alone_if_left(struct picture_job *job)
{
    const struct world *world = renderer_world(job->renderer);
    struct world *alone;
    bool left = world_rank(world) == 0 && world_lost(world) != STATUS_OK;
    return left ? picture_job_alone(job, &alone) : STATUS_OK;
}

enum status strip_run(struct picture_job *job, struct field *field)
{
    TRY(alone_if_left(job));
    TRY(strip_tiles_renew(job));
    struct tile_batch whole = {
        .tiles = job->tiles.tile, .count = job->tiles.count, .costs = job->tiles.costs};
    struct sampling *sampling = &job->sampling;
    const struct picture_hooks *hooks = job->hooks;
    *sampling = sampling_of(job);
    TRY(sampling_run(sampling, &whole, field));
    job->totals.pixels += sampling->pixels;
    job->totals.samples_sum += sampling->mean_samples * job->strip.rows;
    job->totals.centres_s += sampling->centres_s;
    sampling->pixels = 0; /* they are among those before */
    if (world_rank(renderer_world(job->renderer)) != 0)
        return STATUS_OK;
    bool samples = sampling->average != NULL, late = hooks->late_light;
    enum status status = STATUS_OK;
    if (job->centres.renderer) {
        *field = job->centres.host;
        status = late_centres_wait(&job->centres);
        late_centres_close(&job->centres);
    }
    if (status == STATUS_OK && samples && hooks->consumer && hooks->consumer->numbers)
        status = numbers_deliver(job, field);
    if (!late && status == STATUS_OK) {
        status = average_end(sampling->average, &job->light);
        sampling->average = NULL;
    }
    if (status == STATUS_OK && hooks->look && !job->look &&
        !samples) /* else settled since the centres */
        status = hooks->look(hooks->look_context, field, &job->look);
    if (hooks->consumer) {
        if (status == STATUS_OK)
            status = strip_deliver(job, field, (const float(*)[3])job->light);
        free(job->light);
        job->light = NULL;
    }
    return status;
}
