/* One step of a formula that divides or converges, in floating point of MPFR: the operations of its
 * row (kernels/formula/rational.inc) on registers. For formula_orbit.c.
 *
 * Each part of a result is rounded a few times, relative to the larger of both. */
#ifndef KERNELS_ORBIT_RATIONAL_NUMBERS_H
#define KERNELS_ORBIT_RATIONAL_NUMBERS_H

#include <mpfr.h>
#include <stdbool.h>

#include "kernels/formula/rational.h"

struct rational_numbers { /* once open it must stay where it is */
    bool open;
    const struct rational_kind *kind;
    mpfr_t x[RATIONAL_REGISTERS], y[RATIONAL_REGISTERS]; /* Z is z_n, between steps */
    mpfr_t sum_x, sum_y, norm;
    int roots; /* number of the roots of z^roots = 1, which Nova's orbits come near; else 0 */
    double root[RATIONAL_ROOTS_MOST][2];
    mpfr_t root_x[RATIONAL_ROOTS_MOST], root_y[RATIONAL_ROOTS_MOST];
    int magnet; /* k of a magnet, whose orbits are of z - 1; else 0 */
};

enum { RATIONAL_POLE = 1 << 21 /* log2 of g at a pole of a magnet, where it is infinite */ };

void rational_numbers_open(struct rational_numbers *numbers, const struct formula *formula,
                           mpfr_prec_t bits);
void rational_numbers_close(struct rational_numbers *numbers); /* accepts a zeroed one */

/* The sum becomes (x, y) less the root next to it. */
void rational_numbers_off(struct rational_numbers *numbers, mpfr_srcptr x, mpfr_srcptr y);

/* z_n in (x, y) becomes z_(n+1): no number after a division by 0. Those of a magnet are less 1, and
 * register A is the g that z_(n+1) is the square of, also at a pole. */
void rational_numbers_step(struct rational_numbers *numbers, mpfr_t x, mpfr_t y, mpfr_srcptr cx,
                           mpfr_srcptr cy);

#endif
