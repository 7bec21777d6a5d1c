/* One step of any formula on discs: what render/truth.c proves counts with. */
#ifndef RENDER_TRUTH_STEP_H
#define RENDER_TRUTH_STEP_H

#include <mpfr.h>

#include "kernels/formula.h"

enum { TRUTH_BALL, TRUTH_PROBE, TRUTH_DISCS }; /* about the same centre */

struct truth_step {
    mpfr_t re, im; /* the centre of the discs */
    mpfr_t c_re, c_im;
    mpfr_t c_error; /* >= |error of c| */
    mpfr_t radius[TRUTH_DISCS];
    mpfr_t kept_re, kept_im, kept_radius[TRUTH_DISCS], other; /* inside of a step */
    mpfr_t size, kept_size, term;
};

void truth_step_open(struct truth_step *step);
void truth_step_close(struct truth_step *step);

/* Numbers with so many bits, and radii that are rounded up. All of them lose their values. */
void truth_step_bits(struct truth_step *step, mpfr_prec_t bits);

/* The true z' of every z in a disc, for every c within c_error of c, lies in the disc after it. */
void truth_step_take(struct truth_step *step, const struct formula_kind *kind);

#endif
