/* How far the roundings of an orbit move its pixel. See plan.h. */
#include <math.h>
#include <stdlib.h>

#include "kernels/escape/pixel.h"
#include "render/plan.h"
#include "render/sorted.h"

enum {
    PROBES = 7,         /* in a row, and rows */
    PROBE_STEPS = 20000 /* an orbit that has not escaped by then tells nothing */
};

/* |z| beyond which z^2 + c only grows, for every c that can be asked for: the larger root of
 * r^2 - r = |c|, and 2 where the pixel is c. */
static double escape_radius(const struct formula *formula)
{
    double c = formula->plane == DYNAMIC_PLANE ? hypot(formula->c_re, formula->c_im) : 0;
    return fmax(2.0, 0.5 + sqrt(0.25 + c));
}

double plan_largest_point(const struct view_numbers *view, const struct formula *formula)
{
    double half_diagonal = 0.5 * view->step * hypot(view->width, view->height);
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

/* The same for any other formula. Errors made at steps before grow as the formula stretches, by
 * about d |z|^(d - 1) in every direction: all that is done to z but products is a reflection. What
 * they come to when the orbit is far away moves the pixel along the gradient of |z|. */
static double formula_error(const struct formula *formula, double re, double im, int64_t limit)
{
    const struct formula_kind *kind = formula_kind(formula);
    bool julia = formula->plane == DYNAMIC_PLANE;
    double cx = julia ? formula->c_re : re, cy = julia ? formula->c_im : im;
    double far = escape_radius(formula), error = 0, pixels = 0;
    struct formula_slope s = {julia ? re : 0, julia ? im : 0, julia, 0, 0, julia};
    int64_t steps = limit < PROBE_STEPS ? limit : PROBE_STEPS;
    for (int64_t k = 0; k < steps; k++) {
        double size = hypot(s.x, s.y), power = pow(size, kind->degree - 1);
        bool huge = error > 1e100 || hypot(s.x_right, s.y_right) + hypot(s.x_up, s.y_up) > 1e100;
        if (size > 2 * far)
            return k < 2 ? 0 : hypot(hypot(re, im), pixels);
        if (huge) {
            kind->step(&s.x, &s.y, cx, cy);
            continue;
        }
        kind->slope(&s, cx, cy, !julia);
        double next = hypot(s.x, s.y), own = 0.5 * kind->degree * power * size + 0.5 * next;
        error = hypot(kind->degree * power * error, k || julia ? own : 0);
        double right = s.x * s.x_right + s.y * s.y_right, up = s.x * s.x_up + s.y * s.y_up;
        pixels = error * next / hypot(right, up);
    }
    return 0;
}

double plan_error_amplification(const struct view_numbers *view, const struct formula *formula,
                                int64_t limit)
{
    double errors[PROBES * PROBES];
    int count = 0;
    struct grid grid = view_grid(view, 0, 0, 1, 1);
    for (int i = 0; i < PROBES * PROBES; i++) {
        double re, im;
        int32_t x = (int32_t)((2 * (i % PROBES) + 1) * (int64_t)view->width / (2 * PROBES));
        int32_t y = (int32_t)((2 * (i / PROBES) + 1) * (int64_t)view->height / (2 * PROBES));
        pixel_c(&grid, x, y, &re, &im);
        double error = formula_quadratic(formula) ? orbit_error(formula, re, im, limit)
                                                  : formula_error(formula, re, im, limit);
        if (error > 0 && isfinite(error))
            errors[count++] = error;
    }
    if (!count)
        return 1;
    sort_values(errors, (size_t)count);
    return fmax(1, errors[count * 9 / 10] / plan_largest_point(view, formula));
}
