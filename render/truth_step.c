#include "render/truth_step.h"

/* An operation maps the disc of radius r about z into that of radius r' about the computed z':
 *     square      r' = (2 |z| + r) r        (z + d)^2 = z^2 + (2 z + d) d
 *     multiply    r' = |z| s + |k| r + r s  by k, in a disc of radius s
 *     add         r' = r + |error of c|
 *     fold, sign  r' = r                    no two points come to lie farther apart
 * and what is computed of z' is rounded once in each part, by less than 2^-bits of it. */

enum { RADIUS_BITS = 40 };

static void each_number(struct truth_step *step, void (*call)(mpfr_t, mpfr_prec_t),
                        mpfr_prec_t bits)
{
    mpfr_ptr numbers[] = {step->re,      step->im,      step->c_re, step->c_im,
                          step->kept_re, step->kept_im, step->other};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        call(numbers[i], bits);
}

static void each_radius(struct truth_step *step, void (*call)(mpfr_t, mpfr_prec_t))
{
    mpfr_ptr radii[] = {step->c_error, step->size, step->kept_size, step->term};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++)
        call(radii[i], RADIUS_BITS);
    for (int d = 0; d < TRUTH_DISCS; d++) {
        call(step->radius[d], RADIUS_BITS);
        call(step->kept_radius[d], RADIUS_BITS);
    }
}

static void number_clear(mpfr_t number, mpfr_prec_t bits)
{
    (void)bits;
    mpfr_clear(number);
}

void truth_step_open(struct truth_step *step)
{
    each_number(step, mpfr_init2, RADIUS_BITS);
    each_radius(step, mpfr_init2);
}

void truth_step_close(struct truth_step *step)
{
    each_number(step, number_clear, 0);
    each_radius(step, number_clear);
}

void truth_step_bits(struct truth_step *step, mpfr_prec_t bits)
{
    each_number(step, mpfr_set_prec, bits);
    each_radius(step, mpfr_set_prec);
}

/* >= |re + i im| */
static void size_above(mpfr_t size, const mpfr_t re, const mpfr_t im)
{
    mpfr_hypot(size, re, im, MPFR_RNDU);
}

/* The roundings of z', where there were any: 2^-bits (|re| + |im|) is at least both. */
static void rounding_add(struct truth_step *step, int inexact)
{
    if (!inexact)
        return;
    mpfr_abs(step->term, step->re, MPFR_RNDU);
    mpfr_set(step->size, step->im, MPFR_RNDA);
    mpfr_abs(step->size, step->size, MPFR_RNDU);
    mpfr_add(step->term, step->term, step->size, MPFR_RNDU);
    mpfr_mul_2si(step->term, step->term, -(long)mpfr_get_prec(step->re), MPFR_RNDU);
    for (int d = 0; d < TRUTH_DISCS; d++)
        mpfr_add(step->radius[d], step->radius[d], step->term, MPFR_RNDU);
}

static void square(struct truth_step *step)
{
    size_above(step->size, step->re, step->im);
    mpfr_mul_2ui(step->size, step->size, 1, MPFR_RNDU);
    for (int d = 0; d < TRUTH_DISCS; d++) {
        mpfr_add(step->term, step->size, step->radius[d], MPFR_RNDU);
        mpfr_mul(step->radius[d], step->radius[d], step->term, MPFR_RNDU);
    }
    int inexact = mpfr_fmms(step->other, step->re, step->re, step->im, step->im, MPFR_RNDN);
    inexact |= mpfr_mul(step->im, step->re, step->im, MPFR_RNDN);
    mpfr_mul_2ui(step->im, step->im, 1, MPFR_RNDN); /* exact */
    mpfr_swap(step->re, step->other);
    rounding_add(step, inexact);
}

static void keep(struct truth_step *step)
{
    mpfr_set(step->kept_re, step->re, MPFR_RNDN);
    mpfr_set(step->kept_im, step->im, MPFR_RNDN);
    for (int d = 0; d < TRUTH_DISCS; d++)
        mpfr_set(step->kept_radius[d], step->radius[d], MPFR_RNDU);
}

static void multiply(struct truth_step *step)
{
    size_above(step->size, step->re, step->im);
    size_above(step->kept_size, step->kept_re, step->kept_im);
    for (int d = 0; d < TRUTH_DISCS; d++) {
        mpfr_add(step->term, step->size, step->radius[d], MPFR_RNDU); /* (|z| + r) s + |k| r */
        mpfr_mul(step->term, step->term, step->kept_radius[d], MPFR_RNDU);
        mpfr_fma(step->radius[d], step->kept_size, step->radius[d], step->term, MPFR_RNDU);
    }
    int inexact =
        mpfr_fmms(step->other, step->re, step->kept_re, step->im, step->kept_im, MPFR_RNDN);
    inexact |= mpfr_fmma(step->im, step->re, step->kept_im, step->im, step->kept_re, MPFR_RNDN);
    mpfr_swap(step->re, step->other);
    rounding_add(step, inexact);
}

static void add(struct truth_step *step)
{
    int inexact = mpfr_add(step->re, step->re, step->c_re, MPFR_RNDN);
    inexact |= mpfr_add(step->im, step->im, step->c_im, MPFR_RNDN);
    for (int d = 0; d < TRUTH_DISCS; d++)
        mpfr_add(step->radius[d], step->radius[d], step->c_error, MPFR_RNDU);
    rounding_add(step, inexact);
}

void truth_step_take(struct truth_step *step, const struct formula_kind *kind)
{
    for (int i = 0; i < kind->operations; i++)
        switch (kind->operation[i]) {
        case OPERATION_ABS_X:
            mpfr_abs(step->re, step->re, MPFR_RNDN);
            break;
        case OPERATION_ABS_Y:
            mpfr_abs(step->im, step->im, MPFR_RNDN);
            break;
        case OPERATION_NEG_X:
            mpfr_neg(step->re, step->re, MPFR_RNDN);
            break;
        case OPERATION_NEG_Y:
            mpfr_neg(step->im, step->im, MPFR_RNDN);
            break;
        case OPERATION_KEEP:
            keep(step);
            break;
        case OPERATION_MUL:
            multiply(step);
            break;
        case OPERATION_SQR:
            square(step);
            break;
        case OPERATION_ADD:
            add(step);
            break;
        }
}
