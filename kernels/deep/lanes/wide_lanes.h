/* Numbers of LANES pixels with exponents, in the SIMD lanes of a processor, to the bit as wide.h
 * has one, blocks of such deltas, as pixel_wide.h and formula_block.h have them, and the steps of
 * formula_wide.h, one jump for an operation of all lanes.
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

/* Lanes whose `reach` 2^e is at least the number of a key. */
DEEP_FN uint32_t T(lane_wide_beyond)(PACK reach, PACK e, int32_t key)
{
    const int32_t exponent = wide_key_exponent(key);
    const PACK least = P(splat)((DEEP_REAL)wide_key_over(key, exponent));
    const PACK of_key = P(splat)((DEEP_REAL)exponent);
    return key == WIDE_KEY_NONE ? LANES_BELOW(LANES)
                                : P(le)(least, P(mul)(reach, P(power)(P(sub)(e, of_key))));
}

struct T(lane_powers) { /* exponents of a block of each lane: see struct quadratic_block */
    PACK in, out, of_c;
};

/* at: place of the three exponents in a record; same: the first block is that of all. */
DEEP_FN struct T(lane_powers) T(lane_powers_load)(const void *const *block, size_t at, int same)
{
    _Alignas(64) DEEP_REAL power[3][LANES];
    struct T(lane_powers) powers;
    for (int l = 0; l < (same ? 1 : LANES); l++) {
        int32_t exponent[3];
        memcpy(exponent, (const char *)block[l] + at, sizeof exponent);
        for (int i = 0; i < 3; i++)
            power[i][l] = (DEEP_REAL)exponent[i];
    }
    if (same) {
        powers.in = P(splat)(power[0][0]);
        powers.out = P(splat)(power[1][0]);
        powers.of_c = P(splat)(power[2][0]);
        return powers;
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
#else
/* As formula_wide_apply. */
DEEP_FN struct T(lane_wide)
    T(lane_block_wide)(const struct T(lane_block) * k, const struct T(lane_powers) * powers,
                       struct T(lane_wide) delta, struct T(lane_complex) v)
{
    const PACK e = P(sub)(delta.e, powers->in);
    struct T(lane_complex) x = delta.x;
    x.y = P(flip)(x.y, k->scale_y);
    const struct T(lane_complex) w = T(lane_scale)(P(power)(e), x);
    const struct T(lane_complex) d = T(lane_fma)(T(lane_fma)(k->h, w, k->g), w, k->d);
    const struct T(lane_complex) of_w =
        T(lane_fma)(T(lane_fma)(d, w, k->a), x, T(lane_mul)(k->a2, T(lane_conj)(x)));
    const struct T(lane_complex) of_v = T(lane_fma)(k->b, v, T(lane_mul)(k->b2, T(lane_conj)(v)));
    struct T(lane_wide) sum =
        T(lane_wide_add)(T(lane_wide_settle)(of_w, e), T(lane_wide_settle)(of_v, powers->of_c));
    sum.e = P(add)(sum.e, powers->out);
    return sum;
}

/* As formula_wide_slope. */
DEEP_FN struct T(lane_wide)
    T(lane_block_slope)(const struct T(lane_block) * k, const struct T(lane_powers) * powers,
                        struct T(lane_wide) delta, struct T(lane_wide) dz,
                        struct T(lane_complex) dv)
{
    struct T(lane_complex) x = delta.x, t = dz.x, d = T(lane_scale)(P(splat)(2), k->d);
    x.y = P(flip)(x.y, k->scale_y);
    t.y = P(flip)(t.y, k->scale_y);
    const struct T(lane_complex) w = T(lane_scale)(P(power)(P(sub)(delta.e, powers->in)), x);
    d = T(lane_fma)(
        T(lane_fma)(T(lane_scale)(P(splat)(4), k->h), w, T(lane_scale)(P(splat)(3), k->g)), w, d);
    const struct T(lane_complex) of_w =
        T(lane_fma)(T(lane_fma)(d, w, k->a), t, T(lane_mul)(k->a2, T(lane_conj)(t)));
    const struct T(lane_complex) of_v = T(lane_fma)(k->b, dv, T(lane_mul)(k->b2, T(lane_conj)(dv)));
    struct T(lane_wide) sum = T(lane_wide_add)(T(lane_wide_settle)(of_w, P(sub)(dz.e, powers->in)),
                                               T(lane_wide_settle)(of_v, powers->of_c));
    sum.e = P(add)(sum.e, powers->out);
    return sum;
}
#endif

/* ---- steps of formulas ---- */

struct T(lane_points) { /* points of the reference that lanes are at */
    const struct T(formula_reference) * reference[LANES];
    int64_t m[LANES];
    int same; /* 1: the first is that of all */
};

struct T(lane_parts) { /* as struct parts_wide */
    struct T(lane_complex) part, e;
};

struct T(lane_wide_tangent) { /* a tangent of struct wide_tangents, and the kept one */
    struct T(lane_wide) t, kept;
};

struct T(lane_wide_walk) { /* as struct wide_walk, with tangents */
    struct T(lane_parts) parts, parts_kept;
    struct T(lane_wide) z, d, z_kept, d_kept;
    struct T(lane_wide_tangent) right, up;
};

struct T(lane_wide_input) { /* as struct wide_step_input; right: with tangents */
    struct T(lane_wide) c, centre, right;
};

/* As reference_parts. */
DEEP_FN struct T(lane_parts) T(lane_parts_load)(const struct T(lane_points) * points, int slot)
{
    _Alignas(64) DEEP_REAL part[4][LANES];
    struct T(lane_parts) parts;
    for (int l = 0; l < (points->same ? 1 : LANES); l++) {
        const struct T(parts_wide) one =
            T(reference_parts)(points->reference[l], points->m[l], slot);
        part[0][l] = one.x;
        part[1][l] = one.y;
        part[2][l] = (DEEP_REAL)one.x_e;
        part[3][l] = (DEEP_REAL)one.y_e;
    }
    if (points->same) {
        parts.part.x = P(splat)(part[0][0]);
        parts.part.y = P(splat)(part[1][0]);
        parts.e.x = P(splat)(part[2][0]);
        parts.e.y = P(splat)(part[3][0]);
        return parts;
    }
    parts.part.x = P(load)(part[0]);
    parts.part.y = P(load)(part[1]);
    parts.e.x = P(load)(part[2]);
    parts.e.y = P(load)(part[3]);
    return parts;
}

/* As parts_join. */
DEEP_FN struct T(lane_wide) T(lane_parts_join)(const struct T(lane_parts) * parts)
{
    const struct COMPLEX none = {0, 0};
    const PACK e = P(max)(parts->e.x, parts->e.y);
    struct T(lane_complex) x;
    x.x = P(mul)(parts->part.x, P(power)(P(sub)(parts->e.x, e)));
    x.y = P(mul)(parts->part.y, P(power)(P(sub)(parts->e.y, e)));
    x = T(lane_where)(P(eq)(e, P(splat)(WIDE_ZERO)), T(lane_splat)(none), x);
    return T(lane_wide_settle)(x, e);
}

/* Folds a part of the reference over 2^e, of d and of z. */
DEEP_FN void T(lane_wide_fold)(struct T(lane_wide) * d, PACK *of_d, PACK *part, PACK e, PACK *of_z)
{
    *of_d = T(lane_fold_difference)(P(mul)(*part, P(power)(P(sub)(e, d->e))), *of_d);
    *d = T(lane_wide_settle)(d->x, d->e);
    *part = P(abs)(*part);
    *of_z = P(abs)(*of_z);
}

/* As wide_tangent_after. */
DEEP_FN void T(lane_wide_tangent_take)(struct T(lane_wide_tangent) * at, int operation,
                                       const struct T(lane_wide_walk) * walk,
                                       struct T(lane_wide) dc)
{
    struct T(lane_wide) own = T(lane_wide_add)(walk->z, walk->d);
    switch (operation) {
    case OPERATION_ABS_X:
        at->t.x.x = P(flip)(at->t.x.x, own.x.x);
        break;
    case OPERATION_ABS_Y:
        at->t.x.y = P(flip)(at->t.x.y, own.x.y);
        break;
    case OPERATION_NEG_X:
        at->t.x.x = P(neg)(at->t.x.x);
        break;
    case OPERATION_NEG_Y:
        at->t.x.y = P(neg)(at->t.x.y);
        break;
    case OPERATION_KEEP:
        at->kept = at->t;
        break;
    case OPERATION_MUL:
        at->t =
            T(lane_wide_add)(T(lane_wide_mul)(own, at->kept),
                             T(lane_wide_mul)(T(lane_wide_add)(walk->z_kept, walk->d_kept), at->t));
        break;
    case OPERATION_SQR:
        own.e = P(add)(own.e, P(splat)(1));
        at->t = T(lane_wide_mul)(own, at->t);
        break;
    case OPERATION_ADD:
        at->t = T(lane_wide_add)(at->t, dc);
        break;
    default:
        break;
    }
}

/* As wide_walk_take. */
DEEP_FN void T(lane_wide_take)(struct T(lane_wide_walk) * at, int operation,
                               const struct T(lane_wide_input) * input)
{
    struct T(lane_parts) *parts = &at->parts;
    struct T(lane_wide) *z = &at->z, *d = &at->d, doubled = *z;
    switch (operation) {
    case OPERATION_ABS_X:
        T(lane_wide_fold)(d, &d->x.x, &parts->part.x, parts->e.x, &z->x.x);
        break;
    case OPERATION_ABS_Y:
        T(lane_wide_fold)(d, &d->x.y, &parts->part.y, parts->e.y, &z->x.y);
        break;
    case OPERATION_NEG_X:
        d->x.x = P(neg)(d->x.x);
        parts->part.x = P(neg)(parts->part.x);
        z->x.x = P(neg)(z->x.x);
        break;
    case OPERATION_NEG_Y:
        d->x.y = P(neg)(d->x.y);
        parts->part.y = P(neg)(parts->part.y);
        z->x.y = P(neg)(z->x.y);
        break;
    case OPERATION_KEEP:
        at->d_kept = *d;
        at->z_kept = *z;
        if (DEEP_OWN)
            at->parts_kept = at->parts;
        break;
    case OPERATION_MUL:
        *d = T(lane_wide_add)(T(lane_wide_mul)(*z, at->d_kept),
                              T(lane_wide_mul)(*d, T(lane_wide_add)(at->z_kept, at->d_kept)));
        *z = T(lane_wide_mul)(*z, at->z_kept);
        break;
    case OPERATION_SQR:
        doubled.e = P(add)(z->e, P(splat)(1));
        *d = T(lane_wide_mul)(T(lane_wide_add)(doubled, *d), *d);
        *z = T(lane_wide_mul)(*z, *z);
        break;
    case OPERATION_ADD:
        *d = T(lane_wide_add)(*d, input->c);
        *z = T(lane_wide_add)(*z, input->centre);
        break;
    default:
        break;
    }
}

/* As wide_walk_map, of rows, without tangents. */
DEEP_FN void T(lane_wide_map)(struct T(lane_wide_walk) * at, int operation)
{
    struct T(lane_parts) *parts = &at->parts, *of_kept = &at->parts_kept;
    struct T(lane_wide) *z = &at->z, *d = &at->d;
    if (operation == OPERATION_SWAP) {
        FORMULA_SWAP(z->x.x, z->x.y);
        FORMULA_SWAP(d->x.x, d->x.y);
        FORMULA_SWAP(parts->part.x, parts->part.y);
        FORMULA_SWAP(parts->e.x, parts->e.y);
        return;
    }
    const PACK y = P(mul)(parts->part.y, P(power)(P(sub)(parts->e.y, d->e)));
    const PACK e = P(max)(of_kept->e.y, at->d_kept.e);
    const PACK kept = P(mul)(of_kept->part.y, P(power)(P(sub)(of_kept->e.y, e)));
    const PACK d_kept = P(mul)(at->d_kept.x.y, P(power)(P(sub)(at->d_kept.e, e)));
    d->x.y = T(lane_sign_difference)(y, d->x.y, kept, d_kept);
    *d = T(lane_wide_settle)(d->x, d->e);
    parts->part.y = P(flip)(P(abs)(parts->part.y), of_kept->part.y);
    z->x.y = P(flip)(P(abs)(z->x.y), of_kept->part.y);
}

/* As formula_wide_step, by the list of a row, of what is settled in *at: d, and the tangents. */
DEEP_FN void T(lane_wide_step)(struct T(lane_wide_walk) * at, const struct program_phase *phase,
                               const struct T(lane_points) * points,
                               const struct T(lane_wide_input) * input, int slopes, int both)
{
    struct T(lane_wide) up = input->right;
    int slot = 0;
    up.x = T(lane_turned)(up.x);
    at->parts = at->parts_kept = T(lane_parts_load)(points, ORBIT_POINT);
    at->z = at->z_kept = T(lane_parts_join)(&at->parts);
    at->d_kept = at->d;
    at->right.kept = at->right.t;
    at->up.kept = at->up.t;
    for (int i = 0; i < phase->operations; i++) {
        const int operation = phase->operation[i];
        if (phase->taped[i]) {
            at->parts = T(lane_parts_load)(points, slot++);
            at->z = T(lane_parts_join)(&at->parts);
        }
        if (DEEP_OWN && (operation == OPERATION_SWAP || operation == OPERATION_SIGN_Y)) {
            T(lane_wide_map)(at, operation);
            continue;
        }
        if (slopes)
            T(lane_wide_tangent_take)(&at->right, operation, at, input->right);
        if (slopes && both)
            T(lane_wide_tangent_take)(&at->up, operation, at, up);
        T(lane_wide_take)(at, operation, input);
    }
}
