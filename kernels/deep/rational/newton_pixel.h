/* A pixel of Newton's method by perturbation, from z_0 to its count.
 *
 * z_n = Z_m + delta along the orbit of the view's centre, m = n, by the longest block that holds,
 * else by a step. From |delta| = theta |z| on, theta as in direct.h, z is iterated without the
 * reference: no later step makes errors that are relative to z count for more, but near a root,
 * where the orbit ends (newton_delta.h). So is it where the reference is over.
 *
 * Blocks are struct formula_block with terms in delta alone: they begin at multiples of their
 * length, and hold where no orbit is over within them. */
#ifndef KERNELS_DEEP_RATIONAL_NEWTON_PIXEL_H
#define KERNELS_DEEP_RATIONAL_NEWTON_PIXEL_H

#include "kernels/deep/formula_block.h"
#include "kernels/deep/pixel_state.h"
#include "kernels/deep/rational/newton_delta.h"
#include "kernels/formula/rational_end.h"

enum {
    NEWTON_REFERENCES = 1 + RATIONAL_ROOTS_MOST,
    NEWTON_LISTED = 499 /* log2: beyond it a value of the tape is among small[] */
};

enum newton_kind { KIND_NEWTON, KIND_NOVA, KIND_MAGNET };

struct newton_common {          /* what the pixels of a picture share; read only */
    struct pixel_common shared; /* limit, bailout, exponent, step; no orbit */
    struct newton_rule rule;
    struct rational_rule ends;
    /* The orbit of the view's centre; from `critical` on those of Nova's roots, or of magnets those
     * from 0 and from 1 - c. */
    struct formula_reference reference[NEWTON_REFERENCES];
    struct block_table table[NEWTON_REFERENCES]; /* records are struct formula_block */
    int32_t references, critical;
    int32_t log2_theta;
    enum newton_kind kind;     /* whose pixels: newton_pixel.h, nova_pixel.h or magnet_pixel.h */
    int32_t dynamic;           /* c is the same for all pixels */
    int32_t first;             /* blocks begin at multiples of their length from Z_first on */
    struct complex_f64 centre; /* c of the reference */
};

struct newton_pixel {
    struct complex_wide delta, dz; /* dz: dz_n by the pixel's position, with slopes */
    struct complex_f64 z, last;    /* z_n and z_(n-1) of a pixel that is over */
    struct complex_wide last_dz;   /* derivative of `last` */
    int64_t m, n, count;
    uint64_t steps; /* blocks and single steps */
    int level;      /* level of the last block; where the next search begins */
    int direct;     /* 1: without the reference, and delta is z_n (z_n - 1) */
    /* Members that Newton's method does not use: */
    int32_t reference;    /* index of the reference */
    int32_t far;          /* 1: a magnet's orbit ended beyond R, not at 1 */
    struct complex_f64 c; /* c less that of the reference, over 2^exponent */
    double norm, before;  /* |w|^2 of the last step and of the one before it */
};

struct newton_point { /* a point of the reference */
    struct complex_f64 z;
    struct complex_wide wide;
    int plain; /* z is exact, and its powers are doubles */
};

DEEP_FN struct newton_point newton_point(const struct formula_reference *reference, int64_t m)
{
    struct newton_point at;
    at.z = point_load(&reference->z[m]);
    at.wide = wide_settle(at.z, 0);
    at.plain = newton_is_plain(at.wide);
    if (!at.plain) {
        struct parts_wide parts = reference_listed(reference, m, ORBIT_POINT, at.z);
        at.wide = parts_join(&parts);
    }
    return at;
}

/* A value of the tape. */
DEEP_FN struct complex_wide newton_taped(const struct formula_reference *reference, int64_t m,
                                         int slot)
{
    struct complex_f64 x = point_load(&reference->tape[m * reference->tape_width + slot]);
    struct complex_wide plain = wide_settle(x, 0);
    if (plain.e > -NEWTON_LISTED && plain.e < NEWTON_LISTED)
        return plain;
    const struct parts_wide parts = reference_listed(reference, m, slot, x);
    return parts_join(&parts);
}

DEEP_FN struct complex_f64 newton_double(struct complex_wide z)
{
    return complex_scale(wide_power(z.e), z.x);
}

/* Is |w| <= 1/R? */
DEEP_FN int newton_rests(const struct newton_common *common, struct complex_f64 w)
{
    return fma(w.x, w.x, w.y * w.y) * common->shared.bailout_squared <= 1;
}

DEEP_FN void newton_over(struct newton_pixel *pixel, struct complex_f64 z, struct complex_f64 last,
                         struct complex_wide last_dz)
{
    pixel->count = pixel->n;
    pixel->z = z;
    pixel->last = last;
    pixel->last_dz = last_dz;
}

/* ---- along the reference ---- */

/* Goes on without the reference from Z_m where that is due. */
DEEP_FN void newton_arrive(struct newton_pixel *pixel, const struct newton_common *common)
{
    const struct formula_reference *reference = &common->reference[0];
    pixel->m = reference_wrap(reference, pixel->m);
    struct complex_wide z = wide_add(newton_point(reference, pixel->m).wide, pixel->delta);
    if (pixel->m < reference->end && pixel->delta.e - z.e < common->log2_theta)
        return;
    pixel->direct = 1;
    pixel->delta = z;
}

/* Takes a step along the reference; 1: the pixel is over. */
DEEP_FN int newton_along_step(struct newton_pixel *pixel, const struct newton_common *common,
                              int slopes)
{
    const struct formula_reference *reference = &common->reference[0];
    struct newton_point from = newton_point(reference, pixel->m);
    struct newton_point to = newton_point(reference, reference_wrap(reference, pixel->m + 1));
    struct complex_wide delta = pixel->delta, own = wide_add(from.wide, delta), dz = pixel->dz;
    if (from.plain && newton_is_plain(own)) {
        struct complex_f64 z = complex_add(from.z, wide_power(delta.e), delta.x);
        struct complex_f64 p = complex_inverse(z), q = complex_inverse(from.z);
        struct complex_f64 stretch = newton_stretch(&common->rule, p, q);
        pixel->delta = wide_settle(complex_mul(stretch, delta.x), delta.e);
        if (slopes)
            pixel->dz = wide_settle(complex_mul(newton_slope(&common->rule, p), dz.x), dz.e);
    } else {
        struct complex_wide p = wide_inverse(own), q = wide_inverse(from.wide);
        pixel->delta = wide_mul(newton_wide_stretch(&common->rule, p, q), delta);
        if (slopes)
            pixel->dz = wide_mul(newton_wide_slope(&common->rule, p), dz);
    }
    pixel->m++;
    pixel->n++;
    if (!from.plain || !to.plain)
        return 0;
    struct complex_f64 before = newton_double(delta), after = newton_double(pixel->delta);
    struct complex_f64 moves = complex_add(after, -1, before);
    if (newton_rests(common, complex_add(complex_add(to.z, -1, from.z), 1, moves))) {
        newton_over(pixel, complex_add(to.z, 1, after), complex_add(from.z, 1, before), dz);
        return 1;
    }
    return 0;
}

/* Level of the longest block that starts at m and holds for delta, or -1. */
DEEP_FN int newton_level(const struct newton_pixel *pixel, const struct newton_common *common)
{
    const struct block_table *table = &common->table[pixel->reference];
    int64_t from = pixel->m - common->first;
    int level = table_level_most(table, from, common->shared.limit - pixel->n,
                                 common->reference[pixel->reference].end - pixel->m, pixel->level);
    return table_level(table, from, level, wide_key(complex_reach(pixel->delta.x), pixel->delta.e));
}

DEEP_FN struct formula_block newton_block_at(const struct newton_pixel *pixel,
                                             const struct newton_common *common, int level)
{
    const struct block_table *table = &common->table[pixel->reference];
    const struct formula_block *record = (const struct formula_block *)table->record[level];
    return escape_load(&record[(pixel->m - common->first) >> (table->shortest + level)]);
}

/* Takes a block; v, dv: c and dc in units, as formula_block.h has them. */
DEEP_FN void newton_leap(struct newton_pixel *pixel, const struct newton_common *common, int slopes,
                         int level, struct complex_f64 v, struct complex_f64 dv)
{
    const struct formula_block block = newton_block_at(pixel, common, level);
    int64_t steps = (int64_t)1 << (common->table[pixel->reference].shortest + level);
    if (slopes)
        pixel->dz = formula_wide_slope(&block, pixel->delta, pixel->dz, dv);
    pixel->delta = formula_wide_apply(&block, pixel->delta, v);
    pixel->m += steps;
    pixel->n += steps;
}

/* Takes a block or a step; 1: the pixel is over. */
DEEP_FN int newton_along(struct newton_pixel *pixel, const struct newton_common *common,
                         enum blocks blocks, int slopes)
{
    int level = blocks == BLOCKS_NONE ? -1 : newton_level(pixel, common), over = 0;
    struct complex_f64 none = {0, 0};
    pixel->level = level < 0 ? 0 : level;
    pixel->steps++;
    if (level < 0)
        over = newton_along_step(pixel, common, slopes);
    else
        newton_leap(pixel, common, slopes, level, none, none);
    if (!over)
        newton_arrive(pixel, common);
    return over;
}

/* ---- without the reference ---- */

/* Goes on from a z that doubles do not hold, no step from which is the last; returns the steps: up
 * to the limit all of those far outside, where z^-k is nothing beside z. */
DEEP_FN int64_t newton_direct_wide(struct newton_pixel *pixel, const struct newton_common *common,
                                   int slopes)
{
    const struct newton_rule *rule = &common->rule;
    int64_t most = common->shared.limit - pixel->n;
    if (pixel->delta.e >= NEWTON_PLAIN) {
        double all = (pixel->delta.e - NEWTON_PLAIN) * rule->far_steps + 1;
        int64_t steps = all < (double)most ? (int64_t)all : most;
        pixel->delta = newton_far(rule, pixel->delta, steps);
        pixel->dz = slopes ? newton_far(rule, pixel->dz, steps) : pixel->dz;
        return steps;
    }
    struct complex_wide p = wide_inverse(pixel->delta);
    if (slopes)
        pixel->dz = wide_mul(newton_wide_slope(rule, p), pixel->dz);
    pixel->delta = newton_wide_step(rule, pixel->delta, p);
    return 1;
}

/* Is newton_is_plain true of z, settled? Then products of two such numbers have inverses, too. */
DEEP_FN int newton_holds(struct complex_f64 z)
{
    double size = complex_max(z);
    return size < 0x1p80 && size >= 0x1p-80;
}

/* Ends some steps, the last of which is from `last`; dz and last_dz are over 2^e of the old dz. */
DEEP_FN void newton_direct_end(struct newton_pixel *pixel, int64_t steps, int over,
                               struct complex_f64 z, struct complex_f64 last, struct complex_f64 dz,
                               struct complex_f64 last_dz)
{
    pixel->n += steps;
    pixel->steps += (uint64_t)steps;
    if (over)
        newton_over(pixel, z, last, wide_settle(last_dz, pixel->dz.e));
    pixel->delta = wide_settle(z, 0);
    pixel->dz = wide_settle(dz, pixel->dz.e);
}

/* Takes up to `most` steps, as long as doubles hold z; 1: the pixel is over. dz has the exponent
 * that it begins with: one that leaves the doubles is that of a distance of 0. */
DEEP_FN int newton_direct_plain(struct newton_pixel *pixel, const struct newton_common *common,
                                int slopes, int64_t most)
{
    const struct newton_rule *rule = &common->rule;
    struct complex_f64 z = newton_double(pixel->delta), dz = pixel->dz.x, last = z, last_dz = dz;
    int over = 0;
    int64_t i = 0;
    do {
        const struct complex_f64 p = complex_inverse(z);
        last = z;
        last_dz = dz;
        z = newton_step(rule, z, p);
        if (slopes)
            dz = complex_mul(newton_slope(rule, p), dz);
        over = newton_rests(common, complex_add(z, -1, last));
    } while (++i < most && !over && newton_holds(z));
    newton_direct_end(pixel, i, over, z, last, dz, last_dz);
    return over;
}

/* Takes about `most` steps; 1: the pixel is over, or will never be. */
DEEP_FN int newton_direct_steps(struct newton_pixel *pixel, const struct newton_common *common,
                                int slopes, int64_t most)
{
    int over = 0;
    for (int64_t end = pixel->n + most; pixel->n < end && !over;) {
        if (pixel->delta.e == WIDE_ZERO) { /* a pole */
            pixel->n = common->shared.limit;
            return 1;
        }
        if (newton_is_plain(pixel->delta)) {
            over = newton_direct_plain(pixel, common, slopes, end - pixel->n);
            continue;
        }
        pixel->steps++;
        pixel->n += newton_direct_wide(pixel, common, slopes);
    }
    return over;
}

/* ---- all of it ---- */

/* re, im: of the grid, relative to the view's centre. */
DEEP_FN struct newton_pixel newton_begin(const struct newton_common *common, double re, double im)
{
    struct newton_pixel pixel;
    struct complex_f64 point = {re, im};
    memset(&pixel, 0, sizeof pixel);
    pixel.delta = wide_settle(point, common->shared.exponent);
    pixel.dz = wide_settle(common->shared.step, common->shared.exponent);
    pixel.level = common->table[0].levels - 1;
    newton_arrive(&pixel, common);
    return pixel;
}

/* Takes up to `most` blocks and steps along the reference; 1: the count is known. */
DEEP_FN int newton_until_direct(struct newton_pixel *pixel, const struct newton_common *common,
                                enum blocks blocks, int slopes, int64_t most)
{
    int over = 0;
    for (int64_t i = 0; i < most && !over && !pixel->direct && pixel->n < common->shared.limit; i++)
        over = newton_along(pixel, common, blocks, slopes);
    return over || pixel->n == common->shared.limit;
}

/* Takes up to `most` blocks and steps, or steps without the reference; 1: the count is known. */
DEEP_FN int newton_on(struct newton_pixel *pixel, const struct newton_common *common,
                      enum blocks blocks, int slopes, int64_t most)
{
    if (!pixel->direct)
        return newton_until_direct(pixel, common, blocks, slopes, most);
    int64_t left = common->shared.limit - pixel->n;
    return newton_direct_steps(pixel, common, slopes, left < most ? left : most) ||
           pixel->n == common->shared.limit;
}

/* Values of a pixel that is over; else 0. */
DEEP_FN struct rational_values newton_values(const struct newton_pixel *pixel,
                                             const struct newton_common *common, int slopes)
{
    struct rational_values none = {0.0f, {0.0f, 0.0f}, 0.0f};
    if (!pixel->count)
        return none;
    struct complex_f64 w = complex_add(pixel->z, -1, pixel->last);
    struct complex_wide minus = pixel->last_dz;
    minus.x = complex_scale(-1, minus.x);
    struct complex_wide dw = wide_add(pixel->dz, minus);
    return rational_values_at(&common->ends, 1, w.x, w.y, dw.x.x, dw.x.y,
                              dw.e == WIDE_ZERO ? 0 : dw.e, pixel->z.x, pixel->z.y, pixel->before,
                              0, 0, common->shared.bailout, slopes);
}

#endif
