#include "render/film/film_y4m.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/file_bytes.h"

enum { HEAD_BYTES = 128, MARK_BYTES = 6 };

static int head_make(char head[HEAD_BYTES], const struct film_yuv *yuv, int fps)
{
    static const char *const names[FILM_CHROMAS][2] = {{"420mpeg2", "420p10"}, {"444", "444p10"}};
    return snprintf(head, HEAD_BYTES, "YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C%s XCOLORRANGE=LIMITED\n",
                    yuv->width, yuv->height, fps, names[yuv->chroma][yuv->bits > 8]);
}

struct film_places film_y4m_places(const struct film_yuv *yuv, int fps)
{
    char head[HEAD_BYTES];
    return (struct film_places){.head_bytes = head_make(head, yuv, fps),
                                .frame_bytes = MARK_BYTES + (off_t)film_yuv_bytes(yuv),
                                .mark = "FRAME\n"};
}

static off_t place_of(const struct film_places *places, int64_t frame)
{
    return places->head_bytes + frame * places->frame_bytes;
}

/* Others may write into a folder that several runs share: what is no plain file there is neither
 * followed nor waited for. */
static int plain_open(const char *path, int flags)
{
    struct stat about;
    int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0 || (fstat(file, &about) == 0 && S_ISREG(about.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

enum status film_y4m_open(int *file, const char *path, const struct film_yuv *yuv, int fps)
{
    char head[HEAD_BYTES];
    int length = head_make(head, yuv, fps);
    *file = plain_open(path, O_WRONLY | O_CREAT);
    if (*file < 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s: %s", path, strerror(errno));
    if (file_bytes_put(*file, head, (size_t)length, 0))
        return STATUS_OK;
    status_fail(STATUS_IO, "%s: %s", path, strerror(errno));
    close(*file);
    *file = -1;
    return STATUS_IO;
}

enum status film_y4m_put(int file, const char *path, const struct film_places *places,
                         int64_t frame, const uint8_t *samples)
{
    off_t place = place_of(places, frame);
    size_t bytes = (size_t)places->frame_bytes - MARK_BYTES;
    if (file_bytes_put(file, places->mark, MARK_BYTES, place) &&
        file_bytes_put(file, samples, bytes, place + MARK_BYTES))
        return STATUS_OK;
    return status_fail(STATUS_IO, "%s: %s", path, strerror(errno));
}

static bool is_marked(int file, const struct film_places *places, int64_t frame)
{
    char mark[MARK_BYTES];
    return file_bytes_get(file, mark, sizeof mark, place_of(places, frame)) &&
           !memcmp(mark, places->mark, sizeof mark);
}

bool film_y4m_has(const char *path, const struct film_places *places, int64_t first, int64_t last)
{
    struct stat about;
    int file = plain_open(path, O_RDONLY);
    if (file < 0)
        return false;
    bool has = fstat(file, &about) == 0 && about.st_size >= place_of(places, last + 1) &&
               is_marked(file, places, first) && is_marked(file, places, last);
    close(file);
    return has;
}
