#include "kernels/deep/number/late_error.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/deep/formula_pixel.h"
#include "kernels/escape/pixel.h"
#include "kernels/stop.h"

enum {
    ACROSS = 9,
    DOWN = 7,
    PROBES = ACROSS * DOWN,
    STEPS_MOST = 50000, /* blocks and steps of a probe */
    /* Halvings of the way between two probes: bands that are narrower have less than a hundredth
     * of the picture. */
    BISECTIONS = 5,
    /* log2 of dz per pixel from which on errors move a pixel by nothing, and derivatives are no
     * longer followed: beside orbits that stay bounded they leave the doubles. */
    SLOPE_MOST = 332
};

/* A pixel moves by 0.2 to 0.4 times what is predicted for it in the median and 0.7 to 1.3 times in
 * 99 of 100 (Julia sets beside parabolic points, 64 x 36 pixels each). So 99 of 100 stay below
 * twice what nine in ten are predicted to stay below (tests/program/floats.sh). */
#define OF_NINE_IN_TEN 2

/* Derivative of z_n in two directions. */
struct late_slopes {
    struct complex_wide right, up;
};

/* A block or step of a probe. */
struct late_event {
    uint64_t kind; /* number that events have which are rounded alike */
    int index;
    struct late_slopes by_delta; /* J */
    struct complex_wide made;    /* J delta */
    struct complex_wide rounded; /* x.x 2^e: what it is rounded in relation to */
    struct complex_f64 moved;    /* pixels, by an error of 2^-24 of `made`; set at the end */
};

/* Where a probe's errors are seen. */
struct late_end {
    int events;                 /* up to here */
    struct complex_f64 towards; /* g */
    struct complex_wide slope;  /* g D, per pixel */
};

struct late_probe {
    struct late_event *event;
    int events;
    struct late_end last, steepest;
};

/* How far roundings move a pixel; INFINITY: not known. */
struct late_move {
    double by;
    int escaped;
};

struct late_place {
    int64_t x, y;
};

/* ---- vectors ---- */

static double dot(struct complex_f64 a, struct complex_f64 b)
{
    return a.x * b.x + a.y * b.y;
}

/* The row g D of derivatives D. */
static struct complex_wide row_times(struct complex_f64 g, int32_t g_e, const struct late_slopes *d)
{
    const int32_t e = d->right.e > d->up.e ? d->right.e : d->up.e;
    const struct complex_f64 row = {dot(g, d->right.x) * wide_power(d->right.e - e),
                                    dot(g, d->up.x) * wide_power(d->up.e - e)};
    return wide_settle(row, e + g_e);
}

static struct complex_wide size_of(struct complex_wide a)
{
    const struct complex_f64 size = {complex_abs(a.x), 0};
    return wide_settle(size, a.e);
}

/* |D| of the sum of squares. */
static struct complex_wide slopes_size(const struct late_slopes *d)
{
    const struct complex_wide right = size_of(d->right), up = size_of(d->up);
    const int32_t e = right.e > up.e ? right.e : up.e;
    const struct complex_wide both = {
        {right.x.x * wide_power(right.e - e), up.x.x * wide_power(up.e - e)}, e};
    return size_of(both);
}

/* D a */
static struct complex_wide slopes_times(const struct late_slopes *d, struct complex_wide a)
{
    return wide_add(wide_settle(complex_scale(a.x.x, d->right.x), d->right.e + a.e),
                    wide_settle(complex_scale(a.x.y, d->up.x), d->up.e + a.e));
}

static int slopes_known(const struct late_slopes *d)
{
    return isfinite(d->right.x.x) && isfinite(d->right.x.y) && isfinite(d->up.x.x) &&
           isfinite(d->up.x.y);
}

/* ---- events ---- */

/* Kind of what takes a pixel from point z of the reference on for some steps. Points that are the
 * same floats are of a cycle, or of an orbit near one, and so are blocks that begin there. */
static uint64_t kind_of(struct complex_f64 z, int64_t steps)
{
    const float parts[2] = {(float)z.x, (float)z.y};
    uint64_t kind;
    memcpy(&kind, parts, sizeof kind);
    return kind ^ (uint64_t)steps << 24;
}

/* The direction and the size of z, at which the probe has this derivative D. */
static struct late_end end_of(int events, struct complex_f64 z, const struct late_slopes *d)
{
    const double size = complex_abs(z);
    const struct complex_f64 towards = complex_scale(size > 0 ? 1 / size : 0, z);
    return (struct late_end){events, towards, row_times(towards, 0, d)};
}

/* Adds what took delta from `before` to `after`; z: where the probe is now. 0: a derivative is not
 * known. */
static int event_add(struct late_probe *probe, uint64_t kind, struct complex_wide before,
                     struct complex_wide after, const struct late_slopes *by_delta,
                     struct complex_f64 z, const struct late_slopes *by_pixel)
{
    if (!slopes_known(by_delta) || !slopes_known(by_pixel))
        return 0;
    struct late_event *event = &probe->event[probe->events];
    const struct complex_wide result = size_of(after);
    event->index = probe->events++;
    event->kind = kind;
    event->by_delta = *by_delta;
    event->made = slopes_times(by_delta, before);
    event->rounded = wide_mul(slopes_size(by_delta), size_of(before));
    if (wide_less(event->rounded, result))
        event->rounded = result;
    probe->last = end_of(probe->events, z, by_pixel);
    if (wide_less(probe->steepest.slope, probe->last.slope))
        probe->steepest = probe->last;
    return 1;
}

/* Orders sums as well, so that their last bits do not depend on the C library. */
static int compare_kinds(const void *a, const void *b)
{
    const struct late_event *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : (x->index > y->index) - (x->index < y->index);
}

/* What comes of numbers of the reference, as of a Misiurewicz point, that are rounded alike each
 * time that they are met: half of 2^-24, in the worst direction. */
static double alike_moved(struct late_event *event, int count)
{
    double squares = 0;
    struct complex_f64 alike = {0, 0};
    qsort(event, (size_t)count, sizeof *event, compare_kinds);
    for (int i = 0; i < count; i++) {
        alike = complex_add(alike, 0.5, event[i].moved);
        if (i + 1 < count && event[i + 1].kind == event[i].kind)
            continue;
        squares += dot(alike, alike);
        alike = (struct complex_f64){0, 0};
    }
    return sqrt(squares);
}

/* Pixels by which the roundings of its events up to this end move a probe; not known where the
 * place of the probe moves |z| at none of them. Twice the root of the sum of their squares, each as
 * large as it may be, and at least a tenth of their sum, for along an orbit that hardly moves they
 * are all of one sign. */
static double events_moved(struct late_probe *probe, const struct late_end *end)
{
    double sum = 0, squares = 0;
    struct complex_wide row = {end->towards, 0};
    const double slope = complex_abs(end->slope.x);
    for (int i = end->events; i-- > 0;) {
        struct late_event *event = &probe->event[i];
        const int32_t e = row.e - end->slope.e;
        const double moved = 0x1p-24 * complex_abs(row.x) * event->rounded.x.x / slope *
                             wide_power(e + event->rounded.e);
        event->moved = complex_scale(0x1p-24 / slope * wide_power(e + event->made.e),
                                     complex_mul(complex_conj(row.x), event->made.x));
        sum += moved;
        squares += moved * moved;
        row = row_times(row.x, row.e, &event->by_delta);
    }
    const double moved = fmax(2 * sqrt(squares), sum / 10),
                 alike = alike_moved(probe->event, end->events);
    return !end->events || isnan(moved) || isnan(alike) ? INFINITY : fmax(moved, alike);
}

static const struct late_move move_unknown = {INFINITY, 0};

/* How far a probe moves that has ended, or has gone on for STEPS_MOST: then it counts as if it went
 * on to the limit as so far. */
static struct late_move probe_moved(struct late_probe *probe, int done, int escaped, int64_t n,
                                    int64_t limit)
{
    const double moved = events_moved(probe, escaped ? &probe->last : &probe->steepest);
    const int followed = done || probe->last.slope.e > SLOPE_MOST;
    const double longer = followed ? 1 : (double)limit / (double)(n > 0 ? n : 1);
    return (struct late_move){moved * longer, escaped};
}

/* ---- z^2 + c ---- */

static int quadratic_on(struct pixel_state *pixel, const struct pixel_common *common,
                        struct pixel_kept *kept)
{
    return pixel_on_kept(pixel, common, BLOCKS_QUARTIC, 1, common->exponent != 0, 1, kept);
}

static struct late_slopes quadratic_slopes(const struct pixel_state *pixel)
{
    struct late_slopes slopes;
    slopes.right = slopes.up = wide_settle(pixel->dz, pixel->dz_e);
    slopes.up.x = complex_turned(slopes.right.x);
    return slopes;
}

static struct late_move quadratic_moved(const struct deep *deep, struct late_probe *probe,
                                        struct complex_f64 c)
{
    const struct pixel_common *common = &deep->common;
    struct pixel_common of_delta = *common; /* c is the same */
    struct pixel_state pixel = pixel_begin(common, c.x, c.y);
    struct pixel_kept kept = {.m = -1};
    int done = 0;
    of_delta.step = of_delta.step_v = (struct complex_f64){0, 0};
    while (!done && probe->last.slope.e <= SLOPE_MOST && probe->events < STEPS_MOST &&
           !stop_asked(deep->options.stop)) {
        const struct pixel_state before = pixel;
        struct pixel_state tangent = pixel;
        tangent.dz = (struct complex_f64){1, 0};
        tangent.dz_e = 0;
        quadratic_on(&tangent, &of_delta, NULL);
        done = quadratic_on(&pixel, common, &kept);
        const struct late_slopes by_delta = quadratic_slopes(&tangent),
                                 by_pixel = quadratic_slopes(&pixel);
        const struct complex_f64 z = pixel.direct ? pixel.delta : pixel_end(&pixel, common);
        const uint64_t kind = before.direct
                                  ? (uint64_t)probe->events
                                  : kind_of(pixel_reference(common, before.m), pixel.n - before.n);
        if (!event_add(probe, kind, wide_settle(before.delta, before.e),
                       wide_settle(pixel.delta, pixel.e), &by_delta, z, &by_pixel))
            return move_unknown;
    }
    return probe_moved(probe, done, pixel.count > 0, pixel.n, common->limit);
}

/* ---- lists of operations ---- */

static int list_on(struct formula_pixel *pixel, const struct formula_common *common,
                   struct pixel_kept *kept)
{
    return formula_on(pixel, common, BLOCKS_QUARTIC, 1, common->shared.exponent != 0, 1, kept);
}

static struct late_slopes list_slopes(const struct formula_pixel *pixel, int holomorphic)
{
    struct late_slopes slopes;
    slopes.right = slopes.up = wide_settle(pixel->at.dz, pixel->at.dz_e);
    if (holomorphic)
        slopes.up.x = complex_turned(slopes.right.x);
    else
        slopes.up = wide_settle(pixel->up, pixel->up_e);
    return slopes;
}

/* As quadratic_moved. Folds need no more: each has the sign of its part of the reference from
 * doubles, and where that of the pixel is not known in 24 bits, what it changes is less than a
 * rounding. */
static struct late_move list_moved(const struct deep *deep, struct late_probe *probe,
                                   struct complex_f64 c)
{
    const struct formula_common *common = deep->formula;
    const int holomorphic = common->program.holomorphic;
    struct formula_common of_delta = *common;
    struct formula_pixel pixel = formula_begin(common, c.x, c.y);
    struct pixel_kept kept = {.m = -1};
    int done = 0;
    of_delta.shared.step = of_delta.shared.step_v = (struct complex_f64){0, 0};
    while (!done && probe->last.slope.e <= SLOPE_MOST && probe->events < STEPS_MOST &&
           !stop_asked(deep->options.stop)) {
        const struct formula_pixel before = pixel;
        struct formula_pixel tangent = pixel;
        tangent.at.dz = (struct complex_f64){1, 0};
        tangent.up = (struct complex_f64){0, 1};
        tangent.at.dz_e = tangent.up_e = 0;
        list_on(&tangent, &of_delta, NULL);
        done = list_on(&pixel, common, &kept);
        const struct late_slopes by_delta = list_slopes(&tangent, holomorphic),
                                 by_pixel = list_slopes(&pixel, holomorphic);
        const struct complex_f64 z = pixel.at.direct ? pixel.at.delta : formula_end(&pixel, common);
        const uint64_t kind =
            before.at.direct ? (uint64_t)probe->events
                             : kind_of(formula_point(common, &before), pixel.at.n - before.at.n);
        if (!event_add(probe, kind, wide_settle(before.at.delta, before.at.e),
                       wide_settle(pixel.at.delta, pixel.at.e), &by_delta, z, &by_pixel))
            return move_unknown;
    }
    return probe_moved(probe, done, pixel.at.count > 0, pixel.at.n, common->shared.limit);
}

/* ---- pictures ---- */

static struct late_move pixel_moved(const struct deep *deep, const struct grid *whole, int64_t x,
                                    int64_t y)
{
    const struct late_end none = {.slope = {{0, 0}, WIDE_ZERO}};
    struct late_probe probe = {.last = none, .steepest = none};
    struct late_move move = move_unknown;
    struct complex_f64 c;
    pixel_c(whole, (int32_t)x, (int32_t)y, &c.x, &c.y);
    probe.event = malloc(STEPS_MOST * sizeof *probe.event);
    if (probe.event)
        move = (deep->formula ? list_moved : quadratic_moved)(deep, &probe, c);
    free(probe.event);
    return move;
}

/* One whose move is not known, as in the middle of a Julia set, where its derivative is 0, counts
 * as the worse of two beside it. */
static struct late_move move_at(const struct deep *deep, const struct grid *whole,
                                struct late_place at)
{
    const int64_t aside = whole->width / (4 * ACROSS) + 1, over = whole->height / (6 * DOWN) + 1;
    const struct late_move move = pixel_moved(deep, whole, at.x, at.y);
    if (move.by < INFINITY)
        return move;
    const struct late_move left = pixel_moved(deep, whole, at.x - aside, at.y - over),
                           right = pixel_moved(deep, whole, at.x + aside, at.y + over);
    return (struct late_move){fmax(left.by, right.by), left.escaped || right.escaped};
}

/* No two probes have a row or a column in common: of a line of symmetry, where pixels may move by
 * less than beside it, or of a narrow band, as many are seen as it has of the picture. One is in
 * the middle. */
static struct late_place probe_place(const struct grid *whole, int i)
{
    const int64_t column = i % ACROSS, row = i / ACROSS, x = DOWN * column + (3 * row + 1) % DOWN,
                  y = ACROSS * row + (4 * column + 6) % ACROSS;
    return (struct late_place){(2 * x + 1) * whole->width / (2 * PROBES),
                               (2 * y + 1) * whole->height / (2 * PROBES)};
}

/* Greatest move from a pixel that escaped towards the border on the way to one that did not: beside
 * parabolic points pixels move by 1 there, and by 1e-3 elsewhere. */
static double border_moved(const struct deep *deep, const struct grid *whole,
                           struct late_place outside, struct late_place inside)
{
    double most = 0;
    for (int i = 0; i < BISECTIONS && !stop_asked(deep->options.stop); i++) {
        const struct late_place middle = {(outside.x + inside.x) / 2, (outside.y + inside.y) / 2};
        const struct late_move move = move_at(deep, whole, middle);
        *(move.escaped ? &outside : &inside) = middle;
        if (move.escaped || !(move.by < INFINITY))
            most = fmax(most, move.by);
    }
    return most;
}

/* Moves of pixels by the border between the i-th probe and those to the right and below; -1 where
 * there is none. */
static void borders_moved(const struct deep *deep, const struct grid *whole,
                          const struct late_move *probe, int i, double moved[2])
{
    const int beside[2] = {i % ACROSS + 1 < ACROSS ? i + 1 : i,
                           i + ACROSS < PROBES ? i + ACROSS : i};
    for (int k = 0; k < 2; k++) {
        const int j = beside[k], outside = probe[i].escaped ? i : j;
        moved[k] = probe[i].escaped == probe[j].escaped
                       ? -1
                       : border_moved(deep, whole, probe_place(whole, outside),
                                      probe_place(whole, i + j - outside));
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What nine in ten stay below; INFINITY where one is not known. Sorts them. */
static double nine_in_ten(double *moved, int count)
{
    if (!count)
        return 0;
    qsort(moved, (size_t)count, sizeof *moved, compare);
    return moved[count - 1] < INFINITY ? moved[count * 9 / 10] : INFINITY;
}

/* Pixels that escape are ranked by themselves, too: where most stay bounded, they are not seen
 * among those. */
static double probes_moved(const struct late_move *probe, double (*border)[2])
{
    double all[PROBES], escaped[3 * PROBES];
    int count = 0;
    for (int i = 0; i < PROBES; i++) {
        all[i] = probe[i].by;
        if (probe[i].escaped)
            escaped[count++] = probe[i].by;
        for (int k = 0; k < 2; k++)
            if (border[i][k] >= 0)
                escaped[count++] = border[i][k];
    }
    return fmax(nine_in_ten(all, PROBES), nine_in_ten(escaped, count));
}

double error_of_floats(const struct deep *deep, const struct grid *whole)
{
    const volatile int *stop = deep->options.stop;
    struct late_move probe[PROBES];
    double border[PROBES][2];
    if (!deep->late.z && !deep->formula_f32)
        return 0;
#pragma omp parallel num_threads(deep->options.threads)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < PROBES; i++)
            probe[i] =
                stop_asked(stop) ? move_unknown : move_at(deep, whole, probe_place(whole, i));
#pragma omp for schedule(dynamic)
        for (int i = 0; i < PROBES; i++)
            borders_moved(deep, whole, probe, i, border[i]);
    }
    return stop_asked(stop) ? 0 : OF_NINE_IN_TEN * probes_moved(probe, border) / grid_least(whole);
}
