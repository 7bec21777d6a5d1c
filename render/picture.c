#include "render/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "decomposition/clock.h"
#include "render/frame.h"
#include "render/memory.h"

/* What every rank needs to know of a picture. Plain data, sent by rank 0; all ranks run the same
 * program, so the bytes mean the same everywhere. */
struct order {
    uint64_t epoch;
    struct view_numbers view;
    struct spec spec;
    int32_t tile_px;
    enum tile_order tile_order;
    char schedule[16], transport[16], backend[16];
    int threads;
};

/* One rank's part in the making of one picture. */
struct making {
    struct order order;
    struct tile *tiles;
    uint32_t tile_count;
    const struct transport_kind **roads; /* [world size] */
    struct backend *backend;             /* NULL on a rank that does not compute */
    const struct picture_hooks *hooks;   /* may be NULL */
    volatile int give_up;
    struct frame frame; /* rank 0 */
};

enum status picture_plan(const struct picture *picture, int ranks, int computing_ranks,
                         struct plan_inputs *inputs, struct plan *plan)
{
    *inputs = (struct plan_inputs){.limit = picture->limit,
                                   .planes = picture->planes,
                                   .accuracy_px = picture->accuracy_px,
                                   .precision = picture->precision,
                                   .tile_px = picture->tile_px,
                                   .schedule = picture->schedule,
                                   .transport = picture->transport,
                                   .ranks = ranks,
                                   .computing_ranks = computing_ranks};
    TRY(view_numbers(&picture->view, &inputs->view));
    return plan_choose(plan, inputs);
}

enum status picture_admit(const struct plan *plan)
{
    uint64_t workers = (uint64_t)plan->computing_ranks * plan->worker_bytes;
    uint64_t needed = plan->frame_bytes + plan->road_bytes + workers;
    uint64_t there = memory_available();
    if (needed <= there / 10 * 8)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "needs %.1f GiB (frame %.1f, road home %.1f, ranks %.1f), but of the %.1f GiB "
        "free on this machine only 80 %% may be used; choose a smaller --size",
        (double)needed / 0x1p30, (double)plan->frame_bytes / 0x1p30,
        (double)plan->road_bytes / 0x1p30, (double)workers / 0x1p30, (double)there / 0x1p30);
}

static int computing_ranks(const struct world *world)
{
    return world_size(world) - !job_root_computes(world);
}

/* Threads for this rank when none were asked for: cores that nobody else of this job uses. A rank
 * that its launcher has bound to some cores takes those; unbound ones share the machine. */
static int threads_fair(const struct world *world)
{
    int usable = backend_cores_usable();
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int ranks = world_node_size(world) - (world_beside_root(world) && !job_root_computes(world));
    int share = usable < online || ranks < 1 ? usable : usable / ranks;
    return share < 1 ? 1 : share;
}

/* Rank 0: everything that can go wrong before the ranks are told. */
static enum status order_make(struct order *order, struct world *world,
                              const struct picture *picture, struct plan *plan)
{
    static uint64_t epoch;
    struct plan_inputs inputs;
    TRY(picture_plan(picture, world_size(world), computing_ranks(world), &inputs, plan));
    TRY(picture_admit(plan));
    *order = (struct order){.epoch = ++epoch,
                            .view = inputs.view,
                            .spec = {.limit = picture->limit,
                                     .bailout = picture->bailout,
                                     .planes = picture->planes,
                                     .count_bytes = plan->count_bytes,
                                     .number = plan->number,
                                     .shortcuts = picture->shortcuts},
                            .tile_px = plan->tile_px,
                            .tile_order = plan->order,
                            .threads = picture->threads};
    snprintf(order->schedule, sizeof order->schedule, "%s", plan->schedule);
    snprintf(order->transport, sizeof order->transport, "%s", plan->transport);
    snprintf(order->backend, sizeof order->backend, "%s", picture->backend);
    return STATUS_OK;
}

/* Rank 0's order to every rank. */
static enum status order_share(struct order *order, struct world *world)
{
    void *bytes = order;
    size_t length = sizeof *order;
    TRY(world_share(world, &bytes, &length));
    if (bytes == order)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (length == sizeof *order)
        memcpy(order, bytes, length);
    else
        status = status_fail(STATUS_INTERNAL,
                             "an order of %zu bytes came, %zu were expected: are "
                             "all ranks running the same program?",
                             length, sizeof *order);
    free(bytes);
    return status;
}

static enum status roads_lay(struct making *making, const struct world *world)
{
    making->roads = calloc((size_t)world_size(world), sizeof *making->roads);
    if (!making->roads)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of ranks");
    for (int rank = 0; rank < world_size(world); rank++)
        making->roads[rank] = transport_named(making->order.transport);
    return STATUS_OK;
}

/* Tiles, roads, device and, on rank 0, the frame. */
static enum status making_begin(struct making *making, struct world *world)
{
    const struct order *order = &making->order;
    TRY(tiles_cut(&making->tiles, &making->tile_count, order->view.width, order->view.height,
                  order->tile_px, order->tile_order));
    TRY(roads_lay(making, world));
    if (world_rank(world) > 0 || job_root_computes(world)) {
        struct backend_options options = {.threads =
                                              order->threads ? order->threads : threads_fair(world),
                                          .stop = &making->give_up};
        TRY(backend_open(&making->backend, order->backend, &options));
    }
    if (world_rank(world) > 0)
        return STATUS_OK;
    return frame_create(&making->frame, order->view.width, order->view.height, order->spec.planes,
                        order->spec.count_bytes, making->tile_count);
}

static void making_end(struct making *making)
{
    frame_destroy(&making->frame);
    backend_close(making->backend);
    free(making->roads);
    free(making->tiles);
}

static enum status compute_tile(void *context, int lane, const struct tile *tile, struct field *out,
                                uint64_t *iterations)
{
    struct making *making = context;
    (void)lane;
    struct backend_work work = {0};
    struct grid grid = view_grid(&making->order.view, tile->x, tile->y, tile->width, tile->height);
    TRY(backend_compute(making->backend, &making->order.spec, &grid, out, &work));
    *iterations += work.iterations;
    return STATUS_OK;
}

static enum status tile_home(void *context, uint32_t number)
{
    struct making *making = context;
    return frame_home(&making->frame, number);
}

static void show_progress(void *context, const struct job_progress *progress)
{
    struct making *making = context;
    making->hooks->progress(making->hooks->context, progress);
}

static enum status tiles_run(struct making *making, struct world *world, struct job_report *report)
{
    struct job job = {.epoch = making->order.epoch,
                      .tiles = making->tiles,
                      .tile_count = making->tile_count,
                      .planes = making->order.spec.planes,
                      .count_bytes = making->order.spec.count_bytes,
                      .schedule = schedule_named(making->order.schedule),
                      .roads = making->roads,
                      .frame = making->frame.field,
                      .lanes = making->backend ? 1 : 0,
                      .credits = making->backend ? 2 : 0,
                      .context = making,
                      .compute = compute_tile,
                      .home = tile_home,
                      .progress = making->hooks && making->hooks->progress ? show_progress : NULL,
                      .stop = making->hooks ? making->hooks->stop : NULL,
                      .give_up = &making->give_up};
    TRY(job_run(world, &job, report));
    if (world_rank(world) == 0 && making->frame.tiles_missing)
        return status_fail(STATUS_INTERNAL, "the job ended with %u tiles missing",
                           making->frame.tiles_missing);
    return STATUS_OK;
}

static void report_field(struct picture_report *report, const struct field *field)
{
    report->pixels = (uint64_t)field->width * (uint64_t)field->height;
    for (size_t i = 0; i < report->pixels; i++)
        report->interior += field_count_at(field, i) == 0;
    for (int p = 0; p < PLANES; p++)
        if (field->plane[p])
            report->checksum[p] = XXH3_64bits(
                field->plane[p],
                report->pixels * element_bytes(plane_element((enum plane)p, field->count_bytes)));
}

/* The device of the first rank that computes, for the report. */
static enum status report_device(struct picture_report *report, struct world *world,
                                 const struct backend *backend)
{
    struct device {
        char name[16];
        int threads;
    } mine = {.name = ""}, *all;
    all = calloc((size_t)world_size(world), sizeof *all);
    enum status status =
        all ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a report of the ranks");
    status = world_agree(world, status);
    if (status == STATUS_OK && backend) {
        snprintf(mine.name, sizeof mine.name, "%s", backend_kind_of(backend)->name);
        mine.threads = backend_threads(backend);
    }
    if (status == STATUS_OK)
        status = world_gather(world, &mine, sizeof mine, all);
    for (int rank = world_size(world) - 1; status == STATUS_OK && report && rank >= 0; rank--)
        if (all[rank].threads) {
            snprintf(report->backend, sizeof report->backend, "%s", all[rank].name);
            report->threads = all[rank].threads;
        }
    free(all);
    return status;
}

enum status picture_render(struct world *world, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report)
{
    struct making making = {.hooks = hooks};
    struct plan plan = {0};
    struct job_report job = {0};
    int root = world_rank(world) == 0;
    double begin = clock_s();
    enum status status = STATUS_OK;

    if (root)
        status = order_make(&making.order, world, picture, &plan);
    status = world_agree(world, status);
    if (status == STATUS_OK)
        status = world_agree(world, order_share(&making.order, world));
    if (status == STATUS_OK)
        status = world_agree(world, making_begin(&making, world));
    if (status == STATUS_OK)
        status = report_device(root ? report : NULL, world, making.backend);
    double planned = clock_s();
    if (status == STATUS_OK)
        status = tiles_run(&making, world, root ? &job : NULL);
    status = world_agree(world, status);
    if (root) {
        report->plan = plan;
        report->job = job;
        report->plan_s = planned - begin;
        report->compute_s = clock_s() - planned;
        for (int rank = 0; job.rank && rank < world_size(world); rank++)
            report->iterations += job.rank[rank].iterations;
    }
    if (root && status == STATUS_OK) {
        *field = frame_take_field(&making.frame);
        report_field(report, field);
    }
    making_end(&making);
    return status;
}

void picture_report_destroy(struct picture_report *report)
{
    free(report->job.rank);
    report->job.rank = NULL;
}
