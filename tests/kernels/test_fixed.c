/* One step of z^2 + c by every method, bit for bit that of integers of any length; of few limbs
 * within the bound that is claimed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/fixed.h"
#include "tests/support/check.h"

enum { STEPS = 24, PATTERNS = 7 };

/* The parts of z and c, times 2^fraction_bits. */
struct whole {
    mpz_t x, y, cx, cy;
};

/* floor(product / 2^bits + 1/2) */
static void round_to(mpz_t to, mpz_t product, long bits)
{
    mpz_t half;
    mpz_init_set_ui(half, 1);
    mpz_mul_2exp(half, half, (mp_bitcnt_t)bits - 1);
    mpz_add(to, product, half);
    mpz_fdiv_q_2exp(to, to, (mp_bitcnt_t)bits);
    mpz_clear(half);
}

static void whole_step(struct whole *z, long bits)
{
    mpz_t square, product;
    mpz_inits(square, product, NULL);
    mpz_mul(square, z->x, z->x);
    mpz_submul(square, z->y, z->y);
    mpz_mul(product, z->x, z->y);
    mpz_mul_2exp(product, product, 1);
    round_to(z->x, square, bits);
    round_to(z->y, product, bits);
    mpz_add(z->x, z->x, z->cx);
    mpz_add(z->y, z->y, z->cy);
    mpz_clears(square, product, NULL);
}

/* A part of z or c, below 2^fraction_bits; of pattern 2 its square is halfway between two numbers,
 * and pattern 3 is what makes a difference of squares just less than that. */
static void part_fill(mpz_t part, int pattern, long bits, uint64_t *seed)
{
    mpz_set_ui(part, 0);
    for (long bit = 0; pattern != 1 && bit < bits; bit += 32) {
        mpz_mul_2exp(part, part, 32);
        mpz_add_ui(part, part, (unsigned long)(check_random(seed) & 0xFFFFFFFF));
    }
    if (pattern == 2) { /* an odd number of 2^((bits - 1) / 2) */
        mpz_set_ui(part, (unsigned long)(check_random(seed) & 0xFFF) | 1);
        mpz_mul_2exp(part, part, (mp_bitcnt_t)(bits - 1) / 2);
    }
    if (pattern == 3)
        mpz_set_ui(part, 1);
    if (pattern == 4) { /* all bits are ones */
        mpz_set_ui(part, 1);
        mpz_mul_2exp(part, part, (mp_bitcnt_t)bits);
        mpz_sub_ui(part, part, 1);
    }
    if (pattern == 5)
        mpz_fdiv_q_2exp(part, part, (mp_bitcnt_t)(bits / 2)); /* small */
    if (pattern == 6) {                                       /* one bit */
        mpz_set_ui(part, 1);
        mpz_mul_2exp(part, part, (mp_bitcnt_t)(check_random(seed) % (uint64_t)bits));
    }
    mpz_fdiv_r_2exp(part, part, (mp_bitcnt_t)bits);
    if (pattern != 3 && check_random(seed) % 2)
        mpz_neg(part, part);
}

static void limbs_set(struct fixed_real *real, const mpz_t part, mp_size_t limbs)
{
    memset(real->limb, 0, (size_t)limbs * sizeof *real->limb);
    memcpy(real->limb, mpz_limbs_read(part), mpz_size(part) * sizeof *real->limb);
    real->negative = mpz_sgn(part) < 0;
}

static bool part_is(const struct fixed_real *real, const mpz_t part, mp_size_t limbs)
{
    mpz_t ours;
    mpz_roinit_n(ours, real->limb, limbs);
    return mpz_cmpabs(ours, part) == 0 &&
           (mpz_sgn(part) == 0 || real->negative == (mpz_sgn(part) < 0));
}

/* Is the part less than 2^-bits off? */
static bool part_is_near(const struct fixed *fixed, const struct fixed_real *real, const mpz_t part,
                         long bits)
{
    mpz_t ours, limbs;
    mpz_init_set(ours, mpz_roinit_n(limbs, real->limb, fixed->limbs));
    if (real->negative)
        mpz_neg(ours, ours);
    mpz_sub(ours, ours, part);
    bool near = (long)mpz_sizeinbase(ours, 2) <= fixed->fraction_bits - bits;
    mpz_clear(ours);
    return near;
}

static void fixed_of(struct fixed *fixed, enum fixed_method method, long bits,
                     const struct whole *z)
{
    mpfr_t cx, cy;
    mpfr_inits2(bits + 64, cx, cy, (mpfr_ptr)0);
    long fraction = (fixed_bits(bits) + 63) / 64 * 64 - FIXED_INTEGER_BITS;
    mpfr_set_z_2exp(cx, z->cx, -fraction, MPFR_RNDN);
    mpfr_set_z_2exp(cy, z->cy, -fraction, MPFR_RNDN);
    assert_int_equal(fixed_create_by(fixed, method, bits, cx, cy), STATUS_OK);
    assert_int_equal(fixed->fraction_bits, fraction);
    mpfr_clears(cx, cy, (mpfr_ptr)0);
}

enum way { WHOLE_PRODUCTS, STEP, JOBS };

/* A step in jobs, the last of each phase first. */
static void jobs_do(struct fixed *fixed)
{
    fixed_step_begin(fixed);
    for (int phase = 0; phase < fixed_phases(fixed); phase++)
        for (int job = fixed_jobs(fixed, phase) - 1; job >= 0; job--)
            fixed_job(fixed, phase, job, job % SPECTRUM_THREADS_MOST);
    fixed_step_end(fixed);
}

/* Steps from z by a method, as long as |z|^2 and so the next z fit. */
static void check_steps(enum fixed_method method, enum way way, long bits, const struct whole *from,
                        int steps, const char *where)
{
    struct fixed fixed;
    struct whole z;
    fixed_of(&fixed, method, bits, from);
    mpz_init_set(z.x, from->x);
    mpz_init_set(z.y, from->y);
    mpz_init_set(z.cx, from->cx);
    mpz_init_set(z.cy, from->cy);
    limbs_set(&fixed.x, z.x, fixed.limbs);
    limbs_set(&fixed.y, z.y, fixed.limbs);
    fixed_changed(&fixed);
    for (int i = 0; i < steps; i++) {
        double x = fixed_double(&fixed, &fixed.x), y = fixed_double(&fixed, &fixed.y);
        if (x * x + y * y > FIXED_NORM_MAX)
            break;
        if (way == WHOLE_PRODUCTS)
            fixed_step_exact(&fixed);
        else if (way == STEP)
            fixed_step(&fixed);
        else
            jobs_do(&fixed);
        whole_step(&z, fixed.fraction_bits);
        double early_x = fixed_double(&fixed, &fixed.x), early_y = fixed_double(&fixed, &fixed.y);
        if (i % 3 == 0 || i == steps - 1) {
            fixed_settle(&fixed);
            if (!part_is(&fixed.x, z.x, fixed.limbs) || !part_is(&fixed.y, z.y, fixed.limbs))
                fail_msg("%s, %ld bits, method %d, step %d", where, bits, (int)method, i);
            assert_true(fixed_double(&fixed, &fixed.x) == early_x);
            assert_true(fixed_double(&fixed, &fixed.y) == early_y);
        }
    }
    mpz_clears(z.x, z.y, z.cx, z.cy, NULL);
    fixed_destroy(&fixed);
}

static void check_size(mp_size_t limbs, int steps, uint64_t *seed)
{
    long bits = 64 * limbs - 12, fraction = 64 * limbs - FIXED_INTEGER_BITS;
    struct whole z;
    char where[32];
    mpz_inits(z.x, z.y, z.cx, z.cy, NULL);
    for (int pattern = 0; pattern < PATTERNS * PATTERNS; pattern++) {
        if (limbs > 40 && pattern % 5)
            continue;
        snprintf(where, sizeof where, "pattern %d", pattern);
        part_fill(z.x, pattern % PATTERNS, fraction, seed);
        part_fill(z.y, pattern / PATTERNS, fraction, seed);
        part_fill(z.cx, pattern % PATTERNS, fraction, seed);
        part_fill(z.cy, pattern % 3 == 2 ? 5 : pattern % 3, fraction, seed);
        check_steps(FIXED_LIMBS, WHOLE_PRODUCTS, bits, &z, steps, "whole products");
        for (enum fixed_method method = 0; method < FIXED_METHODS; method++)
            if (fixed_method_serves(method, limbs))
                check_steps(method, pattern % 2 ? STEP : JOBS, bits, &z, steps, where);
    }
    mpz_clears(z.x, z.y, z.cx, z.cy, NULL);
}

TEST(test_every_method_gives_the_same_bits)
{
    uint64_t seed = 31;
    for (mp_size_t limbs = FIXED_FEW + 1; limbs <= 40; limbs++)
        check_size(limbs, STEPS, &seed);
    static const mp_size_t longer[] = {52, 65, 66, 77, 101, 130, 208, 257, 333, 405, 407};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        check_size(longer[i], 8, &seed);
}

TEST(test_few_limbs_are_near)
{
    uint64_t seed = 33;
    struct whole z;
    mpz_inits(z.x, z.y, z.cx, z.cy, NULL);
    for (int i = 0; i < 1000; i++) {
        mp_size_t limbs = 1 + i % FIXED_FEW;
        long fraction = 64 * limbs - FIXED_INTEGER_BITS;
        long bits = fixed_bits(64 * limbs - 24);
        struct fixed fixed;
        part_fill(z.x, i % PATTERNS, fraction, &seed);
        part_fill(z.y, i / PATTERNS % PATTERNS, fraction, &seed);
        part_fill(z.cx, i / 49 % PATTERNS, fraction, &seed);
        part_fill(z.cy, i % 3, fraction, &seed);
        fixed_of(&fixed, FIXED_LIMBS, bits, &z);
        assert_int_equal(fixed.limbs, limbs);
        limbs_set(&fixed.x, z.x, limbs);
        limbs_set(&fixed.y, z.y, limbs);
        fixed_step(&fixed);
        whole_step(&z, fraction);
        assert_true(part_is_near(&fixed, &fixed.x, z.x, bits));
        assert_true(part_is_near(&fixed, &fixed.y, z.y, bits));
        fixed_destroy(&fixed);
    }
    mpz_clears(z.x, z.y, z.cx, z.cy, NULL);
}

TEST(test_numbers_that_are_replaced)
{
    /* A number that another one has replaced is taken from the limbs. */
    uint64_t seed = 32;
    struct whole z;
    mpz_inits(z.x, z.y, z.cx, z.cy, NULL);
    for (int i = 0; i < 4; i++) {
        part_fill(i == 0 ? z.x : i == 1 ? z.y : i == 2 ? z.cx : z.cy, 0, 64 * 20 - 5, &seed);
    }
    for (enum fixed_method method = 0; method < FIXED_METHODS; method++) {
        struct fixed fixed;
        if (!fixed_method_serves(method, 20))
            continue;
        fixed_of(&fixed, method, 64 * 20 - 12, &z);
        for (int i = 0; i < 3; i++) { /* c, again and again */
            fixed_step(&fixed);
            fixed_settle(&fixed);
            assert_true(part_is(&fixed.x, z.cx, 20) && part_is(&fixed.y, z.cy, 20));
            fixed_remember(&fixed);
            assert_true(fixed_seen(&fixed));
            memset(fixed.x.limb, 0, 20 * sizeof *fixed.x.limb);
            memset(fixed.y.limb, 0, 20 * sizeof *fixed.y.limb);
            fixed_changed(&fixed);
            assert_false(fixed_seen(&fixed));
        }
        fixed_destroy(&fixed);
    }
    mpz_clears(z.x, z.y, z.cx, z.cy, NULL);
}
