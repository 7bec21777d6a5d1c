#include "render/truth/truth_rational.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* One operation after the other on discs alone would make discs too large: z - z^2 maps r to (1 + 2
 * |z|) r, although the exact map of e is (1 - 2 z) e. So within a step each register is a
 * polynomial of first order in e, |e| <= r, with a rest, and only z_(n+1) is a disc again, of
 * radius |a| r + rest. For a + d and b + s, with rests r_a and r_b:
 *     multiply    m = a b, a' = b d' + a s'
 *                 rest = |d'| |s'| r^2 + r_a (|b| + |s'| r + r_b) + r_b (|a| + |d'| r)
 *     divide      m = a / b, a' = (d' - m s') / b
 *                 rest = (|a'| |s'| r^2 + r_a + (|m| + |a'| r) r_b) / (|b| - |s'| r - r_b)
 *     add         rest = r_a + r_b
 * and the results are rounded: m to 2^-bits, a' to half as many, since it is as small as the root
 * of a pixel where an orbit comes near a critical point. */

enum { DERIVATIVE_BITS_GUARD = 64, PLACE_BITS = 53 };

/* Roundings, in units of 2^-bits of the values that are rounded: those of four products and two
 * sums, and of a quotient by the conjugate and the norm, with room for terms of higher order. */
enum { ROUNDINGS_SUM = 2, ROUNDINGS_PRODUCT = 4, ROUNDINGS_QUOTIENT = 8 };

typedef void change(mpfr_t, mpfr_prec_t);

static void clear(mpfr_t number, mpfr_prec_t bits)
{
    (void)bits;
    mpfr_clear(number);
}

static void each_part(struct truth_derivative *by, change *call, mpfr_prec_t bits)
{
    call(by->re, bits);
    call(by->im, bits);
}

static void each_register(struct truth_register *one, const struct truth_rational *orbit,
                          change *call)
{
    call(one->re, orbit->bits);
    call(one->im, orbit->bits);
    each_part(&one->by[BY_Z], call, orbit->derivative_bits);
    each_part(&one->by[BY_REST], call, PLACE_BITS);
    each_part(&one->by[BY_BEND], call, PLACE_BITS);
}

static void each_scratch(struct truth_scratch *scratch, change *call, mpfr_prec_t bits)
{
    call(scratch->re, bits);
    call(scratch->im, bits);
    call(scratch->product, bits);
    call(scratch->norm, bits);
}

static void each_number(struct truth_rational *orbit, change *call)
{
    for (int i = 0; i < RATIONAL_REGISTERS; i++)
        each_register(&orbit->at[i], orbit, call);
    each_register(&orbit->next, orbit, call);
    each_register(&orbit->number, orbit, call);
    each_scratch(&orbit->scratch, call, orbit->bits);
    each_scratch(&orbit->of[BY_Z], call, orbit->derivative_bits);
    each_scratch(&orbit->of[BY_REST], call, PLACE_BITS);
    each_scratch(&orbit->of[BY_BEND], call, PLACE_BITS);
    struct truth_derivative *by[] = {&orbit->by_z, &orbit->by_last,   &orbit->by_end,
                                     &orbit->bend, &orbit->bend_last, &orbit->bend_end,
                                     orbit->total, &orbit->total[1]};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        each_part(by[i], call, PLACE_BITS);
    call(orbit->end_re, orbit->bits);
    call(orbit->end_im, orbit->bits);
}

void truth_rational_open(struct truth_rational *orbit)
{
    orbit->bits = orbit->derivative_bits = PLACE_BITS;
    each_number(orbit, mpfr_init2);
}

void truth_rational_close(struct truth_rational *orbit)
{
    each_number(orbit, clear);
}

void truth_rational_bits(struct truth_rational *orbit, mpfr_prec_t bits)
{
    orbit->bits = bits;
    orbit->derivative_bits = bits / 2 + DERIVATIVE_BITS_GUARD;
    each_number(orbit, mpfr_set_prec);
}

/* ---- complex numbers ---- */

/* to = a b; to is neither */
static void complex_multiply(struct truth_scratch *scratch, mpfr_t to_re, mpfr_t to_im,
                             const mpfr_t a_re, const mpfr_t a_im, const mpfr_t b_re,
                             const mpfr_t b_im)
{
    mpfr_mul(scratch->product, a_im, b_im, MPFR_RNDN);
    mpfr_mul(to_re, a_re, b_re, MPFR_RNDN);
    mpfr_sub(to_re, to_re, scratch->product, MPFR_RNDN);
    mpfr_mul(scratch->product, a_im, b_re, MPFR_RNDN);
    mpfr_mul(to_im, a_re, b_im, MPFR_RNDN);
    mpfr_add(to_im, to_im, scratch->product, MPFR_RNDN);
}

/* to = a^2: (x + y) (x - y), 2 x y; to is not a */
static void complex_square(struct truth_scratch *scratch, mpfr_t to_re, mpfr_t to_im,
                           const mpfr_t re, const mpfr_t im)
{
    mpfr_add(scratch->re, re, im, MPFR_RNDN);
    mpfr_sub(scratch->im, re, im, MPFR_RNDN);
    mpfr_mul(to_re, scratch->re, scratch->im, MPFR_RNDN);
    mpfr_mul(to_im, re, im, MPFR_RNDN);
    mpfr_mul_2ui(to_im, to_im, 1, MPFR_RNDN);
}

/* to = a / b, to may be a */
static void complex_divide(struct truth_scratch *scratch, mpfr_t to_re, mpfr_t to_im,
                           const mpfr_t a_re, const mpfr_t a_im, const mpfr_t b_re,
                           const mpfr_t b_im)
{
    mpfr_fmma(scratch->norm, b_re, b_re, b_im, b_im, MPFR_RNDN);
    mpfr_fmma(scratch->re, a_re, b_re, a_im, b_im, MPFR_RNDN);
    mpfr_fmms(scratch->im, a_im, b_re, a_re, b_im, MPFR_RNDN);
    mpfr_div(to_re, scratch->re, scratch->norm, MPFR_RNDN);
    mpfr_div(to_im, scratch->im, scratch->norm, MPFR_RNDN);
}

/* ---- derivatives: their operations are linear, so most of them stay 0 ---- */

static void derivative_set(struct truth_derivative *by, int re)
{
    mpfr_set_si(by->re, re, MPFR_RNDN);
    mpfr_set_zero(by->im, 1);
}

static void derivative_copy(struct truth_derivative *to, const struct truth_derivative *by)
{
    mpfr_set(to->re, by->re, MPFR_RNDN);
    mpfr_set(to->im, by->im, MPFR_RNDN);
}

static bool derivative_is_zero(const struct truth_derivative *by)
{
    return mpfr_zero_p(by->re) && mpfr_zero_p(by->im);
}

static void derivative_sum(struct truth_derivative *to, const struct truth_derivative *a,
                           const struct truth_derivative *b, bool minus)
{
    (minus ? mpfr_sub : mpfr_add)(to->re, a->re, b->re, MPFR_RNDN);
    (minus ? mpfr_sub : mpfr_add)(to->im, a->im, b->im, MPFR_RNDN);
}

/* to = to + (x + i y) by, or - */
static void derivative_add(struct truth_scratch *scratch, struct truth_derivative *to,
                           const mpfr_t x, const mpfr_t y, const struct truth_derivative *by,
                           bool minus)
{
    if (derivative_is_zero(by))
        return;
    complex_multiply(scratch, scratch->re, scratch->im, x, y, by->re, by->im);
    (minus ? mpfr_sub : mpfr_add)(to->re, to->re, scratch->re, MPFR_RNDN);
    (minus ? mpfr_sub : mpfr_add)(to->im, to->im, scratch->im, MPFR_RNDN);
}

/* All of dz of a register. */
static void total_take(struct truth_rational *orbit, struct truth_derivative *total,
                       const struct truth_register *from)
{
    derivative_copy(total, &from->by[BY_REST]);
    derivative_add(&orbit->of[BY_REST], total, from->by[BY_Z].re, from->by[BY_Z].im, &orbit->by_z,
                   false);
}

/* by = by + 2 da db, or - */
static void bend_add(struct truth_rational *orbit, struct truth_derivative *by,
                     const struct truth_register *a, const struct truth_register *b, bool minus)
{
    struct truth_derivative *of_a = &orbit->total[0], *of_b = &orbit->total[1];
    total_take(orbit, of_a, a);
    total_take(orbit, of_b, b);
    mpfr_mul_2ui(of_a->re, of_a->re, 1, MPFR_RNDN);
    mpfr_mul_2ui(of_a->im, of_a->im, 1, MPFR_RNDN);
    derivative_add(&orbit->of[BY_BEND], by, of_a->re, of_a->im, of_b, minus);
}

/* ---- registers ---- */

static void sizes_take(struct truth_register *to)
{
    to->size = bound_size(to->re, to->im);
    to->slope = bound_size(to->by[BY_Z].re, to->by[BY_Z].im);
}

/* Adds the roundings of m, `times` units of `m`, and of a, as many of `a`. */
static void roundings_add(const struct truth_rational *orbit, struct truth_register *to,
                          double times, struct bound m, struct bound a)
{
    struct bound of_m = bound_roundings(m, times, orbit->bits);
    struct bound of_a = bound_roundings(a, times, orbit->derivative_bits);
    for (int d = 0; d < TRUTH_DISCS; d++)
        to->rest[d] =
            bound_sum(to->rest[d], bound_sum(of_m, bound_product(of_a, orbit->radius[d])));
}

/* |d'| |s'| r^2 + r_a (|b| + |s'| r + r_b) + r_b (|a| + |d'| r) */
static struct bound product_rest(const struct truth_rational *orbit, int d,
                                 const struct truth_register *a, const struct truth_register *b)
{
    struct bound by_a = bound_product(a->slope, orbit->radius[d]);
    struct bound by_b = bound_product(b->slope, orbit->radius[d]);
    struct bound of_a = bound_sum(a->size, by_a);
    struct bound of_b = bound_sum(bound_sum(b->size, by_b), b->rest[d]);
    return bound_sum(bound_product(by_a, by_b),
                     bound_sum(bound_product(a->rest[d], of_b), bound_product(b->rest[d], of_a)));
}

static void multiply(struct truth_rational *orbit, const struct truth_register *a,
                     const struct truth_register *b)
{
    struct truth_register *to = &orbit->next;
    if (a == b)
        complex_square(&orbit->scratch, to->re, to->im, a->re, a->im);
    else
        complex_multiply(&orbit->scratch, to->re, to->im, a->re, a->im, b->re, b->im);
    for (int k = 0; k < DERIVATIVES; k++) {
        derivative_set(&to->by[k], 0);
        derivative_add(&orbit->of[k], &to->by[k], a->re, a->im, &b->by[k], false);
        derivative_add(&orbit->of[k], &to->by[k], b->re, b->im, &a->by[k], false);
    }
    bend_add(orbit, &to->by[BY_BEND], a, b, false);
    for (int d = 0; d < TRUTH_DISCS; d++)
        to->rest[d] = product_rest(orbit, d, a, b);
    roundings_add(orbit, to, ROUNDINGS_PRODUCT, bound_product(a->size, b->size),
                  bound_sum(bound_product(a->size, b->slope), bound_product(b->size, a->slope)));
    sizes_take(to);
}

/* (|a'| |s'| r^2 + r_a + (|m| + |a'| r) r_b + roundings) / (|b| - |s'| r - r_b) */
static struct bound quotient_rest(const struct truth_rational *orbit, int d,
                                  const struct truth_register *q, const struct truth_register *a,
                                  const struct truth_register *b)
{
    struct bound by_q = bound_product(q->slope, orbit->radius[d]);
    struct bound by_b = bound_product(b->slope, orbit->radius[d]);
    struct bound above = bound_sum(bound_product(by_q, by_b), a->rest[d]);
    above = bound_sum(above, bound_product(bound_sum(q->size, by_q), b->rest[d]));
    struct bound of_m = bound_product(q->size, b->size);
    struct bound of_a = bound_sum(bound_product(q->size, by_b), bound_product(by_q, b->size));
    above = bound_sum(above, bound_roundings(of_m, ROUNDINGS_QUOTIENT, orbit->bits));
    above = bound_sum(above, bound_roundings(of_a, ROUNDINGS_QUOTIENT, orbit->derivative_bits));
    return bound_quotient(above, b->size, bound_sum(by_b, b->rest[d]));
}

static void divide(struct truth_rational *orbit, const struct truth_register *a,
                   const struct truth_register *b)
{
    struct truth_register *to = &orbit->next;
    complex_divide(&orbit->scratch, to->re, to->im, a->re, a->im, b->re, b->im);
    for (int k = 0; k < DERIVATIVES; k++) {
        struct truth_derivative *by = &to->by[k];
        derivative_copy(by, &a->by[k]);
        derivative_add(&orbit->of[k], by, to->re, to->im, &b->by[k], true);
        if (k == BY_BEND) /* a'' = m'' b + 2 m' b' + m b'' */
            bend_add(orbit, by, to, b, true);
        if (!derivative_is_zero(by))
            complex_divide(&orbit->of[k], by->re, by->im, by->re, by->im, b->re, b->im);
    }
    sizes_take(to);
    for (int d = 0; d < TRUTH_DISCS; d++)
        to->rest[d] = quotient_rest(orbit, d, to, a, b);
}

static void register_sum(struct truth_rational *orbit, const struct truth_register *a,
                         const struct truth_register *b, bool minus)
{
    struct truth_register *to = &orbit->next;
    (minus ? mpfr_sub : mpfr_add)(to->re, a->re, b->re, MPFR_RNDN);
    (minus ? mpfr_sub : mpfr_add)(to->im, a->im, b->im, MPFR_RNDN);
    for (int k = 0; k < DERIVATIVES; k++)
        derivative_sum(&to->by[k], &a->by[k], &b->by[k], minus);
    sizes_take(to);
    for (int d = 0; d < TRUTH_DISCS; d++)
        to->rest[d] = bound_sum(a->rest[d], b->rest[d]);
    roundings_add(orbit, to, ROUNDINGS_SUM, to->size, to->slope);
}

/* n / d as a register; exact where d is a power of 2. */
static const struct truth_register *number_of(struct truth_rational *orbit, int n, int d)
{
    struct truth_register *number = &orbit->number;
    mpfr_set_si(number->re, n, MPFR_RNDN);
    int inexact = mpfr_div_si(number->re, number->re, d, MPFR_RNDN);
    mpfr_set_zero(number->im, 1);
    for (int k = 0; k < DERIVATIVES; k++)
        derivative_set(&number->by[k], 0);
    sizes_take(number);
    for (int k = 0; k < TRUTH_DISCS; k++)
        number->rest[k] = inexact ? bound_roundings(number->size, 1, orbit->bits) : BOUND_NONE;
    return number;
}

static void operate(struct truth_rational *orbit, const struct rational_operation *operation)
{
    const struct truth_register *a = &orbit->at[operation->a], *b = &orbit->at[operation->b];
    switch (operation->does) {
    case RATIONAL_sqr:
        multiply(orbit, a, a);
        break;
    case RATIONAL_mul:
        multiply(orbit, a, b);
        break;
    case RATIONAL_div:
        divide(orbit, a, b);
        break;
    case RATIONAL_add:
    case RATIONAL_sub:
        register_sum(orbit, a, b, operation->does == RATIONAL_sub);
        break;
    case RATIONAL_scale:
        multiply(orbit, number_of(orbit, operation->n, operation->d), a);
        break;
    case RATIONAL_invert:
        divide(orbit, number_of(orbit, operation->n, operation->d), a);
        break;
    case RATIONAL_plus:
        register_sum(orbit, a, number_of(orbit, operation->n, operation->d), false);
        break;
    }
}

static void register_swap(struct truth_register *a, struct truth_register *b)
{
    struct truth_register other = *a;
    *a = *b;
    *b = other;
}

/* ---- what ends an orbit ---- */

static double end_size(const struct truth_rational *orbit)
{
    return hypot(mpfr_get_d(orbit->end_re, MPFR_RNDN), mpfr_get_d(orbit->end_im, MPFR_RNDN));
}

/* Takes z_n as the end; returns |z_n|. */
static double far_take(struct truth_rational *orbit)
{
    mpfr_set(orbit->end_re, orbit->at[REGISTER_Z].re, MPFR_RNDN);
    mpfr_set(orbit->end_im, orbit->at[REGISTER_Z].im, MPFR_RNDN);
    derivative_copy(&orbit->by_end, &orbit->by_z);
    derivative_copy(&orbit->bend_end, &orbit->bend);
    return end_size(orbit);
}

/* Takes as the end, from z_n, the value that converges to 0 in this row; returns its absolute
 * value. */
static double near_take(struct truth_rational *orbit)
{
    const struct truth_register *last = &orbit->at[REGISTER_P];
    if (orbit->kind->rule.ends == ENDS_AT_ONE) {
        mpfr_sub_ui(orbit->end_re, orbit->end_re, 1, MPFR_RNDN);
    } else {
        mpfr_sub(orbit->end_re, orbit->end_re, last->re, MPFR_RNDN);
        mpfr_sub(orbit->end_im, orbit->end_im, last->im, MPFR_RNDN);
        derivative_sum(&orbit->by_end, &orbit->by_end, &orbit->by_last, true);
        derivative_sum(&orbit->bend_end, &orbit->bend_end, &orbit->bend_last, true);
    }
    return end_size(orbit);
}

/* ---- the orbit ---- */

static bool uses_last(const struct rational_kind *kind)
{
    bool uses = false;
    for (int i = 0; i < kind->operations; i++)
        uses |= kind->operation[i].a == REGISTER_P || kind->operation[i].b == REGISTER_P;
    return uses;
}

static void register_begin(struct truth_register *to, struct bound rest)
{
    sizes_take(to);
    for (int d = 0; d < TRUTH_DISCS; d++)
        to->rest[d] = rest;
}

void truth_rational_begin(struct truth_rational *orbit, const struct formula *formula,
                          const mpfr_t re, const mpfr_t im, struct bound error)
{
    bool dynamic = formula->plane == DYNAMIC_PLANE;
    struct truth_register *z = &orbit->at[REGISTER_Z], *c = &orbit->at[REGISTER_C];
    struct truth_register *last = &orbit->at[REGISTER_P];
    struct truth_register *pixel = dynamic ? z : c, *same = dynamic ? c : z;
    orbit->kind = rational_kind(formula);
    orbit->keeps = uses_last(orbit->kind);
    orbit->before = 0;
    orbit->slope_most = LONG_MIN;
    for (int i = 0; i < RATIONAL_REGISTERS; i++)
        for (int k = 0; k < DERIVATIVES; k++)
            derivative_set(&orbit->at[i].by[k], 0);
    mpfr_set(pixel->re, re, MPFR_RNDN);
    mpfr_set(pixel->im, im, MPFR_RNDN);
    mpfr_set_d(same->re, dynamic ? formula->c_re : orbit->kind->begins, MPFR_RNDN);
    mpfr_set_d(same->im, dynamic ? formula->c_im : 0, MPFR_RNDN);
    mpfr_set_zero(last->re, 1);
    mpfr_set_zero(last->im, 1);
    derivative_set(&c->by[BY_REST], !dynamic);
    derivative_set(&orbit->by_z, dynamic);
    derivative_set(&orbit->by_last, 0);
    derivative_set(&orbit->bend, 0);
    derivative_set(&orbit->bend_last, 0);
    orbit->radius[TRUTH_BALL] = dynamic ? error : BOUND_NONE;
    orbit->radius[TRUTH_PROBE] = BOUND_NONE;
    register_begin(c, dynamic ? BOUND_NONE : error);
    register_begin(last, BOUND_NONE);
    far_take(orbit);
    orbit->rest = orbit->kind->rule.ends == ENDS_AT_ONE ? near_take(orbit) : INFINITY;
}

/* d_(n+1) = dz_(n+1)/dz_n d_n + the rest; d: dz or the second derivative */
static void derivative_step(struct truth_rational *orbit, int rest, struct truth_derivative *by,
                            struct truth_derivative *last)
{
    struct truth_register *z = &orbit->at[REGISTER_Z];
    derivative_add(&orbit->of[rest], &z->by[rest], z->by[BY_Z].re, z->by[BY_Z].im, by, false);
    derivative_copy(last, by);
    derivative_copy(by, &z->by[rest]);
}

/* 2^exponent is above both parts; LONG_MIN: they are 0. */
static long derivative_exponent(const struct truth_derivative *by)
{
    long re = mpfr_regular_p(by->re) ? mpfr_get_exp(by->re) : LONG_MIN;
    long im = mpfr_regular_p(by->im) ? mpfr_get_exp(by->im) : LONG_MIN;
    return re > im ? re : im;
}

static void slope_step(struct truth_rational *orbit)
{
    derivative_step(orbit, BY_REST, &orbit->by_z, &orbit->by_last);
    derivative_step(orbit, BY_BEND, &orbit->bend, &orbit->bend_last);
    long slope = derivative_exponent(&orbit->by_z);
    long bend = derivative_exponent(&orbit->bend) / 2; /* see formula_run in truth.c */
    slope = bend > slope ? bend : slope;
    orbit->slope_most = slope > orbit->slope_most ? slope : orbit->slope_most;
}

/* Makes z_(n+1) a disc again, which is e of the next step; z_n, which is in `next`, becomes its
 * P. */
static void discs_join(struct truth_rational *orbit)
{
    struct truth_register *z = &orbit->at[REGISTER_Z], *last = &orbit->at[REGISTER_P];
    register_swap(last, &orbit->next);
    for (int d = 0; d < TRUTH_DISCS; d++) {
        last->rest[d] = orbit->radius[d];
        orbit->radius[d] = bound_sum(bound_product(z->slope, orbit->radius[d]), z->rest[d]);
        z->rest[d] = BOUND_NONE;
    }
    derivative_set(&last->by[BY_Z], 0);
    derivative_copy(&last->by[BY_REST], &orbit->by_last);
    derivative_copy(&last->by[BY_BEND], &orbit->bend_last);
    last->slope = BOUND_NONE;
}

static void step_begin(struct truth_rational *orbit)
{
    struct truth_register *z = &orbit->at[REGISTER_Z];
    derivative_set(&z->by[BY_Z], 1);
    derivative_set(&z->by[BY_REST], 0);
    derivative_set(&z->by[BY_BEND], 0);
    register_begin(z, BOUND_NONE);
}

/* ---- its ends ---- */

/* Compares a disc with a bound: -1: all of it is farther from 0, 1: none of it is; 0: undecided. */
static int within(double size, struct bound radius, double bound)
{
    double r = bound_double(radius) * WIDEN;
    return size * NARROW - r > bound ? -1 : (size + DBL_MIN) * WIDEN + r <= bound;
}

static struct bound near_radius(const struct truth_rational *orbit, int d)
{
    return orbit->kind->rule.ends == ENDS_AT_ONE
               ? orbit->radius[d]
               : bound_sum(orbit->radius[d], orbit->at[REGISTER_P].rest[d]);
}

static bool tests(struct truth_rational *orbit, double bailout)
{
    const struct rational_rule *rule = &orbit->kind->rule;
    double size = far_take(orbit);
    int is = rule->escapes ? within(size, orbit->radius[TRUTH_BALL], bailout) : 1;
    orbit->stays = !rule->escapes || within(size, orbit->radius[TRUTH_PROBE], bailout) == 1;
    orbit->over = is < 0 ? OVER_FAR : OVER_NOT;
    if (is <= 0 || rule->ends == ENDS_NEVER)
        return is != 0;
    orbit->before = orbit->rest;
    orbit->rest = near_take(orbit);
    is = within(orbit->rest, near_radius(orbit, TRUTH_BALL), 1 / bailout);
    orbit->stays &= within(orbit->rest, near_radius(orbit, TRUTH_PROBE), 1 / bailout) == -1;
    orbit->over = is > 0 ? OVER_NEAR : OVER_NOT;
    return is != 0;
}

bool truth_rational_step(struct truth_rational *orbit, double bailout)
{
    const struct rational_kind *kind = orbit->kind;
    step_begin(orbit);
    for (int i = 0; i < kind->operations; i++) {
        operate(orbit, &kind->operation[i]);
        register_swap(&orbit->at[kind->operation[i].to], &orbit->next);
    }
    /* only the last operation writes Z, so z_n is in `next` */
    slope_step(orbit);
    discs_join(orbit);
    return tests(orbit, bailout);
}

/* With f = ln w: |f'' / f'| = |w'' / w' - w' / w|, to the right and upwards alike. */
double truth_rational_bend_log2(const struct truth_rational *orbit)
{
    const struct truth_derivative *by = &orbit->by_end;
    struct truth_derivative curvature, other;
    struct truth_scratch scratch;
    if (derivative_is_zero(by))
        return -INFINITY;
    each_part(&curvature, mpfr_init2, PLACE_BITS);
    each_part(&other, mpfr_init2, PLACE_BITS);
    each_scratch(&scratch, mpfr_init2, PLACE_BITS);
    complex_divide(&scratch, curvature.re, curvature.im, orbit->bend_end.re, orbit->bend_end.im,
                   by->re, by->im);
    complex_divide(&scratch, other.re, other.im, by->re, by->im, orbit->end_re, orbit->end_im);
    derivative_sum(&curvature, &curvature, &other, true);
    mpfr_hypot(curvature.re, curvature.re, curvature.im, MPFR_RNDN);
    long exponent = 0;
    double fraction = mpfr_get_d_2exp(&exponent, curvature.re, MPFR_RNDN);
    each_part(&curvature, clear, 0);
    each_part(&other, clear, 0);
    each_scratch(&scratch, clear, 0);
    double bend = log2(fraction * M_SQRT2) + (double)exponent;
    return isnan(bend) ? INFINITY : bend;
}
