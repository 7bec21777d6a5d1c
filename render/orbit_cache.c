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
enum {
    PIECE_BYTES = 1 << 20,
    PIECE_POINTS = PIECE_BYTES / sizeof(struct orbit_point),
    NAME_BYTES = 48
};

static const char nonsense[] = "does not hold together";

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

/* Whoever can put files there decides which orbits are found. */
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

static enum status folder_open(const char *folder, int *descriptor)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return status_fail(STATUS_CANNOT_CREATE, "cannot create the folder %s: %s", folder,
                           strerror(errno));
    *descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
    enum status status = folder_open(folder, &cache->folder);
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

struct loading {
    const struct orbit *orbit; /* what it is for */
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
    if (memcmp(l->identity, cache->identity, length) != 0)
        return misread(cache, "is another orbit");
    return orbit_saved_fits(l->orbit, &l->head.saved) ? STATUS_OK : misread(cache, nonsense);
}

static enum status numbers_read(const struct orbit_cache *cache, struct loading *l)
{
    l->numbers = malloc(numbers_bytes(&l->head.saved));
    if (!l->numbers)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the numbers of %s", cache->path);
    return read_all(&l->passage, l->numbers, numbers_bytes(&l->head.saved))
               ? STATUS_OK
               : misread(cache, "cannot be read");
}

/* Room for `count` of `most` elements that come one by one: a file's word for how many there are
 * takes no memory. */
static bool room_grow(void **array, int64_t *capacity, int64_t count, int64_t most, size_t bytes)
{
    if (count <= *capacity)
        return true;
    int64_t more = count > most / 2 ? most : 2 * count;
    void *grown = realloc(*array, (size_t)more * bytes);
    if (!grown)
        return false;
    *array = grown;
    *capacity = more;
    return true;
}

static enum status no_memory(const struct orbit_cache *cache, int64_t count, size_t bytes)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s (%llu bytes)", cache->path,
                       (unsigned long long)count * bytes);
}

/* Those of points that are not needed are only summed. */
static enum status tiny_read(const struct orbit_cache *cache, struct loading *l, int64_t points)
{
    struct orbit_return *back = &l->back;
    const struct orbit_saved *saved = &l->head.saved;
    int64_t before = 0, capacity = 0;
    for (int64_t i = 0; i < saved->tiny_count; i++) {
        struct orbit_tiny tiny;
        if (!read_all(&l->passage, &tiny, sizeof tiny))
            return misread(cache, "cannot be read");
        if (!orbit_tiny_fits(l->orbit, saved, &tiny, before))
            return misread(cache, nonsense);
        before = tiny.index;
        if (tiny.index >= points)
            continue;
        void *array = back->tiny;
        bool room =
            room_grow(&array, &capacity, back->tiny_count + 1, saved->tiny_count, sizeof tiny);
        back->tiny = array;
        if (!room)
            return no_memory(cache, saved->tiny_count, sizeof tiny);
        back->tiny[back->tiny_count++] = tiny;
    }
    return STATUS_OK;
}

/* Each must follow from the one before, so that nonsense ends where it begins. */
static enum status points_read(const struct orbit_cache *cache, struct loading *l, int64_t points)
{
    struct orbit_return *back = &l->back;
    int64_t capacity = 0;
    for (int64_t at = 0, end; at < points; at = end) {
        end = points - at > PIECE_POINTS ? at + PIECE_POINTS : points;
        void *array = back->z;
        bool room = room_grow(&array, &capacity, end, points, sizeof *back->z);
        back->z = array;
        if (!room)
            return no_memory(cache, points, sizeof *back->z);
        if (!read_all(&l->passage, back->z + at, (uint64_t)(end - at) * sizeof *back->z))
            return misread(cache, "cannot be read");
        if (!orbit_steps_fit(l->orbit, &l->head.saved, back->z, at, end))
            return misread(cache, nonsense);
    }
    return STATUS_OK;
}

static bool rest_sum(struct loading *l, int64_t points)
{
    char piece[4096];
    uint64_t left = (uint64_t)(l->head.saved.length - points) * sizeof *l->back.z;
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
    XXH64_hash_t sum;
    if (bytes_max && points_bytes > bytes_max)
        return status_fail(STATUS_TOO_LARGE, "%s has %llu bytes of points; %llu may be used",
                           cache->path, (unsigned long long)points_bytes,
                           (unsigned long long)bytes_max);
    TRY(numbers_read(cache, l));
    TRY(tiny_read(cache, l, points));
    TRY(points_read(cache, l, points));
    if (!rest_sum(l, points) || fread(&sum, sizeof sum, 1, l->passage.stream) != 1)
        return misread(cache, "cannot be read");
    if (sum != XXH3_64bits_digest(l->passage.sum))
        return misread(cache, "is damaged: its checksum is wrong");
    l->back.saved = *saved;
    l->back.numbers = l->numbers;
    return STATUS_OK;
}

static enum status file_judge(const struct orbit_cache *cache, const struct stat *about)
{
    if (!S_ISREG(about->st_mode))
        return misread(cache, "is no file");
    if (about->st_uid != geteuid())
        return misread(cache, "belongs to another user");
    if ((uint64_t)about->st_size > ORBIT_CACHE_FILE_MOST)
        return misread(cache, "is larger than the files that are kept");
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
    TRY(file_judge(cache, &about));
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
    struct loading l = {.orbit = orbit, .passage.stop = cache->stop};
    /* A pipe would be waited for, and is no file of ours; a link may lead anywhere. */
    int descriptor =
        openat(cache->folder, name_of(cache), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (descriptor < 0 && errno == ENOENT)
        return true;
    enum status status = descriptor < 0
                             ? misread(cache, errno == ELOOP ? "is a link" : strerror(errno))
                             : stream_read(cache, &l, descriptor, limit, bytes_max);
    bool good = true;
    if (status == STATUS_OK) {
        cache->saved = l.head.saved;
        good = orbit_restore(orbit, &l.back, limit);
        if (!good)
            status = misread(cache, nonsense);
    } else {
        free(l.back.z);
        free(l.back.tiny);
    }
    cache->interrupted = status != STATUS_OK && stopped(&l.passage);
    if (status != STATUS_OK && !cache->interrupted)
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
    TRY(room_check(cache, file_bytes(head)));
    struct passage passage = {.sum = XXH3_createState(), .stop = cache->stop};
    if (!passage.sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a checksum");
    XXH3_64bits_reset(passage.sum);
    enum status status = whole_file_open_in(&file, cache->folder, cache->path);
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
    if (cache->interrupted) /* the file may have more */
        return ORBIT_CACHE_NONE;
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
