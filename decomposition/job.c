#include "decomposition/job.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/job_parts.h"

bool job_root_computes(const struct world *world)
{
    return world_size(world) == 1 || world_root_node_size(world) == 1;
}

/* Everything this rank needs; the parts it does not have stay zero. */
struct party {
    struct world *world;
    const struct job *job;
    struct transport_site site;
    struct worker worker;
    struct root *root;
    struct job_report report;
};

static const struct transport_kind *own_road(const struct world *world, const struct job *job)
{
    return world->rank == 0 ? &transport_local : job->roads[world->rank];
}

static enum status check(const struct world *world, const struct job *job)
{
    const struct transport_kind *road = own_road(world, job);
    if (world->rank > 0 && road == &transport_local)
        return status_fail(STATUS_CONFIG, "transport local is for rank 0, and this is rank %d",
                           world->rank);
    if ((world->rank == 0 || road->in_place) && !job->frame.plane[PLANE_COUNT])
        return status_fail(STATUS_CONFIG, "transport %s needs the picture in reach of rank %d",
                           road->name, world->rank);
    return STATUS_OK;
}

/* What the fields of all tiles need. */
static enum status measure(struct transport_site *site, const struct job *job)
{
    for (uint32_t i = 0; i < job->tile_count; i++) {
        size_t bytes;
        TRY(field_bytes(job->tiles[i].width, job->tiles[i].height, job->planes, job->count_bytes,
                        &bytes));
        if (bytes > site->tile_bytes_max)
            site->tile_bytes_max = bytes;
        site->all_bytes += message_padded(bytes);
    }
    return STATUS_OK;
}

static enum status party_open(struct party *party)
{
    struct world *world = party->world;
    const struct job *job = party->job;
    bool computes = job->lanes > 0;
    if (computes || world->rank == 0)
        TRY(check(world, job));
    TRY(measure(&party->site, job));
    if (world->rank == 0)
        TRY(root_open(&party->root, world, job, computes ? &party->worker : NULL, &party->report));
    party->worker = (struct worker){.world = world,
                                    .job = job,
                                    .root = party->root,
                                    .site = party->site,
                                    .road = own_road(world, job)};
    if (world->rank == 0) {
        party->worker.site.home = root_own_tile;
        party->worker.site.context = party->root;
    }
    return computes || world->rank > 0 ? worker_open(&party->worker) : STATUS_OK;
}

static void party_close(struct party *party)
{
    worker_close(&party->worker);
    root_close(party->root);
}

/* Workers are numbered in the order of ranks. */
static enum status enlist(struct party *party)
{
    const struct world *world = party->world;
    for (int rank = 0; rank < world->size; rank++) {
        if (rank == world->rank)
            party->worker.number = party->worker.workers;
        party->worker.workers += world->record[rank].lanes > 0;
    }
    return party->worker.workers
               ? STATUS_OK
               : status_fail(STATUS_NO_DEVICE, "no rank has anything to compute with");
}

enum status job_run(struct world *world, const struct job *job, struct job_report *report)
{
    struct party party = {.world = world, .job = job};
    party.site = (struct transport_site){.world = world,
                                         .frame = &job->frame,
                                         .tiles = job->tiles,
                                         .tile_count = job->tile_count,
                                         .planes = job->planes,
                                         .count_bytes = job->count_bytes,
                                         .fields = job->credits,
                                         .lost_max = job->lanes,
                                         .memory = job->memory};
    struct world_record own = {
        .lanes = job->lanes, .credits = job->credits, .speed = job->speed > 0 ? job->speed : 0};
    world_spin(job->spin_us);
    enum status status = world_introduce(world, party_open(&party), &own);
    if (status == STATUS_OK)
        status = enlist(&party);
    if (status == STATUS_OK) {
        status = world->rank == 0 ? root_run(party.root) : worker_run(&party.worker);
        status = world_agree(world, status);
    }
    party_close(&party);
    if (report)
        *report = party.report;
    else
        free(party.report.rank);
    return status;
}

void job_report_add(struct job_report *all, struct job_report *one, int ranks)
{
    if (!all->rank) {
        *all = *one;
        return;
    }
    for (int i = 0; one->rank && i < ranks; i++) {
        struct job_rank *to = &all->rank[i];
        const struct job_rank *from = &one->rank[i];
        to->tiles += from->tiles;
        to->iterations += from->iterations;
        to->busy_s += from->busy_s;
        to->wait_s += from->wait_s;
        to->bytes_sent += from->bytes_sent;
        to->silences += from->silences;
        to->missing = from->missing;
        to->lanes_lost = from->lanes_lost;
    }
    all->seconds += one->seconds;
    all->late_dropped += one->late_dropped;
    all->twice += one->twice;
    if (all->lanes_lost == 0 && one->lanes_lost > 0) {
        all->lost_rank = one->lost_rank;
        memcpy(all->lost_text, one->lost_text, sizeof all->lost_text);
    }
    all->lanes_lost = one->lanes_lost > all->lanes_lost ? one->lanes_lost : all->lanes_lost;
    free(one->rank);
}
