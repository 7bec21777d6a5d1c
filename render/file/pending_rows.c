#include "render/file/pending_rows.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"

static const char *const suffixes[2] = {".rows0", ".rows1"};

enum status pending_rows_save(struct pending_rows *pending, const struct sink_request *request,
                              int32_t group, const void *rows, size_t row_bytes, int32_t count,
                              struct pending_mark *mark)
{
    *mark = (struct pending_mark){.rows = count};
    if (count == 0)
        return STATUS_OK;
    if (pending->saved == 0 || pending->group != group || pending->saved > count)
        *pending = (struct pending_rows){.group = group, .slot = !pending->slot};
    int file = sink_side_open(request, suffixes[pending->slot], SINK_SIDE_ADD);
    size_t from = (size_t)pending->saved * row_bytes, length = (size_t)count * row_bytes;
    bool good = file >= 0 &&
                file_bytes_put(file, (const char *)rows + from, length - from, (off_t)from) &&
                TEMP_FAILURE_RETRY(fdatasync(file)) == 0;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (!good)
        return status_fail(STATUS_IO, "cannot write the rows of %s that wait in %s: %s",
                           request->path, request->growing_folder, folder_reason(reason));
    pending->saved = count;
    mark->slot = pending->slot;
    mark->sum = XXH3_64bits(rows, length);
    return STATUS_OK;
}

enum status pending_rows_load(struct pending_rows *pending, const struct sink_request *request,
                              int32_t group, void *rows, size_t row_bytes, int32_t count,
                              const struct pending_mark *mark)
{
    *pending = (struct pending_rows){.group = group, .saved = count, .slot = mark->slot == 1};
    if (count == 0 && mark->rows == 0)
        return STATUS_OK;
    size_t length = (size_t)count * row_bytes;
    int file = sink_side_open(request, suffixes[pending->slot], SINK_SIDE_THERE);
    bool good = file >= 0 && mark->rows == count && file_bytes_get(file, rows, length, 0) &&
                XXH3_64bits(rows, length) == mark->sum;
    if (file >= 0)
        close(file);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA,
                       "cannot go on with %s: the rows that waited in %s are damaged; begin anew",
                       request->path, request->growing_folder);
}
