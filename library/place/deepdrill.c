/* Places of DeepDrill (.ini): `real`, `imag`, `zoom` and `depth` in the section [location]. What is
 * in other sections is about its colours, its films and how it computes.
 *
 * Its image is 4 / zoom high, as here. */
#include "library/place/place_format.h"
#include "library/place/place_keys.h"

static const struct place_key rows[] = {{.key = "real", .name = "re", .fallback = "0"},
                                        {.key = "imag", .name = "im", .fallback = "0"},
                                        {.key = "zoom", .name = "zoom", .fallback = "1"},
                                        {.key = "depth", .name = "limit", .fallback = "800"}};

static enum status deepdrill_read(struct ini *ini, const struct place_text *text)
{
    static const struct place_keys keys = {.key = rows,
                                           .count = sizeof rows / sizeof *rows,
                                           .separator = '=',
                                           .section = "[location]"};
    return place_keys_read(ini, text, &keys, NULL);
}

static bool line_is_location(const struct text *line)
{
    return text_is(line, "[location]");
}

const struct place_format place_deepdrill = {.name = "DeepDrill file",
                                             .suffix = ".ini",
                                             .summary = "DeepDrill",
                                             .any_line = line_is_location,
                                             .read = deepdrill_read};
