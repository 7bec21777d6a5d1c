/* How far the roundings of an orbit move its pixel, where the formula divides or converges. See
 * plan_error.c. */
#include "render/plan_error_rational.h"

#include <complex.h>
#include <math.h>

#include "kernels/escape/rational_end.h"

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

/* What one step adds. */
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

double plan_error_rational(const struct formula *formula, double re, double im, int64_t limit)
{
    const struct rational_kind *kind = rational_kind(formula);
    struct rational_begin begin = rational_begin(formula, re, im);
    bool by_c = formula->plane == PARAMETER_PLANE;
    struct rational_slope s = {begin.z, !by_c, 0, 0, 0};
    struct errors errors = {0, 0, 0};
    double recent[2] = {INFINITY, INFINITY}, cx = begin.cx, cy = begin.cy;
    for (int64_t n = 1; n <= limit; n++) {
        double complex of_z = stretch(kind, &s.z, cx, cy, false);
        double complex of_last = stretch(kind, &s.z, cx, cy, true);
        double own = step_error(kind, &s.z, cx, cy), size = hypot(s.dx, s.dy);
        double error = sqrt(errors.of_z);
        double pixels = fmin(n > 1 ? error / size : INFINITY, fmin(recent[0], recent[1]));
        kind->slope(&s, cx, cy, by_c);
        switch (rational_over(&kind->rule, &s.z, PLAN_ERROR_BAILOUT)) {
        case OVER_NOT:
            break;
        case OVER_NEVER:
            return 0;
        default: /* one of the last steps before: near an attracting point z tells little */
            return n > 1 ? hypot(hypot(re, im), pixels) : 0;
        }
        recent[1] = recent[0];
        recent[0] = n > 1 ? error / size : INFINITY;
        errors = errors_step(errors, of_z, of_last, own);
        if (!(errors.of_z < 1e280 && size < 1e140))
            return hypot(hypot(re, im), pixels);
    }
    return 0;
}
