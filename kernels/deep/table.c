#include "kernels/deep/table.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MERGED_AT_ONCE = 512 }; /* blocks, by one thread: less than a millisecond */

/* Steps and merges of a table: those that all threads have done, and all. */
struct amount {
    int64_t done, all;
};

static void progress_report(const struct table_source *source, struct amount *amount, int64_t more)
{
    int64_t done = __atomic_add_fetch(&amount->done, more, __ATOMIC_RELAXED);
    if (source->progress && omp_get_thread_num() == 0)
        source->progress(source->context, done, amount->all);
}

/* Builds one level; says whether any of its blocks holds. */
static bool level_build(const struct block_table *table, const struct table_source *source,
                        int level, struct amount *amount)
{
    int64_t count = table_blocks(table, source, level);
    int64_t batch = level ? MERGED_AT_ONCE : MERGED_AT_ONCE >> table->shortest;
    batch = batch ? batch : 1;
    int any = 0;
#pragma omp parallel for num_threads(source->threads) schedule(dynamic) \
    reduction(|                                                         \
              : any) if (count > batch)
    for (int64_t from = 0; from < count; from += batch) {
        int64_t to = from + batch < count ? from + batch : count;
        if (TABLE_STOPPED(source))
            continue;
        any |= source->fill(table, source, level, from, to);
        progress_report(source, amount, (to - from) << (level ? 0 : table->shortest));
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

enum { LINE_BYTES = 128 };

static size_t record_bytes(const struct table_source *source)
{
    return source->record_bytes ? source->record_bytes : sizeof(struct quadratic_block);
}

static size_t block_bytes(const struct table_source *source)
{
    return record_bytes(source) + sizeof(int32_t) +
           (source->narrow ? sizeof(struct quadratic_block_f32) : 0);
}

static int shortest_fitting(const struct table_source *source)
{
    int shortest = source->shortest;
    while (source->bytes_max && shortest < TABLE_SHORTEST_MOST &&
           (uint64_t)blocks_count(source->end, shortest) > source->bytes_max / block_bytes(source))
        shortest++;
    return shortest;
}

size_t table_plan(struct block_table *table, const struct table_source *source)
{
    *table = (struct block_table){.shortest = shortest_fitting(source)};
    int64_t count = blocks_count(source->end, table->shortest);
    if (source->bytes_max && (uint64_t)count > source->bytes_max / block_bytes(source))
        return 0; /* a table of no levels */
    while (table->levels + table->shortest < BLOCK_LEVELS &&
           table_blocks(table, source, table->levels))
        table->levels++;
    return (size_t)count * block_bytes(source);
}

int64_t table_blocks(const struct block_table *table, const struct table_source *source, int level)
{
    return source->end >> (table->shortest + level);
}

void table_place(struct block_table *table, const struct table_source *source, void *memory)
{
    char *record = memory;
    for (int level = 0; level < table->levels; level++) {
        table->record[level] = (const struct quadratic_block *)record;
        record += (size_t)table_blocks(table, source, level) * record_bytes(source);
    }
    for (int level = 0; level < table->levels && source->narrow; level++) {
        table->record_f32[level] = (const struct quadratic_block_f32 *)record;
        record += (size_t)table_blocks(table, source, level) * sizeof *table->record_f32[level];
    }
    int32_t *radius = (int32_t *)record;
    for (int level = 0; level < table->levels; level++) {
        table->radius[level] = radius;
        radius += table_blocks(table, source, level);
    }
}

enum status table_build(struct block_table *table, const struct table_source *source, void **memory,
                        size_t *bytes)
{
    *bytes = table_plan(table, source);
    *memory = aligned_alloc(LINE_BYTES, *bytes / LINE_BYTES * LINE_BYTES + LINE_BYTES);
    if (!*memory)
        return status_fail(
            STATUS_OUT_OF_MEMORY,
            "no memory for the blocks of a reference orbit of %lld steps (%zu bytes)",
            (long long)source->end, *bytes);
    table_place(table, source, *memory);
    /* A block of the lowest level takes as many merges as it has steps. */
    struct amount amount = {.all = blocks_count(source->end, table->shortest + 1) + source->end};
    for (int level = 0; level < table->levels; level++)
        if (!level_build(table, source, level, &amount))
            table->levels = level;
    if (TABLE_STOPPED(source))
        return status_fail(STATUS_STOPPED, "stopped while building blocks");
    return STATUS_OK;
}
