/* The devices that the ranks drive: settings to every rank, a choice of devices on each, and what
 * all have together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/transport/mpi_device.h"
#include "render/device/devices.h"
#include "render/device/renderer_state.h"

/* Settings that rank 0 sends to the others. Plain data. */
struct renderer_settings {
    char backend[16];
    struct devices_wanted wanted;
    int threads;
    double slice_s;
    bool several;
    double iterations;
    struct renderer_mpi_device mpi_device;
    enum packing_wish packing;
    bool joins;
};

/* Description of a rank, exchanged between all. */
struct renderer_member {
    char backend[16];
    int devices, gpus;
    int32_t tile_px;
    bool computes, away, lends, lights, slow_doubles;
    char host[64];
    uint64_t memory;         /* bytes that there are for all ranks of its machine */
    double slowest, fastest; /* speeds of its GPUs, iterations per second; 0 = not known */
    struct idle_rank idle;
    int rows; /* 0, or the number of its devices, of which `row` is the first */
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
    struct device_set_options *device_set = &renderer->info.devices;
    struct device_facts facts;
    bool free_to_choose = !settings->wanted.chosen && !settings->wanted.per_rank &&
                          world_size(renderer->world) == 1 && settings->iterations > 0;
    if (!free_to_choose || device_set->devices < 2)
        return STATUS_OK;
    TRY(kind->facts(device_set->device[0], &facts));
    int worth = devices_worth(device_set->devices, settings->iterations, facts.limit[NUMBER_FP64]);
    renderer->info.spared = device_set->devices - worth;
    device_set->devices = worth;
    return STATUS_OK;
}

static enum status devices_choose(struct renderer *renderer,
                                  const struct renderer_settings *settings,
                                  const struct backend_kind *kind)
{
    struct device_set_options *device_set = &renderer->info.devices;
    struct devices_question question = {.visible = kind->devices(), .wanted = settings->wanted};
    devices_worker(renderer->world, &question.worker, &question.workers);
    device_set->computes = question.worker >= 0;
    if (!device_set->computes) /* it may open the first one for its memory */
        question.worker = 0;
    device_set->backend = kind->name;
    renderer->info.cores = settings->threads ? settings->threads : threads_fair(question.workers);
    device_set->threads = kind->memory ? 1 : renderer->info.cores;
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
static struct memory_remote memory_of_host(const struct world *world, const char *host)
{
    struct memory_remote memory = {.bytes = UINT64_MAX};
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
static struct memory_remote memory_least(const struct world *world)
{
    struct memory_remote least = {.ranks = 0};
    const char *last = "";
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct renderer_member *member = world_said(world, rank);
        if (!member->computes || !member->away || !strcmp(member->host, last))
            continue;
        last = member->host;
        struct memory_remote memory = memory_of_host(world, last);
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
        facts.slow_doubles |= member->slow_doubles;
        facts.mixed |= strcmp(facts.backend, member->backend) != 0;
        slowest = fmin(slowest, member->slowest);
        fastest = fmax(fastest, member->fastest);
    }
    facts.memory_remote = memory_least(world);
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
                                   .lights = found && kind->memory && kind->memory->mean_add,
                                   .tile_px = found ? kind->tile_px : 1};
}

enum { SLOW_DOUBLES = 8 }; /* operations in fp32 in the time of one in fp64 */

/* Finds how far the speeds of the GPUs of this rank differ, and whether doubles are slow. */
static void speeds_find(struct renderer_member *mine, const struct device_set_options *device_set,
                        const struct backend_kind *kind)
{
    for (int i = 0; kind->memory && i < device_set->devices; i++) {
        struct device_facts facts;
        bool known = kind->facts(device_set->device[i], &facts) == STATUS_OK;
        double speed = known ? facts.limit[NUMBER_FP64] : 0;
        mine->slowest = i ? fmin(mine->slowest, speed) : speed;
        mine->fastest = fmax(mine->fastest, speed);
        mine->slow_doubles |= known && facts.fp32_per_fp64 > SLOW_DOUBLES;
    }
}

static struct renderer_member member_make(const struct renderer *renderer,
                                          const struct world *world,
                                          const struct backend_kind *kind)
{
    int devices = renderer->info.devices.devices;
    struct renderer_member mine = {.devices = devices,
                                   .gpus = kind->memory ? devices : 0,
                                   .tile_px = kind->tile_px,
                                   .computes = renderer->info.devices.computes,
                                   .away = !world_beside_root(world),
                                   .lends = renderer->lends,
                                   .lights = kind->memory && kind->memory->mean_add,
                                   .memory = memory_available()};
    gethostname(mine.host, sizeof mine.host - 1);
    snprintf(mine.backend, sizeof mine.backend, "%s", kind->name);
    mine.idle = idle_rank_make(mine.computes, mine.gpus, mine.host);
    speeds_find(&mine, &renderer->info.devices, kind);
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
    idle_find(&renderer->info.idle, rank, ranks);
    free(rank);
}

/* Sums up the devices of all ranks, and finds this rank's own among them. */
static void facts_learn(struct renderer *renderer)
{
    const struct world *world = renderer->world;
    renderer->info.facts = facts_sum(world);
    renderer->info.facts.host_will_do = renderer->info.mpi_device.asked;
    renderer->info.facts.device_faster =
        renderer->info.facts.sends_device && renderer->info.mpi_device.faster;
    for (int rank = 0; rank < world_rank(world); rank++) {
        const struct renderer_member *member = world_said(world, rank);
        renderer->info.first_device += member->computes ? member->devices : 0;
    }
    renderer->active = renderer->info.facts.devices;
    if (world_rank(world) == 0)
        idle_learn(renderer);
}

static struct renderer_settings settings_make(const struct renderer_options *options)
{
    struct renderer_settings settings = {.wanted = options->devices,
                                         .threads = options->threads,
                                         .slice_s = options->slice_s,
                                         .several = options->several,
                                         .iterations = options->iterations,
                                         .mpi_device = options->mpi_device,
                                         .packing = options->packing,
                                         .joins = options->listen.address != NULL};
    snprintf(settings.backend, sizeof settings.backend, "%s", options->backend);
    return settings;
}

/* The devices that this rank computes with. */
static enum status rows_make(const struct renderer *renderer, const struct world *world,
                             const struct backend_kind *kind, struct device_row *rows, int *count)
{
    const struct device_set_options *device_set = &renderer->info.devices;
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
        return devices_gather(renderer->world, mine, count, &renderer->info.rows,
                              &renderer->info.row_count);
    if (world_rank(world) > 0)
        return STATUS_OK;
    renderer->info.rows = calloc((size_t)all + 1, sizeof *renderer->info.rows);
    for (int rank = 0; renderer->info.rows && rank < ranks; rank++) {
        const struct renderer_member *member = world_said(world, rank);
        if (member->rows)
            renderer->info.rows[renderer->info.row_count++] = member->row;
    }
    if (renderer->info.rows)
        devices_mark_shared(renderer->info.rows, renderer->info.row_count);
    return STATUS_OK;
}

struct backend_search {
    const struct renderer_settings *settings;
    const struct backend_kind *kind;
};

/* The first question wakes the drivers of all GPUs, which may take seconds. */
static enum status backend_find(void *context)
{
    struct backend_search *search = context;
    TRY(backend_kind_find(&search->kind, search->settings->backend));
    search->kind->devices();
    return STATUS_OK;
}

/* Finds the devices of this rank, and what it is to do. */
static enum status look_around(struct renderer *renderer, struct world *world,
                               const struct renderer_settings *settings,
                               struct renderer_member *mine, struct device_row *rows)
{
    struct backend_search search = {.settings = settings};
    renderer->info.mpi_device = settings->mpi_device;
    renderer->info.several = settings->several;
    TRY(world_work(world, backend_find, &search));
    TRY(devices_choose(renderer, settings, search.kind));
    *mine = member_make(renderer, world, search.kind);
    TRY(rows_make(renderer, world, search.kind, rows, &mine->rows));
    if (mine->rows)
        mine->row = rows[0];
    return STATUS_OK;
}

enum status renderer_survey(struct renderer *renderer, struct world *world, enum status mine,
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
    renderer->info.facts.joins = settings.joins;
    TRY(devices_wanted_check(&settings.wanted, renderer->info.facts.gpus));
    TRY(rows_learn(renderer, rows, member.rows));
    if (settings.packing == PACKING_AUTO && !renderer->info.facts.away_ranks) {
        link_force(world, false); /* all are beside rank 0, and know it: they need not meet again */
        return STATUS_OK;
    }
    return link_learn(world, settings.packing, &renderer->info.link);
}
