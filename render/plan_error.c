/* How far the roundings of an orbit move its pixel. See plan.h. */
#include <math.h>
#include <stdlib.h>

#include "kernels/escape/pixel.h"
#include "render/plan.h"
#include "render/plan_error_rational.h"
#include "render/sorted.h"

enum {
    PROBES = 7,         /* in a row, and rows */
    PROBE_STEPS = 20000 /* an orbit that has not escaped by then tells nothing */
};

/* Where derivatives are no longer followed; what is known then holds on. */
#define HUGE_SQUARE 1e200

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

/* The error that step k makes, about u |z_k|^2, moves the pixel by that over |dz_{k+1}/dpixel|. A
 * Julia set's c is the same for all pixels, so it is another error of each step. Rounding the pixel
 * itself is the first term. The root of the sum of squares, in units of u; 0 if the orbit does not
 * escape: an unescaped pixel has no count that could be wrong by a little. */
static double orbit_error(const struct formula *formula, double re, double im, int64_t limit)
{
    bool julia = formula->plane == DYNAMIC_PLANE;
    double cx = julia ? formula->c_re : re, cy = julia ? formula->c_im : im;
    double same = julia ? hypot(cx, cy) : 0, far = escape_radius(formula) * escape_radius(formula);
    /* z_1 = c with dz/dc = 1, or z_0 with dz/dz_0 = 1 */
    double x = re, y = im, a = 1, b = 0, sum = re * re + im * im, added = julia ? 0 : 1;
    if (sum > far)
        return 0; /* escapes at once, whatever the rounding */
    int64_t steps = limit < PROBE_STEPS ? limit : PROBE_STEPS;
    for (int64_t k = 1; k < steps; k++) {
        double norm = x * x + y * y, error = norm + same;
        if (norm > 4 * far)
            return sqrt(sum);
        double slope = 2 * (x * a - y * b) + added; /* dz' = 2 z dz, + 1 by c */
        b = 2 * (x * b + y * a);
        a = slope;
        sum += error * error / (a * a + b * b);
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return 0;
}

/* By how much a step enlarges, at most: the square of the larger singular value of its J. */
static double stretch_square(const struct formula *formula, int64_t n, double x, double y,
                             double cx, double cy)
{
    struct formula_slope s = {x, y, 1, 0, 0, 1};
    formula_iterate_slope(formula, n, &s, cx, cy, 0);
    double sum = s.x_right * s.x_right + s.y_right * s.y_right + s.x_up * s.x_up + s.y_up * s.y_up;
    double area = s.x_right * s.y_up - s.y_right * s.x_up;
    return 0.5 * (sum + sqrt(fmax(sum * sum - 4 * area * area, 0)));
}

/* The same for any other formula. Errors made at steps before grow as the formula stretches, by
 * about d |z|^(d - 1) in every direction: all that is done to z but products is a reflection. What
 * they come to when the orbit is far away moves the pixel along the gradient of |z|. */
static double formula_error(const struct formula *formula, double re, double im, int64_t limit)
{
    int most = formula_degree(formula);
    bool julia = formula->plane == DYNAMIC_PLANE;
    double cx = julia ? formula->c_re : re, cy = julia ? formula->c_im : im;
    double far = escape_radius(formula), error = 0,
           pixels = -1; /* squares; -1: still to be known */
    double degree = (double)most * most, kept_x = 0, kept_y = 0;
    struct formula_slope s = {julia ? re : 0, julia ? im : 0, julia, 0, 0, julia};
    int64_t steps = limit < PROBE_STEPS ? limit : PROBE_STEPS, kept_at = 0;
    for (int64_t k = 0; k < steps; k++) {
        double norm = s.x * s.x + s.y * s.y, power = 1;
        bool ends = norm > 4 * far * far;
        if (pixels < 0 && (ends || error > HUGE_SQUARE || fabs(s.x_right) > HUGE_SQUARE)) {
            double right = s.x * s.x_right + s.y * s.y_right, up = s.x * s.x_up + s.y * s.y_up;
            pixels = error * norm / (right * right + up * up);
        }
        if (ends)
            return k < 2 ? 0 : sqrt(re * re + im * im + pixels);
        if (k && s.x == kept_x && s.y == kept_y && (k - kept_at) % formula_phases(formula) == 0)
            return 0; /* a cycle: never escapes */
        if (!(k & (k - 1))) {
            kept_x = s.x;
            kept_y = s.y;
            kept_at = k;
        }
        if (pixels >= 0) {
            formula_iterate(formula, k, &s.x, &s.y, cx, cy);
            continue;
        }
        for (int d = 1; d < most; d++)
            power *= norm; /* |z|^(2 d - 2) */
        double stretch = degree * power;
        if (formula->step == STEP_OWN)
            stretch = stretch_square(formula, k, s.x, s.y, cx, cy);
        formula_iterate_slope(formula, k, &s, cx, cy, !julia);
        double own = 0.25 * (stretch * norm + s.x * s.x + s.y * s.y);
        error = stretch * error + (k || julia ? own : 0);
    }
    return 0;
}

double plan_error_amplification(const struct view_numbers *view, const struct formula *formula,
                                int64_t limit)
{
    double errors[PROBES * PROBES];
    int count = 0;
    struct grid grid = grid_upright(
        view_grid(view, 0, 0, 1, 1)); /* its plan is that of the other, and so are its fields */
    int64_t most = limit < PROBE_STEPS ? limit : PROBE_STEPS;
    for (int i = 0; i < PROBES * PROBES; i++) {
        double re, im;
        int32_t x = (int32_t)((2 * (i % PROBES) + 1) * (int64_t)view->width / (2 * PROBES));
        int32_t y = (int32_t)((2 * (i / PROBES) + 1) * (int64_t)view->height / (2 * PROBES));
        pixel_c(&grid, x, y, &re, &im);
        double error = formula_rational(formula)    ? plan_error_rational(formula, re, im, most)
                       : formula_quadratic(formula) ? orbit_error(formula, re, im, limit)
                                                    : formula_error(formula, re, im, limit);
        if (error > 0 && isfinite(error))
            errors[count++] = error;
    }
    if (!count)
        return 1;
    sort_values(errors, (size_t)count);
    return fmax(1, errors[count * 9 / 10] / plan_largest_point(view, formula));
}
