#include "app/command/help.h"

#include <ctype.h>
#include <string.h>

#include "app/command/help_page.h"
#include "app/launch/program_world.h"
#include "app/settings/engine.h"
#include "kernels/formula.h"
#include "library/config/revision.h"
#include "render/disk/json.h"

enum { FLAG_COLUMN = 32 };

const char help_view_text[] =
    "VIEW is a name that `deepfield views` lists, or a file of a format that `deepfield help\n"
    "formats` lists: a view (ini), a picture made by deepfield, a place of another program.\n"
    "FILE:NAME is one of several in a file; - reads it from stdin. --re, --im and --zoom\n"
    "replace what it says, or are a view without a VIEW; so are --formula and --julia, and\n"
    "then show the whole set.\n";

const char help_settings_text[] =
    "Defaults stand in [ ]. Numbers may be written 1e6 or 1_000_000. Every setting can\n"
    "also come from an ini file (configs/KEYS.md lists the keys) or from the environment\n"
    "(DEEPFIELD_SIZE for --size). If a setting is given more than once, the later source\n"
    "wins: defaults, ini files, --config, the view, environment, options. --print-config\n"
    "shows the origins.\n";

void help_program(FILE *stream)
{
    fputs("usage: deepfield COMMAND [options]\n\n", stream);
    for (int i = 0; i < commands_count; i++)
        fprintf(stream, "  %-8s %-14s  %s\n", commands[i].name,
                commands[i].operand ? commands[i].operand : "", commands[i].summary);
    fputs("\nA first picture:  deepfield render seahorse -o seahorse.png --size 1080p\n"
          "With MPI ranks:   deepfield render seahorse -o seahorse.png --ranks 4\n"
          "Options:          deepfield help COMMAND; what there is to see: deepfield views\n"
          "Lists:            deepfield help formats, deepfield help formulas\n",
          stream);
    fputs("\nPages, shown by `deepfield help PAGE`:\n", stream);
    if (help_pages_list(stream) != STATUS_OK)
        fprintf(stream, "  none: %s\n", status_text());
}

const char *help_fallback(const struct option_row *row, const struct command *command)
{
    const char *own = command->bit == COMMAND_VIEW   ? row->in_view
                      : command->bit == COMMAND_FILM ? row->in_film
                                                     : NULL;
    const char *fallback = own ? own : row->fallback;
    return row->argument && fallback && *fallback ? fallback : NULL;
}

/* "  -s, --size SIZE         size of the image in pixels, or on paper [1920x1080]" */
static void flag_line(const struct option_row *row, const struct command *command, FILE *stream)
{
    const char *fallback = help_fallback(row, command);
    char letter[5] = "    ", flag[64];
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(flag, sizeof flag, "  %s--%s%s%s", letter, row->flag, row->argument ? " " : "",
             row->argument ? row->argument : "");
    fprintf(stream, "%-*s %s", FLAG_COLUMN, flag, row->help);
    if (fallback)
        fprintf(stream, " [%s]", fallback);
    fputc('\n', stream);
}

/* Prints a list of words in lines of at most LINE_COLUMNS. */
static void choices_wrap(const char *words, FILE *stream)
{
    enum { LINE_COLUMNS = 100 };
    int column = fprintf(stream, "%-*s  ", FLAG_COLUMN, "");
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (column + (int)length >= LINE_COLUMNS)
            column = fprintf(stream, "\n%-*s  ", FLAG_COLUMN, "");
        column += fprintf(stream, " %.*s", (int)length, words);
    }
    fputc('\n', stream);
}

/* Kinds of files that can be named. */
static void kinds_print(const char *list, FILE *stream)
{
    struct json_object *kinds = engine_list(list);
    for (int i = 0; i < json_length(kinds); i++) {
        struct json_object *kind = json_element(kinds, i);
        if (!json_boolean_of(kind, "partial"))
            fprintf(stream, "%-*s   %s  %s\n", FLAG_COLUMN, "", json_text_of(kind, "name"),
                    json_text_of(kind, "summary"));
    }
    json_free(kinds);
}

static void choices_line(enum option_key option, const struct command *command, FILE *stream)
{
    char range[256];
    if (option == OPTION_OUTPUT && command->bit & (COMMAND_RENDER | COMMAND_COLOUR))
        kinds_print("files", stream);
    if (option == OPTION_OUTPUT && command->bit == COMMAND_FILM)
        kinds_print("films", stream);
    enum option_type type = option_rows[option].type;
    if (type != OPTION_CHOICE && type != OPTION_SIZE && type != OPTION_PLANES)
        return;
    option_range(option, range, sizeof range);
    choices_wrap(range, stream);
}

const char *help_heading(const struct option_row *row)
{
    static const char *const headings[][2] = {
        {"view", "Place and size"}, {"look", "Colours"},  {"output", "Output"},
        {"compute", "Computation"}, {"film", "Film"},     {"find", "Search"},
        {"verify", "Proof"},        {"viewer", "Window"}, {"stand", "Stand for the public"}};
    for (size_t i = 0; row->section && i < sizeof headings / sizeof *headings; i++)
        if (!strcmp(row->section, headings[i][0]))
            return headings[i][1];
    return "General";
}

bool help_takes_keys(const struct command *command)
{
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].key && option_rows[i].commands & (unsigned)command->bit)
            return true;
    return false;
}

bool help_shows(enum option_key option, const struct command *command)
{
    const struct option_row *row = &option_rows[option];
    return row->flag && row->commands & (unsigned)command->bit;
}

bool help_takes_view(const struct command *command)
{
    return command->takes == OPERAND_VIEW || command->takes == OPERAND_VIEWS ||
           command->takes == OPERAND_VIEW_OR_HOME;
}

static void flags_print(const struct command *command, FILE *stream)
{
    const char *last = NULL;
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        if (!help_shows((enum option_key)i, command))
            continue;
        const char *heading = help_heading(row);
        if (!last || strcmp(last, heading) != 0)
            fprintf(stream, "\n%s:\n", heading);
        last = heading;
        flag_line(row, command, stream);
        choices_line((enum option_key)i, command, stream);
    }
}

static void examples_print(const struct command *command, FILE *stream)
{
    fputs("\nExamples:\n", stream);
    for (const char *line = command->examples; *line; line += strcspn(line, "\n") + 1)
        fprintf(stream, "  %.*s\n", (int)strcspn(line, "\n"), line);
}

void help_command(const struct command *command, FILE *stream)
{
    fprintf(stream, "usage: deepfield %s%s%s [options]\n\n%c%s.\n", command->name,
            command->operand ? " " : "", command->operand ? command->operand : "",
            toupper((unsigned char)*command->summary), command->summary + 1);
    if (help_takes_view(command))
        fprintf(stream, "\n%s", help_view_text);
    if (*command->help)
        fprintf(stream, "\n%s", command->help);
    examples_print(command, stream);
    flags_print(command, stream);
    if (help_takes_keys(command))
        fprintf(stream, "\n%s", help_settings_text);
}

#ifdef __clang__
#define COMPILER __VERSION__ /* begins with its name */
#else
#define COMPILER "GCC " __VERSION__
#endif

void help_version(FILE *stream)
{
    fprintf(stream, "deepfield %s\nrevision: %s\ncompiler: %s\nMPI: %s\nlicence: MIT\n",
            DEEPFIELD_VERSION, deepfield_revision, COMPILER, program_mpi());
}

static void key_row(enum option_key option, FILE *stream)
{
    const struct option_row *row = &option_rows[option];
    char variable[64], range[256], flag[64] = "";
    option_range(option, range, sizeof range);
    if (row->flag)
        snprintf(flag, sizeof flag, "`--%s`", row->flag);
    bool has_variable = option_environment(option, variable, sizeof variable);
    fprintf(stream, "| `%s.%s` | %s | %s%s%s | %s | %s | %s |\n", row->section, row->key, flag,
            has_variable ? "`" : "", has_variable ? variable : "", has_variable ? "`" : "", range,
            row->fallback ? row->fallback : "", row->help);
}

void help_key_table(FILE *stream)
{
    fputs("| key | flag | environment | values | default | meaning |\n"
          "|---|---|---|---|---|---|\n",
          stream);
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].key)
            key_row((enum option_key)i, stream);
}

void help_plane_table(FILE *stream)
{
    struct json_object *planes = engine_list("planes");
    fputs("| plane | in `.npy` | unit | outside | interior | in `.exr` |\n"
          "|---|---|---|---|---|---|\n",
          stream);
    for (int p = 0; p < json_length(planes); p++) {
        struct json_object *plane = json_element(planes, p);
        const char *wide = json_text_of(plane, "wide_type");
        char more[64] = "";
        if (wide)
            snprintf(more, sizeof more, "; %s where the limit is above %lld", wide,
                     (long long)json_integer_of(plane, "wide_above"));
        fprintf(stream, "| `%s` | %s%s | %s | %s | %s | %s |\n", json_text_of(plane, "name"),
                json_text_of(plane, "type"), more, json_text_of(plane, "unit"),
                json_text_of(plane, "outside"), json_text_of(plane, "interior"),
                json_text_of(plane, "exr"));
    }
    json_free(planes);
}

void help_formulas(FILE *stream)
{
    struct formula formula;
    const char *name;
    fputs("What --formula takes; --julia RE,IM makes each but newton_* a Julia set.\n"
          "Without --re, --im and --zoom all of it is seen:\n",
          stream);
    for (int i = 0; (name = formula_name_at(i, &formula)); i++)
        fprintf(stream, "  %-42s  %s%s\n", name, formula_summary(&formula),
                formula_julia(&formula) ? ", its Julia set of --julia RE,IM" : "");
    fputs(
        "z = x + iy. Those from lambda on divide or converge: an orbit ends beyond the bailout\n"
        "radius R, or where z_(n+1) and z_n (of magnets, z_n and 1) are within 1/R. Views go to\n"
        "any depth, of your own if nothing is multiplied by what was added, and up to 8 lists\n"
        "(--explain says how far). Of Newton's method each root has colours of its own, and k/N is "
        "the phase of\n"
        "root k of N; Nova has no distances.\n\n"
        "Your own is a list of operations, or several with ';' between that take turns, one each\n"
        "iteration; as it is, or in a FILE.formula, where a new line is a comma and # begins a\n"
        "comment:\n"
        "  absx, absy       |x|, |y|\n"
        "  negx, negy       -x, -y; conj is negy\n"
        "  swap             x and y\n"
        "  sqr, pow N       z^2, z^N; N from 2 to 64\n"
        "  keep ... mul     remember z, then multiply by it; store is keep\n"
        "  keep ... signy   give y the sign of the y that was kept\n"
        "  scale RE [IM]    multiply by a constant\n"
        "  rotate DEGREES   multiply by one of size 1\n"
        "  add c\n"
        "'absx, absy, sqr, add c' is burning_ship. Each list needs a power, c is to be added at\n"
        "its end, and 64 operations, 16 lists and 8 constants are the most. Beyond the bailout\n"
        "radius orbits must grow: a larger one is asked for where constants need it.\n",
        stream);
}
