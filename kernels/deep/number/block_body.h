/* A block of steps, and what it does to delta (block.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "block_body.h: include a real_*.h before it"
#endif

/* delta' = 2^out (A w + D w^2 + E w v + G w^3 + H w^4 + 2^of_c (B v + F v^2)), w = delta / 2^in.
 * 128 bytes of doubles, one line of a GPU's memory; 80 of floats. */
struct T(quadratic_block) {
    struct COMPLEX a, b, d, e, f, g, h;
    int32_t in, out, of_c, unused[REAL_UNUSED];
};

/* w, of a block that the type holds. */
DEEP_FN struct COMPLEX T(block_argument)(const struct T(quadratic_block) * k, struct COMPLEX delta)
{
    REAL_BITS bits = (REAL_BITS)(REAL_BIAS - k->in) << REAL_PLACES;
    DEEP_REAL per_scale;
    memcpy(&per_scale, &bits, sizeof per_scale);
    return T(complex_scale)(per_scale, delta);
}

/* delta' after a block. */
DEEP_FN struct COMPLEX T(block_apply)(const struct T(quadratic_block) * k, struct COMPLEX delta,
                                      struct COMPLEX v)
{
    struct COMPLEX w = T(block_argument)(k, delta);
    struct COMPLEX d = T(complex_fma)(T(complex_fma)(k->h, w, k->g), w, k->d);
    struct COMPLEX of_w = T(complex_fma)(d, w, T(complex_fma)(k->e, v, k->a));
    return T(complex_fma)(of_w, w, T(complex_mul)(T(complex_fma)(k->f, v, k->b), v));
}

/* dz' = d delta' / d delta dz + d delta' / d c dc; dv = dc / unit */
DEEP_FN struct COMPLEX T(block_slope)(const struct T(quadratic_block) * k, struct COMPLEX delta,
                                      struct COMPLEX v, struct COMPLEX dz, struct COMPLEX dv)
{
    struct COMPLEX w = T(block_argument)(k, delta), d = T(complex_scale)(2, k->d);
    d = T(complex_fma)(T(complex_fma)(T(complex_scale)(4, k->h), w, T(complex_scale)(3, k->g)), w,
                       d);
    struct COMPLEX by_w = T(complex_fma)(d, w, T(complex_fma)(k->e, v, k->a));
    struct COMPLEX by_v =
        T(complex_fma)(T(complex_scale)(2, k->f), v, T(complex_fma)(k->e, w, k->b));
    return T(complex_fma)(T(block_argument)(k, by_w), dz, T(complex_mul)(by_v, dv));
}
