/* Many steps at once: what a block of steps does to delta, to fourth order.
 *
 *     delta' = A w + B v + D w^2 + E w v + F v^2 + G w^3 + H w^4,   w = delta / scale, v = c / unit
 *
 * One step is delta^2 + 2 Z delta + c, exactly. First x, then y, is again such a polynomial and
 * terms that are left out; their sum is bounded, and a block may be used where the bound is at most
 * epsilon (|A w| + |B v|), for the largest |c| of the view: its radius is the largest such |delta|.
 * Each level of merging adds epsilon once, more or less.
 *
 * By the time that w^3 counts, delta is so much larger than c that no more terms with c are needed.
 * Radii are as the fourth root of epsilon; with A and B alone, where each step leaves out delta^2
 * (Zhuoran and C. Heiland-Allen, "bivariate linear approximation"), they are as epsilon. Between a
 * block's end and the next rebase or escape delta grows from the radius to 1 by single steps, which
 * are most of all steps. So each order saves many: log(1 / epsilon) / order.
 *
 * The scale is a power of two near the largest delta that the block can be used for, and the unit
 * one near the largest c. So every coefficient is the size of its contribution to delta', over
 * another power of two, which is 1 where doubles hold the contributions themselves: then a block is
 * used by plain arithmetic, while in D delta^2 at a zoom of 1e227 D alone would leave the doubles.
 * All three exponents are integers, so blocks have no depth at which they end. */
#ifndef KERNELS_DEEP_BLOCK_H
#define KERNELS_DEEP_BLOCK_H

#include "kernels/deep/wide.h"

enum blocks { BLOCKS_NONE, BLOCKS_QUARTIC, BLOCKS_KINDS };

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/block_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/block_body.h"
#include "kernels/deep/number/real_end.h"

struct block_sizes { /* absolute values of coefficients, or a little more */
    double a, b, d, e, f, g, h;
};

struct block_limits { /* input of all radii, besides the orbit */
    double epsilon;
    double bailout;
    double v_max; /* largest |v|, in [1, 2) */
    int32_t unit; /* v = c / 2^unit */
};

/* Roundings of the bounds themselves do not count before this. */
#define BLOCK_SLACK (1.0 + 0x1p-40)

enum {
    BLOCK_NOTHING = -64, /* log2 of what does not count beside 1 */
    /* log2 of the least delta of plain arithmetic in a wide picture: what underflows does not
     * count beside it. With floats every picture is wide. */
    WIDE_BORDER = -800,
    WIDE_BORDER_F32 = -60
};

/* One step at Z, with the radius that it may be used for. It is exact for all delta that have not
 * escaped before it, |Z + delta| <= R. So no block can jump over an escape: each step in it begins
 * within the radius of its leaf, even when delta is off by epsilon for each of 64 levels. Nor over
 * a point where the pixel would rebase: |delta| <= |Z| / 2, so |z| >= |delta|. What a block leaves
 * out there would count |delta / z| times, 33 epsilon of the largest c at worst where it was
 * measured, for 2 to 15 % fewer steps (65 % in one view). */
DEEP_FN int32_t block_leaf_radius(struct complex_wide z, const struct block_limits *limits)
{
    double size = complex_abs(z.x), room = limits->bailout - size * BLOCK_SLACK, most = size / 2;
    if (z.e == 0 && room < most)
        most = room;
    if (!(most > 0))
        return WIDE_KEY_NONE;
    return wide_key(most * (1 - 64 * limits->epsilon - 0x1p-40), z.e);
}
/* One step at Z as a block, with exponents that block_fit has yet to choose. */
DEEP_FN struct quadratic_block block_leaf(struct complex_wide z, const struct block_limits *limits)
{
    struct quadratic_block leaf = {{0, 0}, {1, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
                                   {0, 0}, 0,      0,      0,      {0}};
    leaf.a = complex_scale(2, z.x);
    leaf.d.x = 1;
    leaf.in = z.e;
    leaf.out = 2 * z.e;
    leaf.of_c = limits->unit - leaf.out;
    return leaf;
}

/* A block that begins at Z_0 = 0 begins with delta^2 + c, exactly, so it is a polynomial in
 * delta^2, not in delta: its w is delta^2 / 2^in and its radius the largest |delta^2|. This is its
 * first step. It may be used for all delta that have not escaped; to rebase there is nothing
 * nearer. */
DEEP_FN struct quadratic_block block_first(const struct block_limits *limits)
{
    struct quadratic_block first = {{1, 0}, {1, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
                                    {0, 0}, 0,      0,      0,      {0}};
    first.of_c = limits->unit;
    return first;
}

DEEP_FN int32_t block_first_radius(const struct block_limits *limits)
{
    double radius = limits->bailout * (1 - 64 * limits->epsilon - 0x1p-40);
    return wide_key(radius * radius, 0);
}

DEEP_FN int32_t block_larger(int32_t lead, struct complex_f64 coefficient, int32_t e)
{
    int32_t other = wide_exponent(complex_max(coefficient)) + e;
    return other > lead ? other : lead;
}

/* coefficient 2^e, or 0 where that does not count beside 1: it would soon be subnormal, with which
 * processors take ten times as long. */
DEEP_FN struct complex_f64 block_counted(struct complex_f64 coefficient, int32_t e)
{
    int counts = wide_exponent(complex_max(coefficient)) + e >= BLOCK_NOTHING;
    return complex_scale(counts ? wide_power(e) : 0, coefficient);
}

/* The same block for w = delta / 2^in, with A or B near 1: `out` follows the larger contribution,
 * so of_c <= 0, and B is near 1 over 2^of_c. Within the radius D to H are no larger. What is lost
 * beside that is nothing for any delta within it. */
DEEP_FN struct quadratic_block block_fit(const struct quadratic_block *block, int32_t in)
{
    int32_t k = in - block->in;
    int32_t of_c = block_larger(block_larger(WIDE_ZERO, block->b, 0), block->f, 0);
    int32_t lead = block_larger(WIDE_ZERO, block->a, k);
    lead = of_c + block->of_c > lead ? of_c + block->of_c : lead;
    lead = lead > WIDE_ZERO / 2 ? lead : 0;
    struct quadratic_block fit;
    fit.a = block_counted(block->a, k - lead);
    fit.b = block_counted(block->b, -of_c);
    fit.d = block_counted(block->d, 2 * k - lead);
    fit.e = block_counted(block->e, k - lead);
    fit.f = block_counted(block->f, -of_c);
    fit.g = block_counted(block->g, 3 * k - lead);
    fit.h = block_counted(block->h, 4 * k - lead);
    fit.in = in;
    fit.out = block->out + lead;
    fit.of_c = block->of_c + of_c - lead;
    fit.unused[0] = 0;
    return fit;
}

/* Block as it is kept: over 1 where plain arithmetic holds that, from 2^border on; terms of c from
 * 2^of_c on, so little that they are nothing beside 2^border. */
DEEP_FN struct quadratic_block block_bake_from(const struct quadratic_block *block, int wide,
                                               int32_t border, int32_t of_c_least)
{
    struct quadratic_block baked = block_fit(block, block->in);
    if (wide && block_larger(WIDE_ZERO, baked.a, baked.out) < border)
        return baked;
    double out = wide_power(baked.out);
    baked.a = complex_scale(out, baked.a);
    baked.d = complex_scale(out, baked.d);
    baked.e = complex_scale(out, baked.e);
    baked.g = complex_scale(out, baked.g);
    baked.h = complex_scale(out, baked.h);
    baked.of_c += baked.out;
    baked.out = 0;
    if (wide && baked.of_c < of_c_least)
        return baked;
    double of_c = wide_power(baked.of_c);
    baked.b = complex_scale(of_c, baked.b);
    baked.f = complex_scale(of_c, baked.f);
    baked.of_c = 0;
    return baked;
}

/* The same for doubles: always over 1 unless the picture is wide. */
DEEP_FN struct quadratic_block block_bake(const struct quadratic_block *block, int wide)
{
    return block_bake_from(block, wide, WIDE_BORDER, WIDE_BORDER - 100);
}

DEEP_FN struct complex_f32 complex_narrow(struct complex_f64 a)
{
    struct complex_f32 narrow = {(float)a.x, (float)a.y};
    return narrow;
}

/* The same for floats, rounded once. */
DEEP_FN struct quadratic_block_f32 block_narrow(const struct quadratic_block *block)
{
    const struct quadratic_block baked =
        block_bake_from(block, 1, WIDE_BORDER_F32, WIDE_BORDER_F32 - 40);
    struct quadratic_block_f32 narrow;
    narrow.a = complex_narrow(baked.a);
    narrow.b = complex_narrow(baked.b);
    narrow.d = complex_narrow(baked.d);
    narrow.e = complex_narrow(baked.e);
    narrow.f = complex_narrow(baked.f);
    narrow.g = complex_narrow(baked.g);
    narrow.h = complex_narrow(baked.h);
    narrow.in = baked.in;
    narrow.out = baked.out;
    narrow.of_c = baked.of_c;
    narrow.unused[0] = narrow.unused[1] = narrow.unused[2] = 0;
    return narrow;
}

/* Block of x, then y, both fitted: y to the results of x.
 *     A = Ay Ax    B = Ay Bx + By    D = Ay Dx + Dy Ax^2    E = Ay Ex + 2 Dy Ax Bx + Ey Ax
 *     F = Ay Fx + Dy Bx^2 + Ey Bx + Fy    G = Ay Gx + 2 Dy Ax Dx + Gy Ax^3
 *     H = Ay Hx + Dy (2 Ax Gx + Dx^2) + 3 Gy Ax^2 Dx + Hy Ax^4                                   */
DEEP_FN struct quadratic_block block_merge(const struct quadratic_block *x,
                                           const struct quadratic_block *y)
{
    struct quadratic_block xy = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
                                 {0, 0}, 0,      0,      0,      {0}};
    xy.in = x->in;
    xy.out = y->out;
    xy.of_c = x->of_c > y->of_c ? x->of_c : y->of_c;
    double of_x = wide_power(x->of_c - xy.of_c), of_y = wide_power(y->of_c - xy.of_c);
    struct complex_f64 xb = complex_scale(of_x, x->b);
    xy.a = complex_mul(y->a, x->a);
    xy.b = complex_fma(y->a, xb, complex_scale(of_y, y->b));
    struct complex_f64 da = complex_mul(y->d, x->a);
    struct complex_f64 b = complex_scale(wide_power(x->of_c), x->b), db = complex_mul(y->d, b);
    xy.d = complex_fma(y->a, x->d, complex_mul(da, x->a));
    xy.e = complex_fma(y->a, x->e, complex_fma(complex_scale(2, da), b, complex_mul(y->e, x->a)));
    xy.f = complex_fma(y->a, complex_scale(of_x, x->f),
                       complex_fma(db, xb, complex_fma(y->e, xb, complex_scale(of_y, y->f))));
    struct complex_f64 aa = complex_mul(x->a, x->a), gaa = complex_mul(y->g, aa);
    xy.g = complex_fma(y->a, x->g, complex_fma(complex_scale(2, da), x->d, complex_mul(gaa, x->a)));
    struct complex_f64 of_d = complex_fma(complex_scale(2, x->a), x->g, complex_mul(x->d, x->d));
    struct complex_f64 of_h = complex_mul(complex_mul(y->h, aa), aa);
    xy.h = complex_fma(y->a, x->h,
                       complex_fma(y->d, of_d, complex_fma(complex_scale(3, gaa), x->d, of_h)));
    return xy;
}

DEEP_FN struct block_sizes block_sizes(const struct quadratic_block *block)
{
    double of_c = wide_power(block->of_c);
    struct block_sizes sizes = {complex_reach(block->a),        of_c * complex_reach(block->b),
                                complex_reach(block->d),        complex_reach(block->e),
                                of_c * complex_reach(block->f), complex_reach(block->g),
                                complex_reach(block->h)};
    return sizes;
}

/* Bound of what merging leaves out at w and v, in absolute values. Of x come l = |A| w, m = |B| v,
 * p = |D| w^2, q = |E| w v + |F| v^2 and t = |G| w^3 + |H| w^4. Of (l + m + p + q + t)^2, ^3 and ^4
 * that is all but the terms that D to H take up. */
DEEP_FN double block_left_out(const struct block_sizes *x, const struct block_sizes *y, double w,
                              double v, double *reach)
{
    double l = x->a * w, m = x->b * v, p = x->d * w * w, q = (x->e * w + x->f * v) * v;
    double t = (x->g + x->h * w) * w * w * w, pq = p + q;
    *reach = l + m + pq + t;
    double r = m + pq + t, last = x->h * w * w * w * w;
    double second = 2 * (l * q + m * (pq + t) + l * last) + q * (pq + p) + (2 * pq + t) * t;
    double third = 3 * l * (l * (m + q + t) + r * r) + r * r * r;
    double fourth = r * (4 * l * l * l + r * (6 * l * l + r * (4 * l + r)));
    return y->d * second + y->e * v * (pq + t) + y->g * third + y->h * fourth;
}

struct block_pair { /* input of the radius of two blocks; sizes over the results of each */
    struct block_sizes x, y;
    double a, b;    /* |A| and |B| of both together */
    double y_reach; /* radius of y */
};

/* Does the pair leave out little enough at delta = w times the scale, with y within its radius? */
DEEP_FN int block_holds(const struct block_pair *pair, double w, const struct block_limits *limits)
{
    double reach;
    double left_out = block_left_out(&pair->x, &pair->y, w, limits->v_max, &reach);
    double counts = pair->a * w + pair->b * limits->v_max;
    return reach * BLOCK_SLACK <= pair->y_reach &&
           left_out * BLOCK_SLACK <= limits->epsilon * counts;
}

DEEP_FN double block_middle(double low, double high)
{
    uint64_t lo, hi;
    memcpy(&lo, &low, sizeof lo);
    memcpy(&hi, &high, sizeof hi);
    lo += (hi - lo) / 2;
    memcpy(&low, &lo, sizeof low);
    return low;
}

/* The largest w up to `most` for which the pair holds, to a sixteenth; 0: none.
 *
 * What is left out has no negative coefficient as a polynomial in w, and its bound is a line: where
 * the bound holds at 0 it holds up to some w and not beyond, so halving finds that w. Where it does
 * not hold at 0, c alone is too large for the block. Positive doubles have the order of
 * their bits: to halve those is to halve the exponent first. */
DEEP_FN double block_search(const struct block_pair *pair, double least, double most,
                            const struct block_limits *limits)
{
    if (!block_holds(pair, 0, limits))
        return 0;
    if (block_holds(pair, most, limits))
        return most;
    double low = most, factor = 0.25; /* ever larger steps down: most blocks lose a few binades */
    for (;; factor *= factor) {
        low *= factor;
        if (!(low > least))
            low = least;
        if (block_holds(pair, low, limits))
            break;
        if (low == least)
            return 0;
        most = low;
    }
    while (most > low * 1.0625) {
        double middle = block_middle(low, most);
        if (block_holds(pair, middle, limits))
            low = middle;
        else
            most = middle;
    }
    return low;
}

/* The delta that A takes to a result of this size. */
DEEP_FN int32_t block_back(const struct quadratic_block *block, int32_t result)
{
    int32_t e = wide_key_exponent(result);
    return wide_key(wide_key_over(result, e) / complex_abs(block->a), e - block->out + block->in);
}

/* Joins x, then y, with the keys of their radii, into *xy; returns the key of its radius. */
DEEP_FN int32_t block_join(const struct quadratic_block *x, int32_t x_radius,
                           const struct quadratic_block *y, int32_t y_radius,
                           const struct block_limits *limits, struct quadratic_block *xy)
{
    *xy = *x;
    if (x_radius == WIDE_KEY_NONE || y_radius == WIDE_KEY_NONE)
        return WIDE_KEY_NONE;
    int32_t least = wide_key(limits->v_max, limits->unit - 20); /* less is of no use */
    int32_t most = block_back(x, y_radius);
    most = x_radius < most ? x_radius : most;
    if (most <= least)
        return WIDE_KEY_NONE;
    struct quadratic_block of_x = block_fit(x, wide_key_exponent(most)),
                           of_y = block_fit(y, of_x.out);
    *xy = block_merge(&of_x, &of_y);
    struct block_pair pair = {block_sizes(&of_x), block_sizes(&of_y), complex_abs(xy->a),
                              wide_power(xy->of_c) * complex_abs(xy->b),
                              wide_key_over(y_radius, of_x.out)};
    double high = wide_key_over(most, xy->in), low = wide_key_over(least, xy->in);
    low = low > 0x1p-900 ? low : 0x1p-900;
    double found = block_search(&pair, low, high, limits);
    return found >= 0x1p-1000 ? wide_key(found, xy->in) : WIDE_KEY_NONE;
}

#endif
