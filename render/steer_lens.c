#include "render/steer_lens.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG2_OF_10 3.3219280948873623
#define ZOOM_NEARLY 1e-10

enum {
    CENTRE_BITS = 24, /* of |re| and |im| before the point: VIEW_CENTRE_MAX < 2^20 */
    GUARD_BITS = 96,  /* more than STEER_GUARD_DIGITS, with room for the sums */
    ZOOM_DIGITS = 17,
    ZOOM_DIGITS_ROUND = 6
};

/* ---- numbers and their text ---- */

void point_init(struct point *point, mpfr_prec_t bits)
{
    mpfr_inits2(bits, point->re, point->im, (mpfr_ptr)0);
}

void point_clear(struct point *point)
{
    mpfr_clears(point->re, point->im, (mpfr_ptr)0);
}

void centre_read(struct point *centre, const struct view *view, mpfr_prec_t bits)
{
    point_init(centre, bits);
    mpfr_set_str(centre->re, view->re, 10, MPFR_RNDN);
    mpfr_set_str(centre->im, view->im, 10, MPFR_RNDN);
}

/* `digits` of a number, 0 . d1 d2 ... times 10^exponent, as text without useless zeros. printf of
 * MPFR would take the decimal point of the locale, which a window library may set for a moment. */
static char *decimal_layout(const char *digits, long exponent)
{
    bool minus = *digits == '-';
    digits += minus;
    long count = (long)strlen(digits);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    bool plain = exponent > -5 && exponent <= 21;
    long zeros = plain && exponent <= 0 ? 1 - exponent : 0; /* before the digits */
    long whole = !plain ? 1 : exponent <= 0 ? 1 : exponent; /* characters before the point */
    long padding = whole > zeros + count ? whole - zeros - count : 0; /* zeros behind them */
    size_t bytes = (size_t)(zeros + count + padding) + 32;
    char *text = malloc(bytes), *at = text;
    if (!text)
        return NULL;
    if (minus)
        *at++ = '-';
    for (long i = 0; i < zeros + count + padding; i++) {
        if (i == whole)
            *at++ = '.';
        *at++ = i < zeros || i >= zeros + count ? '0' : digits[i - zeros];
    }
    *at = '\0';
    if (!plain)
        snprintf(at, 28, "e%ld", exponent - 1);
    return text;
}

/* To so many digits, 2 at least; "0" for 0 and for less than one digit. NULL without memory. */
static char *decimal_text(mpfr_srcptr number, long digits)
{
    if (mpfr_zero_p(number) || digits < 1)
        return strdup("0");
    mpfr_exp_t exponent;
    char *raw =
        mpfr_get_str(NULL, &exponent, 10, (size_t)(digits < 2 ? 2 : digits), number, MPFR_RNDN);
    char *text = raw ? decimal_layout(raw, (long)exponent) : NULL;
    mpfr_free_str(raw);
    return text;
}

/* To so many places behind the point, or a digit more. */
char *centre_text(mpfr_srcptr number, double places)
{
    double before = mpfr_zero_p(number) ? 0 : ceil((double)mpfr_get_exp(number) / LOG2_OF_10);
    return decimal_text(number, (long)(places + before));
}

/* Four notches of 2^(1/4) are to be 2, not 1.9999999999999998: what is within ZOOM_NEARLY of few
 * digits is written with these. */
char *zoom_text(mpfr_srcptr zoom)
{
    char *text = decimal_text(zoom, ZOOM_DIGITS_ROUND);
    mpfr_t error;
    mpfr_init2(error, LENS_BITS);
    mpfr_set_str(error, text ? text : "0", 10, MPFR_RNDN);
    mpfr_reldiff(error, zoom, error, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    bool round = mpfr_cmp_d(error, ZOOM_NEARLY) <= 0;
    mpfr_clear(error);
    if (round)
        return text;
    free(text);
    return decimal_text(zoom, ZOOM_DIGITS);
}

/* ---- how a view maps places to points ---- */

void lens_open(struct lens *lens, const char *zoom, double rotation_deg, int32_t width,
               int32_t height)
{
    mpfr_inits2(LENS_BITS, lens->step, lens->cosine, lens->sine, (mpfr_ptr)0);
    mpfr_set_d(lens->step, rotation_deg, MPFR_RNDN);
    mpfr_cosu(lens->cosine, lens->step, 360, MPFR_RNDN);
    mpfr_sinu(lens->sine, lens->step, 360, MPFR_RNDN);
    mpfr_set_str(lens->step, zoom, 10, MPFR_RNDN);
    mpfr_mul_si(lens->step, lens->step, height, MPFR_RNDN);
    mpfr_ui_div(lens->step, 4, lens->step, MPFR_RNDN);
    long exponent;
    double mantissa = mpfr_get_d_2exp(&exponent, lens->step, MPFR_RNDN);
    lens->log2_step = log2(mantissa) + (double)exponent;
    lens->half_width = width / 2.0;
    lens->half_height = height / 2.0;
}

void lens_open_view(struct lens *lens, const struct view *view)
{
    lens_open(lens, view->zoom, view->rotation_deg, view->width, view->height);
}

void lens_close(struct lens *lens)
{
    mpfr_clears(lens->step, lens->cosine, lens->sine, (mpfr_ptr)0);
}

mpfr_prec_t lens_bits(double log2_step)
{
    return (mpfr_prec_t)fmax(-log2_step, 0) + CENTRE_BITS + GUARD_BITS;
}

/* offset = ((x - W/2) - i (y - H/2)) step e^(i rotation) */
void lens_offset(const struct lens *lens, double x, double y, struct point *offset)
{
    mpfr_t u, v, product;
    mpfr_inits2(LENS_BITS, u, v, product, (mpfr_ptr)0);
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_sub_d(u, u, lens->half_width, MPFR_RNDN);
    mpfr_set_d(v, lens->half_height, MPFR_RNDN);
    mpfr_sub_d(v, v, y, MPFR_RNDN);
    mpfr_mul(offset->re, u, lens->cosine, MPFR_RNDN);
    mpfr_mul(product, v, lens->sine, MPFR_RNDN);
    mpfr_sub(offset->re, offset->re, product, MPFR_RNDN);
    mpfr_mul(offset->im, u, lens->sine, MPFR_RNDN);
    mpfr_mul(product, v, lens->cosine, MPFR_RNDN);
    mpfr_add(offset->im, offset->im, product, MPFR_RNDN);
    mpfr_mul(offset->re, offset->re, lens->step, MPFR_RNDN);
    mpfr_mul(offset->im, offset->im, lens->step, MPFR_RNDN);
    mpfr_clears(u, v, product, (mpfr_ptr)0);
}
