/* Arithmetic of LANES pixels of z^2 + c along the reference, in the SIMD lanes of a processor, to
 * the bit as delta.h and block.h have it for one.
 *
 * A body, behind formula_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "quadratic_lanes.h: a macro is missing"
#endif

/* As pixel_step, until a lane ends; returns the steps. */
DEEP_FN int64_t quadratic_lanes(struct lane_run *of_pixels, const struct direct_limits *limits,
                                int slopes, int64_t most)
{
    struct lane_run run = lane_run_copy(of_pixels, slopes);
    struct lane_complex z = lane_pairs_of(run.z, 0, run.same);
    const PACK two = P(splat)(2);
    int64_t i = 0;
    int on;
    do {
        if (slopes)
            run.right = lane_fma(lane_scale(two, lane_add(run.delta, z)), run.right, run.dc);
        run.delta = lane_fma(lane_add(run.delta, lane_scale(two, z)), run.delta, run.c);
        on = ++i < most;
        if (on) {
            z = lane_pairs_of(run.z, 2 * i, run.same);
            on = lane_run_goes_on(&run, z, 1, 2, limits);
        }
    } while (on);
    lane_run_return(of_pixels, &run, slopes);
    return i;
}

struct lane_quadratic { /* a block of each lane */
    struct lane_complex a, b, d, e, f, g, h;
    PACK scale;    /* w = delta scale */
    PACK counts;   /* as in struct lane_block */
    uint32_t wide; /* as there */
};

#define QUADRATIC_MEMBER(member) \
    ((int64_t)(offsetof(struct quadratic_block, member) / sizeof(double)))

/* As lane_block_load. */
DEEP_FN struct lane_quadratic lane_quadratic_load(const struct quadratic_block *const *block,
                                                  int same, int wide)
{
    struct lane_quadratic k;
    const struct complex_f64 one = {1, 0};
    const double *record[LANES];
    _Alignas(64) double scale[LANES];
    int32_t out[LANES], of_c[LANES];
    for (int l = 0; l < (same ? 1 : LANES); l++) {
        record[l] = (const double *)(const void *)block[l];
        scale[l] = block_argument(block[l], one).x;
        out[l] = block[l]->out;
        of_c[l] = block[l]->of_c;
    }
    k.scale = same ? P(splat)(scale[0]) : P(load)(scale);
    k.a = lane_pairs_of(record, QUADRATIC_MEMBER(a), same);
    k.b = lane_pairs_of(record, QUADRATIC_MEMBER(b), same);
    k.d = lane_pairs_of(record, QUADRATIC_MEMBER(d), same);
    k.e = lane_pairs_of(record, QUADRATIC_MEMBER(e), same);
    k.f = lane_pairs_of(record, QUADRATIC_MEMBER(f), same);
    k.g = lane_pairs_of(record, QUADRATIC_MEMBER(g), same);
    k.h = lane_pairs_of(record, QUADRATIC_MEMBER(h), same);
    k.counts = P(splat)(1);
    k.wide = 0;
    if (wide) {
        k.wide = lane_exponents(out, of_c, same, &k.counts);
        k.b = lane_scale(k.counts, k.b);
        k.f = lane_scale(k.counts, k.f);
    }
    return k;
}

/* As block_apply. */
DEEP_FN struct lane_complex lane_quadratic_apply(const struct lane_quadratic *k,
                                                 struct lane_complex delta, struct lane_complex v)
{
    struct lane_complex w = lane_scale(k->scale, delta);
    struct lane_complex d = lane_fma(lane_fma(k->h, w, k->g), w, k->d);
    struct lane_complex of_w = lane_fma(d, w, lane_fma(k->e, v, k->a));
    return lane_fma(of_w, w, lane_mul(lane_fma(k->f, v, k->b), v));
}

/* As block_slope; v: c in units. */
DEEP_FN struct lane_complex lane_quadratic_slope(const struct lane_quadratic *k,
                                                 struct lane_complex delta, struct lane_complex v,
                                                 struct lane_complex dz, struct lane_complex dv)
{
    struct lane_complex w = lane_scale(k->scale, delta), d = lane_scale(P(splat)(2), k->d);
    d = lane_fma(lane_fma(lane_scale(P(splat)(4), k->h), w, lane_scale(P(splat)(3), k->g)), w, d);
    struct lane_complex by_w = lane_fma(d, w, lane_fma(k->e, v, k->a));
    struct lane_complex by_v = lane_fma(lane_scale(P(splat)(2), k->f), v, lane_fma(k->e, w, k->b));
    return lane_fma(lane_scale(k->scale, by_w), dz, lane_mul(by_v, dv));
}
