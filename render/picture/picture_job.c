#include "render/picture/picture_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "render/colour/refine.h"
#include "render/picture/job_reference.h"
#include "render/picture/picture_joined.h"

size_t picture_job_light_bytes(const struct picture_job *job)
{
    size_t pixels = (size_t)job->frame.shape.width * (size_t)job->frame.rows;
    bool adapts = job->message.scope.samples == SAMPLES_AUTO;
    size_t bytes = LIGHT_PIXEL_BYTES + (adapts ? REFINE_PIXEL_BYTES : 0);
    return job->message.plan.lights ? pixels * bytes : 0;
}

struct field picture_job_window(const struct picture_job *job, const struct field *frame)
{
    return field_window(frame, 0, job->batch.above, frame->width, job->strip.height);
}

enum status picture_job_tile_move(const struct picture_job *job, const struct tile *tile,
                                  const struct field *to, const struct field *from)
{
    struct field there = tile_window(tile, to), here = tile_window(tile, from);
    return renderer_copy(job->renderer, &there, &here);
}

enum status picture_job_report_open(struct picture_job *job)
{
    struct job_report *report = &job->totals.report;
    if (world_rank(renderer_world(job->renderer)) != 0 || report->rank)
        return STATUS_OK;
    report->rank = calloc((size_t)world_size(renderer_world(job->renderer)), sizeof *report->rank);
    return report->rank ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a report");
}

enum status picture_job_alone(void *context, struct world **world)
{
    struct picture_job *job = context;
    struct picture_message *message = &job->message;
    if (job->hooks->notice)
        job->hooks->notice(job->hooks->context, "rank 0 goes on alone");
    TRY(picture_job_report_open(job));
    TRY(root_only_open(&job->root_only, job->renderer, &job->frame.shape));
    job->renderer = job->root_only.renderer;
    *world = job->root_only.world;
    snprintf(message->transport, sizeof message->transport, "%s", ROOT_ONLY_TRANSPORT);
    return message->plan.method == METHOD_PERTURBATION ? job_reference_blocks(job) : STATUS_OK;
}

void picture_job_close(struct picture_job *job, struct renderer *renderer)
{
    const struct picture_hooks *hooks = job->hooks;
    picture_joined_end(job);
    free(job->tiles.tile);
    free(job->tiles.costs);
    root_only_close(&job->root_only);
    renderer_devices_wait(renderer);
    device_set_deep_close(renderer_device_set(renderer));
    bool left = hooks->reference && hooks->reference->orbit.length > 0; /* it was not taken */
    if (world_rank(renderer_world(renderer)) == 0 && hooks->kept && !left)
        *hooks->kept = (struct kept_reference){job->reference, job->message.request};
    else
        reference_close(&job->reference);
}
