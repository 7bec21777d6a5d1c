#include "render/reference/orbit_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/stop.h"

/* Bytes between polls of the stop flag: a millisecond or two. */
enum { SLICE_BYTES = 1 << 20 };

static const char inconsistent[] = "is not consistent";
static const char magic[16] = "deepfield orbit";

struct orbit_head { /* head of the file; then the states of the orbits, the identity, the orbits,
                       and the checksum */
    char magic[16];
    uint64_t identity_bytes, orbits;
};

/* ---- the sizes ---- */

static bool add_product(uint64_t *sum, uint64_t count, uint64_t bytes)
{
    return !__builtin_mul_overflow(count, bytes, &bytes) &&
           !__builtin_add_overflow(*sum, bytes, sum);
}

static size_t tape_bytes(const struct orbit *orbit) /* bytes of a step's tape */
{
    return (size_t)orbit->tape_width * sizeof *orbit->tape;
}

/* Adds the bytes of the numbers, the tiny points, the small values, the points and the tape of one
 * orbit. */
static bool add_orbit(uint64_t *sum, const struct orbit *orbit, const struct orbit_saved *saved)
{
    return saved->length > 0 && saved->steps >= 0 && saved->tiny_count >= 0 &&
           saved->small_count >= 0 && add_product(sum, orbit_numbers_bytes(orbit), 1) &&
           add_product(sum, (uint64_t)saved->tiny_count, sizeof *orbit->tiny) &&
           add_product(sum, (uint64_t)saved->small_count, sizeof *orbit->small) &&
           add_product(sum, (uint64_t)saved->length, sizeof *orbit->z) &&
           add_product(sum, (uint64_t)saved->steps, tape_bytes(orbit));
}

/* Bytes of a file; 0: more than there can be. */
static uint64_t bytes_of(uint64_t identity_bytes, const struct orbit *orbit,
                         const struct orbit_saved *saved)
{
    uint64_t sum = sizeof(struct orbit_head) + sizeof(XXH64_hash_t);
    bool fits = add_product(&sum, identity_bytes, 1);
    for (; orbit && fits; orbit = orbit->critical, saved++)
        fits = add_product(&sum, 1, sizeof *saved) && add_orbit(&sum, orbit, saved);
    return fits ? sum : 0;
}

uint64_t orbit_file_bytes(const char *identity, const struct orbit *orbit,
                          const struct orbit_saved *saved)
{
    return bytes_of(strlen(identity), orbit, saved);
}

/* ---- a stream and the checksum of its bytes ---- */

struct orbit_stream {
    FILE *file;
    XXH3_state_t *sum;
    const volatile int *stop;
};

static bool stopped(const struct orbit_stream *stream)
{
    return stop_asked(stream->stop);
}

static bool read_all(struct orbit_stream *stream, void *bytes, uint64_t length)
{
    for (uint64_t at = 0; at < length; at += SLICE_BYTES) {
        size_t slice = length - at < SLICE_BYTES ? (size_t)(length - at) : SLICE_BYTES;
        char *to = (char *)bytes + at;
        if (stopped(stream) || fread(to, 1, slice, stream->file) != slice)
            return false;
        XXH3_64bits_update(stream->sum, to, slice);
    }
    return true;
}

static bool write_all(struct orbit_stream *stream, const void *bytes, uint64_t length)
{
    for (uint64_t at = 0; at < length; at += SLICE_BYTES) {
        size_t slice = length - at < SLICE_BYTES ? (size_t)(length - at) : SLICE_BYTES;
        const char *from = (const char *)bytes + at;
        if (stopped(stream) || fwrite(from, 1, slice, stream->file) != slice)
            return false;
        XXH3_64bits_update(stream->sum, from, slice);
    }
    return true;
}

/* ---- reading ---- */

struct orbit_loading {
    const struct orbit *orbit; /* the orbit that the file is for; the orbit being read */
    struct orbit_return *back; /* result for that orbit */
    struct orbit_stream stream;
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

/* Reads the head and the states. */
static enum status head_read(const struct orbit_file *file, struct orbit_loading *l,
                             struct orbit_head *head, uint64_t bytes)
{
    struct orbit_saved saved[ORBIT_CHAIN_MOST];
    int orbits = orbit_chain(l->orbit);
    if (!read_all(&l->stream, head, sizeof *head) || memcmp(head->magic, magic, sizeof magic) != 0)
        return misread(file, "is no reference orbit");
    if (head->orbits != (uint64_t)orbits)
        return misread(file, "has another number of orbits");
    if (!read_all(&l->stream, saved, (size_t)orbits * sizeof *saved))
        return misread(file, "is no reference orbit");
    uint64_t wanted = bytes_of(head->identity_bytes, l->orbit, saved);
    if (wanted != bytes)
        return status_fail(STATUS_BAD_DATA,
                           "%s has %llu bytes instead of %llu; the orbit is computed", file->path,
                           (unsigned long long)bytes, (unsigned long long)wanted);
    for (int i = 0; i < orbits; i++)
        l->back[i].saved = saved[i];
    return STATUS_OK;
}

static enum status identity_read(const struct orbit_file *file, struct orbit_loading *l,
                                 const struct orbit_head *head)
{
    size_t length = strlen(file->identity);
    if (head->identity_bytes != length)
        return misread(file, "is another orbit");
    l->identity = malloc(length);
    if (!l->identity)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the head of %s", file->path);
    if (!read_all(&l->stream, l->identity, length))
        return misread(file, "cannot be read");
    return memcmp(l->identity, file->identity, length) == 0 ? STATUS_OK
                                                            : misread(file, "is another orbit");
}

static enum status numbers_read(const struct orbit_file *file, struct orbit_loading *l)
{
    size_t bytes = orbit_numbers_bytes(l->orbit);
    l->back->numbers = malloc(bytes);
    if (!l->back->numbers)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the numbers of %s", file->path);
    return read_all(&l->stream, l->back->numbers, bytes) ? STATUS_OK
                                                         : misread(file, "cannot be read");
}

/* Makes room for `count` of `most` elements that arrive one by one: a number in the file alone
 * allocates no memory. */
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

/* Reads tiny points; those of points that are not needed are only summed. */
static enum status tiny_read(const struct orbit_file *file, struct orbit_loading *l, int64_t points)
{
    struct orbit_return *back = l->back;
    const struct orbit_saved *saved = &back->saved;
    int64_t before = 0, capacity = 0;
    for (int64_t i = 0; i < saved->tiny_count; i++) {
        struct orbit_tiny tiny;
        if (!read_all(&l->stream, &tiny, sizeof tiny))
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

static enum status small_read(const struct orbit_file *file, struct orbit_loading *l,
                              int64_t points, int64_t steps)
{
    struct orbit_return *back = l->back;
    const struct orbit_saved *saved = &back->saved;
    struct orbit_small before;
    int64_t capacity = 0;
    for (int64_t i = 0; i < saved->small_count; i++) {
        struct orbit_small small;
        if (!read_all(&l->stream, &small, sizeof small))
            return misread(file, "cannot be read");
        if (!orbit_small_fits(l->orbit, saved, &small, i ? &before : NULL))
            return misread(file, inconsistent);
        before = small;
        if (!orbit_small_within(&small, points, steps))
            continue;
        void *array = back->small;
        bool room =
            room_grow(&array, &capacity, back->small_count + 1, saved->small_count, sizeof small);
        back->small = array;
        if (!room)
            return no_memory(file, saved->small_count, sizeof small);
        back->small[back->small_count++] = small;
    }
    return STATUS_OK;
}

/* Reads elements of which each must follow from those before, so that inconsistent ones are found
 * where they begin. */
static enum status array_read(const struct orbit_file *file, struct orbit_loading *l, int64_t most,
                              size_t bytes, struct orbit_point **to,
                              bool (*fits)(const struct orbit_loading *l, int64_t from, int64_t to))
{
    int64_t capacity = 0, slice = SLICE_BYTES / (int64_t)bytes;
    for (int64_t at = 0, end; at < most; at = end) {
        end = most - at > slice ? at + slice : most;
        void *array = *to;
        bool room = room_grow(&array, &capacity, end, most, bytes);
        *to = array;
        if (!room)
            return no_memory(file, most, bytes);
        if (!read_all(&l->stream, (char *)array + (size_t)at * bytes, (uint64_t)(end - at) * bytes))
            return misread(file, "cannot be read");
        if (!fits(l, at, end))
            return misread(file, inconsistent);
    }
    return STATUS_OK;
}

static bool points_fit(const struct orbit_loading *l, int64_t from, int64_t to)
{
    l->back->points_fit = to;
    return orbit_steps_fit(l->orbit, &l->back->saved, l->back->z, from, to);
}

static bool tape_fits(const struct orbit_loading *l, int64_t from, int64_t to)
{
    l->back->tape_fits = to;
    return orbit_tape_fits(l->orbit, l->back->z, l->back->tape, from, to);
}

/* Sums bytes that are not needed. */
static bool rest_sum(struct orbit_loading *l, uint64_t bytes)
{
    char slice[4096];
    for (uint64_t part; bytes; bytes -= part) {
        part = bytes < sizeof slice ? bytes : sizeof slice;
        if (!read_all(&l->stream, slice, part))
            return false;
    }
    return true;
}

static enum status arrays_read(const struct orbit_file *file, struct orbit_loading *l,
                               int64_t limit)
{
    struct orbit_return *back = l->back;
    const struct orbit_saved *saved = &back->saved;
    int64_t points = orbit_return_points(saved, limit), steps = orbit_return_steps(saved, limit);
    size_t row = tape_bytes(l->orbit);
    TRY(numbers_read(file, l));
    TRY(tiny_read(file, l, points));
    TRY(small_read(file, l, points, steps));
    TRY(array_read(file, l, points, sizeof *back->z, &back->z, points_fit));
    if (!rest_sum(l, (uint64_t)(saved->length - points) * sizeof *back->z))
        return misread(file, "cannot be read");
    if (row)
        TRY(array_read(file, l, steps, row, &back->tape, tape_fits));
    return rest_sum(l, (uint64_t)(saved->steps - steps) * row) ? STATUS_OK
                                                               : misread(file, "cannot be read");
}

static enum status orbit_read(const struct orbit_file *file, struct orbit_loading *l, int64_t limit,
                              uint64_t bytes_max)
{
    const struct orbit_saved *saved = &l->back->saved;
    if (!orbit_saved_fits(l->orbit, saved))
        return misread(file, inconsistent);
    uint64_t bytes =
        (uint64_t)orbit_return_points(saved, limit) * (sizeof *l->back->z + tape_bytes(l->orbit));
    if (bytes_max && bytes > bytes_max)
        return status_fail(STATUS_TOO_LARGE, "%s has %llu bytes of points; %llu may be used",
                           file->path, (unsigned long long)bytes, (unsigned long long)bytes_max);
    return arrays_read(file, l, limit);
}

static enum status content_read(const struct orbit_file *file, struct orbit_loading *l,
                                uint64_t bytes, int64_t limit, uint64_t bytes_max)
{
    struct orbit_head head;
    XXH64_hash_t sum;
    TRY(head_read(file, l, &head, bytes));
    TRY(identity_read(file, l, &head));
    for (; l->orbit; l->orbit = l->orbit->critical, l->back++)
        TRY(orbit_read(file, l, limit, bytes_max));
    if (fread(&sum, sizeof sum, 1, l->stream.file) != 1)
        return misread(file, "cannot be read");
    return sum == XXH3_64bits_digest(l->stream.sum)
               ? STATUS_OK
               : misread(file, "is damaged: its checksum is wrong");
}

enum status orbit_file_read(const struct orbit_file *file, uint64_t bytes,
                            const struct orbit *orbit, int64_t limit, uint64_t bytes_max,
                            struct orbit_return back[ORBIT_CHAIN_MOST])
{
    struct orbit_loading l = {
        .orbit = orbit,
        .stream = {.file = file->stream, .sum = XXH3_createState(), .stop = file->stop},
        .back = back};
    memset(back, 0, ORBIT_CHAIN_MOST * sizeof *back);
    if (!l.stream.sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", file->path);
    XXH3_64bits_reset(l.stream.sum);
    enum status status = content_read(file, &l, bytes, limit, bytes_max);
    XXH3_freeState(l.stream.sum);
    free(l.identity);
    return status;
}

/* ---- writing ---- */

static bool numbers_write(struct orbit_stream *stream, const struct orbit *orbit)
{
    size_t bytes = orbit_numbers_bytes(orbit);
    uint64_t *numbers = malloc(bytes);
    if (!numbers)
        return false;
    orbit_save_numbers(orbit, numbers);
    bool good = write_all(stream, numbers, bytes);
    free(numbers);
    return good;
}

static bool orbit_write(struct orbit_stream *stream, const struct orbit *orbit,
                        const struct orbit_saved *saved)
{
    return numbers_write(stream, orbit) &&
           write_all(stream, orbit->tiny, (uint64_t)saved->tiny_count * sizeof *orbit->tiny) &&
           write_all(stream, orbit->small, (uint64_t)saved->small_count * sizeof *orbit->small) &&
           write_all(stream, orbit->z, (uint64_t)saved->length * sizeof *orbit->z) &&
           write_all(stream, orbit->tape, (uint64_t)saved->steps * tape_bytes(orbit));
}

static bool content_write(struct orbit_stream *stream, const struct orbit_file *file,
                          const struct orbit *orbit, const struct orbit_saved *saved)
{
    size_t orbits = (size_t)orbit_chain(orbit);
    struct orbit_head head = {.identity_bytes = strlen(file->identity), .orbits = orbits};
    memcpy(head.magic, magic, sizeof magic);
    bool good = write_all(stream, &head, sizeof head) &&
                write_all(stream, saved, orbits * sizeof *saved) &&
                write_all(stream, file->identity, head.identity_bytes);
    for (; orbit && good; orbit = orbit->critical, saved++)
        good = orbit_write(stream, orbit, saved);
    XXH64_hash_t sum = XXH3_64bits_digest(stream->sum);
    return good && fwrite(&sum, sizeof sum, 1, stream->file) == 1;
}

bool orbit_file_write(const struct orbit_file *file, const struct orbit *orbit,
                      const struct orbit_saved *saved)
{
    struct orbit_stream stream = {
        .file = file->stream, .sum = XXH3_createState(), .stop = file->stop};
    if (!stream.sum)
        return false;
    XXH3_64bits_reset(stream.sum);
    bool good = content_write(&stream, file, orbit, saved);
    XXH3_freeState(stream.sum);
    return good;
}
