/* Pixels of z^2 + c in fp32, from z_0 to their counts.
 *
 * A rounding of delta by 2^-24 of itself counts as a move of the pixel by as much of its distance
 * to the reference, as long as delta is what c made of it; after each rebase, which leaves a delta
 * that is smaller than that, by less. So what a pixel moves by comes from the blocks and steps up
 * to the first returns to Z_0 (late_error.h predicts it); c itself is rounded once. Steps
 * without the reference (direct.h) round z, not delta: theta is as much larger than with doubles as
 * a rounding is, and pixels go along their reference longer.
 *
 * Floats have exponents of their own as doubles have in pixel_wide.h, from 2^WIDE_BORDER_F32 down.
 * c is in units of the largest c. Only that is computed in doubles. The bits are the same
 * everywhere, as those of doubles. */
#ifndef KERNELS_DEEP_LATE_H
#define KERNELS_DEEP_LATE_H

#include "kernels/deep/pixel_wide.h"

/* What pixels share in fp32, without z and the table. */
DEEP_FN struct pixel_common_f32 late_common(const struct pixel_common *common)
{
    struct pixel_common_f32 late;
    const struct direct_limits *limits = &common->direct;
    memset(&late, 0, sizeof late);
    late.points = common->z;
    late.tiny = common->tiny;
    late.tiny_count = common->tiny_count;
    late.end = common->end;
    late.period = common->period;
    late.limit = common->limit;
    late.bailout = (float)common->bailout;
    late.bailout_squared = (float)common->bailout_squared;
    late.exponent = common->exponent - wide_exponent(common->per_unit);
    late.per_unit = 1;
    late.table = common->table;
    late.direct.centre = complex_narrow(limits->centre);
    late.direct.bailout_squared = late.bailout_squared;
    late.direct.norm_least = limits->norm_least > 0x1p-60 ? (float)limits->norm_least : 0x1p-60f;
    late.direct.slope_least = (float)limits->slope_least;
    const uint32_t first = direct_upper_f32(late.direct.norm_least) + 1;
    const uint32_t last = direct_upper_f32(late.bailout_squared);
    late.direct.inside_first = first;
    late.direct.inside_size = last > first ? last - first : 0;
    return late;
}

/* A pixel, by its c among those of doubles. */
DEEP_FN struct pixel_state_f32 late_begin(const struct pixel_common *common,
                                          const struct pixel_common_f32 *late, double c_re,
                                          double c_im)
{
    struct pixel_state_f32 pixel;
    const struct complex_f64 c = {c_re, c_im};
    memset(&pixel, 0, sizeof pixel);
    pixel.c = complex_narrow(complex_scale(common->per_unit, c));
    pixel.level = late->table.levels - 1;
    pixel.e = pixel.dz_e = WIDE_ZERO;
    return pixel;
}

#endif
