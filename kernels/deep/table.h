/* The table of the blocks of a reference orbit, with the radii within which they hold.
 *
 * The shortest blocks are merged from single steps on the spot, the others from two of the level
 * below. Levels end where no block holds any more. Memory is 132 bytes for a block and less than
 * two blocks for every 2^shortest steps of the reference: 33 bytes a step for blocks of 8. */
#ifndef KERNELS_DEEP_TABLE_H
#define KERNELS_DEEP_TABLE_H

#include <stddef.h>

#include "kernels/deep/pixel_state.h"
#include "kernels/status.h"

/* Is the building to stop? A shortest block may be of many steps. */
#ifdef __CUDACC__
#define TABLE_STOPPED(source) 0 /* launches are short */
#else
#include "kernels/stop.h"
#define TABLE_STOPPED(source) stop_asked((source)->stop)
#endif

enum { TABLE_SHORTEST_MOST = 16 };

struct table_source;

/* Builds blocks [from, to) of a level, from the steps or from the level below; says whether any
 * holds. table_fill.h has it, compiled for each instruction set. */
typedef int table_fill_function(const struct block_table *table, const struct table_source *source,
                                int level, int64_t from, int64_t to);

struct table_source {
    table_fill_function *fill;
    const struct orbit_point *z; /* points of steps 0 ... end - 1 */
    const struct orbit_tiny *tiny;
    int64_t end, tiny_count;
    int wide; /* records for pixels that leave the exponents of doubles */
    struct block_limits limits;
    int shortest;
    size_t record_bytes; /* 0: those of struct quadratic_block; else a multiple of 16 */
    int narrow;          /* 1: records of floats, too, for pixels that go on in fp32 */
    size_t bytes_max;    /* 0: no bound */
    int threads;
    const volatile int *stop; /* or NULL */
    /* Reports the merging of blocks, on the calling thread; may be NULL. */
    void (*progress)(void *context, int64_t done, int64_t all);
    void *context;
};

/* The levels of a table, as yet without records and radii, and the bytes that these take: 0 and no
 * levels where not even the longest of the shortest blocks fit. */
size_t table_plan(struct block_table *table, const struct table_source *source);

/* Blocks of a level. */
int64_t table_blocks(const struct block_table *table, const struct table_source *source, int level);

/* Places records and radii in memory of the caller, of any space, aligned for loads of 16 bytes. */
void table_place(struct block_table *table, const struct table_source *source, void *memory);

/* *memory is the caller's to free, also after a failure; *bytes is its size. */
enum status table_build(struct block_table *table, const struct table_source *source, void **memory,
                        size_t *bytes);

#endif
