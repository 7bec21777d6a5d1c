#include "render/file/sink.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include "kernels/stop.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/view/description.h"
#include "render/file/png_text.h"

extern const struct sink_kind sink_dzi, sink_exr, sink_jpg, sink_npy, sink_png, sink_rows_file,
    sink_tif, sink_webp;

const struct sink_kind *const sink_kinds[] = {
    &sink_png, /* first: the kind of a device without a suffix */
    &sink_exr, &sink_npy, &sink_tif, &sink_jpg, &sink_webp, &sink_dzi, &sink_rows_file,
};
const int sink_kinds_count = sizeof sink_kinds / sizeof sink_kinds[0];

const char *sink_overviews_name(int overviews)
{
    static const char *const names[] = {"auto", "yes", "no"};
    return overviews >= 0 && overviews < 3 ? names[overviews] : NULL;
}

static bool is_special(const char *path)
{
    struct stat about;
    return (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) ||
           atomic_file_is_stdout(path);
}

static enum status suffix_unknown(const char *path)
{
    char known[128];
    size_t used = 0;
    for (int i = 0; i < sink_kinds_count && used < sizeof known; i++)
        if (!sink_kinds[i]->partial)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                     sink_kinds[i]->suffix);
    return status_fail(STATUS_USAGE, "%s: the suffix decides the kind of file; known are %s", path,
                       known);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = suffix ? strlen(suffix) : length;
    return length > end && !strcasecmp(name + length - end, suffix);
}

enum status sink_for_path(const struct sink_kind **kind, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *kind = NULL;
    if (strlen(path) >= SINK_PATH_BYTES - 64) /* room for ".fraction" */
        return status_fail(STATUS_CANNOT_CREATE, "a path of %zu bytes is too long for a file",
                           strlen(path));
    for (int i = 0; i < sink_kinds_count && !*kind; i++)
        if (ends_in(name, sink_kinds[i]->suffix) || ends_in(name, sink_kinds[i]->other_suffix))
            *kind = sink_kinds[i];
    if (!*kind && is_special(path))
        *kind = sink_kinds[0];
    return *kind ? STATUS_OK : suffix_unknown(path);
}

enum status sink_for_output(const struct sink_kind **kind, const char *path)
{
    TRY(sink_for_path(kind, path));
    if (!(*kind)->partial)
        return STATUS_OK;
    return status_fail(STATUS_USAGE,
                       "-o %s: a %s file is what --part K/N writes beside the picture, which is "
                       "then made of all of them; name the picture, as x.png",
                       path, (*kind)->suffix);
}

struct disk {
    uint64_t free;    /* free bytes for this user; UINT64_MAX: without limit */
    unsigned long id; /* number of the disk; 0 for a device, which has none */
};

/* Disk of the folder of `path`. */
static enum status disk_of(struct disk *disk, const char *path)
{
    *disk = (struct disk){.free = UINT64_MAX};
    if (is_special(path))
        return STATUS_OK;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    struct statvfs about;
    int failed = folder ? statvfs(folder, &about) : -1;
    bool looked = folder;
    free(folder);
    if (failed)
        return status_fail(looked ? STATUS_CANNOT_CREATE : STATUS_OUT_OF_MEMORY,
                           "cannot ask for the free space of the disk of %s: %s", path,
                           strerror(errno));
    disk->id = about.f_fsid;
    if (__builtin_mul_overflow((uint64_t)about.f_bavail, (uint64_t)about.f_frsize, &disk->free))
        disk->free = UINT64_MAX;
    return STATUS_OK;
}

uint64_t sink_bytes_on_disk(const struct sink_request *request, const char *path)
{
    const struct sink_kind *kind;
    struct disk mine, theirs;
    if (sink_for_path(&kind, request->path) != STATUS_OK ||
        disk_of(&mine, request->path) != STATUS_OK || disk_of(&theirs, path) != STATUS_OK ||
        mine.id == 0 || mine.id != theirs.id)
        return 0;
    return kind->bytes_max(request);
}

/* Checks that `text` is not too long for readers of a view. */
static enum status text_check(const char *path, const char *text)
{
    if (text && strlen(text) > PNG_TEXT_BYTES_MAX)
        return status_fail(STATUS_TOO_LARGE, "%s: the view is %zu bytes of text; a file holds %d",
                           path, strlen(text), PNG_TEXT_BYTES_MAX);
    return STATUS_OK;
}

static enum status request_check(const struct sink_request *request, const struct sink_kind *kind)
{
    if (kind->positions && is_special(request->path))
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot write %s: %s files cannot go to a device or a pipe; name a file",
                           request->path, kind->suffix);
    TRY(text_check(request->path, request->view_text));
    return text_check(request->path, request->kfr_text);
}

enum status sink_check(const struct sink_request *request)
{
    const struct sink_kind *kind;
    char path[SINK_PATH_BYTES], before[64] = "";
    TRY(sink_for_path(&kind, request->path));
    TRY(request_check(request, kind));
    for (int i = 0; kind->file(request, i, path); i++)
        if (i == 0 || i != kind->folder)
            TRY(atomic_file_check(path, request->overwrite));
    uint64_t needed = kind->bytes_max(request), all;
    struct disk disk;
    TRY(disk_of(&disk, request->path));
    if (__builtin_add_overflow(needed, request->other_files_bytes, &all))
        all = UINT64_MAX;
    if (request->other_files_bytes)
        snprintf(before, sizeof before, ", the files before it %.3g GB",
                 (double)request->other_files_bytes * 1e-9);
    if (all > disk.free)
        return status_fail(
            STATUS_TOO_LARGE,
            "%s: %d x %d pixels can take %.3f GB as %s%s, and the disk has %.3f GB left; a "
            "smaller --size or another disk is needed",
            request->path, request->field->width, request->field->height, (double)needed * 1e-9,
            kind->name, before, (double)disk.free * 1e-9);
    return kind->check ? kind->check(request) : STATUS_OK;
}

/* ---- rows ---- */

struct sink {
    const struct sink_kind *kind;
    struct sink_request request;
    int32_t y;   /* the next row */
    bool placed; /* the files have got their names before; the state is that of the checkpoint */
    size_t state_bytes;
    void *state;
};

static enum status sink_create(struct sink **sink, const struct sink_request *request)
{
    const struct sink_kind *kind;
    *sink = NULL;
    TRY(sink_for_path(&kind, request->path));
    TRY(request_check(request, kind));
    struct sink *created = calloc(1, sizeof *created);
    void *state = created ? calloc(1, kind->state_bytes) : NULL;
    if (!state) {
        free(created);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    }
    *created = (struct sink){.kind = kind, .request = *request, .state = state};
    *sink = created;
    return STATUS_OK;
}

enum status sink_begin(struct sink **sink, const struct sink_request *request)
{
    TRY(sink_create(sink, request));
    return (*sink)->kind->begin((*sink)->state, &(*sink)->request);
}

enum status sink_add(struct sink *sink, const struct sink_rows *rows)
{
    const struct field *shape = sink->request.field;
    assert(rows->y == sink->y && rows->height <= shape->height - rows->y);
    assert(rows->field.width == shape->width && rows->field.height == rows->height);
    (void)shape;
    TRY(sink_stopped(&sink->request));
    TRY(sink->kind->rows(sink->state, rows));
    sink->y += rows->height;
    return STATUS_OK;
}

enum status sink_end(struct sink *sink, struct atomic_file_set *set)
{
    assert(sink->y == sink->request.field->height);
    return sink->placed ? STATUS_OK : sink->kind->end(sink->state, set);
}

void sink_destroy(struct sink *sink)
{
    if (!sink)
        return;
    if (!sink->placed)
        sink->kind->close(sink->state);
    free(sink->state);
    free(sink);
}

/* ---- checkpoints ---- */

enum { FILES_MOST = PLANES + 1 };

static const char mark_magic[16] = {'d', 'e', 'e', 'p', 'f', 'i', 'e', 'l',
                                    'd', ' ', 's', 'i', 'n', 'k', ' ', '1'};

/* Head of a state; the mark of the kind and the XXH3 of both follow. */
struct mark_head {
    char magic[sizeof mark_magic];
    uint64_t request;          /* hash of all members of a request that decide the bytes */
    uint64_t file[FILES_MOST]; /* ids of the files that grow */
    int32_t y, files;
};

static uint64_t text_sum(const char *text, uint64_t before)
{
    return XXH3_64bits_withSeed(text ? text : "", text ? strlen(text) + 1 : 0, before);
}

static uint64_t request_sum(const struct sink_request *request, const struct sink_kind *kind)
{
    const struct field *field = request->field;
    const uint64_t numbers[] = {(uint64_t)field->width,
                                (uint64_t)field->height,
                                field->planes,
                                (uint64_t)field->count_bytes,
                                (uint64_t)request->bits,
                                request->planes,
                                kind->mark_bytes,
                                (uint64_t)request->quality,
                                (uint64_t)request->overviews,
                                (uint64_t)(request->dpi * 1000),
                                request->picture ? (uint64_t)request->picture->spec.limit : 0};
    uint64_t sum = XXH3_64bits(numbers, sizeof numbers);
    const char *const texts[] = {kind->name, request->view_text, request->kfr_text, request->title};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        sum = text_sum(texts[i], sum);
    return sum;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool grown_path(const struct sink_request *request, const char *path, const char *suffix,
                       char *grown)
{
    return snprintf(grown, SINK_PATH_BYTES, "%s/%s%s", request->growing_folder, last_part(path),
                    suffix) < SINK_PATH_BYTES;
}

static void head_fill(struct mark_head *head, const struct sink *sink)
{
    char path[SINK_PATH_BYTES], grown[SINK_PATH_BYTES];
    const struct sink_request *request = &sink->request;
    *head = (struct mark_head){.request = request_sum(request, sink->kind), .y = sink->y};
    memcpy(head->magic, mark_magic, sizeof mark_magic);
    for (; head->files < FILES_MOST && sink->kind->file(request, head->files, path); head->files++)
        if (grown_path(request, path, "", grown))
            head->file[head->files] = atomic_file_id(grown);
}

/* Syncs the growing folder, so that its names survive a power loss. */
static enum status growing_sync(const struct sink_request *request)
{
    int folder = folder_open_own(request->growing_folder);
    bool good = folder >= 0 && folder_sync(folder) == 0;
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_IO, "cannot sync %s: %s", request->growing_folder, strerror(reason));
}

enum status sink_checkpoint(struct sink *sink, void **state, size_t *bytes)
{
    const struct sink_kind *kind = sink->kind;
    struct mark_head head;
    size_t length = sink->placed ? sink->state_bytes : sizeof head + kind->mark_bytes;
    *state = NULL;
    if (!sink->request.growing_folder)
        return status_fail(STATUS_CANNOT_CREATE, "%s has no folder to grow in", sink->request.path);
    char *made = calloc(1, length + sizeof(uint64_t));
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", sink->request.path);
    enum status status = STATUS_OK;
    if (sink->placed) {
        memcpy(made, sink->state, length);
    } else {
        status = kind->checkpoint(sink->state, made + sizeof head);
        head_fill(&head, sink);
        memcpy(made, &head, sizeof head);
        uint64_t sum = XXH3_64bits(made, length);
        memcpy(made + length, &sum, sizeof sum);
        length += sizeof sum;
    }
    if (status == STATUS_OK)
        status = growing_sync(&sink->request);
    *state = made;
    *bytes = length;
    if (status == STATUS_OK)
        return STATUS_OK;
    free(made);
    *state = NULL;
    return status;
}

/* Reports that a mark does not fit the request. */
static enum status mark_wrong(const struct sink_request *request)
{
    return status_fail(STATUS_BAD_DATA,
                       "cannot go on with %s: what was noted of it is damaged; begin anew",
                       request->path);
}

static enum status state_read(const struct sink *sink, const void *state, size_t bytes,
                              struct mark_head *head)
{
    const struct sink_request *request = &sink->request;
    size_t length = sizeof *head + sink->kind->mark_bytes;
    uint64_t sum;
    if (bytes < sizeof *head || bytes < length + sizeof sum ||
        memcmp(state, mark_magic, sizeof mark_magic) != 0)
        return mark_wrong(request);
    memcpy(head, state, sizeof *head);
    memcpy(&sum, (const char *)state + bytes - sizeof sum, sizeof sum);
    if (XXH3_64bits(state, bytes - sizeof sum) != sum)
        return mark_wrong(request);
    if (head->request != request_sum(request, sink->kind) || bytes != length + sizeof sum)
        return status_fail(STATUS_BAD_DATA,
                           "cannot go on with %s: what is in %s is another picture; begin anew",
                           request->path, request->growing_folder);
    bool good = head->y >= 0 && head->y <= request->field->height && head->files >= 1 &&
                head->files <= FILES_MOST;
    return good ? STATUS_OK : mark_wrong(request);
}

/* Has the run before given the files their names before it ended? */
static bool are_placed(const struct sink *sink, const struct mark_head *head)
{
    char path[SINK_PATH_BYTES];
    int files = 0;
    for (; files < head->files && sink->kind->file(&sink->request, files, path); files++) {
        atomic_file_clear(path);
        if (head->file[files] == 0 || atomic_file_id(path) != head->file[files])
            return false;
    }
    return files == head->files;
}

static enum status placed_keep(struct sink *sink, const void *state, size_t bytes)
{
    free(sink->state);
    sink->placed = true;
    sink->state_bytes = bytes;
    sink->state = malloc(bytes);
    if (!sink->state)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", sink->request.path);
    memcpy(sink->state, state, bytes);
    return STATUS_OK;
}

/* Resumes with a copy of the mark, which is aligned, unlike the caller's bytes. */
static enum status mark_resume(struct sink *sink, const void *state, int32_t y)
{
    const struct sink_kind *kind = sink->kind;
    void *mark = malloc(kind->mark_bytes + 1); /* never 0: .npy has no mark */
    if (mark)
        memcpy(mark, (const char *)state + sizeof(struct mark_head), kind->mark_bytes);
    enum status status =
        mark ? kind->resume(sink->state, &sink->request, mark, y)
             : status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", sink->request.path);
    free(mark);
    return status;
}

enum status sink_resume(struct sink **sink, const struct sink_request *request, const void *state,
                        size_t bytes, int32_t *next_row)
{
    struct mark_head head;
    *sink = NULL;
    *next_row = 0;
    struct sink *resumed;
    TRY(sink_create(&resumed, request));
    enum status status =
        request->growing_folder ? state_read(resumed, state, bytes, &head) : mark_wrong(request);
    if (status != STATUS_OK) {
        free(resumed->state);
        free(resumed);
        return status;
    }
    *sink = resumed;
    if (are_placed(resumed, &head)) {
        *next_row = resumed->y = request->field->height;
        return placed_keep(resumed, state, bytes);
    }
    *next_row = resumed->y = head.y;
    return mark_resume(resumed, state, head.y);
}

enum status sink_file_open(struct atomic_file *file, const struct sink_request *request,
                           const char *path, const uint64_t *length)
{
    const struct growth growth = {.folder = request->growing_folder,
                                  .resumes = length != NULL,
                                  .length = length ? *length : 0};
    return atomic_file_grow(file, path, request->overwrite, request->stop, &growth);
}

/* Opens a file that grows; -1 with errno. */
static int grown_open(const struct sink_request *request, const char *path, const char *suffix,
                      enum sink_side_use use)
{
    char name[SINK_PATH_BYTES];
    snprintf(name, sizeof name, "%s%s", last_part(path), suffix);
    int folder = folder_open_own(request->growing_folder), file = -1;
    if (folder < 0)
        return -1;
    if (use == SINK_SIDE_NEW)
        file = folder_file_create(folder, name, 0666);
    else if (use == SINK_SIDE_ADD)
        file = folder_file_take(folder, name);
    else
        file = folder_file_open(folder, name, O_RDWR);
    int reason = errno;
    close(folder);
    errno = reason;
    return file;
}

int sink_side_open(const struct sink_request *request, const char *suffix, enum sink_side_use use)
{
    return grown_open(request, request->path, suffix, use);
}

/* ---- rows from other processes ---- */

int32_t sink_part_rows(const struct sink_request *request)
{
    const struct sink_kind *kind;
    bool parts = sink_for_path(&kind, request->path) == STATUS_OK && kind->part_rows &&
                 !is_special(request->path);
    return parts ? kind->part_rows(request) : 0;
}

int32_t sink_part_pixel_bytes(const struct sink_request *request)
{
    const struct sink_kind *kind;
    double pixels = (double)request->field->width * request->field->height;
    if (sink_for_path(&kind, request->path) != STATUS_OK || !kind->bits_most)
        return 0;
    /* tiles need more for less than a tile */
    double bytes = (double)kind->bytes_max(request) / pixels;
    return bytes < INT16_MAX ? (int32_t)bytes + 1 : INT16_MAX;
}

enum status sink_part_make(const struct sink_request *request, const struct sink_rows *rows,
                           struct sink_part *part)
{
    const struct sink_kind *kind;
    *part = (struct sink_part){.ranges = 0};
    TRY(sink_for_path(&kind, request->path));
    TRY(sink_stopped(request));
    return kind->part_make(request, rows, part);
}

void sink_part_free(struct sink_part *part)
{
    free(part->made);
    *part = (struct sink_part){.ranges = 0};
}

enum status sink_part_stream(const struct sink_request *request, const struct sink_rows *rows,
                             struct sink_part *part,
                             enum status (*make)(const struct sink_request *request,
                                                 const struct sink_rows *rows, FILE *stream,
                                                 uint32_t *sum))
{
    char *made = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&made, &length);
    enum status status = stream ? make(request, rows, stream, &part->sum) : STATUS_OK;
    if (!stream || (fclose(stream) != 0 && status == STATUS_OK))
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    part->made = made;
    part->length = length;
    part->ranges = 1;
    part->range[0] = (struct byte_range){.bytes = made, .length = length};
    return status;
}

static bool range_put(const struct sink_request *request, const char *path,
                      const struct byte_range *range, uint64_t offset, bool sync)
{
    int file = grown_open(request, path, range->side ? range->side : "", SINK_SIDE_THERE);
    off_t at = (off_t)(range->side ? range->offset : offset + range->offset);
    bool good = file >= 0 && file_bytes_lock(file, true, at, range->length) &&
                file_bytes_put(file, range->bytes, range->length, at) &&
                (!sync || TEMP_FAILURE_RETRY(fdatasync(file)) == 0) &&
                file_bytes_lock(file, false, at, range->length);
    return file_bytes_close(file, good);
}

enum status sink_part_put(const struct sink_request *request, const struct sink_part *part,
                          uint64_t offset, bool sync)
{
    const struct sink_kind *kind;
    char path[SINK_PATH_BYTES];
    TRY(sink_for_path(&kind, request->path));
    for (int i = 0; i < part->ranges; i++) {
        const struct byte_range *range = &part->range[i];
        TRY(sink_stopped(request));
        errno = ENAMETOOLONG;
        if (!kind->file(request, range->file, path) ||
            !range_put(request, path, range, offset, sync))
            return status_fail(STATUS_IO, "cannot write %s: %s", path, folder_reason(errno));
    }
    return STATUS_OK;
}

enum status sink_part_begin(struct sink *sink, uint64_t *offset)
{
    return sink->kind->part_begin(sink->state, offset);
}

enum status sink_part_add(struct sink *sink, int32_t rows, uint64_t length, uint32_t sum)
{
    assert(rows <= sink->request.field->height - sink->y);
    TRY(sink->kind->part_add(sink->state, rows, length, sum));
    sink->y += rows;
    return STATUS_OK;
}

static enum status write_to(const struct sink_request *request, struct atomic_file_set *set)
{
    struct sink_rows rows = {
        .height = request->field->height, .field = *request->field, .light = request->light};
    struct sink *sink;
    enum status status = sink_begin(&sink, request);
    if (status == STATUS_OK)
        status = sink_add(sink, &rows);
    if (status == STATUS_OK)
        status = sink_end(sink, set);
    sink_destroy(sink);
    return status;
}

enum status sink_write(const struct sink_request *request)
{
    struct atomic_file_set set = {.count = 0};
    enum status status = write_to(request, &set);
    if (status == STATUS_OK)
        return atomic_file_set_commit(&set);
    atomic_file_set_abandon(&set);
    return status;
}

bool sink_requests_meet(const struct sink_request *request, const struct sink_request *other,
                        char *path)
{
    const struct sink_kind *kind, *of_other;
    char theirs[SINK_PATH_BYTES];
    if (sink_for_path(&kind, request->path) != STATUS_OK ||
        sink_for_path(&of_other, other->path) != STATUS_OK)
        return false;
    for (int i = 0; kind->file(request, i, path); i++)
        for (int j = 0; of_other->file(other, j, theirs); j++)
            if (atomic_file_same(path, theirs))
                return true;
    return false;
}

int sink_threads_use(int threads)
{
    int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    return before;
}

bool sink_file_alone(const struct sink_request *request, int index, char *path)
{
    snprintf(path, SINK_PATH_BYTES, "%s", request->path);
    return index == 0;
}

enum status sink_stopped(const struct sink_request *request)
{
    if (stop_asked(request->stop))
        return status_fail(STATUS_STOPPED, "stopped on request while writing %s", request->path);
    return STATUS_OK;
}

void sink_colour_row(const struct sink_request *request, const struct sink_rows *rows, int32_t row,
                     void *out)
{
    const struct field *field = &rows->field;
    const float(*light)[3] = rows->light ? rows->light + (size_t)row * (size_t)field->width : NULL;
    int32_t x = request->x, y = request->y + rows->y + row;
    if (rows->light && request->bits == 8)
        colour_light_row_8(light, field->width, x, y, out);
    else if (rows->light)
        colour_light_row_16(light, field->width, out);
    else if (request->bits == 8)
        colour_window_row_8(request->look, field, row, x, y, out);
    else
        colour_window_row_16(request->look, field, row, y, out);
}

void sink_paths(const struct sink_request *request, char *text, size_t bytes)
{
    const struct sink_kind *kind;
    char path[SINK_PATH_BYTES];
    size_t used = 0;
    if (bytes > 0)
        text[0] = '\0';
    if (sink_for_path(&kind, request->path) != STATUS_OK)
        return;
    for (int i = 0; used < bytes && kind->file(request, i, path); i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s\n", path);
}
