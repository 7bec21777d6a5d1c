#include "library/config/data_folder.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = PATH_MAX }; /* realpath fills as much */

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

/* Path of the file that this code was loaded from: the shared library, or the program. The loader
 * knows the program by the words that started it, which say nothing of a folder. */
static bool object_path(char path[PATH_BYTES])
{
    static const char inside;
    Dl_info symbol;
    struct link_map *object = NULL;
    if (dladdr1(&inside, &symbol, (void **)&object, RTLD_DL_LINKMAP) && object && *object->l_name)
        return realpath(object->l_name, path) != NULL;
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Folder of the data that was installed with this code. It lies one folder above bin/ and lib/, two
 * above lib/TRIPLET/; a build folder has a link there to its source tree. */
static bool installed_folder(char *path, size_t bytes)
{
    static const char *const below[] = {"/../share/deepfield", "/../../share/deepfield"};
    char object[PATH_BYTES];
    char *slash = object_path(object) ? strrchr(object, '/') : NULL;
    if (!slash)
        return false;
    *slash = '\0';
    for (int i = 0; i < 2; i++)
        if (path_made(path, bytes, object, below[i]) && has_assets(path))
            return true;
    return false;
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
    if (installed_folder(path, bytes))
        return STATUS_OK;
    return status_fail(STATUS_NO_INPUT,
                       "the folder with views and palettes is not there: no share/deepfield beside "
                       "bin/ or lib/; set %s",
                       name);
}
