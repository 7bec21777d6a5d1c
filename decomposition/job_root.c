#include "decomposition/job_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"

enum {
    TILE_SLOTS = 4,       /* receives open at a time */
    ALONE_NAP_US = 20000, /* one rank: only the stop flag and the progress line wait for it */
    NOTE_BYTES = sizeof(struct failure_note)
};
static const double progress_interval_s = 0.1;

_Static_assert(sizeof(struct failure_note) <= OUTBOX_POST_BYTES, "a failure fits a short message");
_Static_assert(sizeof(struct job_rank) <= sizeof(struct failure_note),
               "a tally fits where a failure does");

struct root {
    struct world *world;
    const struct job *job;
    struct worker *own;    /* this rank as a worker; NULL if it does not compute */
    struct schedule plan;  /* dynamic: what is still to be given out */
    int first_worker_rank; /* rank of worker 0 */
    const struct transport_kind *road;
    struct transport_site site;
    void *end;                /* receiving end of the road; NULL in a world of one rank */
    struct inbox *inbox;      /* NULL in a world of one rank */
    unsigned char *announced; /* [tile_count] */
    uint32_t *outstanding;    /* [workers]: tiles given and not announced */
    bool *gone;               /* [world size]: has said BYE */
    int present;              /* ranks > 0 that have not */
    bool broken;              /* MPI itself failed: nobody can be waited for */
    enum status verdict;
    char text[STATUS_TEXT_BYTES];
    struct job_progress progress;
    double start_s, next_progress_s;
    struct patience patience;
    struct job_report *report;
};

/* The first failure decides; what follows from it is noise. */
static void fail(struct root *root, enum status status)
{
    if (status == STATUS_OK || root->verdict != STATUS_OK)
        return;
    root->verdict = status;
    snprintf(root->text, sizeof root->text, "%s", status_text());
}

static enum status deliver(void *context, const struct message *message, void *pixels);

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status root_memory(struct root *root, uint32_t workers)
{
    size_t ranks = (size_t)root->world->size, tiles = root->job->tile_count;
    root->announced = calloc(tiles ? tiles : 1, 1);
    root->outstanding = calloc(workers, sizeof *root->outstanding);
    root->gone = calloc(ranks, sizeof *root->gone);
    root->report->rank = calloc(ranks, sizeof *root->report->rank);
    if (!root->announced || !root->outstanding || !root->gone || !root->report->rank)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to keep track of %zu tiles", tiles);
    memcpy(root->report->rank[0].host, root->world->host, sizeof root->report->rank[0].host);
    return STATUS_OK;
}

enum status root_open(struct root **out, struct world *world, const struct job *job,
                      struct worker *own, uint32_t workers, const struct transport_site *site,
                      struct job_report *report)
{
    struct root *root = *out = calloc(1, sizeof *root);
    if (!root)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a job");
    *root = (struct root){.world = world,
                          .job = job,
                          .own = own,
                          .plan = {.workers = workers, .tile_count = job->tile_count},
                          .first_worker_rank = own ? 0 : 1,
                          .road = job->transport,
                          .present = world->size - 1,
                          .progress = {.tiles = job->tile_count},
                          .start_s = clock_s(),
                          .site = *site,
                          .report = report};
    root->site.home = deliver;
    root->site.context = root;
    for (uint32_t i = 0; i < job->tile_count; i++)
        root->progress.pixels += (uint64_t)job->tiles[i].width * (uint64_t)job->tiles[i].height;
    TRY(root_memory(root, workers));
    if (world->size == 1)
        return STATUS_OK;
    size_t payload = root->road->carries ? site->tile_bytes_max : 0;
    if (payload < NOTE_BYTES)
        payload = NOTE_BYTES;
    TRY(inbox_open(&root->inbox, world, job->epoch, TILE_SLOTS, payload));
    return root->road->open(&root->end, &root->site);
}

void root_close(struct root *root)
{
    if (!root)
        return;
    root->road->close(root->end);
    inbox_close(root->inbox);
    free(root->announced);
    free(root->outstanding);
    free(root->gone);
    free(root);
}

/* --- giving tiles out ------------------------------------------------------------------------- */

static enum status give_one(struct root *root, uint32_t worker)
{
    const struct schedule_kind *schedule = root->job->schedule;
    if (schedule->is_static)
        return STATUS_OK;
    uint32_t tile = schedule->next(&root->plan, worker, root->outstanding[worker]);
    if (tile == root->job->tile_count)
        return STATUS_OK;
    root->outstanding[worker]++;
    int rank = root->first_worker_rank + (int)worker;
    if (rank == 0) {
        worker_give(root->own, tile);
        return STATUS_OK;
    }
    struct message message = {.kind = MESSAGE_TAKE, .epoch = root->job->epoch, .tile = tile};
    return outbox_post(root->world, rank, &message, NULL, 0);
}

/* One each before anybody gets a second. */
static enum status give_first(struct root *root)
{
    for (int credit = 0; credit < SCHEDULE_CREDITS; credit++)
        for (uint32_t worker = 0; worker < root->plan.workers; worker++)
            TRY(give_one(root, worker));
    return STATUS_OK;
}

/* --- taking tiles home ------------------------------------------------------------------------ */

/* Is this a tile that was asked for, once, and of the right size? */
static enum status check_announced(const struct root *root, int rank, const struct message *message)
{
    const struct job *job = root->job;
    if (message->tile >= job->tile_count)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u of %u", rank, message->tile,
                           job->tile_count);
    const struct tile *tile = &job->tiles[message->tile];
    size_t bytes;
    TRY(field_bytes(tile->width, tile->height, job->planes, job->count_bytes, &bytes));
    if (message->length != bytes)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u with %llu bytes, not %zu",
                           rank, message->tile, (unsigned long long)message->length, bytes);
    if (root->announced[message->tile])
        return status_fail(STATUS_INTERNAL, "tile %u came twice, now from rank %d", message->tile,
                           rank);
    return STATUS_OK;
}

static enum status announce(struct root *root, int rank, const struct message *message)
{
    TRY(check_announced(root, rank, message));
    const struct tile *tile = &root->job->tiles[message->tile];
    root->announced[message->tile] = 1;
    root->progress.tiles_done++;
    root->progress.pixels_done += (uint64_t)tile->width * (uint64_t)tile->height;
    root->progress.iterations += message->iterations;
    if (root->job->schedule->is_static)
        return STATUS_OK;
    uint32_t worker = (uint32_t)(rank - root->first_worker_rank);
    if (root->outstanding[worker] == 0)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u, which nobody asked it for",
                           rank, message->tile);
    root->outstanding[worker]--;
    return give_one(root, worker);
}

static enum status deliver(void *context, const struct message *message, void *pixels)
{
    struct root *root = context;
    const struct job *job = root->job;
    const struct tile *tile = &job->tiles[message->tile];
    struct field field;
    field_over(&field, tile->width, tile->height, job->planes, job->count_bytes, pixels);
    return job->deliver(job->context, tile, &field);
}

enum status root_own_tile(void *context, const struct message *message, void *field)
{
    TRY(announce(context, 0, message));
    return deliver(context, message, field);
}

/* --- messages --------------------------------------------------------------------------------- */

static enum status remote_failure(const struct arrival *arrival)
{
    const struct failure_note *note = arrival->payload;
    enum status status = arrival->message.status;
    if (status == STATUS_OK || arrival->message.length != sizeof *note)
        return status_fail(STATUS_INTERNAL, "rank %d failed without saying why", arrival->rank);
    if (status == STATUS_STOPPED) /* a wish, not a fault of that rank */
        return status_fail(status, "%.*s", (int)sizeof note->text - 1, note->text);
    return status_fail(status, "rank %d on %.*s: %.*s", arrival->rank, (int)sizeof note->host - 1,
                       note->host, (int)sizeof note->text - 1, note->text);
}

static void leave(struct root *root, int rank)
{
    if (!root->gone[rank])
        root->present--;
    root->gone[rank] = true;
}

static enum status take_message(struct root *root, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    switch (message->kind) {
    case MESSAGE_TILE:
    case MESSAGE_KEPT:
        if (root->verdict != STATUS_OK)
            return STATUS_OK; /* finished before its rank heard of the end */
        if ((message->kind == MESSAGE_TILE) != root->road->carries)
            return status_fail(STATUS_INTERNAL, "rank %d uses another transport", arrival->rank);
        TRY(announce(root, arrival->rank, message));
        return root->road->accept(root->end, arrival->rank, message, arrival->payload);
    case MESSAGE_FAIL:
        return remote_failure(arrival);
    case MESSAGE_BYE:
        leave(root, arrival->rank);
        if (message->length == sizeof *root->report->rank)
            memcpy(&root->report->rank[arrival->rank], arrival->payload, message->length);
        return STATUS_OK;
    default:
        return status_fail(STATUS_INTERNAL, "rank %d sent a message of kind %d", arrival->rank,
                           message->kind);
    }
}

/* Takes one message, if there is one. */
static void listen(struct root *root, bool *moved)
{
    if (!root->inbox)
        return;
    struct arrival arrival = {0};
    bool any = false;
    enum status status = inbox_poll(root->inbox, &arrival, &any);
    if (status != STATUS_OK) {
        fail(root, status);
        root->broken |= !any;
        if (any && arrival.message.kind == MESSAGE_BYE)
            leave(root, arrival.rank);
        return;
    }
    if (!any)
        return;
    *moved = true;
    fail(root, take_message(root, &arrival));
    inbox_release(root->inbox, &arrival);
}

/* --- the job ---------------------------------------------------------------------------------- */

static void show_progress(struct root *root, bool now)
{
    double time_s = clock_s();
    root->progress.seconds = time_s - root->start_s;
    if (!root->job->progress || (!now && time_s < root->next_progress_s))
        return;
    root->next_progress_s = time_s + progress_interval_s;
    root->job->progress(root->job->context, &root->progress);
}

static void rest(struct root *root, bool moved)
{
    if (moved) {
        root->patience.idle = 0;
        return;
    }
    unsigned nap_us =
        root->inbox ? patience_us(&root->patience, NAP_MOST_US) : (unsigned)ALONE_NAP_US;
    if (root->own)
        worker_wait(root->own, nap_us);
    else
        patience_nap(nap_us);
}

static void compute_all(struct root *root)
{
    fail(root, give_first(root));
    while (root->verdict == STATUS_OK && root->progress.tiles_done < root->progress.tiles) {
        bool moved = false;
        listen(root, &moved);
        if (root->own && root->verdict == STATUS_OK)
            fail(root, worker_step(root->own, &moved));
        fail(root, job_stopped(root->job));
        show_progress(root, false);
        rest(root, moved);
    }
}

/* Every rank is told how it ended; a cancel overtakes whatever is queued before the END. */
static void end_all(struct root *root)
{
    if (root->verdict != STATUS_OK && root->own)
        worker_give_up(root->own);
    uint64_t epoch = root->job->epoch;
    if (root->verdict != STATUS_OK)
        for (int rank = 1; rank < root->world->size; rank++)
            fail(root, world_check(MPI_Send(&epoch, 1, MPI_UINT64_T, rank, 0, root->world->cancel),
                                   "MPI_Send"));
    struct message end = {.kind = MESSAGE_END, .status = root->verdict, .epoch = epoch};
    for (int rank = 1; rank < root->world->size; rank++)
        fail(root, outbox_post(root->world, rank, &end, NULL, 0));
}

/* Waits until nobody computes and nothing is under way, so that the next job finds no leftovers. */
static void wind_down(struct root *root)
{
    root->patience.idle = 0;
    for (;;) {
        bool moved = false;
        listen(root, &moved);
        bool idle = !root->own || worker_idle(root->own);
        bool alone = root->present == 0 && (!root->inbox || inbox_quiet(root->inbox));
        if (idle && (alone || root->broken))
            return;
        rest(root, moved);
    }
}

enum status root_run(struct root *root)
{
    compute_all(root);
    bool good = root->verdict == STATUS_OK; /* the ranks act on what END says, whatever follows */
    end_all(root);
    if (good && root->inbox)
        fail(root, root->road->collect(root->end));
    wind_down(root);
    show_progress(root, true);
    if (root->own)
        root->report->rank[0] = worker_tally(root->own);
    root->report->seconds = root->progress.seconds;
    root->report->late_dropped = root->inbox ? inbox_late(root->inbox) : 0;
    return root->verdict == STATUS_OK ? STATUS_OK : status_fail(root->verdict, "%s", root->text);
}
