/* Pixels of Newton's method, of Nova and of magnets from z_0 to their counts; `kind` is a constant
 * of kernels. */
#ifndef KERNELS_DEEP_RATIONAL_NEWTON_KINDS_H
#define KERNELS_DEEP_RATIONAL_NEWTON_KINDS_H

#include "kernels/deep/rational/magnet_pixel.h"

/* Pixel of a formula that rebases. re, im: from the grid, relative to the view's centre. */
DEEP_FN struct newton_pixel rebasing_begin(const struct newton_common *common, double re, double im,
                                           enum newton_kind kind)
{
    struct newton_pixel pixel;
    struct complex_f64 point = {re, im};
    memset(&pixel, 0, sizeof pixel);
    pixel.delta.e = pixel.dz.e = WIDE_ZERO;
    pixel.norm = pixel.before = INFINITY;
    pixel.level = common->table[0].levels - 1;
    if (!common->dynamic) {
        pixel.c = point;
        return pixel;
    }
    pixel.delta = wide_settle(point, common->shared.exponent);
    pixel.dz = wide_settle(common->shared.step, common->shared.exponent);
    if (kind == KIND_MAGNET)
        magnet_arrive(&pixel, common);
    else
        nova_arrive(&pixel, common);
    return pixel;
}

DEEP_FN struct newton_pixel newton_kind_begin(const struct newton_common *common, double re,
                                              double im, enum newton_kind kind)
{
    return kind == KIND_NEWTON ? newton_begin(common, re, im)
                               : rebasing_begin(common, re, im, kind);
}

/* Takes a block or a step along the reference; 1: the pixel is over. */
DEEP_FN int rebasing_along(struct newton_pixel *pixel, const struct newton_common *common,
                           enum blocks blocks, int slopes, enum newton_kind kind)
{
    int level = blocks == BLOCKS_NONE ? -1 : newton_level(pixel, common), over = 0;
    pixel->level = level < 0 ? 0 : level;
    pixel->steps++;
    if (level >= 0)
        newton_leap(pixel, common, slopes, level, complex_scale(common->shared.per_unit, pixel->c),
                    common->shared.step_v);
    else if (kind == KIND_MAGNET)
        over = magnet_along_step(pixel, common, slopes);
    else
        over = nova_along_step(pixel, common, slopes);
    if (over || pixel->direct)
        return over;
    if (kind == KIND_MAGNET)
        magnet_arrive(pixel, common);
    else
        nova_arrive(pixel, common);
    return 0;
}

enum { REBASING_KEPT_DIRECT = -2 /* m of a kept state without a reference */ };

/* As pixel_repeats, which compares the reference, or that there is none, too. */
DEEP_FN int rebasing_repeats(const struct newton_pixel *pixel, struct pixel_kept *kept)
{
    struct pixel_state at;
    memset(&at, 0, sizeof at);
    at.delta = pixel->delta.x;
    at.e = pixel->delta.e;
    at.m = pixel->direct ? (int64_t)REBASING_KEPT_DIRECT
                         : pixel->m * NEWTON_REFERENCES + pixel->reference;
    at.level = pixel->level;
    at.steps = pixel->steps;
    return pixel_repeats(&at, kept);
}

/* Takes up to `most` blocks and steps; 1: the count is known. kept: see pixel_wide.h. */
DEEP_FN int newton_kind_on(struct newton_pixel *pixel, const struct newton_common *common,
                           enum blocks blocks, int slopes, int64_t most, struct pixel_kept *kept,
                           enum newton_kind kind)
{
    int over = 0;
    if (kind == KIND_NEWTON)
        return newton_on(pixel, common, blocks, slopes, most);
    for (int64_t i = 0; i < most && !over && pixel->n < common->shared.limit; i++) {
        if (pixel->direct)
            over = kind == KIND_MAGNET ? magnet_direct_steps(pixel, common, slopes)
                                       : nova_direct_steps(pixel, common, slopes);
        else
            over = rebasing_along(pixel, common, blocks, slopes, kind);
        if (kept && !over && rebasing_repeats(pixel, kept)) {
            pixel->n = common->shared.limit;
            over = 1;
        }
    }
    return over || pixel->n == common->shared.limit;
}

/* Values of a pixel that is over; else 0. */
DEEP_FN struct rational_values newton_kind_values(const struct newton_pixel *pixel,
                                                  const struct newton_common *common, int slopes,
                                                  enum newton_kind kind)
{
    return kind == KIND_MAGNET ? magnet_values(pixel, common, slopes)
                               : newton_values(pixel, common, slopes);
}

#endif
