/* Parameter sets of Fractint and Iterated Dynamics (.par): `NAME { key=value ... }`, several in a
 * file. Where they look is `center-mag=re/im/mag[/stretch/rotation/skew]` or
 * `corners=left/right/bottom/top[/x/y]`, what they compute `type=mandel`,
 * `julia` or another of `types`, with `params=`.
 *
 * Their image is 2 / mag high and 4:3. A frame that is stretched by up to 3 % is taken to be 4:3:
 * as much as older versions made of screens whose pixels were no squares. Their 256 colours become
 * a palette. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "library/place/place_choice.h"
#include "library/place/place_format.h"
#include "library/place/place_formula.h"
#include "library/text/convert.h"
#include "render/colour/srgb.h"
#include "render/file/frame.h"
#include "render/view/view_shape.h"

enum { WORDS_MAX = 1000, PARTS_MAX = 6 };

#define ASPECT (4.0 / 3)
#define STRETCH_MAX 0.03
#define SKEW_MAX_DEG 1.0

/* ---- colors=..., values of a 256-colour card ---- */

enum { FRACTINT_COLOURS = 256 };

enum { LEVELS = 64 };

/* 0 ... 9, A ... Z, _ ... z: 64 levels; -1 for another character. */
static int level_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
           : c >= '_' && c <= 'z' ? c - '_' + 36
                                  : -1;
}

/* Adds a colour (0 ... 255), and before it colours between the last one and this, as many as fit.
 */
static void colour_add(uint8_t colour[FRACTINT_COLOURS][3], size_t *count, const double rgb[3],
                       size_t between)
{
    size_t last = *count - 1;
    for (size_t i = 1; i <= between + 1 && *count < FRACTINT_COLOURS; i++, (*count)++)
        for (int channel = 0; channel < 3; channel++) {
            double before = between ? colour[last][channel] : 0;
            double part = (double)i / (double)(between + 1);
            colour[*count][channel] = (uint8_t)lround(before + (rgb[channel] - before) * part);
        }
}

static bool levels_take(const char **at, double rgb[3])
{
    for (int channel = 0; channel < 3; channel++) {
        int level = level_of(**at);
        if (level < 0)
            return false;
        rgb[channel] = level * 255.0 / (LEVELS - 1);
        (*at)++;
    }
    return true;
}

/* Levels, or #RRGGBB, as Iterated Dynamics writes what is between them. */
static bool colour_take(const char **at, double rgb[3])
{
    uint8_t byte[3];
    if (**at != '#')
        return levels_take(at, rgb);
    if (!srgb_take(at, byte))
        return false;
    for (int channel = 0; channel < 3; channel++)
        rgb[channel] = byte[channel];
    return true;
}

/* Reads colours and returns their number; 0 for the name of a file (@...) or an invalid text. */
static size_t fractint_colours(const char *text, uint8_t rgb[FRACTINT_COLOURS][3])
{
    size_t count = 0, between = 0;
    double colour[3];
    for (const char *at = text; *at && count < FRACTINT_COLOURS;) {
        size_t digits = *at == '<' ? strspn(at + 1, "0123456789") : 0;
        if (digits >= 1 && digits <= 3 && at[1 + digits] == '>' && count) {
            between = (size_t)number_whole(at + 1);
            at += digits + 2;
        } else if (colour_take(&at, colour)) {
            colour_add(rgb, &count, colour, between);
            between = 0;
        } else
            return 0;
    }
    return count;
}

/* ---- what they compute ---- */

struct fractint_family { /* a formula of ours */
    const char *text;    /* with its degree as %d, if it has one */
    int least, most;     /* least and greatest degree */
};

static const struct fractint_family square = {"mandelbrot", 0, 0}, quartic = {"multibrot_4", 0, 0},
                                    power = {"pow %d, add c", 2, 64}, lambda = {"lambda", 0, 0},
                                    magnet_1 = {"magnet_1", 0, 0}, magnet_2 = {"magnet_2", 0, 0},
                                    newton = {"newton_%d", 3, 6}, phoenix = {"phoenix", 0, 0},
                                    /* upright: of conj(c) */
    ship = {"absx, absy, pow %d, negy, add c", 2, 5};

/* left, right, bottom, top where none are given */
static const char *const corners_4_3[4] = {"-2", "2", "-1.5", "1.5"},
                         *const corners_mandel[4] = {"-2.5", "1.5", "-1.5", "1.5"},
                         *const corners_plane_lambda[4] = {"-3", "5", "-3", "3"},
                         *const corners_lambda[4] = {"-1.5", "2.5", "-1.5", "1.5"},
                         *const corners_magnet_1[4] = {"-4", "4", "-3", "3"},
                         *const corners_magnet_2[4] = {"-1.5", "3.7", "-1.95", "1.95"},
                         *const corners_magnets[4] = {"-8", "8", "-6", "6"},
                         *const corners_ship[4] = {"-2.5", "1.5", "-1.2", "1.8"};

enum { PARAMETERS = 5 };

/* A number of params= is a part of z_0 (z), the real or imaginary part of c (r, i), the degree (d),
 * or must have a value (=) for the formula to be one of ours. Orbits with a z_0 begin at the pixel
 * plus that, which is z_1 of those that begin at 0, and z_2 then is the same with both phoenixes.
 * Of Newton's method the pixel is z_0. (Sources of Iterated Dynamics.) */
static const struct type {
    const char *name;
    const struct fractint_family *family;
    const char *const *corners;
    const char *roles;
    double usual[PARAMETERS]; /* where params= has no such number */
    double wanted[PARAMETERS];
} types[] = {
    {"mandel", &square, corners_mandel, "zz", {0}, {0}},
    {"julia", &square, corners_4_3, "ri", {0.3, 0.6}, {0}},
    {"manzpower", &power, corners_4_3, "zzd=", {0, 0, 2}, {0}},
    {"julzpower", &power, corners_4_3, "rid=", {0.3, 0.6, 2}, {0}},
    {"mandel4", &quartic, corners_4_3, "zz", {0}, {0}},
    {"julia4", &quartic, corners_4_3, "ri", {0.6, 0.55}, {0}},
    {"mandellambda", &lambda, corners_plane_lambda, "zz", {0}, {0}},
    {"lambda", &lambda, corners_lambda, "ri", {0.85, 0.6}, {0}},
    {"magnet1m", &magnet_1, corners_magnet_1, "zz", {0}, {0}},
    {"magnet1j", &magnet_1, corners_magnets, "ri", {0}, {0}},
    {"magnet2m", &magnet_2, corners_magnet_2, "zz", {0}, {0}},
    {"magnet2j", &magnet_2, corners_magnets, "ri", {0}, {0}},
    {"newton", &newton, corners_4_3, "d", {3}, {0}},
    {"newtbasin", &newton, corners_4_3, "d", {3}, {0}},
    {"complexnewton", &newton, corners_4_3, "d===", {3, 0, 1}, {0, 0, 1}},
    {"complexbasin", &newton, corners_4_3, "d===", {3, 0, 1}, {0, 0, 1}},
    {"phoenix", &phoenix, corners_4_3, "r==", {0.56667, -0.5}, {0, -0.5}},
    {"phoenixcplx", &phoenix, corners_4_3, "ri===", {0.2, 0, 0.3}, {0, 0, -0.5}},
    {"mandphoenixclx", &phoenix, corners_mandel, "zz===", {0, 0, 0.5}, {0, 0, -0.5}},
    {"burning-ship", &ship, corners_ship, "zzd", {0, 0, 2}, {0}},
};

static bool type_is_julia(const struct type *type)
{
    return *type->roles == 'r';
}

/* ---- sets, and what they say ---- */

struct parts { /* parts of a value: a/b/c */
    char *text[PARTS_MAX];
    int count, line; /* line 0: not given */
};

struct fractint_set { /* what a set says */
    struct ini *ini;
    const struct place_text *text;
    const char *at, *end;
    int line, words;
    const struct type *type; /* NULL: not given */
    struct parts centre, corners, parameters;
    uint8_t rgb[FRACTINT_COLOURS][3];
    size_t colours;
    int colours_line;
};

static void parts_destroy(struct parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        free(parts->text[i]);
    *parts = (struct parts){0};
}

static void line_skip(struct text *rest)
{
    while (rest->begin < rest->end && *rest->begin != '\n')
        rest->begin++;
}

/* Takes the body up to its }, which no } in a comment is; false if there is none. */
static bool body_take(struct text *rest, int *line, struct place_item *item)
{
    item->line = *line;
    item->body.begin = rest->begin;
    for (; rest->begin < rest->end; rest->begin++) {
        if (*rest->begin == ';')
            line_skip(rest);
        if (rest->begin == rest->end || *rest->begin == '{')
            return false;
        *line += *rest->begin == '\n';
        if (*rest->begin == '}') {
            item->body.end = rest->begin++;
            return true;
        }
    }
    return false;
}

/* Is it the text of a formula, of an L-system or of an IFS, which files may have beside sets? */
static bool is_of_other_kind(const struct text *name)
{
    return text_begins(name, "frm:") || text_begins(name, "l:") || text_begins(name, "ifs:");
}

static enum status sets_offer(struct place_choice *choice, struct text rest)
{
    int line = 1;
    struct place_item item = {.name = {rest.begin, rest.begin}};
    while (rest.begin < rest.end) {
        char c = *rest.begin;
        if (c == ';')
            line_skip(&rest);
        else if (c == '{') {
            item.name.end = rest.begin++;
            text_trim(&item.name);
            int first = line;
            if (!body_take(&rest, &line, &item))
                return status_fail(STATUS_BAD_DATA, "%s:%d: a set { without its }",
                                   choice->text->name, first);
            if (!is_of_other_kind(&item.name))
                TRY(place_offer(choice, &item));
            item.name.begin = rest.begin;
        } else {
            rest.begin++;
            line += c == '\n';
            if (isspace((unsigned char)c) && item.name.begin == rest.begin - 1)
                item.name.begin = rest.begin;
            if (c == '\n')
                item.name.begin = rest.begin;
        }
    }
    return place_choose(choice);
}

/* ---- words of a set ---- */

/* Blanks, comments, and a backslash at the end of a line. */
static void space_skip(struct fractint_set *set)
{
    for (; set->at < set->end; set->at++) {
        if (*set->at == ';')
            while (set->at < set->end && *set->at != '\n')
                set->at++;
        if (set->at == set->end || !(isspace((unsigned char)*set->at) || *set->at == '\\'))
            return;
        set->line += *set->at == '\n';
    }
}

/* A backslash before a line end joins the next line, without its blanks. */
static bool join_take(struct fractint_set *set)
{
    const char *next = set->at + 1;
    while (next < set->end && (*next == ' ' || *next == '\t' || *next == '\r'))
        next++;
    if (*set->at != '\\' || next == set->end || *next != '\n')
        return false;
    for (; next < set->end && isspace((unsigned char)*next); next++)
        set->line += *next == '\n';
    set->at = next;
    return true;
}

/* The next word, its joined lines put together; freed by the caller. NULL: there is none. */
static enum status word_read(struct fractint_set *set, char **word)
{
    *word = NULL;
    space_skip(set);
    if (set->at == set->end)
        return STATUS_OK;
    char *out = malloc((size_t)(set->end - set->at) + 1);
    if (!out)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", set->text->name);
    bool quoted = false;
    *word = out;
    while (set->at < set->end) {
        if (join_take(set))
            continue;
        if (*set->at == '"')
            quoted = !quoted;
        if (*set->at == '\n' || (!quoted && (isspace((unsigned char)*set->at) || *set->at == ';')))
            break;
        *out++ = *set->at++;
    }
    *out = '\0';
    return STATUS_OK;
}

static enum status parts_take(struct fractint_set *set, struct parts *parts, int line,
                              const char *value)
{
    parts_destroy(parts);
    parts->line = line;
    for (const char *at = value; *at && parts->count < PARTS_MAX;) {
        size_t length = strcspn(at, "/");
        TRY(place_copy_text(&(struct text){at, at + length}, set->text, line,
                            &parts->text[parts->count]));
        parts->count++;
        at += length + (at[length] == '/');
    }
    return STATUS_OK;
}

static enum status value_wrong(const struct fractint_set *set, int line, const char *word,
                               const char *what)
{
    char shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s: %s", set->text->name, line,
                       text_shown(word, shown), what);
}

static enum status type_take(struct fractint_set *set, int line, const char *word,
                             const char *value)
{
    const struct text type = {value, value + strlen(value)};
    char known[400] = "only types ";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", types[i].name);
        if (text_is(&type, types[i].name)) {
            set->type = &types[i];
            return STATUS_OK;
        }
    }
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " are computed here");
    return value_wrong(set, line, word, known);
}

/* What would be another picture. */
static enum status other_check(const struct fractint_set *set, int line, const char *word)
{
    static const struct {
        const char *begins, *but, *what;
    } rows[] = {
        {"invert=", "invert=0", "inverted planes are not computed here"},
        {"inversion=", "inversion=0", "inverted planes are not computed here"},
        {"initorbit=", "initorbit=pixel", "iteration begins at 0 here"},
        {"3d=", "3d=n", "surfaces in space are not computed here"},
    };
    const struct text text = {word, word + strlen(word)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (text_begins(&text, rows[i].begins) && !text_begins(&text, rows[i].but))
            return value_wrong(set, line, word, rows[i].what);
    return STATUS_OK;
}

static enum status word_take(struct fractint_set *set, int line, const char *word)
{
    const struct text text = {word, word + strlen(word)};
    const char *equals = strchr(word, '='), *value = equals ? equals + 1 : "";
    if (text_begins(&text, "type="))
        return type_take(set, line, word, value);
    if (text_begins(&text, "center-mag="))
        return parts_take(set, &set->centre, line, value);
    if (text_begins(&text, "corners="))
        return parts_take(set, &set->corners, line, value);
    if (text_begins(&text, "params="))
        return parts_take(set, &set->parameters, line, value);
    if (text_begins(&text, "colors=")) {
        set->colours = fractint_colours(value, set->rgb);
        set->colours_line = line;
    }
    if (text_begins(&text, "maxiter="))
        return place_add(set->ini, set->text, line, "limit", value);
    return other_check(set, line, word);
}

static enum status words_read(struct fractint_set *set)
{
    for (;;) {
        char *word;
        space_skip(set);
        int line = set->line;
        TRY(word_read(set, &word));
        if (!word)
            return STATUS_OK;
        enum status status = ++set->words > WORDS_MAX
                                 ? value_wrong(set, line, word, "more words than a set has")
                                 : word_take(set, line, word);
        free(word);
        TRY(status);
    }
}

/* ---- what they mean ---- */

static enum status key_add(const struct fractint_set *set, int line, const char *key,
                           const char *value)
{
    return place_add(set->ini, set->text, line, key, value);
}

/* The n-th part as a number; `fallback` if it is not there. */
static enum status part_real(const struct fractint_set *set, const struct parts *parts, int n,
                             double fallback, double *value)
{
    *value = fallback;
    if (n >= parts->count ||
        convert_real(parts->text[n], -ANGLE_MAX, ANGLE_MAX, value) == STATUS_OK)
        return STATUS_OK;
    return value_wrong(set, parts->line, parts->text[n], "it must be a number from -1e6 to 1e6");
}

static bool is_plain(double stretch, double skew_deg)
{
    return fabs(stretch - 1) <= STRETCH_MAX && fabs(skew_deg) <= SKEW_MAX_DEG;
}

/* A frame whose sides are not those of a picture: (cos, sin) of `rotation_deg` times `right` is to
 * its right what (up_x, up_y) so turned is upwards, for as many pixels. */
static enum status shape_add(const struct fractint_set *set, int line, double right, double up_x,
                             double up_y, double rotation_deg, const char *zoom)
{
    double turn = rotation_deg * (M_PI / 180), scale, turned_deg;
    double of_right[2] = {right * cos(turn), right * sin(turn)};
    double of_down[2] = {up_y * sin(turn) - up_x * cos(turn), -up_y * cos(turn) - up_x * sin(turn)};
    struct view_shape shape;
    char *scaled;
    TRY(place_blame(set->text, line, "the frame",
                    view_shape_of_axes(of_right, of_down, &shape, &turned_deg, &scale)));
    TRY(place_blame(set->text, line, "the frame", frame_product(1 / scale, zoom, &scaled)));
    enum status status = key_add(set, line, "zoom", scaled);
    free(scaled);
    if (status == STATUS_OK && shape.mirrored)
        status = place_add_mirror(set->ini, set->text);
    if (status == STATUS_OK)
        status =
            place_add_stretch(set->ini, set->text, line, view_stretch(&shape), shape.stretch_deg);
    TRY(status);
    return place_add_rotation(set->ini, set->text, line, turned_deg);
}

/* The upper side lies by tan(skew) of the height to the right; `stretch` divides the width. */
static enum status centre_read(const struct fractint_set *set)
{
    const struct parts *parts = &set->centre;
    int line = parts->line;
    double stretch, rotation, skew;
    char *zoom;
    if (parts->count < 3)
        return value_wrong(set, line, "center-mag", "it must be re/im/mag");
    TRY(part_real(set, parts, 3, 1, &stretch));
    TRY(part_real(set, parts, 4, 0, &rotation));
    TRY(part_real(set, parts, 5, 0, &skew));
    stretch = stretch == 0 ? 1 : stretch;
    TRY(key_add(set, line, "re", parts->text[0]));
    TRY(key_add(set, line, "im", parts->text[1]));
    TRY(place_blame(set->text, line, "the magnification", frame_product(2, parts->text[2], &zoom)));
    bool plain = is_plain(stretch, skew);
    enum status status =
        plain ? key_add(set, line, "zoom", zoom)
              : shape_add(set, line, 1 / stretch, tan(skew * (M_PI / 180)), 1, -rotation, zoom);
    free(zoom);
    TRY(status);
    return plain ? place_add_rotation(set->ini, set->text, line, -rotation) : STATUS_OK;
}

static enum status corners_read(const struct fractint_set *set)
{
    const struct parts *parts = &set->corners;
    const char *corner[6] = {0};
    int line = set->corners.line ? set->corners.line : set->line;
    struct frame frame;
    if (parts->count != 0 && parts->count != 4 && parts->count != 6)
        return value_wrong(set, line, "corners", "it must be left/right/bottom/top[/x/y]");
    for (int i = 0; i < 6; i++)
        corner[i] = parts->count ? i < parts->count ? parts->text[i] : NULL
                    : i < 4      ? set->type->corners[i]
                                 : NULL;
    TRY(place_blame(set->text, line, "corners", frame_of_corners(&frame, corner)));
    enum status status = key_add(set, line, "re", frame.re);
    if (status == STATUS_OK)
        status = key_add(set, line, "im", frame.im);
    double across = frame.aspect / ASPECT, corner_rad = frame.corner_deg * (M_PI / 180);
    if (status == STATUS_OK && is_plain(across, frame.corner_deg - 90)) {
        status = key_add(set, line, "zoom", frame.zoom);
        if (status == STATUS_OK)
            status = place_add_rotation(set->ini, set->text, line, frame.rotation_deg);
    } else if (status == STATUS_OK)
        status = shape_add(set, line, across, cos(corner_rad), sin(corner_rad),
                           frame.rotation_deg + 90 - frame.corner_deg, frame.zoom);
    frame_destroy(&frame);
    return status;
}

static int parameters_line(const struct fractint_set *set)
{
    return set->parameters.line ? set->parameters.line : set->line;
}

static enum status degree_check(const struct fractint_set *set, double degree)
{
    const struct fractint_family *family = set->type->family;
    char what[100];
    if (degree == floor(degree) && degree >= family->least && degree <= family->most)
        return STATUS_OK;
    snprintf(what, sizeof what, "the degree is %.15g; whole ones from %d to %d are computed here",
             degree, family->least, family->most);
    return value_wrong(set, parameters_line(set), "params", what);
}

/* The n-th number of params=, of its role. */
static enum status parameter_read(const struct fractint_set *set, int n, double *value)
{
    const struct type *type = set->type;
    int line = parameters_line(set);
    char what[100];
    TRY(part_real(set, &set->parameters, n, type->usual[n], value));
    if (type->roles[n] == 'd')
        return degree_check(set, *value);
    if (type->roles[n] == 'z' && *value != 0)
        return value_wrong(set, line, "params", "iteration begins at 0 here");
    if (type->roles[n] != '=' || *value == type->wanted[n])
        return STATUS_OK;
    snprintf(what, sizeof what, "number %d is %.15g; only %g is computed here", n + 1, *value,
             type->wanted[n]);
    return value_wrong(set, line, "params", what);
}

static enum status formula_add(const struct fractint_set *set, int degree)
{
    const struct fractint_family *family = set->type->family;
    struct formula formula;
    char text[80];
    const char *at = strstr(family->text, "%d"), *end = family->text + strlen(family->text);
    int before = (int)((at ? at : end) - family->text);
    snprintf(text, sizeof text, "%.*s", before, family->text);
    if (at)
        snprintf(text + before, sizeof text - (size_t)before, "%d%s", degree, at + 2);
    TRY(formula_of_text(&formula, text, strlen(text)));
    if (type_is_julia(set->type) && formula_quadratic(&formula))
        return key_add(set, parameters_line(set), "formula", "julia");
    return place_add_formula(set->ini, set->text, parameters_line(set), &formula);
}

static enum status formula_read(const struct fractint_set *set)
{
    const char *roles = set->type->roles;
    double c[2] = {0, 0}, degree = 0;
    char text[128];
    for (int n = 0; roles[n]; n++) {
        double value;
        TRY(parameter_read(set, n, &value));
        if (roles[n] == 'd')
            degree = value;
        else if (roles[n] == 'r' || roles[n] == 'i')
            c[roles[n] == 'i'] = value;
    }
    TRY(formula_add(set, (int)degree));
    if (!type_is_julia(set->type))
        return STATUS_OK;
    snprintf(text, sizeof text, "%.17g,%.17g", c[0], c[1]);
    return key_add(set, parameters_line(set), "julia", text);
}

static enum status set_read(struct fractint_set *set)
{
    TRY(words_read(set));
    if (!set->type && !set->centre.line && !set->corners.line)
        return status_fail(STATUS_BAD_DATA,
                           "%s:%d: not a place: a set without type, center-mag and corners",
                           set->text->name, set->line);
    if (!set->type)
        set->type = &types[0];
    TRY(set->centre.count ? centre_read(set) : corners_read(set));
    TRY(formula_read(set));
    if (set->colours > 1) /* the first is that of no count */
        TRY(place_add_colours(set->ini, set->text, set->colours_line,
                              (const uint8_t(*)[3])set->rgb + 1, set->colours - 1));
    /* What they take where nothing is said. */
    return ini_find(set->ini, "view", "limit") ? STATUS_OK
                                               : key_add(set, set->line, "limit", "150");
}

static enum status title_add(struct ini *ini, const struct place_choice *choice)
{
    const struct text *name = &choice->chosen.name;
    char title[64];
    if (name->end - name->begin >= (ptrdiff_t)sizeof title)
        return STATUS_OK;
    snprintf(title, sizeof title, "%.*s", (int)(name->end - name->begin), name->begin);
    return *title && convert_text(title, OPTION_TEXT_MAX) == STATUS_OK
               ? place_add(ini, choice->text, choice->chosen.line, "title", title)
               : STATUS_OK;
}

static enum status fractint_read(struct ini *ini, const struct place_text *text)
{
    struct place_choice choice = {.text = text};
    TRY(place_check_text(text));
    TRY(sets_offer(&choice, text_lines_of(text->bytes, text->length)));
    TRY(title_add(ini, &choice));
    struct fractint_set set = {.ini = ini,
                               .text = text,
                               .at = choice.chosen.body.begin,
                               .end = choice.chosen.body.end,
                               .line = choice.chosen.line};
    enum status status = set_read(&set);
    parts_destroy(&set.centre);
    parts_destroy(&set.corners);
    parts_destroy(&set.parameters);
    return status;
}

/* NAME {, perhaps with a comment behind it. */
static bool line_begins_set(const struct text *line)
{
    const char *comment = memchr(line->begin, ';', (size_t)(line->end - line->begin));
    const char *brace = memchr(line->begin, '{', (size_t)(line->end - line->begin));
    return brace && brace > line->begin && (!comment || brace < comment) && *line->begin != '[' &&
           *line->begin != '"' && isalnum((unsigned char)*line->begin);
}

const struct place_format place_fractint = {.name = "Fractint file",
                                            .suffix = ".par",
                                            .summary = "Fractint and Iterated Dynamics",
                                            .several = true,
                                            .first_line = line_begins_set,
                                            .read = fractint_read};
