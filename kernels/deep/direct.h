/* Steps without the reference, where a pixel needs none.
 *
 * A rounding e in z_n is the same as a move of the pixel by e / |dz_n/dc|, in units of the largest
 * |c| by e / s, where the slope s is |dz_n/dc| times that c. A block may leave out epsilon of it.
 * So from a slope of theta on, a few roundings over epsilon, z' = z^2 + (C + c) in plain doubles is
 * as good as the difference to a reference: three multiply-adds, and nothing to be looked up. Most
 * steps of a deep view are taken so: those between a block that no longer holds and the next time
 * that z comes near 0.
 *
 * The slope is at least |delta| where the pixel leaves its reference, for what a pixel's z is
 * beside the reference's is what c made of it; and each step multiplies it by |2 z|. Before a step
 * takes it below theta, or when z is so small that the blocks from z_0 on hold, the pixel is bound
 * to the reference again, whose index it has kept. With an accuracy of 1e-9 px the median of the
 * backward errors stays at 1e-11 px and below 2e-10 everywhere (tests/kernels/test_deep.c). */
#ifndef KERNELS_DEEP_DIRECT_H
#define KERNELS_DEEP_DIRECT_H

#include "kernels/deep/delta.h"

/* Roundings of a step in units of 2^-53, and room for some hundred of them. With 2 one pixel in a
 * hundred moves by three times the accuracy, with 4 by two thirds of it at most, with 8 by half. */
#define DIRECT_ROUNDINGS 8

enum { DIRECT_MOST = 1 << 30 };

struct direct_limits {
    struct complex_f64 centre; /* C, rounded */
    double bailout_squared;
    double norm_least;                  /* |z|^2 from which on no block from z_0 on holds */
    double slope_least;                 /* theta^2 */
    uint32_t inside_first, inside_size; /* upper halves of |z|^2 that are surely between both */
};

struct direct {
    struct complex_f64 z, dz; /* dz: per pixel, with slopes */
    double norm;              /* |z|^2 */
    double slope;             /* s^2, or less */
};

enum direct_end { DIRECT_GOES_ON, DIRECT_ESCAPED, DIRECT_ENDS };

DEEP_FN uint32_t direct_upper(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> 32);
}

/* s^2 after a step from z: s^2 |2 z|^2. A product, and no sum of cheaper logarithms: their errors
 * add up beside parabolic points, where |z| stays the same for thousands of steps. */
DEEP_FN double direct_next(double slope, double norm)
{
    return 4 * norm * slope;
}

DEEP_FN enum direct_end direct_end(double norm, double next, const struct direct_limits *limits)
{
    return norm > limits->bailout_squared                              ? DIRECT_ESCAPED
           : norm >= limits->norm_least && next >= limits->slope_least ? DIRECT_GOES_ON
                                                                       : DIRECT_ENDS;
}

/* May a pixel leave its reference with this slope, |delta|^2 at least? */
DEEP_FN int direct_may(double norm, double slope, const struct direct_limits *limits)
{
    return direct_end(norm, direct_next(slope, norm), limits) == DIRECT_GOES_ON;
}

/* Takes up to `most` >= 1 steps, their number in *taken, until z escapes or the next step would
 * lose too much. `step`: dc of one pixel; slopes: a constant, whether dz is computed. */
DEEP_FN enum direct_end direct_on(struct direct *state, struct complex_f64 c,
                                  struct complex_f64 step, const struct direct_limits *limits,
                                  int slopes, int64_t most, int64_t *taken)
{
    struct direct at = *state;
    enum direct_end end = DIRECT_GOES_ON;
    double next = direct_next(at.slope, at.norm);
    int32_t i = 0;
    const int32_t last = most < DIRECT_MOST ? (int32_t)most : DIRECT_MOST;
#ifdef __CUDA_ARCH__
#pragma unroll 2 /* else registers are copied after each step */
#endif
    do {
        if (slopes)
            at.dz = delta_slope(at.z, at.dz, step);
        double x = fma(at.z.x, at.z.x, fma(-at.z.y, at.z.y, c.x));
        at.z.y = fma(at.z.x + at.z.x, at.z.y, c.y);
        at.z.x = x;
        at.norm = fma(at.z.x, at.z.x, at.z.y * at.z.y);
        at.slope = next;
        next = direct_next(next, at.norm);
        i++;
        if (!(next >= limits->slope_least) ||
            direct_upper(at.norm) - limits->inside_first >= limits->inside_size)
            end = direct_end(at.norm, next, limits);
    } while (end == DIRECT_GOES_ON && i < last);
    *taken = i;
    *state = at;
    return end;
}

#endif
