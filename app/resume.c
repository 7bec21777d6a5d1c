#include "app/resume.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/spec.h"
#include "render/film/film_store.h"

enum { COMMAND_BYTES_MAX = 1 << 20, WORDS_MAX = 4096 };

/* ---- the identity -----------------------------------------------------------------------------
 */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Without the folder, which is the journal's: there are many ways to name it. */
static void files_write(const struct picture_settings *settings, FILE *stream)
{
    for (size_t i = 0; i < settings->path_count; i++) {
        const char *path = settings->paths[i];
        fprintf(stream, "file = %s, %d bits\n", path + folder_length(path),
                settings_bits(settings->config, path));
    }
}

/* All that decides a bit of the files, on any machine. */
static char *identity_text(const struct picture_settings *settings)
{
    const struct picture *picture = &settings->picture;
    const struct plan *plan = &settings->plan;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    fprintf(stream, "arithmetic = %d\n", ARITHMETIC_VERSION);
    fprintf(stream, "method = %s\n", plan->method == METHOD_DIRECT ? "direct" : "perturbation");
    fprintf(stream, "numbers = %s\n", plan->number == NUMBER_FP32 ? "fp32" : "fp64");
    fprintf(stream, "accuracy = %.17g px\n", plan->accuracy_px);
    fprintf(stream, "blocks = %s\n", plan_blocks_name(picture->blocks));
    fprintf(stream, "planes = %#x, saved %#x\n", picture->planes, settings->planes_saved);
    fprintf(stream, "palette = %016llx\n", (unsigned long long)palette_checksum(settings->palette));
    files_write(settings, stream);
    fputs(settings->view_text, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- the command ------------------------------------------------------------------------------
 */

char *resume_command(char **argv, size_t *length)
{
    char *words = NULL, folder[PATH_MAX];
    FILE *stream = getcwd(folder, sizeof folder) ? open_memstream(&words, length) : NULL;
    if (!stream)
        return NULL;
    fwrite(folder, 1, strlen(folder) + 1, stream);
    for (int i = 1; argv[i]; i++)
        fwrite(argv[i], 1, strlen(argv[i]) + 1, stream);
    if (fclose(stream) == 0)
        return words;
    free(words);
    return NULL;
}

/* Files that grow lie in the journal's folder until they have their names. */
static bool has_journal(const struct picture_settings *settings)
{
    if (!(config_real(settings->config, OPTION_OUTPUT_JOURNAL) > 0))
        return false;
    for (size_t i = 0; i < settings->path_count; i++) {
        const char *path = settings->paths[i], *first = settings->paths[0];
        size_t length = folder_length(path);
        struct stat about;
        if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
            return false;
        if (atomic_file_is_stdout(path) || length != folder_length(first) ||
            strncmp(path, first, length) != 0)
            return false;
    }
    return settings->path_count > 0;
}

enum status resume_journal(struct journal **journal, const struct picture_settings *settings,
                           const struct invocation *invocation)
{
    *journal = NULL;
    if (!has_journal(settings))
        return STATUS_OK;
    struct journal_options options = {.target = settings->paths[0]};
    char *identity = identity_text(settings);
    char *command = resume_command(invocation->argv, &options.command_bytes);
    options.identity = identity;
    options.command = command;
    enum status status = identity && command
                             ? journal_open(journal, &options)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a journal");
    free(identity);
    free(command);
    return status;
}

/* ---- deepfield resume -------------------------------------------------------------------------
 */

/* The folder of a file, a film, the frames of one, or a folder that is one. */
static void folder_of(const char *file, char folder[PATH_MAX])
{
    size_t end = strlen(file), suffix = sizeof JOURNAL_SUFFIX - 1;
    while (end > 1 && file[end - 1] == '/')
        end--;
    bool named = end > suffix && !strncmp(file + end - suffix, JOURNAL_SUFFIX, suffix);
    bool frames = strchr(file + folder_length(file), '%') != NULL;
    if (named || !frames || film_store_folder(folder, file, true) != STATUS_OK)
        snprintf(folder, PATH_MAX, "%.*s%s", (int)end, file, named ? "" : JOURNAL_SUFFIX);
}

static enum status command_read(const char *file, char **words, size_t *length)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    folder_of(file, folder);
    snprintf(path, sizeof path, "%s/command", folder);
    FILE *stream = fopen(path, "re");
    if (!stream && errno == ENOENT && access(folder, F_OK) == 0)
        return status_fail(STATUS_NO_INPUT,
                           "nothing to go on with: %.1500s is there, but has no command of a run; "
                           "give the command of that run again",
                           folder);
    if (!stream && errno == ENOENT)
        return status_fail(STATUS_NO_INPUT,
                           "nothing to go on with: %.1500s %s, and there is no %.1500s; FILE is "
                           "what an interrupted run was to write",
                           file, access(file, F_OK) ? "does not exist" : "exists", folder);
    if (!stream)
        return status_fail(STATUS_NO_INPUT, "nothing to go on with: cannot read %s: %s", path,
                           strerror(errno));
    *words = malloc(COMMAND_BYTES_MAX);
    *length = *words ? fread(*words, 1, COMMAND_BYTES_MAX, stream) : 0;
    fclose(stream);
    if (*length > 0 && *length < COMMAND_BYTES_MAX && !(*words)[*length - 1])
        return STATUS_OK;
    free(*words);
    return status_fail(STATUS_BAD_DATA, "%s is damaged; give the command of that run again", path);
}

enum status resume_words(int *argc, char ***argv)
{
    char *text;
    size_t length;
    if (*argc < 3 || !*(*argv)[2] || *(*argv)[2] == '-')
        return status_fail(STATUS_USAGE,
                           "deepfield resume needs the FILE that the interrupted run was to write");
    TRY(command_read((*argv)[2], &text, &length));
    char **words = calloc(WORDS_MAX + (size_t)*argc, sizeof *words);
    if (!words)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a command line");
    const char *folder = text;
    int count = 1;
    words[0] = (*argv)[0];
    for (char *word = text + strlen(text) + 1; word < text + length && count < WORDS_MAX;
         word += strlen(word) + 1)
        words[count++] = word;
    if (count < 2 || (strcmp(words[1], "render") != 0 && strcmp(words[1], "film") != 0))
        return status_fail(STATUS_BAD_DATA, "the command kept for %.1000s is no render and no film",
                           (*argv)[2]);
    if (chdir(folder) != 0)
        return status_fail(STATUS_NO_INPUT, "the interrupted run was in %s: %s", folder,
                           strerror(errno));
    for (int i = 3; i < *argc; i++)
        words[count++] = (*argv)[i];
    *argc = count;
    *argv = words;
    return STATUS_OK;
}
