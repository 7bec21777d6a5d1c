#include "render/truth/truth_sums.h"

#include <math.h>

/* A step of the kernels rounds by some 2^-53 of |z_k|, beside what moves the pixel, and of |c| in
 * Julia sets, where c does not move. */
#define ROUNDINGS 0x1p-50L
#define FLOAT_LEAST 0x1p-148 /* what planes do not hold */
#define SMALL 0x1p-440L      /* where kernels begin to lose the direction of z */

void truth_sums_open(struct truth_sums *sums)
{
    *sums = (struct truth_sums){.rule = NULL};
    mpfr_inits2(MPFR_PREC_MIN, sums->w_re, sums->w_im, sums->w_abs, sums->c_abs, sums->a, sums->b,
                (mpfr_ptr)NULL);
}

void truth_sums_close(struct truth_sums *sums)
{
    mpfr_clears(sums->w_re, sums->w_im, sums->w_abs, sums->c_abs, sums->a, sums->b, (mpfr_ptr)NULL);
}

void truth_sums_bits(struct truth_sums *sums, mpfr_prec_t bits)
{
    mpfr_ptr all[] = {sums->w_re, sums->w_im, sums->w_abs, sums->c_abs, sums->a, sums->b};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpfr_set_prec(all[i], bits);
}

void truth_sums_begin(struct truth_sums *sums, bool julia)
{
    sums->julia = julia;
    for (int i = 0; i < TRUTH_AVERAGES; i++)
        sums->average[i] = (struct truth_average){.terms = 0};
    for (int i = 0; i < TRUTH_TRAPS; i++)
        sums->least[i][0] = sums->least[i][1] = INFINITY;
}

static void term_add(struct truth_average *average, long double term, long double off)
{
    average->last = term;
    average->sum += term;
    average->slack += off < 1 ? off : 1;
    average->terms++;
}

/* (|z| - ||w| - |c||) / (2 min(|w|, |c|)), w = z - c; 0 where w or c is 0. *least: the smaller of
 * |w| and |c|. */
static long double triangle_of(struct truth_sums *sums, const mpfr_t re, const mpfr_t im,
                               const mpfr_t c_re, const mpfr_t c_im, long double *least)
{
    mpfr_sub(sums->w_re, re, c_re, MPFR_RNDN);
    mpfr_sub(sums->w_im, im, c_im, MPFR_RNDN);
    mpfr_hypot(sums->w_abs, sums->w_re, sums->w_im, MPFR_RNDN);
    mpfr_hypot(sums->c_abs, c_re, c_im, MPFR_RNDN);
    mpfr_hypot(sums->a, re, im, MPFR_RNDN);
    mpfr_sub(sums->b, sums->w_abs, sums->c_abs, MPFR_RNDN);
    mpfr_abs(sums->b, sums->b, MPFR_RNDN);
    mpfr_sub(sums->a, sums->a, sums->b, MPFR_RNDN);
    mpfr_min(sums->b, sums->w_abs, sums->c_abs, MPFR_RNDN);
    *least = mpfr_get_ld(sums->b, MPFR_RNDN);
    if (mpfr_zero_p(sums->b))
        return 0;
    mpfr_mul_2ui(sums->b, sums->b, 1, MPFR_RNDN);
    mpfr_div(sums->a, sums->a, sums->b, MPFR_RNDN);
    return mpfr_get_ld(sums->a, MPFR_RNDN);
}

static void least_take(double least[2], long double distance, long double moved)
{
    least[0] = fmin(least[0], (double)(distance - moved));
    least[1] = fmin(least[1], (double)(distance + moved));
}

void truth_sums_take(struct truth_sums *sums, const mpfr_t re, const mpfr_t im, const mpfr_t c_re,
                     const mpfr_t c_im, double log2_dz)
{
    const struct orbit_rule *rule = &sums->rule->orbit;
    long double x = mpfr_get_ld(re, MPFR_RNDN), y = mpfr_get_ld(im, MPFR_RNDN), least;
    long double triangle = triangle_of(sums, re, im, c_re, c_im, &least), size = hypotl(x, y);
    long double rounds = size + (sums->julia ? mpfr_get_ld(sums->c_abs, MPFR_RNDN) : 0);
    long double moved =
        sums->rule->moved_px * exp2l(log2_dz + sums->log2_step) + ROUNDINGS * rounds;
    long double turned = size > SMALL ? moved / size : 1;
    term_add(&sums->average[TRUTH_STRIPE], (1 + sinl(rule->stripes * atan2l(y, x))) / 2,
             rule->stripes * turned);
    if (sums->julia || sums->average[TRUTH_STRIPE].terms > 1)
        term_add(&sums->average[TRUTH_TRIANGLE], triangle, 4 * (turned + moved / least));
    long double dx = x - rule->trap_re, dy = y - rule->trap_im, radius = hypotl(dx, dy);
    least_take(sums->least[0], radius, moved);
    least_take(sums->least[1], fminl(fabsl(dx), fabsl(dy)), moved);
    least_take(sums->least[2], fabsl(radius - rule->trap_radius), moved);
}

double truth_sums_value(const struct truth_sums *sums, int plane, double fraction, double *slack)
{
    if (plane >= TRUTH_AVERAGES) {
        const double *least = sums->least[plane - TRUTH_AVERAGES];
        *slack = (least[1] - least[0]) / 2 + 0x1p-22 * least[1] + FLOAT_LEAST;
        return fmax((least[0] + least[1]) / 2, 0);
    }
    const struct truth_average *average = &sums->average[plane];
    long double terms = (long double)average->terms;
    if (!average->terms)
        return *slack = 0;
    long double all = average->sum / terms;
    long double before = terms > 1 ? (average->sum - average->last) / (terms - 1) : all;
    *slack = (double)(average->slack / terms + 0x1p-22L);
    return (double)(before + fraction * (all - before));
}
