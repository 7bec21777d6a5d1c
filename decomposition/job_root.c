#include "decomposition/job_root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"

enum {
    MESSAGE_SLOTS = 4,    /* receives open at a time */
    ALONE_NAP_US = 20000, /* one rank: only the stop flag and the progress line wait for it */
    NOTE_BYTES = sizeof(struct failure_note)
};
static const double progress_interval_s = 0.1;

_Static_assert(sizeof(struct failure_note) <= OUTBOX_POST_BYTES, "a failure fits a short message");
_Static_assert(sizeof(struct job_rank) <= sizeof(struct failure_note),
               "a tally fits where a failure does");

/* The first failure decides; what follows from it is noise. */
static void fail(struct root *root, enum status status)
{
    if (status == STATUS_OK || root->verdict != STATUS_OK)
        return;
    root->verdict = status;
    snprintf(root->text, sizeof root->text, "%s", status_text());
}

/* --- opening and closing ---------------------------------------------------------------------- */

enum status root_open(struct root **out, struct world *world, const struct job *job,
                      struct worker *own, struct job_report *report)
{
    struct root *root = *out = calloc(1, sizeof *root);
    if (!root)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a job");
    *root = (struct root){.world = world,
                          .job = job,
                          .own = own,
                          .progress = {.tiles = job->tile_count},
                          .start_s = clock_s(),
                          .patience = {.spin_us = job->spin_us},
                          .report = report};
    for (uint32_t i = 0; i < job->tile_count; i++)
        root->progress.pixels += (uint64_t)job->tiles[i].width * (uint64_t)job->tiles[i].height;
    size_t ranks = (size_t)world->size;
    root->rank_of = calloc(ranks, sizeof *root->rank_of);
    root->worker_of = calloc(ranks, sizeof *root->worker_of);
    root->gone = calloc(ranks, sizeof *root->gone);
    root->silent = calloc(ranks, sizeof *root->silent);
    report->rank = calloc(ranks, sizeof *report->rank);
    if (!root->rank_of || !root->worker_of || !root->gone || !root->silent || !report->rank)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu ranks", ranks);
    memcpy(report->rank[0].host, world->host, sizeof report->rank[0].host);
    if (world->size == 1)
        return STATUS_OK;
    TRY(pixels_open(&root->pixels, world, job->memory, root_take_pixels, root));
    return inbox_open(&root->inbox, world, job->epoch, MESSAGE_SLOTS, NOTE_BYTES, NULL);
}

void root_close(struct root *root)
{
    if (!root)
        return;
    book_close(root->book);
    inbox_close(root->inbox);
    pixels_close(root->pixels);
    free(root->rank_of);
    free(root->worker_of);
    free(root->gone);
    free(root->silent);
    free(root);
}

/* The workers are known now: their numbers and the book. */
static enum status enlist(struct root *root)
{
    const struct world *world = root->world;
    struct book_worker *introduced = calloc((size_t)world->size, sizeof *introduced);
    if (!introduced)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
    for (int rank = 0; rank < world->size; rank++) {
        const struct world_record *record = &world->record[rank];
        root->worker_of[rank] = record->lanes > 0 ? (int32_t)root->workers : -1;
        struct job_rank *row = &root->report->rank[rank];
        snprintf(row->host, sizeof row->host, "%s", presence_host(world, rank));
        row->lanes = record->lanes;
        row->computes = record->lanes > 0;
        if (record->lanes <= 0)
            continue;
        root->rank_of[root->workers] = rank;
        introduced[root->workers++] = (struct book_worker){
            .lanes = record->lanes, .credits = record->credits, .speed = record->speed};
    }
    enum status status = book_open(&root->book, root->job->schedule, root->job->tile_count,
                                   root->workers, introduced);
    free(introduced);
    if (status == STATUS_OK && root->job->costs)
        book_forecast(root->book, root->job->costs);
    return status;
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

bool root_complete(const struct root *root)
{
    return root->book && book_undone(root->book) == 0;
}

static void take_tally(struct job_rank *row, const struct job_rank *tally)
{
    int32_t silences = row->silences;
    *row = *tally;
    row->silences = silences;
}

static enum status take_message(struct root *root, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    switch (message->kind) {
    case MESSAGE_TILE:
    case MESSAGE_KEPT:
    case MESSAGE_HOME:
        return root_take_tile(root, arrival);
    case MESSAGE_LOST:
        return root_take_loss(root, arrival);
    case MESSAGE_FAIL: /* of a complete picture: somebody else was sooner with that tile */
        return root_complete(root) ? STATUS_OK : remote_failure(arrival);
    case MESSAGE_BYE:
        root->gone[arrival->rank] = true;
        pixels_total(root->pixels, arrival->rank, message->offset);
        if (message->length == sizeof *root->report->rank)
            take_tally(&root->report->rank[arrival->rank], arrival->payload);
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
            root->gone[arrival.rank] = true;
        return;
    }
    if (!any)
        return;
    *moved = true;
    presence_heard(root->world, arrival.rank);
    fail(root, root_judge(root, arrival.rank));
    fail(root, take_message(root, &arrival));
    inbox_release(root->inbox, &arrival);
}

/* Takes in the pixels that follow announcements. */
static void receive(struct root *root, bool *moved)
{
    if (!root->pixels)
        return;
    uint64_t before = root->left;
    if (root->verdict != STATUS_OK)
        pixels_refuse(root->pixels);
    fail(root, pixels_progress(root->pixels, &root->left));
    *moved |= root->left < before;
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
    unsigned nap_us = patience_us(&root->patience, root->inbox ? NAP_MOST_US : ALONE_NAP_US);
    if (root->own)
        worker_wait(root->own, nap_us);
    else
        patience_nap(nap_us);
}

/* Judges the ranks now and then. When all that could compute are silent it waits until the last of
 * them is lost. */
static void watch(struct root *root)
{
    struct world *world = root->world;
    int lost = 0;
    bool hope = false;
    if (!presence_look(world))
        return;
    for (int rank = 1; rank < world->size; rank++) {
        fail(root, root_judge(root, rank));
        bool missed = root->silent[rank] && root->worker_of[rank] >= 0;
        hope |= missed && !presence_lost(world, rank);
        if (missed && lost == 0)
            lost = rank;
    }
    if (lost && !hope && !root->ended && book_lanes(root->book) == 0)
        fail(root, presence_give_up(world, lost));
}

static void compute_all(struct root *root)
{
    fail(root, enlist(root));
    if (root->verdict == STATUS_OK)
        fail(root, root_give_all(root));
    while (root->verdict == STATUS_OK && book_undone(root->book) > 0) {
        bool moved = false;
        listen(root, &moved);
        receive(root, &moved);
        if (root->own && root->verdict == STATUS_OK)
            fail(root, worker_step(root->own, &moved));
        fail(root, job_stopped(root->job));
        watch(root);
        show_progress(root, false);
        if (!moved && root->verdict == STATUS_OK)
            fail(root, root_give_again(root));
        rest(root, moved);
    }
}

static enum status end_rank(struct root *root, int rank)
{
    uint64_t epoch = root->job->epoch;
    struct message end = {.kind = MESSAGE_END, .status = root->verdict, .epoch = epoch};
    if (root->verdict != STATUS_OK)
        TRY(outbox_cancel(root->world, rank, epoch));
    return outbox_post(root->world, rank, &end, NULL, 0);
}

/* Every rank is told how it ended; a cancel overtakes whatever is queued before the END. */
static void end_all(struct root *root)
{
    root->ended = true;
    root->end_s = clock_s();
    if (root->pixels && root->verdict == STATUS_OK)
        pixels_release(root->pixels);
    if (root->own && (root->verdict != STATUS_OK || !worker_idle(root->own)))
        worker_give_up(root->own);
    enum status told = STATUS_OK;
    for (int rank = 1; rank < root->world->size; rank++) {
        enum status status = end_rank(root, rank);
        told = told == STATUS_OK ? status : told;
    }
    fail(root, told);
}

/* Is there no good end without every rank? */
static bool needs_all(const struct root *root)
{
    return root->verdict == STATUS_OK && root->kept > 0;
}

/* Has it said goodbye, and is all here that it sent before? */
static bool finished(const struct root *root, int rank)
{
    return root->gone[rank] && pixels_quiet(root->pixels, rank);
}

/* Is nobody left to wait for, or have those who are been waited for long enough? */
static bool abandoned(const struct root *root)
{
    const struct world *world = root->world;
    bool patient = needs_all(root), overdue = clock_s() > root->end_s + 2 * world->lost_s;
    bool quiet = !root->inbox || inbox_quiet(root->inbox), any = false;
    for (int rank = 1; rank < world->size; rank++) {
        bool waits = !finished(root, rank);
        if (waits && !overdue &&
            (patient ? !presence_lost(world, rank) : presence_answers(world, rank)))
            return false;
        any |= waits;
    }
    return any || quiet || overdue;
}

/* Nobody waits any longer for those who have not finished. */
static void give_up_missing(struct root *root)
{
    int first = 0;
    for (int rank = root->world->size - 1; rank > 0; rank--)
        if (!finished(root, rank)) {
            root->report->rank[rank].missing = 1;
            inbox_give_up(root->inbox, rank);
            pixels_give_up(root->pixels, rank);
            first = rank;
        }
    if (!first)
        return;
    enum status status = presence_give_up(root->world, first);
    if (!needs_all(root))
        return;
    fail(root, status);
    snprintf(root->text + strlen(root->text), sizeof root->text - strlen(root->text),
             "; the picture is lost, since its transport needs every rank in the end (staged and "
             "shared do not)");
}

/* Waits until nobody computes and nothing is under way, so that the next job finds no leftovers. */
static void wind_down(struct root *root)
{
    root->patience.idle = 0;
    for (;;) {
        bool moved = false;
        listen(root, &moved);
        receive(root, &moved);
        watch(root);
        if (moved)
            root->end_s = clock_s();
        bool idle = !root->own || worker_idle(root->own);
        if (idle && (root->broken || abandoned(root)))
            break;
        rest(root, moved);
    }
    if (!root->broken)
        give_up_missing(root);
}

/* A device may also die over a tile that another rank had sooner. */
static void report_losses(struct job_report *report, int ranks)
{
    uint32_t lost = 0;
    for (int rank = 0; rank < ranks; rank++) {
        lost += (uint32_t)report->rank[rank].lanes_lost;
        if (lost && report->lanes_lost == 0) {
            report->lanes_lost = lost;
            report->lost_rank = rank;
            snprintf(report->lost_text, sizeof report->lost_text,
                     "lost over a tile that was home already");
        }
    }
    report->lanes_lost = lost > report->lanes_lost ? lost : report->lanes_lost;
}

enum status root_run(struct root *root)
{
    compute_all(root);
    end_all(root);
    wind_down(root);
    show_progress(root, true);
    if (root->own)
        root->report->rank[0] = worker_tally(root->own);
    report_losses(root->report, root->world->size);
    root->report->seconds = root->progress.seconds;
    root->report->late_dropped = root->inbox ? inbox_late(root->inbox) : 0;
    return root->verdict == STATUS_OK ? STATUS_OK : status_fail(root->verdict, "%s", root->text);
}
