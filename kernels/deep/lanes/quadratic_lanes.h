/* Arithmetic of LANES pixels of z^2 + c along the reference, in the SIMD lanes of a processor, to
 * the bit as delta.h and block.h have it for one.
 *
 * A body, behind formula_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "quadratic_lanes.h: a macro is missing"
#endif

/* As pixel_step, until a lane ends; returns the steps. */
DEEP_FN int64_t T(quadratic_lanes)(struct T(lane_run) * of_pixels,
                                   const struct T(direct_limits) * limits, int slopes, int64_t most)
{
    struct T(lane_run) run = T(lane_run_copy)(of_pixels, slopes);
    struct T(lane_complex) z = T(lane_pairs_of)(run.z, 0, run.same);
    const PACK two = P(splat)(2);
    int64_t i = 0;
    int on;
    do {
        if (slopes)
            run.right =
                T(lane_fma)(T(lane_scale)(two, T(lane_add)(run.delta, z)), run.right, run.dc);
        run.delta = T(lane_fma)(T(lane_add)(run.delta, T(lane_scale)(two, z)), run.delta, run.c);
        on = ++i < most;
        if (on) {
            z = T(lane_pairs_of)(run.z, 2 * i, run.same);
            on = T(lane_run_goes_on)(&run, z, 1, 2, limits);
        }
    } while (on);
    T(lane_run_return)(of_pixels, &run, slopes);
    return i;
}

struct T(lane_quadratic) { /* a block of each lane */
    struct T(lane_complex) a, b, d, e, f, g, h;
    PACK scale;    /* w = delta scale */
    PACK counts;   /* as in struct lane_block */
    uint32_t wide; /* as there */
};

#define QUADRATIC_MEMBER(member) \
    ((int64_t)(offsetof(struct T(quadratic_block), member) / sizeof(DEEP_REAL)))

/* As lane_block_load. */
DEEP_FN struct T(lane_quadratic)
    T(lane_quadratic_load)(const struct T(quadratic_block) *const *block, int same, int wide)
{
    struct T(lane_quadratic) k;
    const struct COMPLEX one = {1, 0};
    const DEEP_REAL *record[LANES];
    _Alignas(64) DEEP_REAL scale[LANES];
    int32_t out[LANES], of_c[LANES];
    for (int l = 0; l < (same ? 1 : LANES); l++) {
        record[l] = (const DEEP_REAL *)(const void *)block[l];
        scale[l] = T(block_argument)(block[l], one).x;
        out[l] = block[l]->out;
        of_c[l] = block[l]->of_c;
    }
    k.scale = same ? P(splat)(scale[0]) : P(load)(scale);
    k.a = T(lane_pairs_of)(record, QUADRATIC_MEMBER(a), same);
    k.b = T(lane_pairs_of)(record, QUADRATIC_MEMBER(b), same);
    k.d = T(lane_pairs_of)(record, QUADRATIC_MEMBER(d), same);
    k.e = T(lane_pairs_of)(record, QUADRATIC_MEMBER(e), same);
    k.f = T(lane_pairs_of)(record, QUADRATIC_MEMBER(f), same);
    k.g = T(lane_pairs_of)(record, QUADRATIC_MEMBER(g), same);
    k.h = T(lane_pairs_of)(record, QUADRATIC_MEMBER(h), same);
    k.counts = P(splat)(1);
    k.wide = 0;
    if (wide) {
        k.wide = T(lane_exponents)(out, of_c, same, &k.counts);
        k.b = T(lane_scale)(k.counts, k.b);
        k.f = T(lane_scale)(k.counts, k.f);
    }
    return k;
}

/* As block_apply. */
DEEP_FN struct T(lane_complex)
    T(lane_quadratic_apply)(const struct T(lane_quadratic) * k, struct T(lane_complex) delta,
                            struct T(lane_complex) v)
{
    struct T(lane_complex) w = T(lane_scale)(k->scale, delta);
    struct T(lane_complex) d = T(lane_fma)(T(lane_fma)(k->h, w, k->g), w, k->d);
    struct T(lane_complex) of_w = T(lane_fma)(d, w, T(lane_fma)(k->e, v, k->a));
    return T(lane_fma)(of_w, w, T(lane_mul)(T(lane_fma)(k->f, v, k->b), v));
}

/* As block_slope; v: c in units. */
DEEP_FN struct T(lane_complex)
    T(lane_quadratic_slope)(const struct T(lane_quadratic) * k, struct T(lane_complex) delta,
                            struct T(lane_complex) v, struct T(lane_complex) dz,
                            struct T(lane_complex) dv)
{
    struct T(lane_complex) w = T(lane_scale)(k->scale, delta), d = T(lane_scale)(P(splat)(2), k->d);
    d = T(lane_fma)(
        T(lane_fma)(T(lane_scale)(P(splat)(4), k->h), w, T(lane_scale)(P(splat)(3), k->g)), w, d);
    struct T(lane_complex) by_w = T(lane_fma)(d, w, T(lane_fma)(k->e, v, k->a));
    struct T(lane_complex) by_v =
        T(lane_fma)(T(lane_scale)(P(splat)(2), k->f), v, T(lane_fma)(k->e, w, k->b));
    return T(lane_fma)(T(lane_scale)(k->scale, by_w), dz, T(lane_mul)(by_v, dv));
}
