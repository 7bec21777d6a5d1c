/* Places of Imagina as text (.imt): `Formula: ...` and, indented below `Location:`, `Re`, `Im` and
 * `Size`, half the height of the image, as hexadecimal numbers, and `Iterations`. Its binary files
 * (.im) are a copy of its memory. */
#include <stdlib.h>

#include "library/place/place_format.h"
#include "library/place/place_keys.h"
#include "render/file/frame.h"

/* Makes a zoom of half the height. */
static enum status zoom_of(const char *size, char **zoom)
{
    char *decimal;
    TRY(frame_hexadecimal(size, &decimal));
    enum status status = frame_quotient(2, decimal, zoom);
    free(decimal);
    return status;
}

static const struct place_key rows[] = {
    {.key = "Formula", .only = "Mandelbrot", .what = "only the Mandelbrot set is computed here"},
    {.key = "Re", .name = "re", .convert = frame_hexadecimal},
    {.key = "Im", .name = "im", .convert = frame_hexadecimal},
    {.key = "Size", .name = "zoom", .convert = zoom_of},
    {.key = "Iterations", .name = "limit"}};

static enum status imagina_read(struct ini *ini, const struct place_text *text)
{
    static const struct place_keys keys = {
        .key = rows, .count = sizeof rows / sizeof *rows, .separator = ':'};
    return place_keys_read(ini, text, &keys, NULL);
}

static bool line_is_location(const struct text *line)
{
    return text_is(line, "Location:");
}

const struct place_format place_imagina = {.name = "text of Imagina",
                                           .suffix = ".imt",
                                           .summary = "Imagina (.imt; its .im is a copy of memory)",
                                           .any_line = line_is_location,
                                           .read = imagina_read};
