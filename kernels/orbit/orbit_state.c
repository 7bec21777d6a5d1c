#include "kernels/orbit/orbit_state.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/orbit_work.h"

enum status orbit_identity(const struct orbit *orbit, char **text)
{
    const struct work *work = orbit->work;
    char *made = NULL;
    int length =
        mpfr_asprintf(&made, "orbit %d: %ld limbs up to %a of %Ra %Ra", ORBIT_STATE_VERSION,
                      (long)work->fixed.limbs, work->options.radius, work->cx, work->cy);
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

static bool tiny_hold(const struct orbit_return *from)
{
    int64_t before = 0;
    for (int64_t i = 0; i < from->saved.tiny_count; before = from->tiny[i++].index)
        if (from->tiny[i].index <= before)
            return false;
    return before < from->saved.length;
}

/* Nothing that could lead out of an array. */
static bool holds_together(const struct orbit *orbit, const struct orbit_return *from)
{
    const struct orbit_saved *saved = &from->saved;
    bool periodic = saved->end == ORBIT_CYCLE || saved->end == ORBIT_NUCLEUS;
    return saved->limbs == orbit->work->fixed.limbs && saved->length >= 1 &&
           saved->tiny_count >= 0 && saved->end >= ORBIT_LIMIT && saved->end <= ORBIT_NUCLEUS &&
           (periodic ? saved->period >= 1 && saved->period <= saved->length : saved->period == 0) &&
           saved->seen >= 0 && saved->seen < saved->length &&
           saved->next == (saved->seen ? 2 * saved->seen : 1) && tiny_hold(from);
}

static void arrays_take(struct orbit *orbit, const struct orbit_return *from, int64_t points)
{
    struct work *work = orbit->work;
    free(work->point);
    free(work->tiny);
    orbit->z = work->point = from->z;
    orbit->tiny = work->tiny = from->tiny;
    work->capacity = points;
    work->tiny_capacity = from->tiny ? from->saved.tiny_count : 0;
}

static void points_take(struct orbit *orbit, const struct orbit_saved *saved, int64_t length)
{
    orbit->length = length;
    while (orbit->tiny_count < saved->tiny_count && orbit->tiny[orbit->tiny_count].index < length)
        orbit->tiny_count++;
}

/* Goes along the points as computing did, until a nucleus is proven or cannot be any more. */
static void nucleus_find(struct orbit *orbit, const struct orbit_saved *saved, int64_t length)
{
    const volatile int *stop = orbit->work->options.stop;
    while (orbit->length < length && orbit->end == ORBIT_LIMIT && orbit->work->nucleus.alive) {
        const struct orbit_point *point = &orbit->z[orbit->length];
        if (point->x * point->x + point->y * point->y > FIXED_NORM_MAX ||
            (stop && __atomic_load_n(stop, __ATOMIC_RELAXED)))
            return;
        points_take(orbit, saved, orbit->length + 1);
        orbit_watch_nucleus(orbit, point);
    }
}

static void numbers_take(struct fixed *fixed, const struct orbit_return *from)
{
    struct fixed_real *const list[ORBIT_NUMBERS] = {&fixed->x, &fixed->y, &fixed->seen_x,
                                                    &fixed->seen_y};
    const uint64_t *numbers = from->numbers;
    for (int i = 0; i < ORBIT_NUMBERS; i++, numbers += fixed->limbs) {
        memcpy(list[i]->limb, numbers, (size_t)fixed->limbs * sizeof *numbers);
        list[i]->negative = from->saved.negative >> i & 1;
    }
}

/* Is z the number that the points lead to? */
static bool numbers_fit(const struct orbit *orbit, const struct orbit_saved *saved)
{
    const struct fixed *fixed = &orbit->work->fixed;
    int64_t back = saved->end == ORBIT_CYCLE ? saved->period : 1;
    const struct orbit_point *z = &orbit->z[saved->length - back];
    return saved->end == ORBIT_ESCAPED ||
           (fixed_double(fixed, &fixed->x) == z->x && fixed_double(fixed, &fixed->y) == z->y);
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
    if (!holds_together(orbit, from))
        return false;
    nucleus_find(orbit, saved, points);
    bool whole = points == saved->length && (saved->end != ORBIT_CYCLE || limit >= points);
    if (orbit->end == ORBIT_NUCLEUS || !whole) {
        if (orbit->end != ORBIT_NUCLEUS)
            points_take(orbit, saved, points);
        orbit->work->stage = STAGE_CUT;
        return true;
    }
    points_take(orbit, saved, points);
    numbers_take(&orbit->work->fixed, from);
    return numbers_fit(orbit, saved) && end_take(orbit, saved);
}
