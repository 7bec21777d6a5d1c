/* Arithmetic of LANES pixels along the reference, in the SIMD lanes of a processor, to the bit as
 * formula_delta.h and formula_block.h have it for one: steps, blocks, and the tests behind them,
 * which z^2 + c has, too.
 * Each pixel has its own position on the reference, since all of it is loaded by pairs of doubles:
 * parts of z, of a coefficient or of the reference.
 *
 * A body, behind formula_packs.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "formula_lanes.h: a macro is missing"
#endif

struct lane_complex { /* a number of each of LANES pixels */
    PACK x, y;
};

DEEP_FN struct lane_complex lane_pairs(const double *const from[LANES], int64_t at)
{
    struct lane_complex pairs;
    P(load_pairs)(from, at, &pairs.x, &pairs.y);
    return pairs;
}

/* As lane_pairs; same: all lanes load those of the first. */
DEEP_FN struct lane_complex lane_pairs_of(const double *const from[LANES], int64_t at, int same)
{
    struct lane_complex pairs;
    if (!same)
        return lane_pairs(from, at);
    pairs.x = P(splat)(from[0][at]);
    pairs.y = P(splat)(from[0][at + 1]);
    return pairs;
}

/* As complex_fma and complex_mul. */
DEEP_FN struct lane_complex lane_fma(struct lane_complex a, struct lane_complex b,
                                     struct lane_complex c)
{
    struct lane_complex sum;
    sum.x = P(fma)(a.x, b.x, P(fnma)(a.y, b.y, c.x));
    sum.y = P(fma)(a.x, b.y, P(fma)(a.y, b.x, c.y));
    return sum;
}

DEEP_FN struct lane_complex lane_mul(struct lane_complex a, struct lane_complex b)
{
    struct lane_complex product;
    product.x = P(fma)(a.x, b.x, P(neg)(P(mul)(a.y, b.y)));
    product.y = P(fma)(a.x, b.y, P(mul)(a.y, b.x));
    return product;
}

DEEP_FN struct lane_complex lane_add(struct lane_complex a, struct lane_complex b)
{
    a.x = P(add)(a.x, b.x);
    a.y = P(add)(a.y, b.y);
    return a;
}

DEEP_FN struct lane_complex lane_scale(PACK k, struct lane_complex a)
{
    a.x = P(mul)(k, a.x);
    a.y = P(mul)(k, a.y);
    return a;
}

DEEP_FN struct lane_complex lane_conj(struct lane_complex a)
{
    a.y = P(neg)(a.y);
    return a;
}

DEEP_FN struct lane_complex lane_splat(struct complex_f64 a)
{
    struct lane_complex all;
    all.x = P(splat)(a.x);
    all.y = P(splat)(a.y);
    return all;
}

/* i a */
DEEP_FN struct lane_complex lane_turned(struct lane_complex a)
{
    struct lane_complex turned;
    turned.x = P(neg)(a.y);
    turned.y = a.x;
    return turned;
}

DEEP_FN struct lane_complex lane_where(uint32_t bits, struct lane_complex a, struct lane_complex b)
{
    a.x = P(where)(bits, a.x, b.x);
    a.y = P(where)(bits, a.y, b.y);
    return a;
}

DEEP_FN PACK lane_max(struct lane_complex a)
{
    return P(max)(P(abs)(a.x), P(abs)(a.y));
}

DEEP_FN PACK lane_norm(struct lane_complex a)
{
    return P(fma)(a.x, a.x, P(mul)(a.y, a.y));
}

/* As wide_settle; returns the lanes where it does not: a is 0, or no normal number. */
DEEP_FN uint32_t lane_settles(struct lane_complex *a, PACK *e)
{
    PACK size = lane_max(*a), lead = P(lead)(size);
    *a = lane_scale(P(power)(P(neg)(lead)), *a);
    *e = P(add)(*e, lead);
    return ~(P(le)(P(splat)(0x1p-1022), size) & P(le)(size, P(splat)(0x1p1023))) &
           LANES_BELOW(LANES);
}

/* ---- steps ---- */

struct lane_run { /* steps of LANES pixels */
    struct lane_complex delta, right, up, c, dc;
    double least;                         /* a run ends where |x| and |y| of delta are less */
    const double *z[LANES], *tape[LANES]; /* points of the first step */
    const uint8_t *taped;                 /* member of struct program_phase */
    int same;                             /* 1: z[0] and tape[0] are those of all */
};

/* Copies member by member: gcc 12 copies all at once by `rep movs`, a third of a short run. */
DEEP_FN struct lane_run lane_run_copy(const struct lane_run *from, int slopes)
{
    struct lane_run run;
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
DEEP_FN void lane_run_return(struct lane_run *to, const struct lane_run *run, int slopes)
{
    to->delta = run->delta;
    if (slopes) {
        to->right = run->right;
        to->up = run->up;
    }
}

struct lane_walk { /* as struct formula_walk, with tangents */
    struct lane_complex z, d, z_kept, d_kept;
    struct formula_tangent right, up;
    int64_t on_tape; /* doubles of the tape behind that of the run's first step */
};

DEEP_FN struct formula_tangent lane_tangent(struct lane_complex t)
{
    struct formula_tangent tangent = {t.x, t.y, t.x, t.y};
    return tangent;
}

DEEP_FN void lane_walk_begin(struct lane_walk *at, const struct lane_run *run,
                             struct lane_complex z, int slopes)
{
    at->z = at->z_kept = z;
    at->d = at->d_kept = run->delta;
    if (slopes) {
        at->right = lane_tangent(run->right);
        at->up = lane_tangent(run->up);
    }
}

DEEP_FN void lane_walk_end(const struct lane_walk *at, struct lane_run *run, int slopes)
{
    run->delta = at->d;
    if (slopes) {
        run->right.x = at->right.x;
        run->right.y = at->right.y;
        run->up.x = at->up.x;
        run->up.y = at->up.y;
    }
}

DEEP_FN PACK lane_fold_difference(PACK v, PACK d)
{
    PACK stays = P(flip)(d, v), folded = P(fnma)(P(splat)(2.0), P(abs)(v), P(neg)(stays));
    return P(max)(folded, stays);
}

/* As walk_take. */
DEEP_FN void lane_walk_take(struct lane_walk *at, int operation, struct lane_complex c)
{
    switch (operation) {
    case OPERATION_ABS_X:
        at->d.x = lane_fold_difference(at->z.x, at->d.x);
        at->z.x = P(abs)(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->d.y = lane_fold_difference(at->z.y, at->d.y);
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
        at->d = lane_fma(at->d, lane_add(at->z_kept, at->d_kept), lane_mul(at->z, at->d_kept));
        at->z = lane_mul(at->z, at->z_kept);
        break;
    case OPERATION_SQR: {
        const struct lane_complex doubled = lane_add(at->z, at->z);
        at->d = lane_mul(lane_add(doubled, at->d), at->d);
        at->z = lane_mul(at->z, at->z);
        break;
    }
    case OPERATION_ADD:
        at->d = lane_add(at->d, c);
        break;
    default:
        break;
    }
}

/* As sign_difference. */
DEEP_FN PACK lane_sign_difference(PACK v, PACK d, PACK kept, PACK d_kept)
{
    PACK sign = P(flip)(P(flip)(P(splat)(1.0), v), kept);
    PACK same = P(flip)(P(flip)(sign, P(add)(v, d)), P(add)(kept, d_kept));
    PACK negated = P(neg)(P(fma)(P(splat)(2.0), v, d));
    return P(flip)(P(where)(P(le)(P(splat)(0), same), d, negated), sign);
}

/* As walk_map, of rows. */
DEEP_FN void lane_walk_map(struct lane_walk *at, int operation)
{
    if (operation == OPERATION_SWAP) {
        FORMULA_SWAP(at->z.x, at->z.y);
        FORMULA_SWAP(at->d.x, at->d.y);
        FORMULA_SWAP(at->right.x, at->right.y);
        FORMULA_SWAP(at->up.x, at->up.y);
        return;
    }
    PACK own = P(add)(at->z.y, at->d.y), kept = P(add)(at->z_kept.y, at->d_kept.y);
    at->right.y = P(flip)(P(flip)(at->right.y, own), kept);
    at->up.y = P(flip)(P(flip)(at->up.y, own), kept);
    at->d.y = lane_sign_difference(at->z.y, at->d.y, at->z_kept.y, at->d_kept.y);
    at->z.y = P(flip)(P(abs)(at->z.y), at->z_kept.y);
}

/* As row_take. */
DEEP_FN void lane_row_take(struct lane_walk *at, const struct lane_run *run, int operation,
                           int taped, int slopes, int both)
{
    if (operation_reads_sign(operation) && taped) {
        at->z = lane_pairs_of(run->tape, at->on_tape, run->same);
        at->on_tape += 2;
    }
    if (operation == OPERATION_SWAP || operation == OPERATION_SIGN_Y) {
        lane_walk_map(at, operation);
        return;
    }
    if (slopes) {
        struct lane_complex own = lane_add(at->z, at->d), kept = lane_add(at->z_kept, at->d_kept);
        formula_tangent_take(&at->right, operation, own.x, own.y, kept.x, kept.y, run->dc.x,
                             run->dc.y);
        if (both)
            formula_tangent_take(&at->up, operation, own.x, own.y, kept.x, kept.y,
                                 P(neg)(run->dc.y), run->dc.x);
    }
    lane_walk_take(at, operation, run->c);
}

/* Lanes for which along_goes_on holds. z: the reference at the next step. */
DEEP_FN uint32_t lane_goes_on(struct lane_complex delta, struct lane_complex z, int leaves,
                              int degree, const struct direct_limits *limits)
{
    z = lane_add(z, delta);
    PACK norm = lane_norm(z);
    const uint32_t stays =
        P(le_two)(norm, P(splat)(limits->bailout_squared), lane_max(delta), lane_max(z));
    if (!leaves)
        return stays;
    PACK next = P(mul)(lane_norm(delta), P(splat)((double)(degree * degree)));
    for (int i = 1; i < degree; i++)
        next = P(mul)(next, norm);
    return stays &
           ~P(le_two)(P(splat)(limits->norm_least), norm, P(splat)(limits->slope_least), next);
}

/* May all lanes go on? */
DEEP_FN int lane_run_goes_on(const struct lane_run *run, struct lane_complex z, int leaves,
                             int degree, const struct direct_limits *limits)
{
    const uint32_t every = LANES_BELOW(LANES);
    return lane_goes_on(run->delta, z, leaves, degree, limits) == every &&
           (!(run->least > 0) || P(le)(P(splat)(run->least), lane_max(run->delta)) == every);
}

/* ---- blocks ---- */

struct lane_block { /* a block of each lane */
    struct lane_complex a, b, a2, b2, d, g, h;
    PACK scale, scale_y; /* w = x scale + i y scale_y */
    PACK counts;         /* 0 where c does not count, in a wide picture; else 1 */
    uint32_t linear;
    uint32_t wide; /* lanes whose block doubles do not hold */
};

DEEP_FN struct lane_complex lane_argument(const struct lane_block *k, struct lane_complex delta)
{
    delta.x = P(mul)(delta.x, k->scale);
    delta.y = P(mul)(delta.y, k->scale_y);
    return delta;
}

#define BLOCK_MEMBER(member) ((int64_t)(offsetof(struct formula_block, member) / sizeof(double)))

/* Scale of x and, with the sign of a conjugate, of y. */
DEEP_FN struct complex_f64 lane_block_scales(const struct formula_block *block)
{
    const struct complex_f64 one = {1, 1};
    return formula_argument(block, one);
}

/* Exponents of blocks of a wide picture; *counts: 1, or 0 where c does not count beside a delta
 * that is a double. Returns the lanes whose block doubles do not hold. */
DEEP_FN uint32_t lane_exponents(const int32_t *out, const int32_t *of_c, int same, PACK *counts)
{
    _Alignas(64) double one[LANES];
    uint32_t wide = 0;
    for (int l = 0; l < LANES; l++) {
        one[l] = of_c[same ? 0 : l] ? 0 : 1;
        wide |= (uint32_t)(out[same ? 0 : l] != 0) << l;
    }
    *counts = P(load)(one);
    return wide;
}

/* Loads a block for each lane; same: the first is that of all; wide: the picture is. */
DEEP_FN struct lane_block lane_block_load(const struct formula_block *const *block, int same,
                                          int wide)
{
    struct lane_block k;
    const double *record[LANES];
    int32_t out[LANES], of_c[LANES];
    for (int l = 0; l < (same ? 1 : LANES); l++) {
        record[l] = (const double *)(const void *)block[l];
        out[l] = block[l]->out;
        of_c[l] = block[l]->of_c;
    }
    if (same) {
        const struct complex_f64 scales = lane_block_scales(block[0]);
        k.scale = P(splat)(scales.x);
        k.scale_y = P(splat)(scales.y);
    } else {
        _Alignas(64) double scale[LANES], scale_y[LANES];
        for (int l = 0; l < LANES; l++) {
            const struct complex_f64 scales = lane_block_scales(block[l]);
            scale[l] = scales.x;
            scale_y[l] = scales.y;
        }
        k.scale = P(load)(scale);
        k.scale_y = P(load)(scale_y);
    }
    k.a = lane_pairs_of(record, BLOCK_MEMBER(a), same);
    k.b = lane_pairs_of(record, BLOCK_MEMBER(b), same);
    k.a2 = lane_pairs_of(record, BLOCK_MEMBER(a2), same);
    k.b2 = lane_pairs_of(record, BLOCK_MEMBER(b2), same);
    k.d = lane_pairs_of(record, BLOCK_MEMBER(d), same);
    k.g = lane_pairs_of(record, BLOCK_MEMBER(g), same);
    k.h = lane_pairs_of(record, BLOCK_MEMBER(h), same);
    k.counts = P(splat)(1);
    k.wide = 0;
    if (wide) {
        k.wide = lane_exponents(out, of_c, same, &k.counts);
        k.b = lane_scale(k.counts, k.b);
        k.b2 = lane_scale(k.counts, k.b2);
    }
    PACK size = P(add)(lane_max(k.d), P(add)(lane_max(k.g), lane_max(k.h)));
    k.linear = P(le)(size, P(splat)(0));
    return k;
}

/* As formula_apply. */
DEEP_FN struct lane_complex lane_apply(const struct lane_block *k, struct lane_complex delta,
                                       struct lane_complex v, int similar)
{
    struct lane_complex w = lane_argument(k, delta);
    struct lane_complex of_v = lane_fma(k->b, v, lane_mul(k->b2, lane_conj(v)));
    struct lane_complex rest = lane_fma(k->a2, lane_conj(w), of_v);
    struct lane_complex a = lane_fma(lane_fma(lane_fma(k->h, w, k->g), w, k->d), w, k->a);
    if (!similar) {
        a.x = P(where)(k->linear, k->a.x, a.x);
        a.y = P(where)(k->linear, k->a.y, a.y);
    }
    return lane_fma(a, w, rest);
}

/* As formula_slope_apply. */
DEEP_FN struct lane_complex lane_slope_apply(const struct lane_block *k, struct lane_complex delta,
                                             struct lane_complex dz, struct lane_complex dv)
{
    struct lane_complex w = lane_argument(k, delta), dw = lane_argument(k, dz);
    struct lane_complex d = lane_scale(P(splat)(2), k->d);
    d = lane_fma(lane_fma(lane_scale(P(splat)(4), k->h), w, lane_scale(P(splat)(3), k->g)), w, d);
    struct lane_complex of_w = lane_fma(lane_fma(d, w, k->a), dw, lane_mul(k->a2, lane_conj(dw)));
    return lane_fma(k->b, dv, lane_fma(k->b2, lane_conj(dv), of_w));
}

/* ---- behind a block or steps ---- */

struct lane_arrival { /* state of each lane behind a block or steps */
    struct lane_complex z;
    PACK norm;
    uint32_t last;   /* lanes whose orbit may end */
    uint32_t rebase; /* other lanes that rebase */
    uint32_t ends;   /* lanes whose run of steps ends here, whatever its room is */
};

struct lane_tests { /* tests behind a block or steps */
    const struct direct_limits *limits;
    int leaves; /* 1: pixels may leave the reference */
    int degree;
};

/* last: the lanes at the limit, or at an end of the reference. */
DEEP_FN struct lane_arrival lane_arrive(const struct lane_tests *tests, struct lane_complex delta,
                                        struct lane_complex reference, uint32_t last)
{
    const struct direct_limits *limits = tests->limits;
    struct lane_arrival at;
    at.z = lane_add(reference, delta);
    at.norm = lane_norm(at.z);
    at.last = last | (~P(le)(at.norm, P(splat)(limits->bailout_squared)) & LANES_BELOW(LANES));
    at.rebase = ~P(le)(lane_max(delta), lane_max(at.z)) & LANES_BELOW(LANES) & ~at.last;
    at.ends = ~lane_goes_on(delta, reference, tests->leaves, tests->degree, limits);
    return at;
}
