#include "kernels/orbit/orbit.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/formula/rational.h"
#include "kernels/orbit/device/device_steps.h"
#include "kernels/orbit/orbit_work.h"
#include "kernels/orbit/team.h"
#include "kernels/stop.h"

enum {
    POINTS_FIRST = 1024,
    TINY_FIRST = 16,
    SMALL_FIRST = 2 * FORMULA_OPERATIONS_MAX, /* more than a step has */
    BATCH_MOST = 1 << 16,                     /* steps */
    BATCHES_PER_TRIAL = 32 /* batches between trials of the slower number of threads */
};
#define BATCH_S 0.005

/* ---- points ---- */

/* Resizes the points and, where there is one, the tape of the steps from them. */
static enum status points_resize(struct orbit *orbit, int64_t more)
{
    struct orbit_work *work = orbit->work;
    void *grown = realloc(work->point, (size_t)more * sizeof *work->point);
    if (grown)
        orbit->z = work->point = grown;
    if (grown && orbit->tape_width) {
        grown = realloc(work->tape, (size_t)more * (size_t)orbit->tape_width * sizeof *work->tape);
        if (grown)
            orbit->tape = work->tape = grown;
    }
    if (grown)
        work->capacity = more;
    return grown ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static enum status points_grow(struct orbit *orbit, int64_t limit)
{
    struct orbit_work *work = orbit->work;
    size_t bytes = (1 + (size_t)orbit->tape_width) * sizeof *work->point;
    int64_t more = work->capacity ? 2 * work->capacity : POINTS_FIRST;
    if (more - 1 > limit)
        more = limit + 1; /* not below length + 1: there is a step to go */
    uint64_t most = work->options.bytes_max / bytes;
    if (work->options.bytes_max && (uint64_t)more > most)
        more = (int64_t)most;
    if (more <= orbit->length)
        return status_fail(STATUS_TOO_LARGE,
                           "the reference orbit has %lld of up to %llu points and may take no more "
                           "than %llu bytes (%zu for a point)",
                           (long long)orbit->length, (unsigned long long)limit + 1,
                           (unsigned long long)work->options.bytes_max, bytes);
    if (points_resize(orbit, more) != STATUS_OK)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for %lld points of a reference orbit (%llu bytes); it has "
                           "%lld of up to %llu",
                           (long long)more, (unsigned long long)more * bytes,
                           (long long)orbit->length, (unsigned long long)limit + 1);
    return STATUS_OK;
}

static enum status tiny_grow(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    int64_t more = work->tiny_capacity ? 2 * work->tiny_capacity : TINY_FIRST;
    void *grown = realloc(work->tiny, (size_t)more * sizeof *work->tiny);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for %lld points near zero of a reference orbit",
                           (long long)more);
    orbit->tiny = work->tiny = grown;
    work->tiny_capacity = more;
    return STATUS_OK;
}

/* Makes room for all values of a step. */
static enum status small_grow(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    int64_t more = 2 * work->small_capacity + SMALL_FIRST;
    void *grown = realloc(work->small, (size_t)more * sizeof *work->small);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for %lld small values of a reference orbit", (long long)more);
    orbit->small = work->small = grown;
    work->small_capacity = more;
    return STATUS_OK;
}

enum status orbit_room_make(struct orbit *orbit, int64_t limit)
{
    struct orbit_work *work = orbit->work;
    if (orbit->length == work->capacity)
        TRY(points_grow(orbit, limit));
    if (work->stage == STAGE_FORMULA && work->small_capacity - orbit->small_count < SMALL_FIRST)
        TRY(small_grow(orbit));
    return orbit->tiny_count == orbit->work->tiny_capacity ? tiny_grow(orbit) : STATUS_OK;
}

static void tiny_add(struct orbit *orbit, struct scaled x, struct scaled y)
{
    struct orbit_work *work = orbit->work;
    bool of_x = y.mantissa == 0 || (x.mantissa != 0 && x.exponent > y.exponent);
    int64_t exponent = of_x ? x.exponent : y.exponent;
    work->tiny[orbit->tiny_count++] =
        (struct orbit_tiny){.index = orbit->length,
                            .exponent = exponent,
                            .x = scaled_double(x.mantissa, x.exponent - exponent),
                            .y = scaled_double(y.mantissa, y.exponent - exponent)};
}

static void point_drop(struct orbit *orbit)
{
    orbit->length--;
    while (orbit->tiny_count && orbit->tiny[orbit->tiny_count - 1].index >= orbit->length)
        orbit->tiny_count--;
    while (orbit->small_count && orbit->small[orbit->small_count - 1].index >= orbit->length)
        orbit->small_count--;
}

static void end_with(struct orbit *orbit, enum orbit_end end, int64_t period)
{
    orbit->end = end;
    orbit->period = period;
}

/* ---- fixed point ---- */

static void tail_begin(struct orbit_work *work)
{
    work->stage = STAGE_TAIL;
    fixed_get(&work->fixed, &work->fixed.x, work->x);
    fixed_get(&work->fixed, &work->fixed.y, work->y);
}

/* Remembers z at indices 1, 2, 4, 8, ...: a cycle is closed one round after the last of them that
 * lies in it (R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980). */
void orbit_watch_cycle(struct orbit *orbit, const struct orbit_point *point)
{
    struct orbit_work *work = orbit->work;
    const struct orbit_point *seen = &work->point[work->seen];
    bool formula = work->stage == STAGE_FORMULA;
    if (work->seen && point->x == seen->x && point->y == seen->y &&
        (formula ? formula_numbers_seen(&work->formula) : fixed_seen(&work->fixed))) {
        end_with(orbit, ORBIT_CYCLE, orbit->length - 1 - work->seen);
        point_drop(orbit); /* it is z_seen */
    } else if (orbit->length - 1 == work->next) {
        if (formula)
            formula_numbers_remember(&work->formula);
        else
            fixed_remember(&work->fixed);
        work->seen = work->next;
        work->next *= 2;
    }
}

void orbit_watch_nucleus(struct orbit *orbit, const struct orbit_point *point)
{
    struct orbit_work *work = orbit->work;
    double x = point->x, y = point->y;
    int64_t exponent = 0;
    const struct orbit_tiny *tiny = orbit->tiny_count ? &orbit->tiny[orbit->tiny_count - 1] : NULL;
    if (tiny && tiny->index == orbit->length - 1) {
        x = tiny->x;
        y = tiny->y;
        exponent = tiny->exponent;
    }
    if (nucleus_proven(&work->nucleus, x, y, exponent))
        end_with(orbit, ORBIT_NUCLEUS, orbit->length - 1);
    else
        nucleus_step(&work->nucleus, x, y, exponent);
}

static bool is_tiny(struct orbit_point point)
{
    return fabs(point.x) < ORBIT_TINY && fabs(point.y) < ORBIT_TINY;
}

bool orbit_point_needs(const struct orbit *orbit, struct orbit_point point, bool differs)
{
    const struct orbit_work *work = orbit->work;
    const struct orbit_point *seen = &work->point[work->seen];
    double norm = point.x * point.x + point.y * point.y;
    bool ends = norm > work->options.radius * work->options.radius || norm > FIXED_NORM_MAX;
    bool closes = work->seen && point.x == seen->x && point.y == seen->y && !differs;
    return is_tiny(point) || ends || closes || orbit->length == work->next ||
           (work->nucleus.alive && nucleus_proven(&work->nucleus, point.x, point.y, 0));
}

void orbit_point_judge(struct orbit *orbit, struct orbit_point point)
{
    struct orbit_work *work = orbit->work;
    double norm = point.x * point.x + point.y * point.y;
    work->point[orbit->length++] = point;
    if (norm > work->options.radius * work->options.radius)
        end_with(orbit, ORBIT_ESCAPED, 0);
    else if (norm > FIXED_NORM_MAX)
        tail_begin(work);
    else if (work->nucleus.alive)
        orbit_watch_nucleus(orbit, &point);
}

void orbit_point_take(struct orbit *orbit)
{
    struct fixed *fixed = &orbit->work->fixed;
    struct orbit_point point = {fixed_double(fixed, &fixed->x), fixed_double(fixed, &fixed->y)};
    if (is_tiny(point))
        tiny_add(orbit, fixed_scaled(fixed, &fixed->x), fixed_scaled(fixed, &fixed->y));
    orbit_point_judge(orbit, point);
    if (orbit->end == ORBIT_LIMIT && orbit->work->stage == STAGE_FIXED)
        orbit_watch_cycle(orbit, &point);
}

struct orbit_batch {
    struct orbit *orbit;
    int64_t count, limit;
};

/* A team polls the clock after each step: on a busy machine one can take a hundred times as long as
 * another. The caller reports a stop. */
static enum status fixed_steps(void *argument, struct team *team)
{
    const struct orbit_batch *batch = argument;
    struct orbit *orbit = batch->orbit;
    struct orbit_work *work = orbit->work;
    double until = team ? omp_get_wtime() + BATCH_S : INFINITY;
    for (int64_t i = 0; i < batch->count; i++) {
        if (orbit->end != ORBIT_LIMIT || work->stage != STAGE_FIXED)
            break;
        if (i && ((team && omp_get_wtime() > until) || stop_asked(work->options.stop)))
            break;
        TRY(orbit_room_make(orbit, batch->limit));
        if (team)
            team_step(team);
        else
            fixed_step(&work->fixed);
        orbit_point_take(orbit);
    }
    return STATUS_OK;
}

/* ---- the tail ---- */

static enum status tail_step(struct orbit *orbit, int64_t limit)
{
    struct orbit_work *work = orbit->work;
    TRY(orbit_room_make(orbit, limit));
    mpfr_sqr(work->xx, work->x, MPFR_RNDN);
    mpfr_sqr(work->yy, work->y, MPFR_RNDN);
    mpfr_mul(work->y, work->x, work->y, MPFR_RNDN);
    mpfr_mul_2ui(work->y, work->y, 1, MPFR_RNDN);
    mpfr_add(work->y, work->y, work->cy, MPFR_RNDN);
    mpfr_sub(work->x, work->xx, work->yy, MPFR_RNDN);
    mpfr_add(work->x, work->x, work->cx, MPFR_RNDN);
    struct orbit_point point = {mpfr_get_d(work->x, MPFR_RNDN), mpfr_get_d(work->y, MPFR_RNDN)};
    work->point[orbit->length++] = point;
    if (hypot(point.x, point.y) > work->options.radius)
        end_with(orbit, ORBIT_ESCAPED, 0);
    return STATUS_OK;
}

/* ---- any formula ---- */

static struct scaled scaled_part(mpfr_srcptr number)
{
    long exponent = 0;
    double mantissa = mpfr_get_d_2exp(&exponent, number, MPFR_RNDN);
    return (struct scaled){mantissa, mantissa == 0 ? 0 : exponent};
}

static bool is_small(mpfr_srcptr number)
{
    return !mpfr_zero_p(number) && mpfr_get_exp(number) <= ilogb(ORBIT_TINY);
}

static bool is_large(mpfr_srcptr number)
{
    return mpfr_regular_p(number) && mpfr_get_exp(number) > -ilogb(ORBIT_TINY);
}

/* The value of a slot as doubles; adds it to small[] where those do not hold it. */
static struct orbit_point value_take(struct orbit *orbit, int64_t index, int slot, mpfr_srcptr x,
                                     mpfr_srcptr y)
{
    bool divides = orbit->work->formula.rational.open;
    if (is_small(x) || is_small(y) || (divides && (is_large(x) || is_large(y)))) {
        struct scaled sx = scaled_part(x), sy = scaled_part(y);
        orbit->work->small[orbit->small_count++] = (struct orbit_small){
            index, slot, 0, sx.mantissa, sy.mantissa, sx.exponent, sy.exponent};
    }
    /* + 0: no zero has a sign */
    return (struct orbit_point){mpfr_get_d(x, MPFR_RNDN) + 0, mpfr_get_d(y, MPFR_RNDN) + 0};
}

static void tape_take(void *context, int slot, mpfr_srcptr x, mpfr_srcptr y)
{
    struct orbit *orbit = context;
    int64_t index = orbit->length - 1;
    orbit->work->tape[index * orbit->tape_width + slot] = value_take(orbit, index, slot, x, y);
}

/* Zeroes the tape of a step, whose list may have fewer slots than another. */
static void tape_clear(struct orbit *orbit)
{
    int64_t first = (orbit->length - 1) * orbit->tape_width;
    for (int slot = 0; slot < orbit->tape_width; slot++)
        orbit->work->tape[first + slot] = (struct orbit_point){0, 0};
}

/* Is an orbit that came to `point` from `last` at rest, or a magnet's z at 1? */
static bool is_over(const struct orbit *orbit, struct orbit_point point, struct orbit_point last)
{
    bool magnet = orbit->work->formula.rational.magnet;
    double x = magnet ? point.x : point.x - last.x, y = magnet ? point.y : point.y - last.y;
    return hypot(x, y) * orbit->work->options.radius <= 1;
}

enum orbit_end orbit_formula_end(const struct orbit *orbit, struct orbit_point point,
                                 struct orbit_point last)
{
    const struct rational_numbers *rational = &orbit->work->formula.rational;
    if (rational->open && is_over(orbit, point, last))
        return ORBIT_OVER;
    bool escapes = !rational->open || rational->magnet;
    return escapes && hypot(point.x, point.y) > orbit->work->options.radius ? ORBIT_ESCAPED
                                                                            : ORBIT_LIMIT;
}

static void formula_point_take(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    struct formula_numbers *numbers = &work->formula;
    if (!mpfr_number_p(numbers->x) || !mpfr_number_p(numbers->y)) {
        end_with(orbit, ORBIT_OVER, 0);
        return;
    }
    struct orbit_point point =
        value_take(orbit, orbit->length, ORBIT_POINT, numbers->x, numbers->y);
    bool tiny = fabs(point.x) < ORBIT_TINY && fabs(point.y) < ORBIT_TINY;
    if (orbit->length && tiny && !numbers->rational.open)
        tiny_add(orbit, scaled_part(numbers->x), scaled_part(numbers->y));
    work->point[orbit->length++] = point;
    if (orbit->length == 1) /* it may lie anywhere */
        return;
    enum orbit_end end = orbit_formula_end(orbit, point, work->point[orbit->length - 2]);
    if (end != ORBIT_LIMIT)
        end_with(orbit, end, 0);
    else
        orbit_watch_cycle(orbit, &point);
}

static enum status formula_steps(struct orbit *orbit, int64_t count, int64_t limit)
{
    const struct formula_watch watch = {.folds = tape_take, .context = orbit};
    const volatile int *stop = orbit->work->options.stop;
    for (int64_t i = 0; i < count && orbit->end == ORBIT_LIMIT && !stop_asked(stop); i++) {
        TRY(orbit_room_make(orbit, limit));
        tape_clear(orbit);
        formula_numbers_step(&orbit->work->formula, &watch);
        formula_point_take(orbit);
    }
    return STATUS_OK;
}

/* ---- rounds of a cycle ---- */

/* Adds z_length, which is z_(length - shortest), with the tape of the step from there. */
static void point_repeat(struct orbit *orbit, int64_t *small, int64_t *tiny)
{
    struct orbit_work *work = orbit->work;
    int64_t to = orbit->length++, from = to - orbit->shortest;
    size_t width = (size_t)orbit->tape_width;
    work->point[to] = work->point[from];
    for (size_t i = 0; i < width; i++)
        work->tape[(size_t)to * width + i] = work->tape[(size_t)from * width + i];
    for (; *small < orbit->small_count && work->small[*small].index == from; ++*small) {
        work->small[orbit->small_count] = work->small[*small];
        work->small[orbit->small_count++].index = to;
    }
    for (; *tiny < orbit->tiny_count && work->tiny[*tiny].index == from; ++*tiny) {
        work->tiny[orbit->tiny_count] = work->tiny[*tiny];
        work->tiny[orbit->tiny_count++].index = to;
    }
}

/* The first index from `first` on at which a block of ORBIT_ROUND steps may begin: blocks begin at
 * multiples of their length, of z^2 + c from Z_0 on, of all others from Z_1 on. */
static int64_t rounds_begin(const struct orbit *orbit, int64_t first)
{
    int64_t origin = formula_mandelbrot(&orbit->formula) ? 0 : 1;
    return (first - origin + ORBIT_ROUND - 1) / ORBIT_ROUND * ORBIT_ROUND + origin;
}

/* Repeats a short cycle until a block of ORBIT_ROUND steps fits into the period; not where memory
 * is too small. */
static enum status rounds_add(struct orbit *orbit)
{
    const struct orbit_options *options = &orbit->work->options;
    int64_t first = orbit->length - orbit->period, small = 0, tiny = 0;
    int64_t period = (ORBIT_ROUND - 1) / orbit->period * orbit->period + orbit->period;
    int64_t length = rounds_begin(orbit, first) + period;
    uint64_t bytes = (uint64_t)length * (1 + (size_t)orbit->tape_width) * sizeof *orbit->z;
    orbit->shortest = orbit->period;
    orbit->closed = orbit->length;
    if (orbit->period >= ORBIT_ROUND || (options->bytes_max && bytes > options->bytes_max))
        return STATUS_OK;
    while (small < orbit->small_count && orbit->small[small].index < first)
        small++;
    while (tiny < orbit->tiny_count && orbit->tiny[tiny].index < first)
        tiny++;
    while (orbit->length < length) {
        TRY(orbit_room_make(orbit, length - 1));
        point_repeat(orbit, &small, &tiny);
    }
    orbit->period = period;
    return STATUS_OK;
}

/* ---- pace ---- */

/* 0: one thread, 1: the team. Both are tried, then the faster is taken, and the other one tried
 * again now and then: another load on the machine can make helpers worse than none. */
static int mode_choose(struct orbit_work *work)
{
    if (work->threads < 2 || !team_may_pay(&work->fixed) || work->step_s[0] == 0)
        return 0;
    if (work->step_s[1] == 0) /* the first batch, of one step, finds caches and tables cold */
        return work->batches++ > 0;
    int faster = work->step_s[1] < work->step_s[0];
    if (++work->batches % BATCHES_PER_TRIAL)
        return faster;
    return !faster;
}

/* Steps of a batch; a quarter for a trial of what was slower. */
static int64_t batch_steps(const struct orbit_work *work, int mode)
{
    double step_s = work->step_s[mode] > 0 ? work->step_s[mode] : work->step_s[0];
    if (step_s == 0)
        return 1;
    bool trial = work->step_s[mode] == 0 || work->step_s[mode] > work->step_s[!mode];
    double count = BATCH_S / step_s / (work->step_s[1] > 0 && trial ? 4 : 1);
    return count < 1 ? 1 : count > BATCH_MOST ? BATCH_MOST : (int64_t)count;
}

static enum status batch_run(struct orbit *orbit, int64_t limit)
{
    struct orbit_work *work = orbit->work;
    if (work->stage == STAGE_CUT)
        return status_fail(STATUS_INTERNAL, "a reference orbit that was taken up for %lld steps",
                           (long long)orbit->length - 1);
    if (work->stage == STAGE_TAIL)
        return tail_step(orbit, limit);
    if (device_serves(orbit))
        return device_steps_take(orbit, limit);
    int mode = mode_choose(work);
    int64_t count = batch_steps(work, mode), before = orbit->length;
    if (count > limit - (before - 1))
        count = limit - (before - 1);
    struct orbit_batch batch = {orbit, count, limit};
    double begin = omp_get_wtime();
    enum status status = work->stage == STAGE_FORMULA ? formula_steps(orbit, count, limit)
                         : mode ? team_run(&work->fixed, work->threads, fixed_steps, &batch)
                                : fixed_steps(&batch, NULL);
    if (work->stage != STAGE_FORMULA)
        fixed_settle(&work->fixed);
    int64_t done = orbit->length - before;
    if (done > 0)
        work->step_s[mode] = fmax((omp_get_wtime() - begin) / (double)done, 1e-9);
    orbit->threads = mode ? work->threads : 1;
    return status;
}

enum status orbit_go_on(struct orbit *orbit, int64_t limit)
{
    const struct orbit_options *options = &orbit->work->options;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && orbit->end == ORBIT_LIMIT && orbit->length - 1 < limit) {
        if (stop_asked(options->stop))
            return status_fail(STATUS_STOPPED,
                               "stopped after %lld of up to %lld steps of the reference orbit",
                               (long long)orbit->length - 1, (long long)limit);
        status = batch_run(orbit, limit);
        if (options->progress)
            options->progress(options->context, orbit->length - 1, limit);
    }
    return status;
}

enum status orbit_extend(struct orbit *orbit, int64_t limit)
{
    TRY(orbit_go_on(orbit, limit));
    if (orbit->end == ORBIT_CYCLE && !orbit->shortest)
        TRY(rounds_add(orbit));
    return orbit->critical ? orbit_extend(orbit->critical, limit) : STATUS_OK;
}

/* ---- opening ---- */

enum status orbit_bits(double log2_step, int64_t limit, long *bits)
{
    double wanted = ceil(log2((double)limit) - log2_step) + ORBIT_GUARD_BITS;
    if (!(wanted <= ORBIT_BITS_MOST))
        return status_fail(STATUS_TOO_LARGE,
                           "a reference orbit of %lld steps at 2^%.0f of c per pixel needs %.0f "
                           "bits; the most are %d",
                           (long long)limit, log2_step, wanted, ORBIT_BITS_MOST);
    *bits = wanted < ORBIT_BITS_LEAST ? ORBIT_BITS_LEAST : (long)wanted;
    return STATUS_OK;
}

/* Does it begin at a point of the dynamic plane? */
static bool formula_followed(const struct orbit_options *options)
{
    return options->formula.plane == DYNAMIC_PLANE && options->start == ORBIT_FROM_PLANE;
}

long orbit_bits_short(const struct orbit *orbit)
{
    const struct orbit_options *options = &orbit->work->options;
    double wanted = ceil(orbit->work->formula.log2_need) + ORBIT_GUARD_BITS;
    double most = fmin(ORBIT_BITS_MOST, floor(4 * (ORBIT_GUARD_BITS - options->log2_step)));
    if (!formula_followed(options) || wanted <= (double)orbit->bits)
        return 0;
    wanted = fmin(wanted + ORBIT_GUARD_BITS, most); /* a longer orbit may need some more */
    return wanted > (double)orbit->bits ? (long)wanted : 0;
}

static enum status options_check(const struct orbit_options *options)
{
    if (options->bits > ORBIT_BITS_MOST)
        return status_fail(STATUS_TOO_LARGE, "a reference orbit of %ld bits; the most are %d",
                           options->bits, ORBIT_BITS_MOST);
    if (options->bits < ORBIT_BITS_LEAST ||
        !(options->radius > 0 && options->radius <= ORBIT_RADIUS_MAX))
        return status_fail(STATUS_INTERNAL,
                           "a reference orbit of %ld bits up to radius %g was asked for",
                           options->bits, options->radius);
    return STATUS_OK;
}

static enum status centre_read(mpfr_ptr number, const char *text, const char *what)
{
    if (mpfr_set_str(number, text, 10, MPFR_RNDN) != 0 || !mpfr_number_p(number))
        return status_fail(STATUS_BAD_DATA, "%s of a reference orbit is not a decimal number",
                           what);
    return STATUS_OK;
}

/* |c|^2 <= FIXED_NORM_MAX, and so z_1 is within too. */
static bool fits_fixed(const struct orbit_work *work)
{
    double x = mpfr_get_d(work->cx, MPFR_RNDA), y = mpfr_get_d(work->cy, MPFR_RNDA);
    return x * x + y * y <= FIXED_NORM_MAX;
}

/* Is it z^2 + c from 0? */
static bool fixed_serves(const struct orbit_options *options)
{
    return formula_quadratic(&options->formula) &&
           (options->formula.plane == PARAMETER_PLANE || options->start == ORBIT_FROM_ZERO);
}

/* Newton's method ends at the first critical point that it comes near; Hénon maps have none. */
static bool errors_matter(const struct formula *formula)
{
    return rational_by_last(formula) == 0 && (formula_has_c(formula) || !rational_newton(formula));
}

/* Begins an orbit that follows no point of the dynamic plane: that of Nova at the root of its
 * phase; that of a magnet, which is of z - 1, at z = 0, or at 1 - c. */
static void critical_begin(struct formula_numbers *numbers, int phase)
{
    if (numbers->rational.roots) {
        mpfr_set(numbers->x, numbers->rational.root_x[phase], MPFR_RNDN);
        mpfr_set(numbers->y, numbers->rational.root_y[phase], MPFR_RNDN);
    } else if (numbers->rational.magnet && phase) {
        mpfr_neg(numbers->x, numbers->cx, MPFR_RNDN);
        mpfr_neg(numbers->y, numbers->cy, MPFR_RNDN);
    } else if (numbers->rational.magnet)
        mpfr_set_si(numbers->x, -1, MPFR_RNDN);
}

/* Begins an orbit of any formula; c, or z_0 of the dynamic plane, is in (cx, cy). */
static enum status formula_begin(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    const struct formula *formula = &work->options.formula;
    struct formula_numbers *numbers = &work->formula;
    bool followed = formula_followed(&work->options);
    formula_numbers_open(numbers, formula, work->options.phase, orbit->bits,
                         followed && errors_matter(formula) ? work->options.log2_step : -INFINITY);
    mpfr_set(followed ? numbers->x : numbers->cx, work->cx, MPFR_RNDN);
    mpfr_set(followed ? numbers->y : numbers->cy, work->cy, MPFR_RNDN);
    if (!followed)
        critical_begin(numbers, work->options.phase);
    if (followed) {
        double less = numbers->rational.magnet ? 1 : formula_begins(formula);
        mpfr_sub_d(numbers->x, numbers->x, less, MPFR_RNDN);
        mpfr_set_d(numbers->cx, formula->c_re, MPFR_RNDN);
        mpfr_set_d(numbers->cy, formula->c_im, MPFR_RNDN);
    }
    work->stage = STAGE_FORMULA;
    orbit->tape_width = numbers->tape_width;
    TRY(orbit_room_make(orbit, POINTS_FIRST));
    formula_point_take(orbit);
    return STATUS_OK;
}

/* Begins an orbit whose (cx, cy) is set. */
static enum status work_begin(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    const struct formula *formula = &orbit->formula;
    orbit->c = formula->plane == DYNAMIC_PLANE
                   ? (struct orbit_point){formula->c_re, formula->c_im}
                   : (struct orbit_point){mpfr_get_d(work->cx, MPFR_RNDN) + 0,
                                          mpfr_get_d(work->cy, MPFR_RNDN) + 0};
    if (!fixed_serves(&work->options))
        return formula_begin(orbit);
    bool fits = fits_fixed(work);
    work->stage = fits ? STAGE_FIXED : STAGE_TAIL;
    mpfr_set_zero(work->x, 1);
    mpfr_set_zero(work->y, 1);
    if (fits)
        TRY(fixed_create(&work->fixed, work->options.bits, work->cx, work->cy));
    nucleus_begin(&work->nucleus, fits ? work->options.log2_disc : -INFINITY, work->options.bits);
    nucleus_step(&work->nucleus, 0, 0, 0); /* D_1 = r */
    TRY(orbit_room_make(orbit, POINTS_FIRST));
    work->point[orbit->length++] = (struct orbit_point){0, 0};
    return STATUS_OK;
}

static enum status work_create(struct orbit *orbit, const struct orbit_options *options)
{
    *orbit = (struct orbit){0};
    TRY(options_check(options));
    struct orbit_work *work = calloc(1, sizeof *work);
    if (!work)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a reference orbit");
    orbit->work = work;
    orbit->formula = options->formula;
    orbit->phase = options->phase;
    work->options = *options;
    orbit->bits = work->options.bits =
        fixed_serves(options) ? fixed_bits(options->bits) : options->bits;
    work->next = 1;
    work->threads = team_size(options->threads > 0 ? options->threads : omp_get_max_threads());
    orbit->threads = 1;
    /* The 64 bits hold what the fixed-point numbers have beyond orbit->bits. */
    mpfr_inits2(orbit->bits + 64, work->cx, work->cy, work->x, work->y, work->xx, work->yy,
                (mpfr_ptr)0);
    return STATUS_OK;
}

int orbit_count(const struct formula *formula)
{
    return formula_critical_orbits(formula) + (formula->plane == DYNAMIC_PLANE);
}

size_t orbit_point_bytes(const struct formula *formula)
{
    int before[FORMULA_OPERATIONS_MAX];
    int width =
        rational_magnet(formula) ? MAGNET_TAPE : rational_newton(formula) && formula_has_c(formula);
    for (int p = 0; formula_perturbed(formula) && p < formula_phases(formula); p++) {
        struct formula_phase phase = formula_phase(formula, p);
        int values = formula_tape(&phase, before);
        width = values > width ? values : width;
    }
    return (1 + (size_t)width) * sizeof(struct orbit_point);
}

static void dynamic_c_set(struct orbit_work *work)
{
    mpfr_set_d(work->cx, work->options.formula.c_re, MPFR_RNDN);
    mpfr_set_d(work->cy, work->options.formula.c_im, MPFR_RNDN);
}

/* Appends the orbit of 0 that begins in this phase, or that of this root. */
static enum status critical_create(struct orbit *orbit, int phase)
{
    struct orbit_options options = orbit->work->options;
    struct orbit *last = orbit;
    while (last->critical)
        last = last->critical;
    options.start = ORBIT_FROM_ZERO;
    options.phase = phase;
    struct orbit *critical = last->critical = calloc(1, sizeof *critical);
    if (!critical)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a reference orbit");
    TRY(work_create(critical, &options));
    if (orbit->formula.plane == DYNAMIC_PLANE)
        dynamic_c_set(critical->work);
    else {
        mpfr_set(critical->work->cx, orbit->work->cx, MPFR_RNDN);
        mpfr_set(critical->work->cy, orbit->work->cy, MPFR_RNDN);
    }
    return work_begin(critical);
}

enum status orbit_create(struct orbit *orbit, const struct orbit_options *options, const char *re,
                         const char *im)
{
    const struct formula *formula = &options->formula;
    TRY(work_create(orbit, options));
    if (formula->plane == DYNAMIC_PLANE && options->start == ORBIT_FROM_ZERO) {
        dynamic_c_set(orbit->work);
    } else {
        TRY(centre_read(orbit->work->cx, re, "re"));
        TRY(centre_read(orbit->work->cy, im, "im"));
    }
    TRY(work_begin(orbit));
    int phases = options->start == ORBIT_FROM_PLANE ? formula_critical_orbits(formula) : 0;
    for (int phase = formula->plane == PARAMETER_PLANE; phase < phases; phase++)
        TRY(critical_create(orbit, phase));
    return STATUS_OK;
}

enum status orbit_create_again(struct orbit *again, const struct orbit *orbit)
{
    struct orbit_options options = orbit->work->options;
    options.log2_disc = options.log2_step = -INFINITY;
    options.threads = 1;
    options.bytes_max = 0;
    options.progress = NULL;
    TRY(work_create(again, &options));
    mpfr_set(again->work->cx, orbit->work->cx, MPFR_RNDN);
    mpfr_set(again->work->cy, orbit->work->cy, MPFR_RNDN);
    return work_begin(again);
}

void orbit_destroy(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    if (work) {
        mpfr_clears(work->cx, work->cy, work->x, work->y, work->xx, work->yy, (mpfr_ptr)0);
        device_steps_close(work->device);
        fixed_destroy(&work->fixed);
        formula_numbers_close(&work->formula);
        free(work->tape);
        free(work->small);
        free(work->point);
        free(work->tiny);
        free(work);
    }
    if (orbit->critical)
        orbit_destroy(orbit->critical);
    free(orbit->critical);
    *orbit = (struct orbit){0};
}
