#include "library/text/toml.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/text/convert.h"
#include "render/disk/text_lines.h"

struct toml {
    const char *name;
    const char *at, *end;
    int line, depth, values;
    struct ini *ini;
    char table[TOML_NAME_MAX + 1]; /* table of the keys that follow; "": none */
};

static enum status value_read(struct toml *toml, const char *key, int line);

static enum status wrong(const struct toml *toml, const char *what)
{
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s", toml->name, toml->line, what);
}

static bool is_next(const struct toml *toml, const char *what)
{
    size_t length = strlen(what);
    return (size_t)(toml->end - toml->at) >= length && !memcmp(toml->at, what, length);
}

static bool mark_take(struct toml *toml, const char *what)
{
    bool there = is_next(toml, what);
    toml->at += there ? strlen(what) : 0;
    return there;
}

static void blanks_skip(struct toml *toml)
{
    while (toml->at < toml->end && (*toml->at == ' ' || *toml->at == '\t'))
        toml->at++;
}

/* Blanks, line ends and comments. */
static void space_skip(struct toml *toml)
{
    for (; toml->at < toml->end; toml->at++) {
        if (*toml->at == '#')
            while (toml->at < toml->end && *toml->at != '\n')
                toml->at++;
        if (toml->at == toml->end || !isspace((unsigned char)*toml->at))
            return;
        toml->line += *toml->at == '\n';
    }
}

static enum status line_end(struct toml *toml)
{
    blanks_skip(toml);
    if (toml->at < toml->end && *toml->at == '#')
        while (toml->at < toml->end && *toml->at != '\n')
            toml->at++;
    mark_take(toml, "\r");
    if (toml->at < toml->end && *toml->at != '\n')
        return wrong(toml, "something follows the value; a line has one key = value");
    return STATUS_OK;
}

/* ---- strings ---- */

/* A backslash at the end of a line joins the next one, without its blanks. */
static bool line_join(struct toml *toml)
{
    const char *next = toml->at;
    while (next < toml->end && (*next == ' ' || *next == '\t' || *next == '\r'))
        next++;
    if (next == toml->end || *next != '\n')
        return false;
    for (; next < toml->end && isspace((unsigned char)*next); next++)
        toml->line += *next == '\n';
    toml->at = next;
    return true;
}

/* What follows a backslash. Characters by their number are of no use in what is read here. */
static enum status escape_take(struct toml *toml, char **out, bool multiline)
{
    static const char letters[] = "btnfr\"\\", means[] = "\b\t\n\f\r\"\\";
    if (multiline && line_join(toml))
        return STATUS_OK;
    if (toml->at < toml->end && (*toml->at == 'u' || *toml->at == 'U')) {
        toml->at++;
        *(*out)++ = '?';
        return STATUS_OK;
    }
    const char *letter = toml->at < toml->end && *toml->at ? strchr(letters, *toml->at) : NULL;
    if (!letter)
        return wrong(toml, "a backslash that no string in TOML may have");
    *(*out)++ = means[letter - letters];
    toml->at++;
    return STATUS_OK;
}

/* The quotes are taken. At most two more may stand before the three that end the string. */
static enum status string_body(struct toml *toml, const char *quotes, char **out)
{
    bool multiline = quotes[1];
    int first = toml->line;
    if (multiline) {
        mark_take(toml, "\r");
        toml->line += mark_take(toml, "\n");
    }
    while (toml->at < toml->end) {
        if (mark_take(toml, quotes)) {
            for (int i = 0; multiline && i < 2 && is_next(toml, (char[]){*quotes, '\0'}); i++)
                *(*out)++ = *toml->at++;
            return STATUS_OK;
        }
        char c = *toml->at++;
        if (c == '\n' && !multiline)
            break;
        toml->line += c == '\n';
        if (c == '\\' && *quotes == '"')
            TRY(escape_take(toml, out, multiline));
        else
            *(*out)++ = c;
    }
    toml->line = first;
    return wrong(toml, "a string that does not end");
}

/* Reads a string; it is never longer than the text, so one allocation is enough. */
static enum status string_read(struct toml *toml, char **string)
{
    static const char *const quotes[] = {"\"\"\"", "'''", "\"", "'"};
    *string = malloc((size_t)(toml->end - toml->at) + 1);
    if (!*string)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", toml->name);
    char *out = *string;
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (mark_take(toml, quotes[i])) {
            enum status status = string_body(toml, quotes[i], &out);
            *out = '\0';
            if (status != STATUS_OK) {
                free(*string);
                *string = NULL;
            }
            return status;
        }
    free(*string);
    *string = NULL;
    return wrong(toml, "a string is missing");
}

/* ---- keys ---- */

static bool is_key_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Appends to *name, which has room for TOML_NAME_MAX characters. */
static enum status name_append(const struct toml *toml, char *name, const char *begin,
                               size_t length)
{
    size_t used = strlen(name), dot = used > 0;
    if (length > TOML_NAME_MAX || used + dot + length > TOML_NAME_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: a key is longer than %d characters", toml->name,
                           toml->line, TOML_NAME_MAX);
    snprintf(name + used, TOML_NAME_MAX + 1 - used, "%s%.*s", dot ? "." : "", (int)length, begin);
    return STATUS_OK;
}

static enum status part_read(struct toml *toml, char *name)
{
    blanks_skip(toml);
    if (is_next(toml, "\"") || is_next(toml, "'")) {
        char *string;
        TRY(string_read(toml, &string));
        enum status status = name_append(toml, name, string, strlen(string));
        free(string);
        return status;
    }
    const char *begin = toml->at;
    while (toml->at < toml->end && is_key_letter(*toml->at))
        toml->at++;
    if (toml->at == begin) {
        char shown[SHOWN_BYTES];
        const char *end = memchr(begin, '\n', (size_t)(toml->end - begin));
        return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not key = value", toml->name,
                           toml->line, text_shown_until(begin, end ? end : toml->end, shown));
    }
    return name_append(toml, name, begin, (size_t)(toml->at - begin));
}

/* a.b."c" appended to a name. */
static enum status key_read(struct toml *toml, char *name)
{
    do
        TRY(part_read(toml, name));
    while (blanks_skip(toml), mark_take(toml, "."));
    return STATUS_OK;
}

/* ---- values ---- */

static bool is_in_array(const char *key)
{
    return strstr(key, "[]");
}

/* `formula[]`: the value is one of a list itself. */
static bool is_of_list(const char *key)
{
    size_t length = strlen(key);
    return length >= 2 && !strcmp(key + length - 2, "[]");
}

static enum status value_add(struct toml *toml, const char *key, const char *value, int line)
{
    if (toml->ini->count >= TOML_KEYS_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: more than %d keys", toml->name, line,
                           TOML_KEYS_MAX);
    const struct ini_entry *earlier = is_in_array(key) ? NULL : ini_find(toml->ini, "", key);
    if (earlier)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", toml->name,
                           line, key, earlier->line);
    return ini_add(toml->ini, "", key, value, line);
}

static enum status pair_read(struct toml *toml, const char *table)
{
    char key[TOML_NAME_MAX + 1];
    int line = toml->line;
    snprintf(key, sizeof key, "%s", table);
    TRY(key_read(toml, key));
    if (!mark_take(toml, "="))
        return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not key = value", toml->name, line,
                           key);
    blanks_skip(toml);
    return value_read(toml, key, line);
}

/* { a = 1, b.c = "" } */
static enum status inline_table_read(struct toml *toml, const char *table)
{
    for (bool first = true;; first = false) {
        space_skip(toml);
        if (mark_take(toml, "}"))
            return STATUS_OK;
        if (!first && !mark_take(toml, ","))
            return wrong(toml, "a comma or } is missing in a { table }");
        space_skip(toml);
        if (!first && mark_take(toml, "}"))
            return STATUS_OK;
        TRY(pair_read(toml, table));
    }
}

static enum status array_read(struct toml *toml, const char *key, int line)
{
    char inside[TOML_NAME_MAX + 3];
    snprintf(inside, sizeof inside, "%s[]", key);
    if (strlen(inside) > TOML_NAME_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: a key is longer than %d characters", toml->name,
                           line, TOML_NAME_MAX);
    for (bool first = true;; first = false) {
        space_skip(toml);
        if (mark_take(toml, "]"))
            return STATUS_OK;
        if (!first && !mark_take(toml, ","))
            return wrong(toml, "a comma or ] is missing in a [list]");
        space_skip(toml);
        if (!first && mark_take(toml, "]"))
            return STATUS_OK;
        TRY(value_read(toml, inside, toml->line));
    }
}

/* A number, a truth value or a date. */
static enum status word_read(struct toml *toml, char **word)
{
    const char *begin = toml->at;
    while (toml->at < toml->end &&
           (isalnum((unsigned char)*toml->at) || (*toml->at && strchr("+-._:", *toml->at))))
        toml->at++;
    if (toml->at == begin)
        return wrong(toml, "a value is missing; text stands in quotes");
    *word = strndup(begin, (size_t)(toml->at - begin));
    return *word ? STATUS_OK
                 : status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", toml->name);
}

static enum status plain_read(struct toml *toml, const char *key, int line)
{
    char *value = NULL;
    TRY(is_next(toml, "\"") || is_next(toml, "'") ? string_read(toml, &value)
                                                  : word_read(toml, &value));
    enum status status = is_of_list(key) ? STATUS_OK : value_add(toml, key, value, line);
    free(value);
    return status;
}

static enum status value_read(struct toml *toml, const char *key, int line)
{
    if (++toml->values > TOML_VALUES_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: more than %d values", toml->name, toml->line,
                           TOML_VALUES_MAX);
    if (!is_next(toml, "[") && !is_next(toml, "{"))
        return plain_read(toml, key, line);
    if (++toml->depth > TOML_DEPTH_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: lists and tables more than %d deep", toml->name,
                           toml->line, TOML_DEPTH_MAX);
    if (is_next(toml, "{") && is_of_list(key))
        TRY(value_add(toml, key, "", toml->line));
    enum status status = mark_take(toml, "[") ? array_read(toml, key, line)
                                              : (toml->at++, inline_table_read(toml, key));
    toml->depth--;
    return status;
}

/* ---- the text ---- */

/* [a.b], or [[a.b]], whose keys are those of a list. */
static enum status table_read(struct toml *toml)
{
    bool list = mark_take(toml, "[[");
    if (!list)
        mark_take(toml, "[");
    toml->table[0] = '\0';
    TRY(key_read(toml, toml->table));
    if (!mark_take(toml, list ? "]]" : "]"))
        return wrong(toml, "not a table; it must be [name] or [[name]]");
    size_t used = strlen(toml->table);
    if (list && used + 2 > TOML_NAME_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: a key is longer than %d characters", toml->name,
                           toml->line, TOML_NAME_MAX);
    if (!list)
        return STATUS_OK;
    memcpy(toml->table + used, "[]", 3);
    return value_add(toml, toml->table, "", toml->line);
}

enum status toml_parse(struct ini *ini, const char *text, size_t length, const char *name)
{
    TRY(text_check(text, length, name, STATUS_BAD_DATA));
    const struct text whole = text_lines_of(text, length);
    struct toml toml = {.name = name, .at = whole.begin, .end = whole.end, .line = 1, .ini = ini};
    for (space_skip(&toml); toml.at < toml.end; space_skip(&toml)) {
        TRY(is_next(&toml, "[") ? table_read(&toml) : pair_read(&toml, toml.table));
        TRY(line_end(&toml));
    }
    return STATUS_OK;
}
