#include "app/viewer/user_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "render/atomic_file.h"

static enum status path_make(char path[USER_DATA_PATH_BYTES], const char *first, const char *second)
{
    int length = snprintf(path, USER_DATA_PATH_BYTES, "%s%s", first, second);
    if (length > 0 && length < USER_DATA_PATH_BYTES)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "the name of a folder is longer than %d bytes: %.40s",
                       USER_DATA_PATH_BYTES, first);
}

enum status user_data_folder(char path[USER_DATA_PATH_BYTES])
{
    /* XDG Base Directory Specification 0.8: a path that is not absolute is to be ignored. */
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && data[0] == '/')
        return path_make(path, data, "/deepfield");
    if (home && home[0] == '/')
        return path_make(path, home, "/.local/share/deepfield");
    return status_fail(STATUS_CANNOT_CREATE,
                       "there is no place for bookmarks and history: set HOME or XDG_DATA_HOME");
}

enum status user_data_path(char path[USER_DATA_PATH_BYTES], const char *folder, const char *name)
{
    char below[USER_DATA_PATH_BYTES];
    TRY(path_make(below, "/", name));
    return path_make(path, folder, below);
}

enum status user_data_make(const char *folder)
{
    char path[USER_DATA_PATH_BYTES];
    TRY(path_make(path, folder, ""));
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return status_fail(STATUS_CANNOT_CREATE, "cannot make the folder %s: %s", path,
                               strerror(errno));
        if (!slash)
            break;
        *slash = '/';
    }
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return status_fail(STATUS_CANNOT_CREATE, "%s is no folder", path);
    return STATUS_OK;
}

enum status user_data_write(const char *folder, const char *name, const char *text)
{
    char path[USER_DATA_PATH_BYTES];
    struct atomic_file file = {0};
    TRY(user_data_make(folder));
    TRY(user_data_path(path, folder, name));
    TRY(atomic_file_open(&file, path, OVERWRITE_YES, NULL));
    fputs(text, file.stream);
    enum status status = atomic_file_commit(&file);
    atomic_file_abandon(&file);
    return status;
}
