#include "render/disk/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/stop.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/disk/folder_clear.h"
#include "render/disk/pipe.h"
#include "render/disk/temporary_file.h"

enum { STREAM_BUFFER_BYTES = 1 << 18 }; /* fewer, larger writes */

struct file_target {
    bool exists;
    bool link;     /* the path is a link, which stays */
    bool special;  /* the target exists and is written to directly */
    bool standard; /* is where standard output goes */
    mode_t mode;   /* permission bits of an existing file */
};

static bool is_standard(const struct stat *about)
{
    struct stat output;
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == about->st_dev &&
           output.st_ino == about->st_ino;
}

/* Reads what the path is, then where a link leads: in the other order a file that appears in
 * between would look like a link that leads nowhere. 0, or the errno. */
static int target_stat(const char *path, struct stat *about, struct file_target *target)
{
    struct stat again;
    for (;;) {
        target->exists = lstat(path, about) == 0;
        if (!target->exists)
            return errno == ENOENT ? 0 : errno;
        target->link = S_ISLNK(about->st_mode);
        if (target->link && folder_link_of_others(path))
            return EPERM;
        if (!target->link || stat(path, about) == 0)
            return 0;
        if (errno != ENOENT)
            return errno;
        if (lstat(path, &again) == 0 && S_ISLNK(again.st_mode))
            return ENOENT;
    }
}

static enum status target_find(struct file_target *target, const char *path,
                               enum overwrite overwrite)
{
    struct stat about;
    *target = (struct file_target){.mode = 0666};
    int reason = target_stat(path, &about, target);
    if (reason)
        return status_fail(STATUS_CANNOT_CREATE, "cannot create %s: %s", path,
                           reason == ENOENT  ? "it is a link that leads nowhere"
                           : reason == EPERM ? "it is a link of another user; name the file that "
                                               "it leads to, or another one"
                                             : strerror(reason));
    if (!target->exists)
        return STATUS_OK;
    if (S_ISDIR(about.st_mode))
        return status_fail(STATUS_CANNOT_CREATE, "cannot create %s: it is a folder", path);
    target->standard = is_standard(&about);
    target->special = !S_ISREG(about.st_mode) || target->standard;
    target->mode = about.st_mode & 07777;
    if (!target->special && overwrite == OVERWRITE_NO)
        return status_fail(STATUS_CANNOT_CREATE, "%s exists; --force replaces it", path);
    return STATUS_OK;
}

/* ---- devices and pipes ---- */

bool atomic_file_stopped(const struct atomic_file *file)
{
    return stop_asked(file->stop);
}

/* Opens the device or pipe. -1; ECANCELED after a stop request. */
static int special_open(const struct atomic_file *file, const char *path,
                        const struct file_target *target)
{
    if (target->standard) /* another descriptor would have a position of its own */
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return pipe_open(path, 0, file->stop);
}

/* Writes to the device or pipe (cookie of the stream); fewer bytes are an error to the stream. */
static ssize_t special_write(void *context, const char *bytes, size_t length)
{
    const struct atomic_file *file = context;
    return pipe_write(file->file, bytes, length, file->stop) ? (ssize_t)length : 0;
}

static FILE *special_stream(struct atomic_file *file)
{
    return fopencookie(file, "wb", (cookie_io_functions_t){.write = special_write});
}

/* ---- opening ---- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Gives its name to a file without one. AT_EMPTY_PATH, the other way of linkat(), is for root
 * only. */
static int link_nameless(int file, int folder, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW);
}

/* Can a file of this folder get its name later? An empty one is created to know: without /proc, or
 * on some disks, it would turn out when the picture has been written. */
static bool nameless_try(int folder, const char *of)
{
    char name[TEMPORARY_NAME_BYTES];
    int file = TEMP_FAILURE_RETRY(openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file < 0)
        return false;
    temporary_claim(file);
    temporary_name(name, of, ".part");
    bool works = link_nameless(file, folder, name) == 0 && unlinkat(folder, name, 0) == 0;
    close(file);
    return works;
}

/* Folder where it worked last. */
static struct stat nameless_last;
static pthread_mutex_t nameless_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Has it worked in this folder? Known in a run of many files alone. */
static bool nameless_worked(int folder)
{
    struct stat about;
    if (!folder_clear_is_seldom() || fstat(folder, &about) != 0)
        return false;
    pthread_mutex_lock(&nameless_mutex);
    bool same = about.st_dev == nameless_last.st_dev && about.st_ino == nameless_last.st_ino;
    pthread_mutex_unlock(&nameless_mutex);
    return same;
}

static bool nameless_works(int folder, const char *of)
{
    struct stat about;
    if (nameless_worked(folder))
        return true;
    if (!nameless_try(folder, of))
        return false;
    if (fstat(folder, &about) == 0) {
        pthread_mutex_lock(&nameless_mutex);
        nameless_last = about;
        pthread_mutex_unlock(&nameless_mutex);
    }
    return true;
}

static int named_create(struct atomic_file *file, mode_t mode)
{
    char name[TEMPORARY_NAME_BYTES];
    int descriptor = -1;
    if (nameless_works(file->folder, file->name))
        descriptor =
            TEMP_FAILURE_RETRY(openat(file->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (descriptor >= 0) {
        temporary_claim(descriptor);
        return descriptor;
    }
    descriptor = temporary_create(file->folder, file->name, ".part", mode, name);
    if (descriptor >= 0 && !(file->temporary = strdup(name))) {
        unlinkat(file->folder, name, 0);
        close(descriptor);
        errno = ENOMEM;
        return -1;
    }
    return descriptor;
}

static enum status open_failed(struct atomic_file *file, const char *path)
{
    enum status status = errno == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_CANNOT_CREATE;
    if (errno == ECANCELED)
        status = status_fail(STATUS_STOPPED, "stopped on request while opening %s", path);
    else
        status_fail(status, "cannot create %s: %s%s", path, strerror(errno),
                    errno == ENOENT ? "; make its folder first" : "");
    atomic_file_abandon(file);
    return status;
}

/* Is the existing file protected? In a folder such as /tmp another user's file can be neither
 * renamed nor replaced. */
static bool is_protected(const struct atomic_file *file)
{
    struct stat folder, old;
    return geteuid() != 0 && fstat(file->folder, &folder) == 0 && (folder.st_mode & S_ISVTX) &&
           folder.st_uid != geteuid() &&
           fstatat(file->folder, file->name, &old, AT_SYMLINK_NOFOLLOW) == 0 &&
           old.st_uid != geteuid();
}

/* Opens the stream of a file whose descriptors, path and name are set. */
static enum status stream_open(struct atomic_file *file, const char *path)
{
    int copy = file->folder >= 0 ? fcntl(file->file, F_DUPFD_CLOEXEC, 0) : -1;
    if (file->folder < 0)
        file->stream = special_stream(file);
    else if (copy >= 0)
        file->stream = fdopen(copy, "wb+");
    if (!file->stream) {
        int reason = errno;
        if (copy >= 0)
            close(copy);
        errno = reason;
        return open_failed(file, path);
    }
    (void)setvbuf(file->stream, NULL, _IOFBF, STREAM_BUFFER_BYTES);
    return STATUS_OK;
}

/* ---- growing ---- */

static const char *last_part(const char *path)
{
    return path + folder_length(path);
}

/* Text "FOLDER/NAME" if the folder that the file grows in lies in its own folder, so that it is
 * only renamed; else NULL, and it gets its name like a file that has none. */
static char *name_grown(const struct atomic_file *file, const char *folder, int growing,
                        const char *name)
{
    struct stat seen, open;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    char *trimmed = strndup(folder, length), *grown = NULL;
    if (trimmed && fstat(growing, &open) == 0 &&
        fstatat(file->folder, last_part(trimmed), &seen, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(seen.st_mode) && seen.st_ino == open.st_ino && seen.st_dev == open.st_dev &&
        asprintf(&grown, "%s/%s", last_part(trimmed), name) < 0)
        grown = NULL;
    free(trimmed);
    return grown;
}

/* Are both folders on one disk? 0 or EXDEV. */
static int same_disk(int folder, int other)
{
    struct stat a, b;
    if (fstat(folder, &a) != 0 || fstat(other, &b) != 0)
        return errno;
    return a.st_dev == b.st_dev ? 0 : EXDEV;
}

/* Opens a file that has grown. -1; ENODATA if it is shorter than `length`. */
static int grown_open(int folder, const char *name, uint64_t length)
{
    struct stat about;
    int file = folder_file_open(folder, name, O_RDWR);
    if (file < 0)
        return -1;
    errno = ENODATA;
    if (fstat(file, &about) == 0 && (uint64_t)about.st_size >= length &&
        TEMP_FAILURE_RETRY(ftruncate(file, (off_t)length)) == 0 &&
        lseek(file, 0, SEEK_END) == (off_t)length)
        return file;
    close(file);
    return -1;
}

static int growing_open(struct atomic_file *file, const char *path, const struct growth *growth,
                        mode_t mode)
{
    int folder = folder_open_own(growth->folder), descriptor = -1;
    if (folder < 0)
        return -1;
    const char *name = last_part(path);
    errno = same_disk(folder, file->folder);
    if (!errno)
        descriptor = growth->resumes ? grown_open(folder, name, growth->length)
                                     : folder_file_create(folder, name, mode);
    if (descriptor >= 0) {
        temporary_claim(descriptor);
        file->temporary = name_grown(file, growth->folder, folder, name);
    }
    close(folder);
    return descriptor;
}

static bool path_take(struct atomic_file *file, char *path)
{
    file->path = path;
    file->name = path ? path + folder_length(path) : NULL;
    file->folder = file->file = -1;
    return path;
}

static enum status grow_failed(struct atomic_file *file, const char *path,
                               const struct growth *growth)
{
    int reason = errno;
    if (reason == EXDEV)
        status_fail(STATUS_CANNOT_CREATE, "cannot create %s: it cannot grow on another disk, in %s",
                    path, growth->folder);
    else if (reason == ENODATA)
        status_fail(
            STATUS_BAD_DATA,
            "cannot go on with %s: what has been written of it, in %s, is shorter than %llu "
            "bytes; begin anew",
            path, growth->folder, (unsigned long long)growth->length);
    else
        status_fail(STATUS_BAD_DATA,
                    "cannot go on with %s: what has been written of it, in %s: %s; begin anew",
                    path, growth->folder, folder_reason(reason));
    atomic_file_abandon(file);
    return reason == EXDEV ? STATUS_CANNOT_CREATE : STATUS_BAD_DATA;
}

enum status atomic_file_open(struct atomic_file *file, const char *path, enum overwrite overwrite,
                             const volatile int *stop)
{
    return atomic_file_grow(file, path, overwrite, stop, &(struct growth){0});
}

enum status atomic_file_grow(struct atomic_file *file, const char *path, enum overwrite overwrite,
                             const volatile int *stop, const struct growth *growth)
{
    *file = (struct atomic_file){.overwrite = overwrite, .stop = stop};
    struct file_target target;
    const char *name;
    TRY(target_find(&target, path, overwrite));
    bool replaces = target.exists && !target.special;
    if (!path_take(file, replaces && target.link ? realpath(path, NULL) : strdup(path)))
        return open_failed(file, path);
    if (target.special) {
        file->file = special_open(file, path, &target);
    } else {
        file->folder = folder_above(file->path, &name);
        if (file->folder >= 0) {
            folder_clear(file->folder);
            errno = EPERM;
            if (!is_protected(file))
                file->file = growth->folder ? growing_open(file, path, growth, target.mode)
                                            : named_create(file, target.mode);
        }
    }
    if (file->file < 0 && growth->folder && (growth->resumes || errno == EXDEV))
        return grow_failed(file, path, growth);
    if (file->file < 0)
        return open_failed(file, path);
    if (replaces)
        (void)fchmod(file->file, target.mode); /* not every disk has modes */
    return stream_open(file, path);
}

enum status atomic_file_open_in(struct atomic_file *file, int folder, const char *path)
{
    *file = (struct atomic_file){.overwrite = OVERWRITE_YES};
    if (path_take(file, strdup(path)))
        file->folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    if (!file->path || file->folder < 0)
        return open_failed(file, path);
    folder_clear(folder);
    file->file = named_create(file, 0600);
    return file->file < 0 ? open_failed(file, path) : stream_open(file, path);
}

enum status atomic_folder_grow(struct atomic_file *file, const char *path, enum overwrite overwrite,
                               const struct growth *growth, int *grown)
{
    *file = (struct atomic_file){.overwrite = overwrite};
    const char *name;
    int growing = -1;
    *grown = -1;
    if (path_take(file, strdup(path)))
        file->folder = folder_above(path, &name);
    if (file->folder >= 0)
        growing = folder_open_own(growth->folder);
    if (growing >= 0)
        file->temporary = name_grown(file, growth->folder, growing, file->name);
    bool good = file->temporary;
    if (growing >= 0 && !good)
        errno = EXDEV; /* folders have no links */
    if (good && growth->resumes)
        *grown = folder_open_in(growing, file->name);
    else if (good && (folder_remove(growing, file->name) == 0 || errno == ENOENT))
        *grown = folder_make(growing, file->name, 0777);
    int reason = errno;
    if (growing >= 0)
        close(growing);
    errno = reason;
    if (*grown >= 0)
        return STATUS_OK;
    return growth->resumes || reason == EXDEV ? grow_failed(file, path, growth)
                                              : open_failed(file, path);
}

void atomic_file_clear(const char *path)
{
    const char *name;
    int folder = folder_above(path, &name);
    if (folder < 0)
        return;
    folder_clear(folder);
    close(folder);
}

uint64_t atomic_file_id(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_ino : 0;
}

/* Has a file of this run been made in the folder? */
static bool folder_worked(const char *path)
{
    const char *name;
    int folder = folder_above(path, &name);
    bool worked = folder >= 0 && nameless_worked(folder);
    if (folder >= 0)
        close(folder);
    return worked;
}

enum status atomic_file_check(const char *path, enum overwrite overwrite)
{
    struct file_target target;
    atomic_file_clear(path); /* may finish a set that puts a file there */
    TRY(target_find(&target, path, overwrite));
    if (target.special) { /* opening a pipe would wake its reader */
        if (!target.standard && access(path, W_OK) != 0)
            return status_fail(STATUS_CANNOT_CREATE, "cannot write to %s: %s", path,
                               strerror(errno));
        return STATUS_OK;
    }
    if (!target.exists && folder_worked(path))
        return STATUS_OK;
    struct atomic_file file;
    TRY(atomic_file_open(&file, path, overwrite, NULL));
    atomic_file_abandon(&file);
    return STATUS_OK;
}

/* ---- finishing ---- */

static bool has_grown(const struct atomic_file *file)
{
    return file->temporary && strchr(file->temporary, '/');
}

static bool bytes_copy(int from, int to, off_t length)
{
    char part[1 << 16];
    for (off_t at = 0, some; at < length; at += some) {
        some = length - at < (off_t)sizeof part ? length - at : (off_t)sizeof part;
        if (!file_bytes_get(from, part, (size_t)some, at) ||
            !file_bytes_put(to, part, (size_t)some, at))
            return false;
    }
    return true;
}

/* Copies the open file beside its target. The folder that it has grown in, or its name there, may
 * be gone, after a purge for example; what has been written is still open. */
static bool grown_save(struct atomic_file *file)
{
    struct stat about;
    if (!has_grown(file) || folder_is_named(file->folder, file->temporary, file->file))
        return true;
    struct atomic_file copy = *file;
    copy.temporary = NULL;
    copy.file = fstat(file->file, &about) == 0 ? named_create(&copy, about.st_mode & 07777) : -1;
    if (copy.file < 0)
        return false;
    (void)fchmod(copy.file, about.st_mode & 07777); /* not every disk has modes */
    bool good = bytes_copy(file->file, copy.file, about.st_size);
    int reason = errno, other = good ? file->file : copy.file;
    if (good) {
        free(file->temporary);
        file->temporary = copy.temporary;
        file->file = copy.file;
    } else if (copy.temporary) {
        unlinkat(file->folder, copy.temporary, 0);
        free(copy.temporary);
    }
    close(other);
    errno = reason;
    return good;
}

/* All four are needed: on a full disk the flush of a small file is the first to notice, and
 * fclose() after it reports success. */
enum status atomic_file_finish(struct atomic_file *file)
{
    errno = 0;
    bool good = !ferror(file->stream) && fflush(file->stream) == 0 && grown_save(file) &&
                folder_sync(file->file) == 0;
    int reason = errno;
    good = fclose(file->stream) == 0 && good;
    reason = reason ? reason : errno;
    file->stream = NULL;
    if (!good && file->folder < 0 && atomic_file_stopped(file))
        return status_fail(STATUS_STOPPED, "stopped on request while writing %s", file->path);
    if (!good)
        return status_fail(STATUS_IO, "cannot write %s: %s", file->path,
                           reason ? strerror(reason) : "an earlier write failed");
    return STATUS_OK;
}

enum status atomic_file_name(struct atomic_file *file)
{
    char name[TEMPORARY_NAME_BYTES];
    if (file->temporary || file->folder < 0)
        return STATUS_OK;
    temporary_name(name, file->name, ".part");
    file->temporary = strdup(name);
    if (file->temporary && link_nameless(file->file, file->folder, name) == 0)
        return STATUS_OK;
    int reason = errno;
    free(file->temporary);
    file->temporary = NULL;
    return status_fail(reason == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_IO, "cannot create %s: %s",
                       file->path, strerror(reason));
}

static int name_take(struct atomic_file *file)
{
    if (!file->temporary && link_nameless(file->file, file->folder, file->name) == 0)
        return 0;
    if (!file->temporary &&
        (errno != EEXIST || file->overwrite == OVERWRITE_NO || atomic_file_name(file) != STATUS_OK))
        return -1;
    return file->overwrite == OVERWRITE_YES
               ? renameat(file->folder, file->temporary, file->folder, file->name)
               : folder_rename_new(file->folder, file->temporary, file->name);
}

enum status atomic_file_checkpoint(struct atomic_file *file, uint64_t *length)
{
    if (file->folder < 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s is no file that another run could go on with",
                           file->path);
    errno = 0;
    off_t offset = fflush(file->stream) == 0 ? ftello(file->stream) : -1;
    if (offset < 0 || ferror(file->stream) || TEMP_FAILURE_RETRY(fdatasync(file->file)) != 0)
        return status_fail(STATUS_IO, "cannot write %s: %s", file->path,
                           errno ? strerror(errno) : "an earlier write failed");
    *length = (uint64_t)offset;
    return STATUS_OK;
}

enum status atomic_file_place(struct atomic_file *file)
{
    if (file->folder < 0)
        return STATUS_OK;
    int failed = name_take(file);
    if (failed && errno == EEXIST)
        return status_fail(STATUS_CANNOT_CREATE, "%s has appeared meanwhile; --force replaces it",
                           file->path);
    if (failed)
        return status_fail(STATUS_IO, "cannot give %s its name: %s", file->path, strerror(errno));
    free(file->temporary); /* the name is gone */
    file->temporary = NULL;
    if (folder_sync(file->folder) == 0)
        return STATUS_OK;
    return status_fail(STATUS_IO, "cannot sync the folder of %s: %s", file->path, strerror(errno));
}

enum status atomic_file_commit(struct atomic_file *file)
{
    enum status status = atomic_file_finish(file);
    if (status == STATUS_OK)
        status = atomic_file_place(file);
    atomic_file_abandon(file);
    return status;
}

void atomic_file_abandon(struct atomic_file *file)
{
    if (!file->path) /* never opened */
        return;
    if (file->stream)
        fclose(file->stream);
    if (file->temporary && !has_grown(file))
        unlinkat(file->folder, file->temporary, 0);
    if (file->scratch)
        folder_remove(file->folder, file->scratch);
    if (file->file >= 0)
        close(file->file);
    if (file->folder >= 0)
        close(file->folder);
    free(file->path);
    free(file->temporary);
    free(file->scratch);
    *file = (struct atomic_file){0};
}

/* ---- which file is it? ---- */

/* Name of the file, for free(), and the folder that it is in, links followed. */
static char *place_of(const char *path, struct stat *folder)
{
    char *real = realpath(path, NULL);
    char *whole = real ? real : strdup(path);
    const char *last;
    int descriptor = whole ? folder_above(whole, &last) : -1;
    char *name = descriptor >= 0 && fstat(descriptor, folder) == 0 ? strdup(last) : NULL;
    if (descriptor >= 0)
        close(descriptor);
    free(whole);
    return name;
}

bool atomic_file_same(const char *path, const char *other)
{
    struct stat a, b;
    if (stat(path, &a) == 0 && stat(other, &b) == 0 && !S_ISREG(a.st_mode))
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino && !S_ISCHR(a.st_mode);
    char *name = place_of(path, &a), *of_other = place_of(other, &b);
    bool same =
        name && of_other && !strcmp(name, of_other) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    free(name);
    free(of_other);
    return same;
}

bool atomic_file_is_stdout(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && is_standard(&about) &&
           (!S_ISCHR(about.st_mode) || isatty(STDOUT_FILENO));
}
