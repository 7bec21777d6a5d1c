/* The building of the blocks of any formula, as table_fill.h. */
#ifndef KERNELS_DEEP_FORMULA_FILL_H
#define KERNELS_DEEP_FORMULA_FILL_H

#include "kernels/deep/formula_pixel.h"
#include "kernels/deep/table.h"

struct formula_source {
    struct table_source table; /* end: steps from Z_1 on; `fill` casts it to this struct */
    const struct formula_common *common;
    int32_t reference;
    double steps_most; /* most steps of a block */
};

/* Adds block i of the 2^n of which a block is merged, like the digits of a binary counter: after
 * the last one waiting[n] is the whole block. */
DEEP_FN void formula_count_in(struct formula_leaf *waiting, int64_t i, struct formula_leaf block,
                              const struct block_limits *limits)
{
    int level = 0;
    for (; i >> level & 1; level++) {
        struct formula_leaf both;
        both.radius = formula_join(&waiting[level].block, waiting[level].radius, &block.block,
                                   block.radius, limits, &both.block);
        block = both;
    }
    waiting[level] = block;
}

/* Block i of a level, merged from two of the level below. */
DEEP_FN struct formula_leaf formula_above(const struct block_table *table, int level, int64_t i,
                                          const struct block_limits *limits)
{
    const struct formula_block *below =
        (const struct formula_block *)table->record[level - 1] + 2 * i;
    const int32_t *radii = table->radius[level - 1] + 2 * i;
    struct formula_leaf both;
    both.radius = formula_join(&below[0], radii[0], &below[1], radii[1], limits, &both.block);
    return both;
}

/* Block of 2^levels steps from Z_(m + 1) on. */
DEEP_FN struct formula_leaf formula_shortest(const struct formula_source *source, int64_t m,
                                             int levels)
{
    const struct formula_common *common = source->common;
    const struct formula_reference *reference = &common->reference[source->reference];
    struct formula_leaf waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        int32_t phase = formula_list_at(common, reference->phase + m + 1 + i);
        struct formula_leaf leaf =
            formula_leaf(formula_list(common, phase), reference, m + 1 + i, &source->table.limits,
                         !common->dynamic, common->shared.direct.centre);
        if (TABLE_STOPPED(&source->table))
            return leaf;
        formula_count_in(waiting, i, leaf, &source->table.limits);
    }
    return waiting[levels];
}

DEEP_FN int formula_fill(const struct block_table *table, const struct table_source *table_source,
                         int level, int64_t from, int64_t to)
{
    const struct formula_source *source = (const struct formula_source *)table_source;
    struct formula_block *record = (struct formula_block *)table->record[level];
    struct formula_block_f32 *narrow = (struct formula_block_f32 *)table->record_f32[level];
    int32_t *radius = (int32_t *)table->radius[level];
    int any = 0;
    for (int64_t i = from; i < to; i++) {
        struct formula_leaf block =
            level ? formula_above(table, level, i, &source->table.limits)
                  : formula_shortest(source, i << table->shortest, table->shortest);
        record[i] = formula_bake(&block.block, source->table.wide);
        if (source->table.narrow)
            narrow[i] = formula_narrow(&block.block);
        radius[i] = (double)((int64_t)1 << (table->shortest + level)) > source->steps_most
                        ? WIDE_KEY_NONE
                        : block.radius;
        any |= block.radius != WIDE_KEY_NONE;
    }
    return any;
}

#endif
