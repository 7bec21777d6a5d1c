/* Exact z^2 of a complex number of hundreds of limbs and more, by Fourier transforms in doubles.
 *
 * z = sum of z_j 2^(b j) with complex digits, both parts in -2^(b-1) ... 2^(b-1) - 1. The square of
 * that polynomial is one complex transform, a square in each point, and one transform back: half
 * of what three real squares take, in vectors. Its coefficients are integers, and the bits b of a
 * digit are chosen so that rounding errors stay below 0.49: then the nearest integers are the
 * coefficients. So no result depends on the processor.
 *
 * The bound: a stage of sums adds at most e = 2^-53 of the size of what passes through it, a stage
 * of products with rounded roots of unity at most (sqrt 5 + 3/4) e (R. Brent, C. Percival,
 * P. Zimmermann, "Error bounds on complex floating-point multiplication", 2007). In the Euclidean
 * norm going forth, and in the sum of magnitudes coming back, where data never grow beyond
 * |digits|^2, this makes with S stages of sums and P of products, forth and as many back,
 *     error <= |digits|^2 (3 (S + (sqrt 5 + 3/4) P) + sqrt 5) e (1 + 2^-30),
 *     |digits|^2 <= 2 D 2^(2 b - 2) for D digits.
 *
 * The transform of length L = rows * columns goes over the columns of a matrix of digits, then over
 * its rows (the four-step scheme), SPECTRUM_LANES neighbours at a time: a tile of lanes fits the
 * first-level cache, and tiles are independent, for several threads. */
#ifndef KERNELS_ORBIT_SPECTRUM_H
#define KERNELS_ORBIT_SPECTRUM_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum { SPECTRUM_LANES = 16, SPECTRUM_THREADS_MOST = 6 };

struct spectrum_lanes { /* complex numbers side by side */
    _Alignas(64) double re[SPECTRUM_LANES];
    double im[SPECTRUM_LANES];
};

struct spectrum_root { /* a root of unity */
    double re, im;
};

struct spectrum {
    mp_size_t limbs;
    int rows, columns; /* powers of two, >= SPECTRUM_LANES */
    int digit_bits;
    int64_t digits;        /* digits of each operand; 2 digits <= rows * columns */
    mp_limb_t *balance;    /* half of every digit */
    mp_limb_t *shifted[2]; /* |x| and |y| plus that; 2 limbs more */
    bool negative[2];      /* x, y */
    struct spectrum_root *row_roots, *column_roots; /* [columns] and [rows] */
    struct spectrum_root *twiddles;                 /* [rows][columns], rows in the order of use */
    struct spectrum_lanes *matrix;                  /* [rows][columns / LANES] */
    struct spectrum_lanes *tile[SPECTRUM_THREADS_MOST]; /* scratch of each thread */
    int64_t *coefficient[2]; /* [rows * columns], of x^2 - y^2 and of 2 x y */
    void *block;             /* owned: all of the above */
};

/* Seconds of a step on one thread; INFINITY: there is no transform for it. Pure. */
double spectrum_step_s(mp_size_t limbs);

/* Is a spectrum faster than short squares for numbers of so many limbs? */
bool spectrum_pays(mp_size_t limbs);
bool spectrum_serves(mp_size_t limbs); /* is there a transform for it? */

enum status spectrum_create(struct spectrum *spectrum, mp_size_t limbs);
void spectrum_destroy(struct spectrum *spectrum); /* accepts a zeroed one */

/* Takes x and y: magnitudes below 2^(64 limbs - 1), and signs. */
void spectrum_begin(struct spectrum *spectrum, const mp_limb_t *x, bool x_negative,
                    const mp_limb_t *y, bool y_negative);

/* The work comes in phases, one after the other; the jobs of a phase may be done at the same time,
 * each thread with its own number. */
enum { SPECTRUM_FORTH, SPECTRUM_SQUARE, SPECTRUM_BACK, SPECTRUM_PHASES };
int spectrum_jobs(const struct spectrum *spectrum, int phase);
void spectrum_job(struct spectrum *spectrum, int phase, int job, int thread);

/* Limbs n - 1 .. 2n - 1 of x^2 - y^2 (part 0) or 2 x y (part 1), two's complement, rounded down;
 * too small by less than one unit more. */
void spectrum_end(const struct spectrum *spectrum, int part, mp_limb_t *result);

#endif
