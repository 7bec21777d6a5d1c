#include "render/orbit_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Between looks at the stop flag: a millisecond or two. */
enum { PIECE_BYTES = 1 << 20, PIECE_POINTS = PIECE_BYTES / sizeof(struct orbit_point) };

static const char inconsistent[] = "is not consistent";
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
static uint64_t bytes_of(uint64_t identity_bytes, const struct orbit_saved *saved)
{
    uint64_t sum = sizeof(struct head) + sizeof(XXH64_hash_t);
    bool fits = saved->length > 0 && saved->tiny_count >= 0 && saved->limbs > 0 &&
                add_product(&sum, identity_bytes, 1) &&
                add_product(&sum, (uint64_t)saved->limbs, ORBIT_NUMBERS * sizeof(uint64_t)) &&
                add_product(&sum, (uint64_t)saved->tiny_count, sizeof(struct orbit_tiny)) &&
                add_product(&sum, (uint64_t)saved->length, sizeof(struct orbit_point));
    return fits ? sum : 0;
}

uint64_t orbit_file_bytes(const char *identity, const struct orbit_saved *saved)
{
    return bytes_of(strlen(identity), saved);
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

/* ---- reading ---- */

struct loading {
    const struct orbit *orbit; /* what it is for */
    struct passage passage;
    struct head head;
    struct orbit_return *back;
    char *identity;
};

enum status orbit_file_misread(const char *path, const char *what)
{
    return status_fail(STATUS_BAD_DATA, "%s %s; the orbit is computed", path, what);
}

static enum status misread(const struct orbit_file *file, const char *what)
{
    return orbit_file_misread(file->path, what);
}

static enum status head_read(const struct orbit_file *file, struct loading *l, uint64_t bytes)
{
    struct head *head = &l->head;
    if (!read_all(&l->passage, head, sizeof *head) || memcmp(head->magic, magic, sizeof magic) != 0)
        return misread(file, "is no reference orbit");
    uint64_t wanted = bytes_of(head->identity_bytes, &head->saved);
    if (wanted != bytes)
        return status_fail(STATUS_BAD_DATA,
                           "%s has %llu bytes instead of %llu; the orbit is computed", file->path,
                           (unsigned long long)bytes, (unsigned long long)wanted);
    return STATUS_OK;
}

static enum status identity_read(const struct orbit_file *file, struct loading *l)
{
    size_t length = strlen(file->identity);
    if (l->head.identity_bytes != length)
        return misread(file, "is another orbit");
    l->identity = malloc(length);
    if (!l->identity)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the head of %s", file->path);
    if (!read_all(&l->passage, l->identity, length))
        return misread(file, "cannot be read");
    if (memcmp(l->identity, file->identity, length) != 0)
        return misread(file, "is another orbit");
    return orbit_saved_fits(l->orbit, &l->head.saved) ? STATUS_OK : misread(file, inconsistent);
}

static enum status numbers_read(const struct orbit_file *file, struct loading *l)
{
    l->back->numbers = malloc(numbers_bytes(&l->head.saved));
    if (!l->back->numbers)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the numbers of %s", file->path);
    return read_all(&l->passage, l->back->numbers, numbers_bytes(&l->head.saved))
               ? STATUS_OK
               : misread(file, "cannot be read");
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

static enum status no_memory(const struct orbit_file *file, int64_t count, size_t bytes)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s (%llu bytes)", file->path,
                       (unsigned long long)count * bytes);
}

/* Those of points that are not needed are only summed. */
static enum status tiny_read(const struct orbit_file *file, struct loading *l, int64_t points)
{
    struct orbit_return *back = l->back;
    const struct orbit_saved *saved = &l->head.saved;
    int64_t before = 0, capacity = 0;
    for (int64_t i = 0; i < saved->tiny_count; i++) {
        struct orbit_tiny tiny;
        if (!read_all(&l->passage, &tiny, sizeof tiny))
            return misread(file, "cannot be read");
        if (!orbit_tiny_fits(l->orbit, saved, &tiny, before))
            return misread(file, inconsistent);
        before = tiny.index;
        if (tiny.index >= points)
            continue;
        void *array = back->tiny;
        bool room =
            room_grow(&array, &capacity, back->tiny_count + 1, saved->tiny_count, sizeof tiny);
        back->tiny = array;
        if (!room)
            return no_memory(file, saved->tiny_count, sizeof tiny);
        back->tiny[back->tiny_count++] = tiny;
    }
    return STATUS_OK;
}

/* Each must follow from the one before, so that what is inconsistent ends where it begins. */
static enum status points_read(const struct orbit_file *file, struct loading *l, int64_t points)
{
    struct orbit_return *back = l->back;
    int64_t capacity = 0;
    for (int64_t at = 0, end; at < points; at = end) {
        end = points - at > PIECE_POINTS ? at + PIECE_POINTS : points;
        void *array = back->z;
        bool room = room_grow(&array, &capacity, end, points, sizeof *back->z);
        back->z = array;
        if (!room)
            return no_memory(file, points, sizeof *back->z);
        if (!read_all(&l->passage, back->z + at, (uint64_t)(end - at) * sizeof *back->z))
            return misread(file, "cannot be read");
        if (!orbit_steps_fit(l->orbit, &l->head.saved, back->z, at, end))
            return misread(file, inconsistent);
    }
    return STATUS_OK;
}

static bool rest_sum(struct loading *l, int64_t points)
{
    char piece[4096];
    uint64_t left = (uint64_t)(l->head.saved.length - points) * sizeof *l->back->z;
    for (uint64_t part; left; left -= part) {
        part = left < sizeof piece ? left : sizeof piece;
        if (!read_all(&l->passage, piece, part))
            return false;
    }
    return true;
}

static enum status arrays_read(const struct orbit_file *file, struct loading *l, int64_t limit,
                               uint64_t bytes_max)
{
    const struct orbit_saved *saved = &l->head.saved;
    int64_t points = orbit_return_points(saved, limit);
    uint64_t points_bytes = (uint64_t)points * sizeof *l->back->z;
    XXH64_hash_t sum;
    if (bytes_max && points_bytes > bytes_max)
        return status_fail(STATUS_TOO_LARGE, "%s has %llu bytes of points; %llu may be used",
                           file->path, (unsigned long long)points_bytes,
                           (unsigned long long)bytes_max);
    TRY(numbers_read(file, l));
    TRY(tiny_read(file, l, points));
    TRY(points_read(file, l, points));
    if (!rest_sum(l, points) || fread(&sum, sizeof sum, 1, l->passage.stream) != 1)
        return misread(file, "cannot be read");
    if (sum != XXH3_64bits_digest(l->passage.sum))
        return misread(file, "is damaged: its checksum is wrong");
    l->back->saved = *saved;
    return STATUS_OK;
}

enum status orbit_file_read(const struct orbit_file *file, uint64_t bytes,
                            const struct orbit *orbit, int64_t limit, uint64_t bytes_max,
                            struct orbit_return *back)
{
    struct loading l = {
        .orbit = orbit,
        .passage = {.stream = file->stream, .sum = XXH3_createState(), .stop = file->stop},
        .back = back};
    *back = (struct orbit_return){.z = NULL};
    if (!l.passage.sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", file->path);
    XXH3_64bits_reset(l.passage.sum);
    enum status status = head_read(file, &l, bytes);
    if (status == STATUS_OK)
        status = identity_read(file, &l);
    if (status == STATUS_OK)
        status = arrays_read(file, &l, limit, bytes_max);
    XXH3_freeState(l.passage.sum);
    free(l.identity);
    return status;
}

/* ---- writing ---- */

static bool content_write(struct passage *passage, const struct orbit_file *file,
                          const struct orbit *orbit, const struct orbit_saved *saved)
{
    struct head head = {.identity_bytes = strlen(file->identity), .saved = *saved};
    uint64_t *numbers = malloc(numbers_bytes(saved));
    if (!numbers)
        return false;
    memcpy(head.magic, magic, sizeof magic);
    orbit_save_numbers(orbit, numbers);
    bool good =
        write_all(passage, &head, sizeof head) &&
        write_all(passage, file->identity, head.identity_bytes) &&
        write_all(passage, numbers, numbers_bytes(saved)) &&
        write_all(passage, orbit->tiny, (uint64_t)saved->tiny_count * sizeof *orbit->tiny) &&
        write_all(passage, orbit->z, (uint64_t)saved->length * sizeof *orbit->z);
    free(numbers);
    XXH64_hash_t sum = XXH3_64bits_digest(passage->sum);
    return good && fwrite(&sum, sizeof sum, 1, passage->stream) == 1;
}

bool orbit_file_write(const struct orbit_file *file, const struct orbit *orbit,
                      const struct orbit_saved *saved)
{
    struct passage passage = {
        .stream = file->stream, .sum = XXH3_createState(), .stop = file->stop};
    if (!passage.sum)
        return false;
    XXH3_64bits_reset(passage.sum);
    bool good = content_write(&passage, file, orbit, saved);
    XXH3_freeState(passage.sum);
    return good;
}
