#include "render/disk/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/stop.h"
#include "render/disk/file_bytes.h"
#include "render/disk/temporary_file.h"

enum { CREATE_TRIES = 100 };
enum { IN_FOLDER = O_NOFOLLOW | O_CLOEXEC };

/* Closes the descriptor; -1 with the present errno, or with `reason`. */
static int closed(int descriptor, int reason)
{
    int before = errno;
    if (descriptor >= 0)
        close(descriptor);
    errno = reason ? reason : before;
    return -1;
}

const char *folder_reason(int reason)
{
    switch (reason) {
    case ELOOP:
        return "it is a link";
    case EPERM:
        return "it belongs to another user";
    case EMLINK:
        return "it has another name, by a hard link";
    case ENOTDIR:
        return "it is no folder";
    case ENXIO:
        return "it is no regular file";
    case EFBIG:
        return "it is longer than such a file can be";
    default:
        return strerror(reason);
    }
}

/* ---- folders --------------------------------------------------------------------------------- */

static int open_reading(const char *path, int flags)
{
    int folder = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags));
    return folder < 0 && errno == EACCES
               ? TEMP_FAILURE_RETRY(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags))
               : folder;
}

int folder_open(const char *path)
{
    return open_reading(path, 0);
}

/* Is it a link? open() with O_DIRECTORY fails on a link with ENOTDIR. */
static bool is_link(int folder, const char *name)
{
    struct stat about;
    int reason = errno;
    bool link = fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode);
    errno = reason;
    return link;
}

int folder_make_path(const char *path)
{
    return mkdir(path, S_IRWXU) == 0 || errno == EEXIST ? 0 : -1;
}

int folder_above(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(*name - path)) : strdup(".");
    int above = folder ? folder_open(folder) : -1, reason = errno;
    free(folder);
    errno = reason;
    return above;
}

/* Copies the path without a slash at its end, behind which open() follows a link; false: the path
 * is too long to be opened. */
static bool bare_path(const char *path, char bare[PATH_MAX])
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= PATH_MAX)
        return false;
    memcpy(bare, path, length);
    bare[length] = '\0';
    return true;
}

/* Applies the rule of the kernel (protected_symlinks), which knows it for open() only. */
bool folder_link_of_others(const char *path)
{
    char bare[PATH_MAX];
    struct stat link, whose;
    const char *name;
    if (!bare_path(path, bare) || lstat(bare, &link) != 0 || !S_ISLNK(link.st_mode) ||
        link.st_uid == geteuid())
        return false;
    int above = folder_above(bare, &name);
    bool others = above < 0 || fstat(above, &whose) != 0 || link.st_uid != whose.st_uid;
    if (above >= 0)
        close(above);
    return others;
}

/* Judges a link once it is there, as others may put theirs where there was none. */
int folder_open_chosen(const char *path)
{
    char bare[PATH_MAX];
    if (!bare_path(path, bare))
        return closed(-1, ENAMETOOLONG);
    int folder = open_reading(bare, O_NOFOLLOW);
    if (folder >= 0 || !is_link(AT_FDCWD, bare))
        return folder;
    return folder_link_of_others(bare) ? closed(-1, ELOOP) : folder_open(bare);
}

int folder_open_of_user(const char *path)
{
    struct stat about;
    int folder = folder_open_chosen(path);
    if (folder >= 0 && fstat(folder, &about) == 0 && about.st_uid == geteuid())
        return folder;
    return closed(folder, folder >= 0 ? EPERM : 0);
}

int folder_open_in(int folder, const char *name)
{
    struct stat about;
    int own = TEMP_FAILURE_RETRY(openat(folder, name, O_RDONLY | O_DIRECTORY | IN_FOLDER));
    if (own < 0)
        return is_link(folder, name) ? closed(-1, ELOOP) : -1;
    if (fstat(own, &about) != 0)
        return closed(own, 0);
    if (about.st_uid != geteuid())
        return closed(own, EPERM);
    return own;
}

int folder_open_own(const char *path)
{
    struct stat about;
    int own = folder_open_in(AT_FDCWD, path);
    if (own >= 0 && fstat(own, &about) == 0 && (about.st_mode & (S_IWGRP | S_IWOTH)))
        (void)fchmod(own, S_IRWXU);
    return own;
}

int folder_make(int folder, const char *name, mode_t mode)
{
    if (mkdirat(folder, name, mode) != 0)
        return -1;
    int made = folder_open_in(folder, name), reason = errno;
    if (made < 0)
        (void)unlinkat(folder, name, AT_REMOVEDIR);
    errno = reason;
    return made;
}

bool folder_is_named(int folder, const char *name, int open)
{
    struct stat named, of_open;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(open, &of_open) == 0 &&
           named.st_ino == of_open.st_ino && named.st_dev == of_open.st_dev;
}

DIR *folder_list(int folder)
{
    int again = TEMP_FAILURE_RETRY(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    DIR *stream = again >= 0 ? fdopendir(again) : NULL;
    if (!stream)
        closed(again, 0);
    return stream;
}

DIR *folder_list_path(const char *path)
{
    int folder = folder_open(path);
    DIR *stream = folder >= 0 ? folder_list(folder) : NULL;
    closed(folder, 0);
    return stream;
}

/* Devices and pipes cannot be synced and say EINVAL or EROFS; some remote disks cannot sync
 * folders; one that may be written but not read says EBADF. */
int folder_sync(int descriptor)
{
    if (TEMP_FAILURE_RETRY(fsync(descriptor)) == 0 || errno == EINVAL || errno == EROFS ||
        errno == ENOTSUP || errno == EBADF)
        return 0;
    return -1;
}

/* Makes a folder in `parent` under a name that folder_clear knows, with a lock until it has its own
 * name. */
static int temporary_folder(int parent, const char *of, char name[TEMPORARY_NAME_BYTES])
{
    temporary_name(name, of, ".part");
    int made = folder_make(parent, name, S_IRWXU);
    if (made >= 0)
        temporary_claim(made);
    return made;
}

int folder_make_locked(const char *path, const char *lock, int *locked)
{
    char temporary[TEMPORARY_NAME_BYTES] = "";
    const char *name;
    int parent = folder_above(path, &name), reason;
    int folder = parent >= 0 ? temporary_folder(parent, name, temporary) : -1;
    *locked = folder >= 0 ? folder_file_create(folder, lock, 0666) : -1;
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

/* Locks the folder itself: a lock file would be left behind. On NFS this excludes the processes of
 * one host only; so do the names of temporaries. */
int folder_lock(int folder, int wait_s, const volatile int *stop)
{
    enum { ATTEMPTS_PER_S = 50 };
    int lock = TEMP_FAILURE_RETRY(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int attempt = 0; lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0; attempt++) {
        int reason = errno;
        if (reason == EWOULDBLOCK && stop_asked(stop))
            reason = ECANCELED;
        if ((reason == EWOULDBLOCK && attempt < wait_s * ATTEMPTS_PER_S) || reason == EINTR) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000000 / ATTEMPTS_PER_S}, NULL);
            continue;
        }
        return closed(lock, reason);
    }
    return lock;
}

/* ---- files ----------------------------------------------------------------------------------- */

int folder_input(const char *path)
{
    return TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

/* Judges an open file: 0, or the errno that says why it is not ours. A file that is only read may
 * have another name. */
static int file_judge(int folder, int file, int access)
{
    struct stat whose, about;
    if (fstat(folder, &whose) != 0 || fstat(file, &about) != 0)
        return errno;
    if (!S_ISREG(about.st_mode))
        return ENXIO;
    if (about.st_uid != whose.st_uid)
        return EPERM;
    return access != O_RDONLY && about.st_nlink > 1 ? EMLINK : 0;
}

int folder_file_open(int folder, const char *name, int access)
{
    int file = TEMP_FAILURE_RETRY(openat(folder, name, access | O_NONBLOCK | O_NOCTTY | IN_FOLDER));
    int reason = file >= 0 ? file_judge(folder, file, access) : 0;
    return reason ? closed(file, reason) : file;
}

int folder_file_create(int folder, const char *name, mode_t mode)
{
    int file;
    for (int attempt = 0; attempt < CREATE_TRIES; attempt++) {
        file =
            TEMP_FAILURE_RETRY(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | IN_FOLDER, mode));
        if (file >= 0 || errno != EEXIST)
            return file;
        if (unlinkat(folder, name, 0) != 0 && errno != ENOENT)
            return -1;
    }
    return -1;
}

int folder_file_take(int folder, const char *name)
{
    for (int attempt = 0; attempt < CREATE_TRIES; attempt++) {
        int file = folder_file_open(folder, name, O_RDWR);
        if (file >= 0 || errno != ENOENT)
            return file;
        file =
            TEMP_FAILURE_RETRY(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | IN_FOLDER, 0666));
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

char *folder_file_read(int folder, const char *name, uint64_t most, size_t *length)
{
    int file = folder_file_open(folder, name, O_RDONLY);
    char *bytes = file < 0 ? NULL : file_bytes_all(file, most, length);
    if (file >= 0)
        closed(file, 0);
    return bytes;
}

static bool parts_put(int file, const struct folder_bytes *part, size_t count)
{
    off_t offset = 0;
    for (size_t i = 0; i < count; offset += (off_t)part[i++].length)
        if (!file_bytes_put(file, part[i].bytes, part[i].length, offset))
            return false;
    return true;
}

/* Closes the file, which releases its lock, once it has its name. */
bool folder_file_put(int folder, const char *name, const struct folder_bytes *part, size_t count,
                     enum folder_sync sync)
{
    char temporary[TEMPORARY_NAME_BYTES];
    int file = temporary_create(folder, name, ".part", 0666, temporary);
    if (file < 0)
        return false;
    bool synced = sync == FOLDER_SYNCED;
    bool good = parts_put(file, part, count) && (!synced || TEMP_FAILURE_RETRY(fsync(file)) == 0) &&
                renameat(folder, temporary, folder, name) == 0;
    if (!good) {
        int reason = errno;
        (void)unlinkat(folder, temporary, 0);
        errno = reason;
    }
    good = file_bytes_close(file, good);
    return good && (!synced || folder_sync(folder) == 0);
}

/* ---- names ----------------------------------------------------------------------------------- */

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

int folder_path_remove(const char *path)
{
    const char *name;
    int folder = folder_above(path, &name);
    return folder < 0 || unlinkat(folder, name, 0) != 0 ? closed(folder, 0) : close(folder);
}

static int contents_remove(int folder, const char *name)
{
    int inside = TEMP_FAILURE_RETRY(openat(folder, name, O_RDONLY | O_DIRECTORY | IN_FOLDER)),
        reason = 0;
    DIR *stream = inside >= 0 ? fdopendir(inside) : NULL;
    if (!stream)
        return closed(inside, 0);
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

/* Checks the folder under a name that nobody else knows: under its own, others may have put another
 * folder there after the check. */
int folder_discard(const char *path, int open)
{
    char temporary[TEMPORARY_NAME_BYTES];
    const char *name;
    int parent = folder_above(path, &name), result = -1;
    if (parent < 0)
        return -1;
    temporary_name(temporary, name, ".part");
    if (renameat(parent, name, parent, temporary) == 0) {
        if (folder_is_named(parent, temporary, open))
            result = folder_remove(parent, temporary);
        else if (folder_rename_new(parent, temporary, name) == 0)
            errno = ESTALE;
    } else if (folder_is_named(parent, name, open)) {
        result = folder_remove(parent, name);
    }
    int reason = errno;
    close(parent);
    errno = reason;
    return result;
}
