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
    const struct quadratic_block *record[BLOCK_LEVELS]; /* [end >> (shortest + l)] */
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

/* Steps from Z_m up to where a block may start, in a table from Z_1 on, the end of the reference,
 * or the limit. */
DEEP_FN int64_t table_room(const struct block_table *table, int64_t m, int64_t to_end, int64_t left)
{
    int64_t length = (int64_t)1 << table->shortest;
    int64_t room = m ? length - ((m - 1) & (length - 1)) : 1;
    room = to_end < room ? to_end : room;
    return left < room ? left : room;
}

struct pixel_common { /* what the pixels of a picture share; read only */
    const struct orbit_point *z;
    const struct orbit_tiny *tiny; /* tiny points, in a wide picture */
    int64_t tiny_count;
    int64_t end;    /* a pixel that comes to Z_end starts again, from Z_0 */
    int64_t period; /* period of a cycle: Z_end is Z_(end - period), the next point; else 0 */
    int64_t limit;
    double bailout, bailout_squared;
    int32_t exponent;          /* c and step are over 2^exponent; 0 unless the picture is wide */
    struct complex_f64 step;   /* dc of one pixel to the right */
    double per_unit;           /* v = c per_unit */
    struct complex_f64 step_v; /* step per_unit */
    struct block_table table;
    struct direct_limits direct; /* set with blocks only */
    int inside;                  /* 1: pixels may be proven inside (inside.h) */
};

struct pixel_state {
    struct complex_f64 c, delta, dz; /* z_n = Z_m + delta; dz: dz_n per pixel, with slopes */
    int64_t m, n;
    int64_t count;   /* smallest n >= 1 with |z_n| > R; 0 */
    double norm;     /* |z_n|^2 */
    double slope;    /* see direct.h */
    int direct;      /* 1: the pixel goes without the reference, and delta is z_n */
    uint64_t steps;  /* blocks and single steps */
    int level;       /* level of the last block; where the next search begins */
    int32_t e, dz_e; /* delta and dz are over 2^e, 2^dz_e; 0 unless the picture is wide */
};

DEEP_FN struct pixel_state pixel_begin(const struct pixel_common *common, double c_re, double c_im)
{
    struct pixel_state pixel = {{0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    pixel.c.x = c_re;
    pixel.c.y = c_im;
    pixel.level = common->table.levels - 1;
    pixel.e = pixel.dz_e = common->exponent ? WIDE_ZERO : 0;
    return pixel;
}

/* Key of the size of delta^2, which blocks from Z_0 on take, or of delta, which all others take. */
DEEP_FN int32_t pixel_reach(const struct pixel_state *pixel, int32_t e)
{
    double reach = complex_reach(pixel->delta);
    return pixel->m ? wide_key(reach, e) : wide_key(reach * reach, 2 * e);
}

/* The longest block that starts at m and may be used for such a key, or -1. */
DEEP_FN int pixel_level(const struct pixel_state *pixel, const struct pixel_common *common,
                        int32_t reach)
{
    int level = table_level_most(&common->table, pixel->m, common->limit - pixel->n,
                                 common->end - pixel->m, pixel->level);
    return table_level(&common->table, pixel->m, level, reach);
}

DEEP_FN void pixel_leap(struct pixel_state *pixel, const struct pixel_common *common, int slopes,
                        int level)
{
    int shift = common->table.shortest + level;
    const struct quadratic_block block =
        escape_load(&common->table.record[level][pixel->m >> shift]);
    struct complex_f64 v = complex_scale(common->per_unit, pixel->c), from = pixel->delta;
    if (pixel->m == 0) {
        from = complex_mul(pixel->delta, pixel->delta);
        if (slopes)
            pixel->dz = complex_mul(complex_scale(2, pixel->delta), pixel->dz);
    }
    if (slopes)
        pixel->dz = block_slope(&block, from, v, pixel->dz, common->step_v);
    pixel->delta = block_apply(&block, from, v);
    pixel->m += (int64_t)1 << shift;
    pixel->n += (int64_t)1 << shift;
}

DEEP_FN struct complex_f64 pixel_reference(const struct pixel_common *common, int64_t m)
{
    return point_load(&common->z[m]);
}

DEEP_FN void pixel_step(struct pixel_state *pixel, const struct pixel_common *common, int slopes)
{
    struct complex_f64 z = pixel_reference(common, pixel->m);
    if (slopes)
        pixel->dz = delta_slope(complex_add(pixel->delta, 1, z), pixel->dz, common->step);
    pixel->delta = delta_step(z, pixel->delta, pixel->c);
    pixel->m++;
    pixel->n++;
}

/* Has the pixel escaped at z_n, or reached the limit? */
DEEP_FN int pixel_ends(struct pixel_state *pixel, const struct pixel_common *common,
                       struct complex_f64 z)
{
    pixel->norm = fma(z.x, z.x, z.y * z.y);
    if (pixel->norm > common->bailout_squared)
        pixel->count = pixel->n;
    return pixel->count || pixel->n == common->limit;
}

/* Does the pixel end at z_n? Else it rebases where that is due. */
DEEP_FN int pixel_arrive(struct pixel_state *pixel, const struct pixel_common *common)
{
    if (pixel->m == common->end)
        pixel->m -= common->period;
    struct complex_f64 z = complex_add(pixel->delta, 1, pixel_reference(common, pixel->m));
    if (pixel_ends(pixel, common, z))
        return 1;
    if (complex_max(z) < complex_max(pixel->delta) || pixel->m == common->end) {
        pixel->delta = z;
        pixel->m = 0;
        pixel->level = common->table.levels - 1;
    }
    return 0;
}

/* Leaves the reference if it may; 1: it has. */
DEEP_FN int pixel_leave(struct pixel_state *pixel, const struct pixel_common *common)
{
    struct complex_f64 d = pixel->delta;
    double slope = fma(d.x, d.x, d.y * d.y);
    if (!direct_may(pixel->norm, slope, &common->direct))
        return 0;
    pixel->slope = slope;
    pixel->direct = 1;
    pixel->delta = complex_add(d, 1, pixel_reference(common, pixel->m));
    return 1;
}

/* Back to the reference, where it would be now or, if z is nearer to 0, at its beginning. */
DEEP_FN void pixel_return(struct pixel_state *pixel, const struct pixel_common *common)
{
    struct complex_f64 z = pixel->delta;
    pixel->direct = 0;
    pixel->level = 0;
    if (pixel->m >= common->end && common->period)
        pixel->m = common->end - common->period + (pixel->m - common->end) % common->period;
    if (pixel->m < common->end) {
        pixel->delta = complex_add(z, -1, pixel_reference(common, pixel->m));
        if (complex_max(pixel->delta) <= complex_max(z))
            return;
        pixel->delta = z;
    }
    pixel->m = 0;
    pixel->level = common->table.levels - 1;
}

/* Ends `taken` steps without the reference, which ended so; 1: the count is known. */
DEEP_FN int pixel_settle(struct pixel_state *pixel, const struct pixel_common *common,
                         enum direct_end end, int64_t taken)
{
    pixel->n += taken;
    pixel->m += taken;
    pixel->steps += (uint64_t)taken;
    if (end == DIRECT_ESCAPED)
        pixel->count = pixel->n;
    if (end == DIRECT_ESCAPED || pixel->n == common->limit) {
        pixel->m = 0; /* z_n = Z_0 + delta */
        return 1;
    }
    if (end == DIRECT_ENDS)
        pixel_return(pixel, common);
    return 0;
}

/* Takes up to `most` steps without the reference; 1: the count is known. In a wide picture c and
 * the step are nothing beside z and dz here. */
DEEP_FN int pixel_directly(struct pixel_state *pixel, const struct pixel_common *common, int slopes,
                           int64_t most, int64_t *taken)
{
    struct direct at = {pixel->delta, pixel->dz, pixel->norm, pixel->slope};
    double unit = wide_power(common->exponent);
    int64_t left = common->limit - pixel->n;
    enum direct_end end = direct_on(&at, complex_add(common->direct.centre, unit, pixel->c),
                                    complex_scale(unit, common->step), &common->direct, slopes,
                                    most < left ? most : left, taken);
    pixel->delta = at.z;
    pixel->dz = at.dz;
    pixel->norm = at.norm;
    pixel->slope = at.slope;
    return pixel_settle(pixel, common, end, *taken);
}

/* z_n of a pixel that escaped. With an exponent of its own delta is nothing beside Z. */
DEEP_FN struct complex_f64 pixel_end(const struct pixel_state *pixel,
                                     const struct pixel_common *common)
{
    return complex_add(pixel_reference(common, pixel->m), pixel->e ? 0 : 1, pixel->delta);
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
