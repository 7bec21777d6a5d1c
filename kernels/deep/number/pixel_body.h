/* The state of a pixel, and its steps where no number has an exponent of its own
 * (pixel_state.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "pixel_body.h: include a real_*.h before it"
#endif

struct T(pixel_common) { /* what the pixels of a picture share; read only */
    const REAL_POINT *z;
    const struct orbit_point *points; /* the same in doubles, for those that are tiny */
    const struct orbit_tiny *tiny;    /* tiny points, in a wide picture */
    int64_t tiny_count;
    int64_t end;    /* a pixel that comes to Z_end starts again, from Z_0 */
    int64_t period; /* period of a cycle: Z_end is Z_(end - period), the next point; else 0 */
    int64_t limit;
    DEEP_REAL bailout, bailout_squared;
    int32_t exponent;      /* c and step are over 2^exponent; 0 unless the picture is wide */
    struct COMPLEX step;   /* dc of one pixel to the right */
    DEEP_REAL per_unit;    /* v = c per_unit */
    struct COMPLEX step_v; /* step per_unit */
    struct block_table table;
    struct T(direct_limits) direct; /* set with blocks only */
    int inside;                     /* 1: pixels may be proven inside (inside.h) */
};

struct T(pixel_state) {
    struct COMPLEX c, delta, dz; /* z_n = Z_m + delta; dz: dz_n per pixel, with slopes */
    int64_t m, n;
    int64_t count;   /* smallest n >= 1 with |z_n| > R; 0 */
    DEEP_REAL norm;  /* |z_n|^2 */
    DEEP_REAL slope; /* see direct.h */
    int direct;      /* 1: the pixel goes without the reference, and delta is z_n */
    uint64_t steps;  /* blocks and single steps */
    int level;       /* level of the last block; where the next search begins */
    int32_t e, dz_e; /* delta and dz are over 2^e, 2^dz_e; 0 unless the picture is wide */
};

/* Key of the size of delta^2, which blocks from Z_0 on take, or of delta, which all others take. */
DEEP_FN int32_t T(pixel_reach)(const struct T(pixel_state) * pixel, int32_t e)
{
    DEEP_REAL reach = T(complex_reach)(pixel->delta);
    return pixel->m ? T(wide_key)(reach, e) : T(wide_key)(reach * reach, 2 * e);
}

/* The longest block that starts at m and may be used for such a key, or -1. */
DEEP_FN int T(pixel_level)(const struct T(pixel_state) * pixel,
                           const struct T(pixel_common) * common, int32_t reach)
{
    int level = table_level_most(&common->table, pixel->m, common->limit - pixel->n,
                                 common->end - pixel->m, pixel->level);
    return table_level(&common->table, pixel->m, level, reach);
}

DEEP_FN void T(pixel_leap)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                           int slopes, int level)
{
    int shift = common->table.shortest + level;
    const struct T(quadratic_block) block =
        escape_load(&common->table.T(record)[level][pixel->m >> shift]);
    struct COMPLEX v = T(complex_scale)(common->per_unit, pixel->c), from = pixel->delta;
    if (pixel->m == 0) {
        from = T(complex_mul)(pixel->delta, pixel->delta);
        if (slopes)
            pixel->dz = T(complex_mul)(T(complex_scale)(2, pixel->delta), pixel->dz);
    }
    if (slopes)
        pixel->dz = T(block_slope)(&block, from, v, pixel->dz, common->step_v);
    pixel->delta = T(block_apply)(&block, from, v);
    pixel->m += (int64_t)1 << shift;
    pixel->n += (int64_t)1 << shift;
}

DEEP_FN struct COMPLEX T(pixel_reference)(const struct T(pixel_common) * common, int64_t m)
{
    return T(point_load)(&common->z[m]);
}

DEEP_FN void T(pixel_step)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                           int slopes)
{
    struct COMPLEX z = T(pixel_reference)(common, pixel->m);
    if (slopes)
        pixel->dz = T(delta_slope)(T(complex_add)(pixel->delta, 1, z), pixel->dz, common->step);
    pixel->delta = T(delta_step)(z, pixel->delta, pixel->c);
    pixel->m++;
    pixel->n++;
}

/* Has the pixel escaped at z_n, or reached the limit? */
DEEP_FN int T(pixel_ends)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                          struct COMPLEX z)
{
    pixel->norm = REAL_FMA(z.x, z.x, z.y * z.y);
    if (pixel->norm > common->bailout_squared)
        pixel->count = pixel->n;
    return pixel->count || pixel->n == common->limit;
}

/* Does the pixel end at z_n? Else it rebases where that is due. */
DEEP_FN int T(pixel_arrive)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common)
{
    if (pixel->m == common->end)
        pixel->m -= common->period;
    struct COMPLEX z = T(complex_add)(pixel->delta, 1, T(pixel_reference)(common, pixel->m));
    if (T(pixel_ends)(pixel, common, z))
        return 1;
    if (T(complex_max)(z) < T(complex_max)(pixel->delta) || pixel->m == common->end) {
        pixel->delta = z;
        pixel->m = 0;
        pixel->level = common->table.levels - 1;
    }
    return 0;
}

/* Leaves the reference if it may; 1: it has. */
DEEP_FN int T(pixel_leave)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common)
{
    struct COMPLEX d = pixel->delta;
    DEEP_REAL slope = REAL_FMA(d.x, d.x, d.y * d.y);
    if (!T(direct_may)(pixel->norm, slope, &common->direct))
        return 0;
    pixel->slope = slope;
    pixel->direct = 1;
    pixel->delta = T(complex_add)(d, 1, T(pixel_reference)(common, pixel->m));
    return 1;
}

/* Back to the reference, where it would be now or, if z is nearer to 0, at its beginning. */
DEEP_FN void T(pixel_return)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common)
{
    struct COMPLEX z = pixel->delta;
    pixel->direct = 0;
    pixel->level = 0;
    if (pixel->m >= common->end && common->period)
        pixel->m = common->end - common->period + (pixel->m - common->end) % common->period;
    if (pixel->m < common->end) {
        pixel->delta = T(complex_add)(z, -1, T(pixel_reference)(common, pixel->m));
        if (T(complex_max)(pixel->delta) <= T(complex_max)(z))
            return;
        pixel->delta = z;
    }
    pixel->m = 0;
    pixel->level = common->table.levels - 1;
}

/* Ends `taken` steps without the reference, which ended so; 1: the count is known. */
DEEP_FN int T(pixel_settle)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
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
        T(pixel_return)(pixel, common);
    return 0;
}

/* Takes up to `most` steps without the reference; 1: the count is known. In a wide picture c and
 * the step are nothing beside z and dz here. */
DEEP_FN int T(pixel_directly)(struct T(pixel_state) * pixel, const struct T(pixel_common) * common,
                              int slopes, int64_t most, int64_t *taken)
{
    struct T(direct) at = {pixel->delta, pixel->dz, pixel->norm, pixel->slope};
    DEEP_REAL unit = T(wide_power)(common->exponent);
    int64_t left = common->limit - pixel->n;
    enum direct_end end = T(direct_on)(&at, T(complex_add)(common->direct.centre, unit, pixel->c),
                                       T(complex_scale)(unit, common->step), &common->direct,
                                       slopes, most < left ? most : left, taken);
    pixel->delta = at.z;
    pixel->dz = at.dz;
    pixel->norm = at.norm;
    pixel->slope = at.slope;
    return T(pixel_settle)(pixel, common, end, *taken);
}

/* z_n of a pixel that escaped. With an exponent of its own delta is nothing beside Z. */
DEEP_FN struct COMPLEX T(pixel_end)(const struct T(pixel_state) * pixel,
                                    const struct T(pixel_common) * common)
{
    return T(complex_add)(T(pixel_reference)(common, pixel->m), pixel->e ? 0 : 1, pixel->delta);
}
