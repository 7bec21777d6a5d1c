#include "render/plan/plan_error.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/escape/pixel.h"
#include "kernels/stop.h"
#include "render/plan/plan_error_probe.h"
#include "render/plan/plan_error_rational.h"
#include "render/plan/sorted.h"
#include "render/view/description.h"

enum {
    ACROSS = 8, /* probes in a row; even, so that none is 0 in the middle of a Julia set */
    DOWN = 6,   /* rows of probes */
    PROBES = ACROSS * DOWN,
    STEPS_OF_ALL = 1 << 24 /* 0.2 s */
};

/* Steps of z^2 + c in fp32 and fp64 err by 0.39 u (|z|^2 + |c|) in the root mean square, in
 * double-single by 0.33 u^2 of a float's u, and by 2.4 u^2 at most of 200,000 along orbits. */
const double plan_unit_roundoff[NUMBERS] = {
    [NUMBER_FP32] = 0x1p-24, [NUMBER_FP64] = 0x1p-53, [NUMBER_DS] = 0x1p-48};

/* |z| beyond which orbits only grow, for every c that can be asked for: of z^2 + c the larger root
 * of r^2 - r = |c|, and 2 where the pixel is c. */
static double escape_radius(const struct formula *formula)
{
    if (formula_rational(formula))
        return INFINITY; /* there may be none */
    double c = formula->plane == DYNAMIC_PLANE ? hypot(formula->c_re, formula->c_im) : 0, least;
    if (formula->step == STEP_OWN && formula_least_bailout(formula, &least) == STATUS_OK)
        return fmax(least, c);
    return fmax(2.0, 0.5 + sqrt(0.25 + c));
}

double plan_largest_point(const struct view_numbers *view, const struct formula *formula)
{
    double half_diagonal =
        0.5 * exp2(view->log2_stretch) * view->step * hypot(view->width, view->height);
    double point = hypot(view->centre_re, view->centre_im) + half_diagonal;
    return fmin(fmax(point, 0.5), escape_radius(formula));
}

/* Rounding c, or z_0, moves the pixel by about u |c|, the rest of the orbit by `amplification`
 * times as much. Against proven counts on the sixteen views of configs/views at 3840 x 2160 the sum
 * is 1.7 to 5 times the median of what is observed and 0.4 to 1.6 times its 99th percentile. */
double plan_error_px(const struct view_numbers *view, const struct formula *formula,
                     enum number number, double amplification)
{
    if (!isfinite(amplification))
        return INFINITY;
    double log2_error =
        log2(amplification * plan_unit_roundoff[number] * plan_largest_point(view, formula)) -
        (view->log2_step - view->log2_stretch);
    return exp2(fmin(log2_error, 1000.0));
}

bool plan_error_matters(const struct view_numbers *view, const struct formula *formula)
{
    return !formula_mandelbrot(formula) ||
           plan_error_px(view, formula, NUMBER_FP64, 1) <= ERROR_MAX_PX;
}

/* An orbit of z^2 + c. Step k errs by about u (|z_k|^2 + |c|); |c| counts in a Julia set, whose c
 * is the same for all pixels, so it is another error of each step. Perturbation errs by u |z_k
 * delta_k|, delta the way to the orbit of the view's centre, or to 0 if that is nearer: then it is
 * rebased. */
struct quadratic {
    double cx, cy, same, added, far; /* far: |z|^2 beyond which orbits only grow */
    double x, y, a, b;               /* z_k and its derivative */
    double centre_x, centre_y;       /* z_k of the orbit of the centre; NAN: it is over */
    struct rounding_sum direct, perturbed;
    struct slope_watch direct_most, perturbed_most;
};

/* z_1 = c with dz/dc = 1, or z_0 with dz/dz_0 = 1. */
static struct quadratic quadratic_begin(const struct formula *formula, const struct probe *probe)
{
    bool julia = formula->plane == DYNAMIC_PLANE;
    double radius = escape_radius(formula);
    return (struct quadratic){.cx = julia ? formula->c_re : probe->re,
                              .cy = julia ? formula->c_im : probe->im,
                              .same = julia ? hypot(formula->c_re, formula->c_im) : 0,
                              .added = julia ? 0 : 1,
                              .far = radius * radius,
                              .x = probe->re,
                              .y = probe->im,
                              .a = 1,
                              .centre_x = julia ? probe->centre_re : NAN,
                              .centre_y = julia ? probe->centre_im : NAN};
}

static void quadratic_step(struct quadratic *q, double norm)
{
    double right = q->x - q->centre_x, up = q->y - q->centre_y;
    double delta_square = fmin(norm, right * right + up * up); /* the number, if one is NAN */
    rounding_add(&q->direct, q->x, q->y, norm, norm + q->same);
    rounding_add(&q->perturbed, q->x, q->y, norm, 2 * sqrt(norm * delta_square));
    double a = 2 * (q->x * q->a - q->y * q->b) + q->added; /* dz' = 2 z dz, + 1 by c */
    q->b = 2 * (q->x * q->b + q->y * q->a);
    q->a = a;
    double next = q->x * q->x - q->y * q->y + q->cx;
    q->y = 2 * q->x * q->y + q->cy;
    q->x = next;
    next = q->centre_x * q->centre_x - q->centre_y * q->centre_y + q->cx;
    q->centre_y = 2 * q->centre_x * q->centre_y + q->cy;
    q->centre_x = next * next > 16 * q->far ? NAN : next;
}

/* Errors of an orbit that is far away, or bounded at the limit. Perturbation rounds the distance to
 * the centre. */
static void quadratic_sizes(const struct quadratic *q, const struct formula *formula,
                            const struct probe *probe, bool far, struct probe_error *error)
{
    double right = probe->re - probe->centre_re, up = probe->im - probe->centre_im;
    double slope = q->a * q->a + q->b * q->b;
    double direct = rounding_square(&q->direct), perturbed = rounding_square(&q->perturbed);
    error->direct = probe_moved(
        hypot(probe->re, probe->im),
        far ? sqrt(direct / slope) : probe_bounded(probe, formula, &q->direct_most, slope, direct));
    error->perturbed =
        probe_moved(hypot(right, up),
                    far ? sqrt(perturbed / slope)
                        : probe_bounded(probe, formula, &q->perturbed_most, slope, perturbed));
}

static struct probe_error quadratic_error(const struct formula *formula, const struct probe *probe)
{
    struct quadratic q = quadratic_begin(formula, probe);
    struct cycle_watch watch = {.at = 0};
    struct probe_error error = {INFINITY, INFINITY, 0};
    if (q.x * q.x + q.y * q.y > q.far)
        return (struct probe_error){0, 0, 1}; /* escapes at once, whatever the rounding */
    for (int64_t k = 1, end = probe_end(probe); k <= end && !stop_asked(probe->stop); k++) {
        double norm = q.x * q.x + q.y * q.y, slope_square = q.a * q.a + q.b * q.b;
        bool over = norm > 4 * q.far || slope_square > PROBE_HUGE_SQUARE;
        error.steps = k;
        slope_keep(&q.direct_most, slope_square, rounding_square(&q.direct));
        slope_keep(&q.perturbed_most, slope_square, rounding_square(&q.perturbed));
        if (k == probe->limit || (over && k < probe->limit))
            quadratic_sizes(&q, formula, probe, over, &error);
        if (over || !probe_goes_on(probe, formula, k, slope_square))
            return error;
        if (cycle_closed(&watch, k, q.x, q.y, 1)) {
            double held = cycle_error(probe, formula, &watch, slope_square);
            if (isfinite(held))
                return (struct probe_error){held, 0, k};
        }
        cycle_keep(&watch, k, q.x, q.y, slope_square);
        quadratic_step(&q, norm);
    }
    return probe_known(probe, error);
}

/* By how much a step enlarges, at most: the square of the larger singular value of its J. */
static double stretch_square(const struct formula_slope *j)
{
    double sum =
        j->x_right * j->x_right + j->y_right * j->y_right + j->x_up * j->x_up + j->y_up * j->y_up;
    double area = j->x_right * j->y_up - j->y_right * j->x_up;
    return 0.5 * (sum + sqrt(fmax(sum * sum - 4 * area * area, 0)));
}

/* Mean squares of an error in x and y, and their mean product. */
struct covariance {
    double xx, xy, yy;
};

/* What a step makes of it, and what it adds in every direction. */
static struct covariance covariance_step(struct covariance e, const struct formula_slope *j,
                                         double own)
{
    double x_right = j->x_right * e.xx + j->x_up * e.xy, x_up = j->x_right * e.xy + j->x_up * e.yy;
    double y_right = j->y_right * e.xx + j->y_up * e.xy, y_up = j->y_right * e.xy + j->y_up * e.yy;
    return (struct covariance){.xx = x_right * j->x_right + x_up * j->x_up + own,
                               .xy = x_right * j->y_right + x_up * j->y_up,
                               .yy = y_right * j->y_right + y_up * j->y_up + own};
}

/* The same for any other formula. What errors have come to when the orbit is far away moves the
 * pixel along the gradient of |z|. In a Julia set the least of them is that of each step, in one
 * direction, as another c would be. */
struct folded {
    struct formula_slope s, by_c; /* by the pixel's place; by c, in the dynamic plane */
    struct covariance errors;
    double least_square; /* least errors of a step so far */
    struct slope_watch most;
};

static struct folded folded_begin(const struct formula *formula, const struct probe *probe)
{
    bool julia = formula->plane == DYNAMIC_PLANE;
    double x = julia ? probe->re : 0, y = julia ? probe->im : 0;
    return (struct folded){.s = {x, y, julia, 0, 0, julia},
                           .by_c = {x, y, 0, 0, 0, 0},
                           .least_square = julia ? INFINITY : 0};
}

/* The square of d|z|^2/2 by the place that `slope` is a derivative by. */
static double gradient_square(const struct formula_slope *s)
{
    double right = s->x * s->x_right + s->y * s->y_right, up = s->x * s->x_up + s->y * s->y_up;
    return right * right + up * up;
}

static double steepest_square(const struct formula_slope *s)
{
    return fmax(s->x_right * s->x_right + s->y_right * s->y_right,
                s->x_up * s->x_up + s->y_up * s->y_up);
}

/* Far away only what changes |z| counts. */
static double folded_far(const struct folded *f)
{
    const struct covariance *e = &f->errors;
    double x = f->s.x, y = f->s.y, by_c = gradient_square(&f->by_c);
    double square = x * x * e->xx + 2 * x * y * e->xy + y * y * e->yy;
    return sqrt((square + (by_c > 0 ? f->least_square * by_c : 0)) / gradient_square(&f->s));
}

static double folded_square(const struct folded *f)
{
    double by_c = steepest_square(&f->by_c);
    return f->errors.xx + f->errors.yy + (by_c > 0 ? f->least_square * by_c : 0);
}

static void folded_step(struct folded *f, const struct formula *formula, int64_t k, double cx,
                        double cy)
{
    bool julia = formula->plane == DYNAMIC_PLANE;
    double norm = f->s.x * f->s.x + f->s.y * f->s.y;
    struct formula_slope j = {f->s.x, f->s.y, 1, 0, 0, 1};
    formula_iterate_slope(formula, k, &j, cx, cy, 0);
    formula_iterate_slope(formula, k, &f->s, cx, cy, !julia);
    if (julia)
        formula_iterate_slope(formula, k, &f->by_c, cx, cy, 1);
    double own = 0.25 * (stretch_square(&j) * norm + f->s.x * f->s.x + f->s.y * f->s.y);
    f->errors = covariance_step(f->errors, &j, k || julia ? own : 0);
    f->least_square = fmin(f->least_square, own);
}

static struct probe_error formula_error(const struct formula *formula, const struct probe *probe)
{
    bool julia = formula->plane == DYNAMIC_PLANE;
    double cx = julia ? formula->c_re : probe->re, cy = julia ? formula->c_im : probe->im;
    double far = 4 * escape_radius(formula) * escape_radius(formula);
    struct folded f = folded_begin(formula, probe);
    struct cycle_watch watch = {.at = 0};
    struct probe_error error = {INFINITY, 0, 0};
    for (int64_t k = 0, end = probe_end(probe); k <= end && !stop_asked(probe->stop); k++) {
        bool over = f.s.x * f.s.x + f.s.y * f.s.y > far;
        bool huge = f.errors.xx + f.errors.yy > PROBE_HUGE_SQUARE;
        error.steps = k + 1;
        slope_keep(&f.most, steepest_square(&f.s), folded_square(&f));
        if (over && k < 2)
            return (struct probe_error){0, 0, k + 1};
        if (k <= probe->limit && (over || huge || k == probe->limit))
            error.direct =
                probe_moved(hypot(probe->re, probe->im),
                            over ? folded_far(&f)
                                 : probe_bounded(probe, formula, &f.most, steepest_square(&f.s),
                                                 folded_square(&f)));
        if (over || huge || !probe_goes_on(probe, formula, k, steepest_square(&f.s)))
            return error;
        if (cycle_closed(&watch, k, f.s.x, f.s.y, formula_phases(formula))) {
            double held = cycle_error(probe, formula, &watch, steepest_square(&f.s));
            if (isfinite(held))
                return (struct probe_error){held, 0, k + 1};
        }
        if (k > 0)
            cycle_keep(&watch, k, f.s.x, f.s.y, steepest_square(&f.s));
        folded_step(&f, formula, k, cx, cy);
    }
    return probe_known(probe, error);
}

/* What nine in ten stay below, of those that can be wrong; but not less than a tenth of the worst:
 * where a few orbits pass beside a parabolic point they are wrong by thousands of times as much as
 * those around them. */
static double errors_most(double *errors, int count)
{
    if (!count)
        return 0;
    sort_values(errors, (size_t)count);
    return fmax(errors[count * 9 / 10], errors[count - 1] / 10);
}

static struct probe probe_at(const struct view_numbers *view, const struct grid *grid, int i)
{
    struct probe probe = {.centre_re = view->centre_re,
                          .centre_im = view->centre_im,
                          .least = ERROR_MAX_PX * exp2(-view->log2_stretch) * view->step};
    int32_t x = (int32_t)((2 * (i % ACROSS) + 1) * (int64_t)view->width / (2 * ACROSS));
    int32_t y = (int32_t)((2 * (i / ACROSS) + 1) * (int64_t)view->height / (2 * DOWN));
    pixel_c(grid, x, y, &probe.re, &probe.im);
    return probe;
}

static struct probe_error (*const probe_error[FORMULA_FAMILIES])(const struct formula *formula,
                                                                 const struct probe *probe) = {
    [FAMILY_QUADRATIC] = quadratic_error,
    [FAMILY_LISTS] = formula_error,
    [FAMILY_RATIONAL] = plan_error_rational,
};

/* Follows the probes. Each that a first, short run does not decide may take an equal share of the
 * steps left, where that decides anything. */
static void probes_follow(const struct view_numbers *view, const struct formula *formula,
                          int64_t limit, const volatile int *stop, struct probe_error error[PROBES])
{
    struct grid grid = grid_upright(
        view_grid(view, 0, 0, 1, 1)); /* its plan is that of the other, and so are its fields */
    enum formula_family family = formula_family(formula);
    int unknown[PROBES], count = 0;
    int64_t left = STEPS_OF_ALL;
    for (int i = 0; i < PROBES; i++) {
        struct probe probe = probe_at(view, &grid, i);
        probe.limit = limit;
        probe.stop = stop;
        probe.most = PLAN_PROBE_STEPS;
        error[i] = probe_error[family](formula, &probe);
        left -= error[i].steps;
        if (error[i].steps >= probe.most)
            unknown[count++] = i;
    }
    for (int i = 0; i < count && plan_error_matters(view, formula); i++) {
        struct probe probe = probe_at(view, &grid, unknown[i]);
        probe.limit = limit;
        probe.stop = stop;
        probe.most = left / (count - i);
        error[unknown[i]] = probe_error[family](formula, &probe);
        left -= error[unknown[i]].steps;
    }
}

struct plan_amplification plan_error_amplification(const struct view_numbers *view,
                                                   const struct formula *formula, int64_t limit,
                                                   const volatile int *stop)
{
    struct probe_error error[PROBES];
    double direct[PROBES], perturbed[PROBES], point = plan_largest_point(view, formula);
    double steps = 0;
    int count = 0;
    probes_follow(view, formula, limit, stop, error);
    for (int i = 0; i < PROBES; i++)
        steps += fmin((double)error[i].steps, PLAN_PROBE_STEPS);
    for (int i = 0; i < PROBES; i++)
        if (error[i].direct > 0) {
            perturbed[count] = error[i].perturbed;
            direct[count++] = error[i].direct;
        }
    bool followed = formula_quadratic(formula) && formula->plane == DYNAMIC_PLANE;
    return (struct plan_amplification){.direct = fmax(1, errors_most(direct, count) / point),
                                       .perturbed =
                                           followed ? errors_most(perturbed, count) / point : 0,
                                       .steps = steps / PROBES};
}
