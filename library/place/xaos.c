/* Positions of XaoS (.xpf), which are commands in Lisp: `(view re im width height)`, `(maxiter n)`,
 * `(angle degrees)`, `(formula 'mandel)` or another of `formulas`, `(julia #t)` with
 * `(juliaseed re im)`, and more about colours, which that program takes from random numbers.
 *
 * The frame is as large as fits into the window; here as high as fits into 16:9. Its imaginary axis
 * points down. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/place/place_format.h"
#include "library/text/convert.h"
#include "render/file/frame.h"
#include "render/view/view.h"

enum { WORDS_MAX = 8, COMMANDS_MAX = 1000 };

struct xaos_command {
    struct text word[WORDS_MAX];
    int words, line;
};

struct point {     /* point that a command gives */
    char *re, *im; /* owned; NULL: the command was not there */
    int line;
};

struct xaos_file {
    struct ini *ini;
    const struct place_text *text;
    const char *at, *end;
    int line, commands, julia_line, formula_line;
    bool julia;
    const struct xaos_formula *formula;
    struct point seed, begins; /* c of Julia sets; what is added to z_0 of others */
};

static enum status wrong(const struct xaos_file *file, int line, const char *what)
{
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s", file->text->name, line, what);
}

static void space_skip(struct xaos_file *file)
{
    for (; file->at < file->end; file->at++) {
        if (*file->at == ';')
            while (file->at < file->end && *file->at != '\n')
                file->at++;
        if (file->at == file->end || !isspace((unsigned char)*file->at))
            return;
        file->line += *file->at == '\n';
    }
}

static bool ends_word(char c)
{
    return isspace((unsigned char)c) || c == '(' || c == ')' || c == ';' || c == '"';
}

/* A text in quotes, or what stands without blanks. */
static enum status word_read(struct xaos_file *file, struct text *word)
{
    bool quoted = *file->at == '"';
    word->begin = file->at++;
    while (file->at < file->end &&
           (quoted ? *file->at != '"' && *file->at != '\n' : !ends_word(*file->at)))
        file->at++;
    if (quoted && (file->at == file->end || *file->at != '"'))
        return wrong(file, file->line, "a text without its second quote");
    file->at += quoted;
    word->end = file->at;
    return STATUS_OK;
}

static enum status command_read(struct xaos_file *file, struct xaos_command *command)
{
    *command = (struct xaos_command){.line = file->line};
    if (*file->at != '(')
        return wrong(file, file->line, "not a command; it must be (name ...)");
    file->at++;
    for (space_skip(file); file->at < file->end && *file->at != ')'; space_skip(file)) {
        struct text word;
        if (*file->at == '(')
            return wrong(file, file->line, "a command inside a command, which no place has");
        TRY(word_read(file, &word));
        if (command->words < WORDS_MAX)
            command->word[command->words++] = word;
    }
    if (file->at == file->end)
        return wrong(file, command->line, "a command without its )");
    file->at++;
    return STATUS_OK;
}

/* ---- what they mean ---- */

static enum status words_check(const struct xaos_file *file, const struct xaos_command *command,
                               int wanted)
{
    char shown[SHOWN_BYTES];
    if (command->words == wanted + 1)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s:%d: (%s ...) has %d values instead of %d",
                       file->text->name, command->line,
                       text_shown_until(command->word[0].begin, command->word[0].end, shown),
                       command->words - 1, wanted);
}

static enum status value_wrong(const struct xaos_file *file, const struct xaos_command *command,
                               const char *what)
{
    char name[SHOWN_BYTES], shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is %s: %s", file->text->name, command->line,
                       text_shown_until(command->word[0].begin, command->word[0].end, name),
                       text_shown_until(command->word[1].begin, command->word[1].end, shown), what);
}

static enum status number_add(struct xaos_file *file, const struct xaos_command *command, int word,
                              const char *key)
{
    return place_add_number(file->ini, file->text, command->line, key, &command->word[word]);
}

/* Adds a zoom at which all of the frame is seen in 16:9. */
static enum status zoom_add(struct xaos_file *file, const struct xaos_command *command)
{
    static const char *const names[] = {"the width of the view", "the height of the view"};
    char *side[2] = {0}, *zoom = NULL;
    double size[2] = {0, 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = place_copy_text(&command->word[3 + i], file->text, command->line, &side[i]);
        if (status == STATUS_OK)
            status = place_blame(file->text, command->line, names[i], number_check(side[i], "it"));
        size[i] = status == STATUS_OK ? number_real(side[i]) : 0;
    }
    bool wide = size[0] * 9 > size[1] * 16;
    if (status == STATUS_OK)
        status = place_blame(file->text, command->line, names[!wide],
                             wide ? frame_quotient(64.0 / 9, side[0], &zoom)
                                  : frame_quotient(4, side[1], &zoom));
    if (status == STATUS_OK)
        status = place_add(file->ini, file->text, command->line, "zoom", zoom);
    free(zoom);
    free(side[0]);
    free(side[1]);
    return status;
}

static enum status view_take(struct xaos_file *file, const struct xaos_command *command)
{
    TRY(words_check(file, command, 4));
    TRY(number_add(file, command, 1, "re"));
    TRY(number_add(file, command, 2, "im"));
    return zoom_add(file, command);
}

static enum status limit_take(struct xaos_file *file, const struct xaos_command *command)
{
    TRY(words_check(file, command, 1));
    return number_add(file, command, 1, "limit");
}

static enum status angle_take(struct xaos_file *file, const struct xaos_command *command)
{
    char *number;
    double angle;
    TRY(words_check(file, command, 1));
    TRY(place_copy_text(&command->word[1], file->text, command->line, &number));
    enum status status = convert_real(number, -ANGLE_MAX, ANGLE_MAX, &angle);
    free(number);
    if (status != STATUS_OK)
        return value_wrong(file, command, "it must be a number from -1e6 to 1e6");
    return place_add_rotation(file->ini, file->text, command->line, -angle);
}

/* The number that a pixel is. */
enum pixels {
    PIXELS_C,      /* c, or z_0 of Julia sets; orbits begin at 0, or at c, which is z_1 of ours */
    PIXELS_NEWTON, /* z_0; another constant than 0 that is added in each step makes it Nova's */
    PIXELS_LAMBDA, /* c, where this is called a Julia set, and its seed z_0 */
    PIXELS_PHOENIX /* z_0; parts of the seed are the real c and the factor of z_(n-1) */
};

/* (Sources of XaoS 4.) */
static const struct xaos_formula {
    const char *name, *formula, *nova;
    enum pixels pixels;
    bool julia; /* where nothing is said */
    const char *seed_re, *seed_im;
} formulas[] = {{"'mandel", "mandelbrot", NULL, PIXELS_C, false, "0", "0"},
                {"'mandel3", "multibrot_3", NULL, PIXELS_C, false, "0", "0"},
                {"'mandel4", "multibrot_4", NULL, PIXELS_C, false, "0", "0"},
                {"'mandel5", "multibrot_5", NULL, PIXELS_C, false, "0", "0"},
                {"'mandel6", "multibrot_6", NULL, PIXELS_C, false, "0", "0"},
                {"'mandel9", "pow 9, add c", NULL, PIXELS_C, false, "0", "0"},
                {"'mbar", "tricorn", NULL, PIXELS_C, false, "0", "0"},
                {"'newton", "newton_3", "nova", PIXELS_NEWTON, false, "1", "0"},
                {"'newton4", "newton_4", "nova_4", PIXELS_NEWTON, false, "1", "0"},
                {"'magnet", "magnet_1", NULL, PIXELS_C, false, "0", "0"},
                {"'magnet2", "magnet_2", NULL, PIXELS_C, false, "0", "0"},
                {"'mlambda", "lambda", NULL, PIXELS_LAMBDA, true, "0.5", "0"},
                {"'phoenix", "phoenix", NULL, PIXELS_PHOENIX, true, "0.56667", "-0.5"}};

enum { FORMULAS = sizeof formulas / sizeof *formulas };

static enum status formula_take(struct xaos_file *file, const struct xaos_command *command)
{
    char known[200] = "only ";
    TRY(words_check(file, command, 1));
    file->formula_line = command->line;
    for (int i = 0; i < FORMULAS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", formulas[i].name);
        if (text_is(&command->word[1], formulas[i].name)) {
            file->formula = &formulas[i];
            return STATUS_OK;
        }
    }
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " are computed here");
    return value_wrong(file, command, known);
}

static enum status plane_take(struct xaos_file *file, const struct xaos_command *command)
{
    TRY(words_check(file, command, 1));
    if (text_is(&command->word[1], "0"))
        return STATUS_OK;
    return value_wrong(file, command, "only plane 0, that of c itself, is computed here");
}

static void point_destroy(struct point *point)
{
    free(point->re);
    free(point->im);
    *point = (struct point){0};
}

static enum status point_take(const struct xaos_file *file, const struct xaos_command *command,
                              struct point *point)
{
    TRY(words_check(file, command, 2));
    point_destroy(point);
    point->line = command->line;
    TRY(place_copy_text(&command->word[1], file->text, command->line, &point->re));
    return place_copy_text(&command->word[2], file->text, command->line, &point->im);
}

static enum status perturbation_take(struct xaos_file *file, const struct xaos_command *command)
{
    return point_take(file, command, &file->begins);
}

static enum status julia_take(struct xaos_file *file, const struct xaos_command *command)
{
    TRY(words_check(file, command, 1));
    file->julia = text_is(&command->word[1], "#t");
    file->julia_line = command->line;
    return STATUS_OK;
}

static enum status seed_take(struct xaos_file *file, const struct xaos_command *command)
{
    return point_take(file, command, &file->seed);
}

static enum status load_refuse(struct xaos_file *file, const struct xaos_command *command)
{
    (void)command;
    return wrong(file, command->line, "a place may not load other files");
}

static enum status command_take(struct xaos_file *file, const struct xaos_command *command)
{
    static const struct {
        const char *name;
        enum status (*take)(struct xaos_file *file, const struct xaos_command *command);
    } rows[] = {
        {"view", view_take},       {"maxiter", limit_take},  {"angle", angle_take},
        {"formula", formula_take}, {"plane", plane_take},    {"perturbation", perturbation_take},
        {"julia", julia_take},     {"juliaseed", seed_take}, {"load", load_refuse}};
    if (++file->commands > COMMANDS_MAX)
        return wrong(file, command->line, "more commands than a place has");
    for (size_t i = 0; command->words && i < sizeof rows / sizeof *rows; i++)
        if (text_is(&command->word[0], rows[i].name))
            return rows[i].take(file, command);
    return STATUS_OK;
}

/* ---- the formula ---- */

static bool is_number(const char *text, double number)
{
    double value;
    return convert_real(text, -ANGLE_MAX, ANGLE_MAX, &value) == STATUS_OK && value == number;
}

static enum status julia_add(const struct xaos_file *file, const char *re, const char *im, int line)
{
    size_t bytes = strlen(re) + strlen(im) + 2;
    char *c = malloc(bytes);
    if (!c)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a number");
    snprintf(c, bytes, "%s,%s", re, im);
    enum status status = place_add(file->ini, file->text, line, "julia", c);
    free(c);
    return status;
}

static enum status name_add(const struct xaos_file *file, const char *formula)
{
    return place_add(file->ini, file->text, file->formula_line, "formula", formula);
}

/* Refuses orbits that begin elsewhere than here; `where`: the beginning that is possible. */
static enum status begins_wrong(const struct xaos_file *file, int line, const char *where)
{
    char what[100];
    snprintf(what, sizeof what, "%s begins %s here", file->formula->name, where);
    return wrong(file, line, what);
}

static enum status plain_add(const struct xaos_file *file, bool julia, const struct point *seed)
{
    const struct xaos_formula *row = file->formula;
    const struct point *begins = &file->begins;
    bool square = row == formulas;
    if (!julia && begins->re && !(is_number(begins->re, 0) && is_number(begins->im, 0)))
        return begins_wrong(file, begins->line, "at 0");
    if (julia || !square)
        TRY(name_add(file, julia && square ? "julia" : row->formula));
    return julia ? julia_add(file, seed->re, seed->im, seed->line) : STATUS_OK;
}

static enum status newton_add(const struct xaos_file *file, bool julia)
{
    const struct point *begins = &file->begins;
    if (julia) /* whose pixels are what is added, and the seed z_0 */
        return begins_wrong(file, file->julia_line, "at the pixel, without (julia #t),");
    if (!begins->re || (is_number(begins->re, 0) && is_number(begins->im, 0)))
        return name_add(file, file->formula->formula);
    TRY(name_add(file, file->formula->nova));
    return julia_add(file, begins->re, begins->im, begins->line);
}

static enum status formula_add(const struct xaos_file *file)
{
    const struct xaos_formula *row = file->formula;
    bool julia = file->julia_line ? file->julia : row->julia;
    struct point usual = {(char *)row->seed_re, (char *)row->seed_im, file->julia_line};
    const struct point *seed = file->seed.re ? &file->seed : &usual;
    int line = seed->line ? seed->line : file->formula_line;
    switch (row->pixels) {
    case PIXELS_C:
        return plain_add(file, julia, seed);
    case PIXELS_NEWTON:
        return newton_add(file, julia);
    case PIXELS_LAMBDA:
        if (!julia || !is_number(seed->re, 0.5) || !is_number(seed->im, 0))
            return begins_wrong(file, line, "at 0.5, with (julia #t),");
        return name_add(file, row->formula);
    case PIXELS_PHOENIX:
        if (!julia || !is_number(seed->im, -0.5))
            return wrong(file, line,
                         "of 'phoenix only Julia sets with -0.5 as the imaginary "
                         "part of the seed are computed here");
        TRY(name_add(file, row->formula));
        return julia_add(file, seed->re, "0", line);
    }
    return STATUS_OK;
}

static enum status commands_read(struct xaos_file *file)
{
    for (space_skip(file); file->at < file->end; space_skip(file)) {
        struct xaos_command command;
        TRY(command_read(file, &command));
        TRY(command_take(file, &command));
    }
    return formula_add(file);
}

static enum status xaos_read(struct ini *ini, const struct place_text *text)
{
    const struct text whole = text_lines_of(text->bytes, text->length);
    struct xaos_file file = {.ini = ini,
                             .text = text,
                             .at = whole.begin,
                             .end = whole.end,
                             .line = 1,
                             .formula = formulas,
                             .formula_line = 1};
    TRY(place_check_text(text));
    enum status status = commands_read(&file);
    point_destroy(&file.seed);
    point_destroy(&file.begins);
    if (status == STATUS_OK && !ini_find(ini, "view", "limit"))
        status = place_add(ini, text, 1, "limit", "170"); /* what it takes where nothing is said */
    if (status == STATUS_OK)
        status = place_add_mirror(ini, text);
    return status;
}

static bool line_is_lisp(const struct text *line)
{
    return *line->begin == '(';
}

const struct place_format place_xaos = {.name = "XaoS file",
                                        .suffix = ".xpf",
                                        .summary = "XaoS",
                                        .first_line = line_is_lisp,
                                        .read = xaos_read};
