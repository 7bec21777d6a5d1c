/* Planes as NumPy arrays, one file each: NPY format 1.0, numpy/lib/format.py. */
#include "render/sink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 64, HEADER_BYTES = 128, PART_BYTES = 4 << 20 };

static unsigned planes_written(const struct sink_order *order)
{
    return order->planes ? order->planes & order->field->planes : order->field->planes;
}

static int plane_of_file(const struct sink_order *order, int index)
{
    for (int p = 0; p < PLANES; p++)
        if (planes_written(order) & 1u << p && index-- == 0)
            return p;
    return -1;
}

/* "x.npy" -> "x.count.npy" */
static bool npy_file(const struct sink_order *order, int index, char *path)
{
    int plane = plane_of_file(order, index);
    if (plane < 0)
        return false;
    int stem = (int)(strlen(order->path) - strlen(".npy"));
    snprintf(path, SINK_PATH_BYTES, "%.*s.%s%s", stem, order->path, plane_kinds[plane].name,
             order->path + stem);
    return true;
}

static uint64_t npy_bytes_max(const struct sink_order *order)
{
    size_t bytes;
    const struct field *field = order->field;
    if (field_bytes(field->width, field->height, planes_written(order), field->count_bytes,
                    &bytes) != STATUS_OK)
        return UINT64_MAX;
    return (uint64_t)bytes + PLANES * HEADER_BYTES;
}

/* Magic, version, little-endian length, a Python dict, blanks, newline; HEADER_BYTES in all, so
 * that the data is aligned for mapping it. */
static void header_fill(char header[HEADER_BYTES], const struct field *field, int plane)
{
    static const char *const types[] = {
        [ELEMENT_U32] = "u4", [ELEMENT_U64] = "u8", [ELEMENT_F32] = "f4"};
    const char *type = types[plane_element((enum plane)plane, field->count_bytes)];
    char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char dict[HEADER_BYTES];
    int length = snprintf(dict, sizeof dict,
                          "{'descr': '%c%s', 'fortran_order': False, 'shape': (%d, %d), }", order,
                          type, field->height, field->width);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(HEADER_BYTES - 10);
    header[9] = 0;
    memset(header + 10, ' ', HEADER_BYTES - 10);
    memcpy(header + 10, dict, (size_t)length);
    header[HEADER_BYTES - 1] = '\n';
}

_Static_assert(HEADER_BYTES % ALIGNMENT == 0, "NPY data starts at a multiple of 64");

struct npy {
    const struct sink_order *order;
    int count;
    struct whole_file file[PLANES]; /* in the order of the planes */
};

static enum status bytes_write(const struct npy *npy, int index, const void *bytes, size_t length)
{
    const struct whole_file *file = &npy->file[index];
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < PART_BYTES ? length - at : PART_BYTES;
        TRY(sink_stopped(npy->order));
        if (fwrite((const char *)bytes + at, 1, part, file->stream) != part) {
            int reason = errno;
            TRY(sink_stopped(npy->order)); /* a pipe that blocked */
            return status_fail(STATUS_IO, "cannot write %s: %s", file->path, strerror(reason));
        }
    }
    return STATUS_OK;
}

static enum status npy_begin(void *state, const struct sink_order *order)
{
    struct npy *npy = state;
    char path[SINK_PATH_BYTES], header[HEADER_BYTES];
    npy->order = order;
    for (int i = 0; npy_file(order, i, path); i++) {
        TRY(whole_file_open(&npy->file[i], path, order->overwrite, order->stop));
        npy->count = i + 1;
        header_fill(header, order->field, plane_of_file(order, i));
        TRY(bytes_write(npy, i, header, sizeof header));
    }
    return STATUS_OK;
}

/* Rows without gaps between them are one piece. */
static enum status npy_rows(void *state, const struct sink_rows *rows)
{
    const struct npy *npy = state;
    const struct field *field = &rows->field;
    int32_t together = field->stride == field->width && !field->band ? rows->height : 1;
    for (int i = 0; i < npy->count; i++) {
        enum plane plane = (enum plane)plane_of_file(npy->order, i);
        size_t row_bytes =
            (size_t)field->width * element_bytes(plane_element(plane, field->count_bytes));
        for (int32_t row = 0; row < rows->height; row += together)
            TRY(bytes_write(npy, i, field_row(field, plane, row), row_bytes * (size_t)together));
    }
    return STATUS_OK;
}

static enum status npy_end(void *state, struct whole_set *set)
{
    struct npy *npy = state;
    for (int i = 0; i < npy->count; i++)
        TRY(whole_set_add(set, &npy->file[i]));
    return STATUS_OK;
}

static void npy_close(void *state)
{
    struct npy *npy = state;
    for (int i = 0; i < npy->count; i++)
        whole_file_abandon(&npy->file[i]);
}

extern const struct sink_kind sink_npy;
const struct sink_kind sink_npy = {
    .name = "npy",
    .suffix = ".npy",
    .summary = "the numbers themselves, for NumPy: NAME.count.npy and one file per further plane",
    .file = npy_file,
    .bytes_max = npy_bytes_max,
    .state_bytes = sizeof(struct npy),
    .begin = npy_begin,
    .rows = npy_rows,
    .end = npy_end,
    .close = npy_close,
};
