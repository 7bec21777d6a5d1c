#include "library/output/picture_journal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/spec.h"
#include "library/settings/settings_description.h"
#include "render/picture/region.h"

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* ---- the identity ---- */

/* Writes names without their folder, which is the journal's: there are many ways to name it. */
static void files_write(const struct picture_settings *settings, FILE *stream)
{
    for (size_t i = 0; i < settings->path_count; i++) {
        const char *path = settings->paths[i];
        fprintf(stream, "file = %s, %d bits\n", path + folder_length(path),
                settings_bits(settings->config, path));
    }
}

/* Text of all that decides a bit of the files, on any machine. */
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
    fprintf(stream, "method = %s\n", plan_method_name(plan->method));
    fprintf(stream, "numbers = %s\n", plan_number_name(plan->number));
    fprintf(stream, "accuracy = %.17g px\n", plan->accuracy_px);
    fprintf(stream, "blocks = %s\n", plan_blocks_name(picture->blocks));
    fprintf(stream, "planes = %#x, saved %#x\n", picture->spec.planes, settings->planes_saved);
    fprintf(stream, "palette = %016llx\n", (unsigned long long)palette_checksum(settings->palette));
    if (picture->region.width) { /* tiles are kept by their place in it */
        const struct tile computed = region_computed(picture);
        fprintf(stream, "computed = %d,%d,%dx%d\n", computed.x, computed.y, computed.width,
                computed.height);
    }
    files_write(settings, stream);
    fputs(settings->view_text, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- the command ---- */

static void word_write(FILE *stream, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, stream);
}

static bool is_kept(const struct config *config, enum option_key option)
{
    return option_rows[option].key && config->value[option].text && config_was_set(config, option);
}

/* A part has no file of the picture, and so no command: its rows are made by the same call. */
char *picture_command_of_settings(void *context, size_t *bytes)
{
    const struct picture_settings *settings = context;
    char *words = NULL, folder[PATH_MAX];
    FILE *stream = getcwd(folder, sizeof folder) ? open_memstream(&words, bytes) : NULL;
    if (!stream)
        return NULL;
    word_write(stream, folder);
    word_write(stream, "render");
    for (int i = 0; i < OPTIONS; i++) {
        if (!is_kept(settings->config, (enum option_key)i))
            continue;
        word_write(stream, "--set");
        fprintf(stream, "%s.%s=%s%c", option_rows[i].section, option_rows[i].key,
                settings->config->value[i].text, 0);
    }
    for (size_t i = 0; i < settings->path_count && !settings->part_path; i++) {
        word_write(stream, "-o");
        word_write(stream, settings->paths[i]);
    }
    if (fclose(stream) == 0)
        return words;
    free(words);
    return NULL;
}

/* ---- the journal ---- */

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

enum status picture_journal_open(struct journal **journal, const struct picture_settings *settings,
                                 picture_command *command, void *context)
{
    *journal = NULL;
    if (!has_journal(settings))
        return STATUS_OK;
    struct journal_options options = {.target = settings->paths[0],
                                      .overwrite = settings->overwrite};
    char *identity = identity_text(settings);
    char *words = command(context, &options.command_bytes);
    options.identity = identity;
    options.command = words;
    enum status status = identity && words
                             ? journal_open(journal, &options)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a journal");
    free(identity);
    free(words);
    return status;
}
