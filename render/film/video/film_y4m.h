/* A film as YUV4MPEG2: a head, then frames of one size (film_yuv.h). Each frame has its offset, so
 * that segments, and the parts of several runs, are written into one file in any order, and nothing
 * is copied at the end. */
#ifndef RENDER_FILM_VIDEO_FILM_Y4M_H
#define RENDER_FILM_VIDEO_FILM_Y4M_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernels/status.h"
#include "render/film/film_file.h"
#include "render/film/video/film_rate.h"
#include "render/film/video/film_yuv.h"

struct film_offsets { /* offsets of the frames in the file */
    off_t head_bytes;
    off_t frame_bytes; /* bytes of a frame with its mark; 0: there is no such file */
    const char *mark;  /* mark that each frame begins with */
};

struct film_offsets film_y4m_offsets(const struct film_yuv *yuv, struct film_rate rate);

/* Opens the file, or makes it, and writes the head; its other bytes stay. *file is the descriptor.
 * STATUS_CANNOT_CREATE, STATUS_IO. */
enum status film_y4m_open(int *file, const struct film_file *of, const struct film_yuv *yuv,
                          struct film_rate rate);

/* Writes a frame; `samples`: as film_yuv_make leaves them. STATUS_IO. */
enum status film_y4m_put(int file, const struct film_file *of, const struct film_offsets *offsets,
                         int64_t frame, const uint8_t *samples);

/* Have these frames been written? A missing frame is a hole in the file, or behind its end. */
bool film_y4m_has(const struct film_file *of, const struct film_offsets *offsets, int64_t first,
                  int64_t last);

#endif
