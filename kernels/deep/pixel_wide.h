/* The steps of pixel_state.h where c has left the exponents of doubles: with delta 2^e.
 *
 * Such a pixel begins with a delta like c, and long blocks soon make it large: from
 * 2^WIDE_BORDER on e is 0, and it takes the plain formulas, in which c may underflow, for it is
 * less than 2^-100 of what it would be added to. When their result would be below the border
 * again, as near a small Z or from Z_0 on, it is done in full instead. */
#ifndef KERNELS_DEEP_PIXEL_WIDE_H
#define KERNELS_DEEP_PIXEL_WIDE_H

#include "kernels/deep/pixel_state.h"

DEEP_FN int wide_is_plain(struct complex_f64 delta)
{
    return complex_max(delta) >= wide_power(WIDE_BORDER);
}

DEEP_FN void wide_put(struct pixel_state *pixel, struct complex_wide delta)
{
    int plain = delta.e >= WIDE_BORDER;
    pixel->delta = plain ? complex_scale(wide_power(delta.e), delta.x) : delta.x;
    pixel->e = plain ? 0 : delta.e;
}

DEEP_FN void wide_put_slope(struct pixel_state *pixel, struct complex_wide dz)
{
    pixel->dz = dz.x;
    pixel->dz_e = dz.e;
}

/* delta', of a settled delta. As a double w may be 0: the term of a has its own exponent, and those
 * that w multiplies once more do not count beside it then. */
DEEP_FN struct complex_wide wide_apply(const struct quadratic_block *k, struct complex_wide delta,
                                       struct complex_f64 v)
{
    int32_t e = delta.e - k->in;
    struct complex_f64 w = complex_scale(wide_power(e), delta.x);
    struct complex_f64 d = complex_fma(complex_fma(k->h, w, k->g), w, k->d);
    struct complex_f64 of_w = complex_fma(d, w, complex_fma(k->e, v, k->a));
    struct complex_f64 of_v = complex_fma(k->f, v, k->b);
    struct complex_wide sum = wide_add(wide_settle(complex_mul(of_w, delta.x), e),
                                       wide_settle(complex_mul(of_v, v), k->of_c));
    sum.e += k->out;
    return sum;
}

/* dz' = d delta' / d delta dz + d delta' / d c dc, likewise. */
DEEP_FN struct complex_wide wide_slope(const struct quadratic_block *k, struct complex_wide delta,
                                       struct complex_f64 v, struct complex_wide dz,
                                       struct complex_f64 dv)
{
    int32_t e = delta.e - k->in;
    struct complex_f64 w = complex_scale(wide_power(e), delta.x), d = complex_scale(2, k->d);
    d = complex_fma(complex_fma(complex_scale(4, k->h), w, complex_scale(3, k->g)), w, d);
    struct complex_f64 by_w = complex_fma(d, w, complex_fma(k->e, v, k->a));
    struct complex_f64 by_v = complex_fma(complex_scale(2, k->f), v, k->b);
    struct complex_wide sum = wide_add(wide_settle(complex_mul(by_w, dz.x), dz.e - k->in),
                                       wide_settle(complex_mul(by_v, dv), k->of_c));
    sum = wide_add(sum, wide_settle(complex_mul(complex_mul(k->e, delta.x), dv), e));
    sum.e += k->out;
    return sum;
}

/* Takes a block by plain arithmetic; 0: the result would be too small for that. Terms of c that
 * doubles do not hold (of_c) do not count. */
DEEP_FN int wide_leap_plainly(struct pixel_state *pixel, const struct pixel_common *common,
                              const struct quadratic_block *block, int slopes, struct complex_f64 v)
{
    struct complex_f64 from = pixel->delta, dz = pixel->dz;
    double unit = block->of_c ? 0 : wide_power(-pixel->dz_e);
    if (pixel->m == 0) {
        from = complex_mul(from, from);
        dz = complex_mul(complex_scale(2, pixel->delta), dz);
    }
    if ((pixel->m == 0 && !wide_is_plain(from)) || (slopes && pixel->dz_e < -1000))
        return 0;
    double counts = block->of_c ? 0 : 1;
    struct quadratic_block k = *block;
    k.b = complex_scale(counts, k.b);
    k.f = complex_scale(counts, k.f);
    struct complex_f64 next = block_apply(&k, from, v);
    if (!wide_is_plain(next))
        return 0;
    if (slopes)
        wide_put_slope(
            pixel, wide_settle(block_slope(&k, from, v, dz, complex_scale(unit, common->step_v)),
                               pixel->dz_e));
    pixel->delta = next;
    return 1;
}

DEEP_FN void wide_leap_fully(struct pixel_state *pixel, const struct pixel_common *common,
                             const struct quadratic_block *block, int slopes, struct complex_f64 v)
{
    struct complex_wide delta = wide_settle(pixel->delta, pixel->e);
    struct complex_wide dz = wide_settle(pixel->dz, pixel->dz_e);
    if (pixel->m == 0) {
        dz = wide_mul(wide_settle(complex_scale(2, delta.x), delta.e), dz);
        delta = wide_mul(delta, delta);
    }
    if (slopes)
        wide_put_slope(pixel, wide_slope(block, delta, v, dz, common->step_v));
    wide_put(pixel, wide_apply(block, delta, v));
}

DEEP_FN void wide_leap(struct pixel_state *pixel, const struct pixel_common *common, int slopes,
                       int level)
{
    int shift = common->table.shortest + level;
    const struct quadratic_block block =
        escape_load(&common->table.record[level][pixel->m >> shift]);
    struct complex_f64 v = complex_scale(common->per_unit, pixel->c);
    int plain = pixel->e == 0 && block.out == 0;
    if (!plain || !wide_leap_plainly(pixel, common, &block, slopes, v))
        wide_leap_fully(pixel, common, &block, slopes, v);
    pixel->m += (int64_t)1 << shift;
    pixel->n += (int64_t)1 << shift;
}

DEEP_FN struct complex_wide wide_reference(const struct pixel_common *common, int64_t m)
{
    struct complex_wide z = wide_point(common->z, common->tiny, common->tiny_count, m);
    return wide_settle(z.x, z.e); /* Z_0 = 0 */
}

DEEP_FN void wide_step_fully(struct pixel_state *pixel, const struct pixel_common *common,
                             int slopes)
{
    struct complex_wide delta = wide_settle(pixel->delta, pixel->e);
    struct complex_wide z = wide_reference(common, pixel->m);
    if (slopes) {
        struct complex_wide own = wide_mul(wide_add(z, delta), wide_settle(pixel->dz, pixel->dz_e));
        own.e++;
        wide_put_slope(pixel, wide_add(own, wide_settle(common->step, common->exponent)));
    }
    z.e++;
    z = wide_mul(wide_add(z, delta), delta);
    wide_put(pixel, wide_add(z, wide_settle(pixel->c, common->exponent)));
}

DEEP_FN void wide_step(struct pixel_state *pixel, const struct pixel_common *common, int slopes)
{
    struct complex_f64 z = pixel_reference(common, pixel->m), next = {0, 0};
    if (pixel->e == 0)
        next = delta_step(z, pixel->delta, complex_scale(wide_power(common->exponent), pixel->c));
    if (!wide_is_plain(next))
        wide_step_fully(pixel, common, slopes);
    else {
        struct complex_f64 dc =
            complex_scale(wide_power(common->exponent - pixel->dz_e), common->step);
        if (slopes)
            wide_put_slope(pixel,
                           wide_settle(delta_slope(complex_add(pixel->delta, 1, z), pixel->dz, dc),
                                       pixel->dz_e));
        pixel->delta = next;
    }
    pixel->m++;
    pixel->n++;
}

/* z is Z to the last bit, as long as that is not tiny too. */
DEEP_FN int wide_arrive(struct pixel_state *pixel, const struct pixel_common *common)
{
    if (pixel->e == 0) {
        int done = pixel_arrive(pixel, common);
        if (pixel->m == 0)
            wide_put(pixel, wide_settle(pixel->delta, 0));
        return done;
    }
    if (pixel->m == common->end)
        pixel->m -= common->period;
    struct complex_f64 z = pixel_reference(common, pixel->m);
    if (pixel_ends(pixel, common, z))
        return 1;
    if (complex_max(z) < ORBIT_TINY || pixel->m == common->end) {
        struct complex_wide delta = wide_settle(pixel->delta, pixel->e);
        struct complex_wide own = wide_add(wide_reference(common, pixel->m), delta);
        if (wide_less(own, delta) || pixel->m == common->end) {
            wide_put(pixel, own);
            pixel->m = 0;
            pixel->level = common->table.levels - 1;
        }
    }
    return 0;
}

/* Takes up to `most` steps without the reference; 1: the count is known. */
DEEP_FN int pixel_direct_steps(struct pixel_state *pixel, const struct pixel_common *common,
                               int slopes, int wide, int64_t most, int64_t *taken)
{
    int done = pixel_directly(pixel, common, slopes, most, taken);
    if (wide && slopes)
        wide_put_slope(pixel, wide_settle(pixel->dz, pixel->dz_e));
    if (wide && !done && !pixel->direct)
        wide_put(pixel, wide_settle(pixel->delta, 0));
    return done;
}

/* Takes one block or step along the reference; 1: the count is known. */
DEEP_FN int pixel_advance(struct pixel_state *pixel, const struct pixel_common *common, int slopes,
                          int wide, int level)
{
    pixel->steps++;
    if (wide) {
        if (level >= 0)
            wide_leap(pixel, common, slopes, level);
        else
            wide_step(pixel, common, slopes);
        return wide_arrive(pixel, common);
    }
    if (level >= 0)
        pixel_leap(pixel, common, slopes, level);
    else
        pixel_step(pixel, common, slopes);
    return pixel_arrive(pixel, common);
}

/* An earlier state of a pixel, for Brent's search for cycles. A pixel that comes to the same index
 * with the same delta, bit for bit, goes round for ever, so it does not escape; all of the inside
 * does so in the end. A GPU compares less often (kernels/cuda/deep/cuda_deep_pixel.h), to the same
 * counts. */
struct pixel_kept {
    struct complex_f64 delta;
    int64_t m;
    int32_t e;
    int level;
    uint64_t due; /* steps at which the next state is kept */
};

DEEP_FN int pixel_repeats(const struct pixel_state *pixel, struct pixel_kept *kept)
{
    if (pixel->m == kept->m && pixel->delta.x == kept->delta.x && pixel->delta.y == kept->delta.y &&
        pixel->e == kept->e && pixel->level == kept->level)
        return 1;
    if (pixel->steps >= kept->due) {
        struct pixel_kept now = {pixel->delta, pixel->m, pixel->e, pixel->level,
                                 2 * pixel->steps + 256};
        *kept = now;
    }
    return 0;
}

/* Takes up to `most` blocks and steps along the reference, until the pixel leaves it or the count
 * is known: then 1. kept: zeroed at the pixel's beginning, with m < 0; or NULL. */
DEEP_FN int pixel_along(struct pixel_state *pixel, const struct pixel_common *common,
                        enum blocks blocks, int slopes, int wide, int64_t most, int64_t *taken,
                        struct pixel_kept *kept)
{
    int done = 0;
    int64_t i = 0;
    while (i < most && !done) {
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            level = pixel_level(pixel, common, pixel_reach(pixel, wide ? pixel->e : 0));
            if (level < 0 && !(wide && pixel->e) && pixel_leave(pixel, common))
                break;
            pixel->level = level < 0 ? 0 : level;
        }
        i++;
        done = pixel_advance(pixel, common, slopes, wide, level);
        if (kept && !done && pixel_repeats(pixel, kept)) {
            pixel->n = common->limit;
            done = 1;
        }
    }
    *taken = i;
    return done;
}

/* Goes on for `most` steps and blocks, or until the count is known: then 1. `blocks`, `slopes` and
 * `wide`, whether the picture is, are constants, which make this several kernels. */
DEEP_FN int pixel_on_kept(struct pixel_state *state, const struct pixel_common *common,
                          enum blocks blocks, int slopes, int wide, int64_t most,
                          struct pixel_kept *kept)
{
    struct pixel_state pixel = *state;
    int done = 0;
    for (int64_t i = 0, taken; i < most && !done; i += taken)
        done = pixel.direct
                   ? pixel_direct_steps(&pixel, common, slopes, wide, most - i, &taken)
                   : pixel_along(&pixel, common, blocks, slopes, wide, most - i, &taken, kept);
    *state = pixel;
    return done;
}

DEEP_FN int pixel_on(struct pixel_state *state, const struct pixel_common *common,
                     enum blocks blocks, int slopes, int wide, int64_t most)
{
    return pixel_on_kept(state, common, blocks, slopes, wide, most, NULL);
}

#endif
