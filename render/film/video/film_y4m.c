#include "render/film/video/film_y4m.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"

enum { HEAD_BYTES = 128, MARK_BYTES = 6 };

static int head_make(char head[HEAD_BYTES], const struct film_yuv *yuv, struct film_rate rate)
{
    static const char *const names[FILM_CHROMAS][2] = {{"420mpeg2", "420p10"}, {"444", "444p10"}};
    return snprintf(head, HEAD_BYTES, "YUV4MPEG2 W%d H%d F%d:%d Ip A1:1 C%s XCOLORRANGE=LIMITED\n",
                    yuv->width, yuv->height, rate.frames, rate.seconds,
                    names[yuv->chroma][yuv->bits > 8]);
}

struct film_offsets film_y4m_offsets(const struct film_yuv *yuv, struct film_rate rate)
{
    char head[HEAD_BYTES];
    return (struct film_offsets){.head_bytes = head_make(head, yuv, rate),
                                 .frame_bytes = MARK_BYTES + (off_t)film_yuv_bytes(yuv),
                                 .mark = "FRAME\n"};
}

static off_t offset_at(const struct film_offsets *offsets, int64_t frame)
{
    return offsets->head_bytes + frame * offsets->frame_bytes;
}

static enum status failed(enum status status, const struct film_file *of)
{
    return status_fail(status, "%s/%s: %s", of->where, of->name, folder_reason(errno));
}

enum status film_y4m_open(int *file, const struct film_file *of, const struct film_yuv *yuv,
                          struct film_rate rate)
{
    char head[HEAD_BYTES];
    int length = head_make(head, yuv, rate);
    *file = folder_file_take(of->folder, of->name);
    if (*file < 0)
        return failed(STATUS_CANNOT_CREATE, of);
    if (file_bytes_put(*file, head, (size_t)length, 0))
        return STATUS_OK;
    failed(STATUS_IO, of);
    close(*file);
    *file = -1;
    return STATUS_IO;
}

enum status film_y4m_put(int file, const struct film_file *of, const struct film_offsets *offsets,
                         int64_t frame, const uint8_t *samples)
{
    off_t offset = offset_at(offsets, frame);
    size_t bytes = (size_t)offsets->frame_bytes - MARK_BYTES;
    if (file_bytes_put(file, offsets->mark, MARK_BYTES, offset) &&
        file_bytes_put(file, samples, bytes, offset + MARK_BYTES))
        return STATUS_OK;
    return failed(STATUS_IO, of);
}

static bool is_marked(int file, const struct film_offsets *offsets, int64_t frame)
{
    char mark[MARK_BYTES];
    return file_bytes_get(file, mark, sizeof mark, offset_at(offsets, frame)) &&
           !memcmp(mark, offsets->mark, sizeof mark);
}

bool film_y4m_has(const struct film_file *of, const struct film_offsets *offsets, int64_t first,
                  int64_t last)
{
    struct stat about;
    int file = folder_file_open(of->folder, of->name, O_RDONLY);
    if (file < 0)
        return false;
    bool has = fstat(file, &about) == 0 && about.st_size >= offset_at(offsets, last + 1) &&
               is_marked(file, offsets, first) && is_marked(file, offsets, last);
    close(file);
    return has;
}
