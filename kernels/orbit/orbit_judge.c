#include "kernels/orbit/orbit_state.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/orbit/orbit_work.h"
#include "kernels/orbit/step_ball.h"

#define EXPONENT_MOST ((int64_t)1 << 62) /* as MPFR's */

/* Is the remembered z the last of z_1, z_2, z_4, ... before the end? */
static bool seen_fits(const struct orbit_saved *saved)
{
    int64_t last = saved->end == ORBIT_NUCLEUS ? saved->length - 2 : saved->length - 1;
    int64_t seen = saved->seen;
    if (seen < 0 || seen >= saved->length || (seen & (seen - 1)) != 0 ||
        saved->next != (seen ? 2 * seen : 1))
        return false;
    switch ((enum orbit_end)saved->end) {
    case ORBIT_ESCAPED: /* not needed any more */
    case ORBIT_OVER:
        return true;
    case ORBIT_CYCLE:
        return seen && seen == saved->length - saved->period;
    default:
        return seen <= last && (seen ? 2 * seen > last : last < 1);
    }
}

/* May an orbit of this arithmetic end so? */
static bool end_fits(const struct orbit *orbit, const struct orbit_saved *saved)
{
    int64_t more = saved->steps - (saved->length - 1);
    switch (saved->end) {
    case ORBIT_LIMIT:
    case ORBIT_ESCAPED:
        return saved->period == 0 && more == 0;
    case ORBIT_CYCLE:
        return saved->period >= 1 && saved->period <= saved->length && more == 1;
    case ORBIT_NUCLEUS:
        return !is_formula(orbit) && saved->period == saved->length - 1 && saved->length > 1 &&
               more == 0;
    case ORBIT_OVER:
        return orbit->work->formula.rational.open && saved->period == 0 &&
               (more == 1 || (more == 0 && saved->length > 1));
    default:
        return false;
    }
}

bool orbit_saved_fits(const struct orbit *orbit, const struct orbit_saved *saved)
{
    int64_t tiny_most = orbit->work->formula.rational.open ? 1 : saved->length;
    int64_t values = is_formula(orbit) ? 1 + orbit->tape_width : 0;
    return saved->limbs == limbs_of(orbit) && saved->length >= 1 &&
           saved->length <= INT64_MAX / 4 / (FORMULA_OPERATIONS_MAX + 1) &&
           saved->tiny_count >= 0 && saved->tiny_count < tiny_most && saved->small_count >= 0 &&
           saved->small_count <= values * saved->length &&
           !(saved->negative >> ORBIT_NUMBERS_MOST) && end_fits(orbit, saved) && seen_fits(saved);
}

bool orbit_tiny_fits(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_tiny *tiny, int64_t before)
{
    double x = fabs(tiny->x), y = fabs(tiny->y), larger = x > y ? x : y;
    bool zero = larger == 0 && tiny->exponent == 0;
    bool scaled =
        larger >= 0.5 && larger < 1 && tiny->exponent <= ilogb(ORBIT_TINY) &&
        tiny->exponent >=
            (is_formula(orbit) ? -EXPONENT_MOST : -(int64_t)orbit->work->fixed.fraction_bits);
    return tiny->index > before && tiny->index < saved->length && x >= 0 && y >= 0 &&
           (zero || scaled);
}

/* Is `part` below the doubles' range, or beyond that of a formula that divides? */
static bool part_leaves(const struct orbit *orbit, double mantissa, int64_t exponent)
{
    const int64_t least = ilogb(ORBIT_TINY);
    return mantissa != 0 &&
           (exponent <= least + 1 || (orbit->work->formula.rational.open && exponent > -least));
}

static bool part_scaled(double mantissa, int64_t exponent)
{
    double size = fabs(mantissa);
    return (size >= 0.5 && size < 1 && exponent >= -EXPONENT_MOST && exponent <= EXPONENT_MOST) ||
           (size == 0 && exponent == 0);
}

bool orbit_small_within(const struct orbit_small *small, int64_t points, int64_t steps)
{
    return small->index < (small->slot == ORBIT_POINT ? points : steps);
}

bool orbit_small_fits(const struct orbit *orbit, const struct orbit_saved *saved,
                      const struct orbit_small *small, const struct orbit_small *before)
{
    bool rises = !before || small->index > before->index ||
                 (small->index == before->index && small->slot > before->slot);
    return rises && small->zero == 0 && small->index >= 0 && small->slot >= ORBIT_POINT &&
           small->slot < orbit->tape_width &&
           orbit_small_within(small, saved->length, saved->steps) &&
           part_scaled(small->x, small->x_exponent) && part_scaled(small->y, small->y_exponent) &&
           (part_leaves(orbit, small->x, small->x_exponent) ||
            part_leaves(orbit, small->y, small->y_exponent));
}

/* The error of a step of z^2 + c itself. */
static double least_of(const struct orbit *orbit)
{
    return ldexp(1, (int)(2 - orbit->bits)) + 0x1p-1070;
}

/* Each part of a step is off by the rounding of z, of c, of the three operations and of the result,
 * below 2^-50 of their terms, and by `least`. */
static bool fixed_step_fits(const struct orbit *orbit, struct orbit_point from,
                            struct orbit_point to, double least)
{
    double cx = orbit->c.x, cy = orbit->c.y, x = from.x, y = from.y;
    double most = 0x1p-50 * (x * x + y * y + fabs(cx) + fabs(cy)) + least;
    return fabs(x * x - y * y + cx - to.x) <= most && fabs(2 * x * y + cy - to.y) <= most;
}

static void balls_of(const struct orbit *orbit, const struct orbit_point *z, int64_t i,
                     struct step_balls *balls)
{
    const struct formula_numbers *numbers = &orbit->work->formula;
    int phase = (int)((orbit->phase + i) % formula_phases(&orbit->formula));
    struct orbit_point last = i ? z[i - 1] : (struct orbit_point){0, 0};
    step_balls(balls, numbers, orbit->bits, phase, z[i], last, orbit->c);
}

static bool formula_step_fits(const struct orbit *orbit, const struct orbit_point *z, int64_t i)
{
    struct step_balls balls;
    balls_of(orbit, z, i - 1, &balls);
    return ball_holds(&balls.next, z[i]);
}

/* How would it end there, if that closes no cycle? */
static enum orbit_end end_at(const struct orbit *orbit, const struct orbit_point *z, int64_t i)
{
    if (is_formula(orbit))
        return orbit_formula_end(orbit, z[i], z[i - 1]);
    return hypot(z[i].x, z[i].y) > orbit->work->options.radius ? ORBIT_ESCAPED : ORBIT_LIMIT;
}

/* The end that its last point shows. */
static enum orbit_end end_of(const struct orbit_saved *saved)
{
    bool ends =
        saved->end == ORBIT_ESCAPED || (saved->end == ORBIT_OVER && saved->steps < saved->length);
    return ends ? (enum orbit_end)saved->end : ORBIT_LIMIT;
}

bool orbit_steps_fit(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_point *z, int64_t from, int64_t to)
{
    double least = least_of(orbit);
    if (from == 0 && memcmp(z, orbit->z, sizeof *z) != 0)
        return false;
    for (int64_t i = from ? from : 1; i < to; i++) {
        bool fits = is_formula(orbit) ? formula_step_fits(orbit, z, i)
                                      : fixed_step_fits(orbit, z[i - 1], z[i], least);
        bool last = i == saved->length - 1;
        if (!fits || end_at(orbit, z, i) != (last ? end_of(saved) : ORBIT_LIMIT))
            return false;
    }
    return true;
}

bool orbit_tape_fits(const struct orbit *orbit, const struct orbit_point *z,
                     const struct orbit_point *tape, int64_t from, int64_t to)
{
    struct step_balls balls;
    for (int64_t i = from; i < to && orbit->tape_width; i++) {
        const struct orbit_point *row = tape + i * orbit->tape_width;
        balls_of(orbit, z, i, &balls);
        for (int slot = 0; slot < orbit->tape_width; slot++)
            if (slot < balls.tape_width ? !ball_holds(&balls.tape[slot], row[slot])
                                        : row[slot].x != 0 || row[slot].y != 0)
                return false;
    }
    return true;
}

/* Is `part` the number mantissa 2^exponent? A subnormal one may be off by a unit. */
static bool part_is(double mantissa, int64_t exponent, double part)
{
    double value = scaled_double(mantissa, exponent);
    return value == part || fabs(value - part) <= 0x1p-1073;
}

/* Exactly the points that are tiny are in the list of those; formulas that divide have none. */
static bool tiny_hold(const struct orbit *orbit, const struct orbit_return *from, int64_t points)
{
    bool none = orbit->work->formula.rational.open;
    int64_t before = 0, n = 0;
    for (int64_t i = 1; i < points; i++) {
        const struct orbit_point *z = &from->z[i];
        bool listed = n < from->tiny_count && from->tiny[n].index == i;
        if ((fabs(z->x) < ORBIT_TINY && fabs(z->y) < ORBIT_TINY && !none) != listed)
            return false;
        if (!listed)
            continue;
        const struct orbit_tiny *tiny = &from->tiny[n++];
        if (!orbit_tiny_fits(orbit, &from->saved, tiny, before) ||
            !part_is(tiny->x, tiny->exponent, z->x) || !part_is(tiny->y, tiny->exponent, z->y))
            return false;
        before = i;
    }
    return n == from->tiny_count;
}

/* Is the double enough to hold `part`? The last point of an orbit that escapes may be infinite. */
static bool part_plain(const struct orbit *orbit, double part, bool last)
{
    double size = fabs(part);
    double most = orbit->work->formula.rational.open ? 1 / ORBIT_TINY : DBL_MAX;
    return size == 0 || (size >= ORBIT_TINY && (size <= most || last));
}

/* Do double and list agree? small: NULL: the value is not in the list. */
static bool value_holds(const struct orbit *orbit, const struct orbit_point *value,
                        const struct orbit_small *small, bool last)
{
    return small ? part_is(small->x, small->x_exponent, value->x) &&
                       part_is(small->y, small->y_exponent, value->y)
                 : part_plain(orbit, value->x, last) && part_plain(orbit, value->y, last);
}

/* Exactly the values that leave the doubles are in the list of those. */
static bool small_hold(const struct orbit *orbit, const struct orbit_return *from, int64_t points,
                       int64_t steps)
{
    const struct orbit_small *small = NULL;
    int64_t n = 0;
    int width = orbit->tape_width;
    for (int64_t i = 0; i < points; i++)
        for (int slot = ORBIT_POINT; slot < (i < steps ? width : 0); slot++) {
            const struct orbit_small *next = n < from->small_count ? &from->small[n] : NULL;
            bool listed = next && next->index == i && next->slot == slot;
            bool last = slot == ORBIT_POINT && i == from->saved.length - 1;
            const struct orbit_point *value =
                slot == ORBIT_POINT ? &from->z[i] : &from->tape[i * width + slot];
            if (!value_holds(orbit, value, listed ? next : NULL, last) ||
                (listed && !orbit_small_fits(orbit, &from->saved, next, small)))
                return false;
            small = listed ? next : small;
            n += listed;
        }
    return n == from->small_count;
}

/* Does the last step, which leads to no point of its own, close the cycle, or may there be no such
 * number? */
static bool close_fits(const struct orbit *orbit, const struct orbit_return *from)
{
    const struct orbit_saved *saved = &from->saved;
    const struct orbit_point *last = &from->z[saved->length - 1];
    const struct orbit_point *again = last + 1 - saved->period;
    struct step_balls balls;
    if (saved->steps < saved->length)
        return true;
    if (!is_formula(orbit))
        return fixed_step_fits(orbit, *last, *again, least_of(orbit));
    balls_of(orbit, from->z, saved->length - 1, &balls);
    return saved->end == ORBIT_CYCLE ? ball_holds(&balls.next, *again) : !isfinite(balls.next.e);
}

bool orbit_values_hold(const struct orbit *orbit, const struct orbit_return *from, int64_t limit)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t points = orbit_return_points(saved, limit), steps = orbit_return_steps(saved, limit);
    return orbit_saved_fits(orbit, saved) && tiny_hold(orbit, from, points) &&
           orbit_steps_fit(orbit, saved, from->z, from->points_fit, points) &&
           (steps < saved->steps || close_fits(orbit, from)) &&
           (!is_formula(orbit) ||
            (orbit_tape_fits(orbit, from->z, from->tape, from->tape_fits, steps) &&
             small_hold(orbit, from, points, steps)));
}
