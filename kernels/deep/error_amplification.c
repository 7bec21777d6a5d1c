#include "kernels/deep/error_amplification.h"

#include <stdlib.h>

#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/pixel.h"

enum { ACROSS = 9, DOWN = 7, PIXELS = ACROSS * DOWN, STEPS_MOST = 50000 /* of a pixel */ };

/* What a block adds up at this delta, over 2^out: |A w| + |B v|. */
static double added_up(const struct block *block, const struct pixel_state *pixel,
                       const struct pixel_common *common)
{
    struct complex_wide from = wide_settle(pixel->delta, pixel->e);
    if (pixel->m == 0)
        from = wide_mul(from, from);
    double w = complex_abs(from.x) * wide_power(from.e - block->in);
    double v = complex_abs(pixel->c) * common->per_unit;
    return complex_abs(block->a) * w + wide_power(block->of_c) * complex_abs(block->b) * v;
}

/* In units of epsilon c_max. */
static double pixel_amplification(const struct deep *deep, struct complex_f64 c, double pixels)
{
    const struct pixel_common *common = &deep->common;
    const struct block_table *table = &common->table;
    struct pixel_state pixel = pixel_begin(common, c.x, c.y);
    double sum = 0;
    int done = 0, wide = common->exponent != 0;
    for (int i = 0; !done && i < STEPS_MOST; i++) {
        struct pixel_state before = pixel;
        done = pixel_on(&pixel, common, deep->options.blocks, 1, wide, 1);
        int64_t length = pixel.n - before.n;
        double slope = complex_abs(pixel.dz) * pixels;
        if (!(slope > 0))
            continue;
        if (before.direct)
            sum += 0x1p-53 * (1 + before.norm) / (deep->options.epsilon * slope) *
                   wide_power(-pixel.dz_e);
        if (length > 1) {
            int shift = __builtin_ctzll((uint64_t)length);
            const struct block *block = &table->record[shift - table->shortest][before.m >> shift];
            sum += added_up(block, &before, common) / slope * wide_power(block->out - pixel.dz_e);
        }
    }
    return sum;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double error_amplification(const struct deep *deep, const struct grid *whole)
{
    const volatile int *stop = deep->options.stop;
    struct complex_f64 step = {whole->step_re, whole->step_im};
    double amplification[PIXELS], pixels = deep_c_max(whole) / complex_abs(step);
#pragma omp parallel for num_threads(deep->options.threads) schedule(dynamic)
    for (int i = 0; i < PIXELS; i++) {
        struct complex_f64 c;
        pixel_c(whole, (int32_t)((i % ACROSS * 2 + 1) * (int64_t)whole->width / (2 * ACROSS)),
                (int32_t)((i / ACROSS * 2 + 1) * (int64_t)whole->height / (2 * DOWN)), &c.x, &c.y);
        amplification[i] = stop && __atomic_load_n(stop, __ATOMIC_RELAXED)
                               ? 1
                               : pixel_amplification(deep, c, pixels);
    }
    qsort(amplification, PIXELS, sizeof *amplification, compare);
    return amplification[PIXELS * 9 / 10];
}

double epsilon_amplified(double epsilon, double amplification)
{
    double grown = amplification > ERROR_AMPLIFICATION_FREE
                       ? epsilon * (ERROR_AMPLIFICATION_FREE / 2) / amplification
                       : epsilon;
    return grown < 0x1p-53 ? 0x1p-53 : grown;
}
