#include "render/picture/strip_writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "render/picture/strip.h"
#include "render/picture/strip_tiles.h"
#include "render/picture/writers.h"

/* A strip of a writer, in a world of its own; `context`: the struct picture_job of part_open. */
static enum status strip_alone(void *context, int32_t y, const struct look *look,
                               const struct picture_consumer *consumer, struct writers_done *done)
{
    struct picture_job *job = context;
    struct picture_hooks hooks = {.consumer = consumer, .stop = job->hooks->stop};
    const struct picture_hooks *before = job->hooks;
    struct field field;
    job->look = look;
    job->strip = strip_at(&job->message, y);
    job->totals.pixels = 0;
    job->totals.samples_sum = 0;
    job->hooks = &hooks;
    enum status status = strip_run(job, &field);
    job->hooks = before;
    done->pixels = job->totals.pixels;
    done->samples = job->totals.samples_sum;
    done->threads_lost = (int32_t)job->totals.report.threads_lost;
    snprintf(done->lost, sizeof done->lost, "%.159s",
             done->threads_lost ? job->totals.report.lost_text : "");
    if (job->totals.report.rank)
        done->rank = *job->totals.report.rank;
    free(job->totals.report.rank);
    job->totals.report = (struct job_report){.rank = NULL};
    return status;
}

/* Adds what a rank says of its strip to the report of rank 0. */
static void strip_count(struct picture_job *job, int rank, const struct writers_done *done)
{
    int ranks = world_size(renderer_world(job->renderer));
    struct job_report one = {.rank = calloc((size_t)ranks, sizeof *one.rank),
                             .threads_lost = (uint32_t)done->threads_lost,
                             .lost_rank = rank};
    if (!one.rank)
        return;
    snprintf(one.lost_text, sizeof one.lost_text, "%s", done->lost);
    one.rank[rank] = done->rank;
    job_report_add(&job->totals.report, &one, ranks);
    struct job_rank *row = &job->totals.report.rank[rank];
    memcpy(row->host, done->rank.host, sizeof row->host);
    row->computes = done->rank.computes;
    row->threads = done->rank.threads;
}

/* Rank 0: progress by a strip that a rank has written. */
static void strip_reported(void *context, int rank, const struct writers_done *done, int32_t y)
{
    struct picture_job *job = context;
    const struct picture_message *message = &job->message;
    int32_t rows = y - message->scope.rows_before;
    job->totals.pixels += done->pixels;
    job->totals.samples_sum += done->samples;
    strip_count(job, rank, done);
    struct job_progress progress = {
        .pixels_done = job->totals.pixels,
        .pixels = (uint64_t)((double)job->totals.pixels / rows *
                             (message->view.height - message->scope.rows_before)),
        .share = (double)rows / (message->view.height - message->scope.rows_before),
        .seconds = clock_s() - job->totals.begin_s,
        .rank = job->totals.report.rank,
        .ranks = world_size(renderer_world(job->renderer))};
    if (job->hooks->progress)
        job->hooks->progress(job->hooks->context, &progress);
}

/* This rank's devices and a frame of its own, for strips that it computes alone. */
static enum status part_open(struct picture_job *part, struct world *alone, struct picture_job *job)
{
    *part = *job;
    part->message.plan.facts.away_ranks = 0;
    part->message.scope.restores = false;
    snprintf(part->message.transport, sizeof part->message.transport, "%s", ROOT_ONLY_TRANSPORT);
    part->tiles.tile = NULL;
    part->tiles.costs = NULL;
    part->tiles.rows = 0;
    part->totals.report = (struct job_report){.rank = NULL};
    TRY(renderer_part_open(&part->renderer, alone, job->renderer));
    return renderer_prepare(part->renderer, STATUS_OK, &part->frame.shape, ROOT_ONLY_TRANSPORT, 0);
}

static void part_close(struct picture_job *part, struct picture_job *job)
{
    free(part->tiles.tile);
    free(part->tiles.costs);
    renderer_part_close(part->renderer, job->renderer);
}

/* All strips, each by one rank. STATUS_CANNOT_CREATE: they cannot write. */
static enum status writers_make(struct picture_job *job, struct picture_job *part,
                                struct world *alone, bool *wrote)
{
    const struct picture_message *message = &job->message;
    struct renderer *renderer = job->renderer;
    struct world *world = renderer_world(renderer);
    struct writing *writing;
    int ranks;
    struct writers writers = {.world = world,
                              .shape = {.width = message->view.width,
                                        .height = message->view.height,
                                        .planes = message->spec.planes,
                                        .count_bytes = message->spec.count_bytes},
                              .strip_rows = message->plan.strip_rows,
                              .rows_before = message->scope.rows_before,
                              .number = renderer_computing(renderer, &ranks),
                              .threads = renderer_info(renderer)->cores,
                              .stop = job->hooks->stop,
                              .context = part,
                              .strip = strip_alone,
                              .look = job->look,
                              .consumer = world_rank(world) == 0 ? job->hooks->consumer : NULL,
                              .told = strip_reported,
                              .told_context = job};
    writers.count = ranks;
    enum status status = STATUS_OK;
    if (writers.number >= 0)
        status = part_open(part, alone, job);
    status = world_agree(world, status);
    job->totals.begin_s = clock_s();
    if (status == STATUS_OK) {
        status = writers_open(&writing, &writers);
        if (status == STATUS_OK) {
            *wrote = true;
            status = writers_run(writing);
        }
        writers_close(writing);
    }
    if (part->renderer)
        part_close(part, job);
    return status;
}

enum status strip_writers_run(struct picture_job *job, bool *wrote)
{
    struct picture_job part = {.renderer = NULL};
    *wrote = false;
    struct world *alone = NULL;
    TRY(world_agree(renderer_world(job->renderer), world_alone(&alone)));
    enum status status = writers_make(job, &part, alone, wrote);
    world_close(alone);
    if (status != STATUS_CANNOT_CREATE || *wrote)
        return status;
    char text[STATUS_TEXT_BYTES + 64];
    snprintf(text, sizeof text, "rank 0 writes alone: %.900s", status_text());
    if (world_rank(renderer_world(job->renderer)) == 0 && job->hooks->notice)
        job->hooks->notice(job->hooks->context, text);
    return STATUS_OK;
}
