/* The orbit of a formula that divides or converges on discs, which render/truth/truth.c proves
 * counts with, and its derivative by the pixel's place, which proves nothing. */
#ifndef RENDER_TRUTH_TRUTH_RATIONAL_H
#define RENDER_TRUTH_TRUTH_RATIONAL_H

#include <mpfr.h>

#include <stdbool.h>

#include "kernels/formula/rational.h"
#include "render/truth/truth_bound.h"

struct truth_derivative {
    mpfr_t re, im;
};

/* BY_Z: by z_n within a step. BY_REST: by the pixel's place, as far as it comes by c and z_(n-1)
 * and not by z_n. BY_BEND: the second by the place, without what the second of z_n gives. */
enum { BY_Z, BY_REST, BY_BEND, DERIVATIVES };

struct truth_scratch { /* numbers of one precision, inside of an operation */
    mpfr_t re, im, product, norm;
};

/* What an operation has made of z_n + e, |e| <= r: m + a e, and something below `rest`. */
struct truth_register {
    mpfr_t re, im;                           /* m */
    struct truth_derivative by[DERIVATIVES]; /* by[BY_Z] is a */
    struct bound size, slope;                /* |m|, |a| */
    struct bound rest[TRUTH_DISCS];
};

struct truth_rational {
    const struct rational_kind *kind;
    bool keeps;                        /* z_(n-1) */
    mpfr_prec_t bits, derivative_bits; /* of m and a */
    struct truth_register at[RATIONAL_REGISTERS], next, number;
    struct truth_scratch scratch, of[DERIVATIVES];
    struct bound radius[TRUTH_DISCS];      /* about z_n, */
    bool stays;                            /* of which the probe's has not come where orbits end */
    struct truth_derivative by_z, by_last; /* dz_n and dz_(n-1) by the pixel's place */
    mpfr_t end_re, end_im;                 /* what ends the orbit, of `over`, */
    struct truth_derivative by_end;        /* and its derivative */
    struct truth_derivative bend, bend_last, bend_end; /* the second ones of these three */
    struct truth_derivative total[2];                  /* dz of operands, inside of an operation */
    enum rational_over over;
    double rest, before; /* |w| and that of the step before, where the row converges */
    long slope_most;     /* log2 of dz, where that was largest */
};

void truth_rational_open(struct truth_rational *orbit);
void truth_rational_close(struct truth_rational *orbit);

/* Numbers with so many bits. All of them lose their values. */
void truth_rational_bits(struct truth_rational *orbit, mpfr_prec_t bits);

/* To z_0 of the pixel at (re, im), wrong by less than `error`. */
void truth_rational_begin(struct truth_rational *orbit, const struct formula *formula,
                          const mpfr_t re, const mpfr_t im, struct bound error);

/* One step, and the tests after it: `over` becomes OVER_NOT, OVER_FAR or OVER_NEAR. false: they are
 * not decided for the whole disc, or it holds a 0 that is divided by. */
bool truth_rational_step(struct truth_rational *orbit, double bailout);

/* As truth_step_bend_log2, of ln|w|, w the end. */
double truth_rational_bend_log2(const struct truth_rational *orbit);

#endif
