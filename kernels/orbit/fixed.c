#include "kernels/orbit/fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/fixed_small.h"
#include "kernels/orbit/short_product.h"

_Static_assert(GMP_NUMB_BITS == 64 && sizeof(mp_limb_t) == 8, "limbs of 64 bits");

enum {
    LIMB_BITS = 64,
    BITS_LOST = FIXED_INTEGER_BITS + 7, /* c is to be held to within 2^-bits / 128 */
    /* Products are too small by less than n units and lose another by truncation; y' takes two of
     * them, and the shift makes them 2^5 as large: 2 (n + 1) 2^5 units of 2^-fraction_bits. */
    BITS_LOST_OF_FEW = 2 * FIXED_INTEGER_BITS + 10,
    SQUARE_JOBS = 2 * FIXED_SQUARES /* each in two parts */
};

mp_size_t fixed_limbs(long bits)
{
    mp_size_t few = (bits + BITS_LOST_OF_FEW + LIMB_BITS - 1) / LIMB_BITS;
    mp_size_t more = (bits + BITS_LOST + LIMB_BITS - 1) / LIMB_BITS;
    return few <= FIXED_FEW ? few : more > FIXED_FEW ? more : FIXED_FEW + 1;
}

long fixed_bits(long bits)
{
    mp_size_t limbs = fixed_limbs(bits);
    return LIMB_BITS * limbs - (limbs <= FIXED_FEW ? BITS_LOST_OF_FEW : BITS_LOST);
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

/* ---- digits and limbs ---- */

void fixed_settle(struct fixed *fixed)
{
    if (!fixed->limbs_are_z) {
        fixed->x.negative = digits_get(&fixed->digits, 0, fixed->limbs, fixed->x.limb);
        fixed->y.negative = digits_get(&fixed->digits, 1, fixed->limbs, fixed->y.limb);
    }
    fixed->limbs_are_z = true;
}

void fixed_changed(struct fixed *fixed)
{
    fixed->limbs_are_z = true;
    fixed->digits_are_z = false;
}

static void digits_begin(struct fixed *fixed)
{
    const struct fixed_real *x = &fixed->x, *y = &fixed->y;
    if (!fixed->digits_are_z)
        digits_set(&fixed->digits, fixed->limbs, x->limb, x->negative, y->limb, y->negative);
    fixed->digits_are_z = true;
}

/* Takes what the digits' step has made, if rounding is certain. */
static void digits_finish(struct fixed *fixed, bool certain)
{
    if (!certain) {
        fixed_settle(fixed);
        fixed_step_exact(fixed);
        return;
    }
    struct fixed_real *const real[] = {&fixed->x, &fixed->y};
    fixed->limbs_are_z = false;
    for (int i = 0; i < 2; i++) {
        mp_limb_t *limb = real[i]->limb;
        if (!digits_get_top(&fixed->digits, i, fixed->limbs, limb, &real[i]->negative))
            real[i]->negative = digits_get(&fixed->digits, i, fixed->limbs, limb);
    }
}

static void digits_step(struct fixed *fixed)
{
    digits_begin(fixed);
    digits_finish(fixed, fixed->digits.step(&fixed->digits));
}

/* ---- memory ---- */

/* Divides the block into numbers, those that are squared with a limb of 0 below. */
static void numbers_take(struct fixed *fixed, mp_size_t n, mp_size_t square, mp_size_t cross)
{
    mp_limb_t **const below[] = {&fixed->x.limb, &fixed->y.limb, &fixed->sum};
    mp_limb_t **const plain[] = {&fixed->seen_x.limb, &fixed->seen_y.limb, &fixed->cx, &fixed->cy};
    mp_limb_t *at = fixed->block;
    for (size_t i = 0; i < sizeof below / sizeof *below; i++, at += n + 1)
        *below[i] = at + 1;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++, at += n)
        *plain[i] = at;
    for (int i = 0; i < FIXED_SQUARES; i++, at += square + cross) {
        fixed->square[i] = at;
        fixed->cross[i] = at + square;
    }
}

enum fixed_method fixed_method_choose(mp_size_t limbs)
{
    return digits_serve(limbs) ? FIXED_DIGITS : spectrum_pays(limbs) ? FIXED_SPECTRUM : FIXED_LIMBS;
}

bool fixed_method_serves(enum fixed_method method, mp_size_t limbs)
{
    if (method == FIXED_DIGITS)
        return digits_serve(limbs);
    return method == FIXED_LIMBS || (limbs > FIXED_FEW && spectrum_serves(limbs));
}

enum status fixed_create_by(struct fixed *fixed, enum fixed_method method, long bits,
                            mpfr_srcptr cx, mpfr_srcptr cy)
{
    mp_size_t n = fixed_limbs(bits), square = 2 * (n + 1), cross = short_cross_limbs(n + 1);
    *fixed = (struct fixed){.method = method,
                            .limbs = n,
                            .fraction_bits = LIMB_BITS * n - FIXED_INTEGER_BITS,
                            .limbs_are_z = true};
    size_t limbs = (size_t)(7 * n + 3 + FIXED_SQUARES * (square + cross));
    fixed->block = calloc(limbs, sizeof *fixed->block);
    if (!fixed->block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for numbers of %ld bits (%zu bytes)",
                           bits, limbs * sizeof *fixed->block);
    numbers_take(fixed, n, square, cross);
    TRY(constant_set(fixed, fixed->cx, cx));
    TRY(constant_set(fixed, fixed->cy, cy));
    if (method == FIXED_SPECTRUM)
        return spectrum_create(&fixed->spectrum, n);
    if (method == FIXED_DIGITS)
        TRY(digits_create(&fixed->digits, n, fixed->cx, fixed->cy));
    if (method == FIXED_DIGITS && fixed->digits.step)
        fixed->step = digits_step;
    if (method == FIXED_LIMBS)
        fixed->step = fixed_small_step(n);
    return STATUS_OK;
}

enum status fixed_create(struct fixed *fixed, long bits, mpfr_srcptr cx, mpfr_srcptr cy)
{
    return fixed_create_by(fixed, fixed_method_choose(fixed_limbs(bits)), bits, cx, cy);
}

void fixed_destroy(struct fixed *fixed)
{
    free(fixed->block);
    spectrum_destroy(&fixed->spectrum);
    digits_destroy(&fixed->digits);
    *fixed = (struct fixed){0};
}

/* ---- steps ---- */

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
    if (fixed->method == FIXED_DIGITS)
        digits_begin(fixed);
    else if (fixed->method == FIXED_SPECTRUM)
        spectrum_begin(&fixed->spectrum, x->limb, x->negative, y->limb, y->negative);
    else
        mpn_add_n(fixed->sum, x->limb, y->limb, fixed->limbs);
}

/* With a spectrum the last phase is spectrum_end for x and for y. */
int fixed_phases(const struct fixed *fixed)
{
    return fixed->method == FIXED_SPECTRUM ? SPECTRUM_PHASES + 1 : 1;
}

int fixed_jobs(const struct fixed *fixed, int phase)
{
    if (fixed->method != FIXED_SPECTRUM)
        return fixed->method == FIXED_DIGITS ? DIGIT_NUMBERS * fixed->digits.parts : SQUARE_JOBS;
    return phase < SPECTRUM_PHASES ? spectrum_jobs(&fixed->spectrum, phase) : 2;
}

static void square_job(struct fixed *fixed, int job)
{
    int square = job % FIXED_SQUARES;
    const mp_limb_t *const root[] = {fixed->x.limb - 1, fixed->y.limb - 1, fixed->sum - 1};
    if (job < FIXED_SQUARES)
        short_square_upper(fixed->square[square], root[square], fixed->limbs + 1);
    else
        short_square_cross(fixed->cross[square], root[square], fixed->limbs + 1);
}

void fixed_job(struct fixed *fixed, int phase, int job, int thread)
{
    if (fixed->method == FIXED_DIGITS)
        digits_square(&fixed->digits, job % DIGIT_NUMBERS, job / DIGIT_NUMBERS);
    else if (fixed->method == FIXED_LIMBS)
        square_job(fixed, job);
    else if (phase < SPECTRUM_PHASES)
        spectrum_job(&fixed->spectrum, phase, job, thread);
    else
        spectrum_end(&fixed->spectrum, job, fixed->square[job]);
}

int fixed_thread(const struct fixed *fixed, int phase, int job, int threads)
{
    /* The first three jobs of squares take about three times as long as the others. */
    static const unsigned char of_two[SQUARE_JOBS] = {0, 0, 1, 1, 1, 1};
    if (fixed->method == FIXED_SPECTRUM)
        return job * threads / fixed_jobs(fixed, phase); /* neighbours, for the prefetcher's sake */
    return threads == 2 && fixed->method == FIXED_LIMBS ? of_two[job] : job % threads;
}

static void magnitude_take(struct fixed_real *real, mp_size_t n)
{
    real->negative = is_negative(real->limb, n);
    if (real->negative)
        mpn_neg(real->limb, real->limb, n);
}

/* Limbs n - 1 .. 2n - 1 of x^2 - y^2 and 2 x y, two's complement. */
static void squares_join(struct fixed *fixed, mp_limb_t *part[2])
{
    mp_size_t n = fixed->limbs + 1;
    for (int i = 0; i < FIXED_SQUARES; i++)
        short_square_join(fixed->square[i], fixed->cross[i], n);
    mp_limb_t *xx = fixed->square[SQUARE_X] + n, *yy = fixed->square[SQUARE_Y] + n;
    mp_limb_t *ss = fixed->square[SQUARE_SUM] + n;
    mpn_sub_n(ss, ss, xx, n);
    mpn_sub_n(ss, ss, yy, n);
    if (fixed->x.negative != fixed->y.negative)
        mpn_neg(ss, ss, n);
    mpn_sub_n(xx, xx, yy, n);
    part[0] = xx;
    part[1] = ss;
}

/* Takes z' from limbs n - 1 .. 2n - 1 of its parts, to which half a unit was added. */
static void parts_take(struct fixed *fixed, mp_limb_t *const part[2])
{
    mp_size_t n = fixed->limbs;
    struct fixed_real *real[] = {&fixed->x, &fixed->y};
    const mp_limb_t *const c[] = {fixed->cx, fixed->cy};
    for (int i = 0; i < 2; i++) {
        mpn_lshift(part[i], part[i], n + 1, FIXED_INTEGER_BITS);
        mpn_add_n(real[i]->limb, part[i] + 1, c[i], n);
        magnitude_take(real[i], n);
    }
    fixed_changed(fixed);
}

void fixed_step_exact(struct fixed *fixed)
{
    mp_size_t n = fixed->limbs;
    mp_limb_t *xx = fixed->square[SQUARE_X], *yy = fixed->square[SQUARE_Y];
    mp_limb_t *xy = fixed->square[SQUARE_SUM];
    mpn_sqr(xx, fixed->x.limb, n);
    mpn_sqr(yy, fixed->y.limb, n);
    mpn_mul_n(xy, fixed->x.limb, fixed->y.limb, n);
    mpn_sub_n(xx, xx, yy, 2 * n);
    mpn_lshift(xy, xy, 2 * n, 1);
    if (fixed->x.negative != fixed->y.negative)
        mpn_neg(xy, xy, 2 * n);
    mp_limb_t *const part[] = {xx + n - 1, xy + n - 1};
    for (int i = 0; i < 2; i++)
        mpn_add_1(part[i], part[i], n + 1, ROUNDING_HALF);
    parts_take(fixed, part);
}

void fixed_step_end(struct fixed *fixed)
{
    mp_size_t n = fixed->limbs;
    mp_limb_t *part[2] = {fixed->square[0], fixed->square[1]};
    bool uncertain = false;
    if (fixed->method == FIXED_DIGITS) {
        digits_finish(fixed, digits_end(&fixed->digits));
        return;
    }
    if (fixed->method == FIXED_LIMBS)
        squares_join(fixed, part);
    for (int i = 0; i < 2; i++) { /* three squares are too small by less than n + 1 units each */
        mpn_add_1(part[i], part[i], n + 1, ROUNDING_HALF);
        uncertain |= rounding_uncertain(part[i][0], 2 * ((mp_limb_t)n + 2));
    }
    if (uncertain)
        fixed_step_exact(fixed);
    else
        parts_take(fixed, part);
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
    fixed_settle(fixed);
    size_t bytes = (size_t)fixed->limbs * sizeof(mp_limb_t);
    memcpy(fixed->seen_x.limb, fixed->x.limb, bytes);
    memcpy(fixed->seen_y.limb, fixed->y.limb, bytes);
    fixed->seen_x.negative = fixed->x.negative;
    fixed->seen_y.negative = fixed->y.negative;
}

bool fixed_seen(struct fixed *fixed)
{
    fixed_settle(fixed);
    return fixed->x.negative == fixed->seen_x.negative &&
           fixed->y.negative == fixed->seen_y.negative &&
           !mpn_cmp(fixed->x.limb, fixed->seen_x.limb, fixed->limbs) &&
           !mpn_cmp(fixed->y.limb, fixed->seen_y.limb, fixed->limbs);
}

void fixed_get(struct fixed *fixed, const struct fixed_real *real, mpfr_ptr value)
{
    fixed_settle(fixed);
    mpz_t integer;
    mpfr_set_z(value, mpz_roinit_n(integer, real->limb, fixed->limbs), MPFR_RNDN);
    mpfr_mul_2si(value, value, -fixed->fraction_bits, MPFR_RNDN);
    if (real->negative)
        mpfr_neg(value, value, MPFR_RNDN);
}
