/* Many steps of z^2 + c + k z_(n-1), a Hénon map of (z_n, z_(n-1)), at once.
 *
 * With v = (delta_n, delta_(n-1)) a step from Z_m is v' = (2 Z_m delta_n + delta_n^2 + k
 * delta_(n-1) + dc, delta_n), which is a polynomial of second order. So many steps are
 *
 *     v' = A v + B dc + Q(v, v),
 *
 * A a matrix of 2 x 2, Q three coefficients for each part, and what is left out is no more than
 * `second` |v|^2 + `third` |v|^3; |v| is the larger of both parts. `second` comes from products of
 * v with dc: in the parameter plane |dc| is |v| / |T_m|, with T_m the derivative of (Z_m, Z_(m-1))
 * by c, and half of that is allowed for pixels that are not as near as the derivative says. A block
 * holds where what is left out is at most epsilon |T_(m+length)| / |T_m| |v|: v grows as T does,
 * and by less than the norm of A where the two directions of v do not. Nor does it hold where its
 * coefficients have lost their digits. */
#ifndef KERNELS_DEEP_RATIONAL_HENON_BLOCK_H
#define KERNELS_DEEP_RATIONAL_HENON_BLOCK_H

#include "kernels/deep/block.h"

struct henon_pair { /* values of n and of n - 1 */
    struct complex_f64 now, last;
};

/* v' = 2^out (A w + Q(w, w) + 2^of_c B c / unit), w = v / 2^in; left out: 2^out (second |w|^2 +
 * third |w|^3). */
struct henon_block {
    struct complex_f64 a[2][2], b[2], q[2][3]; /* q: of now^2, now last, last^2 */
    double second, third;
    int32_t in, out, of_c;
    float rounding; /* rounding of A w, over 2^out and 2^-53, where v has the direction of T */
};

struct henon_size { /* |T_m| = x 2^e */
    double x;
    int32_t e;
};

enum { HENON_NO_C = WIDE_ZERO / 2 }; /* of_c where c does not count */
#define HENON_ROUNDING 0x1p-30       /* most rounding of coefficients, in relation to A v */
#define HENON_BEND 0x1p-6            /* most of |Q(w, w)| / |A w| in a block that another follows */

DEEP_FN double pair_max(const struct henon_pair *v)
{
    double now = complex_max(v->now), last = complex_max(v->last);
    return now > last ? now : last;
}

DEEP_FN double pair_reach(const struct henon_pair *v)
{
    double now = complex_reach(v->now), last = complex_reach(v->last);
    return now > last ? now : last;
}

DEEP_FN struct henon_pair pair_scale(double k, const struct henon_pair *v)
{
    struct henon_pair scaled;
    scaled.now = complex_scale(k, v->now);
    scaled.last = complex_scale(k, v->last);
    return scaled;
}

/* v over 2^*e with its largest part in [1, 2); *e is set to match. */
DEEP_FN struct henon_pair pair_settle(const struct henon_pair *v, int32_t *e)
{
    int32_t lead = wide_exponent(pair_max(v));
    *e = lead == WIDE_ZERO ? WIDE_ZERO : *e + lead;
    return pair_scale(lead == WIDE_ZERO ? 0 : wide_power(-lead), v);
}

/* ---- use of a block ---- */

/* A x + 2^shift B v, and its exponent in *e, which is that of A x before. */
DEEP_FN struct henon_pair henon_with_c(const struct henon_block *k, struct henon_pair sum,
                                       struct complex_f64 v, int32_t *e)
{
    int32_t of_w = *e - k->in, most = of_w > k->of_c ? of_w : k->of_c;
    double by_c = wide_power(k->of_c - most);
    sum = pair_scale(wide_power(of_w - most), &sum);
    sum.now = complex_add(sum.now, by_c, complex_mul(k->b[0], v));
    sum.last = complex_add(sum.last, by_c, complex_mul(k->b[1], v));
    *e = most + k->out;
    return pair_settle(&sum, e);
}

DEEP_FN struct complex_f64 henon_row(const struct henon_block *k, int i, const struct henon_pair *w,
                                     const struct henon_pair *squares)
{
    struct complex_f64 sum = complex_mul(k->q[i][2], squares->last);
    sum = complex_fma(k->q[i][0], squares->now, sum);
    sum = complex_fma(k->a[i][1], w->last, sum);
    return complex_fma(k->a[i][0], w->now, sum);
}

/* v' after a block; v over 2^*e, settled; c in units. */
DEEP_FN struct henon_pair henon_apply(const struct henon_block *k, const struct henon_pair *v,
                                      struct complex_f64 c, int32_t *e)
{
    double scale = wide_power(*e - k->in);
    struct henon_pair squares, sum;
    struct complex_f64 both = complex_scale(scale, complex_mul(v->now, v->last));
    squares.now = complex_scale(scale, complex_mul(v->now, v->now));
    squares.last = complex_scale(scale, complex_mul(v->last, v->last));
    sum.now = complex_fma(k->q[0][1], both, henon_row(k, 0, v, &squares));
    sum.last = complex_fma(k->q[1][1], both, henon_row(k, 1, v, &squares));
    return henon_with_c(k, sum, c, e);
}

/* dv' after a block; v over 2^e, dv over 2^*dv_e; dc in units. */
DEEP_FN struct henon_pair henon_slope(const struct henon_block *k, const struct henon_pair *v,
                                      int32_t e, const struct henon_pair *dv, struct complex_f64 dc,
                                      int32_t *dv_e)
{
    double scale = wide_power(e - k->in);
    struct henon_pair squares, sum;
    struct complex_f64 both = complex_fma(v->now, dv->last, complex_mul(v->last, dv->now));
    both = complex_scale(scale, both);
    squares.now = complex_scale(2 * scale, complex_mul(v->now, dv->now));
    squares.last = complex_scale(2 * scale, complex_mul(v->last, dv->last));
    sum.now = complex_fma(k->q[0][1], both, henon_row(k, 0, dv, &squares));
    sum.last = complex_fma(k->q[1][1], both, henon_row(k, 1, dv, &squares));
    return henon_with_c(k, sum, dc, dv_e);
}

/* ---- joined blocks ---- */

/* Largest exponent of some numbers; WIDE_ZERO if they are 0. */
DEEP_FN int32_t henon_lead(const struct complex_f64 *numbers, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = complex_max(numbers[i]) > most ? complex_max(numbers[i]) : most;
    return wide_exponent(most);
}

/* The same block for w = v / 2^in, with the largest of A in [1, 2). */
DEEP_FN struct henon_block henon_fit(const struct henon_block *block, int32_t in)
{
    struct henon_block fit = *block;
    int32_t by = in - block->in, lead = henon_lead(&block->a[0][0], 4);
    int32_t of_b = henon_lead(block->b, 2);
    lead = lead == WIDE_ZERO ? 0 : lead + by;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            fit.a[i][j] = complex_scale(wide_power(by - lead), block->a[i][j]);
        for (int j = 0; j < 3; j++)
            fit.q[i][j] = complex_scale(wide_power(2 * by - lead), block->q[i][j]);
        fit.b[i] = complex_scale(of_b == WIDE_ZERO ? 0 : wide_power(-of_b), block->b[i]);
    }
    fit.second *= wide_power(2 * by - lead);
    fit.third *= wide_power(3 * by - lead);
    fit.rounding *= (float)wide_power(by - lead);
    fit.in = in;
    fit.out = block->out + lead;
    fit.of_c =
        of_b == WIDE_ZERO || block->of_c == HENON_NO_C ? HENON_NO_C : block->of_c + of_b - lead;
    return fit;
}

/* Q(r, s) of rows of A, r and s, for one part: the coefficients of the product of both. */
DEEP_FN void henon_product(const struct complex_f64 *r, const struct complex_f64 *s,
                           struct complex_f64 factor, struct complex_f64 *to)
{
    to[0] = complex_fma(factor, complex_mul(r[0], s[0]), to[0]);
    to[1] = complex_fma(factor, complex_fma(r[0], s[1], complex_mul(r[1], s[0])), to[1]);
    to[2] = complex_fma(factor, complex_mul(r[1], s[1]), to[2]);
}

/* Block of x, then y, which is fitted to the results of x. */
DEEP_FN struct henon_block henon_merge(const struct henon_block *x, const struct henon_block *y)
{
    struct henon_block xy = *x;
    int32_t of_c = x->of_c > y->of_c ? x->of_c : y->of_c;
    double of_x = wide_power(x->of_c - of_c), of_y = wide_power(y->of_c - of_c);
    for (int i = 0; i < 2; i++) {
        const struct complex_f64 *a = y->a[i];
        for (int j = 0; j < 2; j++)
            xy.a[i][j] = complex_fma(a[0], x->a[0][j], complex_mul(a[1], x->a[1][j]));
        for (int j = 0; j < 3; j++)
            xy.q[i][j] = complex_fma(a[0], x->q[0][j], complex_mul(a[1], x->q[1][j]));
        henon_product(x->a[0], x->a[0], y->q[i][0], xy.q[i]);
        henon_product(x->a[0], x->a[1], y->q[i][1], xy.q[i]);
        henon_product(x->a[1], x->a[1], y->q[i][2], xy.q[i]);
        xy.b[i] = complex_fma(a[0], x->b[0], complex_mul(a[1], x->b[1]));
        xy.b[i] = complex_add(complex_scale(of_x, xy.b[i]), of_y, y->b[i]);
    }
    xy.out = y->out;
    xy.of_c = of_c;
    return xy;
}

/* The largest sum of a row. */
DEEP_FN double henon_norm(const struct complex_f64 *rows, int columns)
{
    double most = 0;
    for (int i = 0; i < 2; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++)
            sum += complex_abs(rows[i * columns + j]);
        most = sum > most ? sum : most;
    }
    return most;
}

/* |B dc| over |v|, with w = v / 2^in, where T is `from`. */
DEEP_FN double henon_by_c(const struct henon_block *x, const struct henon_size *from, int32_t unit)
{
    if (x->of_c == HENON_NO_C)
        return 0;
    double size = henon_norm(x->b, 1) / from->x;
    return 2 * size * wide_power(x->of_c + x->in - unit - from->e);
}

/* Joins x, then y, of `steps` each, with the keys of their radii, into *xy and returns the key of
 * its radius; `to`: |T| behind y, in the array of all |T_m|. */
DEEP_FN int32_t henon_join(const struct henon_block *x, int32_t x_radius,
                           const struct henon_block *y, int32_t y_radius,
                           const struct block_limits *limits, const struct henon_size *to,
                           int64_t steps, struct henon_block *xy)
{
    const struct henon_size *at = to - steps, *from = at - steps;
    *xy = *x;
    if (x_radius == WIDE_KEY_NONE || y_radius == WIDE_KEY_NONE || !(from->x > 0))
        return WIDE_KEY_NONE;
    const double slack = (1 + HENON_BEND) * BLOCK_SLACK;
    double reach = (henon_norm(&x->a[0][0], 2) + henon_by_c(x, from, limits->unit)) * slack;
    int32_t e = wide_key_exponent(y_radius);
    int32_t most = wide_key(wide_key_over(y_radius, e) / reach, e - x->out + x->in);
    most = x_radius < most ? x_radius : most;
    if (most <= wide_key(1, -WIDE_MOST / 2))
        return WIDE_KEY_NONE;
    struct henon_block of_x = henon_fit(x, wide_key_exponent(most));
    struct henon_block of_y = henon_fit(y, of_x.out);
    *xy = henon_merge(&of_x, &of_y);
    double w = wide_key_over(most, of_x.in);
    double n1 = henon_norm(&of_x.a[0][0], 2), p1 = henon_norm(&of_x.q[0][0], 3);
    double n2 = henon_norm(&of_y.a[0][0], 2), p2 = henon_norm(&of_y.q[0][0], 3);
    double by_c = henon_by_c(&of_x, from, limits->unit), grown = (n1 + by_c) * slack;
    xy->second = n2 * of_x.second + grown * grown * of_y.second + p2 * by_c * (2 * n1 + by_c);
    xy->third =
        n2 * of_x.third + grown * grown * grown * of_y.third + p2 * p1 * (2 * (n1 + by_c) + p1 * w);
    double grows = at->x / from->x * wide_power(at->e - from->e + of_x.in - of_x.out);
    double middle = grows < n1 ? grows : n1 + by_c;
    double counts = to->x / from->x * wide_power(to->e - from->e + xy->in - xy->out);
    double rounding = n2 * (of_x.rounding + middle) + of_y.rounding * middle;
    if (!(rounding * 0x1p-53 <= HENON_ROUNDING * counts))
        return WIDE_KEY_NONE;
    xy->rounding = (float)rounding;
    counts *= limits->epsilon / (2 * BLOCK_SLACK);
    double bend = HENON_BEND * (n1 + by_c) / p1;
    double by_second = counts / xy->second, by_third = sqrt(counts / xy->third);
    w = by_second < w ? by_second : w;
    w = by_third < w ? by_third : w;
    w = p1 > 0 && bend < w ? bend : w;
    if (!(w > 0x1p-900))
        return WIDE_KEY_NONE;
    int32_t radius = wide_key(w, xy->in);
    *xy = henon_fit(xy, wide_key_exponent(radius));
    return radius;
}

#endif
