/* Places of rust-fractal (.toml): `real`, `imag`, `zoom`, `iterations`, `rotate`.
 *
 * Its image is 4 / zoom high, as here. Its imaginary axis points down. */
#include <string.h>
#include <strings.h>

#include "app/place/place_format.h"
#include "app/place/place_toml.h"
#include "app/text/convert.h"

/* With what that program takes where nothing is said. */
static const struct place_toml_name names[] = {{"real", "re", "-0.75"},
                                               {"imag", "im", "0"},
                                               {"zoom", "zoom", "1"},
                                               {"iterations", "limit", "1000"}};

static enum status formula_check(const struct ini *toml, const struct place_text *text)
{
    const struct ini_entry *type = ini_find(toml, "", "fractal_type");
    const struct ini_entry *power = ini_find(toml, "", "fractal_power");
    if (type && strcasecmp(type->value, "mandelbrot") != 0)
        return place_toml_wrong(text, type, "only the Mandelbrot set is computed here");
    if (power && strcmp(power->value, "2") != 0)
        return place_toml_wrong(text, power, "only power 2 is computed here");
    return STATUS_OK;
}

static enum status location_read(struct ini *ini, const struct ini *toml,
                                 const struct place_text *text)
{
    TRY(place_toml_add(ini, toml, text, names, sizeof names / sizeof *names));
    double angle;
    int line = 1;
    TRY(place_add_mirror(ini, text));
    TRY(place_toml_angle(toml, text, "rotate", &angle, &line));
    return place_add_rotation(ini, text, line, angle);
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
