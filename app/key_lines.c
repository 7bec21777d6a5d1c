#include "app/key_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/convert.h"

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && isspace((unsigned char)**begin))
        (*begin)++;
    while (*begin < *end && isspace((unsigned char)(*end)[-1]))
        (*end)--;
}

struct reader {
    char separator;
    const char *name;
    enum status (*take)(void *context, const struct key_line *line);
    void *context;
};

static enum status separator_missing(const struct reader *reader, const char *begin,
                                     const char *end, int number)
{
    char shown[SHOWN_BYTES];
    const char *right = reader->separator == '=' ? "key = value" : "Key: value";
    return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not %s", reader->name, number,
                       text_shown_until(begin, end, shown), right);
}

static enum status line_take(const struct reader *reader, const char *begin, const char *end,
                             int number)
{
    trim(&begin, &end);
    if (begin == end)
        return STATUS_OK;
    bool section = reader->separator == '=' && *begin == '[' && end[-1] == ']';
    bool comment = *begin == '#' || *begin == ';' || section;
    const char *separator =
        comment ? begin : memchr(begin, reader->separator, (size_t)(end - begin));
    if (!separator)
        return separator_missing(reader, begin, end, number);
    const char *key_end = separator, *value_begin = comment ? begin : separator + 1;
    trim(&begin, &key_end);
    trim(&value_begin, &end);
    char *key = strndup(begin, (size_t)(key_end - begin));
    char *value = strndup(value_begin, (size_t)(end - value_begin));
    struct key_line line = {reader->name, number, comment ? NULL : key, value};
    enum status status =
        key && value ? reader->take(reader->context, &line)
                     : status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", reader->name);
    free(key);
    free(value);
    return status;
}

enum status key_lines_each(const char *text, size_t length, char separator, const char *name,
                           enum status (*take)(void *context, const struct key_line *line),
                           void *context)
{
    const struct reader reader = {separator, name, take, context};
    const char *nul = memchr(text, '\0', length);
    if (nul)
        return status_fail(STATUS_BAD_DATA, "%s: not a text: byte %zu is NUL", name,
                           (size_t)(nul - text) + 1);
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* byte-order mark of an editor */
        text += 3;
        length -= 3;
    }
    const char *end = text + length;
    int number = 1;
    for (const char *line = text; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        TRY(line_take(&reader, line, newline ? newline : end, number));
        line = newline ? newline + 1 : end;
    }
    return STATUS_OK;
}
