#include "kernels/orbit/orbit_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/orbit/orbit_work.h"

/* Of any formula: bits, and what the orbit begins with. */
static int identity_print(const struct orbit *orbit, char **made)
{
    const struct work *work = orbit->work;
    const struct formula *formula = &orbit->formula;
    char text[FORMULA_TEXT_BYTES];
    if (work->stage != STAGE_FORMULA)
        return mpfr_asprintf(made, "orbit %d: %ld limbs up to %a of %Ra %Ra", ORBIT_STATE_VERSION,
                             (long)work->fixed.limbs, work->options.radius, work->cx, work->cy);
    return mpfr_asprintf(
        made,
        "orbit %d: %ld bits up to %a of %s, plane %d, %a %a, start %d in phase %d, "
        "%Ra %Ra",
        ORBIT_STATE_VERSION, orbit->bits, work->options.radius, formula_text(formula, text),
        (int)formula->plane, formula->c_re, formula->c_im, (int)work->options.start, orbit->phase,
        work->cx, work->cy);
}

enum status orbit_identity(const struct orbit *orbit, char **text)
{
    char *made = NULL;
    int length = identity_print(orbit, &made);
    *text = length < 0 ? NULL : strdup(made);
    if (length >= 0)
        mpfr_free_str(made);
    return *text ? STATUS_OK
                 : status_fail(STATUS_OUT_OF_MEMORY,
                               "no memory for the text of a centre of %ld bits", orbit->bits);
}

static const struct fixed_real *numbers_of(const struct fixed *fixed, int number)
{
    const struct fixed_real *const list[ORBIT_NUMBERS] = {&fixed->x, &fixed->y, &fixed->seen_x,
                                                          &fixed->seen_y};
    return list[number];
}

bool orbit_save(const struct orbit *orbit, struct orbit_saved *saved)
{
    const struct work *work = orbit->work;
    if (!work->fixed.limbs || (work->stage != STAGE_FIXED && orbit->end != ORBIT_ESCAPED))
        return false;
    *saved = (struct orbit_saved){.length = orbit->length,
                                  .tiny_count = orbit->tiny_count,
                                  .limbs = work->fixed.limbs,
                                  .period = orbit->period,
                                  .seen = work->seen,
                                  .next = work->next,
                                  .end = (int32_t)orbit->end};
    for (int i = 0; i < ORBIT_NUMBERS; i++)
        saved->negative |= (uint32_t)numbers_of(&work->fixed, i)->negative << i;
    return true;
}

void orbit_save_numbers(const struct orbit *orbit, uint64_t *numbers)
{
    const struct fixed *fixed = &orbit->work->fixed;
    for (int i = 0; i < ORBIT_NUMBERS; i++, numbers += fixed->limbs)
        memcpy(numbers, numbers_of(fixed, i)->limb, (size_t)fixed->limbs * sizeof *numbers);
}

int64_t orbit_return_points(const struct orbit_saved *saved, int64_t limit)
{
    return saved->length - 1 > limit ? limit + 1 : saved->length;
}

/* ---- is it consistent? ---- */

/* z is remembered at 1, 2, 4, ...; the last of them that was judged before the end. */
static bool seen_fits(const struct orbit_saved *saved)
{
    int64_t last = saved->end == ORBIT_NUCLEUS ? saved->length - 2 : saved->length - 1;
    int64_t seen = saved->seen;
    if (seen < 0 || seen >= saved->length || (seen & (seen - 1)) != 0 ||
        saved->next != (seen ? 2 * seen : 1))
        return false;
    switch ((enum orbit_end)saved->end) {
    case ORBIT_ESCAPED: /* it will not be asked for */
        return true;
    case ORBIT_CYCLE:
        return seen && seen == saved->length - saved->period;
    default:
        return seen <= last && (seen ? 2 * seen > last : last < 1);
    }
}

bool orbit_saved_fits(const struct orbit *orbit, const struct orbit_saved *saved)
{
    if (saved->limbs != orbit->work->fixed.limbs || saved->length < 1 ||
        saved->length > INT64_MAX / 4 || saved->tiny_count < 0 ||
        saved->tiny_count >= saved->length || saved->end < ORBIT_LIMIT ||
        saved->end > ORBIT_NUCLEUS || saved->negative >> ORBIT_NUMBERS)
        return false;
    if (saved->end == ORBIT_CYCLE
            ? saved->period < 1 || saved->period > saved->length
            : saved->period != (saved->end == ORBIT_NUCLEUS ? saved->length - 1 : 0))
        return false;
    return (saved->end != ORBIT_NUCLEUS || saved->length > 1) && seen_fits(saved);
}

bool orbit_tiny_fits(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_tiny *tiny, int64_t before)
{
    double x = fabs(tiny->x), y = fabs(tiny->y), larger = x > y ? x : y;
    bool zero = larger == 0 && tiny->exponent == 0;
    bool scaled = larger >= 0.5 && larger < 1 && tiny->exponent <= ilogb(ORBIT_TINY) &&
                  tiny->exponent >= -orbit->work->fixed.fraction_bits;
    return tiny->index > before && tiny->index < saved->length && x >= 0 && y >= 0 &&
           (zero || scaled);
}

/* Each part of a step is off by the rounding of z, of c, of the three operations and of the result,
 * below 2^-50 of what is added, and by the error of the step itself. */
bool orbit_steps_fit(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_point *z, int64_t from, int64_t to)
{
    const struct work *work = orbit->work;
    double cx = mpfr_get_d(work->cx, MPFR_RNDN), cy = mpfr_get_d(work->cy, MPFR_RNDN);
    double size = fabs(cx) + fabs(cy), least = ldexp(1, (int)(2 - orbit->bits)) + 0x1p-1070;
    double radius = work->options.radius;
    if (from == 0 && (z[0].x != 0 || z[0].y != 0))
        return false;
    for (int64_t i = from ? from : 1; i < to; i++) {
        double x = z[i - 1].x, y = z[i - 1].y;
        double most = 0x1p-50 * (x * x + y * y + size) + least;
        bool fits =
            fabs(x * x - y * y + cx - z[i].x) <= most && fabs(2 * x * y + cy - z[i].y) <= most;
        bool escapes = hypot(z[i].x, z[i].y) > radius;
        if (!fits || escapes != (saved->end == ORBIT_ESCAPED && i == saved->length - 1))
            return false;
    }
    return true;
}

/* The same number, once with an exponent of its own. What is subnormal may be off by a unit. */
static bool tiny_is(const struct orbit_tiny *tiny, const struct orbit_point *z)
{
    return fabs(nucleus_power(tiny->x, tiny->exponent) - z->x) <= 0x1p-1073 &&
           fabs(nucleus_power(tiny->y, tiny->exponent) - z->y) <= 0x1p-1073;
}

/* Exactly the points that are tiny are in the list of those. */
static bool tiny_hold(const struct orbit *orbit, const struct orbit_return *from, int64_t points)
{
    const struct orbit_tiny *tiny = from->tiny, *end = tiny + from->tiny_count;
    int64_t before = 0;
    for (int64_t i = 1; i < points; i++) {
        const struct orbit_point *z = &from->z[i];
        bool listed = tiny < end && tiny->index == i;
        if ((fabs(z->x) < ORBIT_TINY && fabs(z->y) < ORBIT_TINY) != listed)
            return false;
        if (listed && !(orbit_tiny_fits(orbit, &from->saved, tiny, before) && tiny_is(tiny, z)))
            return false;
        before = listed ? tiny++->index : before;
    }
    return tiny == end;
}

/* ---- the steps that are taken anew ---- */

static bool number_is(const struct fixed *fixed, const struct fixed_real *real,
                      const struct orbit_return *from, int number)
{
    const uint64_t *limb = from->numbers + (size_t)number * (size_t)fixed->limbs;
    return real->negative == (from->saved.negative >> number & 1) &&
           !memcmp(real->limb, limb, (size_t)fixed->limbs * sizeof *limb);
}

static bool state_is(const struct fixed *fixed, const struct orbit_return *from)
{
    return number_is(fixed, &fixed->x, from, 0) && number_is(fixed, &fixed->y, from, 1);
}

/* Does the orbit that was computed anew, which is as long or longer or has ended, go and end as the
 * saved one? `whole`: all of that is here. */
static bool ends_alike(const struct orbit *again, const struct orbit_return *from, int64_t points,
                       bool whole)
{
    const struct orbit_saved *saved = &from->saved;
    if (again->length < points) { /* a nucleus was asked for first at the z that closes a cycle */
        const struct orbit_point *last = &from->z[points - 1];
        const struct orbit_point *same = &again->z[again->length - again->period];
        return again->end == ORBIT_CYCLE && whole && saved->end == ORBIT_NUCLEUS &&
               again->length == points - 1 && last->x == same->x && last->y == same->y;
    }
    if (!whole)
        return again->end != ORBIT_ESCAPED;
    if (saved->end == ORBIT_ESCAPED || saved->end == ORBIT_CYCLE)
        return (int)again->end == saved->end && again->period == saved->period;
    return again->end == ORBIT_LIMIT;
}

/* From the remembered z to the last one, in `fixed`. */
static bool last_steps_hold(struct fixed *fixed, const struct orbit_return *from)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t last = saved->end == ORBIT_CYCLE ? saved->length : saved->length - 1;
    for (int64_t i = saved->seen;; i++) {
        const struct orbit_point *z = &from->z[i < saved->length ? i : i - saved->period];
        if (fixed_double(fixed, &fixed->x) != z->x || fixed_double(fixed, &fixed->y) != z->y)
            return false;
        if (i == last)
            return state_is(fixed, from);
        fixed_step(fixed);
    }
}

static void number_take(struct fixed *fixed, struct fixed_real *real,
                        const struct orbit_return *from, int number)
{
    const uint64_t *limb = from->numbers + (size_t)number * (size_t)fixed->limbs;
    memcpy(real->limb, limb, (size_t)fixed->limbs * sizeof *limb);
    real->negative = from->saved.negative >> number & 1;
}

/* `again`: the first steps, computed. */
static bool steps_hold(struct orbit *again, const struct orbit_return *from, int64_t points,
                       int64_t most)
{
    const struct orbit_saved *saved = &from->saved;
    bool whole = points == saved->length;
    int64_t same = again->length < points ? again->length : points;
    struct fixed *fixed = &again->work->fixed;
    if (memcmp(again->z, from->z, (size_t)same * sizeof *again->z) != 0)
        return false;
    for (int64_t i = 0; i < again->tiny_count && again->tiny[i].index < same; i++)
        if (i >= from->tiny_count || memcmp(&again->tiny[i], &from->tiny[i], sizeof *again->tiny))
            return false;
    if (whole && again->work->seen == saved->seen && saved->end != ORBIT_ESCAPED &&
        !(number_is(fixed, &fixed->seen_x, from, 2) && number_is(fixed, &fixed->seen_y, from, 3)))
        return false;
    if (again->end != ORBIT_LIMIT || again->length >= points)
        return ends_alike(again, from, points, whole) &&
               (!whole || saved->end == ORBIT_ESCAPED || state_is(fixed, from));
    if (!whole || saved->end == ORBIT_ESCAPED || saved->length - saved->seen > most)
        return true;
    number_take(fixed, &fixed->x, from, 2);
    number_take(fixed, &fixed->y, from, 3);
    return last_steps_hold(fixed, from);
}

/* Steps of about 20 ms, by the products of limbs that they take. */
static int64_t steps_anew(const struct orbit *orbit)
{
    int64_t limbs = orbit->work->fixed.limbs;
    return ((int64_t)1 << 24) / (limbs * limbs + 16) + 1;
}

static bool steps_hold_anew(const struct orbit *orbit, const struct orbit_return *from,
                            int64_t points)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t most = steps_anew(orbit);
    int64_t wanted = points - 1 + (points == saved->length && saved->end == ORBIT_CYCLE);
    struct orbit again;
    bool good = orbit_create_again(&again, orbit) == STATUS_OK &&
                orbit_extend(&again, wanted < most ? wanted : most) == STATUS_OK &&
                steps_hold(&again, from, points, most);
    orbit_destroy(&again);
    return good;
}

/* ---- taking ---- */

static void arrays_take(struct orbit *orbit, const struct orbit_return *from, int64_t points)
{
    struct work *work = orbit->work;
    free(work->point);
    free(work->tiny);
    orbit->z = work->point = from->z;
    orbit->tiny = work->tiny = from->tiny;
    work->capacity = points;
    work->tiny_capacity = from->tiny ? from->tiny_count : 0;
}

static void points_take(struct orbit *orbit, const struct orbit_return *from, int64_t length)
{
    orbit->length = length;
    while (orbit->tiny_count < from->tiny_count && orbit->tiny[orbit->tiny_count].index < length)
        orbit->tiny_count++;
}

/* Goes along the points as computing did, until a nucleus is proven or cannot be any more. */
static void nucleus_find(struct orbit *orbit, const struct orbit_return *from, int64_t length)
{
    const volatile int *stop = orbit->work->options.stop;
    while (orbit->length < length && orbit->end == ORBIT_LIMIT && orbit->work->nucleus.alive) {
        const struct orbit_point *point = &orbit->z[orbit->length];
        if (point->x * point->x + point->y * point->y > FIXED_NORM_MAX ||
            (stop && __atomic_load_n(stop, __ATOMIC_RELAXED)))
            return;
        points_take(orbit, from, orbit->length + 1);
        orbit_watch_nucleus(orbit, point);
    }
}

static void numbers_take(struct fixed *fixed, const struct orbit_return *from)
{
    number_take(fixed, &fixed->x, from, 0);
    number_take(fixed, &fixed->y, from, 1);
    number_take(fixed, &fixed->seen_x, from, 2);
    number_take(fixed, &fixed->seen_y, from, 3);
}

/* Are z and the remembered one the numbers that the points lead to? */
static bool numbers_fit(const struct orbit *orbit, const struct orbit_saved *saved)
{
    const struct fixed *fixed = &orbit->work->fixed;
    int64_t back = saved->end == ORBIT_CYCLE ? saved->period : 1;
    const struct orbit_point *z = &orbit->z[saved->length - back], *seen = &orbit->z[saved->seen];
    return saved->end == ORBIT_ESCAPED ||
           (fixed_double(fixed, &fixed->x) == z->x && fixed_double(fixed, &fixed->y) == z->y &&
            fixed_double(fixed, &fixed->seen_x) == seen->x &&
            fixed_double(fixed, &fixed->seen_y) == seen->y);
}

/* The z that closes a cycle is asked first whether it is a nucleus; it is that of a period ago. */
static bool closes_at_nucleus(const struct orbit *orbit)
{
    const struct nucleus *nucleus = &orbit->work->nucleus;
    int64_t index = orbit->length - orbit->period;
    const struct orbit_tiny *tiny = orbit->tiny, *end = tiny + orbit->tiny_count;
    while (tiny < end && tiny->index != index)
        tiny++;
    if (!nucleus->alive)
        return false;
    return tiny < end ? nucleus_proven(nucleus, tiny->x, tiny->y, tiny->exponent)
                      : nucleus_proven(nucleus, orbit->z[index].x, orbit->z[index].y, 0);
}

/* How did it end, if a nucleus of this disc did not end it before? */
static bool end_take(struct orbit *orbit, const struct orbit_saved *saved)
{
    struct work *work = orbit->work;
    work->seen = saved->seen;
    work->next = saved->next;
    if (saved->end == ORBIT_NUCLEUS) { /* of another disc, and then cycles were not looked for */
        orbit_watch_cycle(orbit, &orbit->z[orbit->length - 1]);
        return true;
    }
    orbit->end = (enum orbit_end)saved->end;
    orbit->period = saved->period;
    return orbit->end != ORBIT_CYCLE || !closes_at_nucleus(orbit);
}

bool orbit_restore(struct orbit *orbit, const struct orbit_return *from, int64_t limit)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t points = orbit_return_points(saved, limit);
    arrays_take(orbit, from, points);
    if (!orbit_saved_fits(orbit, saved) || !tiny_hold(orbit, from, points) ||
        !orbit_steps_fit(orbit, saved, from->z, 0, points) || !steps_hold_anew(orbit, from, points))
        return false;
    nucleus_find(orbit, from, points);
    bool whole = points == saved->length && (saved->end != ORBIT_CYCLE || limit >= points);
    if (orbit->end == ORBIT_NUCLEUS || !whole) {
        if (orbit->end != ORBIT_NUCLEUS)
            points_take(orbit, from, points);
        orbit->work->stage = STAGE_CUT;
        return true;
    }
    points_take(orbit, from, points);
    numbers_take(&orbit->work->fixed, from);
    return numbers_fit(orbit, saved) && end_take(orbit, saved);
}
