/* Places of DeepDrill (.ini): `real`, `imag`, `zoom` and `depth` in the section [location]. What is
 * in other sections is about its colours, its films and how it computes.
 *
 * Its image is 4 / zoom high, as here. */
#include <string.h>
#include <strings.h>

#include "app/place/place_format.h"
#include "app/text/key_lines.h"

enum { NAMES = 4 };

/* With what that program takes where nothing is said. */
static const struct {
    const char *key, *name, *fallback;
} names[NAMES] = {
    {"real", "re", "0"}, {"imag", "im", "0"}, {"zoom", "zoom", "1"}, {"depth", "limit", "800"}};

struct reading {
    struct ini *ini;
    const struct place_text *text;
    bool here; /* in [location] */
};

static enum status line_take(void *context, const struct key_line *line)
{
    struct reading *reading = context;
    if (!line->key && *line->value == '[')
        reading->here = !strcasecmp(line->value, "[location]");
    for (int i = 0; line->key && reading->here && i < NAMES; i++)
        if (!strcasecmp(line->key, names[i].key))
            return place_add(reading->ini, reading->text, line->number, names[i].name, line->value);
    return STATUS_OK;
}

static enum status deepdrill_read(struct ini *ini, const struct place_text *text)
{
    struct reading reading = {.ini = ini, .text = text};
    TRY(key_lines_each(text->bytes, text->length, '=', text->name, line_take, &reading));
    for (int i = 0; i < NAMES; i++)
        if (!ini_find(ini, "view", names[i].name))
            TRY(place_add(ini, text, 1, names[i].name, names[i].fallback));
    return STATUS_OK;
}

static bool line_is_location(const struct text *line)
{
    return text_is(line, "[location]");
}

static bool is_deepdrill(struct text text)
{
    return text_any_line(text, line_is_location);
}

const struct place_format place_deepdrill = {.name = "DeepDrill file",
                                             .suffix = ".ini",
                                             .summary = "DeepDrill",
                                             .recognise = is_deepdrill,
                                             .read = deepdrill_read};
