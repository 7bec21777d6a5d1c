#include "kernels/deep/error_amplification.h"

#include <stdlib.h>

#include "kernels/deep/formula_pixel.h"
#include "kernels/deep/rational/henon_attraction.h"
#include "kernels/deep/rational/newton_kinds.h"
#include "kernels/escape/pixel.h"
#include "kernels/stop.h"

enum { ACROSS = 9, DOWN = 7, PIXELS = ACROSS * DOWN, STEPS_MOST = 50000 /* steps of a pixel */ };

/* |A w| + |B v| of a block at a pixel's delta, over 2^out. */
static double added_up(const struct quadratic_block *block, const struct pixel_state *pixel,
                       const struct pixel_common *common)
{
    struct complex_wide from = wide_settle(pixel->delta, pixel->e);
    if (pixel->m == 0)
        from = wide_mul(from, from);
    double w = complex_abs(from.x) * wide_power(from.e - block->in);
    double v = complex_abs(pixel->c) * common->per_unit;
    return complex_abs(block->a) * w + wide_power(block->of_c) * complex_abs(block->b) * v;
}

/* A pixel that was not followed to its end counts as if it went on to the limit as so far. Later
 * steps count for less where derivatives grow, so this is the worst. What is unknown counts as
 * INFINITY, here and where a slope is no number. */
static double of_whole(double sum, int done, int64_t n, int64_t limit)
{
    double whole = done ? sum : sum * ((double)limit / (double)(n > 0 ? n : 1));
    return isnan(whole) ? INFINITY : whole;
}

/* Move of a pixel by its blocks and steps, in units of epsilon c_max. */
static double pixel_amplification(const struct deep *deep, struct complex_f64 c, double pixels)
{
    const struct pixel_common *common = &deep->common;
    const struct block_table *table = &common->table;
    struct pixel_state pixel = pixel_begin(common, c.x, c.y);
    double sum = 0;
    int done = 0, wide = common->exponent != 0;
    for (int i = 0; !done && i < STEPS_MOST && !stop_asked(deep->options.stop); i++) {
        struct pixel_state before = pixel;
        done = pixel_on(&pixel, common, deep->options.blocks, 1, wide, 1);
        int64_t length = pixel.n - before.n;
        double slope = complex_abs(pixel.dz) * pixels;
        if (isnan(slope))
            return INFINITY;
        if (!(slope > 0))
            continue;
        if (before.direct)
            sum += 0x1p-53 * (1 + before.norm) / (deep->options.epsilon * slope) *
                   wide_power(-pixel.dz_e);
        if (length > 1) {
            int shift = __builtin_ctzll((uint64_t)length);
            const struct quadratic_block *block =
                &table->record[shift - table->shortest][before.m >> shift];
            sum += added_up(block, &before, common) / slope * wide_power(block->out - pixel.dz_e);
        }
    }
    return of_whole(sum, done, pixel.n, common->limit);
}

/* Least factor by which dz/dpixel stretches a move of the pixel along the gradient of |z|, which is
 * all that a count sees, over 2^dz_e; NAN: unknown. Errors of folded formulas are no larger in
 * other ones. */
static double formula_stretch(const struct formula_pixel *pixel, int holomorphic)
{
    struct complex_f64 right = pixel->at.dz;
    if (holomorphic)
        return complex_abs(right);
    struct complex_f64 up = complex_scale(wide_power(pixel->up_e - pixel->at.dz_e), pixel->up);
    double across = complex_abs(right), upwards = complex_abs(up), most = fmax(across, upwards);
    if (isnan(across) || isnan(upwards) || isinf(most))
        return NAN;
    if (!(most > 0))
        return 0;
    return fabs(right.x / most * up.y - right.y / most * up.x); /* squares leave the doubles */
}

/* As added_up. */
static double formula_added_up(const struct formula_block *block, const struct formula_pixel *pixel,
                               const struct pixel_common *common)
{
    struct complex_wide delta = wide_settle(pixel->at.delta, pixel->at.e);
    double w = complex_abs(delta.x) * wide_power(delta.e - block->in);
    double v = complex_abs(pixel->at.c) * common->per_unit;
    return (complex_abs(block->a) + complex_abs(block->a2)) * w +
           wide_power(block->of_c) * (complex_abs(block->b) + complex_abs(block->b2)) * v;
}

/* As pixel_amplification. */
static double formula_amplification(const struct deep *deep, struct complex_f64 c, double pixels)
{
    const struct formula_common *common = deep->formula;
    struct formula_pixel pixel = formula_begin(common, c.x, c.y);
    double sum = 0;
    int done = 0, wide = common->shared.exponent != 0;
    for (int i = 0; !done && i < STEPS_MOST && !stop_asked(deep->options.stop); i++) {
        struct formula_pixel before = pixel;
        done = formula_on(&pixel, common, deep->options.blocks, 1, wide, 1, NULL);
        int64_t length = pixel.at.n - before.at.n;
        double slope = formula_stretch(&pixel, common->program.holomorphic) * pixels;
        if (isnan(slope))
            return INFINITY;
        if (!(slope > 0))
            continue;
        if (before.at.direct)
            sum += 0x1p-53 * (1 + before.at.norm) / (deep->options.epsilon * slope) *
                   wide_power(-pixel.at.dz_e);
        if (length > 1) {
            const struct block_table *table = &common->table[before.reference];
            int level = __builtin_ctzll((uint64_t)length) - table->shortest;
            const struct formula_block block = formula_block_at(&before, common, level);
            sum += formula_added_up(&block, &before, &common->shared) / slope *
                   wide_power(block.out - pixel.at.dz_e);
        }
    }
    return of_whole(sum, done, pixel.at.n, common->shared.limit);
}

/* As pixel_amplification: what delta is wrong by in relation to itself stays so. */
static double newton_amplification(const struct deep *deep, struct complex_f64 c, double pixels)
{
    (void)pixels;
    struct newton_pixel pixel = newton_begin(deep->newton, c.x, c.y);
    double blocks = 0;
    int done = 0;
    for (int i = 0; !done && !pixel.direct && i < STEPS_MOST && !stop_asked(deep->options.stop);
         i++) {
        int64_t before = pixel.n;
        done = newton_on(&pixel, deep->newton, deep->options.blocks, 0, 1);
        blocks += !done && pixel.n - before > 1;
    }
    return of_whole(blocks, done || pixel.direct, pixel.n, deep->newton->shared.limit);
}

/* Adds `size` 2^e to both parts of an error, which is over 2^dz_e. */
static void henon_error_add(struct henon_pixel *error, double size, int32_t e)
{
    int32_t most = error->dz_e > e ? error->dz_e : e;
    error->dz = pair_scale(wide_power(error->dz_e - most), &error->dz);
    error->dz.now.x += size * wide_power(e - most);
    error->dz.last.y += size * wide_power(e - most);
    error->dz_e = most;
    error->dz = pair_settle(&error->dz, &error->dz_e);
}

/* Pixels, over epsilon c_max, by which an error moves one; INFINITY: it has no bound. */
static double henon_moved(const struct henon_pixel *pixel, const struct henon_pixel *error,
                          double pixels)
{
    double slope = pair_max(&pixel->dz) * pixels;
    double moved = pair_max(&error->dz) / slope * wide_power(error->dz_e - pixel->dz_e);
    return isnan(moved) ? INFINITY : moved;
}

/* Is |dz| larger than it ever was? */
static int henon_steepest(const struct henon_pixel *pixel, struct henon_size *most)
{
    double size = pair_max(&pixel->dz);
    if (pixel->dz_e < most->e || (pixel->dz_e == most->e && size <= most->x))
        return 0;
    *most = (struct henon_size){size, pixel->dz_e};
    return 1;
}

/* As pixel_amplification, with blocks that leave out so many epsilon. Errors are followed as a
 * second tangent: they grow beside the pixel's own where its direction turns into one that is
 * contracted. Of an orbit that stays bounded they count where |dz| is largest: after that dz of one
 * that is attracted goes to 0, and they do not, which changes no count. */
static double henon_error(const struct deep *deep, struct complex_f64 c, double pixels,
                          double of_block)
{
    const struct henon_common *common = deep->henon;
    const double rounding = 0x1p-53 / deep->options.epsilon;
    struct henon_common no_dc = *common;
    struct henon_pixel pixel = henon_begin(common, c.x, c.y), error = pixel;
    struct henon_size most = {0, WIDE_ZERO};
    no_dc.dynamic = 1; /* v has it */
    no_dc.shared.step_v = (struct complex_f64){0, 0};
    error.dz = (struct henon_pair){{0, 0}, {0, 0}};
    error.dz_e = WIDE_ZERO;
    double at_most = 0;
    int over = 0;
    while (!over && pixel.steps < STEPS_MOST && !stop_asked(deep->options.stop)) {
        const struct henon_pixel before = pixel;
        over = pixel.direct ? henon_direct_steps(&pixel, common, 1)
                            : henon_along(&pixel, common, deep->options.blocks, 1);
        if (!over && henon_repeats(&pixel))
            return at_most;
        over |= pixel.n == common->shared.limit;
        int leaps = pixel.n - before.n > 1 && pixel.steps - before.steps == 1;
        double size = pixel.direct ? 1 : pair_max(&before.v);
        if (!leaps)
            henon_error_add(&error, DIRECT_ROUNDINGS * rounding * size, before.e);
        henon_on(&error, &no_dc, deep->options.blocks, 1, 1);
        if (leaps) {
            int level = __builtin_ctzll((uint64_t)(pixel.n - before.n)) - common->table.shortest;
            const struct henon_block *block = henon_block_at(&before, common, level);
            henon_error_add(&error, of_block * pair_max(&pixel.v), pixel.e);
            henon_error_add(&error, rounding * (double)block->rounding * pair_max(&before.v),
                            before.e - block->in + block->out);
        } else if (!pixel.direct)
            henon_error_add(&error, DIRECT_ROUNDINGS * rounding * pair_max(&pixel.v), pixel.e);
        if (henon_steepest(&pixel, &most))
            at_most = henon_moved(&pixel, &error, pixels);
    }
    if (!pixel.count && (over || henon_attracted(&pixel, common)))
        return at_most;
    return of_whole(henon_moved(&pixel, &error, pixels), over, pixel.n, common->shared.limit);
}

static double henon_amplification(const struct deep *deep, struct complex_f64 c, double pixels)
{
    return henon_error(deep, c, pixels, 1);
}

/* As formula_amplification. */
static double rebasing_amplification(const struct deep *deep, struct complex_f64 c, double pixels)
{
    const struct newton_common *common = deep->newton;
    struct newton_pixel pixel = rebasing_begin(common, c.x, c.y, common->kind);
    double sum = 0, v = complex_abs(pixel.c) * common->shared.per_unit;
    int done = 0;
    for (int i = 0; !done && i < STEPS_MOST && !stop_asked(deep->options.stop); i++) {
        struct newton_pixel before = pixel;
        done = newton_kind_on(&pixel, common, deep->options.blocks, 1, 1, NULL, common->kind);
        int64_t length = pixel.n - before.n;
        double slope = complex_abs(pixel.dz.x) * pixels;
        if (isnan(slope))
            return INFINITY;
        if (!(slope > 0) || length <= 1 || before.direct)
            continue;
        int level = __builtin_ctzll((uint64_t)length) - common->table[before.reference].shortest;
        const struct formula_block block = newton_block_at(&before, common, level);
        double w = complex_abs(before.delta.x) * wide_power(before.delta.e - block.in);
        double added = complex_abs(block.a) * w + wide_power(block.of_c) * complex_abs(block.b) * v;
        sum += added / slope * wide_power(block.out - pixel.dz.e);
    }
    return of_whole(sum, done, pixel.n, common->shared.limit);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct complex_f64 probe_point(const struct grid *whole, int i)
{
    struct complex_f64 c;
    pixel_c(whole, (int32_t)((i % ACROSS * 2 + 1) * (int64_t)whole->width / (2 * ACROSS)),
            (int32_t)((i / ACROSS * 2 + 1) * (int64_t)whole->height / (2 * DOWN)), &c.x, &c.y);
    return c;
}

static double (*const amplifications[DEEP_FAMILIES])(const struct deep *deep, struct complex_f64 c,
                                                     double pixels) = {
    [DEEP_QUADRATIC] = pixel_amplification, [DEEP_LISTS] = formula_amplification,
    [DEEP_NEWTON] = newton_amplification,   [DEEP_REBASING] = rebasing_amplification,
    [DEEP_HENON] = henon_amplification,
};

double error_amplification(const struct deep *deep, const struct grid *whole)
{
    const volatile int *stop = deep->options.stop;
    struct complex_f64 step = {whole->step_re, whole->step_im};
    double amplification[PIXELS], pixels = deep_c_max(whole) / complex_abs(step);
#pragma omp parallel for num_threads(deep->options.threads) schedule(dynamic)
    for (int i = 0; i < PIXELS; i++) {
        struct complex_f64 c = probe_point(whole, i);
        amplification[i] = stop_asked(stop) ? 1 : amplifications[deep->family](deep, c, pixels);
    }
    if (stop_asked(stop))
        return 1;
    qsort(amplification, PIXELS, sizeof *amplification, compare);
    return amplification[PIXELS * 9 / 10];
}

double error_of_doubles(const struct deep *deep, const struct grid *whole)
{
    const volatile int *stop = deep->options.stop;
    struct complex_f64 step = {whole->step_re, whole->step_im};
    double most = 0, pixels = deep_c_max(whole) / complex_abs(step);
    double of_block = DIRECT_ROUNDINGS * 0x1p-53 / deep->options.epsilon;
#pragma omp parallel for num_threads(deep->options.threads) schedule(dynamic) reduction(max : most)
    for (int i = 0; i < (deep->family == DEEP_HENON ? PIXELS : 0); i++)
        if (!stop_asked(stop))
            most = fmax(most, henon_error(deep, probe_point(whole, i), pixels, of_block));
    return stop_asked(stop) ? 0 : most * deep->options.epsilon * pixels / grid_least(whole);
}

double epsilon_amplified(double epsilon, double amplification)
{
    double grown = amplification > ERROR_AMPLIFICATION_FREE
                       ? epsilon * (ERROR_AMPLIFICATION_FREE / 2) / amplification
                       : epsilon;
    return grown < 0x1p-53 ? 0x1p-53 : grown;
}
