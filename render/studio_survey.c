/* Who is there? The first half of studio_open: settings to every rank, a choice of devices on each,
 * and what all have together. */
#include "render/studio_survey.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/job.h"
#include "decomposition/mpi_device.h"
#include "render/devices.h"

/* What rank 0 tells the others. Plain data. */
struct studio_settings {
    char backend[16];
    struct devices_wanted wanted;
    int threads;
    double slice_s;
    enum canvas_use use;
    double iterations;
    struct studio_mpi_device mpi_device;
};

/* What the others tell rank 0. */
struct studio_member {
    char backend[16];
    int devices, gpus;
    int32_t tile_px;
    bool computes, away, lends;
    double slowest, fastest; /* of its GPUs, iterations per second; 0 = they do not say */
};

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
static enum status devices_spare(struct studio *studio, const struct studio_settings *settings,
                                 const struct backend_kind *kind)
{
    struct crew_options *crew = &studio->crew_options;
    struct device_facts facts;
    bool free_to_choose = !settings->wanted.chosen && !settings->wanted.per_rank &&
                          world_size(studio->world) == 1 && settings->iterations > 0;
    if (!free_to_choose || crew->devices < 2)
        return STATUS_OK;
    TRY(kind->facts(crew->device[0], &facts));
    int worth = devices_worth(crew->devices, settings->iterations, facts.limit[NUMBER_FP64]);
    studio->spared = crew->devices - worth;
    crew->devices = worth;
    return STATUS_OK;
}

static enum status devices_choose(struct studio *studio, const struct studio_settings *settings,
                                  const struct backend_kind *kind)
{
    struct crew_options *crew = &studio->crew_options;
    struct devices_question question = {.visible = kind->devices(), .wanted = settings->wanted};
    devices_worker(studio->world, &question.worker, &question.workers);
    crew->computes = question.worker >= 0;
    if (!crew->computes) /* it may open the first one for its memory */
        question.worker = 0;
    crew->backend = kind->name;
    crew->threads = kind->memory        ? 1
                    : settings->threads ? settings->threads
                                        : threads_fair(question.workers);
    crew->slice_s = settings->slice_s;
    crew->stop = &studio->give_up;
    char why[256];
    studio->lends = settings->mpi_device.proven && kind->memory &&
                    mpi_device_claim(why, sizeof why) != MPI_DEVICE_NO;
    if (kind->memory) {
        TRY(devices_assign(&question, crew->device, &crew->devices));
        return devices_spare(studio, settings, kind);
    }
    crew->devices = 1; /* the CPU */
    crew->device[0] = 0;
    return STATUS_OK;
}

static struct studio_facts facts_sum(const struct studio_member *member, int ranks)
{
    struct studio_facts facts = {.ranks = ranks};
    double slowest = INFINITY, fastest = 0;
    for (int rank = 0; rank < ranks; rank++) {
        if (!member[rank].computes)
            continue;
        facts.computing_ranks++;
        facts.away_ranks += member[rank].away;
        facts.devices += member[rank].devices;
        facts.gpus += member[rank].gpus;
        if (member[rank].tile_px > facts.tile_px)
            facts.tile_px = member[rank].tile_px;
        if (!facts.backend[0])
            memcpy(facts.backend, member[rank].backend, sizeof facts.backend);
        facts.sends_device |= rank > 0 && member[rank].lends;
        facts.mixed |= strcmp(facts.backend, member[rank].backend) != 0;
        slowest = fmin(slowest, member[rank].slowest);
        fastest = fmax(fastest, member[rank].fastest);
    }
    facts.mixed |= facts.gpus && slowest < 0.9 * fastest;
    return facts;
}

struct studio_facts studio_facts_alone(const char *backend)
{
    const struct backend_kind *kind;
    bool found = backend_kind_find(&kind, backend) == STATUS_OK;
    int devices = found ? kind->devices() : 1;
    return (struct studio_facts){.ranks = 1,
                                 .computing_ranks = 1,
                                 .devices = devices,
                                 .gpus = found && kind->memory ? devices : 0,
                                 .pageable = found && kind->memory,
                                 .tile_px = found ? kind->tile_px : 1};
}

static enum status members_share(struct world *world, const struct studio_member *mine,
                                 struct studio_member *all)
{
    TRY(world_gather(world, mine, sizeof *mine, all));
    return world_tell(world, all, (size_t)world_size(world) * sizeof *all);
}

/* How far do the GPUs of this rank differ? */
static void speeds_find(struct studio_member *mine, const struct crew_options *crew,
                        const struct backend_kind *kind)
{
    for (int i = 0; kind->memory && i < crew->devices; i++) {
        struct device_facts facts;
        bool known = kind->facts(crew->device[i], &facts) == STATUS_OK;
        double speed = known ? facts.limit[NUMBER_FP64] : 0;
        mine->slowest = i ? fmin(mine->slowest, speed) : speed;
        mine->fastest = fmax(mine->fastest, speed);
    }
}

/* Every rank learns what all have together, and which of it is its own. */
static enum status facts_learn(struct studio *studio, const struct backend_kind *kind)
{
    struct world *world = studio->world;
    int devices = studio->crew_options.devices;
    struct studio_member mine = {.devices = devices,
                                 .gpus = kind->memory ? devices : 0,
                                 .tile_px = kind->tile_px,
                                 .computes = studio->crew_options.computes,
                                 .away = !world_beside_root(world),
                                 .lends = studio->lends};
    snprintf(mine.backend, sizeof mine.backend, "%s", kind->name);
    speeds_find(&mine, &studio->crew_options, kind);
    struct studio_member *all = calloc((size_t)world_size(world), sizeof *all);
    enum status status =
        all ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of ranks");
    status = world_agree(world, status);
    if (status == STATUS_OK)
        status = members_share(world, &mine, all);
    if (status == STATUS_OK) {
        studio->facts = facts_sum(all, world_size(world));
        studio->facts.host_will_do = studio->mpi_device.asked;
        studio->facts.pageable = studio->facts.gpus > 0 && studio->use == CANVAS_ONCE;
        for (int rank = 0; rank < world_rank(world); rank++)
            studio->first_device += all[rank].computes ? all[rank].devices : 0;
        studio->active = studio->facts.devices;
    }
    free(all);
    return status;
}

static struct studio_settings settings_make(const struct studio_options *options)
{
    struct studio_settings settings = {.wanted = options->devices,
                                       .threads = options->threads,
                                       .slice_s = options->slice_s,
                                       .use = options->use,
                                       .iterations = options->iterations,
                                       .mpi_device = options->mpi_device};
    snprintf(settings.backend, sizeof settings.backend, "%s", options->backend);
    return settings;
}

/* Rank 0 learns every device of every rank, and which of them are the same. */
static enum status rows_learn(struct studio *studio, const struct backend_kind *kind)
{
    const struct crew_options *crew = &studio->crew_options;
    struct device_row mine[DEVICES_MAX];
    int count = 0;
    enum status status = STATUS_OK;
    if (crew->computes)
        for (; count < crew->devices && status == STATUS_OK; count++)
            status = device_row_make(&mine[count], studio->world, kind, crew->device[count]);
    TRY(world_agree(studio->world, status));
    return devices_gather(studio->world, mine, count, &studio->rows, &studio->row_count);
}

struct search {
    const struct studio_settings *settings;
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

enum status studio_survey(struct studio *studio, const struct studio_options *options)
{
    struct world *world = studio->world;
    struct studio_settings settings = {.threads = 0};
    struct search search = {.settings = &settings};
    if (options)
        settings = settings_make(options);
    TRY(world_agree(world, world_tell(world, &settings, sizeof settings)));
    studio->use = settings.use;
    studio->mpi_device = settings.mpi_device;
    enum status status = world_work(world, backend_find, &search);
    if (status == STATUS_OK)
        status = devices_choose(studio, &settings, search.kind);
    TRY(world_agree(world, status));
    TRY(facts_learn(studio, search.kind));
    TRY(devices_wanted_check(&settings.wanted, studio->facts.gpus));
    return rows_learn(studio, search.kind);
}
