#include "app/location.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/convert.h"
#include "app/nearest.h"

/* What a location file calls the keys of [view]. */
static const char *const names[][2] = {
    {"re", "re"}, {"im", "im"}, {"zoom", "zoom"}, {"iterations", "limit"}};

enum { NAMES = sizeof names / sizeof *names };

/* A comment never makes a file unreadable, so a credit that cannot be one is left out. */
static enum status credit_take(struct ini *ini, const struct key_line *line)
{
    static const char mark[] = "# credit:";
    if (strncmp(line->value, mark, sizeof mark - 1) != 0 || ini_find(ini, "view", "credit"))
        return STATUS_OK;
    const char *text = line->value + sizeof mark - 1;
    text += strspn(text, " \t");
    return *text && convert_text(text) == STATUS_OK
               ? ini_add(ini, "view", "credit", text, line->number)
               : STATUS_OK;
}

static enum status key_unknown(const struct key_line *line)
{
    char shown[SHOWN_BYTES], hint[96];
    struct nearest nearest = nearest_to(line->key);
    for (int i = 0; i < NAMES; i++)
        nearest_offer(&nearest, names[i][0]);
    nearest_hint(&nearest, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'; known: re, im, zoom, iterations%s", line->name,
                       line->number, text_shown(line->key, shown), hint);
}

enum status location_add(struct ini *ini, const struct key_line *line, const char *key)
{
    const struct ini_entry *earlier = ini_find(ini, "view", key);
    if (earlier)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", line->name,
                           line->number, line->key, earlier->line);
    return ini_add(ini, "view", key, line->value, line->number);
}

static enum status line_take(void *context, const struct key_line *line)
{
    struct ini *ini = context;
    if (!line->key)
        return credit_take(ini, line);
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(line->key, names[i][0]))
            return location_add(ini, line, names[i][1]);
    return key_unknown(line);
}

enum status location_parse(struct ini *ini, const char *text, size_t length, const char *name)
{
    *ini = (struct ini){0};
    enum status status = key_lines_each(text, length, '=', name, line_take, ini);
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}

/* ---- three numbers ---- */

struct words { /* of a text, one after the other */
    const char *next, *end;
    int line;
    bool line_begins;
};

static struct words words_of(const char *text, size_t length)
{
    size_t mark = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    return (struct words){text + mark, text + length, 1, true};
}

static bool separates(char c)
{
    return isspace((unsigned char)c) || c == ',' || c == ';';
}

/* The next word's beginning, NULL if there is none; words->next is its end. */
static const char *word_next(struct words *words)
{
    for (; words->next < words->end; words->next++) {
        if (*words->next == '\n') {
            words->line++;
            words->line_begins = true;
        } else if (*words->next == '#' && words->line_begins) {
            const char *newline = memchr(words->next, '\n', (size_t)(words->end - words->next));
            words->next = (newline ? newline : words->end) - 1;
        } else if (!separates(*words->next))
            break;
    }
    const char *word = words->next;
    words->line_begins = false;
    while (words->next < words->end && !separates(*words->next))
        words->next++;
    return word < words->end ? word : NULL;
}

/* A line of any other kind of text has a letter, a colon, a bracket or an equals sign before its
 * first number ends. */
bool location_is_numbers(const char *text, size_t length)
{
    struct words words = words_of(text, length);
    bool digit = false;
    for (const char *word; (word = word_next(&words));)
        for (; word < words.next; word++) {
            if (!*word || !strchr("+-.0123456789eE_", *word))
                return false;
            digit = digit || isdigit((unsigned char)*word);
        }
    return digit;
}

enum status location_numbers_parse(struct ini *ini, const char *text, size_t length,
                                   const char *name)
{
    static const char *const keys[] = {"re", "im", "zoom"};
    struct words words = words_of(text, length);
    enum status status = STATUS_OK;
    size_t count = 0;
    *ini = (struct ini){0};
    for (const char *word; status == STATUS_OK && (word = word_next(&words)); count++) {
        char *number = count < 3 ? strndup(word, (size_t)(words.next - word)) : NULL;
        if (number)
            status = ini_add(ini, "view", keys[count], number, words.line);
        else if (count < 3)
            status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its numbers", name);
        free(number);
    }
    if (status == STATUS_OK && count != 3)
        status = status_fail(STATUS_BAD_DATA, "%s: %zu number%s; a place is three: re im zoom",
                             name, count, count == 1 ? "" : "s");
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}
