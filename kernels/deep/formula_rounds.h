/* Pixels of a chunk of a formula along the reference, in the lanes of formula_lanes.h, to the bit
 * as formula_along takes each, and as many blocks and steps.
 *
 * A pixel waits for its last step before it knows what comes next. So all pixels of a chunk advance
 * in rounds, by a block or some steps each: those that have a block next, LANES at a time, and
 * those that have steps next. Those at the same position of the reference go on in lockstep for as
 * long as they stay there.
 *
 * A body, behind formula_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "formula_rounds.h: a macro is missing"
#endif

enum { ALONG_FEW = 2 }; /* up to so many pixels are faster one by one */

/* ---- LANES pixels ---- */

struct along_lanes {
    struct formula_pixel *pixel[LANES]; /* the first once more where there are fewer */
    double *at[LANES];                  /* the same pixels, as doubles */
    int count;
    struct lane_complex delta, right, up; /* right and up: with slopes */
};

#define PIXEL_MEMBER(member) ((int64_t)(offsetof(struct formula_pixel, member) / sizeof(double)))

DEEP_FN struct lane_complex along_lanes_pairs(const struct along_lanes *lanes, int64_t member)
{
    return lane_pairs((const double *const *)lanes->at, member);
}

DEEP_FN void along_lanes_load(struct along_lanes *lanes, struct formula_pixel *const *list,
                              int count, int slopes)
{
    lanes->count = count < LANES ? count : LANES;
    for (int l = 0; l < LANES; l++) {
        lanes->pixel[l] = list[l < count ? l : 0];
        lanes->at[l] = (double *)(void *)lanes->pixel[l];
    }
    lanes->delta = along_lanes_pairs(lanes, PIXEL_MEMBER(at.delta));
    if (slopes) {
        lanes->right = along_lanes_pairs(lanes, PIXEL_MEMBER(at.dz));
        lanes->up = along_lanes_pairs(lanes, PIXEL_MEMBER(up));
    }
}

DEEP_FN void along_lanes_store(const struct along_lanes *lanes, int slopes)
{
    P(store_pairs)(lanes->at, PIXEL_MEMBER(at.delta), lanes->delta.x, lanes->delta.y);
    if (slopes) {
        P(store_pairs)(lanes->at, PIXEL_MEMBER(at.dz), lanes->right.x, lanes->right.y);
        P(store_pairs)(lanes->at, PIXEL_MEMBER(up), lanes->up.x, lanes->up.y);
    }
}

/* ---- what each pixel does next ---- */

/* Kinds of an advance; BEGINS: a step from Z_0. */
enum advance { ADVANCE_BLOCK, ADVANCE_STEPS, ADVANCE_BEGINS, ADVANCES };

/* Last search for a block: neighbours mostly come to the same position, and find the same block. */
struct along_lookup {
    int64_t m, n;              /* n: no less than along_near */
    int32_t reference, before; /* before: level of the last block */
    int most;                  /* formula_level_most */
    int level;                 /* result for keys from `least` to below `below` */
    int32_t least, below;
    int number; /* distinct positions and levels until now */
};

struct along_rounds { /* pixels of a chunk */
    const struct formula_common *common;
    struct formula_pixel *pixels; /* all of the chunk, and an earlier state of each */
    struct pixel_kept *kept;
    struct formula_pixel *going[DEEP_CHUNK], *next[ADVANCES][DEEP_CHUNK], **direct;
    int number[ADVANCES][DEEP_CHUNK]; /* equal: the same position and block */
    int goings, nexts[ADVANCES], directs;
    int64_t taken; /* blocks and steps */
};

/* Before this n the limit shortens no block. */
DEEP_FN int64_t along_near(const struct formula_common *common, int32_t reference)
{
    const struct block_table *table = &common->table[reference];
    return common->shared.limit - ((int64_t)1 << (table->shortest + table->levels));
}

/* As formula_level. */
DEEP_FN int along_lookup_level(struct along_lookup *lookup, const struct formula_pixel *pixel,
                               const struct formula_common *common)
{
    const struct pixel_state *at = &pixel->at;
    const int64_t near = along_near(common, pixel->reference), n = at->n > near ? at->n : near;
    if ((at->m ^ lookup->m) | (n ^ lookup->n) | (pixel->reference ^ lookup->reference) |
        (at->level ^ lookup->before)) {
        lookup->m = at->m;
        lookup->n = n;
        lookup->reference = pixel->reference;
        lookup->before = at->level;
        lookup->most = lookup->level = formula_level_most(pixel, common);
        lookup->least = lookup->most < 0 ? INT32_MIN : INT32_MAX;
        lookup->below = INT32_MAX;
        lookup->number++;
    }
    if (lookup->most < 0)
        return -1;
    const int32_t reach = wide_key(complex_reach(at->delta), 0);
    if (reach >= lookup->least && reach < lookup->below)
        return lookup->level;
    const struct block_table *table = &common->table[pixel->reference];
    int level = lookup->most;
    lookup->least = INT32_MIN;
    lookup->below = INT32_MAX;
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][(at->m - 1) >> (table->shortest + level)];
        if (reach < radius) {
            lookup->below = radius;
            break;
        }
        lookup->least = radius > lookup->least ? radius : lookup->least;
    }
    lookup->level = level;
    lookup->number++;
    return level;
}

/* Sorts the pixels by their next advance. */
static void rounds_sort(struct along_rounds *rounds, enum blocks blocks)
{
    const struct formula_common *common = rounds->common;
    struct along_lookup lookup = {.m = -1};
    for (int k = 0; k < ADVANCES; k++)
        rounds->nexts[k] = 0;
    for (int i = 0; i < rounds->goings; i++) {
        struct formula_pixel *pixel = rounds->going[i];
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            level = along_lookup_level(&lookup, pixel, common);
            if (level < 0 && formula_leave(pixel, common)) {
                rounds->direct[rounds->directs++] = pixel;
                continue;
            }
            pixel->at.level = level < 0 ? 0 : level;
        }
        const enum advance advance = level >= 0    ? ADVANCE_BLOCK
                                     : pixel->at.m ? ADVANCE_STEPS
                                                   : ADVANCE_BEGINS;
        rounds->number[advance][rounds->nexts[advance]] = lookup.number;
        rounds->next[advance][rounds->nexts[advance]++] = pixel;
    }
    rounds->goings = 0;
}

/* Loads lanes; 1: all are at the same position, with the same n and, if one, block. */
DEEP_FN int rounds_load(const struct along_rounds *rounds, enum advance advance, int first,
                        int slopes, struct along_lanes *lanes)
{
    along_lanes_load(lanes, &rounds->next[advance][first], rounds->nexts[advance] - first, slopes);
    const int *number = &rounds->number[advance][first];
    return number[0] == number[lanes->count - 1];
}

/* ---- what is behind an advance ---- */

/* Rebases lanes that are due and stores all; ends: lanes whose run of steps ended. */
DEEP_FN void rounds_settle(struct along_rounds *rounds, struct along_lanes *lanes,
                           const struct lane_arrival *arrival, uint32_t ends, int slopes)
{
    const struct formula_common *common = rounds->common;
    _Alignas(64) double norm[LANES];
    P(store)(norm, arrival->norm);
    lanes->delta.x = P(where)(arrival->rebase, arrival->z.x, lanes->delta.x);
    lanes->delta.y = P(where)(arrival->rebase, arrival->z.y, lanes->delta.y);
    along_lanes_store(lanes, slopes);
    for (int l = 0; l < lanes->count; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        int done = 0;
        pixel->at.norm = norm[l];
        if (arrival->rebase >> l & 1)
            formula_rebase(pixel, common);
        if (arrival->last >> l & 1)
            done = formula_arrive(pixel, common);
        if (!done && ends >> l & 1 &&
            formula_repeats(pixel, &rounds->kept[pixel - rounds->pixels])) {
            pixel->at.n = common->shared.limit;
            done = 1;
        }
        if (!done)
            rounds->going[rounds->goings++] = pixel;
    }
}

/* ---- pixels at different positions ---- */

/* Advances each lane by `steps`; ends: lanes whose run of steps ends by that. */
DEEP_FN void rounds_arrive(struct along_rounds *rounds, struct along_lanes *lanes,
                           const int64_t *steps, int64_t counted, uint32_t ends, int slopes)
{
    const struct formula_common *common = rounds->common;
    const double *z[LANES];
    uint32_t last = 0;
    for (int l = 0; l < LANES; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        const struct formula_reference *reference = &common->reference[pixel->reference];
        if (l < lanes->count) {
            pixel->at.m += steps[l];
            pixel->at.n += steps[l];
            pixel->at.steps += (uint64_t)counted;
            rounds->taken += counted;
            formula_wrap(pixel, common);
        }
        z[l] = &reference->z[pixel->at.m].x;
        last |= (uint32_t)((pixel->at.n == common->shared.limit) | (pixel->at.m == reference->end))
                << l;
    }
    const struct lane_arrival arrival = lane_arrive(common, lanes->delta, lane_pairs(z, 0), last);
    rounds_settle(rounds, lanes, &arrival, ends | arrival.ends | arrival.last, slopes);
}

DEEP_FN const struct formula_block *along_block(const struct formula_pixel *pixel,
                                                const struct formula_common *common)
{
    const struct block_table *table = &common->table[pixel->reference];
    const void *record = table->record[pixel->at.level];
    return (const struct formula_block *)record +
           ((pixel->at.m - 1) >> (table->shortest + pixel->at.level));
}

DEEP_FN void lanes_leap(struct along_lanes *lanes, const struct formula_common *common,
                        const struct lane_block *k, struct lane_complex v, int slopes)
{
    if (slopes) {
        const struct complex_f64 dv = common->shared.step_v;
        lanes->right = lane_slope_apply(k, lanes->delta, lanes->right, dv);
        if (!common->program.holomorphic)
            lanes->up = lane_slope_apply(k, lanes->delta, lanes->up, complex_turned(dv));
    }
    lanes->delta = lane_apply(k, lanes->delta, v, common->program.similar);
}

/* Run of steps, without the points of its lanes. */
DEEP_FN struct lane_run lanes_run(const struct along_lanes *lanes,
                                  const struct formula_common *common, struct lane_complex c,
                                  int slopes, int same)
{
    struct lane_run run;
    run.delta = lanes->delta;
    if (slopes) {
        run.right = lanes->right;
        run.up = lanes->up;
    }
    run.c = c;
    run.dc = common->dynamic ? complex_scale(0, common->shared.step) : common->shared.step;
    run.taped = common->program.phase[0].taped;
    run.same = same;
    return run;
}

DEEP_FN int64_t lanes_step(struct along_lanes *lanes, const struct formula_common *common,
                           struct lane_run *run, int slopes, int64_t most)
{
    const int64_t taken = common->row->along_lanes[slopes](run, &common->shared.direct,
                                                           common->program.similar, most);
    lanes->delta = run->delta;
    if (slopes) {
        lanes->right = run->right;
        lanes->up = run->up;
    }
    return taken;
}

DEEP_FN struct lane_complex lanes_c(const struct along_lanes *lanes)
{
    return along_lanes_pairs(lanes, PIXEL_MEMBER(at.c));
}

DEEP_FN struct lane_complex lanes_v(const struct along_lanes *lanes,
                                    const struct formula_common *common)
{
    return lane_scale(P(splat)(common->shared.per_unit), lanes_c(lanes));
}

DEEP_FN void rounds_leap(struct along_rounds *rounds, struct along_lanes *lanes, int slopes)
{
    const struct formula_common *common = rounds->common;
    const struct formula_block *block[LANES];
    int64_t steps[LANES];
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        block[l] = along_block(pixel, common);
        steps[l] = (int64_t)1 << (common->table[pixel->reference].shortest + pixel->at.level);
    }
    const struct lane_block k = lane_block_load(block, 0);
    lanes_leap(lanes, common, &k, lanes_v(lanes, common), slopes);
    rounds_arrive(rounds, lanes, steps, 1, LANES_BELOW(LANES), slopes);
}

DEEP_FN void rounds_step(struct along_rounds *rounds, struct along_lanes *lanes, int slopes)
{
    const struct formula_common *common = rounds->common;
    struct lane_run run = lanes_run(lanes, common, lanes_c(lanes), slopes, 0);
    int64_t room[LANES], steps[LANES], most = INT64_MAX;
    uint32_t ends = 0;
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        run.z[l] = &common->reference[pixel->reference].z[pixel->at.m].x;
        run.tape[l] = (const double *)formula_tape_at(common, pixel);
        room[l] = formula_room(pixel, common);
        most = room[l] < most ? room[l] : most;
    }
    const int64_t taken = lanes_step(lanes, common, &run, slopes, most);
    for (int l = 0; l < LANES; l++) {
        steps[l] = taken;
        ends |= (uint32_t)(room[l] == taken) << l;
    }
    rounds_arrive(rounds, lanes, steps, taken, ends, slopes);
}

/* ---- pixels at the same position ---- */

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
    return (P(eq)(delta.x, lanes->delta.x) & P(eq)(delta.y, lanes->delta.y)) != 0;
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

/* formula_level of all lanes; below -1: they differ. */
DEEP_FN int lockstep_level(const struct formula_pixel *state, const struct formula_common *common,
                           struct lane_complex delta)
{
    enum { DIFFERENT = -2 };
    int level = formula_level_most(state, common);
    if (level < 0)
        return level;
    const struct block_table *table = &common->table[state->reference];
    PACK x = P(abs)(delta.x), y = P(abs)(delta.y);
    PACK large = P(max)(x, y), small = P(neg)(P(max)(P(neg)(x), P(neg)(y)));
    PACK reach = P(fma)(P(splat)(0.41421356237309515), small, large);
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][(state->at.m - 1) >> (table->shortest + level)];
        uint32_t beyond = P(le)(P(splat)(along_key_number(radius)), reach);
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

DEEP_FN struct lockstep lockstep_begin(const struct along_rounds *rounds, struct along_lanes *lanes)
{
    struct lockstep all;
    all.lanes = lanes;
    all.state = *lanes->pixel[0];
    all.before = all.state.at.steps;
    all.apart = lockstep_furthest(lanes, &all.state.at.n);
    all.first = all.state.at.n;
    all.most = lockstep_most(rounds, lanes, &all.kept_at);
    all.c = lanes_c(lanes);
    all.v = lanes_v(lanes, rounds->common);
    return all;
}

/* Takes a block, or steps if level < 0; returns the lanes whose run of steps ends by that. */
DEEP_FN uint32_t lockstep_advance(struct lockstep *all, const struct formula_common *common,
                                  int level, int slopes)
{
    struct formula_pixel *state = &all->state;
    int64_t steps = 1;
    uint32_t ends = LANES_BELOW(LANES);
    if (level >= 0) {
        const struct formula_block *block = along_block(state, common);
        const struct lane_block k = lane_block_load(&block, 1);
        lanes_leap(all->lanes, common, &k, all->v, slopes);
        steps <<= common->table[state->reference].shortest + level;
        state->at.steps++;
    } else {
        const int64_t room = formula_room(state, common);
        struct lane_run run = lanes_run(all->lanes, common, all->c, slopes, 1);
        run.z[0] = &common->reference[state->reference].z[state->at.m].x;
        run.tape[0] = (const double *)formula_tape_at(common, state);
        steps = lanes_step(all->lanes, common, &run, slopes, room);
        ends = steps == room ? LANES_BELOW(LANES) : 0;
        state->at.steps += (uint64_t)steps;
    }
    state->at.m += steps;
    state->at.n += steps;
    formula_wrap(state, common);
    return ends;
}

DEEP_FN struct lane_arrival lockstep_arrive(const struct lockstep *all,
                                            const struct formula_common *common)
{
    const struct formula_reference *reference = &common->reference[all->state.reference];
    const struct complex_f64 z = formula_point(common, &all->state);
    const struct lane_complex of_z = {P(splat)(z.x), P(splat)(z.y)};
    int last = all->state.at.n == common->shared.limit || all->state.at.m == reference->end;
    return lane_arrive(common, all->lanes->delta, of_z, last ? LANES_BELOW(LANES) : 0);
}

/* Rebases where all lanes are due. Returns the level of the block that all take next, -1 for steps,
 * or less: the lanes split. */
DEEP_FN int lockstep_next(struct lockstep *all, const struct along_rounds *rounds,
                          struct lane_arrival *arrival, uint32_t ends)
{
    enum { SPLIT = -2 };
    const struct formula_common *common = rounds->common;
    const uint32_t every = LANES_BELOW(LANES);
    struct formula_pixel *state = &all->state;
    if (arrival->last || (arrival->rebase && arrival->rebase != every) || (ends & every) != every)
        return SPLIT;
    if (arrival->rebase) {
        all->lanes->delta = arrival->z;
        arrival->rebase = 0;
        formula_rebase(state, common);
    }
    if (all->apart && state->at.n > along_near(common, state->reference))
        return SPLIT;
    if ((int64_t)(state->at.steps - all->before) >= all->most ||
        (all->kept_at >> (formula_position(state) & 63) & 1 &&
         lockstep_repeats(rounds, all->lanes)))
        return SPLIT;
    const int level = lockstep_level(state, common, all->lanes->delta);
    if (level < -1 || (level < 0 && common->program.similar && arrival->ends))
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

/* Takes the same blocks and steps for all lanes, for as long as each would take these. */
DEEP_FN void rounds_lockstep(struct along_rounds *rounds, struct along_lanes *lanes,
                             enum advance advance, int slopes)
{
    struct lockstep all = lockstep_begin(rounds, lanes);
    struct lane_arrival arrival;
    uint32_t ends;
    int level = advance == ADVANCE_BLOCK ? all.state.at.level : -1;
    do {
        ends = lockstep_advance(&all, rounds->common, level, slopes);
        arrival = lockstep_arrive(&all, rounds->common);
        ends |= arrival.ends | arrival.last;
        level = lockstep_next(&all, rounds, &arrival, ends);
    } while (level >= -1);
    lockstep_split(&all, rounds);
    rounds_settle(rounds, lanes, &arrival, ends, slopes);
}

DEEP_FN void rounds_take(struct along_rounds *rounds, enum advance advance, int slopes)
{
    for (int first = 0; first < rounds->nexts[advance]; first += LANES) {
        struct along_lanes lanes;
        if (rounds_load(rounds, advance, first, slopes, &lanes))
            rounds_lockstep(rounds, &lanes, advance, slopes);
        else if (advance == ADVANCE_BLOCK)
            rounds_leap(rounds, &lanes, slopes);
        else
            rounds_step(rounds, &lanes, slopes);
    }
}

/* As formula_until_direct, for each pixel of a list; stores those that go without the reference in
 * `direct` and returns their number. */
DEEP_FN int formulas_until_direct(struct formula_pixel **list, int count,
                                  const struct formula_common *common, enum blocks blocks,
                                  int slopes, struct formula_pixel *pixels, struct pixel_kept *kept,
                                  struct formula_pixel **direct)
{
    struct along_rounds rounds;
    rounds.common = common;
    rounds.pixels = pixels;
    rounds.kept = kept;
    rounds.direct = direct;
    rounds.goings = rounds.directs = 0;
    rounds.taken = 0;
    for (int i = 0; i < count; i++)
        if (list[i]->at.direct)
            direct[rounds.directs++] = list[i];
        else
            rounds.going[rounds.goings++] = list[i];
    while (rounds.taken < STEPS_OF_ROUND && rounds.goings > ALONG_FEW) {
        rounds_sort(&rounds, blocks);
        rounds_take(&rounds, ADVANCE_BLOCK, slopes);
        rounds_take(&rounds, ADVANCE_STEPS, slopes);
        rounds_take(&rounds, ADVANCE_BEGINS, slopes);
    }
    for (int i = 0; i < rounds.goings && rounds.goings <= ALONG_FEW; i++)
        if (formula_until_direct(rounds.going[i], common, blocks, slopes, 0,
                                 &kept[rounds.going[i] - pixels]))
            direct[rounds.directs++] = rounds.going[i];
    return rounds.directs;
}
