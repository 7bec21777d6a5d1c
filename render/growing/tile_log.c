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
enum { PIECE_BYTES = 1 << 20 };                         /* or a row, if that has more */
enum { RECORDS_MOST = 1 << 22, RECORDS_AT_ONCE = 256 }; /* that are read: 16k x 16k in tiles of 8 */
#define FILE_BYTES_MOST (UINT64_C(1) << 62)

struct record { /* as it lies in the file */
    uint64_t magic;
    struct tile_log_job job;
    struct tile tile;
    uint32_t planes, count_bytes;
    uint64_t offset, bytes; /* in the file of pixels */
    uint64_t pixels_checksum;
    uint64_t checksum; /* of all before */
};

struct tile_log {
    char *path; /* of the folder, for messages */
    int pixels, records;
    struct record *found; /* by open */
    uint32_t found_count;
    uint64_t end, records_end; /* of both files */
    void *buffer;              /* a piece of a tile's pixels */
    size_t buffer_bytes;
    XXH3_state_t *sum; /* of the pixels so far */
    /* Tiles that are noted, but not written: of the present job. */
    struct tile *waiting;
    uint32_t waiting_count, waiting_room;
    struct tile_log_job job;
    /* Shared with the thread: */
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

/* ---- bringing it to the disk ------------------------------------------------------------------
 */

/* `mutex` is held, but not while the disk is waited for. */
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

/* After this nothing is under way. */
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

static uint64_t record_sum(const struct record *record)
{
    return XXH3_64bits(record, offsetof(struct record, checksum));
}

static bool is_sound(const struct record *record)
{
    const struct tile *tile = &record->tile;
    return record->magic == RECORD_MAGIC && record->checksum == record_sum(record) &&
           tile->x >= 0 && tile->y >= 0 && tile->width >= 1 && tile->height >= 1 &&
           tile->band >= 0 && tile->band_step >= tile->band && record->offset <= FILE_BYTES_MOST &&
           record->bytes <= FILE_BYTES_MOST;
}

static void record_keep(struct tile_log *log, const struct record *record)
{
    if (!is_sound(record))
        return;
    log->found[log->found_count++] = *record;
    if (record->offset + record->bytes > log->end)
        log->end = record->offset + record->bytes;
}

/* Room for what is sound alone: a file may be long for nothing. */
static enum status records_read(struct tile_log *log)
{
    struct record some[RECORDS_AT_ONCE];
    struct stat about;
    if (fstat(log->records, &about) != 0)
        return log_failed(log, errno);
    uint64_t there = (uint64_t)about.st_size / sizeof *some;
    size_t count = there < RECORDS_MOST ? (size_t)there : RECORDS_MOST;
    log->records_end = count * sizeof *some; /* half a record is written over */
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < RECORDS_AT_ONCE ? count - i : RECORDS_AT_ONCE;
        size_t room = log->found_count + n;
        struct record *grown = realloc(log->found, room * sizeof *grown);
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

/* In the file the rows of a tile lie one behind the other, plane by plane. They are written and
 * read in pieces: a copy of the whole tile would be memory that no plan counts. */
struct piece {
    enum plane plane; /* PLANES: there is none any more */
    int32_t row, rows;
    size_t row_bytes;
    off_t place;
};

static size_t piece_bytes(const struct piece *piece)
{
    return (size_t)piece->rows * piece->row_bytes;
}

/* The one behind it; behind {.place = where the tile is}: the first. */
static void piece_next(const struct field *window, struct piece *piece)
{
    piece->place += (off_t)piece_bytes(piece);
    piece->row += piece->rows;
    if (piece->rows && piece->row == window->height) {
        piece->plane++;
        piece->row = 0;
    }
    while (piece->plane < PLANES && !window->plane[piece->plane])
        piece->plane++;
    if (piece->plane == PLANES)
        return;
    piece->row_bytes =
        (size_t)window->width * element_bytes(plane_element(piece->plane, window->count_bytes));
    size_t rows = piece->row_bytes < PIECE_BYTES ? PIECE_BYTES / piece->row_bytes : 1;
    int32_t left = window->height - piece->row;
    piece->rows = (size_t)left < rows ? left : (int32_t)rows;
}

enum piece_way { PIECE_IN, PIECE_OUT };

/* Between the buffer and the tile's place in the frame. */
static void piece_copy(const struct tile_log *log, const struct field *window,
                       const struct piece *piece, enum piece_way way)
{
    char *at = log->buffer;
    for (int32_t row = piece->row; row < piece->row + piece->rows; row++, at += piece->row_bytes) {
        void *pixels = field_row(window, piece->plane, row);
        if (way == PIECE_IN)
            memcpy(at, pixels, piece->row_bytes);
        else
            memcpy(pixels, at, piece->row_bytes);
    }
}

/* Memory for any piece of the tile, which is kept, and its bytes in all. */
static enum status buffer_take(struct tile_log *log, const struct field *window, size_t *bytes)
{
    size_t row = (size_t)window->width * sizeof(uint64_t);
    size_t room = row > PIECE_BYTES ? row : PIECE_BYTES;
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

static enum status record_write(struct tile_log *log, const struct record *record)
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
    struct record record = {.magic = RECORD_MAGIC,
                            .job = log->job,
                            .tile = *tile,
                            .planes = field->planes,
                            .count_bytes = (uint32_t)field->count_bytes,
                            .offset = log->end};
    struct field window = tile_window(tile, field);
    struct piece piece = {.place = (off_t)log->end};
    size_t bytes;
    TRY(buffer_take(log, &window, &bytes));
    for (piece_next(&window, &piece); piece.plane < PLANES; piece_next(&window, &piece)) {
        piece_copy(log, &window, &piece, PIECE_IN);
        XXH3_64bits_update(log->sum, log->buffer, piece_bytes(&piece));
        if (!file_bytes_put(log->pixels, log->buffer, piece_bytes(&piece), piece.place))
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
    /* Records first: they must not outlive what they name. */
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

/* Pixels of a frame that are there: one bit for each. */
struct known {
    uint64_t *bits;
    size_t words; /* of a row */
};

static bool is_of(const struct record *record, const struct tile_log_job *job,
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

/* The row of the frame that row `row` of a tile lies in. */
static int32_t frame_row(const struct tile *tile, int32_t row)
{
    return tile->band ? tile->y + row / tile->band * tile->band_step + row % tile->band
                      : tile->y + row;
}

static void known_set(struct known *known, const struct tile *tile)
{
    for (int32_t row = 0; row < tile->height; row++) {
        uint64_t *bits = known->bits + (size_t)frame_row(tile, row) * known->words;
        for (int32_t x = tile->x; x < tile->x + tile->width; x++)
            bits[x / 64] |= UINT64_C(1) << x % 64;
    }
}

static bool known_all(const struct known *known, const struct tile *tile)
{
    for (int32_t row = 0; row < tile->height; row++) {
        const uint64_t *bits = known->bits + (size_t)frame_row(tile, row) * known->words;
        for (int32_t x = tile->x; x < tile->x + tile->width; x++)
            if (!(bits[x / 64] >> x % 64 & 1))
                return false;
    }
    return true;
}

static bool piece_read(const struct tile_log *log, const struct piece *piece)
{
    return file_bytes_get(log->pixels, log->buffer, piece_bytes(piece), piece->place);
}

/* False: its pixels are damaged. They are summed before any is copied: those of other tiles may lie
 * in the same place. */
static enum status record_take(struct tile_log *log, const struct record *record,
                               struct field *field, bool *taken)
{
    struct field window = tile_window(&record->tile, field);
    const struct piece begin = {.place = (off_t)record->offset};
    struct piece piece = begin;
    size_t bytes;
    *taken = false;
    TRY(buffer_take(log, &window, &bytes));
    for (piece_next(&window, &piece); piece.plane < PLANES; piece_next(&window, &piece)) {
        if (!piece_read(log, &piece))
            return STATUS_OK;
        XXH3_64bits_update(log->sum, log->buffer, piece_bytes(&piece));
    }
    if (XXH3_64bits_digest(log->sum) != record->pixels_checksum)
        return STATUS_OK;
    piece = begin;
    for (piece_next(&window, &piece); piece.plane < PLANES; piece_next(&window, &piece)) {
        if (!piece_read(log, &piece))
            return status_fail(STATUS_IO, "cannot read %s: %s", log->path, strerror(errno));
        piece_copy(log, &window, &piece, PIECE_OUT);
    }
    *taken = true;
    return STATUS_OK;
}

enum status tile_log_restore(struct tile_log *log, const struct tile_log_job *job,
                             const struct tile *tiles, uint32_t count, struct field *field,
                             bool *is_known)
{
    struct known known = {.words = ((size_t)field->width + 63) / 64};
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
