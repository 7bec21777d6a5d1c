/* Squares by Fourier transforms, and short squares, against GMP's full ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/short_product.h"
#include "kernels/orbit/spectrum.h"
#include "kernels/orbit/spectrum_kernels.h"
#include "tests/support/check.h"

enum operand { RANDOM, ONES, ZERO, ONE_BIT, LOWEST_DIGITS, HIGHEST_DIGITS, SPARSE, OPERANDS };

/* Below 2^(64 n - 1), as numbers with a sign are. The digits that a balanced number can have lie
 * between -2^(b-1) and 2^(b-1) - 1: all of the one or the other make the largest coefficients. */
static void operand_fill(mp_limb_t *limb, mp_size_t n, enum operand kind, int bits, uint64_t *seed)
{
    memset(limb, 0, (size_t)n * sizeof *limb);
    for (mp_size_t i = 0; i < n; i++) {
        if (kind == RANDOM || (kind == SPARSE && check_random(seed) % 8 == 0))
            limb[i] = check_random(seed);
        if (kind == ONES)
            limb[i] = ~(mp_limb_t)0;
    }
    if (kind == ONE_BIT)
        limb[check_random(seed) % (uint64_t)n] = (mp_limb_t)1 << check_random(seed) % 64;
    if (kind == HIGHEST_DIGITS || kind == LOWEST_DIGITS)
        for (int64_t bit = 0; bit < 64 * (int64_t)n; bit++)
            if ((bit % bits < bits - 1) == (kind == HIGHEST_DIGITS))
                limb[bit / 64] |= (mp_limb_t)1 << bit % 64;
    limb[n - 1] &= ~(mp_limb_t)0 >> 1;
}

/* Limbs `first` .. 2n - 1 of a b, two's complement of the sign, rounded down. */
static void product_upper(mp_limb_t *upper, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n,
                          mp_size_t first, int sign)
{
    mp_limb_t *all = calloc(2 * (size_t)n, sizeof *all);
    mpn_mul_n(all, a, b, n);
    if (sign < 0)
        mpn_neg(all, all, 2 * n);
    memcpy(upper, all + first, (size_t)(2 * n - first) * sizeof *all);
    free(all);
}

/* |ours - theirs| <= units, as numbers that wrap around. */
static void assert_close(const mp_limb_t *ours, const mp_limb_t *theirs, mp_size_t n,
                         mp_limb_t units, const char *where)
{
    mp_limb_t *difference = calloc((size_t)n, sizeof *difference);
    mpn_sub_n(difference, ours, theirs, n);
    mpn_add_1(difference, difference, n, units);
    int small = difference[0] <= 2 * units;
    for (mp_size_t i = 1; i < n; i++)
        small &= difference[i] == 0;
    if (!small)
        fprintf(stderr, "%s\n", where);
    assert_true(small);
    free(difference);
}

static void check_squares(struct spectrum *s, enum operand x_kind, enum operand y_kind, int signs,
                          const struct spectrum_kernels *kernels, uint64_t *seed)
{
    mp_size_t n = s->limbs;
    mp_size_t all = n + 1; /* limbs of a result */
    mp_limb_t *x = calloc(8 * (size_t)all, sizeof *x), *y = x + all, *ours = x + 2 * all;
    mp_limb_t *xx = x + 3 * all, *yy = x + 4 * all, *xy = x + 5 * all;
    char where[96];
    operand_fill(x, n, x_kind, s->digit_bits, seed);
    operand_fill(y, n, y_kind, s->digit_bits, seed);
    spectrum_begin(s, x, signs & 1, y, signs & 2);
    for (int phase = 0; phase < SPECTRUM_PHASES; phase++)
        for (int job = spectrum_jobs(s, phase) - 1; job >= 0; job--)
            kernels->job[phase](s, job, s->tile[job % SPECTRUM_THREADS_MOST]);
    product_upper(xx, x, x, n, n - 1, 1);
    product_upper(yy, y, y, n, n - 1, 1);
    product_upper(xy, x, y, n, n - 1, (signs == 1 || signs == 2) ? -1 : 1);
    mpn_sub_n(xx, xx, yy, all);
    mpn_add_n(xy, xy, xy, all);
    snprintf(where, sizeof where, "%ld limbs, operands %d and %d, signs %d", (long)n, x_kind,
             y_kind, signs);
    spectrum_end(s, 0, ours);
    assert_close(ours, xx, all, 2, where);
    spectrum_end(s, 1, ours);
    assert_close(ours, xy, all, 2, where);
    free(x);
}

TEST(test_spectra_are_exact)
{
    uint64_t seed = 21;
    const struct spectrum_kernels *const kinds[] = {
        &spectrum_plain,
#if defined(__x86_64__)
        __builtin_cpu_supports("avx2") ? &spectrum_avx2 : &spectrum_plain,
#endif
    };
    static const mp_size_t sizes[] = {3, 20, 70, 129, 140, 257, 288, 515, 1025, 1080, 2049, 6000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct spectrum s;
        assert_int_equal(spectrum_create(&s, sizes[i]), STATUS_OK);
        assert_true(2 * s.digits <= (int64_t)s.rows * s.columns);
        for (int x = 0; x < OPERANDS; x++)
            for (int y = 0; y<OPERANDS; y += sizes[i]> 1000 ? 2 : 1)
                check_squares(&s, (enum operand)x, (enum operand)y, (x + y) % 4,
                              kinds[(x + y / 2) % (sizeof kinds / sizeof *kinds)], &seed);
        spectrum_destroy(&s);
    }
}

TEST(test_all_instruction_sets_round_alike)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        skip();
    uint64_t seed = 22;
    struct spectrum s;
    assert_int_equal(spectrum_create(&s, 1025), STATUS_OK);
    size_t length = (size_t)s.rows * (size_t)s.columns;
    mp_limb_t *x = calloc(2 * 1025, sizeof *x);
    int64_t *plain = calloc(2 * length, sizeof *plain);
    operand_fill(x, 1025, LOWEST_DIGITS, s.digit_bits, &seed);
    operand_fill(x + 1025, 1025, RANDOM, s.digit_bits, &seed);
    for (int kind = 0; kind < 2; kind++) {
        spectrum_begin(&s, x, false, x + 1025, true);
        for (int phase = 0; phase < SPECTRUM_PHASES; phase++)
            for (int job = 0; job < spectrum_jobs(&s, phase); job++)
                (kind ? &spectrum_avx2 : &spectrum_plain)->job[phase](&s, job, s.tile[0]);
        for (int part = 0; part < 2; part++)
            if (kind)
                assert_memory_equal(plain + part * length, s.coefficient[part],
                                    length * sizeof *plain);
            else
                memcpy(plain + part * length, s.coefficient[part], length * sizeof *plain);
    }
    free(plain);
    free(x);
    spectrum_destroy(&s);
#else
    skip();
#endif
}

TEST(test_short_squares_lack_less_than_n_units)
{
    uint64_t seed = 23;
    for (mp_size_t n = 1; n < 700; n += n < 60 ? 1 : 37)
        for (int kind = 0; kind < OPERANDS; kind++) {
            mp_limb_t *a = calloc(6 * (size_t)n, sizeof *a), *r = a + n, *exact = a + 3 * n;
            mp_limb_t *cross = calloc((size_t)short_cross_limbs(n), sizeof *cross);
            operand_fill(a, n, (enum operand)kind, 17, &seed);
            short_square_upper(r, a, n);
            short_square_cross(cross, a, n);
            short_square_join(r, cross, n);
            product_upper(exact, a, a, n, n, 1);
            assert_int_equal(mpn_sub_n(exact, exact, r + n, n), 0);
            assert_true(exact[0] < (mp_limb_t)n || (n == 1 && exact[0] == 0));
            for (mp_size_t i = 1; i < n; i++)
                assert_true(exact[i] == 0);
            free(cross);
            free(a);
        }
}

TEST(test_where_spectra_pay)
{
    assert_false(spectrum_pays(1));
    assert_false(spectrum_pays(64));
    assert_false(spectrum_pays(150));
    assert_true(spectrum_pays(257)); /* 16,384 bits */
    assert_true(spectrum_pays(1025));
    assert_true(spectrum_pays(131073)); /* as many as an orbit may have */
}
