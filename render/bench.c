#include "render/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "kernels/backend.h"
#include "render/view.h"

struct bench_view {
    const char *name;
    const char *re, *im, *zoom;
    int32_t width, height;
    int64_t limit;
    enum number number;
    double allowed_iterations; /* 0: `allowed_ratio` times as many as the picture takes */
    double allowed_ratio;      /* 0 too: there is no goal */
};

/* The interior view lies in the period-3 bulb where a round trip shrinks by 0.999 only: no interior
 * test covers the bulb, and Brent's comparison does not close within the limit. */
static const struct bench_view views[] = {
    {"interior only", "-0.037025667466868806", "0.7788796699113392", "4e6", 480, 270, 20000,
     NUMBER_FP64, 0, 1 / 0.85},
    {"interior only", "-0.037025667466868806", "0.7788796699113392", "4e6", 480, 270, 20000,
     NUMBER_FP32, 0, 1 / 0.85},
    {"whole set", "-0.75", "0", "1.58", 1920, 1080, 1000, NUMBER_FP64, 0.5e9, 0},
    {"whole set", "-0.75", "0", "1.58", 1920, 1080, 50000, NUMBER_FP64, 0.5e9, 0},
    {"seahorse 5.7e-10", "-0.743643887037158704752191506114774",
     "0.131825904205311970493132056385139", "7e9", 1920, 1080, 20000, NUMBER_FP64, 0, 1.6},
    {"minibrot, 61 % in", "-0.7436423016578459", "0.1318265198125947", "1800281.3", 960, 540, 50000,
     NUMBER_FP64, 0, 0},
};

#define CEILING_S \
    0.01 /* long enough to be timed, short enough to be close to the picture in time */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* One picture, `repeats` times, each between two measurements of the ceiling. */
static enum status view_measure(const struct bench_view *view, struct backend *backend, int repeats,
                                const struct grid *grid, struct field *field, double *times,
                                double *ratios, struct bench_device *device, struct bench_row *row)
{
    struct spec spec = {view->limit,        1024,         field->planes,
                        field->count_bytes, view->number, SHORTCUTS_ON};
    double before = backend_ceiling(backend, view->number, CEILING_S);
    for (int r = 0; r < repeats; r++) {
        struct backend_work work = {0};
        double begin = clock_s();
        TRY(backend_compute(backend, &spec, grid, field, &work));
        times[r] = clock_s() - begin;
        double after = backend_ceiling(backend, view->number, CEILING_S);
        double ceiling = (before + after) / 2;
        ratios[r] = (double)work.iterations / times[r] / ceiling;
        if (ceiling > device->ceiling[view->number])
            device->ceiling[view->number] = ceiling;
        row->iterations = work.iterations;
        before = after;
    }
    double allowed = view->allowed_iterations > 0 ? view->allowed_iterations
                                                  : view->allowed_ratio * (double)row->iterations;
    row->seconds = median(times, repeats);
    row->of_ceiling = median(ratios, repeats);
    row->allowed_iterations = allowed;
    row->of_allowed = allowed > 0 ? (double)row->iterations / row->of_ceiling / allowed : 0;
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
    double *times = calloc(2 * (size_t)repeats, sizeof *times);
    enum status status =
        times ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for times");
    if (status == STATUS_OK)
        status = view_set(&where, view->re, view->im, view->zoom, 0, view->width, view->height);
    if (status == STATUS_OK)
        status = view_numbers(&where, &numbers);
    if (status == STATUS_OK)
        status = field_create(&field, view->width, view->height,
                              PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4);
    if (status == STATUS_OK) {
        struct grid grid = view_grid(&numbers, 0, 0, view->width, view->height);
        status = view_measure(view, backend, repeats, &grid, &field, times, times + repeats, device,
                              row);
    }
    field_destroy(&field);
    view_destroy(&where);
    free(times);
    return status;
}

enum status bench_direct(const struct bench_options *options, struct bench_device *device,
                         void (*row)(void *context, const struct bench_row *row), void *context)
{
    struct backend *backend;
    struct backend_options opening = {.threads = options->threads, .stop = options->stop};
    TRY(backend_open(&backend, options->backend, &opening));
    *device = (struct bench_device){.threads = backend_threads(backend)};
    snprintf(device->backend, sizeof device->backend, "%s", backend_kind_of(backend)->name);
    for (int n = 0; n < NUMBERS; n++)
        device->ceiling[n] = backend_ceiling(backend, (enum number)n, 10 * CEILING_S);
    enum status status = STATUS_OK;
    for (size_t v = 0; status == STATUS_OK && v < sizeof views / sizeof views[0]; v++) {
        struct bench_row line;
        status = view_bench(&views[v], backend, options->repeats, device, &line);
        if (status == STATUS_OK)
            row(context, &line);
    }
    backend_close(backend);
    return status;
}
