/* The formula of a picture: its step, and which plane its pixels are points of.
 *
 * The step is z^2 + c; as long as it is the only one, nothing says so. In the parameter plane a
 * pixel is c and every orbit begins at z_0 = 0: the Mandelbrot set. In the dynamic plane a pixel is
 * z_0, and c is the same for all: a Julia set. */
#ifndef KERNELS_FORMULA_H
#define KERNELS_FORMULA_H

#include <stdbool.h>

#include "kernels/status.h"

/* PARAMETER_PLANE is 0: what was zeroed means it. */
enum formula_plane { PARAMETER_PLANE, DYNAMIC_PLANE, FORMULA_PLANES };

struct formula {
    enum formula_plane plane;
    double c_re, c_im; /* in the dynamic plane, FORMULA_C_MAX at most; else 0 and not read */
};

/* Of |re| and |im|. With a pixel's z_0 within VIEW_CENTRE_MAX every z_1 is finite in fp32. */
#define FORMULA_C_MAX 1e6

struct formula_name {
    const char *name;    /* of the step in that plane, as in --formula */
    const char *summary; /* one line for help texts */
};
extern const struct formula_name formula_names[FORMULA_PLANES];

/* Are the same pixels the same points of both? */
bool formula_same(const struct formula *a, const struct formula *b);

/* Can kernels that test now and then find every count? They need |z| > R to mean that the orbit
 * only grows: R >= 2 and R >= |c|, which for a pixel's own c the first step sees to.
 * STATUS_CONFIG for a c that is not finite or beyond FORMULA_C_MAX, or for a radius below |c|. */
enum status formula_check(const struct formula *formula, double bailout);

#endif
