#include "library/text/convert.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"
#include "render/disk/text_lines.h"
#include "render/view/view.h"

/* The bytes of the character that begins at `at`, and which it is; 1 of what is no UTF-8. */
static size_t character_at(const char *at, const char *end, unsigned *character)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*at;
    *character = first;
    size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    if (bytes == 1 || (size_t)(end - at) < bytes)
        return 1;
    unsigned made = first - lead[bytes];
    for (size_t i = 1; i < bytes; i++) {
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return 1;
        made = made << 6 | ((unsigned char)at[i] & 0x3f);
    }
    if (made < least[bytes] || made > 0x10ffff)
        return 1;
    *character = made;
    return bytes;
}

const char *text_shown_until(const char *text, const char *end, char shown[SHOWN_BYTES])
{
    enum { MOST = 40 };
    size_t length = 0;
    while (text < end) {
        unsigned character;
        char one[16];
        size_t bytes = character_at(text, end, &character);
        if (bytes > 1)
            snprintf(one, sizeof one, "<U+%04X>", character);
        else
            snprintf(one, sizeof one, "%c", isprint((unsigned char)*text) ? *text : '?');
        size_t more = strlen(one);
        if (length + more > MOST)
            break;
        memcpy(shown + length, one, more);
        length += more;
        text += bytes;
    }
    snprintf(shown + length, SHOWN_BYTES - length, "%s", text < end ? "..." : "");
    return shown;
}

const char *text_shown(const char *text, char shown[SHOWN_BYTES])
{
    return text_shown_until(text, text + strlen(text), shown);
}

/* Does an underscore stand between two digits, as in 10_000? */
static bool groups_digits(const char *text, const char *at)
{
    return at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]);
}

size_t text_minus_plain(char *text, size_t length)
{
    enum { BYTES = sizeof TEXT_MINUS - 1 };
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        bool is = length - i >= BYTES && !memcmp(text + i, TEXT_MINUS, BYTES);
        text[kept++] = is ? '-' : text[i];
        i += is ? BYTES - 1 : 0;
    }
    return kept;
}

enum status convert_ungrouped(const char *text, char **plain)
{
    size_t length = 0;
    *plain = malloc(strlen(text) + 1);
    if (!*plain)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a number");
    for (const char *at = text; *at; at++)
        if (*at != '_' || !groups_digits(text, at))
            (*plain)[length++] = *at;
    (*plain)[text_minus_plain(*plain, length)] = '\0';
    return STATUS_OK;
}

enum whole { WHOLE_FITS, WHOLE_TOO_LARGE, WHOLE_NOT };

/* Appends a digit to a number that is not positive, so that INT64_MIN can be reached. */
static bool digit_append(int64_t *number, int digit)
{
    return !__builtin_mul_overflow(*number, (int64_t)10, number) &&
           !__builtin_sub_overflow(*number, (int64_t)digit, number);
}

/* A decimal number whose value is whole: 12, 1e6, 1.5e3, 20e-1. In integers, because doubles would
 * round what is beyond 2^53. */
static enum whole whole_read(const char *text, int64_t *value)
{
    if (number_check(text, "it") != STATUS_OK)
        return WHOLE_NOT;
    const char *exponent = strpbrk(text, "eE"), *point = strchr(text, '.');
    const char *end = exponent ? exponent : text + strlen(text);
    /* Digits before the decimal point, once the exponent has moved it. */
    long places = (long)((point ? point : end) - text) - (*text == '+' || *text == '-') +
                  (exponent ? number_whole(exponent + 1) : 0);
    int64_t number = 0;
    bool fits = true;
    for (const char *at = text; at < end; at++) {
        if (!isdigit((unsigned char)*at))
            continue;
        if (places-- <= 0 && *at != '0')
            return WHOLE_NOT;
        fits = fits && (places < 0 || digit_append(&number, *at - '0'));
    }
    while (fits && number && places-- > 0)
        fits = digit_append(&number, 0);
    if (!fits || (*text != '-' && __builtin_sub_overflow((int64_t)0, number, &number)))
        return WHOLE_TOO_LARGE;
    *value = number;
    return WHOLE_FITS;
}

enum status convert_integer(const char *text, int64_t least, int64_t most, int64_t *value)
{
    int64_t number = 0;
    enum whole whole = whole_read(text, &number);
    if (whole == WHOLE_NOT)
        return status_fail(STATUS_CONFIG, "not a whole number; it must be %lld ... %lld",
                           (long long)least, (long long)most);
    if (whole == WHOLE_TOO_LARGE || number < least || number > most)
        return status_fail(STATUS_CONFIG, "out of range; it must be %lld ... %lld",
                           (long long)least, (long long)most);
    *value = number;
    return STATUS_OK;
}

enum status convert_real(const char *text, double low, double high, double *value)
{
    if (number_check(text, "it") != STATUS_OK)
        return status_fail(STATUS_CONFIG, "not a decimal number; it must be %g ... %g", low, high);
    double number = number_real(text);
    if (!(number >= low && number <= high))
        return status_fail(STATUS_CONFIG, "out of range; it must be %g ... %g", low, high);
    *value = number;
    return STATUS_OK;
}

enum status convert_point(const char *text, double low, double high, double *re, double *im)
{
    const char *comma = strchr(text, ',');
    char *first = comma ? strndup(text, (size_t)(comma - text)) : NULL;
    double real = 0, imaginary = 0;
    if (!comma)
        return status_fail(STATUS_CONFIG, "no point of the plane; it must be RE,IM: -0.8,0.156");
    if (!first)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a number");
    enum status status = convert_real(first, low, high, &real);
    free(first);
    TRY(status);
    TRY(convert_real(comma + 1, low, high, &imaginary));
    *re = real;
    *im = imaginary;
    return STATUS_OK;
}

enum status convert_boolean(const char *text, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i])) {
            *value = i % 2;
            return STATUS_OK;
        }
    return status_fail(STATUS_CONFIG, "must be true, false, yes, no, on, off, 1 or 0");
}

enum status convert_text(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length > most)
        return status_fail(STATUS_CONFIG, "longer than %zu characters", most);
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~' || text[i] == '"')
            return status_fail(STATUS_CONFIG,
                               "character %zu is not printable ASCII, or a double quote", i + 1);
    return STATUS_OK;
}

/* A list of many is cut. */
enum { CHOICES_ALL = 16, CHOICES_SOME = 4 };

void convert_choices(const char *(*choice)(int), char *text, size_t bytes)
{
    size_t used = 0;
    int count = 0;
    while (choice(count))
        count++;
    int shown = count > CHOICES_ALL ? CHOICES_SOME : count;
    text[0] = '\0';
    for (int i = 0; i < shown && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", choice(i));
    if (shown < count && used < bytes)
        snprintf(text + used, bytes - used, " and %d others", count - shown);
}

enum status convert_choice(const char *text, const char *(*choice)(int), int64_t *number)
{
    struct spelling spelling = spelling_of(text);
    char known[256], hint[96];
    for (int i = 0; choice(i); i++) {
        if (!strcmp(text, choice(i))) {
            *number = i;
            return STATUS_OK;
        }
        spelling_offer(&spelling, choice(i));
    }
    convert_choices(choice, known, sizeof known);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_CONFIG, "unknown; known: %s%s", known, hint);
}

#define FORMULA_SUFFIX ".formula"
enum { FORMULA_FILE_MAX = 16 * 1024 };

/* A name, or something like one: BurningShip, burning-ship. */
static bool is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '-')
        length++;
    return length && !text[length];
}

static enum status name_check(const char *text, const char *(*choice)(int))
{
    char lower[64];
    int64_t number;
    size_t length = 0;
    for (; text[length] && length + 1 < sizeof lower; length++)
        lower[length] = text[length] == '-' ? '_' : (char)tolower((unsigned char)text[length]);
    lower[length] = '\0';
    enum status status = convert_choice(lower, choice, &number);
    if (status != STATUS_OK || !strcmp(text, lower))
        return status;
    return status_fail(STATUS_CONFIG, "unknown; did you mean '%s'?", lower);
}

/* Are they the same but for blanks? */
static bool is_spaced(const char *text, const char *summary)
{
    for (;; text++, summary++) {
        text += strspn(text, " ");
        summary += strspn(summary, " ");
        if (*text != *summary)
            return false;
        if (!*text)
            return true;
    }
}

/* Somebody wrote mathematics: which row is it? */
static enum status mathematics_refuse(const char *text)
{
    struct formula formula;
    const char *name = NULL;
    for (int i = 0; (name = formula_name_at(i, &formula)); i++)
        if (is_spaced(text, formula_summary(&formula)))
            break;
    return status_fail(STATUS_CONFIG,
                       "not a name, and not a list of operations, as 'sqr, add c' is for z^2 + c "
                       "(deepfield help formulas)%s%s%s",
                       name ? "; did you mean '" : "", name ? name : "", name ? "'?" : "");
}

static enum status operations_check(const char *text)
{
    struct formula formula;
    enum status status = formula_of_text(&formula, text, strlen(text));
    return status == STATUS_CONFIG && strpbrk(text, "^|(=*") ? mathematics_refuse(text) : status;
}

static enum status formula_file(const char *path, struct formula *formula)
{
    char *bytes = NULL;
    size_t length;
    TRY(text_file_read(path, FORMULA_FILE_MAX, &bytes, &length));
    struct text text = text_lines_of(bytes, length); /* without the mark of an editor */
    enum status status = formula_of_text(formula, text.begin, (size_t)(text.end - text.begin));
    free(bytes);
    return status == STATUS_OK ? status
                               : status_fail(STATUS_BAD_DATA, "%s: %s", path, status_text());
}

enum status convert_formula(const char *text, const char *(*choice)(int), bool files, char **kept)
{
    struct formula formula;
    char made[FORMULA_TEXT_BYTES];
    size_t length = strlen(text), suffix = strlen(FORMULA_SUFFIX);
    *kept = NULL;
    if (is_name(text))
        TRY(name_check(text, choice));
    if (length < suffix || strcmp(text + length - suffix, FORMULA_SUFFIX) != 0) {
        TRY(operations_check(text));
        TRY(formula_of_text(&formula, text, length));
    } else if (files)
        TRY(formula_file(text, &formula));
    else
        return status_fail(STATUS_CONFIG, "a place has operations here, not the name of a file");
    *kept = strdup(formula_text(&formula, made));
    return *kept ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a formula");
}
