#include "render/disk/temporary_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOST_BYTES = 33, OF_BYTES = 150, ATTEMPTS = 100 };

/* ---- names ---- */

/* Name of this host without dots, which separate the parts of a temporary's name. */
static void host_name(char host[HOST_BYTES])
{
    memset(host, 0, HOST_BYTES);
    if (gethostname(host, HOST_BYTES - 1) != 0 || !*host)
        snprintf(host, HOST_BYTES, "host");
    for (char *c = host; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '-';
}

void temporary_name(char name[TEMPORARY_NAME_BYTES], const char *of, const char *suffix)
{
    char host[HOST_BYTES];
    struct timespec now;
    static unsigned sequence; /* clocks may be coarse */
    host_name(host);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, TEMPORARY_NAME_BYTES, ".%.*s.%s.%ld.%llx%x%s", OF_BYTES, of, host,
             (long)getpid(),
             (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec,
             __atomic_fetch_add(&sequence, 1, __ATOMIC_RELAXED) % 16, suffix);
}

bool temporary_is(const char *name, const char *suffix)
{
    char host[HOST_BYTES];
    size_t length = strlen(name), end = strlen(suffix);
    if (name[0] != '.' || length <= end || strcmp(name + length - end, suffix) != 0)
        return false;
    host_name(host);
    size_t host_length = strlen(host);
    const char *at = name + length - end;
    for (int field = 0; field < 2; field++) {
        const char *field_end = at;
        while (at > name && isxdigit((unsigned char)at[-1]))
            at--;
        if (at == field_end || at == name || *--at != '.')
            return false;
    }
    return (size_t)(at - name) > host_length + 1 && at[-(ptrdiff_t)host_length - 1] == '.' &&
           !memcmp(at - host_length, host, host_length);
}

/* ---- locks ---- */

/* Locks the file. Where a disk has no locks nobody gets one, so no file counts as that of a dead
 * process. */
void temporary_claim(int file)
{
    (void)flock(file, LOCK_EX | LOCK_NB);
}

/* Checks the name again with the lock: before, another process may have removed the file as that of
 * a dead process. */
int temporary_create(int folder, const char *of, const char *suffix, mode_t mode,
                     char name[TEMPORARY_NAME_BYTES])
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct stat about;
        temporary_name(name, of, suffix);
        int file =
            TEMP_FAILURE_RETRY(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
        if (file < 0 && errno != EEXIST)
            return -1;
        bool taken = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (file >= 0 && !taken && fstat(file, &about) == 0 && about.st_nlink > 0)
            return file;
        if (file >= 0)
            close(file);
        errno = EAGAIN;
    }
    return -1;
}

int temporary_open(int folder, const char *name, struct stat *about)
{
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    struct stat now;
    /* writable, since NFS locks only files that are */
    int file = TEMP_FAILURE_RETRY(openat(folder, name, O_RDWR | FLAGS));
    if (file < 0 && (errno == EACCES || errno == EISDIR))
        file = TEMP_FAILURE_RETRY(openat(folder, name, O_RDONLY | FLAGS));
    if (file < 0)
        return -1;
    if (fstat(file, about) == 0 && (S_ISREG(about->st_mode) || S_ISDIR(about->st_mode)) &&
        about->st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == about->st_ino &&
        now.st_dev == about->st_dev)
        return file;
    close(file);
    return -1;
}
