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
 * one by one. A lane of z^2 + c whose delta or derivative would leave the plain numbers (`odd`)
 * takes that advance alone, in full; pixels of z^2 + c whose delta has an exponent have lanes of
 * their own. Those of formulas share lanes with plain ones: an advance is taken by plain
 * arithmetic, in full, or by both, and each lane has the result that it would have alone.
 *
 * A body, behind both files of lanes and with their macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "along_rounds.h: a macro is missing"
#endif

#ifndef ALONG_FEW
#define ALONG_FEW 2 /* up to so many pixels are faster one by one */

struct along_kind {   /* constants that make several kernels */
    int quadratic;    /* z^2 + c: pixels have no `up`, and their reference is 0 */
    int slopes, both; /* both: `up` is computed, too */
    int wide;
    int full;  /* delta has an exponent, in a wide picture; or may have one, with alike */
    int alike; /* deltas with and without an exponent take the same lanes; formulas */
};

/* Kinds of an advance; FULL: a block, for a delta with an exponent; BEGINS: a step of a formula
 * from Z_0. */
enum advance { ADVANCE_BLOCK, ADVANCE_FULL, ADVANCE_STEPS, ADVANCE_BEGINS, ADVANCES };

/* May a lane be odd? z^2 + c alone. */
DEEP_FN int along_odd(struct along_kind kind)
{
    return kind.wide && !kind.full;
}
#endif

/* ---- LANES pixels ---- */

struct T(along_values) {                     /* what an advance changes in LANES pixels */
    struct T(lane_complex) delta, right, up; /* right and up: with slopes */
    PACK e, right_e, up_e;                   /* exponents of them, in a wide picture */
};

struct T(along_lanes) {
    struct T(formula_pixel) * pixel[LANES]; /* the first once more where there are fewer */
    DEEP_REAL *at[LANES];                   /* the same pixels, as doubles */
    int count;
    struct T(along_values) now;
};

#define PIXEL_MEMBER(member) \
    ((int64_t)(offsetof(struct T(formula_pixel), member) / sizeof(DEEP_REAL)))

DEEP_FN struct T(lane_complex)
    T(along_lanes_pairs)(const struct T(along_lanes) * lanes, int64_t member)
{
    return T(lane_pairs)((const DEEP_REAL *const *)lanes->at, member);
}

DEEP_FN void T(along_lanes_load)(struct T(along_lanes) * lanes,
                                 struct T(formula_pixel) *const *list, int count,
                                 struct along_kind kind)
{
    _Alignas(64) DEEP_REAL e[LANES], right_e[LANES], up_e[LANES];
    lanes->count = count < LANES ? count : LANES;
    for (int l = 0; l < LANES; l++) {
        lanes->pixel[l] = list[l < count ? l : 0];
        lanes->at[l] = (DEEP_REAL *)(void *)lanes->pixel[l];
    }
    lanes->now.delta = T(along_lanes_pairs)(lanes, PIXEL_MEMBER(at.delta));
    lanes->now.e = lanes->now.right_e = lanes->now.up_e = P(splat)(0);
    lanes->now.right = lanes->now.up = T(lane_splat)((struct COMPLEX){0, 0});
    if (kind.full) {
        for (int l = 0; l < LANES; l++)
            e[l] = lanes->pixel[l]->at.e;
        lanes->now.e = P(load)(e);
    }
    if (!kind.slopes)
        return;
    lanes->now.right = T(along_lanes_pairs)(lanes, PIXEL_MEMBER(at.dz));
    if (kind.both)
        lanes->now.up = T(along_lanes_pairs)(lanes, PIXEL_MEMBER(up));
    if (!kind.wide)
        return;
    for (int l = 0; l < LANES; l++) {
        right_e[l] = lanes->pixel[l]->at.dz_e;
        up_e[l] = lanes->pixel[l]->up_e;
    }
    lanes->now.right_e = P(load)(right_e);
    lanes->now.up_e = P(load)(up_e);
}

DEEP_FN void T(along_lanes_store)(const struct T(along_lanes) * lanes, struct along_kind kind)
{
    const struct T(along_values) *now = &lanes->now;
    _Alignas(64) DEEP_REAL e[LANES], right_e[LANES], up_e[LANES];
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

/* Lanes whose delta has an exponent. */
DEEP_FN uint32_t T(lanes_wide)(const struct T(along_values) * now)
{
    return ~P(eq)(now->e, P(splat)(0)) & LANES_BELOW(LANES);
}

/* Puts values from before an advance back into the lanes of `odd`. */
DEEP_FN void T(along_values_restore)(struct T(along_values) * now,
                                     const struct T(along_values) * before, uint32_t odd,
                                     struct along_kind kind)
{
    now->delta = T(lane_where)(odd, before->delta, now->delta);
    if (!kind.slopes)
        return;
    now->right = T(lane_where)(odd, before->right, now->right);
    now->up = T(lane_where)(odd, before->up, now->up);
    now->right_e = P(where)(odd, before->right_e, now->right_e);
    now->up_e = P(where)(odd, before->up_e, now->up_e);
}

/* ---- what each pixel does next ---- */

/* Last search for a block: neighbours mostly come to the same position, and find the same block. */
struct T(along_lookup) {
    int64_t m, n;              /* n: no less than `near` */
    int32_t reference, before; /* before: level of the last block */
    int most;                  /* along_level_most */
    int level;                 /* result for keys from `least` to below `below` */
    int32_t least, below;
};

struct T(along_list) { /* pixels that advance in the same way */
    struct T(formula_pixel) * pixel[DEEP_CHUNK];
    int64_t place[DEEP_CHUNK]; /* along_place */
    int64_t n[DEEP_CHUNK];     /* no less than `near` */
    int count;
};

struct T(along_rounds) { /* pixels of a chunk */
    const struct T(pixel_common) * shared;
    const struct T(formula_common) * formula; /* NULL for z^2 + c */
    const struct T(formula_reference) * reference;
    const struct block_table *table;
    struct T(lane_tests) tests;
    int64_t near[FORMULA_REFERENCES]; /* before such an n the limit shortens no block */
    int32_t critical;                 /* the reference that pixels rebase on */
    struct T(formula_pixel) * pixels; /* all of the chunk, and an earlier state of each */
    struct T(pixel_kept) * kept;
    struct T(along_list) (*list)[ADVANCES], *next; /* list: of this round, and of the next */
    struct T(formula_pixel) * going[DEEP_CHUNK], **direct; /* going: in no list */
    int goings, directs;
    int64_t taken; /* blocks and steps */
};

/* Steps from where the first block starts, Z_0 or Z_1. */
DEEP_FN int64_t T(along_from)(int64_t m, struct along_kind kind)
{
    return kind.quadratic ? m : m - 1;
}

/* Level of the longest block that may start at m, or -1. */
DEEP_FN int T(along_level_most)(const struct T(along_rounds) * rounds,
                                const struct T(formula_pixel) * pixel, struct along_kind kind)
{
    return table_level_most(&rounds->table[pixel->reference], T(along_from)(pixel->at.m, kind),
                            rounds->shared->limit - pixel->at.n,
                            rounds->reference[pixel->reference].end - pixel->at.m, pixel->at.level);
}

/* Steps up to where a block may begin next, the reference ends, or the limit is. */
DEEP_FN int64_t T(along_room)(const struct T(along_rounds) * rounds,
                              const struct T(formula_pixel) * pixel, struct along_kind kind)
{
    const int64_t m = kind.quadratic ? pixel->at.m + 1 : pixel->at.m;
    return table_room(&rounds->table[pixel->reference], m,
                      rounds->reference[pixel->reference].end - pixel->at.m,
                      rounds->shared->limit - pixel->at.n);
}

DEEP_FN void T(along_wrap)(const struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel)
{
    pixel->at.m = T(reference_wrap)(&rounds->reference[pixel->reference], pixel->at.m);
}

DEEP_FN void T(along_rebase)(const struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel)
{
    pixel->at.m = 0;
    pixel->reference = rounds->critical;
    pixel->at.level = rounds->table[rounds->critical].levels - 1;
}

DEEP_FN int32_t T(along_reach)(const struct T(formula_pixel) * pixel, struct along_kind kind)
{
    return kind.quadratic
               ? T(pixel_reach)(&pixel->at, kind.wide ? pixel->at.e : 0)
               : T(wide_key)(T(complex_reach)(pixel->at.delta), kind.alike ? pixel->at.e : 0);
}

/* As pixel_level and formula_level. */
DEEP_FN int T(along_lookup_level)(struct T(along_lookup) * lookup,
                                  const struct T(formula_pixel) * pixel,
                                  const struct T(along_rounds) * rounds, struct along_kind kind)
{
    const struct T(pixel_state) *at = &pixel->at;
    const int64_t near = rounds->near[pixel->reference], n = at->n > near ? at->n : near;
    if ((at->m ^ lookup->m) | (n ^ lookup->n) | (pixel->reference ^ lookup->reference) |
        (at->level ^ lookup->before)) {
        lookup->m = at->m;
        lookup->n = n;
        lookup->reference = pixel->reference;
        lookup->before = at->level;
        lookup->most = lookup->level = T(along_level_most)(rounds, pixel, kind);
        lookup->least = lookup->most < 0 ? INT32_MIN : INT32_MAX;
        lookup->below = INT32_MAX;
    }
    if (lookup->most < 0)
        return -1;
    const int32_t reach = T(along_reach)(pixel, kind);
    if (reach >= lookup->least && reach < lookup->below)
        return lookup->level;
    const struct block_table *table = &rounds->table[pixel->reference];
    const int64_t from = T(along_from)(at->m, kind);
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

/* Takes up to `most` blocks and steps of a pixel; 1: the count is known. */
DEEP_FN int T(along_alone)(struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel,
                           int64_t most, struct along_kind kind)
{
    struct T(pixel_kept) *kept = &rounds->kept[pixel - rounds->pixels];
    int64_t taken;
    const int done = kind.quadratic
                         ? T(pixel_along)(&pixel->at, rounds->shared, BLOCKS_QUARTIC, kind.slopes,
                                          kind.wide, most, &taken, kept)
                         : T(formula_alongs)[kind.slopes][kind.wide](
                               pixel, rounds->formula, BLOCKS_QUARTIC, most, &taken, kept);
    rounds->taken += taken;
    return done;
}

#if defined(DEEP_ROWS_ALONE) && !defined(REAL_NARROW)
/* Advances of a pixel of z^2 + c of a wide picture by a block, or by a step if level < 0; 1: the
 * count is known. Few are taken. */
static RARE int quadratic_advance_counts(const struct along_rounds *rounds,
                                         struct formula_pixel *pixel, int level)
{
    return pixel_advance(&pixel->at, rounds->shared, 0, 1, level);
}
static RARE int quadratic_advance_slopes(const struct along_rounds *rounds,
                                         struct formula_pixel *pixel, int level)
{
    return pixel_advance(&pixel->at, rounds->shared, 1, 1, level);
}
#endif

DEEP_FN int64_t T(along_position)(const struct T(formula_pixel) * pixel, struct along_kind kind)
{
    return kind.quadratic ? pixel->at.m : T(formula_position)(pixel);
}

DEEP_FN int T(along_repeats)(const struct T(along_rounds) * rounds,
                             const struct T(formula_pixel) * pixel, struct along_kind kind)
{
    struct T(pixel_kept) *kept = &rounds->kept[pixel - rounds->pixels];
    if (T(along_position)(pixel, kind) != kept->m && pixel->at.steps < kept->due)
        return 0; /* as nearly always */
    return kind.quadratic ? T(pixel_repeats)(&pixel->at, kept) : T(formula_repeats)(pixel, kept);
}

/* Leaves the reference if the pixel may; 1: it has. */
DEEP_FN int T(along_leave)(const struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel,
                           struct along_kind kind)
{
    return kind.quadratic ? T(pixel_leave)(&pixel->at, rounds->shared)
                          : T(formula_leave)(pixel, rounds->formula);
}

/* Position of a pixel, and level of its next block or -1, in one number. */
DEEP_FN int64_t T(along_place)(const struct T(formula_pixel) * pixel, int level)
{
    return pixel->at.m << 16 | (int64_t)(level + 1) << 8 | pixel->reference;
}

DEEP_FN int T(along_place_level)(int64_t place)
{
    return (int)(place >> 8 & 255) - 1;
}

/* Puts a pixel into the list of its next advance. Its level stays that of its last block until
 * then, because rounds may stop before. */
DEEP_FN void T(rounds_put)(struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel,
                           enum advance advance, int level)
{
    struct T(along_list) *list = &rounds->next[advance];
    const int64_t near = rounds->near[pixel->reference];
    const int i = list->count++;
    list->pixel[i] = pixel;
    list->place[i] = T(along_place)(pixel, level);
    list->n[i] = pixel->at.n > near ? pixel->at.n : near;
}

/* Kind of an advance by steps. */
DEEP_FN enum advance T(along_stepping)(const struct T(formula_pixel) * pixel,
                                       struct along_kind kind)
{
    return pixel->at.m || kind.quadratic ? ADVANCE_STEPS : ADVANCE_BEGINS;
}

/* Sorts a pixel that goes on by its next advance. */
DEEP_FN void T(rounds_sort_one)(struct T(along_rounds) * rounds, struct T(formula_pixel) * pixel,
                                struct T(along_lookup) * lookup, struct along_kind kind)
{
    int level = T(along_lookup_level)(lookup, pixel, rounds, kind);
    if (level < 0 && !(kind.alike && pixel->at.e) && T(along_leave)(rounds, pixel, kind)) {
        rounds->direct[rounds->directs++] = pixel;
        return;
    }
    T(rounds_put)
    (rounds, pixel, level >= 0 ? ADVANCE_BLOCK : T(along_stepping)(pixel, kind), level);
}

/* Sorts a pixel of z^2 + c whose delta has an exponent; 1: it has advanced instead, and goes on. */
static ALWAYS_INLINE int T(rounds_sort_wide)(struct T(along_rounds) * rounds,
                                             struct T(formula_pixel) * pixel,
                                             struct T(along_lookup) * lookup,
                                             struct along_kind kind)
{
    int level = T(along_lookup_level)(lookup, pixel, rounds, kind);
    if (level >= 0) {
        T(rounds_put)(rounds, pixel, ADVANCE_FULL, level);
        return 0;
    }
    pixel->at.level = 0;
    rounds->taken++;
    if (T(pixel_advance)(&pixel->at, rounds->shared, kind.slopes, 1, -1))
        return 0;
    if (!T(along_repeats)(rounds, pixel, kind))
        return 1;
    pixel->at.n = rounds->shared->limit;
    return 0;
}

/* Sorts the pixels that are in no list by their next advance. */
DEEP_FN void T(rounds_sort)(struct T(along_rounds) * rounds, struct along_kind kind)
{
    struct T(along_lookup) lookup = {.m = -1};
    int advanced = 0;
    for (int i = 0; i < rounds->goings; i++) {
        struct T(formula_pixel) *pixel = rounds->going[i];
        if (!kind.wide || kind.alike || !pixel->at.e)
            T(rounds_sort_one)(rounds, pixel, &lookup, kind);
        else if (T(rounds_sort_wide)(rounds, pixel, &lookup, kind))
            rounds->going[advanced++] = pixel;
    }
    rounds->goings = advanced;
}

/* Loads lanes; 1: all are at the same position, with the same n and, if one, block. */
DEEP_FN int T(rounds_load)(const struct T(along_list) * list, int first,
                           struct T(along_lanes) * lanes, struct along_kind kind)
{
    const int64_t *place = &list->place[first], *n = &list->n[first];
    const int count = list->count - first < LANES ? list->count - first : LANES;
    int64_t different = 0;
    for (int l = 0; l < count; l++) {
        const int level = T(along_place_level)(place[l]);
        list->pixel[first + l]->at.level = level < 0 ? 0 : level;
        different |= (place[l] ^ place[0]) | (n[l] ^ n[0]);
    }
    T(along_lanes_load)(lanes, &list->pixel[first], count, kind);
    return !different;
}

/* ---- what is behind an advance ---- */

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

/* ---- an advance ---- */

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

/* ---- pixels at different positions ---- */

/* Advances each lane that is not odd by `steps`. */
DEEP_FN void T(rounds_arrive)(struct T(along_rounds) * rounds, struct T(along_lanes) * lanes,
                              const int64_t *steps, int64_t counted,
                              struct T(along_result) * result, struct along_kind kind)
{
    const DEEP_REAL *z[LANES];
    struct T(lane_points) points = {.same = 0};
    uint32_t last = 0;
    for (int l = 0; l < LANES; l++) {
        struct T(formula_pixel) *pixel = lanes->pixel[l];
        const struct T(formula_reference) *reference = &rounds->reference[pixel->reference];
        if (l < lanes->count && !(kind.wide && result->odd >> l & 1)) {
            pixel->at.m += steps[l];
            pixel->at.n += steps[l];
            pixel->at.steps += (uint64_t)counted;
            rounds->taken += counted;
            T(along_wrap)(rounds, pixel);
        }
        z[l] = &reference->z[pixel->at.m].x;
        points.reference[l] = reference;
        points.m[l] = pixel->at.m;
        last |= (uint32_t)((pixel->at.n == rounds->shared->limit) | (pixel->at.m == reference->end))
                << l;
    }
    result->arrival =
        T(along_arrival)(rounds, &lanes->now, T(lane_pairs)(z, 0), &points, last, kind);
    result->ends |= result->arrival.ends | result->arrival.last;
}

/* Takes a block of each lane, their lengths in *steps; returns lanes that are odd. */
DEEP_FN uint32_t T(rounds_leap)(const struct T(along_rounds) * rounds,
                                struct T(along_lanes) * lanes, int64_t *steps,
                                struct along_kind kind)
{
    const void *block[LANES];
    uint32_t first = 0;
    for (int l = 0; l < LANES; l++) {
        const struct T(formula_pixel) *pixel = lanes->pixel[l];
        block[l] = T(along_block)(rounds, pixel, kind);
        steps[l] = (int64_t)1 << (rounds->table[pixel->reference].shortest + pixel->at.level);
        first |= (uint32_t)(pixel->at.m == 0) << l;
    }
    return T(rounds_leap_all)(rounds, &lanes->now, block, 0, T(lanes_v)(lanes, rounds), first,
                              kind);
}

/* Takes as many steps of each lane, also in *steps; *ends: lanes whose run of steps ends by that.
 * Returns lanes that are odd. */
DEEP_FN uint32_t T(rounds_step)(const struct T(along_rounds) * rounds,
                                struct T(along_lanes) * lanes, int64_t *steps, uint32_t *ends,
                                struct along_kind kind)
{
    const struct T(lane_complex) c = T(lanes_c)(lanes, rounds, kind);
    const struct T(along_values) before = lanes->now;
    struct T(lane_run) run = T(lanes_run)(rounds, &lanes->now, c, 0, kind);
    struct T(lane_points) points = {.same = 0};
    int64_t room[LANES], most = INT64_MAX, taken;
    *ends = 0;
    for (int l = 0; l < LANES; l++) {
        const struct T(formula_pixel) *pixel = lanes->pixel[l];
        T(run_point)(rounds, pixel, &run, &points, l, kind);
        room[l] = T(along_room)(rounds, pixel, kind);
        most = room[l] < most ? room[l] : most;
    }
    const uint32_t odd =
        T(lanes_step)(rounds, &lanes->now, &before, &run, &points, c, most, &taken, kind);
    for (int l = 0; l < LANES; l++) {
        steps[l] = taken;
        *ends |= (uint32_t)(room[l] == taken || kind.alike) << l;
    }
    return odd;
}

/* Advances lanes that are at different positions. */
DEEP_FN void T(rounds_apart)(struct T(along_rounds) * rounds, struct T(along_lanes) * lanes,
                             enum advance advance, struct T(along_result) * result,
                             struct along_kind kind)
{
    const struct T(along_values) before = lanes->now;
    int64_t steps[LANES];
    const int leaps = advance <= ADVANCE_FULL;
    result->level = leaps ? 0 : -1;
    result->together = 0;
    result->ends = LANES_BELOW(LANES);
    result->odd = leaps ? T(rounds_leap)(rounds, lanes, steps, kind)
                        : T(rounds_step)(rounds, lanes, steps, &result->ends, kind);
    if (along_odd(kind))
        T(along_values_restore)(&lanes->now, &before, result->odd, kind);
    T(rounds_arrive)(rounds, lanes, steps, leaps ? 1 : steps[0], result, kind);
}

/* ---- pixels at the same position ---- */

/* Most blocks and steps until the state of a lane is due to be kept; *kept_at: a bit for the last
 * six bits of each position that is kept. */
DEEP_FN int64_t T(lockstep_most)(const struct T(along_rounds) * rounds,
                                 const struct T(along_lanes) * lanes, uint64_t *kept_at)
{
    int64_t most = STEPS_OF_ROUND / DEEP_CHUNK;
    *kept_at = 0;
    for (int l = 0; l < lanes->count; l++) {
        const struct T(formula_pixel) *pixel = lanes->pixel[l];
        const struct T(pixel_kept) *kept = &rounds->kept[pixel - rounds->pixels];
        int64_t left = (int64_t)(kept->due - pixel->at.steps);
        most = left < most ? left : most;
        *kept_at |= (uint64_t)1 << (kept->m & 63);
    }
    return most;
}

/* May a lane be in its kept state? */
DEEP_FN int T(lockstep_repeats)(const struct T(along_rounds) * rounds,
                                const struct T(along_lanes) * lanes)
{
    const DEEP_REAL *kept[LANES];
    for (int l = 0; l < LANES; l++)
        kept[l] = &rounds->kept[lanes->pixel[l] - rounds->pixels].delta.x;
    const struct T(lane_complex) delta = T(lane_pairs)(kept, 0);
    return (P(eq)(delta.x, lanes->now.delta.x) & P(eq)(delta.y, lanes->now.delta.y)) != 0;
}

/* Level of the longest block that holds for all lanes, or -1; below -1: they differ. */
DEEP_FN int T(lockstep_level)(const struct T(formula_pixel) * state,
                              const struct T(along_rounds) * rounds,
                              const struct T(along_values) * now, struct along_kind kind)
{
    enum { DIFFERENT = -2 };
    int level = T(along_level_most)(rounds, state, kind);
    if (level < 0)
        return level;
    const struct block_table *table = &rounds->table[state->reference];
    const PACK reach = T(lanes_reach)(now->delta, kind.quadratic && state->at.m == 0);
    const PACK e = state->at.m ? now->e : P(add)(now->e, now->e);
    for (; level >= 0; level--) {
        int32_t radius =
            table->radius[level][T(along_from)(state->at.m, kind) >> (table->shortest + level)];
        uint32_t beyond = kind.full ? T(lane_wide_beyond)(reach, e, radius)
                                    : P(le)(P(splat)(T(along_key_number)(radius)), reach);
        if (beyond != LANES_BELOW(LANES))
            return beyond ? DIFFERENT : level;
    }
    return level;
}

/* Largest n of the lanes, in *furthest; 1: they differ. */
DEEP_FN int T(lockstep_furthest)(const struct T(along_lanes) * lanes, int64_t *furthest)
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
struct T(lockstep) {
    struct T(along_lanes) * lanes;
    struct T(formula_pixel) state; /* common state; n: the largest of all lanes */
    int64_t first;                 /* state.at.n at the beginning */
    uint64_t before;               /* state.at.steps at the beginning */
    int apart;                     /* 1: lanes differ in n */
    int64_t most;                  /* lockstep_most, with kept_at */
    uint64_t kept_at;
    struct T(lane_complex) c, v;
};

DEEP_FN struct T(lockstep) T(lockstep_begin)(const struct T(along_rounds) * rounds,
                                             struct T(along_lanes) * lanes, struct along_kind kind)
{
    struct T(lockstep) all;
    all.lanes = lanes;
    all.state = *lanes->pixel[0];
    all.before = all.state.at.steps;
    all.apart = T(lockstep_furthest)(lanes, &all.state.at.n);
    all.first = all.state.at.n;
    all.most = T(lockstep_most)(rounds, lanes, &all.kept_at);
    all.c = T(lanes_c)(lanes, rounds, kind);
    all.v = T(lanes_v)(lanes, rounds);
    return all;
}

/* Takes a block, or steps if level < 0; *ends: the lanes whose run of steps ends by that. Returns
 * lanes that are odd: nothing has changed then. */
DEEP_FN uint32_t T(lockstep_advance)(struct T(lockstep) * all,
                                     const struct T(along_rounds) * rounds, int level,
                                     uint32_t *ends, struct along_kind kind)
{
    const struct T(along_values) before = all->lanes->now;
    struct T(formula_pixel) *state = &all->state;
    int64_t steps = 1, counted = 1;
    uint32_t odd;
    *ends = LANES_BELOW(LANES);
    if (level >= 0) {
        const void *block = T(along_block)(rounds, state, kind);
        odd = T(rounds_leap_all)(rounds, &all->lanes->now, &block, 1, all->v,
                                 state->at.m ? 0 : LANES_BELOW(LANES), kind);
        steps <<= rounds->table[state->reference].shortest + level;
    } else {
        const int64_t room = T(along_room)(rounds, state, kind);
        struct T(lane_run) run = T(lanes_run)(rounds, &all->lanes->now, all->c, 1, kind);
        struct T(lane_points) points = {.same = 1};
        T(run_point)(rounds, state, &run, &points, 0, kind);
        odd = T(lanes_step)(rounds, &all->lanes->now, &before, &run, &points, all->c, room, &steps,
                            kind);
        *ends = steps == room || kind.alike ? LANES_BELOW(LANES) : 0;
        counted = steps;
    }
    if (along_odd(kind) && odd) {
        all->lanes->now = before;
        return LANES_BELOW(LANES);
    }
    state->at.steps += (uint64_t)counted;
    state->at.m += steps;
    state->at.n += steps;
    T(along_wrap)(rounds, state);
    return 0;
}

DEEP_FN struct T(lane_arrival)
    T(lockstep_arrive)(const struct T(lockstep) * all, const struct T(along_rounds) * rounds,
                       struct along_kind kind)
{
    const struct T(formula_reference) *reference = &rounds->reference[all->state.reference];
    const struct T(lane_points)
        points = {.reference = {reference}, .m = {all->state.at.m}, .same = 1};
    const struct T(lane_complex) z = T(lane_splat)(T(point_load)(&reference->z[all->state.at.m]));
    int last = all->state.at.n == rounds->shared->limit || all->state.at.m == reference->end;
    return T(along_arrival)(rounds, &all->lanes->now, z, &points, last ? LANES_BELOW(LANES) : 0,
                            kind);
}

/* Rebases where all lanes are due. Returns the level of the block that all take next, -1 for steps,
 * or less: the lanes split. */
DEEP_FN int T(lockstep_next)(struct T(lockstep) * all, const struct T(along_rounds) * rounds,
                             struct T(lane_arrival) * arrival, uint32_t ends,
                             struct along_kind kind)
{
    enum { SPLIT = -2 };
    const uint32_t every = LANES_BELOW(LANES);
    struct T(formula_pixel) *state = &all->state;
    if (arrival->last || (arrival->rebase && arrival->rebase != every) || (ends & every) != every)
        return SPLIT;
    if (kind.full && !kind.alike && P(eq)(all->lanes->now.e, P(splat)(0)))
        return SPLIT;
    if (arrival->rebase) {
        if (kind.wide && !kind.alike && T(lanes_small)(arrival->z))
            return SPLIT;
        T(lanes_rebase)(&all->lanes->now, arrival, every, kind);
        arrival->rebase = 0;
        T(along_rebase)(rounds, state);
    }
    if (all->apart && state->at.n > rounds->near[state->reference])
        return SPLIT;
    if ((int64_t)(state->at.steps - all->before) >= all->most ||
        (all->kept_at >> (T(along_position)(state, kind) & 63) & 1 &&
         T(lockstep_repeats)(rounds, all->lanes)))
        return SPLIT;
    const int level = T(lockstep_level)(state, rounds, &all->lanes->now, kind);
    if (level < -1 ||
        (level < 0 && ((kind.full && !kind.alike) || (rounds->tests.leaves && arrival->ends))))
        return SPLIT;
    state->at.level = level < 0 ? 0 : level;
    return level;
}

DEEP_FN void T(lockstep_split)(const struct T(lockstep) * all, struct T(along_rounds) * rounds)
{
    const struct T(along_lanes) *lanes = all->lanes;
    const struct T(formula_pixel) *state = &all->state;
    for (int l = 0; l < lanes->count; l++) {
        struct T(formula_pixel) *pixel = lanes->pixel[l];
        pixel->at.m = state->at.m;
        pixel->at.n += state->at.n - all->first;
        pixel->at.level = state->at.level;
        pixel->at.steps += state->at.steps - all->before;
        rounds->taken += (int64_t)(state->at.steps - all->before);
        pixel->reference = state->reference;
    }
}

/* Does the limit shorten the next block of all lanes alike? */
DEEP_FN int T(lockstep_together)(const struct T(lockstep) * all,
                                 const struct T(along_rounds) * rounds)
{
    const int64_t n = all->state.at.n;
    return !all->apart ||
           (n <= rounds->near[all->state.reference] && n <= rounds->near[rounds->critical]);
}

/* Takes the same blocks and steps for all lanes, for as long as each would take these. */
DEEP_FN void T(rounds_lockstep)(struct T(along_rounds) * rounds, struct T(along_lanes) * lanes,
                                enum advance advance, struct T(along_result) * result,
                                struct along_kind kind)
{
    struct T(lockstep) all = T(lockstep_begin)(rounds, lanes, kind);
    int level = advance <= ADVANCE_FULL ? all.state.at.level : -1;
    do {
        result->level = level;
        result->odd = T(lockstep_advance)(&all, rounds, level, &result->ends, kind);
        result->arrival = T(lockstep_arrive)(&all, rounds, kind);
        if (kind.wide && result->odd)
            break;
        result->ends |= result->arrival.ends | result->arrival.last;
        level = T(lockstep_next)(&all, rounds, &result->arrival, result->ends, kind);
    } while (level >= -1);
    T(lockstep_split)(&all, rounds);
    result->together = T(lockstep_together)(&all, rounds);
}

DEEP_FN void T(rounds_take)(struct T(along_rounds) * rounds, const struct T(along_list) * list,
                            enum advance advance, struct along_kind kind)
{
    for (int first = 0; first < list->count; first += LANES) {
        struct T(along_lanes) lanes;
        struct T(along_result) result;
        if (T(rounds_load)(list, first, &lanes, kind))
            T(rounds_lockstep)(rounds, &lanes, advance, &result, kind);
        else
            T(rounds_apart)(rounds, &lanes, advance, &result, kind);
        T(rounds_settle)(rounds, &lanes, &result, kind);
    }
}

/* Goes over to the other lists, which are emptied; returns those until now. */
DEEP_FN const struct T(along_list) * T(rounds_turn)(struct T(along_rounds) * rounds)
{
    const struct T(along_list) *list = rounds->next;
    rounds->next = rounds->list[list == rounds->list[0]];
    for (int k = 0; k < ADVANCES; k++)
        rounds->next[k].count = 0;
    return list;
}

/* Advances each pixel of the lists. */
DEEP_FN void T(rounds_advance)(struct T(along_rounds) * rounds, struct along_kind kind)
{
    const struct T(along_list) *list = T(rounds_turn)(rounds);
    struct along_kind full = kind;
    full.full = 1;
    for (int advance = 0; advance < ADVANCES; advance++)
        if (advance != ADVANCE_FULL)
            T(rounds_take)(rounds, &list[advance], (enum advance)advance, kind);
    if (kind.wide && kind.quadratic)
        T(rounds_take)(rounds, &list[ADVANCE_FULL], ADVANCE_FULL, full);
}

/* Pixels that go on along the reference. */
DEEP_FN int T(rounds_left)(const struct T(along_rounds) * rounds)
{
    int left = rounds->goings;
    for (int k = 0; k < ADVANCES; k++)
        left += rounds->next[k].count;
    return left;
}

/* Takes the pixels out of their lists, and goes on with one after the other. */
DEEP_FN void T(rounds_end)(struct T(along_rounds) * rounds, struct along_kind kind)
{
    for (int k = 0; k < ADVANCES; k++)
        for (int i = 0; i < rounds->next[k].count; i++)
            rounds->going[rounds->goings++] = rounds->next[k].pixel[i];
    for (int i = 0; i < rounds->goings; i++)
        if (!T(along_alone)(rounds, rounds->going[i], STEPS_OF_ROUND / DEEP_CHUNK, kind) &&
            rounds->going[i]->at.direct)
            rounds->direct[rounds->directs++] = rounds->going[i];
}

/* Goes on until each pixel of a list has left the reference, or for some steps; stores those that
 * go without it in rounds->direct. */
DEEP_FN void T(rounds_run)(struct T(along_rounds) * rounds, struct T(formula_pixel) * *list,
                           int count, struct along_kind kind)
{
    rounds->goings = rounds->directs = 0;
    rounds->taken = 0;
    T(rounds_turn)(rounds);
    for (int i = 0; i < (kind.quadratic ? 1 : rounds->formula->references); i++)
        rounds->near[i] = rounds->shared->limit -
                          ((int64_t)1 << (rounds->table[i].shortest + rounds->table[i].levels));
    for (int i = 0; i < count; i++)
        if (list[i]->at.direct)
            rounds->direct[rounds->directs++] = list[i];
        else
            rounds->going[rounds->goings++] = list[i];
    while (rounds->taken < STEPS_OF_ROUND && T(rounds_left)(rounds) > ALONG_FEW) {
        T(rounds_sort)(rounds, kind);
        T(rounds_advance)(rounds, kind);
    }
    if (T(rounds_left)(rounds) <= ALONG_FEW)
        T(rounds_end)(rounds, kind);
}
