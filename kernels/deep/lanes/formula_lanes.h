/* Arithmetic of LANES pixels along the reference, in the SIMD lanes of a processor, to the bit as
 * formula_delta.h and formula_block.h have it for one: steps, blocks, and the tests behind them,
 * which z^2 + c has, too.
 * Each pixel has its own position on the reference, since all of it is loaded by pairs of doubles:
 * parts of z, of a coefficient or of the reference.
 *
 * A body, behind formula_packs.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(DEEP_REAL)
#error "formula_lanes.h: a macro is missing"
#endif

struct T(lane_complex) { /* a number of each of LANES pixels */
    PACK x, y;
};

DEEP_FN struct T(lane_complex) T(lane_pairs)(const DEEP_REAL *const from[LANES], int64_t at)
{
    struct T(lane_complex) pairs;
    P(load_pairs)(from, at, &pairs.x, &pairs.y);
    return pairs;
}

/* As lane_pairs; same: all lanes load those of the first. */
DEEP_FN struct T(lane_complex)
    T(lane_pairs_of)(const DEEP_REAL *const from[LANES], int64_t at, int same)
{
    struct T(lane_complex) pairs;
    if (!same)
        return T(lane_pairs)(from, at);
    pairs.x = P(splat)(from[0][at]);
    pairs.y = P(splat)(from[0][at + 1]);
    return pairs;
}

/* As complex_fma and complex_mul. */
DEEP_FN struct T(lane_complex)
    T(lane_fma)(struct T(lane_complex) a, struct T(lane_complex) b, struct T(lane_complex) c)
{
    struct T(lane_complex) sum;
    sum.x = P(fma)(a.x, b.x, P(fnma)(a.y, b.y, c.x));
    sum.y = P(fma)(a.x, b.y, P(fma)(a.y, b.x, c.y));
    return sum;
}

DEEP_FN struct T(lane_complex) T(lane_mul)(struct T(lane_complex) a, struct T(lane_complex) b)
{
    struct T(lane_complex) product;
    product.x = P(fma)(a.x, b.x, P(neg)(P(mul)(a.y, b.y)));
    product.y = P(fma)(a.x, b.y, P(mul)(a.y, b.x));
    return product;
}

DEEP_FN struct T(lane_complex) T(lane_add)(struct T(lane_complex) a, struct T(lane_complex) b)
{
    a.x = P(add)(a.x, b.x);
    a.y = P(add)(a.y, b.y);
    return a;
}

DEEP_FN struct T(lane_complex) T(lane_scale)(PACK k, struct T(lane_complex) a)
{
    a.x = P(mul)(k, a.x);
    a.y = P(mul)(k, a.y);
    return a;
}

DEEP_FN struct T(lane_complex) T(lane_conj)(struct T(lane_complex) a)
{
    a.y = P(neg)(a.y);
    return a;
}

DEEP_FN struct T(lane_complex) T(lane_splat)(struct COMPLEX a)
{
    struct T(lane_complex) all;
    all.x = P(splat)(a.x);
    all.y = P(splat)(a.y);
    return all;
}

/* i a */
DEEP_FN struct T(lane_complex) T(lane_turned)(struct T(lane_complex) a)
{
    struct T(lane_complex) turned;
    turned.x = P(neg)(a.y);
    turned.y = a.x;
    return turned;
}

DEEP_FN struct T(lane_complex)
    T(lane_where)(uint32_t bits, struct T(lane_complex) a, struct T(lane_complex) b)
{
    a.x = P(where)(bits, a.x, b.x);
    a.y = P(where)(bits, a.y, b.y);
    return a;
}

DEEP_FN PACK T(lane_max)(struct T(lane_complex) a)
{
    return P(max)(P(abs)(a.x), P(abs)(a.y));
}

DEEP_FN PACK T(lane_norm)(struct T(lane_complex) a)
{
    return P(fma)(a.x, a.x, P(mul)(a.y, a.y));
}

/* As wide_settle; returns the lanes where it does not: a is 0, or no normal number. */
DEEP_FN uint32_t T(lane_settles)(struct T(lane_complex) * a, PACK *e)
{
    PACK size = T(lane_max)(*a), lead = P(lead)(size);
    *a = T(lane_scale)(P(power)(P(neg)(lead)), *a);
    *e = P(add)(*e, lead);
    return ~(P(le)(P(splat)(T(wide_power)(1 - REAL_BIAS)), size) &
             P(le)(size, P(splat)(T(wide_power)(REAL_BIAS)))) &
           LANES_BELOW(LANES);
}

/* ---- steps ---- */

struct T(lane_run) { /* steps of LANES pixels */
    struct T(lane_complex) delta, right, up, c, dc;
    DEEP_REAL least;                         /* a run ends where |x| and |y| of delta are less */
    const DEEP_REAL *z[LANES], *tape[LANES]; /* points of the first step */
    const uint8_t *taped;                    /* member of struct program_phase */
    int same;                                /* 1: z[0] and tape[0] are those of all */
#ifdef REAL_SCALED
    struct T(lane_complex) own_c;    /* over 2^exponent */
    PACK e, scale, per_scale, below; /* e: of delta; else as struct formula_step_input */
    uint32_t wide, zero;             /* lanes whose delta has an exponent; of these, is 0 */
    uint32_t large;                  /* lanes with a c that is too large beside delta */
    int32_t exponent;
#endif
};

/* Copies member by member: gcc 12 copies all at once by `rep movs`, a third of a short run. */
DEEP_FN struct T(lane_run) T(lane_run_copy)(const struct T(lane_run) * from, int slopes)
{
    struct T(lane_run) run;
    run.delta = from->delta;
    if (slopes) {
        run.right = from->right;
        run.up = from->up;
        run.dc = from->dc;
    }
    run.c = from->c;
    run.least = from->least;
    for (int l = 0; l < LANES; l++) {
        run.z[l] = from->z[l];
        run.tape[l] = from->tape[l];
    }
    run.taped = from->taped;
    run.same = from->same;
    return run;
}

/* Returns the members that steps change. */
DEEP_FN void T(lane_run_return)(struct T(lane_run) * to, const struct T(lane_run) * run, int slopes)
{
    to->delta = run->delta;
    if (slopes) {
        to->right = run->right;
        to->up = run->up;
    }
}

struct T(lane_walk) { /* as struct formula_walk, with tangents */
    struct T(lane_complex) z, d, z_kept, d_kept;
    struct T(formula_tangent) right, up;
    int64_t on_tape; /* numbers of the tape behind that of the run's first step */
#ifdef REAL_SCALED
    PACK smallest; /* number of the parts of z, and of the values of the tape */
#endif
};

DEEP_FN struct T(formula_tangent) T(lane_tangent)(struct T(lane_complex) t)
{
    struct T(formula_tangent) tangent = {t.x, t.y, t.x, t.y};
    return tangent;
}

DEEP_FN void T(lane_walk_begin)(struct T(lane_walk) * at, const struct T(lane_run) * run,
                                struct T(lane_complex) z, int slopes)
{
    at->z = at->z_kept = z;
    at->d = at->d_kept = run->delta;
#ifdef REAL_SCALED
    at->smallest = P(min)(P(abs)(z.x), P(abs)(z.y));
#endif
    if (slopes) {
        at->right = T(lane_tangent)(run->right);
        at->up = T(lane_tangent)(run->up);
    }
}

DEEP_FN void T(lane_walk_end)(const struct T(lane_walk) * at, struct T(lane_run) * run, int slopes)
{
    run->delta = at->d;
    if (slopes) {
        run->right.x = at->right.x;
        run->right.y = at->right.y;
        run->up.x = at->up.x;
        run->up.y = at->up.y;
    }
}

/* As walk_own. */
DEEP_FN struct T(lane_complex)
    T(lane_own)(struct T(lane_complex) a, struct T(lane_complex) d, const struct T(lane_run) * run)
{
#ifdef REAL_SCALED
    a.x = P(fma)(run->scale, d.x, a.x);
    a.y = P(fma)(run->scale, d.y, a.y);
    return a;
#else
    (void)run;
    return T(lane_add)(a, d);
#endif
}

/* As walk_over. */
DEEP_FN PACK T(lane_over)(PACK part, const struct T(lane_run) * run)
{
#ifdef REAL_SCALED
    return P(mul)(part, run->per_scale);
#else
    (void)run;
    return part;
#endif
}

DEEP_FN PACK T(lane_fold_difference)(PACK v, PACK d)
{
    PACK stays = P(flip)(d, v), folded = P(fnma)(P(splat)(2), P(abs)(v), P(neg)(stays));
    return P(max)(folded, stays);
}

/* As walk_take. */
DEEP_FN void T(lane_walk_take)(struct T(lane_walk) * at, int operation,
                               const struct T(lane_run) * run)
{
    switch (operation) {
    case OPERATION_ABS_X:
        at->d.x = T(lane_fold_difference)(T(lane_over)(at->z.x, run), at->d.x);
        at->z.x = P(abs)(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->d.y = T(lane_fold_difference)(T(lane_over)(at->z.y, run), at->d.y);
        at->z.y = P(abs)(at->z.y);
        break;
    case OPERATION_NEG_X:
        at->d.x = P(neg)(at->d.x);
        at->z.x = P(neg)(at->z.x);
        break;
    case OPERATION_NEG_Y:
        at->d.y = P(neg)(at->d.y);
        at->z.y = P(neg)(at->z.y);
        break;
    case OPERATION_KEEP:
        at->d_kept = at->d;
        at->z_kept = at->z;
        break;
    case OPERATION_MUL:
        at->d = T(lane_fma)(at->d, T(lane_own)(at->z_kept, at->d_kept, run),
                            T(lane_mul)(at->z, at->d_kept));
        at->z = T(lane_mul)(at->z, at->z_kept);
        break;
    case OPERATION_SQR: {
        const struct T(lane_complex) doubled = T(lane_add)(at->z, at->z);
        at->d = T(lane_mul)(T(lane_own)(doubled, at->d, run), at->d);
        at->z = T(lane_mul)(at->z, at->z);
        break;
    }
    case OPERATION_ADD:
        at->d = T(lane_add)(at->d, run->c);
        break;
    default:
        break;
    }
}

/* As sign_difference. */
DEEP_FN PACK T(lane_sign_difference)(PACK v, PACK d, PACK kept, PACK d_kept)
{
    PACK sign = P(flip)(P(flip)(P(splat)(1.0), v), kept);
    PACK same = P(flip)(P(flip)(sign, P(add)(v, d)), P(add)(kept, d_kept));
    PACK negated = P(neg)(P(fma)(P(splat)(2), v, d));
    return P(flip)(P(where)(P(le)(P(splat)(0), same), d, negated), sign);
}

/* As walk_map, of rows. */
DEEP_FN void T(lane_walk_map)(struct T(lane_walk) * at, int operation,
                              const struct T(lane_run) * run)
{
    if (operation == OPERATION_SWAP) {
        FORMULA_SWAP(at->z.x, at->z.y);
        FORMULA_SWAP(at->d.x, at->d.y);
        FORMULA_SWAP(at->right.x, at->right.y);
        FORMULA_SWAP(at->up.x, at->up.y);
        return;
    }
    const PACK y = T(lane_over)(at->z.y, run), y_kept = T(lane_over)(at->z_kept.y, run);
    const PACK own = P(add)(y, at->d.y), kept = P(add)(y_kept, at->d_kept.y);
    at->right.y = P(flip)(P(flip)(at->right.y, own), kept);
    at->up.y = P(flip)(P(flip)(at->up.y, own), kept);
    at->d.y = T(lane_sign_difference)(y, at->d.y, y_kept, at->d_kept.y);
    at->z.y = P(flip)(P(abs)(at->z.y), at->z_kept.y);
}

/* As row_take. */
DEEP_FN void T(lane_row_take)(struct T(lane_walk) * at, const struct T(lane_run) * run,
                              int operation, int taped, int slopes, int both)
{
    if (operation_reads_sign(operation) && taped) {
        at->z = T(lane_pairs_of)(run->tape, at->on_tape, run->same);
        at->on_tape += 2;
#ifdef REAL_SCALED
        at->smallest = P(min)(at->smallest, P(min)(P(abs)(at->z.x), P(abs)(at->z.y)));
#endif
    }
    if (operation == OPERATION_SWAP || operation == OPERATION_SIGN_Y) {
        T(lane_walk_map)(at, operation, run);
        return;
    }
    if (slopes) {
        struct T(lane_complex) own = T(lane_add)(at->z, at->d),
                               kept = T(lane_add)(at->z_kept, at->d_kept);
        T(formula_tangent_take)
        (&at->right, operation, own.x, own.y, kept.x, kept.y, run->dc.x, run->dc.y);
        if (both)
            T(formula_tangent_take)
        (&at->up, operation, own.x, own.y, kept.x, kept.y, P(neg)(run->dc.y), run->dc.x);
    }
    T(lane_walk_take)(at, operation, run);
}

/* Lanes for which along_goes_on holds. z: the reference at the next step. */
DEEP_FN uint32_t T(lane_goes_on)(struct T(lane_complex) delta, struct T(lane_complex) z, int leaves,
                                 int degree, const struct T(direct_limits) * limits)
{
    z = T(lane_add)(z, delta);
    PACK norm = T(lane_norm)(z);
    const uint32_t stays =
        P(le_two)(norm, P(splat)(limits->bailout_squared), T(lane_max)(delta), T(lane_max)(z));
    if (!leaves)
        return stays;
    PACK next = P(mul)(T(lane_norm)(delta), P(splat)((DEEP_REAL)(degree * degree)));
    for (int i = 1; i < degree; i++)
        next = P(mul)(next, norm);
    return stays &
           ~P(le_two)(P(splat)(limits->norm_least), norm, P(splat)(limits->slope_least), next);
}

/* May all lanes go on? */
DEEP_FN int T(lane_run_goes_on)(const struct T(lane_run) * run, struct T(lane_complex) z,
                                int leaves, int degree, const struct T(direct_limits) * limits)
{
    const uint32_t every = LANES_BELOW(LANES);
    return T(lane_goes_on)(run->delta, z, leaves, degree, limits) == every &&
           (!(run->least > 0) || P(le)(P(splat)(run->least), T(lane_max)(run->delta)) == every);
}

struct T(lane_wide) { /* x 2^e */
    struct T(lane_complex) x;
    PACK e; /* whole numbers */
};

DEEP_FN struct T(lane_wide) T(lane_wide_settle)(struct T(lane_complex) x, PACK e)
{
    PACK size = T(lane_max)(x), lead = P(lead)(size);
    uint32_t normal = P(le)(P(splat)(T(wide_power)(1 - REAL_BIAS)), size);
    struct T(lane_wide) settled;
    settled.x = T(lane_scale)(P(where)(normal, P(power)(P(neg)(lead)), P(splat)(0)), x);
    settled.e = P(where)(normal, P(add)(e, lead), P(splat)(WIDE_ZERO));
    return settled;
}

/* As wide_put: delta with its exponent, or 0 where it is plain. */
DEEP_FN struct T(lane_wide) T(lane_wide_put)(struct T(lane_wide) delta)
{
    const uint32_t plain = P(le)(P(splat)(REAL_BORDER), delta.e);
    struct T(lane_wide) put;
    put.x = T(lane_where)(plain, T(lane_scale)(P(power)(delta.e), delta.x), delta.x);
    put.e = P(where)(plain, P(splat)(0), delta.e);
    return put;
}

#ifdef REAL_SCALED
/* ---- steps over a power of two ---- */

/* As step_scale. */
DEEP_FN void T(lane_run_scale)(struct T(lane_run) * run)
{
    const PACK of_c = P(sub)(P(splat)((DEEP_REAL)run->exponent), run->e);
    const PACK places = P(min)(P(sub)(P(splat)(REAL_BORDER), run->e), P(splat)(SCALED_PLACES));
    run->wide = ~P(eq)(run->e, P(splat)(0)) & LANES_BELOW(LANES);
    run->large = ~P(le)(of_c, P(splat)(SCALED_MOST)) & run->wide;
    run->c = T(lane_scale)(P(power)(of_c), run->own_c);
    run->scale = P(power)(run->e);
    run->per_scale = P(power)(P(neg)(run->e));
    run->below = P(power)(places);
}

/* Begins a run of deltas over 2^e; c: over 2^exponent. */
DEEP_FN void T(lane_run_begin)(struct T(lane_run) * run, PACK e, struct T(lane_complex) c,
                               int32_t exponent)
{
    const PACK all = P(splat)((DEEP_REAL)exponent);
    run->zero = ~P(le)(P(splat)(WIDE_ZERO / 2), e) & LANES_BELOW(LANES);
    run->e = P(where)(run->zero, all, e);
    run->own_c = c;
    run->exponent = exponent;
    T(lane_run_scale)(run);
}

/* Lanes whose step to d is one, as step_scales and step_holds say. */
DEEP_FN uint32_t T(lane_run_holds)(const struct T(lane_run) * run, const struct T(lane_walk) * at,
                                   int folds)
{
    const PACK size = T(lane_max)(at->d);
    uint32_t wide = ~run->large & ~P(le)(P(splat)(T(wide_power)(REAL_BIAS)), size);
    if (folds)
        wide &= run->zero | P(le)(P(splat)(REAL_PART_TINY), at->smallest);
    return P(le)(P(splat)(T(wide_power)(REAL_BORDER)), size) & (wide | ~run->wide) &
           LANES_BELOW(LANES);
}

/* Puts deltas that have left the range of their power of two over others. */
DEEP_FN void T(lane_run_settle)(struct T(lane_run) * run)
{
    const PACK size = T(lane_max)(run->delta);
    const uint32_t stays = ~run->wide | (P(le)(P(splat)(T(wide_power)(-SCALED_PLACES)), size) &
                                         ~P(le)(run->below, size));
    const uint32_t moves = ~stays & LANES_BELOW(LANES);
    if (!moves)
        return;
    const struct T(lane_wide) put = T(lane_wide_put)(T(lane_wide_settle)(run->delta, run->e));
    run->delta = T(lane_where)(moves, put.x, run->delta);
    run->e = P(where)(moves, put.e, run->e);
    T(lane_run_scale)(run);
}

/* May all lanes go on? */
DEEP_FN int T(lane_run_stays)(const struct T(lane_run) * run, struct T(lane_complex) z, int leaves,
                              int degree, const struct T(direct_limits) * limits)
{
    const uint32_t every = LANES_BELOW(LANES);
    struct T(lane_complex) delta = run->delta;
    if (run->wide) {
        const struct COMPLEX none = {0, 0};
        if (run->wide & ~P(le)(P(splat)(REAL_TINY), T(lane_max)(z)))
            return 0;
        delta = T(lane_where)(run->wide, T(lane_splat)(none), delta);
    }
    return T(lane_goes_on)(delta, z, leaves, degree, limits) == every;
}

/* Takes up to `most` steps by the list of a formula, one jump for each operation of all lanes,
 * until a lane ends or its next step takes numbers with exponents. Returns the steps; *odd: lanes
 * that had to take such a first step, and have not. */
DEEP_FN int64_t T(lane_run_steps)(struct T(lane_run) * run, const struct program *program,
                                  const struct T(direct_limits) * limits, int64_t most,
                                  uint32_t *odd)
{
    const struct program_phase *phase = &program->phase[0];
    struct T(lane_complex) z = T(lane_pairs_of)(run->z, 0, run->same);
    struct T(lane_walk) at = {.on_tape = 0};
    int64_t i = 0;
    *odd = 0;
    for (;;) {
        T(lane_walk_begin)(&at, run, z, 0);
        for (int k = 0; k < phase->operations; k++)
            T(lane_row_take)(&at, run, phase->operation[k], phase->taped[k], 0, 0);
        const uint32_t holds = T(lane_run_holds)(run, &at, !program->holomorphic);
        if (holds != LANES_BELOW(LANES)) {
            if (i)
                return i;
            *odd = ~holds & LANES_BELOW(LANES);
        }
        run->delta = at.d;
        run->zero = 0;
        T(lane_run_settle)(run);
        if (++i >= most || *odd)
            return i;
        z = T(lane_pairs_of)(run->z, 2 * i, run->same);
        if (!T(lane_run_stays)(run, z, program->similar, phase->degree, limits))
            return i;
    }
}
#endif

/* ---- blocks ---- */

struct T(lane_block) { /* a block of each lane */
    struct T(lane_complex) a, b, a2, b2, d, g, h;
    PACK scale, scale_y; /* w = x scale + i y scale_y */
    PACK counts;         /* 0 where c does not count, in a wide picture; else 1 */
    uint32_t linear;
    uint32_t wide; /* lanes whose block doubles do not hold */
};

DEEP_FN struct T(lane_complex)
    T(lane_argument)(const struct T(lane_block) * k, struct T(lane_complex) delta)
{
    delta.x = P(mul)(delta.x, k->scale);
    delta.y = P(mul)(delta.y, k->scale_y);
    return delta;
}

#define BLOCK_MEMBER(member) \
    ((int64_t)(offsetof(struct T(formula_block), member) / sizeof(DEEP_REAL)))

/* Scale of x and, with the sign of a conjugate, of y. */
DEEP_FN struct COMPLEX T(lane_block_scales)(const struct T(formula_block) * block)
{
    const struct COMPLEX one = {1, 1};
    return T(formula_argument)(block, one);
}

/* Exponents of blocks of a wide picture; *counts: 1, or 0 where c does not count beside a delta
 * that is a double. Returns the lanes whose block doubles do not hold. */
DEEP_FN uint32_t T(lane_exponents)(const int32_t *out, const int32_t *of_c, int same, PACK *counts)
{
    _Alignas(64) DEEP_REAL one[LANES];
    uint32_t wide = 0;
    if (same) {
        *counts = P(splat)(of_c[0] ? 0 : 1);
        return out[0] ? LANES_BELOW(LANES) : 0;
    }
    for (int l = 0; l < LANES; l++) {
        one[l] = of_c[l] ? 0 : 1;
        wide |= (uint32_t)(out[l] != 0) << l;
    }
    *counts = P(load)(one);
    return wide;
}

DEEP_FN void T(lane_block_terms)(struct T(lane_block) * k, const DEEP_REAL *const *record, int same)
{
    k->a = T(lane_pairs_of)(record, BLOCK_MEMBER(a), same);
    k->b = T(lane_pairs_of)(record, BLOCK_MEMBER(b), same);
    k->a2 = T(lane_pairs_of)(record, BLOCK_MEMBER(a2), same);
    k->b2 = T(lane_pairs_of)(record, BLOCK_MEMBER(b2), same);
    k->d = T(lane_pairs_of)(record, BLOCK_MEMBER(d), same);
    k->g = T(lane_pairs_of)(record, BLOCK_MEMBER(g), same);
    k->h = T(lane_pairs_of)(record, BLOCK_MEMBER(h), same);
}

/* Leaves out terms of c that do not count beside deltas that are plain. */
DEEP_FN void T(lane_block_counts)(struct T(lane_block) * k)
{
    k->b = T(lane_scale)(k->counts, k->b);
    k->b2 = T(lane_scale)(k->counts, k->b2);
}

/* Loads a block for each lane; same: the first is that of all; wide: for plain deltas of a wide
 * picture. */
DEEP_FN struct T(lane_block)
    T(lane_block_load)(const struct T(formula_block) *const *block, int same, int wide)
{
    struct T(lane_block) k;
    const DEEP_REAL *record[LANES];
    int32_t out[LANES], of_c[LANES];
    for (int l = 0; l < (same ? 1 : LANES); l++) {
        record[l] = (const DEEP_REAL *)(const void *)block[l];
        out[l] = block[l]->out;
        of_c[l] = block[l]->of_c;
    }
    if (same) {
        const struct COMPLEX scales = T(lane_block_scales)(block[0]);
        k.scale = P(splat)(scales.x);
        k.scale_y = P(splat)(scales.y);
    } else {
        _Alignas(64) DEEP_REAL scale[LANES], scale_y[LANES];
        for (int l = 0; l < LANES; l++) {
            const struct COMPLEX scales = T(lane_block_scales)(block[l]);
            scale[l] = scales.x;
            scale_y[l] = scales.y;
        }
        k.scale = P(load)(scale);
        k.scale_y = P(load)(scale_y);
    }
    T(lane_block_terms)(&k, record, same);
    k.wide = T(lane_exponents)(out, of_c, same, &k.counts);
    if (wide)
        T(lane_block_counts)(&k);
    PACK size = P(add)(T(lane_max)(k.d), P(add)(T(lane_max)(k.g), T(lane_max)(k.h)));
    k.linear = P(le)(size, P(splat)(0));
    return k;
}

/* As formula_apply. */
DEEP_FN struct T(lane_complex)
    T(lane_apply)(const struct T(lane_block) * k, struct T(lane_complex) delta,
                  struct T(lane_complex) v, int similar)
{
    struct T(lane_complex) w = T(lane_argument)(k, delta);
    struct T(lane_complex) of_v = T(lane_fma)(k->b, v, T(lane_mul)(k->b2, T(lane_conj)(v)));
    struct T(lane_complex) rest = T(lane_fma)(k->a2, T(lane_conj)(w), of_v);
    struct T(lane_complex) a =
        T(lane_fma)(T(lane_fma)(T(lane_fma)(k->h, w, k->g), w, k->d), w, k->a);
    if (!similar) {
        a.x = P(where)(k->linear, k->a.x, a.x);
        a.y = P(where)(k->linear, k->a.y, a.y);
    }
    return T(lane_fma)(a, w, rest);
}

/* As formula_slope_apply. */
DEEP_FN struct T(lane_complex)
    T(lane_slope_apply)(const struct T(lane_block) * k, struct T(lane_complex) delta,
                        struct T(lane_complex) dz, struct T(lane_complex) dv)
{
    struct T(lane_complex) w = T(lane_argument)(k, delta), dw = T(lane_argument)(k, dz);
    struct T(lane_complex) d = T(lane_scale)(P(splat)(2), k->d);
    d = T(lane_fma)(
        T(lane_fma)(T(lane_scale)(P(splat)(4), k->h), w, T(lane_scale)(P(splat)(3), k->g)), w, d);
    struct T(lane_complex) of_w =
        T(lane_fma)(T(lane_fma)(d, w, k->a), dw, T(lane_mul)(k->a2, T(lane_conj)(dw)));
    return T(lane_fma)(k->b, dv, T(lane_fma)(k->b2, T(lane_conj)(dv), of_w));
}

/* ---- behind a block or steps ---- */

struct T(lane_arrival) { /* state of each lane behind a block or steps */
    struct T(lane_complex) z;
    PACK z_e, norm;  /* z_e: exponent of z, in lanes that rebase */
    uint32_t last;   /* lanes whose orbit may end */
    uint32_t rebase; /* other lanes that rebase */
    uint32_t ends;   /* lanes whose run of steps ends here, whatever its room is */
};

struct T(lane_tests) { /* tests behind a block or steps */
    const struct T(direct_limits) * limits;
    int leaves; /* 1: pixels may leave the reference */
    int degree;
};

/* last: the lanes at the limit, or at an end of the reference. */
DEEP_FN struct T(lane_arrival)
    T(lane_arrive)(const struct T(lane_tests) * tests, struct T(lane_complex) delta,
                   struct T(lane_complex) reference, uint32_t last)
{
    const struct T(direct_limits) *limits = tests->limits;
    struct T(lane_arrival) at;
    at.z = T(lane_add)(reference, delta);
    at.z_e = P(splat)(0);
    at.norm = T(lane_norm)(at.z);
    at.last = last | (~P(le)(at.norm, P(splat)(limits->bailout_squared)) & LANES_BELOW(LANES));
    at.rebase = ~P(le)(T(lane_max)(delta), T(lane_max)(at.z)) & LANES_BELOW(LANES) & ~at.last;
    at.ends = ~T(lane_goes_on)(delta, reference, tests->leaves, tests->degree, limits);
    return at;
}
