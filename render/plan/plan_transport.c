/* How tiles come to rank 0, in which order, and where the mean of samples is made. */
#include <stdio.h>
#include <string.h>

#include "decomposition/schedule/schedule.h"
#include "decomposition/transport/transport.h"
#include "render/colour/samples.h"
#include "render/plan/plan_question.h"

/* Where numbers are wanted, too: those of the centres are fetched when all of them are there, and
 * not while they are computed. */
enum { LIGHTS_SAMPLES_LEAST = 3 };

static enum status unknown(const char *what, const char *name, const char *known)
{
    return status_fail(STATUS_CONFIG, "unknown %s '%s'; known: auto, %s", what, name, known);
}

bool plan_asks_for_device(const struct plan_question *question)
{
    const struct transport_kind *transport = transport_named(question->picture->transport);
    return transport && transport->frame == TRANSPORT_FRAME_DEVICE;
}

/* A processor takes longer for the colours of a picture's samples than a GPU to compute them. */
void plan_lights_choose(struct plan *plan, const struct plan_question *question)
{
    plan->why.lights = NULL;
    if (!question->facts->lights)
        plan->why.lights = "rank 0 has no GPU";
    else if (formula_roots(&question->picture->spec.formula))
        plan->why.lights = "a GPU does not tell roots apart";
    else if (question->picture->host_colours)
        plan->why.lights = "a GPU has neither colours by other planes nor layers";
    else if (!question->picture->light_alone &&
             samples_most(question->picture->samples) < LIGHTS_SAMPLES_LEAST)
        plan->why.lights = "so few cost less than to fetch the numbers that are wanted, too";
    else if (transport_named(question->picture->transport) && !plan_asks_for_device(question))
        plan->why.lights = "the transport asked for brings it there";
    else if (!question->picture->light_alone && question->facts->ranks > 1)
        plan->why.lights = "rank 0 would open a GPU for one picture";
    else if (question->picture->samples == SAMPLES_AUTO && question->facts->ranks > 1)
        plan->why.lights = "it chooses for several ranks where more samples are needed";
    plan->lights = !plan->why.lights;
    if (plan->lights)
        plan->why.lights = "where they are computed";
}

static const char *schedule_automatic(const struct plan_question *question,
                                      const struct transport_kind *asked)
{
    bool several = question->facts->computing_ranks > 1 && !(asked && asked->at_end);
    return several || question->facts->joins ? "dynamic" : "cyclic";
}

enum status plan_transports_choose(struct plan *plan, const struct plan_question *question)
{
    const struct transport_kind *asked = transport_named(question->picture->transport);
    const char *wanted = question->picture->schedule;
    if (!strcmp(wanted, "auto"))
        wanted = schedule_automatic(question, asked);
    const struct schedule_kind *schedule = schedule_named(wanted);
    if (!schedule)
        return unknown("schedule", wanted, "cyclic, dynamic");
    if (schedule->is_static && question->facts->joins)
        return status_fail(STATUS_CONFIG,
                           "schedule %s deals out all tiles beforehand, and leaves none for jobs "
                           "that join; schedule dynamic does",
                           wanted);
    int beside = question->facts->computing_ranks - question->facts->away_ranks;
    bool to_device = plan_asks_for_device(question) || plan->lights;
    struct transport_question worker = {
        .name = question->picture->transport,
        .ranks = question->facts->ranks,
        .rank = question->facts->ranks > 1 && beside > 0,
        /* As a rule; the report says what each rank really took. */
        .reaches_segment = beside > 0 && !plan->lights,
        .reaches_device = beside > 0 && to_device,
        .others_reach = beside > 0 || (to_device && question->facts->host_will_do),
        .sends_device = question->facts->sends_device,
        .device_faster = question->facts->device_faster};
    const struct transport_kind *transport;
    TRY(transport_choose(&worker, &transport, &plan->why.transport));
    snprintf(plan->transport, sizeof plan->transport, "%s", transport->name);
    if (question->facts->away_ranks > 0) {
        worker.rank = 1;
        worker.reaches_segment = worker.reaches_device = false;
        TRY(transport_choose(&worker, &transport, &plan->why.away));
        snprintf(plan->away_transport, sizeof plan->away_transport, "%s", transport->name);
    }
    snprintf(plan->schedule, sizeof plan->schedule, "%s", schedule->name);
    plan->order = schedule->is_static ? TILE_ORDER_MORTON : TILE_ORDER_SPIRAL;
    return STATUS_OK;
}
