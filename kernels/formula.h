/* What is iterated at a pixel? A list of formulas; one formula is plain data.
 *
 * All of them step by z^2 + c. They differ in what the pixel is: c, with z_0 = 0, or z_0, with one
 * c for the whole picture. */
#ifndef KERNELS_FORMULA_H
#define KERNELS_FORMULA_H

#include <stdbool.h>

#include "kernels/status.h"

/* FORMULA_MANDELBROT is 0: what was zeroed means it. */
enum formula_kind { FORMULA_MANDELBROT, FORMULA_JULIA, FORMULAS };

struct formula {
    enum formula_kind kind;
    double c_re, c_im; /* of a Julia set, FORMULA_C_MAX at most; 0 and not read otherwise */
};

/* Of |re| and |im|. With a pixel's z_0 within VIEW_CENTRE_MAX every z_1 is finite in fp32. */
#define FORMULA_C_MAX 1e6

struct formula_row {
    const char *name;    /* as in --formula */
    const char *summary; /* one line for help texts */
};
extern const struct formula_row formula_rows[FORMULAS];

/* Are the same pixels the same points of both? */
bool formula_same(const struct formula *a, const struct formula *b);

/* Can kernels that test now and then find every count? They need |z| > R to mean that the orbit
 * only grows: R >= 2 and R >= |c|, which for a pixel's own c the first step sees to.
 * STATUS_CONFIG for a c that is not finite or beyond FORMULA_C_MAX, or for a radius below |c|. */
enum status formula_check(const struct formula *formula, double bailout);

#endif
