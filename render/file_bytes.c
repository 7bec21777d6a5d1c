#include "render/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool file_bytes_put(int file, const void *bytes, size_t length, off_t place)
{
    const char *at = bytes;
    for (ssize_t some; length > 0; at += some, place += some, length -= (size_t)some) {
        some = pwrite(file, at, length, place);
        if (some < 0 && errno == EINTR)
            some = 0;
        else if (some <= 0) {
            errno = some < 0 ? errno : ENOSPC;
            return false;
        }
    }
    return true;
}

bool file_bytes_get(int file, void *bytes, size_t length, off_t place)
{
    char *at = bytes;
    for (ssize_t some; length > 0; at += some, place += some, length -= (size_t)some) {
        some = pread(file, at, length, place);
        if (some < 0 && errno == EINTR)
            some = 0;
        else if (some <= 0) {
            errno = some < 0 ? errno : ENODATA;
            return false;
        }
    }
    return true;
}

bool file_bytes_close(int file, bool good)
{
    int reason = errno;
    if (file >= 0 && close(file) != 0 && good)
        return false;
    errno = reason;
    return good;
}

bool file_bytes_lock(int file, bool locks, off_t place, size_t length)
{
    struct flock lock = {.l_type = locks ? F_WRLCK : F_UNLCK,
                         .l_whence = SEEK_SET,
                         .l_start = place,
                         .l_len = (off_t)length};
    int failed;
    do
        failed = fcntl(file, F_SETLKW, &lock);
    while (failed && errno == EINTR);
    return !failed;
}
