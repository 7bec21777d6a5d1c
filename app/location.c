#include "app/location.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/convert.h"
#include "app/nearest.h"

/* What a location file calls the keys of [view]. */
static const char *const names[][2] = {
    {"re", "re"}, {"im", "im"}, {"zoom", "zoom"}, {"iterations", "limit"}};

enum { NAMES = sizeof names / sizeof *names };

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && isspace((unsigned char)**begin))
        (*begin)++;
    while (*begin < *end && isspace((unsigned char)(*end)[-1]))
        (*end)--;
}

/* A comment never makes a file unreadable, so a credit that cannot be one is left out. */
static enum status credit_take(struct ini *ini, const char *begin, const char *end, int line)
{
    static const char mark[] = "# credit:";
    if ((size_t)(end - begin) < sizeof mark || memcmp(begin, mark, sizeof mark - 1) ||
        ini_find(ini, "view", "credit"))
        return STATUS_OK;
    begin += sizeof mark - 1;
    trim(&begin, &end);
    char *text = strndup(begin, (size_t)(end - begin));
    if (!text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a credit");
    enum status status = STATUS_OK;
    if (convert_text(text) == STATUS_OK)
        status = ini_add(ini, "view", "credit", text, line);
    free(text);
    return status;
}

static enum status key_unknown(const char *key, const char *name, int line)
{
    char shown[SHOWN_BYTES], hint[96];
    struct nearest nearest = nearest_to(key);
    for (int i = 0; i < NAMES; i++)
        nearest_offer(&nearest, names[i][0]);
    nearest_hint(&nearest, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'; known: re, im, zoom, iterations%s", name, line,
                       text_shown(key, shown), hint);
}

static enum status entry_take(struct ini *ini, const char *key, const char *value, const char *name,
                              int line)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(key, names[i][0])) {
            const struct ini_entry *earlier = ini_find(ini, "view", names[i][1]);
            if (earlier)
                return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", name,
                                   line, key, earlier->line);
            return ini_add(ini, "view", names[i][1], value, line);
        }
    return key_unknown(key, name, line);
}

static enum status line_take(struct ini *ini, const char *begin, const char *end, const char *name,
                             int line)
{
    trim(&begin, &end);
    if (begin == end)
        return STATUS_OK;
    if (*begin == ';')
        return STATUS_OK;
    if (*begin == '#')
        return credit_take(ini, begin, end, line);
    const char *equals = memchr(begin, '=', (size_t)(end - begin));
    if (!equals) {
        char shown[SHOWN_BYTES];
        return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not key = value", name, line,
                           text_shown_until(begin, end, shown));
    }
    const char *key_end = equals, *value_begin = equals + 1;
    trim(&begin, &key_end);
    trim(&value_begin, &end);
    char *key = strndup(begin, (size_t)(key_end - begin));
    char *value = strndup(value_begin, (size_t)(end - value_begin));
    enum status status = key && value
                             ? entry_take(ini, key, value, name, line)
                             : status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", name);
    free(key);
    free(value);
    return status;
}

enum status location_parse(struct ini *ini, const char *text, size_t length, const char *name)
{
    *ini = (struct ini){0};
    const char *nul = memchr(text, '\0', length);
    if (nul)
        return status_fail(STATUS_BAD_DATA, "%s: not a text: byte %zu is NUL", name,
                           (size_t)(nul - text) + 1);
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* byte-order mark of an editor */
        text += 3;
        length -= 3;
    }
    enum status status = STATUS_OK;
    const char *end = text + length;
    int number = 1;
    for (const char *line = text; line < end && status == STATUS_OK; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        status = line_take(ini, line, newline ? newline : end, name, number);
        line = newline ? newline + 1 : end;
    }
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}
