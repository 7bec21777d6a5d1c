/* Places of rust-fractal (.toml): `real`, `imag`, `zoom`, `iterations`, `rotate`.
 *
 * Its image is 4 / zoom high, as here. Its imaginary axis points down. */
#include "library/place/place_format.h"
#include "library/place/place_keys.h"

static const struct place_key rows[] = {
    {.key = "fractal_type",
     .only = "mandelbrot",
     .any_case = true,
     .what = "only the Mandelbrot set is computed here"},
    {.key = "fractal_power", .only = "2", .what = "only power 2 is computed here"},
    {.key = "real", .name = "re", .fallback = "-0.75"},
    {.key = "imag", .name = "im", .fallback = "0"},
    {.key = "zoom", .name = "zoom", .fallback = "1"},
    {.key = "iterations", .name = "limit", .fallback = "1000"}};

static enum status frame_read(struct ini *ini, const struct ini *toml,
                              const struct place_text *text)
{
    struct place_number angle;
    TRY(place_add_mirror(ini, text));
    TRY(place_toml_angle(toml, text, "rotate", &angle));
    return place_add_rotation(ini, text, angle.line, angle.value);
}

static enum status rust_fractal_read(struct ini *ini, const struct place_text *text)
{
    static const struct place_keys keys = {.key = rows, .count = sizeof rows / sizeof *rows};
    return place_toml_read(ini, text, &keys, frame_read);
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
