#include "library/config/data_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

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

enum status data_folder(const struct data_source *source, char *path, size_t bytes)
{
    const char *name = source->name ? source->name : "data";
    if (source->folder) {
        if (path_made(path, bytes, source->folder, "") && has_assets(path))
            return STATUS_OK;
        return status_fail(STATUS_NO_INPUT, "%s=%s: there is no folder assets in it", name,
                           source->folder);
    }
    char program[PATH_BYTES];
    if (program_folder(program, sizeof program) &&
        path_made(path, bytes, program, "/../share/deepfield") && has_assets(path))
        return STATUS_OK;
    if (path_made(path, bytes, DEEPFIELD_SOURCE_DATA, "") && has_assets(path))
        return STATUS_OK;
    return status_fail(STATUS_NO_INPUT,
                       "the folder with views and palettes is not there: neither "
                       "../share/deepfield beside the program nor %s; set %s",
                       DEEPFIELD_SOURCE_DATA, name);
}
