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
    bool computes;
    struct worker worker;
    struct root *root;
    struct job_report report;
};

static enum status check(const struct world *world, const struct job *job)
{
    if (job->transport->needs_one_rank && world->size > 1)
        return status_fail(STATUS_CONFIG, "transport %s works with one rank, and there are %d",
                           job->transport->name, world->size);
    return STATUS_OK;
}

/* What the fields of all tiles need, and of those that this rank may compute. */
static enum status measure(struct party *party, uint32_t number, uint32_t workers)
{
    const struct job *job = party->job;
    struct transport_site *site = &party->site;
    for (uint32_t i = 0; i < job->tile_count; i++) {
        size_t bytes;
        TRY(field_bytes(job->tiles[i].width, job->tiles[i].height, job->planes, job->count_bytes,
                        &bytes));
        if (bytes > site->tile_bytes_max)
            site->tile_bytes_max = bytes;
        site->all_bytes += message_padded(bytes);
        if (!job->schedule->is_static)
            site->own_bytes += message_padded(bytes);
    }
    if (!party->computes || !job->schedule->is_static)
        return STATUS_OK;
    uint32_t tile;
    for (uint32_t k = 0;
         (tile = job->schedule->at(k, number, workers, job->tile_count)) != job->tile_count; k++) {
        size_t bytes;
        TRY(field_bytes(job->tiles[tile].width, job->tiles[tile].height, job->planes,
                        job->count_bytes, &bytes));
        site->own_bytes += message_padded(bytes);
    }
    return STATUS_OK;
}

static enum status party_open(struct party *party)
{
    struct world *world = party->world;
    const struct job *job = party->job;
    bool root_computes = job_root_computes(world);
    uint32_t workers = (uint32_t)world->size - !root_computes;
    uint32_t number = (uint32_t)world->rank - !root_computes; /* not used if it does not compute */
    party->computes = world->rank != 0 || root_computes;
    TRY(check(world, job));
    TRY(measure(party, number, workers));
    if (world->rank == 0)
        TRY(root_open(&party->root, world, job, party->computes ? &party->worker : NULL, workers,
                      &party->site, &party->report));
    if (!party->computes)
        return STATUS_OK;
    party->worker = (struct worker){.world = world,
                                    .job = job,
                                    .site = party->site,
                                    .road = world->rank ? job->transport : &transport_local};
    if (world->rank == 0) {
        party->worker.site.home = root_own_tile;
        party->worker.site.context = party->root;
    }
    return worker_open(&party->worker, number, workers);
}

static void party_close(struct party *party)
{
    worker_close(&party->worker);
    root_close(party->root);
}

enum status job_run(struct world *world, const struct job *job, struct job_report *report)
{
    struct party party = {.world = world, .job = job};
    party.site = (struct transport_site){.world = world, .tile_count = job->tile_count};
    enum status status = world_agree(world, party_open(&party));
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
