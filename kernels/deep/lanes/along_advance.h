/* An advance of LANES pixels along the reference: a block, or steps.
 *
 * A body, behind along_settle.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "along_advance.h: a macro is missing"
#endif

DEEP_FN struct T(lane_complex)
    T(lanes_c)(const struct T(along_lanes) * lanes, const struct T(along_rounds) * rounds,
               struct along_kind kind)
{
    const struct T(lane_complex) c = T(along_lanes_pairs)(lanes, PIXEL_MEMBER(at.c));
    return kind.wide && !kind.alike
               ? T(lane_scale)(P(splat)(T(wide_power)(rounds->shared->exponent)), c)
               : c;
}

DEEP_FN struct T(lane_complex)
    T(lanes_v)(const struct T(along_lanes) * lanes, const struct T(along_rounds) * rounds)
{
    return T(lane_scale)(P(splat)(rounds->shared->per_unit),
                         T(along_lanes_pairs)(lanes, PIXEL_MEMBER(at.c)));
}

/* Lanes whose delta is too small for plain arithmetic. */
DEEP_FN uint32_t T(lanes_small)(struct T(lane_complex) delta)
{
    return ~P(le)(P(splat)(T(wide_power)(REAL_BORDER)), T(lane_max)(delta)) & LANES_BELOW(LANES);
}

/* Settles derivatives; returns the lanes where these are no normal doubles. */
DEEP_FN uint32_t T(lanes_settle)(struct T(along_values) * now, struct along_kind kind)
{
    uint32_t odd = 0;
    if (!kind.slopes)
        return 0;
    odd |= T(lane_settles)(&now->right, &now->right_e);
    if (kind.both)
        odd |= T(lane_settles)(&now->up, &now->up_e);
    return odd;
}

/* Derivatives after a block of a formula; unit: none, or of each lane. */
DEEP_FN void T(lanes_leap_slopes)(struct T(along_values) * now,
                                  const struct T(along_rounds) * rounds,
                                  const struct T(lane_block) * k, struct along_kind kind)
{
    struct T(lane_complex) dv = T(lane_splat)(rounds->shared->step_v), right = dv, up = dv;
    if (kind.wide) {
        right = T(lane_scale)(P(mul)(k->counts, P(power)(P(neg)(now->right_e))), dv);
        up = T(lane_scale)(P(mul)(k->counts, P(power)(P(neg)(now->up_e))), dv);
    }
    now->right = T(lane_slope_apply)(k, now->delta, now->right, right);
    if (kind.both)
        now->up = T(lane_slope_apply)(k, now->delta, now->up, T(lane_turned)(up));
}

/* Takes a block of a formula. */
DEEP_FN void T(lanes_leap)(struct T(along_values) * now, const struct T(along_rounds) * rounds,
                           const struct T(lane_block) * k, struct T(lane_complex) v,
                           struct along_kind kind)
{
    if (kind.slopes)
        T(lanes_leap_slopes)(now, rounds, k, kind);
    now->delta = T(lane_apply)(k, now->delta, v, rounds->formula->program.similar);
}

/* Takes a block of z^2 + c; first: lanes at Z_0. Returns lanes that are odd. */
DEEP_FN uint32_t T(lanes_leap_quadratic)(struct T(along_values) * now,
                                         const struct T(along_rounds) * rounds,
                                         const struct T(lane_quadratic) * k,
                                         struct T(lane_complex) v, uint32_t first,
                                         struct along_kind kind)
{
    struct T(lane_complex) from = now->delta, dz = now->right;
    uint32_t odd = 0;
    if (first) {
        from = T(lane_where)(first, T(lane_mul)(now->delta, now->delta), from);
        if (kind.slopes)
            dz = T(lane_where)(first, T(lane_mul)(T(lane_scale)(P(splat)(2), now->delta), dz), dz);
        odd |= kind.wide ? first & T(lanes_small)(from) : 0;
    }
    if (kind.slopes) {
        struct T(lane_complex) dv = T(lane_splat)(rounds->shared->step_v);
        if (kind.wide)
            dv = T(lane_scale)(P(mul)(k->counts, P(power)(P(neg)(now->right_e))), dv);
        now->right = T(lane_quadratic_slope)(k, from, v, dz, dv);
    }
    now->delta = T(lane_quadratic_apply)(k, from, v);
    return odd;
}

/* Lanes whose derivatives are smaller than what plain arithmetic of blocks adds to them. */
DEEP_FN uint32_t T(lanes_slopes_small)(const struct T(along_values) * now, struct along_kind kind)
{
    const PACK least = P(splat)(-1000);
    if (!kind.slopes || !kind.wide)
        return 0;
    uint32_t large = P(le)(least, now->right_e);
    if (kind.both)
        large &= P(le)(least, now->up_e);
    return ~large & LANES_BELOW(LANES);
}

DEEP_FN const void *T(along_block)(const struct T(along_rounds) * rounds,
                                   const struct T(formula_pixel) * pixel, struct along_kind kind)
{
    const struct block_table *table = &rounds->table[pixel->reference];
    const int64_t i = T(along_from)(pixel->at.m, kind) >> (table->shortest + pixel->at.level);
    const void *record = table->T(record)[pixel->at.level];
    return kind.quadratic ? (const void *)((const struct T(quadratic_block) *)record + i)
                          : (const void *)((const struct T(formula_block) *)record + i);
}

/* As wide_leap_fully. */
DEEP_FN void T(lanes_leap_full)(const struct T(along_rounds) * rounds, struct T(along_values) * now,
                                const void *const *block, int same, struct T(lane_complex) v,
                                uint32_t first, struct along_kind kind)
{
    const struct T(lane_quadratic) k =
        T(lane_quadratic_load)((const struct T(quadratic_block) *const *)block, same, 0);
    const struct T(lane_powers) powers =
        T(lane_powers_load)(block, offsetof(struct T(quadratic_block), in), same);
    struct T(lane_wide) delta = T(lane_wide_settle)(now->delta, now->e);
    struct T(lane_wide) dz = T(lane_wide_settle)(now->right, now->right_e);
    if (first) {
        const struct T(lane_wide) doubled =
            T(lane_wide_settle)(T(lane_scale)(P(splat)(2), delta.x), delta.e);
        dz = T(lane_wide_where)(first, T(lane_wide_mul)(doubled, dz), dz);
        delta = T(lane_wide_where)(first, T(lane_wide_mul)(delta, delta), delta);
    }
    if (kind.slopes) {
        dz = T(lane_wide_slope)(&k, &powers, delta, v, dz, T(lane_splat)(rounds->shared->step_v));
        now->right = dz.x;
        now->right_e = dz.e;
    }
    delta = T(lane_wide_apply)(&k, &powers, delta, v);
    delta = T(lane_wide_put)(delta);
    now->delta = delta.x;
    now->e = delta.e;
}

#ifdef REAL_LEAPS_ALIKE
/* As formula_leap_of_wide. */
DEEP_FN void T(lanes_leap_alike)(const struct T(along_rounds) * rounds,
                                 struct T(along_values) * now, const void *const *block, int same,
                                 struct T(lane_complex) v, struct along_kind kind)
{
    (void)rounds;
    (void)kind;
    const struct T(lane_powers) powers =
        T(lane_powers_load)(block, offsetof(struct T(formula_block), in), same);
    const struct T(formula_block) *const *of_formula =
        (const struct T(formula_block) *const *)block;
    const DEEP_REAL *record[LANES];
    struct T(lane_block) k;
    uint32_t conj = 0;
    for (int l = 0; l < (same ? 1 : LANES); l++) {
        record[l] = (const DEEP_REAL *)(const void *)of_formula[l];
        conj |= (uint32_t)of_formula[l]->conj << l;
    }
    conj = same && conj ? LANES_BELOW(LANES) : conj;
    T(lane_block_terms)(&k, record, same);
    const struct T(lane_wide) delta = T(lane_wide_put)(
        T(lane_apply_alike)(&k, conj, &powers, T(lane_wide_settle)(now->delta, now->e), v));
    now->delta = delta.x;
    now->e = delta.e;
}
#else
/* As formula_leap_slopes. */
static NO_INLINE __attribute__((unused)) void
T(lanes_leap_tangents)(const struct T(along_rounds) * rounds, struct T(along_values) * now,
                       const struct T(lane_block) * k, const void *const *block, int same,
                       struct T(lane_wide) delta, struct along_kind kind)
{
    const struct T(lane_powers) powers =
        T(lane_powers_load)(block, offsetof(struct T(formula_block), in), same);
    const struct T(lane_complex) dv = T(lane_splat)(rounds->shared->step_v);
    struct T(lane_wide) t =
        T(lane_block_slope)(k, &powers, delta, T(lane_wide_settle)(now->right, now->right_e), dv);
    now->right = t.x;
    now->right_e = t.e;
    if (!kind.both)
        return;
    t = T(lane_block_slope)(k, &powers, delta, T(lane_wide_settle)(now->up, now->up_e),
                            T(lane_turned)(dv));
    now->up = t.x;
    now->up_e = t.e;
}

/* As formula_leap_of_wide. */
DEEP_FN void T(lanes_leap_alike)(const struct T(along_rounds) * rounds,
                                 struct T(along_values) * now, const void *const *block, int same,
                                 struct T(lane_complex) v, struct along_kind kind)
{
    const struct T(lane_block) k =
        T(lane_block_load)((const struct T(formula_block) *const *)block, same, 0);
    struct T(lane_wide) next = {now->delta, P(splat)(0)};
    const struct T(lane_wide) delta = T(lane_wide_settle)(now->delta, now->e);
    uint32_t full = T(lanes_wide)(now);
    if (kind.slopes)
        T(lanes_leap_tangents)(rounds, now, &k, block, same, delta, kind);
    if (full != LANES_BELOW(LANES)) {
        struct T(lane_block) plain = k;
        T(lane_block_counts)(&plain);
        next.x = T(lane_apply)(&plain, now->delta, v, rounds->formula->program.similar);
        full |= k.wide | T(lanes_small)(next.x);
    }
    if (full) {
        const struct T(lane_powers) powers =
            T(lane_powers_load)(block, offsetof(struct T(formula_block), in), same);
        next = T(lane_wide_where)(full, T(lane_wide_put)(T(lane_block_wide)(&k, &powers, delta, v)),
                                  next);
    }
    now->delta = next.x;
    now->e = next.e;
}
#endif

/* Takes a block of each lane; same: the first is that of all. Returns lanes that are odd. */
DEEP_FN uint32_t T(rounds_leap_all)(const struct T(along_rounds) * rounds,
                                    struct T(along_values) * now, const void *const *block,
                                    int same, struct T(lane_complex) v, uint32_t first,
                                    struct along_kind kind)
{
    if (kind.alike) {
        T(lanes_leap_alike)(rounds, now, block, same, v, kind);
        return 0;
    }
    if (kind.full) {
        T(lanes_leap_full)(rounds, now, block, same, v, first, kind);
        return 0;
    }
    uint32_t odd = T(lanes_slopes_small)(now, kind);
    if (kind.quadratic) {
        struct T(lane_quadratic) k = T(lane_quadratic_load)(
            (const struct T(quadratic_block) *const *)block, same, kind.wide);
        odd |= k.wide;
        odd |= T(lanes_leap_quadratic)(now, rounds, &k, v, first, kind);
    } else {
        struct T(lane_block) k =
            T(lane_block_load)((const struct T(formula_block) *const *)block, same, kind.wide);
        odd |= k.wide;
        T(lanes_leap)(now, rounds, &k, v, kind);
    }
    return kind.wide ? odd | T(lanes_small)(now->delta) | T(lanes_settle)(now, kind) : 0;
}

/* Run of steps, without the points of its lanes. */
DEEP_FN struct T(lane_run)
    T(lanes_run)(const struct T(along_rounds) * rounds, struct T(along_values) * now,
                 struct T(lane_complex) c, int same, struct along_kind kind)
{
    struct T(lane_run) run;
    struct T(lane_complex) step = T(lane_splat)(rounds->shared->step);
    if (!kind.quadratic && rounds->formula->dynamic)
        step = T(lane_scale)(P(splat)(0), step);
    if (kind.wide && kind.slopes) {
        const PACK e = kind.both ? P(max)(now->up_e, now->right_e) : now->right_e;
        const PACK exponent = P(splat)(rounds->shared->exponent);
        now->right = T(lane_scale)(P(power)(P(sub)(now->right_e, e)), now->right);
        now->up = T(lane_scale)(P(power)(P(sub)(now->up_e, e)), now->up);
        now->right_e = now->up_e = e;
        step = T(lane_scale)(P(power)(P(sub)(exponent, e)), step);
    }
    run.delta = now->delta;
    run.right = now->right;
    run.up = now->up;
    run.c = kind.alike ? T(lane_scale)(P(splat)(T(wide_power)(rounds->shared->exponent)), c) : c;
    run.dc = step;
    run.least = kind.wide ? T(wide_power)(REAL_BORDER) : 0;
    run.taped = kind.quadratic ? NULL : rounds->formula->program.phase[0].taped;
    run.same = same;
#ifdef REAL_SCALED
    T(lane_run_begin)(&run, now->e, c, rounds->shared->exponent);
#endif
    return run;
}

#ifndef REAL_SCALED
/* Takes up to `most` steps of plain deltas, until a lane ends; returns the steps. */
DEEP_FN int64_t T(lanes_run_plain)(const struct T(along_rounds) * rounds, struct T(lane_run) * run,
                                   int64_t most, struct along_kind kind)
{
    const struct T(lane_tests) *tests = &rounds->tests;
    return kind.quadratic ? T(quadratic_lanes)(run, tests->limits, kind.slopes, most)
                          : rounds->formula->row->along_lanes[kind.slopes](run, tests->limits,
                                                                           tests->leaves, most);
}
#endif

/* Takes up to `most` steps by the arithmetic of plain deltas, and of those over a power of two.
 * Returns lanes for which the first step is none of these: then it is the only one. */
DEEP_FN uint32_t T(lanes_step_quick)(const struct T(along_rounds) * rounds,
                                     struct T(along_values) * now, struct T(lane_run) * run,
                                     int64_t most, int64_t *taken, struct along_kind kind)
{
    uint32_t full;
#ifdef REAL_SCALED
    (void)kind;
    *taken = T(lane_run_steps)(run, &rounds->formula->program, rounds->tests.limits, most, &full);
    now->e = run->e;
#else
    full = T(lanes_wide)(now);
    *taken = 1;
    if (full == LANES_BELOW(LANES))
        return full;
    *taken = T(lanes_run_plain)(rounds, run, full || kind.slopes ? 1 : most, kind);
    if (*taken > 1 && T(lanes_small)(run->delta)) { /* by its last step alone */
        run->delta = now->delta;
        *taken = T(lanes_run_plain)(rounds, run, *taken - 1, kind);
    }
    full |= T(lanes_small)(run->delta);
#endif
    now->delta = run->delta;
    return full;
}

/* Takes the derivatives behind a plain step, settled. */
DEEP_FN void T(lanes_put_tangents)(struct T(along_values) * now, const struct T(lane_run) * run)
{
    const struct T(lane_wide) right = T(lane_wide_settle)(run->right, now->right_e),
                              up = T(lane_wide_settle)(run->up, now->up_e);
    now->right = right.x;
    now->right_e = right.e;
    now->up = up.x;
    now->up_e = up.e;
}

/* Takes what a step in full has left, in those lanes. */
DEEP_FN void T(lanes_put_full)(struct T(along_values) * now, const struct T(lane_wide_walk) * at,
                               uint32_t full, struct along_kind kind)
{
    const struct T(lane_wide) next = T(lane_wide_put)(at->d);
    now->delta = T(lane_where)(full, next.x, now->delta);
    now->e = P(where)(full, next.e, now->e);
    if (!kind.slopes)
        return;
    now->right = T(lane_where)(full, at->right.t.x, now->right);
    now->right_e = P(where)(full, at->right.t.e, now->right_e);
    now->up = T(lane_where)(full, at->up.t.x, now->up);
    now->up_e = P(where)(full, at->up.t.e, now->up_e);
}

/* Steps in full, compiled once for lanes together and apart. */
static NO_INLINE __attribute__((unused)) void
T(lanes_full_counts)(struct T(lane_wide_walk) * at, const struct program_phase *phase,
                     const struct T(lane_points) * points, const struct T(lane_wide_input) * input)
{
    T(lane_wide_step)(at, phase, points, input, 0, 0);
}
#ifndef REAL_NARROW
static NO_INLINE __attribute__((unused)) void
T(lanes_full_slopes)(struct T(lane_wide_walk) * at, const struct program_phase *phase,
                     const struct T(lane_points) * points, const struct T(lane_wide_input) * input,
                     int both)
{
    T(lane_wide_step)(at, phase, points, input, 1, both);
}
#endif

/* Takes up to `most` steps of a formula in a wide picture; returns their number. before: *now
 * before lanes_run. */
DEEP_FN int64_t T(lanes_step_alike)(const struct T(along_rounds) * rounds,
                                    struct T(along_values) * now,
                                    const struct T(along_values) * before, struct T(lane_run) * run,
                                    const struct T(lane_points) * points, struct T(lane_complex) c,
                                    int64_t most, struct along_kind kind)
{
    int64_t taken;
    const uint32_t full = T(lanes_step_quick)(rounds, now, run, most, &taken, kind);
    if (kind.slopes)
        T(lanes_put_tangents)(now, run);
    if (full) {
        struct T(lane_wide_walk) at;
        const struct COMPLEX none = {0, 0};
        const PACK exponent = P(splat)((DEEP_REAL)rounds->shared->exponent);
        const struct COMPLEX step = rounds->formula->dynamic ? none : rounds->shared->step;
        const struct T(lane_wide_input)
            input = {T(lane_wide_settle)(c, exponent),
                     T(lane_wide_settle)(T(lane_splat)(rounds->shared->direct.centre), P(splat)(0)),
                     T(lane_wide_settle)(T(lane_splat)(step), exponent)};
        at.d = T(lane_wide_settle)(before->delta, before->e);
        at.right.t = T(lane_wide_settle)(before->right, before->right_e);
        at.up.t = T(lane_wide_settle)(before->up, before->up_e);
        const struct program_phase *phase = &rounds->formula->program.phase[0];
#ifndef REAL_NARROW
        if (kind.slopes)
            T(lanes_full_slopes)(&at, phase, points, &input, kind.both);
        else
#endif
            T(lanes_full_counts)(&at, phase, points, &input);
        T(lanes_put_full)(now, &at, full, kind);
    }
    return taken;
}

/* Takes up to `most` steps, their number in *taken; returns lanes that are odd. */
DEEP_FN uint32_t T(lanes_step)(const struct T(along_rounds) * rounds, struct T(along_values) * now,
                               const struct T(along_values) * before, struct T(lane_run) * run,
                               const struct T(lane_points) * points, struct T(lane_complex) c,
                               int64_t most, int64_t *taken, struct along_kind kind)
{
    if (kind.alike) {
        *taken = T(lanes_step_alike)(rounds, now, before, run, points, c, most, kind);
        return 0;
    }
#ifndef REAL_SCALED
    *taken = T(lanes_run_plain)(rounds, run, most, kind);
    now->delta = run->delta;
    if (kind.slopes) {
        now->right = run->right;
        now->up = run->up;
    }
#endif
    return kind.wide ? T(lanes_small)(now->delta) | T(lanes_settle)(now, kind) : 0;
}

DEEP_FN void T(run_point)(const struct T(along_rounds) * rounds,
                          const struct T(formula_pixel) * pixel, struct T(lane_run) * run,
                          struct T(lane_points) * points, int l, struct along_kind kind)
{
    run->z[l] = &rounds->reference[pixel->reference].z[pixel->at.m].x;
    points->m[l] = pixel->at.m;
    points->reference[l] = &rounds->reference[pixel->reference];
    if (!kind.quadratic)
        run->tape[l] = (const DEEP_REAL *)T(formula_tape_at)(rounds->formula, pixel);
}

/* Compares deltas with exponents with their z, in the lanes `tiny`, as formula_arrive_of_wide. */
DEEP_FN void T(along_arrive_tiny)(struct T(lane_arrival) * arrival,
                                  const struct T(along_values) * now,
                                  const struct T(lane_points) * points, uint32_t tiny)
{
    const struct T(lane_parts) parts = T(lane_parts_load)(points, ORBIT_POINT);
    const struct T(lane_wide) delta = T(lane_wide_settle)(now->delta, now->e);
    const struct T(lane_wide) own = T(lane_wide_add)(T(lane_parts_join)(&parts), delta);
    const uint32_t below = ~P(le)(delta.e, own.e);
    const uint32_t less = ~P(le)(T(lane_max)(delta.x), T(lane_max)(own.x));
    const uint32_t rebase = tiny & (below | (P(eq)(own.e, delta.e) & less));
    arrival->z = T(lane_where)(rebase, own.x, arrival->z);
    arrival->z_e = P(where)(rebase, own.e, arrival->z_e);
    arrival->rebase |= rebase;
}

/* Tests behind an advance; last: as for lane_arrive. A delta with an exponent is nothing beside Z
 * that is not tiny, too. points: of Z; formulas. */
DEEP_FN struct T(lane_arrival)
    T(along_arrival)(const struct T(along_rounds) * rounds, const struct T(along_values) * now,
                     struct T(lane_complex) z, const struct T(lane_points) * points, uint32_t last,
                     struct along_kind kind)
{
    struct T(lane_complex) delta = now->delta;
    uint32_t tiny = 0;
    if (kind.full) {
        const uint32_t wide = T(lanes_wide)(now);
        tiny = wide & ~P(le)(P(splat)(REAL_TINY), T(lane_max)(z));
        delta = T(lane_where)(wide, T(lane_splat)((struct COMPLEX){0, 0}), delta);
    }
    struct T(lane_arrival) arrival =
        T(lane_arrive)(&rounds->tests, delta, z, kind.alike ? last : last | tiny);
    if (kind.alike && tiny & ~arrival.last)
        T(along_arrive_tiny)(&arrival, now, points, tiny & ~arrival.last);
    return arrival;
}
