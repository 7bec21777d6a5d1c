#include "decomposition/pool/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/pool/pool.h"
#include "decomposition/thread/clock.h"
#include "decomposition/thread/patience.h"
#include "decomposition/world/presence.h"
#include "kernels/stop.h"

enum { POLL_US = 20000 }; /* the stop flag and the progress may wait so long */
static const double progress_interval_s = 0.1;

bool job_root_computes(const struct world *world)
{
    return world_size(world) == 1 || world_root_node_size(world) == 1;
}

static enum status compute(void *context, int thread, const struct pool_task *task,
                           struct field *out, uint64_t *iterations)
{
    const struct job *job = context;
    return job->compute(job->context, thread, &job->tiles[task->id], out, iterations);
}

/* --- rank 0 ----------------------------------------------------------------------------------- */

struct course { /* a job on its way */
    const struct job *job;
    const struct world *world;
    struct pool *pool;
    struct job_report *report;
    double start_s, next_progress_s;
};

static void row_fill(const struct course *course, struct job_rank *row,
                     const struct pool_worker *worker)
{
    row->tiles = (uint32_t)(worker->tiles + worker->twice);
    row->iterations = worker->iterations;
    row->busy_s = worker->busy_s;
    row->threads = worker->threads + worker->threads_lost;
    row->threads_lost = worker->threads_lost;
    row->computes = 1;
    row->bytes_sent = worker->bytes;
    double wait_s = (clock_s() - course->start_s) * row->threads - row->busy_s;
    row->wait_s = wait_s > 0 ? wait_s : 0;
}

static void rows_fill(const struct course *course)
{
    struct job_report *report = course->report;
    const struct world *world = course->world;
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct pool_rank *seen = pool_rank(course->pool, rank);
        report->rank[rank].silences = seen->silences;
        report->rank[rank].missing = seen->missing;
        report->rank[rank].unheard_s = presence_unheard_s(world, rank);
        snprintf(report->rank[rank].host, sizeof report->rank[rank].host, "%s",
                 presence_host(world, rank));
    }
    for (int i = 0; i < pool_workers(course->pool); i++) {
        const struct pool_worker *worker = pool_worker(course->pool, i);
        row_fill(course, &report->rank[worker->rank], worker);
    }
    report->joined_count = pool_joined_workers(course->pool);
    for (int i = 0; i < report->joined_count; i++) {
        const struct pool_worker *worker = pool_joined_worker(course->pool, i);
        row_fill(course, &report->joined[i], worker);
        report->joined[i].missing = !worker->alive;
        memcpy(report->joined[i].host, worker->host, sizeof worker->host);
    }
}

static double share_done(const struct job *job, const struct pool_done *done, uint64_t pixels)
{
    double all = 0;
    for (uint32_t i = 0; job->costs && i < job->tile_count; i++)
        all += job->costs[i];
    if (all > 0)
        return done->costs / all;
    return pixels ? (double)done->pixels / (double)pixels : 1;
}

static void show_progress(struct course *course, bool now)
{
    const struct job *job = course->job;
    double time_s = clock_s();
    if (!job->progress || (!now && time_s < course->next_progress_s))
        return;
    course->next_progress_s = time_s + progress_interval_s;
    struct pool_done done = pool_done(course->pool);
    struct job_progress progress = {.tiles_done = done.tasks,
                                    .tiles = job->tile_count,
                                    .pixels_done = done.pixels,
                                    .iterations = done.iterations,
                                    .seconds = time_s - course->start_s};
    for (uint32_t i = 0; i < job->tile_count; i++)
        progress.pixels += (uint64_t)job->tiles[i].width * (uint64_t)job->tiles[i].height;
    progress.share = share_done(job, &done, progress.pixels);
    if (course->report->rank) {
        rows_fill(course);
        progress.rank = course->report->rank;
        progress.ranks = world_size(course->world);
        progress.joined = course->report->joined;
        progress.joined_count = course->report->joined_count;
    }
    job->progress(job->context, &progress);
}

static void note_loss(struct course *course, const struct pool_result *result)
{
    struct job_report *report = course->report;
    if (report->threads_lost++ > 0)
        return;
    report->lost_rank = pool_worker(course->pool, result->worker)->rank;
    snprintf(report->lost_text, sizeof report->lost_text, "%s", result->text);
}

static void take_all(struct course *course)
{
    const struct job *job = course->job;
    struct pool_result result;
    while (pool_take(course->pool, &result)) {
        if ((result.kind == POOL_SILENT || result.kind == POOL_JOINED) && job->notice)
            job->notice(job->context, result.text);
        else if (result.kind == POOL_TASK && result.status != STATUS_OK)
            note_loss(course, &result);
        else if (result.kind == POOL_TASK && job->arrived &&
                 pool_verdict(course->pool) == STATUS_OK)
            pool_fail(course->pool, job->arrived(job->context, (uint32_t)result.task.id));
    }
}

static enum status course_run(struct course *course)
{
    struct pool *pool = course->pool;
    while (pool_verdict(pool) == STATUS_OK && pool_done(pool).tasks < course->job->tile_count) {
        pool_wait(pool, POLL_US);
        take_all(course);
        if (stop_asked(course->job->stop))
            pool_fail(pool, status_fail(STATUS_STOPPED, "stopped on request"));
        show_progress(course, false);
    }
    pool_end(pool);
    for (pool_wait(pool, 0); !pool_ended(pool); pool_wait(pool, NAP_MOST_US))
        take_all(course);
    take_all(course);
    show_progress(course, true);
    course->report->seconds = clock_s() - course->start_s;
    return pool_verdict(pool);
}

/* Counts also devices that died over a tile that another rank had sooner. */
static void report_losses(struct job_report *report, int ranks)
{
    uint32_t lost = 0;
    for (int rank = 0; rank < ranks; rank++) {
        lost += (uint32_t)report->rank[rank].threads_lost;
        if (lost && report->threads_lost == 0) {
            report->threads_lost = lost;
            report->lost_rank = rank;
            snprintf(report->lost_text, sizeof report->lost_text,
                     "lost over a tile that had arrived already");
        }
    }
    report->threads_lost = lost;
}

static void report_fill(const struct course *course)
{
    struct job_report *report = course->report;
    rows_fill(course);
    for (int i = 0; i < pool_workers(course->pool); i++)
        report->twice += (uint32_t)pool_worker(course->pool, i)->twice;
    report->late_dropped = pool_late_messages(course->pool);
    report_losses(report, world_size(course->world));
}

static enum status run_root(struct world *world, struct course *course)
{
    if (!course->report->rank)
        pool_fail(course->pool, status_fail(STATUS_OUT_OF_MEMORY,
                                            "no memory for a list of %d ranks", world_size(world)));
    enum status status = course_run(course);
    if (course->report->rank)
        report_fill(course);
    return status;
}

enum status job_run(struct world *world, const struct job *job, struct job_report *report)
{
    struct job_report own = {0};
    struct pool_tiles tiles = {.epoch = job->epoch,
                               .tile = job->tiles,
                               .count = job->tile_count,
                               .planes = job->planes,
                               .count_bytes = job->count_bytes,
                               .schedule = job->schedule,
                               .transports = job->transports,
                               .frame = job->frame,
                               .costs = job->costs,
                               .stop = job->stop,
                               .joined = job->joined};
    struct pool_options options = {
        .calls = {.context = (void *)(uintptr_t)job, .compute = compute, .give_up = job->give_up},
        .threads = job->threads,
        .credits = job->credits,
        .speed = job->speed,
        .memory = job->memory,
        .executor = job->executor,
        .spin_us = job->spin_us,
        .tiles = &tiles};
    struct course course = {.job = job, .world = world, .report = &own, .start_s = clock_s()};
    if (world_rank(world) == 0)
        own.rank = calloc((size_t)world_size(world), sizeof *own.rank);
    enum status status = pool_open(&course.pool, world, &options);
    if (status == STATUS_OK) {
        status = world_rank(world) == 0 ? run_root(world, &course) : pool_serve(course.pool);
        status = world_agree(world, status);
        pool_close(course.pool);
    }
    if (report)
        *report = own;
    else
        free(own.rank);
    return status;
}

void job_rank_add(struct job_rank *to, const struct job_rank *from)
{
    to->tiles += from->tiles;
    to->iterations += from->iterations;
    to->busy_s += from->busy_s;
    to->wait_s += from->wait_s;
    to->bytes_sent += from->bytes_sent;
    to->silences += from->silences;
    to->missing = from->missing;
    to->threads_lost = from->threads_lost;
}

void job_joined_add(struct job_rank *rows, int *count, const struct job_rank *more, int more_count)
{
    for (int i = 0; i < more_count; i++) {
        struct job_rank sum = more[i]; /* the newest job in this place gives it its name */
        if (i < *count)
            job_rank_add(&sum, &rows[i]);
        sum.missing = more[i].missing;
        rows[i] = sum;
    }
    *count = more_count > *count ? more_count : *count;
}

void job_report_add(struct job_report *all, struct job_report *one, int ranks)
{
    if (!all->rank) {
        *all = *one;
        return;
    }
    for (int i = 0; one->rank && i < ranks; i++)
        job_rank_add(&all->rank[i], &one->rank[i]);
    job_joined_add(all->joined, &all->joined_count, one->joined, one->joined_count);
    all->seconds += one->seconds;
    all->late_dropped += one->late_dropped;
    all->twice += one->twice;
    if (all->threads_lost == 0 && one->threads_lost > 0) {
        all->lost_rank = one->lost_rank;
        memcpy(all->lost_text, one->lost_text, sizeof all->lost_text);
    }
    all->threads_lost =
        one->threads_lost > all->threads_lost ? one->threads_lost : all->threads_lost;
    free(one->rank);
}
