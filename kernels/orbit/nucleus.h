/* Test whether a disc of parameters holds the nucleus of a component of this period.
 *
 * For c + r t, |t| <= 1, the n-th iterate is z_n + D t + q(t), with
 *     D' = 2 z D + r,    |q'| <= |D|^2 + 2 (|z| + |D|) |q| + |q|^2 + roundings,
 * both from 0. Where |z_n| + |q| < |D|, z_n + D t has exactly one zero in the disc and q cannot
 * remove it (Rouche): there is exactly one c' with z_n(c') = 0. Its period divides n; for smaller
 * divisors the inequality did not hold. The bound of |q| takes in the rounding of z's last step,
 * of D and of itself, so it holds for the exact polynomial.
 *
 * D and q share an exponent outside the doubles, because r may be 10^-60000. */
#ifndef KERNELS_ORBIT_NUCLEUS_H
#define KERNELS_ORBIT_NUCLEUS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/orbit/scaled.h"

/* Bound of all roundings of a step of D, which are below 8 units of 2^-53, over the sum of its
 * terms. Each step of q raises q by as much. */
#define NUCLEUS_ROUNDING 0x1p-50

struct nucleus {
    bool alive;       /* false: the disc has grown too large to ever be proven */
    double dx, dy, q; /* times 2^exponent */
    double r, step;   /* the radius, and the error of one step of z; times 2^exponent */
    int64_t exponent;
    double power;      /* 2^exponent, 0 below the doubles */
    double log2_disc;  /* log2 of the radius */
    int64_t step_log2; /* log2 of the step's error */
};

static inline void nucleus_rescale(struct nucleus *n, int64_t exponent)
{
    int64_t down = n->exponent - exponent;
    n->dx = scaled_double(n->dx, down);
    n->dy = scaled_double(n->dy, down);
    n->q = scaled_double(n->q, down);
    n->exponent = exponent;
    n->power = scaled_double(1, exponent);
    double whole = floor(n->log2_disc);
    n->r = scaled_double(exp2(n->log2_disc - whole), (int64_t)whole - exponent);
    n->step = scaled_double(1, n->step_log2 - exponent);
}

/* No disc for log2_disc = -INFINITY. `bits`: each part of a step of z is within 2^-bits. */
static inline void nucleus_begin(struct nucleus *n, double log2_disc, long bits)
{
    *n = (struct nucleus){.alive = isfinite(log2_disc) && fabs(log2_disc) < 1e9,
                          .log2_disc = log2_disc,
                          .step_log2 = 1 - bits};
    if (n->alive)
        nucleus_rescale(n, (int64_t)floor(log2_disc) + 1);
}

/* Sets the error of each following step of z: each part is within 2^-bits. */
static inline void nucleus_error(struct nucleus *n, long bits)
{
    if (n->step_log2 == 1 - bits)
        return;
    n->step_log2 = 1 - bits;
    n->step = scaled_double(1, n->step_log2 - n->exponent);
}

/* A step of a z that is not tiny. */
static inline void nucleus_step_plain(struct nucleus *n, double x, double y)
{
    double z = sqrt(x * x + y * y), d = sqrt(n->dx * n->dx + n->dy * n->dy), sum = d + n->q;
    double dx = 2 * (x * n->dx - y * n->dy) + n->r;
    n->dy = 2 * (x * n->dy + y * n->dx);
    n->dx = dx;
    n->q = (2 * z * n->q + sum * sum * n->power + n->step + NUCLEUS_ROUNDING * (2 * z * d + n->r)) *
           (1 + NUCLEUS_ROUNDING);
}

/* A step of z = (x + i y) 2^exponent: z D may be far below or above r, and far from what D was. */
static inline void nucleus_step_scaled(struct nucleus *n, double x, double y, int64_t exponent)
{
    double z = sqrt(x * x + y * y), d = sqrt(n->dx * n->dx + n->dy * n->dy), sum = d + n->q;
    double dx = n->dx, dy = n->dy;
    int64_t squared = 2 * n->exponent, least = (int64_t)floor(n->log2_disc) + 1;
    n->dx = 2 * (x * dx - y * dy);
    n->dy = 2 * (x * dy + y * dx);
    n->q = 2 * z * n->q + NUCLEUS_ROUNDING * 2 * z * d;
    n->exponent += exponent;
    nucleus_rescale(n, n->exponent > least ? n->exponent : least);
    n->dx += n->r;
    n->q = (n->q + scaled_double(sum * sum, squared - n->exponent) + n->step +
            NUCLEUS_ROUNDING * n->r) *
           (1 + NUCLEUS_ROUNDING);
}

/* A step from z_n = (x + i y) 2^exponent; exponent 0 is for numbers that are not tiny. */
static inline void nucleus_step(struct nucleus *n, double x, double y, int64_t exponent)
{
    if (exponent)
        nucleus_step_scaled(n, x, y, exponent);
    else
        nucleus_step_plain(n, x, y);
    double size = fabs(n->dx) + fabs(n->dy) + n->q;
    if (size > 0x1p100 || (size < 0x1p-100 && n->r < 0x1p-100)) {
        int more;
        frexp(size, &more);
        nucleus_rescale(n, n->exponent + more);
    }
    n->alive = n->q * n->power < 1;
}

/* Is |z_n| + |q| < |D| proven? */
static inline bool nucleus_proven(const struct nucleus *n, double x, double y, int64_t exponent)
{
    double d = sqrt(n->dx * n->dx + n->dy * n->dy) * (1 - 0x1p-40) - n->q;
    double z = sqrt(x * x + y * y) * (1 + 0x1p-40);
    if (!exponent && z > 0)
        return z < d * n->power;
    return scaled_double(z, exponent - n->exponent) < d;
}

/* Below it z_n keeps its exponent in the functions that follow. */
#define NUCLEUS_TINY 0x1p-500

static inline bool nucleus_is_tiny(struct complex_scaled z)
{
    return z.e < -300 && !scaled_is_zero(z) &&
           fmax(fabs(scaled_x(z)), fabs(scaled_y(z))) < NUCLEUS_TINY;
}

static inline void nucleus_step_at(struct nucleus *n, struct complex_scaled z)
{
    if (!n->alive)
        return;
    if (nucleus_is_tiny(z))
        nucleus_step(n, z.x, z.y, z.e);
    else
        nucleus_step(n, scaled_x(z), scaled_y(z), 0);
}

static inline bool nucleus_proven_at(const struct nucleus *n, struct complex_scaled z)
{
    if (!n->alive)
        return false;
    return nucleus_is_tiny(z) ? nucleus_proven(n, z.x, z.y, z.e)
                              : nucleus_proven(n, scaled_x(z), scaled_y(z), 0);
}

#endif
