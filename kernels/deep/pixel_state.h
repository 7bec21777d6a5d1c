/* The state of a pixel by perturbation between two steps, and its steps from z_0 to its count.
 *
 * A pixel can be saved and restored. It goes along the reference by the longest block that starts
 * where it is and holds for its delta, else by a step: without the reference (`direct`) where that
 * is exact enough (direct.h). The choice depends on nothing but the pixel and the table, so counts
 * are the same bits for any cutting into tiles, any order and any machine. */
#ifndef KERNELS_DEEP_PIXEL_STATE_H
#define KERNELS_DEEP_PIXEL_STATE_H

#include "kernels/deep/block.h"
#include "kernels/deep/direct.h"
#include "kernels/escape/distance.h"
#include "kernels/escape/phase.h"
#include "kernels/orbit/orbit.h"

enum { BLOCK_LEVELS = 40 };

/* Blocks of level l have 2^(shortest + l) steps and start at multiples of that, from z_0 on. */
struct block_table {
    const struct quadratic_block *record[BLOCK_LEVELS];         /* [end >> (shortest + l)] */
    const struct quadratic_block_f32 *record_f32[BLOCK_LEVELS]; /* the same, or NULL */
    const int32_t *radius[BLOCK_LEVELS]; /* keys, apart from records: most probes need no more */
    int levels, shortest;
};

/* Level from which to search for a block that starts `from` steps behind the first one, with `left`
 * steps to the limit and `to_end` to the end of the reference; last: level of the last block. -1:
 * none starts there, as for -1, before the first one. */
DEEP_FN int table_level_most(const struct block_table *table, int64_t from, int64_t left,
                             int64_t to_end, int last)
{
    if (from & (((int64_t)1 << table->shortest) - 1))
        return -1;
    int64_t room = from ? from & -from : INT64_MAX; /* steps of a block that may start there */
    room = left < room ? left : room;
    room = to_end < room ? to_end : room;
    int level = escape_log2(room | 1) - table->shortest;
    level = last + 2 < level ? last + 2 : level;
    return table->levels - 1 < level ? table->levels - 1 : level;
}

/* Level of the longest block, from `level` down, that holds for a key, or -1. */
DEEP_FN int table_level(const struct block_table *table, int64_t from, int level, int32_t reach)
{
    while (level >= 0 && reach >= table->radius[level][from >> (table->shortest + level)])
        level--;
    return level;
}

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/pixel_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/pixel_body.h"
#include "kernels/deep/number/real_end.h"

/* Steps from Z_m up to where a block may start, in a table from Z_1 on, the end of the reference,
 * or the limit. */
DEEP_FN int64_t table_room(const struct block_table *table, int64_t m, int64_t to_end, int64_t left)
{
    int64_t length = (int64_t)1 << table->shortest;
    int64_t room = m ? length - ((m - 1) & (length - 1)) : 1;
    room = to_end < room ? to_end : room;
    return left < room ? left : room;
}

DEEP_FN struct pixel_state pixel_begin(const struct pixel_common *common, double c_re, double c_im)
{
    struct pixel_state pixel = {{0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    pixel.c.x = c_re;
    pixel.c.y = c_im;
    pixel.level = common->table.levels - 1;
    pixel.e = pixel.dz_e = common->exponent ? WIDE_ZERO : 0;
    return pixel;
}

/* Distance of a pixel that escaped; else (0, 0). */
DEEP_FN struct distance pixel_distance(const struct pixel_state *pixel,
                                       const struct pixel_common *common)
{
    struct distance none = {0.0f, 0.0f};
    if (!pixel->count)
        return none;
    struct complex_f64 z = pixel_end(pixel, common);
    return distance_of(z.x, z.y, pixel->dz.x, pixel->dz.y, pixel->dz_e);
}

DEEP_FN float pixel_phase(const struct pixel_state *pixel, const struct pixel_common *common)
{
    if (!pixel->count)
        return 0.0f;
    struct complex_f64 z = pixel_end(pixel, common);
    return phase_of(z.x, z.y);
}

#endif
