#include "render/renderer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/job.h"
#include "render/renderer_survey.h"

enum { RENDERER_SPIN_US = 8000 }; /* more than GPUs need for a picture of a screen */

static enum status parts_make(struct renderer *renderer, size_t ranks)
{
    renderer->link = calloc(ranks, sizeof *renderer->link);
    renderer->transports = calloc(ranks, sizeof *renderer->transports);
    if (!renderer->link || !renderer->transports)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of the ranks");
    return executor_open(&renderer->executor);
}

static void parts_free(struct renderer *renderer)
{
    if (!renderer)
        return;
    executor_close(renderer->executor);
    free(renderer->link);
    free(renderer->transports);
    free(renderer->rows);
    free(renderer);
}

enum status renderer_open(struct renderer **out, struct world *world,
                          const struct renderer_options *options)
{
    *out = NULL;
    struct renderer *renderer = calloc(1, sizeof *renderer);
    enum status status = STATUS_OK;
    if (renderer)
        status = parts_make(renderer, (size_t)world_size(world));
    else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a renderer");
    if (renderer) {
        renderer->world = world;
        renderer->asked = options ? *options : (struct renderer_options){.threads = 0};
    }
    status = renderer_survey(renderer, world, status, options);
    if (status == STATUS_OK)
        *out = renderer;
    else
        parts_free(renderer);
    return status;
}

enum status renderer_open_alone(struct renderer **out, struct world *alone,
                                const struct renderer *lost)
{
    struct renderer_options options = {.backend = lost->device_set_options.backend,
                                       .devices = lost->asked.devices,
                                       .threads = lost->asked.threads,
                                       .slice_s = lost->asked.slice_s,
                                       .use = lost->asked.use};
    return renderer_open(out, alone, &options);
}

enum status renderer_part_open(struct renderer **out, struct world *alone, struct renderer *whole)
{
    struct renderer *part = *out = calloc(1, sizeof *part);
    enum status status =
        part ? parts_make(part, 1) : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a renderer");
    if (status != STATUS_OK) {
        parts_free(part);
        *out = NULL;
        return status;
    }
    part->world = alone;
    part->device_set_options = whole->device_set_options;
    part->use = whole->use;
    part->facts = whole->facts;
    part->facts.ranks = part->facts.computing_ranks = 1;
    part->facts.away_ranks = 0;
    part->facts.devices = part->active = whole->device_set.devices;
    part->facts.gpus = whole->facts.gpus == whole->facts.devices ? part->facts.devices : 0;
    part->device_set = whole->device_set;
    whole->device_set = (struct device_set){.kind = NULL};
    return STATUS_OK;
}

void renderer_part_close(struct renderer *part, struct renderer *whole)
{
    frame_memory_close(&part->frame_memory, part->world, &part->device_set);
    whole->device_set = part->device_set;
    parts_free(part);
}

void renderer_close(struct renderer *renderer)
{
    if (!renderer)
        return;
    frame_memory_close(&renderer->frame_memory, renderer->world, &renderer->device_set);
    device_set_close(&renderer->device_set);
    parts_free(renderer);
}

const char *renderer_backend(const struct renderer *renderer)
{
    return renderer->facts.backend;
}

/* --- devices, memory, transports -------------------------------------------------------------- */

static enum frame_memory_place place_of(const struct renderer *renderer, const char *transport)
{
    int beside = renderer->facts.computing_ranks - renderer->facts.away_ranks;
    bool device = !strcmp(transport, "device");
    if (device && !renderer->prepared.refused)
        return FRAME_MEMORY_DEVICE;
    bool share = device || !strcmp(transport, "auto") || !strcmp(transport, "shared");
    return share && renderer->facts.ranks > 1 && beside > 0 ? FRAME_MEMORY_SHARED
                                                            : FRAME_MEMORY_PRIVATE;
}

static enum status devices_open(void *context)
{
    struct renderer *renderer = context;
    return device_set_open(&renderer->device_set, &renderer->device_set_options);
}

/* Rank 0 opens devices without computing only to keep the picture in their memory. */
static enum status renderer_ready(struct renderer *renderer, enum frame_memory_place place)
{
    if (renderer->device_set.kind)
        return STATUS_OK;
    if (!renderer->device_set_options.computes && place != FRAME_MEMORY_DEVICE)
        return STATUS_OK;
    return world_work(renderer->world, devices_open, renderer);
}

static struct renderer_link link_facts(const struct renderer *renderer)
{
    const struct frame_memory *frame_memory = &renderer->frame_memory;
    struct renderer_link mine = {
        .computes = renderer->device_set_options.computes,
        .reaches_segment =
            !frame_memory->own && frame_memory_reached(frame_memory, FRAME_MEMORY_SHARED),
        .reaches_device = frame_memory_reached(frame_memory, FRAME_MEMORY_DEVICE),
        .sends_device = renderer->lends};
    snprintf(mine.why, sizeof mine.why, "%.*s", (int)sizeof mine.why - 1, frame_memory->why);
    return mine;
}

/* With what all ranks have said. Pure. */
static enum status transports_choose(struct renderer_link *link, int ranks, const char *wanted,
                                     bool to_device, bool is_static, bool others_reach)
{
    for (int rank = 1; rank < ranks; rank++)
        others_reach |= link[rank].computes &&
                        (to_device ? link[rank].reaches_device : link[rank].reaches_segment);
    for (int rank = 0; rank < ranks; rank++) {
        struct transport_question question = {
            .name = wanted,
            .ranks = ranks,
            .rank = rank,
            .schedule_is_static = is_static,
            .reaches_segment = !to_device && link[rank].reaches_segment,
            .reaches_device = to_device && link[rank].reaches_device,
            .others_reach = others_reach,
            .sends_device = link[rank].sends_device};
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

/* All learn all, and so choose the same transport for every rank. `mine`: of this rank so far. */
static enum status links_learn(struct renderer *renderer, enum status mine, const char *wanted,
                               bool is_static)
{
    struct world *world = renderer->world;
    int ranks = world_size(world);
    struct renderer_link own = link_facts(renderer);
    bool to_device = place_of(renderer, wanted) == FRAME_MEMORY_DEVICE;
    _Static_assert(sizeof own <= WORLD_RECORD_BYTES, "it is exchanged");
    TRY(world_exchange(world, mine, &own, sizeof own));
    for (int rank = 0; rank < ranks; rank++)
        memcpy(&renderer->link[rank], world_said(world, rank), sizeof *renderer->link);
    TRY(transports_choose(renderer->link, ranks, wanted, to_device, is_static,
                          to_device && renderer->facts.host_will_do));
    for (int rank = 0; rank < ranks; rank++)
        renderer->transports[rank] = transport_kinds[renderer->link[rank].kind];
    return STATUS_OK;
}

/* Nothing has changed since the last picture? All ranks give the same answer. */
static bool prepared(const struct renderer_key *key, const struct field *shape,
                     const char *transport, bool is_static)
{
    return key->shape.width == shape->width && key->shape.height == shape->height &&
           key->shape.planes == shape->planes && key->shape.count_bytes == shape->count_bytes &&
           !strcmp(key->transport, transport) && key->is_static == is_static;
}

/* Only a schedule for devices of different kinds needs the speeds. */
static void speed_learn(struct renderer *renderer)
{
    if (renderer->facts.mixed && renderer->speed == 0 && renderer->device_set.threads)
        renderer->speed = device_set_speed(&renderer->device_set, NUMBER_FP64);
}

/* Memory for the picture, on rank 0's GPU or else where "auto" wants it. `mine`: of this rank so
 * far; what is returned may be this rank's alone. */
static enum status memory_fit(struct renderer *renderer, enum status mine,
                              const struct field *shape, const char *transport)
{
    enum frame_memory_place place = place_of(renderer, transport);
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    if (mine == STATUS_OK)
        mine = renderer_ready(renderer, place);
    mine = frame_memory_fit(&renderer->frame_memory, renderer->world, &renderer->device_set, mine,
                            bytes, place, renderer->use);
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
                             const char *transport, bool is_static)
{
    if (prepared(&renderer->prepared, shape, transport, is_static))
        return world_agree(renderer->world, mine);
    renderer->prepared = (struct renderer_key){.is_static = false};
    mine = memory_fit(renderer, mine, shape, transport);
    enum status status =
        links_learn(renderer, mine, renderer_refusal(renderer) ? "auto" : transport, is_static);
    if (status != STATUS_OK) /* on all ranks alike: none of them takes it for there */
        frame_memory_release(&renderer->frame_memory, &renderer->device_set);
    TRY(status);
    speed_learn(renderer);
    renderer->prepared.shape = *shape;
    renderer->prepared.is_static = is_static;
    snprintf(renderer->prepared.transport, sizeof renderer->prepared.transport, "%s", transport);
    return STATUS_OK;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void *block_take(void *context, size_t bytes)
{
    struct renderer *renderer = context;
    return device_set_block_take(&renderer->device_set, MEMORY_HOST, bytes);
}

static void *device_take(void *context, size_t bytes)
{
    struct renderer *renderer = context;
    return device_set_block_take(&renderer->device_set, MEMORY_DEVICE, bytes);
}

static void block_give(void *context, void *block)
{
    struct renderer *renderer = context;
    device_set_block_give(&renderer->device_set, block);
}

static enum status field_transfer(void *context, const struct field *to, const struct field *from)
{
    struct renderer *renderer = context;
    return renderer->device_set.kind->memory->copy(renderer->device_set.backend[0], to, from);
}

struct job renderer_job(struct renderer *renderer, const struct field *shape, const char *transport,
                        uint32_t tiles)
{
    renderer->job_memory = (struct job_memory){
        .context = renderer, .take = block_take, .give = block_give, .copy = field_transfer};
    if (renderer->lends) {
        renderer->job_memory.device_take = device_take;
        renderer->job_memory.device_give = block_give;
    }
    renderer->give_up = 0;
    int devices =
        renderer->device_set_options.computes ? renderer->active - renderer->first_device : 0;
    devices = devices < 0 ? 0 : devices;
    struct device_set *device_set = &renderer->device_set;
    device_set->active = devices < device_set->devices ? devices : device_set->devices;
    int of_device = device_set->devices ? device_set->threads / device_set->devices : 0;
    if (of_device > 1 && tiles <= (uint32_t)renderer->active)
        of_device = 1;
    int threads = of_device * device_set->active;
    return (struct job){
        .planes = shape->planes,
        .count_bytes = shape->count_bytes,
        .transports = renderer->transports,
        .frame = frame_memory_field(&renderer->frame_memory, place_of(renderer, transport), shape),
        .threads = threads,
        .executor = renderer->executor,
        .credits = threads ? DEVICE_SET_CREDITS * device_set->active : 0,
        .speed = renderer->speed,
        .memory = &renderer->job_memory,
        /* GPUs leave the cores alone, and their tiles take less than a nap. */
        .spin_us = renderer->facts.gpus == renderer->facts.devices ? RENDERER_SPIN_US : 0,
        .give_up = &renderer->give_up,
    };
}

enum status renderer_fetch(struct renderer *renderer, const struct field *shape,
                           const char *transport, int32_t y, int32_t height, struct field *field)
{
    const struct frame_memory *frame_memory = &renderer->frame_memory;
    enum frame_memory_place place = place_of(renderer, transport);
    struct field host = frame_memory_field(frame_memory, FRAME_MEMORY_PRIVATE, shape);
    *field =
        y == 0 && height == shape->height ? host : field_window(&host, 0, y, shape->width, height);
    if (place != FRAME_MEMORY_DEVICE || world_rank(renderer->world) != 0)
        return STATUS_OK;
    struct field device = frame_memory_field(frame_memory, FRAME_MEMORY_DEVICE, shape);
    device = field_window(&device, 0, y, shape->width, height);
    return field_transfer(renderer, field, &device);
}
