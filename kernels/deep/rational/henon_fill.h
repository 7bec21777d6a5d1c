/* The building of the blocks of Hénon maps, as formula_fill.h. */
#ifndef KERNELS_DEEP_RATIONAL_HENON_FILL_H
#define KERNELS_DEEP_RATIONAL_HENON_FILL_H

#include "kernels/deep/rational/henon_pixel.h"
#include "kernels/deep/table.h"

struct henon_source {
    struct table_source table; /* end: steps from Z_1 on; `fill` casts it to this struct */
    const struct henon_common *common;
    const struct henon_size *size; /* |T_m|, m = 0 ... end of the reference */
};

struct henon_leaf {
    struct henon_block block;
    int32_t radius; /* a key */
};

/* One step from Z_m, exactly; within its radius no z on the way is beyond R. */
DEEP_FN struct henon_leaf henon_leaf(const struct henon_source *source, int64_t m)
{
    const struct henon_common *common = source->common;
    struct complex_f64 z = henon_point(common, m);
    struct henon_leaf leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.block.a[0][0] = complex_scale(2, z);
    leaf.block.a[0][1].x = common->by_last;
    leaf.block.a[1][0].x = 1;
    leaf.block.q[0][0].x = 1;
    leaf.block.rounding = (float)henon_norm(&leaf.block.a[0][0], 2);
    leaf.block.b[0].x = !common->dynamic;
    leaf.block.of_c = common->dynamic ? HENON_NO_C : source->table.limits.unit;
    double room = source->table.limits.bailout - complex_abs(z) * BLOCK_SLACK;
    leaf.radius = room > 0 ? wide_key(room * (1 - 0x1p-40), 0) : WIDE_KEY_NONE;
    return leaf;
}

/* Block of 2^levels steps from Z_(m + 1) on, as formula_shortest. */
DEEP_FN struct henon_leaf henon_shortest(const struct henon_source *source, int64_t m, int levels)
{
    struct henon_leaf waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 1; i <= (int64_t)1 << levels; i++) {
        struct henon_leaf block = henon_leaf(source, m + i);
        int level = 0;
        if (TABLE_STOPPED(&source->table))
            return block;
        for (; (i - 1) >> level & 1; level++) {
            struct henon_leaf both;
            both.radius = henon_join(&waiting[level].block, waiting[level].radius, &block.block,
                                     block.radius, &source->table.limits, &source->size[m + i + 1],
                                     (int64_t)1 << level, &both.block);
            block = both;
        }
        waiting[level] = block;
    }
    return waiting[levels];
}

DEEP_FN int henon_fill(const struct block_table *table, const struct table_source *table_source,
                       int level, int64_t from, int64_t to)
{
    const struct henon_source *source = (const struct henon_source *)table_source;
    struct henon_block *record = (struct henon_block *)table->record[level];
    int32_t *radius = (int32_t *)table->radius[level];
    int any = 0;
    for (int64_t i = from; i < to; i++) {
        int shift = table->shortest + level;
        struct henon_leaf block;
        if (level == 0)
            block = henon_shortest(source, i << shift, shift);
        else {
            const struct henon_block *below =
                (const struct henon_block *)table->record[level - 1] + 2 * i;
            const int32_t *radii = table->radius[level - 1] + 2 * i;
            block.radius = henon_join(&below[0], radii[0], &below[1], radii[1],
                                      &source->table.limits, &source->size[((i + 1) << shift) + 1],
                                      (int64_t)1 << (shift - 1), &block.block);
        }
        record[i] = block.block;
        radius[i] = block.radius;
        any |= block.radius != WIDE_KEY_NONE;
    }
    return any;
}

#endif
