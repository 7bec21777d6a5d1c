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
};

void rational_numbers_open(struct rational_numbers *numbers, const struct rational_kind *kind,
                           mpfr_prec_t bits);
void rational_numbers_close(struct rational_numbers *numbers); /* accepts a zeroed one */

/* z_n in (x, y) becomes z_(n+1): no number behind a division by 0. */
void rational_numbers_step(struct rational_numbers *numbers, mpfr_t x, mpfr_t y, mpfr_srcptr cx,
                           mpfr_srcptr cy);

#endif
