#include "render/file/npy_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/folder.h"

enum {
    MAGIC_BYTES = 6,
    HEAD_BYTES = 12, /* magic, version, and a length of 2 or 4 bytes */
    DICT_BYTES_MAX = 4096,
    SIDE_MAX = 1 << 28
};

static enum status bytes_read(int file, const char *path, int64_t offset, void *bytes,
                              size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t some = pread(file, (char *)bytes + done, length - done, offset + (int64_t)done);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return status_fail(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (some == 0)
            return status_fail(STATUS_BAD_DATA, "%s: damaged NPY: ends at byte %lld", path,
                               (long long)(offset + (int64_t)done));
        done += (size_t)some;
    }
    return STATUS_OK;
}

/* ---- the header, which is a dict of Python ---- */

/* Value of a key: the text behind 'key': and blanks; NULL if it is not there. */
static const char *value_of(const char *dict, const char *key)
{
    const char *at = strstr(dict, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at++ != ':')
        return NULL;
    return at + strspn(at, " ");
}

static bool begins(const char *text, const char *with)
{
    return text && !strncmp(text, with, strlen(with));
}

static enum status type_take(struct npy_plane *plane, const char *path, const char *dict)
{
    static const char *const types[] = {
        [ELEMENT_U32] = "'<u4'", [ELEMENT_U64] = "'<u8'", [ELEMENT_F32] = "'<f4'"};
    const char *descr = value_of(dict, "'descr'");
    for (int i = 0; i < (int)(sizeof types / sizeof *types); i++)
        if (begins(descr, types[i])) {
            plane->element = (enum element)i;
            return STATUS_OK;
        }
    return status_fail(STATUS_BAD_DATA, "%s: an array of %.*s; a plane is of '<u4', '<u8' or '<f4'",
                       path, descr ? (int)strcspn(descr, ",}\n") : 7, descr ? descr : "nothing");
}

/* Takes a shape, "(1080, 1920)". */
static enum status shape_take(struct npy_plane *plane, const char *path, const char *dict)
{
    const char *shape = value_of(dict, "'shape'");
    long long height = 0, width = 0;
    int end = 0;
    bool flat = shape && sscanf(shape, "(%9lld, %9lld)%n", &height, &width, &end) == 2 && end > 0;
    if (!flat || height < 1 || width < 1 || height > SIDE_MAX || width > SIDE_MAX)
        return status_fail(STATUS_BAD_DATA,
                           "%s: an array of shape %.*s; a plane is of (height, width), each 1 ... "
                           "%d",
                           path, shape ? (int)strcspn(shape, "}\n") : 7, shape ? shape : "nothing",
                           SIDE_MAX);
    plane->height = (int32_t)height;
    plane->width = (int32_t)width;
    return STATUS_OK;
}

static enum status dict_take(struct npy_plane *plane, const char *path, const char *dict)
{
    TRY(type_take(plane, path, dict));
    TRY(shape_take(plane, path, dict));
    if (!begins(value_of(dict, "'fortran_order'"), "False"))
        return status_fail(STATUS_BAD_DATA,
                           "%s: an array in columns ('fortran_order'); a plane is in rows", path);
    return STATUS_OK;
}

static enum status head_take(struct npy_plane *plane, const char *path)
{
    uint8_t head[HEAD_BYTES];
    char dict[DICT_BYTES_MAX + 1];
    TRY(bytes_read(plane->file, path, 0, head, sizeof head));
    if (memcmp(head, "\x93NUMPY", MAGIC_BYTES) != 0 || head[6] < 1 || head[6] > 3)
        return status_fail(STATUS_BAD_DATA, "%s: not an array of NumPy (.npy, version 1 to 3)",
                           path);
    size_t length = (size_t)head[8] | (size_t)head[9] << 8, begin = 10;
    if (head[6] > 1) {
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
        begin = 12;
    }
    if (length > DICT_BYTES_MAX)
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged NPY: a header of %zu bytes; %d are possible", path, length,
                           DICT_BYTES_MAX);
    TRY(bytes_read(plane->file, path, (int64_t)begin, dict, length));
    dict[length] = '\0';
    plane->data = (int64_t)(begin + length);
    return dict_take(plane, path, dict);
}

static enum status length_check(const struct npy_plane *plane, const char *path, int64_t length)
{
    int64_t row = (int64_t)plane->width * (int64_t)element_bytes(plane->element);
    int64_t right = plane->data + row * plane->height; /* cannot overflow: sides are at most 2^28 */
    if (length == right)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA,
                       "%s: damaged NPY: %d x %d numbers need %lld bytes, but the file has %lld",
                       path, plane->width, plane->height, (long long)right, (long long)length);
}

enum status npy_plane_open(struct npy_plane *plane, const char *path)
{
    struct stat about;
    *plane = (struct npy_plane){.file = folder_input(path)};
    if (plane->file < 0)
        return status_fail(STATUS_NO_INPUT, "%s: %s", path, strerror(errno));
    enum status status = STATUS_OK;
    if (fstat(plane->file, &about) != 0 || !S_ISREG(about.st_mode))
        status = status_fail(STATUS_BAD_DATA, "%s: is not a regular file", path);
    if (status == STATUS_OK)
        status = head_take(plane, path);
    if (status == STATUS_OK)
        status = length_check(plane, path, about.st_size);
    if (status != STATUS_OK)
        npy_plane_close(plane);
    return status;
}

enum status npy_plane_rows(const struct npy_plane *plane, const char *path, int32_t y,
                           int32_t height, void *out)
{
    size_t row = (size_t)plane->width * element_bytes(plane->element);
    return bytes_read(plane->file, path, plane->data + (int64_t)row * y, out, row * (size_t)height);
}

void npy_plane_close(struct npy_plane *plane)
{
    if (plane->file >= 0)
        close(plane->file);
    plane->file = -1;
}
