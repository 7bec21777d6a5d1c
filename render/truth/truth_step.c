#include "render/truth/truth_step.h"

#include <limits.h>
#include <math.h>

#include "kernels/escape/distance.h"

/* An operation maps the disc of radius r about z into that of radius r' about the computed z':
 *     square      r' = (2 |z| + r) r        (z + d)^2 = z^2 + (2 z + d) d
 *     multiply    r' = |z| s + |k| r + r s  by k, in a disc of radius s
 *     add         r' = r + |error of c|
 *     scale       r' = |f| r                by a constant, which is exact
 *     fold, sign, r' = r                    no two points come to lie farther apart
 *     swap
 *     sign put    r' = r + 2 |y|            where the kept y is within s of 0, else as a fold: two
 *     back                                  points of different signs are |y_1| + |y_2| apart
 * and the computed z' is rounded by less than 4 2^-bits |z'|: a product, whose |z'| is |z| |k|, is
 * four products and two sums. */

enum { TANGENT_BITS = 53, ROUNDINGS = 4 };

static const int bend_of[TRUTH_BENDS][2] = {
    {TRUTH_RIGHT, TRUTH_RIGHT}, {TRUTH_RIGHT, TRUTH_UP}, {TRUTH_UP, TRUTH_UP}};

static void each_number(struct truth_step *step, void (*call)(mpfr_t, mpfr_prec_t),
                        mpfr_prec_t bits)
{
    mpfr_ptr numbers[] = {step->re,      step->im,      step->c_re,      step->c_im,
                          step->kept_re, step->kept_im, step->factor_re, step->factor_im,
                          step->other,   step->product};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        call(numbers[i], bits);
}

static void each_tangent(struct truth_step *step, void (*call)(mpfr_t, mpfr_prec_t))
{
    for (int t = 0; t < TRUTH_TANGENTS + TRUTH_BENDS; t++) {
        struct truth_tangent *of =
            t < TRUTH_TANGENTS ? &step->tangent[t] : &step->bend[t - TRUTH_TANGENTS];
        mpfr_ptr parts[] = {of->re, of->im, of->kept_re, of->kept_im};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            call(parts[i], TANGENT_BITS);
    }
    call(step->tangent_other, TANGENT_BITS);
    call(step->tangent_product, TANGENT_BITS);
}

static void number_clear(mpfr_t number, mpfr_prec_t bits)
{
    (void)bits;
    mpfr_clear(number);
}

void truth_step_open(struct truth_step *step)
{
    each_number(step, mpfr_init2, TANGENT_BITS);
    each_tangent(step, mpfr_init2);
}

void truth_step_close(struct truth_step *step)
{
    each_number(step, number_clear, 0);
    each_tangent(step, number_clear);
}

void truth_step_bits(struct truth_step *step, mpfr_prec_t bits)
{
    each_number(step, mpfr_set_prec, bits);
    each_tangent(step, mpfr_set_prec);
}

/* Adds the roundings of z' to the discs, if any was inexact. */
static void rounding_add(struct truth_step *step, int inexact)
{
    if (!inexact)
        return;
    struct bound rounding =
        bound_roundings(bound_size(step->re, step->im), ROUNDINGS, mpfr_get_prec(step->re));
    for (int d = 0; d < TRUTH_DISCS; d++)
        step->radius[d] = bound_sum(step->radius[d], rounding);
}

/* ---- derivatives, from the z before an operation ---- */

/* (x, y) = (x, y) (re + i im) */
static void tangent_times(struct truth_step *step, mpfr_t x, mpfr_t y, const mpfr_t re,
                          const mpfr_t im)
{
    mpfr_mul(step->tangent_other, x, im, MPFR_RNDN);
    mpfr_mul(x, x, re, MPFR_RNDN);
    mpfr_mul(step->tangent_product, y, im, MPFR_RNDN);
    mpfr_sub(x, x, step->tangent_product, MPFR_RNDN);
    mpfr_mul(y, y, re, MPFR_RNDN);
    mpfr_add(y, y, step->tangent_other, MPFR_RNDN);
}

/* t = t + (x + i y) (re + i im); t is none of the factors. */
static void tangent_add_product(struct truth_step *step, struct truth_tangent *t, const mpfr_t x,
                                const mpfr_t y, const mpfr_t re, const mpfr_t im)
{
    mpfr_mul(step->tangent_other, x, re, MPFR_RNDN);
    mpfr_mul(step->tangent_product, y, im, MPFR_RNDN);
    mpfr_sub(step->tangent_other, step->tangent_other, step->tangent_product, MPFR_RNDN);
    mpfr_add(t->re, t->re, step->tangent_other, MPFR_RNDN);
    mpfr_mul(step->tangent_other, x, im, MPFR_RNDN);
    mpfr_mul(step->tangent_product, y, re, MPFR_RNDN);
    mpfr_add(step->tangent_other, step->tangent_other, step->tangent_product, MPFR_RNDN);
    mpfr_add(t->im, t->im, step->tangent_other, MPFR_RNDN);
}

/* z dk + k dz */
static void tangent_multiply(struct truth_step *step, struct truth_tangent *t)
{
    tangent_times(step, t->re, t->im, step->kept_re, step->kept_im);
    tangent_add_product(step, t, t->kept_re, t->kept_im, step->re, step->im);
}

/* Exponent of the largest of some numbers; LONG_MIN if all are 0. */
static long exponent_of(const mpfr_srcptr *number, int count)
{
    long most = LONG_MIN;
    for (int i = 0; i < count; i++)
        if (!mpfr_zero_p(number[i]) && mpfr_get_exp(number[i]) > most)
            most = mpfr_get_exp(number[i]);
    return most;
}

/* Notes the distance to a fold: the folded part of z is 0 at |part| / |its gradient| from here. */
static void fold_note(struct truth_step *step, const mpfr_t part, const mpfr_t right,
                      const mpfr_t up)
{
    const mpfr_srcptr slopes[] = {right, up};
    long slope = exponent_of(slopes, 2);
    if (slope == LONG_MIN)
        return;
    double size = mpfr_zero_p(part) ? -INFINITY : (double)mpfr_get_exp(part);
    step->fold_log2 = fmin(step->fold_log2, size - (double)slope);
}

static void tangent_operate(struct truth_step *step, struct truth_tangent *t,
                            enum formula_operation operation, const double *factor)
{
    switch (operation) {
    case OPERATION_ABS_X:
        if (mpfr_sgn(step->re) < 0)
            mpfr_neg(t->re, t->re, MPFR_RNDN);
        break;
    case OPERATION_ABS_Y:
        if (mpfr_sgn(step->im) < 0)
            mpfr_neg(t->im, t->im, MPFR_RNDN);
        break;
    case OPERATION_NEG_X:
        mpfr_neg(t->re, t->re, MPFR_RNDN);
        break;
    case OPERATION_NEG_Y:
        mpfr_neg(t->im, t->im, MPFR_RNDN);
        break;
    case OPERATION_KEEP:
        mpfr_set(t->kept_re, t->re, MPFR_RNDN);
        mpfr_set(t->kept_im, t->im, MPFR_RNDN);
        break;
    case OPERATION_MUL:
        tangent_multiply(step, t);
        break;
    case OPERATION_SQR: /* 2 z dz */
        tangent_times(step, t->re, t->im, step->re, step->im);
        mpfr_mul_2ui(t->re, t->re, 1, MPFR_RNDN);
        mpfr_mul_2ui(t->im, t->im, 1, MPFR_RNDN);
        break;
    case OPERATION_ADD:
        if (step->by_c && t == &step->tangent[TRUTH_RIGHT])
            mpfr_add_ui(t->re, t->re, 1, MPFR_RNDN);
        if (step->by_c && t == &step->tangent[TRUTH_UP])
            mpfr_add_ui(t->im, t->im, 1, MPFR_RNDN);
        break;
    case OPERATION_SWAP:
        mpfr_swap(t->re, t->im);
        break;
    case OPERATION_SCALE:
        mpfr_set_d(step->factor_re, factor[0], MPFR_RNDN);
        mpfr_set_d(step->factor_im, factor[1], MPFR_RNDN);
        tangent_times(step, t->re, t->im, step->factor_re, step->factor_im);
        break;
    case OPERATION_SIGN_Y:
        if (!mpfr_signbit(step->im) != !mpfr_signbit(step->kept_im))
            mpfr_neg(t->im, t->im, MPFR_RNDN);
        break;
    case OPERATION_PLUS: /* only in rational formulas, see render/truth/truth_rational.c */
    case OPERATION_TIMES_C:
        break;
    }
}

/* Applies an operation to a second derivative: as to a tangent, and for operations that are not
 * linear adds products of two tangents: 2 a b for a square, a' b + a b' for a product with the kept
 * value, whose tangents are a' and b'. */
static void bend_operate(struct truth_step *step, int which, enum formula_operation operation,
                         const double *factor)
{
    const struct truth_tangent *a = &step->tangent[bend_of[which][0]];
    const struct truth_tangent *b = &step->tangent[bend_of[which][1]];
    struct truth_tangent *bend = &step->bend[which];
    if (operation == OPERATION_SQR) {
        tangent_times(step, bend->re, bend->im, step->re, step->im);
        tangent_add_product(step, bend, a->re, a->im, b->re, b->im);
        mpfr_mul_2ui(bend->re, bend->re, 1, MPFR_RNDN);
        mpfr_mul_2ui(bend->im, bend->im, 1, MPFR_RNDN);
        return;
    }
    tangent_operate(step, bend, operation, factor);
    if (operation == OPERATION_MUL) {
        tangent_add_product(step, bend, a->kept_re, a->kept_im, b->re, b->im);
        tangent_add_product(step, bend, a->re, a->im, b->kept_re, b->kept_im);
    }
}

/* ---- discs ---- */

/* (x + y) (x - y), 2 x y */
static void square(struct truth_step *step)
{
    struct bound size = bound_size(step->re, step->im);
    size.value *= 2;
    for (int d = 0; d < TRUTH_DISCS; d++)
        step->radius[d] = bound_product(step->radius[d], bound_sum(size, step->radius[d]));
    int inexact = mpfr_add(step->other, step->re, step->im, MPFR_RNDN);
    inexact |= mpfr_sub(step->product, step->re, step->im, MPFR_RNDN);
    inexact |= mpfr_mul(step->im, step->re, step->im, MPFR_RNDN);
    inexact |= mpfr_mul(step->re, step->other, step->product, MPFR_RNDN);
    mpfr_mul_2ui(step->im, step->im, 1, MPFR_RNDN); /* exact */
    rounding_add(step, inexact);
}

static void step_keep(struct truth_step *step)
{
    mpfr_set(step->kept_re, step->re, MPFR_RNDN);
    mpfr_set(step->kept_im, step->im, MPFR_RNDN);
    for (int d = 0; d < TRUTH_DISCS; d++)
        step->kept_radius[d] = step->radius[d];
}

/* z = z (re + i im) */
static int product_take(struct truth_step *step, const mpfr_t re, const mpfr_t im)
{
    int inexact = mpfr_mul(step->other, step->re, im, MPFR_RNDN);
    inexact |= mpfr_mul(step->re, step->re, re, MPFR_RNDN);
    inexact |= mpfr_mul(step->product, step->im, im, MPFR_RNDN);
    inexact |= mpfr_sub(step->re, step->re, step->product, MPFR_RNDN);
    inexact |= mpfr_mul(step->im, step->im, re, MPFR_RNDN);
    return inexact | mpfr_add(step->im, step->im, step->other, MPFR_RNDN);
}

static void multiply(struct truth_step *step)
{
    struct bound size = bound_size(step->re, step->im);
    struct bound kept_size = bound_size(step->kept_re, step->kept_im);
    for (int d = 0; d < TRUTH_DISCS; d++) { /* (|z| + r) s + |k| r */
        struct bound kept = bound_product(bound_sum(size, step->radius[d]), step->kept_radius[d]);
        step->radius[d] = bound_sum(bound_product(kept_size, step->radius[d]), kept);
    }
    rounding_add(step, product_take(step, step->kept_re, step->kept_im));
}

static void scale(struct truth_step *step, const double factor[2])
{
    mpfr_set_d(step->factor_re, factor[0], MPFR_RNDN);
    mpfr_set_d(step->factor_im, factor[1], MPFR_RNDN);
    struct bound size = bound_size(step->factor_re, step->factor_im);
    for (int d = 0; d < TRUTH_DISCS; d++)
        step->radius[d] = bound_product(step->radius[d], size);
    rounding_add(step, product_take(step, step->factor_re, step->factor_im));
}

/* Notes the fold of a sign: y is B times the kept value K, and becomes |B| K: a fold of B, which is
 * 0 at y K / (K dy - y dK). */
static void sign_note(struct truth_step *step)
{
    struct truth_tangent *slope = step->tangent;
    mpfr_t part, right, up;
    mpfr_inits2(TANGENT_BITS, part, right, up, (mpfr_ptr)0);
    mpfr_mul(part, step->im, step->kept_im, MPFR_RNDN);
    mpfr_fmms(right, step->kept_im, slope[TRUTH_RIGHT].im, step->im, slope[TRUTH_RIGHT].kept_im,
              MPFR_RNDN);
    mpfr_fmms(up, step->kept_im, slope[TRUTH_UP].im, step->im, slope[TRUTH_UP].kept_im, MPFR_RNDN);
    fold_note(step, part, right, up);
    mpfr_clears(part, right, up, (mpfr_ptr)0);
}

/* Can a number within `radius` of this one have another sign? */
static bool sign_open(const mpfr_t number, struct bound radius)
{
    return mpfr_zero_p(number) ||
           !(radius.value * power_above(radius.exponent - mpfr_get_exp(number) + 1) < NARROW);
}

static void sign(struct truth_step *step)
{
    mpfr_set_zero(step->other, 1);
    struct bound twice = bound_size(step->im, step->other);
    twice.value *= 2;
    for (int d = 0; d < TRUTH_DISCS; d++)
        if (sign_open(step->kept_im, step->kept_radius[d]))
            step->radius[d] = bound_sum(step->radius[d], twice);
    mpfr_copysign(step->im, step->im, step->kept_im, MPFR_RNDN);
}

static void step_add_c(struct truth_step *step)
{
    int inexact = mpfr_add(step->re, step->re, step->c_re, MPFR_RNDN);
    inexact |= mpfr_add(step->im, step->im, step->c_im, MPFR_RNDN);
    for (int d = 0; d < TRUTH_DISCS; d++)
        step->radius[d] = bound_sum(step->radius[d], step->c_error);
    rounding_add(step, inexact);
}

void truth_step_take(struct truth_step *step, const struct formula_phase *phase)
{
    int factors = 0;
    for (int i = 0; i < phase->operations; i++) {
        const double *factor = NULL;
        if (phase->operation[i] == OPERATION_SCALE)
            factor = phase->factor[factors++];
        for (int b = 0; b < (step->holomorphic ? 1 : TRUTH_BENDS); b++)
            bend_operate(step, b, phase->operation[i], factor);
        for (int t = 0; t < (step->holomorphic ? 1 : TRUTH_TANGENTS); t++)
            tangent_operate(step, &step->tangent[t], phase->operation[i], factor);
        switch (phase->operation[i]) {
        case OPERATION_ABS_X:
            fold_note(step, step->re, step->tangent[TRUTH_RIGHT].re, step->tangent[TRUTH_UP].re);
            mpfr_abs(step->re, step->re, MPFR_RNDN);
            break;
        case OPERATION_ABS_Y:
            fold_note(step, step->im, step->tangent[TRUTH_RIGHT].im, step->tangent[TRUTH_UP].im);
            mpfr_abs(step->im, step->im, MPFR_RNDN);
            break;
        case OPERATION_NEG_X:
            mpfr_neg(step->re, step->re, MPFR_RNDN);
            break;
        case OPERATION_NEG_Y:
            mpfr_neg(step->im, step->im, MPFR_RNDN);
            break;
        case OPERATION_KEEP:
            step_keep(step);
            break;
        case OPERATION_MUL:
            multiply(step);
            break;
        case OPERATION_SQR:
            square(step);
            break;
        case OPERATION_ADD:
            step_add_c(step);
            break;
        case OPERATION_SWAP:
            mpfr_swap(step->re, step->im);
            break;
        case OPERATION_SCALE:
            scale(step, factor);
            break;
        case OPERATION_SIGN_Y:
            sign_note(step);
            sign(step);
            break;
        case OPERATION_PLUS: /* only in rational formulas */
        case OPERATION_TIMES_C:
            break;
        }
    }
}

void truth_step_begin(struct truth_step *step, bool by_c, bool holomorphic)
{
    if (by_c) {
        mpfr_set_ui(step->re, 0, MPFR_RNDN);
        mpfr_set_ui(step->im, 0, MPFR_RNDN);
    }
    for (int t = 0; t < TRUTH_TANGENTS; t++) {
        mpfr_set_ui(step->tangent[t].re, !by_c && t == TRUTH_RIGHT, MPFR_RNDN);
        mpfr_set_ui(step->tangent[t].im, !by_c && t == TRUTH_UP, MPFR_RNDN);
    }
    for (int b = 0; b < TRUTH_BENDS; b++) {
        mpfr_set_ui(step->bend[b].re, 0, MPFR_RNDN);
        mpfr_set_ui(step->bend[b].im, 0, MPFR_RNDN);
    }
    step->fold_log2 = INFINITY;
    step->by_c = by_c;
    step->holomorphic = holomorphic;
}

static double part_of(mpfr_srcptr number, long exponent)
{
    long own;
    double mantissa = mpfr_get_d_2exp(&own, number, MPFR_RNDN);
    return own - exponent < -2000 ? 0 : ldexp(mantissa, (int)(own - exponent));
}

long truth_step_slope_exponent(const struct truth_step *step)
{
    const struct truth_tangent *right = &step->tangent[TRUTH_RIGHT], *up = &step->tangent[TRUTH_UP];
    const mpfr_srcptr all[] = {right->re, right->im, up->re, up->im};
    return exponent_of(all, step->holomorphic ? 2 : 4);
}

long truth_step_bend_exponent(const struct truth_step *step)
{
    const struct truth_tangent *bend = step->bend;
    const mpfr_srcptr all[] = {bend[0].re, bend[0].im, bend[1].re,
                               bend[1].im, bend[2].re, bend[2].im};
    return exponent_of(all, step->holomorphic ? 2 : 2 * TRUTH_BENDS);
}

double truth_step_size_log2(const struct truth_step *step)
{
    const long exponent = truth_step_slope_exponent(step);
    double sum = 0;
    if (exponent == LONG_MIN)
        return -INFINITY;
    for (int t = 0; t < (step->holomorphic ? 1 : TRUTH_TANGENTS); t++) {
        double re = part_of(step->tangent[t].re, exponent);
        double im = part_of(step->tangent[t].im, exponent);
        sum += re * re + im * im;
    }
    return 0.5 * log2(sum) + (double)exponent;
}

void truth_step_slope(const struct truth_step *step, double *re, double *im, long *exponent)
{
    const struct truth_tangent *right = &step->tangent[TRUTH_RIGHT], *up = &step->tangent[TRUTH_UP];
    *exponent = truth_step_slope_exponent(step);
    *re = *im = 0;
    if (*exponent == LONG_MIN) {
        *exponent = 0;
        return;
    }
    *re = part_of(right->re, *exponent);
    *im = part_of(right->im, *exponent);
    if (!step->holomorphic)
        distance_slope(mpfr_get_d(step->re, MPFR_RNDN), mpfr_get_d(step->im, MPFR_RNDN),
                       part_of(up->re, *exponent), part_of(up->im, *exponent), re, im);
}

/* (re + i im) / z 2^-exponent */
static void quotient(const struct truth_step *step, const struct truth_tangent *of, long exponent,
                     double out[2])
{
    double x = mpfr_get_d(step->re, MPFR_RNDN), y = mpfr_get_d(step->im, MPFR_RNDN);
    double size = hypot(x, y), re = part_of(of->re, exponent), im = part_of(of->im, exponent);
    out[0] = (re * (x / size) + im * (y / size)) / size;
    out[1] = (im * (x / size) - re * (y / size)) / size;
}

/* i z */
static void turned(const double z[2], double out[2])
{
    out[0] = -z[1];
    out[1] = z[0];
}

/* Relative change of the gradient. With a and b the tangents over z and h a bend over z, ln z =
 * ln|z| + i arg z has the first derivative a and the second h - a b. */
double truth_step_bend_log2(const struct truth_step *step)
{
    long exponent = truth_step_slope_exponent(step);
    double a[TRUTH_TANGENTS][2], h[TRUTH_BENDS][2], second[TRUTH_BENDS];
    if (exponent == LONG_MIN)
        return -INFINITY;
    for (int t = 0; t < TRUTH_TANGENTS; t++)
        if (t && step->holomorphic)
            turned(a[t - 1], a[t]);
        else
            quotient(step, &step->tangent[t], exponent, a[t]);
    for (int b = 0; b < TRUTH_BENDS; b++)
        if (b && step->holomorphic)
            turned(h[b - 1], h[b]);
        else
            quotient(step, &step->bend[b], 2 * exponent, h[b]);
    for (int b = 0; b < TRUTH_BENDS; b++) {
        const double *one = a[bend_of[b][0]], *other = a[bend_of[b][1]];
        second[b] = h[b][0] - one[0] * other[0] + one[1] * other[1];
    }
    double most = hypot(hypot(second[0], second[2]), M_SQRT2 * second[1]);
    double bend = log2(most / hypot(a[TRUTH_RIGHT][0], a[TRUTH_UP][0])) + (double)exponent;
    return isnan(bend) ? INFINITY : bend;
}
