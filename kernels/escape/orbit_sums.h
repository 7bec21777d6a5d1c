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

/* Sums and minima of a pixel whose orbit is done. */
struct orbit_sums {
    double sine, last_sine; /* sum, and its last term */
    double triangle, last_triangle;
    double point, cross, circle; /* least: squared distance, distance, distance */
};

struct orbit_values {
    float stripe, triangle, point, cross, circle;
};

#define SUMS_TINY 0x1p-1000 /* is added to denominators, which then are not 0 */
#define SUMS_FAR 0x1p1000   /* least distance before there was a point */

ESCAPE_FN double orbit_mean(double sum, double last, int64_t terms, double fraction)
{
    if (terms < 1)
        return 0;
    double all = sum / (double)terms;
    double before = terms > 1 ? (sum - last) / (double)(terms - 1) : all;
    return fma(fraction, all - before, before);
}

/* julia: z_0 is the pixel; norm: |z_n|^2. */
ESCAPE_FN struct orbit_values orbit_values_of(const struct orbit_sums *sums, int64_t n, int julia,
                                              double norm, double fraction_offset)
{
    struct orbit_values values;
    double fraction = fraction_of((float)norm, fraction_offset);
    double sine = orbit_mean(sums->sine, sums->last_sine, n, fraction);
    values.stripe = (float)fma(0.5, sine, 0.5);
    values.triangle = (float)orbit_mean(sums->triangle, sums->last_triangle, n - !julia, fraction);
    values.point = (float)sqrt(sums->point);
    values.cross = (float)sums->cross;
    values.circle = (float)sums->circle;
    return values;
}

/* The functions and structs of a pack p of type `pack`. */
#define SUMS(p, pack)                                                                            \
    struct p##_orbit_sums {                                                                      \
        pack sine, last_sine, triangle, last_triangle, point, cross, circle;                     \
    };                                                                                           \
    struct p##_orbit_rule {                                                                      \
        pack re, im, radius, one, tiny;                                                          \
        int stripes;                                                                             \
        unsigned planes;                                                                         \
    };                                                                                           \
    ESCAPE_FN struct p##_orbit_rule p##_orbit_rule_of(const struct spec *spec)                   \
    {                                                                                            \
        struct p##_orbit_rule rule;                                                              \
        rule.re = p##_splat(spec->orbit.trap_re);                                                \
        rule.im = p##_splat(spec->orbit.trap_im);                                                \
        rule.radius = p##_splat(spec->orbit.trap_radius);                                        \
        rule.one = p##_splat(1);                                                                 \
        rule.tiny = p##_splat(SUMS_TINY);                                                        \
        rule.stripes = spec->orbit.stripes ? spec->orbit.stripes : 1;                            \
        rule.planes = spec->planes;                                                              \
        return rule;                                                                             \
    }                                                                                            \
    /* sin(s t) of u + iv = e^it */                                                              \
    ESCAPE_FN pack p##_orbit_sine(pack u, pack v, int s)                                         \
    {                                                                                            \
        pack x = u, y = v;                                                                       \
        for (int bit = escape_log2(s) - 1; bit >= 0; bit--) {                                    \
            pack square = p##_fnma(y, y, p##_mul(x, x));                                         \
            y = p##_mul(p##_add(x, x), y);                                                       \
            x = square;                                                                          \
            if (s >> bit & 1) {                                                                  \
                pack turned = p##_fnma(y, v, p##_mul(x, u));                                     \
                y = p##_fma(x, v, p##_mul(y, u));                                                \
                x = turned;                                                                      \
            }                                                                                    \
        }                                                                                        \
        return y;                                                                                \
    }                                                                                            \
    /* from: z_(k-1); z: z_k; c_abs: |c| */                                                      \
    ESCAPE_FN void p##_orbit_add(struct p##_orbit_sums *sums, const struct p##_orbit_rule *rule, \
                                 pack from_x, pack from_y, pack x, pack y, pack cx, pack cy,     \
                                 pack c_abs)                                                     \
    {                                                                                            \
        if (rule->planes & (PLANE_MASK_STRIPE | PLANE_MASK_TRIANGLE)) {                          \
            pack r = p##_sqrt(p##_add(QUADRATIC_NORM(p, x, y), rule->tiny));                     \
            if (rule->planes & PLANE_MASK_STRIPE) {                                              \
                pack inverse = p##_div(rule->one, r);                                            \
                sums->last_sine =                                                                \
                    p##_orbit_sine(p##_mul(x, inverse), p##_mul(y, inverse), rule->stripes);     \
                sums->sine = p##_add(sums->sine, sums->last_sine);                               \
            }                                                                                    \
            if (rule->planes & PLANE_MASK_TRIANGLE) {                                            \
                pack w_x = p##_fnma(from_y, from_y, p##_mul(from_x, from_x));                    \
                pack w_y = p##_mul(p##_add(from_x, from_x), from_y);                             \
                pack w_abs = QUADRATIC_NORM(p, from_x, from_y);                                  \
                pack dot = p##_fma(w_x, cx, p##_mul(w_y, cy));                                   \
                pack above = p##_abs(p##_fma(w_abs, c_abs, dot));                                \
                pack m = p##_abs(p##_sub(w_abs, c_abs));                                         \
                pack below = p##_fma(p##_min(w_abs, c_abs), p##_add(r, m), rule->tiny);          \
                sums->last_triangle = p##_min(p##_div(above, below), rule->one);                 \
                sums->triangle = p##_add(sums->triangle, sums->last_triangle);                   \
            }                                                                                    \
        }                                                                                        \
        if (rule->planes & PLANE_MASK_TRAPS) {                                                   \
            pack dx = p##_sub(x, rule->re), dy = p##_sub(y, rule->im);                           \
            pack norm = QUADRATIC_NORM(p, dx, dy);                                               \
            sums->point = p##_min(norm, sums->point);                                            \
            sums->cross = p##_min(p##_min(p##_abs(dx), p##_abs(dy)), sums->cross);               \
            if (rule->planes & PLANE_MASK_CIRCLE)                                                \
                sums->circle =                                                                   \
                    p##_min(p##_abs(p##_sub(p##_sqrt(norm), rule->radius)), sums->circle);       \
        }                                                                                        \
    }

#endif
