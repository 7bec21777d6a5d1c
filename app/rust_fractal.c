/* Places of rust-fractal (.toml): `real`, `imag`, `zoom`, `iterations`, `rotate`.
 *
 * Its image is 4 / zoom high, as here. Its imaginary axis points down: a picture of such a file
 * comes out upside down, the same place in its mirror image. */
#include <string.h>
#include <strings.h>

#include "app/convert.h"
#include "app/place_format.h"
#include "app/toml.h"

#define ANGLE_MAX 1e6

/* With what that program takes where nothing is said. */
static const struct {
    const char *key, *name, *fallback;
} names[] = {{"real", "re", "-0.75"},
             {"imag", "im", "0"},
             {"zoom", "zoom", "1"},
             {"iterations", "limit", "1000"}};

static enum status value_wrong(const struct place_text *text, const struct ini_entry *entry,
                               const char *what)
{
    char shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s': %s", text->name, entry->line,
                       entry->key, text_shown(entry->value, shown), what);
}

static enum status formula_check(const struct ini *toml, const struct place_text *text)
{
    const struct ini_entry *type = ini_find(toml, "", "fractal_type");
    const struct ini_entry *power = ini_find(toml, "", "fractal_power");
    if (type && strcasecmp(type->value, "mandelbrot") != 0)
        return value_wrong(text, type, "only the Mandelbrot set is computed here");
    if (power && strcmp(power->value, "2") != 0)
        return value_wrong(text, power, "only power 2 is computed here");
    return STATUS_OK;
}

static enum status location_read(struct ini *ini, const struct ini *toml,
                                 const struct place_text *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ini_entry *entry = ini_find(toml, "", names[i].key);
        TRY(place_add(ini, text, entry ? entry->line : 1, names[i].name,
                      entry ? entry->value : names[i].fallback));
    }
    const struct ini_entry *rotate = ini_find(toml, "", "rotate");
    double angle = 0;
    if (rotate && convert_real(rotate->value, -ANGLE_MAX, ANGLE_MAX, &angle) != STATUS_OK)
        return value_wrong(text, rotate, "it must be a number from -1e6 to 1e6");
    return place_add_rotation(ini, text, rotate ? rotate->line : 1, angle);
}

static enum status rust_fractal_read(struct ini *ini, const struct place_text *text)
{
    struct ini toml = {0};
    enum status status = toml_parse(&toml, text->bytes, text->length, text->name);
    if (status == STATUS_OK)
        status = formula_check(&toml, text);
    if (status == STATUS_OK)
        status = location_read(ini, &toml, text);
    ini_destroy(&toml);
    return status;
}

/* `real = ` before any section. */
static bool is_rust_fractal(struct text text)
{
    for (struct text line; text_line_next(&text, &line) && *line.begin != '[';)
        if (text_begins(&line, "real =") || text_begins(&line, "real="))
            return true;
    return false;
}

const struct place_format place_rust_fractal = {.name = "rust-fractal file",
                                                .suffix = ".toml",
                                                .summary = "rust-fractal",
                                                .recognise = is_rust_fractal,
                                                .read = rust_fractal_read};
