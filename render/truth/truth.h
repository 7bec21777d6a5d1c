/* The true count of a pixel. MPFR with a running error ball; shares no arithmetic with kernels/,
 * so that it can prove them. What "escapes" below, converges in formulas that do so. */
#ifndef RENDER_TRUTH_TRUTH_H
#define RENDER_TRUTH_TRUTH_H

#include <math.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "render/view/view.h"

struct truth {
    int64_t
        count; /* certified: smallest n with |z_n| > R; 0: certified not escaped within the limit */
    int64_t period;     /* of the cycle that a pixel inside comes to, proven; 0: not proven */
    int certified;      /* 0 when even the largest precision tried could not decide */
    double distance_px; /* exterior distance estimate in pixels, whatever R; 0 for unescaped, but
                           not for a formula that folds, see truth.c */
    double bend; /* by how much of itself the gradient of ln|z_count| changes a pixel, at most; not
                    computed for z^2 + c, where it is 0 */
    /* How far away the count changes at the earliest, as a measure: distance_px, but less where the
     * gradient grows fast, as beside a zero of dz, or behind a fold. */
    double change_px;
    double
        fold_px; /* how far away a part of some z_n is 0 that is folded, to a power of 2; 0: none */
    double z_re, z_im; /* z_count, for comparing with the kernels at equal n (escaped only) */
    int near;          /* 1: the orbit converges, see kernels/formula/rational.h */
    double w_re, w_im; /* what ended it: z_count, or what converges to 0 */
    double before;     /* |w| of the step before, if near, */
    double last_re, last_im, log2_last_dz; /* and z_(n-1), with its derivative */
    int lost; /* of a formula that divides or converges: doubles do not hold w, so that its distance
                 is 0, and far outside its phase, too (kernels/formula/rational_end.h) */
    double log2_dz;      /* log2 |dw / dc|, or by z_0 (escaped only) */
    double dz_rad;       /* arg of dw */
    long precision_bits; /* that decided */
};

/* How far a point is moved that is `px` away if all goes on as here, where what it goes by changes
 * by `bend` of itself a pixel: px where that is 0, a root of it where bend px is large. */
static inline double truth_bent(double px, double bend)
{
    double by = 2 * bend * px;
    return by > 0 && px < INFINITY ? 2 * px / (1 + sqrt(1 + by)) : px;
}

/* Certifies one pixel of a view, at any depth; c of a Julia set is the double itself. Blocks for
 * about 0.3 us per iteration at 200 bits, 3 us at 4,000; once more with twice the bits where the
 * first did not decide. STATUS_STOPPED soon after `stop`, which may be NULL, becomes non-zero. */
enum status truth_pixel(const struct view *view, const struct formula *formula, int32_t x,
                        int32_t y, int64_t limit, double bailout, const volatile int *stop,
                        struct truth *truth);

#endif
