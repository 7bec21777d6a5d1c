#include "render/studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/job.h"
#include "render/studio_survey.h"

enum { STUDIO_SPIN_US = 8000 }; /* more than GPUs need for a picture of a screen */

static enum status parts_make(struct studio *studio, size_t ranks)
{
    studio->road = calloc(ranks, sizeof *studio->road);
    studio->roads = calloc(ranks, sizeof *studio->roads);
    if (!studio->road || !studio->roads)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of the ranks");
    return executor_open(&studio->lanes);
}

static void parts_free(struct studio *studio)
{
    if (!studio)
        return;
    executor_close(studio->lanes);
    free(studio->road);
    free(studio->roads);
    free(studio->rows);
    free(studio);
}

enum status studio_open(struct studio **out, struct world *world,
                        const struct studio_options *options)
{
    *out = NULL;
    struct studio *studio = calloc(1, sizeof *studio);
    enum status status = STATUS_OK;
    if (studio)
        status = parts_make(studio, (size_t)world_size(world));
    else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a studio");
    if (studio) {
        studio->world = world;
        studio->asked = options ? *options : (struct studio_options){.threads = 0};
    }
    status = studio_survey(studio, world, status, options);
    if (status == STATUS_OK)
        *out = studio;
    else
        parts_free(studio);
    return status;
}

enum status studio_open_alone(struct studio **out, struct world *alone, const struct studio *lost)
{
    struct studio_options options = {.backend = lost->crew_options.backend,
                                     .devices = lost->asked.devices,
                                     .threads = lost->asked.threads,
                                     .slice_s = lost->asked.slice_s,
                                     .use = lost->asked.use};
    return studio_open(out, alone, &options);
}

void studio_close(struct studio *studio)
{
    if (!studio)
        return;
    canvas_close(&studio->canvas, studio->world, &studio->crew);
    crew_close(&studio->crew);
    parts_free(studio);
}

const char *studio_backend(const struct studio *studio)
{
    return studio->facts.backend;
}

/* --- devices, memory, roads ------------------------------------------------------------------- */

static enum canvas_place place_of(const struct studio *studio, const char *transport)
{
    int beside = studio->facts.computing_ranks - studio->facts.away_ranks;
    bool device = !strcmp(transport, "device");
    if (device && !studio->prepared.refused)
        return CANVAS_DEVICE;
    bool share = device || !strcmp(transport, "auto") || !strcmp(transport, "shared");
    return share && studio->facts.ranks > 1 && beside > 0 ? CANVAS_SHARED : CANVAS_PRIVATE;
}

static enum status devices_open(void *context)
{
    struct studio *studio = context;
    return crew_open(&studio->crew, &studio->crew_options);
}

/* Rank 0 opens devices without computing only to keep the picture in their memory. */
static enum status studio_ready(struct studio *studio, enum canvas_place place)
{
    if (studio->crew.kind)
        return STATUS_OK;
    if (!studio->crew_options.computes && place != CANVAS_DEVICE)
        return STATUS_OK;
    return world_work(studio->world, devices_open, studio);
}

static struct studio_road road_facts(const struct studio *studio)
{
    const struct canvas *canvas = &studio->canvas;
    struct studio_road mine = {.computes = studio->crew_options.computes,
                               .reaches_segment =
                                   !canvas->own && canvas_reached(canvas, CANVAS_SHARED),
                               .reaches_device = canvas_reached(canvas, CANVAS_DEVICE),
                               .sends_device = studio->lends};
    snprintf(mine.why, sizeof mine.why, "%.*s", (int)sizeof mine.why - 1, canvas->why);
    return mine;
}

/* With what all ranks have said. Pure. */
static enum status roads_choose(struct studio_road *road, int ranks, const char *wanted,
                                bool to_device, bool is_static, bool others_reach)
{
    for (int rank = 1; rank < ranks; rank++)
        others_reach |= road[rank].computes &&
                        (to_device ? road[rank].reaches_device : road[rank].reaches_segment);
    for (int rank = 0; rank < ranks; rank++) {
        struct transport_question question = {
            .name = wanted,
            .ranks = ranks,
            .rank = rank,
            .schedule_is_static = is_static,
            .reaches_segment = !to_device && road[rank].reaches_segment,
            .reaches_device = to_device && road[rank].reaches_device,
            .others_reach = others_reach,
            .sends_device = road[rank].sends_device};
        const struct transport_kind *kind;
        const char *reason;
        TRY(transport_choose(&question, &kind, &reason));
        road[rank].kind = 0;
        while (transport_kinds[road[rank].kind] != kind)
            road[rank].kind++;
        snprintf(road[rank].reason, sizeof road[rank].reason, "%s", reason);
    }
    return STATUS_OK;
}

/* All learn all, and so choose the same transport for every rank. `mine`: of this rank so far. */
static enum status roads_learn(struct studio *studio, enum status mine, const char *wanted,
                               bool is_static)
{
    struct world *world = studio->world;
    int ranks = world_size(world);
    struct studio_road own = road_facts(studio);
    bool to_device = place_of(studio, wanted) == CANVAS_DEVICE;
    _Static_assert(sizeof own <= WORLD_RECORD_BYTES, "it is exchanged");
    TRY(world_exchange(world, mine, &own, sizeof own));
    for (int rank = 0; rank < ranks; rank++)
        memcpy(&studio->road[rank], world_said(world, rank), sizeof *studio->road);
    TRY(roads_choose(studio->road, ranks, wanted, to_device, is_static,
                     to_device && studio->facts.host_will_do));
    for (int rank = 0; rank < ranks; rank++)
        studio->roads[rank] = transport_kinds[studio->road[rank].kind];
    return STATUS_OK;
}

/* Nothing has changed since the last picture? All ranks give the same answer. */
static bool prepared(const struct studio_key *key, const struct field *shape, const char *transport,
                     bool is_static)
{
    return key->shape.width == shape->width && key->shape.height == shape->height &&
           key->shape.planes == shape->planes && key->shape.count_bytes == shape->count_bytes &&
           !strcmp(key->transport, transport) && key->is_static == is_static;
}

/* Only a schedule for devices of different kinds needs the speeds. */
static void speed_learn(struct studio *studio)
{
    if (studio->facts.mixed && studio->speed == 0 && studio->crew.lanes)
        studio->speed = crew_speed(&studio->crew, NUMBER_FP64);
}

/* Memory for the picture, on rank 0's GPU or else where "auto" wants it. `mine`: of this rank so
 * far; what is returned may be this rank's alone. */
static enum status memory_fit(struct studio *studio, enum status mine, const struct field *shape,
                              const char *transport)
{
    enum canvas_place place = place_of(studio, transport);
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    if (mine == STATUS_OK)
        mine = studio_ready(studio, place);
    mine =
        canvas_fit(&studio->canvas, studio->world, &studio->crew, mine, bytes, place, studio->use);
    if (!studio->canvas.no_device[0])
        return mine;
    snprintf(studio->refusal, sizeof studio->refusal, "%s", studio->canvas.no_device);
    studio->prepared.refused = true;
    return memory_fit(studio, mine, shape, transport);
}

const char *studio_refusal(const struct studio *studio)
{
    return studio->prepared.refused ? studio->refusal : NULL;
}

enum status studio_prepare(struct studio *studio, enum status mine, const struct field *shape,
                           const char *transport, bool is_static)
{
    if (prepared(&studio->prepared, shape, transport, is_static))
        return world_agree(studio->world, mine);
    studio->prepared = (struct studio_key){.is_static = false};
    mine = memory_fit(studio, mine, shape, transport);
    enum status status =
        roads_learn(studio, mine, studio_refusal(studio) ? "auto" : transport, is_static);
    if (status != STATUS_OK) /* on all ranks alike: none of them takes it for there */
        canvas_release(&studio->canvas, &studio->crew);
    TRY(status);
    speed_learn(studio);
    studio->prepared.shape = *shape;
    studio->prepared.is_static = is_static;
    snprintf(studio->prepared.transport, sizeof studio->prepared.transport, "%s", transport);
    return STATUS_OK;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void *block_take(void *context, size_t bytes)
{
    struct studio *studio = context;
    return crew_block_take(&studio->crew, MEMORY_HOST, bytes);
}

static void *device_take(void *context, size_t bytes)
{
    struct studio *studio = context;
    return crew_block_take(&studio->crew, MEMORY_DEVICE, bytes);
}

static void block_give(void *context, void *block)
{
    struct studio *studio = context;
    crew_block_give(&studio->crew, block);
}

static enum status field_transfer(void *context, const struct field *to, const struct field *from)
{
    struct studio *studio = context;
    return studio->crew.kind->memory->copy(studio->crew.backend[0], to, from);
}

struct job studio_job(struct studio *studio, const struct field *shape, const char *transport,
                      uint32_t tiles)
{
    studio->job_memory = (struct job_memory){
        .context = studio, .take = block_take, .give = block_give, .copy = field_transfer};
    if (studio->lends) {
        studio->job_memory.device_take = device_take;
        studio->job_memory.device_give = block_give;
    }
    studio->give_up = 0;
    int devices = studio->crew_options.computes ? studio->active - studio->first_device : 0;
    devices = devices < 0 ? 0 : devices;
    struct crew *crew = &studio->crew;
    crew->active = devices < crew->devices ? devices : crew->devices;
    int of_device = crew->devices ? crew->lanes / crew->devices : 0;
    if (of_device > 1 && tiles <= (uint32_t)studio->active)
        of_device = 1;
    int lanes = of_device * crew->active;
    return (struct job){
        .planes = shape->planes,
        .count_bytes = shape->count_bytes,
        .roads = studio->roads,
        .frame = canvas_field(&studio->canvas, place_of(studio, transport), shape),
        .lanes = lanes,
        .threads = studio->lanes,
        .credits = lanes ? CREW_CREDITS * crew->active : 0,
        .speed = studio->speed,
        .memory = &studio->job_memory,
        /* GPUs leave the cores alone, and their tiles take less than a nap. */
        .spin_us = studio->facts.gpus == studio->facts.devices ? STUDIO_SPIN_US : 0,
        .give_up = &studio->give_up,
    };
}

enum status studio_fetch(struct studio *studio, const struct field *shape, const char *transport,
                         int32_t y, int32_t height, struct field *field)
{
    const struct canvas *canvas = &studio->canvas;
    enum canvas_place place = place_of(studio, transport);
    struct field host = canvas_field(canvas, CANVAS_PRIVATE, shape);
    *field =
        y == 0 && height == shape->height ? host : field_window(&host, 0, y, shape->width, height);
    if (place != CANVAS_DEVICE || world_rank(studio->world) != 0)
        return STATUS_OK;
    struct field device = canvas_field(canvas, CANVAS_DEVICE, shape);
    device = field_window(&device, 0, y, shape->width, height);
    return field_transfer(studio, field, &device);
}
