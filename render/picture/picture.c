#include "render/picture/picture.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/stop.h"
#include "render/picture/root_only.h"
#include "render/picture/cost_prediction.h"
#include "render/picture/distribution_pass.h"
#include "render/picture/estimate_windows.h"
#include "render/picture/late_centres.h"
#include "render/disk/memory.h"
#include "render/colour/refine.h"
#include "render/picture/sampling.h"
#include "render/picture/writers.h"

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
    int32_t samples, at_once, fields, strip_rows, halo_rows; /* as in the plan, ... */
    int32_t turns, lights;                                   /* ... and these */
    int32_t light_alone;                                     /* nobody wants the centres */
    int32_t rows_before;                                     /* of an interrupted run, ... */
    int32_t restores; /* ... of which tiles of the next strip are known, too */
    int32_t subgrid;  /* is computed first */
    int32_t cells_px; /* tiles of cells (render/colour/cells.h) */
    enum tile_order tile_order;
    int32_t predicts_cost; /* the tiles follow from a coarse pass */
    int32_t away;          /* ranks compute on other machines */
    int32_t writers;       /* so many ranks write; 0: rank 0 alone */
    int32_t window_px;     /* side of windows that are computed instead; 0: the picture is */
    int32_t devices;       /* that compute */
    struct tile hole;      /* is left out; width 0: none */
    char schedule[16],
        transport[16]; /* transport: as asked for; each rank's transport may differ */
};

/* One rank's part in the making of one picture. */
struct making {
    struct renderer *renderer;
    struct settled settled;
    struct field shape;      /* of the frame, without memory: `fields` strips, one below the
                                other: the centres, and samples in turn */
    int32_t frame_rows;      /* of one of them, at most */
    struct strip {           /* being computed: */
        int32_t y, height;   /* rows of the picture that samples reach, ... */
        int32_t above, rows; /* ... of which so many, below so many, are wanted */
        int32_t x, width;    /* all columns, but for windows */
    } strip;
    const struct tile_batch *batch; /* being computed, ... */
    uint64_t job;                   /* ... by this job of the strip, ... */
    struct field frame;             /* ... into this one, ... */
    struct late_centres centres;    /* rank 0, where samples lie on its device */
    int32_t above;                  /* ... so many rows below its first; */
    int32_t centres_above;          /* the centres of the strip lie so many below it */
    struct reference reference;     /* of perturbation */
    double reference_s;             /* that it took, on rank 0 */
    uint64_t table_bytes;
    struct tile *tiles; /* of the strip */
    uint32_t tile_count;
    int32_t tiled_rows; /* so high is what they were cut of */
    float *costs;       /* rank 0, with a forecast */
    struct sampling sampling;
    float (*light)[3];          /* rank 0, without a consumer: what came of it */
    bool measures;              /* the subgrid is being computed */
    const struct look *look;    /* rank 0; NULL: not settled */
    struct root_only root_only; /* rank 0, when the world is lost */
    struct job_progress before; /* pixels and iterations of the jobs before */
    double begin_s;             /* of the first */
    uint64_t pixels_before;     /* of samples, of the strips before */
    double samples_sum;         /* of the pixels of the strips before */
    double centres_s;
    bool wrote;                        /* each rank its own strips, ... */
    double writing_s;                  /* ... since then */
    uint64_t jobs;                     /* begun */
    struct job_report report;          /* rank 0: of all samples */
    const struct picture_hooks *hooks; /* may be NULL */
};

/* Rows are numbered by 32 bits. */
static enum status frame_check(const struct plan *plan, const struct view_numbers *view)
{
    int64_t rows = (int64_t)plan->strip_rows + 2 * (int64_t)plan->halo_rows;
    if (rows * plan->fields <= INT32_MAX)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE, "%d rows are too many to average samples; the most is %d",
                       view->height, INT32_MAX / plan->fields);
}

enum status picture_plan(const struct picture *picture, const struct renderer_facts *facts,
                         const volatile int *stop, struct view_numbers *view, struct plan *plan)
{
    struct view_numbers numbers;
    TRY(formula_check(&picture->formula, picture->bailout));
    TRY(view_numbers(&picture->view, &numbers));
    TRY(plan_choose(plan, picture, &numbers, facts, stop));
    if (view)
        *view = numbers;
    return frame_check(plan, &numbers);
}

/* Every machine has memory of its own; the least decides. */
static enum status away_admit(const struct plan *plan)
{
    const struct memory_away *away = &plan->facts.memory_away;
    uint64_t needed = (uint64_t)away->ranks * plan->bytes.away;
    if (away->ranks == 0 || needed <= away->bytes / 10 * 8)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB on %s for its %d rank%s, but of the %.1f GiB free there only "
        "80 %% may be used; take fewer ranks, or a smaller --tile",
        (double)needed / 0x1p30, away->host, away->ranks, away->ranks > 1 ? "s" : "",
        (double)away->bytes / 0x1p30);
}

enum status picture_admit(const struct plan *plan)
{
    uint64_t beside = (uint64_t)(plan->facts.computing_ranks - plan->facts.away_ranks);
    uint64_t workers = beside * plan->bytes.worker;
    uint64_t frame = plan->bytes.frame + plan->bytes.light;
    uint64_t needed = plan_memory(plan);
    uint64_t there = memory_available();
    if (needed <= there / 10 * 8)
        return away_admit(plan);
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB (frame %.1f, transport %.1f, ranks %.1f), but of the %.1f GiB "
        "free on this machine only 80 %% may be used; choose a smaller --size",
        (double)needed / 0x1p30, (double)frame / 0x1p30, (double)plan->bytes.transport / 0x1p30,
        (double)workers / 0x1p30, (double)there / 0x1p30);
}

static _Atomic uint64_t jobs_begun; /* rank 0: for all pictures so far, of all renderers */

static void order_refused(const struct plan *plan, const struct picture *picture,
                          const struct view_numbers *view, const struct picture_hooks *hooks)
{
    char text[STATUS_TEXT_BYTES];
    if (hooks && hooks->notice && plan_writers_refusal(plan, picture, view, text, sizeof text))
        hooks->notice(hooks->context, text);
}

static enum status order_writers(struct settled *settled, const struct picture *picture,
                                 const struct picture_hooks *hooks)
{
    const struct picture_consumer *consumer = hooks ? hooks->consumer : NULL;
    if (settled->writers == 0 || (consumer && consumer->parts))
        return STATUS_OK;
    if (picture->writers == WRITERS_ALL)
        return status_fail(STATUS_CONFIG,
                           "several ranks write files of one folder, with a journal: name such "
                           "files, and no [output] journal = 0, or take --writers auto");
    settled->writers = 0;
    return STATUS_OK;
}

static void order_consumer(struct settled *settled, const struct picture_hooks *hooks)
{
    const struct picture_consumer *consumer = hooks ? hooks->consumer : NULL;
    if (consumer) {
        settled->rows_before = consumer->rows_before;
        settled->restores = consumer->restore != NULL;
    }
    settled->subgrid = hooks && hooks->wants_subgrid && settled->strip_rows < settled->view.height;
}

/* Windows instead of the picture. */
static void order_windows(struct settled *settled, const struct picture_hooks *hooks)
{
    if (!hooks || !hooks->estimate)
        return;
    settled->window_px = hooks->estimate->side;
    settled->strip_rows = settled->view.height;
    settled->halo_rows = settled->rows_before = settled->restores = 0;
    settled->subgrid = settled->predicts_cost = settled->writers = settled->hole.width = 0;
}

struct spec picture_spec(const struct picture *picture, const struct plan *plan)
{
    return (struct spec){.limit = picture->limit,
                         .bailout = picture->bailout,
                         .planes = picture->planes,
                         .count_bytes = plan->count_bytes,
                         .number = plan->number,
                         .shortcuts = picture->shortcuts,
                         .formula = picture->formula};
}

/* Rank 0: everything that can go wrong before the ranks are told. */
static enum status settle(struct settled *settled, const struct renderer *renderer,
                          const struct picture *picture, const struct picture_hooks *hooks,
                          struct plan *plan)
{
    struct view_numbers view;
    struct renderer_facts facts = renderer->facts;
    facts.devices = renderer->active;
    facts.gpus = facts.gpus < facts.devices ? facts.gpus : facts.devices;
    TRY(picture_plan(picture, &facts, hooks ? hooks->stop : NULL, &view, plan));
    plan->predicts_cost = plan->predicts_cost && renderer->active == renderer->facts.devices;
    TRY(picture_admit(plan));
    *settled = (struct settled){.epoch = jobs_begun + 1,
                                .view = view,
                                .spec = picture_spec(picture, plan),
                                .method = plan->method,
                                .request = {.accuracy_px = plan->accuracy_px,
                                            .blocks = picture->blocks,
                                            .threads = picture->threads},
                                .tile_px = plan->tile_px,
                                .interleaved = plan->interleaved,
                                .samples = picture->samples,
                                .at_once = plan->at_once,
                                .fields = plan->fields,
                                .turns = plan->turns,
                                .lights = plan->lights,
                                .light_alone = picture->light_alone,
                                .strip_rows = plan->strip_rows,
                                .halo_rows = plan->halo_rows,
                                .cells_px = plan->cells_px,
                                .tile_order = plan->order,
                                .predicts_cost = plan->predicts_cost,
                                .away = facts.away_ranks > 0,
                                .writers = plan->writers,
                                .devices = plan->facts.devices};
    snprintf(settled->schedule, sizeof settled->schedule, "%s", plan->schedule);
    snprintf(settled->transport, sizeof settled->transport, "%s", picture->transport);
    if (settled->samples == 1 && settled->strip_rows == settled->view.height)
        settled->hole = picture->hole;
    order_consumer(settled, hooks);
    order_refused(plan, picture, &view, hooks);
    order_windows(settled, hooks);
    return order_writers(settled, picture, hooks);
}

/* The strip whose first row that is wanted is `y`. */
static struct strip strip_at(const struct settled *settled, int32_t y)
{
    int32_t left = settled->view.height - y;
    int32_t rows = settled->strip_rows < left ? settled->strip_rows : left;
    int32_t above = y > 0 ? settled->halo_rows : 0;
    int32_t below = left - rows < settled->halo_rows ? left - rows : settled->halo_rows;
    return (struct strip){y - above, above + rows + below, above, rows, 0, settled->view.width};
}

/* A window of the picture, in the place of a strip. */
static struct strip window_at(const struct settled *settled, const struct estimate_window *window)
{
    int32_t right = settled->view.width - window->x, below = settled->view.height - window->y;
    int32_t width = window->side < right ? window->side : right;
    int32_t height = window->side < below ? window->side : below;
    return (struct strip){window->y, height, 0, height, window->x, width};
}

/* Those of further samples behind them, each field below the one before. */
static enum status tiles_stack(struct making *making)
{
    size_t count = making->tile_count, all = count * (size_t)making->settled.at_once;
    struct tile *tiles = realloc(making->tiles, all * sizeof *tiles);
    if (!tiles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu tiles", all);
    making->tiles = tiles;
    for (size_t i = count; i < all; i++) {
        tiles[i] = tiles[i - count];
        tiles[i].y += making->frame_rows;
    }
    return STATUS_OK;
}

static enum status tiles_make(struct making *making)
{
    const struct settled *settled = &making->settled;
    int32_t width = making->strip.width, height = making->strip.height;
    int32_t tile_px =
        settled->window_px ? plan_tile_narrow(width, height, settled->devices) : settled->tile_px;
    if (settled->interleaved)
        TRY(tiles_interleaved(&making->tiles, &making->tile_count, width, height, settled->tile_px,
                              settled->interleaved));
    else
        TRY(tiles_cut(&making->tiles, &making->tile_count, width, height, tile_px,
                      settled->tile_order));
    if (settled->hole.width > 0 && !settled->interleaved)
        TRY(tiles_without(&making->tiles, &making->tile_count, &settled->hole));
    return tiles_stack(making);
}

static struct picture_reference reference_facts(const struct making *making)
{
    const struct reference *reference = &making->reference;
    const struct orbit *orbit = &reference->orbit;
    struct picture_reference facts = {.bits = orbit->bits,
                                      .steps = orbit->length > 0 ? orbit->length - 1 : 0,
                                      .period = orbit->shortest ? orbit->shortest : orbit->period,
                                      .orbit_bytes = (uint64_t)orbit->length * sizeof *orbit->z,
                                      .table_bytes = making->table_bytes,
                                      .seconds = making->reference_s,
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

/* The orbit to every rank that does not have it from a picture before. */
static enum status orbit_share(struct making *making)
{
    struct renderer *renderer = making->renderer;
    struct reference *reference = &making->reference;
    uint64_t number = making->settled.request.orbit;
    if (!number || renderer->orbit.number != number) {
        TRY(reference_share(reference, renderer->world));
        free(renderer->orbit.bytes);
        renderer->orbit = (struct renderer_orbit){.number = number};
        if (!number)
            return STATUS_OK;
        renderer->orbit.bytes = reference->bytes; /* rank 0 has none: its caller has the orbit */
        reference->bytes = NULL;
    }
    if (renderer->orbit.bytes) {
        reference->bytes = renderer->orbit.bytes;
        reference_unpack(reference);
        reference->bytes = NULL; /* not ours to free */
    }
    return STATUS_OK;
}

/* Perturbation: the orbit that rank 0 has made, and what each computing rank makes of it. */
static enum status reference_begin(struct making *making)
{
    const struct settled *settled = &making->settled;
    struct renderer *renderer = making->renderer;
    if (settled->method != METHOD_PERTURBATION)
        return STATUS_OK;
    TRY(orbit_share(making));
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

/* A rectangle of the strip. */
static struct grid tile_grid(const struct making *making, int32_t x, int32_t y, int32_t width,
                             int32_t height)
{
    const struct settled *settled = &making->settled;
    x += making->strip.x;
    y += making->strip.y;
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
    int32_t y = tile->y - making->above, sample = batch->sample;
    if (!batch->cells) { /* samples lie one below the other */
        sample += y / making->frame_rows;
        y %= making->frame_rows;
    }
    struct grid grid = tile_grid(making, tile->x, y, tile->width, tile->height);
    if (batch->cells) { /* from the first row of the tile on: its own are copied to devices */
        grid.x = tile->x;
        grid.y = y % GRID_CELL;
        grid.cells = batch->cells + (size_t)(y / GRID_CELL) * (size_t)batch->cells_in_row;
        grid.cells_in_row = batch->cells_in_row;
    } else {
        sample_move(&grid, sample);
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
    if (making->hooks && stop_asked(making->hooks->stop))
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
        .whole = tile_grid(making, 0, 0, settled->view.width, making->strip.height),
        .away = settled->away};
    for (int rank = 0; rank < world_size(renderer->world); rank++)
        if (renderer->link[rank].computes) {
            if (rank == world_rank(renderer->world))
                prediction.part = prediction.parts;
            prediction.parts++;
        }
    *renderer->gives_up = 0;
    renderer->device_set.active = renderer->device_set.devices;
    return cost_prediction_tiles(&prediction, &making->tiles, &making->costs, &making->tile_count);
}

/* Those of the strip before do, if it was as high and nothing is predicted. */
static enum status tiles_renew(struct making *making)
{
    const struct settled *settled = &making->settled;
    if (!settled->predicts_cost && making->tiled_rows == making->strip.height)
        return STATUS_OK;
    making->tiled_rows = making->strip.height;
    free(making->tiles);
    free(making->costs);
    making->tiles = NULL;
    making->costs = NULL;
    return settled->predicts_cost ? tiles_predict(making)
                                  : world_agree(making->renderer->world, tiles_make(making));
}

/* Of the mean on rank 0's device; 0: it is not made there. */
static size_t light_bytes(const struct making *making)
{
    size_t pixels = (size_t)making->shape.width * (size_t)making->frame_rows;
    bool adapts = making->settled.samples == SAMPLES_AUTO;
    size_t bytes = LIGHT_PIXEL_BYTES + (adapts ? REFINE_PIXEL_BYTES : 0);
    return making->settled.lights ? pixels * bytes : 0;
}

/* Tiles, devices and memory. */
static enum status making_begin(struct making *making)
{
    const struct settled *settled = &making->settled;
    int32_t most = settled->strip_rows + 2 * settled->halo_rows;
    struct estimate_window first = {.side = settled->window_px};
    making->frame_rows = most < settled->view.height ? most : settled->view.height;
    making->strip = strip_at(settled, settled->rows_before);
    if (first.side) {
        making->strip = window_at(settled, &first);
        making->frame_rows = making->strip.height;
    }
    making->shape = (struct field){.width = making->strip.width,
                                   .height = making->frame_rows * settled->fields,
                                   .planes = settled->spec.planes,
                                   .count_bytes = settled->spec.count_bytes};
    enum status mine = settled->predicts_cost ? STATUS_OK : tiles_make(making);
    making->tiled_rows = making->strip.height;
    making->renderer->light_bytes = light_bytes(making);
    TRY(renderer_prepare(making->renderer, mine, &making->shape, settled->transport));
    TRY(reference_begin(making));
    return settled->predicts_cost ? tiles_predict(making) : STATUS_OK;
}

/* Samples of the strips that are to come: as many as of those before. */
static uint64_t pixels_to_come(const struct making *making)
{
    const struct settled *settled = &making->settled;
    int32_t done = making->strip.y + making->strip.above + making->strip.rows;
    double rows_done = (double)(done - settled->rows_before);
    double sum = (double)(making->pixels_before + making->sampling.pixels);
    return rows_done > 0 ? (uint64_t)(sum / rows_done * (settled->view.height - done)) : 0;
}

static void show_progress(void *context, const struct job_progress *progress)
{
    struct making *making = context;
    struct job_progress all = *progress;
    all.pixels_done += making->before.pixels_done;
    all.pixels = making->pixels_before + making->sampling.pixels + pixels_to_come(making);
    all.iterations += making->before.iterations;
    all.seconds = clock_s() - making->begin_s; /* the files of strips take time, too */
    all.share = ((double)making->before.pixels_done + progress->share * (double)progress->pixels) /
                (double)all.pixels;
    all.rank_before = making->report.rank;
    making->hooks->progress(making->hooks->context, &all);
}

static void show_notice(void *context, const char *text)
{
    struct making *making = context;
    making->hooks->notice(making->hooks->context, text);
}

/* Rows of the frame above what a job computes. Jobs take turns between two groups of fields, as
 * what the one before has computed is being averaged. Where pictures follow each other the turns go
 * on from one to the next, and both groups begin with a field for centres, which stay. */
static int32_t rows_above(const struct making *making, uint64_t job)
{
    const struct settled *settled = &making->settled;
    if (settled->fields < 3 && !settled->turns)
        return job ? making->frame_rows * (settled->fields - 1) : 0;
    int32_t group = (int32_t)((settled->turns ? making->renderer->turn : job) % 2);
    int32_t begin = group * (settled->turns ? settled->fields / 2 : settled->at_once);
    return making->frame_rows * (job ? begin + 1 : begin);
}

/* The rows of the frame that a job computes. */
static struct field job_frame(const struct making *making, const struct field *frame)
{
    return field_window(frame, 0, making->above, frame->width, making->strip.height);
}

/* One tile, between the host and rank 0's device. */
static enum status tile_move(const struct making *making, const struct tile *tile,
                             const struct field *to, const struct field *from)
{
    struct field there = tile_window(tile, to), here = tile_window(tile, from);
    return renderer_copy(making->renderer, &there, &here);
}

static enum status tile_deliver(void *context, uint32_t number)
{
    struct making *making = context;
    const struct picture_consumer *consumer = making->hooks->consumer;
    struct tile tile = making->batch->tiles[number];
    struct field frame = making->frame;
    if (frame.space == MEMORY_DEVICE) {
        if (consumer->tile_due && !consumer->tile_due(consumer->context))
            return STATUS_OK;
        frame = renderer_host(making->renderer, &making->shape);
        TRY(tile_move(making, &tile, &frame, &making->frame));
    }
    struct field field = job_frame(making, &frame);
    tile.y -= making->above;
    return consumer->tile(consumer->context, making->strip.y + making->strip.above, making->job,
                          &tile, &field);
}

/* Of all samples. */
static uint32_t batch_tiles(const struct tile_batch *batch)
{
    return batch->count * (batch->samples > 1 ? (uint32_t)batch->samples : 1);
}

static enum status batch_run(struct making *making, const struct tile_batch *batch)
{
    struct job job = renderer_job(making->renderer, &making->shape, making->settled.transport,
                                  batch_tiles(batch));
    struct job_report one = {.rank = NULL};
    bool root = world_rank(making->renderer->world) == 0;
    const struct picture_hooks *hooks = making->hooks;
    making->frame = job.frame;
    making->batch = batch;
    job.epoch = making->settled.epoch + making->jobs++;
    job.tiles = batch->tiles;
    job.tile_count = batch_tiles(batch);
    job.costs = batch->costs;
    job.schedule = schedule_named(making->settled.schedule);
    job.context = making;
    job.compute = compute_tile;
    job.progress = hooks && hooks->progress ? show_progress : NULL;
    job.notice = hooks && hooks->notice ? show_notice : NULL;
    job.stop = hooks ? hooks->stop : NULL;
    bool told = root && hooks && hooks->consumer && hooks->consumer->tile && !making->measures;
    if (told)
        job.arrived = tile_deliver;
    enum status status = job_run(making->renderer->world, &job, root ? &one : NULL);
    for (int rank = 0; one.rank && rank < world_size(making->renderer->world); rank++)
        making->before.iterations += one.rank[rank].iterations;
    if (root)
        job_report_add(&making->report, &one, world_size(making->renderer->world));
    return status;
}

/* Rank 0: which tiles an interrupted run has left; they are in the frame then. */
static enum status tiles_restore(struct making *making, const struct tile_batch *batch, bool *known)
{
    const struct picture_consumer *consumer = making->hooks->consumer;
    struct field frame =
        renderer_frame(making->renderer, &making->shape, making->settled.transport);
    if (!known)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u tiles", batch->count);
    struct field host = renderer_host(making->renderer, &making->shape);
    struct field field = job_frame(making, &host);
    TRY(consumer->restore(consumer->context, making->job, batch->tiles, batch->count, &field,
                          known));
    for (uint32_t i = 0; frame.space == MEMORY_DEVICE && i < batch->count; i++) {
        struct tile tile = batch->tiles[i];
        tile.y += making->above;
        if (known[i])
            TRY(tile_move(making, &tile, &frame, &host));
    }
    return STATUS_OK;
}

/* Leaves out of a part what is known; every rank the same. `rest` has the memory of `all`, which
 * the caller frees. */
static enum status part_shorten(struct making *making, const struct tile_batch *all,
                                struct tile_batch *rest)
{
    bool root = world_rank(making->renderer->world) == 0;
    size_t length = all->count;
    assert(all->samples <= 1); /* jobs have more in pictures of many, which have no consumer */
    bool *known = root ? calloc(length, sizeof *known) : NULL;
    void *bytes = known;
    enum status status =
        world_share(making->renderer->world, root ? tiles_restore(making, all, known) : STATUS_OK,
                    &bytes, &length);
    *rest = *all;
    rest->count = 0;
    rest->tiles = malloc(all->count * sizeof *all->tiles);
    rest->costs = all->costs ? malloc(all->count * sizeof *all->costs) : NULL;
    bool there = rest->tiles && (rest->costs || !all->costs);
    if (status == STATUS_OK)
        status = world_agree(making->renderer->world,
                             there ? STATUS_OK
                                   : status_fail(STATUS_OUT_OF_MEMORY,
                                                 "no memory for a list of %u tiles", all->count));
    known = bytes;
    for (uint32_t i = 0; status == STATUS_OK && i < all->count; i++) {
        if (known[i])
            continue;
        rest->tiles[rest->count] = all->tiles[i];
        if (rest->costs)
            rest->costs[rest->count] = all->costs[i];
        rest->count++;
    }
    free(bytes);
    return status;
}

static uint64_t batch_pixels(const struct tile_batch *batch)
{
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < batch_tiles(batch); i++)
        pixels += (uint64_t)batch->tiles[i].width * (uint64_t)batch->tiles[i].height;
    return pixels;
}

static enum status tiles_compute(struct making *making, const struct tile_batch *batch)
{
    uint32_t count = batch_tiles(batch);
    for (uint32_t i = 0; i < count; i++)
        batch->tiles[i].y += making->above;
    enum status status = count ? batch_run(making, batch) : STATUS_OK;
    for (uint32_t i = 0; i < count; i++)
        batch->tiles[i].y -= making->above;
    return status;
}

/* Does an interrupted run know of tiles of this strip? */
static bool is_restored(const struct making *making)
{
    return making->settled.restores && !making->measures &&
           making->strip.y + making->strip.above == making->settled.rows_before;
}

/* What a job has computed, sample by sample. */
static enum status fields_fetch(const struct making *making, const struct tile_batch *batch,
                                struct field *fields)
{
    struct field all;
    int32_t below = batch->samples > 1 ? batch->samples - 1 : 0;
    int32_t height = making->strip.height, rows = below * making->frame_rows + height;
    if (renderer_lights(making->renderer)) {
        struct field frame =
            renderer_frame(making->renderer, &making->shape, making->settled.transport);
        all = field_window(&frame, 0, making->above, frame.width, rows);
    } else {
        TRY(renderer_fetch(making->renderer, &making->shape, making->settled.transport,
                           making->above, rows, &all));
    }
    for (int32_t i = 0; i <= below; i++)
        fields[i] = field_window(&all, 0, i * making->frame_rows, all.width, height);
    return STATUS_OK;
}

/* Where they lie on the device, and are wanted, too. */
static enum status centres_open(struct making *making, const struct field *device)
{
    if (device->space != MEMORY_DEVICE || making->settled.light_alone)
        return STATUS_OK;
    struct field all = renderer_host(making->renderer, &making->shape);
    struct field host = field_window(&all, 0, making->above, all.width, making->strip.height);
    return late_centres_open(&making->centres, making->renderer, &host, device);
}

static enum status batch_compute(void *context, uint64_t job, const struct tile_batch *batch,
                                 struct field *fields)
{
    struct making *making = context;
    struct tile_batch rest = {.count = 0};
    making->job = job;
    making->above = rows_above(making, job);
    making->renderer->turn++;
    if (job == 0)
        making->centres_above = making->above;
    else /* the look is settled */
        late_centres_begin(&making->centres);
    enum status status = STATUS_OK;
    if (is_restored(making))
        status = part_shorten(making, batch, &rest);
    uint64_t pixels = batch_pixels(rest.tiles ? &rest : batch);
    making->before.pixels_done += batch_pixels(batch) - pixels;
    if (status == STATUS_OK)
        status = tiles_compute(making, rest.tiles ? &rest : batch);
    making->before.pixels_done += pixels;
    free(rest.tiles);
    free(rest.costs);
    if (status != STATUS_OK)
        return status;
    if (world_rank(making->renderer->world) == 0) {
        status = fields_fetch(making, batch, fields);
        if (status == STATUS_OK && job == 0)
            status = centres_open(making, fields);
    }
    /* Else the others would begin the next sample. */
    return making->settled.fields > 1 ? world_agree(making->renderer->world, status) : status;
}

/* Rank 0: for all ranks, also where nothing was left to compute, or nothing by the others. */
static enum status report_rows(struct making *making)
{
    struct job_report *report = &making->report;
    if (world_rank(making->renderer->world) != 0 || report->rank)
        return STATUS_OK;
    report->rank = calloc((size_t)world_size(making->renderer->world), sizeof *report->rank);
    return report->rank ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a report");
}

static enum status go_alone(void *context, struct world **world)
{
    struct making *making = context;
    struct settled *settled = &making->settled;
    if (making->hooks && making->hooks->notice)
        making->hooks->notice(making->hooks->context, "rank 0 goes on alone");
    TRY(report_rows(making));
    TRY(root_only_open(&making->root_only, making->renderer, &making->shape));
    making->renderer = making->root_only.renderer;
    *world = making->root_only.world;
    snprintf(settled->transport, sizeof settled->transport, "%s", ROOT_ONLY_TRANSPORT);
    return settled->method == METHOD_PERTURBATION ? blocks_make(making) : STATUS_OK;
}

/* Of a picture in strips. */
static enum status look_settled(void *context, const struct field *field, const struct look **look)
{
    const struct making *making = context;
    (void)field;
    *look = making->look;
    return STATUS_OK;
}

/* As the hooks have it, of centres that may lie on rank 0's device. */
static enum status look_there(void *context, const struct field *field, const struct look **look)
{
    const struct making *making = context;
    bool fetched = field->space == MEMORY_DEVICE && !making->settled.light_alone;
    return making->hooks->look(making->hooks->look_context, fetched ? &making->centres.host : field,
                               look);
}

static struct sampling sampling_of(struct making *making)
{
    const struct settled *settled = &making->settled;
    struct sampling sampling = {
        .world = making->renderer->world,
        .samples = settled->samples,
        .width = making->strip.width,
        .height = making->strip.height,
        .above = making->strip.y,
        .left = making->strip.x,
        .background = settled->fields > 2 || settled->turns ? making->renderer->background : NULL,
        .cells_px = settled->cells_px,
        .at_once = settled->at_once,
        .lights = renderer_lights(making->renderer),
        .compute = batch_compute,
        .alone = go_alone,
        .context = making};
    if (sampling.lights && world_rank(making->renderer->world) == 0)
        sampling.device = renderer_light_device(making->renderer, &making->shape);
    if (making->look) {
        sampling.look = look_settled;
        sampling.look_context = making;
    } else if (making->hooks && making->hooks->look) {
        sampling.look = look_there;
        sampling.look_context = making;
    }
    return sampling;
}

/* The subgrid of a picture that is never in memory as a whole. */
static enum status subgrid_run(struct making *making, struct field *subgrid)
{
    const struct settled *settled = &making->settled;
    bool root = world_rank(making->renderer->world) == 0;
    TRY(world_agree(making->renderer->world,
                    root ? field_create(subgrid, SUBGRID_WIDTH, SUBGRID_HEIGHT,
                                        settled->spec.planes, settled->spec.count_bytes)
                         : STATUS_OK));
    making->measures = true;
    making->strip = (struct strip){.height = making->frame_rows, .width = settled->view.width};
    making->sampling = sampling_of(making);
    enum status status = distribution_pass_run(&making->sampling, settled->view.width,
                                               settled->view.height, subgrid);
    making->measures = false;
    making->before = (struct job_progress){.pixels_done = 0};
    return status;
}

/* Of a picture in strips, before the first. */
static enum status look_begin(struct making *making)
{
    const struct settled *settled = &making->settled;
    const struct picture_hooks *hooks = making->hooks;
    struct field subgrid = {.width = 0};
    enum status status = STATUS_OK;
    if (settled->strip_rows >= settled->view.height)
        return STATUS_OK;
    if (settled->subgrid)
        status = subgrid_run(making, &subgrid);
    if (status == STATUS_OK && world_rank(making->renderer->world) == 0 && hooks && hooks->look)
        status =
            hooks->look(hooks->look_context, settled->subgrid ? &subgrid : NULL, &making->look);
    field_destroy(&subgrid);
    return world_agree(making->renderer->world, status);
}

/* Rank 0: the rows of a strip, to who wants them. */
static enum status strip_deliver(struct making *making, const struct field *field,
                                 const float (*light)[3])
{
    const struct picture_consumer *consumer = making->hooks->consumer;
    const struct strip *strip = &making->strip;
    struct field rows = field_window(field, 0, strip->above, field->width, strip->rows);
    if (light)
        light += (size_t)strip->above * (size_t)field->width;
    return consumer->strip(consumer->context, strip->y + strip->above, &rows, light);
}

/* When the others were lost in the last job of the strip before, which is whole nevertheless: what
 * a forecast asks of all ranks would fail. */
static enum status alone_if_left(struct making *making)
{
    const struct world *world = making->renderer->world;
    struct world *alone;
    bool left = world_rank(world) == 0 && world_lost(world) != STATUS_OK;
    return left ? go_alone(making, &alone) : STATUS_OK;
}

/* One strip. The light is rank 0's, if nobody has taken it. */
static enum status strip_run(struct making *making, struct field *field)
{
    TRY(alone_if_left(making));
    TRY(tiles_renew(making));
    struct tile_batch whole = {
        .tiles = making->tiles, .count = making->tile_count, .costs = making->costs};
    struct sampling *sampling = &making->sampling;
    const struct picture_hooks *hooks = making->hooks;
    *sampling = sampling_of(making);
    TRY(sampling_run(sampling, &whole, field));
    making->pixels_before += sampling->pixels;
    making->samples_sum += sampling->mean_samples * making->strip.rows;
    making->centres_s += sampling->centres_s;
    sampling->pixels = 0; /* they are among those before */
    if (world_rank(making->renderer->world) != 0)
        return STATUS_OK;
    bool samples = sampling->average != NULL, late = hooks && hooks->late_light;
    enum status status = STATUS_OK;
    if (making->centres.renderer) {
        *field = making->centres.host;
        status = late_centres_wait(&making->centres);
        late_centres_close(&making->centres);
    }
    if (!late && status == STATUS_OK) {
        status = average_end(sampling->average, &making->light);
        sampling->average = NULL;
    }
    if (status == STATUS_OK && hooks && hooks->look && !making->look &&
        !samples) /* else settled since the centres */
        status = hooks->look(hooks->look_context, field, &making->look);
    if (hooks && hooks->consumer) {
        if (status == STATUS_OK)
            status = strip_deliver(making, field, (const float(*)[3])making->light);
        free(making->light);
        making->light = NULL;
    }
    return status;
}

/* A strip of a writer, in a world of its own: `context` is that making. */
static enum status strip_alone(void *context, int32_t y, const struct look *look,
                               const struct picture_consumer *consumer, struct writers_done *done)
{
    struct making *making = context;
    struct picture_hooks hooks = {.consumer = consumer,
                                  .stop = making->hooks ? making->hooks->stop : NULL};
    const struct picture_hooks *before = making->hooks;
    struct field field;
    making->look = look;
    making->strip = strip_at(&making->settled, y);
    making->pixels_before = 0;
    making->samples_sum = 0;
    making->hooks = &hooks;
    enum status status = strip_run(making, &field);
    making->hooks = before;
    done->pixels = making->pixels_before;
    done->samples = making->samples_sum;
    done->threads_lost = (int32_t)making->report.threads_lost;
    snprintf(done->lost, sizeof done->lost, "%.159s",
             done->threads_lost ? making->report.lost_text : "");
    if (making->report.rank)
        done->rank = *making->report.rank;
    free(making->report.rank);
    making->report = (struct job_report){.rank = NULL};
    return status;
}

/* Rank 0, to its report. */
static void strip_count(struct making *making, int rank, const struct writers_done *done)
{
    int ranks = world_size(making->renderer->world);
    struct job_report one = {.rank = calloc((size_t)ranks, sizeof *one.rank),
                             .threads_lost = (uint32_t)done->threads_lost,
                             .lost_rank = rank};
    if (!one.rank)
        return;
    snprintf(one.lost_text, sizeof one.lost_text, "%s", done->lost);
    one.rank[rank] = done->rank;
    job_report_add(&making->report, &one, ranks);
    struct job_rank *row = &making->report.rank[rank];
    memcpy(row->host, done->rank.host, sizeof row->host);
    row->computes = done->rank.computes;
    row->threads = done->rank.threads;
}

/* Rank 0: what the strip of another was. */
static void strip_told(void *context, int rank, const struct writers_done *done, int32_t y)
{
    struct making *making = context;
    const struct settled *settled = &making->settled;
    int32_t rows = y - settled->rows_before;
    making->pixels_before += done->pixels;
    making->samples_sum += done->samples;
    strip_count(making, rank, done);
    struct job_progress progress = {
        .pixels_done = making->pixels_before,
        .pixels = (uint64_t)((double)making->pixels_before / rows *
                             (settled->view.height - settled->rows_before)),
        .share = (double)rows / (settled->view.height - settled->rows_before),
        .seconds = clock_s() - making->writing_s,
        .rank = making->report.rank,
        .ranks = world_size(making->renderer->world)};
    if (making->hooks->progress)
        making->hooks->progress(making->hooks->context, &progress);
}

/* This rank's devices and a frame of its own, for strips that it computes alone. */
static enum status part_open(struct making *part, struct world *alone, struct making *making)
{
    *part = *making;
    part->settled.away = part->settled.restores = 0;
    snprintf(part->settled.transport, sizeof part->settled.transport, "%s", ROOT_ONLY_TRANSPORT);
    part->tiles = NULL;
    part->costs = NULL;
    part->tiled_rows = 0;
    part->report = (struct job_report){.rank = NULL};
    TRY(renderer_part_open(&part->renderer, alone, making->renderer));
    return renderer_prepare(part->renderer, STATUS_OK, &part->shape, ROOT_ONLY_TRANSPORT);
}

static void part_close(struct making *part, struct making *making)
{
    free(part->tiles);
    free(part->costs);
    renderer_part_close(part->renderer, making->renderer);
}

/* All strips, each by one rank. STATUS_CANNOT_CREATE: they cannot write. */
static enum status writers_make(struct making *making, struct making *part, struct world *alone)
{
    const struct settled *settled = &making->settled;
    struct renderer *renderer = making->renderer;
    struct world *world = renderer->world;
    struct writing *writing;
    struct writers writers = {.world = world,
                              .shape = {.width = settled->view.width,
                                        .height = settled->view.height,
                                        .planes = settled->spec.planes,
                                        .count_bytes = settled->spec.count_bytes},
                              .strip_rows = settled->strip_rows,
                              .rows_before = settled->rows_before,
                              .number = -1,
                              .threads = renderer->cores,
                              .stop = making->hooks ? making->hooks->stop : NULL,
                              .context = part,
                              .strip = strip_alone,
                              .look = making->look,
                              .consumer = world_rank(world) == 0 ? making->hooks->consumer : NULL,
                              .told = strip_told,
                              .told_context = making};
    for (int rank = 0; rank < world_size(world); rank++)
        if (renderer->link[rank].computes) {
            if (rank == world_rank(world))
                writers.number = writers.count;
            writers.count++;
        }
    enum status status = STATUS_OK;
    if (writers.number >= 0)
        status = part_open(part, alone, making);
    status = world_agree(world, status);
    making->writing_s = clock_s();
    if (status == STATUS_OK) {
        status = writers_open(&writing, &writers);
        if (status == STATUS_OK) {
            making->wrote = true;
            status = writers_run(writing);
        }
        writers_close(writing);
    }
    if (part->renderer)
        part_close(part, making);
    return status;
}

/* Can the ranks not write, rank 0 does. */
static enum status writers_try(struct making *making)
{
    struct making part = {.renderer = NULL};
    struct world *alone = NULL;
    TRY(world_agree(making->renderer->world, world_alone(&alone)));
    enum status status = writers_make(making, &part, alone);
    world_close(alone);
    if (status != STATUS_CANNOT_CREATE || making->wrote)
        return status;
    char text[STATUS_TEXT_BYTES + 64];
    snprintf(text, sizeof text, "rank 0 writes alone: %.900s", status_text());
    if (world_rank(making->renderer->world) == 0 && making->hooks->notice)
        making->hooks->notice(making->hooks->context, text);
    return STATUS_OK;
}

/* As large as the window before, or another frame. */
static enum status window_prepare(struct making *making, const struct estimate_window *window)
{
    struct settled *settled = &making->settled;
    bool same = window->side == settled->window_px;
    settled->window_px = window->side;
    making->strip = window_at(settled, window);
    if (same)
        return STATUS_OK;
    making->frame_rows = making->strip.height;
    making->shape.width = making->strip.width;
    making->shape.height = making->frame_rows * settled->fields;
    making->tiled_rows = making->strip.height;
    free(making->tiles);
    making->tiles = NULL;
    making->renderer->light_bytes = light_bytes(making);
    return renderer_prepare(making->renderer, tiles_make(making), &making->shape,
                            settled->transport);
}

/* Windows in turn, until rank 0 has seen enough. */
static enum status windows_run(struct making *making, struct field *field)
{
    struct world *world = making->renderer->world;
    bool root = world_rank(world) == 0;
    enum status status = STATUS_OK;
    for (;;) {
        struct estimate_window window = {.side = 0};
        double begin = clock_s();
        if (root)
            window = estimate_next(making->hooks->estimate, begin);
        TRY(world_tell(world, status, &window, sizeof window));
        if (!window.side)
            break;
        TRY(window_prepare(making, &window));
        begin = clock_s();
        status = strip_run(making, field);
        if (root && status == STATUS_OK)
            estimate_note(making->hooks->estimate, clock_s() - begin);
        status = world_agree(world, status);
    }
    jobs_begun += root ? making->jobs : 0;
    return report_rows(making);
}

static enum status strips_run(struct making *making, struct field *field)
{
    const struct settled *settled = &making->settled;
    making->begin_s = clock_s();
    enum status status = look_begin(making);
    if (status == STATUS_OK && settled->writers > 0)
        status = writers_try(making);
    if (making->wrote)
        return status == STATUS_OK ? report_rows(making) : status;
    for (int32_t y = settled->rows_before; status == STATUS_OK && y < settled->view.height;) {
        making->strip = strip_at(settled, y);
        status = strip_run(making, field);
        y += making->strip.rows;
        if (y < settled->view.height && world_lost(making->renderer->world) == STATUS_OK)
            status = world_agree(making->renderer->world, status);
    }
    if (world_rank(making->renderer->world) == 0)
        jobs_begun += making->jobs;
    return status == STATUS_OK ? report_rows(making) : status;
}

struct picture_known picture_know(const struct picture *picture, const struct picture_orbit *orbit,
                                  const volatile int *stop)
{
    struct picture_known known = {.nucleus = -1};
    struct view_numbers view;
    if (view_numbers(&picture->view, &view) != STATUS_OK)
        return known;
    if (plan_error_matters(&view, &picture->formula))
        known.error_amplification =
            plan_error_amplification(&view, &picture->formula, picture->limit, stop);
    if (orbit)
        known.nucleus = picture_orbit_nucleus(orbit, &picture->view, &view);
    return known;
}

/* What perturbation needs: the orbit of the hooks, or one of the picture's own. Rank 0. */
static enum status reference_take(struct making *making, const struct picture *picture)
{
    struct settled *settled = &making->settled;
    struct reference *reference = &making->reference;
    const struct reference_hooks hooks = reference_hooks(making->hooks);
    const struct picture_orbit *other = making->hooks ? making->hooks->orbit : NULL;
    int64_t nucleus = picture->known ? picture->known->nucleus : -1;
    double begin_s = clock_s();
    if (settled->method != METHOD_PERTURBATION)
        return STATUS_OK;
    if (!other || !picture_orbit_take(other, &picture->view, &settled->view, &settled->spec,
                                      nucleus, &reference->orbit, &settled->request))
        TRY(reference_make(reference, &picture->view, &settled->view, &settled->spec,
                           making->renderer->world, picture->orbit_cache, &hooks));
    if (!(settled->request.amplification > 0))
        TRY(reference_settle(reference, &settled->view, &settled->spec, &settled->request, &hooks));
    making->reference_s = clock_s() - begin_s;
    return STATUS_OK;
}

/* What rank 0 has computed alone goes to the memory that stays, with its caller. */
static void field_keep(const struct making *making, const struct renderer *renderer,
                       struct field *field)
{
    struct field all =
        frame_memory_field(&renderer->frame_memory, FRAME_MEMORY_PRIVATE, &making->shape);
    struct field kept =
        field_window(&all, 0, making->centres_above, all.width, making->strip.height);
    if (kept.plane[PLANE_COUNT] != field->plane[PLANE_COUNT])
        field_copy(&kept, field);
    *field = kept;
}

enum status picture_decline(struct renderer *renderer, enum status status)
{
    struct settled none = {.epoch = 0};
    return world_tell(renderer->world, status, &none, sizeof none);
}

/* Which blocks are taken. Rank 0. */
static enum status usage_survey(struct making *making, struct renderer *renderer,
                                struct block_usage *usage)
{
    const struct settled *settled = &making->settled;
    const struct reference_hooks hooks = reference_hooks(making->hooks);
    if (settled->method != METHOD_PERTURBATION)
        return STATUS_OK;
    return reference_block_usage(&making->reference, &renderer->device_set, &settled->view,
                                 &settled->spec, &settled->request, &hooks, usage);
}

/* Rank 0: all but times. */
static void report_fill(const struct making *making, int ranks, struct picture_report *report)
{
    const struct settled *settled = &making->settled;
    int32_t rows = settled->view.height - settled->rows_before;
    report->job = making->report;
    report->centres_s = making->centres_s;
    report->light = making->light;
    report->late_light = making->sampling.average;
    report->samples = rows > 0 ? making->samples_sum / rows : 1;
    if (report->plan.predicts_cost)
        report->plan.tiles = making->tile_count;
    if (settled->method == METHOD_PERTURBATION) {
        report->reference = reference_facts(making);
        plan_reached(&report->plan, settled->request.roundings_px);
    }
    for (int rank = 0; making->report.rank && rank < ranks; rank++)
        report->iterations += making->report.rank[rank].iterations;
}

/* Frees all but what the report has. `renderer`: the caller's. */
static void making_end(struct making *making, struct renderer *renderer)
{
    const struct picture_hooks *hooks = making->hooks;
    free(making->tiles);
    free(making->costs);
    root_only_close(&making->root_only);
    renderer_devices_wait(renderer);
    device_set_deep_close(&renderer->device_set);
    if (world_rank(renderer->world) == 0 && hooks && hooks->kept)
        *hooks->kept = (struct kept_reference){making->reference, making->settled.request};
    else
        reference_close(&making->reference);
}

enum status picture_render(struct renderer *renderer, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report)
{
    struct world *world = renderer->world;
    bool root = world_rank(world) == 0;
    struct field taken; /* by a consumer */
    field = field ? field : &taken;
    struct making making = {.renderer = renderer, .hooks = hooks};
    struct picture_report made = {.plan_s = 0};
    double begin_s = clock_s();

    renderer_devices_begin(renderer);
    enum status status =
        root ? settle(&making.settled, renderer, picture, hooks, &made.plan) : STATUS_OK;
    if (status == STATUS_OK && root)
        status = reference_take(&making, picture);
    status = world_tell(world, status, &making.settled, sizeof making.settled);
    if (status == STATUS_OK && making.settled.epoch == 0)
        return STATUS_OK; /* picture_decline */
    if (status == STATUS_OK)
        status = making_begin(&making);
    made.plan_s = clock_s() - begin_s;
    if (status == STATUS_OK)
        status =
            making.settled.window_px ? windows_run(&making, field) : strips_run(&making, field);
    made.compute_s = clock_s() - begin_s - made.plan_s;
    if (status == STATUS_OK && root && picture->survey)
        status = usage_survey(&making, renderer, &made.survey);
    if (root) {
        report_fill(&making, world_size(world), &made);
        *report = made;
    }
    late_centres_close(&making.centres);
    if (making.renderer != renderer) { /* whose memory may be read yet */
        background_rest(renderer->background);
        background_rest(making.renderer->background);
        bool lit = making.light || making.sampling.average; /* of one sample the centres are all */
        if (status == STATUS_OK && !(hooks && hooks->consumer) && !(picture->light_alone && lit))
            field_keep(&making, renderer, field);
    }
    making_end(&making, renderer);
    return status;
}
