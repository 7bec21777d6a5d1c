#include "render/truth_rational.h"

#include <limits.h>
#include <math.h>

/* An operation maps discs of radius r about a and s about b into that of this radius about the
 * computed result:
 *     multiply    |a| s + |b| r + r s
 *     divide      (r + |q| s) / (|b| - s)     (a + d) / (b + e) - q = (d - q e) / (b + e)
 *     add         r + s
 *     scale       |f| r
 * and what is computed is rounded a few times in each part, by less than 2^-bits of it each. */

enum { RADIUS_BITS = 40, TANGENT_BITS = 53, DISC_NUMBERS = 3 };

typedef void change(mpfr_t, mpfr_prec_t);

static void clear(mpfr_t number, mpfr_prec_t bits)
{
    (void)bits;
    mpfr_clear(number);
}

static void each_disc(struct truth_disc *disc, change *call, mpfr_prec_t bits)
{
    call(disc->re, bits);
    call(disc->im, bits);
    call(disc->radius, RADIUS_BITS);
}

static void each_number(struct truth_rational *orbit, change *call, mpfr_prec_t bits)
{
    for (int i = 0; i < RATIONAL_REGISTERS; i++) {
        each_disc(&orbit->at[i], call, bits);
        call(orbit->by[i].re, TANGENT_BITS);
        call(orbit->by[i].im, TANGENT_BITS);
    }
    each_disc(&orbit->next, call, bits);
    each_disc(&orbit->end, call, bits);
    mpfr_ptr const tangents[] = {orbit->by_next.re,   orbit->by_next.im, orbit->by_end.re,
                                 orbit->by_end.im,    orbit->tangent_re, orbit->tangent_im,
                                 orbit->tangent_other};
    for (size_t i = 0; i < sizeof tangents / sizeof *tangents; i++)
        call(tangents[i], TANGENT_BITS);
    call(orbit->size, RADIUS_BITS);
    call(orbit->term, RADIUS_BITS);
    call(orbit->other, bits);
    call(orbit->number, bits);
}

void truth_rational_open(struct truth_rational *orbit)
{
    each_number(orbit, mpfr_init2, RADIUS_BITS);
}

void truth_rational_close(struct truth_rational *orbit)
{
    each_number(orbit, clear, 0);
}

void truth_rational_bits(struct truth_rational *orbit, mpfr_prec_t bits)
{
    each_number(orbit, mpfr_set_prec, bits);
}

/* ---- discs ---- */

static void size_of(mpfr_t size, const struct truth_disc *disc, mpfr_rnd_t way)
{
    mpfr_hypot(size, disc->re, disc->im, way);
}

/* 2^-bits (|re| + |im|) for each of so many roundings. */
static void rounding_add(struct truth_rational *orbit, struct truth_disc *to, unsigned roundings)
{
    size_of(orbit->size, to, MPFR_RNDU);
    mpfr_mul_2si(orbit->size, orbit->size, 1 - (long)mpfr_get_prec(to->re), MPFR_RNDU);
    mpfr_mul_ui(orbit->size, orbit->size, roundings, MPFR_RNDU);
    mpfr_add(to->radius, to->radius, orbit->size, MPFR_RNDU);
}

static void multiply(struct truth_rational *orbit, struct truth_disc *to,
                     const struct truth_disc *a, const struct truth_disc *b)
{
    size_of(orbit->size, a, MPFR_RNDU);
    mpfr_add(orbit->size, orbit->size, a->radius, MPFR_RNDU);
    mpfr_mul(orbit->term, orbit->size, b->radius, MPFR_RNDU);
    size_of(orbit->size, b, MPFR_RNDU);
    mpfr_fma(to->radius, orbit->size, a->radius, orbit->term, MPFR_RNDU);
    mpfr_fmms(to->re, a->re, b->re, a->im, b->im, MPFR_RNDN);
    mpfr_fmma(to->im, a->re, b->im, a->im, b->re, MPFR_RNDN);
    rounding_add(orbit, to, 1);
}

/* Four roundings: of the numerator, of |b|^2 and of the quotient, and one for what is of higher
 * order. */
static void divide(struct truth_rational *orbit, struct truth_disc *to, const struct truth_disc *a,
                   const struct truth_disc *b)
{
    mpfr_fmma(orbit->other, b->re, b->re, b->im, b->im, MPFR_RNDN);
    mpfr_fmma(to->re, a->re, b->re, a->im, b->im, MPFR_RNDN);
    mpfr_fmms(to->im, a->im, b->re, a->re, b->im, MPFR_RNDN);
    mpfr_div(to->re, to->re, orbit->other, MPFR_RNDN);
    mpfr_div(to->im, to->im, orbit->other, MPFR_RNDN);
    size_of(orbit->size, to, MPFR_RNDU);
    mpfr_mul_2ui(orbit->size, orbit->size, 1, MPFR_RNDU); /* |q|, and its roundings */
    mpfr_fma(to->radius, orbit->size, b->radius, a->radius, MPFR_RNDU);
    size_of(orbit->term, b, MPFR_RNDD);
    mpfr_sub(orbit->term, orbit->term, b->radius, MPFR_RNDD);
    if (mpfr_sgn(orbit->term) > 0)
        mpfr_div(to->radius, to->radius, orbit->term, MPFR_RNDU);
    else
        mpfr_set_inf(to->radius, 1);
    rounding_add(orbit, to, 4);
}

static void number_set(struct truth_disc *to, int n, int d)
{
    mpfr_set_si(to->re, n, MPFR_RNDN);
    mpfr_div_si(to->re, to->re, d, MPFR_RNDN);
    mpfr_set_zero(to->im, 1);
    mpfr_set_zero(to->radius, 1);
}

static void add(struct truth_rational *orbit, struct truth_disc *to, const struct truth_disc *a,
                const struct truth_disc *b, bool minus)
{
    int (*sum)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t) = minus ? mpfr_sub : mpfr_add;
    sum(to->re, a->re, b->re, MPFR_RNDN);
    sum(to->im, a->im, b->im, MPFR_RNDN);
    mpfr_add(to->radius, a->radius, b->radius, MPFR_RNDU);
    rounding_add(orbit, to, 1);
}

static void operate(struct truth_rational *orbit, const struct rational_operation *operation)
{
    struct truth_disc *to = &orbit->next, *number = &orbit->end;
    const struct truth_disc *a = &orbit->at[operation->a], *b = &orbit->at[operation->b];
    switch (operation->does) {
    case RATIONAL_sqr:
        multiply(orbit, to, a, a);
        break;
    case RATIONAL_mul:
        multiply(orbit, to, a, b);
        break;
    case RATIONAL_div:
        divide(orbit, to, a, b);
        break;
    case RATIONAL_add:
    case RATIONAL_sub:
        add(orbit, to, a, b, operation->does == RATIONAL_sub);
        break;
    case RATIONAL_scale:
        number_set(number, operation->n, operation->d);
        multiply(orbit, to, number, a);
        rounding_add(orbit, to, 1); /* of the number */
        break;
    case RATIONAL_invert:
        number_set(number, operation->n, operation->d);
        divide(orbit, to, number, a);
        rounding_add(orbit, to, 1);
        break;
    case RATIONAL_plus:
        number_set(number, operation->n, operation->d);
        add(orbit, to, a, number, false);
        break;
    }
}

/* ---- derivatives, in plain arithmetic ---- */

/* to += sign (x + i y) times the derivative */
static void derivative_add(struct truth_rational *orbit, const mpfr_t x, const mpfr_t y,
                           const struct truth_derivative *by, int sign)
{
    struct truth_derivative *to = &orbit->by_next;
    mpfr_fmms(orbit->tangent_other, x, by->re, y, by->im, MPFR_RNDN);
    (sign > 0 ? mpfr_add : mpfr_sub)(to->re, to->re, orbit->tangent_other, MPFR_RNDN);
    mpfr_fmma(orbit->tangent_other, x, by->im, y, by->re, MPFR_RNDN);
    (sign > 0 ? mpfr_add : mpfr_sub)(to->im, to->im, orbit->tangent_other, MPFR_RNDN);
}

/* by_next / b */
static void derivative_divide(struct truth_rational *orbit, const struct truth_disc *b)
{
    struct truth_derivative *to = &orbit->by_next;
    mpfr_fmma(orbit->tangent_other, b->re, b->re, b->im, b->im, MPFR_RNDN);
    mpfr_fmma(orbit->tangent_re, to->re, b->re, to->im, b->im, MPFR_RNDN);
    mpfr_fmms(orbit->tangent_im, to->im, b->re, to->re, b->im, MPFR_RNDN);
    mpfr_div(to->re, orbit->tangent_re, orbit->tangent_other, MPFR_RNDN);
    mpfr_div(to->im, orbit->tangent_im, orbit->tangent_other, MPFR_RNDN);
}

/* Before the result, in `next`, takes the place of a register. */
static void derivative_operate(struct truth_rational *orbit,
                               const struct rational_operation *operation)
{
    struct truth_derivative *to = &orbit->by_next;
    const struct truth_disc *a = &orbit->at[operation->a], *b = &orbit->at[operation->b];
    const struct truth_derivative *by_a = &orbit->by[operation->a],
                                  *by_b = &orbit->by[operation->b];
    enum rational_do does = operation->does;
    mpfr_set_zero(to->re, 1);
    mpfr_set_zero(to->im, 1);
    if (does == RATIONAL_sqr || does == RATIONAL_mul) {
        derivative_add(orbit, a->re, a->im, does == RATIONAL_sqr ? by_a : by_b, 1);
        derivative_add(orbit, does == RATIONAL_sqr ? a->re : b->re,
                       does == RATIONAL_sqr ? a->im : b->im, by_a, 1);
        return;
    }
    if (does == RATIONAL_invert) {
        derivative_add(orbit, orbit->next.re, orbit->next.im, by_a, -1);
        derivative_divide(orbit, a);
        return;
    }
    mpfr_set(to->re, by_a->re, MPFR_RNDN);
    mpfr_set(to->im, by_a->im, MPFR_RNDN);
    if (does == RATIONAL_div) {
        derivative_add(orbit, orbit->next.re, orbit->next.im, by_b, -1);
        derivative_divide(orbit, b);
    } else if (does == RATIONAL_add || does == RATIONAL_sub) {
        mpfr_set_ui(orbit->number, 1, MPFR_RNDN);
        mpfr_set_zero(orbit->other, 1);
        derivative_add(orbit, orbit->number, orbit->other, by_b, does == RATIONAL_add ? 1 : -1);
    } else if (does == RATIONAL_scale) {
        mpfr_mul_si(to->re, to->re, operation->n, MPFR_RNDN);
        mpfr_mul_si(to->im, to->im, operation->n, MPFR_RNDN);
        mpfr_div_si(to->re, to->re, operation->d, MPFR_RNDN);
        mpfr_div_si(to->im, to->im, operation->d, MPFR_RNDN);
    }
}

/* ---- the orbit ---- */

static void disc_swap(struct truth_disc *a, struct truth_disc *b)
{
    mpfr_swap(a->re, b->re);
    mpfr_swap(a->im, b->im);
    mpfr_swap(a->radius, b->radius);
}

static void derivative_set(struct truth_derivative *by, int re)
{
    mpfr_set_si(by->re, re, MPFR_RNDN);
    mpfr_set_zero(by->im, 1);
}

void truth_rational_begin(struct truth_rational *orbit, const struct formula *formula,
                          const mpfr_t re, const mpfr_t im, const mpfr_t error)
{
    bool dynamic = formula->plane == DYNAMIC_PLANE;
    struct truth_disc *pixel = &orbit->at[dynamic ? REGISTER_Z : REGISTER_C];
    struct truth_disc *same = &orbit->at[dynamic ? REGISTER_C : REGISTER_Z];
    orbit->kind = rational_kind(formula);
    orbit->before = 0;
    orbit->rest = INFINITY;
    orbit->slope_most = LONG_MIN;
    mpfr_set(pixel->re, re, MPFR_RNDN);
    mpfr_set(pixel->im, im, MPFR_RNDN);
    mpfr_set(pixel->radius, error, MPFR_RNDU);
    mpfr_set_d(same->re, dynamic ? formula->c_re : orbit->kind->begins, MPFR_RNDN);
    mpfr_set_d(same->im, dynamic ? formula->c_im : 0, MPFR_RNDN);
    mpfr_set_zero(same->radius, 1);
    number_set(&orbit->at[REGISTER_P], 0, 1);
    derivative_set(&orbit->by[REGISTER_P], 0);
    derivative_set(&orbit->by[REGISTER_C], !dynamic);
    derivative_set(&orbit->by[REGISTER_Z], dynamic);
}

/* `end` becomes what the row may converge to 0 of, beside z_(n-1) in P. */
static void rest_take(struct truth_rational *orbit)
{
    struct truth_disc *end = &orbit->end;
    const struct truth_derivative *z = &orbit->by[REGISTER_Z], *last = &orbit->by[REGISTER_P];
    bool at_one = orbit->kind->rule.ends == ENDS_AT_ONE;
    if (at_one)
        number_set(&orbit->next, 1, 1);
    add(orbit, end, &orbit->at[REGISTER_Z], at_one ? &orbit->next : &orbit->at[REGISTER_P], true);
    mpfr_set(orbit->by_end.re, z->re, MPFR_RNDN);
    mpfr_set(orbit->by_end.im, z->im, MPFR_RNDN);
    if (at_one)
        return;
    mpfr_sub(orbit->by_end.re, orbit->by_end.re, last->re, MPFR_RNDN);
    mpfr_sub(orbit->by_end.im, orbit->by_end.im, last->im, MPFR_RNDN);
}

/* -1: |disc| is surely above the bound, 1: surely not; 0: who knows. */
static int within(struct truth_rational *orbit, const struct truth_disc *disc, const mpfr_t bound)
{
    size_of(orbit->size, disc, MPFR_RNDD);
    mpfr_sub(orbit->size, orbit->size, disc->radius, MPFR_RNDD);
    if (mpfr_greater_p(orbit->size, bound))
        return -1;
    size_of(orbit->size, disc, MPFR_RNDU);
    mpfr_add(orbit->size, orbit->size, disc->radius, MPFR_RNDU);
    return mpfr_lessequal_p(orbit->size, bound);
}

static bool tests(struct truth_rational *orbit, double bailout)
{
    const struct rational_rule *rule = &orbit->kind->rule;
    struct truth_disc *z = &orbit->at[REGISTER_Z];
    if (!mpfr_number_p(z->radius))
        return false;
    mpfr_set_d(orbit->number, bailout, MPFR_RNDN);
    int is = rule->escapes ? within(orbit, z, orbit->number) : 1;
    if (is < 0) {
        orbit->over = OVER_FAR;
        mpfr_set(orbit->end.re, z->re, MPFR_RNDN);
        mpfr_set(orbit->end.im, z->im, MPFR_RNDN);
        mpfr_set(orbit->by_end.re, orbit->by[REGISTER_Z].re, MPFR_RNDN);
        mpfr_set(orbit->by_end.im, orbit->by[REGISTER_Z].im, MPFR_RNDN);
    }
    if (is <= 0 || rule->ends == ENDS_NEVER)
        return is != 0;
    rest_take(orbit);
    orbit->before = orbit->rest;
    orbit->rest = hypot(mpfr_get_d(orbit->end.re, MPFR_RNDN), mpfr_get_d(orbit->end.im, MPFR_RNDN));
    mpfr_ui_div(orbit->number, 1, orbit->number, MPFR_RNDN);
    is = within(orbit, &orbit->end, orbit->number);
    orbit->over = is > 0 ? OVER_NEAR : OVER_NOT;
    return is != 0;
}

static void slope_note(struct truth_rational *orbit)
{
    const mpfr_ptr parts[] = {orbit->by[REGISTER_Z].re, orbit->by[REGISTER_Z].im};
    for (int i = 0; i < 2; i++)
        if (mpfr_regular_p(parts[i]) && mpfr_get_exp(parts[i]) > orbit->slope_most)
            orbit->slope_most = mpfr_get_exp(parts[i]);
}

bool truth_rational_step(struct truth_rational *orbit, double bailout)
{
    const struct rational_kind *kind = orbit->kind;
    orbit->over = OVER_NOT;
    for (int i = 0; i < kind->operations; i++) {
        const struct rational_operation *operation = &kind->operation[i];
        operate(orbit, operation);
        derivative_operate(orbit, operation);
        disc_swap(&orbit->at[operation->to], &orbit->next);
        mpfr_swap(orbit->by[operation->to].re, orbit->by_next.re);
        mpfr_swap(orbit->by[operation->to].im, orbit->by_next.im);
    }
    /* the last operation is the only one that writes Z, so z_n is in `next` */
    disc_swap(&orbit->at[REGISTER_P], &orbit->next);
    mpfr_swap(orbit->by[REGISTER_P].re, orbit->by_next.re);
    mpfr_swap(orbit->by[REGISTER_P].im, orbit->by_next.im);
    slope_note(orbit);
    return tests(orbit, bailout);
}
