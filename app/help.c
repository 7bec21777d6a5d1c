#include "app/help.h"

#include <string.h>

#include "app/revision.h"
#include "decomposition/world.h"

enum { FLAG_COLUMN = 32 };

void help_program(FILE *stream)
{
    fputs("usage: deepfield COMMAND [options]\n\n", stream);
    for (int i = 0; i < commands_count; i++)
        fprintf(stream, "  %-8s %-9s  %s\n", commands[i].name,
                commands[i].operand ? commands[i].operand : "", commands[i].summary);
    fputs("\nA first picture:  deepfield render seahorse -o seahorse.png --size 1080p\n"
          "With MPI ranks:   deepfield render seahorse -o seahorse.png --ranks 4\n"
          "More:             deepfield help COMMAND, deepfield views, deepfield --version\n",
          stream);
}

/* "  -s, --size WxH          size of the image in pixels [1920x1080]" */
static void flag_line(const struct option_row *row, const struct command *command, FILE *stream)
{
    const char *fallback =
        command->bit == COMMAND_VIEW && row->in_view ? row->in_view : row->fallback;
    char letter[5] = "    ", flag[64];
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(flag, sizeof flag, "  %s--%s%s%s", letter, row->flag, row->argument ? " " : "",
             row->argument ? row->argument : "");
    fprintf(stream, "%-*s %s", FLAG_COLUMN, flag, row->help);
    if (row->argument && fallback)
        fprintf(stream, " [%s]", fallback);
    fputc('\n', stream);
}

static void choices_line(enum option_key option, FILE *stream)
{
    char range[256];
    if (option_rows[option].type != OPTION_CHOICE)
        return;
    option_range(option, range, sizeof range);
    fprintf(stream, "%-*s   %s\n", FLAG_COLUMN, "", range);
}

void help_command(const struct command *command, FILE *stream)
{
    fprintf(stream, "usage: deepfield %s%s%s [options]\n\n%s.\n", command->name,
            command->operand ? " " : "", command->operand ? command->operand : "",
            command->summary);
    if (*command->help)
        fprintf(stream, "\n%s", command->help);
    fputs("\nOptions, with [defaults]:\n", stream);
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].flag && option_rows[i].commands & (unsigned)command->bit) {
            flag_line(&option_rows[i], command, stream);
            choices_line((enum option_key)i, stream);
        }
    fputs("\nEvery value can also come from an ini file (keys: configs/KEYS.md) or from the\n"
          "environment (--size: DEEPFIELD_SIZE). Later wins: defaults, ini files, --config, the\n"
          "view, environment, flags. --print-config shows who said what.\n",
          stream);
}

#ifdef __clang__
#define COMPILER __VERSION__ /* begins with its name */
#else
#define COMPILER "GCC " __VERSION__
#endif

void help_version(FILE *stream)
{
    fprintf(stream, "deepfield %s\nrevision: %s\ncompiler: %s\nMPI: %s\nlicence: MIT\n",
            DEEPFIELD_VERSION, deepfield_revision, COMPILER, world_library());
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
