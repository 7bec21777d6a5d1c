#include "render/view/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"

#define LOG10_OF_2 0.30102999566398120

enum {
    ADDED_DIGITS = 60, /* digits that decimal_add takes of a number of 192 bits */
    TAKEN_DIGITS = 70, /* digits that decimal_get takes for such a number */
    SAME_BYTES = 1024, /* bytes compared at once */
    PLAIN_LEAST = -5,  /* least exponent that is written out as zeros */
    PLAIN_MOST = 21    /* largest exponent that is written out; more zeros are harder to read */
};

/* ---- text to digits ---- */

struct mantissa { /* parts of a text: whole digits, then those behind the point */
    const char *whole, *fraction;
    long whole_count, fraction_count;
    long exponent;
    bool minus;
};

static struct mantissa mantissa_of(const char *text)
{
    struct mantissa mantissa = {.minus = *text == '-'};
    mantissa.whole = text + (*text == '-' || *text == '+');
    mantissa.whole_count = (long)strspn(mantissa.whole, "0123456789");
    const char *end = mantissa.fraction = mantissa.whole + mantissa.whole_count;
    if (*end == '.') {
        mantissa.fraction++;
        mantissa.fraction_count = (long)strcspn(mantissa.fraction, "eE");
        end = mantissa.fraction + mantissa.fraction_count;
    }
    if (*end)
        mantissa.exponent = number_whole(end + 1);
    return mantissa;
}

/* Copies the digits of a part that begins at `begin`, as far as they lie within `from` and `from +
 * count`. */
static void digits_copy(char *to, long from, long count, const char *digits, long begin,
                        long length)
{
    long low = from > begin ? from : begin;
    long high = from + count < begin + length ? from + count : begin + length;
    if (low < high)
        memcpy(to + (low - from), digits + (low - begin), (size_t)(high - low));
}

static void mantissa_copy(char *to, const struct mantissa *mantissa, long from, long count)
{
    memset(to, '0', (size_t)count);
    digits_copy(to, from, count, mantissa->whole, 0, mantissa->whole_count);
    digits_copy(to, from, count, mantissa->fraction, mantissa->whole_count,
                mantissa->fraction_count);
}

static long digits_all(const struct decimal *decimal)
{
    return DECIMAL_WHOLE + decimal->places;
}

/* Adds one to the last place. The first digits are 0, so the carry ends. */
static void round_up(struct decimal *decimal)
{
    char *at = decimal->digit + digits_all(decimal) - 1;
    for (; *at == '9'; at--)
        *at = '0';
    ++*at;
}

bool decimal_open(struct decimal *decimal, const char *text, long places)
{
    struct mantissa mantissa = mantissa_of(text);
    *decimal = (struct decimal){.places = places, .minus = mantissa.minus};
    long count = digits_all(decimal), point = mantissa.whole_count + mantissa.exponent;
    char *digit = decimal->digit = malloc((size_t)count + 1);
    if (!digit)
        return false;
    mantissa_copy(digit, &mantissa, point - DECIMAL_WHOLE, count + 1);
    if (digit[count] >= '5')
        round_up(decimal);
    return true;
}

void decimal_close(struct decimal *decimal)
{
    free(decimal->digit);
    *decimal = (struct decimal){.digit = NULL};
}

long decimal_places(const char *text)
{
    struct mantissa mantissa = mantissa_of(text);
    long places = mantissa.fraction_count - mantissa.exponent;
    return places > 0 ? places : 0;
}

void decimal_round(struct decimal *decimal, long places)
{
    if (places >= decimal->places)
        return;
    decimal->places = places;
    if (decimal->digit[digits_all(decimal)] >= '5')
        round_up(decimal);
}

/* ---- sums ---- */

/* Adds (way 1) or subtracts (way -1) `count` digits at `first`. True: the result is below 0, and
 * the digits are its complement (10^room more). */
static bool digits_combine(char *digit, long first, const char *digits, long count, int way)
{
    int carry = 0;
    for (long i = first + count; i-- > 0 && (i >= first || carry);) {
        int sum = digit[i] - '0' + carry + (i >= first ? way * (digits[i - first] - '0') : 0);
        carry = sum > 9 ? 1 : sum < 0 ? -1 : 0;
        digit[i] = (char)('0' + sum - 10 * carry);
    }
    return carry < 0;
}

/* Complements the digits: 10^count less them. */
static void digits_complement(char *digit, long count)
{
    long last = count - 1;
    while (last > 0 && digit[last] == '0')
        last--;
    for (long i = 0; i < last; i++)
        digit[i] = (char)('0' + '9' - digit[i]);
    if (digit[last] != '0')
        digit[last] = (char)('0' + 10 - (digit[last] - '0'));
}

void decimal_add(struct decimal *decimal, mpfr_srcptr number)
{
    if (!mpfr_regular_p(number))
        return;
    double wanted = (double)mpfr_get_exp(number) * LOG10_OF_2 + (double)decimal->places + 1;
    if (wanted < 1)
        return;
    size_t count = wanted < 2 ? 2 : wanted < ADDED_DIGITS ? (size_t)wanted : ADDED_DIGITS;
    char digits[ADDED_DIGITS + 3];
    mpfr_exp_t exponent;
    mpfr_get_str(digits, &exponent, 10, count, number, MPFR_RNDN);
    bool minus = *digits == '-';
    long first = DECIMAL_WHOLE - (long)exponent, all = digits_all(decimal);
    long fit = all - first < (long)count ? all - first : (long)count;
    if (fit > 0 && digits_combine(decimal->digit, first, digits + minus, fit,
                                  minus == decimal->minus ? 1 : -1)) {
        digits_complement(decimal->digit, all);
        decimal->minus = !decimal->minus;
    }
}

/* Length of the common beginning of two numbers; at most a few digits less. */
static long digits_same(const char *a, const char *b, long count)
{
    long same = 0;
    while (same + SAME_BYTES <= count && !memcmp(a + same, b + same, SAME_BYTES))
        same += SAME_BYTES;
    return same;
}

void decimal_subtract(struct decimal *decimal, const struct decimal *other)
{
    long all = digits_all(decimal);
    if (decimal->minus != other->minus) {
        digits_combine(decimal->digit, 0, other->digit, all, 1);
        return;
    }
    long same = digits_same(decimal->digit, other->digit, all);
    memset(decimal->digit, '0', (size_t)same);
    if (digits_combine(decimal->digit + same, 0, other->digit + same, all - same, -1)) {
        digits_complement(decimal->digit + same, all - same);
        decimal->minus = !decimal->minus;
    }
}

/* ---- digits to numbers and text ---- */

static long digits_leading_zeros(const struct decimal *decimal)
{
    static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
    long all = digits_all(decimal), at = 0, many = sizeof zeros - 1;
    while (at + many <= all && !memcmp(decimal->digit + at, zeros, (size_t)many))
        at += many;
    while (at < all && decimal->digit[at] == '0')
        at++;
    return at;
}

void decimal_get(mpfr_ptr number, const struct decimal *decimal)
{
    char text[TAKEN_DIGITS + 32];
    long first = digits_leading_zeros(decimal), count = digits_all(decimal) - first;
    if (count > TAKEN_DIGITS)
        count = TAKEN_DIGITS;
    snprintf(text, sizeof text, "%s0%.*se%ld", decimal->minus ? "-" : "", (int)count,
             decimal->digit + first, DECIMAL_WHOLE - first - count);
    mpfr_set_str(number, text, 10, MPFR_RNDN);
}

char *decimal_text(const struct decimal *decimal)
{
    long first = digits_leading_zeros(decimal);
    return decimal_layout(decimal->digit + first, (size_t)(digits_all(decimal) - first),
                          DECIMAL_WHOLE - first, decimal->minus);
}

static char *digits_put(char *at, const char *digits, size_t count)
{
    memcpy(at, digits, count);
    return at + count;
}

static char *put_zeros(char *at, size_t count)
{
    memset(at, '0', count);
    return at + count;
}

/* Lays out the digits without printf of MPFR, which would take the decimal point of the locale,
 * which a window library may set for a moment. */
char *decimal_layout(const char *digits, size_t count, long exponent, bool minus)
{
    while (count > 0 && digits[count - 1] == '0')
        count--;
    if (count == 0)
        return strdup("0");
    bool plain = exponent > PLAIN_LEAST && exponent <= PLAIN_MOST;
    size_t whole = !plain ? 1 : exponent > 0 ? (size_t)exponent : 0;
    char *text = malloc(count + 64), *at = text;
    if (!text)
        return NULL;
    if (minus)
        *at++ = '-';
    if (!whole) {
        at = put_zeros(digits_put(at, "0.", 2), (size_t)-exponent);
        at = digits_put(at, digits, count);
    } else if (count <= whole)
        at = put_zeros(digits_put(at, digits, count), whole - count);
    else {
        at = digits_put(digits_put(at, digits, whole), ".", 1);
        at = digits_put(at, digits + whole, count - whole);
    }
    *at = '\0';
    if (!plain)
        snprintf(at, 28, "e%ld", exponent - 1);
    return text;
}
