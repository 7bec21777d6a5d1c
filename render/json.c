#include "render/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at `text`, or 0 if it is none (RFC 3629: overlong forms,
 * surrogates and what lies beyond U+10FFFF are none). */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char first = text[0], second = first ? text[1] : 0;
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static void quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        if (length == 0)
            fputs("\\ufffd", stream);
        else if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else if (*at < ' ' || *at == 0x7f)
            fprintf(stream, "\\u%04x", *at);
        else
            fwrite(at, 1, length, stream);
        at += length ? length : 1;
    }
    fputc('"', stream);
}

/* The comma and the key before an element. */
static FILE *begin(struct json *json, const char *key)
{
    if (json->follows)
        fputc(',', json->stream);
    json->follows = true;
    if (key) {
        quoted(json->stream, key);
        fputc(':', json->stream);
    }
    return json->stream;
}

void json_open(struct json *json, const char *key, char bracket)
{
    fputc(bracket, begin(json, key));
    json->follows = false;
}

void json_close(struct json *json, char bracket)
{
    fputc(bracket, json->stream);
    json->follows = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
    FILE *stream = begin(json, key);
    if (text)
        quoted(stream, text);
    else
        fputs("null", stream);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    fprintf(begin(json, key), "%" PRId64, value);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    fprintf(begin(json, key), "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, double value)
{
    FILE *stream = begin(json, key);
    char text[32];
    if (!isfinite(value)) {
        fputs("null", stream);
        return;
    }
    snprintf(text, sizeof text, "%.15g", value); /* 0.1 rather than 0.10000000000000001 */
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fputs(text, stream);
}

void json_boolean(struct json *json, const char *key, bool value)
{
    fputs(value ? "true" : "false", begin(json, key));
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
    fprintf(begin(json, key), "\"%016" PRIx64 "\"", value);
}
