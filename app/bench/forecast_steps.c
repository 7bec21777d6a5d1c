#include "app/bench/forecast_steps.h"

#include "kernels/deep/number/late.h"
#include "kernels/escape/pixel.h"
#include "kernels/stop.h"

enum { STEPS_AT_ONCE = 1 << 12 };

/* Kind of the block or step that has gone from n to n + steps. */
static enum forecast_kind kind_of(int64_t steps, bool wide)
{
    if (steps > 1)
        return wide ? FORECAST_BLOCK_WIDE : FORECAST_BLOCK;
    return wide ? FORECAST_ALONG_WIDE : FORECAST_ALONG;
}

/* Adds a pixel's steps in doubles. */
static void doubles_add(const struct deep *deep, struct complex_f64 c, struct forecast_steps *steps)
{
    const struct pixel_common *common = &deep->common;
    const int wide = common->exponent != 0;
    struct pixel_state pixel = pixel_begin(common, c.x, c.y);
    struct pixel_kept kept = {.m = -1};
    int64_t taken;
    for (int done = 0; !done && !stop_asked(deep->options.stop);)
        if (pixel.direct) {
            done = pixel_direct_steps(&pixel, common, 0, wide, STEPS_AT_ONCE, &taken);
            steps->px[NUMBER_FP64][FORECAST_DIRECT] += (double)taken;
        } else {
            const int64_t from = pixel.n;
            const bool has_exponent = pixel.e != 0;
            done = pixel_along(&pixel, common, deep->options.blocks, 0, wide, 1, &taken, NULL);
            if (taken)
                steps->px[NUMBER_FP64][kind_of(pixel.n - from, has_exponent)]++;
            if (taken && !done) /* here, since one that repeats has no length there */
                done = pixel_repeats(&pixel, &kept);
        }
}

/* Adds a pixel's steps in floats, whose blocks are all of one kind. */
static void floats_add(const struct deep *deep, struct complex_f64 c, struct forecast_steps *steps)
{
    const struct pixel_common_f32 *common = &deep->late;
    struct pixel_state_f32 pixel = late_begin(&deep->common, common, c.x, c.y);
    struct pixel_kept_f32 kept = {.m = -1};
    int64_t taken;
    for (int done = 0; !done && !stop_asked(deep->options.stop);)
        if (pixel.direct) {
            done = pixel_direct_steps_f32(&pixel, common, 0, 1, STEPS_AT_ONCE, &taken);
            steps->px[NUMBER_FP32][FORECAST_DIRECT] += (double)taken;
        } else {
            const int64_t from = pixel.n;
            const bool has_exponent = pixel.e != 0;
            done = pixel_along_f32(&pixel, common, deep->options.blocks, 0, 1, 1, &taken, NULL);
            if (taken)
                steps->px[NUMBER_FP32]
                         [kind_of(pixel.n - from, has_exponent && pixel.n - from == 1)]++;
            if (taken && !done)
                done = pixel_repeats_f32(&pixel, &kept);
        }
}

struct forecast_steps forecast_steps_count(const struct deep *deep, const struct grid *grid,
                                           int32_t stride)
{
    struct forecast_steps steps = {{{0}}};
    int64_t pixels = 0;
    for (int32_t y = stride / 2; y < grid->height; y += stride)
        for (int32_t x = stride / 2; x < grid->width; x += stride, pixels++) {
            struct complex_f64 c;
            pixel_c(grid, x, y, &c.x, &c.y);
            (deep->late.z ? floats_add : doubles_add)(deep, c, &steps);
        }
    for (int number = 0; number < NUMBERS; number++)
        for (int kind = 0; kind < FORECAST_KINDS; kind++)
            steps.px[number][kind] /= (double)(pixels ? pixels : 1);
    return steps;
}
