#include "render/view.h"

#include <ctype.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* log2(10): bits that one decimal digit is worth. */
#define BITS_PER_DIGIT 3.3219280948873623

/* Beyond what the digits say: 0.1 has no end in binary, and is wanted as two doubles (106 bits),
 * correctly rounded. */
enum { GUARD_BITS = 192 };

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

static const char *skip_sign(const char *at)
{
    return *at == '+' || *at == '-' ? at + 1 : at;
}

/* The end of digits [. digits], or NULL with *at at the place where a digit is missing. */
static const char *skip_mantissa(const char **at)
{
    const char *end = skip_digits(*at);
    if (end == *at)
        return NULL;
    if (*end != '.')
        return end;
    *at = end + 1;
    end = skip_digits(*at);
    return end == *at ? NULL : end;
}

static enum status number_wrong(const char *text, const char *what, const char *at)
{
    size_t place = (size_t)(at - text) + 1;
    if (!*text)
        return status_fail(STATUS_BAD_DATA, "%s is empty; it must be a decimal number", what);
    if (!*at)
        return status_fail(STATUS_BAD_DATA, "%s ends where a digit should be (character %zu)", what,
                           place);
    if (isprint((unsigned char)*at))
        return status_fail(STATUS_BAD_DATA, "%s is not a decimal number: '%c' at character %zu",
                           what, *at, place);
    return status_fail(STATUS_BAD_DATA, "%s is not a decimal number: byte 0x%02x at character %zu",
                       what, (unsigned char)*at, place);
}

/* Digits of an exponent without a sign; NUMBER_EXPONENT_MAX has 7, so 8 cannot overflow a long. */
static bool exponent_fits(const char *digits, const char *end)
{
    while (*digits == '0')
        digits++;
    return end - digits <= 8 && strtol(digits, NULL, 10) <= NUMBER_EXPONENT_MAX;
}

enum status number_check(const char *text, const char *what)
{
    const char *at = skip_sign(text), *begin = at;
    const char *end = skip_mantissa(&at);
    if (!end)
        return number_wrong(text, what, at);
    if (end - begin > NUMBER_DIGITS_MAX)
        return status_fail(STATUS_BAD_DATA, "%s has %zu digits; the most are %d", what,
                           (size_t)(end - begin), NUMBER_DIGITS_MAX);
    if (*end == 'e' || *end == 'E') {
        at = skip_sign(end + 1);
        end = skip_digits(at);
        if (end == at)
            return number_wrong(text, what, at);
        if (!exponent_fits(at, end))
            return status_fail(STATUS_BAD_DATA, "%s has an exponent beyond +-%d", what,
                               NUMBER_EXPONENT_MAX);
    }
    return *end ? number_wrong(text, what, end) : STATUS_OK;
}

size_t number_digits(const char *text)
{
    size_t digits = 0;
    for (const char *at = text; *at && *at != 'e' && *at != 'E'; at++)
        if (isdigit((unsigned char)*at) && (digits || *at != '0'))
            digits++;
    return digits ? digits : 1;
}

/* Initializes `number` with a precision that holds every digit of a checked text. */
static void number_read(mpfr_t number, const char *text)
{
    mpfr_init2(number, (mpfr_prec_t)(number_digits(text) * BITS_PER_DIGIT) + GUARD_BITS);
    mpfr_set_str(number, text, 10, MPFR_RNDN);
}

static enum status centre_check(const char *text, const char *what)
{
    TRY(number_check(text, what));
    mpfr_t number;
    number_read(number, text);
    mpfr_abs(number, number, MPFR_RNDN);
    bool fits = mpfr_cmp_d(number, VIEW_CENTRE_MAX) <= 0;
    mpfr_clear(number);
    if (!fits)
        return status_fail(STATUS_BAD_DATA, "%s lies beyond +-%g; the set lies within 2", what,
                           VIEW_CENTRE_MAX);
    return STATUS_OK;
}

static enum status zoom_check(const char *text)
{
    TRY(number_check(text, "zoom"));
    mpfr_t zoom;
    number_read(zoom, text);
    bool positive = mpfr_sgn(zoom) > 0;
    bool fits = mpfr_cmp_d(zoom, VIEW_ZOOM_MIN) >= 0;
    mpfr_clear(zoom);
    if (!positive)
        return status_fail(STATUS_BAD_DATA, "zoom must be greater than 0 (image height = 4/zoom)");
    if (!fits)
        return status_fail(STATUS_BAD_DATA, "zoom is below %g; the whole set is at zoom 1",
                           VIEW_ZOOM_MIN);
    return STATUS_OK;
}

static enum status frame_check(double rotation_deg, int32_t width, int32_t height)
{
    if (!(fabs(rotation_deg) <= VIEW_ROTATION_MAX_DEG))
        return status_fail(STATUS_BAD_DATA, "rotation %g is outside -360 ... 360 degrees",
                           rotation_deg);
    if (width < 1 || height < 1 || width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX)
        return status_fail(STATUS_BAD_DATA, "size %d x %d: each side must be 1 ... %d pixels",
                           width, height, IMAGE_SIDE_MAX);
    return STATUS_OK;
}

enum status view_set(struct view *view, const char *re, const char *im, const char *zoom,
                     double rotation_deg, int32_t width, int32_t height)
{
    TRY(centre_check(re, "re"));
    TRY(centre_check(im, "im"));
    TRY(zoom_check(zoom));
    TRY(frame_check(rotation_deg, width, height));
    struct view fresh = {.re = strdup(re),
                         .im = strdup(im),
                         .zoom = strdup(zoom),
                         .rotation_deg = rotation_deg,
                         .width = width,
                         .height = height};
    if (!fresh.re || !fresh.im || !fresh.zoom) {
        view_destroy(&fresh);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the text of a view");
    }
    view_destroy(view);
    *view = fresh;
    return STATUS_OK;
}

void view_destroy(struct view *view)
{
    free(view->re);
    free(view->im);
    free(view->zoom);
    *view = (struct view){0};
}

/* text = hi + lo + what a double cannot hold after hi. */
static void centre_split(const char *text, double *hi, double *lo)
{
    mpfr_t number;
    number_read(number, text);
    *hi = mpfr_get_d(number, MPFR_RNDN);
    /* Exact: a value minus its own rounding needs no more bits than the value has. */
    mpfr_sub_d(number, number, *hi, MPFR_RNDN);
    *lo = mpfr_get_d(number, MPFR_RNDN);
    mpfr_clear(number);
}

/* step = 4 / (zoom H);  log2 step = 2 - log2(zoom H) */
static void step_from_zoom(const char *zoom, int32_t height, double *step, double *log2_step)
{
    mpfr_t product, quotient;
    number_read(product, zoom);
    mpfr_init2(quotient, mpfr_get_prec(product));
    mpfr_mul_si(product, product, height, MPFR_RNDN);
    mpfr_ui_div(quotient, 4, product, MPFR_RNDN);
    *step = mpfr_get_d(quotient, MPFR_RNDN);

    mpfr_set_prec(quotient, GUARD_BITS);
    mpfr_log2(quotient, product, MPFR_RNDN);
    mpfr_ui_sub(quotient, 2, quotient, MPFR_RNDN);
    *log2_step = mpfr_get_d(quotient, MPFR_RNDN);
    mpfr_clears(product, quotient, (mpfr_ptr)0);
}

enum status view_numbers(const struct view *view, struct view_numbers *numbers)
{
    if (!view->re || !view->im || !view->zoom)
        return status_fail(STATUS_INTERNAL, "a view was used before it was set");
    *numbers = (struct view_numbers){
        .rotation_deg = view->rotation_deg, .width = view->width, .height = view->height};
    centre_split(view->re, &numbers->centre_re, &numbers->centre_re_lo);
    centre_split(view->im, &numbers->centre_im, &numbers->centre_im_lo);
    step_from_zoom(view->zoom, view->height, &numbers->step, &numbers->log2_step);
    return STATUS_OK;
}

/* cos and sin of an angle in degrees. cos(M_PI / 2) is not 0, so quarter turns are looked up. */
static void turn(double angle_deg, double *cosine, double *sine)
{
    static const double quarter[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double reduced = fmod(angle_deg, 360.0); /* exact */
    if (reduced < 0)
        reduced += 360.0;
    double quarters = reduced / 90.0;
    if (quarters == floor(quarters)) {
        *cosine = quarter[(int)quarters % 4][0];
        *sine = quarter[(int)quarters % 4][1];
        return;
    }
    double angle_rad = reduced * (3.14159265358979323846 / 180.0);
    *cosine = cos(angle_rad);
    *sine = sin(angle_rad);
}

struct grid view_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                      int32_t height)
{
    double cosine, sine;
    turn(numbers->rotation_deg, &cosine, &sine);
    return (struct grid){.centre_re = numbers->centre_re,
                         .centre_im = numbers->centre_im,
                         .centre_re_lo = numbers->centre_re_lo,
                         .centre_im_lo = numbers->centre_im_lo,
                         .step_re = numbers->step * cosine,
                         .step_im = numbers->step * sine,
                         .half_width = numbers->width / 2.0,
                         .half_height = numbers->height / 2.0,
                         .x = x,
                         .y = y,
                         .width = width,
                         .height = height};
}
