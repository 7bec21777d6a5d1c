#include "kernels/deep/block_usage.h"

#include "kernels/deep/formula_pixel.h"
#include "kernels/deep/rational/henon_pixel.h"
#include "kernels/deep/rational/newton_kinds.h"
#include "kernels/escape/pixel.h"
#include "kernels/stop.h"

/* Counts a table of the blocks of `end` steps. */
static void table_count(struct block_usage *survey, const struct block_table *table, int64_t end)
{
    survey->levels = table->levels > survey->levels ? table->levels : survey->levels;
    survey->shortest = table->shortest;
    for (int l = 0; l < table->levels; l++) {
        struct deep_level *level = &survey->level[l];
        int64_t blocks = end >> (table->shortest + l);
        level->blocks += blocks;
        for (int64_t i = 0; i < blocks; i++)
            level->hold += table->radius[l][i] != WIDE_KEY_NONE;
    }
}

static void shared_count(struct block_usage *survey, const struct deep *deep)
{
    table_count(survey, &deep->common.table, deep->common.end);
}

static void formula_count(struct block_usage *survey, const struct deep *deep)
{
    const struct formula_common *formula = deep->formula;
    for (int i = 0; i < formula->references; i++)
        table_count(survey, &formula->table[i], formula->reference[i].end - 1);
}

static void newton_count(struct block_usage *survey, const struct deep *deep)
{
    const struct newton_common *newton = deep->newton;
    for (int i = 0; i < newton->references; i++)
        table_count(survey, &newton->table[i], newton->reference[i].end - newton->first);
}

/* Counts a block or step by its length. */
static void taken_count(struct block_usage *survey, int64_t length, int directly)
{
    if (length > 1)
        survey->level[__builtin_ctzll((uint64_t)length) - survey->shortest].taken++;
    else if (directly)
        survey->unreferenced++;
    else
        survey->single++;
}

static int64_t formula_follow(struct block_usage *survey, const struct deep *deep, double re,
                              double im, int64_t most)
{
    struct formula_pixel pixel = formula_begin(deep->formula, re, im);
    int64_t steps = 0;
    int wide = deep->common.exponent != 0;
    for (int done = 0; !done && steps < most; steps++) {
        int64_t before = pixel.at.n;
        int directly = pixel.at.direct;
        done = formula_on(&pixel, deep->formula, deep->options.blocks, 0, wide, 1, NULL);
        taken_count(survey, pixel.at.n - before, directly || pixel.at.direct);
    }
    survey->iterations += (uint64_t)pixel.at.n;
    return steps;
}

static int64_t newton_follow(struct block_usage *survey, const struct deep *deep, double re,
                             double im, int64_t most)
{
    const enum newton_kind kind = deep->newton->kind;
    struct newton_pixel pixel = newton_kind_begin(deep->newton, re, im, kind);
    int64_t steps = 0;
    for (int done = 0; !done && steps < most; steps++) {
        int64_t before = pixel.n;
        int directly = pixel.direct;
        done = newton_kind_on(&pixel, deep->newton, deep->options.blocks, 0, 1, NULL, kind);
        if (pixel.n > before)
            taken_count(survey, pixel.n - before, directly);
    }
    survey->iterations += (uint64_t)pixel.n;
    return steps;
}

static int64_t henon_follow(struct block_usage *survey, const struct deep *deep, double re,
                            double im, int64_t most)
{
    struct henon_pixel pixel = henon_begin(deep->henon, re, im);
    int64_t steps = 0;
    for (int done = 0; !done && steps < most;) {
        struct henon_pixel before = pixel;
        done = henon_on(&pixel, deep->henon, deep->options.blocks, 0, 1);
        int64_t taken = (int64_t)(pixel.steps - before.steps);
        if (taken == 1 && pixel.n > before.n)
            taken_count(survey, pixel.n - before.n, pixel.direct);
        else if (pixel.direct)
            survey->unreferenced += (uint64_t)taken;
        else
            survey->single += (uint64_t)taken;
        steps += taken;
    }
    survey->iterations += (uint64_t)pixel.n;
    return steps;
}

static int64_t quadratic_follow(struct block_usage *survey, const struct deep *deep, double re,
                                double im, int64_t most)
{
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
    return steps;
}

static const struct family {
    void (*tables_count)(struct block_usage *survey, const struct deep *deep);
    /* Counts what a pixel takes. Returns the steps; of one that takes more than `most`, the first
     * of them. */
    int64_t (*follow)(struct block_usage *survey, const struct deep *deep, double re, double im,
                      int64_t most);
} families[DEEP_FAMILIES] = {
    [DEEP_QUADRATIC] = {shared_count, quadratic_follow},
    [DEEP_LISTS] = {formula_count, formula_follow},
    [DEEP_NEWTON] = {newton_count, newton_follow},
    [DEEP_REBASING] = {newton_count, newton_follow},
    [DEEP_HENON] = {shared_count, henon_follow},
};

void block_usage_count(struct block_usage *survey, const struct deep *deep,
                       const struct grid *whole, const volatile int *stop)
{
    enum { ACROSS = 24, DOWN = BLOCK_USAGE_PIXELS / ACROSS, STRIDE = 149 };
    const struct family *family = &families[deep->family];
    int64_t left = BLOCK_USAGE_STEPS;
    *survey = (struct block_usage){.levels = 0};
    family->tables_count(survey, deep);
    for (int i = 0; i < BLOCK_USAGE_PIXELS && left > 0; i++) {
        int at = i * STRIDE % BLOCK_USAGE_PIXELS; /* spreads the first pixels, too */
        int64_t x = (at % ACROSS * 2 + 1) * (int64_t)whole->width / (2 * ACROSS);
        int64_t y = (at / ACROSS * 2 + 1) * (int64_t)whole->height / (2 * DOWN);
        double re, im;
        if (stop_asked(stop))
            return;
        pixel_c(whole, (int32_t)x, (int32_t)y, &re, &im);
        left -= family->follow(survey, deep, re, im, left);
        survey->pixels++;
    }
}
