/* A block of steps of any formula, and what it does to delta (formula_block.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_block_body.h: include a real_*.h before it"
#endif

/* delta' = 2^out (A w + A2 conj(w) + D w^2 + G w^3 + H w^4 + 2^of_c (B v + B2 conj(v))), w = delta
 * / 2^in, or conj(delta) / 2^in where `conj` is 1. 128 bytes of doubles, 80 of
 * floats, as struct quadratic_block. */
struct T(formula_block) {
    struct COMPLEX a, b, a2, b2, d, g, h;
    int32_t in, out, of_c, conj;
#ifdef REAL_NARROW
    int32_t unused[2]; /* up to a multiple of 16 bytes */
#endif
};

DEEP_FN struct COMPLEX T(complex_conj)(struct COMPLEX a)
{
    a.y = -a.y;
    return a;
}

/* w, of a block that the type holds. */
DEEP_FN struct COMPLEX T(formula_argument)(const struct T(formula_block) * k, struct COMPLEX delta)
{
    DEEP_REAL scale = T(wide_power)(-k->in), of_y; /* negative of a conjugate, without a branch */
    REAL_BITS bits;
    memcpy(&bits, &scale, sizeof bits);
    bits |= (REAL_BITS)k->conj << (8 * sizeof bits - 1);
    memcpy(&of_y, &bits, sizeof of_y);
    delta.x *= scale;
    delta.y *= of_y;
    return delta;
}

/* Has the block terms in w and v alone? Nearly all have where derivatives are no similarities. */
DEEP_FN int T(formula_linear)(const struct T(formula_block) * k)
{
    return !(T(complex_max)(k->d) + T(complex_max)(k->g) + T(complex_max)(k->h) > 0);
}

/* delta' after a block. */
DEEP_FN struct COMPLEX T(formula_apply)(const struct T(formula_block) * k, struct COMPLEX delta,
                                        struct COMPLEX v, enum block_terms terms)
{
    struct COMPLEX w = T(formula_argument)(k, delta), rest;
    if (terms == TERMS_HOLOMORPHIC)
        rest = T(complex_mul)(k->b, v);
    else
        rest = T(complex_fma)(k->a2, T(complex_conj)(w),
                              T(complex_fma)(k->b, v, T(complex_mul)(k->b2, T(complex_conj)(v))));
    if (terms == TERMS_MIXED && T(formula_linear)(k))
        return T(complex_fma)(k->a, w, rest);
    struct COMPLEX d = T(complex_fma)(T(complex_fma)(k->h, w, k->g), w, k->d);
    return T(complex_fma)(T(complex_fma)(d, w, k->a), w, rest);
}

/* dz' after a block; dv: dc in units. */
DEEP_FN struct COMPLEX T(formula_slope_apply)(const struct T(formula_block) * k,
                                              struct COMPLEX delta, struct COMPLEX dz,
                                              struct COMPLEX dv)
{
    struct COMPLEX w = T(formula_argument)(k, delta), dw = T(formula_argument)(k, dz);
    struct COMPLEX d = T(complex_scale)(2, k->d);
    d = T(complex_fma)(T(complex_fma)(T(complex_scale)(4, k->h), w, T(complex_scale)(3, k->g)), w,
                       d);
    struct COMPLEX of_w =
        T(complex_fma)(T(complex_fma)(d, w, k->a), dw, T(complex_mul)(k->a2, T(complex_conj)(dw)));
    return T(complex_fma)(k->b, dv, T(complex_fma)(k->b2, T(complex_conj)(dv), of_w));
}

/* delta' of settled numbers; terms that w multiplies once more do not count where the type does
 * not hold w, as in wide_apply. */
DEEP_FN struct T(complex_wide) T(formula_wide_apply)(const struct T(formula_block) * k,
                                                     struct T(complex_wide) delta, struct COMPLEX v)
{
    int32_t e = delta.e - k->in;
    struct COMPLEX x = delta.x;
    x.y = k->conj ? -x.y : x.y;
    struct COMPLEX w = T(complex_scale)(T(wide_power)(e), x);
    struct COMPLEX d = T(complex_fma)(T(complex_fma)(k->h, w, k->g), w, k->d);
    struct COMPLEX of_w =
        T(complex_fma)(T(complex_fma)(d, w, k->a), x, T(complex_mul)(k->a2, T(complex_conj)(x)));
    struct COMPLEX of_v = T(complex_fma)(k->b, v, T(complex_mul)(k->b2, T(complex_conj)(v)));
    struct T(complex_wide) sum =
        T(wide_add)(T(wide_settle)(of_w, e), T(wide_settle)(of_v, k->of_c));
    sum.e += k->out;
    return sum;
}

#ifdef REAL_LEAPS_ALIKE
/* delta' of a settled delta, as wide_apply_alike. */
DEEP_FN struct T(complex_wide)
    T(formula_wide_apply_alike)(const struct T(formula_block) * k, struct T(complex_wide) delta,
                                struct COMPLEX v)
{
    const int32_t of_w = delta.e - k->in, e = of_w > k->of_c ? of_w : k->of_c;
    struct COMPLEX x = delta.x;
    x.y = k->conj ? -x.y : x.y;
    const struct COMPLEX w = T(complex_scale)(T(wide_power)(of_w), x);
    const struct COMPLEX d = T(complex_fma)(T(complex_fma)(k->h, w, k->g), w, k->d);
    const struct COMPLEX a = T(complex_fma)(d, w, k->a);
    struct COMPLEX b = T(complex_fma)(k->b, v, T(complex_mul)(k->b2, T(complex_conj)(v)));
    b = T(complex_scale)(T(wide_power)(k->of_c - e), b);
    x = T(complex_scale)(T(wide_power)(of_w - e), x);
    b = T(complex_fma)(k->a2, T(complex_conj)(x), b);
    return T(wide_settle)(T(complex_fma)(a, x, b), e + k->out);
}
#endif

DEEP_FN struct T(complex_wide)
    T(formula_wide_slope)(const struct T(formula_block) * k, struct T(complex_wide) delta,
                          struct T(complex_wide) dz, struct COMPLEX dv)
{
    struct COMPLEX x = delta.x, t = dz.x, d = T(complex_scale)(2, k->d);
    x.y = k->conj ? -x.y : x.y;
    t.y = k->conj ? -t.y : t.y;
    struct COMPLEX w = T(complex_scale)(T(wide_power)(delta.e - k->in), x);
    d = T(complex_fma)(T(complex_fma)(T(complex_scale)(4, k->h), w, T(complex_scale)(3, k->g)), w,
                       d);
    struct COMPLEX of_w =
        T(complex_fma)(T(complex_fma)(d, w, k->a), t, T(complex_mul)(k->a2, T(complex_conj)(t)));
    struct COMPLEX of_v = T(complex_fma)(k->b, dv, T(complex_mul)(k->b2, T(complex_conj)(dv)));
    struct T(complex_wide) sum =
        T(wide_add)(T(wide_settle)(of_w, dz.e - k->in), T(wide_settle)(of_v, k->of_c));
    sum.e += k->out;
    return sum;
}
