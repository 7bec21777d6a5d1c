#include "render/picture/job_reference.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"

/* Progress and stop of the picture, for its reference. */
static struct reference_hooks reference_hooks(const struct picture_hooks *hooks)
{
    return (struct reference_hooks){.progress = hooks->prepare,
                                    .context = hooks->context,
                                    .stop = hooks->stop,
                                    .keeps_stopped = true,
                                    .keeps_settled = hooks->kept != NULL};
}

enum status job_reference_find(struct picture_job *job, const struct picture *picture)
{
    struct picture_message *message = &job->message;
    struct reference *reference = &job->reference;
    struct reference_hooks hooks = reference_hooks(job->hooks);
    const struct picture_orbit *other = job->hooks->orbit;
    int64_t nucleus = picture->known ? picture->known->nucleus : -1;
    double begin_s = clock_s();
    if (message->plan.method != METHOD_PERTURBATION)
        return STATUS_OK;
    hooks.device = renderer_orbit_device(job->renderer, NULL, 0);
    if (job->hooks->reference && job->hooks->reference->orbit.length > 0) {
        *reference = *job->hooks->reference;
        *job->hooks->reference = (struct reference){.number = 0};
        if (job->hooks->request) {
            message->request.amplification = job->hooks->request->amplification;
            message->request.roundings_px = job->hooks->request->roundings_px;
            message->request.orbit = reference->number; /* ranks and devices keep it */
        }
    } else if (!other || !picture_orbit_take(other, &picture->view, &message->view, &message->spec,
                                             nucleus, &reference->orbit, &message->request))
        TRY(reference_make(reference, &picture->view, &message->view, &message->spec,
                           renderer_world(job->renderer), picture->orbit_cache, &hooks));
    if (!(message->request.amplification > 0))
        TRY(reference_settle(reference, &message->view, &message->spec, &message->request, &hooks));
    job->reference_cost.seconds = clock_s() - begin_s;
    return STATUS_OK;
}

/* The orbit to every rank that does not have it from a picture before. */
static enum status orbit_share(struct picture_job *job)
{
    struct renderer *renderer = job->renderer;
    struct reference *reference = &job->reference;
    uint64_t number = job->message.request.orbit;
    if (!number || renderer_orbit(renderer)->number != number) {
        TRY(reference_share(reference, renderer_world(renderer)));
        free(renderer_orbit(renderer)->bytes);
        *renderer_orbit(renderer) = (struct renderer_orbit){.number = number};
        if (!number)
            return STATUS_OK;
        renderer_orbit(renderer)->bytes =
            reference->bytes; /* rank 0 has none: its caller has the orbit */
        reference->bytes = NULL;
    }
    if (renderer_orbit(renderer)->bytes) {
        reference->bytes = renderer_orbit(renderer)->bytes;
        reference_unpack(reference);
        reference->bytes = NULL; /* not ours to free */
    }
    return STATUS_OK;
}

enum status job_reference_blocks(void *context)
{
    struct picture_job *job = context;
    struct reference_hooks hooks = reference_hooks(job->hooks);
    return reference_open(&job->reference, renderer_device_set(job->renderer), &job->message.view,
                          &job->message.spec, &job->message.request, &hooks);
}

enum status job_reference_begin(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    struct renderer *renderer = job->renderer;
    if (message->plan.method != METHOD_PERTURBATION)
        return STATUS_OK;
    TRY(orbit_share(job));
    enum status status = STATUS_OK;
    if (renderer_link(renderer, world_rank(renderer_world(renderer)))->computes)
        status = world_work(renderer_world(renderer), job_reference_blocks, job);
    return reference_table_bytes(renderer_device_set(renderer), renderer_world(renderer), status,
                                 &job->reference_cost.table_bytes);
}

struct picture_reference job_reference_report(const struct picture_job *job)
{
    const struct reference *reference = &job->reference;
    const struct orbit *orbit = &reference->orbit;
    struct picture_reference facts = {.bits = orbit->bits,
                                      .steps = orbit->length > 0 ? orbit->length - 1 : 0,
                                      .period = orbit->shortest ? orbit->shortest : orbit->period,
                                      .orbit_bytes = (uint64_t)orbit->length * sizeof *orbit->z,
                                      .table_bytes = job->reference_cost.table_bytes,
                                      .device_steps = orbit_device_steps(orbit),
                                      .seconds = job->reference_cost.seconds,
                                      .amplification = job->message.request.amplification,
                                      .cache = reference->cache};
    memcpy(facts.warning, reference->warning, sizeof facts.warning);
    memcpy(facts.device_lost, reference->device_lost, sizeof facts.device_lost);
    return facts;
}

enum status job_reference_usage(struct picture_job *job, struct renderer *renderer,
                                struct block_usage *usage)
{
    const struct picture_message *message = &job->message;
    const struct reference_hooks hooks = reference_hooks(job->hooks);
    if (message->plan.method != METHOD_PERTURBATION)
        return STATUS_OK;
    return reference_block_usage(&job->reference, renderer_device_set(renderer), &message->view,
                                 &message->spec, &message->request, &hooks, usage);
}
