/* Which pixels of a chunk of a formula go along the reference together, in the lanes of
 * formula_lanes.h, to the bit as formula_along takes each, and as many blocks and steps.
 *
 * One pixel waits for its last step before it knows what comes next. So all pixels of a chunk take
 * turns, a block or some steps each: those that have a block next, LANES at a time, and those that
 * have steps next. Those at the same place of the reference go on together for as long as they stay
 * so.
 *
 * A body, behind formula_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "formula_turns.h: a macro is missing"
#endif

enum { ALONG_FEW = 2 }; /* so many pixels are faster one by one */

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

enum turn { TURN_BLOCK, TURN_STEPS, TURN_BEGINS, TURNS }; /* begins: a step from Z_0 */

/* A place that a pixel looked for a block at: neighbours mostly come to the same, and find the
 * same. */
struct along_place {
    int64_t m, n;              /* n: no less than along_near */
    int32_t reference, before; /* before: level of the last block */
    int most;                  /* formula_level_most */
    int level;                 /* what was found for keys from `least` to below `most_reach` */
    int32_t least, below;
    int number; /* of places and levels until now */
};

struct along_turns { /* of the pixels of a chunk */
    const struct formula_common *common;
    struct formula_pixel *pixels; /* the chunk's, and what is kept of each */
    struct pixel_kept *kept;
    struct formula_pixel *going[DEEP_CHUNK], *next[TURNS][DEEP_CHUNK], **away;
    int number[TURNS][DEEP_CHUNK]; /* equal: the same place and block */
    int goings, nexts[TURNS], aways;
    int64_t taken; /* blocks and steps */
};

/* Before this n the limit shortens no block. */
DEEP_FN int64_t along_near(const struct formula_common *common, int32_t reference)
{
    const struct block_table *table = &common->table[reference];
    return common->shared.limit - ((int64_t)1 << (table->shortest + table->levels));
}

/* As formula_level. */
DEEP_FN int along_place_level(struct along_place *place, const struct formula_pixel *pixel,
                              const struct formula_common *common)
{
    const struct pixel_state *at = &pixel->at;
    const int64_t near = along_near(common, pixel->reference), n = at->n > near ? at->n : near;
    if ((at->m ^ place->m) | (n ^ place->n) | (pixel->reference ^ place->reference) |
        (at->level ^ place->before)) {
        place->m = at->m;
        place->n = n;
        place->reference = pixel->reference;
        place->before = at->level;
        place->most = place->level = formula_level_most(pixel, common);
        place->least = place->most < 0 ? INT32_MIN : INT32_MAX;
        place->below = INT32_MAX;
        place->number++;
    }
    if (place->most < 0)
        return -1;
    const int32_t reach = wide_key(complex_reach(at->delta), 0);
    if (reach >= place->least && reach < place->below)
        return place->level;
    const struct block_table *table = &common->table[pixel->reference];
    int level = place->most;
    place->least = INT32_MIN;
    place->below = INT32_MAX;
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][(at->m - 1) >> (table->shortest + level)];
        if (reach < radius) {
            place->below = radius;
            break;
        }
        place->least = radius > place->least ? radius : place->least;
    }
    place->level = level;
    place->number++;
    return level;
}

/* What each pixel does next. */
static void turns_sort(struct along_turns *turns, enum blocks blocks)
{
    const struct formula_common *common = turns->common;
    struct along_place place = {.m = -1};
    for (int k = 0; k < TURNS; k++)
        turns->nexts[k] = 0;
    for (int i = 0; i < turns->goings; i++) {
        struct formula_pixel *pixel = turns->going[i];
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            level = along_place_level(&place, pixel, common);
            if (level < 0 && formula_leave(pixel, common)) {
                turns->away[turns->aways++] = pixel;
                continue;
            }
            pixel->at.level = level < 0 ? 0 : level;
        }
        const enum turn turn = level >= 0 ? TURN_BLOCK : pixel->at.m ? TURN_STEPS : TURN_BEGINS;
        turns->number[turn][turns->nexts[turn]] = place.number;
        turns->next[turn][turns->nexts[turn]++] = pixel;
    }
    turns->goings = 0;
}

/* 1: all are at the same place, with the same n and, if one, block. */
DEEP_FN int turns_load(const struct along_turns *turns, enum turn turn, int first, int slopes,
                       struct along_lanes *lanes)
{
    along_lanes_load(lanes, &turns->next[turn][first], turns->nexts[turn] - first, slopes);
    const int *number = &turns->number[turn][first];
    return number[0] == number[lanes->count - 1];
}

/* ---- what is behind an advance ---- */

/* Those that have not rebased yet do; ends: lanes whose run of steps ended. */
DEEP_FN void turns_settle(struct along_turns *turns, struct along_lanes *lanes,
                          const struct lane_arrival *arrival, uint32_t ends, int slopes)
{
    const struct formula_common *common = turns->common;
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
        if (!done && ends >> l & 1 && formula_repeats(pixel, &turns->kept[pixel - turns->pixels])) {
            pixel->at.n = common->shared.limit;
            done = 1;
        }
        if (!done)
            turns->going[turns->goings++] = pixel;
    }
}

/* ---- pixels at different places ---- */

/* `steps` of each behind where they were; ends: lanes whose run of steps ends by that. */
DEEP_FN void turns_arrive(struct along_turns *turns, struct along_lanes *lanes,
                          const int64_t *steps, int64_t counted, uint32_t ends, int slopes)
{
    const struct formula_common *common = turns->common;
    const double *z[LANES];
    uint32_t last = 0;
    for (int l = 0; l < LANES; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        const struct formula_reference *reference = &common->reference[pixel->reference];
        if (l < lanes->count) {
            pixel->at.m += steps[l];
            pixel->at.n += steps[l];
            pixel->at.steps += (uint64_t)counted;
            turns->taken += counted;
            formula_go_round(pixel, common);
        }
        z[l] = &reference->z[pixel->at.m].x;
        last |= (uint32_t)((pixel->at.n == common->shared.limit) | (pixel->at.m == reference->end))
                << l;
    }
    const struct lane_arrival arrival = lane_arrive(common, lanes->delta, lane_pairs(z, 0), last);
    turns_settle(turns, lanes, &arrival, ends | arrival.ends | arrival.last, slopes);
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

/* Without the places of its lanes. */
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

DEEP_FN void turns_leap(struct along_turns *turns, struct along_lanes *lanes, int slopes)
{
    const struct formula_common *common = turns->common;
    const struct formula_block *block[LANES];
    int64_t steps[LANES];
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        block[l] = along_block(pixel, common);
        steps[l] = (int64_t)1 << (common->table[pixel->reference].shortest + pixel->at.level);
    }
    const struct lane_block k = lane_block_load(block, 0);
    lanes_leap(lanes, common, &k, lanes_v(lanes, common), slopes);
    turns_arrive(turns, lanes, steps, 1, LANES_BELOW(LANES), slopes);
}

DEEP_FN void turns_step(struct along_turns *turns, struct along_lanes *lanes, int slopes)
{
    const struct formula_common *common = turns->common;
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
    turns_arrive(turns, lanes, steps, taken, ends, slopes);
}

/* ---- pixels at the same place ---- */

/* So many blocks and steps can be taken before one of them has to be kept; and the places that are
 * kept, by their last six bits. */
DEEP_FN int64_t together_most(const struct along_turns *turns, const struct along_lanes *lanes,
                              uint64_t *kept_at)
{
    int64_t most = STEPS_OF_TURN / DEEP_CHUNK;
    *kept_at = 0;
    for (int l = 0; l < lanes->count; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        const struct pixel_kept *kept = &turns->kept[pixel - turns->pixels];
        int64_t left = (int64_t)(kept->due - pixel->at.steps);
        most = left < most ? left : most;
        *kept_at |= (uint64_t)1 << (kept->m & 63);
    }
    return most;
}

/* May one of them be where it was kept? */
DEEP_FN int together_repeats(const struct along_turns *turns, const struct along_lanes *lanes)
{
    const double *kept[LANES];
    for (int l = 0; l < LANES; l++)
        kept[l] = &turns->kept[lanes->pixel[l] - turns->pixels].delta.x;
    const struct lane_complex delta = lane_pairs(kept, 0);
    return (P(eq)(delta.x, lanes->delta.x) & P(eq)(delta.y, lanes->delta.y)) != 0;
}

/* The smallest number of a key. */
DEEP_FN double along_key_number(int32_t key)
{
    enum { INFINITE = 2047 * 4096 };
    uint64_t bits = (uint64_t)(key < 0 ? 0 : key > INFINITE ? INFINITE : key) << 40;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* As formula_level, of all; below -1: it is not the same. */
DEEP_FN int together_level(const struct formula_pixel *place, const struct formula_common *common,
                           struct lane_complex delta)
{
    enum { DIFFERENT = -2 };
    int level = formula_level_most(place, common);
    if (level < 0)
        return level;
    const struct block_table *table = &common->table[place->reference];
    PACK x = P(abs)(delta.x), y = P(abs)(delta.y);
    PACK large = P(max)(x, y), small = P(neg)(P(max)(P(neg)(x), P(neg)(y)));
    PACK reach = P(fma)(P(splat)(0.41421356237309515), small, large);
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][(place->at.m - 1) >> (table->shortest + level)];
        uint32_t beyond = P(le)(P(splat)(along_key_number(radius)), reach);
        if (beyond != LANES_BELOW(LANES))
            return beyond ? DIFFERENT : level;
    }
    return level;
}

/* The largest n, and whether others are not that. */
DEEP_FN int together_furthest(const struct along_lanes *lanes, int64_t *furthest)
{
    int apart = 0;
    for (int l = 0; l < lanes->count; l++) {
        const int64_t n = lanes->pixel[l]->at.n;
        apart |= n != *furthest;
        *furthest = n > *furthest ? n : *furthest;
    }
    return apart;
}

/* Pixels that go on by the same blocks and steps. */
struct together {
    struct along_lanes *lanes;
    struct formula_pixel place; /* of all; n: the largest of theirs */
    int64_t first;              /* n at the beginning */
    uint64_t before;            /* steps at the beginning */
    int apart;                  /* not all have this n */
    int64_t most;               /* as together_most says, with kept_at */
    uint64_t kept_at;
    struct lane_complex c, v;
};

DEEP_FN struct together together_begin(const struct along_turns *turns, struct along_lanes *lanes)
{
    struct together all;
    all.lanes = lanes;
    all.place = *lanes->pixel[0];
    all.before = all.place.at.steps;
    all.apart = together_furthest(lanes, &all.place.at.n);
    all.first = all.place.at.n;
    all.most = together_most(turns, lanes, &all.kept_at);
    all.c = lanes_c(lanes);
    all.v = lanes_v(lanes, turns->common);
    return all;
}

/* A block, or steps if level is below 0; the lanes whose run of steps ends by that. */
DEEP_FN uint32_t together_advance(struct together *all, const struct formula_common *common,
                                  int level, int slopes)
{
    struct formula_pixel *place = &all->place;
    int64_t steps = 1;
    uint32_t ends = LANES_BELOW(LANES);
    if (level >= 0) {
        const struct formula_block *block = along_block(place, common);
        const struct lane_block k = lane_block_load(&block, 1);
        lanes_leap(all->lanes, common, &k, all->v, slopes);
        steps <<= common->table[place->reference].shortest + level;
        place->at.steps++;
    } else {
        const int64_t room = formula_room(place, common);
        struct lane_run run = lanes_run(all->lanes, common, all->c, slopes, 1);
        run.z[0] = &common->reference[place->reference].z[place->at.m].x;
        run.tape[0] = (const double *)formula_tape_at(common, place);
        steps = lanes_step(all->lanes, common, &run, slopes, room);
        ends = steps == room ? LANES_BELOW(LANES) : 0;
        place->at.steps += (uint64_t)steps;
    }
    place->at.m += steps;
    place->at.n += steps;
    formula_go_round(place, common);
    return ends;
}

DEEP_FN struct lane_arrival together_arrive(const struct together *all,
                                            const struct formula_common *common)
{
    const struct formula_reference *reference = &common->reference[all->place.reference];
    const struct complex_f64 z = formula_point(common, &all->place);
    const struct lane_complex of_z = {P(splat)(z.x), P(splat)(z.y)};
    int last = all->place.at.n == common->shared.limit || all->place.at.m == reference->end;
    return lane_arrive(common, all->lanes->delta, of_z, last ? LANES_BELOW(LANES) : 0);
}

/* Where all rebase they do. The level of the block that all take next, -1 if they take steps, or
 * below that: they part. */
DEEP_FN int together_next(struct together *all, const struct along_turns *turns,
                          struct lane_arrival *arrival, uint32_t ends)
{
    enum { PART = -2 };
    const struct formula_common *common = turns->common;
    const uint32_t every = LANES_BELOW(LANES);
    struct formula_pixel *place = &all->place;
    if (arrival->last || (arrival->rebase && arrival->rebase != every) || (ends & every) != every)
        return PART;
    if (arrival->rebase) {
        all->lanes->delta = arrival->z;
        arrival->rebase = 0;
        formula_rebase(place, common);
    }
    if (all->apart && place->at.n > along_near(common, place->reference))
        return PART;
    if ((int64_t)(place->at.steps - all->before) >= all->most ||
        (all->kept_at >> (formula_kept_place(place) & 63) & 1 &&
         together_repeats(turns, all->lanes)))
        return PART;
    const int level = together_level(place, common, all->lanes->delta);
    if (level < -1 || (level < 0 && common->program.similar && arrival->ends))
        return PART;
    place->at.level = level < 0 ? 0 : level;
    return level;
}

DEEP_FN void together_part(const struct together *all, struct along_turns *turns)
{
    const struct along_lanes *lanes = all->lanes;
    const struct formula_pixel *place = &all->place;
    for (int l = 0; l < lanes->count; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        pixel->at.m = place->at.m;
        pixel->at.n += place->at.n - all->first;
        pixel->at.level = place->at.level;
        pixel->at.steps += place->at.steps - all->before;
        turns->taken += (int64_t)(place->at.steps - all->before);
        pixel->reference = place->reference;
    }
}

/* All go on by the same blocks and steps, for as long as that is what each would take. */
DEEP_FN void turns_together(struct along_turns *turns, struct along_lanes *lanes, enum turn turn,
                            int slopes)
{
    struct together all = together_begin(turns, lanes);
    struct lane_arrival arrival;
    uint32_t ends;
    int level = turn == TURN_BLOCK ? all.place.at.level : -1;
    do {
        ends = together_advance(&all, turns->common, level, slopes);
        arrival = together_arrive(&all, turns->common);
        ends |= arrival.ends | arrival.last;
        level = together_next(&all, turns, &arrival, ends);
    } while (level >= -1);
    together_part(&all, turns);
    turns_settle(turns, lanes, &arrival, ends, slopes);
}

DEEP_FN void turns_take(struct along_turns *turns, enum turn turn, int slopes)
{
    for (int first = 0; first < turns->nexts[turn]; first += LANES) {
        struct along_lanes lanes;
        if (turns_load(turns, turn, first, slopes, &lanes))
            turns_together(turns, &lanes, turn, slopes);
        else if (turn == TURN_BLOCK)
            turns_leap(turns, &lanes, slopes);
        else
            turns_step(turns, &lanes, slopes);
    }
}

/* As formula_until_away, of each pixel of a list; those that go without the reference into `away`,
 * and how many. */
DEEP_FN int formulas_until_away(struct formula_pixel **list, int count,
                                const struct formula_common *common, enum blocks blocks, int slopes,
                                struct formula_pixel *pixels, struct pixel_kept *kept,
                                struct formula_pixel **away)
{
    struct along_turns turns;
    turns.common = common;
    turns.pixels = pixels;
    turns.kept = kept;
    turns.away = away;
    turns.goings = turns.aways = 0;
    turns.taken = 0;
    for (int i = 0; i < count; i++)
        if (list[i]->at.direct)
            away[turns.aways++] = list[i];
        else
            turns.going[turns.goings++] = list[i];
    while (turns.taken < STEPS_OF_TURN && turns.goings > ALONG_FEW) {
        turns_sort(&turns, blocks);
        turns_take(&turns, TURN_BLOCK, slopes);
        turns_take(&turns, TURN_STEPS, slopes);
        turns_take(&turns, TURN_BEGINS, slopes);
    }
    for (int i = 0; i < turns.goings && turns.goings <= ALONG_FEW; i++)
        if (formula_until_away(turns.going[i], common, blocks, slopes, 0,
                               &kept[turns.going[i] - pixels]))
            away[turns.aways++] = turns.going[i];
    return turns.aways;
}
