#include "render/kept_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/file_bytes.h"

static const char *const suffixes[2] = {".rows0", ".rows1"};

enum status kept_rows_save(struct kept_rows *kept, const struct sink_request *order, int32_t group,
                           const void *rows, size_t row_bytes, int32_t count,
                           struct kept_mark *mark)
{
    *mark = (struct kept_mark){.rows = count};
    if (count == 0)
        return STATUS_OK;
    if (kept->saved == 0 || kept->group != group || kept->saved > count)
        *kept = (struct kept_rows){.group = group, .slot = !kept->slot};
    int file = sink_side_open(order, suffixes[kept->slot], O_RDWR | O_CREAT);
    size_t from = (size_t)kept->saved * row_bytes, length = (size_t)count * row_bytes;
    bool good = file >= 0 &&
                file_bytes_put(file, (const char *)rows + from, length - from, (off_t)from) &&
                fdatasync(file) == 0;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (!good)
        return status_fail(STATUS_IO, "cannot write the rows of %s that are kept in %s: %s",
                           order->path, order->growing_folder, strerror(reason));
    kept->saved = count;
    mark->slot = kept->slot;
    mark->sum = XXH3_64bits(rows, length);
    return STATUS_OK;
}

enum status kept_rows_load(struct kept_rows *kept, const struct sink_request *order, int32_t group,
                           void *rows, size_t row_bytes, int32_t count,
                           const struct kept_mark *mark)
{
    *kept = (struct kept_rows){.group = group, .saved = count, .slot = mark->slot == 1};
    if (count == 0 && mark->rows == 0)
        return STATUS_OK;
    size_t length = (size_t)count * row_bytes;
    int file = sink_side_open(order, suffixes[kept->slot], O_RDONLY);
    bool good = file >= 0 && mark->rows == count && file_bytes_get(file, rows, length, 0) &&
                XXH3_64bits(rows, length) == mark->sum;
    if (file >= 0)
        close(file);
    if (good)
        return STATUS_OK;
    return status_fail(
        STATUS_BAD_DATA,
        "cannot go on with %s: the rows that were kept in %s are damaged; begin anew", order->path,
        order->growing_folder);
}
