#include "render/bench_deep.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "decomposition/clock.h"
#include "kernels/deep/deep.h"
#include "render/crew.h"
#include "render/deep_places.h"
#include "render/reference.h"
#include "render/sorted.h"
#include "render/view.h"

enum { REPEATS_MOST = 11, REFERENCE_BAILOUTS = 100 };
#define REPEATS_S 0.5 /* a measurement is not repeated once it has taken so long in all */

struct measured { /* one place */
    const struct bench_deep_options *options;
    struct crew *crew;
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

/* The grid of the whole picture at 1/parts of the width and height, relative to the centre. */
static struct grid grid_of(const struct measured *m, int32_t parts)
{
    struct view_numbers numbers = m->numbers;
    numbers.width = (m->options->width + parts - 1) / parts;
    numbers.height = (m->options->height + parts - 1) / parts;
    numbers.step_re *= parts;
    numbers.step_im *= parts;
    return reference_grid(&numbers, 0, 0, numbers.width, numbers.height);
}

static enum status orbit_make(struct measured *m)
{
    double half = log2(hypot(m->options->width, m->options->height) / 2);
    struct orbit_options options = {.radius = REFERENCE_BAILOUTS * m->spec.bailout,
                                    .log2_disc = m->numbers.log2_step + half,
                                    .threads = m->options->threads,
                                    .stop = m->options->stop};
    orbit_destroy(&m->orbit);
    TRY(orbit_bits(m->numbers.log2_step, m->spec.limit, &options.bits));
    TRY(orbit_create(&m->orbit, &options, m->view.re, m->view.im));
    return orbit_extend(&m->orbit, m->spec.limit);
}

static enum status reference_time(struct measured *m, struct bench_deep_row *row)
{
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        double begin = clock_s();
        TRY(orbit_make(m));
        times_add(&times, clock_s() - begin);
    }
    row->reference_s = median(times.s, times.count);
    row->reference_steps = m->orbit.length - 1;
    row->reference_bytes = (size_t)m->orbit.length * sizeof *m->orbit.z;
    return STATUS_OK;
}

static struct deep_options deep_options_of(const struct measured *m)
{
    return (struct deep_options){
        .blocks = BLOCKS_QUARTIC, .epsilon = m->epsilon, .stop = m->options->stop};
}

static enum status table_time(const struct measured *m, const struct grid *grid,
                              struct bench_deep_row *row)
{
    struct deep_options options = deep_options_of(m);
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        crew_deep_close(m->crew);
        double begin = clock_s();
        TRY(crew_deep_open(m->crew, &options, &m->orbit, &m->spec, grid));
        times_add(&times, clock_s() - begin);
    }
    row->table_s = median(times.s, times.count);
    row->table_bytes = crew_deep_bytes(m->crew);
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
    return crew_deep_compute(m->crew, part, &m->spec, &grid, &window, steps);
}

static enum status all_compute(const struct measured *m, const struct grid *whole, uint64_t *steps)
{
    int parts = m->crew->devices;
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
    return crew_deep_compute(m->crew, 0, &m->spec, whole, &field, steps);
}

static enum status pixels_time(const struct measured *m, const struct grid *grid,
                               enum status (*compute)(const struct measured *, const struct grid *,
                                                      uint64_t *),
                               double *seconds, uint64_t *steps)
{
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        *steps = 0;
        double begin = clock_s();
        TRY(compute(m, grid, steps));
        times_add(&times, clock_s() - begin);
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
    if (m->crew->devices > 1)
        TRY(pixels_time(m, grid, all_compute, &row->pixels_all_s, &steps));
    return STATUS_OK;
}

static enum status place_measure(struct measured *m, struct bench_deep_row *row)
{
    struct grid grid = grid_of(m, 1);
    size_t bytes;
    row->epsilon = m->epsilon = deep_epsilon(m->options->accuracy_px, &grid);
    TRY(field_bytes(grid.width, grid.height, m->spec.planes, m->spec.count_bytes, &bytes));
    void *block = crew_block_take(m->crew, MEMORY_HOST, bytes);
    if (!block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu bytes", bytes);
    field_over(&m->field, grid.width, grid.height, m->spec.planes, m->spec.count_bytes, block);
    enum status status = reference_time(m, row);
    if (status == STATUS_OK)
        status = devices_measure(m, &grid, row);
    crew_deep_close(m->crew);
    crew_block_give(m->crew, block);
    return status;
}

static enum status place_run(const struct bench_deep_options *options, struct crew *crew,
                             const struct deep_place *place, struct bench_deep_row *row)
{
    struct measured m = {.options = options,
                         .crew = crew,
                         .spec = {.limit = place->limit,
                                  .bailout = 1024,
                                  .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                  .count_bytes = 4}};
    *row = (struct bench_deep_row){.name = place->name, .limit = place->limit};
    enum status status =
        view_set(&m.view, place->re, place->im, place->zoom, 0, options->width, options->height);
    if (status == STATUS_OK)
        status = view_numbers(&m.view, &m.numbers);
    if (status == STATUS_OK)
        status = place_measure(&m, row);
    orbit_destroy(&m.orbit);
    view_destroy(&m.view);
    return status;
}

static enum status devices_open(struct crew *crew, const struct bench_deep_options *options)
{
    const struct backend_kind *kind;
    struct crew_options opening = {.backend = options->backend,
                                   .computes = true,
                                   .threads = options->threads,
                                   .stop = options->stop};
    TRY(backend_kind_find(&kind, options->backend));
    opening.devices = kind->devices();
    for (int i = 0; i < opening.devices; i++)
        opening.device[i] = i;
    return crew_open(crew, &opening);
}

enum status bench_deep(const struct bench_deep_options *options,
                       void (*row)(void *context, const struct bench_deep_row *row), void *context)
{
    struct crew crew = {.devices = 0};
    enum status status = devices_open(&crew, options);
    for (int i = 0; i < DEEP_PLACES && status == STATUS_OK; i++) {
        struct bench_deep_row line;
        status = place_run(options, &crew, &deep_places[i], &line);
        if (status == STATUS_OK)
            row(context, &line);
    }
    crew_close(&crew);
    return status;
}
