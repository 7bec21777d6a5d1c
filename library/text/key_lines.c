#include "library/text/key_lines.h"

#include <stdlib.h>
#include <string.h>

#include "library/text/convert.h"
#include "render/disk/text_lines.h"

struct reader {
    char separator;
    const char *name;
    enum status (*take)(void *context, const struct key_line *line);
    void *context;
};

static enum status separator_missing(const struct reader *reader, const struct text *line,
                                     int number)
{
    char shown[SHOWN_BYTES];
    const char *right = reader->separator == '=' ? "key = value" : "Key: value";
    return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not %s", reader->name, number,
                       text_shown_until(line->begin, line->end, shown), right);
}

static enum status line_take(const struct reader *reader, struct text line, int number)
{
    text_trim(&line);
    if (line.begin == line.end)
        return STATUS_OK;
    bool section = reader->separator == '=' && *line.begin == '[' && line.end[-1] == ']';
    bool comment = *line.begin == '#' || *line.begin == ';' || section;
    const char *separator =
        comment ? line.begin
                : memchr(line.begin, reader->separator, (size_t)(line.end - line.begin));
    if (!separator)
        return separator_missing(reader, &line, number);
    struct text name = {line.begin, separator}, rest = {separator + !comment, line.end};
    text_trim(&name);
    text_trim(&rest);
    char *key = strndup(name.begin, (size_t)(name.end - name.begin));
    char *value = strndup(rest.begin, (size_t)(rest.end - rest.begin));
    struct key_line taken = {reader->name, number, comment ? NULL : key, value};
    enum status status =
        key && value ? reader->take(reader->context, &taken)
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
    struct text rest = text_lines_of(text, length), line;
    TRY(text_check(text, length, name, STATUS_BAD_DATA));
    for (int number = 1; text_line_take(&rest, &line); number++)
        TRY(line_take(&reader, line, number));
    return STATUS_OK;
}
