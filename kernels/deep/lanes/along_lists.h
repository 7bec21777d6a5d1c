/* Pixels of a chunk along the reference: LANES of them, and lists of what each does next.
 *
 * A body, behind formula_lanes.h, quadratic_lanes.h and wide_lanes.h and with their macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "along_lists.h: a macro is missing"
#endif

#ifndef ALONG_KIND
#define ALONG_KIND

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
