#include "app/data.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/convert.h"
#include "app/nearest.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 64 };

static bool path_made(char *path, size_t bytes, const char *folder, const char *below)
{
    int length = snprintf(path, bytes, "%s%s", folder, below);
    return length > 0 && (size_t)length < bytes;
}

static bool has_assets(const char *folder)
{
    char path[PATH_BYTES];
    return path_made(path, sizeof path, folder, "/assets") && access(path, R_OK | X_OK) == 0;
}

/* The program's folder, without a slash at the end. */
static bool program_folder(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

enum status data_folder(char *path, size_t bytes)
{
    const char *named = getenv("DEEPFIELD_DATA");
    if (named) {
        if (path_made(path, bytes, named, "") && has_assets(path))
            return STATUS_OK;
        return status_fail(STATUS_NO_INPUT, "DEEPFIELD_DATA=%s: there is no folder assets in it",
                           named);
    }
    char program[PATH_BYTES];
    if (program_folder(program, sizeof program) &&
        path_made(path, bytes, program, "/../share/deepfield") && has_assets(path))
        return STATUS_OK;
    if (path_made(path, bytes, DEEPFIELD_SOURCE_DATA, "") && has_assets(path))
        return STATUS_OK;
    return status_fail(STATUS_NO_INPUT,
                       "the folder with views and palettes is not there: neither "
                       "../share/deepfield beside the program nor %s; set "
                       "DEEPFIELD_DATA",
                       DEEPFIELD_SOURCE_DATA);
}

/* Remembers the nearest of all views there are. `best` must outlive `nearest`. */
static void views_offer(struct nearest *nearest, const char *folder, char best[NAME_BYTES])
{
    DIR *views = opendir(folder);
    if (!views)
        return;
    for (struct dirent *entry; (entry = readdir(views));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".ini") != 0 || suffix - entry->d_name >= NAME_BYTES)
            continue;
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)(suffix - entry->d_name), entry->d_name);
        size_t before = nearest->distance;
        nearest_offer(nearest, name);
        if (nearest->distance < before) {
            memcpy(best, name, sizeof name);
            nearest->best = best;
        }
    }
    closedir(views);
}

enum status data_view(const char *name, char *path, size_t bytes)
{
    char folder[PATH_BYTES], views[PATH_BYTES + 16], shown[SHOWN_BYTES], best[NAME_BYTES], hint[96];
    TRY(data_folder(folder, sizeof folder));
    snprintf(views, sizeof views, "%s/configs/views", folder);
    int length = snprintf(path, bytes, "%s/%s.ini", views, name);
    if (length > 0 && (size_t)length < bytes && access(path, F_OK) == 0)
        return STATUS_OK;
    struct nearest nearest = nearest_to(name);
    views_offer(&nearest, views, best);
    nearest_hint(&nearest, hint, sizeof hint);
    return status_fail(STATUS_NO_INPUT, "'%s' is neither a file nor one of the views in %s%s",
                       text_shown(name, shown), views, hint);
}
