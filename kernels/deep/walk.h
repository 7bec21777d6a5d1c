/* How does one pixel get from z_0 to its count?
 *
 * A walk is all that a pixel is between two steps, so that it can be put aside and taken up again.
 * It goes along the reference by the longest block that starts where it is and holds for its delta,
 * else by a step: without the reference where that is exact enough (direct.h). The choice depends
 * on nothing but the pixel and the table, so counts are the same bits for any cutting into tiles,
 * any order and any machine. */
#ifndef KERNELS_DEEP_WALK_H
#define KERNELS_DEEP_WALK_H

#include "kernels/deep/block.h"
#include "kernels/deep/direct.h"
#include "kernels/escape/distance.h"
#include "kernels/escape/phase.h"
#include "kernels/orbit/orbit.h"

enum { BLOCK_LEVELS = 40 };

/* Blocks of level l have 2^(shortest + l) steps and start at multiples of that, from z_0 on. */
struct block_table {
    const struct block *record[BLOCK_LEVELS]; /* [end >> (shortest + l)] */
    const int32_t *radius[BLOCK_LEVELS];      /* keys. Apart: most probes need no more */
    int levels, shortest;
};

struct walk_scene { /* what the pixels of a picture share; read only */
    const struct orbit_point *z;
    const struct orbit_tiny *tiny; /* of a wide scene */
    int64_t tiny_count;
    int64_t end;    /* a pixel that comes to Z_end starts again, from Z_0 */
    int64_t period; /* of a cycle: Z_end is Z_(end - period), and it goes on from there; else 0 */
    int64_t limit;
    double bailout, bailout_squared;
    int32_t exponent;          /* c and step are over 2^exponent; 0 unless the scene is wide */
    struct complex_f64 step;   /* dc of one pixel to the right */
    double per_unit;           /* v = c per_unit */
    struct complex_f64 step_v; /* step per_unit */
    struct block_table table;
    struct direct_limits direct; /* not without blocks */
    int inside;                  /* some pixels may be known to be inside: inside.h */
};

struct walk {
    struct complex_f64 c, delta, dz; /* z_n = Z_m + delta; dz: dz_n per pixel, where asked for */
    int64_t m, n;
    int64_t count;   /* smallest n >= 1 with |z_n| > R; 0 */
    double norm;     /* |z_n|^2 */
    double slope;    /* see direct.h */
    int direct;      /* it goes without the reference, and delta is z_n */
    uint64_t steps;  /* blocks and single steps */
    int level;       /* of the last block; where the next search begins */
    int32_t e, dz_e; /* delta and dz are over 2^e, 2^dz_e; 0 unless the scene is wide */
};

DEEP_FN struct walk walk_begin(const struct walk_scene *scene, double c_re, double c_im)
{
    struct walk walk = {{0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    walk.c.x = c_re;
    walk.c.y = c_im;
    walk.level = scene->table.levels - 1;
    walk.e = walk.dz_e = scene->exponent ? WIDE_ZERO : 0;
    return walk;
}

/* Blocks from Z_0 on take delta^2, all others delta: the key of its size. */
DEEP_FN int32_t walk_reach(const struct walk *walk, int32_t e)
{
    double reach = complex_reach(walk->delta);
    return walk->m ? wide_key(reach, e) : wide_key(reach * reach, 2 * e);
}

/* The longest block that starts at m and may be used for such a key, or -1. */
DEEP_FN int walk_level(const struct walk *walk, const struct walk_scene *scene, int32_t reach)
{
    const struct block_table *table = &scene->table;
    if (walk->m & (((int64_t)1 << table->shortest) - 1))
        return -1;
    int64_t room = walk->m ? walk->m & -walk->m : INT64_MAX; /* steps: of a block that may begin */
    int64_t left = scene->limit - walk->n, to_end = scene->end - walk->m;
    room = left < room ? left : room;
    room = to_end < room ? to_end : room;
    int level = escape_log2(room | 1) - table->shortest;
    level = walk->level + 2 < level ? walk->level + 2 : level;
    level = table->levels - 1 < level ? table->levels - 1 : level;
    while (level >= 0 && reach >= table->radius[level][walk->m >> (table->shortest + level)])
        level--;
    return level;
}

DEEP_FN void walk_leap(struct walk *walk, const struct walk_scene *scene, int slopes, int level)
{
    int shift = scene->table.shortest + level;
    const struct block block = escape_load(&scene->table.record[level][walk->m >> shift]);
    struct complex_f64 v = complex_scale(scene->per_unit, walk->c), from = walk->delta;
    if (walk->m == 0) {
        from = complex_mul(walk->delta, walk->delta);
        if (slopes)
            walk->dz = complex_mul(complex_scale(2, walk->delta), walk->dz);
    }
    if (slopes)
        walk->dz = block_slope(&block, from, v, walk->dz, scene->step_v);
    walk->delta = block_apply(&block, from, v);
    walk->m += (int64_t)1 << shift;
    walk->n += (int64_t)1 << shift;
}

DEEP_FN struct complex_f64 walk_reference(const struct walk_scene *scene, int64_t m)
{
    const struct orbit_point point = escape_load(&scene->z[m]);
    struct complex_f64 z = {point.x, point.y};
    return z;
}

DEEP_FN void walk_step(struct walk *walk, const struct walk_scene *scene, int slopes)
{
    struct complex_f64 z = walk_reference(scene, walk->m);
    if (slopes)
        walk->dz = delta_slope(complex_add(walk->delta, 1, z), walk->dz, scene->step);
    walk->delta = delta_step(z, walk->delta, walk->c);
    walk->m++;
    walk->n++;
}

/* At z_n: has it escaped, is the limit reached? */
DEEP_FN int walk_ends(struct walk *walk, const struct walk_scene *scene, struct complex_f64 z)
{
    walk->norm = fma(z.x, z.x, z.y * z.y);
    if (walk->norm > scene->bailout_squared)
        walk->count = walk->n;
    return walk->count || walk->n == scene->limit;
}

/* Does the walk end at z_n? Else it rebases where that is due. */
DEEP_FN int walk_arrive(struct walk *walk, const struct walk_scene *scene)
{
    if (walk->m == scene->end)
        walk->m -= scene->period;
    struct complex_f64 z = complex_add(walk->delta, 1, walk_reference(scene, walk->m));
    if (walk_ends(walk, scene, z))
        return 1;
    if (complex_max(z) < complex_max(walk->delta) || walk->m == scene->end) {
        walk->delta = z;
        walk->m = 0;
        walk->level = scene->table.levels - 1;
    }
    return 0;
}

/* Leaves the reference where that may be. */
DEEP_FN int walk_leave(struct walk *walk, const struct walk_scene *scene)
{
    struct complex_f64 d = walk->delta;
    double slope = fma(d.x, d.x, d.y * d.y);
    if (!direct_may(walk->norm, slope, &scene->direct))
        return 0;
    walk->slope = slope;
    walk->direct = 1;
    walk->delta = complex_add(d, 1, walk_reference(scene, walk->m));
    return 1;
}

/* Back to the reference, where it would be now or, if z is nearer to 0, at its beginning. */
DEEP_FN void walk_return(struct walk *walk, const struct walk_scene *scene)
{
    struct complex_f64 z = walk->delta;
    walk->direct = 0;
    walk->level = 0;
    if (walk->m >= scene->end && scene->period)
        walk->m = scene->end - scene->period + (walk->m - scene->end) % scene->period;
    if (walk->m < scene->end) {
        walk->delta = complex_add(z, -1, walk_reference(scene, walk->m));
        if (complex_max(walk->delta) <= complex_max(z))
            return;
        walk->delta = z;
    }
    walk->m = 0;
    walk->level = scene->table.levels - 1;
}

/* After so many steps without the reference, which ended so: 1: the count is known. */
DEEP_FN int walk_settle(struct walk *walk, const struct walk_scene *scene, enum direct_end end,
                        int64_t taken)
{
    walk->n += taken;
    walk->m += taken;
    walk->steps += (uint64_t)taken;
    if (end == DIRECT_ESCAPED)
        walk->count = walk->n;
    if (end == DIRECT_ESCAPED || walk->n == scene->limit) {
        walk->m = 0; /* z_n = Z_0 + delta */
        return 1;
    }
    if (end == DIRECT_ENDS)
        walk_return(walk, scene);
    return 0;
}

/* Up to `most` steps without the reference; 1: the count is known. In a wide scene c and the step
 * are nothing beside z and dz here. */
DEEP_FN int walk_directly(struct walk *walk, const struct walk_scene *scene, int slopes,
                          int64_t most, int64_t *taken)
{
    struct direct at = {walk->delta, walk->dz, walk->norm, walk->slope};
    double unit = wide_power(scene->exponent);
    int64_t left = scene->limit - walk->n;
    enum direct_end end = direct_on(&at, complex_add(scene->direct.centre, unit, walk->c),
                                    complex_scale(unit, scene->step), &scene->direct, slopes,
                                    most < left ? most : left, taken);
    walk->delta = at.z;
    walk->dz = at.dz;
    walk->norm = at.norm;
    walk->slope = at.slope;
    return walk_settle(walk, scene, end, *taken);
}

/* z_n of a walk that escaped. With an exponent of its own delta is nothing beside Z. */
DEEP_FN struct complex_f64 walk_end(const struct walk *walk, const struct walk_scene *scene)
{
    return complex_add(walk_reference(scene, walk->m), walk->e ? 0 : 1, walk->delta);
}

/* (0, 0): not escaped. */
DEEP_FN struct distance walk_distance(const struct walk *walk, const struct walk_scene *scene)
{
    struct distance none = {0.0f, 0.0f};
    if (!walk->count)
        return none;
    struct complex_f64 z = walk_end(walk, scene);
    return distance_of(z.x, z.y, walk->dz.x, walk->dz.y, walk->dz_e);
}

DEEP_FN float walk_phase(const struct walk *walk, const struct walk_scene *scene)
{
    if (!walk->count)
        return 0.0f;
    struct complex_f64 z = walk_end(walk, scene);
    return phase_of(z.x, z.y);
}

#endif
