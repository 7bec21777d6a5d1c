/* A pixel of any formula and plane by perturbation, from its beginning to its count.
 *
 * In the parameter plane z_n = Z_m + delta along the critical orbit of the view's centre: z_0 = Z_0
 * = 0, and delta' has the pixel's c. In the dynamic plane delta_0 is the pixel and c is the same;
 * the first reference is the orbit of the view's centre. Where |z| < |delta|, and at the end of an
 * orbit, the pixel rebases: delta = z_n, m = 0, on a critical orbit, which begins at 0 with the
 * phase that the next step has. All else is as in pixel_state.h and pixel_wide.h. Nothing here is
 * about z^2 + c alone, but the step from Z_0 is taken alone: blocks begin at Z_1. */
#ifndef KERNELS_DEEP_FORMULA_PIXEL_H
#define KERNELS_DEEP_FORMULA_PIXEL_H

#include "kernels/deep/formula_block.h"
#include "kernels/deep/formula_direct.h"
#include "kernels/deep/pixel_wide.h"

enum { FORMULA_REFERENCES = 1 + PROGRAM_PHASES };

struct formula_common {         /* what the pixels of a picture share; read only */
    struct pixel_common shared; /* limit, bailout, exponent, step, per_unit, direct; no orbit */
    struct program program;
    struct formula_reference reference[FORMULA_REFERENCES];
    struct block_table table[FORMULA_REFERENCES]; /* records are struct formula_block, of the steps
                                                     from Z_1 on: [(m - 1) >> (shortest + l)] */
    int32_t references;
    int32_t critical; /* the first of the critical orbits, one for each phase */
    int32_t dynamic;  /* the pixel is z_0, and nothing is added to c */
    struct program_constants constants[PROGRAM_PHASES];
    double begins; /* formula_begins: orbits are of z less this, and shared.bailout is R less it */
    double far;    /* R^2 */
    const struct formula_row *row; /* compiled steps; NULL: lists are interpreted */
};

struct formula_pixel {
    struct pixel_state at; /* c: 0 in the dynamic plane */
    struct complex_f64 up; /* dz per pixel upwards, over 2^up_e */
    int32_t up_e;
    int32_t reference;
};

DEEP_FN int32_t formula_list_at(const struct formula_common *common, int64_t n)
{
    return common->program.phases == 1 ? 0 : (int32_t)(n % common->program.phases);
}

DEEP_FN struct program_list formula_list(const struct formula_common *common, int32_t phase)
{
    struct program_list list;
    list.phase = &common->program.phase[phase];
    list.constants = &common->constants[phase];
    return list;
}

DEEP_FN struct program_list formula_list_of(const struct formula_common *common,
                                            const struct formula_pixel *pixel)
{
    return formula_list(common, formula_list_at(common, pixel->at.n));
}

/* Rebases to the beginning of the critical orbit of this phase: delta is z_n. */
DEEP_FN void formula_rebase(struct formula_pixel *pixel, const struct formula_common *common)
{
    pixel->at.m = 0;
    pixel->reference = common->critical + formula_list_at(common, pixel->at.n);
    pixel->at.level = common->table[pixel->reference].levels - 1;
}

DEEP_FN struct complex_f64 formula_point(const struct formula_common *common,
                                         const struct formula_pixel *pixel)
{
    return point_load(&common->reference[pixel->reference].z[pixel->at.m]);
}

DEEP_FN struct complex_wide formula_wide_point(const struct formula_common *common,
                                               const struct formula_pixel *pixel)
{
    struct parts_wide parts =
        reference_parts(&common->reference[pixel->reference], pixel->at.m, ORBIT_POINT);
    return parts_join(&parts);
}

/* ---- plain and wide numbers in a pixel ---- */

DEEP_FN struct wide_tangents formula_tangents_wide(const struct formula_pixel *pixel)
{
    struct wide_tangents t;
    t.right = wide_settle(pixel->at.dz, pixel->at.dz_e);
    t.up = wide_settle(pixel->up, pixel->up_e);
    return t;
}

DEEP_FN void formula_put_tangents(struct formula_pixel *pixel, const struct wide_tangents *t)
{
    pixel->at.dz = t->right.x;
    pixel->at.dz_e = t->right.e;
    pixel->up = t->up.x;
    pixel->up_e = t->up.e;
}

/* Keeps exponents away from the borders of doubles. */
DEEP_FN void formula_settle_tangents(struct formula_pixel *pixel)
{
    struct wide_tangents t = formula_tangents_wide(pixel);
    formula_put_tangents(pixel, &t);
}

/* ---- steps ---- */

DEEP_FN struct formula_tangents formula_tangents_of(const struct formula_pixel *pixel)
{
    struct formula_tangents t = {pixel->at.dz, pixel->up};
    return t;
}

DEEP_FN const struct orbit_point *formula_tape_at(const struct formula_common *common,
                                                  const struct formula_pixel *pixel)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    return reference->tape + pixel->at.m * reference->tape_width;
}

/* delta after a step, or after up to `most` steps if rows are compiled (struct formula_row); their
 * number in *taken. */
DEEP_FN struct complex_f64 formula_along_steps(const struct formula_common *common,
                                               const struct formula_pixel *pixel,
                                               const struct formula_step_input *input, int slopes,
                                               int leaves, int64_t most,
                                               struct formula_tangents *tangents, int64_t *taken)
{
#ifdef DEEP_KERNELS
    if (!DEEP_OWN || common->row) {
        struct along_run run = {pixel->at.delta, *tangents,
                                &common->reference[pixel->reference].z[pixel->at.m],
                                formula_tape_at(common, pixel), common->program.phase[0].taped};
        *taken = common->row->along[slopes](&run, input, &common->shared.direct, leaves, most);
        *tangents = run.tangents;
        return run.delta;
    }
#endif
    (void)leaves;
    (void)most;
    *taken = 1;
    return formula_delta_step(formula_list_of(common, pixel), formula_point(common, pixel),
                              formula_tape_at(common, pixel), pixel->at.delta, input, slopes,
                              !common->program.holomorphic, tangents);
}

/* Steps up to where a block may begin next, the reference ends, or the limit is. */
DEEP_FN int64_t formula_room(const struct formula_pixel *pixel, const struct formula_common *common)
{
    return table_room(&common->table[pixel->reference], pixel->at.m,
                      common->reference[pixel->reference].end - pixel->at.m,
                      common->shared.limit - pixel->at.n);
}

/* Takes up to `most` steps, as formula_along_steps. */
DEEP_FN void formula_steps(struct formula_pixel *pixel, const struct formula_common *common,
                           int slopes, int64_t most)
{
    int64_t taken;
    struct formula_step_input input;
    input.c = pixel->at.c;
    input.centre = common->shared.direct.centre;
    input.right = common->dynamic ? complex_scale(0, common->shared.step) : common->shared.step;
    struct formula_tangents t = formula_tangents_of(pixel);
    pixel->at.delta = formula_along_steps(common, pixel, &input, slopes, common->program.similar,
                                          most, &t, &taken);
    pixel->at.dz = t.right;
    pixel->up = t.up;
    pixel->at.m += taken;
    pixel->at.n += taken;
    pixel->at.steps += (uint64_t)taken - 1;
}

DEEP_FN void formula_step(struct formula_pixel *pixel, const struct formula_common *common,
                          int slopes)
{
    formula_steps(pixel, common, slopes, 1);
}

DEEP_FN void formula_wide_step_fully(struct formula_pixel *pixel,
                                     const struct formula_common *common, int slopes)
{
    int32_t exponent = common->shared.exponent;
    struct wide_step_input input;
    struct complex_f64 none = {0, 0};
    struct wide_tangents t = formula_tangents_wide(pixel);
    input.c = wide_settle(pixel->at.c, exponent);
    input.centre = wide_settle(common->shared.direct.centre, 0);
    input.right = wide_settle(common->dynamic ? none : common->shared.step, exponent);
    struct complex_wide delta =
        formula_wide_step(formula_list_of(common, pixel), &common->reference[pixel->reference],
                          pixel->at.m, wide_settle(pixel->at.delta, pixel->at.e), &input, slopes,
                          !common->program.holomorphic, &t);
    if (slopes)
        formula_put_tangents(pixel, &t);
    wide_put(&pixel->at, delta);
}

/* Takes a step by plain arithmetic where its result is not too small for that. */
DEEP_FN void formula_step_of_wide(struct formula_pixel *pixel, const struct formula_common *common,
                                  int slopes)
{
    struct formula_pixel next = *pixel;
    if (pixel->at.e == 0) {
        int32_t exponent = common->shared.exponent;
        int both = !common->program.holomorphic;
        struct formula_step_input input;
        struct complex_f64 step = common->shared.step;
        struct formula_tangents t = formula_tangents_of(pixel);
        /* Over the larger of both exponents, with which they are turned back below. */
        int32_t e = both && pixel->up_e > pixel->at.dz_e ? pixel->up_e : pixel->at.dz_e;
        t.right = complex_scale(wide_power(pixel->at.dz_e - e), t.right);
        t.up = complex_scale(wide_power(pixel->up_e - e), t.up);
        input.c = complex_scale(wide_power(exponent), pixel->at.c);
        input.centre = common->shared.direct.centre;
        input.right = complex_scale(common->dynamic ? 0 : wide_power(exponent - e), step);
        int64_t taken;
        next.at.delta = formula_along_steps(common, pixel, &input, slopes, 0, 1, &t, &taken);
        next.at.dz = t.right;
        next.up = t.up;
        next.at.dz_e = next.up_e = e;
    }
    if (pixel->at.e == 0 && wide_is_plain(next.at.delta)) {
        *pixel = next;
        if (slopes)
            formula_settle_tangents(pixel);
    } else
        formula_wide_step_fully(pixel, common, slopes);
    pixel->at.m++;
    pixel->at.n++;
}

/* ---- blocks ---- */

/* Level of the longest block that may start at m, or -1. */
DEEP_FN int formula_level_most(const struct formula_pixel *pixel,
                               const struct formula_common *common)
{
    return table_level_most(&common->table[pixel->reference], pixel->at.m - 1,
                            common->shared.limit - pixel->at.n,
                            common->reference[pixel->reference].end - pixel->at.m, pixel->at.level);
}

/* Level of the longest block that holds for such a key, or -1. */
DEEP_FN int formula_level(const struct formula_pixel *pixel, const struct formula_common *common,
                          int32_t reach)
{
    return table_level(&common->table[pixel->reference], pixel->at.m - 1,
                       formula_level_most(pixel, common), reach);
}

DEEP_FN struct formula_block formula_block_at(const struct formula_pixel *pixel,
                                              const struct formula_common *common, int level)
{
    const struct block_table *table = &common->table[pixel->reference];
    const struct formula_block *record = (const struct formula_block *)table->record[level];
    return escape_load(&record[(pixel->at.m - 1) >> (table->shortest + level)]);
}

DEEP_FN void formula_leap(struct formula_pixel *pixel, const struct formula_common *common,
                          int slopes, int level, enum block_terms terms)
{
    const struct formula_block block = formula_block_at(pixel, common, level);
    struct complex_f64 v = complex_scale(common->shared.per_unit, pixel->at.c);
    if (slopes) {
        struct complex_f64 dv = common->shared.step_v;
        struct complex_f64 delta = pixel->at.delta;
        pixel->at.dz = formula_slope_apply(&block, delta, pixel->at.dz, dv);
        if (!common->program.holomorphic)
            pixel->up = formula_slope_apply(&block, delta, pixel->up, complex_turned(dv));
    }
    pixel->at.delta = formula_apply(&block, pixel->at.delta, v, terms);
    pixel->at.m += (int64_t)1 << (common->table[pixel->reference].shortest + level);
    pixel->at.n += (int64_t)1 << (common->table[pixel->reference].shortest + level);
}

DEEP_FN void formula_leap_slopes(struct formula_pixel *pixel, const struct formula_common *common,
                                 const struct formula_block *block, struct complex_wide delta)
{
    struct wide_tangents t = formula_tangents_wide(pixel);
    struct complex_f64 dv = common->shared.step_v;
    t.right = formula_wide_slope(block, delta, t.right, dv);
    if (!common->program.holomorphic)
        t.up = formula_wide_slope(block, delta, t.up, complex_turned(dv));
    formula_put_tangents(pixel, &t);
}

DEEP_FN void formula_leap_of_wide(struct formula_pixel *pixel, const struct formula_common *common,
                                  int slopes, int level, enum block_terms terms)
{
    const struct formula_block block = formula_block_at(pixel, common, level);
    struct complex_f64 v = complex_scale(common->shared.per_unit, pixel->at.c), next = {0, 0};
    struct complex_wide delta = wide_settle(pixel->at.delta, pixel->at.e);
    if (pixel->at.e == 0 && block.out == 0) {
        struct formula_block k = block;
        if (block.of_c) { /* c does not count beside plain delta */
            k.b = complex_scale(0, k.b);
            k.b2 = complex_scale(0, k.b2);
        }
        next = formula_apply(&k, pixel->at.delta, v, terms);
    }
    if (slopes)
        formula_leap_slopes(pixel, common, &block, delta);
    if (wide_is_plain(next))
        pixel->at.delta = next;
    else
        wide_put(&pixel->at, formula_wide_apply(&block, delta, v));
    pixel->at.m += (int64_t)1 << (common->table[pixel->reference].shortest + level);
    pixel->at.n += (int64_t)1 << (common->table[pixel->reference].shortest + level);
}

/* ---- after a block or a step ---- */

DEEP_FN void formula_wrap(struct formula_pixel *pixel, const struct formula_common *common)
{
    pixel->at.m = reference_wrap(&common->reference[pixel->reference], pixel->at.m);
}

/* Does the pixel end at z_n? Else it rebases where that is due. */
DEEP_FN int formula_arrive(struct formula_pixel *pixel, const struct formula_common *common)
{
    formula_wrap(pixel, common);
    struct complex_f64 z = complex_add(pixel->at.delta, 1, formula_point(common, pixel));
    if (pixel_ends(&pixel->at, &common->shared, z))
        return 1;
    if (complex_max(z) < complex_max(pixel->at.delta) ||
        pixel->at.m == common->reference[pixel->reference].end) {
        pixel->at.delta = z;
        formula_rebase(pixel, common);
    }
    return 0;
}

DEEP_FN int formula_arrive_of_wide(struct formula_pixel *pixel, const struct formula_common *common)
{
    if (pixel->at.e == 0) {
        int done = formula_arrive(pixel, common);
        if (pixel->at.m == 0 && !done)
            wide_put(&pixel->at, wide_settle(pixel->at.delta, 0));
        return done;
    }
    formula_wrap(pixel, common);
    struct complex_f64 z = formula_point(common, pixel);
    int ends = pixel->at.m == common->reference[pixel->reference].end;
    if (pixel_ends(&pixel->at, &common->shared, z))
        return 1;
    if (complex_max(z) < ORBIT_TINY || ends) {
        struct complex_wide delta = wide_settle(pixel->at.delta, pixel->at.e);
        struct complex_wide own = wide_add(formula_wide_point(common, pixel), delta);
        if (wide_less(own, delta) || ends) {
            wide_put(&pixel->at, own);
            formula_rebase(pixel, common);
        }
    }
    return 0;
}

/* ---- without the reference ---- */

/* Leaves the reference if it may; 1: it has. */
DEEP_FN int formula_leave(struct formula_pixel *pixel, const struct formula_common *common)
{
    struct complex_f64 d = pixel->at.delta;
    double slope = fma(d.x, d.x, d.y * d.y), norm = pixel->at.norm;
    const struct program_list list = formula_list_of(common, pixel);
    if (!common->program.similar || !pixel->at.n ||
        direct_end(norm, formula_direct_next(slope, norm, list_stretch(list), list.phase->degree),
                   &common->shared.direct) != DIRECT_GOES_ON)
        return 0;
    pixel->at.slope = slope;
    pixel->at.direct = 1;
    pixel->at.delta = complex_add(d, 1, formula_point(common, pixel));
    return 1;
}

/* Back to the reference, where it would be now or, if z is nearer to 0, to a beginning. */
DEEP_FN void formula_return(struct formula_pixel *pixel, const struct formula_common *common)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    struct complex_f64 z = pixel->at.delta;
    int64_t end = reference->end, period = reference->period;
    pixel->at.direct = 0;
    pixel->at.level = 0;
    if (pixel->at.m >= end && period)
        pixel->at.m = end - period + (pixel->at.m - end) % period;
    if (pixel->at.m < end) {
        pixel->at.delta = complex_add(z, -1, formula_point(common, pixel));
        if (complex_max(pixel->at.delta) <= complex_max(z))
            return;
        pixel->at.delta = z;
    }
    formula_rebase(pixel, common);
}

/* Ends `taken` steps without the reference, which ended so; 1: the count is known. */
DEEP_FN int formula_settle(struct formula_pixel *pixel, const struct formula_common *common,
                           enum direct_end end, int64_t taken)
{
    pixel->at.n += taken;
    pixel->at.m += taken;
    pixel->at.steps += (uint64_t)taken;
    if (end == DIRECT_ESCAPED)
        pixel->at.count = pixel->at.n;
    if (end == DIRECT_ESCAPED || pixel->at.n == common->shared.limit) {
        pixel->reference = common->critical;
        pixel->at.m = 0; /* z_n = Z_0 + delta */
        return 1;
    }
    if (end == DIRECT_ENDS)
        formula_return(pixel, common);
    return 0;
}

/* Input of a pixel's steps without the reference. In a wide picture c and the step are nothing
 * beside z and dz there. */
DEEP_FN struct formula_step_input formula_direct_input(const struct formula_pixel *pixel,
                                                       const struct formula_common *common)
{
    double unit = wide_power(common->shared.exponent);
    struct formula_step_input input;
    input.c = pixel->at.c;
    input.centre = complex_add(common->shared.direct.centre, unit, pixel->at.c);
    input.right = complex_scale(common->dynamic ? 0 : unit, common->shared.step);
    return input;
}

/* Goes on until the orbit ends, or for `most` >= 1 steps; their number in *taken. */
DEEP_FN enum direct_end formula_direct_on(struct formula_direct *at,
                                          const struct formula_pixel *pixel,
                                          const struct formula_common *common,
                                          const struct formula_step_input *input, int slopes,
                                          int64_t most, int64_t *taken)
{
    const struct direct_limits *limits = &common->shared.direct;
#ifdef DEEP_KERNELS
    if (!DEEP_OWN || common->row)
        return common->row->directly[slopes](at, input, limits, most, taken);
#endif
    struct program_list list = formula_list_of(common, pixel);
    int both = !common->program.holomorphic;
    enum direct_end end;
    int64_t i = 0;
    do {
        at->z = formula_direct_step(list, at->z, input, slopes, both, &at->tangents);
        i++;
        list = formula_list(common, formula_list_at(common, pixel->at.n + i));
        end = formula_direct_arrive(at, list_stretch(list), list.phase->degree, limits);
    } while (end == DIRECT_GOES_ON && i < most);
    *taken = i;
    return end;
}

/* Takes up to `most` steps without the reference; 1: the count is known. */
DEEP_FN int formula_directly(struct formula_pixel *pixel, const struct formula_common *common,
                             int slopes, int64_t most, int64_t *taken)
{
    const struct formula_step_input input = formula_direct_input(pixel, common);
    const struct program_list list = formula_list_of(common, pixel);
    int64_t left = common->shared.limit - pixel->at.n;
    struct formula_direct at = {pixel->at.delta, formula_tangents_of(pixel), pixel->at.norm,
                                pixel->at.slope, 0};
    at.next = formula_direct_next(at.slope, at.norm, list_stretch(list), list.phase->degree);
    enum direct_end end =
        formula_direct_on(&at, pixel, common, &input, slopes, most < left ? most : left, taken);
    pixel->at.delta = at.z;
    pixel->at.dz = at.tangents.right;
    pixel->up = at.tangents.up;
    pixel->at.norm = at.norm;
    pixel->at.slope = at.slope;
    return formula_settle(pixel, common, end, *taken);
}

/* Puts both tangents over one exponent, for the plain steps of a wide picture. */
DEEP_FN void formula_direct_begin(struct formula_pixel *pixel)
{
    int32_t e = pixel->at.dz_e > pixel->up_e ? pixel->at.dz_e : pixel->up_e;
    pixel->at.dz = complex_scale(wide_power(pixel->at.dz_e - e), pixel->at.dz);
    pixel->up = complex_scale(wide_power(pixel->up_e - e), pixel->up);
    pixel->at.dz_e = pixel->up_e = e;
}

DEEP_FN void formula_direct_end(struct formula_pixel *pixel, int slopes)
{
    if (slopes)
        formula_settle_tangents(pixel);
    if (!pixel->at.direct)
        wide_put(&pixel->at, wide_settle(pixel->at.delta, 0));
}

DEEP_FN int formula_direct_steps(struct formula_pixel *pixel, const struct formula_common *common,
                                 int slopes, int wide, int64_t most, int64_t *taken)
{
    if (wide && slopes)
        formula_direct_begin(pixel);
    int done = formula_directly(pixel, common, slopes, most, taken);
    if (wide)
        formula_direct_end(pixel, slopes);
    return done;
}

/* ---- the end ---- */

/* z_n of a pixel that escaped. */
DEEP_FN struct complex_f64 formula_end(const struct formula_pixel *pixel,
                                       const struct formula_common *common)
{
    struct complex_f64 z =
        complex_add(formula_point(common, pixel), pixel->at.e ? 0 : 1, pixel->at.delta);
    if (DEEP_OWN)
        z.x += common->begins;
    return z;
}

/* Goes on from |z - begins| > R - begins, where pixels end here, to |z| > R. */
DEEP_FN void formula_finish(struct formula_pixel *pixel, const struct formula_common *common,
                            int slopes)
{
    if (!DEEP_OWN || !(common->begins > 0) || !pixel->at.count)
        return;
    struct formula_step_input input = formula_direct_input(pixel, common);
    struct complex_f64 z = formula_end(pixel, common);
    struct formula_tangents t = formula_tangents_of(pixel);
    double norm = fma(z.x, z.x, z.y * z.y);
    input.right = complex_scale(wide_power(-pixel->at.dz_e), input.right);
    while (norm <= common->far && pixel->at.n < common->shared.limit) {
        z.x -= common->begins;
        z = formula_direct_step(formula_list_of(common, pixel), z, &input, slopes,
                                !common->program.holomorphic, &t);
        z.x += common->begins;
        norm = fma(z.x, z.x, z.y * z.y);
        pixel->at.n++;
    }
    pixel->at.count = norm <= common->far ? 0 : pixel->at.n;
    pixel->at.norm = norm;
    pixel->at.dz = t.right;
    pixel->up = t.up;
    pixel->at.m = 0; /* z_n - begins = Z_0 + delta */
    pixel->at.e = 0;
    pixel->at.delta = z;
    pixel->at.delta.x -= common->begins;
    pixel->reference = common->critical;
}

/* ---- all of it ---- */

/* c_re, c_im: of the grid, relative to its reference's centre. */
DEEP_FN struct formula_pixel formula_begin(const struct formula_common *common, double re,
                                           double im)
{
    struct formula_pixel pixel = {pixel_begin(&common->shared, 0, 0), {0, 0}, 0, 0};
    struct complex_f64 point = {re, im};
    int32_t exponent = common->shared.exponent;
    pixel.up_e = pixel.at.dz_e;
    pixel.at.level = common->table[0].levels - 1;
    if (!common->dynamic) {
        pixel.at.c = point;
        return pixel;
    }
    pixel.at.dz = common->shared.step;
    pixel.up = complex_turned(common->shared.step);
    if (exponent) {
        pixel.at.dz_e = pixel.up_e = exponent;
        formula_settle_tangents(&pixel);
        wide_put(&pixel.at, wide_settle(point, exponent));
    } else
        pixel.at.delta = point;
    struct complex_wide own =
        wide_add(formula_wide_point(common, &pixel), wide_settle(pixel.at.delta, pixel.at.e));
    if (wide_less(own, wide_settle(pixel.at.delta, pixel.at.e)) || !common->reference[0].end) {
        pixel.at.e = 0;
        if (exponent)
            wide_put(&pixel.at, own);
        else
            pixel.at.delta = complex_scale(wide_power(own.e), own.x);
        formula_rebase(&pixel, common);
    }
    return pixel;
}

/* Takes one block along the reference, or steps; 1: the count is known. */
DEEP_FN int formula_advance(struct formula_pixel *pixel, const struct formula_common *common,
                            int slopes, int wide, int level)
{
    const enum block_terms terms = formula_terms(&common->program);
    pixel->at.steps++;
    if (wide) {
        if (level >= 0)
            formula_leap_of_wide(pixel, common, slopes, level, terms);
        else
            formula_step_of_wide(pixel, common, slopes);
        return formula_arrive_of_wide(pixel, common);
    }
    if (level >= 0)
        formula_leap(pixel, common, slopes, level, terms);
    else
        formula_steps(pixel, common, slopes, formula_room(pixel, common));
    return formula_arrive(pixel, common);
}

/* Index and reference in one number, for m of struct pixel_kept. */
DEEP_FN int64_t formula_position(const struct formula_pixel *pixel)
{
    return pixel->at.m * FORMULA_REFERENCES + pixel->reference;
}

/* As pixel_repeats. */
DEEP_FN int formula_repeats(const struct formula_pixel *pixel, struct pixel_kept *kept)
{
    struct pixel_state at = pixel->at;
    at.m = formula_position(pixel);
    return pixel_repeats(&at, kept);
}

/* As pixel_along. */
DEEP_FN int formula_along(struct formula_pixel *pixel, const struct formula_common *common,
                          enum blocks blocks, int slopes, int wide, int64_t most, int64_t *taken,
                          struct pixel_kept *kept)
{
    int done = 0;
    int64_t i = 0;
    while (i < most && !done) {
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            int32_t e = wide ? pixel->at.e : 0;
            level = formula_level(pixel, common, wide_key(complex_reach(pixel->at.delta), e));
            if (level < 0 && !(wide && pixel->at.e) && formula_leave(pixel, common))
                break;
            pixel->at.level = level < 0 ? 0 : level;
        }
        i++;
        done = formula_advance(pixel, common, slopes, wide, level);
        if (kept && !done && formula_repeats(pixel, kept)) {
            pixel->at.n = common->shared.limit;
            done = 1;
        }
    }
    *taken = i;
    return done;
}

/* As pixel_on_kept. */
DEEP_FN int formula_on(struct formula_pixel *state, const struct formula_common *common,
                       enum blocks blocks, int slopes, int wide, int64_t most,
                       struct pixel_kept *kept)
{
    struct formula_pixel pixel = *state;
    int done = 0;
    for (int64_t i = 0, taken; i < most && !done; i += taken)
        done = pixel.at.direct
                   ? formula_direct_steps(&pixel, common, slopes, wide, most - i, &taken)
                   : formula_along(&pixel, common, blocks, slopes, wide, most - i, &taken, kept);
    *state = pixel;
    return done;
}

/* Fraction of a pixel that escaped; else 0. */
DEEP_FN float formula_fraction(const struct formula_pixel *pixel,
                               const struct formula_common *common)
{
    if (!pixel->at.count)
        return 0.0f;
    int32_t phase = formula_list_at(common, pixel->at.count - 1);
    return fraction_of_degree(pixel->at.norm, common->constants[phase].fraction);
}

DEEP_FN struct distance formula_distance(const struct formula_pixel *pixel,
                                         const struct formula_common *common)
{
    struct distance none = {0.0f, 0.0f};
    if (!pixel->at.count)
        return none;
    struct complex_f64 z = formula_end(pixel, common), right = pixel->at.dz;
    struct complex_f64 up = complex_scale(wide_power(pixel->up_e - pixel->at.dz_e), pixel->up);
    if (!common->program.holomorphic)
        distance_slope(z.x, z.y, up.x, up.y, &right.x, &right.y);
    struct distance d = distance_of(z.x, z.y, right.x, right.y, pixel->at.dz_e);
    d.x += 0.0f; /* 0 where dz is no number, which has a sign that hangs on the instructions */
    d.y += 0.0f;
    return d;
}

DEEP_FN float formula_phase_of_end(const struct formula_pixel *pixel,
                                   const struct formula_common *common)
{
    if (!pixel->at.count)
        return 0.0f;
    struct complex_f64 z = formula_end(pixel, common);
    return phase_of(z.x, z.y);
}

#endif
