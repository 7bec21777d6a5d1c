/* The orbit, on discs, of a formula that divides or converges, by which render/truth/truth.c proves
 * counts, and its derivative by the pixel's position, which proves nothing. */
#ifndef RENDER_TRUTH_TRUTH_RATIONAL_H
#define RENDER_TRUTH_TRUTH_RATIONAL_H

#include <mpfr.h>

#include <stdbool.h>

#include "kernels/formula/rational.h"
#include "render/truth/truth_bound.h"

struct truth_derivative {
    mpfr_t re, im;
};

/* Variables of derivatives. BY_Z: z_n within a step. BY_REST: the pixel's position, as far as it
 * acts through c and z_(n-1) and not through z_n. BY_BEND: the second derivative by the position,
 * without what the second of z_n gives. */
enum { BY_Z, BY_REST, BY_BEND, DERIVATIVES };

struct truth_scratch { /* temporary numbers of an operation, all of one precision */
    mpfr_t re, im, product, norm;
};

/* Value of a register as a function of z_n + e, |e| <= r: m + a e, and an error below `rest`. */
struct truth_register {
    mpfr_t re, im;                           /* m */
    struct truth_derivative by[DERIVATIVES]; /* by[BY_Z] is a */
    struct bound size, slope;                /* |m|, |a| */
    struct bound rest[TRUTH_DISCS];
};

struct truth_rational {
    const struct rational_kind *kind;
    bool keeps;                        /* keeps z_(n-1) */
    mpfr_prec_t bits, derivative_bits; /* precision of m and of a */
    struct truth_register at[RATIONAL_REGISTERS], next, number;
    struct truth_scratch scratch, of[DERIVATIVES];
    struct bound radius[TRUTH_DISCS];      /* radii of the discs about z_n */
    bool stays;                            /* the disc of the probe has not come where orbits end */
    struct truth_derivative by_z, by_last; /* dz_n and dz_(n-1) by the pixel's position */
    mpfr_t end_re, end_im;                 /* value that ends the orbit, by `over` */
    struct truth_derivative by_end;        /* derivative of that value */
    struct truth_derivative bend, bend_last, bend_end; /* the second ones of these three */
    struct truth_derivative total[2];                  /* dz of operands, inside of an operation */
    enum rational_over over;
    double rest, before; /* |w|, and |w| of the step before, where the row converges */
    long slope_most;     /* log2 of the largest dz */
};

void truth_rational_open(struct truth_rational *orbit);
void truth_rational_close(struct truth_rational *orbit);

/* Sets the precision. All numbers lose their values. */
void truth_rational_bits(struct truth_rational *orbit, mpfr_prec_t bits);

/* Begins with z_0 of the pixel at (re, im), whose error is less than `error`. */
void truth_rational_begin(struct truth_rational *orbit, const struct formula *formula,
                          const mpfr_t re, const mpfr_t im, struct bound error);

/* Takes one step and tests: `over` becomes OVER_NOT, OVER_FAR or OVER_NEAR. False: undecided for
 * the whole disc, or a divisor's disc has 0. */
bool truth_rational_step(struct truth_rational *orbit, double bailout);

/* log2 of the bend, like truth_step_bend_log2, of ln|w|, w the end. */
double truth_rational_bend_log2(const struct truth_rational *orbit);

#endif
