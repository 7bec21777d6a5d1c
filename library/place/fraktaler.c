/* Files of Fraktaler-3 (.toml): `location.real`, `location.imag`, `location.zoom`, and what else is
 * not the default there, since that program leaves out what is.
 *
 * Its image is 4 / zoom high, as here, and its imaginary axis points up unless `reflect` is true.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "library/config/config_view.h"
#include "library/place/place_format.h"
#include "library/place/place_formula.h"
#include "library/place/place_keys.h"
#include "library/text/convert.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FORMULA_TABLE "formula[]" /* the begin of each (toml.h) */

static const struct place_key rows[] = {
    {.key = "transform.exponential_map",
     .only = "false",
     .what = "exponential maps are not read; put false"},
    {.key = "location.real", .name = "re", .fallback = "0"},
    {.key = "location.imag", .name = "im", .fallback = "0"},
    {.key = "location.zoom", .name = "zoom", .fallback = "1"},
    {.key = "bailout.iterations", .name = "limit", .fallback = "1024"}};

/* ---- the formula: tables of marks and a power or of words ---- */

static bool is_true(const struct ini_entry *entry)
{
    return entry && !strcmp(entry->value, "true");
}

static enum status power_add(struct place_lists *made, const struct ini_entry *entry,
                             const struct place_text *text)
{
    int64_t power = 2;
    if (entry && convert_integer(entry->value, 2, FORMULA_DEGREE_MAX, &power) != STATUS_OK)
        return place_toml_wrong(text, entry, "only powers 2 to 64 are computed here");
    place_lists_power(made, (int)power);
    place_lists_add(made, OPERATION_ADD);
    return STATUS_OK;
}

/* What that program calls the operations that it has. */
static const struct {
    const char *word;
    enum formula_operation operation;
} words[] = {{"add", OPERATION_ADD},    {"store", OPERATION_KEEP}, {"mul", OPERATION_MUL},
             {"sqr", OPERATION_SQR},    {"absx", OPERATION_ABS_X}, {"absy", OPERATION_ABS_Y},
             {"negx", OPERATION_NEG_X}, {"negy", OPERATION_NEG_Y}};

static enum status words_add(struct place_lists *made, const struct ini_entry *entry,
                             const struct place_text *text)
{
    for (const char *at = entry->value + strspn(entry->value, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), i = 0;
        while (i < COUNT(words) &&
               (strlen(words[i].word) != length || strncmp(words[i].word, at, length) != 0))
            i++;
        if (i == COUNT(words))
            return place_toml_wrong(text, entry,
                                    "only add, store, mul, sqr, absx, absy, negx and negy are "
                                    "computed here");
        place_lists_add(made, words[i].operation);
        at += length;
    }
    return STATUS_OK;
}

/* One more list, of the table whose entries begin at *at, which becomes the end of them. */
static enum status table_read(const struct ini *toml, const struct place_text *text, size_t *at,
                              struct place_lists *made)
{
    static const char *const keys[] = {"formula[].abs_x", "formula[].abs_y",   "formula[].neg_x",
                                       "formula[].neg_y", "formula[].opcodes", "formula[].power"};
    const struct ini_entry *entry[COUNT(keys)] = {NULL};
    for (; *at < toml->count && strcmp(toml->entry[*at].key, FORMULA_TABLE) != 0; ++*at)
        for (size_t k = 0; k < COUNT(keys); k++)
            if (!strcmp(toml->entry[*at].key, keys[k])) {
                if (entry[k])
                    return place_toml_wrong(text, &toml->entry[*at], "it was given already");
                entry[k] = &toml->entry[*at];
            }
    for (int k = 0; k < 4; k++)
        if (is_true(entry[k]))
            place_lists_add(made, (enum formula_operation)(OPERATION_ABS_X + k));
    TRY(entry[4] ? words_add(made, entry[4], text) : power_add(made, entry[5], text));
    place_lists_end(made);
    return STATUS_OK;
}

/* Several tables take turns, one each iteration. */
static enum status formula_read(struct ini *ini, const struct ini *toml,
                                const struct place_text *text)
{
    struct place_lists made = {.operations = 0};
    struct formula formula;
    int line = 0;
    for (size_t at = 0; at < toml->count;) {
        const struct ini_entry *begin = &toml->entry[at++];
        if (strcmp(begin->key, FORMULA_TABLE) != 0)
            continue;
        line = line ? line : begin->line;
        TRY(table_read(toml, text, &at, &made));
    }
    if (!made.lists.phases)
        return STATUS_OK;
    TRY(place_formula_of_lists(&formula, &made, text, line));
    return place_add_formula(ini, text, line, &formula);
}

/* Fraktaler-3 multiplies the offset of a pixel by 2^(amount / PER_OCTAVE) along the angle, divides
 * it by that across, and rotates it after that: what is seen is longer across. */
#define PER_OCTAVE 100.0

static enum status frame_read(struct ini *ini, const struct ini *toml,
                              const struct place_text *text)
{
    struct place_number stretch, stretch_angle, angle;
    TRY(place_toml_angle(toml, text, "transform.rotate", &angle));
    TRY(place_toml_angle(toml, text, "transform.stretch_angle", &stretch_angle));
    TRY(place_toml_angle(toml, text, "transform.stretch_amount", &stretch));
    const struct ini_entry *reflect = ini_find(toml, "", "transform.reflect");
    bool mirrored = is_true(reflect);
    double turn = mirrored ? -angle.value : angle.value;
    if (mirrored)
        TRY(place_add_mirror(ini, text));
    if (stretch.value != 0)
        TRY(place_add_stretch(ini, text, stretch.line, exp2(2 * stretch.value / PER_OCTAVE),
                              turn + stretch_angle.value + 90));
    return place_add_rotation(ini, text, angle.line, turn);
}

static enum status rest_read(struct ini *ini, const struct ini *toml, const struct place_text *text)
{
    TRY(formula_read(ini, toml, text));
    return frame_read(ini, toml, text);
}

static enum status fraktaler_read(struct ini *ini, const struct place_text *text)
{
    static const struct place_keys keys = {.key = rows, .count = COUNT(rows)};
    return place_toml_read(ini, text, &keys, rest_read);
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

/* A list as a table of words; false: one of its operations has none. */
static bool list_write(const struct formula_phase *list, FILE *stream)
{
    fputs("{opcodes = \"", stream);
    for (int i = 0; i < list->operations; i++) {
        size_t w = 0;
        while (w < COUNT(words) && words[w].operation != list->operation[i])
            w++;
        if (w == COUNT(words))
            return false;
        fprintf(stream, "%s%s", i ? " " : "", words[w].word);
    }
    fputs("\"}", stream);
    return true;
}

static enum status formula_write(const struct config *config, FILE *stream)
{
    struct formula formula;
    char text[FORMULA_TEXT_BYTES];
    TRY(config_formula(config, &formula));
    if (formula_mandelbrot(&formula))
        return STATUS_OK;
    if (formula.plane == DYNAMIC_PLANE)
        return place_check_mandelbrot(config, place_fraktaler.name);
    bool written = !formula_rational(&formula);
    fputs("formula = [", stream);
    for (int p = 0; written && p < formula_phases(&formula); p++) {
        struct formula_phase list = formula_phase(&formula, p);
        fputs(p ? ", " : "", stream);
        written = list_write(&list, stream);
    }
    fputs("]\n", stream);
    if (written)
        return STATUS_OK;
    return status_fail(STATUS_CONFIG,
                       "%s is not written into a Fraktaler-3 file, which has sqr, store, mul, add, "
                       "absx, absy, negx and negy; write an .ini file",
                       formula_text(&formula, text));
}

static enum status fraktaler_write(const struct config *config, FILE *stream)
{
    long long limit = (long long)config_integer(config, OPTION_VIEW_LIMIT);
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    fprintf(stream, "program = \"fraktaler-3\"\nlocation.real = \"%s\"\nlocation.imag = \"%s\"\n",
            config_text(config, OPTION_VIEW_RE), config_text(config, OPTION_VIEW_IM));
    fprintf(stream, "location.zoom = \"%s\"\n", config_text(config, OPTION_VIEW_ZOOM));
    TRY(formula_write(config, stream));
    fprintf(stream, "bailout.iterations = %lld\nbailout.maximum_reference_iterations = %lld\n",
            limit, limit);
    fprintf(stream, "bailout.maximum_perturb_iterations = %lld\n", limit);
    bool mirrored = config_boolean(config, OPTION_VIEW_MIRROR);
    struct view_shape shape;
    TRY(config_view_shape(config, &shape));
    double turn = config_real(config, OPTION_VIEW_ROTATION), factor = view_stretch(&shape);
    fprintf(stream, "transform.reflect = %s\ntransform.rotate = %#.17g\n",
            mirrored ? "true" : "false", (mirrored ? -1 : 1) * turn + 0.0);
    if (factor != 1)
        fprintf(stream, "transform.stretch_angle = %#.17g\ntransform.stretch_amount = %#.17g\n",
                remainder(shape.stretch_deg - 90 - turn, 180) + 0.0, PER_OCTAVE * log2(factor) / 2);
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
