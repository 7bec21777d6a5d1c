/* Steps of a pixel whose numbers have exponents (pixel_wide.h), and its way from z_0 to its
 * count.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "pixel_wide_body.h: include a real_*.h before it"
#endif

DEEP_FN int T(wide_is_plain)(struct COMPLEX delta)
{
    return T(complex_max)(delta) >= T(wide_power)(REAL_BORDER);
}

DEEP_FN void T(wide_put)(struct T(pixel_state) * pixel, struct T(complex_wide) delta)
{
    int plain = delta.e >= REAL_BORDER;
    pixel->delta = plain ? T(complex_scale)(T(wide_power)(delta.e), delta.x) : delta.x;
    pixel->e = plain ? 0 : delta.e;
}

DEEP_FN void T(wide_put_slope)(struct T(pixel_state) * pixel, struct T(complex_wide) dz)
{
    pixel->dz = dz.x;
    pixel->dz_e = dz.e;
}

/* delta', of a settled delta. As a double w may be 0: the term of a has its own exponent, and those
 * that w multiplies once more do not count beside it then. */
DEEP_FN struct T(complex_wide) T(wide_apply)(const struct T(quadratic_block) * k,
                                             struct T(complex_wide) delta, struct COMPLEX v)
{
    int32_t e = delta.e - k->in;
    struct COMPLEX w = T(complex_scale)(T(wide_power)(e), delta.x);
    struct COMPLEX d = T(complex_fma)(T(complex_fma)(k->h, w, k->g), w, k->d);
    struct COMPLEX of_w = T(complex_fma)(d, w, T(complex_fma)(k->e, v, k->a));
    struct COMPLEX of_v = T(complex_fma)(k->f, v, k->b);
    struct T(complex_wide) sum = T(wide_add)(T(wide_settle)(T(complex_mul)(of_w, delta.x), e),
                                             T(wide_settle)(T(complex_mul)(of_v, v), k->of_c));
    sum.e += k->out;
    return sum;
}

/* dz' = d delta' / d delta dz + d delta' / d c dc, likewise. */
DEEP_FN struct T(complex_wide)
    T(wide_slope)(const struct T(quadratic_block) * k, struct T(complex_wide) delta,
                  struct COMPLEX v, struct T(complex_wide) dz, struct COMPLEX dv)
{
    int32_t e = delta.e - k->in;
    struct COMPLEX w = T(complex_scale)(T(wide_power)(e), delta.x), d = T(complex_scale)(2, k->d);
    d = T(complex_fma)(T(complex_fma)(T(complex_scale)(4, k->h), w, T(complex_scale)(3, k->g)), w,
                       d);
    struct COMPLEX by_w = T(complex_fma)(d, w, T(complex_fma)(k->e, v, k->a));
    struct COMPLEX by_v = T(complex_fma)(T(complex_scale)(2, k->f), v, k->b);
    struct T(complex_wide) sum =
        T(wide_add)(T(wide_settle)(T(complex_mul)(by_w, dz.x), dz.e - k->in),
                    T(wide_settle)(T(complex_mul)(by_v, dv), k->of_c));
    sum = T(wide_add)(sum, T(wide_settle)(T(complex_mul)(T(complex_mul)(k->e, delta.x), dv), e));
    sum.e += k->out;
    return sum;
}

#ifdef REAL_LEAPS_ALIKE
/* delta' of a settled delta. One of the terms, in c and in delta, is over 1 and the other over
 * less: what this takes below the numbers of the type does not count. (Of a delta that is not
 * settled the term over 1 may itself be small, and the other is lost.) */
DEEP_FN struct T(complex_wide) T(wide_apply_alike)(const struct T(quadratic_block) * k,
                                                   struct T(complex_wide) delta, struct COMPLEX v)
{
    const int32_t of_w = delta.e - k->in, e = of_w > k->of_c ? of_w : k->of_c;
    struct COMPLEX w = T(complex_scale)(T(wide_power)(of_w), delta.x);
    struct COMPLEX d = T(complex_fma)(T(complex_fma)(k->h, w, k->g), w, k->d);
    struct COMPLEX a = T(complex_fma)(d, w, T(complex_fma)(k->e, v, k->a));
    struct COMPLEX b = T(complex_mul)(T(complex_fma)(k->f, v, k->b), v);
    b = T(complex_scale)(T(wide_power)(k->of_c - e), b);
    struct COMPLEX x = T(complex_scale)(T(wide_power)(of_w - e), delta.x);
    return T(wide_settle)(T(complex_fma)(a, x, b), e + k->out);
}

/* Takes a block, by the same operations whether delta has an exponent or not: then all pixels of a
 * warp, or of a pack, do. */
DEEP_FN void T(wide_leap)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                          int slopes, int level)
{
    int shift = common->table.shortest + level;
    const struct T(quadratic_block) block =
        escape_load(&common->table.T(record)[level][pixel->m >> shift]);
    struct COMPLEX v = T(complex_scale)(common->per_unit, pixel->c);
    struct T(complex_wide) delta = T(wide_settle)(pixel->delta, pixel->e);
    struct T(complex_wide) dz = {pixel->dz, pixel->dz_e};
    if (pixel->m == 0) {
        if (slopes)
            dz = T(wide_mul)(T(wide_settle)(T(complex_scale)(2, delta.x), delta.e), dz);
        delta.x = T(complex_mul)(delta.x, delta.x);
        delta.e *= 2;
    }
    if (slopes)
        T(wide_put_slope)
    (pixel, T(wide_slope)(&block, T(wide_settle)(delta.x, delta.e), v, dz, common->step_v));
    T(wide_put)(pixel, T(wide_apply_alike)(&block, delta, v));
    pixel->m += (int64_t)1 << shift;
    pixel->n += (int64_t)1 << shift;
}
#else
/* Takes a block by plain arithmetic; 0: the result would be too small for that. Terms of c that
 * doubles do not hold (of_c) do not count. */
DEEP_FN int T(wide_leap_plainly)(struct T(pixel_state) * pixel,
                                 const struct T(pixel_common) * common,
                                 const struct T(quadratic_block) * block, int slopes,
                                 struct COMPLEX v)
{
    struct COMPLEX from = pixel->delta, dz = pixel->dz;
    DEEP_REAL unit = block->of_c ? 0 : T(wide_power)(-pixel->dz_e);
    if (pixel->m == 0) {
        from = T(complex_mul)(from, from);
        dz = T(complex_mul)(T(complex_scale)(2, pixel->delta), dz);
    }
    if ((pixel->m == 0 && !T(wide_is_plain)(from)) || (slopes && pixel->dz_e < -1000))
        return 0;
    DEEP_REAL counts = block->of_c ? 0 : 1;
    struct T(quadratic_block) k = *block;
    k.b = T(complex_scale)(counts, k.b);
    k.f = T(complex_scale)(counts, k.f);
    struct COMPLEX next = T(block_apply)(&k, from, v);
    if (!T(wide_is_plain)(next))
        return 0;
    if (slopes)
        T(wide_put_slope)
    (pixel, T(wide_settle)(T(block_slope)(&k, from, v, dz, T(complex_scale)(unit, common->step_v)),
                           pixel->dz_e));
    pixel->delta = next;
    return 1;
}

DEEP_FN void T(wide_leap_fully)(struct T(pixel_state) * pixel,
                                const struct T(pixel_common) * common,
                                const struct T(quadratic_block) * block, int slopes,
                                struct COMPLEX v)
{
    struct T(complex_wide) delta = T(wide_settle)(pixel->delta, pixel->e);
    struct T(complex_wide) dz = T(wide_settle)(pixel->dz, pixel->dz_e);
    if (pixel->m == 0) {
        dz = T(wide_mul)(T(wide_settle)(T(complex_scale)(2, delta.x), delta.e), dz);
        delta = T(wide_mul)(delta, delta);
    }
    if (slopes)
        T(wide_put_slope)(pixel, T(wide_slope)(block, delta, v, dz, common->step_v));
    T(wide_put)(pixel, T(wide_apply)(block, delta, v));
}

DEEP_FN void T(wide_leap)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                          int slopes, int level)
{
    int shift = common->table.shortest + level;
    const struct T(quadratic_block) block =
        escape_load(&common->table.T(record)[level][pixel->m >> shift]);
    struct COMPLEX v = T(complex_scale)(common->per_unit, pixel->c);
    int plain = pixel->e == 0 && block.out == 0;
    if (!plain || !T(wide_leap_plainly)(pixel, common, &block, slopes, v))
        T(wide_leap_fully)(pixel, common, &block, slopes, v);
    pixel->m += (int64_t)1 << shift;
    pixel->n += (int64_t)1 << shift;
}
#endif

DEEP_FN void T(wide_step_fully)(struct T(pixel_state) * pixel,
                                const struct T(pixel_common) * common, int slopes)
{
    struct T(complex_wide) delta = T(wide_settle)(pixel->delta, pixel->e);
    struct T(complex_wide) z = T(wide_reference)(common, pixel->m);
    if (slopes) {
        struct T(complex_wide) own =
            T(wide_mul)(T(wide_add)(z, delta), T(wide_settle)(pixel->dz, pixel->dz_e));
        own.e++;
        T(wide_put_slope)(pixel, T(wide_add)(own, T(wide_settle)(common->step, common->exponent)));
    }
    z.e++;
    z = T(wide_mul)(T(wide_add)(z, delta), delta);
    T(wide_put)(pixel, T(wide_add)(z, T(wide_settle)(pixel->c, common->exponent)));
}

DEEP_FN void T(wide_step)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                          int slopes)
{
    struct COMPLEX z = T(pixel_reference)(common, pixel->m), next = {0, 0};
    if (pixel->e == 0)
        next = T(delta_step)(z, pixel->delta,
                             T(complex_scale)(T(wide_power)(common->exponent), pixel->c));
    if (!T(wide_is_plain)(next))
        T(wide_step_fully)(pixel, common, slopes);
    else {
        struct COMPLEX dc =
            T(complex_scale)(T(wide_power)(common->exponent - pixel->dz_e), common->step);
        if (slopes)
            T(wide_put_slope)
        (pixel, T(wide_settle)(T(delta_slope)(T(complex_add)(pixel->delta, 1, z), pixel->dz, dc),
                               pixel->dz_e));
        pixel->delta = next;
    }
    pixel->m++;
    pixel->n++;
}

/* z is Z to the last bit, as long as that is not tiny too. */
DEEP_FN int T(wide_arrive)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common)
{
    if (pixel->e == 0) {
        int done = T(pixel_arrive)(pixel, common);
        if (pixel->m == 0)
            T(wide_put)(pixel, T(wide_settle)(pixel->delta, 0));
        return done;
    }
    if (pixel->m == common->end)
        pixel->m -= common->period;
    struct COMPLEX z = T(pixel_reference)(common, pixel->m);
    if (T(pixel_ends)(pixel, common, z))
        return 1;
    if (T(complex_max)(z) < REAL_TINY || pixel->m == common->end) {
        struct T(complex_wide) delta = T(wide_settle)(pixel->delta, pixel->e);
        struct T(complex_wide) own = T(wide_add)(T(wide_reference)(common, pixel->m), delta);
        if (T(wide_less)(own, delta) || pixel->m == common->end) {
            T(wide_put)(pixel, own);
            pixel->m = 0;
            pixel->level = common->table.levels - 1;
        }
    }
    return 0;
}

/* Takes up to `most` steps without the reference; 1: the count is known. */
DEEP_FN int T(pixel_direct_steps)(struct T(pixel_state) * pixel,
                                  const struct T(pixel_common) * common, int slopes, int wide,
                                  int64_t most, int64_t *taken)
{
    int done = T(pixel_directly)(pixel, common, slopes, most, taken);
    if (wide && slopes)
        T(wide_put_slope)(pixel, T(wide_settle)(pixel->dz, pixel->dz_e));
    if (wide && !done && !pixel->direct)
        T(wide_put)(pixel, T(wide_settle)(pixel->delta, 0));
    return done;
}

/* Takes one block or step along the reference; 1: the count is known. */
DEEP_FN int T(pixel_advance)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                             int slopes, int wide, int level)
{
    pixel->steps++;
    if (wide) {
        if (level >= 0)
            T(wide_leap)(pixel, common, slopes, level);
        else
            T(wide_step)(pixel, common, slopes);
        return T(wide_arrive)(pixel, common);
    }
    if (level >= 0)
        T(pixel_leap)(pixel, common, slopes, level);
    else
        T(pixel_step)(pixel, common, slopes);
    return T(pixel_arrive)(pixel, common);
}

/* An earlier state of a pixel, for Brent's search for cycles. A pixel that comes to the same index
 * with the same delta, bit for bit, goes round for ever, so it does not escape; all of the inside
 * does so in the end. A GPU compares less often (kernels/cuda/deep/cuda_deep_pixel.h), to the same
 * counts. */
struct T(pixel_kept) {
    struct COMPLEX delta;
    int64_t m;
    int32_t e;
    int level;
    uint64_t due; /* steps at which the next state is kept */
};

DEEP_FN int T(pixel_repeats)(const struct T(pixel_state) * pixel, struct T(pixel_kept) * kept)
{
    if (pixel->m == kept->m && pixel->delta.x == kept->delta.x && pixel->delta.y == kept->delta.y &&
        pixel->e == kept->e && pixel->level == kept->level)
        return 1;
    if (pixel->steps >= kept->due) {
        struct T(pixel_kept)
            now = {pixel->delta, pixel->m, pixel->e, pixel->level, 2 * pixel->steps + 256};
        *kept = now;
    }
    return 0;
}

/* Takes up to `most` blocks and steps along the reference, until the pixel leaves it or the count
 * is known: then 1. kept: zeroed at the pixel's beginning, with m < 0; or NULL. */
DEEP_FN int T(pixel_along)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                           enum blocks blocks, int slopes, int wide, int64_t most, int64_t *taken,
                           struct T(pixel_kept) * kept)
{
    int done = 0;
    int64_t i = 0;
    while (i < most && !done) {
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            level = T(pixel_level)(pixel, common, T(pixel_reach)(pixel, wide ? pixel->e : 0));
            if (level < 0 && !(wide && pixel->e) && T(pixel_leave)(pixel, common))
                break;
            pixel->level = level < 0 ? 0 : level;
        }
        i++;
        done = T(pixel_advance)(pixel, common, slopes, wide, level);
        if (kept && !done && T(pixel_repeats)(pixel, kept)) {
            pixel->n = common->limit;
            done = 1;
        }
    }
    *taken = i;
    return done;
}

/* Goes on for `most` steps and blocks, or until the count is known: then 1. `blocks`, `slopes` and
 * `wide`, whether the picture is, are constants, which make this several kernels. */
DEEP_FN int T(pixel_on_kept)(struct T(pixel_state) * state, const struct T(pixel_common) * common,
                             enum blocks blocks, int slopes, int wide, int64_t most,
                             struct T(pixel_kept) * kept)
{
    struct T(pixel_state) pixel = *state;
    int done = 0;
    for (int64_t i = 0, taken; i < most && !done; i += taken)
        done = pixel.direct
                   ? T(pixel_direct_steps)(&pixel, common, slopes, wide, most - i, &taken)
                   : T(pixel_along)(&pixel, common, blocks, slopes, wide, most - i, &taken, kept);
    *state = pixel;
    return done;
}

DEEP_FN int T(pixel_on)(struct T(pixel_state) * state, const struct T(pixel_common) * common,
                        enum blocks blocks, int slopes, int wide, int64_t most)
{
    return T(pixel_on_kept)(state, common, blocks, slopes, wide, most, NULL);
}
