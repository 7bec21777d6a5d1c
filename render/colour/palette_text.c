#include "render/colour/palette_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "render/colour/palette.h"

enum { DIGITS_MAX = 17 };

enum status palette_fail(const struct palette_text *text, const char *format, ...)
{
    char sentence[STATUS_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status_fail(STATUS_BAD_DATA, "palette %.300s, line %d: %s", text->name, text->line,
                       sentence);
}

enum status palette_text_open(struct palette_text *text, const char *bytes, size_t length,
                              const char *name)
{
    const struct text lines = text_lines_of(bytes, length);
    *text = (struct palette_text){.name = name, .at = lines.begin, .end = lines.end, .line = 1};
    if (length > PALETTE_BYTES_MAX)
        return status_fail(STATUS_BAD_DATA, "palette %.300s: %zu bytes; at most %d are read", name,
                           length, PALETTE_BYTES_MAX);
    for (const char *c = text->at; c < text->end; c++) {
        if ((unsigned char)*c < ' ' && *c != '\t' && *c != '\r' && *c != '\n')
            return palette_fail(text, "control character 0x%02x; a palette is plain text",
                                (unsigned)*c);
        text->line += *c == '\n';
    }
    text->line = 0;
    return STATUS_OK;
}

bool palette_line_next(struct palette_text *text, struct text *line)
{
    struct text rest = {text->at, text->end};
    while (text_line_take(&rest, line)) {
        text->at = rest.begin;
        text->line++;
        text_trim(line);
        if (line->begin < line->end)
            return true;
    }
    return false;
}

static bool digit(const struct text *span)
{
    return span->begin < span->end && *span->begin >= '0' && *span->begin <= '9';
}

/* Takes a sign: 1 or -1. */
static int sign_take(struct text *span)
{
    bool minus = span->begin < span->end && *span->begin == '-';
    span->begin += minus || (span->begin < span->end && *span->begin == '+');
    return minus ? -1 : 1;
}

static bool exponent_take(struct text *span, double *scale)
{
    struct text ahead = *span;
    int exponent = 0;
    if (ahead.begin >= ahead.end || (*ahead.begin != 'e' && *ahead.begin != 'E'))
        return true;
    ahead.begin++;
    bool divides = sign_take(&ahead) < 0;
    if (!digit(&ahead))
        return true; /* no exponent: the letter belongs to the next word */
    for (; digit(&ahead); ahead.begin++)
        if ((exponent = exponent * 10 + (*ahead.begin - '0')) > 99)
            return false;
    for (; exponent > 0; exponent--)
        *scale *= divides ? 10 : 0.1;
    span->begin = ahead.begin;
    return true;
}

bool palette_number_take(struct text *span, double *number)
{
    double mantissa = 0, scale = 1;
    int digits = 0;
    bool point = false;
    int sign = sign_take(span);
    for (; span->begin < span->end; span->begin++) {
        if (*span->begin == '.' && !point) {
            point = true;
        } else if (!digit(span)) {
            break;
        } else if (++digits <= DIGITS_MAX) {
            mantissa = mantissa * 10 + (*span->begin - '0');
            scale *= point ? 10 : 1;
        } else if (!point) {
            return false;
        }
    }
    if (digits == 0 || !exponent_take(span, &scale))
        return false;
    *number = sign * mantissa / scale;
    return true;
}

bool palette_whole_take(struct text *span, int low, int high, int *number)
{
    int sign = sign_take(span);
    int64_t value = 0;
    if (!digit(span))
        return false;
    for (; digit(span); span->begin++) {
        value = value * 10 + (*span->begin - '0');
        if (value > INT32_MAX)
            return false;
    }
    value *= sign;
    *number = (int)value;
    return value >= low && value <= high;
}

void palette_text_keep(const struct text *span, char *to, size_t bytes)
{
    size_t length = (size_t)(span->end - span->begin),
           kept = length < bytes - 1 ? length : bytes - 1;
    for (size_t i = 0; i < kept; i++)
        to[i] = span->begin[i] >= ' ' && span->begin[i] <= '~' && span->begin[i] != '"'
                    ? span->begin[i]
                    : '?';
    to[kept] = '\0';
}
