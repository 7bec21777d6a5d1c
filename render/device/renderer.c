#include "render/device/renderer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/pool/job.h"
#include "decomposition/transport/mpi_device.h"
#include "render/device/devices.h"

/* ---- the devices that the ranks drive ---- */

/* The first half of renderer_open: settings to every rank, a choice of devices on
 * each, and what all have together. */

/* What rank 0 tells the others. Plain data. */
struct renderer_settings {
    char backend[16];
    struct devices_wanted wanted;
    int threads;
    double slice_s;
    enum frame_memory_use use;
    double iterations;
    struct renderer_mpi_device mpi_device;
};

/* What the others tell rank 0. */
struct renderer_member {
    char backend[16];
    int devices, gpus;
    int32_t tile_px;
    bool computes, away, lends, lights;
    char host[64];
    uint64_t memory;         /* bytes that there are for all ranks of its machine */
    double slowest, fastest; /* of its GPUs, iterations per second; 0 = they do not say */
    struct idle_rank idle;
    int rows; /* 0, or as many as it has devices; the first: */
    struct device_row row;
};
_Static_assert(sizeof(struct renderer_member) <= WORLD_RECORD_BYTES, "it is exchanged");

/* Threads for this rank when none were asked for: cores that nobody else of this job uses. A rank
 * that its launcher has bound to some cores takes those; unbound ones share the machine. */
static int threads_fair(int workers)
{
    int usable = backend_cores_usable();
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int share = usable < online || workers < 1 ? usable : usable / workers;
    return share < 1 ? 1 : share;
}

/* Leaves the GPUs closed that one picture is not worth. */
static enum status devices_spare(struct renderer *renderer,
                                 const struct renderer_settings *settings,
                                 const struct backend_kind *kind)
{
    struct device_set_options *device_set = &renderer->device_set_options;
    struct device_facts facts;
    bool free_to_choose = !settings->wanted.chosen && !settings->wanted.per_rank &&
                          world_size(renderer->world) == 1 && settings->iterations > 0;
    if (!free_to_choose || device_set->devices < 2)
        return STATUS_OK;
    TRY(kind->facts(device_set->device[0], &facts));
    int worth = devices_worth(device_set->devices, settings->iterations, facts.limit[NUMBER_FP64]);
    renderer->spared = device_set->devices - worth;
    device_set->devices = worth;
    return STATUS_OK;
}

static enum status devices_choose(struct renderer *renderer,
                                  const struct renderer_settings *settings,
                                  const struct backend_kind *kind)
{
    struct device_set_options *device_set = &renderer->device_set_options;
    struct devices_question question = {.visible = kind->devices(), .wanted = settings->wanted};
    devices_worker(renderer->world, &question.worker, &question.workers);
    device_set->computes = question.worker >= 0;
    if (!device_set->computes) /* it may open the first one for its memory */
        question.worker = 0;
    device_set->backend = kind->name;
    renderer->cores = settings->threads ? settings->threads : threads_fair(question.workers);
    device_set->threads = kind->memory ? 1 : renderer->cores;
    device_set->slice_s = settings->slice_s;
    device_set->stop = &renderer->give_up;
    char why[256];
    renderer->lends = settings->mpi_device.proven && kind->memory &&
                      mpi_device_claim(why, sizeof why) != MPI_DEVICE_NO;
    if (kind->memory) {
        TRY(devices_assign(&question, device_set->device, &device_set->devices));
        return devices_spare(renderer, settings, kind);
    }
    device_set->devices = 1; /* the CPU */
    device_set->device[0] = 0;
    return STATUS_OK;
}

/* The machine of this rank, which is not rank 0's. Ranks of one machine may have control groups of
 * their own: the least counts. */
static struct memory_away memory_of_host(const struct world *world, const char *host)
{
    struct memory_away memory = {.bytes = UINT64_MAX};
    snprintf(memory.host, sizeof memory.host, "%s", host);
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct renderer_member *member = world_said(world, rank);
        if (!member->computes || !member->away || strcmp(member->host, host) != 0)
            continue;
        memory.ranks++;
        memory.bytes = member->memory < memory.bytes ? member->memory : memory.bytes;
    }
    return memory;
}

/* Quadratic in the number of machines, which are few. */
static struct memory_away memory_least(const struct world *world)
{
    struct memory_away least = {.ranks = 0};
    const char *last = "";
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct renderer_member *member = world_said(world, rank);
        if (!member->computes || !member->away || !strcmp(member->host, last))
            continue;
        last = member->host;
        struct memory_away memory = memory_of_host(world, last);
        if (least.ranks == 0 ||
            memory.bytes / (uint64_t)memory.ranks < least.bytes / (uint64_t)least.ranks)
            least = memory;
    }
    return least;
}

static struct renderer_facts facts_sum(const struct world *world)
{
    int ranks = world_size(world);
    struct renderer_facts facts = {.ranks = ranks};
    double slowest = INFINITY, fastest = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const struct renderer_member *member = world_said(world, rank);
        if (!member->computes)
            continue;
        facts.computing_ranks++;
        facts.away_ranks += member->away;
        facts.devices += member->devices;
        facts.gpus += member->gpus;
        if (member->tile_px > facts.tile_px)
            facts.tile_px = member->tile_px;
        if (!facts.backend[0])
            memcpy(facts.backend, member->backend, sizeof facts.backend);
        facts.sends_device |= rank > 0 && member->lends;
        facts.mixed |= strcmp(facts.backend, member->backend) != 0;
        slowest = fmin(slowest, member->slowest);
        fastest = fmax(fastest, member->fastest);
    }
    facts.memory_away = memory_least(world);
    facts.lights = ((const struct renderer_member *)world_said(world, 0))->lights;
    facts.mixed |= facts.gpus && slowest < 0.9 * fastest;
    return facts;
}

struct renderer_facts renderer_facts_alone(const char *backend)
{
    const struct backend_kind *kind;
    bool found = backend_kind_find(&kind, backend) == STATUS_OK;
    int devices = found ? kind->devices() : 1;
    return (struct renderer_facts){.ranks = 1,
                                   .computing_ranks = 1,
                                   .devices = devices,
                                   .gpus = found && kind->memory ? devices : 0,
                                   .pageable = found && kind->memory,
                                   .lights = found && kind->memory && kind->memory->light,
                                   .tile_px = found ? kind->tile_px : 1};
}

/* How far do the GPUs of this rank differ? */
static void speeds_find(struct renderer_member *mine, const struct device_set_options *device_set,
                        const struct backend_kind *kind)
{
    for (int i = 0; kind->memory && i < device_set->devices; i++) {
        struct device_facts facts;
        bool known = kind->facts(device_set->device[i], &facts) == STATUS_OK;
        double speed = known ? facts.limit[NUMBER_FP64] : 0;
        mine->slowest = i ? fmin(mine->slowest, speed) : speed;
        mine->fastest = fmax(mine->fastest, speed);
    }
}

static struct renderer_member member_make(const struct renderer *renderer,
                                          const struct world *world,
                                          const struct backend_kind *kind)
{
    int devices = renderer->device_set_options.devices;
    struct renderer_member mine = {.devices = devices,
                                   .gpus = kind->memory ? devices : 0,
                                   .tile_px = kind->tile_px,
                                   .computes = renderer->device_set_options.computes,
                                   .away = !world_beside_root(world),
                                   .lends = renderer->lends,
                                   .lights = kind->memory && kind->memory->light,
                                   .memory = memory_available()};
    gethostname(mine.host, sizeof mine.host - 1);
    snprintf(mine.backend, sizeof mine.backend, "%s", kind->name);
    mine.idle = idle_rank_make(mine.computes, mine.gpus, mine.host);
    speeds_find(&mine, &renderer->device_set_options, kind);
    return mine;
}

static void idle_learn(struct renderer *renderer)
{
    int ranks = world_size(renderer->world);
    struct idle_rank *rank = calloc((size_t)ranks, sizeof *rank);
    if (!rank) /* nothing is told then */
        return;
    for (int i = 0; i < ranks; i++)
        rank[i] = ((const struct renderer_member *)world_said(renderer->world, i))->idle;
    idle_find(&renderer->idle, rank, ranks);
    free(rank);
}

/* What all have together, and which of it is this rank's own. */
static void facts_learn(struct renderer *renderer)
{
    const struct world *world = renderer->world;
    renderer->facts = facts_sum(world);
    renderer->facts.host_will_do = renderer->mpi_device.asked;
    renderer->facts.pageable = renderer->facts.gpus > 0 && renderer->use == FRAME_MEMORY_ONCE;
    for (int rank = 0; rank < world_rank(world); rank++) {
        const struct renderer_member *member = world_said(world, rank);
        renderer->first_device += member->computes ? member->devices : 0;
    }
    renderer->active = renderer->facts.devices;
    if (world_rank(world) == 0)
        idle_learn(renderer);
}

static struct renderer_settings settings_make(const struct renderer_options *options)
{
    struct renderer_settings settings = {.wanted = options->devices,
                                         .threads = options->threads,
                                         .slice_s = options->slice_s,
                                         .use = options->use,
                                         .iterations = options->iterations,
                                         .mpi_device = options->mpi_device};
    snprintf(settings.backend, sizeof settings.backend, "%s", options->backend);
    return settings;
}

/* The devices that this rank computes with. */
static enum status rows_make(const struct renderer *renderer, const struct world *world,
                             const struct backend_kind *kind, struct device_row *rows, int *count)
{
    const struct device_set_options *device_set = &renderer->device_set_options;
    int devices = device_set->computes ? device_set->devices : 0;
    for (*count = 0; *count < devices; ++*count)
        TRY(device_row_make(&rows[*count], world, kind, device_set->device[*count]));
    return STATUS_OK;
}

/* Rank 0 learns every device of every rank, and which of them are the same. The first of each rank
 * is known already. */
static enum status rows_learn(struct renderer *renderer, const struct device_row *mine, int count)
{
    const struct world *world = renderer->world;
    int most = 0, all = 0, ranks = world_size(world);
    for (int rank = 0; rank < ranks; rank++) {
        const struct renderer_member *member = world_said(world, rank);
        most = member->rows > most ? member->rows : most;
        all += member->rows;
    }
    if (most > 1)
        return devices_gather(renderer->world, mine, count, &renderer->rows, &renderer->row_count);
    if (world_rank(world) > 0)
        return STATUS_OK;
    renderer->rows = calloc((size_t)all + 1, sizeof *renderer->rows);
    for (int rank = 0; renderer->rows && rank < ranks; rank++) {
        const struct renderer_member *member = world_said(world, rank);
        if (member->rows)
            renderer->rows[renderer->row_count++] = member->row;
    }
    if (renderer->rows)
        devices_mark_shared(renderer->rows, renderer->row_count);
    return STATUS_OK;
}

struct search {
    const struct renderer_settings *settings;
    const struct backend_kind *kind;
};

/* The first question wakes the drivers of all GPUs, which may take seconds. */
static enum status backend_find(void *context)
{
    struct search *search = context;
    TRY(backend_kind_find(&search->kind, search->settings->backend));
    search->kind->devices();
    return STATUS_OK;
}

/* What this rank is to do, and has. */
static enum status look_around(struct renderer *renderer, struct world *world,
                               const struct renderer_settings *settings,
                               struct renderer_member *mine, struct device_row *rows)
{
    struct search search = {.settings = settings};
    renderer->use = settings->use;
    renderer->mpi_device = settings->mpi_device;
    TRY(world_work(world, backend_find, &search));
    TRY(devices_choose(renderer, settings, search.kind));
    *mine = member_make(renderer, world, search.kind);
    TRY(rows_make(renderer, world, search.kind, rows, &mine->rows));
    if (mine->rows)
        mine->row = rows[0];
    return STATUS_OK;
}

/* Fills device_set_options, facts, rows and what a rank needs to know of itself. Collective; every
 * rank returns the same status, as world_agree makes it of `mine` and what comes of it; with a
 * failure of its own this rank may pass no renderer. Rank 0 passes options, the others NULL. */
static enum status renderer_survey(struct renderer *renderer, struct world *world, enum status mine,
                                   const struct renderer_options *options)
{
    struct renderer_settings settings = {.threads = 0};
    struct renderer_member member = {.devices = 0};
    struct device_row rows[DEVICES_MAX];
    if (options)
        settings = settings_make(options);
    TRY(world_tell(world, mine, &settings, sizeof settings));
    if (mine == STATUS_OK)
        mine = look_around(renderer, world, &settings, &member, rows);
    TRY(world_exchange(world, mine, &member, sizeof member));
    facts_learn(renderer);
    TRY(devices_wanted_check(&settings.wanted, renderer->facts.gpus));
    return rows_learn(renderer, rows, member.rows);
}

enum { RENDERER_SPIN_US = 8000 }; /* more than GPUs need for a picture of a screen */

static enum status parts_make(struct renderer *renderer, size_t ranks)
{
    renderer->link = calloc(ranks, sizeof *renderer->link);
    renderer->transports = calloc(ranks, sizeof *renderer->transports);
    if (!renderer->link || !renderer->transports)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of the ranks");
    TRY(background_open(&renderer->background));
    return executor_open(&renderer->executor);
}

static void parts_free(struct renderer *renderer)
{
    if (!renderer)
        return;
    background_close(renderer->background);
    executor_close(renderer->executor);
    free(renderer->link);
    free(renderer->transports);
    free(renderer->rows);
    free(renderer->orbit.bytes);
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
        renderer->gives_up = &renderer->give_up;
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
    part->gives_up = whole->gives_up;
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
    background_rest(renderer->background); /* it reads the frame, or opens devices */
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
    const struct transport_kind *asked = transport_named(transport); /* NULL: the best */
    enum transport_frame frame = asked ? asked->frame : TRANSPORT_FRAME_SHARED;
    bool device = frame == TRANSPORT_FRAME_DEVICE || renderer->light_bytes > 0;
    if (device && !renderer->prepared.refused)
        return FRAME_MEMORY_DEVICE;
    bool share = device || frame == TRANSPORT_FRAME_SHARED;
    return share && renderer->facts.ranks > 1 && beside > 0 ? FRAME_MEMORY_SHARED
                                                            : FRAME_MEMORY_PRIVATE;
}

static enum status devices_open(void *context)
{
    struct renderer *renderer = context;
    return device_set_open(&renderer->device_set, &renderer->device_set_options);
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
    const struct device_set_options *options = &renderer->device_set_options;
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

/* What came of renderer_devices_begin; what has failed is tried again by the next picture. */
static enum status devices_begun(void *context)
{
    struct renderer *renderer = context;
    struct renderer_opening *opening = &renderer->opening;
    renderer_devices_wait(renderer);
    opening->number = 0;
    return opening->status == STATUS_OK ? STATUS_OK
                                        : status_fail(opening->status, "%s", opening->why);
}

/* Rank 0 opens devices without computing only to keep the picture in their memory. */
static enum status renderer_ready(struct renderer *renderer, enum frame_memory_place place)
{
    if (renderer->opening.number)
        return world_work(renderer->world, devices_begun, renderer);
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
static enum status links_learn(struct renderer *renderer, enum status mine, const char *wanted)
{
    struct world *world = renderer->world;
    int ranks = world_size(world);
    struct renderer_link own = link_facts(renderer);
    bool to_device = place_of(renderer, wanted) == FRAME_MEMORY_DEVICE;
    _Static_assert(sizeof own <= WORLD_RECORD_BYTES, "it is exchanged");
    TRY(world_exchange(world, mine, &own, sizeof own));
    for (int rank = 0; rank < ranks; rank++)
        memcpy(&renderer->link[rank], world_said(world, rank), sizeof *renderer->link);
    TRY(transports_choose(renderer->link, ranks, wanted, to_device,
                          to_device && renderer->facts.host_will_do));
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
    if (mine == STATUS_NO_DEVICE && renderer->light_bytes && !renderer->device_set_options.computes)
        mine = STATUS_OK;                  /* then the light is made elsewhere */
    background_rest(renderer->background); /* it reads the frame of the picture before */
    mine = frame_memory_fit(&renderer->frame_memory, renderer->world, &renderer->device_set, mine,
                            bytes, place == FRAME_MEMORY_DEVICE ? renderer->light_bytes : 0, place,
                            renderer->use);
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
                             const char *transport)
{
    if (prepared(renderer, shape, transport))
        return world_agree(renderer->world, mine);
    renderer->prepared = (struct renderer_key){.refused = false};
    mine = memory_fit(renderer, mine, shape, transport);
    enum status status =
        links_learn(renderer, mine, renderer_refusal(renderer) ? "auto" : transport);
    if (status != STATUS_OK) /* on all ranks alike: none of them takes it for there */
        frame_memory_release(&renderer->frame_memory, &renderer->device_set);
    TRY(status);
    speed_learn(renderer);
    renderer->prepared.shape = *shape;
    renderer->prepared.light_bytes = renderer->light_bytes;
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

bool renderer_lights(const struct renderer *renderer)
{
    return renderer->light_bytes > 0 && !renderer->prepared.refused;
}

struct light_device renderer_light_device(struct renderer *renderer, const struct field *shape)
{
    size_t bytes = 0;
    enum status status =
        field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes);
    if (status != STATUS_OK || !renderer_lights(renderer))
        return (struct light_device){.device_set = NULL};
    return (struct light_device){.device_set = &renderer->device_set,
                                 .mean = frame_memory_beside(&renderer->frame_memory, bytes)};
}

struct field renderer_frame(const struct renderer *renderer, const struct field *shape,
                            const char *transport)
{
    return frame_memory_field(&renderer->frame_memory, place_of(renderer, transport), shape);
}

struct field renderer_host(const struct renderer *renderer, const struct field *shape)
{
    return frame_memory_field(&renderer->frame_memory, FRAME_MEMORY_PRIVATE, shape);
}

enum status renderer_copy(struct renderer *renderer, const struct field *to,
                          const struct field *from)
{
    return field_transfer(renderer, to, from);
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
    *renderer->gives_up = 0;
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
        .frame = renderer_frame(renderer, shape, transport),
        .threads = threads,
        .executor = renderer->executor,
        .credits = threads ? DEVICE_SET_CREDITS * device_set->active : 0,
        .speed = renderer->speed,
        .memory = &renderer->job_memory,
        /* GPUs leave the cores alone, and their tiles take less than a nap. */
        .spin_us = renderer->facts.gpus == renderer->facts.devices ? RENDERER_SPIN_US : 0,
        .give_up = renderer->gives_up,
    };
}

enum status renderer_fetch(struct renderer *renderer, const struct field *shape,
                           const char *transport, int32_t y, int32_t height, struct field *field)
{
    const struct frame_memory *frame_memory = &renderer->frame_memory;
    enum frame_memory_place place = place_of(renderer, transport);
    struct field host = renderer_host(renderer, shape);
    *field =
        y == 0 && height == shape->height ? host : field_window(&host, 0, y, shape->width, height);
    if (place != FRAME_MEMORY_DEVICE || world_rank(renderer->world) != 0)
        return STATUS_OK;
    struct field device = frame_memory_field(frame_memory, FRAME_MEMORY_DEVICE, shape);
    device = field_window(&device, 0, y, shape->width, height);
    return renderer_copy(renderer, field, &device);
}
