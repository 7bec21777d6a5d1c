#include "app/viewer/files/user_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/disk/atomic_file.h"
#include "render/disk/folder.h"

static enum status path_make(char path[USER_DATA_PATH_BYTES], const char *first, const char *second)
{
    int length = snprintf(path, USER_DATA_PATH_BYTES, "%s%s", first, second);
    if (length > 0 && length < USER_DATA_PATH_BYTES)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "the name of a folder is longer than %d bytes: %.40s",
                       USER_DATA_PATH_BYTES, first);
}

/* XDG Base Directory Specification 0.8: a path that is not absolute is to be ignored. */
static enum status folder_of_user(char path[USER_DATA_PATH_BYTES], const char *variable,
                                  const char *in_home)
{
    const char *named = getenv(variable), *home = getenv("HOME");
    if (named && named[0] == '/')
        return path_make(path, named, "/deepfield");
    if (home && home[0] == '/')
        return path_make(path, home, in_home);
    return status_fail(STATUS_CANNOT_CREATE,
                       "there is no place for bookmarks and history: set HOME or %s", variable);
}

enum status user_data_folder(char path[USER_DATA_PATH_BYTES])
{
    return folder_of_user(path, "XDG_DATA_HOME", "/.local/share/deepfield");
}

enum status user_cache_folder(char path[USER_DATA_PATH_BYTES])
{
    return folder_of_user(path, "XDG_CACHE_HOME", "/.cache/deepfield");
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
        if (folder_make_path(path) != 0)
            return status_fail(STATUS_CANNOT_CREATE, "cannot make the folder %s: %s", path,
                               strerror(errno));
        if (!slash)
            break;
        *slash = '/';
    }
    int made = folder_open_of_user(path);
    if (made < 0)
        return status_fail(STATUS_CANNOT_CREATE, "cannot write to the folder %s: %s", path,
                           errno == ELOOP ? "it is a link of another user" : folder_reason(errno));
    close(made);
    return STATUS_OK;
}

enum status user_data_replace(const char *path, const char *bytes, size_t length)
{
    const char *name;
    struct atomic_file file = {0};
    int folder = folder_above(path, &name);
    enum status status = folder >= 0 ? atomic_file_open_in(&file, folder, path)
                                     : status_fail(STATUS_CANNOT_CREATE, "cannot create %s: %s",
                                                   path, strerror(errno));
    if (status == STATUS_OK && fwrite(bytes, 1, length, file.stream) != length)
        status = status_fail(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    if (status == STATUS_OK)
        status = atomic_file_commit(&file);
    atomic_file_abandon(&file);
    if (folder >= 0)
        close(folder);
    return status;
}

enum status user_data_write(const char *folder, const char *name, const char *text)
{
    char path[USER_DATA_PATH_BYTES];
    TRY(user_data_make(folder));
    TRY(user_data_path(path, folder, name));
    return user_data_replace(path, text, strlen(text));
}
