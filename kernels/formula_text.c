#include "kernels/formula_text.h"

#include <math.h>
#include <mpfr.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/number_text.h"

/* ---- the words ---- */

/* What a word makes of a list. */
enum word_kind { WORD_OPERATION, WORD_POWER, WORD_SCALE, WORD_ROTATE, WORD_ADD };

struct word {
    const char *text;
    enum word_kind kind;
    enum formula_operation operation;
};

/* The first word of an operation is the one that formula_text writes. */
static const struct word words[] = {
    {"absx", WORD_OPERATION, OPERATION_ABS_X},  {"absy", WORD_OPERATION, OPERATION_ABS_Y},
    {"negx", WORD_OPERATION, OPERATION_NEG_X},  {"negy", WORD_OPERATION, OPERATION_NEG_Y},
    {"conj", WORD_OPERATION, OPERATION_NEG_Y},  {"swap", WORD_OPERATION, OPERATION_SWAP},
    {"keep", WORD_OPERATION, OPERATION_KEEP},   {"store", WORD_OPERATION, OPERATION_KEEP},
    {"mul", WORD_OPERATION, OPERATION_MUL},     {"sqr", WORD_OPERATION, OPERATION_SQR},
    {"pow", WORD_POWER, OPERATION_SQR},         {"scale", WORD_SCALE, OPERATION_SCALE},
    {"rotate", WORD_ROTATE, OPERATION_SCALE},   {"add", WORD_ADD, OPERATION_ADD},
    {"signy", WORD_OPERATION, OPERATION_SIGN_Y}};
enum { WORDS = sizeof words / sizeof *words };

#define WORDS_LISTED                                                                           \
    "absx, absy, negx, negy, conj, swap, keep, store, mul, signy, sqr, pow N, scale RE [IM], " \
    "rotate DEGREES or add c"

/* ---- reading ---- */

enum kept { KEPT_NOTHING, KEPT_ASKED, KEPT_BY_POWER };

struct reading {
    const char *begin, *at, *end;
    struct formula_lists *own;
    int operations, factors;
    enum kept kept; /* by the current list */
};

/* "line 2, column 7: ..." at `at`. */
__attribute__((format(printf, 3, 4))) static enum status
wrong(const struct reading *reading, const char *at, const char *format, ...)
{
    char says[400], where[64];
    int line = 1;
    const char *line_begin = reading->begin;
    for (const char *i = reading->begin; i < at; i++)
        if (*i == '\n') {
            line++;
            line_begin = i + 1;
        }
    int column = (int)(at - line_begin) + 1;
    if (line > 1)
        snprintf(where, sizeof where, "line %d, column %d", line, column);
    else
        snprintf(where, sizeof where, "column %d", column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(says, sizeof says, format, arguments);
    va_end(arguments);
    return status_fail(STATUS_CONFIG, "%s: %s", where, says);
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* The text at `at`, for a message; no control characters. */
static const char *shown(const struct reading *reading, const char *at, char text[24])
{
    int length = 0;
    while (at + length < reading->end && length < 20 && at[length] > ' ' && at[length] < 127 &&
           !strchr(",;#", at[length]))
        length++;
    if (at == reading->end)
        snprintf(text, 24, "the end");
    else if (length)
        snprintf(text, 24, "'%.*s'", length, at);
    else if (*at == '\n')
        snprintf(text, 24, "the end of the line");
    else if (*at > ' ' && *at < 127)
        snprintf(text, 24, "'%c'", *at);
    else
        snprintf(text, 24, "a byte of %d", (unsigned char)*at);
    return text;
}

static void blanks_skip(struct reading *reading)
{
    while (reading->at < reading->end &&
           (*reading->at == ' ' || *reading->at == '\t' || *reading->at == '\r'))
        reading->at++;
    if (reading->at < reading->end && *reading->at == '#')
        while (reading->at < reading->end && *reading->at != '\n')
            reading->at++;
}

/* Skips blanks, comments and new lines; true: there was a new line. */
static bool lines_skip(struct reading *reading)
{
    bool any = false;
    for (blanks_skip(reading); reading->at < reading->end && *reading->at == '\n';
         blanks_skip(reading)) {
        reading->at++;
        any = true;
    }
    return any;
}

static enum status operation_add(struct reading *reading, const char *at,
                                 enum formula_operation operation)
{
    if (reading->operations == FORMULA_OPERATIONS_MAX)
        return wrong(reading, at, "more than %d operations", FORMULA_OPERATIONS_MAX);
    reading->own->operation[reading->operations++] = operation;
    return STATUS_OK;
}

static enum status number_read(struct reading *reading, const char *what, double *number)
{
    char text[32], says[24];
    blanks_skip(reading);
    const char *at = reading->at;
    size_t length = 0;
    while (at + length < reading->end && is_of_number(at[length]))
        length++;
    bool fits = length < sizeof text;
    snprintf(text, sizeof text, "%.*s", (int)(fits ? length : 0), at);
    const char *end = text;
    if (!number_real_take(&end, number) || *end || !isfinite(*number))
        return wrong(reading, at, "%s is not %s", shown(reading, at, says), what);
    reading->at = at + length;
    return STATUS_OK;
}

/* Is there one more number? */
static bool number_follows(struct reading *reading)
{
    blanks_skip(reading);
    return reading->at < reading->end && is_of_number(*reading->at);
}

int formula_power(int n, enum formula_operation operation[FORMULA_POWER_MAX])
{
    int count = 0, bit = 1;
    while (bit * 2 <= n)
        bit *= 2;
    if (n != bit)
        operation[count++] = OPERATION_KEEP;
    for (bit /= 2; bit; bit /= 2) {
        operation[count++] = OPERATION_SQR;
        if (n & bit)
            operation[count++] = OPERATION_MUL;
    }
    return count;
}

static enum status power_add(struct reading *reading, const char *at)
{
    enum formula_operation operation[FORMULA_POWER_MAX] = {OPERATION_SQR};
    double number;
    TRY(number_read(reading, "the power of pow, a whole number from 2 to 64", &number));
    if (number != floor(number) || number < 2 || number > FORMULA_DEGREE_MAX)
        return wrong(reading, at, "the power of pow is a whole number from 2 to %d",
                     FORMULA_DEGREE_MAX);
    int count = formula_power((int)number, operation);
    if (operation[0] == OPERATION_KEEP)
        reading->kept = KEPT_BY_POWER;
    for (int i = 0; i < count; i++)
        TRY(operation_add(reading, at, operation[i]));
    return STATUS_OK;
}

#define FACTOR_WRONG "a constant of size %g; it must be from 1e-6 to 1e6"
static bool factor_serves(const double factor[2])
{
    double size = fmax(fabs(factor[0]), fabs(factor[1]));
    return size >= 1e-6 && size <= 1e6;
}

static enum status factor_add(struct reading *reading, const char *at, double re, double im)
{
    if (reading->factors == FORMULA_FACTORS_MAX)
        return wrong(reading, at, "more than %d constants", FORMULA_FACTORS_MAX);
    if (!factor_serves((const double[2]){re, im}))
        return wrong(reading, at, FACTOR_WRONG, fmax(fabs(re), fabs(im)));
    reading->own->factor[reading->factors][0] = re + 0.0; /* no -0 */
    reading->own->factor[reading->factors++][1] = im + 0.0;
    return operation_add(reading, at, OPERATION_SCALE);
}

static enum status scale_add(struct reading *reading, const char *at)
{
    double re, im = 0;
    TRY(number_read(reading, "the constant of scale, RE or RE IM", &re));
    if (number_follows(reading))
        TRY(number_read(reading, "the imaginary part of scale's constant", &im));
    return factor_add(reading, at, re, im);
}

/* Cosines and sines of MPFR are the same everywhere. */
static enum status rotate_add(struct reading *reading, const char *at)
{
    double degrees;
    TRY(number_read(reading, "the angle of rotate, in degrees", &degrees));
    if (fabs(degrees) > 360)
        return wrong(reading, at, "an angle of %g degrees; it must be within 360", degrees);
    mpfr_t angle, result;
    mpfr_inits2(53, angle, result, (mpfr_ptr)0);
    mpfr_set_d(angle, degrees, MPFR_RNDN);
    mpfr_cosu(result, angle, 360, MPFR_RNDN);
    double re = mpfr_get_d(result, MPFR_RNDN);
    mpfr_sinu(result, angle, 360, MPFR_RNDN);
    double im = mpfr_get_d(result, MPFR_RNDN);
    mpfr_clears(angle, result, (mpfr_ptr)0);
    return factor_add(reading, at, re, im);
}

static enum status plain_add(struct reading *reading, const char *at,
                             enum formula_operation operation)
{
    bool multiplies = operation == OPERATION_MUL;
    if (operation == OPERATION_KEEP)
        reading->kept = KEPT_ASKED;
    if (!multiplies && operation != OPERATION_SIGN_Y)
        return operation_add(reading, at, operation);
    if (reading->kept == KEPT_NOTHING)
        return wrong(reading, at,
                     "%s what was kept, and nothing was: put keep before it in this list",
                     multiplies ? "mul multiplies by" : "signy takes the sign of");
    if (reading->kept == KEPT_BY_POWER)
        return wrong(reading, at, "pow has kept another value before this %s; put keep between",
                     multiplies ? "mul" : "signy");
    return operation_add(reading, at, operation);
}

static enum status word_add(struct reading *reading)
{
    char says[24];
    const char *at = reading->at;
    size_t length = 0;
    while (at + length < reading->end && is_letter(at[length]))
        length++;
    int w = 0;
    while (w < WORDS && (strlen(words[w].text) != length || memcmp(words[w].text, at, length)))
        w++;
    if (w == WORDS)
        return wrong(reading, at, "%s %s; expected " WORDS_LISTED,
                     *shown(reading, at, says) == '\'' ? "unknown operation"
                                                       : "an operation is missing before",
                     says);
    reading->at = at + length;
    switch (words[w].kind) {
    case WORD_OPERATION:
        return plain_add(reading, at, words[w].operation);
    case WORD_POWER:
        return power_add(reading, at);
    case WORD_SCALE:
        return scale_add(reading, at);
    case WORD_ROTATE:
        return rotate_add(reading, at);
    case WORD_ADD:
        blanks_skip(reading);
        if (reading->at < reading->end && *reading->at == 'c')
            reading->at++;
        break;
    }
    return operation_add(reading, at, OPERATION_ADD);
}

/* Ends a list, whose last operation stands at `at`. */
static enum status list_end(struct reading *reading, const char *at)
{
    struct formula_lists *own = reading->own;
    if (own->phases == FORMULA_PHASES_MAX)
        return wrong(reading, at, "more than %d lists", FORMULA_PHASES_MAX);
    own->end[own->phases++] = reading->operations;
    reading->kept = KEPT_NOTHING;
    const struct formula formula = {.step = STEP_OWN, .own = *own};
    if (formula_phase(&formula, own->phases - 1).degree > FORMULA_DEGREE_MAX)
        return wrong(reading, at, "a list of degree %d; %d is the most",
                     formula_phase(&formula, own->phases - 1).degree, FORMULA_DEGREE_MAX);
    return STATUS_OK;
}

static enum status lists_read(struct reading *reading)
{
    char says[24];
    lines_skip(reading);
    for (;;) {
        const char *at = reading->at;
        TRY(word_add(reading));
        bool line = lines_skip(reading);
        bool ends = reading->at == reading->end || *reading->at == ';';
        if (ends)
            TRY(list_end(reading, at));
        if (reading->at == reading->end)
            return STATUS_OK;
        if (*reading->at == ',' || *reading->at == ';') {
            reading->at++;
            lines_skip(reading);
        } else if (!line) {
            return wrong(reading, reading->at, "%s after an operation; expected ',' or ';'",
                         shown(reading, reading->at, says));
        }
    }
}

static bool adds_c(const struct formula_lists *own)
{
    for (int i = 0; i < own->end[own->phases - 1]; i++)
        if (own->operation[i] == OPERATION_ADD)
            return true;
    return false;
}

/* Does a list multiply by what it has not kept? */
static bool lacks_keep(const struct formula_phase *list)
{
    for (int i = 0; i < list->operations; i++) {
        if (list->operation[i] == OPERATION_KEEP)
            return false;
        if (list->operation[i] == OPERATION_MUL)
            return true;
    }
    return false;
}

/* Is a sign given to a y that is no multiple of the kept one, so that it would jump? */
static bool sign_jumps(const struct formula_phase *list)
{
    bool multiple = false;
    for (int i = 0; i < list->operations; i++) {
        enum formula_operation operation = list->operation[i];
        if (operation == OPERATION_SIGN_Y && !multiple)
            return true;
        multiple = operation == OPERATION_KEEP ||
                   (multiple && operation != OPERATION_SWAP && operation != OPERATION_SCALE &&
                    operation != OPERATION_ADD);
    }
    return false;
}

static enum status lists_check(const struct formula *made)
{
    if (!adds_c(&made->own))
        return status_fail(STATUS_CONFIG, "c is not added anywhere; put add c into a list");
    for (int i = 0, factors = 0; i < made->own.end[made->own.phases - 1]; i++) {
        const double *factor = made->own.factor[factors];
        if (made->own.operation[i] != OPERATION_SCALE)
            continue;
        if (!factor_serves(factor))
            return status_fail(STATUS_CONFIG, FACTOR_WRONG, fmax(fabs(factor[0]), fabs(factor[1])));
        factors++;
    }
    for (int p = 0; p < made->own.phases; p++) {
        struct formula_phase list = formula_phase(made, p);
        if (list.degree > FORMULA_DEGREE_MAX)
            return status_fail(STATUS_CONFIG, "list %d has degree %d; %d is the most", p + 1,
                               list.degree, FORMULA_DEGREE_MAX);
        if (lacks_keep(&list))
            return status_fail(STATUS_CONFIG,
                               "list %d multiplies by what was kept, and nothing was", p + 1);
        if (sign_jumps(&list))
            return status_fail(STATUS_CONFIG,
                               "list %d gives a sign to a y that is no multiple of the kept one; "
                               "put swap, scale and add before its keep or behind signy",
                               p + 1);
    }
    return STATUS_OK;
}

/* The row that has these operations; STEP_OWN: none has. */
static enum formula_step row_of(const struct formula *formula)
{
    const struct formula_lists *own = &formula->own;
    for (int step = 0; step < FORMULA_STEPS && own->phases == 1; step++)
        if (formula_kinds[step].operations == own->end[0] &&
            !memcmp(formula_kinds[step].operation, own->operation,
                    (size_t)own->end[0] * sizeof *own->operation))
            return (enum formula_step)step;
    return STEP_OWN;
}

static bool name_read(struct formula *formula, const char *text, size_t length)
{
    const char *name;
    for (int i = 0; (name = formula_name_at(i, formula)); i++)
        if (strlen(name) == length && !memcmp(name, text, length))
            return true;
    return false;
}

enum status formula_of_lists(struct formula *formula, const struct formula_lists *lists)
{
    struct formula made = {.step = STEP_OWN, .own = *lists};
    double bailout;
    TRY(lists_check(&made));
    enum formula_step row = row_of(&made);
    if (row != STEP_OWN)
        made = (struct formula){.step = row};
    TRY(formula_least_bailout(&made, &bailout));
    *formula = made;
    return STATUS_OK;
}

enum status formula_of_text(struct formula *formula, const char *text, size_t length)
{
    struct formula_lists lists = {.phases = 0};
    struct reading reading = {.begin = text, .at = text, .end = text + length, .own = &lists};
    if (name_read(formula, text, length))
        return STATUS_OK;
    TRY(lists_read(&reading));
    return formula_of_lists(formula, &lists);
}

/* ---- writing ---- */

static const char *word_of(enum formula_operation operation)
{
    int w = 0;
    while (words[w].operation != operation || words[w].kind == WORD_POWER)
        w++;
    return words[w].text;
}

const char *formula_text(const struct formula *formula, char text[FORMULA_TEXT_BYTES])
{
    const struct formula_lists *own = &formula->own;
    char re[NUMBER_TEXT_BYTES], im[NUMBER_TEXT_BYTES];
    int length = 0, factors = 0, phase = 0;
    if (formula->step != STEP_OWN) {
        snprintf(text, FORMULA_TEXT_BYTES, "%s", formula_name(formula));
        return text;
    }
    for (int i = 0; i < own->end[own->phases - 1]; i++) {
        bool begins = i == own->end[phase];
        phase += begins;
        length += snprintf(text + length, (size_t)(FORMULA_TEXT_BYTES - length), "%s%s",
                           i == 0   ? ""
                           : begins ? "; "
                                    : ", ",
                           word_of(own->operation[i]));
        if (own->operation[i] == OPERATION_ADD)
            length += snprintf(text + length, (size_t)(FORMULA_TEXT_BYTES - length), " c");
        if (own->operation[i] != OPERATION_SCALE)
            continue;
        const double *factor = own->factor[factors++];
        length += snprintf(text + length, (size_t)(FORMULA_TEXT_BYTES - length), " %s%s%s",
                           number_shortest(factor[0], 1, re), factor[1] != 0 ? " " : "",
                           factor[1] != 0 ? number_shortest(factor[1], 1, im) : "");
    }
    return text;
}

const char *formula_says(const struct formula *formula, char text[FORMULA_TEXT_BYTES])
{
    return formula->step == STEP_OWN ? formula_text(formula, text) : formula_summary(formula);
}
