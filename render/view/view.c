#include "render/view/view.h"

#include <ctype.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "render/view/decimal.h"
#include "render/view/view_axes.h"

/* log2(10): bits that one decimal digit is worth. */
#define BITS_PER_DIGIT 3.3219280948873623

/* Bits beyond those of the digits: 0.1 has no end in binary, and is wanted as two doubles (106
 * bits), correctly rounded. */
enum { GUARD_BITS = 192 };

enum { HEAD_BITS = 1024 };

enum { CHECK_BITS = 64 }; /* enough to compare with a limit; the other digits need not be read */

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

/* Skips digits [. digits]: the end, or NULL with *at at the position where a digit is missing. */
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
    size_t position = (size_t)(at - text) + 1;
    if (!*text)
        return status_fail(STATUS_BAD_DATA, "%s is empty; it must be a decimal number", what);
    if (!*at)
        return status_fail(STATUS_BAD_DATA, "%s ends where a digit should be (character %zu)", what,
                           position);
    if (isprint((unsigned char)*at))
        return status_fail(STATUS_BAD_DATA, "%s is not a decimal number: '%c' at character %zu%s",
                           what, *at, position, *at == ',' ? "; write 0.5, not 0,5" : "");
    return status_fail(STATUS_BAD_DATA, "%s is not a decimal number: byte 0x%02x at character %zu",
                       what, (unsigned char)*at, position);
}

/* Do the digits of an exponent without a sign fit? A long holds 18 digits, leading zeros among
 * them. */
static bool exponent_fits(const char *digits, const char *end)
{
    return end - digits <= 18 && number_whole(digits) <= NUMBER_EXPONENT_MAX;
}

enum status number_check(const char *text, const char *what)
{
    const char *at = skip_sign(text), *begin = at;
    const char *end = skip_mantissa(&at);
    if (!end)
        return number_wrong(text, what, at);
    size_t digits = (size_t)(end - begin) - (memchr(begin, '.', (size_t)(end - begin)) != NULL);
    if (digits > NUMBER_DIGITS_MAX)
        return status_fail(STATUS_BAD_DATA, "%s has %zu digits; the most are %d", what, digits,
                           NUMBER_DIGITS_MAX);
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

enum status view_centre_check(const char *text, const char *what)
{
    TRY(number_check(text, what));
    mpfr_t number;
    mpfr_init2(number, CHECK_BITS);
    mpfr_set_str(number, text, 10, MPFR_RNDA); /* a number beyond the limit stays beyond it */
    mpfr_abs(number, number, MPFR_RNDN);
    bool fits = mpfr_cmp_d(number, VIEW_CENTRE_MAX) <= 0;
    mpfr_clear(number);
    if (!fits)
        return status_fail(STATUS_BAD_DATA, "%s lies beyond +-%g; the set lies within 2", what,
                           VIEW_CENTRE_MAX);
    return STATUS_OK;
}

enum status view_zoom_check(const char *text, const char *what)
{
    TRY(number_check(text, what));
    if (number_digits(text) > ZOOM_DIGITS_MAX)
        return status_fail(STATUS_BAD_DATA, "%s has %zu digits; the most are %d", what,
                           number_digits(text), ZOOM_DIGITS_MAX);
    mpfr_t zoom;
    number_read(zoom, text);
    bool positive = mpfr_sgn(zoom) > 0;
    bool fits = mpfr_cmp_d(zoom, VIEW_ZOOM_MIN) >= 0;
    mpfr_clear(zoom);
    if (!positive)
        return status_fail(STATUS_BAD_DATA, "%s must be greater than 0 (image height = 4/zoom)",
                           what);
    if (!fits)
        return status_fail(STATUS_BAD_DATA, "%s is below %g; the whole set is at zoom 1", what,
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
    TRY(view_centre_check(re, "re"));
    TRY(view_centre_check(im, "im"));
    TRY(view_zoom_check(zoom, "zoom"));
    TRY(frame_check(rotation_deg, width, height));
    TRY(view_shape_check(&view->shape));
    struct view fresh = {.re = strdup(re),
                         .im = strdup(im),
                         .zoom = strdup(zoom),
                         .rotation_deg = rotation_deg,
                         .shape = view->shape,
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

enum status view_copy(struct view *to, const struct view *from)
{
    struct view fresh = *from;
    fresh.re = strdup(from->re);
    fresh.im = strdup(from->im);
    fresh.zoom = strdup(from->zoom);
    if (!fresh.re || !fresh.im || !fresh.zoom) {
        view_destroy(&fresh);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the text of a view");
    }
    view_destroy(to);
    *to = fresh;
    return STATUS_OK;
}

bool view_same(const struct view *a, const struct view *b)
{
    return a->re && b->re && a->width == b->width && a->height == b->height &&
           a->rotation_deg == b->rotation_deg && view_shape_same(&a->shape, &b->shape) &&
           !strcmp(a->zoom, b->zoom) && !strcmp(a->re, b->re) && !strcmp(a->im, b->im);
}

void view_destroy(struct view *view)
{
    free(view->re);
    free(view->im);
    free(view->zoom);
    *view = (struct view){0};
}

void view_thread_end(void)
{
    mpfr_free_cache();
}

/* Reads the first bits of a text, and one more that says whether others follow: rounded to fewer
 * bits it gives what the text itself would. */
static void head_read(mpfr_t number, const char *text)
{
    mpfr_init2(number, HEAD_BITS);
    if (mpfr_strtofr(number, text, NULL, 10, MPFR_RNDZ) == 0)
        return;
    mpfr_prec_round(number, HEAD_BITS + 1, MPFR_RNDZ);
    if (mpfr_sgn(number) > 0)
        mpfr_nextabove(number);
    else
        mpfr_nextbelow(number);
}

/* number = hi + lo + a rest that a double cannot hold after hi. Exact: a value less its own
 * rounding needs no more bits than the value has. */
static void number_split(mpfr_t number, double *hi, double *lo)
{
    *hi = mpfr_get_d(number, MPFR_RNDN);
    mpfr_sub_d(number, number, *hi, MPFR_RNDN);
    *lo = mpfr_get_d(number, MPFR_RNDN);
}

/* Splits the text into two doubles. All digits are read only where the first ones are so near to a
 * double that the rest decides. */
static void centre_split(const char *text, double *hi, double *lo)
{
    mpfr_t number;
    head_read(number, text);
    mpfr_exp_t least = mpfr_regular_p(number) ? mpfr_get_exp(number) - HEAD_BITS / 2 : 0;
    number_split(number, hi, lo);
    bool known = mpfr_regular_p(number) && mpfr_get_exp(number) > least;
    mpfr_clear(number);
    if (known)
        return;
    number_read(number, text);
    number_split(number, hi, lo);
    mpfr_clear(number);
}

/* down_x - i down_y = down / right */
static void down_split(const struct view_axes *axes, struct view_numbers *numbers)
{
    mpfr_t norm, part;
    mpfr_inits2(mpfr_get_prec(axes->right_re), norm, part, (mpfr_ptr)0);
    mpfr_fmma(norm, axes->right_re, axes->right_re, axes->right_im, axes->right_im, MPFR_RNDN);
    mpfr_fmma(part, axes->down_re, axes->right_re, axes->down_im, axes->right_im, MPFR_RNDN);
    mpfr_div(part, part, norm, MPFR_RNDN);
    numbers->down_x = mpfr_get_d(part, MPFR_RNDN);
    mpfr_fmms(part, axes->down_re, axes->right_im, axes->down_im, axes->right_re, MPFR_RNDN);
    mpfr_div(part, part, norm, MPFR_RNDN);
    numbers->down_y = mpfr_get_d(part, MPFR_RNDN);
    mpfr_clears(norm, part, (mpfr_ptr)0);
}

/* step = 4 / (zoom H);  log2 step = 2 - log2(zoom H);
 * (step_re + i step_im) 2^exponent = step right.
 * Rounded once, by MPFR: libm's cos differs between processors, and all ranks must agree. */
static void steps_from_zoom(const struct view *view, struct view_numbers *numbers)
{
    mpfr_t product, step;
    struct view_axes axes;
    number_read(product, view->zoom);
    mpfr_prec_t bits = mpfr_get_prec(product);
    view_axes_init(&axes, &view->shape, view->rotation_deg, bits);
    mpfr_init2(step, bits);
    mpfr_set_d(step, view_stretch(&view->shape), MPFR_RNDN);
    mpfr_log2(step, step, MPFR_RNDN);
    numbers->log2_stretch = fabs(mpfr_get_d(step, MPFR_RNDN)) / 2;
    mpfr_mul_si(product, product, view->height, MPFR_RNDN);
    mpfr_ui_div(step, 4, product, MPFR_RNDN);
    numbers->step = mpfr_get_d(step, MPFR_RNDN);

    mpfr_log2(product, product, MPFR_RNDN);
    mpfr_ui_sub(product, 2, product, MPFR_RNDN);
    numbers->log2_step = mpfr_get_d(product, MPFR_RNDN);

    if (numbers->log2_step < GRID_PLAIN_LEAST)
        numbers->exponent = (int32_t)floor(numbers->log2_step);
    mpfr_mul_2si(step, step, -numbers->exponent, MPFR_RNDN);
    mpfr_mul(product, axes.right_re, step, MPFR_RNDN);
    numbers->step_re = mpfr_get_d(product, MPFR_RNDN);
    mpfr_mul(product, axes.right_im, step, MPFR_RNDN);
    numbers->step_im = mpfr_get_d(product, MPFR_RNDN);
    down_split(&axes, numbers);
    mpfr_clears(product, step, (mpfr_ptr)0);
    view_axes_clear(&axes);
}

enum status view_numbers(const struct view *view, struct view_numbers *numbers)
{
    if (!view->re || !view->im || !view->zoom)
        return status_fail(STATUS_INTERNAL, "a view was used before it was set");
    *numbers = (struct view_numbers){.image_width = view->width,
                                     .image_height = view->height,
                                     .width = view->width,
                                     .height = view->height};
    centre_split(view->re, &numbers->centre_re, &numbers->centre_re_lo);
    centre_split(view->im, &numbers->centre_im, &numbers->centre_im_lo);
    steps_from_zoom(view, numbers);
    return STATUS_OK;
}

/* (text - other) / 2^exponent; NAN without memory */
static double texts_apart(const char *text, const char *other, int32_t exponent)
{
    struct decimal a, b = {.digit = NULL};
    long places = decimal_places(text), others = decimal_places(other);
    double apart = NAN;
    if (others > places)
        places = others;
    if (decimal_open(&a, text, places) && decimal_open(&b, other, places)) {
        mpfr_t number;
        mpfr_init2(number, GUARD_BITS);
        decimal_subtract(&a, &b);
        decimal_get(number, &a);
        mpfr_mul_2si(number, number, -(long)exponent, MPFR_RNDN);
        apart = mpfr_get_d(number, MPFR_RNDN);
        mpfr_clear(number);
    }
    decimal_close(&a);
    decimal_close(&b);
    return apart;
}

struct view_numbers view_numbers_part(const struct view_numbers *numbers, int32_t x, int32_t y,
                                      int32_t width, int32_t height)
{
    struct view_numbers part = *numbers;
    part.x += x;
    part.y += y;
    part.width = width;
    part.height = height;
    return part;
}

struct view_numbers view_numbers_image(const struct view_numbers *numbers)
{
    return view_numbers_part(numbers, -numbers->x, -numbers->y, numbers->image_width,
                             numbers->image_height);
}

double view_log10_zoom(const struct view_numbers *numbers)
{
    return log10(4.0 / numbers->image_height) - numbers->log2_step * log10(2.0);
}

void view_apart(const struct view *view, const struct view *other, int32_t exponent, double *re,
                double *im)
{
    *re = texts_apart(view->re, other->re, exponent);
    *im = texts_apart(view->im, other->im, exponent);
}

struct grid view_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                      int32_t height)
{
    return (struct grid){.centre_re = numbers->centre_re,
                         .centre_im = numbers->centre_im,
                         .centre_re_lo = numbers->centre_re_lo,
                         .centre_im_lo = numbers->centre_im_lo,
                         .step_re = ldexp(numbers->step_re, numbers->exponent),
                         .step_im = ldexp(numbers->step_im, numbers->exponent),
                         .down_x = numbers->down_x,
                         .down_y = numbers->down_y,
                         .half_width = numbers->image_width / 2.0,
                         .half_height = numbers->image_height / 2.0,
                         .x = numbers->x + x,
                         .y = numbers->y + y,
                         .width = width,
                         .height = height};
}
