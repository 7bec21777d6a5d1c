/* Preparation of a picture: open devices, memory for it, transports. */
#include <stdio.h>
#include <string.h>

#include "render/device/renderer_state.h"

enum frame_memory_place renderer_place(const struct renderer *renderer, const char *transport)
{
    int beside = renderer->info.facts.computing_ranks - renderer->info.facts.away_ranks;
    const struct transport_kind *asked = transport_named(transport); /* NULL: the best */
    enum transport_frame frame = asked ? asked->frame : TRANSPORT_FRAME_SHARED;
    bool device = frame == TRANSPORT_FRAME_DEVICE || renderer->light_bytes > 0;
    if (device && !renderer->prepared.refused)
        return FRAME_MEMORY_DEVICE;
    bool share = device || frame == TRANSPORT_FRAME_SHARED;
    return share && renderer->info.facts.ranks > 1 && beside > 0 ? FRAME_MEMORY_SHARED
                                                                 : FRAME_MEMORY_PRIVATE;
}

static enum status devices_open(void *context)
{
    struct renderer *renderer = context;
    return device_set_open(&renderer->device_set, &renderer->info.devices);
}

static void devices_open_beside(void *context)
{
    struct renderer *renderer = context;
    struct renderer_opening *opening = &renderer->opening;
    opening->status = devices_open(renderer);
    if (opening->status != STATUS_OK)
        snprintf(opening->why, sizeof opening->why, "%s", status_text());
}

void renderer_devices_begin(struct renderer *renderer)
{
    const struct device_set_options *options = &renderer->info.devices;
    const struct backend_kind *kind;
    bool gpus = options->computes && backend_kind_find(&kind, options->backend) == STATUS_OK &&
                kind->memory;
    if (gpus && !renderer->opening.number && !renderer->device_set.kind)
        renderer->opening.number =
            background_run(renderer->background, devices_open_beside, renderer);
}

void renderer_devices_wait(const struct renderer *renderer)
{
    background_wait(renderer->background, renderer->opening.number);
}

/* Status of renderer_devices_begin; devices that failed are tried again by the next picture. */
static enum status devices_begun(void *context)
{
    struct renderer *renderer = context;
    struct renderer_opening *opening = &renderer->opening;
    renderer_devices_wait(renderer);
    opening->number = 0;
    return opening->status == STATUS_OK ? STATUS_OK
                                        : status_fail(opening->status, "%s", opening->why);
}

/* From device to device a picture of so many bytes arrives sooner by the half second that it takes
 * to open a device for it (two H200s: 41 GB/s, and 5 without). */
#define RECEIVE_WORTH_BYTES ((size_t)2 << 30)

/* Is it worth a device on rank 0 to receive what other ranks send from their devices' memory? */
static bool receives_device(const struct renderer *renderer, const char *transport, size_t bytes)
{
    const struct renderer_facts *facts = &renderer->info.facts;
    if (world_rank(renderer->world) != 0 || !renderer->lends || !facts->sends_device)
        return false;
    if (!renderer->info.several && bytes < RECEIVE_WORTH_BYTES)
        return false;
    return transport_named(transport) ? transport_named(transport)->device_memory
                                      : facts->device_faster && facts->away_ranks > 0;
}

/* Rank 0 opens devices without computing to keep the picture in their memory, or to receive there
 * what other devices send; the second works without. */
static enum status renderer_ready(struct renderer *renderer, enum frame_memory_place place,
                                  const char *transport, size_t bytes)
{
    if (renderer->opening.number)
        return world_work(renderer->world, devices_begun, renderer);
    if (renderer->device_set.kind)
        return STATUS_OK;
    bool only_receives = !renderer->info.devices.computes && place != FRAME_MEMORY_DEVICE;
    if (only_receives && !receives_device(renderer, transport, bytes))
        return STATUS_OK;
    enum status status = world_work(renderer->world, devices_open, renderer);
    return only_receives && status == STATUS_NO_DEVICE ? STATUS_OK : status;
}

static struct renderer_link link_facts(const struct renderer *renderer)
{
    const struct frame_memory *frame_memory = &renderer->frame_memory;
    struct renderer_link mine = {
        .computes = renderer->info.devices.computes,
        .reaches_segment =
            !frame_memory->own && frame_memory_reached(frame_memory, FRAME_MEMORY_SHARED),
        .reaches_device = frame_memory_reached(frame_memory, FRAME_MEMORY_DEVICE),
        .sends_device = renderer->lends,
        .device_faster = renderer->lends && renderer->info.mpi_device.faster};
    snprintf(mine.why, sizeof mine.why, "%.*s", (int)sizeof mine.why - 1, frame_memory->why);
    return mine;
}

/* Chooses the transport of each rank from the links of all ranks. Pure. */
static enum status transports_choose(struct renderer_link *link, int ranks, const char *wanted,
                                     bool to_device, bool others_reach)
{
    for (int rank = 1; rank < ranks; rank++)
        others_reach |= link[rank].computes &&
                        (to_device ? link[rank].reaches_device : link[rank].reaches_segment);
    for (int rank = 0; rank < ranks; rank++) {
        struct transport_question question = {
            .name = wanted,
            .ranks = ranks,
            .rank = rank,
            .reaches_segment = !to_device && link[rank].reaches_segment,
            .reaches_device = to_device && link[rank].reaches_device,
            .others_reach = others_reach,
            .sends_device = link[rank].sends_device,
            .device_faster = link[rank].device_faster};
        const struct transport_kind *kind;
        const char *reason;
        TRY(transport_choose(&question, &kind, &reason));
        link[rank].kind = 0;
        while (transport_kinds[link[rank].kind] != kind)
            link[rank].kind++;
        snprintf(link[rank].reason, sizeof link[rank].reason, "%s", reason);
    }
    return STATUS_OK;
}

/* Exchanges the links of all ranks, which so choose the same transport for every rank. `mine`: of
 * this rank so far. */
static enum status links_learn(struct renderer *renderer, enum status mine, const char *wanted)
{
    struct world *world = renderer->world;
    int ranks = world_size(world);
    struct renderer_link own = link_facts(renderer);
    bool to_device = renderer_place(renderer, wanted) == FRAME_MEMORY_DEVICE;
    _Static_assert(sizeof own <= WORLD_RECORD_BYTES, "it is exchanged");
    TRY(world_exchange(world, mine, &own, sizeof own));
    for (int rank = 0; rank < ranks; rank++)
        memcpy(&renderer->link[rank], world_said(world, rank), sizeof *renderer->link);
    TRY(transports_choose(renderer->link, ranks, wanted, to_device,
                          to_device && renderer->info.facts.host_will_do));
    for (int rank = 0; rank < ranks; rank++)
        renderer->transports[rank] = transport_kinds[renderer->link[rank].kind];
    return STATUS_OK;
}

/* Nothing has changed since the last picture? All ranks give the same answer. */
static bool prepared(const struct renderer *renderer, const struct field *shape,
                     const char *transport)
{
    const struct renderer_key *key = &renderer->prepared;
    return key->light_bytes == renderer->light_bytes && key->shape.width == shape->width &&
           key->shape.height == shape->height && key->shape.planes == shape->planes &&
           key->shape.count_bytes == shape->count_bytes && !strcmp(key->transport, transport);
}

/* Only a schedule for devices of different kinds needs the speeds. */
static void speed_learn(struct renderer *renderer)
{
    if (renderer->info.facts.mixed && renderer->speed == 0 && renderer->device_set.threads)
        renderer->speed = device_set_speed(&renderer->device_set, NUMBER_FP64);
}

/* Memory for the picture, on rank 0's GPU or else where "auto" wants it. `mine`: of this rank so
 * far; what is returned may be this rank's alone. */
static enum status memory_fit(struct renderer *renderer, enum status mine,
                              const struct field *shape, const char *transport)
{
    enum frame_memory_place place = renderer_place(renderer, transport);
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    if (mine == STATUS_OK && renderer->opening.number && world_size(renderer->world) == 1 &&
        !renderer->light_bytes)
        frame_memory_touch(&renderer->frame_memory, renderer->world, &renderer->device_set, bytes);
    if (mine == STATUS_OK)
        mine = renderer_ready(renderer, place, transport, bytes);
    if (mine == STATUS_NO_DEVICE && renderer->light_bytes && !renderer->info.devices.computes)
        mine = STATUS_OK;                  /* the light is then made elsewhere */
    background_rest(renderer->background); /* reads the frame of the picture before */
    mine = frame_memory_fit(&renderer->frame_memory, renderer->world, &renderer->device_set, mine,
                            bytes, place == FRAME_MEMORY_DEVICE ? renderer->light_bytes : 0, place);
    if (!renderer->frame_memory.no_device[0])
        return mine;
    snprintf(renderer->refusal, sizeof renderer->refusal, "%s", renderer->frame_memory.no_device);
    renderer->prepared.refused = true;
    return memory_fit(renderer, mine, shape, transport);
}

const char *renderer_refusal(const struct renderer *renderer)
{
    return renderer->prepared.refused ? renderer->refusal : NULL;
}

enum status renderer_prepare(struct renderer *renderer, enum status mine, const struct field *shape,
                             const char *transport, size_t light_bytes)
{
    renderer->light_bytes = light_bytes;
    if (prepared(renderer, shape, transport))
        return world_agree(renderer->world, mine);
    renderer->prepared = (struct renderer_key){.refused = false};
    mine = memory_fit(renderer, mine, shape, transport);
    enum status status =
        links_learn(renderer, mine, renderer_refusal(renderer) ? "auto" : transport);
    if (status != STATUS_OK) /* the same on all ranks: none of them uses the memory afterwards */
        frame_memory_release(&renderer->frame_memory, &renderer->device_set);
    TRY(status);
    speed_learn(renderer);
    renderer->prepared.shape = *shape;
    renderer->prepared.light_bytes = renderer->light_bytes;
    snprintf(renderer->prepared.transport, sizeof renderer->prepared.transport, "%s", transport);
    return STATUS_OK;
}

uint64_t renderer_kept_bytes(const struct renderer *renderer)
{
    return renderer->frame_memory.bytes;
}

void renderer_memory_release(struct renderer *renderer)
{
    background_rest(renderer->background); /* reads the frame of the picture before */
    renderer->prepared = (struct renderer_key){.refused = false};
    frame_memory_release(&renderer->frame_memory, &renderer->device_set);
}
