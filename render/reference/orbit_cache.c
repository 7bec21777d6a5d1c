#include "render/reference/orbit_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/stop.h"
#include "render/reference/orbit_file.h"
#include "render/disk/atomic_file.h"
#include "render/disk/folder.h"

enum { NAME_BYTES = 48 };

/* ---- opening ---- */

static enum status warn(struct orbit_cache *cache, enum status status)
{
    snprintf(cache->warning, sizeof cache->warning, "%s", status_text());
    return status;
}

/* Checks the folder: a user who can write there decides which orbits are found. */
static enum status folder_judge(const char *folder, int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s: %s", folder, strerror(errno));
    if (about.st_uid != geteuid())
        return status_fail(STATUS_CANNOT_CREATE,
                           "the folder %s belongs to another user (%lu); orbits are kept in a "
                           "folder of your own",
                           folder, (unsigned long)about.st_uid);
    if (about.st_mode & (S_IWGRP | S_IWOTH))
        return status_fail(STATUS_CANNOT_CREATE,
                           "others may write to the folder %s (mode %03o); chmod go-w %s keeps "
                           "orbits in it",
                           folder, (unsigned)about.st_mode & 0777, folder);
    return STATUS_OK;
}

static enum status cache_folder_open(const char *folder, int *descriptor)
{
    if (folder_make_path(folder) != 0)
        return status_fail(STATUS_CANNOT_CREATE, "cannot create the folder %s: %s", folder,
                           strerror(errno));
    *descriptor = folder_open_chosen(folder);
    if (*descriptor < 0 && errno == ELOOP)
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot keep orbits in %s: it is a link of another user", folder);
    if (*descriptor < 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s is no folder that can be read: %s", folder,
                           strerror(errno));
    enum status status = folder_judge(folder, *descriptor);
    if (status != STATUS_OK)
        close(*descriptor);
    return status;
}

static enum status path_make(struct orbit_cache *cache, const char *folder)
{
    size_t bytes = strlen(folder) + NAME_BYTES;
    XXH128_hash_t hash = XXH3_128bits(cache->identity, strlen(cache->identity));
    char *path = malloc(bytes);
    if (!path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of an orbit's file");
    snprintf(path, bytes, "%s/%016llx%016llx.orbit", folder, (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    enum status status = cache_folder_open(folder, &cache->folder);
    if (status == STATUS_OK)
        cache->path = path;
    else
        free(path);
    return status;
}

static const char *name_of(const struct orbit_cache *cache)
{
    return strrchr(cache->path, '/') + 1;
}

enum status orbit_cache_open(struct orbit_cache *cache, const char *folder,
                             const struct orbit *orbit, const volatile int *stop)
{
    *cache = (struct orbit_cache){.stop = stop};
    enum status status = orbit_identity(orbit, &cache->identity);
    if (status == STATUS_OK)
        status = path_make(cache, folder);
    return status == STATUS_OK ? STATUS_OK : warn(cache, status);
}

void orbit_cache_close(struct orbit_cache *cache)
{
    if (cache->path)
        close(cache->folder);
    free(cache->path);
    free(cache->identity);
    *cache = (struct orbit_cache){0};
}

/* ---- reading ---- */

static bool stopped(const struct orbit_cache *cache)
{
    return stop_asked(cache->stop);
}

static enum status misread(const struct orbit_cache *cache, const char *what)
{
    return orbit_file_misread(cache->path, what);
}

/* Reports why a file could not be opened: "it is a link". */
static enum status unopened(const struct orbit_cache *cache, int reason)
{
    const char *why = folder_reason(reason), it[] = "it ";
    return misread(cache, strncmp(why, it, sizeof it - 1) ? why : why + sizeof it - 1);
}

static enum status file_judge(const struct orbit_cache *cache, const struct stat *about)
{
    if ((uint64_t)about->st_size > ORBIT_CACHE_FILE_MOST)
        return misread(cache, "is larger than the files that are kept");
    return STATUS_OK;
}

static enum status descriptor_read(const struct orbit_cache *cache, int descriptor,
                                   const struct orbit *orbit, int64_t limit, uint64_t bytes_max,
                                   struct orbit_return *back)
{
    struct stat about;
    struct orbit_file file = {cache->path, cache->identity, fdopen(descriptor, "rb"), cache->stop};
    if (!file.stream) {
        close(descriptor);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", cache->path);
    }
    enum status status = fstat(descriptor, &about) == 0 ? file_judge(cache, &about)
                                                        : misread(cache, strerror(errno));
    if (status == STATUS_OK)
        status = orbit_file_read(&file, (uint64_t)about.st_size, orbit, limit, bytes_max, back);
    fclose(file.stream);
    return status;
}

bool orbit_cache_load(struct orbit_cache *cache, struct orbit *orbit, int64_t limit,
                      uint64_t bytes_max)
{
    struct orbit_return back[ORBIT_CHAIN_MOST] = {{.z = NULL}};
    int descriptor = folder_file_open(cache->folder, name_of(cache), O_RDONLY);
    if (descriptor < 0 && errno == ENOENT)
        return true;
    enum status status = descriptor < 0
                             ? unopened(cache, errno)
                             : descriptor_read(cache, descriptor, orbit, limit, bytes_max, back);
    bool good = status != STATUS_OK || orbit_restore(orbit, back, limit);
    for (int i = 0; status == STATUS_OK && good && i < ORBIT_CHAIN_MOST; i++)
        cache->saved[i] = back[i].saved;
    orbit_return_free(back);
    if (!good)
        status = misread(cache, "is not consistent");
    cache->interrupted = status != STATUS_OK && stopped(cache);
    if (status != STATUS_OK && !cache->interrupted)
        warn(cache, status);
    return good;
}

/* ---- writing ---- */

static enum status room_check(const struct orbit_cache *cache, uint64_t bytes)
{
    struct statvfs disk;
    int failed = fstatvfs(cache->folder, &disk);
    uint64_t free_bytes = failed ? UINT64_MAX : (uint64_t)disk.f_bavail * disk.f_frsize;
    uint64_t most = free_bytes / 2 < ORBIT_CACHE_FILE_MOST ? free_bytes / 2 : ORBIT_CACHE_FILE_MOST;
    if (bytes <= most)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE,
                       "the reference orbit is not kept: %s would take %llu bytes, of at most %llu "
                       "for a file and half of the %llu that are free",
                       cache->path, (unsigned long long)bytes,
                       (unsigned long long)ORBIT_CACHE_FILE_MOST, (unsigned long long)free_bytes);
}

static enum status file_write(const struct orbit_cache *cache, const struct orbit *orbit,
                              const struct orbit_saved *saved)
{
    struct atomic_file whole;
    TRY(room_check(cache, orbit_file_bytes(cache->identity, orbit, saved)));
    TRY(atomic_file_open_in(&whole, cache->folder, cache->path));
    struct orbit_file file = {cache->path, cache->identity, whole.stream, cache->stop};
    if (orbit_file_write(&file, orbit, saved))
        return atomic_file_commit(&whole);
    enum status status = stopped(cache) ? status_fail(STATUS_STOPPED, "stopped while writing")
                                        : status_fail(STATUS_IO, "cannot write %s: %s", cache->path,
                                                      strerror(errno));
    atomic_file_abandon(&whole);
    return status;
}

enum orbit_cache_use orbit_cache_store(struct orbit_cache *cache, const struct orbit *orbit)
{
    struct orbit_saved saved[ORBIT_CHAIN_MOST];
    if (cache->interrupted) /* the file may have more */
        return ORBIT_CACHE_NONE;
    enum orbit_cache_use use = cache->saved->length ? ORBIT_CACHE_LONGER : ORBIT_CACHE_NEW;
    bool same = !orbit_save(orbit, saved) || memcmp(saved, cache->saved, sizeof saved) == 0;
    if (same)
        return cache->saved->length ? ORBIT_CACHE_FOUND : ORBIT_CACHE_NONE;
    enum status status = file_write(cache, orbit, saved);
    if (status != STATUS_OK && status != STATUS_STOPPED)
        warn(cache, status);
    return use;
}
