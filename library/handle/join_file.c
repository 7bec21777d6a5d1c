#include "library/handle/join_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/text/text_file.h"
#include "render/disk/folder.h"
#include "render/disk/temporary_file.h"

enum { FILE_BYTES_MOST = 1024 };

static const char title[] = "deepfield join 1";

/* Writes a file that nobody else may read: who has the token computes pixels. */
static bool text_put(int folder, const char *name, const char *text)
{
    char temporary[TEMPORARY_NAME_BYTES];
    int file = temporary_create(folder, name, ".part", 0600, temporary);
    size_t length = strlen(text);
    if (file < 0)
        return false;
    bool written = write(file, text, length) == (ssize_t)length &&
                   renameat(folder, temporary, folder, name) == 0;
    int why = errno;
    if (!written)
        unlinkat(folder, temporary, 0);
    close(file);
    errno = why;
    return written;
}

/* May the file at `path` be replaced? */
static enum status place_check(const char *path)
{
    struct join_file before;
    struct stat there;
    if (lstat(path, &there) != 0 || join_file_read(&before, path) == STATUS_OK)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE,
                       "%.800s is there and was not written by --join-file: name another file, or "
                       "remove it",
                       path);
}

enum status join_file_write(const char *path, const char *address, int port, const char *token)
{
    char text[FILE_BYTES_MOST], host[256];
    const char *name;
    TRY(place_check(path));
    snprintf(host, sizeof host, "%s", address ? address : "");
    if (!address && gethostname(host, sizeof host) != 0)
        return status_fail(STATUS_SYSTEM, "this machine has no name: %s", strerror(errno));
    host[sizeof host - 1] = '\0';
    snprintf(text, sizeof text, "%s\n%s\n%d\n%s\n", title, host, port, token);
    int folder = folder_above(path, &name);
    bool written = folder >= 0 && text_put(folder, name, text);
    int why = errno;
    if (folder >= 0)
        close(folder);
    return written ? STATUS_OK
                   : status_fail(STATUS_CANNOT_CREATE, "cannot create %.1000s: %s", path,
                                 strerror(why));
}

enum status join_file_read(struct join_file *file, const char *path)
{
    char *text, first[32], rest[2];
    size_t length;
    TRY(text_file_read(path, FILE_BYTES_MOST, &text, &length));
    int found = sscanf(text, "%31[^\n] %255s %d %63s %1s", first, file->host, &file->port,
                       file->token, rest);
    free(text);
    if (found != 4 || strcmp(first, title) != 0 || file->port < 1 || file->port > 65535)
        return status_fail(STATUS_BAD_DATA, "%.1000s is no file that --join-file has written",
                           path);
    return STATUS_OK;
}

void join_file_remove(const char *path, int port, const char *token)
{
    struct join_file file;
    if (join_file_read(&file, path) == STATUS_OK && file.port == port && !strcmp(file.token, token))
        (void)folder_path_remove(path);
}
