#include "render/file/frame.h"

#include <ctype.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "render/view/decimal.h"
#include "render/view/view.h"

#define BITS_PER_DIGIT 3.3219280948873626
#define DIGITS_PER_HEX 1.2041199826559248
#define DEGREES (180 / 3.14159265358979323846)

enum { ZOOM_DIGITS = 25, SPARE_BITS = 128, SPARE_PLACES = 40, HEX_EXPONENT_MAX = 800000 };

void frame_destroy(struct frame *frame)
{
    free(frame->re);
    free(frame->im);
    free(frame->zoom);
    *frame = (struct frame){0};
}

/* Text of the number with so many digits. */
static enum status text_of(mpfr_srcptr number, size_t digits, char **text)
{
    mpfr_exp_t exponent = 0;
    char *all = mpfr_get_str(NULL, &exponent, 10, digits, number, MPFR_RNDN);
    *text = all ? decimal_layout(all + (*all == '-'), strlen(all) - (*all == '-'), exponent,
                                 *all == '-')
                : NULL;
    mpfr_free_str(all);
    return *text ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a number");
}

/* Text of a number that has at most so many places. */
static enum status text_of_places(mpfr_srcptr number, long places, char **text)
{
    *text = NULL;
    if (mpfr_zero_p(number)) {
        *text = strdup("0");
        return *text ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a number");
    }
    double whole = floor((double)mpfr_get_exp(number) / BITS_PER_DIGIT) + 2;
    double digits = (double)places + whole;
    if (digits > NUMBER_DIGITS_MAX)
        return status_fail(STATUS_BAD_DATA, "a number has %.0f digits; the most are %d", digits,
                           NUMBER_DIGITS_MAX);
    return text_of(number, digits < 2 ? 2 : (size_t)digits, text);
}

/* ---- decimal numbers ---- */

static mpfr_prec_t precision_of(const char *text)
{
    return (mpfr_prec_t)((double)(strlen(text) + (size_t)decimal_places(text)) * BITS_PER_DIGIT) +
           SPARE_BITS;
}

static enum status number_open(mpfr_ptr number, const char *text)
{
    TRY(number_check(text, "it"));
    if (decimal_places(text) > NUMBER_DIGITS_MAX)
        return status_fail(STATUS_BAD_DATA, "a number has %ld decimal places; the most are %d",
                           decimal_places(text), NUMBER_DIGITS_MAX);
    mpfr_init2(number, precision_of(text));
    mpfr_set_str(number, text, 10, MPFR_RNDN);
    return STATUS_OK;
}

static enum status scaled(double factor, const char *number, char **result,
                          int (*operation)(mpfr_ptr, double, mpfr_srcptr))
{
    mpfr_t value;
    *result = NULL;
    TRY(number_open(value, number));
    enum status status = STATUS_OK;
    if (mpfr_sgn(value) <= 0)
        status = status_fail(STATUS_BAD_DATA, "it must be more than 0");
    else {
        operation(value, factor, value);
        status = text_of(value, ZOOM_DIGITS, result);
    }
    mpfr_clear(value);
    return status;
}

static int multiply(mpfr_ptr product, double factor, mpfr_srcptr number)
{
    return mpfr_mul_d(product, number, factor, MPFR_RNDN);
}

static int divide(mpfr_ptr quotient, double factor, mpfr_srcptr number)
{
    return mpfr_d_div(quotient, factor, number, MPFR_RNDN);
}

enum status frame_product(double factor, const char *number, char **product)
{
    return scaled(factor, number, product, multiply);
}

enum status frame_quotient(double factor, const char *number, char **quotient)
{
    return scaled(factor, number, quotient, divide);
}

/* ---- corners ---- */

static long larger(long a, long b)
{
    return a > b ? a : b;
}

/* Text of (a + b) / 2, which has one place more than a and b. */
static enum status middle(const char *a, const char *b, mpfr_srcptr x, mpfr_srcptr y, char **text)
{
    mpfr_t sum;
    mpfr_prec_t precision = mpfr_get_prec(x) + mpfr_get_prec(y);
    mpfr_init2(sum, precision);
    mpfr_add(sum, x, y, MPFR_RNDN);
    mpfr_div_2ui(sum, sum, 1, MPFR_RNDN);
    enum status status =
        text_of_places(sum, larger(decimal_places(a), decimal_places(b)) + 1, text);
    mpfr_clear(sum);
    return status;
}

/* Vectors along the lower and the left side, in units of the larger of the two. */
struct sides {
    double lower_x, lower_y, left_x, left_y;
};

static void difference(mpfr_ptr to, mpfr_srcptr a, mpfr_srcptr b)
{
    mpfr_init2(to, mpfr_get_prec(a) + mpfr_get_prec(b));
    mpfr_sub(to, a, b, MPFR_RNDN);
}

/* Measures the sides as doubles, whatever their exponent, and the height of the frame as a
 * number. */
static bool sides_measure(mpfr_t value[6], struct sides *sides, mpfr_ptr height)
{
    mpfr_t part[4];
    difference(part[0], value[FRAME_RIGHT], value[FRAME_X]);
    difference(part[1], value[FRAME_BOTTOM], value[FRAME_Y]);
    difference(part[2], value[FRAME_LEFT], value[FRAME_X]);
    difference(part[3], value[FRAME_TOP], value[FRAME_Y]);
    mpfr_hypot(height, part[2], part[3], MPFR_RNDN);
    bool flat = mpfr_zero_p(height) != 0;
    double *const side[] = {&sides->lower_x, &sides->lower_y, &sides->left_x, &sides->left_y};
    for (int i = 0; i < 4; i++) {
        if (!flat)
            mpfr_div(part[i], part[i], height, MPFR_RNDN);
        *side[i] = mpfr_get_d(part[i], MPFR_RNDN);
        mpfr_clear(part[i]);
    }
    return !flat && hypot(sides->lower_x, sides->lower_y) > 0 && isfinite(sides->lower_x) &&
           isfinite(sides->lower_y);
}

static enum status corners_take(struct frame *frame, const char *const text[6], mpfr_t value[6])
{
    struct sides sides;
    mpfr_t height;
    TRY(middle(text[FRAME_LEFT], text[FRAME_RIGHT], value[FRAME_LEFT], value[FRAME_RIGHT],
               &frame->re));
    TRY(middle(text[FRAME_BOTTOM], text[FRAME_TOP], value[FRAME_BOTTOM], value[FRAME_TOP],
               &frame->im));
    mpfr_init2(height, SPARE_BITS);
    enum status status = STATUS_OK;
    if (!sides_measure(value, &sides, height))
        status = status_fail(STATUS_BAD_DATA, "the corners are those of a frame without a %s",
                             mpfr_zero_p(height) ? "height" : "width");
    else {
        mpfr_d_div(height, 4, height, MPFR_RNDN);
        status = text_of(height, ZOOM_DIGITS, &frame->zoom);
        /* An upright left side points along +i. */
        frame->rotation_deg = atan2(-sides.left_x, sides.left_y) * DEGREES + 0.0;
        frame->aspect = hypot(sides.lower_x, sides.lower_y);
        double turn = sides.lower_x * sides.left_y - sides.lower_y * sides.left_x;
        double along = sides.lower_x * sides.left_x + sides.lower_y * sides.left_y;
        frame->corner_deg = atan2(turn, along) * DEGREES;
    }
    mpfr_clear(height);
    return status;
}

enum status frame_of_corners(struct frame *frame, const char *const corner[6])
{
    const char *text[6];
    mpfr_t value[6];
    int opened = 0;
    enum status status = STATUS_OK;
    *frame = (struct frame){0};
    for (int i = 0; i < 6; i++)
        text[i] = corner[i];
    if (!text[FRAME_X]) {
        text[FRAME_X] = text[FRAME_LEFT];
        text[FRAME_Y] = text[FRAME_BOTTOM];
    }
    for (; opened < 6 && status == STATUS_OK; opened++)
        if ((status = number_open(value[opened], text[opened])) != STATUS_OK)
            break;
    if (status == STATUS_OK)
        status = corners_take(frame, text, value);
    for (int i = 0; i < opened; i++)
        mpfr_clear(value[i]);
    if (status != STATUS_OK)
        frame_destroy(frame);
    return status;
}

/* ---- hexadecimal numbers ---- */

struct hexadecimal { /* [+-] digits [. digits] [@ [+-] digits] */
    size_t whole, fraction;
    int64_t exponent;
};

static size_t hex_digits(const char *text)
{
    size_t count = 0;
    while (isxdigit((unsigned char)text[count]))
        count++;
    return count;
}

static bool hex_parse(struct hexadecimal *hex, const char *text)
{
    text += *text == '-' || *text == '+';
    hex->whole = hex_digits(text);
    text += hex->whole;
    hex->fraction = *text == '.' ? hex_digits(text + 1) : 0;
    text += *text == '.' ? hex->fraction + 1 : 0;
    hex->exponent = 0;
    if (*text == '@') {
        text++;
        if (!number_whole_take(&text, &hex->exponent))
            return false;
    }
    return !*text && hex->whole + hex->fraction > 0;
}

enum status frame_hexadecimal(const char *text, char **decimal)
{
    struct hexadecimal hex;
    *decimal = NULL;
    if (!hex_parse(&hex, text))
        return status_fail(STATUS_BAD_DATA,
                           "not a hexadecimal number like -1.8c0f, which may end in @-5");
    if (hex.whole + hex.fraction > NUMBER_DIGITS_MAX || hex.exponent < -HEX_EXPONENT_MAX ||
        hex.exponent > HEX_EXPONENT_MAX)
        return status_fail(STATUS_BAD_DATA,
                           "a hexadecimal number has at most %d digits and an exponent of %d",
                           NUMBER_DIGITS_MAX, HEX_EXPONENT_MAX);
    mpfr_t value;
    mpfr_init2(value, (mpfr_prec_t)(4 * (hex.whole + hex.fraction)) + SPARE_BITS);
    mpfr_set_str(value, text, 16, MPFR_RNDN);
    double places = ceil(((double)hex.fraction - (double)hex.exponent) * DIGITS_PER_HEX);
    enum status status =
        text_of_places(value, places < 0 ? 0 : (long)places + SPARE_PLACES, decimal);
    mpfr_clear(value);
    return status;
}
