/* One step of any formula on discs, which render/truth/truth.c proves counts with, and of the
 * derivatives of z by the pixel's place, which prove nothing. */
#ifndef RENDER_TRUTH_TRUTH_STEP_H
#define RENDER_TRUTH_TRUTH_STEP_H

#include <mpfr.h>

#include <stdbool.h>

#include "kernels/formula.h"
#include "render/truth/truth_bound.h"

/* dz by the pixel's place to the right or upwards, at any exponent. */
struct truth_tangent {
    mpfr_t re, im, kept_re, kept_im;
};
enum { TRUTH_RIGHT, TRUTH_UP, TRUTH_TANGENTS };
/* Second derivatives: right right, right up, up up. */
enum { TRUTH_BENDS = 3 };

struct truth_step {
    mpfr_t re, im; /* the centre of the discs */
    mpfr_t c_re, c_im;
    struct bound c_error; /* >= |error of c| */
    struct bound radius[TRUTH_DISCS];
    mpfr_t kept_re, kept_im; /* inside of a step */
    struct bound kept_radius[TRUTH_DISCS];
    mpfr_t factor_re, factor_im, other, product;
    struct truth_tangent tangent[TRUTH_TANGENTS]; /* of what is holomorphic only the first */
    struct truth_tangent bend[TRUTH_BENDS];       /* likewise */
    mpfr_t tangent_other, tangent_product;
    double fold_log2; /* of how far away the nearest fold so far is, to a power of 2 */
    bool by_c;        /* the pixel is c; else it is z_0 */
    bool holomorphic;
};

void truth_step_open(struct truth_step *step);
void truth_step_close(struct truth_step *step);

/* Numbers with so many bits. All of them lose their values. */
void truth_step_bits(struct truth_step *step, mpfr_prec_t bits);

/* To z_0: 0, or the pixel in (re, im). holomorphic: of the whole formula. */
void truth_step_begin(struct truth_step *step, bool by_c, bool holomorphic);

/* One list of a formula. The true z' of every z in a disc, for every c within c_error of c, lies in
 * the disc after it. */
void truth_step_take(struct truth_step *step, const struct formula_phase *phase);

/* dz by the place to the right, as a complex number (re + i im) 2^exponent, the larger part within
 * [1/2, 1); where the formula folds, the one that distances are made of, 2 ln|z| z / dz: z |z|^2 /
 * g with g = J^T z. 0 is 0. */
void truth_step_slope(const struct truth_step *step, double *re, double *im, long *exponent);

/* By how much of itself the gradient of ln|z| changes, at most, when the place moves, and with it
 * the direction and the length of a distance: log2 of its relative change by the place. -INFINITY
 * where dz is 0, INFINITY where that is not to be said. */
double truth_step_bend_log2(const struct truth_step *step);

/* log2 |J|, the size of all of dz: no direction has a larger one. */
double truth_step_size_log2(const struct truth_step *step);

/* 2^exponent is above each second derivative; LONG_MIN: all are 0. */
long truth_step_bend_exponent(const struct truth_step *step);

/* 2^exponent is above each part of dz, and at most twice the largest; LONG_MIN: all are 0. */
long truth_step_slope_exponent(const struct truth_step *step);

#endif
