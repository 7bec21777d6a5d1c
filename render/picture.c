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
struct order {
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
    int32_t predicts_cost;            /* the tiles follow from a coarse pass */
    int32_t away;                     /* ranks compute on other machines */
    char schedule[16], transport[16]; /* transport: as asked for; each rank's road may differ */
};

/* One rank's part in the making of one picture. */
struct making {
    struct studio *studio;
    struct order order;
    struct field shape;         /* of the frame, without memory: `fields` pictures, one below the
                                   other: the centres, and samples in turn */
    const struct part *part;    /* being computed, ... */
    int32_t above;              /* ... so many rows of the frame below its first */
    struct reference reference; /* of perturbation */
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

enum status picture_plan(const struct picture *picture, const struct studio_facts *facts,
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
    uint64_t needed = frame + plan->road_bytes + workers;
    uint64_t there = memory_available();
    if (needed <= there / 10 * 8)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB (frame %.1f, road home %.1f, ranks %.1f), but of the %.1f GiB "
        "free on this machine only 80 %% may be used; choose a smaller --size",
        (double)needed / 0x1p30, (double)frame / 0x1p30, (double)plan->road_bytes / 0x1p30,
        (double)workers / 0x1p30, (double)there / 0x1p30);
}

static uint64_t jobs_begun; /* rank 0: for all pictures so far */

/* Rank 0: everything that can go wrong before the ranks are told. */
static enum status order_make(struct order *order, const struct studio *studio,
                              const struct picture *picture, struct plan *plan)
{
    struct plan_inputs inputs;
    struct studio_facts facts = studio->facts;
    facts.devices = studio->active;
    facts.gpus = facts.gpus < facts.devices ? facts.gpus : facts.devices;
    TRY(picture_plan(picture, &facts, &inputs, plan));
    plan->predicts_cost = plan->predicts_cost && studio->active == studio->facts.devices;
    TRY(picture_admit(plan));
    *order = (struct order){.epoch = jobs_begun + 1,
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
    snprintf(order->schedule, sizeof order->schedule, "%s", plan->schedule);
    snprintf(order->transport, sizeof order->transport, "%s", picture->transport);
    return STATUS_OK;
}

static enum status tiles_make(struct making *making)
{
    const struct order *order = &making->order;
    int32_t width = order->view.width, height = order->view.height;
    if (order->interleaved)
        return tiles_interleaved(&making->tiles, &making->tile_count, width, height, order->tile_px,
                                 order->interleaved);
    return tiles_cut(&making->tiles, &making->tile_count, width, height, order->tile_px,
                     order->tile_order);
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
    return reference_open(&making->reference, &making->studio->crew, &making->order.view,
                          &making->order.spec, &making->order.request, &hooks);
}

/* Perturbation: the orbit that rank 0 has made, and what each computing rank makes of it. */
static enum status reference_begin(struct making *making)
{
    const struct order *order = &making->order;
    struct studio *studio = making->studio;
    if (order->method != METHOD_PERTURBATION)
        return STATUS_OK;
    TRY(reference_share(&making->reference, studio->world));
    enum status status = STATUS_OK;
    if (studio->road[world_rank(studio->world)].computes)
        status = world_work(studio->world, blocks_make, making);
    return reference_table_bytes(&studio->crew, studio->world, status, &making->table_bytes);
}

static enum status compute_grid(struct making *making, int lane, const struct grid *grid,
                                struct field *out, uint64_t *iterations)
{
    bool deep = making->order.method == METHOD_PERTURBATION;
    return (deep ? crew_deep_compute : crew_compute)(&making->studio->crew, lane,
                                                     &making->order.spec, grid, out, iterations);
}

static struct grid tile_grid(const struct order *order, int32_t x, int32_t y, int32_t width,
                             int32_t height)
{
    if (order->method != METHOD_PERTURBATION)
        return view_grid(&order->view, x, y, width, height);
    struct grid grid = reference_grid(&order->view, x, y, width, height);
    grid.centre_re = order->request.offset_re;
    grid.centre_im = order->request.offset_im;
    return grid;
}

static enum status compute_tile(void *context, int lane, const struct tile *tile, struct field *out,
                                uint64_t *iterations)
{
    struct making *making = context;
    const struct part *part = making->part;
    int32_t y = tile->y - making->above;
    struct grid grid = tile_grid(&making->order, tile->x, y, tile->width, tile->height);
    if (part->cells) { /* from the first row of the tile on: its own are copied to devices */
        grid.y = y % GRID_CELL;
        grid.cells = part->cells + (size_t)(y / GRID_CELL) * (size_t)part->cells_in_row;
        grid.cells_in_row = part->cells_in_row;
    } else {
        sample_move(&grid, part->sample);
    }
    grid.band = tile->band;
    grid.band_step = tile->band_step;
    return compute_grid(making, lane, &grid, out, iterations);
}

/* Of the coarse pass, on the first lane. */
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
    const struct order *order = &making->order;
    struct studio *studio = making->studio;
    struct cost_prediction prediction = {
        .world = studio->world,
        .device = {&order->spec, making, compute_samples},
        .part = -1,
        .whole = tile_grid(order, 0, 0, order->view.width, order->view.height),
        .away = order->away};
    for (int rank = 0; rank < world_size(studio->world); rank++)
        if (studio->road[rank].computes) {
            if (rank == world_rank(studio->world))
                prediction.part = prediction.parts;
            prediction.parts++;
        }
    studio->give_up = 0;
    studio->crew.active = studio->crew.devices;
    return cost_prediction_tiles(&prediction, &making->tiles, &making->costs, &making->tile_count);
}

/* Tiles, devices and memory. */
static enum status making_begin(struct making *making)
{
    const struct order *order = &making->order;
    making->shape = (struct field){.width = order->view.width,
                                   .height = order->view.height * order->fields,
                                   .planes = order->spec.planes,
                                   .count_bytes = order->spec.count_bytes};
    enum status mine = order->predicts_cost ? STATUS_OK : tiles_make(making);
    TRY(studio_prepare(making->studio, mine, &making->shape, order->transport,
                       schedule_named(order->schedule)->is_static));
    TRY(reference_begin(making));
    return order->predicts_cost ? tiles_predict(making) : STATUS_OK;
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
static int32_t rows_above(const struct order *order, uint64_t job)
{
    return job ? order->view.height * (int32_t)(1 + (job - 1) % (uint64_t)(order->fields - 1)) : 0;
}

static enum status part_run(struct making *making, uint64_t number, const struct part *part)
{
    struct job job =
        studio_job(making->studio, &making->shape, making->order.transport, part->count);
    struct job_report one = {.rank = NULL};
    bool root = world_rank(making->studio->world) == 0;
    job.epoch = making->order.epoch + number;
    job.tiles = part->tiles;
    job.tile_count = part->count;
    job.costs = part->costs;
    job.schedule = schedule_named(making->order.schedule);
    job.context = making;
    job.compute = compute_tile;
    job.progress = making->hooks && making->hooks->progress ? show_progress : NULL;
    job.notice = making->hooks && making->hooks->notice ? show_notice : NULL;
    job.stop = making->hooks ? making->hooks->stop : NULL;
    enum status status = job_run(making->studio->world, &job, root ? &one : NULL);
    if (root)
        job_report_add(&making->report, &one, world_size(making->studio->world));
    return status;
}

static enum status part_compute(void *context, uint64_t job, const struct part *part,
                                struct field *field)
{
    struct making *making = context;
    making->part = part;
    making->above = rows_above(&making->order, job);
    for (uint32_t i = 0; i < part->count; i++)
        part->tiles[i].y += making->above;
    enum status status = part_run(making, job, part);
    for (uint32_t i = 0; i < part->count; i++)
        part->tiles[i].y -= making->above;
    if (status != STATUS_OK)
        return status;
    if (world_rank(making->studio->world) == 0)
        status = studio_fetch(making->studio, &making->shape, making->order.transport,
                              making->above, making->order.view.height, field);
    /* Else the others would begin the next sample. */
    return making->order.fields > 1 ? world_agree(making->studio->world, status) : status;
}

static enum status go_alone(void *context, struct world **world)
{
    struct making *making = context;
    struct order *order = &making->order;
    if (making->hooks && making->hooks->notice)
        making->hooks->notice(making->hooks->context, "rank 0 goes on alone");
    TRY(root_only_open(&making->root_only, making->studio, &making->shape,
                       schedule_named(order->schedule)->is_static));
    making->studio = making->root_only.studio;
    *world = making->root_only.world;
    snprintf(order->transport, sizeof order->transport, "%s", ROOT_ONLY_TRANSPORT);
    return order->method == METHOD_PERTURBATION ? blocks_make(making) : STATUS_OK;
}

static enum status samples_run(struct making *making, struct field *field)
{
    const struct order *order = &making->order;
    struct part whole = {
        .tiles = making->tiles, .count = making->tile_count, .costs = making->costs};
    making->sampling = (struct sampling){.world = making->studio->world,
                                         .samples = order->samples,
                                         .width = order->view.width,
                                         .height = order->view.height,
                                         .overlaps = order->fields > 2,
                                         .cells_px = order->cells_px,
                                         .compute = part_compute,
                                         .alone = go_alone,
                                         .context = making};
    if (making->hooks) {
        making->sampling.look = making->hooks->look;
        making->sampling.look_context = making->hooks->look_context;
    }
    enum status status = sampling_run(&making->sampling, &whole, field);
    if (world_rank(making->studio->world) == 0)
        jobs_begun += making->sampling.jobs;
    return status;
}

/* Does an orbit that is there serve the picture, in which its point lies so far from the centre? */
static bool orbit_serves(const struct orbit *orbit, const struct order *order, double re, double im)
{
    const struct view_numbers *view = &order->view;
    long bits;
    if (orbit_bits(view->log2_step, order->spec.limit, &bits) != STATUS_OK)
        return false;
    bool exact = orbit->bits >= bits;
    bool ends = orbit->end != ORBIT_LIMIT || orbit->length > order->spec.limit;
    return exact && ends && hypot(re, im) <= ORBIT_AWAY_PX * hypot(view->step_re, view->step_im);
}

/* The reference orbit: that of the hooks, which it borrows, or one of the picture's own. Rank 0. */
static enum status orbit_take(struct making *making, const struct picture *picture,
                              const struct reference_hooks *reference_hook)
{
    struct order *order = &making->order;
    const struct picture_orbit *shared = making->hooks ? making->hooks->orbit : NULL;
    double re, im;
    if (shared) {
        view_apart(&picture->view, shared->view, order->view.exponent, &re, &im);
        if (orbit_serves(shared->orbit, order, re, im)) {
            making->reference.orbit = *shared->orbit;
            making->reference.orbit.work = NULL; /* not ours to destroy */
            order->request.offset_re = re;
            order->request.offset_im = im;
            return STATUS_OK;
        }
    }
    return reference_make(&making->reference, &picture->view, &order->view, &order->spec,
                          making->studio->world, picture->orbit_cache, reference_hook);
}

enum status picture_decline(struct studio *studio, enum status status)
{
    struct order none = {.epoch = 0};
    return world_tell(studio->world, status, &none, sizeof none);
}

enum status picture_render(struct studio *studio, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report)
{
    struct world *world = studio->world;
    struct making making = {.studio = studio, .hooks = hooks};
    struct plan plan = {0};
    int root = world_rank(world) == 0;
    struct reference_hooks reference_hook = reference_hooks(hooks);
    double begin = clock_s();

    enum status status = root ? order_make(&making.order, studio, picture, &plan) : STATUS_OK;
    double ordered = clock_s();
    if (status == STATUS_OK && root && plan.method == METHOD_PERTURBATION)
        status = orbit_take(&making, picture, &reference_hook);
    if (status == STATUS_OK && root && plan.method == METHOD_PERTURBATION)
        status = reference_settle(&making.reference, &making.order.view, &making.order.spec,
                                  &making.order.request, &reference_hook);
    double referred = clock_s();
    status = world_tell(world, status, &making.order, sizeof making.order);
    if (status == STATUS_OK && making.order.epoch == 0)
        return STATUS_OK; /* picture_decline */
    if (status == STATUS_OK)
        status = making_begin(&making);
    double planned = clock_s();
    if (status == STATUS_OK)
        status = samples_run(&making, field);
    double computed = clock_s();
    struct block_usage survey = {.levels = 0};
    if (status == STATUS_OK && root && plan.method == METHOD_PERTURBATION && picture->survey)
        status = reference_block_usage(&making.reference, &studio->crew, &making.order.view,
                                       &making.order.spec, &making.order.request, &reference_hook,
                                       &survey);
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
            report->reference = reference_facts(&making, referred - ordered);
        for (int rank = 0; making.report.rank && rank < world_size(world); rank++)
            report->iterations += making.report.rank[rank].iterations;
    }
    free(making.tiles);
    free(making.costs);
    root_only_close(&making.root_only);
    crew_deep_close(&studio->crew);
    if (root && hooks && hooks->kept)
        *hooks->kept = (struct kept_reference){making.reference, making.order.request};
    else
        reference_close(&making.reference);
    return status;
}
