#include "library/place/data.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/formula.h"
#include "library/place/place_reader.h"
#include "library/text/convert.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"
#include "render/disk/folder.h"
#include "render/disk/text_lines.h"

enum { PATH_BYTES = 4096 };

static int name_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum status data_names_add(struct data_names *names, const char *name, size_t length)
{
    void *grown = realloc(names->name, (names->count + 1) * sizeof *names->name);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of names");
    names->name = grown;
    snprintf(names->name[names->count++], sizeof *names->name, "%.*s", (int)length, name);
    names->longest = (int)length > names->longest ? (int)length : names->longest;
    return STATUS_OK;
}

enum status data_names_list(struct data_names *names, const char *folder, const char *suffix)
{
    DIR *stream = folder_list_path(folder);
    *names = (struct data_names){0};
    if (!stream)
        return status_fail(STATUS_NO_INPUT, "%s: %s", folder, strerror(errno));
    enum status status = STATUS_OK;
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(stream));) {
        const char *name = entry->d_name, *end = strrchr(name, '.');
        if (end && end != name && !strcmp(end, suffix) && end - name < DATA_NAME_BYTES)
            status = data_names_add(names, name, (size_t)(end - name));
    }
    closedir(stream);
    if (status != STATUS_OK)
        data_names_destroy(names);
    else if (names->count)
        qsort(names->name, names->count, sizeof *names->name, name_compare);
    return status;
}

void data_names_destroy(struct data_names *names)
{
    free(names->name);
    *names = (struct data_names){0};
}

/* Each [place NAME] of a file. */
static enum status places_add(struct data_names *names, const char *folder, const char *file)
{
    char path[PATH_BYTES], name[DATA_NAME_BYTES];
    char *bytes = NULL;
    size_t length = 0;
    if (snprintf(path, sizeof path, "%s/%s.places", folder, file) >= (int)sizeof path)
        return STATUS_OK;
    TRY(text_file_head(path, PLACE_BYTES_MAX, &bytes, &length));
    enum status status = STATUS_OK;
    struct text rest = text_lines_of(bytes, length), line;
    while (status == STATUS_OK && text_line_next(&rest, &line))
        if (text_begins(&line, "[place ") && line.end[-1] == ']') {
            struct text place = {line.begin + strlen("[place "), line.end - 1};
            text_trim(&place);
            int bytes_used = snprintf(name, sizeof name, "%s:%.*s", file,
                                      (int)(place.end - place.begin), place.begin);
            if (bytes_used < DATA_NAME_BYTES)
                status = data_names_add(names, name, (size_t)bytes_used);
        }
    free(bytes);
    return status;
}

enum status data_views_list(struct data_names *names, const char *folder)
{
    struct data_names files = {0};
    TRY(data_names_list(names, folder, ".ini"));
    size_t views = names->count;
    enum status status = data_names_list(&files, folder, ".places");
    for (size_t i = 0; i < files.count && status == STATUS_OK; i++)
        status = places_add(names, folder, files.name[i]);
    data_names_destroy(&files);
    if (status != STATUS_OK)
        data_names_destroy(names);
    else if (names->count > views)
        qsort(names->name + views, names->count - views, sizeof *names->name, name_compare);
    return status;
}

bool data_view_path(char *path, size_t bytes, const char *folder, const char *name)
{
    const char *colon = strchr(name, ':');
    int length =
        colon ? snprintf(path, bytes, "%s/%.*s.places%s", folder, (int)(colon - name), name, colon)
              : snprintf(path, bytes, "%s/%s.ini", folder, name);
    return length > 0 && (size_t)length < bytes;
}

/* Is the file there, whatever places it has? Its folder and its places may have colons, too. */
static bool view_is_there(const char *path)
{
    const char *colon = strchr(strrchr(path, '/'), ':');
    char file[PATH_BYTES + 64];
    snprintf(file, sizeof file, "%.*s", (int)(colon ? (size_t)(colon - path) : strlen(path)), path);
    return access(file, F_OK) == 0 || access(path, F_OK) == 0;
}

static bool is_formula(const char *name)
{
    struct formula formula;
    const char *row;
    for (int i = 0; (row = formula_name_at(i, &formula)); i++)
        if (!strcmp(row, name))
            return true;
    return false;
}

enum status data_view(const struct data_source *data, const char *name, char *path, size_t bytes)
{
    char folder[PATH_BYTES], views[PATH_BYTES + 16], shown[SHOWN_BYTES], hint[96];
    TRY(data_folder(data, folder, sizeof folder));
    snprintf(views, sizeof views, "%s/configs/views", folder);
    if (data_view_path(path, bytes, views, name) && view_is_there(path))
        return STATUS_OK;
    struct spelling spelling = spelling_of(name);
    struct data_names names = {0};
    if (data_views_list(&names, views) == STATUS_OK)
        for (size_t i = 0; i < names.count; i++)
            spelling_offer(&spelling, names.name[i]);
    spelling_hint(&spelling, hint, sizeof hint);
    data_names_destroy(&names);
    if (is_formula(name))
        return status_fail(STATUS_NO_INPUT,
                           "'%s' is no view, but a formula: --formula %s shows all of it%s", name,
                           name, hint);
    return status_fail(STATUS_NO_INPUT,
                       "'%s' is neither a file nor one of the views in %s%s (deepfield views lists "
                       "them)",
                       text_shown(name, shown), views, hint);
}
