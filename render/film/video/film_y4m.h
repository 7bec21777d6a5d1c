/* A film as YUV4MPEG2: a head, then frames of one size (film_yuv.h). Each frame has its place, so
 * that stretches, and the parts of several runs, are written into one file in any order, and
 * nothing is copied at the end. */
#ifndef RENDER_FILM_VIDEO_FILM_Y4M_H
#define RENDER_FILM_VIDEO_FILM_Y4M_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernels/status.h"
#include "render/film/film_file.h"
#include "render/film/video/film_rate.h"
#include "render/film/video/film_yuv.h"

struct film_places { /* of the frames in the file */
    off_t head_bytes;
    off_t frame_bytes; /* with its mark; 0: there is no such file */
    const char *mark;  /* that each begins with */
};

struct film_places film_y4m_places(const struct film_yuv *yuv, struct film_rate rate);

/* Makes the file unless it is there, and writes the head; what else is in it stays. The descriptor.
 * STATUS_CANNOT_CREATE, STATUS_IO. */
enum status film_y4m_open(int *file, const struct film_file *of, const struct film_yuv *yuv,
                          struct film_rate rate);

/* `samples`: as film_yuv_make leaves them. STATUS_IO. */
enum status film_y4m_put(int file, const struct film_file *of, const struct film_places *places,
                         int64_t frame, const uint8_t *samples);

/* Have these frames been written? One that was not is a hole in the file, or behind its end. */
bool film_y4m_has(const struct film_file *of, const struct film_places *places, int64_t first,
                  int64_t last);

#endif
