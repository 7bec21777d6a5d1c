/* One step z' = z^2 + c in fixed point, on GMP's limbs. For |z| and |c| up to sqrt(8).
 *
 * x' = x^2 - y^2 + cx, y' = 2 x y + cy. For few limbs by columns (fixed_small.h), for some
 * hundreds by three squares, of which one is (|x| + |y|)^2 = x^2 + y^2 + 2 |x y|, beyond by Fourier
 * transforms (spectrum.h).
 *
 * A real number is `limbs` limbs with FIXED_INTEGER_BITS bits before the point: a magnitude with a
 * sign for z, two's complement for c and on the way. Each part of z' is within 2^-bits of the exact
 * z^2 + c of the z and c that are held: fixed_create takes enough limbs for the short squares'
 * (short_product.h) and the shift's truncation. c is held to within 2^-bits / 128. */
#ifndef KERNELS_ORBIT_FIXED_H
#define KERNELS_ORBIT_FIXED_H

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/orbit/spectrum.h"
#include "kernels/status.h"

enum { FIXED_INTEGER_BITS = 5 };
#define FIXED_NORM_MAX 8.0 /* bound of |z|^2 and |c|^2 before a step */

enum fixed_square { SQUARE_X, SQUARE_Y, SQUARE_SUM, FIXED_SQUARES };

struct fixed_real {
    mp_limb_t *limb; /* magnitude, lowest first */
    bool negative;
};

struct fixed {
    mp_size_t limbs;
    long fraction_bits;
    struct fixed_real x, y, seen_x, seen_y; /* z_n, and an earlier z for fixed_seen */
    mp_limb_t *cx, *cy, *sum;
    mp_limb_t *square[FIXED_SQUARES], *cross[FIXED_SQUARES];
    mp_limb_t *block;                  /* owned: all of the above */
    struct spectrum spectrum;          /* zeroed unless it pays */
    void (*step)(struct fixed *fixed); /* a whole step of few limbs; NULL: begin, jobs, end */
};

/* A real number as mantissa 2^exponent, |mantissa| in [1/2, 1), or 0. */
struct scaled {
    double mantissa;
    int64_t exponent;
};

/* The most bits that numbers of as many limbs as `bits` take have. */
long fixed_bits(long bits);

/* z = 0. c is rounded to nearest. |c|^2 must not be above FIXED_NORM_MAX. */
enum status fixed_create(struct fixed *fixed, long bits, mpfr_srcptr cx, mpfr_srcptr cy);
void fixed_destroy(struct fixed *fixed); /* accepts a zeroed one */

void fixed_step(struct fixed *fixed);

/* fixed_step in jobs: begin, the phases one after the other, end. The jobs of a phase may be done
 * at the same time, by threads numbered from 0 to SPECTRUM_THREADS_MOST - 1. */
void fixed_step_begin(struct fixed *fixed);
int fixed_phases(const struct fixed *fixed);
int fixed_jobs(const struct fixed *fixed, int phase);
void fixed_job(struct fixed *fixed, int phase, int job, int thread);

/* The one of `threads` that does the job, so that all have about the same to do. */
int fixed_thread(const struct fixed *fixed, int phase, int job, int threads);
void fixed_step_end(struct fixed *fixed);

/* The number with the nearest double as mantissa and its exact exponent. */
struct scaled fixed_scaled(const struct fixed *fixed, const struct fixed_real *real);

/* Remembers z. fixed_seen: is z the remembered one, bit for bit? */
void fixed_remember(struct fixed *fixed);
bool fixed_seen(const struct fixed *fixed);

/* The upper 63 bits from the highest one on, with a last bit that says whether anything follows, so
 * that one rounding to nearest is the right one. real = +-result 2^exponent; 0 only for 0. */
static inline int64_t fixed_leading(const struct fixed *fixed, const struct fixed_real *real,
                                    int64_t *exponent)
{
    const mp_limb_t *limb = real->limb;
    mp_size_t top = fixed->limbs - 1;
    while (top >= 0 && !limb[top])
        top--;
    if (top < 0)
        return 0;
    int zeros = __builtin_clzll(limb[top]);
    mp_limb_t high = limb[top] << zeros, rest = 0;
    mp_size_t below = top - 1;
    if (zeros && below >= 0) {
        high |= limb[below] >> (GMP_NUMB_BITS - zeros);
        rest = limb[below] << zeros;
        below--;
    }
    while (!rest && below >= 0)
        rest = limb[below--];
    *exponent = (int64_t)top * GMP_NUMB_BITS - zeros - fixed->fraction_bits + 1;
    return (int64_t)(high >> 1 | (high & 1) | (rest != 0));
}

/* The nearest double; one that is subnormal may be off by a unit. Inline, because a step of small
 * numbers takes less than 50 ns. */
static inline double fixed_double(const struct fixed *fixed, const struct fixed_real *real)
{
    int64_t exponent = 0;
    int64_t high = fixed_leading(fixed, real, &exponent);
    double value = (double)high;
    if (exponent < -1022)
        value = exponent < -1200 ? 0 : ldexp(value, (int)exponent);
    else {
        uint64_t bits = (uint64_t)(1023 + exponent) << 52; /* ldexp() takes ten times as long */
        double power;
        memcpy(&power, &bits, sizeof power);
        value *= power;
    }
    return real->negative ? -value : value;
}

/* Sets `value`, exactly if it has fraction_bits + FIXED_INTEGER_BITS bits. */
void fixed_get(const struct fixed *fixed, const struct fixed_real *real, mpfr_ptr value);

#endif
