/* How far the roundings of an orbit move its pixel, where the formula divides or converges. See
 * plan_error.c. */
#include "render/plan/plan_error_rational.h"

#include <complex.h>
#include <math.h>

#include "kernels/formula/rational_end.h"
#include "kernels/stop.h"
#include "render/view/description.h"

/* A register of a step and the error in it, in units of u. */
struct rounded {
    double complex value;
    double error;
};

/* The errors of the operands do not know each other, so their squares add up; the result is
 * rounded by about its size. */
static struct rounded operate(const struct rational_operation *operation, const struct rounded *a,
                              const struct rounded *b)
{
    double number = (double)operation->n / operation->d;
    double complex value = 0;
    double first = a->error, second = 0;
    switch (operation->does) {
    case RATIONAL_sqr:
        value = a->value * a->value;
        first = 2 * cabs(a->value) * a->error;
        break;
    case RATIONAL_mul:
        value = a->value * b->value;
        first = cabs(b->value) * a->error;
        second = cabs(a->value) * b->error;
        break;
    case RATIONAL_div:
        value = a->value / b->value;
        first = a->error / cabs(b->value);
        second = cabs(value) * b->error / cabs(b->value);
        break;
    case RATIONAL_add:
        value = a->value + b->value;
        second = b->error;
        break;
    case RATIONAL_sub:
        value = a->value - b->value;
        second = b->error;
        break;
    case RATIONAL_scale:
        value = number * a->value;
        first = fabs(number) * a->error;
        break;
    case RATIONAL_invert:
        value = number / a->value;
        first = cabs(value) * a->error / cabs(a->value);
        break;
    case RATIONAL_plus:
        value = a->value + number;
        break;
    }
    return (struct rounded){value, hypot(hypot(first, second), cabs(value))};
}

/* Errors that one step adds. */
static double step_error(const struct rational_kind *kind, const struct rational_state *z,
                         double cx, double cy)
{
    struct rounded at[RATIONAL_REGISTERS] = {[REGISTER_Z] = {z->x + z->y * I, 0},
                                             [REGISTER_P] = {z->last_x + z->last_y * I, 0},
                                             [REGISTER_C] = {cx + cy * I, 0}};
    for (int i = 0; i < kind->operations; i++) {
        const struct rational_operation *operation = &kind->operation[i];
        at[operation->to] = operate(operation, &at[operation->a], &at[operation->b]);
    }
    return at[REGISTER_Z].error;
}

/* dz_(n+1) by an error of z_n, or of z_(n-1). */
static double complex stretch(const struct rational_kind *kind, const struct rational_state *z,
                              double cx, double cy, bool of_last)
{
    struct rational_slope s = {*z, !of_last, 0, of_last, 0};
    kind->slope(&s, cx, cy, 0);
    return s.dx + s.dy * I;
}

/* Mean squares of the errors of z_n and z_(n-1), and the mean of one by the other's conjugate: what
 * z_(n-1) takes back of an error counts, where an orbit comes near a cycle in a spiral. */
struct errors {
    double of_z, of_last;
    double complex both;
};

static struct errors errors_step(struct errors e, double complex a, double complex b, double own)
{
    double crossed = creal(a * conj(b) * e.both);
    double of_z = creal(a * conj(a)) * e.of_z + creal(b * conj(b)) * e.of_last + 2 * crossed;
    return (struct errors){fmax(of_z, 0) + own * own, e.of_z, a * e.of_z + b * conj(e.both)};
}

/* The orbit of a probe, and what is followed beside it. */
struct rational_probe {
    struct rational_slope s, by_c; /* by the pixel's place; by c, in the dynamic plane */
    struct errors errors;
    double least;     /* least errors of a step so far, which all have in one direction */
    double recent[2]; /* motion of the pixel by roundings, one and two steps ago */
    struct slope_watch most;
};

static struct rational_probe probe_begin(const struct rational_begin *begin, bool by_c)
{
    return (struct rational_probe){.s = {begin->z, !by_c, 0, 0, 0},
                                   .by_c = {begin->z, 0, 0, 0, 0},
                                   .least = by_c ? 0 : INFINITY,
                                   .recent = {INFINITY, INFINITY}};
}

static double errors_square(const struct rational_probe *p)
{
    double by_c = p->by_c.dx * p->by_c.dx + p->by_c.dy * p->by_c.dy;
    return p->errors.of_z + (by_c > 0 ? p->least * p->least * by_c : 0);
}

static void probe_step(struct rational_probe *p, const struct rational_kind *kind, double cx,
                       double cy, bool by_c)
{
    double complex of_z = stretch(kind, &p->s.z, cx, cy, false);
    double complex of_last = stretch(kind, &p->s.z, cx, cy, true);
    double own = step_error(kind, &p->s.z, cx, cy);
    kind->slope(&p->s, cx, cy, by_c);
    if (!by_c)
        kind->slope(&p->by_c, cx, cy, 1);
    p->errors = errors_step(p->errors, of_z, of_last, own);
    p->least = fmin(p->least, own);
}

/* Bit for bit, and z_(n-1) too where steps have it. */
static bool state_closed(const struct cycle_watch *watch, int64_t n, const struct rational_state *z)
{
    return cycle_closed(watch, n, z->x, z->y, 1) && z->last_x == watch->last_x &&
           z->last_y == watch->last_y;
}

/* Error of a pixel that is over after one step, whose errors may be all of those of w, where
 * numbers that nearly cancel are divided. It lies |w / dw| or more from where the count changes, so
 * that an error counts as much as so small a part of it does beside a change a pixel away. 0: less
 * than that of its place. */
static double one_step_error(const struct rational_probe *p, const struct rational_kind *kind,
                             const struct probe *probe, enum rational_over over)
{
    double x = p->s.z.x, y = p->s.z.y, step = probe->least / ERROR_MAX_PX;
    if (over == OVER_NEAR)
        rational_rest(&kind->rule, &p->s.z, &x, &y);
    double square = errors_square(p), w_square = x * x + y * y;
    double moved = sqrt(square / (p->s.dx * p->s.dx + p->s.dy * p->s.dy));
    double counts = fmin(moved, step * sqrt(square / w_square)); /* the number, if one is NaN */
    return counts <= hypot(probe->re, probe->im) ? 0 : counts;
}

struct probe_error plan_error_rational(const struct formula *formula, const struct probe *probe)
{
    const struct rational_kind *kind = rational_kind(formula);
    struct rational_begin begin = rational_begin(formula, probe->re, probe->im);
    bool by_c = formula->plane == PARAMETER_PLANE;
    struct rational_probe p = probe_begin(&begin, by_c);
    struct cycle_watch watch = {.at = 0};
    struct probe_error error = {INFINITY, 0, 0};
    double place = hypot(probe->re, probe->im);
    for (int64_t n = 1, end = probe_end(probe); n <= end && !stop_asked(probe->stop); n++) {
        double slope_square = p.s.dx * p.s.dx + p.s.dy * p.s.dy, square = errors_square(&p);
        double moved = n > 1 ? sqrt(square / slope_square) : INFINITY;
        bool huge = !(square < 1e280 && slope_square < 1e280);
        slope_keep(&p.most, slope_square, square);
        double bounded = probe_bounded(probe, formula, &p.most, slope_square, square);
        probe_step(&p, kind, begin.cx, begin.cy, by_c);
        enum rational_over over = rational_over(&kind->rule, &p.s.z, PLAN_ERROR_BAILOUT);
        error.steps = n;
        if (over == OVER_NEVER)
            return (struct probe_error){0, 0, n};
        if (over != OVER_NOT && n == 1)
            return (struct probe_error){one_step_error(&p, kind, probe, over), 0, n};
        if (n <= probe->limit && (over != OVER_NOT || huge)) /* near what attracts z tells little */
            error.direct = probe_moved(place, fmin(moved, fmin(p.recent[0], p.recent[1])));
        else if (n == probe->limit)
            error.direct = probe_moved(place, bounded);
        if (over != OVER_NOT || huge || !probe_goes_on(probe, formula, n, slope_square))
            return error;
        if (state_closed(&watch, n, &p.s.z)) {
            double held = cycle_error(probe, formula, &watch, slope_square);
            if (isfinite(held))
                return (struct probe_error){held, 0, n};
        }
        cycle_keep(&watch, n, p.s.z.x, p.s.z.y, slope_square);
        if (watch.at == n) {
            watch.last_x = p.s.z.last_x;
            watch.last_y = p.s.z.last_y;
        }
        p.recent[1] = p.recent[0];
        p.recent[0] = moved;
    }
    return probe_known(probe, error);
}
