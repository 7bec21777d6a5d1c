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
 * read here 2.15.1 changed two things: RotateAngle, StretchAngle and StretchAmount say what Rotate
 * and Ratio, written for nobody since, said before; and type 2 of power 2 was |Re z^2| - i|Im z^2|
 * + c. (Sources of kf-2.12.1, 2.14.8 and 2.15.3, whose 91 formulas are else the same.) */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/text/convert.h"
#include "app/place/data.h"
#include "app/text/key_lines.h"
#include "app/config/config_view.h"
#include "app/place/place_format.h"
#include "app/place/place_formula.h"
#include "kernels/number_text.h"
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

/* What is called what in [view]. */
static const char *const names[][2] = {
    {"Re", "re"}, {"Im", "im"}, {"Zoom", "zoom"}, {"Iterations", "limit"}};

/* What must have one value, for the picture to be one of ours. */
static const struct {
    const char *key;
    double value;
    const char *what;
} fixed[] = {{"SeedR", 0, "iteration begins at 0 here"},
             {"SeedI", 0, "iteration begins at 0 here"},
             {"ExponentialMap", 0, "exponential maps are not read; put 0 there"}};

/* What only late versions write. */
static const char *const late_keys[] = {"RotateAngle",  "StretchAngle",     "StretchAmount",
                                        "ImagPointsUp", "UseHybridFormula", "HybridFormula"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct reading {
    struct ini *ini;
    const struct place_text *text;
    double angle; /* clockwise, where the imaginary axis points up */
    int angle_line;
    double stretch, stretch_angle; /* in octaves, either way; of the axis, clockwise likewise */
    int stretch_line, stretch_angle_line;
    double turn_rad, ratio; /* of early versions: Rotate, Ratio */
    int turn_line, ratio_line;
    bool points_up;
    uint8_t rgb[COLOURS_MAX][3], interior[3];
    size_t colours, interiors; /* 0: not given */
    int colours_line, interior_line;
    bool waves; /* colours are mixed of sines instead */
    double method, divisor, offset;
    double slopes, slope_ratio, slope_angle; /* light from the side, at most so many per cent */
    int method_line, slopes_line;
    double type, power; /* of the formula */
    int type_line, power_line;
    char hybrid[HYBRID_MAX + 1]; /* HybridFormula: */
    int hybrid_line;
    int hybrid_asked; /* line of UseHybridFormula: 1; 0: none */
    double version;
    int version_line;
    bool late; /* a late key is there */
};

/* Was it written by a version before 2.15.1? */
static bool is_early(const struct reading *reading)
{
    return reading->version_line ? reading->version < VERSION_LATE
                                 : (reading->ratio_line || reading->turn_line) && !reading->late;
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

static enum status value_check(const struct key_line *line, double wanted, const char *what)
{
    char shown[SHOWN_BYTES];
    double value;
    if (convert_real(line->value, -1e9, 1e9, &value) == STATUS_OK && value == wanted)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s': %s", line->name, line->number,
                       line->key, text_shown(line->value, shown), what);
}

static enum status number_need(const struct key_line *line, const char *what, double *number,
                               int *at)
{
    char shown[SHOWN_BYTES];
    *at = line->number;
    if (convert_real(line->value, 0, 1e9, number) == STATUS_OK)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s'; it must be a number of its %s",
                       line->name, line->number, line->key, text_shown(line->value, shown), what);
}

/* ---- hybrids ---- */

/* LOOP_START/REPEATS|LINE|LINE.../REPEATS|LINE...: iterations of one group, so often, then of the
 * next; each goes through the lines of its group and then adds c. A LINE is PART;PART;HOW, two
 * parts that are added (0), subtracted (1), multiplied (2) or divided (3), and a PART
 * abs x, abs y, neg x, neg y, power, factor re, factor im, with commas. */
struct part {
    double number[7];
};

/* So many numbers with `between` after each but the last, from *at on, which becomes their end. */
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

static bool is_nothing(const struct part *part)
{
    return part->number[4] == 0 && part->number[5] == 0 && part->number[6] == 0;
}

static bool has_factor(const struct part *part)
{
    return part->number[5] != 1 || part->number[6] != 0;
}

static bool folds_alike(const struct part *one, const struct part *two)
{
    return !memcmp(one->number, two->number, 4 * sizeof *one->number);
}

/* Is it a power of z as it is? */
static bool is_plain(const struct part *part)
{
    static const struct part unfolded = {{0}};
    return folds_alike(part, &unfolded) && part->number[4] >= 1 && !has_factor(part);
}

static void power_add(struct place_lists *made, int power)
{
    if (power > 1)
        place_lists_power(made, power);
}

static void folds_add(struct place_lists *made, const struct part *part)
{
    for (int k = 0; k < 4; k++)
        if (part->number[k])
            place_lists_add(made, (enum formula_operation)(OPERATION_ABS_X + k));
}

static void factor_add(struct place_lists *made, const struct part *part)
{
    if (has_factor(part))
        place_lists_scale(made, part->number[5], part->number[6]);
}

static void part_add(struct place_lists *made, const struct part *part)
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
static bool product_add(struct place_lists *made, const struct part *one, const struct part *two)
{
    const struct part *plain = is_plain(one) ? one : two, *other = is_plain(one) ? two : one;
    int power = (int)other->number[4], of_z = (int)plain->number[4];
    if (power < 1 || of_z < 1)
        return false;
    if (folds_alike(plain, other) && !has_factor(plain)) {
        struct part both = *other;
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
    struct part one, two;
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

static bool says_place(const struct reading *reading)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i][1], "limit") != 0 && ini_find(reading->ini, "view", names[i][1]))
            return true;
    return false;
}

/* Its folder of formulas has files that say a formula and no place, z^2 + c among them. */
static enum status formula_say(const struct reading *reading, int line,
                               const struct formula *formula)
{
    if (formula_quadratic(formula) && line && !says_place(reading))
        return place_add(reading->ini, reading->text, line, "formula", "mandelbrot");
    return place_add_formula(reading->ini, reading->text, line, formula);
}

static enum status hybrid_add(const struct reading *reading)
{
    struct place_lists made = {.operations = 0};
    struct formula formula;
    const char *at = reading->hybrid, *wrong = NULL;
    int line = reading->hybrid_line ? reading->hybrid_line : reading->hybrid_asked;
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
        return status_fail(STATUS_BAD_DATA, "%s:%d: HybridFormula: %s", reading->text->name, line,
                           wrong);
    TRY(place_formula_of_lists(&formula, &made, reading->text, line));
    return formula_say(reading, line, &formula);
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

/* Those of its formulas that are computed here keep their places. */
static enum status formula_add(const struct reading *reading)
{
    enum formula_step step = place_formula_numbered(reading->type, reading->power);
    int line = reading->type_line ? reading->type_line : reading->power_line;
    struct place_lists made = {.operations = 0};
    struct formula formula;
    bool early = step == STEP_buffalo && is_early(reading);
    if (reading->hybrid_asked)
        return hybrid_add(reading);
    if (step < FORMULA_STEPS && !early)
        return formula_say(reading, line, &(struct formula){.step = step});
    if (early)
        early_buffalo_add(&made);
    if (early || place_lists_numbered(&made, reading->type, reading->power)) {
        TRY(place_formula_of_lists(&formula, &made, reading->text, line));
        return formula_say(reading, line, &formula);
    }
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: FractalType %g of power %g is not among the formulas that "
                       "`deepfield help formulas` lists",
                       reading->text->name, line, reading->type, reading->power);
}

/* *given: the line where it was, or 0. */
static enum status angle_take(const struct key_line *line, double *angle, int *given)
{
    char shown[SHOWN_BYTES];
    if (*given)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", line->name,
                           line->number, line->key, *given);
    *given = line->number;
    if (convert_real(line->value, -ANGLE_MAX, ANGLE_MAX, angle) != STATUS_OK)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s'; it must be a number from %g to %g",
                           line->name, line->number, line->key, text_shown(line->value, shown),
                           -ANGLE_MAX, ANGLE_MAX);
    return STATUS_OK;
}

/* What only colours depend on is left as it was where it is no number. */
static void number_take(const struct key_line *line, const char *key, double *number)
{
    double value;
    if (!strcmp(line->key, key) && convert_real(line->value, -1e9, 1e9, &value) == STATUS_OK)
        *number = value;
}

/* b,g,r,b,g,r, ... of 0 to 255; there may be a comma at the end. */
static enum status colours_take(const struct key_line *line, uint8_t (*rgb)[3], size_t most,
                                size_t *count, int *number)
{
    const char *at = line->value;
    char shown[SHOWN_BYTES];
    if (*number)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", line->name,
                           line->number, line->key, *number);
    *number = line->number;
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

static enum status hybrid_take(struct reading *reading, const struct key_line *line)
{
    if (reading->hybrid_line)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", line->name,
                           line->number, line->key, reading->hybrid_line);
    reading->hybrid_line = line->number;
    if (strlen(line->value) > HYBRID_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s is longer than %d characters", line->name,
                           line->number, line->key, HYBRID_MAX);
    snprintf(reading->hybrid, sizeof reading->hybrid, "%s", line->value);
    return STATUS_OK;
}

static enum status line_take(void *context, const struct key_line *line)
{
    struct reading *reading = context;
    if (!line->key)
        return STATUS_OK;
    TRY(key_check(line));
    for (size_t i = 0; i < COUNT(late_keys); i++)
        reading->late |= !strcmp(line->key, late_keys[i]);
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(line->key, names[i][0]))
            return place_add(reading->ini, reading->text, line->number, names[i][1], line->value);
    if (!strcmp(line->key, "RotateAngle"))
        return angle_take(line, &reading->angle, &reading->angle_line);
    if (!strcmp(line->key, "StretchAngle"))
        return angle_take(line, &reading->stretch_angle, &reading->stretch_angle_line);
    if (!strcmp(line->key, "StretchAmount"))
        return angle_take(line, &reading->stretch, &reading->stretch_line);
    if (!strcmp(line->key, "Rotate"))
        return angle_take(line, &reading->turn_rad, &reading->turn_line);
    if (!strcmp(line->key, "Ratio"))
        return angle_take(line, &reading->ratio, &reading->ratio_line);
    if (!strcmp(line->key, "FractalType"))
        return number_need(line, "formulas", &reading->type, &reading->type_line);
    if (!strcmp(line->key, "Power"))
        return number_need(line, "formulas", &reading->power, &reading->power_line);
    if (!strcmp(line->key, "Version"))
        return number_need(line, "versions", &reading->version, &reading->version_line);
    if (!strcmp(line->key, "UseHybridFormula"))
        reading->hybrid_asked = strcmp(line->value, "0") ? line->number : 0;
    if (!strcmp(line->key, "HybridFormula"))
        return hybrid_take(reading, line);
    if (!strcmp(line->key, "Colors"))
        return colours_take(line, reading->rgb, COLOURS_MAX, &reading->colours,
                            &reading->colours_line);
    if (!strcmp(line->key, "InteriorColor"))
        return colours_take(line, &reading->interior, 1, &reading->interiors,
                            &reading->interior_line);
    if (!strcmp(line->key, "ColorMethod"))
        reading->method_line = line->number;
    if (!strcmp(line->key, "Slopes"))
        reading->slopes_line = line->number;
    number_take(line, "Slopes", &reading->slopes);
    number_take(line, "SlopeRatio", &reading->slope_ratio);
    number_take(line, "SlopeAngle", &reading->slope_angle);
    number_take(line, "ColorMethod", &reading->method);
    number_take(line, "IterDiv", &reading->divisor);
    number_take(line, "ColorOffset", &reading->offset);
    if (!strcmp(line->key, "MultiColor"))
        reading->waves = strcmp(line->value, "0") != 0;
    if (!strcmp(line->key, "ImagPointsUp"))
        reading->points_up = strcmp(line->value, "0") != 0;
    for (size_t i = 0; i < COUNT(fixed); i++)
        if (!strcmp(line->key, fixed[i].key))
            return value_check(line, fixed[i].value, fixed[i].what);
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

static bool is_kfr(struct text text)
{
    return text_first_line(text, line_has_key);
}

static enum status real_add(const struct reading *reading, int line, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    return place_add_look(reading->ini, reading->text, line, key, text);
}

/* Its light comes from the left at 0 degrees and from above at 90. */
static enum status slopes_add(const struct reading *reading)
{
    int line = reading->slopes_line;
    if (!line)
        return STATUS_OK;
    if (reading->slopes == 0)
        return real_add(reading, line, "relief", 0);
    TRY(real_add(reading, line, "relief", fmin(fmax(reading->slope_ratio / 100, 0), 1)));
    return real_add(reading, line, "light", remainder(180 - reading->slope_angle, 360));
}

/* Of its ways to spread colours over the counts one is ours; for others the density is left to
 * choose. */
static enum status density_add(const struct reading *reading)
{
    const struct option_row *row = &option_rows[OPTION_LOOK_DENSITY];
    double density = 1 / (RING * reading->divisor);
    if (reading->method != FOURTH_ROOT || !reading->method_line || !(density >= row->low) ||
        density > row->high)
        return STATUS_OK;
    double turns = reading->offset / RING;
    TRY(real_add(reading, reading->method_line, "density", density));
    return real_add(reading, reading->method_line, "offset", turns - floor(turns));
}

static enum status look_add(const struct reading *reading)
{
    char interior[8];
    TRY(density_add(reading));
    TRY(slopes_add(reading));
    if (reading->colours && !reading->waves)
        TRY(place_add_colours(reading->ini, reading->text, reading->colours_line,
                              (const uint8_t(*)[3])reading->rgb, reading->colours));
    if (!reading->interiors)
        return STATUS_OK;
    snprintf(interior, sizeof interior, "#%02x%02x%02x", reading->interior[0], reading->interior[1],
             reading->interior[2]);
    return place_add_look(reading->ini, reading->text, reading->interior_line, "interior",
                          interior);
}

static enum status zoom_scale(const struct reading *reading, double factor)
{
    for (size_t i = 0; i < reading->ini->count; i++) {
        struct ini_entry *entry = &reading->ini->entry[i];
        char *scaled;
        if (strcmp(entry->key, "zoom"))
            continue;
        TRY(place_blame(reading->text, entry->line, "Zoom",
                        frame_product(factor, entry->value, &scaled)));
        free(entry->value);
        entry->value = scaled;
    }
    return STATUS_OK;
}

/* Early versions show centre + (360 / Ratio x + i y) e^(-i Rotate): the square root of that ratio
 * along the turned x, and across divided by it, times that root. */
static enum status early_frame_take(struct reading *reading)
{
    int line = reading->ratio_line ? reading->ratio_line : reading->turn_line;
    bool known_late = reading->version_line && !is_early(reading);
    if (known_late || (reading->ratio == RATIO_PLAIN && reading->turn_rad == 0))
        return STATUS_OK;
    if (reading->angle != 0 || reading->stretch != 0 || reading->points_up)
        return status_fail(STATUS_BAD_DATA,
                           "%s:%d: Rotate and Ratio are of versions before 2.15, RotateAngle, "
                           "StretchAmount and ImagPointsUp of later ones; it must be one kind",
                           reading->text->name, line);
    if (!(reading->ratio > 0))
        return status_fail(STATUS_BAD_DATA, "%s:%d: Ratio is '%g'; it must be more than 0",
                           reading->text->name, line, reading->ratio);
    reading->angle = reading->stretch_angle = -reading->turn_rad * (180 / M_PI);
    reading->angle_line = reading->turn_line;
    if (reading->ratio == RATIO_PLAIN)
        return STATUS_OK;
    reading->stretch = log2(RATIO_PLAIN / reading->ratio) / 2;
    reading->stretch_line = line;
    return zoom_scale(reading, sqrt(reading->ratio / RATIO_PLAIN));
}

/* Its pixel (x, y), y down, is centre + (x + i y) e^(i angle), and centre + (x - i y) e^(-i angle)
 * where ImagPointsUp is 1. Before it is added the offset is multiplied by 2^stretch along the
 * stretch's angle, and divided by it across: what is seen is longer across. */
static enum status kfr_read(struct ini *ini, const struct place_text *text)
{
    struct reading reading = {.ini = ini,
                              .text = text,
                              .ratio = RATIO_PLAIN,
                              .divisor = 1,
                              .slope_ratio = 20,
                              .slope_angle = 45,
                              .power = 2};
    TRY(key_lines_each(text->bytes, text->length, ':', text->name, line_take, &reading));
    TRY(formula_add(&reading));
    TRY(look_add(&reading));
    TRY(early_frame_take(&reading));
    if (!reading.points_up)
        TRY(place_add_mirror(ini, text));
    double sign = reading.points_up ? -1 : 1;
    if (reading.stretch_line)
        TRY(place_add_stretch(ini, text, reading.stretch_line, exp2(2 * reading.stretch),
                              sign * reading.stretch_angle + 90));
    return place_add_rotation(ini, text, reading.angle_line, sign * reading.angle);
}

/* A sample, since a curve runs between the colours here; where they are more than that and stand
 * evenly, all of them. */
static enum status palette_write(const char *name, FILE *stream)
{
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
    TRY(data_folder(folder, sizeof folder));
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
    TRY(palette_write(config_text(config, OPTION_LOOK_PALETTE), stream));
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

/* With the keys that versions since 2.15 look for, and the line ends that they write. */
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
                                       .recognise = is_kfr,
                                       .read = kfr_read,
                                       .write = kfr_write};
