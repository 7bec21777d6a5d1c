#include "render/bench_deep.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "decomposition/clock.h"
#include "kernels/deep/deep.h"
#include "render/deep_places.h"
#include "render/reference.h"
#include "render/sorted.h"
#include "render/view.h"

enum { REPEATS_MOST = 5, REFERENCE_BAILOUTS = 100 };
#define REPEATS_S 0.5 /* a measurement is not repeated once it has taken so long in all */

struct measured { /* one place */
    const struct bench_deep_options *options;
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

static struct deep_options deep_options_of(const struct measured *m, enum blocks blocks)
{
    return (struct deep_options){.blocks = blocks,
                                 .epsilon = m->epsilon,
                                 .threads = m->options->threads,
                                 .stop = m->options->stop};
}

static enum status table_time(const struct measured *m, const struct grid *grid, struct deep *deep,
                              struct bench_deep_row *row)
{
    struct deep_options options = deep_options_of(m, BLOCKS_QUARTIC);
    struct times times = {.count = 0};
    while (times_wanted(&times)) {
        deep_close(deep);
        double begin = clock_s();
        TRY(deep_open(deep, &options, &m->orbit, &m->spec, grid));
        times_add(&times, clock_s() - begin);
    }
    row->table_s = median(times.s, times.count);
    row->table_bytes = deep->table_bytes;
    return STATUS_OK;
}

static enum status pixels_time(struct measured *m, const struct grid *grid, const struct deep *deep,
                               struct bench_deep_row *row)
{
    struct times times = {.count = 0};
    struct deep_work work;
    while (times_wanted(&times)) {
        work = (struct deep_work){0};
        double begin = clock_s();
        TRY(deep_compute(deep, &m->spec, grid, &m->field, &work));
        times_add(&times, clock_s() - begin);
    }
    row->pixels_s = median(times.s, times.count);
    row->steps_px[BLOCKS_QUARTIC] = (double)work.steps / grid->width / grid->height;
    row->steps_per_s = (double)work.steps / row->pixels_s;
    return STATUS_OK;
}

/* How many steps blocks of a lower order take. */
static enum status steps_count(struct measured *m, enum blocks blocks, struct bench_deep_row *row)
{
    struct grid grid = grid_of(m, 4);
    struct deep_options options = deep_options_of(m, blocks);
    struct deep deep = {.memory = NULL};
    struct deep_work work = {0};
    struct field window = field_window(&m->field, 0, 0, grid.width, grid.height);
    enum status status = deep_open(&deep, &options, &m->orbit, &m->spec, &grid);
    if (status == STATUS_OK)
        status = deep_compute(&deep, &m->spec, &grid, &window, &work);
    row->steps_px[blocks] = (double)work.steps / grid.width / grid.height;
    deep_close(&deep);
    return status;
}

static enum status place_measure(struct measured *m, struct bench_deep_row *row)
{
    struct grid grid = grid_of(m, 1);
    struct deep deep = {.memory = NULL};
    row->epsilon = m->epsilon = deep_epsilon(m->options->accuracy_px, BLOCKS_QUARTIC, &grid);
    TRY(field_create(&m->field, grid.width, grid.height, m->spec.planes, m->spec.count_bytes));
    TRY(reference_time(m, row));
    enum status status = table_time(m, &grid, &deep, row);
    if (status == STATUS_OK)
        status = pixels_time(m, &grid, &deep, row);
    deep_close(&deep);
    if (status == STATUS_OK)
        status = steps_count(m, BLOCKS_LINEAR, row);
    return status == STATUS_OK ? steps_count(m, BLOCKS_QUADRATIC, row) : status;
}

static enum status place_run(const struct bench_deep_options *options,
                             const struct deep_place *place, struct bench_deep_row *row)
{
    struct measured m = {.options = options,
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
    field_destroy(&m.field);
    orbit_destroy(&m.orbit);
    view_destroy(&m.view);
    return status;
}

enum status bench_deep(const struct bench_deep_options *options,
                       void (*row)(void *context, const struct bench_deep_row *row), void *context)
{
    for (int i = 0; i < DEEP_PLACES; i++) {
        struct bench_deep_row line;
        TRY(place_run(options, &deep_places[i], &line));
        row(context, &line);
    }
    return STATUS_OK;
}
