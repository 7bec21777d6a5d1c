/* Many steps at once: what one block of them does to delta, to second order.
 *
 *     delta' = A delta + B c + D delta^2 + E delta c + F c^2
 *
 * One step is exactly A = 2 Z, B = D = 1, E = F = 0. First x, then y, is, up to the third order,
 *     A = Ay Ax                     B = Ay Bx + By
 *     D = Ay Dx + Dy Ax^2           E = Ay Ex + 2 Dy Ax Bx + Ey Ax
 *     F = Ay Fx + Dy Bx^2 + Ey Bx + Fy.
 * What that leaves out is, with s = |Ax| d + |Bx| c, q = |Dx| d^2 + |Ex| d c + |Fx| c^2, at most
 *     |Dy| (2 s q + q^2) + |Ey| q c,                                                          (1)
 * and a block may be used where (1) is at most epsilon (|A| d + |B| c), for the largest |c| of the
 * view: the radius is the largest such d = |delta|. Each level of merging adds epsilon once.
 *
 * First-order blocks (A and B alone) leave delta^2 out in every step, and are valid where that is
 * at most epsilon (|2 Z| d + c) (Zhuoran and C. Heiland-Allen, "bivariate linear approximation").
 *
 * D, E and F are kept times `unit`, a power of two near the size of c: at a zoom of 1e200 they
 * are 1e200 times A and B, and leave the doubles where A and B do not. */
#ifndef KERNELS_DEEP_BLOCK_H
#define KERNELS_DEEP_BLOCK_H

#include "kernels/deep/delta.h"

enum blocks { BLOCKS_NONE, BLOCKS_LINEAR, BLOCKS_QUADRATIC, BLOCKS_KINDS };

struct block {
    struct complex_f64 a, b, d, e, f; /* d, e, f times the unit */
};

struct block_sizes { /* absolute values of a block's coefficients */
    double a, b, d, e, f;
};

struct block_limits { /* what radii depend on besides the orbit */
    double epsilon;
    double c_max;    /* largest |c| */
    double per_unit; /* 1 / unit, exact */
};

/* An error of these functions' own roundings does not count before this. */
#define BLOCK_SLACK (1.0 + 0x1p-40)

ESCAPE_FN struct block block_leaf(struct complex_f64 z, double unit)
{
    struct block leaf = {{2 * z.x, 2 * z.y}, {1, 0}, {unit, 0}, {0, 0}, {0, 0}};
    return leaf;
}

ESCAPE_FN struct block block_leaf_linear(struct complex_f64 z)
{
    struct block leaf = {{2 * z.x, 2 * z.y}, {1, 0}, {0, 0}, {0, 0}, {0, 0}};
    return leaf;
}

ESCAPE_FN struct block_sizes block_sizes(const struct block *block)
{
    struct block_sizes sizes = {complex_abs(block->a), complex_abs(block->b), complex_abs(block->d),
                                complex_abs(block->e), complex_abs(block->f)};
    return sizes;
}

/* Are they numbers that may be multiplied with a view's delta and c? */
ESCAPE_FN int block_usable(const struct block_sizes *sizes)
{
    return sizes->a + sizes->b + sizes->d + sizes->e + sizes->f < 0x1p1000;
}

/* x, then y */
ESCAPE_FN struct block block_merge(const struct block *x, const struct block *y)
{
    struct block xy;
    struct complex_f64 ya2 = complex_mul(y->d, x->a); /* Dy Ax and Dy Bx: the squares overflow */
    struct complex_f64 yb2 = complex_mul(y->d, x->b);
    xy.a = complex_mul(y->a, x->a);
    xy.b = complex_fma(y->a, x->b, y->b);
    xy.d = complex_fma(y->a, x->d, complex_mul(ya2, x->a));
    xy.e =
        complex_fma(y->a, x->e, complex_fma(complex_scale(2, ya2), x->b, complex_mul(y->e, x->a)));
    xy.f = complex_fma(y->a, x->f, complex_fma(yb2, x->b, complex_fma(y->e, x->b, y->f)));
    return xy;
}

ESCAPE_FN struct block block_merge_linear(const struct block *x, const struct block *y)
{
    struct block xy = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    xy.a = complex_mul(y->a, x->a);
    xy.b = complex_fma(y->a, x->b, y->b);
    return xy;
}

/* A step is exact for all delta that have not escaped before it: |Z + delta| <= R. So no block can
 * jump over an escape: each step in it begins within the radius of its leaf, even when delta is off
 * by epsilon for each of up to 64 levels. */
ESCAPE_FN double block_leaf_radius(struct complex_f64 z, double bailout,
                                   const struct block_limits *limits)
{
    double room = bailout - complex_abs(z) * BLOCK_SLACK;
    return room > 0 ? room * (1 - 64 * limits->epsilon - 0x1p-40) : 0;
}

/* The largest d with d^2 <= epsilon (|2 Z| d + c). */
ESCAPE_FN double block_leaf_radius_linear(struct complex_f64 z, double bailout,
                                          const struct block_limits *limits)
{
    struct complex_f64 root;
    root.x = limits->epsilon * complex_abs(z);
    root.y = sqrt(limits->epsilon * limits->c_max);
    double radius = root.x + complex_abs(root), room = block_leaf_radius(z, bailout, limits);
    return radius < room ? radius : room;
}

/* Is (1) small enough at d, and the delta between x and y within y's radius? */
ESCAPE_FN int block_holds(const struct block_sizes *x, const struct block_sizes *y,
                          const struct block_sizes *xy, double y_radius, double d,
                          const struct block_limits *limits)
{
    double c = limits->c_max, v = c * limits->per_unit, w = d * limits->per_unit;
    double s = x->a * d + x->b * c;
    double q = (x->d * w) * d + (x->e * v) * d + (x->f * v) * c;
    double error = (y->d * ((2 * s + q) * limits->per_unit)) * q + (y->e * v) * q;
    return (s + q) * BLOCK_SLACK <= y_radius &&
           error * BLOCK_SLACK <= limits->epsilon * (xy->a * d + xy->b * c);
}

ESCAPE_FN uint64_t block_bits(double positive)
{
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return bits;
}

ESCAPE_FN double block_from_bits(uint64_t bits)
{
    double positive;
    memcpy(&positive, &bits, sizeof positive);
    return positive;
}

/* The radius of x and y together, to a sixteenth; 0: never valid.
 *
 * (1) has no negative coefficient as a polynomial in d, and its bound is a line: where the bound
 * holds at d = 0 it holds up to one place and not beyond, so halving finds the place. Where it does
 * not hold at 0, c alone is too large for the block. Positive doubles have the order of their bits:
 * to halve those is to halve the exponent first. */
ESCAPE_FN double block_radius(const struct block_sizes *x, double x_radius,
                              const struct block_sizes *y, double y_radius,
                              const struct block_sizes *xy, const struct block_limits *limits)
{
    double least = limits->c_max * 0x1p-20; /* less is of no use */
    if (!(x_radius > least && y_radius > 0 && block_usable(xy)))
        return 0;
    if (!block_holds(x, y, xy, y_radius, 0, limits) ||
        !block_holds(x, y, xy, y_radius, least, limits))
        return 0;
    if (block_holds(x, y, xy, y_radius, x_radius, limits))
        return x_radius;
    uint64_t lo = block_bits(least), hi = block_bits(x_radius);
    while (hi - lo > (uint64_t)1 << 48) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (block_holds(x, y, xy, y_radius, block_from_bits(middle), limits))
            lo = middle;
        else
            hi = middle;
    }
    return block_from_bits(lo);
}

/* min(Rx, (Ry - |Bx| c) / |Ax|) */
ESCAPE_FN double block_radius_linear(const struct block_sizes *x, double x_radius, double y_radius,
                                     const struct block_sizes *xy,
                                     const struct block_limits *limits)
{
    double room = y_radius - x->b * limits->c_max * BLOCK_SLACK;
    if (!(x_radius > 0 && room > 0 && block_usable(xy)))
        return 0;
    double radius = room / (x->a * BLOCK_SLACK);
    return radius < x_radius ? radius : x_radius;
}

/* delta' = (A + D delta + E c) delta + (B + F c) c. w and v: delta and c times 1 / unit. */
ESCAPE_FN struct complex_f64 block_apply(const struct block *k, struct complex_f64 delta,
                                         struct complex_f64 w, struct complex_f64 c,
                                         struct complex_f64 v)
{
    struct complex_f64 of_delta = complex_fma(k->d, w, complex_fma(k->e, v, k->a));
    struct complex_f64 of_c = complex_fma(k->f, v, k->b);
    return complex_fma(of_delta, delta, complex_mul(of_c, c));
}

ESCAPE_FN struct complex_f64 block_apply_linear(const struct block *k, struct complex_f64 delta,
                                                struct complex_f64 c)
{
    return complex_fma(k->a, delta, complex_mul(k->b, c));
}

/* dz' = (A + 2 D delta + E c) dz + (B + E delta + 2 F c) dc */
ESCAPE_FN struct complex_f64 block_slope(const struct block *k, struct complex_f64 w,
                                         struct complex_f64 v, struct complex_f64 dz,
                                         struct complex_f64 dc)
{
    struct complex_f64 by_z = complex_fma(complex_scale(2, k->d), w, complex_fma(k->e, v, k->a));
    struct complex_f64 by_c = complex_fma(complex_scale(2, k->f), v, complex_fma(k->e, w, k->b));
    return complex_fma(by_z, dz, complex_mul(by_c, dc));
}

ESCAPE_FN struct complex_f64 block_slope_linear(const struct block *k, struct complex_f64 dz,
                                                struct complex_f64 dc)
{
    return complex_fma(k->a, dz, complex_mul(k->b, dc));
}

#endif
