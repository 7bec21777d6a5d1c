#include "kernels/orbit/fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/fixed_small.h"
#include "kernels/orbit/short_product.h"

_Static_assert(GMP_NUMB_BITS == 64 && sizeof(mp_limb_t) == 8, "limbs of 64 bits");

enum {
    LIMB_BITS = 64,
    SQUARE_JOBS = 2 * FIXED_SQUARES /* each in two parts */
};

/* The squares are too small by less than n units and lose another by truncation; y' takes three of
 * them, and the shift makes them 2^5 as large: 3 (n + 1) 2^5 units of 2^-fraction_bits. */
static long bits_lost(mp_size_t limbs)
{
    long lost = FIXED_INTEGER_BITS + 7;
    for (mp_size_t n = limbs + 1; n; n >>= 1)
        lost++;
    return lost + FIXED_INTEGER_BITS;
}

static mp_size_t limbs_for(long bits)
{
    mp_size_t limbs = 1;
    for (;;) {
        mp_size_t wanted = (bits + bits_lost(limbs) + LIMB_BITS - 1) / LIMB_BITS;
        if (wanted <= limbs)
            return limbs;
        limbs = wanted;
    }
}

long fixed_bits(long bits)
{
    mp_size_t limbs = limbs_for(bits);
    return LIMB_BITS * limbs - bits_lost(limbs);
}

static bool is_negative(const mp_limb_t *limb, mp_size_t n)
{
    return limb[n - 1] >> (LIMB_BITS - 1);
}

/* Rounds to two's complement. */
static enum status constant_set(const struct fixed *fixed, mp_limb_t *limb, mpfr_srcptr value)
{
    mpz_t integer;
    mpfr_t scaled;
    mpz_init(integer);
    mpfr_init2(scaled, mpfr_get_prec(value));
    mpfr_mul_2si(scaled, value, fixed->fraction_bits, MPFR_RNDN);
    mpfr_get_z(integer, scaled, MPFR_RNDN);
    mp_size_t size = (mp_size_t)mpz_size(integer);
    bool fits = size <= fixed->limbs;
    if (fits) {
        memset(limb, 0, (size_t)fixed->limbs * sizeof *limb);
        memcpy(limb, mpz_limbs_read(integer), (size_t)size * sizeof *limb);
        if (mpz_sgn(integer) < 0)
            mpn_neg(limb, limb, fixed->limbs);
    }
    mpfr_clear(scaled);
    mpz_clear(integer);
    return fits ? STATUS_OK : status_fail(STATUS_INTERNAL, "c is too large for fixed point");
}

enum status fixed_create(struct fixed *fixed, long bits, mpfr_srcptr cx, mpfr_srcptr cy)
{
    mp_size_t n = limbs_for(bits), cross = short_cross_limbs(n);
    *fixed = (struct fixed){.limbs = n, .fraction_bits = LIMB_BITS * n - FIXED_INTEGER_BITS};
    size_t limbs = (size_t)(7 * n + FIXED_SQUARES * (2 * n + cross));
    fixed->block = calloc(limbs, sizeof *fixed->block);
    if (!fixed->block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for numbers of %ld bits (%zu bytes)",
                           bits, limbs * sizeof *fixed->block);
    mp_limb_t **const number[] = {&fixed->x.limb,      &fixed->y.limb, &fixed->seen_x.limb,
                                  &fixed->seen_y.limb, &fixed->cx,     &fixed->cy,
                                  &fixed->sum};
    mp_limb_t *at = fixed->block;
    fixed->step = fixed_small_step(n);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++, at += n)
        *number[i] = at;
    for (int i = 0; i < FIXED_SQUARES; i++, at += 2 * n + cross) {
        fixed->square[i] = at;
        fixed->cross[i] = at + 2 * n;
    }
    TRY(constant_set(fixed, fixed->cx, cx));
    TRY(constant_set(fixed, fixed->cy, cy));
    return spectrum_pays(n) ? spectrum_create(&fixed->spectrum, n) : STATUS_OK;
}

void fixed_destroy(struct fixed *fixed)
{
    free(fixed->block);
    spectrum_destroy(&fixed->spectrum);
    *fixed = (struct fixed){0};
}

void fixed_step(struct fixed *fixed)
{
    if (fixed->step) {
        fixed->step(fixed);
        return;
    }
    fixed_step_begin(fixed);
    for (int phase = 0; phase < fixed_phases(fixed); phase++)
        for (int job = 0; job < fixed_jobs(fixed, phase); job++)
            fixed_job(fixed, phase, job, 0);
    fixed_step_end(fixed);
}

void fixed_step_begin(struct fixed *fixed)
{
    const struct fixed_real *x = &fixed->x, *y = &fixed->y;
    if (fixed->spectrum.block)
        spectrum_begin(&fixed->spectrum, x->limb, x->negative, y->limb, y->negative);
    else
        mpn_add_n(fixed->sum, x->limb, y->limb, fixed->limbs);
}

/* With a spectrum the last phase is spectrum_end for x and for y. */
int fixed_phases(const struct fixed *fixed)
{
    return fixed->spectrum.block ? SPECTRUM_PHASES + 1 : 1;
}

int fixed_jobs(const struct fixed *fixed, int phase)
{
    if (!fixed->spectrum.block)
        return SQUARE_JOBS;
    return phase < SPECTRUM_PHASES ? spectrum_jobs(&fixed->spectrum, phase) : 2;
}

static void square_job(struct fixed *fixed, int job)
{
    int square = job % FIXED_SQUARES;
    const mp_limb_t *const root[] = {fixed->x.limb, fixed->y.limb, fixed->sum};
    if (job < FIXED_SQUARES)
        short_square_upper(fixed->square[square], root[square], fixed->limbs);
    else
        short_square_cross(fixed->cross[square], root[square], fixed->limbs);
}

void fixed_job(struct fixed *fixed, int phase, int job, int thread)
{
    if (!fixed->spectrum.block)
        square_job(fixed, job);
    else if (phase < SPECTRUM_PHASES)
        spectrum_job(&fixed->spectrum, phase, job, thread);
    else
        spectrum_end(&fixed->spectrum, job, job ? fixed->y.limb : fixed->x.limb);
}

int fixed_thread(const struct fixed *fixed, int phase, int job, int threads)
{
    /* The first three jobs of squares take about three times as long as the others. */
    static const unsigned char of_two[SQUARE_JOBS] = {0, 0, 1, 1, 1, 1};
    if (fixed->spectrum.block)
        return job * threads / fixed_jobs(fixed, phase); /* neighbours, for the prefetcher's sake */
    return threads == 2 ? of_two[job] : job % threads;
}

static void magnitude_take(struct fixed_real *real, mp_size_t n)
{
    real->negative = is_negative(real->limb, n);
    if (real->negative)
        mpn_neg(real->limb, real->limb, n);
}

/* x^2 - y^2 and 2 x y, both 2^-FIXED_INTEGER_BITS times, two's complement. */
static void squares_join(struct fixed *fixed)
{
    mp_size_t n = fixed->limbs;
    mp_limb_t *x = fixed->x.limb, *y = fixed->y.limb;
    for (int i = 0; i < FIXED_SQUARES; i++)
        short_square_join(fixed->square[i], fixed->cross[i], n);
    const mp_limb_t *xx = fixed->square[SQUARE_X] + n, *yy = fixed->square[SQUARE_Y] + n;
    const mp_limb_t *ss = fixed->square[SQUARE_SUM] + n;
    mpn_sub_n(x, xx, yy, n);
    mpn_sub_n(y, ss, xx, n);
    mpn_sub_n(y, y, yy, n);
    if (fixed->x.negative != fixed->y.negative)
        mpn_neg(y, y, n);
}

void fixed_step_end(struct fixed *fixed)
{
    mp_size_t n = fixed->limbs;
    mp_limb_t *x = fixed->x.limb, *y = fixed->y.limb;
    if (!fixed->spectrum.block)
        squares_join(fixed);
    mpn_lshift(x, x, n, FIXED_INTEGER_BITS);
    mpn_add_n(x, x, fixed->cx, n);
    mpn_lshift(y, y, n, FIXED_INTEGER_BITS);
    mpn_add_n(y, y, fixed->cy, n);
    magnitude_take(&fixed->x, n);
    magnitude_take(&fixed->y, n);
}

struct scaled fixed_scaled(const struct fixed *fixed, const struct fixed_real *real)
{
    int64_t exponent = 0;
    int extra;
    double value = frexp((double)fixed_leading(fixed, real, &exponent), &extra);
    return (struct scaled){real->negative ? -value : value, value > 0 ? exponent + extra : 0};
}

void fixed_remember(struct fixed *fixed)
{
    size_t bytes = (size_t)fixed->limbs * sizeof(mp_limb_t);
    memcpy(fixed->seen_x.limb, fixed->x.limb, bytes);
    memcpy(fixed->seen_y.limb, fixed->y.limb, bytes);
    fixed->seen_x.negative = fixed->x.negative;
    fixed->seen_y.negative = fixed->y.negative;
}

bool fixed_seen(const struct fixed *fixed)
{
    return fixed->x.negative == fixed->seen_x.negative &&
           fixed->y.negative == fixed->seen_y.negative &&
           !mpn_cmp(fixed->x.limb, fixed->seen_x.limb, fixed->limbs) &&
           !mpn_cmp(fixed->y.limb, fixed->seen_y.limb, fixed->limbs);
}

void fixed_get(const struct fixed *fixed, const struct fixed_real *real, mpfr_ptr value)
{
    mpz_t integer;
    mpfr_set_z(value, mpz_roinit_n(integer, real->limb, fixed->limbs), MPFR_RNDN);
    mpfr_mul_2si(value, value, -fixed->fraction_bits, MPFR_RNDN);
    if (real->negative)
        mpfr_neg(value, value, MPFR_RNDN);
}
