/* Where orbits of formulas that divide or converge end, and what the planes say of it.
 *
 * What ends them is w = z_n, beyond R, or w = z_n - z_(n-1) or z_n - 1, within 1/R. Far outside
 * |w'| is k |w|^d, so nu is n + 1 - log_D(ln|w| / ln R), D = d + ln k / ln R. Near an attracting
 * point, with l = -ln|w| / ln R and l' = d l - ln k / ln R, nu is n + 1 - log_D(l_n),
 * D = d - ln k / ln R. Where k depends on c and the law only holds for |w| far below |c|, as of
 * magnets, the last step tells k: D = d (1 - l_(n-1)) + l_n, which is that D where the law holds;
 * and as D is 1 or more, and l_n where l_(n-1) is 1, nu is continuous whatever the step is. Of a
 * z_0 that is within 1/R itself l_1 >= D, and nu is 1, also where D is below 1. Where convergence
 * is linear, ln|w| falls by equal amounts: nu is where the line through the last two passes 1/R.
 * All of them are continuous in n. The distance is 2 ln|w| w / dw, as in distance.h: where
 * convergence is not linear, 1/w grows as an orbit does that escapes. Not where w is so small
 * beside z that doubles do not hold it. The phase is that of z_n, which tells the root.
 *
 * fma() and integer operations only, see fraction.h. */
#ifndef KERNELS_FORMULA_RATIONAL_END_H
#define KERNELS_FORMULA_RATIONAL_END_H

#include "kernels/escape/distance.h"
#include "kernels/escape/phase.h"
#include "kernels/formula/rational.h"

#define RATIONAL_INFINITE 0x1p1000 /* |z|^2 beyond which z is infinity */
#define RATIONAL_LEAST 0x1p-1000   /* |w|^2 below which w is 2^-500 */
#define RATIONAL_HELD 0x1p-72     /* |w|^2 near a point of size 1 below which its digits are lost */
#define RATIONAL_BASE_LEAST 1.125 /* D, where |c| is next to 0 */
#define RATIONAL_BASE_MOST 64.0

struct rational_values {
    float fraction;
    struct distance distance;
    float phase;
};

/* The w that goes to 0 where an orbit converges. */
ESCAPE_FN void rational_rest(const struct rational_rule *rule, const struct rational_state *z,
                             double *x, double *y)
{
    *x = z->x - (rule->ends == ENDS_AT_ONE ? 1.0 : z->last_x);
    *y = z->y - (rule->ends == ENDS_AT_ONE ? 0.0 : z->last_y);
}

ESCAPE_FN enum rational_over rational_over(const struct rational_rule *rule,
                                           const struct rational_state *z, double bailout)
{
    double norm = fma(z->x, z->x, z->y * z->y), square = bailout * bailout, x, y;
    if (!(norm <= (rule->escapes ? square : RATIONAL_INFINITE)))
        return rule->escapes ? OVER_FAR : OVER_NEVER;
    rational_rest(rule, z, &x, &y);
    return rule->ends != ENDS_NEVER && fma(x, x, y * y) * square <= 1.0 ? OVER_NEAR : OVER_NOT;
}

/* |w|^2 of z_0, for a first step that is the last; infinity: z_0 has no w. */
ESCAPE_FN double rational_before(const struct rational_rule *rule, double x, double y)
{
    return rule->ends == ENDS_AT_ONE ? fma(x - 1.0, x - 1.0, y * y) : (double)INFINITY;
}

/* log2 of size |c|^power. */
ESCAPE_FN double rational_log2_size(const struct rational_size *size, double cx, double cy)
{
    double norm = fma(cx, cx, cy * cy);
    norm = norm > RATIONAL_LEAST ? norm : RATIONAL_LEAST;
    return fma(0.5 * size->power, size->power ? fraction_log2(norm) : 0.0,
               fraction_log2(size->size));
}

/* D of nu = n + 1 - log_D(ln|w_n| / ln R), or of 1/|w_n| near an attracting point. */
ESCAPE_FN double rational_base(const struct rational_rule *rule, int near, double cx, double cy,
                               double bailout)
{
    const struct rational_size *size = near ? &rule->near : &rule->far;
    double log2_size = rational_log2_size(size, cx, cy) / fraction_log2(bailout);
    double base = near ? rule->order - log2_size : size->degree + log2_size;
    base = base > RATIONAL_BASE_LEAST ? base : RATIONAL_BASE_LEAST;
    return base < RATIONAL_BASE_MOST ? base : RATIONAL_BASE_MOST;
}

ESCAPE_FN float rational_fraction_clamp(double fraction)
{
    float nearest = (float)fraction;
    nearest = nearest > 0.0f ? nearest : 0.0f;
    return nearest < 0x1.fffffep-1f ? nearest : 0x1.fffffep-1f;
}

/* norm: |w|^2; before: that of the step before. */
ESCAPE_FN float rational_fraction(const struct rational_rule *rule, int near, double norm,
                                  double before, double cx, double cy, double bailout)
{
    if (near && rule->order == 1) {
        double log2_bailout = fraction_log2(bailout);
        if (!(before < RATIONAL_INFINITE) || !(before > norm))
            return 0.0f;
        double was = fraction_log2(before), is = fraction_log2(norm);
        return rational_fraction_clamp(fma(2.0, log2_bailout, was) / (was - is));
    }
    if (near && rule->ends == ENDS_AT_ONE) {
        double per_log2 = -0.5 / fraction_log2(bailout), l = per_log2 * fraction_log2(norm);
        double base = fma((double)rule->order, fma(-per_log2, fraction_log2(before), 1.0), l);
        return base > 1.0 ? rational_fraction_clamp(1.0 - fraction_log2(l) / fraction_log2(base))
                          : 0.0f;
    }
    double base = rational_base(rule, near, cx, cy, bailout);
    return fraction_of_degree(near ? 1.0 / norm : norm, fraction_scale(bailout, base));
}

/* The values of an orbit that is over: (x, y) is w, (dx, dy) 2^e its derivative by the pixel's
 * position to the right; z: z_n. Distance and phase are 0 without slopes: they cost more than some
 * steps. */
ESCAPE_FN struct rational_values rational_values_at(const struct rational_rule *rule, int near,
                                                    double x, double y, double dx, double dy,
                                                    int32_t e, double z_x, double z_y,
                                                    double before, double cx, double cy,
                                                    double bailout, int slopes)
{
    struct rational_values values = {0.0f, {0.0f, 0.0f}, 0.0f};
    double norm = fma(x, x, y * y);
    if (!(norm <= RATIONAL_INFINITE))
        return values;
    if (norm < RATIONAL_LEAST) {
        x = 0x1p-500;
        y = 0.0;
        norm = RATIONAL_LEAST;
    }
    values.fraction = rational_fraction(rule, near, norm, before, cx, cy, bailout);
    if (!slopes)
        return values;
    values.phase = phase_of(z_x, z_y);
    if (near && (rule->order == 1 || norm < RATIONAL_HELD))
        return values;
    values.distance = distance_of(x, y, dx, dy, e);
    return values;
}

/* The values of an orbit that is over far or near. (step_re, step_im): the grid's step, for
 * derivatives by pixels. */
ESCAPE_FN struct rational_values rational_values(const struct rational_rule *rule,
                                                 enum rational_over over,
                                                 const struct rational_slope *end, double before,
                                                 double cx, double cy, double bailout,
                                                 double step_re, double step_im, int slopes)
{
    int near = over == OVER_NEAR;
    double x = end->z.x, y = end->z.y, dx = end->dx, dy = end->dy;
    if (near) {
        rational_rest(rule, &end->z, &x, &y);
        dx -= rule->ends == ENDS_AT_REST ? end->last_dx : 0.0;
        dy -= rule->ends == ENDS_AT_REST ? end->last_dy : 0.0;
    }
    return rational_values_at(rule, near, x, y, fma(dx, step_re, -(dy * step_im)),
                              fma(dx, step_im, dy * step_re), 0, end->z.x, end->z.y, before, cx, cy,
                              bailout, slopes);
}

#endif
