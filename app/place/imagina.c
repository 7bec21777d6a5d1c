/* Places of Imagina as text (.imt): `Formula: ...` and, indented below `Location:`, `Re`, `Im` and
 * `Size`, half the height of the image, as hexadecimal numbers, and `Iterations`. Its binary files
 * (.im) are a copy of its memory. */
#include <stdlib.h>
#include <string.h>

#include "app/place/place_format.h"
#include "app/text/convert.h"
#include "app/text/key_lines.h"
#include "render/file/frame.h"

struct reading {
    struct ini *ini;
    const struct place_text *text;
};

/* Of the half height. */
static enum status zoom_of(const char *size, char **zoom)
{
    char *decimal;
    TRY(frame_hexadecimal(size, &decimal));
    enum status status = frame_quotient(2, decimal, zoom);
    free(decimal);
    return status;
}

static enum status number_take(const struct reading *reading, const struct key_line *line,
                               const char *name, enum status (*convert)(const char *, char **))
{
    char *number;
    TRY(place_blame(reading->text, line->number, line->key, convert(line->value, &number)));
    enum status status = place_add(reading->ini, reading->text, line->number, name, number);
    free(number);
    return status;
}

static enum status line_take(void *context, const struct key_line *line)
{
    const struct reading *reading = context;
    char shown[SHOWN_BYTES];
    if (!line->key)
        return STATUS_OK;
    if (!strcmp(line->key, "Formula") && strcmp(line->value, "Mandelbrot") != 0)
        return status_fail(STATUS_BAD_DATA,
                           "%s:%d: Formula is '%s': only the Mandelbrot set is computed here",
                           line->name, line->number, text_shown(line->value, shown));
    if (!strcmp(line->key, "Re") || !strcmp(line->key, "Im"))
        return number_take(reading, line, *line->key == 'R' ? "re" : "im", frame_hexadecimal);
    if (!strcmp(line->key, "Size"))
        return number_take(reading, line, "zoom", zoom_of);
    if (!strcmp(line->key, "Iterations"))
        return place_add(reading->ini, reading->text, line->number, "limit", line->value);
    return STATUS_OK;
}

static enum status imagina_read(struct ini *ini, const struct place_text *text)
{
    struct reading reading = {ini, text};
    return key_lines_each(text->bytes, text->length, ':', text->name, line_take, &reading);
}

static bool line_is_location(const struct text *line)
{
    return text_is(line, "Location:");
}

static bool is_imagina(struct text text)
{
    return text_any_line(text, line_is_location);
}

const struct place_format place_imagina = {.name = "text of Imagina",
                                           .suffix = ".imt",
                                           .summary = "Imagina (.imt; its .im is a copy of memory)",
                                           .recognise = is_imagina,
                                           .read = imagina_read};
