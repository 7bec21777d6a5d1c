#include "app/http/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "render/disk/folder.h"

bool socket_path_is(const char *address)
{
    return strchr(address, '/') != NULL;
}

/* Does anybody listen? A name of another kind is somebody's, too. */
static bool is_answered(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return true;
    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    bool refused =
        connect(fd, (const struct sockaddr *)&at, sizeof at) != 0 && errno == ECONNREFUSED;
    close(fd);
    return !refused;
}

static enum status name_free(int folder, const char *name, const char *path)
{
    struct stat is;
    if (fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) != 0)
        return STATUS_OK;
    if (!S_ISSOCK(is.st_mode) || is_answered(path))
        return status_fail(STATUS_SYSTEM, "%.200s is there already: %s", path,
                           S_ISSOCK(is.st_mode) ? "a server listens there" : "it is no socket");
    return folder_remove(folder, name) == 0
               ? STATUS_OK
               : status_fail(STATUS_SYSTEM, "%.200s cannot be removed: %s", path,
                             folder_reason(errno));
}

enum status socket_path_free(const char *path)
{
    struct sockaddr_un at;
    struct stat is;
    const char *name;
    if (strlen(path) >= sizeof at.sun_path)
        return status_fail(STATUS_CONFIG, "a socket's path has at most %zu characters: %.200s",
                           sizeof at.sun_path - 1, path);
    int folder = folder_above(path, &name);
    if (folder < 0)
        return status_fail(STATUS_CONFIG, "%.200s: its folder cannot be opened: %s", path,
                           folder_reason(errno));
    bool own = fstat(folder, &is) == 0 && is.st_uid == geteuid() && !(is.st_mode & 077) && *name;
    enum status status =
        own ? name_free(folder, name, path)
            : status_fail(
                  STATUS_CONFIG,
                  "%.200s: a socket needs a name in a folder of this user alone (chmod 700)", path);
    close(folder);
    return status;
}

int socket_path_passing(const char *path, char passing[SOCKET_PATH_BYTES])
{
    char parent[64];
    const char *name;
    int folder = folder_above(path, &name);
    snprintf(parent, sizeof parent, "/proc/self/fd/%d", folder);
    if (folder >= 0 && access(parent, X_OK) == 0 &&
        snprintf(passing, SOCKET_PATH_BYTES, "%s/%s", parent, name) < SOCKET_PATH_BYTES)
        return folder;
    if (folder >= 0)
        close(folder);
    snprintf(passing, SOCKET_PATH_BYTES, "%s", path);
    return -1;
}

static struct socket_file file_of(int folder, const char *name)
{
    struct stat is;
    if (fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(is.st_mode))
        return (struct socket_file){0};
    return (struct socket_file){is.st_dev, is.st_ino};
}

struct socket_file socket_path_file(const char *path)
{
    const char *name;
    int folder = folder_above(path, &name);
    if (folder < 0)
        return (struct socket_file){0};
    struct socket_file file = file_of(folder, name);
    close(folder);
    return file;
}

void socket_path_remove(const char *path, struct socket_file own)
{
    const char *name;
    int folder = folder_above(path, &name);
    if (folder < 0)
        return;
    struct socket_file file = file_of(folder, name);
    if (file.inode && file.inode == own.inode && file.device == own.device)
        (void)folder_remove(folder, name); /* one that stays is removed by the next server */
    close(folder);
}
