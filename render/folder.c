#include "render/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "render/temporary_file.h"

/* Devices and pipes cannot be synced and say EINVAL or EROFS; some remote disks cannot sync
 * folders; one that may be written but not read says EBADF. */
int folder_sync(int descriptor)
{
    if (fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP ||
        errno == EBADF)
        return 0;
    return -1;
}

/* NFS and some FUSE disks have no renameat2 flags; there a hard link refuses to replace. FAT has
 * neither on some systems. */
int folder_rename_new(int folder, const char *from, const char *to)
{
    struct stat about;
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return -1;
    if (linkat(folder, from, folder, to, 0) == 0)
        return unlinkat(folder, from, 0);
    if (errno != EPERM && errno != ENOSYS && errno != ENOTSUP)
        return -1;
    if (fstatat(folder, to, &about, AT_SYMLINK_NOFOLLOW) == 0)
        errno = EEXIST;
    return errno == ENOENT ? renameat(folder, from, folder, to) : -1;
}

/* In `parent`, under a name that folder_clear knows, with its lock until it has its own name. */
static int temporary_folder(int parent, const char *of, char name[TEMPORARY_NAME_BYTES])
{
    temporary_name(name, of, ".part");
    if (mkdirat(parent, name, 0777) != 0)
        return -1;
    int made = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (made >= 0)
        temporary_claim(made);
    return made;
}

static int parent_open(const char *path, const char **name)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    size_t length = (size_t)(*name - path);
    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
    return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int folder_make_locked(const char *path, const char *lock, int *locked)
{
    char temporary[TEMPORARY_NAME_BYTES] = "";
    const char *name;
    int parent = parent_open(path, &name), reason;
    int folder = parent >= 0 ? temporary_folder(parent, name, temporary) : -1;
    *locked = folder >= 0 ? openat(folder, lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (*locked >= 0)
        temporary_claim(*locked);
    if (*locked < 0 || renameat(parent, temporary, parent, name) != 0) {
        reason = errno;
        if (*locked >= 0)
            close(*locked);
        if (folder >= 0) {
            close(folder);
            folder_remove(parent, temporary);
        }
        folder = *locked = -1;
        errno = reason;
    }
    reason = errno;
    if (folder >= 0)
        (void)flock(folder, LOCK_UN);
    if (parent >= 0)
        close(parent);
    errno = reason;
    return folder;
}

static int contents_remove(int folder, const char *name)
{
    int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = inside >= 0 ? fdopendir(inside) : NULL;
    int reason = 0;
    if (!stream) {
        if (inside >= 0)
            close(inside);
        return -1;
    }
    for (struct dirent *entry; (entry = readdir(stream));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            folder_remove(inside, entry->d_name) != 0)
            reason = errno;
    closedir(stream);
    errno = reason;
    return reason ? -1 : 0;
}

int folder_remove(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) == 0)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    if (contents_remove(folder, name) != 0)
        return -1;
    return unlinkat(folder, name, AT_REMOVEDIR);
}

int folder_discard(const char *path)
{
    char temporary[TEMPORARY_NAME_BYTES];
    const char *name;
    int parent = parent_open(path, &name);
    if (parent < 0)
        return -1;
    temporary_name(temporary, name, ".part");
    bool renamed = renameat(parent, name, parent, temporary) == 0;
    int result = folder_remove(parent, renamed ? temporary : name), reason = errno;
    close(parent);
    errno = reason;
    return result;
}

/* On the folder itself: a file for it would be left behind, and on NFS, where it excludes the
 * processes of one host only, so do the names of temporaries. */
int folder_lock(int folder, int wait_s, const volatile int *stop)
{
    enum { LOOKS_PER_S = 50 };
    int lock = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int look = 0; lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0; look++) {
        int reason = errno;
        if (reason == EWOULDBLOCK && stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
            reason = ECANCELED;
        if ((reason == EWOULDBLOCK && look < wait_s * LOOKS_PER_S) || reason == EINTR) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000000 / LOOKS_PER_S}, NULL);
            continue;
        }
        close(lock);
        errno = reason;
        return -1;
    }
    return lock;
}
