#include "library/output/picture_there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/settings/view_file.h"
#include "library/text/convert.h"
#include "library/text/text_file.h"
#include "render/disk/atomic_file.h"
#include "render/disk/json.h"
#include "render/file/rows_file.h"
#include "render/growing/journal.h"

enum { PAGE_BYTES_MAX = 64 << 20, PATHS_BYTES = 16384 };

/* ---- the view in a file ---- */

static bool ends_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length >= end && !strcasecmp(path + length - end, suffix);
}

/* Reads the view in JSON text, which may stand in a page. NULL: there is none. */
static char *json_view_read(const char *path, const char *begin)
{
    char *text = NULL, *view = NULL;
    size_t length;
    if (text_file_read(path, PAGE_BYTES_MAX, &text, &length) != STATUS_OK)
        return NULL;
    const char *json = begin ? strstr(text, begin) : text;
    if (json)
        view = json_text_find(json, "view");
    free(text);
    return view;
}

static enum status rows_view_read(const char *path, char **view)
{
    struct rows_file *file;
    TRY(rows_file_open(&file, path));
    *view = strdup(rows_file_text(file));
    rows_file_close(file);
    return *view ? STATUS_OK
                 : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the view of %s", path);
}

struct view_there { /* what a file says of itself */
    struct ini ini;
    char *text; /* text that `ini` was read from; owned */
};

/* Reads the settings of a file; *found: they are of ours. `line`: one of its paths. */
static enum status view_of(const char *line, const struct data_source *data,
                           struct view_there *there, bool *found)
{
    struct view_file file;
    char *view = NULL;
    *found = true;
    if (ends_with(line, ".planes.json"))
        view = json_view_read(line, NULL);
    else if (ends_with(line, ".html"))
        view = json_view_read(line, "{\"title\":");
    else if (ends_with(line, ".rows"))
        TRY(rows_view_read(line, &view));
    if (view) {
        there->text = view;
        return view_text_parse(&there->ini, view, line);
    }
    *found = ends_with(line, ".png") || ends_with(line, ".tif") || ends_with(line, ".tiff") ||
             ends_with(line, ".jpg") || ends_with(line, ".jpeg") || ends_with(line, ".webp") ||
             ends_with(line, ".exr");
    if (!*found)
        return STATUS_OK;
    TRY(view_file_find(&file, line, data, VIEW_PART));
    *there = (struct view_there){.ini = file.ini, .text = file.text};
    file.ini = (struct ini){0};
    file.text = NULL;
    view_file_destroy(&file);
    return STATUS_OK;
}

static void view_there_destroy(struct view_there *there)
{
    ini_destroy(&there->ini);
    free(there->text);
}

/* ---- is it that of the settings? ---- */

/* Value of a setting as a finished picture has it: relief and lines are settled by the plan. */
static const char *value_settled(const struct picture_settings *settings, enum option_key option,
                                 char text[32])
{
    const char *value = config_text(settings->config, option);
    struct look_options look = settings->look_options;
    const struct field shape = settings_shape(settings);
    bool shading = option == OPTION_LOOK_RELIEF || option == OPTION_LOOK_LINES;
    if (!shading || !config_is_auto(settings->config, option))
        return value ? value : "";
    look_resolve(&look, &shape);
    snprintf(text, 32, "%g", option == OPTION_LOOK_RELIEF ? look.relief : look.lines);
    return text;
}

/* Is the value one that only the numbers of the whole picture settle? */
static bool is_measured(const struct picture_settings *settings, enum option_key option)
{
    return option == OPTION_LOOK_DISTRIBUTION && config_is_auto(settings->config, option);
}

/* Files of numbers alone say no samples, and are the same with any. */
static bool is_without_samples(enum option_key option, const char *a, const char *b)
{
    return option == OPTION_LOOK_SAMPLES && (!*a || !*b);
}

static enum status views_differ(const char *path, const struct config *there,
                                const struct picture_settings *settings)
{
    char name[64], of_there[SHOWN_BYTES], of_here[SHOWN_BYTES], settled[32];
    for (int i = 0; i < OPTIONS; i++) {
        enum option_key option = (enum option_key)i;
        const char *a = config_text(there, option);
        const char *b = value_settled(settings, option, settled);
        a = a ? a : "";
        if (!(option_rows[i].traits & OPTION_OF_PICTURE) || is_measured(settings, option) ||
            is_without_samples(option, a, b) || !strcmp(a, b))
            continue;
        option_name(option, name, sizeof name);
        return status_fail(STATUS_CANNOT_CREATE,
                           "%s holds another picture: it has %s = '%s', this one '%s'", path, name,
                           text_shown(a, of_there), text_shown(b, of_here));
    }
    return STATUS_OK;
}

enum status picture_there_check(const char *path, const struct ini *ini,
                                const struct picture_settings *settings)
{
    struct config there;
    TRY(config_create(&there));
    enum status status = config_apply(&there, ini, path, STATUS_BAD_DATA);
    if (status == STATUS_OK)
        status = views_differ(path, &there, settings);
    config_destroy(&there);
    return status;
}

/* Does the file have colours, or the light that they are made of? */
static bool is_coloured(const struct picture_settings *settings, const char *path)
{
    const struct sink_kind *kind;
    if (sink_for_path(&kind, path) != STATUS_OK)
        return false;
    return kind->partial ? samples_most(settings->picture.samples) > 1 : kind->coloured;
}

/* The name of a palette's file says nothing of what is in it now. */
static enum status palette_check(const char *path, const char *text,
                                 const struct picture_settings *settings)
{
    char now[80];
    snprintf(now, sizeof now, SETTINGS_PALETTE_NOTE "%016llx\n",
             (unsigned long long)palette_checksum(settings->palette));
    if (!text || !strstr(text, SETTINGS_PALETTE_NOTE) || strstr(text, now))
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE,
                       "%s has the colours of another palette: %s was another file then", path,
                       config_text(settings->config, OPTION_LOOK_PALETTE));
}

static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
}

/* Is a file with all its parts there? A part of them is left to the checks of files. */
static enum status file_there(const struct picture_settings *settings, size_t number, bool *there)
{
    char text[PATHS_BYTES], last[PATHS_BYTES] = "";
    struct field shape = settings_shape(settings);
    struct sink_request sink = settings_sink(settings, number, &shape);
    struct view_there view = {.text = NULL};
    sink_paths(&sink, text, sizeof text);
    *there = *text;
    if (*there)
        atomic_file_clear(sink.path); /* may finish a set that puts a file there */
    for (char *line = text, *rest = NULL; *there && (line = strtok_r(line, "\n", &rest));
         line = NULL) {
        *there = is_regular(line);
        if (ends_with(line, ".planes.json") || ends_with(line, ".html") || !*last)
            snprintf(last, sizeof last, "%s", line);
    }
    if (!*there)
        return STATUS_OK;
    enum status status = view_of(last, &settings->config->data, &view, there);
    if (status == STATUS_OK && *there)
        status = picture_there_check(last, &view.ini, settings);
    if (status == STATUS_OK && *there && is_coloured(settings, sink.path))
        status = palette_check(last, view.text, settings);
    view_there_destroy(&view);
    if (status == STATUS_OK || status == STATUS_OUT_OF_MEMORY)
        return status;
    return status_fail(STATUS_CANNOT_CREATE, "%.900s; --force replaces it", status_text());
}

static bool has_journal(const struct picture_settings *settings)
{
    char path[SINK_PATH_BYTES + sizeof JOURNAL_SUFFIX];
    snprintf(path, sizeof path, "%s" JOURNAL_SUFFIX, settings->paths[0]);
    return access(path, F_OK) == 0;
}

enum status picture_there_take(struct picture_settings *settings, bool *all)
{
    size_t left = 0;
    *all = false;
    if (settings->overwrite == OVERWRITE_YES || has_journal(settings))
        return STATUS_OK;
    bool *there = calloc(settings->path_count, sizeof *there);
    enum status status =
        there ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of files");
    for (size_t i = 0; status == STATUS_OK && i < settings->path_count; i++)
        status = file_there(settings, i, &there[i]);
    for (size_t i = 0; status == STATUS_OK && i < settings->path_count; i++)
        left += !there[i];
    *all = status == STATUS_OK && left == 0;
    if (status == STATUS_OK && left) { /* else the report names them */
        size_t kept = 0;
        for (size_t i = 0; i < settings->path_count; i++)
            if (!there[i])
                settings->paths[kept++] = settings->paths[i];
        settings->path_count = kept;
    }
    free(there);
    return status;
}
