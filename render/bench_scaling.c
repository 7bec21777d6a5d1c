#include "render/bench_studio.h"

#include <stdlib.h>
#include <string.h>

#include "render/picture.h"

struct scaling_view {
    const char *name, *re, *im, *zoom;
    int32_t width, height;
    int64_t limit;
};

#define SEAHORSE "-0.743643887037151", "0.131825904205330"

/* For GPUs: a view three quarters inside, at two sizes; one without interior; one so cheap that
 * only latency is left. */
static const struct scaling_view wide_views[] = {
    {"seahorse 1e-6", SEAHORSE, "7111111.111111111", 3840, 2160, 20000},
    {"seahorse 1e-6", SEAHORSE, "7111111.111111111", 7680, 4320, 20000},
    {"seahorse 1e-9", SEAHORSE, "7111111111.111111", 3840, 2160, 20000},
    {"whole set", "-0.75", "0", "1.580246913580247", 3840, 2160, 50000},
};

static const struct scaling_view views[] = {
    {"seahorse 1e-6", SEAHORSE, "7111111.111111111", 640, 360, 20000},
    {"seahorse 1e-9", SEAHORSE, "7111111111.111111", 960, 540, 20000},
    {"whole set", "-0.75", "0", "1.580246913580247", 1920, 1080, 50000},
};

/* What one picture took, on rank 0. */
struct sample {
    double seconds, idle, compute_s;
    uint64_t iterations, bytes;
    uint32_t tiles;
};

static int sample_compare(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static struct sample sample_of(const struct picture_report *report, int ranks)
{
    struct sample sample = {.seconds = report->compute_s,
                            .iterations = report->iterations,
                            .tiles = report->plan.tiles,
                            .bytes = report->plan.frame_bytes};
    double busy = 0, wait = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const struct job_rank *row = &report->job.rank[rank];
        busy += row->busy_s;
        wait += row->wait_s;
        if (row->lanes && row->busy_s / row->lanes > sample.compute_s)
            sample.compute_s = row->busy_s / row->lanes;
    }
    sample.idle = busy + wait > 0 ? wait / (busy + wait) : 0;
    return sample;
}

/* One picture; on ranks > 0 only `studio` counts. */
static enum status picture_time(struct studio *studio, const struct picture *picture,
                                const struct bench_calls *calls, struct sample *sample)
{
    bool root = world_rank(studio->world) == 0;
    struct picture_hooks hooks = {.stop = calls ? calls->stop : NULL};
    struct picture_report report = {.iterations = 0};
    struct field field;
    TRY(world_agree(studio->world,
                    picture_render(studio, root ? picture : NULL, &hooks, &field, &report)));
    if (root)
        *sample = sample_of(&report, world_size(studio->world));
    picture_report_destroy(&report);
    return STATUS_OK;
}

/* The first picture, which opens devices and pins memory, does not count. */
static enum status view_run(struct studio *studio, const struct picture *picture,
                            const struct bench_calls *calls, int repeats, struct sample *middle)
{
    struct sample *samples = calloc((size_t)repeats, sizeof *samples);
    enum status status = world_agree(
        studio->world,
        samples ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d times", repeats));
    if (status == STATUS_OK)
        status = picture_time(studio, picture, calls, &samples[0]);
    for (int i = 0; status == STATUS_OK && i < repeats; i++)
        status = picture_time(studio, picture, calls, &samples[i]);
    if (status == STATUS_OK && world_rank(studio->world) == 0) {
        qsort(samples, (size_t)repeats, sizeof *samples, sample_compare);
        *middle = samples[repeats / 2];
    }
    free(samples);
    return status;
}

static enum status view_scale(struct studio *studio, const struct scaling_view *view,
                              const struct bench_calls *calls, int repeats)
{
    struct picture picture = {.limit = view->limit,
                              .bailout = 1024,
                              .planes = PLANE_MASK_COUNT,
                              .accuracy_px = PLAN_ERROR_MAX_PX, /* direct iteration */
                              .precision = PRECISION_FP64,
                              .tile_px = calls ? calls->tile_px : 0,
                              .schedule = "auto",
                              .transport = "auto"};
    double one_s = 0;
    int all = studio->facts.devices;
    enum status status =
        view_set(&picture.view, view->re, view->im, view->zoom, 0, view->width, view->height);
    status = world_agree(studio->world, status);
    for (int devices = 1; status == STATUS_OK && devices <= all;
         devices = devices < all && 2 * devices > all ? all : 2 * devices) {
        struct sample middle = {.seconds = 0};
        studio->active = devices;
        status = view_run(studio, &picture, calls, repeats, &middle);
        if (status != STATUS_OK || !calls)
            continue;
        one_s = devices == 1 ? middle.seconds : one_s;
        struct scaling_row row = {.name = view->name,
                                  .width = view->width,
                                  .height = view->height,
                                  .limit = view->limit,
                                  .devices = devices,
                                  .seconds = middle.seconds,
                                  .speedup = one_s / middle.seconds,
                                  .idle = middle.idle,
                                  .compute_s = middle.compute_s,
                                  .iterations = middle.iterations,
                                  .bytes = middle.bytes,
                                  .tiles = middle.tiles};
        calls->scaling(calls->context, &row);
    }
    studio->active = all;
    view_destroy(&picture.view);
    return status;
}

enum status bench_scaling(struct studio *studio, const struct bench_calls *calls, int repeats)
{
    bool wide = studio->facts.gpus > 0;
    const struct scaling_view *list = wide ? wide_views : views;
    size_t count = wide ? sizeof wide_views / sizeof *wide_views : sizeof views / sizeof *views;
    for (size_t v = 0; v < count; v++)
        TRY(view_scale(studio, &list[v], calls, repeats));
    return STATUS_OK;
}
