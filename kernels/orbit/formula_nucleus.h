/* The nucleus of a component of any formula: a c at which 0 comes back to 0 after p steps; of Nova,
 * 1 to 1; of magnets, where g, the square of which is z, is 0.
 *
 * The lowest p is the first at which z_p + J d = 0 for a d within the radius, J the 2 x 2 matrix of
 * dz_p/dc (the ball method, in the plane's own metric, since folds stretch directions by different
 * amounts). Newton's method d = -J^-1 z_p then leads to the root, if no fold lies between: what
 * leaves the disc is no root of it, and the next p is tried.
 *
 * About the nucleus z_p is J h + L f(z_0), f(z) = z^d as the formula has it and L the matrix of
 * dz_p/dz_1. Of an own formula p is a multiple of the number of its lists. Where L changes lengths
 * in all directions alike, as it does of most formulas, that is in u = z_0 |L|^(1 / (d - 1)) a step
 * of the whole set again, and the component is |L|^(-1 / (d - 1)) / |J| long, by each of J's two
 * stretches. Taken is the mean of the two, by the determinants. Nothing of this is proven. Of
 * magnets g_p takes the place of z_p, which has it twice, and L is that of dg_p/dz_0.
 *
 * A formula that folds x and y first, as ships do, is its own mirror image in z_0 by either axis:
 * where L is near to a mirror the axes of the component are J^-1 of L's signs. */
#ifndef KERNELS_ORBIT_FORMULA_NUCLEUS_H
#define KERNELS_ORBIT_FORMULA_NUCLEUS_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "kernels/status.h"

struct formula_nucleus_options {
    const struct formula *formula;
    double log2_radius;       /* radius of the disc about the c to begin with */
    double log2_error;        /* largest error */
    double bits_below_size;   /* log2 of the component's size over the largest error */
    int64_t period, limit;    /* the period, or 0: search; the most that is tried */
    const volatile int *stop; /* may be NULL */
    void (*progress)(void *context, double share); /* share of the search; may be NULL */
    void *context;
    /* False: the search goes on beyond this root; NULL: all are wanted. */
    bool (*wanted)(const void *within, mpfr_srcptr cx, mpfr_srcptr cy);
    const void *within;
};

struct formula_nucleus {
    mpfr_t cx, cy;  /* exact to 2^log2_error */
    int64_t period; /* 0: none was found, or one of a smaller period */
    double log2_error;
    double log2_growth; /* log2 |dz_period/dz_1| */
    double log2_size,
        log2_stretch; /* size of the component; its longer side over the shorter one */
    /* Directions in the component of the whole set's real and imaginary axis, in one unit; 0, 0
     * where that is not known. */
    double right[2], up[2];
    int passes;
};

void formula_nucleus_begin(struct formula_nucleus *nucleus, long bits);
void formula_nucleus_end(struct formula_nucleus *nucleus);

/* Finds the nucleus near the c in `nucleus`, which has enough bits for the radius. STATUS_STOPPED;
 * STATUS_TOO_LARGE for more bits than orbits have. */
enum status formula_nucleus_find(struct formula_nucleus *nucleus,
                                 const struct formula_nucleus_options *options);

#endif
