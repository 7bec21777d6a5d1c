/* Pixels of a chunk along the reference, of z^2 + c and of formulas, in the lanes of
 * formula_lanes.h and quadratic_lanes.h, to the bit as pixel_along and formula_along take each, and
 * as many blocks and steps.
 *
 * A pixel waits for its last step before it knows what comes next. So all pixels of a chunk advance
 * in rounds, by a block or some steps each: those that have a block next, LANES at a time, and
 * those that have steps next. Those at the same position of the reference go on in lockstep for as
 * long as they stay there.
 *
 * In a wide picture pixels whose delta a double holds have lanes of plain arithmetic. Products with
 * powers of two are exact, so a run of steps over one exponent has the bits of steps that settle
 * one by one. A lane whose delta or derivative would leave the plain numbers (`odd`) takes that
 * advance alone, in full. Pixels of z^2 + c whose delta has an exponent have lanes of their own.
 *
 * A body, behind both files of lanes and with their macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "along_rounds.h: a macro is missing"
#endif

enum { ALONG_FEW = 2 }; /* up to so many pixels are faster one by one */

struct along_kind {   /* constants that make several kernels */
    int quadratic;    /* z^2 + c: pixels have no `up`, and their reference is 0 */
    int slopes, both; /* both: `up` is computed, too */
    int wide;
    int full; /* delta has an exponent, in a wide picture; z^2 + c only */
};

/* ---- LANES pixels ---- */

struct along_values {                     /* what an advance changes in LANES pixels */
    struct lane_complex delta, right, up; /* right and up: with slopes */
    PACK e, right_e, up_e;                /* exponents of them, in a wide picture */
};

struct along_lanes {
    struct formula_pixel *pixel[LANES]; /* the first once more where there are fewer */
    double *at[LANES];                  /* the same pixels, as doubles */
    int count;
    struct along_values now;
};

#define PIXEL_MEMBER(member) ((int64_t)(offsetof(struct formula_pixel, member) / sizeof(double)))

DEEP_FN struct lane_complex along_lanes_pairs(const struct along_lanes *lanes, int64_t member)
{
    return lane_pairs((const double *const *)lanes->at, member);
}

DEEP_FN void along_lanes_load(struct along_lanes *lanes, struct formula_pixel *const *list,
                              int count, struct along_kind kind)
{
    _Alignas(64) double e[LANES], right_e[LANES], up_e[LANES];
    lanes->count = count < LANES ? count : LANES;
    for (int l = 0; l < LANES; l++) {
        lanes->pixel[l] = list[l < count ? l : 0];
        lanes->at[l] = (double *)(void *)lanes->pixel[l];
    }
    lanes->now.delta = along_lanes_pairs(lanes, PIXEL_MEMBER(at.delta));
    lanes->now.e = lanes->now.right_e = lanes->now.up_e = P(splat)(0);
    lanes->now.right = lanes->now.up = lane_splat((struct complex_f64){0, 0});
    if (kind.full) {
        for (int l = 0; l < LANES; l++)
            e[l] = lanes->pixel[l]->at.e;
        lanes->now.e = P(load)(e);
    }
    if (!kind.slopes)
        return;
    lanes->now.right = along_lanes_pairs(lanes, PIXEL_MEMBER(at.dz));
    if (kind.both)
        lanes->now.up = along_lanes_pairs(lanes, PIXEL_MEMBER(up));
    if (!kind.wide)
        return;
    for (int l = 0; l < LANES; l++) {
        right_e[l] = lanes->pixel[l]->at.dz_e;
        up_e[l] = lanes->pixel[l]->up_e;
    }
    lanes->now.right_e = P(load)(right_e);
    lanes->now.up_e = P(load)(up_e);
}

DEEP_FN void along_lanes_store(const struct along_lanes *lanes, struct along_kind kind)
{
    const struct along_values *now = &lanes->now;
    _Alignas(64) double e[LANES], right_e[LANES], up_e[LANES];
    P(store_pairs)(lanes->at, PIXEL_MEMBER(at.delta), now->delta.x, now->delta.y);
    if (kind.full) {
        P(store)(e, now->e);
        for (int l = 0; l < lanes->count; l++)
            lanes->pixel[l]->at.e = (int32_t)e[l];
    }
    if (!kind.slopes)
        return;
    P(store_pairs)(lanes->at, PIXEL_MEMBER(at.dz), now->right.x, now->right.y);
    if (kind.both)
        P(store_pairs)(lanes->at, PIXEL_MEMBER(up), now->up.x, now->up.y);
    if (!kind.wide)
        return;
    P(store)(right_e, now->right_e);
    P(store)(up_e, now->up_e);
    for (int l = 0; l < lanes->count; l++) {
        lanes->pixel[l]->at.dz_e = (int32_t)right_e[l];
        if (kind.both)
            lanes->pixel[l]->up_e = (int32_t)up_e[l];
    }
}

/* Puts values from before an advance back into the lanes of `odd`. */
DEEP_FN void along_values_restore(struct along_values *now, const struct along_values *before,
                                  uint32_t odd, struct along_kind kind)
{
    now->delta = lane_where(odd, before->delta, now->delta);
    if (!kind.slopes)
        return;
    now->right = lane_where(odd, before->right, now->right);
    now->up = lane_where(odd, before->up, now->up);
    now->right_e = P(where)(odd, before->right_e, now->right_e);
    now->up_e = P(where)(odd, before->up_e, now->up_e);
}

/* ---- what each pixel does next ---- */

/* Kinds of an advance; FULL: a block, for a delta with an exponent; BEGINS: a step of a formula
 * from Z_0. */
enum advance { ADVANCE_BLOCK, ADVANCE_FULL, ADVANCE_STEPS, ADVANCE_BEGINS, ADVANCES };

/* Last search for a block: neighbours mostly come to the same position, and find the same block. */
struct along_lookup {
    int64_t m, n;              /* n: no less than `near` */
    int32_t reference, before; /* before: level of the last block */
    int most;                  /* along_level_most */
    int level;                 /* result for keys from `least` to below `below` */
    int32_t least, below;
};

struct along_list { /* pixels that advance in the same way */
    struct formula_pixel *pixel[DEEP_CHUNK];
    int64_t place[DEEP_CHUNK]; /* along_place */
    int64_t n[DEEP_CHUNK];     /* no less than `near` */
    int count;
};

struct along_rounds { /* pixels of a chunk */
    const struct pixel_common *shared;
    const struct formula_common *formula; /* NULL for z^2 + c */
    const struct formula_reference *reference;
    const struct block_table *table;
    struct lane_tests tests;
    int64_t near[FORMULA_REFERENCES]; /* before such an n the limit shortens no block */
    int32_t critical;                 /* the reference that pixels rebase on */
    struct formula_pixel *pixels;     /* all of the chunk, and an earlier state of each */
    struct pixel_kept *kept;
    struct along_list (*list)[ADVANCES], *next;        /* list: of this round, and of the next */
    struct formula_pixel *going[DEEP_CHUNK], **direct; /* going: in no list */
    int goings, directs;
    int64_t taken; /* blocks and steps */
};

/* Steps from where the first block starts, Z_0 or Z_1. */
DEEP_FN int64_t along_from(int64_t m, struct along_kind kind)
{
    return kind.quadratic ? m : m - 1;
}

/* Level of the longest block that may start at m, or -1. */
DEEP_FN int along_level_most(const struct along_rounds *rounds, const struct formula_pixel *pixel,
                             struct along_kind kind)
{
    return table_level_most(&rounds->table[pixel->reference], along_from(pixel->at.m, kind),
                            rounds->shared->limit - pixel->at.n,
                            rounds->reference[pixel->reference].end - pixel->at.m, pixel->at.level);
}

/* Steps up to where a block may begin next, the reference ends, or the limit is. */
DEEP_FN int64_t along_room(const struct along_rounds *rounds, const struct formula_pixel *pixel,
                           struct along_kind kind)
{
    const int64_t m = kind.quadratic ? pixel->at.m + 1 : pixel->at.m;
    return table_room(&rounds->table[pixel->reference], m,
                      rounds->reference[pixel->reference].end - pixel->at.m,
                      rounds->shared->limit - pixel->at.n);
}

DEEP_FN void along_wrap(const struct along_rounds *rounds, struct formula_pixel *pixel)
{
    pixel->at.m = reference_wrap(&rounds->reference[pixel->reference], pixel->at.m);
}

DEEP_FN void along_rebase(const struct along_rounds *rounds, struct formula_pixel *pixel)
{
    pixel->at.m = 0;
    pixel->reference = rounds->critical;
    pixel->at.level = rounds->table[rounds->critical].levels - 1;
}

DEEP_FN int32_t along_reach(const struct formula_pixel *pixel, struct along_kind kind)
{
    return kind.quadratic ? pixel_reach(&pixel->at, kind.wide ? pixel->at.e : 0)
                          : wide_key(complex_reach(pixel->at.delta), 0);
}

/* As pixel_level and formula_level. */
DEEP_FN int along_lookup_level(struct along_lookup *lookup, const struct formula_pixel *pixel,
                               const struct along_rounds *rounds, struct along_kind kind)
{
    const struct pixel_state *at = &pixel->at;
    const int64_t near = rounds->near[pixel->reference], n = at->n > near ? at->n : near;
    if ((at->m ^ lookup->m) | (n ^ lookup->n) | (pixel->reference ^ lookup->reference) |
        (at->level ^ lookup->before)) {
        lookup->m = at->m;
        lookup->n = n;
        lookup->reference = pixel->reference;
        lookup->before = at->level;
        lookup->most = lookup->level = along_level_most(rounds, pixel, kind);
        lookup->least = lookup->most < 0 ? INT32_MIN : INT32_MAX;
        lookup->below = INT32_MAX;
    }
    if (lookup->most < 0)
        return -1;
    const int32_t reach = along_reach(pixel, kind);
    if (reach >= lookup->least && reach < lookup->below)
        return lookup->level;
    const struct block_table *table = &rounds->table[pixel->reference];
    const int64_t from = along_from(at->m, kind);
    int level = lookup->most;
    lookup->least = INT32_MIN;
    lookup->below = INT32_MAX;
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][from >> (table->shortest + level)];
        if (reach < radius) {
            lookup->below = radius;
            break;
        }
        lookup->least = radius > lookup->least ? radius : lookup->least;
    }
    lookup->level = level;
    return level;
}

/* Takes up to `most` blocks and steps of a pixel, with `times` > 1 so often for as long as a double
 * does not hold delta; 1: the count is known. */
DEEP_FN int along_alone(struct along_rounds *rounds, struct formula_pixel *pixel, int times,
                        int64_t most, struct along_kind kind)
{
    struct pixel_kept *kept = &rounds->kept[pixel - rounds->pixels];
    int64_t taken;
    const int done = kind.quadratic ? pixel_along(&pixel->at, rounds->shared, BLOCKS_QUARTIC,
                                                  kind.slopes, kind.wide, most, &taken, kept)
                                    : formula_alongs[kind.slopes][kind.wide](pixel, rounds->formula,
                                                                             BLOCKS_QUARTIC, times,
                                                                             most, &taken, kept);
    rounds->taken += taken;
    return done;
}

/* Advances of a pixel of a wide picture by a block, or by a step if level < 0; 1: the count is
 * known. Few are taken. */
#define ALONG_ADVANCE(function, is_quadratic, slopes)                                        \
    static RARE int function(const struct along_rounds *rounds, struct formula_pixel *pixel, \
                             int level)                                                      \
    {                                                                                        \
        return is_quadratic ? pixel_advance(&pixel->at, rounds->shared, slopes, 1, level)    \
                            : formula_advance(pixel, rounds->formula, slopes, 1, level);     \
    }
ALONG_ADVANCE(formula_advance_counts, 0, 0)
#ifdef DEEP_ROWS_ALONE
ALONG_ADVANCE(quadratic_advance_counts, 1, 0)
ALONG_ADVANCE(quadratic_advance_slopes, 1, 1)
#else
#define quadratic_advance_counts formula_advance_counts
#define quadratic_advance_slopes formula_advance_counts
#endif

DEEP_FN int along_advance(const struct along_rounds *rounds, struct formula_pixel *pixel, int level,
                          struct along_kind kind)
{
    if (!kind.quadratic) /* without derivatives: formulas_until_direct */
        return formula_advance_counts(rounds, pixel, level);
    return kind.slopes ? quadratic_advance_slopes(rounds, pixel, level)
                       : quadratic_advance_counts(rounds, pixel, level);
}

DEEP_FN int along_repeats(const struct along_rounds *rounds, const struct formula_pixel *pixel,
                          struct along_kind kind)
{
    struct pixel_kept *kept = &rounds->kept[pixel - rounds->pixels];
    return kind.quadratic ? pixel_repeats(&pixel->at, kept) : formula_repeats(pixel, kept);
}

/* Leaves the reference if the pixel may; 1: it has. */
DEEP_FN int along_leave(const struct along_rounds *rounds, struct formula_pixel *pixel,
                        struct along_kind kind)
{
    return kind.quadratic ? pixel_leave(&pixel->at, rounds->shared)
                          : formula_leave(pixel, rounds->formula);
}

/* Position of a pixel, and level of its next block or -1, in one number. */
DEEP_FN int64_t along_place(const struct formula_pixel *pixel, int level)
{
    return pixel->at.m << 16 | (int64_t)(level + 1) << 8 | pixel->reference;
}

DEEP_FN int along_place_level(int64_t place)
{
    return (int)(place >> 8 & 255) - 1;
}

/* Puts a pixel into the list of its next advance. Its level stays that of its last block until
 * then, because rounds may stop before. */
DEEP_FN void rounds_put(struct along_rounds *rounds, struct formula_pixel *pixel,
                        enum advance advance, int level)
{
    struct along_list *list = &rounds->next[advance];
    const int64_t near = rounds->near[pixel->reference];
    const int i = list->count++;
    list->pixel[i] = pixel;
    list->place[i] = along_place(pixel, level);
    list->n[i] = pixel->at.n > near ? pixel->at.n : near;
}

/* Kind of an advance by steps. */
DEEP_FN enum advance along_stepping(const struct formula_pixel *pixel, struct along_kind kind)
{
    return pixel->at.m || kind.quadratic ? ADVANCE_STEPS : ADVANCE_BEGINS;
}

/* Sorts a pixel that goes on by its next advance. */
DEEP_FN void rounds_sort_one(struct along_rounds *rounds, struct formula_pixel *pixel,
                             struct along_lookup *lookup, struct along_kind kind)
{
    int level = along_lookup_level(lookup, pixel, rounds, kind);
    if (level < 0 && along_leave(rounds, pixel, kind)) {
        rounds->direct[rounds->directs++] = pixel;
        return;
    }
    rounds_put(rounds, pixel, level >= 0 ? ADVANCE_BLOCK : along_stepping(pixel, kind), level);
}

/* Sorts a pixel whose delta has an exponent; 1: it has advanced instead, and goes on. */
static ALWAYS_INLINE int rounds_sort_wide(struct along_rounds *rounds, struct formula_pixel *pixel,
                                          struct along_lookup *lookup, struct along_kind kind)
{
    if (!kind.quadratic)
        return !along_alone(rounds, pixel, STEPS_OF_ROUND / DEEP_CHUNK, 1, kind);
    int level = along_lookup_level(lookup, pixel, rounds, kind);
    if (level >= 0) {
        rounds_put(rounds, pixel, ADVANCE_FULL, level);
        return 0;
    }
    pixel->at.level = 0;
    rounds->taken++;
    if (pixel_advance(&pixel->at, rounds->shared, kind.slopes, 1, -1))
        return 0;
    if (!along_repeats(rounds, pixel, kind))
        return 1;
    pixel->at.n = rounds->shared->limit;
    return 0;
}

/* Sorts the pixels that are in no list by their next advance. */
DEEP_FN void rounds_sort(struct along_rounds *rounds, struct along_kind kind)
{
    struct along_lookup lookup = {.m = -1};
    int advanced = 0;
    for (int i = 0; i < rounds->goings; i++) {
        struct formula_pixel *pixel = rounds->going[i];
        if (!kind.wide || !pixel->at.e)
            rounds_sort_one(rounds, pixel, &lookup, kind);
        else if (rounds_sort_wide(rounds, pixel, &lookup, kind))
            rounds->going[advanced++] = pixel;
    }
    rounds->goings = advanced;
}

/* Loads lanes; 1: all are at the same position, with the same n and, if one, block. */
DEEP_FN int rounds_load(const struct along_list *list, int first, struct along_lanes *lanes,
                        struct along_kind kind)
{
    const int64_t *place = &list->place[first], *n = &list->n[first];
    const int count = list->count - first < LANES ? list->count - first : LANES;
    int64_t different = 0;
    for (int l = 0; l < count; l++) {
        const int level = along_place_level(place[l]);
        list->pixel[first + l]->at.level = level < 0 ? 0 : level;
        different |= (place[l] ^ place[0]) | (n[l] ^ n[0]);
    }
    along_lanes_load(lanes, &list->pixel[first], count, kind);
    return !different;
}

/* ---- what is behind an advance ---- */

DEEP_FN int along_arrive(const struct along_rounds *rounds, struct formula_pixel *pixel,
                         struct along_kind kind)
{
    if (kind.quadratic)
        return kind.wide ? wide_arrive(&pixel->at, rounds->shared)
                         : pixel_arrive(&pixel->at, rounds->shared);
    return kind.wide ? formula_arrive_of_wide(pixel, rounds->formula)
                     : formula_arrive(pixel, rounds->formula);
}

struct along_result {
    struct lane_arrival arrival;
    uint32_t ends; /* lanes whose run of steps ended */
    uint32_t odd;  /* lanes that have not advanced, and do so alone */
    int level;     /* -1: they take a step */
    int together;  /* 1: lanes are at the same position, or have rebased from it */
};

/* Ends an advance of lane l; 1: the count is known. */
DEEP_FN int lane_settle(struct along_rounds *rounds, struct formula_pixel *pixel,
                        const struct along_result *result, int l, struct along_kind kind)
{
    if (kind.wide && result->odd >> l & 1) {
        rounds->taken++;
        return along_advance(rounds, pixel, result->level < 0 ? -1 : pixel->at.level, kind);
    }
    if (result->arrival.rebase >> l & 1) {
        along_rebase(rounds, pixel);
        if (kind.wide)
            wide_put(&pixel->at, wide_settle(pixel->at.delta, 0));
    }
    return result->arrival.last >> l & 1 ? along_arrive(rounds, pixel, kind) : 0;
}

/* Smallest number of a key. */
DEEP_FN double along_key_number(int32_t key)
{
    enum { INFINITE = 2047 * 4096 };
    uint64_t bits = (uint64_t)(key < 0 ? 0 : key > INFINITE ? INFINITE : key) << 40;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Size of plain deltas, for comparison with radii; squared: of their squares. */
DEEP_FN PACK lanes_reach(struct lane_complex delta, int squared)
{
    PACK x = P(abs)(delta.x), y = P(abs)(delta.y);
    PACK large = P(max)(x, y), small = P(neg)(P(max)(P(neg)(x), P(neg)(y)));
    PACK reach = P(fma)(P(splat)(0.41421356237309515), small, large);
    return squared ? P(mul)(reach, reach) : reach;
}

/* Lanes of z^2 + c leave the reference where they may, as by pixel_leave; returns the others. */
DEEP_FN uint32_t lanes_leave(struct along_rounds *rounds, const struct along_lanes *lanes,
                             const struct lane_arrival *arrival, uint32_t set)
{
    const struct direct_limits *limits = &rounds->shared->direct;
    const PACK norm = arrival->norm, slope = lane_norm(lanes->now.delta);
    const PACK next = P(mul)(P(mul)(P(splat)(4), norm), slope);
    const uint32_t leaves =
        set & P(le_three)(norm, P(splat)(limits->bailout_squared), P(splat)(limits->norm_least),
                          norm, P(splat)(limits->slope_least), next);
    _Alignas(64) double x[LANES], y[LANES], slopes[LANES];
    if (!leaves)
        return set;
    P(store)(x, arrival->z.x);
    P(store)(y, arrival->z.y);
    P(store)(slopes, slope);
    for (uint32_t left = leaves; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        struct pixel_state *at = &lanes->pixel[l]->at;
        at->slope = slopes[l];
        at->direct = 1;
        at->delta.x = x[l];
        at->delta.y = y[l];
        rounds->direct[rounds->directs++] = lanes->pixel[l];
    }
    return set & ~leaves;
}

/* Sorts lanes at the same position for which no block holds. */
DEEP_FN void lanes_sort_steps(struct along_rounds *rounds, const struct along_lanes *lanes,
                              const struct lane_arrival *arrival, uint32_t set,
                              struct along_kind kind)
{
    if (kind.quadratic)
        set = lanes_leave(rounds, lanes, arrival, set);
    for (; set; set &= set - 1) {
        struct formula_pixel *pixel = lanes->pixel[__builtin_ctz(set)];
        if (!kind.quadratic && along_leave(rounds, pixel, kind))
            rounds->direct[rounds->directs++] = pixel;
        else
            rounds_put(rounds, pixel, along_stepping(pixel, kind), -1);
    }
}

/* Sorts lanes at the same position by their next advance, as rounds_sort_one. */
DEEP_FN void lanes_sort(struct along_rounds *rounds, const struct along_lanes *lanes,
                        const struct lane_arrival *arrival, uint32_t set, struct along_kind kind)
{
    if (!set)
        return;
    const struct formula_pixel *first = lanes->pixel[__builtin_ctz(set)];
    const struct block_table *table = &rounds->table[first->reference];
    const int64_t from = along_from(first->at.m, kind);
    const PACK reach = lanes_reach(lanes->now.delta, kind.quadratic && first->at.m == 0);
    for (int level = along_level_most(rounds, first, kind); level >= 0 && set; level--) {
        const int32_t radius = table->radius[level][from >> (table->shortest + level)];
        const uint32_t holds = set & ~P(le)(P(splat)(along_key_number(radius)), reach);
        for (uint32_t left = holds; left; left &= left - 1)
            rounds_put(rounds, lanes->pixel[__builtin_ctz(left)], ADVANCE_BLOCK, level);
        set &= ~holds;
    }
    if (set)
        lanes_sort_steps(rounds, lanes, arrival, set, kind);
}

/* Sorts lanes that go on: now where they are together, else with the next round. */
DEEP_FN void lanes_sort_all(struct along_rounds *rounds, const struct along_lanes *lanes,
                            const struct along_result *result, uint32_t on, struct along_kind kind)
{
    const struct lane_arrival *arrival = &result->arrival;
    uint32_t known = 0;
    if (result->together && !kind.full) {
        known = on & ~arrival->last & (kind.wide ? ~result->odd : ~0u);
        for (int l = 0; l < lanes->count && kind.wide; l++)
            known &= ~((uint32_t)(lanes->pixel[l]->at.e != 0) << l);
        lanes_sort(rounds, lanes, arrival, known & ~arrival->rebase, kind);
        lanes_sort(rounds, lanes, arrival, known & arrival->rebase, kind);
    }
    for (uint32_t set = on & ~known; set; set &= set - 1)
        rounds->going[rounds->goings++] = lanes->pixel[__builtin_ctz(set)];
}

/* Rebases lanes that are due, stores all, and sorts those that go on. */
DEEP_FN void rounds_settle(struct along_rounds *rounds, struct along_lanes *lanes,
                           const struct along_result *result, struct along_kind kind)
{
    const struct lane_arrival *arrival = &result->arrival;
    const uint32_t rebase = kind.wide ? arrival->rebase & ~result->odd : arrival->rebase;
    const uint32_t ends = kind.wide ? result->ends | result->odd : result->ends;
    uint32_t on = 0;
    _Alignas(64) double norm[LANES];
    P(store)(norm, arrival->norm);
    lanes->now.delta = lane_where(rebase, arrival->z, lanes->now.delta);
    along_lanes_store(lanes, kind);
    for (int l = 0; l < lanes->count; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        if (!kind.wide || !(result->odd >> l & 1))
            pixel->at.norm = norm[l];
        int done = lane_settle(rounds, pixel, result, l, kind);
        if (!done && ends >> l & 1 && along_repeats(rounds, pixel, kind)) {
            pixel->at.n = rounds->shared->limit;
            done = 1;
        }
        on |= (uint32_t)!done << l;
    }
    lanes_sort_all(rounds, lanes, result, on, kind);
}

/* ---- an advance ---- */

DEEP_FN struct lane_complex lanes_c(const struct along_lanes *lanes,
                                    const struct along_rounds *rounds, struct along_kind kind)
{
    const struct lane_complex c = along_lanes_pairs(lanes, PIXEL_MEMBER(at.c));
    return kind.wide ? lane_scale(P(splat)(wide_power(rounds->shared->exponent)), c) : c;
}

DEEP_FN struct lane_complex lanes_v(const struct along_lanes *lanes,
                                    const struct along_rounds *rounds)
{
    return lane_scale(P(splat)(rounds->shared->per_unit),
                      along_lanes_pairs(lanes, PIXEL_MEMBER(at.c)));
}

/* Lanes whose delta is too small for plain arithmetic. */
DEEP_FN uint32_t lanes_small(struct lane_complex delta)
{
    return ~P(le)(P(splat)(wide_power(WIDE_BORDER)), lane_max(delta)) & LANES_BELOW(LANES);
}

/* Settles derivatives; returns the lanes where these are no normal doubles. */
DEEP_FN uint32_t lanes_settle(struct along_values *now, struct along_kind kind)
{
    uint32_t odd = 0;
    if (!kind.slopes)
        return 0;
    odd |= lane_settles(&now->right, &now->right_e);
    if (kind.both)
        odd |= lane_settles(&now->up, &now->up_e);
    return odd;
}

/* Derivatives after a block of a formula; unit: none, or of each lane. */
DEEP_FN void lanes_leap_slopes(struct along_values *now, const struct along_rounds *rounds,
                               const struct lane_block *k, struct along_kind kind)
{
    struct lane_complex dv = lane_splat(rounds->shared->step_v), right = dv, up = dv;
    if (kind.wide) {
        right = lane_scale(P(mul)(k->counts, P(power)(P(neg)(now->right_e))), dv);
        up = lane_scale(P(mul)(k->counts, P(power)(P(neg)(now->up_e))), dv);
    }
    now->right = lane_slope_apply(k, now->delta, now->right, right);
    if (kind.both)
        now->up = lane_slope_apply(k, now->delta, now->up, lane_turned(up));
}

/* Takes a block of a formula. */
DEEP_FN void lanes_leap(struct along_values *now, const struct along_rounds *rounds,
                        const struct lane_block *k, struct lane_complex v, struct along_kind kind)
{
    if (kind.slopes)
        lanes_leap_slopes(now, rounds, k, kind);
    now->delta = lane_apply(k, now->delta, v, rounds->formula->program.similar);
}

/* Takes a block of z^2 + c; first: lanes at Z_0. Returns lanes that are odd. */
DEEP_FN uint32_t lanes_leap_quadratic(struct along_values *now, const struct along_rounds *rounds,
                                      const struct lane_quadratic *k, struct lane_complex v,
                                      uint32_t first, struct along_kind kind)
{
    struct lane_complex from = now->delta, dz = now->right;
    uint32_t odd = 0;
    if (first) {
        from = lane_where(first, lane_mul(now->delta, now->delta), from);
        if (kind.slopes)
            dz = lane_where(first, lane_mul(lane_scale(P(splat)(2), now->delta), dz), dz);
        odd |= kind.wide ? first & lanes_small(from) : 0;
    }
    if (kind.slopes) {
        struct lane_complex dv = lane_splat(rounds->shared->step_v);
        if (kind.wide)
            dv = lane_scale(P(mul)(k->counts, P(power)(P(neg)(now->right_e))), dv);
        now->right = lane_quadratic_slope(k, from, v, dz, dv);
    }
    now->delta = lane_quadratic_apply(k, from, v);
    return odd;
}

/* Lanes whose derivatives are smaller than what plain arithmetic of blocks adds to them. */
DEEP_FN uint32_t lanes_slopes_small(const struct along_values *now, struct along_kind kind)
{
    const PACK least = P(splat)(-1000);
    if (!kind.slopes || !kind.wide)
        return 0;
    uint32_t large = P(le)(least, now->right_e);
    if (kind.both)
        large &= P(le)(least, now->up_e);
    return ~large & LANES_BELOW(LANES);
}

DEEP_FN const void *along_block(const struct along_rounds *rounds,
                                const struct formula_pixel *pixel, struct along_kind kind)
{
    const struct block_table *table = &rounds->table[pixel->reference];
    const int64_t i = along_from(pixel->at.m, kind) >> (table->shortest + pixel->at.level);
    const void *record = table->record[pixel->at.level];
    return kind.quadratic ? (const void *)((const struct quadratic_block *)record + i)
                          : (const void *)((const struct formula_block *)record + i);
}

/* As wide_leap_fully. */
DEEP_FN void lanes_leap_full(const struct along_rounds *rounds, struct along_values *now,
                             const void *const *block, int same, struct lane_complex v,
                             uint32_t first, struct along_kind kind)
{
    const struct lane_quadratic k =
        lane_quadratic_load((const struct quadratic_block *const *)block, same, 0);
    const struct lane_powers powers =
        lane_powers_load((const struct quadratic_block *const *)block, same);
    struct lane_wide delta = lane_wide_settle(now->delta, now->e);
    struct lane_wide dz = lane_wide_settle(now->right, now->right_e);
    if (first) {
        const struct lane_wide doubled =
            lane_wide_settle(lane_scale(P(splat)(2), delta.x), delta.e);
        dz = lane_wide_where(first, lane_wide_mul(doubled, dz), dz);
        delta = lane_wide_where(first, lane_wide_mul(delta, delta), delta);
    }
    if (kind.slopes) {
        dz = lane_wide_slope(&k, &powers, delta, v, dz, lane_splat(rounds->shared->step_v));
        now->right = dz.x;
        now->right_e = dz.e;
    }
    delta = lane_wide_apply(&k, &powers, delta, v);
    uint32_t plain = P(le)(P(splat)(WIDE_BORDER), delta.e);
    now->delta = lane_where(plain, lane_scale(P(power)(delta.e), delta.x), delta.x);
    now->e = P(where)(plain, P(splat)(0), delta.e);
}

/* Takes a block of each lane; same: the first is that of all. Returns lanes that are odd. */
DEEP_FN uint32_t rounds_leap_all(const struct along_rounds *rounds, struct along_values *now,
                                 const void *const *block, int same, struct lane_complex v,
                                 uint32_t first, struct along_kind kind)
{
    if (kind.full) {
        lanes_leap_full(rounds, now, block, same, v, first, kind);
        return 0;
    }
    uint32_t odd = lanes_slopes_small(now, kind);
    if (kind.quadratic) {
        struct lane_quadratic k =
            lane_quadratic_load((const struct quadratic_block *const *)block, same, kind.wide);
        odd |= k.wide;
        odd |= lanes_leap_quadratic(now, rounds, &k, v, first, kind);
    } else {
        struct lane_block k =
            lane_block_load((const struct formula_block *const *)block, same, kind.wide);
        odd |= k.wide;
        lanes_leap(now, rounds, &k, v, kind);
    }
    return kind.wide ? odd | lanes_small(now->delta) | lanes_settle(now, kind) : 0;
}

/* Run of steps, without the points of its lanes. */
DEEP_FN struct lane_run lanes_run(const struct along_rounds *rounds, struct along_values *now,
                                  struct lane_complex c, int same, struct along_kind kind)
{
    struct lane_run run;
    struct lane_complex step = lane_splat(rounds->shared->step);
    if (!kind.quadratic && rounds->formula->dynamic)
        step = lane_scale(P(splat)(0), step);
    if (kind.wide && kind.slopes) {
        const PACK e = kind.both ? P(max)(now->up_e, now->right_e) : now->right_e;
        const PACK exponent = P(splat)(rounds->shared->exponent);
        now->right = lane_scale(P(power)(P(sub)(now->right_e, e)), now->right);
        now->up = lane_scale(P(power)(P(sub)(now->up_e, e)), now->up);
        now->right_e = now->up_e = e;
        step = lane_scale(P(power)(P(sub)(exponent, e)), step);
    }
    run.delta = now->delta;
    run.right = now->right;
    run.up = now->up;
    run.c = c;
    run.dc = step;
    run.least = kind.wide ? wide_power(WIDE_BORDER) : 0;
    run.taped = kind.quadratic ? NULL : rounds->formula->program.phase[0].taped;
    run.same = same;
    return run;
}

/* Takes up to `most` steps, their number in *taken; returns lanes that are odd. */
DEEP_FN uint32_t lanes_step(const struct along_rounds *rounds, struct along_values *now,
                            struct lane_run *run, int64_t most, int64_t *taken,
                            struct along_kind kind)
{
    const struct lane_tests *tests = &rounds->tests;
    *taken = kind.quadratic ? quadratic_lanes(run, tests->limits, kind.slopes, most)
                            : rounds->formula->row->along_lanes[kind.slopes](run, tests->limits,
                                                                             tests->leaves, most);
    now->delta = run->delta;
    if (kind.slopes) {
        now->right = run->right;
        now->up = run->up;
    }
    return kind.wide ? lanes_small(now->delta) | lanes_settle(now, kind) : 0;
}

DEEP_FN void run_point(const struct along_rounds *rounds, const struct formula_pixel *pixel,
                       struct lane_run *run, int l, struct along_kind kind)
{
    run->z[l] = &rounds->reference[pixel->reference].z[pixel->at.m].x;
    if (!kind.quadratic)
        run->tape[l] = (const double *)formula_tape_at(rounds->formula, pixel);
}

/* Tests behind an advance; last: as for lane_arrive. A delta with an exponent is nothing beside Z
 * that is not tiny, too. */
DEEP_FN struct lane_arrival along_arrival(const struct along_rounds *rounds,
                                          const struct along_values *now, struct lane_complex z,
                                          uint32_t last, struct along_kind kind)
{
    struct lane_complex delta = now->delta;
    if (kind.full) {
        const uint32_t wide = ~P(eq)(now->e, P(splat)(0)) & LANES_BELOW(LANES);
        last |= wide & ~P(le)(P(splat)(ORBIT_TINY), lane_max(z));
        delta = lane_where(wide, lane_splat((struct complex_f64){0, 0}), delta);
    }
    return lane_arrive(&rounds->tests, delta, z, last);
}

/* ---- pixels at different positions ---- */

/* Advances each lane that is not odd by `steps`. */
DEEP_FN void rounds_arrive(struct along_rounds *rounds, struct along_lanes *lanes,
                           const int64_t *steps, int64_t counted, struct along_result *result,
                           struct along_kind kind)
{
    const double *z[LANES];
    uint32_t last = 0;
    for (int l = 0; l < LANES; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        const struct formula_reference *reference = &rounds->reference[pixel->reference];
        if (l < lanes->count && !(kind.wide && result->odd >> l & 1)) {
            pixel->at.m += steps[l];
            pixel->at.n += steps[l];
            pixel->at.steps += (uint64_t)counted;
            rounds->taken += counted;
            along_wrap(rounds, pixel);
        }
        z[l] = &reference->z[pixel->at.m].x;
        last |= (uint32_t)((pixel->at.n == rounds->shared->limit) | (pixel->at.m == reference->end))
                << l;
    }
    result->arrival = along_arrival(rounds, &lanes->now, lane_pairs(z, 0), last, kind);
    result->ends |= result->arrival.ends | result->arrival.last;
}

/* Takes a block of each lane, their lengths in *steps; returns lanes that are odd. */
DEEP_FN uint32_t rounds_leap(const struct along_rounds *rounds, struct along_lanes *lanes,
                             int64_t *steps, struct along_kind kind)
{
    const void *block[LANES];
    uint32_t first = 0;
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        block[l] = along_block(rounds, pixel, kind);
        steps[l] = (int64_t)1 << (rounds->table[pixel->reference].shortest + pixel->at.level);
        first |= (uint32_t)(pixel->at.m == 0) << l;
    }
    return rounds_leap_all(rounds, &lanes->now, block, 0, lanes_v(lanes, rounds), first, kind);
}

/* Takes as many steps of each lane, also in *steps; *ends: lanes whose run of steps ends by that.
 * Returns lanes that are odd. */
DEEP_FN uint32_t rounds_step(const struct along_rounds *rounds, struct along_lanes *lanes,
                             int64_t *steps, uint32_t *ends, struct along_kind kind)
{
    struct lane_run run = lanes_run(rounds, &lanes->now, lanes_c(lanes, rounds, kind), 0, kind);
    int64_t room[LANES], most = INT64_MAX, taken;
    *ends = 0;
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        run_point(rounds, pixel, &run, l, kind);
        room[l] = along_room(rounds, pixel, kind);
        most = room[l] < most ? room[l] : most;
    }
    const uint32_t odd = lanes_step(rounds, &lanes->now, &run, most, &taken, kind);
    for (int l = 0; l < LANES; l++) {
        steps[l] = taken;
        *ends |= (uint32_t)(room[l] == taken) << l;
    }
    return odd;
}

/* Advances lanes that are at different positions. */
DEEP_FN void rounds_apart(struct along_rounds *rounds, struct along_lanes *lanes,
                          enum advance advance, struct along_result *result, struct along_kind kind)
{
    const struct along_values before = lanes->now;
    int64_t steps[LANES];
    const int leaps = advance <= ADVANCE_FULL;
    result->level = leaps ? 0 : -1;
    result->together = 0;
    result->ends = LANES_BELOW(LANES);
    result->odd = kind.full || leaps ? rounds_leap(rounds, lanes, steps, kind)
                                     : rounds_step(rounds, lanes, steps, &result->ends, kind);
    if (kind.wide && !kind.full)
        along_values_restore(&lanes->now, &before, result->odd, kind);
    rounds_arrive(rounds, lanes, steps, leaps ? 1 : steps[0], result, kind);
}

/* ---- pixels at the same position ---- */

DEEP_FN int64_t along_position(const struct formula_pixel *pixel, struct along_kind kind)
{
    return kind.quadratic ? pixel->at.m : formula_position(pixel);
}

/* Most blocks and steps until the state of a lane is due to be kept; *kept_at: a bit for the last
 * six bits of each position that is kept. */
DEEP_FN int64_t lockstep_most(const struct along_rounds *rounds, const struct along_lanes *lanes,
                              uint64_t *kept_at)
{
    int64_t most = STEPS_OF_ROUND / DEEP_CHUNK;
    *kept_at = 0;
    for (int l = 0; l < lanes->count; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        const struct pixel_kept *kept = &rounds->kept[pixel - rounds->pixels];
        int64_t left = (int64_t)(kept->due - pixel->at.steps);
        most = left < most ? left : most;
        *kept_at |= (uint64_t)1 << (kept->m & 63);
    }
    return most;
}

/* May a lane be in its kept state? */
DEEP_FN int lockstep_repeats(const struct along_rounds *rounds, const struct along_lanes *lanes)
{
    const double *kept[LANES];
    for (int l = 0; l < LANES; l++)
        kept[l] = &rounds->kept[lanes->pixel[l] - rounds->pixels].delta.x;
    const struct lane_complex delta = lane_pairs(kept, 0);
    return (P(eq)(delta.x, lanes->now.delta.x) & P(eq)(delta.y, lanes->now.delta.y)) != 0;
}

/* Level of the longest block that holds for all lanes, or -1; below -1: they differ. */
DEEP_FN int lockstep_level(const struct formula_pixel *state, const struct along_rounds *rounds,
                           const struct along_values *now, struct along_kind kind)
{
    enum { DIFFERENT = -2 };
    int level = along_level_most(rounds, state, kind);
    if (level < 0)
        return level;
    const struct block_table *table = &rounds->table[state->reference];
    const PACK reach = lanes_reach(now->delta, kind.quadratic && state->at.m == 0);
    struct lane_keys keys = {INT32_MIN, INT32_MAX};
    if (kind.full)
        keys = lane_keys_of(reach, state->at.m ? now->e : P(add)(now->e, now->e));
    for (; level >= 0; level--) {
        int32_t radius =
            table->radius[level][along_from(state->at.m, kind) >> (table->shortest + level)];
        uint32_t beyond = kind.full ? lane_keys_beyond(keys, radius)
                                    : P(le)(P(splat)(along_key_number(radius)), reach);
        if (beyond != LANES_BELOW(LANES))
            return beyond ? DIFFERENT : level;
    }
    return level;
}

/* Largest n of the lanes, in *furthest; 1: they differ. */
DEEP_FN int lockstep_furthest(const struct along_lanes *lanes, int64_t *furthest)
{
    int apart = 0;
    for (int l = 0; l < lanes->count; l++) {
        const int64_t n = lanes->pixel[l]->at.n;
        apart |= n != *furthest;
        *furthest = n > *furthest ? n : *furthest;
    }
    return apart;
}

/* Lanes that go on by the same blocks and steps. */
struct lockstep {
    struct along_lanes *lanes;
    struct formula_pixel state; /* common state; n: the largest of all lanes */
    int64_t first;              /* state.at.n at the beginning */
    uint64_t before;            /* state.at.steps at the beginning */
    int apart;                  /* 1: lanes differ in n */
    int64_t most;               /* lockstep_most, with kept_at */
    uint64_t kept_at;
    struct lane_complex c, v;
};

DEEP_FN struct lockstep lockstep_begin(const struct along_rounds *rounds, struct along_lanes *lanes,
                                       struct along_kind kind)
{
    struct lockstep all;
    all.lanes = lanes;
    all.state = *lanes->pixel[0];
    all.before = all.state.at.steps;
    all.apart = lockstep_furthest(lanes, &all.state.at.n);
    all.first = all.state.at.n;
    all.most = lockstep_most(rounds, lanes, &all.kept_at);
    all.c = lanes_c(lanes, rounds, kind);
    all.v = lanes_v(lanes, rounds);
    return all;
}

/* Takes a block, or steps if level < 0; *ends: the lanes whose run of steps ends by that. Returns
 * lanes that are odd: nothing has changed then. */
DEEP_FN uint32_t lockstep_advance(struct lockstep *all, const struct along_rounds *rounds,
                                  int level, uint32_t *ends, struct along_kind kind)
{
    const struct along_values before = all->lanes->now;
    struct formula_pixel *state = &all->state;
    int64_t steps = 1, counted = 1;
    uint32_t odd;
    *ends = LANES_BELOW(LANES);
    if (kind.full || level >= 0) {
        const void *block = along_block(rounds, state, kind);
        odd = rounds_leap_all(rounds, &all->lanes->now, &block, 1, all->v,
                              state->at.m ? 0 : LANES_BELOW(LANES), kind);
        steps <<= rounds->table[state->reference].shortest + level;
    } else {
        const int64_t room = along_room(rounds, state, kind);
        struct lane_run run = lanes_run(rounds, &all->lanes->now, all->c, 1, kind);
        run_point(rounds, state, &run, 0, kind);
        odd = lanes_step(rounds, &all->lanes->now, &run, room, &steps, kind);
        *ends = steps == room ? LANES_BELOW(LANES) : 0;
        counted = steps;
    }
    if (kind.wide && !kind.full && odd) {
        all->lanes->now = before;
        return LANES_BELOW(LANES);
    }
    state->at.steps += (uint64_t)counted;
    state->at.m += steps;
    state->at.n += steps;
    along_wrap(rounds, state);
    return 0;
}

DEEP_FN struct lane_arrival lockstep_arrive(const struct lockstep *all,
                                            const struct along_rounds *rounds,
                                            struct along_kind kind)
{
    const struct formula_reference *reference = &rounds->reference[all->state.reference];
    const struct lane_complex z = lane_splat(point_load(&reference->z[all->state.at.m]));
    int last = all->state.at.n == rounds->shared->limit || all->state.at.m == reference->end;
    return along_arrival(rounds, &all->lanes->now, z, last ? LANES_BELOW(LANES) : 0, kind);
}

/* Rebases where all lanes are due. Returns the level of the block that all take next, -1 for steps,
 * or less: the lanes split. */
DEEP_FN int lockstep_next(struct lockstep *all, const struct along_rounds *rounds,
                          struct lane_arrival *arrival, uint32_t ends, struct along_kind kind)
{
    enum { SPLIT = -2 };
    const uint32_t every = LANES_BELOW(LANES);
    struct formula_pixel *state = &all->state;
    if (arrival->last || (arrival->rebase && arrival->rebase != every) || (ends & every) != every)
        return SPLIT;
    if (kind.full && P(eq)(all->lanes->now.e, P(splat)(0)))
        return SPLIT;
    if (arrival->rebase) {
        if (kind.wide && lanes_small(arrival->z))
            return SPLIT;
        all->lanes->now.delta = arrival->z;
        arrival->rebase = 0;
        along_rebase(rounds, state);
    }
    if (all->apart && state->at.n > rounds->near[state->reference])
        return SPLIT;
    if ((int64_t)(state->at.steps - all->before) >= all->most ||
        (all->kept_at >> (along_position(state, kind) & 63) & 1 &&
         lockstep_repeats(rounds, all->lanes)))
        return SPLIT;
    const int level = lockstep_level(state, rounds, &all->lanes->now, kind);
    if (level < -1 || (level < 0 && (kind.full || (rounds->tests.leaves && arrival->ends))))
        return SPLIT;
    state->at.level = level < 0 ? 0 : level;
    return level;
}

DEEP_FN void lockstep_split(const struct lockstep *all, struct along_rounds *rounds)
{
    const struct along_lanes *lanes = all->lanes;
    const struct formula_pixel *state = &all->state;
    for (int l = 0; l < lanes->count; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        pixel->at.m = state->at.m;
        pixel->at.n += state->at.n - all->first;
        pixel->at.level = state->at.level;
        pixel->at.steps += state->at.steps - all->before;
        rounds->taken += (int64_t)(state->at.steps - all->before);
        pixel->reference = state->reference;
    }
}

/* Does the limit shorten the next block of all lanes alike? */
DEEP_FN int lockstep_together(const struct lockstep *all, const struct along_rounds *rounds)
{
    const int64_t n = all->state.at.n;
    return !all->apart ||
           (n <= rounds->near[all->state.reference] && n <= rounds->near[rounds->critical]);
}

/* Takes the same blocks and steps for all lanes, for as long as each would take these. */
DEEP_FN void rounds_lockstep(struct along_rounds *rounds, struct along_lanes *lanes,
                             enum advance advance, struct along_result *result,
                             struct along_kind kind)
{
    struct lockstep all = lockstep_begin(rounds, lanes, kind);
    int level = advance <= ADVANCE_FULL ? all.state.at.level : -1;
    do {
        result->level = level;
        result->odd = lockstep_advance(&all, rounds, level, &result->ends, kind);
        result->arrival = lockstep_arrive(&all, rounds, kind);
        if (kind.wide && result->odd)
            break;
        result->ends |= result->arrival.ends | result->arrival.last;
        level = lockstep_next(&all, rounds, &result->arrival, result->ends, kind);
    } while (level >= -1);
    lockstep_split(&all, rounds);
    result->together = lockstep_together(&all, rounds);
}

DEEP_FN void rounds_take(struct along_rounds *rounds, const struct along_list *list,
                         enum advance advance, struct along_kind kind)
{
    for (int first = 0; first < list->count; first += LANES) {
        struct along_lanes lanes;
        struct along_result result;
        if (rounds_load(list, first, &lanes, kind))
            rounds_lockstep(rounds, &lanes, advance, &result, kind);
        else
            rounds_apart(rounds, &lanes, advance, &result, kind);
        rounds_settle(rounds, &lanes, &result, kind);
    }
}

/* Goes over to the other lists, which are emptied; returns those until now. */
DEEP_FN const struct along_list *rounds_turn(struct along_rounds *rounds)
{
    const struct along_list *list = rounds->next;
    rounds->next = rounds->list[list == rounds->list[0]];
    for (int k = 0; k < ADVANCES; k++)
        rounds->next[k].count = 0;
    return list;
}

/* Advances each pixel of the lists. */
DEEP_FN void rounds_advance(struct along_rounds *rounds, struct along_kind kind)
{
    const struct along_list *list = rounds_turn(rounds);
    struct along_kind full = kind;
    full.full = 1;
    for (int advance = 0; advance < ADVANCES; advance++)
        if (advance != ADVANCE_FULL)
            rounds_take(rounds, &list[advance], (enum advance)advance, kind);
    if (kind.wide && kind.quadratic)
        rounds_take(rounds, &list[ADVANCE_FULL], ADVANCE_FULL, full);
}

/* Pixels that go on along the reference. */
DEEP_FN int rounds_left(const struct along_rounds *rounds)
{
    int left = rounds->goings;
    for (int k = 0; k < ADVANCES; k++)
        left += rounds->next[k].count;
    return left;
}

/* Takes the pixels out of their lists, and goes on with one after the other. */
DEEP_FN void rounds_end(struct along_rounds *rounds, struct along_kind kind)
{
    for (int k = 0; k < ADVANCES; k++)
        for (int i = 0; i < rounds->next[k].count; i++)
            rounds->going[rounds->goings++] = rounds->next[k].pixel[i];
    for (int i = 0; i < rounds->goings; i++)
        if (!along_alone(rounds, rounds->going[i], 1, STEPS_OF_ROUND / DEEP_CHUNK, kind) &&
            rounds->going[i]->at.direct)
            rounds->direct[rounds->directs++] = rounds->going[i];
}

/* Goes on until each pixel of a list has left the reference, or for some steps; stores those that
 * go without it in rounds->direct. */
DEEP_FN void rounds_run(struct along_rounds *rounds, struct formula_pixel **list, int count,
                        struct along_kind kind)
{
    rounds->goings = rounds->directs = 0;
    rounds->taken = 0;
    rounds_turn(rounds);
    for (int i = 0; i < (kind.quadratic ? 1 : rounds->formula->references); i++)
        rounds->near[i] = rounds->shared->limit -
                          ((int64_t)1 << (rounds->table[i].shortest + rounds->table[i].levels));
    for (int i = 0; i < count; i++)
        if (list[i]->at.direct)
            rounds->direct[rounds->directs++] = list[i];
        else
            rounds->going[rounds->goings++] = list[i];
    while (rounds->taken < STEPS_OF_ROUND && rounds_left(rounds) > ALONG_FEW) {
        rounds_sort(rounds, kind);
        rounds_advance(rounds, kind);
    }
    if (rounds_left(rounds) <= ALONG_FEW)
        rounds_end(rounds, kind);
}
