#include "library/text/text_file.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/folder.h"

/* Reads until `most` bytes or the end; the file may grow or shrink while it is read. */
static enum status read_some(int file, const char *path, size_t most, char *bytes, size_t *length)
{
    *length = 0;
    while (*length < most) {
        ssize_t got = read(file, bytes + *length, most - *length);
        /* A pipe that has a writer, who has not written yet. */
        if (got < 0 && errno == EAGAIN && poll(&(struct pollfd){file, POLLIN, 0}, 1, -1) == 1)
            continue;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return status_fail(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            break;
        *length += (size_t)got;
    }
    return STATUS_OK;
}

/* Grows the buffer to twice its size, or `most` bytes, and one for a NUL; false without memory. */
static bool bytes_grow(char **bytes, size_t *size, size_t most)
{
    size_t wanted = *size ? 2 * *size : 65536;
    wanted = wanted < most ? wanted : most;
    *size = wanted;
    char *grown = realloc(*bytes, wanted + 1);
    if (grown)
        *bytes = grown;
    return grown;
}

/* Reads to the end, or `most` bytes; `empty` names an empty stream in messages. */
static enum status stream_read(int file, const char *path, const char *empty, size_t most,
                               char **bytes, size_t *length)
{
    size_t size = 0, got = 0;
    enum status status = STATUS_OK;
    *bytes = NULL;
    for (*length = 0; status == STATUS_OK && *length == size && size < most; *length += got) {
        got = 0;
        if (!bytes_grow(bytes, &size, most))
            status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for %zu bytes", path, size);
        else
            status = read_some(file, path, size - *length, *bytes + *length, &got);
    }
    if (status == STATUS_OK && *length == 0)
        status = status_fail(STATUS_BAD_DATA, "%s: %s", path, empty);
    if (status == STATUS_OK) {
        (*bytes)[*length] = '\0';
        return STATUS_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return status;
}

enum status text_stream_head(int stream, const char *name, size_t most, char **bytes,
                             size_t *length)
{
    return stream_read(stream, name, "is empty", most, bytes, length);
}

static enum status kind_check(int file, const char *path)
{
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return status_fail(STATUS_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return status_fail(STATUS_BAD_DATA, "%s: is a folder; a file is needed", path);
    if (S_ISFIFO(facts.st_mode)) /* what a shell calls /dev/fd/63 */
        return STATUS_OK;
    if (!S_ISREG(facts.st_mode))
        return status_fail(STATUS_BAD_DATA, "%s: is not a regular file", path);
    return facts.st_size ? STATUS_OK : status_fail(STATUS_BAD_DATA, "%s: is empty", path);
}

enum status text_file_head(const char *path, size_t most, char **bytes, size_t *length)
{
    *bytes = NULL;
    int file = folder_input(path);
    if (file < 0)
        return status_fail(STATUS_NO_INPUT, "%s: %s", path, strerror(errno));
    enum status status = kind_check(file, path);
    if (status == STATUS_OK)
        status = stream_read(file, path, "is empty, or nobody writes to it", most, bytes, length);
    close(file);
    return status;
}

enum status text_file_read(const char *path, size_t most, char **bytes, size_t *length)
{
    TRY(text_file_head(path, most + 1, bytes, length));
    if (*length <= most)
        return STATUS_OK;
    free(*bytes);
    *bytes = NULL;
    return status_fail(STATUS_BAD_DATA, "%s: is longer than %zu bytes", path, most);
}

char *path_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? strndup(name, (size_t)(dot - name)) : strdup(name);
}
