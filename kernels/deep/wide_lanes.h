/* Numbers of LANES pixels with exponents, in the SIMD lanes of a processor, to the bit as wide.h
 * has one, and blocks of z^2 + c of such deltas, as pixel_wide.h has them.
 *
 * A body, behind quadratic_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "wide_lanes.h: a macro is missing"
#endif

DEEP_FN struct T(lane_wide) T(lane_wide_add)(struct T(lane_wide) a, struct T(lane_wide) b)
{
    PACK e = P(max)(a.e, b.e), of_b = P(power)(P(sub)(b.e, e));
    struct T(lane_complex) sum = T(lane_scale)(P(power)(P(sub)(a.e, e)), a.x);
    sum.x = P(fma)(of_b, b.x.x, sum.x);
    sum.y = P(fma)(of_b, b.x.y, sum.y);
    return T(lane_wide_settle)(sum, e);
}

DEEP_FN struct T(lane_wide) T(lane_wide_mul)(struct T(lane_wide) a, struct T(lane_wide) b)
{
    return T(lane_wide_settle)(T(lane_mul)(a.x, b.x), P(add)(a.e, b.e));
}

DEEP_FN struct T(lane_wide)
    T(lane_wide_where)(uint32_t bits, struct T(lane_wide) a, struct T(lane_wide) b)
{
    a.x = T(lane_where)(bits, a.x, b.x);
    a.e = P(where)(bits, a.e, b.e);
    return a;
}

/* Smallest and largest key of the lanes. */
struct T(lane_keys) {
    int32_t least, most;
};

/* As wide_key of each lane. */
DEEP_FN void T(lane_keys_store)(int32_t key[LANES], PACK reach, PACK exponent)
{
    _Alignas(64) DEEP_REAL x[LANES], e[LANES];
    P(store)(x, reach);
    P(store)(e, exponent);
#ifdef REAL_NARROW
    int32_t bits[LANES];
    memcpy(bits, x, sizeof bits);
    for (int l = 0; l < LANES; l++) { /* without branches, for vectors; none has such a small one */
        const float least = -WIDE_MOST - 1000, of = e[l] > least ? e[l] : least;
        key[l] = (bits[l] >> (REAL_PLACES - WIDE_KEY_PLACES)) +
                 ((int32_t)of + 1023 - REAL_BIAS) * (1 << WIDE_KEY_PLACES);
    }
#else
    for (int l = 0; l < LANES; l++)
        key[l] = T(wide_key)(x[l], (int32_t)e[l]);
#endif
}

/* Lanes whose key is at least a radius. */
DEEP_FN uint32_t T(lane_keys_at_least)(const int32_t key[LANES], int32_t radius)
{
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++)
        bits |= (uint32_t)(key[l] >= radius) << l;
    return bits;
}

DEEP_FN struct T(lane_keys) T(lane_keys_of)(PACK reach, PACK exponent)
{
    struct T(lane_keys) keys = {INT32_MAX, INT32_MIN};
    int32_t key[LANES];
    T(lane_keys_store)(key, reach, exponent);
    for (int l = 0; l < LANES; l++) {
        keys.least = key[l] < keys.least ? key[l] : keys.least;
        keys.most = key[l] > keys.most ? key[l] : keys.most;
    }
    return keys;
}

/* All lanes, none, or another number: is the key at least the radius? */
DEEP_FN uint32_t T(lane_keys_beyond)(struct T(lane_keys) keys, int32_t radius)
{
    return keys.most < radius ? 0 : keys.least >= radius ? LANES_BELOW(LANES) : 1;
}

struct T(lane_powers) { /* exponents of a block of each lane: see struct quadratic_block */
    PACK in, out, of_c;
};

/* at: place of the three exponents in a record; same: the first block is that of all. */
DEEP_FN struct T(lane_powers) T(lane_powers_load)(const void *const *block, size_t at, int same)
{
    _Alignas(64) DEEP_REAL power[3][LANES];
    struct T(lane_powers) powers;
    for (int l = 0; l < LANES; l++) {
        int32_t exponent[3];
        memcpy(exponent, (const char *)block[same ? 0 : l] + at, sizeof exponent);
        for (int i = 0; i < 3; i++)
            power[i][l] = (DEEP_REAL)exponent[i];
    }
    powers.in = P(load)(power[0]);
    powers.out = P(load)(power[1]);
    powers.of_c = P(load)(power[2]);
    return powers;
}

/* As wide_apply. */
DEEP_FN struct T(lane_wide)
    T(lane_wide_apply)(const struct T(lane_quadratic) * k, const struct T(lane_powers) * powers,
                       struct T(lane_wide) delta, struct T(lane_complex) v)
{
    PACK e = P(sub)(delta.e, powers->in);
    struct T(lane_complex) w = T(lane_scale)(P(power)(e), delta.x);
    struct T(lane_complex) d = T(lane_fma)(T(lane_fma)(k->h, w, k->g), w, k->d);
    struct T(lane_complex) of_w = T(lane_fma)(d, w, T(lane_fma)(k->e, v, k->a));
    struct T(lane_complex) of_v = T(lane_fma)(k->f, v, k->b);
    struct T(lane_wide) sum =
        T(lane_wide_add)(T(lane_wide_settle)(T(lane_mul)(of_w, delta.x), e),
                         T(lane_wide_settle)(T(lane_mul)(of_v, v), powers->of_c));
    sum.e = P(add)(sum.e, powers->out);
    return sum;
}

/* As wide_slope. */
DEEP_FN struct T(lane_wide)
    T(lane_wide_slope)(const struct T(lane_quadratic) * k, const struct T(lane_powers) * powers,
                       struct T(lane_wide) delta, struct T(lane_complex) v, struct T(lane_wide) dz,
                       struct T(lane_complex) dv)
{
    PACK e = P(sub)(delta.e, powers->in);
    struct T(lane_complex) w = T(lane_scale)(P(power)(e), delta.x),
                           d = T(lane_scale)(P(splat)(2), k->d);
    d = T(lane_fma)(
        T(lane_fma)(T(lane_scale)(P(splat)(4), k->h), w, T(lane_scale)(P(splat)(3), k->g)), w, d);
    struct T(lane_complex) by_w = T(lane_fma)(d, w, T(lane_fma)(k->e, v, k->a));
    struct T(lane_complex) by_v = T(lane_fma)(T(lane_scale)(P(splat)(2), k->f), v, k->b);
    struct T(lane_wide) sum =
        T(lane_wide_add)(T(lane_wide_settle)(T(lane_mul)(by_w, dz.x), P(sub)(dz.e, powers->in)),
                         T(lane_wide_settle)(T(lane_mul)(by_v, dv), powers->of_c));
    sum =
        T(lane_wide_add)(sum, T(lane_wide_settle)(T(lane_mul)(T(lane_mul)(k->e, delta.x), dv), e));
    sum.e = P(add)(sum.e, powers->out);
    return sum;
}

#ifdef REAL_LEAPS_ALIKE
/* As formula_wide_apply_alike. */
DEEP_FN struct T(lane_wide) T(lane_apply_alike)(const struct T(lane_block) * k, uint32_t conj,
                                                const struct T(lane_powers) * powers,
                                                struct T(lane_wide) delta, struct T(lane_complex) v)
{
    const PACK of_w = P(sub)(delta.e, powers->in), e = P(max)(of_w, powers->of_c);
    struct T(lane_complex) x = delta.x;
    x.y = P(where)(conj, P(neg)(x.y), x.y);
    const struct T(lane_complex) w = T(lane_scale)(P(power)(of_w), x);
    const struct T(lane_complex) d = T(lane_fma)(T(lane_fma)(k->h, w, k->g), w, k->d);
    const struct T(lane_complex) a = T(lane_fma)(d, w, k->a);
    struct T(lane_complex) b = T(lane_fma)(k->b, v, T(lane_mul)(k->b2, T(lane_conj)(v)));
    b = T(lane_scale)(P(power)(P(sub)(powers->of_c, e)), b);
    x = T(lane_scale)(P(power)(P(sub)(of_w, e)), x);
    b = T(lane_fma)(k->a2, T(lane_conj)(x), b);
    return T(lane_wide_settle)(T(lane_fma)(a, x, b), P(add)(e, powers->out));
}
#endif
