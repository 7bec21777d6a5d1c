/* Numbers of LANES pixels with exponents, in the SIMD lanes of a processor, to the bit as wide.h
 * has one, and blocks of z^2 + c of such deltas, as pixel_wide.h has them.
 *
 * A body, behind quadratic_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "wide_lanes.h: a macro is missing"
#endif

struct lane_wide { /* x 2^e */
    struct lane_complex x;
    PACK e; /* whole numbers */
};

DEEP_FN struct lane_wide lane_wide_settle(struct lane_complex x, PACK e)
{
    PACK size = lane_max(x), lead = P(lead)(size);
    uint32_t normal = P(le)(P(splat)(0x1p-1022), size);
    struct lane_wide settled;
    settled.x = lane_scale(P(where)(normal, P(power)(P(neg)(lead)), P(splat)(0)), x);
    settled.e = P(where)(normal, P(add)(e, lead), P(splat)(WIDE_ZERO));
    return settled;
}

DEEP_FN struct lane_wide lane_wide_add(struct lane_wide a, struct lane_wide b)
{
    PACK e = P(max)(a.e, b.e), of_b = P(power)(P(sub)(b.e, e));
    struct lane_complex sum = lane_scale(P(power)(P(sub)(a.e, e)), a.x);
    sum.x = P(fma)(of_b, b.x.x, sum.x);
    sum.y = P(fma)(of_b, b.x.y, sum.y);
    return lane_wide_settle(sum, e);
}

DEEP_FN struct lane_wide lane_wide_mul(struct lane_wide a, struct lane_wide b)
{
    return lane_wide_settle(lane_mul(a.x, b.x), P(add)(a.e, b.e));
}

DEEP_FN struct lane_wide lane_wide_where(uint32_t bits, struct lane_wide a, struct lane_wide b)
{
    a.x = lane_where(bits, a.x, b.x);
    a.e = P(where)(bits, a.e, b.e);
    return a;
}

/* Smallest and largest key of the lanes. */
struct lane_keys {
    int32_t least, most;
};

DEEP_FN struct lane_keys lane_keys_of(PACK reach, PACK exponent)
{
    struct lane_keys keys = {INT32_MAX, INT32_MIN};
    _Alignas(64) double x[LANES], e[LANES];
    P(store)(x, reach);
    P(store)(e, exponent);
    for (int l = 0; l < LANES; l++) {
        const int32_t key = wide_key(x[l], (int32_t)e[l]);
        keys.least = key < keys.least ? key : keys.least;
        keys.most = key > keys.most ? key : keys.most;
    }
    return keys;
}

/* All lanes, none, or another number: is the key at least the radius? */
DEEP_FN uint32_t lane_keys_beyond(struct lane_keys keys, int32_t radius)
{
    return keys.most < radius ? 0 : keys.least >= radius ? LANES_BELOW(LANES) : 1;
}

struct lane_powers { /* exponents of a block of each lane: see struct quadratic_block */
    PACK in, out, of_c;
};

/* same: the first block is that of all. */
DEEP_FN struct lane_powers lane_powers_load(const struct quadratic_block *const *block, int same)
{
    _Alignas(64) double in[LANES], out[LANES], of_c[LANES];
    struct lane_powers powers;
    for (int l = 0; l < LANES; l++) {
        in[l] = block[same ? 0 : l]->in;
        out[l] = block[same ? 0 : l]->out;
        of_c[l] = block[same ? 0 : l]->of_c;
    }
    powers.in = P(load)(in);
    powers.out = P(load)(out);
    powers.of_c = P(load)(of_c);
    return powers;
}

/* As wide_apply. */
DEEP_FN struct lane_wide lane_wide_apply(const struct lane_quadratic *k,
                                         const struct lane_powers *powers, struct lane_wide delta,
                                         struct lane_complex v)
{
    PACK e = P(sub)(delta.e, powers->in);
    struct lane_complex w = lane_scale(P(power)(e), delta.x);
    struct lane_complex d = lane_fma(lane_fma(k->h, w, k->g), w, k->d);
    struct lane_complex of_w = lane_fma(d, w, lane_fma(k->e, v, k->a));
    struct lane_complex of_v = lane_fma(k->f, v, k->b);
    struct lane_wide sum = lane_wide_add(lane_wide_settle(lane_mul(of_w, delta.x), e),
                                         lane_wide_settle(lane_mul(of_v, v), powers->of_c));
    sum.e = P(add)(sum.e, powers->out);
    return sum;
}

/* As wide_slope. */
DEEP_FN struct lane_wide lane_wide_slope(const struct lane_quadratic *k,
                                         const struct lane_powers *powers, struct lane_wide delta,
                                         struct lane_complex v, struct lane_wide dz,
                                         struct lane_complex dv)
{
    PACK e = P(sub)(delta.e, powers->in);
    struct lane_complex w = lane_scale(P(power)(e), delta.x), d = lane_scale(P(splat)(2), k->d);
    d = lane_fma(lane_fma(lane_scale(P(splat)(4), k->h), w, lane_scale(P(splat)(3), k->g)), w, d);
    struct lane_complex by_w = lane_fma(d, w, lane_fma(k->e, v, k->a));
    struct lane_complex by_v = lane_fma(lane_scale(P(splat)(2), k->f), v, k->b);
    struct lane_wide sum =
        lane_wide_add(lane_wide_settle(lane_mul(by_w, dz.x), P(sub)(dz.e, powers->in)),
                      lane_wide_settle(lane_mul(by_v, dv), powers->of_c));
    sum = lane_wide_add(sum, lane_wide_settle(lane_mul(lane_mul(k->e, delta.x), dv), e));
    sum.e = P(add)(sum.e, powers->out);
    return sum;
}
