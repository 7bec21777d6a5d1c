#include "render/growing/tile_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"

#define RECORD_MAGIC UINT64_C(0x454c4954464c4431) /* "1DLFTILE" */
enum { SYNC_EVERY_S = 1 };
/* bytes read or written at once, or a row, if that has more */
enum { SLICE_BYTES = 1 << 20 };
/* most records that are read: 16k x 16k in tiles of 8 */
enum { RECORDS_MOST = 1 << 22, RECORDS_AT_ONCE = 256 };
#define FILE_BYTES_MOST (UINT64_C(1) << 62)

struct tile_record { /* record in the file */
    uint64_t magic;
    struct tile_log_job job;
    struct tile tile;
    uint32_t planes, count_bytes;
    uint64_t offset, bytes; /* offset and size of the pixels in their file */
    uint64_t pixels_checksum;
    uint64_t checksum; /* checksum of all members before */
};

struct tile_log {
    char *path; /* path of the folder, for messages */
    int pixels, records;
    struct tile_record *found; /* records read by tile_log_open */
    uint32_t found_count;
    uint64_t end, records_end; /* ends of both files */
    void *buffer;              /* slice of a tile's pixels */
    size_t buffer_bytes;
    XXH3_state_t *sum; /* checksum of the pixels so far */
    /* Tiles of the present job that are noted, but not written. */
    struct tile *waiting;
    uint32_t waiting_count, waiting_room;
    struct tile_log_job job;
    /* Members shared with the thread: */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t thread;
    bool threaded, ends, dirty;
    int failure; /* errno of the thread */
};

static enum status log_failed(const struct tile_log *log, int number)
{
    return status_fail(STATUS_IO, "cannot write %s: %s", log->path, strerror(number));
}

/* ---- bringing it to the disk ----------------------------------------------------------------- */

/* Syncs the files. The caller holds `mutex`, which is released during the sync. */
static void sync_now(struct tile_log *log)
{
    if (!log->dirty)
        return;
    log->dirty = false;
    pthread_mutex_unlock(&log->mutex);
    bool ok = TEMP_FAILURE_RETRY(fdatasync(log->pixels)) == 0 &&
              TEMP_FAILURE_RETRY(fdatasync(log->records)) == 0;
    int failure = ok ? 0 : errno;
    pthread_mutex_lock(&log->mutex);
    if (failure && !log->failure)
        log->failure = failure;
}

static void *sync_run(void *context)
{
    struct tile_log *log = context;
    pthread_mutex_lock(&log->mutex);
    while (!log->ends) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += SYNC_EVERY_S;
        pthread_cond_timedwait(&log->wake, &log->mutex, &until);
        sync_now(log);
    }
    pthread_mutex_unlock(&log->mutex);
    return NULL;
}

static void thread_begin(struct tile_log *log)
{
    if (!log->threaded)
        log->threaded = pthread_create(&log->thread, NULL, sync_run, log) == 0;
}

/* Ends the thread and waits for its last sync. */
static void thread_end(struct tile_log *log)
{
    pthread_mutex_lock(&log->mutex);
    log->ends = true;
    pthread_cond_signal(&log->wake);
    pthread_mutex_unlock(&log->mutex);
    if (log->threaded)
        pthread_join(log->thread, NULL);
    log->threaded = log->ends = false;
}

/* ---- opening --------------------------------------------------------------------------------- */

static uint64_t record_sum(const struct tile_record *record)
{
    return XXH3_64bits(record, offsetof(struct tile_record, checksum));
}

static bool is_sound(const struct tile_record *record)
{
    const struct tile *tile = &record->tile;
    return record->magic == RECORD_MAGIC && record->checksum == record_sum(record) &&
           tile->x >= 0 && tile->y >= 0 && tile->width >= 1 && tile->height >= 1 &&
           tile->band >= 0 && tile->band_step >= tile->band && record->offset <= FILE_BYTES_MOST &&
           record->bytes <= FILE_BYTES_MOST;
}

static void record_keep(struct tile_log *log, const struct tile_record *record)
{
    if (!is_sound(record))
        return;
    log->found[log->found_count++] = *record;
    if (record->offset + record->bytes > log->end)
        log->end = record->offset + record->bytes;
}

/* Reads the records; allocates memory for valid ones only, since a damaged file may be long. */
static enum status records_read(struct tile_log *log)
{
    struct tile_record some[RECORDS_AT_ONCE];
    struct stat about;
    if (fstat(log->records, &about) != 0)
        return log_failed(log, errno);
    uint64_t there = (uint64_t)about.st_size / sizeof *some;
    size_t count = there < RECORDS_MOST ? (size_t)there : RECORDS_MOST;
    log->records_end = count * sizeof *some; /* an incomplete record is overwritten */
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < RECORDS_AT_ONCE ? count - i : RECORDS_AT_ONCE;
        size_t room = log->found_count + n;
        struct tile_record *grown = realloc(log->found, room * sizeof *grown);
        if (!grown)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu records of %s", room,
                               log->path);
        log->found = grown;
        if (!file_bytes_get(log->records, some, n * sizeof *some, (off_t)(i * sizeof *some)))
            return status_fail(STATUS_IO, "cannot read %s: %s", log->path, strerror(errno));
        for (size_t k = 0; k < n; k++)
            record_keep(log, &some[k]);
    }
    return STATUS_OK;
}

enum status tile_log_open(struct tile_log **out, int folder, const char *path)
{
    struct tile_log *log = calloc(1, sizeof *log);
    *out = NULL;
    if (!log)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the journal %s", path);
    pthread_mutex_init(&log->mutex, NULL);
    pthread_cond_init(&log->wake, NULL);
    log->path = strdup(path);
    enum status status = log->path ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory");
    log->records = -1;
    log->pixels = folder_file_take(folder, "tiles");
    if (log->pixels >= 0)
        log->records = folder_file_take(folder, "records");
    if (status == STATUS_OK && log->records < 0)
        status = status_fail(STATUS_IO, "cannot write tiles and records in %s: %s", path,
                             folder_reason(errno));
    if (status == STATUS_OK)
        status = records_read(log);
    if (status != STATUS_OK) {
        tile_log_close(log);
        return status;
    }
    *out = log;
    return STATUS_OK;
}

void tile_log_close(struct tile_log *log)
{
    if (!log)
        return;
    thread_end(log);
    pthread_mutex_lock(&log->mutex);
    sync_now(log);
    pthread_mutex_unlock(&log->mutex);
    if (log->pixels >= 0)
        close(log->pixels);
    if (log->records >= 0)
        close(log->records);
    pthread_cond_destroy(&log->wake);
    pthread_mutex_destroy(&log->mutex);
    free(log->path);
    free(log->found);
    free(log->waiting);
    free(log->buffer);
    XXH3_freeState(log->sum);
    free(log);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Slice of a tile's pixels. In the file the rows of a tile lie one behind the other, plane by
 * plane. They are written and read in slices: a copy of the whole tile would be memory that no plan
 * counts. */
struct tile_slice {
    enum plane plane; /* PLANES: no slice is left */
    int32_t row, rows;
    size_t row_bytes;
    off_t offset;
};

static size_t slice_bytes(const struct tile_slice *slice)
{
    return (size_t)slice->rows * slice->row_bytes;
}

/* Moves to the next slice; from {.offset = offset of the tile}: to the first. */
static void slice_next(const struct field *window, struct tile_slice *slice)
{
    slice->offset += (off_t)slice_bytes(slice);
    slice->row += slice->rows;
    if (slice->rows && slice->row == window->height) {
        slice->plane++;
        slice->row = 0;
    }
    while (slice->plane < PLANES && !window->plane[slice->plane])
        slice->plane++;
    if (slice->plane == PLANES)
        return;
    slice->row_bytes =
        (size_t)window->width * element_bytes(plane_element(slice->plane, window->count_bytes));
    size_t rows = slice->row_bytes < SLICE_BYTES ? SLICE_BYTES / slice->row_bytes : 1;
    int32_t left = window->height - slice->row;
    slice->rows = (size_t)left < rows ? left : (int32_t)rows;
}

enum piece_way { PIECE_IN, PIECE_OUT };

/* Copies between the buffer and the tile's pixels in the frame. */
static void slice_copy(const struct tile_log *log, const struct field *window,
                       const struct tile_slice *slice, enum piece_way way)
{
    char *at = log->buffer;
    for (int32_t row = slice->row; row < slice->row + slice->rows; row++, at += slice->row_bytes) {
        void *pixels = field_row(window, slice->plane, row);
        if (way == PIECE_IN)
            memcpy(at, pixels, slice->row_bytes);
        else
            memcpy(pixels, at, slice->row_bytes);
    }
}

/* Allocates memory for any slice of the tile, which is kept; *bytes is the size of the whole
 * tile. */
static enum status buffer_take(struct tile_log *log, const struct field *window, size_t *bytes)
{
    size_t row = (size_t)window->width * sizeof(uint64_t);
    size_t room = row > SLICE_BYTES ? row : SLICE_BYTES;
    TRY(field_bytes(window->width, window->height, window->planes, window->count_bytes, bytes));
    if (room > log->buffer_bytes) {
        free(log->buffer);
        log->buffer = malloc(room);
        log->buffer_bytes = log->buffer ? room : 0;
    }
    if (!log->sum)
        log->sum = XXH3_createState();
    if (!log->buffer || !log->sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of a tile", room);
    XXH3_64bits_reset(log->sum);
    return STATUS_OK;
}

static enum status record_write(struct tile_log *log, const struct tile_record *record)
{
    if (!file_bytes_put(log->records, record, sizeof *record, (off_t)log->records_end))
        return log_failed(log, errno);
    log->records_end += sizeof *record;
    pthread_mutex_lock(&log->mutex);
    log->dirty = true;
    int failure = log->failure;
    pthread_mutex_unlock(&log->mutex);
    return failure ? log_failed(log, failure) : STATUS_OK;
}

static enum status tile_write(struct tile_log *log, const struct tile *tile,
                              const struct field *field)
{
    struct tile_record record = {.magic = RECORD_MAGIC,
                                 .job = log->job,
                                 .tile = *tile,
                                 .planes = field->planes,
                                 .count_bytes = (uint32_t)field->count_bytes,
                                 .offset = log->end};
    struct field window = tile_window(tile, field);
    struct tile_slice slice = {.offset = (off_t)log->end};
    size_t bytes;
    TRY(buffer_take(log, &window, &bytes));
    for (slice_next(&window, &slice); slice.plane < PLANES; slice_next(&window, &slice)) {
        slice_copy(log, &window, &slice, PIECE_IN);
        XXH3_64bits_update(log->sum, log->buffer, slice_bytes(&slice));
        if (!file_bytes_put(log->pixels, log->buffer, slice_bytes(&slice), slice.offset))
            return log_failed(log, errno);
    }
    record.bytes = bytes;
    record.pixels_checksum = XXH3_64bits_digest(log->sum);
    record.checksum = record_sum(&record);
    log->end += bytes;
    thread_begin(log);
    return record_write(log, &record);
}

static enum status tile_wait(struct tile_log *log, const struct tile *tile)
{
    if (log->waiting_count == log->waiting_room) {
        uint32_t room = log->waiting_room ? 2 * log->waiting_room : 256;
        struct tile *more = realloc(log->waiting, room * sizeof *more);
        if (!more)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u tiles", room);
        log->waiting = more;
        log->waiting_room = room;
    }
    log->waiting[log->waiting_count++] = *tile;
    return STATUS_OK;
}

enum status tile_log_add(struct tile_log *log, const struct tile_log_job *job,
                         const struct tile *tile, const struct field *field, bool writes)
{
    if (job->y != log->job.y || job->height != log->job.height || job->job != log->job.job)
        log->waiting_count = 0;
    log->job = *job;
    if (!writes)
        return tile_wait(log, tile);
    for (uint32_t i = 0; i < log->waiting_count; i++)
        TRY(tile_write(log, &log->waiting[i], field));
    log->waiting_count = 0;
    return tile_write(log, tile, field);
}

enum status tile_log_clear(struct tile_log *log)
{
    log->waiting_count = 0;
    if (log->records_end == 0 && log->end == 0)
        return STATUS_OK;
    thread_end(log);
    log->found_count = 0;
    log->dirty = false;
    log->end = log->records_end = 0;
    /* Records first: they must not outlive the pixels that they name. */
    if (TEMP_FAILURE_RETRY(ftruncate(log->records, 0)) != 0 ||
        TEMP_FAILURE_RETRY(ftruncate(log->pixels, 0)) != 0)
        return log_failed(log, errno);
    return log->failure ? log_failed(log, log->failure) : STATUS_OK;
}

/* ---- restoring ------------------------------------------------------------------------------- */

uint32_t tile_log_count(const struct tile_log *log, int32_t y)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->found_count; i++)
        count += log->found[i].job.y == y;
    return count;
}

/* Mask of the pixels of a frame that are restored: one bit for each. */
struct pixel_mask {
    uint64_t *bits;
    size_t words; /* words of a row */
};

static bool is_of(const struct tile_record *record, const struct tile_log_job *job,
                  const struct field *field)
{
    const struct tile *tile = &record->tile;
    int64_t bands = tile->band ? (tile->height - 1) / tile->band : 0;
    int64_t last = tile->y + bands * tile->band_step + tile->height - 1 - bands * tile->band;
    size_t bytes;
    return record->job.y == job->y && record->job.height == job->height &&
           record->job.job == job->job && record->planes == field->planes &&
           record->count_bytes == (uint32_t)field->count_bytes &&
           tile->width <= field->width - tile->x && last < field->height &&
           (!tile->band || tile->width == field->width) &&
           field_bytes(tile->width, tile->height, field->planes, field->count_bytes, &bytes) ==
               STATUS_OK &&
           record->bytes == bytes;
}

/* Row of the frame in which row `row` of a tile lies. */
static int32_t frame_row(const struct tile *tile, int32_t row)
{
    return tile->band ? tile->y + row / tile->band * tile->band_step + row % tile->band
                      : tile->y + row;
}

static void known_set(struct pixel_mask *known, const struct tile *tile)
{
    for (int32_t row = 0; row < tile->height; row++) {
        uint64_t *bits = known->bits + (size_t)frame_row(tile, row) * known->words;
        for (int32_t x = tile->x; x < tile->x + tile->width; x++)
            bits[x / 64] |= UINT64_C(1) << x % 64;
    }
}

static bool known_all(const struct pixel_mask *known, const struct tile *tile)
{
    for (int32_t row = 0; row < tile->height; row++) {
        const uint64_t *bits = known->bits + (size_t)frame_row(tile, row) * known->words;
        for (int32_t x = tile->x; x < tile->x + tile->width; x++)
            if (!(bits[x / 64] >> x % 64 & 1))
                return false;
    }
    return true;
}

static bool piece_read(const struct tile_log *log, const struct tile_slice *slice)
{
    return file_bytes_get(log->pixels, log->buffer, slice_bytes(slice), slice->offset);
}

/* Restores a tile; *good is false if its pixels are damaged. They are summed before any is copied,
 * because other tiles may have the same pixels. */
static enum status record_take(struct tile_log *log, const struct tile_record *record,
                               struct field *field, bool *taken)
{
    struct field window = tile_window(&record->tile, field);
    const struct tile_slice begin = {.offset = (off_t)record->offset};
    struct tile_slice slice = begin;
    size_t bytes;
    *taken = false;
    TRY(buffer_take(log, &window, &bytes));
    for (slice_next(&window, &slice); slice.plane < PLANES; slice_next(&window, &slice)) {
        if (!piece_read(log, &slice))
            return STATUS_OK;
        XXH3_64bits_update(log->sum, log->buffer, slice_bytes(&slice));
    }
    if (XXH3_64bits_digest(log->sum) != record->pixels_checksum)
        return STATUS_OK;
    slice = begin;
    for (slice_next(&window, &slice); slice.plane < PLANES; slice_next(&window, &slice)) {
        if (!piece_read(log, &slice))
            return status_fail(STATUS_IO, "cannot read %s: %s", log->path, strerror(errno));
        slice_copy(log, &window, &slice, PIECE_OUT);
    }
    *taken = true;
    return STATUS_OK;
}

enum status tile_log_restore(struct tile_log *log, const struct tile_log_job *job,
                             const struct tile *tiles, uint32_t count, struct field *field,
                             bool *is_known)
{
    struct pixel_mask known = {.words = ((size_t)field->width + 63) / 64};
    known.bits = calloc((size_t)field->height * known.words, sizeof *known.bits);
    if (!known.bits)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to resume from %s", log->path);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < log->found_count; i++) {
        bool taken;
        if (!is_of(&log->found[i], job, field))
            continue;
        status = record_take(log, &log->found[i], field, &taken);
        if (taken)
            known_set(&known, &log->found[i].tile);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++)
        is_known[i] = known_all(&known, &tiles[i]);
    free(known.bits);
    return status;
}
