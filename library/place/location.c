/* Our plain location files: lines `re = ...`, `im = ...`, `zoom = ...`, `iterations = ...`; and
 * three numbers `re im zoom` with blanks, commas, semicolons or new lines between them. Numbers of
 * any length on one line, kept to the last digit. */
#include <ctype.h>
#include <string.h>

#include "library/config/config_view.h"
#include "library/place/place_format.h"
#include "library/place/place_keys.h"
#include "library/text/convert.h"
#include "library/text/spelling.h"

static const struct place_key rows[] = {{.key = "re", .name = "re"},
                                        {.key = "im", .name = "im"},
                                        {.key = "zoom", .name = "zoom"},
                                        {.key = "iterations", .name = "limit"}};

enum { ROWS = sizeof rows / sizeof *rows };

/* A comment never makes a file unreadable, so a credit that cannot be one is left out. */
static enum status credit_take(struct ini *ini, const struct key_line *line)
{
    static const char mark[] = "# credit:";
    if (strncmp(line->value, mark, sizeof mark - 1) != 0 || ini_find(ini, "view", "credit"))
        return STATUS_OK;
    const char *text = line->value + sizeof mark - 1;
    text += strspn(text, " \t");
    return *text && convert_text(text, OPTION_TEXT_MAX) == STATUS_OK
               ? ini_add(ini, "view", "credit", text, line->number)
               : STATUS_OK;
}

static enum status key_unknown(const struct key_line *line)
{
    char shown[SHOWN_BYTES], hint[96];
    struct spelling spelling = spelling_of(line->key);
    for (int i = 0; i < ROWS; i++)
        spelling_offer(&spelling, rows[i].key);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'; known: re, im, zoom, iterations%s", line->name,
                       line->number, text_shown(line->key, shown), hint);
}

static enum status other_take(void *context, const struct key_line *line)
{
    return line->key ? key_unknown(line) : credit_take(context, line);
}

static enum status location_read(struct ini *ini, const struct place_text *text)
{
    static const struct place_keys keys = {
        .key = rows, .count = ROWS, .separator = '=', .other = other_take};
    return place_keys_read(ini, text, &keys, ini);
}

static bool line_has_equals(const struct text *line)
{
    return memchr(line->begin, '=', (size_t)(line->end - line->begin));
}

static enum status location_write(const struct config *config, FILE *stream)
{
    const char *credit = config_text(config, OPTION_VIEW_CREDIT);
    struct view_shape shape;
    TRY(place_check_mandelbrot(config, place_location.name));
    TRY(config_view_shape(config, &shape));
    if (config_real(config, OPTION_VIEW_ROTATION) != 0 || shape.mirrored ||
        view_stretch(&shape) != 1)
        return status_fail(STATUS_CONFIG,
                           "a rotation, a mirror or a stretch is not written into a location file; "
                           "write an .ini file");
    if (credit)
        fprintf(stream, "# credit: %s\n", credit);
    fprintf(stream, "re = %s\nim = %s\nzoom = %s\niterations = %lld\n",
            config_text(config, OPTION_VIEW_RE), config_text(config, OPTION_VIEW_IM),
            config_text(config, OPTION_VIEW_ZOOM),
            (long long)config_integer(config, OPTION_VIEW_LIMIT));
    return STATUS_OK;
}

const struct place_format place_location = {.name = "location file",
                                            .suffix = ".txt",
                                            .summary = "deepfield: lines re = ..., im = ..., zoom "
                                                       "= ..., iterations = ...",
                                            .any_line = line_has_equals,
                                            .read = location_read,
                                            .write = location_write};

/* ---- three numbers ---- */

struct words { /* position in a text that is read word by word */
    const char *next, *end;
    int line;
    bool line_begins;
};

static struct words words_of(struct text text)
{
    return (struct words){text.begin, text.end, 1, true};
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
static bool is_numbers(struct text text)
{
    struct words words = words_of(text);
    bool digit = false;
    for (const char *word; (word = word_next(&words));)
        for (; word < words.next; word++) {
            if (!*word || !strchr("+-.0123456789eE_", *word))
                return false;
            digit = digit || isdigit((unsigned char)*word);
        }
    return digit;
}

static enum status numbers_read(struct ini *ini, const struct place_text *text)
{
    static const char *const keys[] = {"re", "im", "zoom"};
    struct words words = words_of(text_lines_of(text->bytes, text->length));
    size_t count = 0;
    TRY(place_check_text(text));
    for (const char *word; (word = word_next(&words)); count++) {
        const struct text number = {word, words.next};
        if (count < 3)
            TRY(place_add_number(ini, text, words.line, keys[count], &number));
    }
    if (count <= 3) /* flags may say the zoom */
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s: %zu numbers; a place is three: re im zoom", text->name,
                       count);
}

const struct place_format place_numbers = {.name = "re im zoom text",
                                           .suffix = ".txt",
                                           .summary = "three numbers: re im zoom",
                                           .recognise = is_numbers,
                                           .read = numbers_read};
