/* Files of Fraktaler-3 (.toml): `location.real`, `location.imag`, `location.zoom`, and what else is
 * not the default there, since that program leaves out what is.
 *
 * Its image is 4 / zoom high, as here, and its imaginary axis points up unless `reflect` is true;
 * a picture of such a file comes out upside down: the same place, in its mirror image. */
#include <stdio.h>
#include <string.h>

#include "app/convert.h"
#include "app/place_format.h"
#include "app/toml.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* With what that program takes where nothing is said. */
static const struct toml_name names[] = {{"location.real", "re", "0"},
                                         {"location.imag", "im", "0"},
                                         {"location.zoom", "zoom", "1"},
                                         {"bailout.iterations", "limit", "1024"}};

/* What must have one value, for the picture to be one of ours. */
static const struct {
    const char *key, *value, *what;
} fixed[] = {{"formula[].abs_x", "false", "only z^2 + c is computed here"},
             {"formula[].abs_y", "false", "only z^2 + c is computed here"},
             {"formula[].neg_x", "false", "only z^2 + c is computed here"},
             {"formula[].neg_y", "false", "only z^2 + c is computed here"},
             {"formula[].power", "2", "only power 2 is computed here"},
             {"formula[].opcodes", "sqr add", "only z^2 + c (sqr add) is computed here"},
             {"transform.exponential_map", "false", "exponential maps are not read; put false"}};

static enum status fixed_check(const struct ini *toml, const struct place_text *text)
{
    for (size_t i = 0; i < toml->count; i++)
        for (size_t j = 0; j < COUNT(fixed); j++)
            if (!strcmp(toml->entry[i].key, fixed[j].key) &&
                strcmp(toml->entry[i].value, fixed[j].value) != 0)
                return toml_value_wrong(text, &toml->entry[i], fixed[j].what);
    return STATUS_OK;
}

static enum status frame_read(struct ini *ini, const struct ini *toml,
                              const struct place_text *text)
{
    double stretch, angle;
    int line = 0;
    TRY(toml_angle(toml, text, "transform.stretch_amount", &stretch, &line));
    if (stretch != 0)
        return toml_value_wrong(text, ini_find(toml, "", "transform.stretch_amount"),
                                "stretched files are not read; put 0 there");
    TRY(toml_angle(toml, text, "transform.rotate", &angle, &line));
    const struct ini_entry *reflect = ini_find(toml, "", "transform.reflect");
    bool mirrored = reflect && !strcmp(reflect->value, "true");
    return place_add_rotation(ini, text, line, mirrored ? -angle : angle);
}

static enum status fraktaler_read(struct ini *ini, const struct place_text *text)
{
    struct ini toml = {0};
    enum status status = toml_parse(&toml, text->bytes, text->length, text->name);
    if (status == STATUS_OK)
        status = fixed_check(&toml, text);
    if (status == STATUS_OK)
        status = toml_place_add(ini, &toml, text, names, COUNT(names));
    if (status == STATUS_OK)
        status = frame_read(ini, &toml, text);
    ini_destroy(&toml);
    return status;
}

/* `program = "fraktaler-3"`, or its dotted keys. */
static bool line_is_fraktaler(const struct text *line)
{
    static const char word[] = "fraktaler-3";
    if (text_begins(line, "location.real") || text_begins(line, "location.imag") ||
        text_begins(line, "location.zoom"))
        return true;
    for (const char *at = line->begin; text_begins(line, "program") && at < line->end; at++)
        if (text_begins(&(struct text){at, line->end}, word))
            return true;
    return false;
}

/* real = "..." in the table [location]. */
static bool line_is_quoted_real(const struct text *line)
{
    const char *quote = memchr(line->begin, '"', (size_t)(line->end - line->begin));
    return quote && text_begins(line, "real") &&
           memchr(line->begin, '=', (size_t)(quote - line->begin));
}

static bool line_is_location(const struct text *line)
{
    return text_is(line, "[location]");
}

static bool is_fraktaler(struct text text)
{
    return text_any_line(text, line_is_fraktaler) ||
           (text_any_line(text, line_is_location) && text_any_line(text, line_is_quoted_real));
}

static enum status fraktaler_write(const struct config *config, FILE *stream)
{
    long long limit = (long long)config_integer(config, OPTION_VIEW_LIMIT);
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    TRY(place_check_mandelbrot(config, &place_fraktaler));
    fprintf(stream, "program = \"fraktaler-3\"\nlocation.real = \"%s\"\nlocation.imag = \"%s\"\n",
            config_text(config, OPTION_VIEW_RE), config_text(config, OPTION_VIEW_IM));
    fprintf(stream, "location.zoom = \"%s\"\n", config_text(config, OPTION_VIEW_ZOOM));
    fprintf(stream, "bailout.iterations = %lld\nbailout.maximum_reference_iterations = %lld\n",
            limit, limit);
    fprintf(stream, "bailout.maximum_perturb_iterations = %lld\n", limit);
    fprintf(stream, "transform.rotate = %#.17g\n", config_real(config, OPTION_VIEW_ROTATION) + 0.0);
    fprintf(stream, "image.width = %lld\nimage.height = %lld\n", (long long)size->integer,
            (long long)size->second);
    return STATUS_OK;
}

const struct place_format place_fraktaler = {.name = "Fraktaler-3 file",
                                             .suffix = ".toml",
                                             .summary = "Fraktaler-3",
                                             .recognise = is_fraktaler,
                                             .read = fraktaler_read,
                                             .write = fraktaler_write};
