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

#include "kernels/deep/lanes/along_lists.h"

#include "kernels/deep/lanes/along_settle.h"

#include "kernels/deep/lanes/along_advance.h"

#ifndef ALONG_FEW
#define ALONG_FEW 2 /* up to so many pixels are faster one by one */
#endif

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
