#include "kernels/deep/block_usage.h"

#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/pixel.h"

static void table_count(struct block_usage *survey, const struct pixel_common *common)
{
    const struct block_table *table = &common->table;
    survey->levels = table->levels;
    survey->shortest = table->shortest;
    for (int l = 0; l < table->levels; l++) {
        struct deep_level *level = &survey->level[l];
        level->blocks = common->end >> (table->shortest + l);
        for (int64_t i = 0; i < level->blocks; i++)
            level->hold += table->radius[l][i] != WIDE_KEY_NONE;
    }
}

/* How far a step went says what it was. */
static void taken_count(struct block_usage *survey, int64_t length, int directly)
{
    if (length > 1)
        survey->level[__builtin_ctzll((uint64_t)length) - survey->shortest].taken++;
    else if (directly)
        survey->unreferenced++;
    else
        survey->single++;
}

/* Returns the steps; of a pixel that takes more than `most`, the first of them. */
static int64_t pixel_follow(struct block_usage *survey, const struct deep *deep,
                            const struct grid *whole, int32_t x, int32_t y, int64_t most)
{
    double re, im;
    pixel_c(whole, x, y, &re, &im);
    struct pixel_state pixel = pixel_begin(&deep->common, re, im);
    int64_t steps = 0;
    int wide = deep->common.exponent != 0;
    for (int done = 0; !done && steps < most; steps++) {
        int64_t before = pixel.n;
        int directly = pixel.direct;
        done = pixel_on(&pixel, &deep->common, deep->options.blocks, 0, wide, 1);
        taken_count(survey, pixel.n - before, directly || pixel.direct);
    }
    survey->iterations += (uint64_t)pixel.n;
    survey->pixels++;
    return steps;
}

void block_usage_count(struct block_usage *survey, const struct deep *deep,
                       const struct grid *whole, const volatile int *stop)
{
    enum { ACROSS = 24, DOWN = BLOCK_USAGE_PIXELS / ACROSS, STRIDE = 149 };
    int64_t left = BLOCK_USAGE_STEPS;
    *survey = (struct block_usage){.levels = 0};
    table_count(survey, &deep->common);
    for (int i = 0; i < BLOCK_USAGE_PIXELS && left > 0; i++) {
        int at = i * STRIDE % BLOCK_USAGE_PIXELS; /* so that the first ones are spread, too */
        int64_t x = (at % ACROSS * 2 + 1) * (int64_t)whole->width / (2 * ACROSS);
        int64_t y = (at / ACROSS * 2 + 1) * (int64_t)whole->height / (2 * DOWN);
        if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
            return;
        left -= pixel_follow(survey, deep, whole, (int32_t)x, (int32_t)y, left);
    }
}
