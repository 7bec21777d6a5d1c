/* Suite deep: times until counts and fractions are in host memory that the device reaches fast. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/bench/deep_measure.h"
#include "app/process/stop.h"
#include "decomposition/thread/clock.h"
#include "kernels/deep/deep.h"
#include "render/device/device_set.h"
#include "render/plan/plan.h"
#include "render/plan/sorted.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

enum { REPEATS_MOST = 11, REFERENCE_BAILOUTS = 100 };
#define REPEATS_S 0.5 /* a measurement is not repeated once it has taken so long in all */

/* Unless --size says otherwise: for CPUs; for GPUs, one after the other, or in JSON the second. */
static const int32_t cpu_size[] = {512, 288}, gpu_sizes[][2] = {{1024, 1024}, {3840, 2160}};

struct measured { /* one place */
    struct bench_deep_with with;
    struct view view;
    struct view_numbers numbers;
    struct spec spec;
    struct orbit orbit;
    struct field field;
    double epsilon;
};

struct times {
    double s[REPEATS_MOST], sum;
    int count;
};

static void times_add(struct times *times, double seconds)
{
    times->s[times->count++] = seconds;
    times->sum += seconds;
}

static bool times_wanted(const struct times *times)
{
    return times->count < REPEATS_MOST && times->sum < REPEATS_S;
}

enum status bench_deep_orbit(const struct view *view, const struct view_numbers *numbers,
                             const struct spec *spec, int threads, struct orbit *orbit)
{
    double half = log2(hypot(view->width, view->height) / 2);
    struct orbit_options options = {.formula = spec->formula,
                                    .log2_step = numbers->log2_step,
                                    .radius = REFERENCE_BAILOUTS * spec->bailout,
                                    .log2_disc = numbers->log2_step + half,
                                    .threads = threads,
                                    .stop = &stop_requested};
    orbit_destroy(orbit);
    TRY(orbit_bits(numbers->log2_step, spec->limit, &options.bits));
    if (!formula_holomorphic(&spec->formula))
        options.bits += ORBIT_FOLD_BITS;
    TRY(orbit_create(orbit, &options, view->re, view->im));
    return orbit_extend(orbit, spec->limit);
}

static enum status reference_time(struct measured *m, struct bench_deep_row *row)
{
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        double begin = clock_s();
        TRY(bench_deep_orbit(&m->view, &m->numbers, &m->spec, m->with.threads, &m->orbit));
        times_add(&times, clock_s() - begin);
    }
    row->reference_s = median(times.s, times.count);
    row->reference_steps = m->orbit.length - 1;
    row->reference_bytes = (size_t)m->orbit.length * sizeof *m->orbit.z;
    return STATUS_OK;
}

static enum status table_time(const struct measured *m, const struct grid *grid,
                              struct bench_deep_row *row)
{
    struct deep_options options = {
        .blocks = BLOCKS_QUARTIC, .epsilon = m->epsilon, .stop = &stop_requested};
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        device_set_deep_close(m->with.device_set);
        double begin = clock_s();
        TRY(device_set_deep_open(m->with.device_set, &options, &m->orbit, &m->spec, grid));
        times_add(&times, clock_s() - begin);
    }
    row->table_s = median(times.s, times.count);
    row->table_bytes = device_set_deep_bytes(m->with.device_set);
    return STATUS_OK;
}

/* Device `part` of `parts` takes every parts-th band. */
static enum status part_compute(const struct measured *m, const struct grid *whole, int part,
                                int parts, uint64_t *steps)
{
    struct grid grid = *whole;
    int32_t step = GRID_BAND * parts, y = GRID_BAND * part, left = whole->height - y;
    if (left <= 0)
        return STATUS_OK;
    int32_t rest = left % step < GRID_BAND ? left % step : GRID_BAND;
    grid.y = y;
    grid.height = left / step * GRID_BAND + rest;
    grid.band = GRID_BAND;
    grid.band_step = step;
    struct field window = field_interleaved(&m->field, y, grid.height, GRID_BAND, step);
    return device_set_deep_compute(m->with.device_set, part, &m->spec, &grid, &window, steps);
}

static enum status all_compute(const struct measured *m, const struct grid *whole, uint64_t *steps)
{
    int parts = m->with.device_set->devices;
    enum status worst = STATUS_OK;
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        uint64_t mine = 0;
        enum status status = part_compute(m, whole, part, parts, &mine);
#pragma omp critical(bench_deep)
        {
            *steps += mine;
            worst = status != STATUS_OK ? status : worst;
        }
    }
    return worst == STATUS_OK ? STATUS_OK : status_fail(worst, "a device failed in a benchmark");
}

static enum status one_compute(const struct measured *m, const struct grid *whole, uint64_t *steps)
{
    struct field field = m->field;
    return device_set_deep_compute(m->with.device_set, 0, &m->spec, whole, &field, steps);
}

static enum status pixels_time(const struct measured *m, const struct grid *grid,
                               enum status (*compute)(const struct measured *, const struct grid *,
                                                      uint64_t *),
                               double *seconds, uint64_t *steps)
{
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        *steps = 0;
        double begin = m->with.clock();
        TRY(compute(m, grid, steps));
        times_add(&times, m->with.clock() - begin);
    }
    *seconds = median(times.s, times.count);
    return STATUS_OK;
}

static enum status devices_measure(struct measured *m, const struct grid *grid,
                                   struct bench_deep_row *row)
{
    uint64_t steps = 0;
    TRY(table_time(m, grid, row));
    TRY(pixels_time(m, grid, one_compute, &row->pixels_s, &steps));
    row->steps_px = (double)steps / grid->width / grid->height;
    row->steps_per_s = (double)steps / row->pixels_s;
    if (m->with.device_set->devices > 1)
        TRY(pixels_time(m, grid, all_compute, &row->pixels_all_s, &steps));
    return STATUS_OK;
}

static enum status place_measure(struct measured *m, struct bench_deep_row *row)
{
    struct grid grid = reference_grid(&m->numbers, 0, 0, m->view.width, m->view.height);
    size_t bytes;
    m->epsilon = deep_epsilon(m->with.accuracy_px / reference_exactness(&m->spec.formula), &grid);
    TRY(field_bytes(grid.width, grid.height, m->spec.planes, m->spec.count_bytes, &bytes));
    void *block = device_set_block_take(m->with.device_set, MEMORY_HOST, bytes);
    if (!block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu bytes", bytes);
    field_over(&m->field, grid.width, grid.height, m->spec.planes, m->spec.count_bytes, block);
    enum status status = reference_time(m, row);
    if (status == STATUS_OK)
        status = devices_measure(m, &grid, row);
    device_set_deep_close(m->with.device_set);
    device_set_block_give(m->with.device_set, block);
    return status;
}

static const struct bench_field fields[] = {
    {"place", "place", -7, 0, 1, ""},
    {"limit", NULL, 0, 0, 1, ""},
    {"reference_steps", NULL, 0, 0, 1, ""},
    {"reference_bytes", NULL, 0, 0, 1, ""},
    {"reference_s", "reference ms", 12, 1, 1e3, ""},
    {"table_s", "table ms", 9, 2, 1e3, ""},
    {"table_bytes", "table MB", 9, 2, 1e-6, ""},
    {"pixels_s", "pixels ms", 10, 2, 1e3, ""},
    {"pixels_all_s", "all GPUs", 10, 2, 1e3, ""},
    {NULL, "total ms", 9, 1, 1e3, ""},
    {"steps_px", "steps/px", 9, 1, 1, ""},
    {"steps_per_s", "M steps/s", 10, 1, 1e-6, ""},
    {"epsilon", NULL, 0, 0, 1, ""},
    {NULL, "log2 eps.", 9, 1, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void row_tell(struct bench_table *table, const struct deep_place *place,
                     const struct bench_deep_row *row)
{
    bench_table_row(table, (struct bench_cell[FIELDS]){
                               {.text = place->name},
                               {.number = (double)place->limit},
                               {.number = (double)row->reference_steps},
                               {.number = (double)row->reference_bytes},
                               {.number = row->reference_s},
                               {.number = row->table_s},
                               {.number = (double)row->table_bytes},
                               {.number = row->pixels_s},
                               {.number = row->pixels_all_s > 0 ? row->pixels_all_s : NAN},
                               {.number = row->reference_s + row->table_s + row->pixels_s},
                               {.number = row->steps_px},
                               {.number = row->steps_per_s},
                               {.number = row->epsilon},
                               {.number = log2(row->epsilon)},
                           });
}

struct spec bench_deep_spec(const struct deep_place *place, const struct formula *formula,
                            enum number number)
{
    return (struct spec){.limit = place->limit,
                         .bailout = 1024,
                         .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                         .count_bytes = 4,
                         .number = number,
                         .formula = *formula};
}

enum status bench_deep_measure(const struct bench_deep_with *with, const struct deep_place *place,
                               const struct formula *formula, const int32_t *size,
                               struct bench_deep_row *row)
{
    struct measured m = {.with = *with};
    m.spec = bench_deep_spec(place, formula, with->number);
    *row = (struct bench_deep_row){.pixels_all_s = 0};
    enum status status = view_set(&m.view, place->re, place->im, place->zoom, 0, size[0], size[1]);
    if (status == STATUS_OK)
        status = view_numbers(&m.view, &m.numbers);
    if (status == STATUS_OK)
        status = place_measure(&m, row);
    row->epsilon = m.epsilon;
    orbit_destroy(&m.orbit);
    view_destroy(&m.view);
    return status;
}

static enum status place_run(struct bench_table *table, const struct bench_deep_with *with,
                             const struct deep_place *place, const int32_t *size)
{
    const struct formula quadratic = {.step = STEP_mandelbrot};
    struct bench_deep_row row;
    TRY(bench_deep_measure(with, place, &quadratic, size, &row));
    row_tell(table, place, &row);
    return STATUS_OK;
}

static enum status size_run(const struct invocation *invocation, const struct bench_deep_with *with,
                            const int32_t *size)
{
    struct bench_table table;
    enum status status = STATUS_OK;
    bench_table_begin(&table, invocation, "deep", fields, FIELDS);
    for (int i = 0; i < DEEP_PLACES && status == STATUS_OK; i++)
        status = place_run(&table, with, &deep_places[i], size);
    bench_table_rows_end(&table);
    if (table.as_json) {
        json_integer(&table.json, "width", size[0]);
        json_integer(&table.json, "height", size[1]);
        json_real(&table.json, "accuracy_px", with->accuracy_px);
        json_text(&table.json, "number", plan_number_name(with->number));
    } else if (status == STATUS_OK)
        printf("%d x %d pixels, %s, count and fraction in host memory, within %g px (99 of 100\n"
               "pixels); medians. total: reference, table and pixels on one device. steps/px:\n"
               "blocks of fourth order and single steps of a pixel.\n\n",
               size[0], size[1], plan_number_name(with->number), with->accuracy_px);
    return bench_table_end(&table, status);
}

enum status bench_deep_open(struct bench_deep_with *with, struct device_set *device_set,
                            const struct config *config)
{
    const char *backend = config_text(config, OPTION_COMPUTE_BACKEND);
    const struct backend_kind *kind;
    const int64_t precision = config_integer(config, OPTION_COMPUTE_PRECISION);
    *with =
        (struct bench_deep_with){.device_set = device_set,
                                 .clock = clock_s,
                                 .accuracy_px = config_real(config, OPTION_COMPUTE_ACCURACY),
                                 .number = precision == PRECISION_FP32 ? NUMBER_FP32 : NUMBER_FP64,
                                 .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS)};
    struct device_set_options opening = {
        .backend = backend, .computes = true, .threads = with->threads, .stop = &stop_requested};
    if (precision == PRECISION_DS)
        return status_fail(STATUS_USAGE, "suite deep: no deep pixel is in double-single; take "
                                         "--precision fp32 or fp64, or the suite direct");
    TRY(backend_kind_find(&kind, backend));
    opening.devices = kind->devices();
    for (int i = 0; i < opening.devices; i++)
        opening.device[i] = i;
    return device_set_open(device_set, &opening);
}

static enum status sizes_run(const struct invocation *invocation,
                             const struct bench_deep_with *with)
{
    const struct config_value *size = &invocation->config.value[OPTION_VIEW_SIZE];
    const int32_t wanted[] = {(int32_t)size->integer, (int32_t)size->second};
    if (config_was_set(&invocation->config, OPTION_VIEW_SIZE))
        return size_run(invocation, with, wanted);
    if (!with->device_set->kind->memory)
        return size_run(invocation, with, cpu_size);
    if (!arguments_has(&invocation->arguments, OPTION_JSON)) /* JSON is one document */
        TRY(size_run(invocation, with, gpu_sizes[0]));
    return size_run(invocation, with, gpu_sizes[1]);
}

enum status bench_deep(const struct invocation *invocation)
{
    struct device_set device_set = {.devices = 0};
    struct bench_deep_with with;
    if (arguments_has(&invocation->arguments, OPTION_FORECAST))
        return bench_deep_forecast(invocation);
    enum status status = bench_deep_open(&with, &device_set, &invocation->config);
    if (status == STATUS_OK)
        status = sizes_run(invocation, &with);
    device_set_close(&device_set);
    return status;
}
