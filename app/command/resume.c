#include "app/command/resume.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/command.h"
#include "render/disk/folder.h"
#include "render/disk/run_status.h"

enum { COMMAND_BYTES_MAX = 1 << 20 };

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* ---- the command -------------------------------------------------------------------------------
 *
 * Words that are kept are settings of the picture: no option that switches something on, replaces
 * files, or names a file that is written to. */

static bool is_setting(enum option_key option)
{
    const struct option_row *row = &option_rows[option];
    switch (row->type) {
    case OPTION_SWITCH:
        return option == OPTION_EXACT;
    case OPTION_LIST:
        return option == OPTION_TOUR;
    case OPTION_TEXT: /* not logs, caches, addresses; a film is resumed whole, not --part of it */
        return !(row->traits & OPTION_OF_MACHINE) && option != OPTION_OUTPUT_PART;
    default:
        return row->key != NULL;
    }
}

bool resume_takes(enum option_key option)
{
    return option == OPTION_OUTPUT || option == OPTION_SET || is_setting(option);
}

/* "section.key=value" of a setting? */
static bool is_set_of_setting(const char *text)
{
    char section[64] = "", key[64] = "";
    if (sscanf(text, "%63[^.=].%63[^=]=", section, key) != 2)
        return false;
    enum option_key option = option_of_key(section, key);
    return option != OPTIONS && is_setting(option);
}

static void word_write(FILE *stream, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, stream);
}

/* Writes the settings of --config files as --set, since the files are not read again. */
static void files_settings_write(FILE *stream, const struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    for (int option = 0; option < OPTIONS; option++) {
        const struct config_value *value = &invocation->config.value[option];
        if (!value->text || !value->origin || !is_setting((enum option_key)option))
            continue;
        for (size_t i = 0; i < arguments->count; i++) {
            const char *file = arguments->given[i].text;
            if (arguments->given[i].option != OPTION_CONFIG ||
                strncmp(value->origin, file, strlen(file)) != 0 ||
                value->origin[strlen(file)] != ':')
                continue;
            word_write(stream, "--set");
            fprintf(stream, "%s.%s=%s%c", option_rows[option].section, option_rows[option].key,
                    value->text, 0);
            break;
        }
    }
}

static void argument_write(FILE *stream, const struct argument *given)
{
    const struct option_row *row = &option_rows[given->option];
    bool off = !row->argument && given->text;
    fprintf(stream, "--%s%c", off ? row->opposite : row->flag, 0);
    if (row->argument)
        word_write(stream, given->text);
}

/* The operand stands behind all options. */
static void operand_write(FILE *stream, const struct arguments *arguments)
{
    if (!arguments->operand)
        return;
    word_write(stream, "--");
    word_write(stream, arguments->operand);
}

char *resume_command(const struct invocation *invocation, size_t *length)
{
    const struct arguments *arguments = &invocation->arguments;
    char *words = NULL, folder[PATH_MAX];
    FILE *stream = getcwd(folder, sizeof folder) ? open_memstream(&words, length) : NULL;
    if (!stream)
        return NULL;
    word_write(stream, folder);
    word_write(stream, invocation->command->name);
    files_settings_write(stream, invocation);
    for (size_t i = 0; i < arguments->count; i++)
        if (resume_takes(arguments->given[i].option))
            argument_write(stream, &arguments->given[i]);
    operand_write(stream, arguments);
    if (fclose(stream) == 0)
        return words;
    free(words);
    return NULL;
}

/* ---- deepfield resume -------------------------------------------------------------------------
 */

/* The folder of a file, a film, the frames of one, or a folder that is one. */
static void folder_of(const char *file, char folder[PATH_MAX])
{
    size_t end = strlen(file), suffix = sizeof RUN_STATUS_SUFFIX - 1;
    while (end > 1 && file[end - 1] == '/')
        end--;
    bool named = end > suffix && !strncmp(file + end - suffix, RUN_STATUS_SUFFIX, suffix);
    bool frames = strchr(file + folder_length(file), '%') != NULL;
    if (named || !frames || run_film_folder(folder, file, true) != STATUS_OK)
        snprintf(folder, PATH_MAX, "%.*s%s", (int)end, file, named ? "" : RUN_STATUS_SUFFIX);
}

struct kept_command { /* contents of the journal folder */
    char *words; /* the folder of that run, its command and options, each with a final 0; owned */
    size_t length;
    char beside[PATH_MAX];  /* the folder that FILE is in */
    char own[NAME_MAX + 1]; /* its own name: FILE.deepfield */
};

static enum status not_there(const char *file, const char *folder)
{
    return status_fail(STATUS_NO_INPUT,
                       "nothing to go on with: %.1500s %s, and there is no %.1500s; FILE is "
                       "what an interrupted run was to write",
                       file, access(file, F_OK) ? "does not exist" : "exists", folder);
}

static enum status command_read(const char *path, int folder, struct kept_command *kept)
{
    kept->words = folder_file_read(folder, "command", COMMAND_BYTES_MAX, &kept->length);
    if (!kept->words && errno == ENOENT)
        return status_fail(STATUS_NO_INPUT,
                           "nothing to go on with: %.1500s is there, but has no command of a run; "
                           "give the command of that run again",
                           path);
    if (!kept->words)
        return status_fail(STATUS_NO_INPUT, "nothing to go on with: %s/command: %s", path,
                           folder_reason(errno));
    if (kept->length > 0 && !kept->words[kept->length - 1])
        return STATUS_OK;
    free(kept->words);
    return status_fail(STATUS_BAD_DATA, "%s/command is damaged; give the command of that run again",
                       path);
}

/* Refuses a folder of another user, who could have written any command into it. */
static enum status kept_read(const char *file, struct kept_command *kept)
{
    char path[PATH_MAX + 16], above[PATH_MAX];
    const char *name;
    folder_of(file, path);
    int folder = folder_open_own(path);
    if (folder < 0 && errno == ENOENT)
        return not_there(file, path);
    if (folder < 0 && errno == ENOTDIR)
        return status_fail(STATUS_NO_INPUT,
                           "nothing to go on with: %s is no folder; remove it, and give the "
                           "command of that run again",
                           path);
    if (folder < 0)
        return status_fail(STATUS_NO_INPUT,
                           "cannot go on from %s: %s; give the command of that run again, with "
                           "another -o",
                           path, folder_reason(errno));
    name = path + folder_length(path);
    snprintf(above, sizeof above, "%.*s", (int)(name - path), path);
    snprintf(kept->own, sizeof kept->own, "%.*s", NAME_MAX, name);
    enum status status = realpath(*above ? above : ".", kept->beside)
                             ? command_read(path, folder, kept)
                             : status_fail(STATUS_NO_INPUT, "%s: %s", above, strerror(errno));
    close(folder);
    return status;
}

/* ---- its words ---- */

/* Files are written beside the folder, wherever that is by now. */
static void settings_write(FILE *stream, const struct kept_command *kept,
                           const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const struct argument *given = &arguments->given[i];
        if (given->option == OPTION_OUTPUT)
            fprintf(stream, "-o%c%s/%s%c", 0, kept->beside,
                    given->text + folder_length(given->text), 0);
        else if (is_setting(given->option) ||
                 (given->option == OPTION_SET && is_set_of_setting(given->text)))
            argument_write(stream, given);
    }
}

/* Is the folder that of the command's first file, or of its frames? */
static bool is_of(const struct kept_command *kept, const struct arguments *arguments)
{
    const char *first = arguments_output(arguments, 0);
    const char *name = first ? first + folder_length(first) : "";
    size_t length = strlen(name);
    return (length && !strncmp(kept->own, name, length) &&
            !strcmp(kept->own + length, RUN_STATUS_SUFFIX)) ||
           (strchr(name, '%') && !strcmp(kept->own, "film" RUN_STATUS_SUFFIX));
}

static enum status kept_wrong(const char *file)
{
    return status_fail(STATUS_BAD_DATA,
                       "the command kept for %.1000s is none that writes it; give the command of "
                       "that run again",
                       file);
}

/* Writes the words of the command line to run, each with a final 0: those of kept_argv, which is
 * the kept command from its name on, then options of argv, the command line of resume. */
static enum status words_write(FILE *stream, const struct kept_command *kept, int kept_argc,
                               char **kept_argv, char **argv)
{
    const struct command *command = kept_argc ? command_named(kept_argv[0]) : NULL;
    struct arguments arguments;
    if (!command || (command->run != command_render && command->run != command_film) ||
        arguments_parse(&arguments, command->bit, kept_argc, kept_argv) != STATUS_OK)
        return kept_wrong(argv[2]);
    enum status status = is_of(kept, &arguments) ? STATUS_OK : kept_wrong(argv[2]);
    word_write(stream, argv[0]);
    word_write(stream, command->name);
    settings_write(stream, kept, &arguments);
    for (char **word = argv + 3; *word; word++)
        word_write(stream, *word);
    operand_write(stream, &arguments);
    arguments_destroy(&arguments);
    return status;
}

/* The words of a text, with a final NULL; NULL without memory. For free(). */
static char **words_split(char *text, size_t length, int *count)
{
    char **word = calloc(length + 1, sizeof *word);
    *count = 0;
    for (char *at = text; word && at < text + length; at += strlen(at) + 1)
        word[(*count)++] = at;
    return word;
}

static enum status words_merge(const struct kept_command *kept, int *argc, char ***argv)
{
    int count;
    char *text = NULL, **words = NULL;
    size_t length = 0, skipped = strlen(kept->words) + 1;
    char **kept_argv = words_split(kept->words + skipped, kept->length - skipped, &count);
    FILE *stream = kept_argv ? open_memstream(&text, &length) : NULL;
    enum status status = stream ? words_write(stream, kept, count, kept_argv, *argv) : STATUS_OK;
    bool good = stream && fclose(stream) == 0 && (words = words_split(text, length, argc));
    free(kept_argv);
    if (status == STATUS_OK && good) {
        *argv = words;
        return STATUS_OK;
    }
    free(words);
    free(text);
    return status != STATUS_OK ? status
                               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a command line");
}

enum status resume_words(int *argc, char ***argv)
{
    struct kept_command kept = {.length = 0};
    if (*argc < 3 || !*(*argv)[2] || *(*argv)[2] == '-')
        return status_fail(STATUS_USAGE,
                           "deepfield resume needs the FILE that the interrupted run was to write");
    TRY(kept_read((*argv)[2], &kept));
    enum status status = words_merge(&kept, argc, argv);
    if (status == STATUS_OK && chdir(kept.words) != 0)
        status = status_fail(STATUS_NO_INPUT, "the interrupted run was in %s: %s", kept.words,
                             strerror(errno));
    free(kept.words);
    return status;
}
