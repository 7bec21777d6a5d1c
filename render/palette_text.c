#include "render/palette_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "render/palette.h"

enum { DIGITS_MAX = 17 };

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

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
    static const char mark[] = "\xef\xbb\xbf";
    *text = (struct palette_text){.name = name, .at = bytes, .end = bytes + length, .line = 1};
    if (length > PALETTE_BYTES_MAX)
        return status_fail(STATUS_BAD_DATA, "palette %.300s: %zu bytes; at most %d are read", name,
                           length, PALETTE_BYTES_MAX);
    for (const char *c = bytes; c < text->end; c++) {
        if ((unsigned char)*c < ' ' && !blank(*c) && *c != '\n')
            return palette_fail(text, "control character 0x%02x; a palette is plain text",
                                (unsigned)*c);
        text->line += *c == '\n';
    }
    text->line = 0;
    if (length >= 3 && !memcmp(bytes, mark, 3))
        text->at += 3;
    return STATUS_OK;
}

bool palette_line_next(struct palette_text *text, struct palette_span *line)
{
    while (text->at < text->end) {
        const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
        *line = (struct palette_span){text->at, newline ? newline : text->end};
        text->at = newline ? newline + 1 : text->end;
        text->line++;
        palette_blanks_skip(line);
        while (line->end > line->at && blank(line->end[-1]))
            line->end--;
        if (line->at < line->end)
            return true;
    }
    return false;
}

void palette_blanks_skip(struct palette_span *span)
{
    while (span->at < span->end && blank(*span->at))
        span->at++;
}

bool palette_word_next(struct palette_span *span, struct palette_span *word)
{
    palette_blanks_skip(span);
    word->at = span->at;
    while (span->at < span->end && !blank(*span->at))
        span->at++;
    word->end = span->at;
    return word->at < word->end;
}

static bool digit(const struct palette_span *span)
{
    return span->at < span->end && *span->at >= '0' && *span->at <= '9';
}

/* Takes a sign: 1 or -1. */
static int sign_take(struct palette_span *span)
{
    bool minus = span->at < span->end && *span->at == '-';
    span->at += minus || (span->at < span->end && *span->at == '+');
    return minus ? -1 : 1;
}

static bool exponent_take(struct palette_span *span, double *scale)
{
    struct palette_span ahead = *span;
    int exponent = 0;
    if (ahead.at >= ahead.end || (*ahead.at != 'e' && *ahead.at != 'E'))
        return true;
    ahead.at++;
    bool divides = sign_take(&ahead) < 0;
    if (!digit(&ahead))
        return true; /* no exponent: the letter belongs to what follows */
    for (; digit(&ahead); ahead.at++)
        if ((exponent = exponent * 10 + (*ahead.at - '0')) > 99)
            return false;
    for (; exponent > 0; exponent--)
        *scale *= divides ? 10 : 0.1;
    span->at = ahead.at;
    return true;
}

bool palette_number_take(struct palette_span *span, double *number)
{
    double mantissa = 0, scale = 1;
    int digits = 0;
    bool point = false;
    int sign = sign_take(span);
    for (; span->at < span->end; span->at++) {
        if (*span->at == '.' && !point) {
            point = true;
        } else if (!digit(span)) {
            break;
        } else if (++digits <= DIGITS_MAX) {
            mantissa = mantissa * 10 + (*span->at - '0');
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

bool palette_whole_take(struct palette_span *span, int low, int high, int *number)
{
    int sign = sign_take(span);
    int64_t value = 0;
    if (!digit(span))
        return false;
    for (; digit(span); span->at++) {
        value = value * 10 + (*span->at - '0');
        if (value > INT32_MAX)
            return false;
    }
    value *= sign;
    *number = (int)value;
    return value >= low && value <= high;
}

bool palette_span_begins(const struct palette_span *span, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(span->end - span->at) >= length && !strncasecmp(span->at, with, length);
}

bool palette_span_is(const struct palette_span *span, const char *word)
{
    return palette_span_begins(span, word) && (size_t)(span->end - span->at) == strlen(word);
}

void palette_span_keep(const struct palette_span *span, char *to, size_t bytes)
{
    size_t length = (size_t)(span->end - span->at), kept = length < bytes - 1 ? length : bytes - 1;
    for (size_t i = 0; i < kept; i++)
        to[i] = span->at[i] >= ' ' && span->at[i] <= '~' && span->at[i] != '"' ? span->at[i] : '?';
    to[kept] = '\0';
}
