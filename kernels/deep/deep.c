#include "kernels/deep/deep.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/deep/deep_formula.h"
#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/inside.h"
#include "kernels/deep/rational/deep_henon.h"
#include "kernels/deep/rational/deep_newton.h"
#include "kernels/stop.h"

enum { SHORTEST_DEFAULT = 3 }; /* blocks of 8 */

double deep_c_max(const struct grid *whole)
{
    struct complex_f64 step = {whole->step_re, whole->step_im};
    double largest = complex_abs(step); /* image of one pixel: not 0 */
    int32_t last_x = (int32_t)(2 * whole->half_width) - 1;
    int32_t last_y = (int32_t)(2 * whole->half_height) - 1;
    for (int corner = 0; corner < 4; corner++) {
        struct complex_f64 c;
        pixel_c(whole, corner & 1 ? last_x : 0, corner & 2 ? last_y : 0, &c.x, &c.y);
        double size = complex_abs(c);
        largest = size > largest ? size : largest;
    }
    return largest * (1 + 0x1p-50); /* the roundings of complex_abs */
}

double deep_epsilon(double accuracy_px, const struct grid *whole)
{
    struct complex_f64 step = {whole->step_re, whole->step_im};
    double pixel = complex_abs(step) * grid_least(whole);
    double epsilon = accuracy_px / (deep_c_max(whole) / pixel);
    return epsilon < 0x1p-53 ? 0x1p-53 : epsilon > 0x1p-10 ? 0x1p-10 : epsilon;
}

static enum status depth_check(const struct grid *whole)
{
    struct complex_f64 step = {whole->step_re, whole->step_im};
    double size = complex_abs(step);
    int32_t least = whole->exponent ? DEEP_STEP_LEAST : GRID_PLAIN_LEAST;
    if (size > 0 && wide_exponent(size) + whole->exponent >= least)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "a pixel is %g 2^%d of c; perturbation %s exponents of its own ends at 2^%d",
                       size, whole->exponent, whole->exponent ? "with" : "without", least);
}

static const struct deep_kernels *kernels_best(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &deep_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &deep_kernels_avx2;
#elif defined __aarch64__
    return &deep_kernels_neon;
#endif
    return &deep_kernels_scalar;
}

/* Kernels that take no lanes. */
static const struct deep_kernels *kernels_plain(const struct deep *deep)
{
    const struct deep_kernels *kernels = deep->options.kernels;
    return kernels->without_lanes ? kernels->without_lanes : kernels;
}

enum deep_family deep_family(const struct formula *formula)
{
    if (rational_divides(formula))
        return formula_has_c(formula) ? DEEP_REBASING : DEEP_NEWTON;
    if (rational_by_last(formula) != 0)
        return DEEP_HENON;
    return formula_mandelbrot(formula) ? DEEP_QUADRATIC : DEEP_LISTS;
}

size_t deep_table_bytes(const struct formula *formula, int64_t steps, size_t bytes_max)
{
    struct table_source source = {
        .end = steps, .shortest = SHORTEST_DEFAULT, .bytes_max = bytes_max};
    if (formula_perturbed(formula)) {
        struct program program = program_of(formula);
        source.shortest = formula_shortest_blocks(&program, SHORTEST_DEFAULT);
    }
    if (deep_family(formula) == DEEP_HENON)
        source.record_bytes = sizeof(struct henon_block);
    struct block_table table;
    return table_plan(&table, &source);
}

/* c of the critical orbit of z^2 + c, which is z_1. */
static struct complex_f64 orbit_c(const struct orbit *orbit)
{
    const struct orbit_point *c = &orbit->z[orbit->length > 1];
    return (struct complex_f64){c->x, c->y};
}

enum status deep_common(struct pixel_common *common, struct table_source *source,
                        const struct deep_options *options, const struct orbit *orbit,
                        const struct spec *spec, const struct grid *whole)
{
    double c_max = deep_c_max(whole);
    /* |z| > R only beyond it. */
    double bailout = spec->bailout - formula_begins(&spec->formula);
    *common = (struct pixel_common){
        .z = orbit->z,
        .tiny = orbit->tiny,
        .tiny_count = orbit->tiny_count,
        .end = orbit->end == ORBIT_CYCLE ? orbit->length : orbit->length - 1,
        .period = orbit->end == ORBIT_CYCLE ? orbit->period : 0,
        .limit = spec->limit,
        .bailout = bailout,
        .bailout_squared = bailout * bailout,
        .exponent = whole->exponent,
        .step = {whole->step_re, whole->step_im},
        .inside = inside_known(spec, whole, options->blocks),
        .direct.centre = orbit_c(orbit),
    };
    TRY(depth_check(whole));
    TRY(deep_orbit_check(orbit, spec));
    common->per_unit = wide_power(-wide_exponent(c_max));
    common->step_v = complex_scale(common->per_unit, common->step);
    *source = (struct table_source){
        .z = common->z,
        .tiny = orbit->tiny,
        .end = common->end,
        .tiny_count = orbit->tiny_count,
        .wide = whole->exponent != 0,
        .limits = {.epsilon = options->epsilon,
                   .bailout = common->bailout,
                   .v_max = c_max * common->per_unit,
                   .unit = wide_exponent(c_max) + whole->exponent},
        .shortest = options->shortest ? options->shortest : SHORTEST_DEFAULT,
        .narrow = deep_is_late(options, spec),
        .bytes_max = options->bytes_max,
        .threads = options->threads,
        .stop = options->stop,
        .progress = options->progress,
        .context = options->context,
    };
    return STATUS_OK;
}

bool deep_is_late(const struct deep_options *options, const struct spec *spec)
{
    const enum deep_family family = deep_family(&spec->formula);
    return spec->number == NUMBER_FP32 && (family == DEEP_QUADRATIC || family == DEEP_LISTS) &&
           options->blocks != BLOCKS_NONE && !(spec->planes & (PLANE_MASK_END | PLANE_MASK_ORBIT));
}

struct direct_limits deep_direct(const struct orbit *orbit, const struct spec *spec,
                                 const struct deep_options *options, int32_t radius)
{
    double least = wide_key_over(radius, 0);
    double roundings =
        deep_is_late(options, spec) ? DIRECT_ROUNDINGS_F32 * 0x1p-24 : DIRECT_ROUNDINGS * 0x1p-53;
    double theta = roundings / options->epsilon, most = spec->bailout * spec->bailout;
    uint32_t first = direct_upper(least) + 1, last = direct_upper(most);
    return (struct direct_limits){.centre = orbit_c(orbit),
                                  .bailout_squared = most,
                                  .norm_least = least,
                                  .slope_least = theta * theta,
                                  .inside_first = first,
                                  .inside_size = last > first ? last - first : 0};
}

/* Rounds points to floats; returns the place behind them. */
static struct complex_f32 *points_narrow(struct complex_f32 *to, const struct orbit_point *from,
                                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (struct complex_f32){(float)from[i].x, (float)from[i].y};
    return to + count;
}

/* Prepares what pixels share in fp32, in another `deep` of the same orbit if there is one. */
static enum status late_open(struct deep *deep, const struct orbit *orbit, const struct deep *ready)
{
    const struct complex_f32 *z = ready ? ready->late.z : NULL;
    if (!z) {
        struct complex_f32 *own = deep->points_f32 = malloc((size_t)orbit->length * sizeof *own);
        if (!own)
            return status_fail(STATUS_OUT_OF_MEMORY,
                               "no memory for a reference orbit of %lld steps in fp32",
                               (long long)orbit->length);
        points_narrow(own, orbit->z, (size_t)orbit->length);
        z = own;
    }
    deep->late = late_common(&deep->common);
    deep->late.z = z;
    return STATUS_OK;
}

/* Borrows the blocks of options->ready, if it has the same. */
static bool blocks_borrow(struct deep *deep, const struct deep_options *options)
{
    const struct deep *ready = options->ready;
    if (!ready || !ready->memory[0] || ready->options.epsilon != options->epsilon ||
        ready->options.shortest != options->shortest ||
        ready->options.bytes_max != options->bytes_max)
        return false;
    deep->common.table = ready->common.table;
    deep->common.direct = ready->common.direct;
    deep->table_bytes = ready->table_bytes;
    return true;
}

/* Opens a formula of a family; the shared part and the source are complete but for `fill`. */
typedef enum status family_open(struct deep *deep, const struct deep_options *options,
                                const struct orbit *orbit, const struct spec *spec,
                                struct table_source *source);

static enum status quadratic_open(struct deep *deep, const struct deep_options *options,
                                  const struct orbit *orbit, const struct spec *spec,
                                  struct table_source *source)
{
    const struct deep_kernels *kernels = deep->options.kernels;
    struct block_table *table = &deep->common.table;
    if (options->blocks == BLOCKS_NONE)
        kernels = kernels_plain(deep);
    deep->run = kernels->run[options->blocks][deep->common.exponent != 0];
    source->fill = deep->options.kernels->fill;
    if (options->blocks == BLOCKS_NONE)
        return STATUS_OK;
    bool late = deep_is_late(options, spec), borrows = false;
    if (!options->ready || (options->ready->late.z != NULL) == late)
        borrows = blocks_borrow(deep, options);
    if (!borrows) {
        TRY(table_build(table, source, &deep->memory[0], &deep->table_bytes));
        deep->common.direct =
            deep_direct(orbit, spec, options, table->levels ? table->radius[0][0] : WIDE_KEY_NONE);
    }
    return late ? late_open(deep, orbit, borrows ? options->ready : NULL) : STATUS_OK;
}

/* Prepares what pixels of a formula share in fp32. */
static enum status lists_late_open(struct deep *deep, const struct orbit *orbit,
                                   const struct spec *spec)
{
    struct formula_common_f32 *late = deep->formula_f32 = malloc(sizeof *late);
    size_t count = 0;
    for (const struct orbit *one = orbit; one; one = one->critical)
        count += formula_orbit_points(one) + formula_orbit_values(one);
    struct complex_f32 *at = deep->points_f32 = malloc(count * sizeof *at);
    if (!late || !at)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for reference orbits of %zu values in fp32", count);
    *late = formula_late_common(deep->formula);
    for (int i = 0; i < late->references; i++, orbit = orbit->critical) {
        late->reference[i].z = at;
        late->reference[i].tape = at + formula_orbit_points(orbit);
        at = points_narrow(at, orbit->z, formula_orbit_points(orbit));
        at = points_narrow(at, orbit->tape, formula_orbit_values(orbit));
    }
    const struct formula_row_f32 *rows = deep->options.kernels->rows_f32;
    if (spec->formula.step < FORMULA_STEPS && rows[spec->formula.step].along[0])
        late->row = &rows[spec->formula.step];
    return STATUS_OK;
}

static enum status lists_open(struct deep *deep, const struct deep_options *options,
                              const struct orbit *orbit, const struct spec *spec,
                              struct table_source *shared)
{
    deep->run = deep->options.kernels->formula_run[deep->common.exponent != 0];
    shared->fill = kernels_plain(deep)->formula_fill;
    struct formula_common *common = deep->formula = calloc(1, sizeof *deep->formula);
    if (!common)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the references of a picture");
    common->shared = deep->common;
    TRY(formula_references_fill(common, orbit, spec));
    if (spec->formula.step < FORMULA_STEPS &&
        deep->options.kernels->rows[spec->formula.step].along[0])
        common->row = &deep->options.kernels->rows[spec->formula.step];
    deep->common.direct = common->shared.direct;
    if (options->blocks == BLOCKS_NONE)
        return STATUS_OK;
    const bool late = deep_is_late(options, spec);
    if (options->ready && (options->ready->formula_f32 != NULL) == late &&
        blocks_borrow(deep, options)) {
        const struct formula_common *ready = options->ready->formula;
        memcpy(common->table, ready->table, sizeof common->table);
        common->shared.direct = ready->shared.direct;
        return late ? lists_late_open(deep, orbit, spec) : STATUS_OK;
    }
    for (int i = 0; i < common->references; i++) {
        struct formula_source source = formula_source_of(common, shared, i);
        size_t bytes;
        TRY(table_build(&common->table[i], &source.table, &deep->memory[i], &bytes));
        deep->table_bytes += bytes;
    }
    deep->common.direct = common->shared.direct =
        formula_direct_limits(common, options->epsilon, late);
    return late ? lists_late_open(deep, orbit, spec) : STATUS_OK;
}

static enum status newton_open(struct deep *deep, const struct deep_options *options,
                               const struct orbit *orbit, const struct spec *spec,
                               struct table_source *shared)
{
    shared->fill = kernels_plain(deep)->newton_fill;
    deep->run = deep->family == DEEP_NEWTON       ? deep->options.kernels->newton_run
                : rational_magnet(&spec->formula) ? kernels_plain(deep)->magnet_run
                                                  : deep->options.kernels->nova_run;
    struct newton_common *common = deep->newton = calloc(1, sizeof *deep->newton);
    if (!common)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the reference of a picture");
    TRY(newton_common_fill(common, &deep->common, orbit, spec, options->epsilon));
    if (options->blocks == BLOCKS_NONE)
        return STATUS_OK;
    if (blocks_borrow(deep, options)) {
        memcpy(common->table, options->ready->newton->table, sizeof common->table);
        return STATUS_OK;
    }
    for (int i = 0; i < common->references; i++) {
        struct newton_source source = newton_source_of(common, shared, i);
        size_t bytes;
        TRY(table_build(&common->table[i], &source.table, &deep->memory[i], &bytes));
        deep->table_bytes += bytes;
    }
    return STATUS_OK;
}

static enum status henon_open(struct deep *deep, const struct deep_options *options,
                              const struct orbit *orbit, const struct spec *spec,
                              struct table_source *shared)
{
    shared->fill = kernels_plain(deep)->henon_fill;
    deep->run = kernels_plain(deep)->henon_run;
    struct henon_common *common = deep->henon = calloc(1, sizeof *deep->henon);
    if (!common)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the reference of a picture");
    *common = henon_common_of(&deep->common, orbit, spec, options->epsilon);
    if (options->blocks == BLOCKS_NONE)
        return STATUS_OK;
    if (blocks_borrow(deep, options)) {
        common->table = deep->common.table;
        return STATUS_OK;
    }
    struct henon_size *size = henon_sizes(common);
    if (!size)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the blocks of a reference orbit");
    struct henon_source source = {.table = *shared, .common = common, .size = size};
    source.table.record_bytes = sizeof(struct henon_block);
    source.table.end = common->shared.end > 0 ? common->shared.end - 1 : 0;
    enum status status =
        table_build(&common->table, &source.table, &deep->memory[0], &deep->table_bytes);
    free(size);
    deep->common.table = common->table;
    return status;
}

static family_open *const opens[DEEP_FAMILIES] = {
    [DEEP_QUADRATIC] = quadratic_open, [DEEP_LISTS] = lists_open, [DEEP_NEWTON] = newton_open,
    [DEEP_REBASING] = newton_open,     [DEEP_HENON] = henon_open,
};

enum status deep_open(struct deep *deep, const struct deep_options *options,
                      const struct orbit *orbit, const struct spec *spec, const struct grid *whole)
{
    struct table_source source;
    *deep = (struct deep){.options = *options, .family = deep_family(&spec->formula)};
    deep->options.ready = NULL;
    if (!options->threads)
        deep->options.threads = omp_get_max_threads();
    TRY(deep_common(&deep->common, &source, &deep->options, orbit, spec, whole));
    if (!options->kernels)
        deep->options.kernels = kernels_best();
    if (program_is_own(&spec->formula) && deep->options.kernels->own)
        deep->options.kernels = deep->options.kernels->own;
    return opens[deep->family](deep, options, orbit, spec, &source);
}

struct squares {
    uint8_t *inside; /* [rows][in_row]; NULL where nothing can be proven; to be freed */
    int32_t in_row;
};

/* Finds the squares of a tile that are inside as a whole. */
static enum status squares_prove(struct squares *squares, const struct deep *deep,
                                 const struct grid *grid)
{
    *squares = (struct squares){.in_row = (grid->width - 1) / INSIDE_PX + 1};
    if (!deep->common.inside || deep->family != DEEP_QUADRATIC)
        return STATUS_OK;
    int32_t in_row = squares->in_row, rows = (grid->height - 1) / INSIDE_PX + 1;
    int64_t count = (int64_t)in_row * rows;
    uint8_t *inside = squares->inside = calloc((size_t)count, 1);
    if (!inside)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %lld squares of pixels",
                           (long long)count);
    const volatile int *stop = deep->options.stop;
    deep_inside_function *proves = deep->options.kernels->inside;
#pragma omp parallel for num_threads(deep->options.threads) schedule(dynamic)
    for (int64_t i = 0; i < count; i++)
        if (!stop_asked(stop))
            inside[i] = (uint8_t)proves(&deep->common, deep->options.blocks, grid,
                                        (int32_t)(i % in_row) * INSIDE_PX,
                                        (int32_t)(i / in_row) * INSIDE_PX);
    return STATUS_OK;
}

static deep_chunk_function *kernel_of_sums(const struct deep *deep)
{
    int wide = deep->common.exponent != 0;
    return deep->family == DEEP_QUADRATIC ? deep->options.kernels->sums[wide]
                                          : kernels_plain(deep)->formula_sums[wide];
}

/* Cuts a tile into chunks; returns their number. */
static int64_t chunks_cut(const struct grid *grid, int32_t *width, int32_t *height, int32_t *in_row)
{
    *height = grid->height < DEEP_CHUNK_PX ? grid->height : DEEP_CHUNK_PX;
    *width = DEEP_CHUNK / *height;
    *in_row = (grid->width - 1) / *width + 1;
    return (int64_t)*in_row * ((grid->height - 1) / *height + 1);
}

enum status deep_compute(const struct deep *deep, const struct spec *spec, const struct grid *grid,
                         struct field *out, struct deep_work *work)
{
    deep_chunk_function *run = deep->run[out->plane[PLANE_DISTANCE_X] != NULL];
    deep_chunk_function *sums = spec->planes & PLANE_MASK_ORBIT ? kernel_of_sums(deep) : NULL;
    int32_t width, height, in_row;
    const int64_t chunks = chunks_cut(grid, &width, &height, &in_row);
    const volatile int *stop = deep->options.stop;
    struct squares squares;
    uint64_t steps = 0;
    TRY(squares_prove(&squares, deep, grid));
#pragma omp parallel for num_threads(deep->options.threads) schedule(dynamic) reduction(+ : steps)
    for (int64_t i = 0; i < chunks; i++) {
        if (stop_asked(stop))
            continue;
        const int32_t x = (int32_t)(i % in_row) * width, row = (int32_t)(i / in_row) * height;
        const int32_t right = grid->width - x, below = grid->height - row;
        struct deep_chunk chunk = {
            .common = &deep->common,
            .late = deep->late.z ? &deep->late : NULL,
            .grid = grid,
            .out = out,
            .fraction_offset = fraction_offset(spec->bailout),
            .stop = stop,
            .x = x,
            .row = row,
            .width = right < width ? right : width,
            .height = below < height ? below : height,
            .inside = squares.inside,
            .squares_in_row = squares.in_row,
            .formula = deep->formula,
            .formula_f32 = deep->formula_f32,
            .newton = deep->newton,
            .henon = deep->henon,
            .blocks = deep->options.blocks,
            .rule = f64x1_orbit_rule_of(spec),
        };
        steps += run(&chunk);
        if (sums && !stop_asked(stop))
            steps += sums(&chunk);
    }
    free(squares.inside);
    work->steps += steps;
    if (stop_asked(stop))
        return status_fail(STATUS_STOPPED, "stopped while computing");
    return STATUS_OK;
}

void deep_close(struct deep *deep)
{
    for (int i = 0; i < DEEP_TABLES; i++)
        free(deep->memory[i]);
    free(deep->points_f32);
    free(deep->formula);
    free(deep->formula_f32);
    free(deep->newton);
    free(deep->henon);
    *deep = (struct deep){0};
}
