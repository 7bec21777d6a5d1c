#include "render/truth/truth.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>

#include <mpfr.h>

#include "kernels/formula/rational_end.h"
#include "kernels/stop.h"
#include "render/truth/truth_bound.h"
#include "render/truth/truth_rational.h"
#include "render/truth/truth_step.h"
#include "render/truth/truth_sums.h"

/* The proof in one paragraph. Every true z_n lies in the disc of radius r_n about the computed z_n:
 *     r_(n+1) = (2 |z_n| + r_n) r_n + |error of c| + |rounding of the step|,
 * because (z + d)^2 + c = z^2 + c + (2 z + d) d. The count is certified when every comparison with
 * the bailout radius comes out the same for the whole disc: |z_k| + r_k <= R for k < n, |z_n| - r_n
 * > R. Otherwise all of it is done again with twice the bits. Other formulas have the same proof
 * with other radii (truth_step.h). */

enum {
    BITS_GUARD = 64, /* bits beyond the pixel, so that z_n is exact to far less than 1e-12 pixels */
    BITS_MIN = 128,  /* > 64, so that every int64 is exact */
    ATTEMPTS_MAX = 9,    /* first attempt and eight doublings */
    EXPONENT_STEP = 500, /* when a scaled double passes 2^500 its exponent takes over */
    PROBE_FIRST = 64
};

/* A complex number as two doubles with an exponent of their own. */
struct scaled_complex {
    double re, im; /* times 2^exponent */
    long exponent;
};

/* Probe: a disc that proves an attracting cycle. Once it comes back into itself after p steps, its
 * orbit never leaves, for any limit. It is much wider than the error ball. It has one point of the
 * cycle, whose period divides p; and a divisor after which the disc met itself nowhere is not the
 * period. */
enum {
    PROBE_NEAR = 32,
    /* factor of n up to which the period is searched for, by a disc nearer to the cycle */
    PROBE_AGAIN = 4
};
struct disc_probe {
    double re, im;            /* centre at the start */
    int64_t begun;            /* n at the start */
    double radius;            /* radius of the disc now; not below the error ball */
    int64_t next_n;           /* n at which it starts again: 64, 128, 256, ... */
    int64_t near[PROBE_NEAR]; /* numbers of steps after which it may have met itself */
    int nears;                /* how many; more than PROBE_NEAR: too many to tell */
    int active;
};
#define PROBE_RADIUS 0x1p-30

struct truth_attempt {
    mpfr_prec_t bits;
    mpfr_t c_re, c_im;        /* the pixel; for a Julia set c, when z_0 is the pixel */
    mpfr_t z_re, z_im;        /* z_n */
    mpfr_t re2, im2, product; /* z_re^2, z_im^2, and temporary values */
    double c_abs;             /* >= |c| */
    double c_error;           /* >= |error of c|, in units of 2^-bits */
    int inexact;              /* did the last step round at all? */
    struct bound ball;        /* r_n */
    /* dz/dpixel in plain arithmetic: it scales statistics and proves nothing. */
    struct scaled_complex dz;
    int by_c;                       /* 1: the pixel is c; 0: it is z_0 */
    struct truth_step step;         /* step of any other formula, instead of most of the above */
    long slope_most;                /* log2 of the largest dz of that step */
    struct truth_rational rational; /* orbit of a formula that divides or converges */
    struct truth_sums sums;         /* sums along the orbit of any other formula */
    struct disc_probe probe;
    int64_t period; /* proven period; 0: none */
    int64_t closed; /* n at which the probe closed, while a divisor may be the period; 0: not yet */
};

/* ---- the pixel ------------------------------------------------------------------------------ */

static double abs_above(const mpfr_t x)
{
    return fabs(mpfr_get_d(x, MPFR_RNDA)) + DBL_MIN;
}

static enum status number_read(mpfr_t out, const char *text, const char *what, int *inexact)
{
    char *end = NULL;
    *inexact |= mpfr_strtofr(out, text, &end, 10, MPFR_RNDN);
    if (end == text || *end != '\0' || !mpfr_number_p(out))
        return status_fail(STATUS_BAD_DATA, "%s: '%.40s' is not a decimal number", what, text);
    return STATUS_OK;
}

/* Turns (re, im), both already times step, counter-clockwise: (re + i im) (cos + i sin). */
static void offset_rotate(mpfr_t re, mpfr_t im, double rotation_deg, mpfr_prec_t bits)
{
    mpfr_t angle, sine, cosine, other;
    mpfr_inits2(bits, angle, sine, cosine, other, (mpfr_ptr)NULL);
    /* angle = rotation_deg * pi / 180 */
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_d(angle, angle, rotation_deg, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 180, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    /* re' = re cos - im sin, im' = re sin + im cos: one rounding each */
    mpfr_fmms(other, re, cosine, im, sine, MPFR_RNDN);
    mpfr_fmma(im, re, sine, im, cosine, MPFR_RNDN);
    mpfr_set(re, other, MPFR_RNDN);
    mpfr_clears(angle, sine, cosine, other, (mpfr_ptr)NULL);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* the cache of pi; the thread may end without us */
}

/* (re, im) over sqrt(F) along the angle, times sqrt(F) across it. */
static void offset_stretch(mpfr_t re, mpfr_t im, const struct view_shape *shape, mpfr_prec_t bits)
{
    mpfr_t root;
    mpfr_init2(root, bits);
    mpfr_set_d(root, view_stretch(shape), MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    offset_rotate(re, im, -shape->stretch_deg, bits);
    mpfr_div(re, re, root, MPFR_RNDN);
    mpfr_mul(im, im, root, MPFR_RNDN);
    offset_rotate(re, im, shape->stretch_deg, bits);
    mpfr_clear(root);
}

/* c = centre + S(((x + 1/2 - W/2) - i (y + 1/2 - H/2)) * step * e^(i rotation)),
 * step = 4 / (zoom H); + i in a mirrored view.
 *
 * With u = 2^-bits: step carries 3 u, an offset 4 u; a rotation adds 19 u of angle (3 u of at most
 * 2 pi), 1 u of sine and 1 u at the end, in both coordinates: below 64 u |offset| in all. Reading
 * the centre costs u |centre|, the last sum u |c|. So 64 u (|re| + |im| + |offset|) holds
 * everything. A stretch by F turns twice more, which is less than three times as much, and an error
 * of what it shortens may come to lie along what it lengthens: F times as much of the offset. */
static enum status pixel_position(struct truth_attempt *a, const struct view *view, int32_t x,
                                  int32_t y)
{
    int inexact = 0;
    TRY(number_read(a->product, view->zoom, "zoom", &inexact));
    /* product = step / 2 = 2 / (zoom H) */
    inexact |= mpfr_mul_si(a->product, a->product, view->height, MPFR_RNDN);
    inexact |= mpfr_ui_div(a->product, 2, a->product, MPFR_RNDN);
    /* z = offset = ((2x + 1 - W) - i (2y + 1 - H)) * step / 2 */
    inexact |= mpfr_mul_si(a->z_re, a->product, 2L * x + 1 - view->width, MPFR_RNDN);
    long up = view->height - 2L * y - 1;
    inexact |= mpfr_mul_si(a->z_im, a->product, view->shape.mirrored ? -up : up, MPFR_RNDN);
    if (view->rotation_deg != 0) {
        offset_rotate(a->z_re, a->z_im, view->rotation_deg, a->bits);
        inexact = 1;
    }
    double factor = view_stretch(&view->shape), size = 1;
    if (factor != 1) {
        offset_stretch(a->z_re, a->z_im, &view->shape, a->bits);
        inexact = 1;
        size = 4 * fmax(factor, 1 / factor);
    }
    size *= abs_above(a->z_re) + abs_above(a->z_im);

    TRY(number_read(a->c_re, view->re, "re", &inexact));
    TRY(number_read(a->c_im, view->im, "im", &inexact));
    size += abs_above(a->c_re) + abs_above(a->c_im);
    inexact |= mpfr_add(a->c_re, a->c_re, a->z_re, MPFR_RNDN);
    inexact |= mpfr_add(a->c_im, a->c_im, a->z_im, MPFR_RNDN);

    a->c_error = inexact ? 64 * size * WIDEN : 0;
    a->c_abs = hypot(abs_above(a->c_re), abs_above(a->c_im)) * WIDEN;
    return STATUS_OK;
}

/* Finds log2 of the step, exact to a double. */
static enum status step_log2(const struct view *view, double *log2_step)
{
    mpfr_t zoom;
    int inexact = 0;
    mpfr_init2(zoom, BITS_MIN);
    enum status status = number_read(zoom, view->zoom, "zoom", &inexact);
    if (status == STATUS_OK && mpfr_sgn(zoom) <= 0)
        status = status_fail(STATUS_BAD_DATA, "zoom: '%.40s' is not positive", view->zoom);
    if (status == STATUS_OK) {
        long exponent;
        mpfr_mul_si(zoom, zoom, view->height, MPFR_RNDN);
        double fraction = mpfr_get_d_2exp(&exponent, zoom, MPFR_RNDN);
        *log2_step = 2 - (double)exponent - log2(fraction);
    }
    mpfr_clear(zoom);
    return status;
}

/* ---- one step ------------------------------------------------------------------------------- */

/* z_n in doubles; below 2^-400, where squares underflow, with an exponent. A deep minibrot's orbit
 * comes as near to 0 as the root of the size of the view. */
static struct scaled_complex orbit_doubles(struct truth_attempt *a)
{
    struct scaled_complex z = {mpfr_get_d(a->z_re, MPFR_RNDN), mpfr_get_d(a->z_im, MPFR_RNDN), 0};
    if (fabs(z.re) + fabs(z.im) > 0x1p-400)
        return z;
    long re_exponent = mpfr_zero_p(a->z_re) ? LONG_MIN : mpfr_get_exp(a->z_re);
    long im_exponent = mpfr_zero_p(a->z_im) ? LONG_MIN : mpfr_get_exp(a->z_im);
    z.exponent = re_exponent > im_exponent ? re_exponent : im_exponent;
    if (z.exponent == LONG_MIN)
        return (struct scaled_complex){0, 0, 0};
    mpfr_mul_2si(a->product, a->z_re, -z.exponent, MPFR_RNDN);
    z.re = mpfr_get_d(a->product, MPFR_RNDN);
    mpfr_mul_2si(a->product, a->z_im, -z.exponent, MPFR_RNDN);
    z.im = mpfr_get_d(a->product, MPFR_RNDN);
    return z;
}

/* r' = (2 |z| + r) r + own; `own` in units of 2^-bits. The exponent is not below that of the unit:
 * smaller values do not count beside it. */
static void ball_step(struct bound *ball, struct bound z_above, double own, mpfr_prec_t bits)
{
    long exponent = z_above.exponent > ball->exponent ? z_above.exponent : ball->exponent;
    double r = ball->value * power_above(ball->exponent - exponent);
    double grown = (2 * z_above.value + r) * ball->value;
    ball->exponent += exponent;
    if (ball->exponent < -(long)bits) {
        grown *= power_above(ball->exponent + (long)bits);
        ball->exponent = -(long)bits;
    }
    double added = own == 0 ? 0 : own * power_above(-(long)bits - ball->exponent);
    ball->value = (grown + added) * WIDEN;
    if (ball->value > 0x1p500) {
        ball->value *= 0x1p-500;
        ball->exponent += EXPONENT_STEP;
    }
}

/* 2^exponent, 0 or infinity where that is out of the range of doubles. */
static double power(long exponent)
{
    return ldexp(1.0, exponent < -2000 ? -2000 : exponent > 2000 ? 2000 : (int)exponent);
}

/* log2 of the length; -infinity of 0. */
static double scaled_log2(const struct scaled_complex *z)
{
    return log2(hypot(z->re, z->im)) + (double)z->exponent;
}

/* dz' = 2 z dz + 1, the 1 if the pixel is c */
static void derivative_step(struct scaled_complex *dz, const struct scaled_complex *z, int by_c)
{
    struct scaled_complex next = {.re = 2 * (z->re * dz->re - z->im * dz->im),
                                  .im = 2 * (z->re * dz->im + z->im * dz->re),
                                  .exponent = dz->exponent + z->exponent};
    double size = fabs(next.re) + fabs(next.im);
    if (size == 0)
        next.exponent = 0;
    if (size > 0x1p500 || next.exponent < 0 || (size < 0x1p-500 && next.exponent > 0)) {
        int shift = ilogb(size);
        if (next.exponent + shift < 0)
            shift = (int)-next.exponent; /* not below that of the 1 to be added */
        next.re *= power(-shift);
        next.im *= power(-shift);
        next.exponent += shift;
    }
    next.re += by_c ? power(-next.exponent) : 0;
    *dz = next;
}

/* z' = z^2 + c. Roundings, with m = |z|^2 and u = 2^-bits: real part 2 u m (the squares and their
 * difference) + u |re'|; imaginary part u m (2 re im) + u |im'|. Together below u (sqrt 5 m + |z'|)
 * <= u (3.3 m + |c|), and 4 m + 2 |c| leaves room for the terms in u^2. */
static void orbit_step(struct truth_attempt *a)
{
    int inexact = mpfr_mul(a->product, a->z_re, a->z_im, MPFR_RNDN);
    inexact |= mpfr_sub(a->z_re, a->re2, a->im2, MPFR_RNDN);
    inexact |= mpfr_add(a->z_re, a->z_re, a->c_re, MPFR_RNDN);
    mpfr_mul_2ui(a->product, a->product, 1, MPFR_RNDN); /* exact */
    inexact |= mpfr_add(a->z_im, a->product, a->c_im, MPFR_RNDN);
    a->inexact |= inexact;
}

/* ---- the probe ------------------------------------------------------------------------------ */

static void probe_start(struct disc_probe *probe, int64_t n, double z_re, double z_im, double ball)
{
    probe->active = ball < PROBE_RADIUS;
    probe->begun = n;
    probe->nears = 0;
    probe->re = z_re;
    probe->im = z_im;
    probe->radius = PROBE_RADIUS;
    probe->next_n *= 2;
}

/* Maps the disc by one step, by the formula of the ball. The probe ends where it could leave the
 * bailout circle. */
static void probe_step(struct disc_probe *probe, double z_above, double own, mpfr_prec_t bits,
                       double bailout)
{
    double added = own * power_above(-(long)bits);
    probe->radius = ((2 * z_above + probe->radius) * probe->radius + added) * WIDEN;
    if (!(z_above + probe->radius < bailout) || probe->radius > 1)
        probe->active = 0;
}

/* Does the disc now lie inside the disc at the start? Both centres are doubles within 2^-52 |z| of
 * the computed z. */
static int probe_closed(struct disc_probe *probe, int64_t n, double z_re, double z_im,
                        double z_above)
{
    double moved = hypot(z_re - probe->re, z_im - probe->im);
    double slack = 0x1p-49 * (1 + z_above);
    if (!probe->active)
        return 0;
    if ((moved + probe->radius + slack) * WIDEN < PROBE_RADIUS)
        return 1;
    if (moved * NARROW <= (PROBE_RADIUS + probe->radius + slack) * WIDEN) {
        if (probe->nears < PROBE_NEAR)
            probe->near[probe->nears] = n - probe->begun;
        probe->nears += probe->nears <= PROBE_NEAR;
    }
    return 0;
}

/* Period of a probe that has closed at n; 0: it may be a divisor. */
static int64_t probe_period(const struct disc_probe *probe, int64_t n)
{
    int64_t period = n - probe->begun;
    for (int i = 0; i < probe->nears; i++)
        if (i == PROBE_NEAR || period % probe->near[i] == 0)
            return 0;
    return period;
}

/* ---- the orbit ------------------------------------------------------------------------------ */

enum verdict { VERDICT_UNDECIDED, VERDICT_ESCAPED, VERDICT_INSIDE, VERDICT_STOPPED };

struct truth_question {
    const struct view *view;
    const struct formula *formula;
    int32_t x, y;
    int64_t limit;
    double bailout;
    const volatile int *stop; /* may be NULL */
};

/* Begins with z_1 = c, or with z_0 and then c, which is exact; returns n of that z. The ball is the
 * pixel's error. */
static int64_t orbit_begin(struct truth_attempt *a, const struct formula *formula)
{
    truth_sums_begin(&a->sums, formula->plane == DYNAMIC_PLANE);
    mpfr_set(a->z_re, a->c_re, MPFR_RNDN);
    mpfr_set(a->z_im, a->c_im, MPFR_RNDN);
    a->ball = (struct bound){a->c_error, -(long)a->bits};
    a->dz = (struct scaled_complex){1, 0, 0};
    a->probe = (struct disc_probe){.next_n = PROBE_FIRST};
    a->period = a->closed = 0;
    a->by_c = formula->plane == PARAMETER_PLANE;
    if (a->by_c)
        return 1;
    mpfr_set_d(a->c_re, formula->c_re, MPFR_RNDN);
    mpfr_set_d(a->c_im, formula->c_im, MPFR_RNDN);
    a->c_error = 0;
    a->c_abs = hypot(abs_above(a->c_re), abs_above(a->c_im)) * WIDEN;
    return 0;
}

/* ---- the orbit of any other formula --------------------------------------------------------- */

/* The dz that distances are computed from, as the kernels do (kernels/escape/distance.h). */
static struct scaled_complex slope_complex(const struct truth_attempt *a)
{
    struct scaled_complex dz;
    truth_step_slope(&a->step, &dz.re, &dz.im, &dz.exponent);
    return dz;
}

static void formula_begin(struct truth_attempt *a, const struct formula *formula)
{
    struct truth_step *step = &a->step;
    double position_error = a->c_error; /* error of the pixel's position */
    int64_t n = orbit_begin(a, formula);
    bool julia = n == 0;
    mpfr_set(step->c_re, a->c_re, MPFR_RNDN);
    mpfr_set(step->c_im, a->c_im, MPFR_RNDN);
    step->c_error = bound_of(a->c_error, -(long)a->bits);
    step->radius[TRUTH_BALL] = julia ? bound_of(position_error, -(long)a->bits) : BOUND_NONE;
    step->radius[TRUTH_PROBE] = BOUND_NONE;
    mpfr_set(step->re, a->z_re, MPFR_RNDN);
    mpfr_set(step->im, a->z_im, MPFR_RNDN);
    truth_step_begin(step, !julia, formula_holomorphic(formula));
    a->slope_most = LONG_MIN;
}

/* Sets the end of the orbit for truth_describe. */
static enum verdict formula_escaped(struct truth_attempt *a)
{
    mpfr_set(a->z_re, a->step.re, MPFR_RNDN);
    mpfr_set(a->z_im, a->step.im, MPFR_RNDN);
    a->dz = slope_complex(a);
    return VERDICT_ESCAPED;
}

/* Runs like orbit_run. A disc that comes back into itself never leaves; periods are not searched
 * for. */
static enum verdict formula_run(struct truth_attempt *a, const struct truth_question *question,
                                int64_t *n)
{
    const struct formula *formula = question->formula;
    struct truth_step *step = &a->step;
    double bailout = question->bailout;
    struct formula_phase phases[FORMULA_PHASES_MAX];
    for (int p = 0; p < formula_phases(formula); p++)
        phases[p] = formula_phase(formula, p);
    formula_begin(a, formula);
    for (*n = 0;; ++*n) {
        double x = mpfr_get_d(step->re, MPFR_RNDN), y = mpfr_get_d(step->im, MPFR_RNDN);
        double z_abs = hypot(x, y), z_above = (z_abs + DBL_MIN) * WIDEN;
        double r = bound_double(step->radius[TRUTH_BALL]) * WIDEN;
        if (*n && a->sums.rule)
            truth_sums_take(&a->sums, step->re, step->im, step->c_re, step->c_im,
                            truth_step_size_log2(step));
        if (*n && z_abs * NARROW - r > bailout)
            return formula_escaped(a);
        if (*n && !(z_above + r <= bailout))
            return VERDICT_UNDECIDED;
        if (*n == question->limit)
            return VERDICT_INSIDE;
        if (stop_asked(question->stop))
            return VERDICT_STOPPED;
        a->probe.radius = bound_double(step->radius[TRUTH_PROBE]);
        if (!(z_above + a->probe.radius < bailout) || a->probe.radius > 1)
            a->probe.active = 0;
        /* other discs follow in another phase */
        if ((*n - a->probe.begun) % formula_phases(formula) == 0 &&
            probe_closed(&a->probe, *n, x, y, z_above)) {
            a->closed = *n;
            return VERDICT_INSIDE;
        }
        if (*n == a->probe.next_n)
            probe_start(&a->probe, *n, x, y, r);
        step->radius[TRUTH_PROBE] = a->probe.active ? bound_of(a->probe.radius, 0) : BOUND_NONE;
        truth_step_take(step, &phases[*n % formula_phases(formula)]);
        long slope = truth_step_slope_exponent(step);
        long bend = truth_step_bend_exponent(step) / 2; /* |dz| s + |d2z| s^2 / 2 is 1 at that s */
        slope = bend > slope ? bend : slope;
        a->slope_most = slope > a->slope_most ? slope : a->slope_most;
    }
}

/* Distance estimate of any other formula, as distance_log2: a measure, not a bound. */
static double formula_distance_log2(struct truth_attempt *a, const struct formula *formula,
                                    int64_t n)
{
    const struct truth_step *step = &a->step;
    double z_abs;
    while ((z_abs = hypot(mpfr_get_d(step->re, MPFR_RNDN), mpfr_get_d(step->im, MPFR_RNDN))) <
           1000) {
        struct formula_phase phase = formula_phase(formula, (int)(n++ % formula_phases(formula)));
        truth_step_take(&a->step, &phase);
    }
    struct scaled_complex dz = slope_complex(a);
    return log2(2 * z_abs * log(z_abs)) - log2(hypot(dz.re, dz.im)) - (double)dz.exponent;
}

/* Distance by which a pixel that has not escaped within the limit may be moved before it has
 * another z: 1 / |dz| where that is largest on the way, or 1 / the root of the second derivative,
 * where dz is nearly 0; 0 where it is proven to stay for ever, and no neighbouring pixel has left
 * its way. Formulas that fold have wide regions in which orbits are chaotic, and escape late or
 * come to a cycle after all. */
static double formula_stable_px(const struct truth_attempt *a, double log2_step)
{
    double stable = exp2(-(double)a->slope_most - log2_step);
    return a->closed && stable >= 1 ? 0 : fmax(stable, DBL_MIN);
}

/* ---- the orbit of a formula that divides or converges --------------------------------------- */

static struct scaled_complex derivative_doubles(const struct truth_derivative *by)
{
    struct scaled_complex dz = {0, 0, 0};
    long re_exponent, im_exponent;
    double re = mpfr_get_d_2exp(&re_exponent, by->re, MPFR_RNDN);
    double im = mpfr_get_d_2exp(&im_exponent, by->im, MPFR_RNDN);
    re_exponent = re != 0 ? re_exponent : LONG_MIN / 2;
    im_exponent = im != 0 ? im_exponent : LONG_MIN / 2;
    dz.exponent = re_exponent > im_exponent ? re_exponent : im_exponent;
    dz.re = re * power(re_exponent - dz.exponent);
    dz.im = im * power(im_exponent - dz.exponent);
    return dz;
}

/* Has the disc come back into itself? Rows that keep z_(n-1) have two discs, which both would have
 * to. */
static bool rational_closed(struct truth_attempt *a, int64_t n)
{
    struct truth_rational *orbit = &a->rational;
    struct disc_probe *probe = &a->probe;
    const struct truth_register *z = &orbit->at[REGISTER_Z];
    double x = mpfr_get_d(z->re, MPFR_RNDN), y = mpfr_get_d(z->im, MPFR_RNDN);
    probe->radius = bound_double(orbit->radius[TRUTH_PROBE]);
    probe->active &= orbit->stays && probe->radius <= 1;
    if (probe_closed(probe, n, x, y, hypot(x, y)))
        return true;
    if (n == probe->next_n && !orbit->keeps)
        probe_start(probe, n, x, y, bound_double(orbit->radius[TRUTH_BALL]) * WIDEN);
    orbit->radius[TRUTH_PROBE] = probe->active ? bound_of(probe->radius, 0) : BOUND_NONE;
    return false;
}

/* Runs like formula_run. */
static enum verdict rational_run(struct truth_attempt *a, const struct truth_question *question,
                                 int64_t *n)
{
    struct truth_rational *orbit = &a->rational;
    truth_rational_begin(orbit, question->formula, a->c_re, a->c_im,
                         bound_of(a->c_error, -(long)a->bits));
    a->probe = (struct disc_probe){.next_n = PROBE_FIRST};
    a->period = a->closed = 0;
    for (*n = 1; *n <= question->limit && !a->closed; ++*n) {
        if (stop_asked(question->stop))
            return VERDICT_STOPPED;
        if (!truth_rational_step(orbit, question->bailout))
            return VERDICT_UNDECIDED;
        if (orbit->over != OVER_NOT)
            break;
        a->closed = rational_closed(a, *n) ? *n : 0;
    }
    a->slope_most = orbit->slope_most;
    if (orbit->over == OVER_NOT)
        return VERDICT_INSIDE;
    mpfr_set(a->z_re, orbit->at[REGISTER_Z].re, MPFR_RNDN);
    mpfr_set(a->z_im, orbit->at[REGISTER_Z].im, MPFR_RNDN);
    return VERDICT_ESCAPED;
}

/* Distance to the next count, as far as the set would be were this z^2 + c: along 2 / (ln 2 d)
 * counts a pixel. For orbits that converge linearly, and those of magnets while they do. */
static double linear_distance_log2(const struct truth *truth, double w_abs)
{
    return log2(2 / M_LN2 * w_abs * log(truth->before / w_abs)) - truth->log2_dz;
}

static void rational_describe(struct truth *truth, struct truth_attempt *a,
                              const struct truth_question *question, double log2_step)
{
    (void)question;
    struct truth_rational *orbit = &a->rational;
    const struct rational_rule *rule = &orbit->kind->rule;
    struct scaled_complex dw = derivative_doubles(&orbit->by_end);
    truth->near = orbit->over == OVER_NEAR;
    truth->before = orbit->before;
    truth->w_re = mpfr_get_d(orbit->end_re, MPFR_RNDN);
    truth->w_im = mpfr_get_d(orbit->end_im, MPFR_RNDN);
    truth->log2_dz = log2(hypot(dw.re, dw.im)) + (double)dw.exponent;
    truth->dz_rad = atan2(dw.im, dw.re);
    double w_abs = hypot(truth->w_re, truth->w_im);
    double distance = log2(2 * w_abs * fabs(log(w_abs))) - truth->log2_dz;
    double linear = truth->near ? linear_distance_log2(truth, w_abs) : INFINITY;
    distance = rule->order == 1 ? linear : fmin(distance, linear);
    truth->distance_px = exp2(distance - log2_step);
    truth->bend = exp2(truth_rational_bend_log2(orbit) + log2_step);
    truth->change_px = truth_bent(truth->distance_px, truth->bend);
    struct scaled_complex last = derivative_doubles(&orbit->by_last);
    truth->last_re = mpfr_get_d(orbit->at[REGISTER_P].re, MPFR_RNDN);
    truth->last_im = mpfr_get_d(orbit->at[REGISTER_P].im, MPFR_RNDN);
    truth->log2_last_dz = log2(hypot(last.re, last.im)) + (double)last.exponent;
    truth->lost = truth->near ? w_abs * w_abs < RATIONAL_HELD : !(w_abs < sqrt(RATIONAL_INFINITE));
}

/* ---- the orbit of z^2 + c ------------------------------------------------------------------- */

static enum verdict orbit_run(struct truth_attempt *a, const struct truth_question *question,
                              int64_t *n)
{
    double bailout = question->bailout;
    for (*n = orbit_begin(a, question->formula);; ++*n) {
        a->inexact = mpfr_sqr(a->re2, a->z_re, MPFR_RNDN);
        a->inexact |= mpfr_sqr(a->im2, a->z_im, MPFR_RNDN);
        double m = mpfr_get_d(a->re2, MPFR_RNDN) + mpfr_get_d(a->im2, MPFR_RNDN);
        double z_abs = sqrt(m + 4 * DBL_MIN), z_above = z_abs * WIDEN;
        double r = bound_double(a->ball) * WIDEN;

        if (*n && a->sums.rule)
            truth_sums_take(&a->sums, a->z_re, a->z_im, a->c_re, a->c_im, scaled_log2(&a->dz));
        if (*n && z_abs * NARROW - r > bailout)
            return VERDICT_ESCAPED;
        if (*n && !(z_above + r <= bailout))
            return a->closed ? VERDICT_INSIDE : VERDICT_UNDECIDED;
        if (*n == question->limit)
            return VERDICT_INSIDE;
        if (stop_asked(question->stop))
            return VERDICT_STOPPED;

        struct scaled_complex z = orbit_doubles(a);
        double z_re = power(z.exponent) * z.re, z_im = power(z.exponent) * z.im;
        struct bound above = {z_above, 0};
        if (z.exponent)
            above = (struct bound){hypot(z.re, z.im) * WIDEN, z.exponent};
        if (probe_closed(&a->probe, *n, z_re, z_im, z_above)) {
            a->period = probe_period(&a->probe, *n);
            if (a->period || a->closed)
                return VERDICT_INSIDE;
            a->closed = *n;
            a->probe.active = 0;
        }
        if (a->closed && *n / PROBE_AGAIN >= a->closed)
            return VERDICT_INSIDE;
        if (*n == a->probe.next_n)
            probe_start(&a->probe, *n, z_re, z_im, r);

        orbit_step(a);
        double own = a->c_error + (a->inexact ? 4 * m + 2 * a->c_abs : 0);
        ball_step(&a->ball, above, own, a->bits);
        derivative_step(&a->dz, &z, a->by_c);
        if (a->probe.active)
            probe_step(&a->probe, z_above, own, a->bits, bailout);
    }
}

static void attempt_set_bits(struct truth_attempt *a, mpfr_prec_t bits)
{
    a->bits = bits;
    mpfr_ptr all[] = {a->c_re, a->c_im, a->z_re, a->z_im, a->re2, a->im2, a->product};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpfr_set_prec(all[i], bits);
    truth_step_bits(&a->step, bits);
    truth_rational_bits(&a->rational, bits);
    truth_sums_bits(&a->sums, bits);
}

/* The distance estimate d = 2 |z| ln|z| / |dz/dc|: the true distance to the set lies between d / 4
 * and d, up to terms in 1 / |z| (Koebe; Milnor, Dynamics in One Complex Variable, app. G). So it is
 * computed where |z| is a thousand, which may be some steps after a small R. */
static double distance_log2(const struct truth_attempt *a, double z_re, double z_im)
{
    double c_re = mpfr_get_d(a->c_re, MPFR_RNDN), c_im = mpfr_get_d(a->c_im, MPFR_RNDN);
    struct scaled_complex z = {z_re, z_im, 0}, dz = a->dz;
    while (hypot(z.re, z.im) < 1000) {
        derivative_step(&dz, &z, a->by_c);
        z = (struct scaled_complex){z.re * z.re - z.im * z.im + c_re, 2 * z.re * z.im + c_im, 0};
    }
    double z_abs = hypot(z.re, z.im);
    return log2(2 * z_abs * log(z_abs)) - log2(hypot(dz.re, dz.im)) - (double)dz.exponent;
}

/* What ended an orbit that escaped: z_count, and its derivative. */
static void end_describe(struct truth *truth, const struct truth_attempt *a)
{
    truth->w_re = truth->z_re;
    truth->w_im = truth->z_im;
    truth->log2_dz = scaled_log2(&a->dz);
    truth->dz_rad = atan2(a->dz.im, a->dz.re);
}

static void quadratic_describe(struct truth *truth, struct truth_attempt *a,
                               const struct truth_question *question, double log2_step)
{
    (void)question;
    end_describe(truth, a);
    truth->distance_px = exp2(distance_log2(a, truth->z_re, truth->z_im) - log2_step);
    truth->change_px = truth->distance_px;
}

static void formula_describe(struct truth *truth, struct truth_attempt *a,
                             const struct truth_question *question, double log2_step)
{
    end_describe(truth, a);
    truth->bend = exp2(truth_step_bend_log2(&a->step) + log2_step);
    /* Behind a fold |z| changes by |J| at most, not by its gradient. */
    double behind = exp2(truth->log2_dz - truth_step_size_log2(&a->step));
    double distance = formula_distance_log2(a, question->formula, truth->count);
    truth->distance_px = exp2(distance - log2_step);
    truth->change_px = truth_bent(truth->distance_px, truth->bend);
    if (a->step.fold_log2 < INFINITY) {
        truth->fold_px = fmax(exp2(a->step.fold_log2 - log2_step), DBL_MIN);
        truth->change_px = fmin(truth->change_px, fmax(truth->fold_px, behind * truth->change_px));
    }
}

/* ---- the families of formulas --------------------------------------------------------------- */

struct truth_family {
    /* Iterates until the verdict; *n is the count when it is VERDICT_ESCAPED. */
    enum verdict (*run)(struct truth_attempt *a, const struct truth_question *question, int64_t *n);
    /* Describes a pixel that escaped, whose count and z are set. */
    void (*describe)(struct truth *truth, struct truth_attempt *a,
                     const struct truth_question *question, double log2_step);
    /* Distance by which a pixel that did not escape may be moved; NULL: not computed. */
    double (*stable_px)(const struct truth_attempt *a, double log2_step);
};

static const struct truth_family families[FORMULA_FAMILIES] = {
    [FAMILY_QUADRATIC] = {orbit_run, quadratic_describe, NULL},
    [FAMILY_LISTS] = {formula_run, formula_describe, formula_stable_px},
    [FAMILY_RATIONAL] = {rational_run, rational_describe, formula_stable_px},
};

/* First precision, enough for most pixels: the position of the pixel, an error that grows like n^2
 * where the orbit is tame, and the guard. The others need the doublings. */
static mpfr_prec_t bits_first(double log2_step, int64_t limit)
{
    double bits = fmax(0, -log2_step) + 2 * log2((double)limit) + BITS_GUARD;
    return BITS_MIN + 64 * (mpfr_prec_t)ceil(fmax(0, bits - BITS_MIN) / 64);
}

static void sums_describe(struct truth *truth, const struct truth_attempt *a,
                          const struct truth_question *question)
{
    if (!a->sums.rule)
        return;
    double base = formula_fraction_base(question->formula, truth->count, question->bailout);
    double ends = log(hypot(truth->w_re, truth->w_im)) / log(question->bailout);
    for (int p = 0; p < ORBIT_PLANES; p++)
        truth->sums[p] = truth_sums_value(&a->sums, p, fmin(fmax(1 - log(ends) / log(base), 0), 1),
                                          &truth->sums_slack[p]);
}

/* Tries one precision after the other until the pixel is decided. */
static enum status truth_decide(struct truth_attempt *a, const struct truth_question *question,
                                struct truth *truth)
{
    const struct truth_family *family = &families[formula_family(question->formula)];
    double log2_step;
    TRY(step_log2(question->view, &log2_step));
    a->sums.log2_step = log2_step;
    mpfr_prec_t bits = bits_first(log2_step, question->limit);
    enum verdict verdict = VERDICT_UNDECIDED;
    for (int k = 0; k < ATTEMPTS_MAX && verdict == VERDICT_UNDECIDED; k++, bits *= 2) {
        attempt_set_bits(a, bits);
        truth->precision_bits = (long)bits;
        TRY(pixel_position(a, question->view, question->x, question->y));
        int64_t n;
        verdict = family->run(a, question, &n);
        if (verdict == VERDICT_ESCAPED)
            truth->count = n;
        truth->period = verdict == VERDICT_INSIDE ? a->period : 0;
    }
    if (verdict == VERDICT_STOPPED)
        return status_fail(STATUS_STOPPED, "stopped on request while a count was proven");
    truth->certified = verdict != VERDICT_UNDECIDED;
    if (verdict == VERDICT_INSIDE && family->stable_px)
        truth->distance_px = truth->change_px = family->stable_px(a, log2_step);
    if (verdict == VERDICT_ESCAPED) {
        truth->z_re = mpfr_get_d(a->z_re, MPFR_RNDN);
        truth->z_im = mpfr_get_d(a->z_im, MPFR_RNDN);
        family->describe(truth, a, question, log2_step);
        sums_describe(truth, a, question);
    }
    return STATUS_OK;
}

enum status truth_pixel(const struct view *view, const struct formula *formula, int32_t x,
                        int32_t y, int64_t limit, double bailout, const volatile int *stop,
                        struct truth *truth)
{
    return truth_pixel_sums(view, formula, x, y, limit, bailout, NULL, stop, truth);
}

enum status truth_pixel_sums(const struct view *view, const struct formula *formula, int32_t x,
                             int32_t y, int64_t limit, double bailout,
                             const struct truth_sums_rule *rule, const volatile int *stop,
                             struct truth *truth)
{
    assert(limit >= 1 && bailout >= 2);
    const struct truth_question question = {view, formula, x, y, limit, bailout, stop};
    struct truth_attempt a;
    *truth = (struct truth){0};
    mpfr_inits2(BITS_MIN, a.c_re, a.c_im, a.z_re, a.z_im, a.re2, a.im2, a.product, (mpfr_ptr)NULL);
    truth_sums_open(&a.sums);
    a.sums.rule = rule;
    truth_step_open(&a.step);
    truth_rational_open(&a.rational);
    enum status status = truth_decide(&a, &question, truth);
    truth_rational_close(&a.rational);
    truth_step_close(&a.step);
    truth_sums_close(&a.sums);
    mpfr_clears(a.c_re, a.c_im, a.z_re, a.z_im, a.re2, a.im2, a.product, (mpfr_ptr)NULL);
    return status;
}
