#include "library/place/place_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "kernels/spec.h"
#include "render/colour/palette_colours.h"
#include "render/view/view_shape.h"

enum status place_once(const struct place_text *text, int line, const char *key, int *earlier)
{
    if (*earlier)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", text->name,
                           line, key, *earlier);
    *earlier = line;
    return STATUS_OK;
}

static enum status entry_add(struct ini *ini, const struct place_text *text, int line,
                             const char *section, const char *key, const char *value)
{
    const struct ini_entry *entry = ini_find(ini, section, key);
    int earlier = entry ? entry->line : 0;
    TRY(place_once(text, line, key, &earlier));
    char *trimmed = strdup(value); /* a number in quotes may end in blanks */
    if (!trimmed)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s:%d: no memory to read it", text->name, line);
    for (size_t i = strlen(trimmed); i > 0 && isspace((unsigned char)trimmed[i - 1]); i--)
        trimmed[i - 1] = '\0';
    enum status status = ini_add(ini, section, key, trimmed, line);
    free(trimmed);
    return status;
}

/* Limit that programs with unsigned numbers write for "no limit": 2^64 - 1. */
#define LIMIT_NONE "18446744073709551615"

enum status place_add(struct ini *ini, const struct place_text *text, int line, const char *key,
                      const char *value)
{
    char most[24];
    snprintf(most, sizeof most, "%lld", (long long)SPEC_LIMIT_MAX);
    bool none = !strcmp(key, "limit") && !strcmp(value, LIMIT_NONE);
    return entry_add(ini, text, line, "view", key, none ? most : value);
}

enum status place_add_look(struct ini *ini, const struct place_text *text, int line,
                           const char *key, const char *value)
{
    return entry_add(ini, text, line, "look", key, value);
}

enum status place_add_colours(struct ini *ini, const struct place_text *text, int line,
                              const uint8_t (*rgb)[3], size_t count)
{
    char colours[PALETTE_COLOURS_BYTES];
    palette_colours_text(colours, rgb, count);
    return place_add_look(ini, text, line, "palette", colours);
}

enum status place_add_mirror(struct ini *ini, const struct place_text *text)
{
    return place_add(ini, text, 1, "mirror", "true");
}

enum status place_add_rotation(struct ini *ini, const struct place_text *text, int line,
                               double degrees)
{
    char turned[NUMBER_TEXT_BYTES];
    double within = remainder(degrees, 360);
    if (within == 0)
        return STATUS_OK;
    return place_add(ini, text, line, "rotation", number_shortest(within, 15, turned));
}

enum status place_add_stretch(struct ini *ini, const struct place_text *text, int line,
                              double factor, double degrees)
{
    char stretched[VIEW_STRETCH_BYTES];
    struct view_shape shape = {.stretch = factor, .stretch_deg = remainder(degrees, 180)};
    TRY(place_blame(text, line, "the stretch",
                    factor > 0 ? view_shape_check(&shape)
                               : status_fail(STATUS_BAD_DATA, "it must be more than 0")));
    if (factor == 1)
        return STATUS_OK;
    view_stretch_text(&shape, stretched);
    return place_add(ini, text, line, "stretch", stretched);
}

/* .5 is 0.5 and 5. is 5 in other programs. */
enum status place_copy_text(const struct text *text, const struct place_text *whole, int line,
                            char **copy)
{
    size_t length = (size_t)(text->end - text->begin);
    char *out = *copy = malloc(length + 2);
    if (!out)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s:%d: no memory to read it", whole->name, line);
    for (const char *at = text->begin; at < text->end; at++) {
        bool after = at > text->begin && isdigit((unsigned char)at[-1]);
        bool before = at + 1 < text->end && isdigit((unsigned char)at[1]);
        if (*at == '.' && before && !after && out - *copy <= 1)
            *out++ = '0';
        if (*at != '.' || before || !after)
            *out++ = *at;
    }
    *out = '\0';
    return STATUS_OK;
}

enum status place_add_number(struct ini *ini, const struct place_text *text, int line,
                             const char *key, const struct text *number)
{
    char *copy;
    TRY(place_copy_text(number, text, line, &copy));
    enum status status = place_add(ini, text, line, key, copy);
    free(copy);
    return status;
}

enum status place_blame(const struct place_text *text, int line, const char *what,
                        enum status status)
{
    if (status != STATUS_BAD_DATA)
        return status;
    return status_fail(status, "%s:%d: %s: %s", text->name, line, what, status_text());
}

enum status place_check_text(const struct place_text *text)
{
    return text_check(text->bytes, text->length, text->name, STATUS_BAD_DATA);
}

enum status place_check_mandelbrot(const struct config *config, const char *format)
{
    const char *formula = config_text(config, OPTION_VIEW_FORMULA);
    if ((!formula || !strcmp(formula, "mandelbrot")) &&
        (formula || !config_text(config, OPTION_VIEW_JULIA)))
        return STATUS_OK;
    bool julia = config_text(config, OPTION_VIEW_JULIA) || !strcmp(formula, "julia");
    return status_fail(STATUS_CONFIG, "%s is not written into a %s; write an .ini file",
                       julia ? "a Julia set" : formula, format);
}
