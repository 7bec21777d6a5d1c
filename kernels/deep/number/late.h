/* Pixels that go on in fp32: from where they first leave the reference (direct.h) to their counts.
 *
 * A rounding counts as a move of the pixel by it over the slope |dz_n/dc|. Up to where a pixel
 * leaves its reference that is as small as it ever is, so every rounding counts most: this early
 * part, a few blocks of many steps, is computed in doubles. From there on the slope is theta and
 * more, and theta is so large in such a picture that DIRECT_ROUNDINGS roundings of floats are what
 * blocks may leave out. What comes after, most steps of a picture, is the same code with floats:
 * steps without the reference, and after rebases blocks and steps along it. There a delta may be
 * wrong by a rounding of its own, which moves the pixel by no more: |delta| is what is left of a z
 * that the slope belongs to, and both grow alike.
 *
 * Floats have exponents of their own as doubles have in pixel_wide.h, from 2^WIDE_BORDER_F32 down.
 * c is in units of the largest c. The bits are the same everywhere, as those of doubles. */
#ifndef KERNELS_DEEP_LATE_H
#define KERNELS_DEEP_LATE_H

#include "kernels/deep/pixel_wide.h"

/* The largest theta in fp32: beyond it pixels would leave their references so late that fp64 is as
 * fast. */
#define LATE_THETA_MOST 0.5

/* May pixels go on in fp32 with blocks that leave out so much? */
DEEP_FN int late_pays(double epsilon)
{
    return DIRECT_ROUNDINGS * 0x1p-24 <= LATE_THETA_MOST * epsilon;
}

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

/* A pixel that has just left its reference. */
DEEP_FN struct pixel_state_f32 late_begin(const struct pixel_state *pixel,
                                          const struct pixel_common *common)
{
    struct pixel_state_f32 late;
    const struct complex_f32 none = {0, 0}, z = complex_narrow(pixel->delta);
    late.c = complex_narrow(complex_scale(common->per_unit, pixel->c));
    late.delta = z;
    late.dz = none;
    late.m = pixel->m;
    late.n = pixel->n;
    late.count = 0;
    late.norm = fmaf(z.x, z.x, z.y * z.y);
    late.slope = (float)pixel->slope;
    late.direct = 1;
    late.steps = pixel->steps;
    late.level = 0;
    late.e = late.dz_e = 0;
    return late;
}

/* Returns to doubles what is stored of a late pixel. */
DEEP_FN void late_end(struct pixel_state *pixel, const struct pixel_state_f32 *late)
{
    pixel->count = late->count;
    pixel->norm = late->norm;
    pixel->n = late->n;
    pixel->steps = late->steps;
}

#endif
