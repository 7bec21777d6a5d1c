#include "kernels/deep/table.h"

#include <stdbool.h>
#include <stdlib.h>

struct built { /* a block on its way into the table */
    struct block block;
    double radius;
};

static struct built leaf_build(const struct table_source *source, int64_t m)
{
    struct complex_f64 z = {source->z[m].x, source->z[m].y};
    struct built leaf = {.radius = block_leaf_radius(z, &source->limits)};
    leaf.block = block_leaf(z, leaf.radius, &source->limits);
    return leaf;
}

static struct built built_join(const struct table_source *source, const struct built *x,
                               const struct built *y)
{
    struct built xy = *x;
    xy.radius = x->radius > 0 && y->radius > 0 ? block_join(&x->block, x->radius, &y->block,
                                                            y->radius, &source->limits, &xy.block)
                                               : 0;
    return xy;
}

/* 2^levels steps from m on. Two of a kind are merged as soon as there are two, like the ones of a
 * binary counter, so that one block of every length is all that is kept. */
static struct built shortest_build(const struct table_source *source, int64_t m, int levels)
{
    struct built waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        struct built block = leaf_build(source, m + i);
        int level = 0;
        for (; i >> level & 1; level++)
            block = built_join(source, &waiting[level], &block);
        waiting[level] = block;
    }
    return waiting[levels];
}

static bool stopped(const struct table_source *source)
{
    return source->stop && __atomic_load_n(source->stop, __ATOMIC_RELAXED);
}

/* Fills one level; says whether any of its blocks holds. */
static bool level_build(const struct block_table *table, const struct table_source *source,
                        int level)
{
    struct block *record = (struct block *)table->record[level];
    double *radius = (double *)table->radius[level];
    int64_t count = source->end >> (table->shortest + level);
    int any = 0;
#pragma omp parallel for num_threads(source->threads) schedule(dynamic, 256) reduction(| : any)
    for (int64_t i = 0; i < count; i++) {
        if (stopped(source))
            continue;
        struct built block;
        if (level == 0)
            block = shortest_build(source, i << table->shortest, table->shortest);
        else {
            const struct block *below = table->record[level - 1] + 2 * i;
            const double *radii = table->radius[level - 1] + 2 * i;
            struct built x = {below[0], radii[0]}, y = {below[1], radii[1]};
            block = built_join(source, &x, &y);
        }
        record[i] = block.block;
        radius[i] = block.radius;
        any |= block.radius > 0;
    }
    return any;
}

/* Blocks on all levels from `shortest` on. */
static int64_t blocks_count(int64_t end, int shortest)
{
    int64_t count = 0;
    for (int level = shortest; level < BLOCK_LEVELS && end >> level; level++)
        count += end >> level;
    return count;
}

enum { BLOCK_BYTES = sizeof(struct block) + sizeof(double) };

static int shortest_fitting(const struct table_source *source)
{
    int shortest = source->shortest;
    while (source->bytes_max && shortest < TABLE_SHORTEST_MOST &&
           (uint64_t)blocks_count(source->end, shortest) > source->bytes_max / BLOCK_BYTES)
        shortest++;
    return shortest;
}

static enum status table_allocate(struct block_table *table, const struct table_source *source,
                                  void **memory, size_t *bytes)
{
    int64_t count = blocks_count(source->end, table->shortest);
    if (source->bytes_max && (uint64_t)count > source->bytes_max / BLOCK_BYTES)
        count = 0; /* a table of no levels */
    *bytes = (size_t)count * BLOCK_BYTES;
    *memory = malloc(*bytes ? *bytes : 1);
    if (!*memory)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for %lld blocks of a reference orbit of %lld steps (%zu "
                           "bytes)",
                           (long long)count, (long long)source->end, *bytes);
    struct block *record = *memory;
    double *radius = (double *)(record + count);
    for (int level = 0; count && level + table->shortest < BLOCK_LEVELS; level++) {
        int64_t of_level = source->end >> (table->shortest + level);
        table->levels += of_level > 0;
        table->record[level] = record;
        table->radius[level] = radius;
        record += of_level;
        radius += of_level;
    }
    return STATUS_OK;
}

enum status table_build(struct block_table *table, const struct table_source *source, void **memory,
                        size_t *bytes)
{
    *table = (struct block_table){.shortest = shortest_fitting(source)};
    TRY(table_allocate(table, source, memory, bytes));
    for (int level = 0; level < table->levels; level++)
        if (!level_build(table, source, level))
            table->levels = level;
    if (stopped(source))
        return status_fail(STATUS_STOPPED, "stopped while building blocks");
    return STATUS_OK;
}
