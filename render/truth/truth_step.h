/* One step of any formula on discs, by which render/truth/truth.c proves counts, and of the
 * derivatives of z by the pixel's position, which prove nothing. */
#ifndef RENDER_TRUTH_TRUTH_STEP_H
#define RENDER_TRUTH_TRUTH_STEP_H

#include <mpfr.h>

#include <stdbool.h>

#include "kernels/formula.h"
#include "render/truth/truth_bound.h"

/* Derivative of z by the pixel's position, to the right or upwards, at any exponent. */
struct truth_tangent {
    mpfr_t re, im, kept_re, kept_im;
};
enum { TRUTH_RIGHT, TRUTH_UP, TRUTH_TANGENTS };
/* Second derivatives: right right, right up, up up. */
enum { TRUTH_BENDS = 3 };

struct truth_step {
    mpfr_t re, im; /* centre of the discs */
    mpfr_t c_re, c_im;
    struct bound c_error; /* >= |error of c| */
    struct bound radius[TRUTH_DISCS];
    mpfr_t kept_re, kept_im; /* value kept within a step */
    struct bound kept_radius[TRUTH_DISCS];
    mpfr_t factor_re, factor_im, other, product;
    /* derivatives of z; holomorphic formulas use only the first */
    struct truth_tangent tangent[TRUTH_TANGENTS];
    /* second derivatives; holomorphic formulas use only the first */
    struct truth_tangent bend[TRUTH_BENDS];
    mpfr_t tangent_other, tangent_product;
    double fold_log2; /* log2 of the distance to the nearest fold so far, to a power of 2 */
    bool by_c;        /* the pixel is c; else it is z_0 */
    bool holomorphic;
};

void truth_step_open(struct truth_step *step);
void truth_step_close(struct truth_step *step);

/* Sets the precision. All numbers lose their values. */
void truth_step_bits(struct truth_step *step, mpfr_prec_t bits);

/* Begins with z_0: 0, or the pixel in (re, im). holomorphic: the whole formula is. */
void truth_step_begin(struct truth_step *step, bool by_c, bool holomorphic);

/* Applies one list of operations of a formula. The true z' of every z in a disc, for every c within
 * c_error of c, lies in the disc after it. */
void truth_step_take(struct truth_step *step, const struct formula_phase *phase);

/* Derivative of z by the position to the right, as a complex number (re + i im) 2^exponent, the
 * larger part within [1/2, 1); where the formula folds, the one that distances 2 ln|z| z / dz are
 * computed from: z |z|^2 / g with g = J^T z. 0 is 0. */
void truth_step_slope(const struct truth_step *step, double *re, double *im, long *exponent);

/* log2 of the largest relative change of the gradient of ln|z| per unit of position; the direction
 * and length of a distance change with it. -INFINITY where dz is 0, INFINITY where it is
 * unknown. */
double truth_step_bend_log2(const struct truth_step *step);

/* log2 |J|, the norm of dz: no direction has a larger derivative. */
double truth_step_size_log2(const struct truth_step *step);

/* Exponent above each second derivative: each is below 2^exponent; LONG_MIN: all are 0. */
long truth_step_bend_exponent(const struct truth_step *step);

/* Exponent above each part of dz: 2^exponent is at most twice the largest; LONG_MIN: all are 0. */
long truth_step_slope_exponent(const struct truth_step *step);

#endif
