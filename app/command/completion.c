#include "app/command/completion.h"

#include <string.h>

#include "app/bench/bench.h"
#include "app/command/command.h"
#include "app/command/help.h"
#include "app/process/environment.h"
#include "app/settings/engine.h"
#include "library/place/data.h"
#include "render/disk/json.h"

/* ---- what may stand for an argument ---- */

struct candidates {
    const char *list;                  /* name in `lists`, or NULL */
    const char *(*choice)(int number); /* as in struct option_row, or NULL */
    bool files;
};

/* Lists that each file of definitions has once. */
static const struct list {
    const char *name;
    const char *below, *suffix; /* files of the data folder; NULL: a list of the library */
} lists[] = {{"views", "/configs/views", ".ini"},
             {"tours", "/configs/tours", ".ini"},
             {"palettes", "/assets/palettes", ".csv"},
             {"pages", "/docs/guide", ".md"},
             {"planes", NULL, NULL}};
enum { LISTS = sizeof lists / sizeof *lists, PATH_BYTES = 4096 };

static const char *command_choice(int number)
{
    return number < commands_count ? commands[number].name : NULL;
}

static struct candidates option_candidates(enum option_key option)
{
    const struct option_row *row = &option_rows[option];
    struct candidates found = {.choice = row->choice};
    if (row->type == OPTION_PALETTE)
        return (struct candidates){.list = "palettes", .files = true};
    if (row->type == OPTION_PLANES)
        return (struct candidates){.list = "planes"};
    if (option == OPTION_TOUR)
        return (struct candidates){.list = "tours", .files = true};
    found.files =
        row->type == OPTION_FORMULA ||
        (row->argument && (!strcmp(row->argument, "FILE") || !strcmp(row->argument, "DIR")));
    return found;
}

static struct candidates operand_candidates(const struct command *command)
{
    if (help_takes_view(command))
        return (struct candidates){.list = "views", .files = true};
    if (command->bit == COMMAND_PALETTES)
        return (struct candidates){.list = "palettes", .files = true};
    if (command->bit == COMMAND_HELP)
        return (struct candidates){.list = "pages", .choice = command_choice};
    if (command->bit == COMMAND_BENCH)
        return (struct candidates){.choice = bench_suite_name};
    return (struct candidates){.files = command->operand != NULL};
}

/* Writes a word and a space. What a shell would have to quote is left out. */
static void word_write(const char *word, FILE *stream)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    if (!word[strspn(word, plain)])
        fprintf(stream, "%s ", word);
}

static void choices_write(const char *(*choice)(int number), FILE *stream)
{
    const char *word;
    for (int i = 0; choice && (word = choice(i)); i++)
        word_write(word, stream);
}

static enum status list_write(const struct list *list, FILE *stream)
{
    if (!list->below) {
        struct json_object *rows = engine_list(list->name);
        for (int i = 0; i < json_length(rows); i++)
            word_write(json_text_of(json_element(rows, i), "name"), stream);
        json_free(rows);
        return rows ? STATUS_OK : STATUS_NO_INPUT;
    }
    char path[PATH_BYTES];
    struct data_names names = {0};
    TRY(environment_data_folder(path, sizeof path - 64));
    strncat(path, list->below, 63);
    TRY(data_names_list(&names, path, list->suffix));
    for (size_t i = 0; i < names.count; i++)
        word_write(names.name[i], stream);
    data_names_destroy(&names);
    return STATUS_OK;
}

/* Writes a variable for each list between two texts, as in "name='one two'". */
static enum status lists_write(const char *before, const char *equals, const char *after,
                               FILE *stream)
{
    for (int i = 0; i < LISTS; i++) {
        fprintf(stream, "%s%s%s", before, lists[i].name, equals);
        TRY(list_write(&lists[i], stream));
        fputs(after, stream);
    }
    return STATUS_OK;
}

static void heading_write(FILE *stream)
{
    fputs("# Made from the lists of commands and options by deepfield_documents.\n", stream);
}

/* Writes a text inside single quotes; letters of `marked` get a backslash. */
static void quoted_write(const char *text, const char *marked, const char *quote, FILE *stream)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs(quote, stream);
        else
            fprintf(stream, strchr(marked, *text) ? "\\%c" : "%c", *text);
}

/* ---- bash ---- */

static void bash_candidates(struct candidates found, FILE *stream)
{
    fprintf(stream, "words=\"");
    choices_write(found.choice, stream);
    if (found.list)
        fprintf(stream, "$%s", found.list);
    fprintf(stream, "\" files=%d ;;\n", found.files);
}

static void bash_option(enum option_key option, FILE *stream)
{
    const struct option_row *row = &option_rows[option];
    if (!row->flag || !row->argument || row->bare)
        return;
    fputs("    ", stream);
    if (row->letter)
        fprintf(stream, "-%c | ", row->letter);
    fprintf(stream, "--%s) ", row->flag);
    bash_candidates(option_candidates(option), stream);
}

static void bash_command(const struct command *command, FILE *stream)
{
    fprintf(stream, "    %s) options=\"", command->name);
    for (int i = 0; i < OPTIONS; i++)
        if (help_shows((enum option_key)i, command))
            fprintf(stream, "--%s ", option_rows[i].flag);
    fputs("\" ", stream);
    bash_candidates(operand_candidates(command), stream);
}

enum status completion_bash(FILE *stream)
{
    heading_write(stream);
    fputs("_deepfield() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local words= files=0 options= views tours palettes pages planes\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          stream);
    choices_write(command_choice, stream);
    fputs("--help --version' -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    # The shell takes --option=value apart at the sign.\n"
          "    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    [[ $word != = ]] || word=\n",
          stream);
    TRY(lists_write("    ", "='", "'\n", stream));
    fputs("    case $before in\n", stream);
    for (int i = 0; i < OPTIONS; i++)
        bash_option((enum option_key)i, stream);
    fputs("    *) case ${COMP_WORDS[1]} in\n", stream);
    for (int i = 0; i < commands_count; i++)
        bash_command(&commands[i], stream);
    fputs("    esac ;;\n    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    if ((files)); then\n"
          "        local IFS=$'\\n'\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY+=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _deepfield deepfield\n",
          stream);
    return STATUS_OK;
}

/* ---- zsh ---- */

/* Writes ":NAME:ACTION" of _arguments. */
static void zsh_candidates(const char *name, struct candidates found, FILE *stream)
{
    fputc(':', stream);
    quoted_write(name, ":[]\\", "'\\''", stream);
    fputc(':', stream);
    if (found.choice || found.list) {
        fprintf(stream, "{_deepfield_words %d ", found.files);
        choices_write(found.choice, stream);
        if (found.list)
            fprintf(stream, "$%s", found.list);
        fputc('}', stream);
    } else if (found.files) {
        fputs("_files", stream);
    }
}

static void zsh_option(enum option_key option, FILE *stream)
{
    const struct option_row *row = &option_rows[option];
    fputs("            ", stream);
    if (row->letter)
        fprintf(stream, "'(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->flag, row->letter,
                row->flag, row->argument ? "=" : "");
    else
        fprintf(stream, "'--%s%s[", row->flag, row->bare ? "=-" : row->argument ? "=" : "");
    quoted_write(row->help, "[]\\", "'\\''", stream);
    fputc(']', stream);
    if (row->argument) {
        fputs(row->bare ? ":" : "", stream);
        zsh_candidates(row->argument, option_candidates(option), stream);
    }
    fputs("' \\\n", stream);
}

static void zsh_command(const struct command *command, FILE *stream)
{
    fprintf(stream, "    %s)\n        _arguments -s \\\n", command->name);
    for (int i = 0; i < OPTIONS; i++)
        if (help_shows((enum option_key)i, command))
            zsh_option((enum option_key)i, stream);
    fputs("            ", stream);
    if (command->operand) {
        fputs("'*", stream);
        zsh_candidates(command->operand, operand_candidates(command), stream);
        fputc('\'', stream);
    }
    fputs("\n        ;;\n", stream);
}

enum status completion_zsh(FILE *stream)
{
    fputs("#compdef deepfield\n", stream);
    heading_write(stream);
    fputs("_deepfield_words() {\n"
          "    local files=$1\n"
          "    shift\n"
          "    compadd -- \"$@\"\n"
          "    ((files)) && _files\n"
          "}\n"
          "_deepfield() {\n"
          "    local -a commands views tours palettes pages planes\n"
          "    commands=(\n",
          stream);
    for (int i = 0; i < commands_count; i++) {
        fprintf(stream, "        '%s:", commands[i].name);
        quoted_write(commands[i].summary, ":\\", "'\\''", stream);
        fputs("'\n", stream);
    }
    fputs("    )\n", stream);
    TRY(lists_write("    ", "=(", ")\n", stream));
    fputs("    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          stream);
    for (int i = 0; i < commands_count; i++)
        zsh_command(&commands[i], stream);
    fputs("    esac\n}\n_deepfield \"$@\"\n", stream);
    return STATUS_OK;
}

/* ---- fish ---- */

static void fish_candidates(struct candidates found, FILE *stream)
{
    fputs(found.files ? " -F" : "", stream);
    if (found.choice || found.list) {
        fputs(" -a \"", stream);
        choices_write(found.choice, stream);
        if (found.list)
            fprintf(stream, "$deepfield_%s", found.list);
        fputc('"', stream);
    }
}

static void fish_option(enum option_key option, FILE *stream)
{
    const struct option_row *row = &option_rows[option];
    if (!row->flag || !row->commands)
        return;
    fputs("complete -c deepfield -n '__fish_seen_subcommand_from", stream);
    for (int i = 0; i < commands_count; i++)
        if (help_shows(option, &commands[i]))
            fprintf(stream, " %s", commands[i].name);
    fprintf(stream, "' -l %s", row->flag);
    if (row->letter)
        fprintf(stream, " -s %c", row->letter);
    if (row->argument && !row->bare) {
        const struct candidates found = option_candidates(option);
        fputs(found.files ? " -r" : " -x", stream);
        fish_candidates(found, stream);
    }
    fputs(" -d '", stream);
    quoted_write(row->help, "\\", "\\'", stream);
    fputs("'\n", stream);
}

enum status completion_fish(FILE *stream)
{
    heading_write(stream);
    TRY(lists_write("set -l deepfield_", " ", "\n", stream));
    fputs("complete -c deepfield -f\n", stream);
    for (int i = 0; i < commands_count; i++) {
        fprintf(stream, "complete -c deepfield -n __fish_use_subcommand -a %s -d '",
                commands[i].name);
        quoted_write(commands[i].summary, "\\", "\\'", stream);
        fprintf(stream, "'\ncomplete -c deepfield -n '__fish_seen_subcommand_from %s'",
                commands[i].name);
        fish_candidates(operand_candidates(&commands[i]), stream);
        fputc('\n', stream);
    }
    for (int i = 0; i < OPTIONS; i++)
        fish_option((enum option_key)i, stream);
    return STATUS_OK;
}
