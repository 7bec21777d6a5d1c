/* What LANES pixels have come to by an advance: the end, a rebase, or a place in the lists.
 *
 * A body, behind along_lists.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "along_settle.h: a macro is missing"
#endif

DEEP_FN int T(along_arrive)(const struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel,
                            struct along_kind kind)
{
    if (kind.quadratic)
        return kind.wide ? T(wide_arrive)(&pixel->at, rounds->shared)
                         : T(pixel_arrive)(&pixel->at, rounds->shared);
    return kind.wide ? T(formula_arrive_of_wide)(pixel, rounds->formula)
                     : T(formula_arrive)(pixel, rounds->formula);
}

struct T(along_result) {
    struct T(lane_arrival) arrival;
    uint32_t ends; /* lanes whose run of steps ended */
    uint32_t odd;  /* lanes that have not advanced, and do so alone */
    int level;     /* -1: they take a step */
    int together;  /* 1: lanes are at the same position, or have rebased from it */
};

/* Ends an advance of lane l; 1: the count is known. */
DEEP_FN int T(lane_settle)(struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel,
                           const struct T(along_result) * result, int l, struct along_kind kind)
{
#if defined(DEEP_ROWS_ALONE) && !defined(REAL_NARROW)
    if (along_odd(kind) && result->odd >> l & 1) {
        const int level = result->level < 0 ? -1 : pixel->at.level;
        rounds->taken++;
        return kind.slopes ? quadratic_advance_slopes(rounds, pixel, level)
                           : quadratic_advance_counts(rounds, pixel, level);
    }
#endif
    if (result->arrival.rebase >> l & 1) {
        T(along_rebase)(rounds, pixel);
        if (kind.wide && !kind.alike)
            T(wide_put)(&pixel->at, T(wide_settle)(pixel->at.delta, 0));
    }
    return result->arrival.last >> l & 1 ? T(along_arrive)(rounds, pixel, kind) : 0;
}

/* Smallest number of a key. */
DEEP_FN DEEP_REAL T(along_key_number)(int32_t key)
{
    enum { INFINITE = 2047 * 4096 };
    uint64_t bits = (uint64_t)(key < 0 ? 0 : key > INFINITE ? INFINITE : key) << 40;
    double number;
    memcpy(&number, &bits, sizeof number);
    return (DEEP_REAL)number;
}

/* Size of plain deltas, for comparison with radii; squared: of their squares. */
DEEP_FN PACK T(lanes_reach)(struct T(lane_complex) delta, int squared)
{
    PACK x = P(abs)(delta.x), y = P(abs)(delta.y);
    PACK large = P(max)(x, y), small = P(neg)(P(max)(P(neg)(x), P(neg)(y)));
    PACK reach = P(fma)(P(splat)((DEEP_REAL)0.41421356237309515), small, large);
    return squared ? P(mul)(reach, reach) : reach;
}

/* Lanes leave the reference where they may, as by pixel_leave and formula_leave; returns the
 * others. */
DEEP_FN uint32_t T(lanes_leave)(struct T(along_rounds) * rounds,
                                const struct T(along_lanes) * lanes,
                                const struct T(lane_arrival) * arrival, uint32_t set,
                                struct along_kind kind)
{
    const struct T(direct_limits) *limits = &rounds->shared->direct;
    const DEEP_REAL stretch =
        kind.quadratic ? 4 : T(list_stretch)(T(formula_list)(rounds->formula, 0));
    const PACK norm = arrival->norm, slope = T(lane_norm)(lanes->now.delta);
    PACK next = P(mul)(slope, P(splat)(stretch));
    for (int i = 1; i < rounds->tests.degree; i++)
        next = P(mul)(next, norm);
#ifdef REAL_SLOPE_MOST
    next = P(min)(next, P(splat)(REAL_SLOPE_MOST));
#endif
    const uint32_t leaves =
        set & P(le_three)(norm, P(splat)(limits->bailout_squared), P(splat)(limits->norm_least),
                          norm, P(splat)(limits->slope_least), next);
    _Alignas(64) DEEP_REAL x[LANES], y[LANES], slopes[LANES];
    if (!leaves)
        return set;
    P(store)(x, arrival->z.x);
    P(store)(y, arrival->z.y);
    P(store)(slopes, slope);
    for (uint32_t left = leaves; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        struct T(pixel_state) *at = &lanes->pixel[l]->at;
        at->slope = slopes[l];
        at->direct = 1;
        at->delta.x = at->m ? x[l] : x[l] + 0; /* Z_0 is 0, which changes -0 */
        at->delta.y = at->m ? y[l] : y[l] + 0;
        rounds->direct[rounds->directs++] = lanes->pixel[l];
    }
    return set & ~leaves;
}

/* Sorts lanes at the same position for which no block holds. */
DEEP_FN void T(lanes_sort_steps)(struct T(along_rounds) * rounds,
                                 const struct T(along_lanes) * lanes,
                                 const struct T(lane_arrival) * arrival, uint32_t set,
                                 struct along_kind kind)
{
    if (rounds->tests.leaves) {
        const uint32_t may = kind.alike ? set & ~T(lanes_wide)(&lanes->now) : set;
        set = (set & ~may) | T(lanes_leave)(rounds, lanes, arrival, may, kind);
    }
    for (; set; set &= set - 1) {
        struct T(formula_pixel) *pixel = lanes->pixel[__builtin_ctz(set)];
        T(rounds_put)(rounds, pixel, T(along_stepping)(pixel, kind), -1);
    }
}

/* Sorts lanes at the same position by their next advance, as rounds_sort_one. */
DEEP_FN void T(lanes_sort)(struct T(along_rounds) * rounds, const struct T(along_lanes) * lanes,
                           const struct T(lane_arrival) * arrival, uint32_t set,
                           struct along_kind kind)
{
    if (!set)
        return;
    const struct T(formula_pixel) *first = lanes->pixel[__builtin_ctz(set)];
    const struct block_table *table = &rounds->table[first->reference];
    const int64_t from = T(along_from)(first->at.m, kind);
    const PACK reach = T(lanes_reach)(lanes->now.delta, kind.quadratic && first->at.m == 0);
    for (int level = T(along_level_most)(rounds, first, kind); level >= 0 && set; level--) {
        const int32_t radius = table->radius[level][from >> (table->shortest + level)];
        const uint32_t holds =
            set & ~(kind.alike ? T(lane_wide_beyond)(reach, lanes->now.e, radius)
                               : P(le)(P(splat)(T(along_key_number)(radius)), reach));
        for (uint32_t left = holds; left; left &= left - 1)
            T(rounds_put)(rounds, lanes->pixel[__builtin_ctz(left)], ADVANCE_BLOCK, level);
        set &= ~holds;
    }
    if (set)
        T(lanes_sort_steps)(rounds, lanes, arrival, set, kind);
}

/* Sorts lanes that go on: now where they are together, else with the next round. */
DEEP_FN void T(lanes_sort_all)(struct T(along_rounds) * rounds, const struct T(along_lanes) * lanes,
                               const struct T(along_result) * result, uint32_t on,
                               struct along_kind kind)
{
    const struct T(lane_arrival) *arrival = &result->arrival;
    uint32_t known = 0;
    if (result->together && (!kind.full || kind.alike)) {
        known = on & ~arrival->last & (kind.wide ? ~result->odd : ~0u);
        for (int l = 0; l < lanes->count && kind.wide && !kind.alike; l++)
            known &= ~((uint32_t)(lanes->pixel[l]->at.e != 0) << l);
        T(lanes_sort)(rounds, lanes, arrival, known & ~arrival->rebase, kind);
        T(lanes_sort)(rounds, lanes, arrival, known & arrival->rebase, kind);
    }
    for (uint32_t set = on & ~known; set; set &= set - 1)
        rounds->going[rounds->goings++] = lanes->pixel[__builtin_ctz(set)];
}

/* Gives lanes that rebase their delta, z. */
DEEP_FN void T(lanes_rebase)(struct T(along_values) * now, const struct T(lane_arrival) * arrival,
                             uint32_t rebase, struct along_kind kind)
{
    struct T(lane_wide) put = {arrival->z, now->e};
    if (kind.alike && rebase)
        put = T(lane_wide_put)(T(lane_wide_settle)(arrival->z, arrival->z_e));
    now->delta = T(lane_where)(rebase, put.x, now->delta);
    if (kind.alike)
        now->e = P(where)(rebase, put.e, now->e);
}

/* Rebases lanes that are due, stores all, and sorts those that go on. */
DEEP_FN void T(rounds_settle)(struct T(along_rounds) * rounds, struct T(along_lanes) * lanes,
                              const struct T(along_result) * result, struct along_kind kind)
{
    const struct T(lane_arrival) *arrival = &result->arrival;
    const uint32_t rebase = kind.wide ? arrival->rebase & ~result->odd : arrival->rebase;
    const uint32_t ends = kind.wide ? result->ends | result->odd : result->ends;
    uint32_t on = 0;
    _Alignas(64) DEEP_REAL norm[LANES];
    P(store)(norm, arrival->norm);
    T(lanes_rebase)(&lanes->now, arrival, rebase, kind);
    T(along_lanes_store)(lanes, kind);
    for (int l = 0; l < lanes->count; l++) {
        struct T(formula_pixel) *pixel = lanes->pixel[l];
        if (!kind.wide || !(result->odd >> l & 1))
            pixel->at.norm = norm[l];
        int done = T(lane_settle)(rounds, pixel, result, l, kind);
        if (!done && ends >> l & 1 && T(along_repeats)(rounds, pixel, kind)) {
            pixel->at.n = rounds->shared->limit;
            done = 1;
        }
        on |= (uint32_t)!done << l;
    }
    T(lanes_sort_all)(rounds, lanes, result, on, kind);
}
