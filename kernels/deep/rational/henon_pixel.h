/* A pixel of z^2 + c + k z_(n-1) by perturbation, from its beginning to its count.
 *
 * The step is a Hénon map of (z_n, z_(n-1)): what comes near 0 is not at the beginning of an orbit,
 * and a pixel cannot rebase there. Nor need it: a step's determinant is k everywhere, so nothing is
 * contracted where z is 0, as it is by z^2 + c, but at most by |k| over the stretch of the other
 * direction, step by step, where the pixel's direction turns into the one that the next steps
 * contract. (z_n, z_(n-1)) = (Z_m, Z_(m-1)) + v along the orbit of the view's centre, m = n, and
 *
 *     v' = (v_n (2 Z_m + v_n) + k v_(n-1) + dc, v_n),
 *
 * by blocks (henon_block.h) or steps. From |v| = direct_least on, where a rounding of z counts as
 * little as a block may leave out, z is iterated without the reference, for good; so it is where
 * the reference is over. From |v| = 1 on in any case: a reference that escapes before the pixel
 * becomes many times as large as z, and v with it, whose roundings z would have then. Where the
 * direction of v turns so as above, errors grow beside it, by the inverse of the part that is left:
 * kernels/deep/error_amplification.h follows them along some pixels, so that blocks leave out less,
 * and a view is refused where doubles lose them.
 *
 * v has one exponent, for any depth; it is settled every few steps. */
#ifndef KERNELS_DEEP_RATIONAL_HENON_PIXEL_H
#define KERNELS_DEEP_RATIONAL_HENON_PIXEL_H

#include "kernels/deep/pixel_state.h"
#include "kernels/deep/rational/henon_block.h"
#include "kernels/formula/rational_end.h"

enum { HENON_STEPS_DIRECT = 32 /* most steps until dz is settled; |z| <= 2^10 */ };

struct henon_common {           /* what the pixels of a picture share; read only */
    struct pixel_common shared; /* limit, bailout, exponent, step, per_unit; z, end, period */
    struct rational_rule ends;
    struct block_table table;  /* records are struct henon_block, of the steps from Z_1 on */
    double by_last;            /* k */
    struct complex_f64 centre; /* c of the reference, rounded */
    double direct_least;       /* least |v| without the reference */
    int32_t dynamic;           /* the pixel is z_0, and nothing is added to c */
};

struct henon_kept { /* an earlier state, to be met again: see pixel_repeats */
    struct henon_pair v;
    int64_t m;
    int32_t e, level;
    uint64_t due;
};

struct henon_pixel {
    struct henon_pair v, dz; /* over 2^e, 2^dz_e; dz: by the pixel's position, with slopes */
    struct complex_f64 c, z; /* c: beside the reference's, over 2^exponent; z: z_n at the end */
    int64_t m, n, count;
    uint64_t steps; /* blocks and single steps */
    int32_t e, dz_e;
    int32_t level;  /* level of the last block; where the next search begins */
    int32_t direct; /* 1: goes without the reference: v is (z_n, z_(n-1)), e is 0 */
    struct henon_kept kept;
};

DEEP_FN struct complex_f64 henon_point(const struct henon_common *common, int64_t m)
{
    return point_load(&common->shared.z[m]);
}

/* Does the pixel end at z_n = z? */
DEEP_FN int henon_ends(struct henon_pixel *pixel, const struct henon_common *common,
                       struct complex_f64 z)
{
    if (fma(z.x, z.x, z.y * z.y) <= common->shared.bailout_squared)
        return 0;
    pixel->count = pixel->n;
    pixel->z = z;
    return 1;
}

/* Index of the point behind Z_(m - 1). */
DEEP_FN int64_t henon_wrap(const struct henon_common *common, int64_t m)
{
    return m == common->shared.end ? m - common->shared.period : m;
}

/* ---- along the reference ---- */

/* Goes on without the reference. */
DEEP_FN void henon_leave(struct henon_pixel *pixel, const struct henon_common *common)
{
    double unit = wide_power(pixel->e);
    struct complex_f64 none = {0, 0};
    struct complex_f64 last = pixel->m ? henon_point(common, pixel->m - 1) : none;
    pixel->v.now = complex_add(henon_point(common, pixel->m), unit, pixel->v.now);
    pixel->v.last = complex_add(last, unit, pixel->v.last);
    pixel->e = 0;
    pixel->direct = 1;
}

/* Takes dz over a step at z; step: dc of a pixel over 2^dz_e. */
DEEP_FN void henon_slope_step(struct henon_pixel *pixel, double k, struct complex_f64 z,
                              struct complex_f64 step)
{
    struct complex_f64 now = pixel->dz.now;
    pixel->dz.now = complex_fma(complex_scale(2, z), now, complex_add(step, k, pixel->dz.last));
    pixel->dz.last = now;
}

/* dc of a pixel over 2^dz_e, which is set where dz is 0. */
DEEP_FN struct complex_f64 henon_slope_begin(struct henon_pixel *pixel,
                                             const struct henon_common *common)
{
    if (pixel->dz_e == WIDE_ZERO)
        pixel->dz_e = common->shared.exponent;
    double unit = common->dynamic ? 0 : wide_power(common->shared.exponent - pixel->dz_e);
    return complex_scale(unit, common->shared.step);
}

/* Takes up to `most` steps along the reference, until |v| is direct_least; 1: the pixel is over. */
DEEP_FN int henon_steps(struct henon_pixel *state, const struct henon_common *common, int slopes,
                        int64_t most)
{
    struct henon_pixel pixel = *state;
    struct complex_f64 step = {0, 0};
    if (pixel.e == WIDE_ZERO)
        pixel.e = common->shared.exponent;
    if (slopes)
        step = henon_slope_begin(&pixel, common);
    const double unit = wide_power(pixel.e), k = common->by_last;
    const double most_v = common->direct_least * wide_power(-pixel.e);
    const struct complex_f64 c =
        complex_scale(wide_power(common->shared.exponent - pixel.e), pixel.c);
    int over = 0;
    struct complex_f64 z = henon_point(common, pixel.m);
    for (int64_t i = 0; i < most && !over && complex_max(pixel.v.now) < most_v; i++) {
        struct complex_f64 now = pixel.v.now;
        if (slopes)
            henon_slope_step(&pixel, k, complex_add(z, unit, now), step);
        pixel.v.now = complex_fma(complex_add(complex_scale(2, z), unit, now), now,
                                  complex_add(c, k, pixel.v.last));
        pixel.v.last = now;
        pixel.m = henon_wrap(common, pixel.m + 1);
        pixel.n++;
        z = henon_point(common, pixel.m);
        over = henon_ends(&pixel, common, complex_add(z, unit, pixel.v.now));
    }
    pixel.v = pair_settle(&pixel.v, &pixel.e);
    if (slopes)
        pixel.dz = pair_settle(&pixel.dz, &pixel.dz_e);
    *state = pixel;
    return over;
}

/* The longest block that starts at m and may be used, or -1. */
DEEP_FN int henon_level(const struct henon_pixel *pixel, const struct henon_common *common)
{
    int64_t from = pixel->m - 1;
    int level = table_level_most(&common->table, from, common->shared.limit - pixel->n,
                                 common->shared.end - pixel->m, pixel->level);
    return table_level(&common->table, from, level, wide_key(pair_reach(&pixel->v), pixel->e));
}

DEEP_FN const struct henon_block *henon_block_at(const struct henon_pixel *pixel,
                                                 const struct henon_common *common, int level)
{
    const struct block_table *table = &common->table;
    const struct henon_block *record = (const struct henon_block *)table->record[level];
    return &record[(pixel->m - 1) >> (table->shortest + level)];
}

/* Takes a block; 1: the pixel is over. */
DEEP_FN int henon_leap(struct henon_pixel *pixel, const struct henon_common *common, int slopes,
                       int level)
{
    const struct henon_block *block = henon_block_at(pixel, common, level);
    int64_t length = (int64_t)1 << (common->table.shortest + level);
    struct complex_f64 c = complex_scale(common->shared.per_unit, pixel->c);
    if (slopes)
        pixel->dz = henon_slope(block, &pixel->v, pixel->e, &pixel->dz, common->shared.step_v,
                                &pixel->dz_e);
    pixel->v = henon_apply(block, &pixel->v, c, &pixel->e);
    pixel->m = henon_wrap(common, pixel->m + length);
    pixel->n += length;
    double unit = wide_power(pixel->e);
    return henon_ends(pixel, common,
                      complex_add(henon_point(common, pixel->m), unit, pixel->v.now));
}

/* Takes a block or some steps; 1: the pixel is over. */
DEEP_FN int henon_along(struct henon_pixel *pixel, const struct henon_common *common,
                        enum blocks blocks, int slopes)
{
    int level = blocks == BLOCKS_NONE ? -1 : henon_level(pixel, common);
    pixel->level = level < 0 ? 0 : level;
    if (pixel->m == common->shared.end ||
        (level < 0 && pair_max(&pixel->v) * wide_power(pixel->e) >= common->direct_least)) {
        henon_leave(pixel, common);
        return 0;
    }
    int64_t before = pixel->n;
    int64_t room = table_room(&common->table, pixel->m, common->shared.end - pixel->m,
                              common->shared.limit - before);
    int over = level < 0 ? henon_steps(pixel, common, slopes, room)
                         : henon_leap(pixel, common, slopes, level);
    pixel->steps += level < 0 ? (uint64_t)(pixel->n - before) : 1;
    return over;
}

/* ---- without the reference ---- */

/* Takes some steps; 1: the pixel is over. */
DEEP_FN int henon_direct_steps(struct henon_pixel *state, const struct henon_common *common,
                               int slopes)
{
    struct henon_pixel pixel = *state;
    struct complex_f64 step = {0, 0}, c = common->centre;
    double unit = wide_power(common->shared.exponent), k = common->by_last;
    int64_t left = common->shared.limit - pixel.n;
    int over = 0;
    c = complex_add(c, unit, pixel.c);
    if (slopes)
        step = henon_slope_begin(&pixel, common);
    for (int64_t i = 0; i < HENON_STEPS_DIRECT && i < left && !over; i++) {
        struct complex_f64 z = pixel.v.now;
        if (slopes)
            henon_slope_step(&pixel, k, z, step);
        pixel.v.now = complex_fma(z, z, complex_add(c, k, pixel.v.last));
        pixel.v.last = z;
        pixel.n++;
        pixel.steps++;
        over = henon_ends(&pixel, common, pixel.v.now);
    }
    if (slopes)
        pixel.dz = pair_settle(&pixel.dz, &pixel.dz_e);
    *state = pixel;
    return over;
}

/* ---- all of it ---- */

/* re, im: of the grid, relative to the view's centre. */
DEEP_FN struct henon_pixel henon_begin(const struct henon_common *common, double re, double im)
{
    struct henon_pixel pixel;
    struct complex_f64 point = {re, im};
    memset(&pixel, 0, sizeof pixel);
    pixel.kept.m = -1;
    pixel.level = common->table.levels - 1;
    pixel.e = pixel.dz_e = common->shared.exponent;
    if (common->dynamic) {
        pixel.v.now = point;
        pixel.dz.now = common->shared.step;
    } else
        pixel.c = point;
    pixel.v = pair_settle(&pixel.v, &pixel.e);
    pixel.dz = pair_settle(&pixel.dz, &pixel.dz_e);
    return pixel;
}

DEEP_FN int pair_same(const struct henon_pair *a, const struct henon_pair *b)
{
    return a->now.x == b->now.x && a->now.y == b->now.y && a->last.x == b->last.x &&
           a->last.y == b->last.y;
}

/* Is the state an earlier one? Then the pixel does not end. */
DEEP_FN int henon_repeats(struct henon_pixel *pixel)
{
    struct henon_kept *kept = &pixel->kept;
    int64_t m = pixel->direct ? 0 : pixel->m;
    int32_t level = pixel->direct ? -1 : pixel->level;
    if (m == kept->m && pixel->e == kept->e && level == kept->level &&
        pair_same(&pixel->v, &kept->v))
        return 1;
    if (pixel->steps >= kept->due) {
        kept->v = pixel->v;
        kept->m = m;
        kept->e = pixel->e;
        kept->level = level;
        kept->due = 2 * pixel->steps + 256;
    }
    return 0;
}

/* Takes a block or some steps, up to `most` times; 1: the count is known. */
DEEP_FN int henon_on(struct henon_pixel *state, const struct henon_common *common,
                     enum blocks blocks, int slopes, int64_t most)
{
    struct henon_pixel pixel = *state;
    int over = 0;
    for (int64_t i = 0; i < most && !over && pixel.n < common->shared.limit; i++) {
        over = pixel.direct ? henon_direct_steps(&pixel, common, slopes)
                            : henon_along(&pixel, common, blocks, slopes);
        if (!over && henon_repeats(&pixel))
            pixel.n = common->shared.limit;
    }
    *state = pixel;
    return over || pixel.n == common->shared.limit;
}

/* Values of a pixel that is over; else 0. */
DEEP_FN struct rational_values henon_values(const struct henon_pixel *pixel,
                                            const struct henon_common *common, int slopes)
{
    struct rational_values none = {0.0f, {0.0f, 0.0f}, 0.0f};
    if (!pixel->count)
        return none;
    struct complex_f64 z = pixel->z, dz = pixel->dz.now;
    return rational_values_at(&common->ends, 0, z.x, z.y, dz.x, dz.y,
                              pixel->dz_e == WIDE_ZERO ? 0 : pixel->dz_e, z.x, z.y, 0, 0, 0,
                              common->shared.bailout, slopes);
}

#endif
