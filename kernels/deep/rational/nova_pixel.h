/* A pixel of Nova by perturbation, f(z) = (k z + z^-k) / n + c, k = n - 1: Newton's method for
 * z^n = 1, plus c.
 *
 * Its orbits come near critical points again and again: the n roots rho, at which f' is 0. Near one
 * Z + delta and Z have lost their distances to rho. So the reference has V = Z - rho besides, rho
 * the root next to Z, and with p = 1 / (Z + delta), q = 1 / Z, s = (V + delta) p, t = V q the
 * divided difference of newton_delta.h is
 *
 *     k - sum of p^i q^(n - i) = s sum of (k - j) P^j + t sum of P^i (1 + Q + ... + Q^(n - i - 1)),
 *
 * j = 0 ... k - 1, i = 1 ... k, P = rho p, Q = rho q, since s = 1 - P and t = 1 - Q. Nothing
 * cancels in it near rho, where P and Q are next to 1.
 *
 * There is a reference from each root, with the c of the view's centre: where z_n is nearer to a
 * root than to Z_m, a pixel goes on along that root's, from z_n - rho. In the parameter plane
 * pixels begin there, at 1; in the dynamic plane, along the reference of the view's centre.
 *
 * Where Z is nearer to the pole than z, f(Z) may be so large that f(z) is lost beside it; but
 * delta is about z then. So pixels go on without a reference from there, and where theirs is over,
 * as at the pole or at rest, to the next z_n that is neither small nor large: from there delta =
 * z_n - rho is as exact as z_n.
 *
 * Where the state repeats itself, bit for bit, the orbit never ends. */
#ifndef KERNELS_DEEP_RATIONAL_NOVA_PIXEL_H
#define KERNELS_DEEP_RATIONAL_NOVA_PIXEL_H

#include "kernels/deep/pixel_wide.h"
#include "kernels/deep/rational/newton_pixel.h"
#include "kernels/escape/lanes.h"

enum {
    NOVA_RETURN_LEAST = -2, /* log2 of |z| from which on z - rho is as exact as z */
    NOVA_RETURN_MOST = 1,   /* log2 of |z| up to which |Z| = 1 is not small beside z */
    NOVA_NEAR = -4 /* log2 of |delta| from which down the root next to Z alone counts: roots
                      are 1 apart at least */
};

/* c less that of the reference. */
DEEP_FN struct complex_wide nova_c(const struct newton_pixel *pixel,
                                   const struct newton_common *common)
{
    return wide_settle(pixel->c, common->shared.exponent);
}

/* V of Z_m. */
DEEP_FN struct complex_wide nova_off(const struct formula_reference *reference, int64_t m)
{
    return newton_taped(reference, m, 0);
}

DEEP_FN int nova_nearest(const struct newton_common *common, struct complex_f64 z)
{
    return rational_root_near(common->rule.root, common->rule.degree, z.x, z.y);
}

DEEP_FN struct complex_f64 nova_root(const struct newton_common *common, struct complex_f64 z)
{
    const double *near = common->rule.root[nova_nearest(common, z)];
    struct complex_f64 root = {near[0], near[1]};
    return root;
}

/* ---- references ---- */

DEEP_FN void nova_rebase(struct newton_pixel *pixel, const struct newton_common *common, int root,
                         struct complex_wide delta)
{
    pixel->direct = 0;
    pixel->reference = common->critical + root;
    pixel->m = 0;
    pixel->delta = delta;
    pixel->level = common->table[pixel->reference].levels - 1;
}

DEEP_FN struct complex_wide nova_less_root(const struct newton_common *common,
                                           struct complex_wide z, int near)
{
    struct complex_f64 root = {-common->rule.root[near][0], -common->rule.root[near][1]};
    return wide_add(z, wide_settle(root, 0));
}

/* Returns to a reference, from z = delta, where that may be. */
DEEP_FN void nova_return(struct newton_pixel *pixel, const struct newton_common *common)
{
    struct complex_wide z = pixel->delta;
    if (z.e < NOVA_RETURN_LEAST || z.e > NOVA_RETURN_MOST)
        return;
    int near = nova_nearest(common, newton_double(z));
    nova_rebase(pixel, common, near, nova_less_root(common, z, near));
}

DEEP_FN void nova_leave(struct newton_pixel *pixel, const struct newton_common *common,
                        struct complex_wide z)
{
    pixel->delta = z;
    pixel->direct = 1;
    nova_return(pixel, common);
}

/* Rebases or leaves the reference at Z_m, where that is due. */
DEEP_FN void nova_arrive(struct newton_pixel *pixel, const struct newton_common *common)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    int ends = pixel->m == reference->end && !reference->period;
    pixel->m = reference_wrap(reference, pixel->m);
    const struct newton_point at = newton_point(reference, pixel->m);
    struct complex_wide z = wide_add(at.wide, pixel->delta);
    if (ends || at.wide.e < z.e - 1) {
        nova_leave(pixel, common, z);
        return;
    }
    int near = nova_nearest(common, at.z);
    struct complex_wide off = wide_add(nova_off(reference, pixel->m), pixel->delta);
    if (pixel->delta.e > NOVA_NEAR) {
        int own = nova_nearest(common, newton_double(z));
        off = own == near ? off : nova_less_root(common, z, own);
        near = own;
    }
    if (wide_less(off, pixel->delta))
        nova_rebase(pixel, common, near, off);
}

/* ---- a step ---- */

DEEP_FN int32_t wide_larger(struct complex_wide a, struct complex_wide b)
{
    return a.e > b.e ? a.e : b.e;
}

/* a over 2^e */
DEEP_FN struct complex_f64 wide_over(struct complex_wide a, int32_t e)
{
    return complex_scale(wide_power(a.e - e), a.x);
}

#define R(word) f64x1_##word
#define C(word) complex_##word
#define COMPLEX struct complex_f64
#define W(word) wide_##word
#define WIDE struct complex_wide
#define N(word) nova_##word
#include "kernels/deep/rational/nova_step_body.h"

/* f'(z) = k s (1 + P + ... + P^k) / n, s = (z - rho) / z, P = rho / z */
DEEP_FN struct complex_wide nova_slope(const struct newton_rule *rule, struct complex_wide s,
                                       struct complex_f64 p)
{
    struct complex_f64 sum = {1, 0};
    for (int i = 1; i < rule->degree; i++) {
        sum = complex_mul(sum, p);
        sum.x += 1;
    }
    return nova_times(s, complex_scale(rule->of_z, sum));
}

/* Takes delta over a step from Z to the pixel's z, both of doubles. */
DEEP_FN void nova_step_plain(struct newton_pixel *pixel, const struct newton_common *common,
                             struct complex_f64 from, struct complex_f64 z, int slopes)
{
    const struct newton_rule *rule = &common->rule;
    struct complex_wide off = nova_off(&common->reference[pixel->reference], pixel->m);
    struct complex_f64 p = complex_inverse(z), over = complex_inverse(from);
    const struct nova_base base = {nova_root(common, from), over, off};
    const struct nova_factors at = nova_factors(rule, &base, p, wide_add(off, pixel->delta));
    pixel->delta = wide_mul(at.stretch, pixel->delta);
    if (slopes) {
        struct complex_wide slope = nova_slope(rule, at.s, at.p);
        pixel->dz = wide_settle(complex_mul(slope.x, pixel->dz.x), slope.e + pixel->dz.e);
    }
}

/* Takes delta over a step from or to what doubles do not hold, far from all roots. */
DEEP_FN void nova_step_wide(struct newton_pixel *pixel, const struct newton_common *common,
                            struct complex_wide from, struct complex_wide z, int slopes)
{
    struct complex_wide p = wide_inverse(z), q = wide_inverse(from);
    pixel->delta = wide_mul(newton_wide_stretch(&common->rule, p, q), pixel->delta);
    if (slopes)
        pixel->dz = wide_mul(newton_wide_slope(&common->rule, p), pixel->dz);
}

DEEP_FN void nova_add_c(struct newton_pixel *pixel, const struct newton_common *common, int slopes)
{
    pixel->delta = wide_add(pixel->delta, nova_c(pixel, common));
    if (slopes && !common->dynamic)
        pixel->dz = wide_add(pixel->dz, wide_settle(common->shared.step, common->shared.exponent));
}

/* After the step that moved z by w from last; 1: it is at rest. */
DEEP_FN int nova_moved(struct newton_pixel *pixel, const struct newton_common *common,
                       struct complex_f64 w, struct complex_f64 last, struct complex_wide last_dz)
{
    pixel->before = pixel->norm;
    pixel->norm = fma(w.x, w.x, w.y * w.y);
    if (!(pixel->norm * common->shared.bailout_squared <= 1))
        return 0;
    newton_over(pixel, complex_add(last, 1, w), last, last_dz);
    return 1;
}

/* An orbit that comes to a pole is at infinity, and never ends. */
DEEP_FN int nova_at_pole(struct newton_pixel *pixel, const struct newton_common *common)
{
    pixel->n = common->shared.limit;
    return 1;
}

/* Takes a step along the reference; 1: the pixel is over. */
DEEP_FN int nova_along_step(struct newton_pixel *pixel, const struct newton_common *common,
                            int slopes)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    struct newton_point from = newton_point(reference, pixel->m);
    struct newton_point to = newton_point(reference, reference_wrap(reference, pixel->m + 1));
    struct complex_wide delta = pixel->delta, own = wide_add(from.wide, delta), dz = pixel->dz;
    int plain = from.plain && newton_is_plain(own);
    if (own.e == WIDE_ZERO)
        return nova_at_pole(pixel, common);
    if (plain)
        nova_step_plain(pixel, common, from.z, complex_add(from.z, wide_power(delta.e), delta.x),
                        slopes);
    else
        nova_step_wide(pixel, common, from.wide, own, slopes);
    nova_add_c(pixel, common, slopes);
    pixel->m++;
    pixel->n++;
    struct complex_f64 before = newton_double(delta), after = newton_double(pixel->delta);
    struct complex_f64 w =
        complex_add(complex_add(to.z, -1, from.z), 1, complex_add(after, -1, before));
    if (!plain || !to.plain)
        w.x = w.y = 0x1p500;
    return nova_moved(pixel, common, w, complex_add(from.z, 1, before), dz);
}

/* ---- without a reference ---- */

/* Takes a step without a reference; 1: the pixel is over. */
DEEP_FN int nova_direct_steps(struct newton_pixel *pixel, const struct newton_common *common,
                              int slopes)
{
    struct complex_wide z = pixel->delta, last_dz = pixel->dz;
    if (z.e == WIDE_ZERO)
        return nova_at_pole(pixel, common);
    pixel->steps++;
    pixel->n += newton_direct_wide(pixel, common, slopes);
    if (z.e < NEWTON_PLAIN) { /* else c is nothing beside it */
        pixel->delta = wide_add(pixel->delta, wide_settle(common->centre, 0));
        nova_add_c(pixel, common, slopes);
    }
    struct complex_f64 last = newton_double(z);
    struct complex_f64 w = complex_add(newton_double(pixel->delta), -1, last);
    if (!newton_is_plain(z) || !newton_is_plain(pixel->delta))
        w.x = w.y = 0x1p500;
    if (nova_moved(pixel, common, w, last, last_dz))
        return 1;
    nova_return(pixel, common);
    return 0;
}

#endif
