#include "render/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/root_only.h"
#include "render/cost_prediction.h"
#include "render/memory.h"
#include "render/sampling.h"

/* How far from a centre a reference orbit of others may be: differences keep 2^-32 px there. */
#define ORBIT_AWAY_PX 0x1p20

/* What every rank needs to know of a picture. Plain data, sent by rank 0; all ranks run the same
 * program, so the bytes mean the same everywhere. */
struct settled {
    uint64_t epoch;
    struct view_numbers view;
    struct spec spec;
    enum method method;
    struct reference_request request;
    int32_t tile_px;
    uint32_t interleaved;
    int32_t samples, fields; /* as in the plan */
    int32_t cells_px;        /* tiles of cells (render/cells.h) */
    enum tile_order tile_order;
    int32_t predicts_cost; /* the tiles follow from a coarse pass */
    int32_t away;          /* ranks compute on other machines */
    char schedule[16],
        transport[16]; /* transport: as asked for; each rank's transport may differ */
};

/* One rank's part in the making of one picture. */
struct making {
    struct renderer *renderer;
    struct settled settled;
    struct field shape; /* of the frame, without memory: `fields` pictures, one below the
                           other: the centres, and samples in turn */
    const struct tile_batch *batch; /* being computed, ... */
    int32_t above;                  /* ... so many rows of the frame below its first */
    struct reference reference;     /* of perturbation */
    uint64_t table_bytes;
    struct tile *tiles;
    uint32_t tile_count;
    float *costs; /* rank 0, with a forecast */
    struct sampling sampling;
    struct root_only root_only;        /* rank 0, when the world is lost */
    struct job_progress before;        /* what the samples before did */
    struct job_report report;          /* rank 0: of all samples */
    const struct picture_hooks *hooks; /* may be NULL */
};

/* Rows are numbered by 32 bits. */
static enum status frame_check(const struct plan *plan, const struct view_numbers *view)
{
    if (view->height <= INT32_MAX / plan->fields)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE, "%d rows are too many to average samples; the most is %d",
                       view->height, INT32_MAX / plan->fields);
}

enum status picture_plan(const struct picture *picture, const struct renderer_facts *facts,
                         struct plan_inputs *inputs, struct plan *plan)
{
    TRY(formula_check(&picture->formula, picture->bailout));
    *inputs = (struct plan_inputs){.formula = picture->formula,
                                   .limit = picture->limit,
                                   .planes = picture->planes,
                                   .samples = picture->samples,
                                   .accuracy_px = picture->accuracy_px,
                                   .precision = picture->precision,
                                   .blocks = picture->blocks,
                                   .tile_px = picture->tile_px,
                                   .schedule = picture->schedule,
                                   .forecast = picture->forecast,
                                   .transport = picture->transport,
                                   .ranks = facts->ranks,
                                   .computing_ranks = facts->computing_ranks,
                                   .away_ranks = facts->away_ranks,
                                   .devices = facts->devices,
                                   .sends_device = facts->sends_device,
                                   .host_will_do = facts->host_will_do,
                                   .wide_px = facts->tile_px,
                                   .pageable = facts->pageable,
                                   .alike = !facts->mixed && facts->gpus == facts->devices};
    TRY(view_numbers(&picture->view, &inputs->view));
    TRY(plan_choose(plan, inputs));
    return frame_check(plan, &inputs->view);
}

enum status picture_admit(const struct plan *plan)
{
    uint64_t workers = (uint64_t)plan->computing_ranks * plan->worker_bytes;
    uint64_t frame = plan->frame_bytes + plan->light_bytes;
    uint64_t needed = frame + plan->transport_bytes + workers;
    uint64_t there = memory_available();
    if (needed <= there / 10 * 8)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB (frame %.1f, transport %.1f, ranks %.1f), but of the %.1f GiB "
        "free on this machine only 80 %% may be used; choose a smaller --size",
        (double)needed / 0x1p30, (double)frame / 0x1p30, (double)plan->transport_bytes / 0x1p30,
        (double)workers / 0x1p30, (double)there / 0x1p30);
}

static uint64_t jobs_begun; /* rank 0: for all pictures so far */

/* Rank 0: everything that can go wrong before the ranks are told. */
static enum status settle(struct settled *settled, const struct renderer *renderer,
                          const struct picture *picture, struct plan *plan)
{
    struct plan_inputs inputs;
    struct renderer_facts facts = renderer->facts;
    facts.devices = renderer->active;
    facts.gpus = facts.gpus < facts.devices ? facts.gpus : facts.devices;
    TRY(picture_plan(picture, &facts, &inputs, plan));
    plan->predicts_cost = plan->predicts_cost && renderer->active == renderer->facts.devices;
    TRY(picture_admit(plan));
    *settled = (struct settled){.epoch = jobs_begun + 1,
                                .view = inputs.view,
                                .spec = {.limit = picture->limit,
                                         .bailout = picture->bailout,
                                         .planes = picture->planes,
                                         .count_bytes = plan->count_bytes,
                                         .number = plan->number,
                                         .shortcuts = picture->shortcuts,
                                         .formula = picture->formula},
                                .method = plan->method,
                                .request = {.accuracy_px = plan->accuracy_px,
                                            .blocks = picture->blocks,
                                            .threads = picture->threads},
                                .tile_px = plan->tile_px,
                                .interleaved = plan->interleaved,
                                .samples = picture->samples,
                                .fields = plan->fields,
                                .cells_px = plan->cells_px,
                                .tile_order = plan->order,
                                .predicts_cost = plan->predicts_cost,
                                .away = facts.away_ranks > 0};
    snprintf(settled->schedule, sizeof settled->schedule, "%s", plan->schedule);
    snprintf(settled->transport, sizeof settled->transport, "%s", picture->transport);
    return STATUS_OK;
}

static enum status tiles_make(struct making *making)
{
    const struct settled *settled = &making->settled;
    int32_t width = settled->view.width, height = settled->view.height;
    if (settled->interleaved)
        return tiles_interleaved(&making->tiles, &making->tile_count, width, height,
                                 settled->tile_px, settled->interleaved);
    return tiles_cut(&making->tiles, &making->tile_count, width, height, settled->tile_px,
                     settled->tile_order);
}

static struct picture_reference reference_facts(const struct making *making, double seconds)
{
    const struct reference *reference = &making->reference;
    const struct orbit *orbit = &reference->orbit;
    struct picture_reference facts = {.bits = orbit->bits,
                                      .steps = orbit->length > 0 ? orbit->length - 1 : 0,
                                      .period = orbit->period,
                                      .orbit_bytes = (uint64_t)orbit->length * sizeof *orbit->z,
                                      .table_bytes = making->table_bytes,
                                      .seconds = seconds,
                                      .amplification = making->settled.request.amplification,
                                      .cache = reference->cache};
    memcpy(facts.warning, reference->warning, sizeof facts.warning);
    return facts;
}

static struct reference_hooks reference_hooks(const struct picture_hooks *hooks)
{
    if (!hooks)
        return (struct reference_hooks){.stop = NULL};
    return (struct reference_hooks){.progress = hooks->prepare,
                                    .context = hooks->context,
                                    .stop = hooks->stop,
                                    .keeps_stopped = true,
                                    .keeps_settled = hooks->kept != NULL};
}

static enum status blocks_make(void *context)
{
    struct making *making = context;
    struct reference_hooks hooks = reference_hooks(making->hooks);
    return reference_open(&making->reference, &making->renderer->device_set, &making->settled.view,
                          &making->settled.spec, &making->settled.request, &hooks);
}

/* Perturbation: the orbit that rank 0 has made, and what each computing rank makes of it. */
static enum status reference_begin(struct making *making)
{
    const struct settled *settled = &making->settled;
    struct renderer *renderer = making->renderer;
    if (settled->method != METHOD_PERTURBATION)
        return STATUS_OK;
    TRY(reference_share(&making->reference, renderer->world));
    enum status status = STATUS_OK;
    if (renderer->link[world_rank(renderer->world)].computes)
        status = world_work(renderer->world, blocks_make, making);
    return reference_table_bytes(&renderer->device_set, renderer->world, status,
                                 &making->table_bytes);
}

static enum status compute_grid(struct making *making, int thread, const struct grid *grid,
                                struct field *out, uint64_t *iterations)
{
    bool deep = making->settled.method == METHOD_PERTURBATION;
    return (deep ? device_set_deep_compute : device_set_compute)(
        &making->renderer->device_set, thread, &making->settled.spec, grid, out, iterations);
}

static struct grid tile_grid(const struct settled *settled, int32_t x, int32_t y, int32_t width,
                             int32_t height)
{
    if (settled->method != METHOD_PERTURBATION)
        return view_grid(&settled->view, x, y, width, height);
    struct grid grid = reference_grid(&settled->view, x, y, width, height);
    grid.centre_re = settled->request.offset_re;
    grid.centre_im = settled->request.offset_im;
    return grid;
}

static enum status compute_tile(void *context, int thread, const struct tile *tile,
                                struct field *out, uint64_t *iterations)
{
    struct making *making = context;
    const struct tile_batch *batch = making->batch;
    int32_t y = tile->y - making->above;
    struct grid grid = tile_grid(&making->settled, tile->x, y, tile->width, tile->height);
    if (batch->cells) { /* from the first row of the tile on: its own are copied to devices */
        grid.y = y % GRID_CELL;
        grid.cells = batch->cells + (size_t)(y / GRID_CELL) * (size_t)batch->cells_in_row;
        grid.cells_in_row = batch->cells_in_row;
    } else {
        sample_move(&grid, batch->sample);
    }
    grid.band = tile->band;
    grid.band_step = tile->band_step;
    return compute_grid(making, thread, &grid, out, iterations);
}

/* Of the coarse pass, on the first thread. */
static enum status compute_samples(void *context, const struct grid *grid, struct field *out,
                                   uint64_t *iterations)
{
    struct making *making = context;
    if (making->hooks && making->hooks->stop && *making->hooks->stop)
        return status_fail(STATUS_STOPPED, "stopped during the coarse pass");
    return compute_grid(making, 0, grid, out, iterations);
}

static enum status tiles_predict(struct making *making)
{
    const struct settled *settled = &making->settled;
    struct renderer *renderer = making->renderer;
    struct cost_prediction prediction = {
        .world = renderer->world,
        .device = {&settled->spec, making, compute_samples},
        .part = -1,
        .whole = tile_grid(settled, 0, 0, settled->view.width, settled->view.height),
        .away = settled->away};
    for (int rank = 0; rank < world_size(renderer->world); rank++)
        if (renderer->link[rank].computes) {
            if (rank == world_rank(renderer->world))
                prediction.part = prediction.parts;
            prediction.parts++;
        }
    renderer->give_up = 0;
    renderer->device_set.active = renderer->device_set.devices;
    return cost_prediction_tiles(&prediction, &making->tiles, &making->costs, &making->tile_count);
}

/* Tiles, devices and memory. */
static enum status making_begin(struct making *making)
{
    const struct settled *settled = &making->settled;
    making->shape = (struct field){.width = settled->view.width,
                                   .height = settled->view.height * settled->fields,
                                   .planes = settled->spec.planes,
                                   .count_bytes = settled->spec.count_bytes};
    enum status mine = settled->predicts_cost ? STATUS_OK : tiles_make(making);
    TRY(renderer_prepare(making->renderer, mine, &making->shape, settled->transport,
                         schedule_named(settled->schedule)->is_static));
    TRY(reference_begin(making));
    return settled->predicts_cost ? tiles_predict(making) : STATUS_OK;
}

static void show_progress(void *context, const struct job_progress *progress)
{
    struct making *making = context;
    struct job_progress all = *progress;
    all.pixels_done += making->before.pixels_done;
    all.pixels = making->sampling.pixels;
    all.iterations += making->before.iterations;
    all.seconds += making->before.seconds;
    if (progress->pixels_done == progress->pixels)
        making->before = (struct job_progress){
            .pixels_done = all.pixels_done, .iterations = all.iterations, .seconds = all.seconds};
    making->hooks->progress(making->hooks->context, &all);
}

static void show_notice(void *context, const char *text)
{
    struct making *making = context;
    making->hooks->notice(making->hooks->context, text);
}

/* Rows of the frame above what a job computes: the centres stay, the others take turns. */
static int32_t rows_above(const struct settled *settled, uint64_t job)
{
    return job ? settled->view.height * (int32_t)(1 + (job - 1) % (uint64_t)(settled->fields - 1))
               : 0;
}

static enum status batch_run(struct making *making, uint64_t number, const struct tile_batch *batch)
{
    struct job job =
        renderer_job(making->renderer, &making->shape, making->settled.transport, batch->count);
    struct job_report one = {.rank = NULL};
    bool root = world_rank(making->renderer->world) == 0;
    job.epoch = making->settled.epoch + number;
    job.tiles = batch->tiles;
    job.tile_count = batch->count;
    job.costs = batch->costs;
    job.schedule = schedule_named(making->settled.schedule);
    job.context = making;
    job.compute = compute_tile;
    job.progress = making->hooks && making->hooks->progress ? show_progress : NULL;
    job.notice = making->hooks && making->hooks->notice ? show_notice : NULL;
    job.stop = making->hooks ? making->hooks->stop : NULL;
    enum status status = job_run(making->renderer->world, &job, root ? &one : NULL);
    if (root)
        job_report_add(&making->report, &one, world_size(making->renderer->world));
    return status;
}

static enum status batch_compute(void *context, uint64_t job, const struct tile_batch *batch,
                                 struct field *field)
{
    struct making *making = context;
    making->batch = batch;
    making->above = rows_above(&making->settled, job);
    for (uint32_t i = 0; i < batch->count; i++)
        batch->tiles[i].y += making->above;
    enum status status = batch_run(making, job, batch);
    for (uint32_t i = 0; i < batch->count; i++)
        batch->tiles[i].y -= making->above;
    if (status != STATUS_OK)
        return status;
    if (world_rank(making->renderer->world) == 0)
        status = renderer_fetch(making->renderer, &making->shape, making->settled.transport,
                                making->above, making->settled.view.height, field);
    /* Else the others would begin the next sample. */
    return making->settled.fields > 1 ? world_agree(making->renderer->world, status) : status;
}

static enum status go_alone(void *context, struct world **world)
{
    struct making *making = context;
    struct settled *settled = &making->settled;
    if (making->hooks && making->hooks->notice)
        making->hooks->notice(making->hooks->context, "rank 0 goes on alone");
    TRY(root_only_open(&making->root_only, making->renderer, &making->shape,
                       schedule_named(settled->schedule)->is_static));
    making->renderer = making->root_only.renderer;
    *world = making->root_only.world;
    snprintf(settled->transport, sizeof settled->transport, "%s", ROOT_ONLY_TRANSPORT);
    return settled->method == METHOD_PERTURBATION ? blocks_make(making) : STATUS_OK;
}

static enum status samples_run(struct making *making, struct field *field)
{
    const struct settled *settled = &making->settled;
    struct tile_batch whole = {
        .tiles = making->tiles, .count = making->tile_count, .costs = making->costs};
    making->sampling = (struct sampling){.world = making->renderer->world,
                                         .samples = settled->samples,
                                         .width = settled->view.width,
                                         .height = settled->view.height,
                                         .overlaps = settled->fields > 2,
                                         .cells_px = settled->cells_px,
                                         .compute = batch_compute,
                                         .alone = go_alone,
                                         .context = making};
    if (making->hooks) {
        making->sampling.look = making->hooks->look;
        making->sampling.look_context = making->hooks->look_context;
    }
    enum status status = sampling_run(&making->sampling, &whole, field);
    if (world_rank(making->renderer->world) == 0)
        jobs_begun += making->sampling.jobs;
    return status;
}

/* Does an orbit that is there serve the picture, in which its point lies so far from the centre? */
static bool orbit_serves(const struct orbit *orbit, const struct settled *settled, double re,
                         double im)
{
    const struct view_numbers *view = &settled->view;
    long bits;
    if (orbit_bits(view->log2_step, settled->spec.limit, &bits) != STATUS_OK)
        return false;
    bool exact = orbit->bits >= bits;
    bool ends = orbit->end != ORBIT_LIMIT || orbit->length > settled->spec.limit;
    return exact && ends && hypot(re, im) <= ORBIT_AWAY_PX * hypot(view->step_re, view->step_im);
}

/* The reference orbit: that of the hooks, which it borrows, or one of the picture's own. Rank 0. */
static enum status orbit_take(struct making *making, const struct picture *picture,
                              const struct reference_hooks *reference_hook)
{
    struct settled *settled = &making->settled;
    const struct picture_orbit *shared = making->hooks ? making->hooks->orbit : NULL;
    double re, im;
    if (shared) {
        view_apart(&picture->view, shared->view, settled->view.exponent, &re, &im);
        if (orbit_serves(shared->orbit, settled, re, im)) {
            making->reference.orbit = *shared->orbit;
            making->reference.orbit.work = NULL; /* not ours to destroy */
            settled->request.offset_re = re;
            settled->request.offset_im = im;
            settled->request.amplification = shared->amplification;
            return STATUS_OK;
        }
    }
    return reference_make(&making->reference, &picture->view, &settled->view, &settled->spec,
                          making->renderer->world, picture->orbit_cache, reference_hook);
}

enum status picture_decline(struct renderer *renderer, enum status status)
{
    struct settled none = {.epoch = 0};
    return world_tell(renderer->world, status, &none, sizeof none);
}

enum status picture_render(struct renderer *renderer, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report)
{
    struct world *world = renderer->world;
    struct making making = {.renderer = renderer, .hooks = hooks};
    struct plan plan = {0};
    int root = world_rank(world) == 0;
    struct reference_hooks reference_hook = reference_hooks(hooks);
    double begin = clock_s();

    enum status status = root ? settle(&making.settled, renderer, picture, &plan) : STATUS_OK;
    double settled_s = clock_s();
    if (status == STATUS_OK && root && plan.method == METHOD_PERTURBATION)
        status = orbit_take(&making, picture, &reference_hook);
    if (status == STATUS_OK && root && plan.method == METHOD_PERTURBATION &&
        !(making.settled.request.amplification > 0))
        status = reference_settle(&making.reference, &making.settled.view, &making.settled.spec,
                                  &making.settled.request, &reference_hook);
    double referred = clock_s();
    status = world_tell(world, status, &making.settled, sizeof making.settled);
    if (status == STATUS_OK && making.settled.epoch == 0)
        return STATUS_OK; /* picture_decline */
    if (status == STATUS_OK)
        status = making_begin(&making);
    double planned = clock_s();
    if (status == STATUS_OK)
        status = samples_run(&making, field);
    double computed = clock_s();
    struct block_usage survey = {.levels = 0};
    if (status == STATUS_OK && root && plan.method == METHOD_PERTURBATION && picture->survey)
        status = reference_block_usage(&making.reference, &renderer->device_set,
                                       &making.settled.view, &making.settled.spec,
                                       &making.settled.request, &reference_hook, &survey);
    if (root) {
        *report = (struct picture_report){.plan = plan,
                                          .survey = survey,
                                          .job = making.report,
                                          .plan_s = planned - begin,
                                          .compute_s = computed - planned,
                                          .centres_s = making.sampling.centres_s,
                                          .light = making.sampling.light,
                                          .samples = making.sampling.mean_samples};
        if (plan.predicts_cost)
            report->plan.tiles = making.tile_count;
        if (plan.method == METHOD_PERTURBATION)
            report->reference = reference_facts(&making, referred - settled_s);
        for (int rank = 0; making.report.rank && rank < world_size(world); rank++)
            report->iterations += making.report.rank[rank].iterations;
    }
    free(making.tiles);
    free(making.costs);
    root_only_close(&making.root_only);
    device_set_deep_close(&renderer->device_set);
    if (root && hooks && hooks->kept)
        *hooks->kept = (struct kept_reference){making.reference, making.settled.request};
    else
        reference_close(&making.reference);
    return status;
}
