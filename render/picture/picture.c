/* The story of a picture, from top to bottom: rank 0 tells all ranks what they compute, all make
 * ready what they need, strip after strip is computed and handed on, and rank 0 reports. */
#include "render/picture/picture.h"

#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "render/picture/estimate_windows.h"
#include "render/picture/job_reference.h"
#include "render/picture/late_centres.h"
#include "render/picture/picture_job.h"
#include "render/picture/picture_message.h"
#include "render/picture/strip.h"
#include "render/picture/strip_tiles.h"
#include "render/picture/strip_writers.h"

static _Atomic uint64_t jobs_begun; /* rank 0: for all pictures so far, of all renderers */

/* ---- 1. the message ---- */

/* Rank 0 plans the picture and finds its reference; all ranks learn what it has found. `plan`
 * becomes that of rank 0. */
static enum status message_share(struct picture_job *job, const struct picture *picture,
                                 struct plan *plan)
{
    struct world *world = renderer_world(job->renderer);
    enum status status = STATUS_OK;
    if (world_rank(world) == 0) {
        status = picture_message_make(&job->message, job->renderer, picture, job->hooks, plan);
        job->message.epoch = jobs_begun + 1;
        if (status == STATUS_OK)
            status = job_reference_find(job, picture);
    }
    return world_tell(world, status, &job->message, sizeof job->message);
}

enum status picture_decline(struct renderer *renderer, enum status status)
{
    struct picture_message none = {.epoch = 0};
    return world_tell(renderer_world(renderer), status, &none, sizeof none);
}

/* ---- 2. what all ranks need ---- */

/* A frame of so many rows, as wide as the strip, its tiles, devices and transports. */
static enum status frame_prepare(struct picture_job *job, int32_t rows)
{
    const struct picture_message *message = &job->message;
    job->frame.rows = rows;
    job->frame.shape = (struct field){.width = job->strip.width,
                                      .height = rows * message->plan.fields,
                                      .planes = message->spec.planes,
                                      .count_bytes = message->spec.count_bytes};
    free(job->tiles.tile);
    job->tiles.tile = NULL;
    enum status mine = message->plan.predicts_cost ? STATUS_OK : strip_tiles_cut(job);
    job->tiles.rows = job->strip.height;
    return renderer_prepare(job->renderer, mine, &job->frame.shape, message->transport,
                            picture_job_light_bytes(job));
}

/* Tiles, devices and memory for the first strip, or the first window, and the reference. */
static enum status job_begin(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    const struct estimate_window first = {.side = message->scope.window_px};
    int32_t rows = message->plan.strip_rows + 2 * message->plan.halo_rows;
    job->strip = strip_at(message, message->scope.rows_before);
    if (first.side) {
        job->strip = strip_window_at(message, &first);
        rows = job->strip.height;
    }
    TRY(frame_prepare(job, rows < message->view.height ? rows : message->view.height));
    TRY(job_reference_begin(job));
    return message->plan.predicts_cost ? strip_tiles_predict(job) : STATUS_OK;
}

/* ---- 3. strip after strip ---- */

/* Rows from the top, by rank 0 or by all ranks that write. */
static enum status strips_run(struct picture_job *job, struct field *field)
{
    const struct picture_message *message = &job->message;
    struct world *world = renderer_world(job->renderer);
    bool wrote = false;
    job->totals.begin_s = clock_s();
    enum status status = strip_look(job);
    if (status == STATUS_OK && message->plan.writers > 0)
        status = strip_writers_run(job, &wrote);
    for (int32_t y = wrote ? message->view.height : message->scope.rows_before;
         status == STATUS_OK && y < message->view.height;) {
        job->strip = strip_at(message, y);
        status = strip_run(job, field);
        y += job->strip.rows;
        if (y < message->view.height && world_lost(renderer_world(job->renderer)) == STATUS_OK)
            status = world_agree(renderer_world(job->renderer), status);
    }
    if (world_rank(world) == 0)
        jobs_begun += job->totals.jobs;
    return status == STATUS_OK ? picture_job_report_open(job) : status;
}

/* A window in the place of the strip, in the frame of the one before if that was as large. */
static enum status window_prepare(struct picture_job *job, const struct estimate_window *window)
{
    struct picture_scope *scope = &job->message.scope;
    bool same = window->side == scope->window_px;
    scope->window_px = window->side;
    job->strip = strip_window_at(&job->message, window);
    return same ? STATUS_OK : frame_prepare(job, job->strip.height);
}

/* Instead of the picture: windows in turn, until rank 0 has seen enough for an estimate. */
static enum status windows_run(struct picture_job *job, struct field *field)
{
    struct world *world = renderer_world(job->renderer);
    bool root = world_rank(world) == 0;
    enum status status = STATUS_OK;
    for (;;) {
        struct estimate_window window = {.side = 0};
        double begin = clock_s();
        if (root)
            window = estimate_next(job->hooks->estimate, begin);
        TRY(world_tell(world, status, &window, sizeof window));
        if (!window.side)
            break;
        TRY(window_prepare(job, &window));
        begin = clock_s();
        status = strip_run(job, field);
        if (root && status == STATUS_OK)
            estimate_note(job->hooks->estimate, clock_s() - begin);
        status = world_agree(world, status);
    }
    jobs_begun += root ? job->totals.jobs : 0;
    return picture_job_report_open(job);
}

/* ---- 4. what rank 0 has in the end ---- */

/* All of the report but times. */
static void report_fill(const struct picture_job *job, int ranks, struct picture_report *report)
{
    const struct picture_message *message = &job->message;
    int32_t rows = message->view.height - message->scope.rows_before;
    report->job = job->totals.report;
    report->centres_s = job->totals.centres_s;
    report->light = job->light;
    report->late_light = job->sampling.average;
    report->samples = rows > 0 ? job->totals.samples_sum / rows : 1;
    if (report->plan.predicts_cost)
        report->plan.tiles = job->tiles.count;
    if (message->plan.method == METHOD_PERTURBATION) {
        report->reference = job_reference_report(job);
        plan_reached(&report->plan, message->request.roundings_px);
    }
    for (int rank = 0; report->job.rank && rank < ranks; rank++)
        report->iterations += report->job.rank[rank].iterations;
    for (int i = 0; i < report->job.joined_count; i++)
        report->iterations += report->job.joined[i].iterations;
}

/* The field that rank 0 has computed alone goes to the memory of its caller's renderer. */
static void field_keep(const struct picture_job *job, const struct renderer *renderer,
                       struct field *field)
{
    struct field all = renderer_host(renderer, &job->frame.shape);
    struct field kept =
        field_window(&all, 0, job->frame.centres_above, all.width, job->strip.height);
    if (kept.plane[PLANE_COUNT] != field->plane[PLANE_COUNT])
        field_copy(&kept, field);
    *field = kept;
}

/* Nothing reads memory of the job's own renderer any more, which rank 0 may have if it went on
 * alone; what the caller wants of it is in the caller's. */
static void alone_end(struct picture_job *job, struct renderer *renderer, bool keeps,
                      struct field *field)
{
    if (job->renderer == renderer)
        return;
    background_rest(renderer_background(renderer));
    background_rest(renderer_background(job->renderer));
    if (keeps)
        field_keep(job, renderer, field);
}

void picture_report_destroy(struct picture_report *report)
{
    free(report->job.rank);
    free(report->light);
    float(*late)[3];
    average_end(report->late_light, &late);
    free(late);
    report->late_light = NULL;
    report->job.rank = NULL;
    report->light = NULL;
}

enum status picture_render(struct renderer *renderer, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report)
{
    static const struct picture_hooks none;
    struct world *world = renderer_world(renderer);
    bool root = world_rank(world) == 0;
    struct field taken; /* by a consumer */
    struct picture_job job = {.renderer = renderer, .hooks = hooks ? hooks : &none};
    struct picture_report made = {.plan_s = 0};
    double begin_s = clock_s();
    field = field ? field : &taken;

    renderer_devices_begin(renderer);
    enum status status = message_share(&job, picture, &made.plan);
    if (status == STATUS_OK && job.message.epoch == 0)
        return STATUS_OK; /* picture_decline */
    if (status == STATUS_OK)
        status = job_begin(&job);
    made.plan_s = clock_s() - begin_s;

    if (status == STATUS_OK)
        status = job.message.scope.window_px ? windows_run(&job, field) : strips_run(&job, field);
    made.compute_s = clock_s() - begin_s - made.plan_s;

    if (status == STATUS_OK && root && picture->survey)
        status = job_reference_usage(&job, renderer, &made.survey);
    if (root) {
        report_fill(&job, world_size(world), &made);
        *report = made;
    }
    late_centres_close(&job.centres);
    bool lit = job.light || job.sampling.average; /* with one sample the centres are all */
    bool takes = !job.hooks->consumer && !(root && picture->light_alone && lit);
    alone_end(&job, renderer, status == STATUS_OK && takes, field);
    picture_job_close(&job, renderer);
    return status;
}
