#include "kernels/orbit/orbit_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/orbit_work.h"
#include "kernels/stop.h"

/* ---- the steps that are taken anew ---- */

/* Does the orbit that was computed anew, which is as long or longer or has ended, end as the saved
 * one? `whole`: all of its steps are here. */
static bool ends_alike(const struct orbit *again, const struct orbit_return *from, int64_t points,
                       bool whole)
{
    const struct orbit_saved *saved = &from->saved;
    if (again->length < points) { /* the z that closes a cycle was first found to be a nucleus */
        const struct orbit_point *last = &from->z[points - 1];
        const struct orbit_point *same = &again->z[again->length - again->period];
        return again->end == ORBIT_CYCLE && whole && saved->end == ORBIT_NUCLEUS &&
               again->length == points - 1 && last->x == same->x && last->y == same->y;
    }
    if (!whole || saved->end == ORBIT_NUCLEUS)
        return again->end == ORBIT_LIMIT;
    return (int)again->end == saved->end && again->period == saved->period;
}

/* z of the state as doubles. */
static struct orbit_point state_point(const struct orbit *orbit)
{
    const struct fixed *fixed = &orbit->work->fixed;
    const struct formula_numbers *numbers = &orbit->work->formula;
    if (!is_formula(orbit))
        return (struct orbit_point){fixed_double(fixed, &fixed->x), fixed_double(fixed, &fixed->y)};
    return (struct orbit_point){mpfr_get_d(numbers->x, MPFR_RNDN) + 0,
                                mpfr_get_d(numbers->y, MPFR_RNDN) + 0};
}

static void state_step(struct orbit *orbit)
{
    const struct formula_watch none = {.context = NULL};
    if (is_formula(orbit))
        formula_numbers_step(&orbit->work->formula, &none);
    else
        fixed_step(&orbit->work->fixed);
}

/* The list that takes the step from z_n; the orbit's phase for rational rows. */
static int phase_at(const struct orbit *orbit, int64_t n)
{
    int phases = formula_phases(&orbit->formula);
    return phases > 1 ? (int)((orbit->phase + n) % phases) : orbit->phase;
}

/* Do the steps from the remembered z, taken in `again`, lead to the last one? */
static bool last_steps_hold(struct orbit *again, const struct orbit_return *from)
{
    const struct orbit_saved *saved = &from->saved;
    orbit_numbers_take(again, NUMBERS_OF_Z, from, NUMBERS_SEEN);
    again->work->formula.phase = phase_at(again, saved->seen);
    for (int64_t i = saved->seen;; i++) {
        const struct orbit_point *z = &from->z[i < saved->length ? i : i - saved->period];
        struct orbit_point same = state_point(again);
        if (same.x != z->x || same.y != z->y)
            return false;
        if (i == saved->steps && !is_formula(again))
            fixed_settle(&again->work->fixed);
        if (i == saved->steps)
            return orbit_numbers_are(again, from, NUMBERS_OF_Z);
        state_step(again);
    }
}

/* Does it end so that its numbers are not needed any more? */
static bool is_done(const struct orbit_saved *saved)
{
    return saved->end == ORBIT_ESCAPED || saved->end == ORBIT_OVER;
}

/* Are the first `points` points and the tape of `steps` steps the same? */
static bool values_are(const struct orbit *again, const struct orbit_return *from, int64_t points,
                       int64_t steps)
{
    size_t row = (size_t)again->tape_width * sizeof *again->tape;
    int64_t tiny = 0, small = 0;
    while (tiny < again->tiny_count && again->tiny[tiny].index < points)
        tiny++;
    while (small < again->small_count && orbit_small_within(&again->small[small], points, steps))
        small++;
    bool more_tiny = tiny < from->tiny_count && from->tiny[tiny].index < points;
    bool more_small =
        small < from->small_count && orbit_small_within(&from->small[small], points, steps);
    return memcmp(again->z, from->z, (size_t)points * sizeof *again->z) == 0 &&
           (!row || memcmp(again->tape, from->tape, (size_t)steps * row) == 0) && !more_tiny &&
           !more_small && tiny <= from->tiny_count && small <= from->small_count &&
           (!tiny || !memcmp(again->tiny, from->tiny, (size_t)tiny * sizeof *again->tiny)) &&
           (!small || !memcmp(again->small, from->small, (size_t)small * sizeof *again->small));
}

/* Does what was saved agree with `again`, in which the first steps were computed? */
static bool steps_hold(struct orbit *again, const struct orbit_return *from, int64_t limit,
                       int64_t most)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t points = orbit_return_points(saved, limit), steps = orbit_return_steps(saved, limit);
    bool whole = steps == saved->steps, done = is_done(saved);
    int64_t same = again->length < points ? again->length : points;
    int64_t taken = orbit_steps(again, again->length);
    if (!values_are(again, from, same, taken < steps ? taken : steps))
        return false;
    if (whole && again->work->seen == saved->seen && !done &&
        !orbit_numbers_are(again, from, NUMBERS_SEEN))
        return false;
    if (again->end != ORBIT_LIMIT || again->length > steps)
        return ends_alike(again, from, points, whole) &&
               (!whole || done || orbit_numbers_are(again, from, NUMBERS_OF_Z));
    if (!whole || done || saved->length - saved->seen > most)
        return true;
    return last_steps_hold(again, from);
}

/* Products of a step, over those of z^2 + c. */
static int64_t step_work(const struct orbit *orbit)
{
    const struct formula_numbers *numbers = &orbit->work->formula;
    int most = 0;
    if (numbers->rational.open)
        return numbers->rational.kind->operations / 2;
    for (int p = 0; p < formula_phases(&orbit->formula); p++)
        if (numbers->tapes[p].list.operations > most)
            most = numbers->tapes[p].list.operations;
    return 1 + most / 8;
}

/* Steps that take 5 to 25 ms, from their products of limbs; MPFR has a cost of its own. */
static int64_t steps_anew(const struct orbit *orbit)
{
    const int64_t products = (int64_t)1 << 24;
    int64_t limbs = limbs_of(orbit);
    return is_formula(orbit) ? products / (step_work(orbit) * (limbs * limbs + 200)) + 1
                             : products / (limbs * limbs + 16) + 1;
}

static bool steps_hold_anew(const struct orbit *orbit, const struct orbit_return *from,
                            int64_t limit)
{
    int64_t most = steps_anew(orbit), steps = orbit_return_steps(&from->saved, limit);
    struct orbit again;
    bool good = orbit_create_again(&again, orbit) == STATUS_OK &&
                orbit_go_on(&again, steps < most ? steps : most) == STATUS_OK &&
                steps_hold(&again, from, limit, most);
    orbit_destroy(&again);
    return good;
}

/* ---- taking ---- */

static void arrays_take(struct orbit *orbit, const struct orbit_return *from, int64_t points)
{
    struct orbit_work *work = orbit->work;
    free(work->point);
    free(work->tape);
    free(work->tiny);
    free(work->small);
    orbit->z = work->point = from->z;
    orbit->tape = work->tape = from->tape;
    orbit->tiny = work->tiny = from->tiny;
    orbit->small = work->small = from->small;
    work->capacity = points;
    work->tiny_capacity = from->tiny ? from->tiny_count : 0;
    work->small_capacity = from->small ? from->small_count : 0;
}

static void points_take(struct orbit *orbit, const struct orbit_return *from, int64_t length)
{
    orbit->length = length;
    orbit->small_count = from->small_count; /* 0 in orbits that a nucleus can cut */
    while (orbit->tiny_count < from->tiny_count && orbit->tiny[orbit->tiny_count].index < length)
        orbit->tiny_count++;
}

/* Tests the points as computing does, until a nucleus is proven or none can be any more. */
static void nucleus_find(struct orbit *orbit, const struct orbit_return *from, int64_t length)
{
    const volatile int *stop = orbit->work->options.stop;
    while (orbit->length < length && orbit->end == ORBIT_LIMIT && orbit->work->nucleus.alive) {
        const struct orbit_point *point = &orbit->z[orbit->length];
        if (point->x * point->x + point->y * point->y > FIXED_NORM_MAX || stop_asked(stop))
            return;
        points_take(orbit, from, orbit->length + 1);
        orbit_watch_nucleus(orbit, point);
    }
}

/* scaled_set() of the number whose double is `value`; *small: the next one in the list. */
static struct complex_scaled value_scaled(const struct orbit *orbit, struct orbit_point value,
                                          int64_t index, int slot, int64_t *small)
{
    const struct orbit_small *listed = *small < orbit->small_count ? &orbit->small[*small] : NULL;
    int x_exponent, y_exponent;
    if (listed && listed->index == index && listed->slot == slot) {
        ++*small;
        return scaled_of_parts(listed->x, listed->x_exponent, listed->y, listed->y_exponent);
    }
    double x = frexp(value.x, &x_exponent), y = frexp(value.y, &y_exponent);
    return scaled_of_parts(x, x_exponent, y, y_exponent);
}

/* Follows the errors along the steps as computing does, for the bits that this orbit's pixel needs.
 */
static void errors_follow(struct orbit *orbit, int64_t steps)
{
    struct formula_numbers *numbers = &orbit->work->formula;
    const volatile int *stop = orbit->work->options.stop;
    int64_t small = 0;
    for (int64_t i = 0; i < steps && isfinite(numbers->log2_need) && !stop_asked(stop); i++) {
        struct formula_values values = {
            .z = value_scaled(orbit, orbit->z[i], i, ORBIT_POINT, &small)};
        for (int slot = 0; slot < orbit->tape_width; slot++) {
            struct orbit_point value = orbit->tape[i * orbit->tape_width + slot];
            struct complex_scaled scaled = value_scaled(orbit, value, i, slot, &small);
            if (slot < MAGNET_TAPE)
                values.tape[slot] = scaled;
        }
        formula_numbers_follow(numbers, phase_at(orbit, i), &values);
    }
}

/* Are the numbers of the state, as doubles, z_n and, for a Hénon map, z_(n-1)? */
static bool state_is(const struct orbit *orbit, const struct orbit_saved *saved, int64_t n)
{
    const struct formula_numbers *numbers = &orbit->work->formula;
    struct orbit_point is = state_point(orbit),
                       z = orbit->z[n < saved->length ? n : n - saved->period];
    struct orbit_point before = n ? orbit->z[n - 1] : (struct orbit_point){0, 0};
    bool same = is.x == z.x && is.y == z.y;
    return same && (numbers->by_last == 0 || (mpfr_get_d(numbers->last_x, MPFR_RNDN) == before.x &&
                                              mpfr_get_d(numbers->last_y, MPFR_RNDN) == before.y));
}

/* Takes the saved numbers. False: they are not those of the points. */
static bool state_take(struct orbit *orbit, const struct orbit_return *from)
{
    const struct orbit_saved *saved = &from->saved;
    orbit->work->formula.phase = phase_at(orbit, saved->steps);
    orbit->work->formula.seen_phase = phase_at(orbit, saved->seen);
    orbit_numbers_take(orbit, NUMBERS_OF_Z, from, NUMBERS_SEEN);
    bool was_seen = !saved->seen || state_is(orbit, saved, saved->seen);
    orbit_numbers_take(orbit, NUMBERS_SEEN, from, NUMBERS_SEEN);
    orbit_numbers_take(orbit, NUMBERS_OF_Z, from, NUMBERS_OF_Z);
    return is_done(saved) || (was_seen && state_is(orbit, saved, saved->steps));
}

/* Is the z that closes a cycle, which is that of a period ago, a nucleus? That is tested first. */
static bool closes_at_nucleus(const struct orbit *orbit)
{
    const struct nucleus *nucleus = &orbit->work->nucleus;
    int64_t index = orbit->length - orbit->period;
    int64_t n = 0;
    while (n < orbit->tiny_count && orbit->tiny[n].index != index)
        n++;
    if (!nucleus->alive)
        return false;
    if (n == orbit->tiny_count)
        return nucleus_proven(nucleus, orbit->z[index].x, orbit->z[index].y, 0);
    const struct orbit_tiny *tiny = &orbit->tiny[n];
    return nucleus_proven(nucleus, tiny->x, tiny->y, tiny->exponent);
}

/* Takes the saved end, of an orbit that no nucleus of this disc ended before. */
static bool end_take(struct orbit *orbit, const struct orbit_saved *saved)
{
    struct orbit_work *work = orbit->work;
    work->seen = saved->seen;
    work->next = saved->next;
    if (saved->end == ORBIT_NUCLEUS) { /* one of another disc, where cycles were not tested */
        orbit_watch_cycle(orbit, &orbit->z[orbit->length - 1]);
        return true;
    }
    orbit->end = (enum orbit_end)saved->end;
    orbit->period = saved->period;
    return orbit->end != ORBIT_CYCLE || !closes_at_nucleus(orbit);
}

static bool restore_one(struct orbit *orbit, const struct orbit_return *from, int64_t limit)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t points = orbit_return_points(saved, limit), steps = orbit_return_steps(saved, limit);
    bool good = orbit_values_hold(orbit, from, limit) && steps_hold_anew(orbit, from, limit);
    arrays_take(orbit, from, points);
    if (!good)
        return false;
    nucleus_find(orbit, from, points);
    if (orbit->end == ORBIT_NUCLEUS) {
        orbit->work->stage = STAGE_CUT;
        return true;
    }
    points_take(orbit, from, points);
    if (is_formula(orbit))
        errors_follow(orbit, steps);
    if (steps < saved->steps) {
        orbit->work->stage = STAGE_CUT;
        return true;
    }
    return state_take(orbit, from) && end_take(orbit, saved);
}

bool orbit_restore(struct orbit *orbit, struct orbit_return from[ORBIT_CHAIN_MOST], int64_t limit)
{
    bool good = true;
    for (; orbit && good; orbit = orbit->critical, from++) {
        good = restore_one(orbit, from, limit);
        *from = (struct orbit_return){.saved = from->saved, .numbers = from->numbers};
    }
    return good;
}

void orbit_return_free(struct orbit_return from[ORBIT_CHAIN_MOST])
{
    for (int i = 0; i < ORBIT_CHAIN_MOST; i++) {
        free(from[i].z);
        free(from[i].tape);
        free(from[i].tiny);
        free(from[i].small);
        free(from[i].numbers);
    }
}
