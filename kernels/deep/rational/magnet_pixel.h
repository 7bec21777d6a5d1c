/* A pixel of a magnet by perturbation. In t = z - 1 and b = t + c both are z' = g^2,
 *
 *     g = 1 + t^k / S = 1 - c + b^k / S,  S = t + b (Magnet I, k = 2), t^2 + t b + b^2 (II, k = 3).
 *
 * Critical points are t = 0 and infinity, where orbits end; b = 0, which is z = 1 - c; and g = 0,
 * whose value 0 is where orbits of the parameter plane begin. So references begin at 0 and at 1 -
 * c, beside that of the view's centre in the dynamic plane, and have T, B and G of each point, each
 * to its own relative accuracy. With delta = t - T, p = T B, q = T + B and S' of the pixel,
 *
 *     (g - G) S S' = delta (2 p + delta S) - T^2 dc                                    (k = 2),
 *                    delta (3 p (p + delta q) + delta^2 S) - T^3 (t + b + B + delta) dc    (3),
 *
 * in which nothing cancels but where the point itself nears a critical one. delta' is then
 * (g - G) (g + G).
 *
 * - Where |g| < |g - G| a pixel goes on along the reference from 0, from delta = g^2.
 * - Where |B + delta| < |delta| it does along that from 1 - c, from B + delta: how far t is from
 * -C. That is b less dc, and what is lost in b beside dc counts by its k-th power alone.
 * - Where |g - G| is above 2, t far below T, or the reference over, g is 1 + t^k / S', and t' is
 *   (g - 1) (g + 1): delta is of the size of t there, which has lost nothing. So it goes on without
 * a reference until |g| < 1, or t is next to -c.
 *
 * At a pole of the reference S is T^k / (G - 1), and S' = S + dS: there doubles of T and B have
 * lost it. An orbit that comes near a pole escapes. */
#ifndef KERNELS_DEEP_RATIONAL_MAGNET_PIXEL_H
#define KERNELS_DEEP_RATIONAL_MAGNET_PIXEL_H

#include "kernels/deep/rational/nova_pixel.h"

enum {
    MAGNET_FROM_ZERO,   /* reference from 0, counted from `critical` on */
    MAGNET_FROM_OTHER,  /* reference from 1 - c */
    MAGNET_POLE = 1,    /* log2 of |G| beyond which S is computed from G */
    MAGNET_LEAST = -500 /* log2 of the least delta of steps that doubles hold */
};
#define MAGNET_NEAR 4.0         /* ratio of T to t, or of t to t + C, from which t is lost */
#define MAGNET_TINY 0x1p-100    /* least |B| and |G| of steps that doubles hold */
#define MAGNET_C_LEAST 0x1p-700 /* least |dc| of steps that doubles hold */
#define MAGNET_C_LOST 0x1p-900  /* |dc| below this does not count */

struct magnet_step {               /* results of a step with exponents */
    struct complex_wide dg, slope; /* g - G; dg by the pixel's position, with slopes */
    struct complex_f64 less;       /* g - 1 */
};

/* ---- parts of a step ---- */

DEEP_FN struct complex_f64 magnet_power(int k, struct complex_f64 t)
{
    struct complex_f64 square = complex_mul(t, t);
    return k == 2 ? square : complex_mul(square, t);
}

DEEP_FN struct complex_f64 magnet_sum(int k, struct complex_f64 t, struct complex_f64 b)
{
    struct complex_f64 sum = complex_add(t, 1, b);
    return k == 2 ? sum : complex_fma(b, sum, complex_mul(t, t));
}

/* (k (t b)^(k - 1) dz - t^k S_c dc) / S^2; over: 1 / S. */
DEEP_FN struct complex_wide magnet_slope(const struct newton_common *common, struct complex_f64 t,
                                         struct complex_f64 b, struct complex_f64 over,
                                         struct complex_wide dz)
{
    const int k = common->rule.degree;
    struct complex_f64 p = complex_mul(t, b), by_t = k == 2 ? p : complex_mul(p, p);
    struct complex_f64 by_c = magnet_power(k, t), square = complex_mul(over, over);
    int32_t of_c = common->dynamic ? WIDE_ZERO : common->shared.exponent;
    int32_t e = dz.e > of_c ? dz.e : of_c;
    if (k == 3)
        by_c = complex_mul(by_c, complex_add(t, 2, b));
    struct complex_f64 x = complex_mul(by_t, complex_scale(k * wide_power(dz.e - e), dz.x));
    struct complex_f64 step = complex_scale(-wide_power(of_c - e), common->shared.step);
    return wide_settle(complex_mul(complex_fma(by_c, step, x), square), e);
}

DEEP_FN struct complex_f64 magnet_less_to_t(struct complex_f64 less)
{
    struct complex_f64 more = less;
    more.x += 2;
    return complex_mul(less, more);
}

/* ---- a step along the reference ---- */

/* Values that a step is made of, as doubles. */
struct magnet_parts {
    struct complex_f64 t, b;       /* t and b of the pixel */
    struct complex_f64 s, own_s;   /* S of the reference, S' of the pixel */
    struct complex_f64 by_t, by_c; /* (g - G) S S' = by_t delta - by_c dc */
};

/* S of T, B and G, beside a pole from G. */
DEEP_FN struct complex_f64 magnet_reference_sum(int k, struct complex_f64 t, struct complex_f64 b,
                                                struct complex_f64 g)
{
    if (complex_max(g) < 1 << (MAGNET_POLE + 1))
        return magnet_sum(k, t, b);
    g.x -= 1;
    return complex_mul(magnet_power(k, t), complex_inverse(g));
}

/* Parts of a step; from, b, g: T, B and G. */
DEEP_FN struct magnet_parts magnet_parts(int k, struct complex_f64 from, struct complex_f64 b,
                                         struct complex_f64 g, struct complex_f64 delta,
                                         struct complex_f64 dc)
{
    struct magnet_parts at;
    struct complex_f64 p = complex_mul(from, b), power = magnet_power(k, from), moved;
    at.t = complex_add(from, 1, delta);
    at.b = complex_add(complex_add(b, 1, delta), 1, dc);
    at.s = magnet_reference_sum(k, from, b, g);
    if (k == 2) {
        at.by_t = complex_fma(delta, at.s, complex_scale(2, p));
        at.by_c = power;
        moved = complex_add(dc, 2, delta);
    } else {
        struct complex_f64 q = complex_add(from, 1, b);
        struct complex_f64 sum =
            complex_add(complex_add(at.t, 1, at.b), 1, complex_add(b, 1, delta));
        at.by_t = complex_mul(complex_scale(3, p), complex_fma(delta, q, p));
        at.by_t = complex_fma(complex_mul(delta, delta), at.s, at.by_t);
        at.by_c = complex_mul(power, sum);
        moved = complex_mul(complex_scale(3, delta), complex_add(q, 1, delta));
        moved = complex_fma(dc, sum, moved);
    }
    at.own_s = complex_add(at.s, 1, moved);
    return at;
}

/* Are B and G of a size that makes products with them doubles, and G not at a pole? */
DEEP_FN int magnet_holds(struct complex_f64 b, struct complex_f64 g)
{
    double of_g = complex_max(g);
    return complex_max(b) >= MAGNET_TINY && of_g >= MAGNET_TINY && of_g < 0x1p80;
}

/* dc as steps of doubles take it: 0 where it is nothing beside delta. 0: doubles hold one of the
 * two, or products with it, no more. */
DEEP_FN int magnet_dc(const struct newton_pixel *pixel, const struct newton_common *common,
                      struct complex_f64 *dc)
{
    const struct complex_f64 none = {0, 0};
    double all = complex_max(pixel->c), size = common->shared.exponent ? 0 : all;
    int counts = size >= MAGNET_C_LEAST, exact = counts || all == 0;
    *dc = counts ? pixel->c : none;
    if (pixel->delta.e == WIDE_ZERO)
        return exact;
    return pixel->delta.e >= MAGNET_LEAST && (exact || size < MAGNET_C_LOST);
}

DEEP_FN struct complex_wide magnet_minus(struct complex_wide a)
{
    a.x = complex_scale(-1, a.x);
    return a;
}

/* As magnet_parts, with exponents. */
struct magnet_wide {
    struct complex_wide t, b, s, own_s, by_t, by_c;
};

DEEP_FN struct complex_wide magnet_wide_sum(int k, struct complex_wide t, struct complex_wide b)
{
    struct complex_wide sum = wide_add(t, b);
    return k == 2 ? sum : wide_add(wide_mul(b, sum), wide_mul(t, t));
}

DEEP_FN struct magnet_wide magnet_wide_parts(int k, struct complex_wide from, struct complex_wide b,
                                             struct complex_wide g, struct complex_wide delta,
                                             struct complex_wide dc)
{
    struct magnet_wide at;
    struct complex_wide p = wide_mul(from, b), power = wide_power_of(from, k), moved;
    at.t = wide_add(from, delta);
    at.b = wide_add(wide_add(b, delta), dc);
    at.s = g.e > MAGNET_POLE ? wide_mul(power, wide_inverse(wide_add(g, wide_of(-1))))
                             : magnet_wide_sum(k, from, b);
    if (k == 2) {
        at.by_t = wide_add(wide_mul(delta, at.s), wide_twice(p));
        at.by_c = power;
        moved = wide_add(dc, wide_twice(delta));
    } else {
        struct complex_wide three = wide_of(3), q = wide_add(from, b);
        struct complex_wide sum = wide_add(wide_add(at.t, at.b), wide_add(b, delta));
        at.by_t = wide_mul(wide_mul(three, p), wide_add(p, wide_mul(delta, q)));
        at.by_t = wide_add(at.by_t, wide_mul(wide_mul(delta, delta), at.s));
        at.by_c = wide_mul(power, sum);
        moved = wide_mul(wide_mul(three, delta), wide_add(q, delta));
        moved = wide_add(moved, wide_mul(dc, sum));
    }
    at.own_s = wide_add(at.s, moved);
    return at;
}

DEEP_FN struct complex_wide magnet_wide_slope(const struct newton_common *common,
                                              const struct magnet_wide *at,
                                              struct complex_wide over, struct complex_wide dz)
{
    const int k = common->rule.degree;
    struct complex_wide p = wide_mul(at->t, at->b), by_t = k == 2 ? p : wide_mul(p, p);
    struct complex_wide slope = wide_mul(wide_mul(wide_of(k), by_t), dz);
    if (!common->dynamic) {
        struct complex_wide by_c = wide_power_of(at->t, k);
        if (k == 3)
            by_c = wide_mul(by_c, wide_add(at->t, wide_twice(at->b)));
        slope = wide_add(slope, magnet_minus(wide_mul(by_c, wide_settle(common->shared.step,
                                                                        common->shared.exponent))));
    }
    return wide_mul(slope, wide_mul(over, over));
}

DEEP_FN struct magnet_step magnet_step_wide(const struct newton_pixel *pixel,
                                            const struct newton_common *common,
                                            struct complex_f64 from, struct complex_wide b,
                                            struct complex_wide g, int slopes)
{
    const int k = common->rule.degree;
    const struct complex_wide c = nova_c(pixel, common);
    const struct magnet_wide at = magnet_wide_parts(k, wide_settle(from, 0), b, g, pixel->delta, c);
    struct magnet_step step = {{{2, 0}, 1}, {{0, 0}, WIDE_ZERO}, {INFINITY, 0}};
    if (at.own_s.e == WIDE_ZERO) /* a pole */
        return step;
    struct complex_wide over = wide_inverse(at.own_s);
    step.less = newton_double(wide_mul(wide_power_of(at.t, k), over));
    if (at.s.e != WIDE_ZERO) {
        struct complex_wide moved =
            wide_add(wide_mul(pixel->delta, at.by_t), magnet_minus(wide_mul(c, at.by_c)));
        step.dg = wide_mul(wide_mul(moved, over), wide_inverse(at.s));
    }
    if (slopes)
        step.slope = magnet_wide_slope(common, &at, over, pixel->dz);
    return step;
}

/* ---- references ---- */

/* A value of the tape, as doubles have it. */
DEEP_FN struct complex_f64 magnet_taped(const struct formula_reference *reference, int64_t m,
                                        int slot)
{
    return point_load(&reference->tape[m * MAGNET_TAPE + slot]);
}

/* Is the pixel over behind a step from z - 1 = before to z = g^2, z - 1 = t? */
DEEP_FN int magnet_over(struct newton_pixel *pixel, const struct newton_common *common,
                        struct complex_f64 before, struct complex_f64 g, struct complex_f64 t)
{
    struct complex_f64 z = complex_mul(g, g);
    int far = !(fma(z.x, z.x, z.y * z.y) <= common->shared.bailout_squared);
    if (!far && !newton_rests(common, t))
        return 0;
    newton_over(pixel, z, far ? z : t, pixel->dz);
    pixel->before = fma(before.x, before.x, before.y * before.y);
    pixel->far = far;
    return 1;
}

/* Goes on from z = g^2, z - 1 = t, where a pixel has no reference or loses it: along the one from
 * 0, along that from 1 - c, or without one. */
DEEP_FN void magnet_leave(struct newton_pixel *pixel, const struct newton_common *common,
                          struct complex_wide g, struct complex_f64 t)
{
    struct complex_f64 other = complex_add(t, 1, common->centre);
    if (g.e < 0)
        nova_rebase(pixel, common, MAGNET_FROM_ZERO, wide_mul(g, g));
    else if (complex_max(other) * MAGNET_NEAR < complex_max(t))
        nova_rebase(pixel, common, MAGNET_FROM_OTHER, wide_settle(other, 0));
    else {
        pixel->delta = wide_settle(t, 0);
        pixel->direct = 1;
    }
}

/* Rebases at Z_m to the reference from 1 - c, where that is due. */
DEEP_FN void magnet_arrive(struct newton_pixel *pixel, const struct newton_common *common)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    pixel->m = reference_wrap(reference, pixel->m);
    struct complex_f64 b = magnet_taped(reference, pixel->m, MAGNET_B);
    if (complex_max(b) >= MAGNET_TINY && pixel->delta.e >= MAGNET_LEAST) {
        struct complex_f64 delta = newton_double(pixel->delta), near = complex_add(b, 1, delta);
        if (complex_max(near) < complex_max(delta))
            nova_rebase(pixel, common, MAGNET_FROM_OTHER, wide_settle(near, 0));
        return;
    }
    struct complex_wide other = wide_add(newton_taped(reference, pixel->m, MAGNET_B), pixel->delta);
    if (wide_less(other, pixel->delta))
        nova_rebase(pixel, common, MAGNET_FROM_OTHER, other);
}

/* ---- steps ---- */

/* Goes on along the reference, with delta', or along that from 0; own: g; moved: g - G. */
DEEP_FN void magnet_go_on(struct newton_pixel *pixel, const struct newton_common *common,
                          struct complex_f64 own, struct complex_f64 moved,
                          struct complex_f64 delta)
{
    double size = complex_max(own);
    pixel->m++;
    if (!(size < 1) || !(size < complex_max(moved))) {
        pixel->delta = wide_settle(delta, 0);
        return;
    }
    struct complex_wide g = wide_settle(own, 0);
    nova_rebase(pixel, common, MAGNET_FROM_ZERO, wide_mul(g, g));
}

/* Takes a step of doubles. 1: the pixel is over; -1: doubles do not hold the step. */
DEEP_FN int magnet_step_plain(struct newton_pixel *pixel, const struct newton_common *common,
                              struct complex_f64 from, struct complex_f64 b, struct complex_f64 g,
                              int slopes)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    const int k = common->rule.degree;
    const struct complex_f64 delta = newton_double(pixel->delta);
    struct complex_f64 dc;
    if (!magnet_holds(b, g) || !magnet_dc(pixel, common, &dc))
        return -1;
    const struct magnet_parts at = magnet_parts(k, from, b, g, delta, dc);
    if (!newton_holds(at.s) || !newton_holds(at.own_s))
        return -1;
    struct complex_f64 both = complex_inverse(complex_mul(at.s, at.own_s));
    struct complex_f64 over = complex_mul(at.s, both);
    struct complex_f64 dg = complex_mul(delta, at.by_t);
    dg = complex_mul(complex_fma(complex_scale(-1, dc), at.by_c, dg), both);
    struct complex_f64 less = complex_mul(magnet_power(k, at.t), over);
    int lost = !(complex_max(dg) < 2);
    struct complex_f64 own = lost ? less : complex_add(g, 1, dg);
    own.x += lost;
    if (slopes)
        pixel->dz = wide_mul(wide_settle(complex_scale(2, own), 0),
                             magnet_slope(common, at.t, at.b, over, pixel->dz));
    int64_t next = reference_wrap(reference, pixel->m + 1);
    struct complex_f64 to = point_load(&reference->z[next]);
    struct complex_f64 after = complex_mul(dg, complex_add(g, 1, own));
    struct complex_f64 t = complex_add(to, 1, after);
    lost |= !(complex_max(t) * MAGNET_NEAR >= complex_max(to));
    t = lost ? magnet_less_to_t(less) : t;
    pixel->n++;
    if (magnet_over(pixel, common, at.t, own, t))
        return 1;
    if (lost || next == reference->end)
        magnet_leave(pixel, common, wide_settle(own, 0), t);
    else
        magnet_go_on(pixel, common, own, dg, after);
    return 0;
}

/* Takes a step with exponents; 1: the pixel is over. */
DEEP_FN int magnet_along_wide(struct newton_pixel *pixel, const struct newton_common *common,
                              struct complex_f64 from, int slopes)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    const int64_t m = pixel->m;
    const struct complex_wide g = newton_taped(reference, m, MAGNET_G);
    const struct complex_f64 before = complex_add(from, 1, newton_double(pixel->delta));
    const struct magnet_step step =
        magnet_step_wide(pixel, common, from, newton_taped(reference, m, MAGNET_B), g, slopes);
    int lost = step.dg.e > 0, ends = m + 1 == reference->end && !reference->period;
    struct complex_wide own = wide_add(g, step.dg);
    if (lost) {
        struct complex_f64 plain = step.less;
        plain.x += 1;
        own = wide_settle(plain, 0);
    }
    if (slopes)
        pixel->dz = wide_mul(wide_twice(own), step.slope);
    pixel->n++;
    struct complex_f64 t = magnet_less_to_t(step.less);
    if (!lost) {
        struct complex_f64 to = point_load(&reference->z[reference_wrap(reference, m + 1)]);
        struct complex_wide delta = wide_mul(step.dg, wide_add(g, own));
        struct complex_f64 moved = complex_add(to, 1, newton_double(delta));
        lost = !(complex_max(moved) * MAGNET_NEAR >= complex_max(to));
        t = lost ? t : moved;
        pixel->delta = delta;
    }
    if (magnet_over(pixel, common, before, newton_double(own), t))
        return 1;
    if (lost || ends)
        magnet_leave(pixel, common, own, t);
    else if (own.e < 0 && wide_less(own, step.dg))
        nova_rebase(pixel, common, MAGNET_FROM_ZERO, wide_mul(own, own));
    else
        pixel->m = m + 1;
    return 0;
}

/* Takes a step along the reference; 1: the pixel is over. */
DEEP_FN int magnet_along_step(struct newton_pixel *pixel, const struct newton_common *common,
                              int slopes)
{
    const struct formula_reference *reference = &common->reference[pixel->reference];
    struct complex_f64 from = point_load(&reference->z[pixel->m]);
    int over = magnet_step_plain(pixel, common, from, magnet_taped(reference, pixel->m, MAGNET_B),
                                 magnet_taped(reference, pixel->m, MAGNET_G), slopes);
    return over < 0 ? magnet_along_wide(pixel, common, from, slopes) : over;
}

/* Takes a step without a reference; 1: the pixel is over. */
DEEP_FN int magnet_direct_steps(struct newton_pixel *pixel, const struct newton_common *common,
                                int slopes)
{
    const int k = common->rule.degree;
    struct complex_f64 t = newton_double(pixel->delta);
    struct complex_f64 b =
        complex_add(complex_add(t, 1, common->centre), 1, newton_double(nova_c(pixel, common)));
    struct complex_f64 over = complex_inverse(magnet_sum(k, t, b));
    struct complex_f64 less = complex_mul(magnet_power(k, t), over), plain = less, before = t;
    plain.x += 1;
    struct complex_wide own = wide_settle(plain, 0);
    if (slopes)
        pixel->dz = wide_mul(wide_twice(own), magnet_slope(common, t, b, over, pixel->dz));
    pixel->steps++;
    pixel->n++;
    t = magnet_less_to_t(less);
    if (magnet_over(pixel, common, before, plain, t))
        return 1;
    magnet_leave(pixel, common, own, t);
    return 0;
}

/* Values of a pixel that is over; else 0. */
DEEP_FN struct rational_values magnet_values(const struct newton_pixel *pixel,
                                             const struct newton_common *common, int slopes)
{
    struct rational_values none = {0.0f, {0.0f, 0.0f}, 0.0f};
    if (!pixel->count)
        return none;
    struct complex_wide dw = pixel->dz;
    struct complex_f64 c = complex_add(common->centre, 1, newton_double(nova_c(pixel, common)));
    return rational_values_at(&common->ends, !pixel->far, pixel->last.x, pixel->last.y, dw.x.x,
                              dw.x.y, dw.e == WIDE_ZERO ? 0 : dw.e, pixel->z.x, pixel->z.y,
                              pixel->before, c.x, c.y, common->shared.bailout, slopes);
}

#endif
