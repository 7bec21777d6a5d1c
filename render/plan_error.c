/* By how much do the roundings of an orbit move its pixel? See plan.h. */
#include <math.h>
#include <stdlib.h>

#include "kernels/escape/pixel.h"
#include "render/plan.h"
#include "render/sorted.h"

enum {
    PROBES = 7,         /* in a row, and rows */
    PROBE_STEPS = 20000 /* an orbit that has not escaped by then tells nothing */
};

/* |c| where it is largest in the view; beyond 2 every orbit escapes at once. */
double plan_largest_c(const struct view_numbers *view)
{
    double half_diagonal = 0.5 * view->step * hypot(view->width, view->height);
    double c = hypot(view->centre_re, view->centre_im) + half_diagonal;
    return fmin(fmax(c, 0.5), 2.0);
}

/* The error that step k makes, about u |z_k|^2, moves the pixel by that over |dz_{k+1}/dc|.
 * Rounding c is the first term, u |c|. The root of the sum of squares, in units of u; 0 if the
 * orbit does not escape: an unescaped pixel has no count that could be wrong by a little. */
static double orbit_error(double cx, double cy, int64_t limit)
{
    double x = cx, y = cy, a = 1, b = 0, sum = cx * cx + cy * cy;
    if (sum > 4)
        return 0; /* escapes at once, whatever the rounding */
    int64_t steps = limit < PROBE_STEPS ? limit : PROBE_STEPS;
    for (int64_t k = 1; k < steps; k++) {
        double norm = x * x + y * y;
        if (norm > 16)
            return sqrt(sum);
        double slope = 2 * (x * a - y * b) + 1; /* dz' = 2 z dz + 1 */
        b = 2 * (x * b + y * a);
        a = slope;
        sum += norm * norm / (a * a + b * b);
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return 0;
}

double plan_error_growth(const struct view_numbers *view, int64_t limit)
{
    double errors[PROBES * PROBES];
    int count = 0;
    struct grid grid = view_grid(view, 0, 0, 1, 1);
    for (int i = 0; i < PROBES * PROBES; i++) {
        double cx, cy;
        int32_t x = (int32_t)((2 * (i % PROBES) + 1) * (int64_t)view->width / (2 * PROBES));
        int32_t y = (int32_t)((2 * (i / PROBES) + 1) * (int64_t)view->height / (2 * PROBES));
        pixel_c(&grid, x, y, &cx, &cy);
        double error = orbit_error(cx, cy, limit);
        if (error > 0 && isfinite(error))
            errors[count++] = error;
    }
    if (!count)
        return 1;
    sort_values(errors, (size_t)count);
    return fmax(1, errors[count * 9 / 10] / plan_largest_c(view));
}
