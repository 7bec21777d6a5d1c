/* The building of blocks from the steps of a reference, and from each other.
 *
 * A header, to be compiled for each instruction set (without the instruction, fma() is a call)
 * and for GPUs: in the common subset of C17 and CUDA C++17. */
#ifndef KERNELS_DEEP_TABLE_FILL_H
#define KERNELS_DEEP_TABLE_FILL_H

#include "kernels/deep/table.h"

struct built { /* a block on its way into the table */
    struct quadratic_block block;
    int32_t radius; /* a key */
};

DEEP_FN struct built leaf_build(const struct table_source *source, int64_t m)
{
    struct complex_wide z = wide_point(source->z, source->tiny, source->tiny_count, m);
    struct built leaf;
    if (m == 0) {
        leaf.radius = block_first_radius(&source->limits);
        leaf.block = block_first(&source->limits);
        return leaf;
    }
    leaf.radius = block_leaf_radius(z, &source->limits);
    leaf.block = block_leaf(z, &source->limits);
    return leaf;
}

DEEP_FN struct built built_join(const struct table_source *source, const struct built *x,
                                const struct built *y)
{
    struct built xy;
    xy.radius = block_join(&x->block, x->radius, &y->block, y->radius, &source->limits, &xy.block);
    return xy;
}

/* Block of 2^levels steps from m on. Two of a kind are merged as soon as there are two, like the
 * ones of a binary counter, so that one block of every length is all that is kept. */
DEEP_FN struct built shortest_build(const struct table_source *source, int64_t m, int levels)
{
    struct built waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        struct built block = leaf_build(source, m + i);
        int level = 0;
        if (TABLE_STOPPED(source))
            return block;
        for (; i >> level & 1; level++)
            block = built_join(source, &waiting[level], &block);
        waiting[level] = block;
    }
    return waiting[levels];
}

DEEP_FN int table_fill(const struct block_table *table, const struct table_source *source,
                       int level, int64_t from, int64_t to)
{
    struct quadratic_block *record = (struct quadratic_block *)table->record[level];
    int32_t *radius = (int32_t *)table->radius[level];
    int any = 0;
    for (int64_t i = from; i < to; i++) {
        struct built block;
        if (level == 0)
            block = shortest_build(source, i << table->shortest, table->shortest);
        else {
            const struct quadratic_block *below = table->record[level - 1] + 2 * i;
            const int32_t *radii = table->radius[level - 1] + 2 * i;
            struct built x = {below[0], radii[0]}, y = {below[1], radii[1]};
            block = built_join(source, &x, &y);
        }
        record[i] = block_bake(&block.block, source->wide);
        radius[i] = block.radius;
        any |= block.radius != WIDE_KEY_NONE;
    }
    return any;
}

#endif
