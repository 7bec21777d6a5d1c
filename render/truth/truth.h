/* The true count of a pixel. MPFR with a running error ball; shares no arithmetic with kernels/, so
 * that it can prove them. For formulas that converge, read "converges" for "escapes" below. */
#ifndef RENDER_TRUTH_TRUTH_H
#define RENDER_TRUTH_TRUTH_H

#include <math.h>
#include <stdint.h>

#include "kernels/escape/orbit_sums.h"
#include "kernels/formula.h"
#include "render/view/view.h"

struct truth {
    /* certified: smallest n with |z_n| > R; 0: certified not escaped within the limit */
    int64_t count;
    int64_t period;     /* proven period of the cycle that a pixel inside comes to; 0: not proven */
    int certified;      /* 0 when even the largest precision tried could not decide */
    double distance_px; /* exterior distance estimate in pixels, whatever R; 0 if not escaped,
                           except for formulas that fold, see truth.c */
    double bend; /* largest relative change of the gradient of ln|z_count| per pixel; not computed
                    for z^2 + c, where it is 0 */
    /* Estimate of the least distance at which the count changes: distance_px, but less where the
     * gradient grows fast, as beside a zero of dz, or behind a fold. */
    double change_px;
    double fold_px;    /* distance to the nearest fold, where a folded part of some z_n is 0, to a
                          power of 2; 0: none */
    double z_re, z_im; /* z_count, for comparing with the kernels at equal n (escaped only) */
    int near;          /* 1: the orbit converges, see kernels/formula/rational.h */
    double w_re, w_im; /* value that ended the orbit: z_count, or what converges to 0 */
    double before;     /* |w| of the step before, if near */
    double last_re, last_im, log2_last_dz; /* z_(n-1) and log2 of its derivative, if near */
    int lost;       /* 1: doubles do not hold w of a formula that divides or converges, so that its
                       distance is 0, and far outside its phase, too (kernels/formula/rational_end.h) */
    double log2_dz; /* log2 |dw / dc|, or by z_0 (escaped only) */
    double dz_rad;  /* arg of dw */
    /* Sums along the orbit and by how much they may be wrong (truth_sums.h); escaped only. */
    double sums[ORBIT_PLANES], sums_slack[ORBIT_PLANES];
    long precision_bits; /* precision that decided */
};

struct truth_sums_rule; /* truth_sums.h */

/* Distance to a point that is `px` away by linear extrapolation, where the gradient changes by
 * `bend` of itself per pixel: px where bend is 0, a root of px where bend px is large. */
static inline double truth_bent(double px, double bend)
{
    double by = 2 * bend * px;
    return by > 0 && px < INFINITY ? 2 * px / (1 + sqrt(1 + by)) : px;
}

/* Certifies one pixel of a view, at any depth; c of a Julia set is the double itself. Blocks for
 * about 0.3 us per iteration at 200 bits, 3 us at 4,000; again with twice the bits where the first
 * attempt did not decide. STATUS_STOPPED soon after `stop`, which may be NULL, becomes non-zero. */
enum status truth_pixel(const struct view *view, const struct formula *formula, int32_t x,
                        int32_t y, int64_t limit, double bailout, const volatile int *stop,
                        struct truth *truth);

/* The same with sums along the orbit; rule NULL: without. */
enum status truth_pixel_sums(const struct view *view, const struct formula *formula, int32_t x,
                             int32_t y, int64_t limit, double bailout,
                             const struct truth_sums_rule *rule, const volatile int *stop,
                             struct truth *truth);

#endif
