#include "app/place_format.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "app/kfr.h"
#include "app/location.h"
#include "render/tif_text.h"

enum { HEAD_LOOKED_AT = 256 };

struct text { /* without its byte-order mark */
    const char *begin, *end;
};

const char *view_kind_name(enum view_kind kind)
{
    static const char *const names[] = {
        [VIEW_INI] = "view file",   [VIEW_LOCATION] = "location file",
        [VIEW_KFR] = "kfr file",    [VIEW_NUMBERS] = "re im zoom text",
        [VIEW_PICTURE] = "picture", [VIEW_FOREIGN] = "file of another program",
        [VIEW_OPTIONS] = "options",
    };
    return names[kind];
}

/* ---- lines ---- */

/* The next line that is neither empty nor a comment, without blanks around it; false: no more.
 * *line is the rest of the text before, and the line after. */
static bool line_next(struct text *rest, struct text *line)
{
    while (rest->begin < rest->end) {
        const char *newline = memchr(rest->begin, '\n', (size_t)(rest->end - rest->begin));
        *line = (struct text){rest->begin, newline ? newline : rest->end};
        rest->begin = newline ? newline + 1 : rest->end;
        while (line->begin < line->end && isspace((unsigned char)*line->begin))
            line->begin++;
        while (line->begin < line->end && isspace((unsigned char)line->end[-1]))
            line->end--;
        if (line->begin < line->end && *line->begin != '#' && *line->begin != ';')
            return true;
    }
    return false;
}

static bool begins(const struct text *text, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(text->end - text->begin) >= length && !strncasecmp(text->begin, with, length);
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Is `test` true of any line? */
static bool any_line(struct text text, bool (*test)(const struct text *line))
{
    struct text line;
    while (line_next(&text, &line))
        if (test(&line))
            return true;
    return false;
}

static bool first_line(struct text text, bool (*test)(const struct text *line))
{
    struct text line;
    return line_next(&text, &line) && test(&line);
}

/* ---- what is no place ---- */

/* scheme://, or www. */
static bool line_is_address(const struct text *line)
{
    const char *at = line->begin;
    if (begins(line, "www."))
        return true;
    while (at < line->end && (isalnum((unsigned char)*at) || is_one_of(*at, "+.-")))
        at++;
    const struct text mark = {at, line->end};
    return at > line->begin && begins(&mark, "://");
}

/* `program = "fraktaler-3"`, or its dotted keys. */
static bool line_is_fraktaler_3(const struct text *line)
{
    static const char word[] = "fraktaler-3";
    if (begins(line, "location.real") || begins(line, "location.imag"))
        return true;
    for (const char *at = line->begin; begins(line, "program") && at < line->end; at++)
        if (begins(&(struct text){at, line->end}, word))
            return true;
    return false;
}

static bool line_is_toml_table(const struct text *line)
{
    return begins(line, "[[");
}

static bool line_ends_in_brace(const struct text *line)
{
    const char *comment = memchr(line->begin, ';', (size_t)(line->end - line->begin));
    const char *end = comment ? comment : line->end;
    while (end > line->begin && isspace((unsigned char)end[-1]))
        end--;
    return end > line->begin + 1 && end[-1] == '{';
}

static bool line_is_lisp(const struct text *line)
{
    return *line->begin == '(';
}

static bool line_is_json(const struct text *line)
{
    const char *next = line->begin + 1;
    while (next < line->end && isspace((unsigned char)*next))
        next++;
    bool inside = next == line->end || is_one_of(*next, "\"{}[]-0123456789");
    return inside && (*line->begin == '{' || (*line->begin == '[' && !begins(line, "[[")));
}

static bool line_is_markup(const struct text *line)
{
    return *line->begin == '<';
}

static bool line_is_gnofract4d(const struct text *line)
{
    return begins(line, "gnofract4d parameter file");
}

static bool line_is_section(const struct text *line)
{
    return *line->begin == '[';
}

static bool line_has_equals(const struct text *line)
{
    return memchr(line->begin, '=', (size_t)(line->end - line->begin));
}

/* By their first bytes. */
static const char *signature_of(const char *bytes, size_t length)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *what;
    } rows[] = {{"\xff\xd8\xff", 3, "a JPEG picture, which has no place inside"},
                {"GIF8", 4, "a GIF picture, which has no place inside"},
                {"\x76\x2f\x31\x01", 4, "an EXR picture, which cannot be read"},
                {"\x93NUMPY", 6, "a NumPy array, which has no place inside"},
                {"%PDF", 4, "a PDF document, not a place"},
                {"PK\x03\x04", 4, "a ZIP archive, not a place"},
                {"\x1f\x8b", 2, "compressed by gzip; unpack it first"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (length >= rows[i].length && !memcmp(bytes, rows[i].bytes, rows[i].length))
            return rows[i].what;
    return NULL;
}

/* Control characters near the beginning; a NUL alone may be an accident in a text. */
static bool is_binary(const struct text *text)
{
    for (const char *at = text->begin; at < text->end && at < text->begin + HEAD_LOOKED_AT; at++)
        if (*at && (unsigned char)*at < ' ' && !isspace((unsigned char)*at))
            return true;
    return false;
}

/* In this order: what comes first is said. */
static const struct {
    bool (*test)(const struct text *line);
    bool (*of)(struct text text, bool (*test)(const struct text *line));
    const char *what;
} foreign[] = {
    {line_is_address, first_line, "a web address, not a place"},
    {line_is_fraktaler_3, any_line, "a Fraktaler-3 file (TOML), which cannot be read"},
    {line_is_toml_table, any_line, "a TOML file, which cannot be read"},
    {line_is_gnofract4d, first_line, "a Gnofract 4D file, which cannot be read"},
    {line_is_markup, first_line, "HTML, XML or SVG, not a place"},
    {line_is_json, first_line, "a JSON text, which cannot be read"},
    {line_is_lisp, first_line, "a position of XaoS (.xpf), which cannot be read"},
    {line_ends_in_brace, first_line,
     "a parameter set of Ultra Fractal or Fractint, which cannot be read"},
};

static const char *foreign_text(struct text text)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (foreign[i].of(text, foreign[i].test))
            return foreign[i].what;
    return NULL;
}

enum view_kind place_format(const char *bytes, size_t length, const char **what)
{
    struct text text = {bytes, bytes + length}, line;
    *what = NULL;
    if (png_text_is_png((const uint8_t *)bytes, length) ||
        tif_text_is_tif((const uint8_t *)bytes, length))
        return VIEW_PICTURE;
    if (begins(&text, "\xef\xbb\xbf")) /* of an editor */
        text.begin += 3;
    if ((*what = signature_of(bytes, length)) || (*what = foreign_text(text)))
        return VIEW_FOREIGN;
    if (any_line(text, line_is_section))
        return VIEW_INI;
    if (location_is_numbers(bytes, length))
        return VIEW_NUMBERS;
    if (kfr_is_one(bytes, length))
        return VIEW_KFR;
    if (!is_binary(&text) && any_line(text, line_has_equals))
        return VIEW_LOCATION;
    *what = is_binary(&text)          ? "a binary file, not a place"
            : line_next(&text, &line) ? "a text, not a place"
                                      : NULL;
    return VIEW_FOREIGN;
}
