#include "render/sink.h"

#include <assert.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "render/png_text.h"

extern const struct sink_kind sink_exr, sink_npy, sink_png, sink_tif;

const struct sink_kind *const sink_kinds[] = {
    &sink_png, /* first: what a device without a suffix gets */
    &sink_exr,
    &sink_npy,
    &sink_tif,
};
const int sink_kinds_count = sizeof sink_kinds / sizeof sink_kinds[0];

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

struct disk {
    uint64_t free;    /* bytes for this user; UINT64_MAX: without limit */
    unsigned long id; /* 0 for a device, which has no disk */
};

/* The disk of the folder of `path`. */
static enum status disk_of(struct disk *disk, const char *path)
{
    *disk = (struct disk){.free = UINT64_MAX};
    if (is_special(path))
        return STATUS_OK;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    struct statvfs about;
    int failed = folder ? statvfs(folder, &about) : -1;
    free(folder);
    if (failed)
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot ask for the free space of the disk of %s: %s", path,
                           strerror(errno));
    disk->id = about.f_fsid;
    if (__builtin_mul_overflow((uint64_t)about.f_bavail, (uint64_t)about.f_frsize, &disk->free))
        disk->free = UINT64_MAX;
    return STATUS_OK;
}

uint64_t sink_bytes_beside(const struct sink_request *request, const char *path)
{
    const struct sink_kind *kind;
    struct disk mine, theirs;
    if (sink_for_path(&kind, request->path) != STATUS_OK ||
        disk_of(&mine, request->path) != STATUS_OK || disk_of(&theirs, path) != STATUS_OK ||
        mine.id == 0 || mine.id != theirs.id)
        return 0;
    return kind->bytes_max(request);
}

/* `text`: what readers of a view would give up at. */
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
        TRY(atomic_file_check(path, request->overwrite));
    uint64_t needed = kind->bytes_max(request), all;
    struct disk disk;
    TRY(disk_of(&disk, request->path));
    if (__builtin_add_overflow(needed, request->beside_bytes, &all))
        all = UINT64_MAX;
    if (request->beside_bytes)
        snprintf(before, sizeof before, ", the files before it %.1f MB",
                 (double)request->beside_bytes * 1e-6);
    if (all > disk.free)
        return status_fail(
            STATUS_TOO_LARGE,
            "%s: %d x %d pixels can take %.1f MB as %s%s, and the disk has %.1f MB left",
            request->path, request->field->width, request->field->height, (double)needed * 1e-6,
            kind->name, before, (double)disk.free * 1e-6);
    return kind->check ? kind->check(request) : STATUS_OK;
}

/* ---- rows ---- */

struct sink {
    const struct sink_kind *kind;
    struct sink_request request;
    int32_t y; /* the next row */
    void *state;
};

enum status sink_begin(struct sink **sink, const struct sink_request *request)
{
    const struct sink_kind *kind;
    *sink = NULL;
    TRY(sink_for_path(&kind, request->path));
    TRY(request_check(request, kind));
    struct sink *begun = calloc(1, sizeof *begun);
    void *state = begun ? calloc(1, kind->state_bytes) : NULL;
    if (!state) {
        free(begun);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    }
    *begun = (struct sink){.kind = kind, .request = *request, .state = state};
    *sink = begun;
    return kind->begin(state, &begun->request);
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
    return sink->kind->end(sink->state, set);
}

void sink_destroy(struct sink *sink)
{
    if (!sink)
        return;
    sink->kind->close(sink->state);
    free(sink->state);
    free(sink);
}

enum status sink_write_to(const struct sink_request *request, struct atomic_file_set *set)
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
    enum status status = sink_write_to(request, &set);
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

void sink_threads_use(int threads)
{
    omp_set_num_threads(threads);
}

bool sink_file_alone(const struct sink_request *request, int index, char *path)
{
    snprintf(path, SINK_PATH_BYTES, "%s", request->path);
    return index == 0;
}

enum status sink_stopped(const struct sink_request *request)
{
    if (request->stop && __atomic_load_n(request->stop, __ATOMIC_RELAXED))
        return status_fail(STATUS_STOPPED, "stopped on request while writing %s", request->path);
    return STATUS_OK;
}

void sink_colour_row(const struct sink_request *request, const struct sink_rows *rows, int32_t row,
                     void *out)
{
    const struct field *field = &rows->field;
    const float(*light)[3] = rows->light ? rows->light + (size_t)row * (size_t)field->width : NULL;
    int32_t y = rows->y + row;
    if (rows->light && request->bits == 8)
        colour_light_row_8(light, field->width, y, out);
    else if (rows->light)
        colour_light_row_16(light, field->width, out);
    else if (request->bits == 8)
        colour_window_row_8(request->look, field, row, y, out);
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
