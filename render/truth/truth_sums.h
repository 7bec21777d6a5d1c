/* True averages and traps along the orbit of a pixel (docs/definitions.md), by MPFR from the
 * definitions, and bounds of how far roundings may take them. */
#ifndef RENDER_TRUTH_TRUTH_SUMS_H
#define RENDER_TRUTH_TRUTH_SUMS_H

#include <mpfr.h>

#include <stdbool.h>
#include <stdint.h>

#include "kernels/escape/orbit_sums.h"

/* Question for sums along an orbit. */
struct truth_sums_rule {
    struct orbit_rule orbit;
    double moved_px; /* pixels that the orbit may be of another point away */
};

enum { TRUTH_STRIPE, TRUTH_TRIANGLE, TRUTH_AVERAGES, TRUTH_TRAPS = ORBIT_PLANES - TRUTH_AVERAGES };

struct truth_average {
    long double sum, last, slack; /* slack: sum of the largest errors of terms */
    int64_t terms;
};

struct truth_sums {
    const struct truth_sums_rule *rule; /* NULL: no sums are taken */
    double log2_step;                   /* log2 of a pixel */
    bool julia;                         /* else there is no triangle of z_1 */
    struct truth_average average[TRUTH_AVERAGES];
    double least[TRUTH_TRAPS][2]; /* bounds of the least distances */
    mpfr_t w_re, w_im, w_abs, c_abs, a, b;
};

void truth_sums_open(struct truth_sums *sums);
void truth_sums_close(struct truth_sums *sums);
void truth_sums_bits(struct truth_sums *sums, mpfr_prec_t bits);

/* Begins before z_1. */
void truth_sums_begin(struct truth_sums *sums, bool julia);

/* Takes z_k, k from 1 on in order; log2_dz: log2 |dz_k / dpixel|. */
void truth_sums_take(struct truth_sums *sums, const mpfr_t re, const mpfr_t im, const mpfr_t c_re,
                     const mpfr_t c_im, double log2_dz);

/* The true value of a plane from PLANE_STRIPE on, by the fraction of the pixel, and by how much it
 * may be wrong. */
double truth_sums_value(const struct truth_sums *sums, int plane, double fraction, double *slack);

#endif
