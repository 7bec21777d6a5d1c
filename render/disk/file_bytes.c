#include "render/disk/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOON_BYTES = 1 << 20 };

/* Starts the write-back of large data at once: pages that wait to be written count as memory of a
 * control group, and the kernel kills a process rather than wait for them. */
bool file_bytes_put(int file, const void *bytes, size_t length, off_t offset)
{
    const off_t first = offset;
    const size_t whole = length;
    const char *at = bytes;
    for (ssize_t some; length > 0; at += some, offset += some, length -= (size_t)some) {
        some = pwrite(file, at, length, offset);
        if (some < 0 && errno == EINTR)
            some = 0;
        else if (some <= 0) {
            errno = some < 0 ? errno : ENOSPC;
            return false;
        }
    }
    if (whole >= SOON_BYTES) /* not every file can: then the kernel chooses when */
        (void)sync_file_range(file, first, (off_t)whole, SYNC_FILE_RANGE_WRITE);
    return true;
}

bool file_bytes_get(int file, void *bytes, size_t length, off_t offset)
{
    char *at = bytes;
    for (ssize_t some; length > 0; at += some, offset += some, length -= (size_t)some) {
        some = pread(file, at, length, offset);
        if (some < 0 && errno == EINTR)
            some = 0;
        else if (some <= 0) {
            errno = some < 0 ? errno : ENODATA;
            return false;
        }
    }
    return true;
}

char *file_bytes_all(int file, uint64_t most, size_t *length)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return NULL;
    *length = (size_t)about.st_size;
    if (!S_ISREG(about.st_mode) || *length > most) {
        errno = S_ISREG(about.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    char *bytes = malloc(*length + 1);
    if (bytes && !file_bytes_get(file, bytes, *length, 0)) {
        int reason = errno;
        free(bytes);
        errno = reason;
        return NULL;
    }
    if (bytes)
        bytes[*length] = '\0';
    return bytes;
}

void file_last_line(int file, char *text, size_t bytes)
{
    char tail[1024] = "";
    const off_t most = sizeof tail - 1, size = lseek(file, 0, SEEK_END);
    ssize_t got = size > 0 ? pread(file, tail, (size_t)most, size > most ? size - most : 0) : 0;
    size_t length = got > 0 ? (size_t)got : 0;
    while (length && strchr("\r\n ", tail[length - 1]))
        length--;
    tail[length] = '\0';
    const char *before = strrchr(tail, '\n');
    snprintf(text, bytes, "%s", before ? before + 1 : tail);
}

bool file_bytes_close(int file, bool good)
{
    int reason = errno;
    if (file >= 0 && close(file) != 0 && good)
        return false;
    errno = reason;
    return good;
}

bool file_bytes_lock(int file, bool locks, off_t offset, size_t length)
{
    struct flock lock = {.l_type = locks ? F_WRLCK : F_UNLCK,
                         .l_whence = SEEK_SET,
                         .l_start = offset,
                         .l_len = (off_t)length};
    int failed;
    do
        failed = fcntl(file, F_SETLKW, &lock);
    while (failed && errno == EINTR);
    return !failed;
}
