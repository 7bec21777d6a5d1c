#include "render/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libpng hands over 8 kB at a time; fewer, larger writes. */
enum { STREAM_BUFFER_BYTES = 1 << 18, ATTEMPTS = 100 };

struct target {
    bool exists;
    bool special; /* exists and is no regular file */
    mode_t mode;  /* permission bits of an existing file */
};

static enum status target_look(struct target *target, const char *path, enum overwrite overwrite)
{
    struct stat about;
    *target = (struct target){.mode = 0666};
    if (stat(path, &about) != 0) {
        int reason = errno;
        if (reason == ENOENT && lstat(path, &about) != 0)
            return STATUS_OK;
        return status_fail(STATUS_CANNOT_CREATE, "cannot create %s: %s", path,
                           reason == ENOENT ? "it is a link that leads nowhere" : strerror(reason));
    }
    if (S_ISDIR(about.st_mode))
        return status_fail(STATUS_CANNOT_CREATE, "cannot create %s: it is a folder", path);
    target->exists = true;
    target->special = !S_ISREG(about.st_mode);
    target->mode = about.st_mode & 07777;
    if (!target->special && overwrite == OVERWRITE_NO)
        return status_fail(STATUS_CANNOT_CREATE, "%s exists; --force replaces it", path);
    return STATUS_OK;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Creates `.name.PID.part`, or with a number after the PID where a killed process with the same PID
 * (perhaps on another host of a shared disk) has left one. Returns the descriptor or -1. */
static int temporary_create(struct whole_file *file, mode_t mode)
{
    size_t folder = folder_length(file->path), bytes = folder + NAME_MAX + 1;
    file->temporary = malloc(bytes);
    for (int attempt = 0; file->temporary && attempt < ATTEMPTS; attempt++) {
        char number[16] = "";
        if (attempt > 0)
            snprintf(number, sizeof number, ".%d", attempt);
        snprintf(file->temporary, bytes, "%.*s.%.200s.%ld%s.part", (int)folder, file->path,
                 file->path + folder, (long)getpid(), number);
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static enum status open_failed(struct whole_file *file, int descriptor, const char *path)
{
    enum status status =
        errno == ENOMEM
            ? status_fail(STATUS_OUT_OF_MEMORY, "no memory to create %s", path)
            : status_fail(STATUS_CANNOT_CREATE, "cannot create %s: %s", path, strerror(errno));
    if (descriptor < 0) { /* there is no temporary file to remove */
        free(file->temporary);
        file->temporary = NULL;
    } else {
        close(descriptor);
    }
    whole_file_abandon(file);
    return status;
}

enum status whole_file_open(struct whole_file *file, const char *path, enum overwrite overwrite)
{
    *file = (struct whole_file){.overwrite = overwrite};
    struct target target;
    TRY(target_look(&target, path, overwrite));
    bool replaces = target.exists && !target.special;
    file->path = replaces ? realpath(path, NULL) : strdup(path);
    if (!file->path)
        return open_failed(file, -1, path);
    int descriptor = target.special ? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
                                    : temporary_create(file, target.mode);
    if (descriptor < 0)
        return open_failed(file, descriptor, path);
    if (replaces)
        (void)fchmod(descriptor, target.mode); /* a courtesy: not every disk knows modes */
    file->stream = fdopen(descriptor, "wb");
    if (!file->stream)
        return open_failed(file, descriptor, path);
    (void)setvbuf(file->stream, NULL, _IOFBF, STREAM_BUFFER_BYTES);
    return STATUS_OK;
}

enum status whole_file_check(const char *path, enum overwrite overwrite)
{
    struct target target;
    TRY(target_look(&target, path, overwrite));
    if (target.special) { /* opening a pipe would wake its reader */
        if (access(path, W_OK) != 0)
            return status_fail(STATUS_CANNOT_CREATE, "cannot write to %s: %s", path,
                               strerror(errno));
        return STATUS_OK;
    }
    struct whole_file file;
    TRY(whole_file_open(&file, path, overwrite));
    whole_file_abandon(&file);
    return STATUS_OK;
}

/* Devices and pipes cannot be synced and say EINVAL or EROFS; some remote disks cannot sync
 * folders. */
static int descriptor_sync(int descriptor)
{
    if (fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
        return 0;
    return -1;
}

/* All four are needed: on a full disk the flush of a small file is the first to notice, and
 * fclose() after it reports success. */
static enum status stream_finish(struct whole_file *file)
{
    errno = 0;
    bool good = !ferror(file->stream) && fflush(file->stream) == 0 &&
                descriptor_sync(fileno(file->stream)) == 0;
    int reason = errno;
    good = fclose(file->stream) == 0 && good;
    reason = reason ? reason : errno;
    file->stream = NULL;
    if (!good)
        return status_fail(STATUS_IO, "cannot write %s: %s", file->path,
                           reason ? strerror(reason) : "an earlier write failed");
    return STATUS_OK;
}

/* NFS and some FUSE disks have no renameat2 flags; there a hard link refuses to replace. */
static int rename_no_replace(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

static enum status name_take(struct whole_file *file)
{
    int failed = file->overwrite == OVERWRITE_YES ? rename(file->temporary, file->path)
                                                  : rename_no_replace(file->temporary, file->path);
    if (failed && errno == EEXIST)
        return status_fail(STATUS_CANNOT_CREATE, "%s has appeared meanwhile; --force replaces it",
                           file->path);
    if (failed)
        return status_fail(STATUS_IO, "cannot rename %s to %s: %s", file->temporary, file->path,
                           strerror(errno));
    free(file->temporary); /* the name is gone */
    file->temporary = NULL;
    return STATUS_OK;
}

static enum status folder_sync(const struct whole_file *file)
{
    size_t length = folder_length(file->path);
    char *folder = length ? strndup(file->path, length) : strdup(".");
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* A folder that may be written but not read cannot be synced; the file itself is safe. */
    bool good = descriptor >= 0 ? descriptor_sync(descriptor) == 0 : errno == EACCES;
    int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    free(folder);
    if (!good)
        return status_fail(STATUS_IO, "cannot sync the folder of %s: %s", file->path,
                           strerror(reason));
    return STATUS_OK;
}

enum status whole_file_commit(struct whole_file *file)
{
    bool renamed = file->temporary != NULL;
    enum status status = stream_finish(file);
    if (status == STATUS_OK && renamed)
        status = name_take(file);
    if (status == STATUS_OK && renamed)
        status = folder_sync(file);
    whole_file_abandon(file);
    return status;
}

void whole_file_abandon(struct whole_file *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    *file = (struct whole_file){0};
}
