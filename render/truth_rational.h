/* The orbit of a formula that divides or converges on discs, which render/truth.c proves counts
 * with, and its derivative by the pixel's place, which proves nothing. */
#ifndef RENDER_TRUTH_RATIONAL_H
#define RENDER_TRUTH_RATIONAL_H

#include <mpfr.h>

#include <stdbool.h>

#include "kernels/formula/rational.h"

struct truth_disc {
    mpfr_t re, im, radius;
};
struct truth_derivative {
    mpfr_t re, im;
};

struct truth_rational {
    const struct rational_kind *kind;
    struct truth_disc at[RATIONAL_REGISTERS], next, end; /* end: what ends the orbit, of `over` */
    struct truth_derivative by[RATIONAL_REGISTERS], by_next, by_end;
    mpfr_t size, other, term, number, tangent_re, tangent_im, tangent_other;
    enum rational_over over;
    double rest, before; /* |w| and that of the step before, where the row converges */
    long slope_most;     /* log2 of dz, where that was largest */
};

void truth_rational_open(struct truth_rational *orbit);
void truth_rational_close(struct truth_rational *orbit);

/* Numbers with so many bits, and radii that are rounded up. All of them lose their values. */
void truth_rational_bits(struct truth_rational *orbit, mpfr_prec_t bits);

/* To z_0 of the pixel at (re, im), wrong by less than `error`. */
void truth_rational_begin(struct truth_rational *orbit, const struct formula *formula,
                          const mpfr_t re, const mpfr_t im, const mpfr_t error);

/* One step, and the tests after it: `over` becomes OVER_NOT, OVER_FAR or OVER_NEAR. false: they are
 * not decided for the whole disc, or it holds a 0 that is divided by. */
bool truth_rational_step(struct truth_rational *orbit, double bailout);

#endif
