/* A pixel of any formula and plane by perturbation (formula_pixel.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_pixel_body.h: include a real_*.h before it"
#endif

struct T(formula_common) {         /* what the pixels of a picture share; read only */
    struct T(pixel_common) shared; /* limit, bailout, exponent, step, per_unit, direct; no orbit */
    struct program program;
    struct T(formula_reference) reference[FORMULA_REFERENCES];
    struct block_table table[FORMULA_REFERENCES]; /* records are struct formula_block, of the steps
                                                     from Z_1 on: [(m - 1) >> (shortest + l)] */
    int32_t references;
    int32_t critical; /* the first of the critical orbits, one for each phase */
    int32_t dynamic;  /* the pixel is z_0, and nothing is added to c */
    struct program_constants constants[PROGRAM_PHASES];
    DEEP_REAL
    begins;        /* formula_begins: orbits are of z less this, and shared.bailout is R less it */
    DEEP_REAL far; /* R^2 */
    const struct T(formula_row) * row; /* compiled steps; NULL: lists are interpreted */
};

struct T(formula_pixel) {
    struct T(pixel_state) at; /* c: 0 in the dynamic plane */
    struct COMPLEX up;        /* dz per pixel upwards, over 2^up_e */
    int32_t up_e;
    int32_t reference;
};

DEEP_FN int32_t T(formula_list_at)(const struct T(formula_common) * common, int64_t n)
{
    return common->program.phases == 1 ? 0 : (int32_t)(n % common->program.phases);
}

DEEP_FN struct program_list T(formula_list)(const struct T(formula_common) * common, int32_t phase)
{
    struct program_list list;
    list.phase = &common->program.phase[phase];
    list.constants = &common->constants[phase];
    return list;
}

DEEP_FN struct program_list T(formula_list_of)(const struct T(formula_common) * common,
                                               const struct T(formula_pixel) * pixel)
{
    return T(formula_list)(common, T(formula_list_at)(common, pixel->at.n));
}

/* Rebases to the beginning of the critical orbit of this phase: delta is z_n. */
DEEP_FN void T(formula_rebase)(struct T(formula_pixel) * pixel,
                               const struct T(formula_common) * common)
{
    pixel->at.m = 0;
    pixel->reference = common->critical + T(formula_list_at)(common, pixel->at.n);
    pixel->at.level = common->table[pixel->reference].levels - 1;
}

DEEP_FN struct COMPLEX T(formula_point)(const struct T(formula_common) * common,
                                        const struct T(formula_pixel) * pixel)
{
    return T(point_load)(&common->reference[pixel->reference].z[pixel->at.m]);
}

DEEP_FN struct T(complex_wide) T(formula_wide_point)(const struct T(formula_common) * common,
                                                     const struct T(formula_pixel) * pixel)
{
    struct T(parts_wide) parts =
        T(reference_parts)(&common->reference[pixel->reference], pixel->at.m, ORBIT_POINT);
    return T(parts_join)(&parts);
}

/* ---- plain and wide numbers in a pixel ---- */

DEEP_FN struct T(wide_tangents) T(formula_tangents_wide)(const struct T(formula_pixel) * pixel)
{
    struct T(wide_tangents) t;
    t.right = T(wide_settle)(pixel->at.dz, pixel->at.dz_e);
    t.up = T(wide_settle)(pixel->up, pixel->up_e);
    return t;
}

DEEP_FN void T(formula_put_tangents)(struct T(formula_pixel) * pixel,
                                     const struct T(wide_tangents) * t)
{
    pixel->at.dz = t->right.x;
    pixel->at.dz_e = t->right.e;
    pixel->up = t->up.x;
    pixel->up_e = t->up.e;
}

/* Keeps exponents away from the borders of doubles. */
DEEP_FN void T(formula_settle_tangents)(struct T(formula_pixel) * pixel)
{
    struct T(wide_tangents) t = T(formula_tangents_wide)(pixel);
    T(formula_put_tangents)(pixel, &t);
}

#ifdef REAL_SCALED
/* ---- steps over a power of two ---- */

enum {
    SCALED_PLACES = 16, /* a delta stays over a power of two down to 1 / 2^16 and up to 2^16 */
    SCALED_MOST = 60    /* largest exponent of c over it */
};

/* The exponent of steps of a delta with exponent e: that of c where delta is 0. */
DEEP_FN int32_t T(step_exponent)(int32_t e, int32_t exponent)
{
    return e < WIDE_ZERO / 2 ? exponent : e;
}

/* Puts steps over 2^e, which is 0 for a plain delta; exponent: that of c. */
DEEP_FN void T(step_scale)(struct T(formula_step_input) * input, struct COMPLEX c, int32_t exponent,
                           int32_t e)
{
    const int32_t places = REAL_BORDER - e < SCALED_PLACES ? REAL_BORDER - e : SCALED_PLACES;
    input->c = T(complex_scale)(T(wide_power)(exponent - e), c);
    input->scale = T(wide_power)(e);
    input->per_scale = T(wide_power)(-e);
    input->least = T(wide_power)(e ? -SCALED_PLACES : REAL_BORDER);
    input->below = T(wide_power)(e ? places : REAL_BIAS);
}

/* May a step from Z be over a power of two? Folds need the parts of Z and of `values` of a tape;
 * values: -1 without folds; of_c: exponent of c over that power. */
DEEP_FN int T(step_scales)(struct COMPLEX z, const REAL_POINT *tape, int values, int32_t of_c)
{
    int holds = values < 0 || (REAL_ABS(z.x) >= REAL_PART_TINY && REAL_ABS(z.y) >= REAL_PART_TINY);
    for (int i = 0; i < values && holds; i++) {
        const struct COMPLEX value = T(point_load)(&tape[i]);
        holds = REAL_ABS(value.x) >= REAL_PART_TINY && REAL_ABS(value.y) >= REAL_PART_TINY;
    }
    return holds && of_c <= SCALED_MOST;
}

/* Does a delta of this size stay over the power of two of its step? */
DEEP_FN int T(step_stays)(DEEP_REAL size, const struct T(formula_step_input) * input)
{
    return size >= input->least && size < input->below;
}

/* Is a delta of this size, behind a step over 2^e, no result that takes numbers with exponents? */
DEEP_FN int T(step_holds)(DEEP_REAL size, int32_t e)
{
    return size >= T(wide_power)(REAL_BORDER) && (!e || size < T(wide_power)(REAL_BIAS));
}
#endif

/* ---- steps ---- */

DEEP_FN struct T(formula_tangents) T(formula_tangents_of)(const struct T(formula_pixel) * pixel)
{
    struct T(formula_tangents) t = {pixel->at.dz, pixel->up};
    return t;
}

DEEP_FN const REAL_POINT *T(formula_tape_at)(const struct T(formula_common) * common,
                                             const struct T(formula_pixel) * pixel)
{
    const struct T(formula_reference) *reference = &common->reference[pixel->reference];
    return reference->tape + pixel->at.m * reference->tape_width;
}

/* delta after a step, or after up to `most` steps if rows are compiled (struct formula_row); their
 * number in *taken. */
DEEP_FN struct COMPLEX T(formula_along_steps)(const struct T(formula_common) * common,
                                              const struct T(formula_pixel) * pixel,
                                              const struct T(formula_step_input) * input,
                                              int slopes, int leaves, int64_t most,
                                              struct T(formula_tangents) * tangents, int64_t *taken)
{
#ifdef DEEP_KERNELS
    if (!DEEP_OWN || common->row) {
        struct T(along_run)
            run = {pixel->at.delta, *tangents, &common->reference[pixel->reference].z[pixel->at.m],
                   T(formula_tape_at)(common, pixel), common->program.phase[0].taped};
        *taken = common->row->along[slopes](&run, input, &common->shared.direct, leaves, most);
        *tangents = run.tangents;
        return run.delta;
    }
#endif
    (void)leaves;
    (void)most;
    *taken = 1;
    return T(formula_delta_step)(T(formula_list_of)(common, pixel), T(formula_point)(common, pixel),
                                 T(formula_tape_at)(common, pixel), pixel->at.delta, input, slopes,
                                 !common->program.holomorphic, tangents);
}

/* Steps up to where a block may begin next, the reference ends, or the limit is. */
DEEP_FN int64_t T(formula_room)(const struct T(formula_pixel) * pixel,
                                const struct T(formula_common) * common)
{
    return table_room(&common->table[pixel->reference], pixel->at.m,
                      common->reference[pixel->reference].end - pixel->at.m,
                      common->shared.limit - pixel->at.n);
}

/* Takes up to `most` steps, as formula_along_steps. */
DEEP_FN void T(formula_steps)(struct T(formula_pixel) * pixel,
                              const struct T(formula_common) * common, int slopes, int64_t most)
{
    int64_t taken;
    struct T(formula_step_input) input;
    input.c = pixel->at.c;
    input.centre = common->shared.direct.centre;
    input.right = common->dynamic ? T(complex_scale)(0, common->shared.step) : common->shared.step;
#ifdef REAL_SCALED
    T(step_scale)(&input, pixel->at.c, 0, 0);
#endif
    struct T(formula_tangents) t = T(formula_tangents_of)(pixel);
    pixel->at.delta = T(formula_along_steps)(common, pixel, &input, slopes, common->program.similar,
                                             most, &t, &taken);
    pixel->at.dz = t.right;
    pixel->up = t.up;
    pixel->at.m += taken;
    pixel->at.n += taken;
    pixel->at.steps += (uint64_t)taken - 1;
}

DEEP_FN void T(formula_step)(struct T(formula_pixel) * pixel,
                             const struct T(formula_common) * common, int slopes)
{
    T(formula_steps)(pixel, common, slopes, 1);
}

DEEP_FN void T(formula_wide_step_fully)(struct T(formula_pixel) * pixel,
                                        const struct T(formula_common) * common, int slopes)
{
    int32_t exponent = common->shared.exponent;
    struct T(wide_step_input) input;
    struct COMPLEX none = {0, 0};
    struct T(wide_tangents) t = T(formula_tangents_wide)(pixel);
    input.c = T(wide_settle)(pixel->at.c, exponent);
    input.centre = T(wide_settle)(common->shared.direct.centre, 0);
    input.right = T(wide_settle)(common->dynamic ? none : common->shared.step, exponent);
    struct T(complex_wide) delta = T(formula_wide_step)(
        T(formula_list_of)(common, pixel), &common->reference[pixel->reference], pixel->at.m,
        T(wide_settle)(pixel->at.delta, pixel->at.e), &input, slopes, !common->program.holomorphic,
        &t);
    if (slopes)
        T(formula_put_tangents)(pixel, &t);
    T(wide_put)(&pixel->at, delta);
}

#ifdef REAL_SCALED
/* Takes a step over a power of two; 0: it needs numbers with exponents, and nothing has been done.
 */
DEEP_FN int T(formula_step_scaled)(struct T(formula_pixel) * pixel,
                                   const struct T(formula_common) * common)
{
    const int32_t exponent = common->shared.exponent;
    const int32_t e = T(step_exponent)(pixel->at.e, exponent);
    const int folds = !common->program.holomorphic && e == pixel->at.e;
    struct T(formula_tangents) t = T(formula_tangents_of)(pixel);
    struct T(formula_step_input) input;
    int64_t taken;
    if (e &&
        !T(step_scales)(T(formula_point)(common, pixel), T(formula_tape_at)(common, pixel),
                        folds ? common->reference[pixel->reference].tape_width : -1, exponent - e))
        return 0;
    T(step_scale)(&input, pixel->at.c, exponent, e);
    input.centre = common->shared.direct.centre;
    input.right = T(complex_scale)(0, common->shared.step);
    const struct COMPLEX next = T(formula_along_steps)(common, pixel, &input, 0, 0, 1, &t, &taken);
    const DEEP_REAL size = T(complex_max)(next);
    if (!T(step_holds)(size, e))
        return 0;
    pixel->at.delta = next;
    pixel->at.e = e;
    if (e && !T(step_stays)(size, &input))
        T(wide_put)(&pixel->at, T(wide_settle)(next, e));
    return 1;
}

DEEP_FN void T(formula_step_of_wide)(struct T(formula_pixel) * pixel,
                                     const struct T(formula_common) * common, int slopes)
{
    if (slopes || !T(formula_step_scaled)(pixel, common))
        T(formula_wide_step_fully)(pixel, common, slopes);
    pixel->at.m++;
    pixel->at.n++;
}
#else
/* Takes a step by plain arithmetic where its result is not too small for that. */
DEEP_FN void T(formula_step_of_wide)(struct T(formula_pixel) * pixel,
                                     const struct T(formula_common) * common, int slopes)
{
    struct T(formula_pixel) next = *pixel;
    if (pixel->at.e == 0) {
        int32_t exponent = common->shared.exponent;
        int both = !common->program.holomorphic;
        struct T(formula_step_input) input;
        struct COMPLEX step = common->shared.step;
        struct T(formula_tangents) t = T(formula_tangents_of)(pixel);
        /* Over the larger of both exponents, with which they are turned back below. */
        int32_t e = both && pixel->up_e > pixel->at.dz_e ? pixel->up_e : pixel->at.dz_e;
        t.right = T(complex_scale)(T(wide_power)(pixel->at.dz_e - e), t.right);
        t.up = T(complex_scale)(T(wide_power)(pixel->up_e - e), t.up);
        input.c = T(complex_scale)(T(wide_power)(exponent), pixel->at.c);
        input.centre = common->shared.direct.centre;
        input.right = T(complex_scale)(common->dynamic ? 0 : T(wide_power)(exponent - e), step);
        int64_t taken;
        next.at.delta = T(formula_along_steps)(common, pixel, &input, slopes, 0, 1, &t, &taken);
        next.at.dz = t.right;
        next.up = t.up;
        next.at.dz_e = next.up_e = e;
    }
    if (pixel->at.e == 0 && T(wide_is_plain)(next.at.delta)) {
        *pixel = next;
        if (slopes)
            T(formula_settle_tangents)(pixel);
    } else
        T(formula_wide_step_fully)(pixel, common, slopes);
    pixel->at.m++;
    pixel->at.n++;
}
#endif

/* ---- blocks ---- */

/* Level of the longest block that may start at m, or -1. */
DEEP_FN int T(formula_level_most)(const struct T(formula_pixel) * pixel,
                                  const struct T(formula_common) * common)
{
    return table_level_most(&common->table[pixel->reference], pixel->at.m - 1,
                            common->shared.limit - pixel->at.n,
                            common->reference[pixel->reference].end - pixel->at.m, pixel->at.level);
}

/* Level of the longest block that holds for such a key, or -1. */
DEEP_FN int T(formula_level)(const struct T(formula_pixel) * pixel,
                             const struct T(formula_common) * common, int32_t reach)
{
    return table_level(&common->table[pixel->reference], pixel->at.m - 1,
                       T(formula_level_most)(pixel, common), reach);
}

DEEP_FN struct T(formula_block)
    T(formula_block_at)(const struct T(formula_pixel) * pixel,
                        const struct T(formula_common) * common, int level)
{
    const struct block_table *table = &common->table[pixel->reference];
    const struct T(formula_block) *record =
        (const struct T(formula_block) *)table->T(record)[level];
    return escape_load(&record[(pixel->at.m - 1) >> (table->shortest + level)]);
}

DEEP_FN void T(formula_leap)(struct T(formula_pixel) * pixel,
                             const struct T(formula_common) * common, int slopes, int level,
                             enum block_terms terms)
{
    const struct T(formula_block) block = T(formula_block_at)(pixel, common, level);
    struct COMPLEX v = T(complex_scale)(common->shared.per_unit, pixel->at.c);
    if (slopes) {
        struct COMPLEX dv = common->shared.step_v;
        struct COMPLEX delta = pixel->at.delta;
        pixel->at.dz = T(formula_slope_apply)(&block, delta, pixel->at.dz, dv);
        if (!common->program.holomorphic)
            pixel->up = T(formula_slope_apply)(&block, delta, pixel->up, T(complex_turned)(dv));
    }
    pixel->at.delta = T(formula_apply)(&block, pixel->at.delta, v, terms);
    pixel->at.m += (int64_t)1 << (common->table[pixel->reference].shortest + level);
    pixel->at.n += (int64_t)1 << (common->table[pixel->reference].shortest + level);
}

DEEP_FN void T(formula_leap_slopes)(struct T(formula_pixel) * pixel,
                                    const struct T(formula_common) * common,
                                    const struct T(formula_block) * block,
                                    struct T(complex_wide) delta)
{
    struct T(wide_tangents) t = T(formula_tangents_wide)(pixel);
    struct COMPLEX dv = common->shared.step_v;
    t.right = T(formula_wide_slope)(block, delta, t.right, dv);
    if (!common->program.holomorphic)
        t.up = T(formula_wide_slope)(block, delta, t.up, T(complex_turned)(dv));
    T(formula_put_tangents)(pixel, &t);
}

DEEP_FN void T(formula_leap_of_wide)(struct T(formula_pixel) * pixel,
                                     const struct T(formula_common) * common, int slopes, int level,
                                     enum block_terms terms)
{
    const struct T(formula_block) block = T(formula_block_at)(pixel, common, level);
    struct COMPLEX v = T(complex_scale)(common->shared.per_unit, pixel->at.c);
    struct T(complex_wide) delta = T(wide_settle)(pixel->at.delta, pixel->at.e);
#ifdef REAL_LEAPS_ALIKE
    (void)terms;
    if (slopes)
        T(formula_leap_slopes)(pixel, common, &block, delta);
    T(wide_put)(&pixel->at, T(formula_wide_apply_alike)(&block, delta, v));
#else
    struct COMPLEX next = {0, 0};
    if (pixel->at.e == 0 && block.out == 0) {
        struct T(formula_block) k = block;
        if (block.of_c) { /* c does not count beside plain delta */
            k.b = T(complex_scale)(0, k.b);
            k.b2 = T(complex_scale)(0, k.b2);
        }
        next = T(formula_apply)(&k, pixel->at.delta, v, terms);
    }
    if (slopes)
        T(formula_leap_slopes)(pixel, common, &block, delta);
    if (T(wide_is_plain)(next))
        pixel->at.delta = next;
    else
        T(wide_put)(&pixel->at, T(formula_wide_apply)(&block, delta, v));
#endif
    pixel->at.m += (int64_t)1 << (common->table[pixel->reference].shortest + level);
    pixel->at.n += (int64_t)1 << (common->table[pixel->reference].shortest + level);
}

/* ---- after a block or a step ---- */

DEEP_FN void T(formula_wrap)(struct T(formula_pixel) * pixel,
                             const struct T(formula_common) * common)
{
    pixel->at.m = T(reference_wrap)(&common->reference[pixel->reference], pixel->at.m);
}

/* Does the pixel end at z_n? Else it rebases where that is due. */
DEEP_FN int T(formula_arrive)(struct T(formula_pixel) * pixel,
                              const struct T(formula_common) * common)
{
    T(formula_wrap)(pixel, common);
    struct COMPLEX z = T(complex_add)(pixel->at.delta, 1, T(formula_point)(common, pixel));
    if (T(pixel_ends)(&pixel->at, &common->shared, z))
        return 1;
    if (T(complex_max)(z) < T(complex_max)(pixel->at.delta) ||
        pixel->at.m == common->reference[pixel->reference].end) {
        pixel->at.delta = z;
        T(formula_rebase)(pixel, common);
    }
    return 0;
}

DEEP_FN int T(formula_arrive_of_wide)(struct T(formula_pixel) * pixel,
                                      const struct T(formula_common) * common)
{
    if (pixel->at.e == 0) {
        int done = T(formula_arrive)(pixel, common);
        if (pixel->at.m == 0 && !done)
            T(wide_put)(&pixel->at, T(wide_settle)(pixel->at.delta, 0));
        return done;
    }
    T(formula_wrap)(pixel, common);
    struct COMPLEX z = T(formula_point)(common, pixel);
    int ends = pixel->at.m == common->reference[pixel->reference].end;
    if (T(pixel_ends)(&pixel->at, &common->shared, z))
        return 1;
    if (T(complex_max)(z) < REAL_TINY || ends) {
        struct T(complex_wide) delta = T(wide_settle)(pixel->at.delta, pixel->at.e);
        struct T(complex_wide) own = T(wide_add)(T(formula_wide_point)(common, pixel), delta);
        if (T(wide_less)(own, delta) || ends) {
            T(wide_put)(&pixel->at, own);
            T(formula_rebase)(pixel, common);
        }
    }
    return 0;
}

/* ---- without the reference ---- */

/* Leaves the reference if it may; 1: it has. */
DEEP_FN int T(formula_leave)(struct T(formula_pixel) * pixel,
                             const struct T(formula_common) * common)
{
    struct COMPLEX d = pixel->at.delta;
    DEEP_REAL slope = REAL_FMA(d.x, d.x, d.y * d.y), norm = pixel->at.norm;
    const struct program_list list = T(formula_list_of)(common, pixel);
    if (!common->program.similar || !pixel->at.n ||
        T(direct_end)(
            norm, T(formula_direct_next)(slope, norm, T(list_stretch)(list), list.phase->degree),
            &common->shared.direct) != DIRECT_GOES_ON)
        return 0;
    pixel->at.slope = slope;
    pixel->at.direct = 1;
    pixel->at.delta = T(complex_add)(d, 1, T(formula_point)(common, pixel));
    return 1;
}

/* Back to the reference, where it would be now or, if z is nearer to 0, to a beginning. */
DEEP_FN void T(formula_return)(struct T(formula_pixel) * pixel,
                               const struct T(formula_common) * common)
{
    const struct T(formula_reference) *reference = &common->reference[pixel->reference];
    struct COMPLEX z = pixel->at.delta;
    int64_t end = reference->end, period = reference->period;
    pixel->at.direct = 0;
    pixel->at.level = 0;
    if (pixel->at.m >= end && period)
        pixel->at.m = end - period + (pixel->at.m - end) % period;
    if (pixel->at.m < end) {
        pixel->at.delta = T(complex_add)(z, -1, T(formula_point)(common, pixel));
        if (T(complex_max)(pixel->at.delta) <= T(complex_max)(z))
            return;
        pixel->at.delta = z;
    }
    T(formula_rebase)(pixel, common);
}

/* Ends `taken` steps without the reference, which ended so; 1: the count is known. */
DEEP_FN int T(formula_settle)(struct T(formula_pixel) * pixel,
                              const struct T(formula_common) * common, enum direct_end end,
                              int64_t taken)
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
        T(formula_return)(pixel, common);
    return 0;
}

/* Input of a pixel's steps without the reference. In a wide picture c and the step are nothing
 * beside z and dz there. */
DEEP_FN struct T(formula_step_input)
    T(formula_direct_input)(const struct T(formula_pixel) * pixel,
                            const struct T(formula_common) * common)
{
    DEEP_REAL unit = T(wide_power)(common->shared.exponent);
    struct T(formula_step_input) input;
    input.c = pixel->at.c;
    input.centre = T(complex_add)(common->shared.direct.centre, unit, pixel->at.c);
    input.right = T(complex_scale)(common->dynamic ? 0 : unit, common->shared.step);
#ifdef REAL_SCALED
    input.scale = input.per_scale = 1;
#endif
    return input;
}

/* Goes on until the orbit ends, or for `most` >= 1 steps; their number in *taken. */
DEEP_FN enum direct_end T(formula_direct_on)(struct T(formula_direct) * at,
                                             const struct T(formula_pixel) * pixel,
                                             const struct T(formula_common) * common,
                                             const struct T(formula_step_input) * input, int slopes,
                                             int64_t most, int64_t *taken)
{
    const struct T(direct_limits) *limits = &common->shared.direct;
#ifdef DEEP_KERNELS
    if (!DEEP_OWN || common->row)
        return common->row->directly[slopes](at, input, limits, most, taken);
#endif
    struct program_list list = T(formula_list_of)(common, pixel);
    int both = !common->program.holomorphic;
    enum direct_end end;
    int64_t i = 0;
    do {
        at->z = T(formula_direct_step)(list, at->z, input, slopes, both, &at->tangents);
        i++;
        list = T(formula_list)(common, T(formula_list_at)(common, pixel->at.n + i));
        end = T(formula_direct_arrive)(at, T(list_stretch)(list), list.phase->degree, limits);
    } while (end == DIRECT_GOES_ON && i < most);
    *taken = i;
    return end;
}

/* Takes up to `most` steps without the reference; 1: the count is known. */
DEEP_FN int T(formula_directly)(struct T(formula_pixel) * pixel,
                                const struct T(formula_common) * common, int slopes, int64_t most,
                                int64_t *taken)
{
    const struct T(formula_step_input) input = T(formula_direct_input)(pixel, common);
    const struct program_list list = T(formula_list_of)(common, pixel);
    int64_t left = common->shared.limit - pixel->at.n;
    struct T(formula_direct)
        at = {pixel->at.delta, T(formula_tangents_of)(pixel), pixel->at.norm, pixel->at.slope, 0};
    at.next = T(formula_direct_next)(at.slope, at.norm, T(list_stretch)(list), list.phase->degree);
    enum direct_end end =
        T(formula_direct_on)(&at, pixel, common, &input, slopes, most < left ? most : left, taken);
    pixel->at.delta = at.z;
    pixel->at.dz = at.tangents.right;
    pixel->up = at.tangents.up;
    pixel->at.norm = at.norm;
    pixel->at.slope = at.slope;
    return T(formula_settle)(pixel, common, end, *taken);
}

/* Puts both tangents over one exponent, for the plain steps of a wide picture. */
DEEP_FN void T(formula_direct_begin)(struct T(formula_pixel) * pixel)
{
    int32_t e = pixel->at.dz_e > pixel->up_e ? pixel->at.dz_e : pixel->up_e;
    pixel->at.dz = T(complex_scale)(T(wide_power)(pixel->at.dz_e - e), pixel->at.dz);
    pixel->up = T(complex_scale)(T(wide_power)(pixel->up_e - e), pixel->up);
    pixel->at.dz_e = pixel->up_e = e;
}

DEEP_FN void T(formula_direct_end)(struct T(formula_pixel) * pixel, int slopes)
{
    if (slopes)
        T(formula_settle_tangents)(pixel);
    if (!pixel->at.direct)
        T(wide_put)(&pixel->at, T(wide_settle)(pixel->at.delta, 0));
}

DEEP_FN int T(formula_direct_steps)(struct T(formula_pixel) * pixel,
                                    const struct T(formula_common) * common, int slopes, int wide,
                                    int64_t most, int64_t *taken)
{
    if (wide && slopes)
        T(formula_direct_begin)(pixel);
    int done = T(formula_directly)(pixel, common, slopes, most, taken);
    if (wide)
        T(formula_direct_end)(pixel, slopes);
    return done;
}

/* ---- the end ---- */

/* z_n of a pixel that escaped. */
DEEP_FN struct COMPLEX T(formula_end)(const struct T(formula_pixel) * pixel,
                                      const struct T(formula_common) * common)
{
    struct COMPLEX z =
        T(complex_add)(T(formula_point)(common, pixel), pixel->at.e ? 0 : 1, pixel->at.delta);
    if (DEEP_OWN)
        z.x += common->begins;
    return z;
}

/* Goes on from |z - begins| > R - begins, where pixels end here, to |z| > R. */
DEEP_FN void T(formula_finish)(struct T(formula_pixel) * pixel,
                               const struct T(formula_common) * common, int slopes)
{
    if (!DEEP_OWN || !(common->begins > 0) || !pixel->at.count)
        return;
    struct T(formula_step_input) input = T(formula_direct_input)(pixel, common);
    struct COMPLEX z = T(formula_end)(pixel, common);
    struct T(formula_tangents) t = T(formula_tangents_of)(pixel);
    DEEP_REAL norm = REAL_FMA(z.x, z.x, z.y * z.y);
    input.right = T(complex_scale)(T(wide_power)(-pixel->at.dz_e), input.right);
    while (norm <= common->far && pixel->at.n < common->shared.limit) {
        z.x -= common->begins;
        z = T(formula_direct_step)(T(formula_list_of)(common, pixel), z, &input, slopes,
                                   !common->program.holomorphic, &t);
        z.x += common->begins;
        norm = REAL_FMA(z.x, z.x, z.y * z.y);
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

/* point: of the grid, relative to its reference's centre. */
DEEP_FN struct T(formula_pixel)
    T(formula_begin_at)(const struct T(formula_common) * common, struct COMPLEX point)
{
    struct T(formula_pixel)
        pixel = {{{0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0}, 0, 0};
    int32_t exponent = common->shared.exponent;
    pixel.at.e = pixel.at.dz_e = pixel.up_e = exponent ? WIDE_ZERO : 0;
    pixel.at.level = common->table[0].levels - 1;
    if (!common->dynamic) {
        pixel.at.c = point;
        return pixel;
    }
    pixel.at.dz = common->shared.step;
    pixel.up = T(complex_turned)(common->shared.step);
    if (exponent) {
        pixel.at.dz_e = pixel.up_e = exponent;
        T(formula_settle_tangents)(&pixel);
        T(wide_put)(&pixel.at, T(wide_settle)(point, exponent));
    } else
        pixel.at.delta = point;
    struct T(complex_wide) own = T(wide_add)(T(formula_wide_point)(common, &pixel),
                                             T(wide_settle)(pixel.at.delta, pixel.at.e));
    if (T(wide_less)(own, T(wide_settle)(pixel.at.delta, pixel.at.e)) ||
        !common->reference[0].end) {
        pixel.at.e = 0;
        if (exponent)
            T(wide_put)(&pixel.at, own);
        else
            pixel.at.delta = T(complex_scale)(T(wide_power)(own.e), own.x);
        T(formula_rebase)(&pixel, common);
    }
    return pixel;
}

/* Takes one block along the reference, or steps; 1: the count is known. */
DEEP_FN int T(formula_advance)(struct T(formula_pixel) * pixel,
                               const struct T(formula_common) * common, int slopes, int wide,
                               int level)
{
    const enum block_terms terms = formula_terms(&common->program);
    pixel->at.steps++;
    if (wide) {
        if (level >= 0)
            T(formula_leap_of_wide)(pixel, common, slopes, level, terms);
        else
            T(formula_step_of_wide)(pixel, common, slopes);
        return T(formula_arrive_of_wide)(pixel, common);
    }
    if (level >= 0)
        T(formula_leap)(pixel, common, slopes, level, terms);
    else
        T(formula_steps)(pixel, common, slopes, T(formula_room)(pixel, common));
    return T(formula_arrive)(pixel, common);
}

/* Index and reference in one number, for m of struct pixel_kept. */
DEEP_FN int64_t T(formula_position)(const struct T(formula_pixel) * pixel)
{
    return pixel->at.m * FORMULA_REFERENCES + pixel->reference;
}

/* As pixel_repeats. */
DEEP_FN int T(formula_repeats)(const struct T(formula_pixel) * pixel, struct T(pixel_kept) * kept)
{
    struct T(pixel_state) at = pixel->at;
    at.m = T(formula_position)(pixel);
    return T(pixel_repeats)(&at, kept);
}

/* As pixel_along. */
DEEP_FN int T(formula_along)(struct T(formula_pixel) * pixel,
                             const struct T(formula_common) * common, enum blocks blocks,
                             int slopes, int wide, int64_t most, int64_t *taken,
                             struct T(pixel_kept) * kept)
{
    int done = 0;
    int64_t i = 0;
    while (i < most && !done) {
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            int32_t e = wide ? pixel->at.e : 0;
            level =
                T(formula_level)(pixel, common, T(wide_key)(T(complex_reach)(pixel->at.delta), e));
            if (level < 0 && !(wide && pixel->at.e) && T(formula_leave)(pixel, common))
                break;
            pixel->at.level = level < 0 ? 0 : level;
        }
        i++;
        done = T(formula_advance)(pixel, common, slopes, wide, level);
        if (kept && !done && T(formula_repeats)(pixel, kept)) {
            pixel->at.n = common->shared.limit;
            done = 1;
        }
    }
    *taken = i;
    return done;
}

/* As pixel_on_kept. */
DEEP_FN int T(formula_on)(struct T(formula_pixel) * state, const struct T(formula_common) * common,
                          enum blocks blocks, int slopes, int wide, int64_t most,
                          struct T(pixel_kept) * kept)
{
    struct T(formula_pixel) pixel = *state;
    int done = 0;
    for (int64_t i = 0, taken; i < most && !done; i += taken)
        done = pixel.at.direct
                   ? T(formula_direct_steps)(&pixel, common, slopes, wide, most - i, &taken)
                   : T(formula_along)(&pixel, common, blocks, slopes, wide, most - i, &taken, kept);
    *state = pixel;
    return done;
}

/* |z_n|^2 of a pixel that escaped. Of floats from z_n once more: they hold that, and may not hold
 * its square. */
DEEP_FN double T(formula_end_norm)(const struct T(formula_pixel) * pixel,
                                   const struct T(formula_common) * common)
{
#ifdef REAL_NARROW
    const struct COMPLEX z = T(formula_end)(pixel, common);
    return fma((double)z.x, (double)z.x, (double)z.y * (double)z.y);
#else
    (void)common;
    return pixel->at.norm;
#endif
}

/* Fraction of a pixel that escaped; else 0. */
DEEP_FN float T(formula_fraction)(const struct T(formula_pixel) * pixel,
                                  const struct T(formula_common) * common)
{
    if (!pixel->at.count)
        return 0.0f;
    int32_t phase = T(formula_list_at)(common, pixel->at.count - 1);
    return fraction_of_degree(T(formula_end_norm)(pixel, common),
                              common->constants[phase].fraction);
}
