#include "render/orbit_cache.h"

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

#include "render/whole_file.h"

/* Between looks at the stop flag: a millisecond or two. */
enum { PIECE_BYTES = 1 << 20, NAME_BYTES = 48 };

static const char magic[16] = "deepfield orbit";

struct head { /* then the identity, the numbers, the tiny points, the points, and the sum of all */
    char magic[16];
    uint64_t identity_bytes;
    struct orbit_saved saved;
};

/* ---- the sizes ---- */

static bool add_product(uint64_t *sum, uint64_t count, uint64_t bytes)
{
    return !__builtin_mul_overflow(count, bytes, &bytes) &&
           !__builtin_add_overflow(*sum, bytes, sum);
}

/* 0: more than there can be. */
static uint64_t file_bytes(const struct head *head)
{
    const struct orbit_saved *saved = &head->saved;
    uint64_t sum = sizeof *head + sizeof(XXH64_hash_t);
    bool fits = saved->length > 0 && saved->tiny_count >= 0 && saved->limbs > 0 &&
                add_product(&sum, head->identity_bytes, 1) &&
                add_product(&sum, (uint64_t)saved->limbs, ORBIT_NUMBERS * sizeof(uint64_t)) &&
                add_product(&sum, (uint64_t)saved->tiny_count, sizeof(struct orbit_tiny)) &&
                add_product(&sum, (uint64_t)saved->length, sizeof(struct orbit_point));
    return fits ? sum : 0;
}

static size_t numbers_bytes(const struct orbit_saved *saved)
{
    return ORBIT_NUMBERS * (size_t)saved->limbs * sizeof(uint64_t);
}

/* ---- a stream and the sum of what passed through it ---- */

struct passage {
    FILE *stream;
    XXH3_state_t *sum;
    const volatile int *stop;
};

static bool stopped(const struct passage *passage)
{
    return passage->stop && __atomic_load_n(passage->stop, __ATOMIC_RELAXED);
}

static bool read_all(struct passage *passage, void *bytes, uint64_t length)
{
    for (uint64_t at = 0; at < length; at += PIECE_BYTES) {
        size_t piece = length - at < PIECE_BYTES ? (size_t)(length - at) : PIECE_BYTES;
        char *to = (char *)bytes + at;
        if (stopped(passage) || fread(to, 1, piece, passage->stream) != piece)
            return false;
        XXH3_64bits_update(passage->sum, to, piece);
    }
    return true;
}

static bool write_all(struct passage *passage, const void *bytes, uint64_t length)
{
    for (uint64_t at = 0; at < length; at += PIECE_BYTES) {
        size_t piece = length - at < PIECE_BYTES ? (size_t)(length - at) : PIECE_BYTES;
        const char *from = (const char *)bytes + at;
        if (stopped(passage) || fwrite(from, 1, piece, passage->stream) != piece)
            return false;
        XXH3_64bits_update(passage->sum, from, piece);
    }
    return true;
}

/* ---- opening ---- */

static enum status warn(struct orbit_cache *cache, enum status status)
{
    snprintf(cache->warning, sizeof cache->warning, "%s", status_text());
    return status;
}

static enum status folder_make(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return status_fail(STATUS_CANNOT_CREATE, "cannot create the folder %s: %s", folder,
                           strerror(errno));
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return status_fail(STATUS_CANNOT_CREATE, "%s is no folder", folder);
    return STATUS_OK;
}

static enum status path_make(struct orbit_cache *cache, const char *folder)
{
    size_t bytes = strlen(folder) + NAME_BYTES;
    XXH128_hash_t hash = XXH3_128bits(cache->identity, strlen(cache->identity));
    cache->path = malloc(bytes);
    if (!cache->path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of an orbit's file");
    snprintf(cache->path, bytes, "%s/%016llx%016llx.orbit", folder, (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return STATUS_OK;
}

enum status orbit_cache_open(struct orbit_cache *cache, const char *folder,
                             const struct orbit *orbit, const volatile int *stop)
{
    *cache = (struct orbit_cache){.stop = stop};
    enum status status = folder_make(folder);
    if (status == STATUS_OK)
        status = orbit_identity(orbit, &cache->identity);
    if (status == STATUS_OK)
        status = path_make(cache, folder);
    return status == STATUS_OK ? STATUS_OK : warn(cache, status);
}

void orbit_cache_close(struct orbit_cache *cache)
{
    free(cache->path);
    free(cache->identity);
    *cache = (struct orbit_cache){0};
}

/* ---- reading ---- */

struct loading {
    struct passage passage;
    struct head head;
    struct orbit_return back;
    uint64_t *numbers;
    char *identity;
};

static enum status misread(const struct orbit_cache *cache, const char *what)
{
    return status_fail(STATUS_BAD_DATA, "%s %s; the orbit is computed", cache->path, what);
}

static enum status head_read(const struct orbit_cache *cache, struct loading *l, uint64_t bytes)
{
    struct head *head = &l->head;
    if (!read_all(&l->passage, head, sizeof *head) || memcmp(head->magic, magic, sizeof magic) != 0)
        return misread(cache, "is no reference orbit");
    uint64_t wanted = file_bytes(head);
    if (wanted != bytes)
        return status_fail(STATUS_BAD_DATA,
                           "%s has %llu bytes instead of %llu; the orbit is computed", cache->path,
                           (unsigned long long)bytes, (unsigned long long)wanted);
    return STATUS_OK;
}

static enum status identity_read(const struct orbit_cache *cache, struct loading *l)
{
    size_t length = strlen(cache->identity);
    if (l->head.identity_bytes != length)
        return misread(cache, "is another orbit");
    l->identity = malloc(length);
    if (!l->identity)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the head of %s", cache->path);
    if (!read_all(&l->passage, l->identity, length))
        return misread(cache, "cannot be read");
    return memcmp(l->identity, cache->identity, length) == 0 ? STATUS_OK
                                                             : misread(cache, "is another orbit");
}

/* Points that are not needed are only summed. */
static bool points_read(struct loading *l, int64_t points)
{
    char piece[4096];
    uint64_t bytes = (uint64_t)points * sizeof *l->back.z;
    uint64_t left = (uint64_t)l->head.saved.length * sizeof *l->back.z - bytes;
    if (!read_all(&l->passage, l->back.z, bytes))
        return false;
    for (uint64_t part; left; left -= part) {
        part = left < sizeof piece ? left : sizeof piece;
        if (!read_all(&l->passage, piece, part))
            return false;
    }
    return true;
}

static enum status arrays_read(const struct orbit_cache *cache, struct loading *l, int64_t limit,
                               uint64_t bytes_max)
{
    const struct orbit_saved *saved = &l->head.saved;
    int64_t points = orbit_return_points(saved, limit);
    uint64_t points_bytes = (uint64_t)points * sizeof *l->back.z;
    uint64_t tiny_bytes = (uint64_t)saved->tiny_count * sizeof *l->back.tiny;
    XXH64_hash_t sum;
    if (bytes_max && points_bytes > bytes_max)
        return status_fail(STATUS_TOO_LARGE, "%s has %llu bytes of points; %llu may be used",
                           cache->path, (unsigned long long)points_bytes,
                           (unsigned long long)bytes_max);
    l->numbers = malloc(numbers_bytes(saved));
    l->back.tiny = tiny_bytes ? malloc(tiny_bytes) : NULL;
    l->back.z = malloc(points_bytes);
    if (!l->numbers || !l->back.z || (tiny_bytes && !l->back.tiny))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s (%llu bytes)", cache->path,
                           (unsigned long long)(points_bytes + tiny_bytes));
    if (!read_all(&l->passage, l->numbers, numbers_bytes(saved)) ||
        !read_all(&l->passage, l->back.tiny, tiny_bytes) || !points_read(l, points) ||
        fread(&sum, sizeof sum, 1, l->passage.stream) != 1)
        return misread(cache, "cannot be read");
    if (sum != XXH3_64bits_digest(l->passage.sum))
        return misread(cache, "is damaged: its checksum is wrong");
    l->back.saved = *saved;
    l->back.numbers = l->numbers;
    return STATUS_OK;
}

static enum status stream_read(const struct orbit_cache *cache, struct loading *l, int descriptor,
                               int64_t limit, uint64_t bytes_max)
{
    struct stat about;
    l->passage = (struct passage){
        .stream = fdopen(descriptor, "rb"), .sum = XXH3_createState(), .stop = cache->stop};
    if (!l->passage.stream || !l->passage.sum) {
        if (!l->passage.stream)
            close(descriptor);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", cache->path);
    }
    XXH3_64bits_reset(l->passage.sum);
    if (fstat(descriptor, &about) != 0)
        return misread(cache, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return misread(cache, "is no file");
    TRY(head_read(cache, l, (uint64_t)about.st_size));
    TRY(identity_read(cache, l));
    return arrays_read(cache, l, limit, bytes_max);
}

static void loading_end(struct loading *l)
{
    if (l->passage.stream)
        fclose(l->passage.stream);
    XXH3_freeState(l->passage.sum);
    free(l->numbers);
    free(l->identity);
}

bool orbit_cache_load(struct orbit_cache *cache, struct orbit *orbit, int64_t limit,
                      uint64_t bytes_max)
{
    struct loading l = {.numbers = NULL};
    /* A pipe would be waited for, and is no file of ours. */
    int descriptor = open(cache->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && errno == ENOENT)
        return true;
    enum status status = descriptor < 0 ? misread(cache, strerror(errno))
                                        : stream_read(cache, &l, descriptor, limit, bytes_max);
    bool good = true;
    if (status == STATUS_OK) {
        cache->saved = l.head.saved;
        good = orbit_restore(orbit, &l.back, limit);
        if (!good)
            status = misread(cache, "does not hold together");
    } else {
        free(l.back.z);
        free(l.back.tiny);
    }
    if (status != STATUS_OK && !stopped(&l.passage))
        warn(cache, status);
    if (!good)
        cache->saved = (struct orbit_saved){0};
    loading_end(&l);
    return good;
}

/* ---- writing ---- */

static enum status room_check(const struct orbit_cache *cache, uint64_t bytes)
{
    struct statvfs disk;
    char *folder = strdup(cache->path);
    if (!folder)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a folder");
    *strrchr(folder, '/') = '\0';
    int failed = statvfs(*folder ? folder : "/", &disk);
    free(folder);
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

static bool content_write(const struct orbit_cache *cache, const struct head *head,
                          const struct orbit *orbit, struct passage *passage)
{
    const struct orbit_saved *saved = &head->saved;
    uint64_t *numbers = malloc(numbers_bytes(saved));
    if (!numbers)
        return false;
    orbit_save_numbers(orbit, numbers);
    bool good =
        write_all(passage, head, sizeof *head) &&
        write_all(passage, cache->identity, head->identity_bytes) &&
        write_all(passage, numbers, numbers_bytes(saved)) &&
        write_all(passage, orbit->tiny, (uint64_t)saved->tiny_count * sizeof *orbit->tiny) &&
        write_all(passage, orbit->z, (uint64_t)saved->length * sizeof *orbit->z);
    free(numbers);
    XXH64_hash_t sum = XXH3_64bits_digest(passage->sum);
    return good && fwrite(&sum, sizeof sum, 1, passage->stream) == 1;
}

static enum status file_write(const struct orbit_cache *cache, const struct head *head,
                              const struct orbit *orbit)
{
    struct whole_file file = {.stream = NULL};
    struct stat about;
    if (stat(cache->path, &about) == 0 && !S_ISREG(about.st_mode))
        return status_fail(STATUS_CANNOT_CREATE, "%s is no file", cache->path);
    TRY(room_check(cache, file_bytes(head)));
    struct passage passage = {.sum = XXH3_createState(), .stop = cache->stop};
    if (!passage.sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a checksum");
    XXH3_64bits_reset(passage.sum);
    enum status status = whole_file_open(&file, cache->path, OVERWRITE_YES, NULL);
    passage.stream = file.stream;
    if (status == STATUS_OK && !content_write(cache, head, orbit, &passage))
        status = stopped(&passage)
                     ? status_fail(STATUS_STOPPED, "stopped while writing")
                     : status_fail(STATUS_IO, "cannot write %s: %s", cache->path, strerror(errno));
    if (status == STATUS_OK)
        status = whole_file_commit(&file);
    else
        whole_file_abandon(&file);
    XXH3_freeState(passage.sum);
    return status;
}

enum orbit_cache_use orbit_cache_store(struct orbit_cache *cache, const struct orbit *orbit)
{
    struct head head = {.identity_bytes = strlen(cache->identity)};
    memcpy(head.magic, magic, sizeof magic);
    enum orbit_cache_use use = cache->saved.length ? ORBIT_CACHE_LONGER : ORBIT_CACHE_NEW;
    bool same = !orbit_save(orbit, &head.saved) ||
                memcmp(&head.saved, &cache->saved, sizeof head.saved) == 0;
    if (same)
        return cache->saved.length ? ORBIT_CACHE_FOUND : ORBIT_CACHE_NONE;
    enum status status = file_write(cache, &head, orbit);
    if (status != STATUS_OK && status != STATUS_STOPPED)
        warn(cache, status);
    return use;
}
