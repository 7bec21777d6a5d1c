/* Pixels of a chunk of Nova in the SIMD lanes of a processor, to the bit as newton_kind_on takes
 * each, and as many blocks and steps.
 *
 * As in along_rounds.h, all pixels of a chunk advance in rounds, and those at the same position of
 * the same reference go on in lockstep for as long as they stay together. The others take a block
 * or a step each, LANES at a time. What is rare goes alone: a step from or to what doubles do not
 * hold, one without a reference, and the end of a reference.
 *
 * A body, behind nova_lanes.h and along_rounds.h and with their macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "nova_rounds.h: a macro is missing"
#endif

enum {
    NOVA_TOGETHER = 3, /* pixels at one position that go in lockstep, at least (not tuned) */
    NOVA_APART = 2,    /* others that go in lanes, at least (not tuned) */
    NOVA_SPLIT = -2    /* no level: pixels in lockstep have different ones */
};

struct nova_rounds { /* pixels of a chunk */
    const struct newton_common *common;
    enum blocks blocks;
    struct newton_pixel pixels[DEEP_CHUNK];
    struct pixel_kept kept[DEEP_CHUNK];
};

struct nova_list { /* pixels that take a block or a step each */
    struct newton_pixel *pixel[DEEP_CHUNK];
    int64_t place[DEEP_CHUNK]; /* nova_place */
    int count;
};

struct nova_lanes {                    /* LANES pixels */
    struct newton_pixel *pixel[LANES]; /* the first once more where there are fewer */
    int count;
    struct nova_values now;
    struct lane_wide c;
    struct lane_complex v; /* c in units */
};

struct nova_advance { /* the last advance of lanes, which their pixels do not count yet */
    struct nova_step step;
    struct nova_arrival arrival;
    int64_t steps[LANES];
};

/* ---- positions ---- */

/* Reference and position on it, in one number. */
DEEP_FN int64_t nova_position(int32_t reference, int64_t m)
{
    return m * NEWTON_REFERENCES + reference;
}

/* Position of a pixel, and level of its next block, in one number; level < 0: a step. */
DEEP_FN int64_t nova_place(const struct newton_pixel *pixel, int level)
{
    return nova_position(pixel->reference, pixel->m) << 8 | (level < 0 ? 0 : level + 1);
}

DEEP_FN int nova_place_level(int64_t place)
{
    return (int)(place & 255) - 1;
}

/* Steps of a block or, if level < 0, of a step. */
DEEP_FN int64_t nova_steps(const struct newton_common *common, int32_t reference, int level)
{
    return level < 0 ? 1 : (int64_t)1 << (common->table[reference].shortest + level);
}

DEEP_FN const struct formula_block *nova_block(const struct newton_common *common,
                                               int32_t reference, int64_t m, int level)
{
    const struct block_table *table = &common->table[reference];
    const struct formula_block *record = (const struct formula_block *)table->record[level];
    return &record[(m - common->first) >> (table->shortest + level)];
}

/* ---- LANES pixels ---- */

#define NOVA_MEMBER(member) ((int64_t)(offsetof(struct newton_pixel, member) / sizeof(double)))

/* Loads up to LANES pixels of a list. */
static NO_INLINE void nova_lanes_load(struct nova_lanes *lanes, const struct nova_rounds *rounds,
                                      const struct nova_list *list, int first, int count)
{
    const struct pixel_common *shared = &rounds->common->shared;
    _Alignas(64) double e[LANES], norm[LANES], before[LANES];
    const double *at[LANES];
    lanes->count = count < LANES ? count : LANES;
    NOVA_ROLLED
    for (int l = 0; l < LANES; l++) {
        struct newton_pixel *pixel = list->pixel[first + (l < count ? l : 0)];
        lanes->pixel[l] = pixel;
        at[l] = (const double *)(const void *)pixel;
        e[l] = pixel->delta.e;
        norm[l] = pixel->norm;
        before[l] = pixel->before;
    }
    const struct lane_complex c = lane_pairs(at, NOVA_MEMBER(c));
    lanes->now.delta.x = lane_pairs(at, NOVA_MEMBER(delta));
    lanes->now.delta.e = P(load)(e);
    lanes->now.norm = P(load)(norm);
    lanes->now.before = P(load)(before);
    lanes->c = lane_wide_settle(c, P(splat)(shared->exponent));
    lanes->v = lane_scale(P(splat)(shared->per_unit), c);
}

/* Writes the lanes of a set back to their pixels. */
static NO_INLINE void nova_lanes_store(const struct nova_lanes *lanes, uint32_t set)
{
    _Alignas(64) double x[LANES], y[LANES], e[LANES], norm[LANES], before[LANES];
    P(store)(x, lanes->now.delta.x.x);
    P(store)(y, lanes->now.delta.x.y);
    P(store)(e, lanes->now.delta.e);
    P(store)(norm, lanes->now.norm);
    P(store)(before, lanes->now.before);
    for (; set; set &= set - 1) {
        const int l = __builtin_ctz(set);
        struct newton_pixel *pixel = lanes->pixel[l];
        pixel->delta.x.x = x[l];
        pixel->delta.x.y = y[l];
        pixel->delta.e = (int32_t)e[l];
        pixel->norm = norm[l];
        pixel->before = before[l];
    }
}

static void nova_rounds_alone(struct nova_rounds *rounds, struct newton_pixel *pixel)
{
    NOVA_ALONE(pixel, rounds->common, rounds->blocks, &rounds->kept[pixel - rounds->pixels]);
}

/* ---- behind an advance ---- */

struct nova_numbers { /* numbers of lanes that are over, and of those that rebase */
    _Alignas(64) double last_x[LANES], last_y[LANES], w_x[LANES], w_y[LANES];
    _Alignas(64) double off_x[LANES], off_y[LANES], off_e[LANES], near[LANES];
};

/* arrival: NULL for steps without a reference. */
DEEP_FN void nova_numbers_store(struct nova_numbers *numbers, const struct nova_step *step,
                                const struct nova_arrival *arrival)
{
    if (step->over) {
        P(store)(numbers->last_x, step->last.x);
        P(store)(numbers->last_y, step->last.y);
        P(store)(numbers->w_x, step->w.x);
        P(store)(numbers->w_y, step->w.y);
    }
    if (arrival && arrival->rebase) {
        P(store)(numbers->off_x, arrival->off.x.x);
        P(store)(numbers->off_y, arrival->off.x.y);
        P(store)(numbers->off_e, arrival->off.e);
        P(store)(numbers->near, arrival->near);
    }
}

static void nova_settle_over(struct newton_pixel *pixel, const struct nova_numbers *at, int l)
{
    const struct complex_f64 last = {at->last_x[l], at->last_y[l]}, w = {at->w_x[l], at->w_y[l]};
    newton_over(pixel, complex_add(last, 1, w), last, pixel->dz);
}

static void nova_settle_repeats(struct nova_rounds *rounds, struct newton_pixel *pixel)
{
    if (rebasing_repeats(pixel, &rounds->kept[pixel - rounds->pixels]))
        pixel->n = rounds->common->shared.limit;
}

/* Ends the advance of lane l. */
static void nova_settle_one(struct nova_rounds *rounds, struct newton_pixel *pixel,
                            const struct nova_advance *advance, const struct nova_numbers *at,
                            int l)
{
    const struct newton_common *common = rounds->common;
    if (advance->step.odd >> l & 1) {
        nova_rounds_alone(rounds, pixel);
        return;
    }
    pixel->m += advance->steps[l];
    pixel->n += advance->steps[l];
    pixel->steps++;
    if (advance->step.over >> l & 1) {
        nova_settle_over(pixel, at, l);
        return;
    }
    if (advance->arrival.alone >> l & 1) {
        nova_arrive(pixel, common);
    } else if (advance->arrival.rebase >> l & 1) {
        const struct complex_wide off = {{at->off_x[l], at->off_y[l]}, (int32_t)at->off_e[l]};
        nova_rebase(pixel, common, (int)at->near[l], off);
    } else {
        pixel->m = reference_wrap(&common->reference[pixel->reference], pixel->m);
    }
    nova_settle_repeats(rounds, pixel);
}

static void nova_settle(struct nova_rounds *rounds, const struct nova_lanes *lanes,
                        const struct nova_advance *advance)
{
    struct nova_numbers numbers;
    nova_numbers_store(&numbers, &advance->step, &advance->arrival);
    nova_lanes_store(lanes, LANES_BELOW(lanes->count));
    NOVA_ROLLED
    for (int l = 0; l < lanes->count; l++)
        nova_settle_one(rounds, lanes->pixel[l], advance, &numbers, l);
}

/* ---- pixels at different positions ---- */

/* Looks up Z_m of a reference for lane l; 1: the reference is over there. */
DEEP_FN uint32_t nova_points_set(struct nova_points *points, const struct newton_common *common,
                                 int l, int32_t number, int64_t m)
{
    const struct formula_reference *reference = &common->reference[number];
    const int ends = m == reference->end && !reference->period;
    m = reference_wrap(reference, m);
    points->z[l] = &reference->z[m].x;
    points->tape[l] = &reference->tape[(m - ends) * reference->tape_width].x;
    points->begins |= (uint32_t)(m == 0 && number >= common->critical) << l;
    return (uint32_t)ends;
}

/* Advances up to LANES pixels of a list, all by a block each or all by a step each. */
static void nova_apart(struct nova_rounds *rounds, const struct nova_list *list, int first)
{
    const struct newton_common *common = rounds->common;
    struct nova_lanes lanes;
    struct nova_advance advance;
    struct nova_points from, to;
    const struct formula_block *block[LANES];
    const int leaps = nova_place_level(list->place[first]) >= 0;
    uint32_t ends = 0;
    nova_lanes_load(&lanes, rounds, list, first, list->count - first);
    from.begins = to.begins = advance.step.over = advance.step.odd = 0;
    NOVA_ROLLED
    for (int l = 0; l < LANES; l++) {
        struct newton_pixel *pixel = lanes.pixel[l];
        const int level = nova_place_level(list->place[first + (l < lanes.count ? l : 0)]);
        pixel->level = leaps ? level : 0;
        block[l] = leaps ? nova_block(common, pixel->reference, pixel->m, level) : NULL;
        advance.steps[l] = nova_steps(common, pixel->reference, level);
        nova_points_set(&from, common, l, pixel->reference, pixel->m);
        ends |= nova_points_set(&to, common, l, pixel->reference, pixel->m + advance.steps[l]) << l;
    }
    const struct nova_places at = nova_places_load(common, &to);
    if (leaps) {
        lanes.now.delta = nova_lanes_leap(block, 0, lanes.now.delta, lanes.v);
    } else {
        const struct nova_places before = nova_places_load(common, &from);
        const struct nova_lane_base base = {before.root, lane_inverse(before.z), before.off};
        const struct nova_values old = lanes.now;
        nova_values_place(&lanes.now, &before);
        advance.step.odd = nova_lanes_odd(&lanes.now, &before, &at);
        nova_lanes_step(&lanes.now, &advance.step, common, &base, &before, &at, lanes.c);
        nova_values_restore(&lanes.now, &old, advance.step.odd);
    }
    nova_values_place(&lanes.now, &at);
    nova_lanes_arrive(&advance.arrival, &at, &lanes.now, &common->rule, ends);
    nova_settle(rounds, &lanes, &advance);
}

/* ---- pixels at the same position ---- */

struct nova_lockstep { /* lanes that go on by the same blocks and steps */
    struct nova_lanes lanes;
    int32_t reference; /* where they are */
    int64_t m;
    struct nova_point at;
    int level;              /* level of their pixels */
    int64_t n_least, taken; /* the least n of a lane; blocks and steps */
    int64_t n, first;       /* the largest, and that at the beginning */
    int64_t most;           /* blocks and steps of a round, or until the state of a lane is kept */
    uint64_t kept_at;       /* a bit for the last six of each position that is kept */
};

DEEP_FN void nova_lockstep_place(struct nova_lockstep *all, const struct newton_common *common)
{
    const struct nova_places at = nova_places_same(common, &all->at);
    nova_values_place(&all->lanes.now, &at);
}

static void nova_lockstep_begin(struct nova_lockstep *all, const struct nova_rounds *rounds,
                                const struct nova_list *list, int first, int count)
{
    const struct newton_pixel *one = list->pixel[first];
    nova_lanes_load(&all->lanes, rounds, list, first, count);
    all->reference = one->reference;
    all->m = one->m;
    all->at = nova_point(rounds->common, all->reference, all->m, 0);
    all->n = all->n_least = one->n;
    all->taken = 0;
    all->most = STEPS_OF_ROUND / DEEP_CHUNK;
    all->kept_at = 0;
    NOVA_ROLLED
    for (int l = 0; l < all->lanes.count; l++) {
        const struct newton_pixel *pixel = all->lanes.pixel[l];
        const struct pixel_kept *kept = &rounds->kept[pixel - rounds->pixels];
        const int64_t left = (int64_t)(kept->due - pixel->steps);
        all->most = left < all->most ? left : all->most;
        all->kept_at |= (uint64_t)1 << (kept->m & 63);
        all->n_least = pixel->n < all->n_least ? pixel->n : all->n_least;
        all->n = pixel->n > all->n ? pixel->n : all->n;
    }
    all->first = all->n;
    nova_lockstep_place(all, rounds->common);
}

/* May a lane be in its kept state? */
static int nova_lockstep_repeats(const struct nova_lockstep *all, const struct nova_rounds *rounds,
                                 struct lane_wide delta, int64_t position)
{
    const double *kept[LANES];
    if (!(all->kept_at >> (position & 63) & 1))
        return 0;
    for (int l = 0; l < LANES; l++)
        kept[l] = &rounds->kept[all->lanes.pixel[l] - rounds->pixels].delta.x;
    const struct lane_complex at = lane_pairs(kept, 0);
    return (P(eq)(at.x, delta.x.x) & P(eq)(at.y, delta.x.y)) != 0;
}

/* Level of the next block of all lanes; -1: they take a step. */
static int nova_lockstep_level(const struct nova_lockstep *all, const struct nova_rounds *rounds)
{
    const struct newton_common *common = rounds->common;
    const struct block_table *table = &common->table[all->reference];
    const int64_t from = all->m - common->first, limit = common->shared.limit;
    const int64_t to_end = common->reference[all->reference].end - all->m;
    const struct lane_wide delta = all->lanes.now.delta;
    if (rounds->blocks == BLOCKS_NONE)
        return -1;
    int level = table_level_most(table, from, limit - all->n, to_end, all->level);
    if (all->n_least != all->n &&
        table_level_most(table, from, limit - all->n_least, to_end, all->level) != level)
        return NOVA_SPLIT;
    const PACK reach = lanes_reach(delta.x, 0);
    for (; level >= 0; level--) {
        const int32_t radius = table->radius[level][from >> (table->shortest + level)];
        const uint32_t beyond = nova_lanes_beyond(delta, reach, radius);
        if (beyond != LANES_BELOW(LANES))
            return beyond ? NOVA_SPLIT : level;
    }
    return -1;
}

/* Takes a block or a step of all lanes, and looks where they arrive, in *to. If a lane is odd, all
 * are, and nothing has changed. */
DEEP_FN void nova_lockstep_advance(struct nova_lockstep *all, const struct newton_common *common,
                                   int level, struct nova_advance *advance, struct nova_point *to)
{
    const struct formula_reference *reference = &common->reference[all->reference];
    struct nova_values *now = &all->lanes.now;
    const int64_t m = all->m + nova_steps(common, all->reference, level);
    const int ends = m == reference->end && !reference->period;
    *to = nova_point(common, all->reference, reference_wrap(reference, m), ends);
    const struct nova_places at = nova_places_same(common, to);
    advance->steps[0] = m - all->m;
    advance->step.over = advance->step.odd = advance->arrival.rebase = 0;
    all->level = level < 0 ? 0 : level;
    if (level >= 0) {
        const struct formula_block *block = nova_block(common, all->reference, all->m, level);
        now->delta = nova_lanes_leap(&block, 1, now->delta, all->lanes.v);
    } else {
        const struct nova_places from = nova_places_same(common, &all->at);
        const struct nova_lane_base base = nova_base_same(&from, &all->at);
        advance->step.odd = nova_lanes_odd(now, &from, &at) ? LANES_BELOW(LANES) : 0;
        if (advance->step.odd)
            return;
        nova_lanes_step(now, &advance->step, common, &base, &from, &at, all->lanes.c);
    }
    nova_values_place(now, &at);
    nova_lanes_arrive(&advance->arrival, &at, now, &common->rule, ends ? LANES_BELOW(LANES) : 0);
}

/* Root that all lanes rebase to; -1: they differ. */
static int nova_lockstep_root(const struct nova_arrival *arrival)
{
    _Alignas(64) double near[LANES];
    P(store)(near, arrival->near);
    const uint32_t same = arrival->rebase & P(eq)(arrival->near, P(splat)(near[0]));
    return same == LANES_BELOW(LANES) ? (int)near[0] : -1;
}

/* Counts an advance to a point, behind which lanes stay together; 0: they do not. */
DEEP_FN int nova_lockstep_arrive(struct nova_lockstep *all, const struct nova_rounds *rounds,
                                 const struct nova_advance *advance, const struct nova_point *to)
{
    const struct newton_common *common = rounds->common;
    const struct nova_arrival *arrival = &advance->arrival;
    const int64_t steps = advance->steps[0];
    if (advance->step.odd | advance->step.over || arrival->alone ||
        all->n + steps == common->shared.limit || all->taken + 1 >= all->most)
        return 0;
    int32_t reference = all->reference;
    int64_t m = reference_wrap(&common->reference[reference], all->m + steps);
    if (arrival->rebase) {
        const int root = nova_lockstep_root(arrival);
        if (root < 0)
            return 0;
        reference = common->critical + root;
        m = 0;
    }
    const struct lane_wide delta = arrival->rebase ? arrival->off : all->lanes.now.delta;
    if (nova_lockstep_repeats(all, rounds, delta, nova_position(reference, m)))
        return 0;
    all->reference = reference;
    all->m = m;
    all->n += steps;
    all->n_least += steps;
    all->taken++;
    all->at = *to;
    if (arrival->rebase) {
        all->lanes.now.delta = delta;
        all->level = common->table[reference].levels - 1;
        all->at = nova_point(common, reference, 0, 0);
        nova_lockstep_place(all, common);
    }
    return 1;
}

/* Writes what is common back to the pixels. */
static void nova_lockstep_split(const struct nova_lockstep *all)
{
    NOVA_ROLLED
    for (int l = 0; l < all->lanes.count; l++) {
        struct newton_pixel *pixel = all->lanes.pixel[l];
        pixel->reference = all->reference;
        pixel->m = all->m;
        pixel->n += all->n - all->first;
        pixel->steps += (uint64_t)all->taken;
        pixel->level = all->level;
    }
}

/* Takes the same blocks and steps for up to LANES pixels of a list, for as long as each would. */
static void nova_together(struct nova_rounds *rounds, const struct nova_list *list, int first,
                          int count)
{
    struct nova_lockstep all;
    struct nova_advance advance;
    int level = nova_place_level(list->place[first]), stay;
    nova_lockstep_begin(&all, rounds, list, first, count);
    do {
        struct nova_point to;
        nova_lockstep_advance(&all, rounds->common, level, &advance, &to);
        stay = nova_lockstep_arrive(&all, rounds, &advance, &to);
        level = stay ? nova_lockstep_level(&all, rounds) : NOVA_SPLIT;
    } while (level != NOVA_SPLIT);
    nova_lockstep_split(&all);
    if (stay) {
        nova_lanes_store(&all.lanes, LANES_BELOW(all.lanes.count));
        return;
    }
    for (int l = 1; l < LANES; l++)
        advance.steps[l] = advance.steps[0];
    nova_settle(rounds, &all.lanes, &advance);
}

/* ---- pixels without a reference ---- */

/* Ends a step without a reference of lane l, behind `steps`. */
static void nova_settle_direct(struct nova_rounds *rounds, struct newton_pixel *pixel,
                               const struct nova_step *step, const struct nova_numbers *at, int l,
                               int64_t steps)
{
    pixel->n += steps;
    pixel->steps += (uint64_t)steps;
    if (step->over >> l & 1) {
        nova_settle_over(pixel, at, l);
        return;
    }
    nova_return(pixel, rounds->common);
    nova_settle_repeats(rounds, pixel);
}

/* Lanes that may go on without a reference: z is of a size that has none, and doubles hold it. */
DEEP_FN uint32_t nova_lanes_stay(PACK e)
{
    const uint32_t far =
        P(le_two)(P(splat)(NOVA_RETURN_MOST + 1), e, e, P(splat)(NEWTON_PLAIN - 1));
    return far | P(le_two)(P(splat)(WIDE_ZERO / 2), e, e, P(splat)(NOVA_RETURN_LEAST - 1));
}

/* Takes steps of up to LANES pixels of a list without a reference, each until it is over or returns
 * to one, or for some steps. */
static void nova_directly(struct nova_rounds *rounds, const struct nova_list *list, int first)
{
    const struct newton_common *common = rounds->common;
    const struct lane_wide centre = lane_wide_splat(wide_settle(common->centre, 0));
    int64_t most = STEPS_OF_ROUND / DEEP_CHUNK;
    struct nova_lanes lanes;
    nova_lanes_load(&lanes, rounds, list, first, list->count - first);
    uint32_t active = LANES_BELOW(lanes.count);
    NOVA_ROLLED
    for (int l = 0; l < lanes.count; l++) {
        const struct newton_pixel *pixel = lanes.pixel[l];
        const int64_t left = common->shared.limit - pixel->n;
        const int64_t due = (int64_t)(rounds->kept[pixel - rounds->pixels].due - pixel->steps);
        most = left < most ? left : most;
        most = due < most ? due : most;
    }
    for (int64_t i = 1; active; i++) {
        struct nova_step step;
        nova_lanes_direct(&lanes.now, &step, common, centre, lanes.c);
        const uint32_t stay = i < most ? nova_lanes_stay(lanes.now.delta.e) & ~step.over : 0;
        if (!(active & ~stay))
            continue;
        struct nova_numbers numbers;
        nova_numbers_store(&numbers, &step, NULL);
        nova_lanes_store(&lanes, active & ~stay);
        for (uint32_t left = active & ~stay; left; left &= left - 1) {
            const int l = __builtin_ctz(left);
            nova_settle_direct(rounds, lanes.pixel[l], &step, &numbers, l, i);
        }
        active &= stay;
    }
}

/* ---- rounds ---- */

/* Adds a pixel to a list, which is by rising place. */
static void nova_list_insert(struct nova_list *list, struct newton_pixel *pixel, int64_t place)
{
    int i = list->count++;
    for (; i > 0 && list->place[i - 1] > place; i--) {
        list->pixel[i] = list->pixel[i - 1];
        list->place[i] = list->place[i - 1];
    }
    list->pixel[i] = pixel;
    list->place[i] = place;
}

/* Advances pixels of a list LANES at a time, or alone. */
static void nova_list_take(struct nova_rounds *rounds, const struct nova_list *list,
                           void (*take)(struct nova_rounds *, const struct nova_list *, int))
{
    for (int i = 0; i < list->count; i += LANES)
        if (list->count - i >= NOVA_APART)
            take(rounds, list, i);
        else
            nova_rounds_alone(rounds, list->pixel[i]);
}

/* Advances each pixel of a list. */
static void nova_round(struct nova_rounds *rounds, const struct nova_list *list)
{
    struct nova_list scattered[2]; /* takers of steps, and of blocks */
    scattered[0].count = scattered[1].count = 0;
    for (int i = 0, same; i < list->count; i += same) {
        const int64_t place = list->place[i];
        for (same = 1; same < LANES && i + same < list->count && list->place[i + same] == place;)
            same++;
        if (same >= NOVA_TOGETHER) {
            nova_together(rounds, list, i, same);
            continue;
        }
        struct nova_list *to = &scattered[nova_place_level(place) >= 0];
        for (int j = i; j < i + same; j++) {
            to->pixel[to->count] = list->pixel[j];
            to->place[to->count++] = place;
        }
    }
    nova_list_take(rounds, &scattered[0], nova_apart);
    nova_list_take(rounds, &scattered[1], nova_apart);
}

/* Is the count known? */
DEEP_FN int nova_is_done(const struct newton_pixel *pixel, const struct newton_common *common)
{
    return pixel->count || pixel->n == common->shared.limit;
}

/* May a pixel without a reference go in lanes? Not one whose kept state is such, which each step is
 * compared with. */
DEEP_FN int nova_is_direct(const struct nova_rounds *rounds, const struct newton_pixel *pixel)
{
    return pixel->delta.e > WIDE_ZERO / 2 && pixel->delta.e < NEWTON_PLAIN &&
           rounds->kept[pixel - rounds->pixels].m != REBASING_KEPT_DIRECT;
}

/* Advances pixels that go on, and returns how many still do. */
static int nova_rounds_advance(struct nova_rounds *rounds, struct newton_pixel **left, int lefts)
{
    const struct newton_common *common = rounds->common;
    struct nova_list along, direct;
    int goes_on = 0;
    along.count = direct.count = 0;
    for (int i = 0; i < lefts; i++) {
        struct newton_pixel *pixel = left[i];
        if (pixel->direct) {
            if (nova_is_direct(rounds, pixel))
                direct.pixel[direct.count++] = pixel;
            else
                nova_rounds_alone(rounds, pixel);
            continue;
        }
        const int level = rounds->blocks == BLOCKS_NONE ? -1 : newton_level(pixel, common);
        nova_list_insert(&along, pixel, nova_place(pixel, level));
    }
    nova_list_take(rounds, &direct, nova_directly);
    nova_round(rounds, &along);
    for (int i = 0; i < lefts; i++)
        if (!nova_is_done(left[i], common))
            left[goes_on++] = left[i];
    return goes_on;
}

static uint64_t nova_run(const struct deep_chunk *chunk)
{
    struct nova_rounds rounds = {.common = chunk->newton, .blocks = chunk->blocks};
    struct newton_pixel *left[DEEP_CHUNK];
    int lefts = 0;
    uint64_t steps = 0;
    for (int i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        rounds.pixels[i] = newton_kind_begin(chunk->newton, point.x, point.y, KIND_NOVA);
        rounds.kept[i] = (struct pixel_kept){.m = -1};
        left[lefts++] = &rounds.pixels[i];
    }
    while (lefts && !stop_asked(chunk->stop))
        lefts = nova_rounds_advance(&rounds, left, lefts);
    for (int i = 0; i < chunk_pixels(chunk) && !lefts; i++) {
        steps += rounds.pixels[i].steps;
        newton_store(chunk, &rounds.pixels[i], i, KIND_NOVA);
    }
    return steps;
}
