/* Averages and minima over the points z_1 ... z_n of an orbit of z^2 + c that escapes at n, in the
 * vocabulary of lanes.h.
 *
 *     stripe    mean of 1/2 + 1/2 sin(s arg z_k), s a whole number: the imaginary part of
 *               (z_k / |z_k|)^s, by repeated squares, without trigonometry
 *     triangle  mean of (|z_k| - m) / (M - m), where w = z_(k-1)^2, m = ||w| - |c||, M = |w| + |c|:
 *               where z_k lies between the bounds of the triangle inequality. It is computed as
 *               (|w| |c| + w . c) / (min(|w|, |c|) (|z_k| + m)), which cancels nothing
 *     traps     least distance of a z_k from a point p, from the lines through p along both axes
 *               (a cross), from the circle about p
 *
 * Means are over k = 1 ... n, triangles of the parameter plane, whose z_0 is 0, over k = 2 ... n;
 * they are joined at the count by the fraction f: mean of all but the last + f (mean of all - mean
 * of all but the last), so that they are continuous where the count changes. Where z_k is 0, its
 * sine and the triangles beside it are 0, and so they are where |z_k| is below 2^-450. The sums run
 * in the order of k, so all backends have the same bits. */
#ifndef KERNELS_ESCAPE_ORBIT_SUMS_H
#define KERNELS_ESCAPE_ORBIT_SUMS_H

#include "kernels/escape/fraction.h"
#include "kernels/escape/quadratic.h"
#include "kernels/field.h"
#include "kernels/spec.h"

enum { ORBIT_PLANES = PLANE_TRAP_CIRCLE - PLANE_STRIPE + 1 };

struct orbit_values {
    float of[ORBIT_PLANES]; /* from PLANE_STRIPE on */
};

#define SUMS_TINY 0x1p-1000 /* is added to denominators, which then are not 0 */
#define SUMS_FAR 0x1p1000   /* least distance before there was a point */

/* The functions and structs of a pack p of type `pack`. */
#define SUMS(p, pack)                                                                              \
    /* sums with their last terms; least squared distance, distance, distance */                   \
    struct p##_orbit_sums {                                                                        \
        pack sine, last_sine, triangle, last_triangle, point, cross, circle;                       \
    };                                                                                             \
    struct p##_orbit_rule {                                                                        \
        pack re, im, radius, one, tiny;                                                            \
        int stripes;                                                                               \
        unsigned planes;                                                                           \
    };                                                                                             \
    /* |w| |c| + w . c, min(|w|, |c|) and m, of a triangle */                                      \
    struct p##_orbit_bounds {                                                                      \
        pack above, least, m;                                                                      \
    };                                                                                             \
    ESCAPE_FN struct p##_orbit_rule p##_orbit_rule_of(const struct spec *spec)                     \
    {                                                                                              \
        struct p##_orbit_rule rule;                                                                \
        rule.re = p##_splat(spec->orbit.trap_re);                                                  \
        rule.im = p##_splat(spec->orbit.trap_im);                                                  \
        rule.radius = p##_splat(spec->orbit.trap_radius);                                          \
        rule.one = p##_splat(1);                                                                   \
        rule.tiny = p##_splat(SUMS_TINY);                                                          \
        rule.stripes = spec->orbit.stripes ? spec->orbit.stripes : 1;                              \
        rule.planes = spec->planes;                                                                \
        return rule;                                                                               \
    }                                                                                              \
    /* sin(s t) of u + iv = e^it */                                                                \
    ESCAPE_FN pack p##_orbit_sine(pack u, pack v, int s)                                           \
    {                                                                                              \
        pack x = u, y = v;                                                                         \
        for (int bit = escape_log2(s) - 1; bit >= 0; bit--) {                                      \
            pack square = p##_fnma(y, y, p##_mul(x, x));                                           \
            y = p##_mul(p##_add(x, x), y);                                                         \
            x = square;                                                                            \
            if (s >> bit & 1) {                                                                    \
                pack turned = p##_fnma(y, v, p##_mul(x, u));                                       \
                y = p##_fma(x, v, p##_mul(y, u));                                                  \
                x = turned;                                                                        \
            }                                                                                      \
        }                                                                                          \
        return y;                                                                                  \
    }                                                                                              \
    /* w = z_k - c, whose length is w_abs */                                                       \
    ESCAPE_FN struct p##_orbit_bounds p##_orbit_bounds_of(pack w_x, pack w_y, pack w_abs, pack cx, \
                                                          pack cy, pack c_abs)                     \
    {                                                                                              \
        struct p##_orbit_bounds bounds;                                                            \
        pack dot = p##_fma(w_x, cx, p##_mul(w_y, cy));                                             \
        bounds.above = p##_abs(p##_fma(w_abs, c_abs, dot));                                        \
        bounds.m = p##_abs(p##_sub(w_abs, c_abs));                                                 \
        bounds.least = p##_min(w_abs, c_abs);                                                      \
        return bounds;                                                                             \
    }                                                                                              \
    /* w = z^2; 0, and not read, without triangles */                                              \
    ESCAPE_FN struct p##_orbit_bounds p##_orbit_square(const struct p##_orbit_rule *rule, pack x,  \
                                                       pack y, pack cx, pack cy, pack c_abs)       \
    {                                                                                              \
        struct p##_orbit_bounds none = {p##_splat(0), p##_splat(0), p##_splat(0)};                 \
        if (!(rule->planes & PLANE_MASK_TRIANGLE))                                                 \
            return none;                                                                           \
        return p##_orbit_bounds_of(p##_fnma(y, y, p##_mul(x, x)), p##_mul(p##_add(x, x), y),       \
                                   QUADRATIC_NORM(p, x, y), cx, cy, c_abs);                        \
    }                                                                                              \
    /* z: z_k */                                                                                   \
    ESCAPE_FN void p##_orbit_add(struct p##_orbit_sums *sums, const struct p##_orbit_rule *rule,   \
                                 struct p##_orbit_bounds bounds, pack x, pack y)                   \
    {                                                                                              \
        if (rule->planes & (PLANE_MASK_STRIPE | PLANE_MASK_TRIANGLE)) {                            \
            pack r = p##_sqrt(p##_add(QUADRATIC_NORM(p, x, y), rule->tiny));                       \
            if (rule->planes & PLANE_MASK_STRIPE) {                                                \
                pack inverse = p##_div(rule->one, r);                                              \
                sums->last_sine =                                                                  \
                    p##_orbit_sine(p##_mul(x, inverse), p##_mul(y, inverse), rule->stripes);       \
                sums->sine = p##_add(sums->sine, sums->last_sine);                                 \
            }                                                                                      \
            if (rule->planes & PLANE_MASK_TRIANGLE) {                                              \
                pack below = p##_fma(bounds.least, p##_add(r, bounds.m), rule->tiny);              \
                sums->last_triangle = p##_min(p##_div(bounds.above, below), rule->one);            \
                sums->triangle = p##_add(sums->triangle, sums->last_triangle);                     \
            }                                                                                      \
        }                                                                                          \
        if (rule->planes & PLANE_MASK_TRAPS) {                                                     \
            pack dx = p##_sub(x, rule->re), dy = p##_sub(y, rule->im);                             \
            pack norm = QUADRATIC_NORM(p, dx, dy);                                                 \
            sums->point = p##_min(norm, sums->point);                                              \
            sums->cross = p##_min(p##_min(p##_abs(dx), p##_abs(dy)), sums->cross);                 \
            if (rule->planes & PLANE_MASK_CIRCLE)                                                  \
                sums->circle =                                                                     \
                    p##_min(p##_abs(p##_sub(p##_sqrt(norm), rule->radius)), sums->circle);         \
        }                                                                                          \
    }

SUMS(f64x1, double)

/* Sums before there was a point. */
ESCAPE_FN struct f64x1_orbit_sums orbit_sums_begin(void)
{
    struct f64x1_orbit_sums sums = {0, 0, 0, 0, SUMS_FAR, SUMS_FAR, SUMS_FAR};
    return sums;
}

ESCAPE_FN double orbit_mean(double sum, double last, int64_t terms, double fraction)
{
    if (terms < 1)
        return 0;
    double all = sum / (double)terms;
    double before = terms > 1 ? (sum - last) / (double)(terms - 1) : all;
    return fma(fraction, all - before, before);
}

/* n: last k; julia: z_0 is the pixel, or c. */
ESCAPE_FN struct orbit_values orbit_values_of(const struct f64x1_orbit_sums *sums, int64_t n,
                                              int julia, double fraction)
{
    struct orbit_values values;
    double sine = orbit_mean(sums->sine, sums->last_sine, n, fraction);
    values.of[0] = (float)fma(0.5, sine, 0.5);
    values.of[1] = (float)orbit_mean(sums->triangle, sums->last_triangle, n - !julia, fraction);
    values.of[2] = (float)sqrt(sums->point);
    values.of[3] = (float)sums->cross;
    values.of[4] = (float)sums->circle;
    return values;
}

#endif
