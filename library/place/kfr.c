/* Files of Kalles Fraktaler (.kfr): lines `Re: ...`, `Im: ...`, `Zoom: ...`, `Iterations: ...`,
 * `RotateAngle: ...`, and many more about colours and about how that program computes, some more
 * with each of its versions.
 *
 * Its image is 4 / Zoom high, as here. Its imaginary axis points down unless ImagPointsUp is 1. A
 * file that says something else about what is computed or where the frame stands is refused rather
 * than shown wrong.
 *
 * What a file means depends on the version that wrote it. Version is 1 of 2.14.9, 2 of 2.14.10,
 * 2150100 of 2.15.1 and so on; earlier ones wrote none, but always Rotate and Ratio. Of what is
 * read here 2.15.1 changed two things: RotateAngle, StretchAngle and StretchAmount replace Rotate
 * and Ratio, which later versions write and do not read; and type 2 of power 2 was |Re z^2| -
 * i|Im z^2| + c. (Sources of kf-2.12.1, 2.14.8 and 2.15.3, whose 91 formulas are else the same.) */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/config/config_view.h"
#include "library/config/data_folder.h"
#include "library/place/place_format.h"
#include "library/place/place_formula.h"
#include "library/place/place_keys.h"
#include "library/text/convert.h"
#include "render/colour/palette.h"
#include "render/colour/palette_colours.h"
#include "render/colour/srgb.h"
#include "render/file/frame.h"

enum {
    KEY_MAX = 40,
    HYBRID_MAX = 1000,
    COLOURS_MAX = PALETTE_COLOURS_MAX,
    COLOURS_WRITTEN = 64,
    RING = 1024,      /* steps of its ring of colours */
    FOURTH_ROOT = 11, /* its method of colours that is ours */
    RATIO_PLAIN = 360,
    VERSION_LATE = 2150100,   /* the first whose files are as they are now */
    VERSION_WRITTEN = 2150400 /* the first that has ImagPointsUp */
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct kfr_file {
    struct ini *ini;
    const struct place_text *text;
    struct place_number angle, points_up;       /* clockwise, where the imaginary axis points up */
    struct place_number stretch, stretch_angle; /* octaves, either way; its axis, clockwise too */
    struct place_number turn_rad, ratio;        /* Rotate and Ratio of early versions */
    struct place_number type, power, version;   /* formula; version of the program */
    struct place_number method, divisor, offset, waves;   /* waves: colours are mixed of sines */
    struct place_number slopes, slope_ratio, slope_angle; /* light from the side, per cent */
    struct place_number start;                            /* z_0, and other things that must be 0 */
    struct place_number hybrid_asked;                     /* UseHybridFormula */
    char hybrid[HYBRID_MAX + 1];                          /* HybridFormula */
    int hybrid_line;
    uint8_t rgb[COLOURS_MAX][3], interior[3];
    size_t colours, interiors; /* 0: not given */
    int colours_line, interior_line;
};

/* Was it written by a version before 2.15.1? Only late ones write RotateAngle and its like. */
static bool is_early(const struct kfr_file *file)
{
    bool late = file->angle.line || file->stretch_angle.line || file->stretch.line ||
                file->points_up.line || file->hybrid_asked.line || file->hybrid_line;
    return file->version.line ? file->version.value < VERSION_LATE
                              : (file->ratio.line || file->turn_rad.line) && !late;
}

static enum status key_check(const struct key_line *line)
{
    char shown[SHOWN_BYTES];
    size_t length = strlen(line->key);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)line->key[i]) && line->key[i] != '_')
            length = 0;
    if (length < 1 || length > KEY_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not a key of a .kfr file", line->name,
                           line->number, text_shown(line->key, shown));
    return STATUS_OK;
}

/* ---- numbers ---- */

enum number_rule {
    RULE_MARK,   /* 0, or 1 for anything else */
    RULE_COLOUR, /* left as it was where it is no number: only colours depend on it */
    RULE_FORMULA,
    RULE_VERSION,
    RULE_ANGLE, /* given once */
    RULE_START, /* 0, for the picture to be one of ours */
    RULE_MAP
};

static const struct {
    double low, high;
    const char *wrong; /* NULL: it is no error */
} rules[] = {[RULE_COLOUR] = {-1e9, 1e9, NULL},
             [RULE_FORMULA] = {0, 1e9, "; it must be a number of its formulas"},
             [RULE_VERSION] = {0, 1e9, "; it must be a number of its versions"},
             [RULE_ANGLE] = {-ANGLE_MAX, ANGLE_MAX, "; it must be a number from -1e+06 to 1e+06"},
             [RULE_START] = {0, 0, ": iteration begins at 0 here"},
             [RULE_MAP] = {0, 0, ": exponential maps are not read; put 0 there"}};

#define AT(member) offsetof(struct kfr_file, member)

static const struct number_key {
    const char *key;
    enum number_rule rule;
    size_t offset; /* bytes from the start of struct kfr_file to the key's place_number */
} number_keys[] = {{"RotateAngle", RULE_ANGLE, AT(angle)},
                   {"StretchAngle", RULE_ANGLE, AT(stretch_angle)},
                   {"StretchAmount", RULE_ANGLE, AT(stretch)},
                   {"Rotate", RULE_ANGLE, AT(turn_rad)},
                   {"Ratio", RULE_ANGLE, AT(ratio)},
                   {"ImagPointsUp", RULE_MARK, AT(points_up)},
                   {"FractalType", RULE_FORMULA, AT(type)},
                   {"Power", RULE_FORMULA, AT(power)},
                   {"Version", RULE_VERSION, AT(version)},
                   {"UseHybridFormula", RULE_MARK, AT(hybrid_asked)},
                   {"SeedR", RULE_START, AT(start)},
                   {"SeedI", RULE_START, AT(start)},
                   {"ExponentialMap", RULE_MAP, AT(start)},
                   {"ColorMethod", RULE_COLOUR, AT(method)},
                   {"IterDiv", RULE_COLOUR, AT(divisor)},
                   {"ColorOffset", RULE_COLOUR, AT(offset)},
                   {"MultiColor", RULE_MARK, AT(waves)},
                   {"Slopes", RULE_COLOUR, AT(slopes)},
                   {"SlopeRatio", RULE_COLOUR, AT(slope_ratio)},
                   {"SlopeAngle", RULE_COLOUR, AT(slope_angle)}};

static enum status number_take(struct kfr_file *file, const struct key_line *line,
                               const struct number_key *row)
{
    struct place_number *number = (struct place_number *)(void *)((char *)file + row->offset);
    char shown[SHOWN_BYTES];
    if (row->rule == RULE_ANGLE)
        TRY(place_once(file->text, line->number, line->key, &number->line));
    number->line = line->number;
    if (row->rule == RULE_MARK) {
        number->value = strcmp(line->value, "0") != 0;
        return STATUS_OK;
    }
    if (convert_real(line->value, rules[row->rule].low, rules[row->rule].high, &number->value) ==
            STATUS_OK ||
        !rules[row->rule].wrong)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s'%s", line->name, line->number, line->key,
                       text_shown(line->value, shown), rules[row->rule].wrong);
}

/* ---- hybrids ---- */

/* LOOP_START/REPEATS|LINE|LINE.../REPEATS|LINE...: iterations of one group, so often, then of the
 * next; each goes through the lines of its group and then adds c. A LINE is PART;PART;HOW, two
 * parts that are added (0), subtracted (1), multiplied (2) or divided (3), and a PART
 * abs x, abs y, neg x, neg y, power, factor re, factor im, with commas. */
struct hybrid_part {
    double number[7];
};

/* Reads `count` numbers with `between` after each but the last, from *at on, which becomes their
 * end. */
static bool numbers_take(const char **at, char between, double *number, int count)
{
    for (int i = 0; i < count; i++) {
        char text[40];
        size_t length = strspn(*at, "0123456789.eE+-");
        if (length == 0 || length >= sizeof text)
            return false;
        memcpy(text, *at, length);
        text[length] = '\0';
        if (convert_real(text, -1e9, 1e9, &number[i]) != STATUS_OK)
            return false;
        *at += length;
        if (i + 1 < count && *(*at)++ != between)
            return false;
    }
    return true;
}

static bool is_nothing(const struct hybrid_part *part)
{
    return part->number[4] == 0 && part->number[5] == 0 && part->number[6] == 0;
}

static bool has_factor(const struct hybrid_part *part)
{
    return part->number[5] != 1 || part->number[6] != 0;
}

static bool folds_alike(const struct hybrid_part *one, const struct hybrid_part *two)
{
    return !memcmp(one->number, two->number, 4 * sizeof *one->number);
}

/* Is it a power of z as it is? */
static bool is_plain(const struct hybrid_part *part)
{
    static const struct hybrid_part unfolded = {{0}};
    return folds_alike(part, &unfolded) && part->number[4] >= 1 && !has_factor(part);
}

static void power_add(struct place_lists *made, int power)
{
    if (power > 1)
        place_lists_power(made, power);
}

static void folds_add(struct place_lists *made, const struct hybrid_part *part)
{
    for (int k = 0; k < 4; k++)
        if (part->number[k])
            place_lists_add(made, (enum formula_operation)(OPERATION_ABS_X + k));
}

static void factor_add(struct place_lists *made, const struct hybrid_part *part)
{
    if (has_factor(part))
        place_lists_scale(made, part->number[5], part->number[6]);
}

static void part_add(struct place_lists *made, const struct hybrid_part *part)
{
    folds_add(made, part);
    power_add(made, (int)part->number[4]);
    factor_add(made, part);
}

static int common_divisor(int a, int b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* a^n a^m is a^(n + m). z^n a^m, of a part a, is (z^(n/g) a^(m/g))^g, where g is as large as can
 * be: of z one value is kept, so that m / g must be a power of 2. */
static bool product_add(struct place_lists *made, const struct hybrid_part *one,
                        const struct hybrid_part *two)
{
    const struct hybrid_part *plain = is_plain(one) ? one : two, *other = is_plain(one) ? two : one;
    int power = (int)other->number[4], of_z = (int)plain->number[4];
    if (power < 1 || of_z < 1)
        return false;
    if (folds_alike(plain, other) && !has_factor(plain)) {
        struct hybrid_part both = *other;
        both.number[4] += of_z;
        part_add(made, &both);
        return true;
    }
    if (!is_plain(plain))
        return false;
    int whole = common_divisor(of_z, power), inner = power / whole;
    if (inner & (inner - 1))
        return false;
    place_lists_add(made, OPERATION_KEEP);
    folds_add(made, other);
    power_add(made, inner);
    for (int i = 0; i < of_z / whole; i++)
        place_lists_add(made, OPERATION_MUL);
    power_add(made, whole);
    factor_add(made, other);
    return true;
}

/* NULL, or what is wrong with it. */
static const char *line_add(struct place_lists *made, const char **at)
{
    struct hybrid_part one, two;
    double how;
    bool read = numbers_take(at, ',', one.number, 7) && *(*at)++ == ';' &&
                numbers_take(at, ',', two.number, 7) && *(*at)++ == ';' &&
                numbers_take(at, ';', &how, 1);
    if (!read)
        return "two parts of seven numbers and how they are combined are expected in a line";
    for (int k = 0; k < 5; k++)
        if (one.number[k] != floor(one.number[k]) || two.number[k] != floor(two.number[k]) ||
            one.number[k] < 0 || two.number[k] < 0 || one.number[k] > 64 || two.number[k] > 64)
            return "powers are whole numbers up to 64";
    if (how == 2)
        return product_add(made, &one, &two)
                   ? NULL
                   : "of products only z^n a^m are computed here, where a is z with parts folded "
                     "and m / gcd(n, m) a power of 2";
    if (how > 1 || !is_nothing(&two) || one.number[4] < 1)
        return "lines that add, subtract or divide parts are not computed here";
    part_add(made, &one);
    return NULL;
}

/* A group and its repetitions. */
static const char *group_add(struct place_lists *made, const char **at)
{
    double repeats;
    if (!numbers_take(at, '|', &repeats, 1) || repeats < 1 || repeats > FORMULA_PHASES_MAX ||
        repeats != floor(repeats))
        return "a group begins with its repetitions, 1 to 16";
    const char *lines = *at;
    for (int r = 0; r < repeats; r++) {
        *at = lines;
        while (**at == '|') {
            ++*at;
            const char *wrong = line_add(made, at);
            if (wrong)
                return wrong;
        }
        place_lists_add(made, OPERATION_ADD);
        place_lists_end(made);
    }
    return lines == *at ? "a group without lines" : NULL;
}

static bool says_place(const struct kfr_file *file)
{
    return ini_find(file->ini, "view", "re") || ini_find(file->ini, "view", "im") ||
           ini_find(file->ini, "view", "zoom");
}

/* Adds the formula, z^2 + c too if the file has no place, as those of its folder of formulas. */
static enum status formula_say(const struct kfr_file *file, int line, const struct formula *formula)
{
    if (formula_quadratic(formula) && line && !says_place(file))
        return place_add(file->ini, file->text, line, "formula", "mandelbrot");
    return place_add_formula(file->ini, file->text, line, formula);
}

static enum status hybrid_add(const struct kfr_file *file)
{
    struct place_lists made = {.operations = 0};
    struct formula formula;
    const char *at = file->hybrid, *wrong = NULL;
    int line = file->hybrid_line ? file->hybrid_line : file->hybrid_asked.line;
    double loop_start;
    if (!numbers_take(&at, '/', &loop_start, 1) || *at != '/')
        wrong = "the group from which it repeats and a / are expected first";
    else if (loop_start != 0)
        wrong = "only hybrids that repeat from their first group are computed here";
    while (!wrong && *at == '/') {
        at++;
        wrong = group_add(&made, &at);
    }
    if (!wrong && *at)
        wrong = "more after its last group";
    if (wrong)
        return status_fail(STATUS_BAD_DATA, "%s:%d: HybridFormula: %s", file->text->name, line,
                           wrong);
    TRY(place_formula_of_lists(&formula, &made, file->text, line));
    return formula_say(file, line, &formula);
}

/* |Re z^2| - i|Im z^2| + c */
static void early_buffalo_add(struct place_lists *made)
{
    static const enum formula_operation operations[] = {
        OPERATION_SQR, OPERATION_ABS_X, OPERATION_ABS_Y, OPERATION_NEG_Y, OPERATION_ADD};
    for (size_t i = 0; i < COUNT(operations); i++)
        place_lists_add(made, operations[i]);
    place_lists_end(made);
}

/* Adds the formula; one that is not computed here is an error. */
static enum status formula_add(const struct kfr_file *file)
{
    enum formula_step step = place_formula_numbered(file->type.value, file->power.value);
    int line = file->type.line ? file->type.line : file->power.line;
    struct place_lists made = {.operations = 0};
    struct formula formula;
    bool early = step == STEP_buffalo && is_early(file);
    if (file->hybrid_asked.value)
        return hybrid_add(file);
    if (step < FORMULA_STEPS && !early)
        return formula_say(file, line, &(struct formula){.step = step});
    if (early)
        early_buffalo_add(&made);
    if (early || place_lists_numbered(&made, file->type.value, file->power.value)) {
        TRY(place_formula_of_lists(&formula, &made, file->text, line));
        return formula_say(file, line, &formula);
    }
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: FractalType %g of power %g is not among the formulas that "
                       "`deepfield help formulas` lists",
                       file->text->name, line, file->type.value, file->power.value);
}

/* b,g,r,b,g,r, ... of 0 to 255; there may be a comma at the end. */
static enum status colours_take(const struct kfr_file *file, const struct key_line *line,
                                uint8_t (*rgb)[3], size_t most, size_t *count, int *number)
{
    const char *at = line->value;
    char shown[SHOWN_BYTES];
    TRY(place_once(file->text, line->number, line->key, number));
    for (*count = 0; *at; (*count)++) {
        if (*count == most)
            return status_fail(STATUS_BAD_DATA, "%s:%d: %s has more than %zu colours", line->name,
                               line->number, line->key, most);
        for (int channel = 2; channel >= 0; channel--) {
            size_t digits = strspn(at, "0123456789");
            int64_t value = digits >= 1 && digits <= 3 ? number_whole(at) : 256;
            bool ends = at[digits] == ',' || (!at[digits] && channel == 0);
            if (value > 255 || !ends)
                return status_fail(STATUS_BAD_DATA,
                                   "%s:%d: %s: colour %zu is '%s'; it must be blue,green,red, each "
                                   "0 to 255",
                                   line->name, line->number, line->key, *count + 1,
                                   text_shown(at, shown));
            rgb[*count][channel] = (uint8_t)value;
            at += digits + (at[digits] == ',');
        }
    }
    return STATUS_OK;
}

static enum status hybrid_take(struct kfr_file *file, const struct key_line *line)
{
    TRY(place_once(file->text, line->number, line->key, &file->hybrid_line));
    if (strlen(line->value) > HYBRID_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s is longer than %d characters", line->name,
                           line->number, line->key, HYBRID_MAX);
    snprintf(file->hybrid, sizeof file->hybrid, "%s", line->value);
    return STATUS_OK;
}

static enum status line_take(void *context, const struct key_line *line)
{
    struct kfr_file *file = context;
    if (!line->key)
        return STATUS_OK;
    TRY(key_check(line));
    for (size_t i = 0; i < COUNT(number_keys); i++)
        if (!strcmp(line->key, number_keys[i].key))
            return number_take(file, line, &number_keys[i]);
    if (!strcmp(line->key, "HybridFormula"))
        return hybrid_take(file, line);
    if (!strcmp(line->key, "Colors"))
        return colours_take(file, line, file->rgb, COLOURS_MAX, &file->colours,
                            &file->colours_line);
    if (!strcmp(line->key, "InteriorColor"))
        return colours_take(file, line, &file->interior, 1, &file->interiors, &file->interior_line);
    return STATUS_OK;
}

/* Does the first line that is no comment begin with a word and a colon? */
static bool line_has_key(const struct text *line)
{
    const char *at = line->begin;
    while (at < line->end && isalnum((unsigned char)*at))
        at++;
    return at > line->begin && at < line->end && *at == ':';
}

static enum status real_add(const struct kfr_file *file, int line, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    return place_add_look(file->ini, file->text, line, key, text);
}

/* Adds relief and light, which comes from the left at 0 degrees there and from above at 90. */
static enum status slopes_add(const struct kfr_file *file)
{
    int line = file->slopes.line;
    if (!line)
        return STATUS_OK;
    if (file->slopes.value == 0)
        return real_add(file, line, "relief", 0);
    TRY(real_add(file, line, "relief", fmin(fmax(file->slope_ratio.value / 100, 0), 1)));
    return real_add(file, line, "light", remainder(180 - file->slope_angle.value, 360));
}

/* Adds density and offset where colours are spread by the fourth root, as here; for the other
 * methods of Kalles Fraktaler density stays automatic. */
static enum status density_add(const struct kfr_file *file)
{
    const struct option_row *row = &option_rows[OPTION_LOOK_DENSITY];
    double density = 1 / (RING * file->divisor.value);
    if (file->method.value != FOURTH_ROOT || !(density >= row->low) || density > row->high)
        return STATUS_OK;
    double turns = file->offset.value / RING;
    TRY(real_add(file, file->method.line, "density", density));
    return real_add(file, file->method.line, "offset", turns - floor(turns));
}

static enum status look_add(const struct kfr_file *file)
{
    char interior[8];
    TRY(density_add(file));
    TRY(slopes_add(file));
    if (file->colours && !file->waves.value)
        TRY(place_add_colours(file->ini, file->text, file->colours_line,
                              (const uint8_t(*)[3])file->rgb, file->colours));
    if (!file->interiors)
        return STATUS_OK;
    snprintf(interior, sizeof interior, "#%02x%02x%02x", file->interior[0], file->interior[1],
             file->interior[2]);
    return place_add_look(file->ini, file->text, file->interior_line, "interior", interior);
}

static enum status zoom_scale(const struct kfr_file *file, double factor)
{
    for (size_t i = 0; i < file->ini->count; i++) {
        struct ini_entry *entry = &file->ini->entry[i];
        char *scaled;
        if (strcmp(entry->key, "zoom"))
            continue;
        TRY(place_blame(file->text, entry->line, "Zoom",
                        frame_product(factor, entry->value, &scaled)));
        free(entry->value);
        entry->value = scaled;
    }
    return STATUS_OK;
}

/* Early versions show centre + (360 / Ratio x + i y) e^(-i Rotate): the square root of that ratio
 * along the turned x, and across divided by it, times that root. */
static enum status early_frame_take(struct kfr_file *file)
{
    const double ratio = file->ratio.value;
    int line = file->ratio.line ? file->ratio.line : file->turn_rad.line;
    bool known_late = file->version.line && !is_early(file);
    if (known_late || (ratio == RATIO_PLAIN && file->turn_rad.value == 0))
        return STATUS_OK;
    if (file->angle.value != 0 || file->stretch.value != 0 || file->points_up.value)
        return status_fail(STATUS_BAD_DATA,
                           "%s:%d: Rotate and Ratio are of versions before 2.15, RotateAngle, "
                           "StretchAmount and ImagPointsUp of later ones; it must be one kind",
                           file->text->name, line);
    if (!(ratio > 0))
        return status_fail(STATUS_BAD_DATA, "%s:%d: Ratio is '%g'; it must be more than 0",
                           file->text->name, line, ratio);
    file->angle.value = file->stretch_angle.value = -file->turn_rad.value * (180 / M_PI);
    file->angle.line = file->turn_rad.line;
    if (ratio == RATIO_PLAIN)
        return STATUS_OK;
    file->stretch = (struct place_number){log2(RATIO_PLAIN / ratio) / 2, line};
    return zoom_scale(file, sqrt(ratio / RATIO_PLAIN));
}

/* Pixel (x, y) of Kalles Fraktaler, y down, is centre + (x + i y) e^(i angle), or centre +
 * (x - i y) e^(-i angle) where ImagPointsUp is 1. Before it is added the offset is multiplied by
 * 2^stretch along the stretch's angle, and divided by it across: what is seen is longer across. */
static enum status kfr_read(struct ini *ini, const struct place_text *text)
{
    static const struct place_key rows[] = {{.key = "Re", .name = "re"},
                                            {.key = "Im", .name = "im"},
                                            {.key = "Zoom", .name = "zoom"},
                                            {.key = "Iterations", .name = "limit"}};
    static const struct place_keys keys = {
        .key = rows, .count = COUNT(rows), .separator = ':', .other = line_take};
    struct kfr_file file = {.ini = ini,
                            .text = text,
                            .ratio.value = RATIO_PLAIN,
                            .divisor.value = 1,
                            .slope_ratio.value = 20,
                            .slope_angle.value = 45,
                            .power.value = 2};
    TRY(place_keys_read(ini, text, &keys, &file));
    TRY(formula_add(&file));
    TRY(look_add(&file));
    TRY(early_frame_take(&file));
    if (!file.points_up.value)
        TRY(place_add_mirror(ini, text));
    double sign = file.points_up.value ? -1 : 1;
    if (file.stretch.line)
        TRY(place_add_stretch(ini, text, file.stretch.line, exp2(2 * file.stretch.value),
                              sign * file.stretch_angle.value + 90));
    return place_add_rotation(ini, text, file.angle.line, sign * file.angle.value);
}

/* A sample, since a curve runs between the colours here; where they are more than that and stand
 * evenly, all of them. */
static enum status palette_write(const struct config *config, FILE *stream)
{
    const char *name = config_text(config, OPTION_LOOK_PALETTE);
    char folder[4096], assets[4200];
    struct palette *palette;
    struct palette_ring ring;
    fputs("Colors: ", stream);
    if (palette_is_colours(name) && palette_ring_parse(&ring, name) == STATUS_OK && !ring.placed &&
        ring.count > COLOURS_WRITTEN) {
        for (int i = 0; i < ring.count; i++)
            fprintf(stream, "%d,%d,%d,", ring.rgb[i][2], ring.rgb[i][1], ring.rgb[i][0]);
        return STATUS_OK;
    }
    TRY(data_folder(&config->data, folder, sizeof folder));
    snprintf(assets, sizeof assets, "%s/assets", folder);
    TRY(palette_load(&palette, assets, name));
    const float(*values)[4] = palette_values(palette);
    for (int i = 0; i < COLOURS_WRITTEN; i++) {
        const float *rgb = values[i * PALETTE_SAMPLES / COLOURS_WRITTEN];
        fprintf(stream, "%ld,%ld,%ld,", lround(rgb[2]), lround(rgb[1]), lround(rgb[0]));
    }
    palette_destroy(palette);
    return STATUS_OK;
}

static enum status colours_write(const struct config *config, FILE *stream)
{
    TRY(palette_write(config, stream));
    const char *inside = strchr(config_text(config, OPTION_LOOK_INTERIOR), '#');
    uint8_t rgb[3] = {0};
    if (inside)
        srgb_take(&inside, rgb);
    fprintf(stream, "\r\nInteriorColor: %d,%d,%d,\r\n", rgb[2], rgb[1], rgb[0]);
    if (config_real(config, OPTION_LOOK_DENSITY) > 0) /* else it is automatic */
        fprintf(stream,
                "SmoothMethod: 0\r\nColorMethod: %d\r\nIterDiv: %.15g\r\n"
                "ColorOffset: %ld\r\n",
                FOURTH_ROOT, 1 / (RING * config_real(config, OPTION_LOOK_DENSITY)),
                lround(RING * config_real(config, OPTION_LOOK_OFFSET)));
    return STATUS_OK;
}

/* Relief that depends on the picture is left to that program. */
static void slopes_write(const struct config *config, FILE *stream)
{
    double relief = config_real(config, OPTION_LOOK_RELIEF);
    if (!strcmp(config_text(config, OPTION_LOOK_RELIEF), "auto"))
        return;
    fprintf(stream, "Slopes: %d\r\nSlopePower: 50\r\nSlopeRatio: %ld\r\nSlopeAngle: %ld\r\n",
            relief > 0, lround(100 * relief),
            lround(remainder(180 - config_real(config, OPTION_LOOK_LIGHT), 360)));
}

/* Writes the keys that versions since 2.15 read, and the line ends that they write. */
static enum status kfr_write(const struct config *config, FILE *stream)
{
    struct formula formula;
    TRY(config_formula(config, &formula));
    if (formula.plane == DYNAMIC_PLANE || formula_rational(&formula) || formula.step == STEP_OWN ||
        formula_kind(&formula)->kalles_fraktaler == NO_KF)
        TRY(place_check_mandelbrot(config, place_kfr.name));
    const struct formula_kind *kind = formula_kind(&formula);
    bool mirrored = config_boolean(config, OPTION_VIEW_MIRROR);
    struct view_shape shape;
    TRY(config_view_shape(config, &shape));
    fprintf(stream, "Re: %s\r\nIm: %s\r\nZoom: %s\r\nIterations: %lld\r\n",
            config_text(config, OPTION_VIEW_RE), config_text(config, OPTION_VIEW_IM),
            config_text(config, OPTION_VIEW_ZOOM),
            (long long)config_integer(config, OPTION_VIEW_LIMIT));
    fprintf(stream, "Version: %d\r\n", VERSION_WRITTEN);
    fprintf(stream, "Power: %d\r\nFractalType: %d\r\nSeedR: 0\r\nSeedI: 0\r\nRotate: 0\r\n",
            kind->degree, kind->kalles_fraktaler);
    double sign = mirrored ? 1 : -1, factor = view_stretch(&shape);
    fprintf(stream, "Ratio: 360\r\nRotateAngle: %.17g\r\nStretchAngle: %.17g\r\n",
            sign * config_real(config, OPTION_VIEW_ROTATION) + 0.0,
            factor == 1 ? 0 : sign * remainder(shape.stretch_deg - 90, 180) + 0.0);
    fprintf(stream, "StretchAmount: %.17g\r\nImagPointsUp: %d\r\n", log2(factor) / 2, !mirrored);
    slopes_write(config, stream);
    return colours_write(config, stream);
}

const struct place_format place_kfr = {.name = "kfr file",
                                       .suffix = ".kfr",
                                       .summary = "Kalles Fraktaler 2",
                                       .first_line = line_has_key,
                                       .read = kfr_read,
                                       .write = kfr_write};
