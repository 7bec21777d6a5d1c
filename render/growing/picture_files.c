#include "render/growing/picture_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"

/* Largest share of a strip's time for keeping tiles: devices may compute faster than a disk takes
 * pixels, and then some are computed again rather than all kept. */
#define TILES_SHARE 0.05

enum { HEAD_VERSION = 2 };
/* intervals between checkpoints, since syncing files takes time */
enum { CHECKPOINT_INTERVALS = 2 };

/* Record of a file in the journal: the bytes of its state, which follow, and the sums of its rows.
 * 0 bytes: nothing was kept. A file that has failed keeps its last record. */
struct file_kept {
    uint64_t bytes, pixels, interior;
};

struct picture_file {
    struct sink *sink;
    bool failed, placed; /* placed: an interrupted run has given the file its name */
    int32_t rows;        /* rows written by an interrupted run */
    struct file_kept kept;
};

/* Head of the state; a file_kept and its bytes follow for each file. */
struct files_head {
    uint64_t version, count;
    char settled[DISTRIBUTION_TEXT_BYTES];
};

struct picture_files {
    struct picture_files_options options;
    struct journal_left left;
    uint64_t pixels_before, interior_before; /* sums of an interrupted run */
    bool given_up;                           /* the journal is given up */
    char warning[STATUS_TEXT_BYTES];         /* reason why */
    struct picture_consumer consumer;
    struct picture_parts parts;
    int32_t strip_rows;
    struct sink_request *requests;
    struct picture_file *file;   /* NULL: not begun */
    enum status failure;         /* first failure */
    char why[STATUS_TEXT_BYTES]; /* sentence of that failure */
    struct files_head head;
    struct copied_rows {    /* rows that picture_files_end puts into the files */
        struct field field; /* width 0: there are none */
        float (*light)[3];  /* NULL: there is only the centre */
    } copied;
    struct picture_summing summing;
    int32_t rows_summed;    /* rows before this one are in the sums */
    int32_t rows;           /* rows in the files */
    int32_t rows_kept;      /* rows at the last checkpoint */
    double strip_s, kept_s; /* time when the strip began, and when it was last synced */
    double tiles_s;         /* time of the strip spent on keeping tiles */
    double seconds;
};

static enum status no_memory(void)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the files of a picture");
}

/* ---- the files ------------------------------------------------------------------------------- */

/* Ends this file with its first failure. Ends the picture where no file is left or a stop was
 * requested. */
static enum status file_failed(struct picture_files *files, struct picture_file *file,
                               enum status status)
{
    size_t alive = 0;
    file->failed = true;
    if (files->failure == STATUS_OK) {
        files->failure = status;
        snprintf(files->why, sizeof files->why, "%s", status_text());
    }
    for (size_t i = 0; i < files->options.count; i++)
        alive += !files->file[i].failed;
    return alive && status != STATUS_STOPPED ? STATUS_OK : status;
}

static enum status left_damaged(const struct picture_files *files)
{
    return status_fail(STATUS_BAD_DATA, "%s is damaged; remove it, and begin again",
                       journal_folder(files->options.journal));
}

/* Reports that the rest of a file cannot be used, and the remedy. */
static enum status file_damaged(const struct picture_files *files)
{
    char why[STATUS_TEXT_BYTES];
    snprintf(why, sizeof why, "%s", status_text());
    return status_fail(STATUS_BAD_DATA, "%.700s, after removing %.300s", why,
                       journal_folder(files->options.journal));
}

/* Takes the next of the records behind the head; false: they end here. */
static bool kept_next(struct file_kept *kept, const char **state, size_t *bytes, const char **own)
{
    if (*bytes < sizeof *kept)
        return false;
    memcpy(kept, *state, sizeof *kept);
    if (kept->bytes > *bytes - sizeof *kept)
        return false;
    *own = *state + sizeof *kept;
    *state = *own + kept->bytes;
    *bytes -= sizeof *kept + (size_t)kept->bytes;
    return true;
}

/* Opens a file; one without a record begins anew. */
static enum status file_open(struct picture_files *files, size_t number, const char **state,
                             size_t *bytes)
{
    struct picture_file *file = &files->file[number];
    const struct sink_request *request = &files->requests[number];
    const char *own;
    if (*state && !kept_next(&file->kept, state, bytes, &own))
        return left_damaged(files);
    if (!*state || file->kept.bytes == 0)
        return sink_begin(&file->sink, request);
    enum status status =
        sink_resume(&file->sink, request, own, (size_t)file->kept.bytes, &file->rows);
    if (status != STATUS_OK)
        return status == STATUS_BAD_DATA ? file_damaged(files) : status;
    file->placed = file->rows == request->field->height;
    return STATUS_OK;
}

/* Sets the rows from which the picture goes on: the least of the files that have not failed. */
static void rows_settle(struct picture_files *files)
{
    const struct picture_file *last = NULL;
    for (size_t i = 0; i < files->options.count; i++) {
        const struct picture_file *file = &files->file[i];
        if (!file->failed && !file->placed && (!last || file->rows < last->rows))
            last = file;
    }
    if (!last)
        return;
    files->rows = last->rows;
    files->pixels_before = last->kept.pixels;
    files->interior_before = last->kept.interior;
}

/* Gives up a journal that cannot be written; the picture goes on, since the space left may be
 * enough for the files. */
static void journal_give_up(struct picture_files *files, enum status status)
{
    if (status == STATUS_OK || files->given_up)
        return;
    files->given_up = true;
    snprintf(files->warning, sizeof files->warning,
             "an interruption would cost everything from now on: %.900s", status_text());
}

static bool keeps(const struct picture_files *files)
{
    return files->options.journal && !files->given_up;
}

/* Begins the journal; fails where another run writes, or has written, the file. */
static enum status keeping_try(struct picture_files *files)
{
    enum status status = journal_begin(files->options.journal, files->strip_rows);
    if (status != STATUS_OK && journal_is_late(files->options.journal))
        return status;
    journal_give_up(files, status);
    return STATUS_OK;
}

/* Is there a journal in which files grow? One that was removed is given up. */
static bool grows_there(struct picture_files *files)
{
    const struct journal *journal = files->options.journal;
    if (!journal || !journal_begun(journal))
        return false;
    bool there = journal_is_there(journal);
    if (!there && keeps(files))
        journal_give_up(
            files, status_fail(STATUS_IO, "%s was removed by somebody", journal_folder(journal)));
    return there;
}

/* Opens a file in the journal or, if that is removed meanwhile, beside its target. */
static enum status file_open_anywhere(struct picture_files *files, size_t number,
                                      const char **state, size_t *bytes)
{
    struct sink_request *request = &files->requests[number];
    bool grows = grows_there(files);
    request->growing_folder = grows ? journal_folder(files->options.journal) : NULL;
    enum status status = file_open(files, number, state, bytes);
    if (status != STATUS_CANNOT_CREATE || !grows || *state || grows_there(files))
        return status;
    sink_destroy(files->file[number].sink);
    request->growing_folder = NULL;
    return file_open(files, number, state, bytes);
}

static enum status files_open(struct picture_files *files)
{
    size_t count = files->options.count, bytes = files->left.bytes;
    const char *state = files->left.state;
    if (state) { /* the head of its record has been read */
        state += sizeof files->head;
        bytes -= sizeof files->head;
    }
    files->requests = calloc(count, sizeof *files->requests);
    files->file = files->requests ? calloc(count, sizeof *files->file) : NULL;
    if (!files->file)
        return no_memory();
    TRY(files->options.requests(files->options.context, files->requests, files->head.settled));
    for (size_t i = 0; i < count; i++) {
        enum status status = file_open_anywhere(files, i, &state, &bytes);
        if (status == STATUS_BAD_DATA)
            return status;
        if (status != STATUS_OK)
            TRY(file_failed(files, &files->file[i], status));
    }
    if (files->left.state)
        rows_settle(files);
    return STATUS_OK;
}

static enum status rows_add(struct picture_files *files, const struct sink_rows *rows)
{
    for (size_t i = 0; i < files->options.count; i++) {
        struct picture_file *file = &files->file[i];
        bool done = file->failed || file->placed || rows->y < file->rows;
        enum status status = done ? STATUS_OK : sink_add(file->sink, rows);
        if (status != STATUS_OK)
            TRY(file_failed(files, file, status));
    }
    return STATUS_OK;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static bool bytes_append(char **all, size_t *length, const void *bytes, size_t count)
{
    char *more = realloc(*all, *length + count);
    if (!more)
        return false;
    memcpy(more + *length, bytes, count);
    *all = more;
    *length += count;
    return true;
}

/* Reads the journal's record of a file that has failed since; 0 bytes: none. */
static void *kept_again(const struct picture_files *files, size_t number, struct file_kept *kept)
{
    size_t bytes;
    char *all = journal_state(files->options.journal, &bytes), *state = NULL;
    const char *at = all + sizeof files->head, *own = NULL;
    bool found = all && bytes >= sizeof files->head;
    bytes -= found ? sizeof files->head : 0;
    for (size_t i = 0; found && i <= number; i++)
        found = kept_next(kept, &at, &bytes, &own);
    if (found && kept->bytes && (state = malloc(kept->bytes)))
        memcpy(state, own, kept->bytes);
    if (!state)
        *kept = (struct file_kept){0};
    free(all);
    return state;
}

static enum status file_append(struct picture_files *files, size_t number, char **all,
                               size_t *length)
{
    struct picture_file *file = &files->file[number];
    void *state = NULL;
    size_t bytes = 0;
    enum status status = file->failed ? STATUS_OK : sink_checkpoint(file->sink, &state, &bytes);
    if (status != STATUS_OK)
        status = file_failed(files, file, status);
    file->kept.bytes = bytes;
    if (file->failed) {
        state = kept_again(files, number, &file->kept);
    } else if (file->rows <= files->rows) {
        struct picture_sums sums = picture_files_sums(files);
        file->kept.pixels = sums.pixels;
        file->kept.interior = sums.interior;
    }
    size_t kept = (size_t)file->kept.bytes;
    if (status == STATUS_OK && (!bytes_append(all, length, &file->kept, sizeof file->kept) ||
                                (kept && !bytes_append(all, length, state, kept))))
        status = no_memory();
    free(state);
    return status;
}

/* Syncs the files and writes a checkpoint. */
static enum status files_keep(struct picture_files *files)
{
    char *all = NULL;
    size_t length = 0;
    files->head.version = HEAD_VERSION;
    files->head.count = files->options.count;
    enum status status = STATUS_OK;
    if (files->file && !bytes_append(&all, &length, &files->head, sizeof files->head))
        status = no_memory();
    for (size_t i = 0; files->file && status == STATUS_OK && i < files->options.count; i++)
        status = file_append(files, i, &all, &length);
    if (status == STATUS_OK)
        journal_give_up(files,
                        journal_checkpoint(files->options.journal, files->rows, all, length));
    free(all);
    files->rows_kept = files->rows;
    files->kept_s = clock_s();
    return status;
}

/* ---- the picture comes ----------------------------------------------------------------------- */

/* Opens the files. In a picture in strips they grow in the journal from the beginning; in a picture
 * in one strip only if tiles are in it, and then the journal lists them before they have names. */
static enum status files_begin(struct picture_files *files, int32_t rows)
{
    bool several = rows < files->options.height;
    if (several && keeps(files))
        TRY(keeping_try(files));
    TRY(files_open(files));
    bool tiled = !several && keeps(files) && grows_there(files);
    return tiled ? files_keep(files) : STATUS_OK;
}

/* Polls the stop flag between bands: a strip of 8K takes tens of milliseconds. */
static enum status strip_sum(struct picture_files *files, const struct field *field)
{
    enum { BAND_PIXELS = 1 << 20 };
    int32_t band = field->width < BAND_PIXELS ? BAND_PIXELS / field->width : 1;
    for (int32_t y = 0; y < field->height; y += band) {
        int32_t left = field->height - y;
        struct field rows = field_window(field, 0, y, field->width, left < band ? left : band);
        if (files->options.count)
            TRY(sink_stopped(files->requests));
        picture_summing_add(&files->summing, &rows);
    }
    return STATUS_OK;
}

static enum status strip_take(struct picture_files *files, int32_t y, const struct field *field,
                              const float (*light)[3])
{
    struct sink_rows rows = {.y = y, .height = field->height, .field = *field, .light = light};
    if (!files->file)
        TRY(files_begin(files, field->height));
    if (files->rows_summed < y + field->height)
        TRY(strip_sum(files, field));
    files->rows_summed = y + field->height;
    TRY(rows_add(files, &rows));
    files->rows = y + field->height;
    files->strip_s = clock_s();
    files->tiles_s = 0;
    bool due = files->strip_s - files->kept_s >= CHECKPOINT_INTERVALS * files->options.interval_s;
    if (due && files->rows < files->options.height && keeps(files) && grows_there(files))
        TRY(files_keep(files));
    return STATUS_OK;
}

static void copied_close(struct copied_rows *copied)
{
    field_destroy(&copied->field);
    free(copied->light);
    *copied = (struct copied_rows){.light = NULL};
}

/* Are these all rows of a picture that is small enough for copied_bytes? */
static bool is_copied(const struct picture_files *files, const struct field *field)
{
    uint64_t pixels = (uint64_t)field->width * (uint64_t)field->height;
    uint64_t pixel = planes_bytes(field->planes, field->count_bytes) + sizeof(float[3]);
    return field->height == files->options.height && pixels <= files->options.copied_bytes / pixel;
}

/* Copies the rows of a small picture, since the memory that they lie in is that of the next one.
 * False: it is a large one, or there is no memory. */
static bool rows_copy(struct picture_files *files, const struct field *field,
                      const float (*light)[3])
{
    struct copied_rows *copied = &files->copied;
    size_t light_bytes = (size_t)field->width * (size_t)field->height * sizeof *light;
    if (!is_copied(files, field))
        return false;
    if (light)
        copied->light = malloc(light_bytes);
    bool good =
        (copied->light || !light) && field_create(&copied->field, field->width, field->height,
                                                  field->planes, field->count_bytes) == STATUS_OK;
    if (good)
        field_copy(&copied->field, field);
    if (good && light)
        memcpy(copied->light, light, light_bytes);
    if (!good)
        copied_close(copied);
    return good;
}

/* Sums the rows of a large picture, whose light takes about as long to come from a GPU. */
static enum status numbers(void *context, int32_t y, const struct field *field)
{
    struct picture_files *files = context;
    double begin_s = clock_s();
    if (is_copied(files, field))
        return STATUS_OK;
    enum status status = files->file ? STATUS_OK : files_begin(files, field->height);
    if (status == STATUS_OK)
        status = strip_sum(files, field);
    files->rows_summed = y + field->height;
    files->seconds += clock_s() - begin_s;
    return status;
}

/* Puts the copied rows into the files. */
static enum status copied_take(struct picture_files *files)
{
    struct copied_rows *copied = &files->copied;
    if (!copied->field.width)
        return STATUS_OK;
    enum status status = strip_take(files, 0, &copied->field, (const float(*)[3])copied->light);
    copied_close(copied);
    return status;
}

static enum status strip(void *context, int32_t y, const struct field *field,
                         const float (*light)[3])
{
    struct picture_files *files = context;
    double begin_s = clock_s();
    enum status status =
        rows_copy(files, field, light) ? STATUS_OK : strip_take(files, y, field, light);
    files->seconds += clock_s() - begin_s;
    return status;
}

/* Begins the journal: in a picture in one strip with the first tile that it keeps; in one in strips
 * after the files are synced. */
static enum status keeping_begin(struct picture_files *files)
{
    if (journal_begun(files->options.journal) && !grows_there(files))
        return STATUS_OK;
    TRY(keeping_try(files));
    return keeps(files) && files->rows_kept != files->rows ? files_keep(files) : STATUS_OK;
}

static void tile_keep(struct picture_files *files, const struct tile_log_job *job,
                      const struct tile *tile, const struct field *field, bool writes)
{
    struct journal *journal = files->options.journal;
    double begin_s = clock_s();
    if (keeps(files) && journal_begun(journal))
        journal_give_up(files, tile_log_add(journal_tiles(journal), job, tile, field, writes));
    files->tiles_s += clock_s() - begin_s;
}

static bool tile_due(void *context)
{
    const struct picture_files *files = context;
    double strip_s = clock_s() - files->strip_s;
    bool writes = strip_s >= files->options.interval_s;
    return keeps(files) && files->tiles_s <= TILES_SHARE * strip_s &&
           (writes || journal_begun(files->options.journal));
}

static enum status tile(void *context, int32_t y, uint64_t job, const struct tile *tile,
                        const struct field *field)
{
    struct picture_files *files = context;
    const struct tile_log_job of = {.y = y, .height = field->height, .job = job};
    double strip_s = clock_s() - files->strip_s;
    bool writes = strip_s >= files->options.interval_s;
    if (!keeps(files) || files->tiles_s > TILES_SHARE * strip_s)
        return STATUS_OK;
    if (writes)
        TRY(keeping_begin(files));
    tile_keep(files, &of, tile, field, writes);
    return STATUS_OK;
}

static enum status restore(void *context, uint64_t job, const struct tile *tiles, uint32_t count,
                           struct field *field, bool *known)
{
    struct picture_files *files = context;
    const struct tile_log_job of = {.y = files->rows, .height = field->height, .job = job};
    return tile_log_restore(journal_tiles(files->options.journal), &of, tiles, count, field, known);
}

/* ---- rows that other ranks write ------------------------------------------------------------- */

static enum status parts_begin(void *context, const struct sink_request **requests,
                               uint64_t *offsets)
{
    struct picture_files *files = context;
    if (!files->file)
        TRY(files_begin(files, 0));
    if (!keeps(files))
        return status_fail(STATUS_CANNOT_CREATE, "%s", files->warning);
    *requests = files->requests;
    for (size_t i = 0; i < files->options.count; i++) {
        if (files->file[i].failed)
            return status_fail(files->failure, "%.900s", files->why);
        if (files->file[i].placed || files->file[i].rows != files->rows)
            return status_fail(STATUS_CANNOT_CREATE, "%s has other rows than the rest by now",
                               files->requests[i].path);
        TRY(sink_part_begin(files->file[i].sink, &offsets[i]));
    }
    return STATUS_OK;
}

static bool parts_due(void *context)
{
    const struct picture_files *files = context;
    return keeps(files) &&
           clock_s() - files->kept_s >= CHECKPOINT_INTERVALS * files->options.interval_s;
}

static enum status parts_add(void *context, int32_t rows, const uint64_t *length,
                             const uint32_t *sum, uint64_t interior)
{
    struct picture_files *files = context;
    uint64_t pixels = (uint64_t)rows * (uint64_t)files->requests[0].field->width;
    for (size_t i = 0; i < files->options.count; i++)
        TRY(sink_part_add(files->file[i].sink, rows, length[i], sum[i]));
    files->rows += rows;
    picture_summing_skip(&files->summing, pixels, interior);
    files->strip_s = clock_s();
    return STATUS_OK;
}

static enum status parts_keep(void *context)
{
    struct picture_files *files = context;
    return keeps(files) && files->rows < files->options.height ? files_keep(files) : STATUS_OK;
}

/* ---- the way through ------------------------------------------------------------------------- */

/* Reads the state of an interrupted run. */
static enum status left_take(struct picture_files *files)
{
    struct files_head head;
    files->left = journal_left(files->options.journal);
    if (files->left.rows >= files->options.height)
        return left_damaged(files);
    if (!files->left.state)
        return STATUS_OK;
    if (files->left.bytes >= sizeof head)
        memcpy(&head, files->left.state, sizeof head);
    if (files->left.bytes < sizeof head || head.version != HEAD_VERSION ||
        head.count != files->options.count || !memchr(head.settled, 0, sizeof head.settled))
        return left_damaged(files);
    files->head = head;
    files->rows = files->rows_kept = files->left.rows;
    return files_open(files);
}

enum status picture_files_open(struct picture_files **out,
                               const struct picture_files_options *options)
{
    struct picture_files *files = calloc(1, sizeof *files);
    *out = files;
    if (!files)
        return no_memory();
    *files = (struct picture_files){.options = *options};
    files->strip_s = files->kept_s = clock_s();
    if (options->journal)
        TRY(left_take(files));
    if (files->rows > 0) /* checksums cannot be continued in the middle */
        return STATUS_OK;
    return picture_summing_begin(&files->summing, options->planes);
}

bool picture_files_complete(const struct picture_files *files)
{
    bool complete = files->file != NULL;
    for (size_t i = 0; complete && i < files->options.count; i++)
        complete = files->file[i].placed || files->file[i].failed;
    return complete;
}

const struct picture_consumer *picture_files_consumer(struct picture_files *files,
                                                      int32_t strip_rows)
{
    files->strip_rows = strip_rows;
    files->parts = (struct picture_parts){.begin = parts_begin,
                                          .count = files->options.count,
                                          .due = parts_due,
                                          .add = parts_add,
                                          .keep = parts_keep};
    bool tiles = files->left.tiles && files->rows == files->left.rows;
    files->consumer =
        (struct picture_consumer){.context = files,
                                  .strip = strip,
                                  .numbers = numbers,
                                  .tile = files->options.journal ? tile : NULL,
                                  .tile_due = tile_due,
                                  .parts = files->options.journal ? &files->parts : NULL,
                                  .rows_before = files->rows,
                                  .restore = tiles ? restore : NULL};
    return &files->consumer;
}

enum status picture_files_end(struct picture_files *files, struct atomic_file_set *set)
{
    double begin_s = clock_s();
    enum status status = copied_take(files);
    for (size_t i = 0; status == STATUS_OK && i < files->options.count; i++) {
        struct picture_file *file = &files->file[i];
        size_t before = set->count;
        enum status ended = file->failed || file->placed ? STATUS_OK : sink_end(file->sink, set);
        if (ended == STATUS_OK)
            continue;
        atomic_file_set_cut(set, before);
        status = file_failed(files, file, ended);
    }
    files->seconds += clock_s() - begin_s;
    return status;
}

enum status picture_files_verdict(struct picture_files *files)
{
    const struct journal *journal = files->options.journal;
    size_t failed = 0;
    for (size_t i = 0; i < files->options.count; i++)
        failed += files->file[i].failed;
    bool again = failed && journal && journal_begun(journal) && journal_is_there(journal) &&
                 files->rows_kept > 0;
    if (journal && !again)
        journal_remove(files->options.journal);
    if (failed == 0)
        return STATUS_OK;
    if (failed == files->options.count)
        return status_fail(files->failure, "%.900s", files->why);
    return status_fail(files->failure, "%.700s; the other files are complete%s%.200s", files->why,
                       again ? ", and the same command tries again, with what is in " : "",
                       again ? journal_folder(journal) : "");
}

struct picture_sums picture_files_sums(const struct picture_files *files)
{
    struct picture_sums sums = picture_summing_end(&files->summing);
    sums.pixels += files->left.state ? files->pixels_before : 0;
    sums.interior += files->left.state ? files->interior_before : 0;
    return sums;
}

const char *picture_files_warning(const struct picture_files *files)
{
    return files->warning;
}

double picture_files_seconds(const struct picture_files *files)
{
    return files->seconds;
}

void picture_files_close(struct picture_files *files)
{
    if (!files)
        return;
    for (size_t i = 0; files->file && i < files->options.count; i++)
        sink_destroy(files->file[i].sink);
    picture_summing_close(&files->summing);
    copied_close(&files->copied);
    free(files->file);
    free(files->requests);
    free(files);
}
