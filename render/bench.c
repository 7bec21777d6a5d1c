#include "render/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "kernels/backend.h"
#include "render/sorted.h"
#include "render/view.h"

struct bench_view {
    const char *name;
    const char *re, *im, *zoom;
    int32_t width, height;
    int64_t limit;
    enum number number;
    /* The goal is one of these, or there is none. */
    double allowed_iterations; /* at the ceiling */
    double allowed_ratio;      /* times as many as the picture takes, at the ceiling */
    double allowed_ms;         /* until the picture is in host memory */
    double least_of_limit;     /* of what the device can issue, while its kernels run */
    enum shortcuts shortcuts;
    unsigned planes; /* 0: those of the device's other rows */
};

/* The interior view lies in the period-3 bulb where a round trip shrinks by 0.999 only: no interior
 * test covers the bulb, and Brent's comparison does not close within the limit. */
#define BULB_RIM "-0.037025667466868806", "0.7788796699113392", "4e6"
#define SEAHORSE "-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"
#define MINIBROT "-0.7436423016578459", "0.1318265198125947", "1800281.2939521800"
#define WHOLE_SET "-0.75", "0", "1.580246913580247"

#define EVERY_PLANE ((1u << PLANES) - 1) /* also distances and phases */

static const struct bench_view views[] = {
    {"interior only", BULB_RIM, 480, 270, 20000, NUMBER_FP64, .allowed_ratio = 1 / 0.85},
    {"interior only", BULB_RIM, 480, 270, 20000, NUMBER_FP32, .allowed_ratio = 1 / 0.85},
    {"whole set", WHOLE_SET, 1920, 1080, 1000, NUMBER_FP64, .allowed_iterations = 0.5e9},
    {"whole set", WHOLE_SET, 1920, 1080, 50000, NUMBER_FP64, .allowed_iterations = 0.5e9},
    {"seahorse 5.7e-10", SEAHORSE, "7e9", 1920, 1080, 20000, NUMBER_FP64, .allowed_ratio = 1.6},
    {"minibrot, 61 % in", MINIBROT, 960, 540, 50000, NUMBER_FP64, .allowed_ms = 0},
    {"whole set, planes", WHOLE_SET, 1920, 1080, 1000, NUMBER_FP64, .planes = EVERY_PLANE},
    {"seahorse, planes", SEAHORSE, "7e9", 1920, 1080, 20000, NUMBER_FP64, .planes = EVERY_PLANE},
};

static const struct bench_view wide_views[] = {
    /* Proofs do end the rim of the bulb on a GPU; this is about the steps. */
    {"interior only", BULB_RIM, 3840, 2160, 20000, NUMBER_FP64, .least_of_limit = 0.92,
     .shortcuts = SHORTCUTS_OFF},
    {"interior only", BULB_RIM, 3840, 2160, 20000, NUMBER_FP32, .least_of_limit = 0.88,
     .shortcuts = SHORTCUTS_OFF},
    {"whole set", WHOLE_SET, 3840, 2160, 1000, NUMBER_FP64, .allowed_ms = 1},
    {"whole set", WHOLE_SET, 3840, 2160, 50000, NUMBER_FP64, .allowed_ms = 3},
    {"seahorse 1e-6", "-0.743643887037151", "0.131825904205330", "7111111.111111111", 3840, 2160,
     20000, NUMBER_FP64, .allowed_ms = 32},
    {"minibrot, 61 % in", MINIBROT, 3840, 2160, 50000, NUMBER_FP64, .allowed_ms = 25},
    {"seahorse 5.7e-10", SEAHORSE, "7111111111.111111", 3840, 2160, 20000, NUMBER_FP64,
     .allowed_ms = 0},
    {"whole set, planes", WHOLE_SET, 3840, 2160, 1000, NUMBER_FP64, .planes = EVERY_PLANE},
    {"seahorse, planes", SEAHORSE, "7111111111.111111", 3840, 2160, 20000, NUMBER_FP64,
     .planes = EVERY_PLANE},
};

#define CEILING_S \
    0.01 /* long enough to be timed, short enough to be close to the picture in time */

enum { TIMES, KERNELS, RATIOS, SERIES };

/* What is measured `repeats` times. */
struct bench_series {
    int repeats;
    double *value[SERIES]; /* [repeats]; one block */
};

static void row_judge(const struct bench_view *view, const struct bench_device *device,
                      struct bench_series *series, struct bench_row *row)
{
    double iterations = (double)row->iterations, limit = device->facts.limit[view->number];
    row->seconds = median(series->value[TIMES], series->repeats);
    row->kernel_s = median(series->value[KERNELS], series->repeats);
    row->of_ceiling = median(series->value[RATIOS], series->repeats);
    row->of_limit = row->kernel_s > 0 && limit > 0 ? iterations / row->kernel_s / limit : 0;
    row->allowed_iterations =
        view->allowed_iterations > 0 ? view->allowed_iterations : view->allowed_ratio * iterations;
    if (row->allowed_iterations > 0)
        row->of_allowed = iterations / row->of_ceiling / row->allowed_iterations;
    if (view->allowed_ms > 0)
        row->of_allowed = 1e3 * row->seconds / view->allowed_ms;
    if (view->least_of_limit > 0 && row->of_limit > 0)
        row->of_allowed = view->least_of_limit / row->of_limit;
}

/* One picture, `repeats` times, each between two measurements of the ceiling. The first run, which
 * warms caches and finds out how long slices may be, does not count. */
static enum status view_measure(const struct bench_view *view, struct backend *backend,
                                const struct grid *grid, struct field *field,
                                struct bench_series *series, struct bench_device *device,
                                struct bench_row *row)
{
    struct spec spec = {.limit = view->limit,
                        .bailout = 1024,
                        .planes = field->planes,
                        .count_bytes = field->count_bytes,
                        .number = view->number,
                        .shortcuts = view->shortcuts};
    struct backend_work warm = {0};
    if (device->wide)
        TRY(backend_compute(backend, &spec, grid, field, &warm));
    double before = backend_ceiling(backend, view->number, CEILING_S);
    for (int r = 0; r < series->repeats; r++) {
        struct backend_work work = {0};
        double begin = clock_s();
        TRY(backend_compute(backend, &spec, grid, field, &work));
        double time_s = clock_s() - begin;
        double after = backend_ceiling(backend, view->number, CEILING_S);
        double ceiling = (before + after) / 2;
        series->value[TIMES][r] = time_s;
        series->value[KERNELS][r] = work.kernel_s;
        series->value[RATIOS][r] = (double)work.iterations / time_s / ceiling;
        if (ceiling > device->ceiling[view->number])
            device->ceiling[view->number] = ceiling;
        row->iterations = work.iterations;
        before = after;
    }
    row_judge(view, device, series, row);
    return STATUS_OK;
}

/* The picture's memory: what the device reaches fast. */
static enum status field_make(struct field *field, struct backend *backend,
                              const struct bench_view *view)
{
    const struct backend_memory *memory = backend_kind_of(backend)->memory;
    unsigned planes = view->planes ? view->planes
                      : memory     ? PLANE_MASK_COUNT
                                   : PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    if (!memory)
        return field_create(field, view->width, view->height, planes, 4);
    void *base;
    size_t bytes;
    TRY(field_bytes(view->width, view->height, planes, 4, &bytes));
    TRY(memory->host_create(backend, bytes, &base));
    field_over(field, view->width, view->height, planes, 4, base);
    return STATUS_OK;
}

static void field_unmake(struct field *field, struct backend *backend)
{
    const struct backend_memory *memory = backend_kind_of(backend)->memory;
    if (memory)
        memory->host_destroy(backend, field->base);
    else
        field_destroy(field);
}

static enum status series_create(struct bench_series *series, int repeats)
{
    size_t n = (size_t)repeats;
    *series =
        (struct bench_series){.repeats = repeats, .value[0] = calloc(SERIES * n, sizeof(double))};
    if (!series->value[0])
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for times");
    for (int s = 1; s < SERIES; s++)
        series->value[s] = series->value[0] + (size_t)s * n;
    return STATUS_OK;
}

static enum status view_bench(const struct bench_view *view, struct backend *backend, int repeats,
                              struct bench_device *device, struct bench_row *row)
{
    *row = (struct bench_row){.name = view->name,
                              .width = view->width,
                              .height = view->height,
                              .limit = view->limit,
                              .number = view->number};
    struct view where = {0};
    struct view_numbers numbers;
    struct field field = {0};
    struct bench_series series;
    enum status status = series_create(&series, repeats);
    if (status == STATUS_OK)
        status = view_set(&where, view->re, view->im, view->zoom, 0, view->width, view->height);
    if (status == STATUS_OK)
        status = view_numbers(&where, &numbers);
    if (status == STATUS_OK)
        status = field_make(&field, backend, view);
    if (status == STATUS_OK) {
        struct grid grid = view_grid(&numbers, 0, 0, view->width, view->height);
        status = view_measure(view, backend, &grid, &field, &series, device, row);
    }
    field_unmake(&field, backend);
    view_destroy(&where);
    free(series.value[0]);
    return status;
}

static enum status device_describe(struct bench_device *device, struct backend *backend)
{
    const struct backend_kind *kind = backend_kind_of(backend);
    *device = (struct bench_device){.threads = backend_threads(backend), .wide = kind->memory};
    snprintf(device->backend, sizeof device->backend, "%s", kind->name);
    TRY(kind->facts(backend_device(backend), &device->facts));
    for (int n = 0; n < NUMBERS; n++)
        device->ceiling[n] = backend_ceiling(backend, (enum number)n, 10 * CEILING_S);
    return STATUS_OK;
}

enum status bench_direct(const struct bench_options *options, struct bench_device *device,
                         void (*row)(void *context, const struct bench_row *row), void *context)
{
    struct backend *backend;
    struct backend_options opening = {
        .device = options->device, .threads = options->threads, .stop = options->stop};
    TRY(backend_open(&backend, options->backend, &opening));
    enum status status = device_describe(device, backend);
    const struct bench_view *list = device->wide ? wide_views : views;
    size_t count =
        device->wide ? sizeof wide_views / sizeof *wide_views : sizeof views / sizeof *views;
    for (size_t v = 0; status == STATUS_OK && v < count; v++) {
        struct bench_row line;
        status = view_bench(&list[v], backend, options->repeats, device, &line);
        if (status == STATUS_OK)
            row(context, &line);
    }
    backend_close(backend);
    return status;
}
