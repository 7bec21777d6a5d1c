/* One step z' = z^2 + c in fixed point. For |z| and |c| up to sqrt(8).
 *
 * x' = x^2 - y^2 + cx, y' = 2 x y + cy, where x^2 - y^2 and 2 x y are rounded to nearest, ties up.
 * That defines every bit, so the ways to compute it (enum fixed_method) may be chosen by the
 * processor. Each takes the upper half of products and some bits below, of which it knows a bound
 * of the error; where that could decide the rounding, about once in 2^35 steps of numbers whose
 * digits are random, fixed_step_exact takes the step.
 *
 * Numbers of up to FIXED_FEW limbs are an exception: there a column more takes a sixth of the time,
 * and they have one method. Products of limbs i + j < n - 1 are left out, and the rest truncated.
 *
 * A real number is `limbs` limbs with FIXED_INTEGER_BITS bits before the point: a magnitude with a
 * sign for z, two's complement for c and on the way. c is held to within 2^-bits / 128, and a step
 * is off by half a unit of the last place, which is less; of few limbs, by less than 2^-bits. */
#ifndef KERNELS_ORBIT_FIXED_H
#define KERNELS_ORBIT_FIXED_H

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/orbit/digits.h"
#include "kernels/orbit/spectrum.h"
#include "kernels/status.h"

enum { FIXED_INTEGER_BITS = 5, FIXED_FEW = 5 };
#define FIXED_NORM_MAX 8.0 /* bound of |z|^2 and |c|^2 before a step */

enum fixed_square { SQUARE_X, SQUARE_Y, SQUARE_SUM, FIXED_SQUARES };

enum fixed_method {
    FIXED_LIMBS,    /* GMP's limbs: few by columns (fixed_small.h), more by three squares, of which
                       one is (|x| + |y|)^2 = x^2 + y^2 + 2 |x y| */
    FIXED_SPECTRUM, /* Fourier transforms (spectrum.h) */
    FIXED_DIGITS,   /* digits of 52 bits (digits.h), where the processor multiplies such */
    FIXED_METHODS
};

struct fixed_real {
    mp_limb_t *limb; /* magnitude, lowest first, with a limb of 0 below */
    bool negative;
};

struct fixed {
    enum fixed_method method;
    mp_size_t limbs;
    long fraction_bits;
    struct fixed_real x, y, seen_x, seen_y; /* z_n, and an earlier z for fixed_seen */
    mp_limb_t *cx, *cy, *sum;
    mp_limb_t *square[FIXED_SQUARES], *cross[FIXED_SQUARES];
    mp_limb_t *block; /* owned: all of the above */
    struct spectrum spectrum;
    struct digits digits;
    bool digits_are_z;                 /* digits hold z */
    bool limbs_are_z;                  /* all limbs do, not only the highest three */
    void (*step)(struct fixed *fixed); /* a whole step of few limbs; NULL: begin, jobs, end */
};

/* A real number as mantissa 2^exponent, |mantissa| in [1/2, 1), or 0. */
struct scaled {
    double mantissa;
    int64_t exponent;
};

/* The limbs of numbers of so many bits, and the most bits that numbers of as many limbs have. */
mp_size_t fixed_limbs(long bits);
long fixed_bits(long bits);

/* The fastest method here for so many limbs; and can this processor, and this length, take it? */
enum fixed_method fixed_method_choose(mp_size_t limbs);
bool fixed_method_serves(enum fixed_method method, mp_size_t limbs);

/* z = 0. c is rounded to nearest. |c|^2 must not be above FIXED_NORM_MAX. fixed_create_by: by a
 * method that serves. */
enum status fixed_create(struct fixed *fixed, long bits, mpfr_srcptr cx, mpfr_srcptr cy);
enum status fixed_create_by(struct fixed *fixed, enum fixed_method method, long bits,
                            mpfr_srcptr cx, mpfr_srcptr cy);
void fixed_destroy(struct fixed *fixed); /* accepts a zeroed one */

void fixed_step(struct fixed *fixed);

/* The same by whole products, of more than FIXED_FEW limbs: slow. */
void fixed_step_exact(struct fixed *fixed);

/* fixed_settle: makes all limbs of x and y those of z, after steps; until then only fixed_double
 * and fixed_scaled may read them. fixed_changed: after somebody else has written limbs of z. */
void fixed_settle(struct fixed *fixed);
void fixed_changed(struct fixed *fixed);

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
bool fixed_seen(struct fixed *fixed);

/* Bits of limb n - 1 of a product of n-limb numbers that a step drops, and half a unit of the last
 * place there. */
enum { ROUNDING_BITS = 64 - FIXED_INTEGER_BITS };
#define ROUNDING_HALF ((mp_limb_t)1 << (ROUNDING_BITS - 1))

/* Could an error of up to `error` units of limb n - 1 decide the rounding? low: that limb, with the
 * half added. */
static inline bool rounding_uncertain(mp_limb_t low, mp_limb_t error)
{
    const mp_limb_t dropped = ((mp_limb_t)1 << ROUNDING_BITS) - 1;
    return ((low + error) & dropped) < 2 * error;
}

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

/* Sets `value`, exactly if it has fraction_bits + FIXED_INTEGER_BITS
 * bits. */
void fixed_get(struct fixed *fixed, const struct fixed_real *real, mpfr_ptr value);

#endif
